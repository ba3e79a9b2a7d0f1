// SPDX-License-Identifier: Apache-2.0
//
// Delivers changes to sessions and to other processes. The bus passes each change of
// this process to change_on_made before it notifies its subscribers; the session thread
// writes it into the feed in the store, if other processes share the store. The thread
// reads their changes from the feed and publishes them on the bus of this process. It
// sends each change on the bus to the sessions that have a stream of their own.
#include <stdlib.h>
#include <string.h>

#include "http/sessions/session_parts.h"
#include "serve/stored_calls.h"
#include "server/calls/task.h"
#include "server/methods/listening.h"
#include "store/store_changes.h"

enum {
    SUBSCRIBERS = 100, // that one operation of the store reads
    CHANGES = 64,      // likewise
    SCRATCH = 4 << 20,
    NOTIFICATION_BYTES = 128 << 10 // of one notification
};

// ---- Gather, with the lock held ----------------------------------------------------

// Gathers only the id of the task: the publisher of the change reads its state.
static bool
gather_task(struct mica_session_changes *gathered, struct mica_text id)
{
    for (size_t i = 0; i < gathered->task_count; i++) {
        if (mica_text_is(id, gathered->tasks[i]))
            return true;
    }
    if (gathered->task_count == MICA_SESSION_CHANGED_TASKS ||
        id.len >= MICA_CALL_ID_SIZE)
        return false;
    memcpy(gathered->tasks[gathered->task_count], id.ptr, id.len);
    gathered->tasks[gathered->task_count++][id.len] = '\0';
    return true;
}

static bool
is_gathered(const struct mica_session_changes *gathered,
            const struct mica_change *change)
{
    for (size_t i = gathered->count; i > 0; i--) {
        const struct mica_session_change *item = &gathered->items[i - 1];
        if (item->kind == change->kind &&
            mica_text_is(change->endpoint, item->endpoint) &&
            mica_text_is(change->uri, item->uri))
            return true;
    }
    return false;
}

// Returns false if there are too many, or for want of memory.
static bool
changes_add(struct mica_session_changes *gathered,
            const struct mica_change *change)
{
    struct mica_session_change *item = &gathered->items[gathered->count];

    if (gathered->count == MICA_SESSION_CHANGES)
        return false;
    item->kind = change->kind;
    item->endpoint = mica_session_text_copy(change->endpoint);
    item->uri = mica_session_text_copy(change->uri);
    if (item->endpoint == NULL || item->uri == NULL) {
        free(item->endpoint);
        free(item->uri);
        return false;
    }
    gathered->count++;
    return true;
}

// Adds a change, or merges it with one that is gathered already. Returns false if it
// is lost.
static bool
session_changes_gather(struct mica_session_changes *gathered,
                       const struct mica_change *change)
{
    struct mica_change one = *change;

    if (change->kind == MICA_CHANGED_SOURCES ||
        change->kind == MICA_CHANGED_EXCHANGES) // for pages of this process
        return true;
    if (change->kind == MICA_CHANGED_TASK)
        return gather_task(gathered, change->uri);
    if (change->uri.len == 0 && change->kind == MICA_CHANGED_CONTENTS)
        one.kind = MICA_CHANGED_RESOURCES; // any of them: clients read the list
    if (!one.everywhere &&
        (is_gathered(gathered, &one) || changes_add(gathered, &one)))
        return true;
    if (one.kind == MICA_CHANGED_CONTENTS)
        return false;
    gathered->everywhere[one.kind] = true;
    return true;
}

static void
session_changes_clear(struct mica_session_changes *gathered)
{
    for (size_t i = 0; i < gathered->count; i++) {
        free(gathered->items[i].endpoint);
        free(gathered->items[i].uri);
    }
    memset(gathered, 0, sizeof *gathered);
}

static void
session_table_gather(struct mica_session_table *table,
                     struct mica_session_changes *gathered,
                     const struct mica_change *change)
{
    if (!session_changes_gather(gathered, change))
        table->counts.lost++;
    (void)mica_session_table_wake(table);
}

// The bus calls this. Without a session's own stream there is nothing to do.
static void
change_on_bus(void *data, const struct mica_change *change)
{
    struct mica_session_table *table = data;

    pthread_mutex_lock(&table->lock);
    if (table->counts.streams > 0)
        session_table_gather(table, &table->from_bus, change);
    pthread_mutex_unlock(&table->lock);
}

