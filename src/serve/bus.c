// SPDX-License-Identifier: Apache-2.0
//
// Two lists with a lock each: the published changes that were not sent yet, and the
// subscribers. Publishing locks only the first, so it never waits for subscribers.
#include "serve/bus.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "platform/clock.h"
#include "serve/stop.h"
#include "store/serving_thread.h"

enum {
    GATHER_MS = 5, // for which changes are gathered and then sent together
    URIS = 1024,   // of changed contents, gathered at most
    URI_BYTES = 256 << 10, // of all these URIs
    PART = 256,            // subscribers notified without a pause of the lock
    PLACES = 256,          // endpoints with changed lists, gathered at most
    TASKS = 1024,          // changes of tasks, gathered at most
    TASK_BYTES = 8 << 20,  // of all these changes
    STACK_BYTES = 256 << 10
};

// Changes that only open pages of `mica dev` follow, as bits.
enum {
    SOURCES = 1,
    EXCHANGES = 2
};

// A new state of a task.
struct state {
    struct state *next;
    struct mica_text id, task; // in `bytes`
    char bytes[];
};

// The changed lists of an endpoint.
struct place {
    struct mica_text endpoint;         // its key, in `bytes`
    bool lists[MICA_CHANGED_CONTENTS]; // by enum mica_change_kind
};

// Published changes.
struct changes {
    bool everywhere
        [MICA_CHANGED_CONTENTS]; // lists of all endpoints: `places` was full
    unsigned pages;              // MICA_CHANGED_SOURCES and _EXCHANGES, as bits
    bool all_contents; // contents of all endpoints: `contents` was full
    size_t place_count, count;
    struct place places[PLACES];
    struct {
        struct mica_text endpoint, uri; // in `bytes`
    } contents[URIS];
    struct mica_buffer bytes;
    struct state *states, *last_state;
    size_t state_count, state_bytes;
};

struct mica_bus {
    pthread_mutex_t lock; // guards the changes
    pthread_cond_t wake;
    struct changes *gathered, *delivered; // only the bus thread uses the second
    bool any, closing, has_thread;
    pthread_t thread;

    pthread_mutex_t
        witness_lock; // of the witness; never inside another of these
    void (*made)(void *data, const struct mica_change *change);
    void *made_data;

    pthread_mutex_t subscribers_lock; // of the subscribers; never inside `lock`
    struct mica_subscriber **subscribers;
    size_t count, capacity;
    uint64_t pass; // of notify_all; counts them
};

// ---- Notify subscribers ----------------------------------------------------------

static void
notify_lists(const struct mica_subscriber *subscriber,
             struct mica_text endpoint, bool everywhere,
             const bool lists[MICA_CHANGED_CONTENTS])
{
    struct mica_change change = {.endpoint = endpoint,
                                 .everywhere = everywhere};

    for (unsigned kind = 0; kind < MICA_CHANGED_CONTENTS; kind++) {
        change.kind = (enum mica_change_kind)kind;
        if (lists[kind])
            subscriber->changed(subscriber->data, &change);
    }
}

static void
subscriber_notify(const struct mica_subscriber *subscriber,
                  const struct changes *changes)
{
    struct mica_change change = {.kind = MICA_CHANGED_TOOLS};

    notify_lists(subscriber, (struct mica_text){NULL, 0}, true,
                 changes->everywhere);
    for (size_t i = 0; i < changes->place_count; i++)
        notify_lists(subscriber, changes->places[i].endpoint, false,
                     changes->places[i].lists);
    change.kind = MICA_CHANGED_CONTENTS;
    change.everywhere = changes->all_contents;
    if (changes->all_contents) // an empty URI means any
        subscriber->changed(subscriber->data, &change);
    for (size_t i = 0; i < changes->count && !changes->all_contents; i++) {
        change.endpoint = changes->contents[i].endpoint;
        change.uri = changes->contents[i].uri;
        subscriber->changed(subscriber->data, &change);
    }
    if ((changes->pages & SOURCES) != 0 && subscriber->sources != NULL)
        subscriber->sources(subscriber->data);
    if ((changes->pages & EXCHANGES) != 0 && subscriber->exchanges != NULL)
        subscriber->exchanges(subscriber->data);
    change.kind = MICA_CHANGED_TASK;
    for (const struct state *state = subscriber->task != NULL ? changes->states
                                                              : NULL;
         state != NULL; state = state->next) {
        change.uri = state->id;
        change.task = state->task;
        subscriber->task(subscriber->data, &change);
    }
}

