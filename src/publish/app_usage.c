// SPDX-License-Identifier: Apache-2.0
//
// The counters of apps: a table by id, what each lets pass, and how their counts reach the
// store.
#include "publish/app_usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "serve/stored_sessions.h"

enum {
    BUCKETS = 8192,
    DAY_MS = 24 * 60 * 60 * 1000,
    READ_BYTES = 64 << 10, // of the usage of one day
    GRACE_MS = 5000        // of a call that waits, past its time limit
};

// A call that runs or waits.
struct slot {
    uint64_t call;
    int64_t until; // milliseconds since 1970
    bool unattended;
};

struct mica_app_counter {
    struct mica_app_meter meter; // first: it is cast
    struct mica_app_usages *usages;
    int64_t day;
    int64_t calls, tokens; // of `day`, by all processes as far as it is known
    int64_t added_calls, added_failures, added_tokens; // the store lacks them
    int64_t version; // the newest that was held, whose budget this is:
    struct mica_app_budget budget;
    struct slot *slots;
    size_t slot_count, slot_capacity;
    bool is_listed;                      // in the list of what the store lacks
    struct mica_app_counter *next_added; // in that list
    struct mica_app_counter *next;       // in its bucket
    unsigned references;
    char id[MICA_STORE_APP_ID_BYTES + 1];
};

// The counter has counts that the store lacks. With the lock held.
static void
counter_list(struct mica_app_counter *counter)
{
    struct mica_app_usages *usages = counter->usages;

    if (counter->is_listed)
        return;
    counter->is_listed = true;
    counter->next_added = NULL;
    *usages->added_end = counter;
    usages->added_end = &counter->next_added;
}

// ---- Calls at once, with the lock held ----------------------------------------------

static void
slots_expire(struct mica_app_counter *counter, int64_t now)
{
    size_t kept = 0;

    for (size_t i = 0; i < counter->slot_count; i++)
        if (counter->slots[i].until > now)
            counter->slots[kept++] = counter->slots[i];
    counter->slot_count = kept;
}

static struct slot *
slot_find(struct mica_app_counter *counter, uint64_t call)
{
    for (size_t i = 0; i < counter->slot_count; i++)
        if (counter->slots[i].call == call)
            return &counter->slots[i];
    return NULL;
}

// Without memory the call is not counted as one at once.
static void
slot_add(struct mica_app_counter *counter, const struct slot *slot)
{
    size_t capacity =
        counter->slot_capacity > 0 ? counter->slot_capacity * 2 : 4;
    struct slot *slots;

    if (counter->slot_count == counter->slot_capacity) {
        slots = realloc(counter->slots, capacity * sizeof *slots);
        if (slots == NULL)
            return;
        counter->slots = slots;
        counter->slot_capacity = capacity;
    }
    counter->slots[counter->slot_count++] = *slot;
}

// How many calls count against one that begins. An unattended one takes what clients leave
// and takes nothing from them: short requests of a client that leaves close no app.
static size_t
slots_used(const struct mica_app_counter *counter, bool unattended)
{
    size_t used = 0;

    for (size_t i = 0; i < counter->slot_count; i++)
        used += unattended || !counter->slots[i].unattended;
    return used;
}

// When a call that waits from now on is forgotten: its client may be gone.
static int64_t
slot_until(const struct mica_app_counter *counter, int64_t now)
{
    return now + (counter->budget.seconds > 0
                      ? 2 * counter->budget.seconds * 1000 + GRACE_MS
                      : MICA_USAGE_WAIT_MS);
}

static void
slot_take(struct mica_app_counter *counter, const struct mica_app_turn *turn,
          int64_t now)
{
    struct slot *slot = slot_find(counter, turn->slot);

    if (slot != NULL)
        slot->unattended = turn->unattended; // a client may have come back
    else
        slot_add(counter, &(struct slot){turn->slot, slot_until(counter, now),
                                         turn->unattended});
}

// ---- A call --------------------------------------------------------------------------

