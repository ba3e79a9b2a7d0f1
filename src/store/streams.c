// SPDX-License-Identifier: Apache-2.0
//
// Opens, renews and closes the streams of a session. The process that opens a stream works on it
// until its lease expires or the process ends; or a kept call sends on it.
#include "store/store.h"

enum {
    NO_SESSION = 1,
    NO_ROOM
};

// ---- Open ----------------------------------------------------------------------

static void
count_opened(struct mica_store *store, const struct mica_store_part *part)
{
    (void)part;
    mica_store_count(store, MICA_COUNT_STREAMS, 1);
}

// ?1 session, ?2 now, ?3 request, ?4 lease, ?5 holder, ?6 token, ?7 how many
static const struct mica_store_operation stream_open = {
    .name = "stream_open",
    .writes = true,
    .takes = "bntnnnn",
    .steps =
        {{.sql = "UPDATE sessions SET last_stream = last_stream + 1,"
                 " idle = CASE WHEN idle < ?4 THEN ?4 ELSE idle END"
                 " WHERE key = ?1 AND expires > ?2 RETURNING last_stream",
          .gives = "n",
          .refusal = NO_SESSION},
         {.sql = "INSERT INTO streams (session, stream, last, closed, request,"
                 " lease, call, holder, total, token)"
                 " SELECT key, last_stream, 0, 0, ?3, ?4, '', ?5, 0, ?6"
                 " FROM sessions WHERE key = ?1 AND (SELECT count(*)"
                 " FROM streams AS s WHERE s.session = ?1) < ?7",
          .refusal = NO_ROOM}},
    .done = {.sql = "SELECT stream FROM streams"
                    " WHERE session = ?1 AND token = ?6",
             .gives = "n"},
    .count = count_opened};

static void
count_spared(struct mica_store *store, const struct mica_store_part *part)
{
    const union mica_store_value *events =
        mica_store_given_row(&part->given[0], 0);

    mica_store_count(store, MICA_COUNT_EVENTS, -events[0].number);
    mica_store_count(store, MICA_COUNT_EVENTS_DROPPED, events[0].number);
    mica_store_count(store, MICA_COUNT_EVENT_BYTES, -events[1].number);
    mica_store_count(store, MICA_COUNT_STREAMS,
                     -(int64_t)part->given[2].changed);
}

// Removes the first stream that no one uses: the oldest closed one, otherwise the oldest one
// that a process has left. ?1 session, ?2 now, ?3 the most streams
#define SPARE                                                       \
    "(SELECT s.stream FROM streams AS s WHERE s.session = ?1"       \
    " AND (s.closed > 0 OR s.lease <= ?2 AND NOT EXISTS (SELECT 1"  \
    " FROM calls AS c WHERE c.session = ?1 AND c.stream = s.stream" \
    " AND c.held = 1)) AND (SELECT count(*) FROM streams AS a"      \
    " WHERE a.session = ?1) >= ?3 ORDER BY s.closed DESC, s.stream LIMIT 1)"
static const struct mica_store_operation stream_spare = {
    .name = "stream_spare",
    .writes = true,
    .takes = "bnn",
    .steps = {{.sql = "SELECT count(*), coalesce(sum(bytes), 0) FROM events"
                      " WHERE session = ?1 AND stream = " SPARE,
               .gives = "nn"},
              {.sql = "DELETE FROM events WHERE session = ?1 AND stream ="
                      " " SPARE},
              {.sql = "DELETE FROM streams WHERE session = ?1 AND stream ="
                      " " SPARE}},
    .count = count_spared};

// Ends the leases of processes that have ended.
static const struct mica_store_operation stream_holders = {
    .name = "stream_holders",
    .takes = "bn",
    .steps = {{.sql = "SELECT DISTINCT holder FROM streams WHERE session = ?1"
                      " AND closed = 0 AND lease > ?2 AND holder <> 0",
               .gives = "n"}}};
static const struct mica_store_operation streams_left = {
    .name = "streams_left",
    .writes = true,
    .takes = "bn",
    .steps = {{.sql = "UPDATE streams SET lease = 0"
                      " WHERE session = ?1 AND holder = ?2"}}};