// Notifies subscribers from the last to the first: one that joins meanwhile is appended, and
// the last one moves to the index of one that leaves. That one was notified already, as its
// pass shows.
static void
notify_all(struct mica_bus *bus)
{
    size_t next;

    pthread_mutex_lock(&bus->subscribers_lock);
    bus->pass++;
    next = bus->count;
    while (next > 0) {
        for (size_t i = 0; i < PART && next > 0; i++) {
            struct mica_subscriber *subscriber = bus->subscribers[--next];
            if (subscriber->pass == bus->pass)
                continue;
            subscriber->pass = bus->pass;
            subscriber_notify(subscriber, bus->delivered);
        }
        pthread_mutex_unlock(&bus->subscribers_lock);
        pthread_mutex_lock(&bus->subscribers_lock);
        if (next > bus->count)
            next = bus->count;
    }
    pthread_mutex_unlock(&bus->subscribers_lock);
}

static void
changes_clear(struct changes *changes)
{
    memset(changes->everywhere, 0, sizeof changes->everywhere);
    changes->all_contents = false;
    changes->pages = 0;
    changes->count = changes->place_count = 0;
    mica_buffer_fini(&changes->bytes);
    while (changes->states != NULL) {
        struct state *state = changes->states;
        changes->states = state->next;
        free(state);
    }
    changes->state_count = changes->state_bytes = 0;
}

static void *
bus_run(void *data)
{
    struct mica_bus *bus = data;

    mica_serving_thread_set(true);
    pthread_mutex_lock(&bus->lock);
    while (!bus->closing) {
        struct timespec soon = mica_clock_after(GATHER_MS);
        if (!bus->any) {
            pthread_cond_wait(&bus->wake, &bus->lock);
            continue;
        }
        while (!bus->closing &&
               pthread_cond_timedwait(&bus->wake, &bus->lock, &soon) == 0) {
        }
        struct changes *changes = bus->gathered;
        bus->gathered = bus->delivered;
        bus->delivered = changes;
        bus->any = false;
        pthread_mutex_unlock(&bus->lock);
        notify_all(bus);
        changes_clear(changes);
        pthread_mutex_lock(&bus->lock);
    }
    pthread_mutex_unlock(&bus->lock);
    return NULL;
}

// ---- Publish ---------------------------------------------------------------------

static bool
is_gathered(const struct changes *changes, const struct mica_change *change)
{
    for (size_t i = changes->count; i > 0; i--) { // most likely the last
        if (mica_text_equal(changes->contents[i - 1].uri, change->uri) &&
            mica_text_equal(changes->contents[i - 1].endpoint,
                            change->endpoint))
            return true;
    }
    return false;
}

static struct mica_text
bus_copy(char *storage, struct mica_text text)
{
    if (text.len > 0) // memcpy needs a valid pointer also for no bytes
        memcpy(storage, text.ptr, text.len);
    return (struct mica_text){storage, text.len};
}

// Returns false if the buffer is full.
static bool
keep_text(struct changes *changes, struct mica_text text,
          struct mica_text *kept_out)
{
    char *storage;

    // Reserves the whole buffer once, so that the texts do not move.
    if (changes->bytes.ptr == NULL &&
        mica_buffer_reserve(&changes->bytes, URI_BYTES) == NULL)
        return false;
    storage = mica_buffer_reserve(&changes->bytes, text.len);
    if (storage == NULL)
        return false;
    changes->bytes.len += text.len;
    *kept_out = bus_copy(storage, text);
    return true;
}

static void
gather_contents(struct changes *changes, const struct mica_change *change)
{
    if (change->uri.len == 0 ||
        change->everywhere) // any content may have changed
        changes->all_contents = true;
    if (changes->all_contents || is_gathered(changes, change))
        return;
    if (changes->count == URIS ||
        !keep_text(changes, change->endpoint,
                   &changes->contents[changes->count].endpoint) ||
        !keep_text(changes, change->uri,
                   &changes->contents[changes->count].uri))
        changes->all_contents =
            true; // no storage: report more than has changed
    else
        changes->count++;
}

