// SPDX-License-Identifier: Apache-2.0
//
// The events of streams: a client whose connection broke reads the rest from them. If a stream
// exceeds a limit, its oldest events are removed: the store has the last events, without a gap.
// Each event has the sum of the bytes up to it (`total`), and the stream the sum of all, so that
// one query finds the events to remove. Events age unless an open call sends on their stream.
#include <stdlib.h>

#include "base/assert.h"
#include "store/store.h"

enum {
    SOME =
        64 // events that one append removes at most, if all streams have too many
};

enum mica_status
mica_store_no_stream(int64_t stream, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "The session has no stream %lld, or it is closed.",
                          (long long)stream);
}

// ---- Append --------------------------------------------------------------------

static void
count_appended(struct mica_store *store, const struct mica_store_part *part)
{
    const struct mica_store_given *dropped = &part->given[2];
    int64_t bytes = part->values[4].number;

    for (size_t i = 0; i < dropped->count; i++)
        bytes -= mica_store_given_row(dropped, i)[0].number;
    mica_store_count(store, MICA_COUNT_EVENTS, 1 - (int64_t)dropped->count);
    mica_store_count(store, MICA_COUNT_EVENTS_DROPPED, (int64_t)dropped->count);
    mica_store_count(store, MICA_COUNT_EVENT_BYTES, bytes);
}

// ?1 session, ?2 stream, ?3 now, ?4 data, ?5 its bytes, ?6 token, ?7 the most events and ?8
// bytes of a stream, ?9 the sequence of its last event, or -1
static const struct mica_store_operation event_append = {
    .name = "event_append",
    .writes = true,
    .takes = "bnnbnnnnn",
    .steps =
        {{.sql = "UPDATE streams SET last = last + 1, total = total + ?5,"
                 " token = ?6 WHERE session = ?1 AND stream = ?2 AND closed = 0"
                 " AND (?9 < 0 OR last = ?9)"
                 " AND EXISTS (SELECT 1 FROM sessions"
                 " WHERE key = ?1 AND expires > ?3) RETURNING last",
          .gives = "n",
          .refusal = MICA_STORE_NO_STREAM},
         {.sql =
              "INSERT INTO events (session, stream, sequence, created, bytes,"
              " data, ages, total) SELECT s.session, s.stream, s.last, ?3,"
              " ?5, ?4, CASE WHEN EXISTS (SELECT 1 FROM calls AS c"
              " WHERE c.session = ?1 AND c.stream = ?2 AND c.held = 1)"
              " THEN 9223372036854775807 ELSE ?3 END, s.total"
              " FROM streams AS s WHERE s.session = ?1 AND s.stream = ?2"},
         // Removes the events before the first that stays.
         {.sql = "DELETE FROM events WHERE session = ?1 AND stream = ?2"
                 " AND sequence < (SELECT e.sequence FROM streams AS s"
                 " JOIN events AS e ON e.session = s.session"
                 " AND e.stream = s.stream AND e.sequence > s.last - ?7"
                 " WHERE s.session = ?1 AND s.stream = ?2"
                 " AND s.total - e.total + e.bytes <= ?8"
                 " ORDER BY e.sequence LIMIT 1) RETURNING bytes",
          .gives = "n"}},
    .done = {.sql = "SELECT last FROM streams"
                    " WHERE session = ?1 AND stream = ?2 AND token = ?6",
             .gives = "n"},
    .count = count_appended};

enum mica_status
mica_store_too_large(const struct mica_store *store, struct mica_text data,
                     struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "An event of %zu bytes is larger than all that "
                          "is kept of a stream, %zu bytes.",
                          data.len, store->limits.stream_bytes);
}

void
mica_store_append_part(struct mica_store *store,
                       const struct mica_store_session_key *key, int64_t stream,
                       int64_t now, struct mica_text data,
                       struct mica_store_append *append,
                       struct mica_store_part *part_out)
{
    union mica_store_value *values = append->values;