// The thread that makes a change calls this.
static void
change_on_made(void *data, const struct mica_change *change)
{
    struct mica_session_table *table = data;

    if (mica_session_store_backing(table->session_store) != NULL) {
        pthread_mutex_lock(&table->lock);
        session_table_gather(table, &table->made_here, change);
        pthread_mutex_unlock(&table->lock);
    }
}

enum mica_status
mica_session_changes_open(struct mica_session_table *table,
                          struct mica_error *error)
{
    struct mica_store *store = mica_session_store_backing(table->session_store);

    table->subscriber =
        (struct mica_subscriber){.changed = change_on_bus, .data = table};
    if (!mica_bus_join(table->options.bus, &table->subscriber))
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_bus_witness(table->options.bus, change_on_made, table);
    // The store is open from the start if it has a name: other processes may share it.
    mica_session_changes_open_feed(table);
    pthread_mutex_lock(&table->lock);
    if (store != NULL)
        (void)mica_session_table_wake(table);
    pthread_mutex_unlock(&table->lock);
    return MICA_OK;
}

void
mica_session_changes_close(struct mica_session_table *table)
{
    if (table->subscriber.changed == NULL)
        return;
    mica_bus_witness(table->options.bus, NULL, NULL);
    mica_bus_leave(table->options.bus, &table->subscriber);
    session_changes_clear(&table->from_bus);
    session_changes_clear(&table->made_here);
    table->subscriber.changed = NULL;
}

// ---- Send to sessions ----------------------------------------------------------------

void
mica_change_write(const struct mica_change *change, struct mica_buffer *text)
{
    static const char *const methods[] = {
        [MICA_CHANGED_TOOLS] = "notifications/tools/list_changed",
        [MICA_CHANGED_RESOURCES] = "notifications/resources/list_changed",
        [MICA_CHANGED_PROMPTS] = "notifications/prompts/list_changed",
        [MICA_CHANGED_CONTENTS] = "notifications/resources/updated"};
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    mica_json_field(&writer, "method", mica_text(methods[change->kind]));
    if (change->kind == MICA_CHANGED_CONTENTS) {
        mica_json_name(&writer, "params");
        mica_json_open_object(&writer);
        mica_json_field(&writer, "uri", change->uri);
        mica_json_close_object(&writer);
    }
    mica_json_close_object(&writer);
    if (text->overflow)
        text->len = 0;
}

static struct mica_text
endpoint_of(const struct mica_open_session *session)
{
    return session->endpoint != NULL ? mica_text(session->endpoint)
                                     : (struct mica_text){NULL, 0};
}

static void
session_table_offer(struct mica_session_table *table,
                    const struct mica_open_session *session,
                    const struct mica_change *change, struct mica_text text)
{
    const struct mica_session_stream *own = mica_session_stream_own(session);

    if (own != NULL && mica_change_concerns(change, endpoint_of(session)) &&
        !mica_sse_offer(own->sse, text))
        table->counts.lost++;
}

static void
send_to_all(struct mica_session_table *table, const struct mica_change *change,
            struct mica_text text)
{
    pthread_mutex_lock(&table->lock);
    for (size_t i = 0; i < MICA_SESSION_BUCKETS; i++) {
        struct mica_open_session *session = table->buckets[i];
        for (; session != NULL; session = session->next)
            session_table_offer(table, session, change, text);
    }
    pthread_mutex_unlock(&table->lock);
}

// Sends the change once to a session that subscribed to several URIs which cover it.
static void
send_once(struct mica_session_table *table,
          const struct mica_store_session_key *key,
          const struct mica_change *change, struct mica_text text)
{
    struct mica_open_session *session = mica_open_session_find(table, key);

    if (session == NULL || session->notified == table->change_number)
        return;
    session->notified = table->change_number;
    session_table_offer(table, session, change, text);
}

// Sends the change to the sessions that subscribed to exactly `uri`.
static void
send_to_subscribers(struct mica_session_table *table,
                    const struct mica_change *change, struct mica_text uri,
                    struct mica_text text)
{
    struct mica_store *store = mica_session_store_backing(table->session_store);
    struct mica_store_subscribers subscribers = {.count = SUBSCRIBERS};
    struct mica_store_session_key last, *after = NULL;
    struct mica_arena arena;
    struct mica_error error;

    mica_arena_init(&arena, SCRATCH);
    while (store != NULL && subscribers.count == SUBSCRIBERS) {
        mica_arena_reset(&arena);
        if (mica_store_subscribers(store, uri, after, SUBSCRIBERS,
                                   mica_session_store_now(), &arena, &error,
                                   &subscribers) != MICA_OK)
            break; // counted by the store; a client that reads again sees it
        pthread_mutex_lock(&table->lock);
        for (size_t i = 0; i < subscribers.count; i++) {
            last = subscribers.keys[i];
            after = &last;
            send_once(table, &last, change, text);
        }
        pthread_mutex_unlock(&table->lock);
    }
    mica_arena_fini(&arena);
}