static enum mica_status
leave_streams_of_dead(struct mica_store *store, struct mica_text session,
                      int64_t now, struct mica_error *error)
{
    const union mica_store_value asked[] = {MICA_STORE_TEXT(session),
                                            MICA_STORE_NUMBER(now)};
    struct mica_store_given given[1] = {{.count = 0}};
    enum mica_status status;
    struct mica_arena arena;
    unsigned refusal;

    mica_arena_init(&arena, 1 << 16);
    status = mica_store_do(store, &stream_holders, asked, given, &arena, error,
                           &refusal);
    for (size_t i = 0; i < given[0].count && status == MICA_OK; i++) {
        int64_t holder = mica_store_given_row(&given[0], i)[0].number;
        const union mica_store_value values[] = {MICA_STORE_TEXT(session),
                                                 MICA_STORE_NUMBER(holder)};
        if (mica_store_is_dead(store, holder))
            status = mica_store_do(store, &streams_left, values, NULL, NULL,
                                   error, &refusal);
    }
    mica_arena_fini(&arena);
    return status;
}

struct opening {
    union mica_store_value values[7], spare[3];
    struct mica_store_given opened[2], spared[3];
};

// One transaction; with `spares` it first removes a stream that no one uses.
static enum mica_status
open_stream(struct mica_store *store, struct opening *opening, bool spares,
            struct mica_error *error, unsigned *refusal_out,
            int64_t *stream_out)
{
    struct mica_store_part parts[2];
    struct mica_arena arena;
    enum mica_status status;
    size_t count = 0;

    if (spares)
        parts[count++] = (struct mica_store_part){&stream_spare, opening->spare,
                                                  opening->spared};
    parts[count++] = (struct mica_store_part){&stream_open, opening->values,
                                              opening->opened};
    mica_arena_init(&arena, 1 << 12);
    status =
        mica_store_perform(store, parts, count, &arena, error, refusal_out);
    if (status == MICA_OK && *refusal_out == 0)
        *stream_out = mica_store_given_row(&opening->opened[0], 0)[0].number;
    mica_arena_fini(&arena);
    return status;
}

enum mica_status
mica_store_stream_open(struct mica_store *store,
                       const struct mica_store_session_key *key,
                       struct mica_text request, int64_t now, int64_t lease_ms,
                       struct mica_error *error, int64_t *stream_out)
{
    struct mica_text session = mica_store_key_text(key);
    int64_t most = (int64_t)store->limits.streams;
    struct opening opening = {
        .values = {MICA_STORE_TEXT(session), MICA_STORE_NUMBER(now),
                   MICA_STORE_TEXT(request), MICA_STORE_NUMBER(now + lease_ms),
                   MICA_STORE_NUMBER(mica_store_node(store)),
                   MICA_STORE_NUMBER(mica_store_token()),
                   MICA_STORE_NUMBER(most)},
        .spare = {MICA_STORE_TEXT(session), MICA_STORE_NUMBER(now),
                  MICA_STORE_NUMBER(most)}};
    unsigned refusal;

    if (request.len > MICA_STORE_STREAM_REQUEST_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "What a stream is opened for has %zu bytes; it "
                              "may have %d.",
                              request.len, MICA_STORE_STREAM_REQUEST_BYTES);
    MICA_TRY(mica_store_text(request, "What a stream is for", error));
    MICA_TRY(open_stream(store, &opening, false, error, &refusal, stream_out));
    if (refusal == NO_ROOM) {
        MICA_TRY(leave_streams_of_dead(store, session, now, error));
        MICA_TRY(
            open_stream(store, &opening, true, error, &refusal, stream_out));
    }
    if (refusal == NO_ROOM)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The session has %zu open streams, as many as "
                              "it may have; close one first.",
                              store->limits.streams);
    return refusal == 0 ? MICA_OK : mica_store_no_session(error);
}

// ---- Renew ---------------------------------------------------------------------

// ?1 session, ?2 stream, ?3 now, ?4 lease, ?5 holder
static const struct mica_store_operation stream_renew = {
    .name = "stream_renew",
    .writes = true,
    .takes = "bnnnn",
    .steps = {{.sql = "UPDATE streams SET lease = ?4, holder = ?5"
                      " WHERE session = ?1 AND stream = ?2 AND closed = 0"
                      " AND EXISTS (SELECT 1 FROM sessions"
                      " WHERE key = ?1 AND expires > ?3)",
               .refusal = MICA_STORE_NO_STREAM},
              {.sql = "UPDATE sessions SET idle = ?4"
                      " WHERE key = ?1 AND idle < ?4"}}};