    values[0].text = mica_store_key_text(key);
    values[1].number = stream;
    values[2].number = now;
    values[3].text = data;
    values[4].number = (int64_t)data.len;
    values[5].number = mica_store_token();
    values[6].number = (int64_t)store->limits.stream_events;
    values[7].number = (int64_t)store->limits.stream_bytes;
    values[8].number = -1;
    memset(append->given, 0, sizeof append->given);
    *part_out =
        (struct mica_store_part){&event_append, append->values, append->given};
}

enum mica_status
mica_store_event_append(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        int64_t stream, int64_t now, struct mica_text data,
                        struct mica_error *error, int64_t *sequence_out)
{
    struct mica_store_append append;
    struct mica_store_part part;
    enum mica_status status;
    struct mica_arena arena;
    unsigned refusal;
    size_t removed;

    if (data.len > store->limits.stream_bytes)
        return mica_store_too_large(store, data, error);
    mica_store_append_part(store, key, stream, now, data, &append, &part);
    mica_arena_init(&arena, 1 << 20);
    status = mica_store_perform(store, &part, 1, &arena, error, &refusal);
    if (status == MICA_OK && refusal != 0)
        status = mica_store_no_stream(stream, error);
    if (status == MICA_OK)
        *sequence_out = mica_store_given_row(&append.given[0], 0)[0].number;
    mica_arena_fini(&arena);
    MICA_TRY(status);
    // The event is committed, even if this fails; the next append or sweep removes the rest.
    (void)mica_store_events_trim(store, now, SOME, error, &removed);
    return MICA_OK;
}

struct appends {
    struct mica_store_append *items;
    struct mica_store_part *parts;
    size_t count;
};

static enum mica_status
append_all(struct mica_store *store, const struct appends *appends,
           int64_t stream, struct mica_error *error)
{
    enum mica_status status;
    struct mica_arena arena;
    unsigned refusal;

    mica_arena_init(&arena, 16 << 20);
    status = mica_store_perform(store, appends->parts, appends->count, &arena,
                                error, &refusal);
    if (status == MICA_OK && refusal != 0)
        status = mica_store_no_stream(stream, error);
    mica_arena_fini(&arena);
    return status;
}

enum mica_status
mica_store_events_append(struct mica_store *store,
                         const struct mica_store_session_key *key,
                         int64_t stream, int64_t last, int64_t now,
                         const struct mica_text *events, size_t count,
                         struct mica_error *error)
{
    struct appends appends = {.count = count};
    enum mica_status status = MICA_OK;

    MICA_ASSERT(count > 0 && count <= MICA_STORE_EVENTS_MOST);
    appends.items = calloc(count, sizeof *appends.items);
    appends.parts = calloc(count, sizeof *appends.parts);
    if (appends.items == NULL || appends.parts == NULL)
        status = mica_error_set(error, MICA_E_LIMIT, "",
                                "There is no memory for %zu events.", count);
    for (size_t i = 0; i < count && status == MICA_OK; i++) {
        if (events[i].len > store->limits.stream_bytes)
            status = mica_store_too_large(store, events[i], error);
        mica_store_append_part(store, key, stream, now, events[i],
                               &appends.items[i], &appends.parts[i]);
        appends.items[i].values[5] = appends.items[0].values[5];
        appends.items[i].values[8].number = last + (int64_t)i;
    }
    if (status == MICA_OK)
        status = append_all(store, &appends, stream, error);
    free(appends.items);
    free(appends.parts);
    return status;
}

// ---- Remove --------------------------------------------------------------------

// How many of the oldest events each stream has. The statement finds events by their age, and
// removes as many from the beginning of their stream: the clock may have stepped back between
// them. ?1 the age, ?2 the most
#define OLDEST                                                              \
    "(SELECT o.session, o.stream, count(*) AS many FROM (SELECT a.session," \
    " a.stream FROM events AS a WHERE a.ages <= ?1"                         \
    " ORDER BY a.ages, a.session, a.stream, a.sequence LIMIT ?2) AS o"      \
    " GROUP BY o.session, o.stream)"