// Sends the change to the subscribers of its URI, and of all URIs above it.
static void
send_to_covering(struct mica_session_table *table,
                 const struct mica_change *change, struct mica_text text)
{
    struct mica_text uri = change->uri;

    table->change_number++; // only this thread uses it
    for (size_t end = 1; end <= uri.len; end++) {
        struct mica_text above = mica_text_slice(uri, 0, end);
        if (mica_listen_covers(above, uri))
            send_to_subscribers(table, change, above, text);
    }
}

static void
send_change(struct mica_session_table *table, const struct mica_change *change)
{
    struct mica_buffer text;

    if (change->kind == MICA_CHANGED_TASK) // sessions subscribe to no tasks
        return;
    mica_buffer_init(&text, NULL, NOTIFICATION_BYTES);
    mica_change_write(change, &text);
    if (text.len > 0 && change->kind == MICA_CHANGED_CONTENTS)
        send_to_covering(table, change, mica_buffer_as_text(&text));
    else if (text.len > 0)
        send_to_all(table, change, mica_buffer_as_text(&text));
    mica_buffer_fini(&text);
}

// ---- Other processes -----------------------------------------------------------------

// Stands for an endpoint key in the store; no endpoint has this key.
static const struct mica_text everywhere = {"*", 1};

// The kinds in the store, by the kinds of this process.
static const enum mica_store_change_kind kinds[] = {
    [MICA_CHANGED_TOOLS] = MICA_CHANGE_TOOLS,
    [MICA_CHANGED_RESOURCES] = MICA_CHANGE_RESOURCES,
    [MICA_CHANGED_PROMPTS] = MICA_CHANGE_PROMPTS,
    [MICA_CHANGED_CONTENTS] = MICA_CHANGE_RESOURCE,
    [MICA_CHANGED_TASK] = MICA_CHANGE_TASK};

void
mica_session_changes_follow(struct mica_session_table *table)
{
    pthread_mutex_lock(&table->lock);
    (void)mica_session_table_wake(table);
    pthread_mutex_unlock(&table->lock);
}

void
mica_session_changes_open_feed(struct mica_session_table *table)
{
    struct mica_store *store = mica_session_store_backing(table->session_store);
    struct mica_session_feed *feed = &table->feed;
    struct mica_store_place place;
    struct mica_error error;
    int64_t last;

    if (store == NULL ||
        atomic_load(&feed->state) != MICA_SESSION_FEED_UNKNOWN ||
        mica_store_place(store, &error, &place) != MICA_OK ||
        mica_store_change_last(store, &error, &last) != MICA_OK)
        return; // tried again at the next tick
    pthread_mutex_lock(&table->lock);
    if (atomic_load(&feed->state) == MICA_SESSION_FEED_UNKNOWN) {
        feed->after = last;
        atomic_store(&feed->state, strcmp(place.backend, "memory") == 0
                                       ? MICA_SESSION_FEED_NONE
                                       : MICA_SESSION_FEED_SHARED);
    }
    pthread_mutex_unlock(&table->lock);
}

static bool
is_shared(struct mica_session_table *table)
{
    mica_session_changes_open_feed(table);
    return atomic_load(&table->feed.state) == MICA_SESSION_FEED_SHARED;
}

// Writes a change into the feed. Other processes miss one that cannot be written.
static void
write_to_feed(struct mica_session_table *table,
              const struct mica_change *change)
{
    struct mica_session_feed *feed = &table->feed;
    const struct mica_store_change row = {
        .kind = kinds[change->kind],
        .name = change->uri,
        .endpoint = change->everywhere ? everywhere : change->endpoint,
        .created = mica_session_store_now()};
    struct mica_error error;
    int64_t sequence;

    if (!is_shared(table))
        return;
    // Past the limit this process reads its own changes too: to send a change twice
    // is harmless.
    if (mica_store_change_append(
            mica_session_store_backing(table->session_store), &row, &error,
            &sequence) == MICA_OK &&
        feed->own_count < MICA_SESSION_FEED_OWN)
        feed->own[feed->own_count++] = sequence;
}

static bool
is_own(const struct mica_session_feed *feed, int64_t sequence)
{
    for (size_t i = 0; i < feed->own_count; i++) {
        if (feed->own[i] == sequence)
            return true;
    }
    return false;
}