static void
day_turn(struct mica_app_counter *counter, int64_t now)
{
    if (counter->day == now / DAY_MS)
        return;
    // Counts that the store lacks are of a second ago: they go to the new day.
    counter->day = now / DAY_MS;
    counter->calls = counter->tokens = 0;
}

// Which budget is used up, and for how long; NULL: none is.
static const char *
budget_used(const struct mica_app_counter *counter, bool unattended,
            int64_t now, unsigned *retry_s_out)
{
    const struct mica_app_budget *budget = &counter->budget;

    *retry_s_out = (unsigned)((DAY_MS - now % DAY_MS + 999) / 1000);
    if (budget->calls_per_day > 0 && counter->calls >= budget->calls_per_day)
        return "the calls of its day";
    if (budget->tokens_per_day > 0 && counter->tokens >= budget->tokens_per_day)
        return "the tokens of its day";
    *retry_s_out = 1;
    if (budget->concurrent > 0 &&
        slots_used(counter, unattended) >= (size_t)budget->concurrent)
        return "its calls at once";
    return NULL;
}

static enum mica_status
counter_begin(struct mica_app_meter *self, struct mica_app_turn *turn,
              struct mica_error *error, unsigned *retry_s_out)
{
    struct mica_app_counter *counter = (struct mica_app_counter *)self;
    struct mica_app_usages *usages = counter->usages;
    int64_t now = usages->now_ms();
    const char *usedz = NULL;

    pthread_mutex_lock(&usages->lock);
    day_turn(counter, now);
    turn->slot =
        turn->call.len > 0
            ? mica_hash_bytes(MICA_HASH_START, turn->call.ptr, turn->call.len)
            : ++usages->slots;
    slots_expire(counter, now);
    if (!turn->continues) {
        usedz = budget_used(counter, turn->unattended, now, retry_s_out);
        counter->calls += usedz == NULL;
        counter->added_calls += usedz == NULL;
        if (usedz == NULL)
            counter_list(counter);
    }
    // Without a budget of calls at once none of them is remembered.
    if (usedz == NULL && counter->budget.concurrent > 0)
        slot_take(counter, turn, now);
    pthread_mutex_unlock(&usages->lock);
    return usedz == NULL
               ? MICA_OK
               : mica_error_set(error, MICA_E_BUDGET, "",
                                "the app has used up %s; try again in %u s",
                                usedz, *retry_s_out);
}

static void
counter_end(struct mica_app_meter *self, const struct mica_app_turn *turn,
            const struct mica_app_outcome *outcome)
{
    struct mica_app_counter *counter = (struct mica_app_counter *)self;
    struct mica_app_usages *usages = counter->usages;
    int64_t now = usages->now_ms();
    struct slot *slot;

    pthread_mutex_lock(&usages->lock);
    slot = slot_find(counter, turn->slot);
    if (outcome->suspended) {
        if (slot != NULL)
            slot->until = slot_until(counter, now);
    } else {
        day_turn(counter, now);
        if (slot != NULL)
            *slot = counter->slots[--counter->slot_count];
        counter->added_failures += outcome->failed;
        if (outcome->failed)
            counter_list(counter);
    }
    pthread_mutex_unlock(&usages->lock);
}

static void
counter_spend(struct mica_app_meter *self, int64_t tokens)
{
    struct mica_app_counter *counter = (struct mica_app_counter *)self;
    struct mica_app_usages *usages = counter->usages;
    int64_t now = usages->now_ms();

    pthread_mutex_lock(&usages->lock);
    day_turn(counter, now);
    counter->tokens += tokens;
    counter->added_tokens += tokens;
    counter_list(counter);
    pthread_mutex_unlock(&usages->lock);
}

// ---- Counters --------------------------------------------------------------------------

static struct mica_app_counter **
counter_place(struct mica_app_usages *usages, struct mica_text id)
{
    uint64_t hash = mica_hash_bytes(MICA_HASH_START, id.ptr, id.len);
    struct mica_app_counter **place =
        &usages->buckets[hash % usages->bucket_count];

    while (*place != NULL && !mica_text_is(id, (*place)->id))
        place = &(*place)->next;
    return place;
}