enum mica_status
mica_store_stream_renew(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        int64_t stream, int64_t now, int64_t lease_ms,
                        struct mica_error *error)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(mica_store_key_text(key)), MICA_STORE_NUMBER(stream),
        MICA_STORE_NUMBER(now), MICA_STORE_NUMBER(now + lease_ms),
        MICA_STORE_NUMBER(mica_store_node(store))};
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &stream_renew, values, NULL, NULL, error,
                           &refusal));
    return refusal == 0 ? MICA_OK : mica_store_no_stream(stream, error);
}

// ---- Close ---------------------------------------------------------------------

static void
count_closed(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_count(store, MICA_COUNT_STREAMS,
                     -(int64_t)part->given[1].changed);
}

// ?1 session, ?2 stream, ?3 now
static const struct mica_store_operation stream_close = {
    .name = "stream_close",
    .writes = true,
    .takes = "bnn",
    .steps = {{.sql = "UPDATE streams SET closed = 1"
                      " WHERE session = ?1 AND stream = ?2"
                      " AND EXISTS (SELECT 1 FROM sessions"
                      " WHERE key = ?1 AND expires > ?3)",
               .refusal = MICA_STORE_NO_STREAM},
              {.sql = "DELETE FROM streams WHERE session = ?1 AND stream = ?2"
                      " AND NOT EXISTS (SELECT 1 FROM events AS e"
                      " WHERE e.session = ?1 AND e.stream = ?2)"},
              {.sql = MICA_STORE_UPDATE_IDLE("?1", "?3")}},
    // Done if the stream is closed, or was removed with its last event.
    .done = {.sql = "SELECT 1 FROM sessions WHERE key = ?1 AND expires > ?3"
                    " AND last_stream >= ?2 AND NOT EXISTS (SELECT 1"
                    " FROM streams AS s WHERE s.session = ?1"
                    " AND s.stream = ?2 AND s.closed = 0)",
             .gives = "n"},
    .count = count_closed};

void
mica_store_close_part(const struct mica_store_session_key *key, int64_t stream,
                      int64_t now, struct mica_store_close *close,
                      struct mica_store_part *part_out)
{
    close->values[0].text = mica_store_key_text(key);
    close->values[1].number = stream;
    close->values[2].number = now;
    memset(close->given, 0, sizeof close->given);
    *part_out =
        (struct mica_store_part){&stream_close, close->values, close->given};
}

enum mica_status
mica_store_stream_close(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        int64_t stream, int64_t now, struct mica_error *error)
{
    struct mica_store_close close;
    struct mica_store_part part;
    unsigned refusal;

    mica_store_close_part(key, stream, now, &close, &part);
    MICA_TRY(mica_store_perform(store, &part, 1, NULL, error, &refusal));
    return refusal == 0 ? MICA_OK : mica_store_no_stream(stream, error);
}

enum mica_status
mica_store_stream_end(struct mica_store *store,
                      const struct mica_store_session_key *key, int64_t stream,
                      int64_t now, struct mica_text data,
                      struct mica_error *error, int64_t *sequence_out)
{
    struct mica_store_append append;
    struct mica_store_close close;
    struct mica_store_part parts[2];
    enum mica_status status;
    struct mica_arena arena;
    unsigned refusal;

    *sequence_out = 0;
    if (data.len == 0)
        return mica_store_stream_close(store, key, stream, now, error);
    if (data.len > store->limits.stream_bytes)
        return mica_store_too_large(store, data, error);
    mica_store_append_part(store, key, stream, now, data, &append, &parts[0]);
    mica_store_close_part(key, stream, now, &close, &parts[1]);
    mica_arena_init(&arena, 1 << 16);
    status = mica_store_perform(store, parts, 2, &arena, error, &refusal);
    if (status == MICA_OK && refusal != 0)
        status = mica_store_no_stream(stream, error);
    if (status == MICA_OK)
        *sequence_out = mica_store_given_row(&append.given[0], 0)[0].number;
    mica_arena_fini(&arena);
    return status;
}