// The entry of an endpoint; NULL if there is no storage for it.
static struct place *
endpoint_place(struct changes *changes, struct mica_text endpoint)
{
    struct place *place;

    for (size_t i = changes->place_count; i > 0; i--) {
        if (mica_text_equal(changes->places[i - 1].endpoint, endpoint))
            return &changes->places[i - 1];
    }
    if (changes->place_count == PLACES)
        return NULL;
    place = &changes->places[changes->place_count];
    memset(place, 0, sizeof *place);
    if (endpoint.len > 0 && !keep_text(changes, endpoint, &place->endpoint))
        return NULL;
    changes->place_count++;
    return place;
}

// Reports the change at all endpoints if there is no storage for this one: a subscriber may
// learn of more than has changed, but never of less.
static void
gather_list(struct changes *changes, const struct mica_change *change)
{
    struct place *place =
        change->everywhere ? NULL : endpoint_place(changes, change->endpoint);

    if (place != NULL)
        place->lists[change->kind] = true;
    else
        changes->everywhere[change->kind] = true;
}

// Drops the change if there is no storage for it: a client can poll its task.
static void
gather_task(struct changes *changes, const struct mica_change *change)
{
    size_t size = change->uri.len + change->task.len;
    struct state *state = NULL;

    if (changes->state_count < TASKS &&
        changes->state_bytes + size <= TASK_BYTES)
        state = malloc(sizeof *state + size);
    if (state == NULL)
        return;
    state->id = bus_copy(state->bytes, change->uri);
    state->task = bus_copy(state->bytes + change->uri.len, change->task);
    state->next = NULL;
    if (changes->states == NULL)
        changes->states = state;
    else
        changes->last_state->next = state;
    changes->last_state = state;
    changes->state_count++;
    changes->state_bytes += size;
}

// With the lock held.
static bool
start_thread(struct mica_bus *bus)
{
    pthread_attr_t attributes;
    sigset_t before;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    mica_stop_block(&before);
    bus->has_thread =
        pthread_create(&bus->thread, &attributes, bus_run, bus) == 0;
    mica_stop_unblock(&before);
    pthread_attr_destroy(&attributes);
    return bus->has_thread;
}

void
mica_bus_publish(struct mica_bus *bus, const struct mica_change *change)
{
    pthread_mutex_lock(&bus->lock);
    if (change->kind == MICA_CHANGED_CONTENTS)
        gather_contents(bus->gathered, change);
    else if (change->kind == MICA_CHANGED_SOURCES)
        bus->gathered->pages |= SOURCES;
    else if (change->kind == MICA_CHANGED_EXCHANGES)
        bus->gathered->pages |= EXCHANGES;
    else if (change->kind != MICA_CHANGED_TASK)
        gather_list(bus->gathered, change);
    else if (bus->has_thread) // without a thread no subscriber has joined yet
        gather_task(bus->gathered, change);
    bus->any = true;
    if (bus->has_thread)
        pthread_cond_signal(&bus->wake);
    pthread_mutex_unlock(&bus->lock);
}

// The server calls this for each change.
static void
change_announce(void *data, const struct mica_change *change)
{
    struct mica_bus *bus = data;

    pthread_mutex_lock(&bus->witness_lock);
    if (bus->made != NULL)
        bus->made(bus->made_data, change);
    pthread_mutex_unlock(&bus->witness_lock);
    mica_bus_publish(bus, change);
}

void
mica_bus_witness(struct mica_bus *bus,
                 void (*made)(void *data, const struct mica_change *),
                 void *data)
{
    pthread_mutex_lock(&bus->witness_lock);
    bus->made = made;
    bus->made_data = data;
    pthread_mutex_unlock(&bus->witness_lock);
}

// ---- Subscribers -------------------------------------------------------------------

static bool
grow_subscribers(struct mica_bus *bus)
{
    size_t capacity = bus->capacity > 0 ? bus->capacity * 2 : 16;
    struct mica_subscriber **more;

    if (bus->count < bus->capacity)
        return true;
    more =
        realloc(bus->subscribers, capacity * sizeof(struct mica_subscriber *));
    if (more == NULL)
        return false;
    bus->subscribers = more;
    bus->capacity = capacity;
    return true;
}

// Starts the thread for the first subscriber, and clears changes that were published before.
static bool
is_ready(struct mica_bus *bus)
{
    bool ready;

    pthread_mutex_lock(&bus->lock);
    if (!bus->has_thread) {
        changes_clear(bus->gathered);
        bus->any = false;
    }
    ready = bus->has_thread || start_thread(bus);
    pthread_mutex_unlock(&bus->lock);
    return ready;
}