static struct mica_app_counter *
counter_make(struct mica_app_usages *usages, struct mica_text id)
{
    struct mica_app_counter *counter = calloc(1, sizeof *counter);

    if (counter == NULL || id.len >= sizeof counter->id) {
        free(counter);
        return NULL;
    }
    counter->meter = (struct mica_app_meter){
        .begin = counter_begin, .end = counter_end, .spend = counter_spend};
    counter->usages = usages;
    counter->day = usages->now_ms() / DAY_MS;
    memcpy(counter->id, id.ptr, id.len);
    return counter;
}

static void
counter_free(struct mica_app_counter *counter)
{
    free(counter->slots);
    free(counter);
}

// Reads what the store has of the day of the counter, and adds what it lacks.
static void
counter_read(struct mica_app_counter *counter, struct mica_store *store)
{
    struct mica_app_usages *usages = counter->usages;
    struct mica_store_app_days days;
    struct mica_error ignored; // the store counts its failures
    struct mica_arena arena;
    int64_t day = usages->now_ms() / DAY_MS;

    mica_arena_init(&arena, READ_BYTES);
    if (mica_store_app_usage(store, mica_text(counter->id), day, day, &arena,
                             &ignored, &days) == MICA_OK) {
        pthread_mutex_lock(&usages->lock);
        day_turn(counter, usages->now_ms());
        counter->calls = counter->added_calls;
        counter->tokens = counter->added_tokens;
        if (days.count > 0 && counter->day == day) {
            counter->calls += days.items[0].calls;
            counter->tokens += days.items[0].tokens;
        }
        pthread_mutex_unlock(&usages->lock);
    }
    mica_arena_fini(&arena);
}

static bool
has_day_budget(const struct mica_app_budget *budget)
{
    return budget->calls_per_day > 0 || budget->tokens_per_day > 0;
}

struct mica_app_meter *
mica_app_usages_hold(struct mica_app_usages *usages, struct mica_text id,
                     int64_t version, const struct mica_app_budget *budget,
                     struct mica_store *store)
{
    struct mica_app_counter **place, *counter;
    bool is_new;

    pthread_mutex_lock(&usages->lock);
    place = counter_place(usages, id);
    is_new = *place == NULL;
    if (is_new) {
        *place = counter_make(usages, id);
        usages->count += *place != NULL;
    }
    counter = *place;
    if (counter != NULL) {
        counter->references++;
        // A call that began with an older version loads that one after the newest.
        if (version >= counter->version) {
            counter->version = version;
            counter->budget = *budget;
        }
    }
    pthread_mutex_unlock(&usages->lock);
    if (counter == NULL)
        return NULL;
    if (is_new && store != NULL && has_day_budget(budget))
        counter_read(counter, store);
    return &counter->meter;
}

// Frees the table with its last counter, after the close.
static void
usages_free(struct mica_app_usages *usages)
{
    free(usages->buckets);
    pthread_mutex_destroy(&usages->lock);
    free(usages);
}

// Removes a counter that nothing holds.
static void
counter_remove(struct mica_app_usages *usages, struct mica_app_counter *counter)
{
    *counter_place(usages, mica_text(counter->id)) = counter->next;
    counter_free(counter);
    usages->count--;
}

void
mica_app_usages_drop(struct mica_app_meter *meter)
{
    struct mica_app_counter *counter = (struct mica_app_counter *)meter;
    struct mica_app_usages *usages;
    bool last = false;

    if (counter == NULL)
        return;
    usages = counter->usages;
    pthread_mutex_lock(&usages->lock);
    // Before the close one that is listed stays until a flush has taken it (USAGE-2).
    if (--counter->references == 0 && (usages->closed || !counter->is_listed)) {
        counter_remove(usages, counter);
        last = usages->closed && usages->count == 0;
    }
    pthread_mutex_unlock(&usages->lock);
    if (last)
        usages_free(usages);
}

// ---- Flush -----------------------------------------------------------------------------

// What one flush adds. The counters are held.
struct batch {
    struct mica_store_app_usage items[MICA_USAGE_BATCH];
    struct mica_app_counter *counters[MICA_USAGE_BATCH];
    bool reads[MICA_USAGE_BATCH]; // those with a budget of a day
    size_t count;
    bool more;
};