// Publishes the task as it is now, if the store still has it.
static void
publish_task(struct mica_session_table *table, struct mica_text id)
{
    struct mica_server *server = table->options.server;
    struct mica_kept_call task;
    struct mica_change change;
    struct mica_arena arena;
    struct mica_error error;

    if (atomic_load(table->options.following) == 0)
        return;
    mica_arena_init(&arena, server->options.call_bytes);
    if (mica_call_store_find(mica_call_store_of(server), id, &arena, &error,
                             &task) == MICA_OK &&
        task.mode == MICA_CALL_TASK &&
        mica_task_change(server, &task, &arena, &change))
        mica_bus_publish(table->options.bus, &change);
    mica_arena_fini(&arena);
}

// Publishes a change of another process on the bus.
static void
publish_change(struct mica_session_table *table,
               const struct mica_store_change *row)
{
    struct mica_change change = {
        .endpoint = row->endpoint,
        .everywhere = mica_text_equal(row->endpoint, everywhere)};

    if (row->kind == MICA_CHANGE_TASK) {
        publish_task(table, row->name);
        return;
    }
    for (size_t kind = 0; kind < MICA_COUNT(kinds); kind++) {
        if (kinds[kind] != row->kind)
            continue;
        change.kind = (enum mica_change_kind)kind;
        if (change.kind == MICA_CHANGED_CONTENTS)
            change.uri = row->name;
        mica_bus_publish(table->options.bus, &change);
    }
}

// The feed no longer has all changes since the last read: anything may have changed.
static void
publish_all(struct mica_session_table *table)
{
    for (unsigned kind = 0; kind <= MICA_CHANGED_TASK; kind++)
        mica_bus_publish(
            table->options.bus,
            &(struct mica_change){.everywhere = true,
                                  .kind = (enum mica_change_kind)kind});
}

static void
read_feed(struct mica_session_table *table)
{
    struct mica_session_feed *feed = &table->feed;
    struct mica_store_changes changes = {.count = CHANGES};
    struct mica_arena arena;
    struct mica_error error;

    mica_arena_init(&arena, SCRATCH);
    while (is_shared(table) && changes.count == CHANGES) {
        mica_arena_reset(&arena);
        if (mica_store_change_read(
                mica_session_store_backing(table->session_store), feed->after,
                CHANGES, &arena, &error, &changes) != MICA_OK)
            break; // tried again at the next tick
        if (changes.missed)
            publish_all(table);
        for (size_t i = 0; i < changes.count; i++) {
            feed->after = changes.items[i].sequence;
            if (!changes.missed && !is_own(feed, feed->after))
                publish_change(table, &changes.items[i]);
        }
        if (changes.count < CHANGES)
            feed->own_count = 0; // all of them have been read
    }
    mica_arena_fini(&arena);
}

// ---- Deliver, on the session thread ---------------------------------------------------------------

static void
each_change(struct mica_session_table *table,
            const struct mica_session_changes *gathered,
            void (*use)(struct mica_session_table *,
                        const struct mica_change *))
{
    for (unsigned kind = 0; kind < MICA_CHANGED_CONTENTS; kind++) {
        struct mica_change change = {.everywhere = true,
                                     .kind = (enum mica_change_kind)kind};
        if (gathered->everywhere[kind])
            use(table, &change);
    }
    for (size_t i = 0; i < gathered->count; i++) {
        const struct mica_session_change *item = &gathered->items[i];
        struct mica_change change = {.endpoint = mica_text(item->endpoint),
                                     .kind = item->kind,
                                     .uri = mica_text(item->uri)};
        use(table, &change);
    }
    for (size_t i = 0; i < gathered->task_count; i++) {
        struct mica_change change = {.kind = MICA_CHANGED_TASK,
                                     .uri = mica_text(gathered->tasks[i])};
        use(table, &change);
    }
}

void
mica_session_changes_deliver(struct mica_session_table *table, bool reads_feed)
{
    struct mica_session_changes from_bus = table->from_bus,
                                made_here = table->made_here;

    memset(&table->from_bus, 0, sizeof table->from_bus);
    memset(&table->made_here, 0, sizeof table->made_here);
    pthread_mutex_unlock(&table->lock);
    each_change(table, &made_here, write_to_feed);
    each_change(table, &from_bus, send_change);
    if (reads_feed)
        read_feed(table);
    session_changes_clear(&from_bus);
    session_changes_clear(&made_here);
    pthread_mutex_lock(&table->lock);
}