bool
mica_bus_join(struct mica_bus *bus, struct mica_subscriber *subscriber)
{
    bool joined = is_ready(bus);

    pthread_mutex_lock(&bus->subscribers_lock);
    joined = joined && grow_subscribers(bus);
    if (joined) {
        subscriber->index = bus->count;
        subscriber->pass = bus->pass;
        bus->subscribers[bus->count++] = subscriber;
    }
    pthread_mutex_unlock(&bus->subscribers_lock);
    return joined;
}

void
mica_bus_leave(struct mica_bus *bus, struct mica_subscriber *subscriber)
{
    pthread_mutex_lock(&bus->subscribers_lock);
    MICA_ASSERT(bus->subscribers[subscriber->index] == subscriber);
    bus->subscribers[subscriber->index] = bus->subscribers[--bus->count];
    bus->subscribers[subscriber->index]->index = subscriber->index;
    pthread_mutex_unlock(&bus->subscribers_lock);
}

size_t
mica_bus_count(struct mica_bus *bus)
{
    size_t count;

    pthread_mutex_lock(&bus->subscribers_lock);
    count = bus->count;
    pthread_mutex_unlock(&bus->subscribers_lock);
    return count;
}

void
mica_bus_each(struct mica_bus *bus,
              void (*changed)(void *data, const struct mica_change *),
              void (*each)(void *data, void *context), void *context)
{
    pthread_mutex_lock(&bus->subscribers_lock);
    for (size_t i = 0; i < bus->count; i++) {
        if (bus->subscribers[i]->changed == changed)
            each(bus->subscribers[i]->data, context);
    }
    pthread_mutex_unlock(&bus->subscribers_lock);
}

// ---- Open and close --------------------------------------------------------------

static void
free_changes(struct changes *changes)
{
    if (changes == NULL)
        return;
    for (struct state *state = changes->states, *next; state != NULL;
         state = next) {
        next = state->next;
        free(state);
    }
    mica_buffer_fini(&changes->bytes);
    free(changes);
}

static void
bus_release(struct mica_bus *bus)
{
    free_changes(bus->gathered);
    free_changes(bus->delivered);
    free(bus->subscribers);
    pthread_cond_destroy(&bus->wake);
    pthread_mutex_destroy(&bus->subscribers_lock);
    pthread_mutex_destroy(&bus->witness_lock);
    pthread_mutex_destroy(&bus->lock);
    free(bus);
}

// The server calls this when it closes.
static void
close_bus(void *data)
{
    struct mica_bus *bus = data;

    pthread_mutex_lock(&bus->lock);
    bus->closing = true;
    pthread_cond_signal(&bus->wake);
    pthread_mutex_unlock(&bus->lock);
    if (bus->has_thread)
        pthread_join(bus->thread, NULL);
    bus_release(bus);
}

static void
init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static struct mica_bus *
bus_create(void)
{
    struct mica_bus *bus = calloc(1, sizeof *bus);

    if (bus == NULL)
        return NULL;
    pthread_mutex_init(&bus->lock, NULL);
    pthread_mutex_init(&bus->subscribers_lock, NULL);
    pthread_mutex_init(&bus->witness_lock, NULL);
    init_condition(&bus->wake);
    bus->gathered = calloc(1, sizeof *bus->gathered);
    bus->delivered = calloc(1, sizeof *bus->delivered);
    if (bus->gathered == NULL || bus->delivered == NULL) {
        bus_release(bus);
        return NULL;
    }
    mica_buffer_init(&bus->gathered->bytes, NULL, URI_BYTES);
    mica_buffer_init(&bus->delivered->bytes, NULL, URI_BYTES);
    return bus;
}

enum mica_status
mica_bus_of(struct mica_server *server, struct mica_error *error,
            struct mica_bus **bus_out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    enum mica_status status = MICA_OK;

    pthread_mutex_lock(&lock); // two surfaces may open at the same time
    if (server->registry.changed != change_announce) {
        struct mica_bus *bus = bus_create();
        if (bus != NULL) {
            server->registry.changed_data = bus;
            server->registry.changed = change_announce;
            mica_server_at_close(server, close_bus, bus);
        } else {
            status = mica_error_set(error, MICA_E_LIMIT, "",
                                    "no memory to tell clients of changes");
        }
    }
    if (status == MICA_OK)
        *bus_out = server->registry.changed_data;
    pthread_mutex_unlock(&lock);
    return status;
}