// Takes the counts of one counter into the batch.
static void
batch_take(struct batch *batch, struct mica_app_counter *counter)
{
    batch->items[batch->count] =
        (struct mica_store_app_usage){.id = mica_text(counter->id),
                                      .day = counter->day,
                                      .calls = counter->added_calls,
                                      .failures = counter->added_failures,
                                      .tokens = counter->added_tokens};
    batch->reads[batch->count] = has_day_budget(&counter->budget);
    batch->counters[batch->count++] = counter;
    counter->references++;
    counter->added_calls = counter->added_failures = counter->added_tokens = 0;
}

// Fills the batch with those that were listed first.
static void
batch_fill(struct batch *batch, struct mica_app_usages *usages)
{
    pthread_mutex_lock(&usages->lock);
    while (usages->added != NULL && batch->count < MICA_USAGE_BATCH) {
        struct mica_app_counter *counter = usages->added;
        usages->added = counter->next_added;
        if (usages->added == NULL)
            usages->added_end = &usages->added;
        counter->is_listed = false;
        batch_take(batch, counter);
    }
    batch->more = usages->added != NULL;
    pthread_mutex_unlock(&usages->lock);
}

static void
batch_return(struct batch *batch, struct mica_app_usages *usages)
{
    pthread_mutex_lock(&usages->lock);
    for (size_t i = 0; i < batch->count; i++) {
        batch->counters[i]->added_calls += batch->items[i].calls;
        batch->counters[i]->added_failures += batch->items[i].failures;
        batch->counters[i]->added_tokens += batch->items[i].tokens;
        counter_list(batch->counters[i]);
    }
    pthread_mutex_unlock(&usages->lock);
}

bool
mica_app_usages_flush(struct mica_app_usages *usages, struct mica_store *store)
{
    struct batch *batch = calloc(1, sizeof *batch);
    struct mica_error ignored; // the store counts its failures
    enum mica_status status = MICA_OK;
    bool more;

    if (batch == NULL)
        return false; // the next flush adds them
    batch_fill(batch, usages);
    if (batch->count > 0)
        status = mica_store_app_usage_add(store, batch->items, batch->count,
                                          &ignored);
    if (status != MICA_OK)
        batch_return(batch, usages);
    for (size_t i = 0; i < batch->count; i++) {
        // What other processes have counted meanwhile.
        if (status == MICA_OK && batch->reads[i])
            counter_read(batch->counters[i], store);
        mica_app_usages_drop(&batch->counters[i]->meter);
    }
    more = batch->more && status == MICA_OK;
    free(batch);
    return more;
}

// ---- Open and close --------------------------------------------------------------------

enum mica_status
mica_app_usages_open(struct mica_error *error,
                     struct mica_app_usages **usages_out)
{
    struct mica_app_usages *usages = calloc(1, sizeof *usages);

    if (usages != NULL)
        usages->buckets = calloc(BUCKETS, sizeof(void *));
    if (usages == NULL || usages->buckets == NULL) {
        free(usages);
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    }
    usages->bucket_count = BUCKETS;
    usages->added_end = &usages->added;
    usages->now_ms = mica_session_store_now;
    pthread_mutex_init(&usages->lock, NULL);
    *usages_out = usages;
    return MICA_OK;
}

void
mica_app_usages_close(struct mica_app_usages *usages)
{
    bool last;

    if (usages == NULL)
        return;
    pthread_mutex_lock(&usages->lock);
    usages->closed = true;
    usages->added = NULL; // no flush comes
    usages->added_end = &usages->added;
    for (size_t i = 0; i < usages->bucket_count; i++) {
        struct mica_app_counter **place = &usages->buckets[i];
        while (*place != NULL) {
            struct mica_app_counter *counter = *place;
            if (counter->references > 0) {
                place = &counter->next;
                continue;
            }
            *place = counter->next;
            usages->count--;
            counter_free(counter);
        }
    }
    last = usages->count == 0;
    pthread_mutex_unlock(&usages->lock);
    if (last)
        usages_free(usages);
}