#define FIRST                                                              \
    "(SELECT min(f.sequence) FROM events AS f WHERE f.session = g.session" \
    " AND f.stream = g.stream)"

// A closed stream is removed with its last event. It is marked first, as its events refer to it.
// Events have no gaps, so the sequences tell which stream loses its last event.
static void
count_dropped(struct mica_store *store, const struct mica_store_part *part)
{
    const struct mica_store_given *dropped = &part->given[1];
    int64_t bytes = 0;

    for (size_t i = 0; i < dropped->count; i++)
        bytes += mica_store_given_row(dropped, i)[0].number;
    mica_store_count(store, MICA_COUNT_EVENTS, -(int64_t)dropped->count);
    mica_store_count(store, MICA_COUNT_EVENTS_DROPPED, (int64_t)dropped->count);
    mica_store_count(store, MICA_COUNT_EVENT_BYTES, -bytes);
    mica_store_count(store, MICA_COUNT_STREAMS,
                     -(int64_t)part->given[2].changed);
}

static const struct mica_store_operation events_drop = {
    .name = "events_drop",
    .writes = true,
    .takes = "nn",
    .steps = {{.sql = "UPDATE streams SET closed = 2 WHERE closed = 1"
                      " AND (session, stream) IN (SELECT g.session, g.stream"
                      " FROM " OLDEST " AS g JOIN streams AS s"
                      " ON s.session = g.session AND s.stream = g.stream"
                      " WHERE " FIRST " + g.many > s.last)"},
              {.sql = "DELETE FROM events WHERE (session, stream, sequence) IN"
                      " (SELECT e.session, e.stream, e.sequence FROM " OLDEST
                      " AS g JOIN events AS e ON e.session = g.session"
                      " AND e.stream = g.stream AND e.sequence < " FIRST
                      " + g.many) RETURNING bytes",
               .gives = "n"},
              {.sql = "DELETE FROM streams WHERE closed = 2"}},
    .count = count_dropped};

static const struct mica_store_operation events_old = {
    .name = "events_old",
    .takes = "n",
    .steps = {{.sql = "SELECT 1 FROM events WHERE ages <= ?1 LIMIT 1",
               .gives = "n",
               .refusal = 1}}};

// Removes at most `limit` events whose age counts from that time or before.
static enum mica_status
events_drop_old(struct mica_store *store, int64_t ages, size_t limit,
                struct mica_error *error, size_t *removed_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(ages),
                                             MICA_STORE_NUMBER((int64_t)limit)};
    struct mica_store_given given[3] = {{.count = 0}};
    enum mica_status status;
    struct mica_arena arena;
    unsigned refusal;

    *removed_out = 0;
    MICA_TRY(
        mica_store_do(store, &events_old, values, NULL, NULL, error, &refusal));
    if (refusal != 0 || limit == 0)
        return MICA_OK;
    mica_arena_init(&arena, 1 << 20);
    status = mica_store_do(store, &events_drop, values, given, &arena, error,
                           &refusal);
    mica_arena_fini(&arena);
    MICA_TRY(status);
    *removed_out = given[1].count;
    return MICA_OK;
}

enum mica_status
mica_store_events_trim(struct mica_store *store, int64_t now, size_t limit,
                       struct mica_error *error, size_t *removed_out)
{
    int64_t totals[MICA_STORE_COUNTERS];
    size_t removed = 1;

    for (*removed_out = 0; *removed_out < limit && removed > 0;
         *removed_out += removed) {
        MICA_TRY(mica_store_totals(store, now, error, totals));
        if (totals[MICA_COUNT_EVENT_BYTES] <=
            (int64_t)store->limits.event_bytes)
            return MICA_OK;
        MICA_TRY(events_drop_old(store, INT64_MAX, 1, error, &removed));
    }
    return MICA_OK;
}

enum mica_status
mica_store_events_expire(struct mica_store *store, int64_t now, size_t limit,
                         struct mica_error *error, size_t *removed_out)
{
    size_t trimmed;

    MICA_TRY(events_drop_old(store, now - store->limits.event_age_ms - 1, limit,
                             error, removed_out));
    MICA_TRY(mica_store_events_trim(store, now, limit - *removed_out, error,
                                    &trimmed));
    *removed_out += trimmed;
    return MICA_OK;
}

// ---- Replay --------------------------------------------------------------------

// ?1 session, ?2 stream, ?3 after, ?4 the most, ?5 now
static const struct mica_store_operation event_replay = {
    .name = "event_replay",
    .takes = "bnnnn",
    .steps = {{.sql =
                   "SELECT s.last, s.closed, s.request, s.lease, s.holder,"
                   " s.call, coalesce((SELECT min(e.sequence) FROM events AS e"
                   " WHERE e.session = ?1 AND e.stream = ?2), s.last + 1)"
                   " FROM streams AS s WHERE s.session = ?1 AND s.stream = ?2"
                   " AND EXISTS (SELECT 1 FROM sessions AS x"
                   " WHERE x.key = ?1 AND x.expires > ?5)",
               .gives = "nntnntn",
               .refusal = MICA_STORE_NO_STREAM},
              {.sql = "SELECT sequence, created, data FROM events"
                      " WHERE session = ?1 AND stream = ?2 AND sequence > ?3"
                      " ORDER BY sequence LIMIT ?4",
               .gives = "nnb"}}};

static enum mica_status
copy_events(const struct mica_store_given *given, struct mica_arena *arena,
            struct mica_error *error, struct mica_store_events *out)
{
    struct mica_store_event *items =
        mica_arena_zero(arena, given->count, sizeof *items);

    if (items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no memory for %zu events; ask for "
                              "fewer.",
                              given->count);
    for (size_t i = 0; i < given->count; i++) {
        const union mica_store_value *values = mica_store_given_row(given, i);
        items[i] = (struct mica_store_event){.sequence = values[0].number,
                                             .created = values[1].number,
                                             .data = values[2].text};
    }
    out->items = items;
    out->count = given->count;
    return MICA_OK;
}

// Are these all events after `after`, up to `last` or the limit? Checks the rows as well as the
// numbers of the stream: the client must learn that it has missed an event.
static bool
is_whole(const struct mica_store_events *events, int64_t after, int64_t last,
         size_t limit)
{
    for (size_t i = 0; i < events->count; i++) {
        if (events->items[i].sequence != ++after)
            return false;
    }
    return events->count == limit || after == last;
}

enum mica_status
mica_store_event_replay(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        int64_t stream, int64_t after, size_t limit,
                        int64_t now, struct mica_arena *arena,
                        struct mica_error *error,
                        struct mica_store_events *events_out)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(mica_store_key_text(key)), MICA_STORE_NUMBER(stream),
        MICA_STORE_NUMBER(after),
        MICA_STORE_NUMBER(limit < INT64_MAX ? (int64_t)limit : INT64_MAX),
        MICA_STORE_NUMBER(now)};
    struct mica_store_given given[2] = {{.count = 0}};
    struct mica_store_events events = {.count = 0};
    const union mica_store_value *row;
    unsigned refusal;
    int64_t last;

    MICA_TRY(mica_store_do(store, &event_replay, values, given, arena, error,
                           &refusal));
    if (refusal != 0)
        return mica_store_no_stream(stream, error);
    row = mica_store_given_row(&given[0], 0);
    last = row[0].number;
    if (after < 0 || after > last)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "Stream %lld has no event %lld.",
                              (long long)stream, (long long)after);
    MICA_TRY(copy_events(&given[1], arena, error, &events));
    events.closed = row[1].number != 0;
    events.request = row[2].text;
    events.lease = mica_store_is_dead(store, row[4].number) ? 0 : row[3].number;
    events.call = row[5].text;
    events.last = last;
    events.missed =
        after + 1 < row[6].number || !is_whole(&events, after, last, limit);
    *events_out = events;
    return MICA_OK;
}
