// SPDX-License-Identifier: Apache-2.0
//
// What was sent on the streams of a session, kept so that a client whose
// connection broke gets the rest. A stream counts its own events and bytes; when
// there are more than a limit allows, the oldest go. The counts of all streams
// together are totals of the store. Events age unless their stream is held.
#include "store/store.h"

static const struct mica_text none = {"", 0};

static enum mica_status
no_stream(int64_t stream, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "The session has no stream %lld, or it is closed.",
                          (long long)stream);
}

static enum mica_status
find_stream(struct mica_store *within, struct mica_text session, int64_t stream,
            struct mica_error *error, bool *found_out,
            struct mica_store_row *row_out)
{
    struct mica_store_range range = {.table = MICA_STORE_STREAMS, .equal = 2};

    range.values[0].text = session;
    range.values[1].number = stream;
    return mica_store_first(within, range, error, found_out, row_out);
}

// ---- Dropping events -----------------------------------------------------------

static enum mica_status
count_events(struct mica_store *within, int64_t events, int64_t bytes,
             struct mica_error *error)
{
    MICA_TRY(mica_store_add(within, MICA_COUNT_EVENTS, events, error));
    return mica_store_add(within, MICA_COUNT_EVENT_BYTES, bytes, error);
}

static enum mica_status
remove_stream(struct mica_store *within, const struct mica_store_row *stream,
              struct mica_error *error)
{
    size_t removed;

    MICA_TRY(mica_store_remove(within, MICA_STORE_EVENTS, 2, stream, error,
                               &removed));
    MICA_TRY(mica_store_remove(within, MICA_STORE_STREAMS, 2, stream, error,
                               &removed));
    MICA_TRY(mica_store_add(within, MICA_COUNT_STREAMS, -1, error));
    return count_events(within, -stream->values[MICA_STREAM_EVENTS].number,
                        -stream->values[MICA_STREAM_BYTES].number, error);
}

// Takes one event off its stream, and the stream away with its last event once
// it is closed. The caller counts it off the totals.
static enum mica_status
drop_event(struct mica_store *within, const struct mica_store_row *event,
           struct mica_store_row *stream, struct mica_error *error)
{
    union mica_store_value *values = stream->values;
    size_t removed;

    MICA_TRY(mica_store_remove(within, MICA_STORE_EVENTS, 3, event, error,
                               &removed));
    values[MICA_STREAM_EVENTS].number--;
    values[MICA_STREAM_BYTES].number -= event->values[MICA_EVENT_BYTES].number;
    MICA_TRY(mica_store_add(within, MICA_COUNT_EVENTS_DROPPED, 1, error));
    MICA_TRY(count_events(within, -1, -event->values[MICA_EVENT_BYTES].number,
                          error));
    if (values[MICA_STREAM_EVENTS].number == 0 &&
        values[MICA_STREAM_CLOSED].number != 0)
        return remove_stream(within, stream, error);
    return mica_store_update(within, MICA_STORE_STREAMS,
                             MICA_COLUMN(MICA_STREAM_EVENTS) |
                                 MICA_COLUMN(MICA_STREAM_BYTES),
                             stream, error);
}

#define EVENT_HEAD                                                        \
    (MICA_COLUMN(MICA_EVENT_SESSION) | MICA_COLUMN(MICA_EVENT_STREAM) |   \
     MICA_COLUMN(MICA_EVENT_SEQUENCE) | MICA_COLUMN(MICA_EVENT_CREATED) | \
     MICA_COLUMN(MICA_EVENT_BYTES))

static enum mica_status
no_event(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "",
                          "The store counts more events than it has; run "
                          "\"mica store check\".");
}

// The first of those that are kept of a stream.
static enum mica_status
first_event(struct mica_store *within, const struct mica_store_row *stream,
            struct mica_error *error, struct mica_store_row *row_out)
{
    struct mica_store_range range = {
        .table = MICA_STORE_EVENTS, .equal = 2, .columns = EVENT_HEAD};
    bool found;

    range.values[0] = stream->values[MICA_STREAM_SESSION];
    range.values[1] = stream->values[MICA_STREAM_NUMBER];
    MICA_TRY(mica_store_first(within, range, error, &found, row_out));
    return found ? MICA_OK : no_event(error);
}

// An event was found by its time: drops one of its stream. That is the first,
// whatever their times say: the clock may have stepped back between them, and
// what is kept has to be what was sent last, without a hole.
static enum mica_status
drop_found(struct mica_store *within, const struct mica_store_row *event,
           struct mica_error *error)
{
    struct mica_store_row stream, first;
    bool found;

    MICA_TRY(find_stream(within, event->values[MICA_EVENT_SESSION].text,
                         event->values[MICA_EVENT_STREAM].number, error, &found,
                         &stream));
    if (!found)
        return mica_error_set(error, MICA_E_IO, "",
                              "The store has an event without a stream; run "
                              "\"mica store check\".");
    MICA_TRY(first_event(within, &stream, error, &first));
    return drop_event(within, &first, &stream, error);
}

static enum mica_status
oldest_event(struct mica_store *within, struct mica_error *error,
             bool *found_out, struct mica_store_row *row_out)
{
    struct mica_store_range range = {
        .table = MICA_STORE_EVENTS, .index = 1, .columns = EVENT_HEAD};

    return mica_store_first(within, range, error, found_out, row_out);
}

// The limit on all streams together.
static enum mica_status
keep_total(struct mica_store *within, size_t limit, struct mica_error *error,
           size_t *removed_out)
{
    struct mica_store_row event;
    int64_t bytes;
    bool found;

    *removed_out = 0;
    for (; *removed_out < limit; (*removed_out)++) {
        MICA_TRY(
            mica_store_total(within, MICA_COUNT_EVENT_BYTES, error, &bytes));
        if ((uint64_t)bytes <= within->limits.event_bytes)
            break;
        MICA_TRY(oldest_event(within, error, &found, &event));
        if (!found)
            break;
        MICA_TRY(drop_found(within, &event, error));
    }
    return MICA_OK;
}

enum mica_status
mica_store_events_expire(struct mica_store *within, int64_t now, size_t limit,
                         struct mica_error *error, size_t *removed_out)
{
    struct mica_store_range range = {.table = MICA_STORE_EVENTS,
                                     .index = 1,
                                     .bound = MICA_BOUND_BELOW,
                                     .columns = EVENT_HEAD,
                                     .limit = limit};
    struct mica_store_rows rows;

    range.values[0].number = now - within->limits.event_age_ms;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    for (size_t i = 0; i < rows.count; i++)
        MICA_TRY(drop_found(within, &rows.items[i], error));
    MICA_TRY(keep_total(within, limit - rows.count, error, removed_out));
    *removed_out += rows.count;
    return MICA_OK;
}

// ---- Opening and closing -------------------------------------------------------

int64_t
mica_store_stream_lease(struct mica_store *within,
                        const struct mica_store_row *stream)
{
    const union mica_store_value *values = stream->values;

    return mica_store_is_dead(within, values[MICA_STREAM_HOLDER].number)
               ? 0
               : values[MICA_STREAM_LEASE].number;
}

// Nobody will ever tell anything on it, and no call answers on it.
static enum mica_status
is_left(struct mica_store *within, const struct mica_store_row *stream,
        int64_t now, struct mica_error *error, bool *left_out)
{
    const union mica_store_value *values = stream->values;
    bool held;

    *left_out = mica_store_stream_lease(within, stream) <= now;
    if (!*left_out)
        return MICA_OK;
    MICA_TRY(mica_store_is_held(within, values[MICA_STREAM_SESSION],
                                values[MICA_STREAM_NUMBER], error, &held));
    *left_out = !held;
    return MICA_OK;
}

// Of the streams of a session the first that can be missed: one that is closed, or
// else one that was left. SIZE_MAX: all are in use.
static enum mica_status
find_spare(struct mica_store *within, const struct mica_store_rows *rows,
           int64_t now, struct mica_error *error, size_t *spare_out)
{
    bool left = false;

    *spare_out = SIZE_MAX;
    for (size_t i = 0; i < rows->count && *spare_out == SIZE_MAX; i++) {
        if (rows->items[i].values[MICA_STREAM_CLOSED].number != 0)
            *spare_out = i;
    }
    for (size_t i = 0; i < rows->count && *spare_out == SIZE_MAX; i++) {
        MICA_TRY(is_left(within, &rows->items[i], now, error, &left));
        if (left)
            *spare_out = i;
    }
    return MICA_OK;
}

// When the session has all the streams it may have, one that can be missed goes.
static enum mica_status
make_room(struct mica_store *within, struct mica_text session, int64_t now,
          struct mica_error *error)
{
    struct mica_store_range range = {.table = MICA_STORE_STREAMS,
                                     .equal = 1,
                                     .limit = within->limits.streams};
    struct mica_store_rows rows;
    size_t spare;

    range.values[0].text = session;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    if (rows.count < within->limits.streams)
        return MICA_OK;
    MICA_TRY(find_spare(within, &rows, now, error, &spare));
    if (spare == SIZE_MAX)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The session has %zu open streams, as many as "
                              "it may have; close one first.",
                              rows.count);
    MICA_TRY(mica_store_add(within, MICA_COUNT_EVENTS_DROPPED,
                            rows.items[spare].values[MICA_STREAM_EVENTS].number,
                            error));
    return remove_stream(within, &rows.items[spare], error);
}

static enum mica_status
open_stream(struct mica_store *within, const struct mica_store_session_key *key,
            struct mica_text request, int64_t now, int64_t lease_ms,
            struct mica_error *error, int64_t *stream_out)
{
    struct mica_store_row session, stream = {.values = {{.number = 0}}};
    int64_t number, node;

    MICA_TRY(
        mica_store_session_row(within, key, now, false, NULL, error, &session));
    MICA_TRY(mica_store_node(within, now, error, &node));
    MICA_TRY(make_room(within, mica_store_key_text(key), now, error));
    number = ++session.values[MICA_SESSION_LAST_STREAM].number;
    MICA_TRY(mica_store_update(within, MICA_STORE_SESSIONS,
                               MICA_COLUMN(MICA_SESSION_LAST_STREAM), &session,
                               error));
    MICA_TRY(mica_store_session_busy(within, mica_store_key_text(key),
                                     now + lease_ms, error));
    stream.values[MICA_STREAM_SESSION].text = mica_store_key_text(key);
    stream.values[MICA_STREAM_NUMBER].number = number;
    stream.values[MICA_STREAM_REQUEST].text = request;
    stream.values[MICA_STREAM_LEASE].number = now + lease_ms;
    stream.values[MICA_STREAM_CALL].text = none;
    stream.values[MICA_STREAM_HOLDER].number = node;
    MICA_TRY(mica_store_insert(within, MICA_STORE_STREAMS, &stream, error));
    MICA_TRY(mica_store_add(within, MICA_COUNT_STREAMS, 1, error));
    *stream_out = number;
    return MICA_OK;
}

enum mica_status
mica_store_stream_open(struct mica_store *store,
                       const struct mica_store_session_key *key,
                       struct mica_text request, int64_t now, int64_t lease_ms,
                       struct mica_error *error, int64_t *stream_out)
{
    struct mica_store within;

    if (request.len > MICA_STORE_STREAM_REQUEST_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "What a stream is opened for has %zu bytes; it "
                              "may have %d.",
                              request.len, MICA_STORE_STREAM_REQUEST_BYTES);
    MICA_TRY(mica_store_text(request, "What a stream is for", error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(
        &within,
        open_stream(&within, key, request, now, lease_ms, error, stream_out),
        error);
}

// The stream of a session that has not expired.
static enum mica_status
need_stream(struct mica_store *within, const struct mica_store_session_key *key,
            int64_t stream, int64_t now, struct mica_error *error,
            struct mica_store_row *row_out)
{
    struct mica_store_row session;
    bool found;

    MICA_TRY(
        mica_store_session_row(within, key, now, false, NULL, error, &session));
    MICA_TRY(find_stream(within, mica_store_key_text(key), stream, error,
                         &found, row_out));
    return found ? MICA_OK : no_stream(stream, error);
}

static enum mica_status
renew(struct mica_store *within, const struct mica_store_session_key *key,
      int64_t stream, int64_t now, int64_t lease_ms, struct mica_error *error)
{
    struct mica_store_row row;

    MICA_TRY(need_stream(within, key, stream, now, error, &row));
    if (row.values[MICA_STREAM_CLOSED].number != 0)
        return no_stream(stream, error);
    MICA_TRY(mica_store_session_busy(within, mica_store_key_text(key),
                                     now + lease_ms, error));
    row.values[MICA_STREAM_LEASE].number = now + lease_ms;
    MICA_TRY(mica_store_node(within, now, error,
                             &row.values[MICA_STREAM_HOLDER].number));
    return mica_store_update(within, MICA_STORE_STREAMS,
                             MICA_COLUMN(MICA_STREAM_LEASE) |
                                 MICA_COLUMN(MICA_STREAM_HOLDER),
                             &row, error);
}

enum mica_status
mica_store_stream_renew(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        int64_t stream, int64_t now, int64_t lease_ms,
                        struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(
        &within, renew(&within, key, stream, now, lease_ms, error), error);
}

enum mica_status
mica_store_stream_answers(struct mica_store *within, struct mica_text session,
                          int64_t stream, struct mica_text call,
                          struct mica_error *error)
{
    struct mica_store_row row;
    bool found;

    MICA_TRY(find_stream(within, session, stream, error, &found, &row));
    if (!found)
        return MICA_OK;
    row.values[MICA_STREAM_CALL].text = call;
    return mica_store_update(within, MICA_STORE_STREAMS,
                             MICA_COLUMN(MICA_STREAM_CALL), &row, error);
}

static enum mica_status
close_stream(struct mica_store *within,
             const struct mica_store_session_key *key, int64_t stream,
             int64_t now, struct mica_error *error)
{
    struct mica_store_row row;

    MICA_TRY(need_stream(within, key, stream, now, error, &row));
    row.values[MICA_STREAM_CLOSED].number = 1;
    if (row.values[MICA_STREAM_EVENTS].number == 0)
        MICA_TRY(remove_stream(within, &row, error));
    else
        MICA_TRY(mica_store_update(within, MICA_STORE_STREAMS,
                                   MICA_COLUMN(MICA_STREAM_CLOSED), &row,
                                   error));
    return mica_store_session_settle(within, mica_store_key_text(key), now,
                                     error);
}

enum mica_status
mica_store_stream_close(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        int64_t stream, int64_t now, struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(
        &within, close_stream(&within, key, stream, now, error), error);
}

// ---- Appending -----------------------------------------------------------------

// The oldest events go until `stream` with one more fits its limits.
static enum mica_status
make_event_room(struct mica_store *within, struct mica_store_row *stream,
                size_t size, struct mica_error *error)
{
    const union mica_store_value *values = stream->values;
    struct mica_store_row event;

    while ((uint64_t)values[MICA_STREAM_EVENTS].number >=
               within->limits.stream_events ||
           (uint64_t)values[MICA_STREAM_BYTES].number + size >
               within->limits.stream_bytes) {
        MICA_TRY(first_event(within, stream, error, &event));
        MICA_TRY(drop_event(within, &event, stream, error));
    }
    return MICA_OK;
}

// The row of the stream is written by the caller, once.
static enum mica_status
insert_event(struct mica_store *within, struct mica_store_row *stream,
             bool held, int64_t now, struct mica_text data,
             struct mica_error *error)
{
    union mica_store_value *values = stream->values;
    struct mica_store_row event;

    values[MICA_STREAM_LAST].number++;
    values[MICA_STREAM_EVENTS].number++;
    values[MICA_STREAM_BYTES].number += (int64_t)data.len;
    event.values[MICA_EVENT_SESSION] = values[MICA_STREAM_SESSION];
    event.values[MICA_EVENT_STREAM] = values[MICA_STREAM_NUMBER];
    event.values[MICA_EVENT_SEQUENCE] = values[MICA_STREAM_LAST];
    event.values[MICA_EVENT_CREATED].number = now;
    event.values[MICA_EVENT_BYTES].number = (int64_t)data.len;
    event.values[MICA_EVENT_DATA].text = data;
    event.values[MICA_EVENT_AGES].number = held ? INT64_MAX : now;
    return mica_store_insert(within, MICA_STORE_EVENTS, &event, error);
}

static enum mica_status
too_large(const struct mica_store *store, struct mica_text data,
          struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "An event of %zu bytes is larger than all that "
                          "is kept of a stream, %zu bytes.",
                          data.len, store->limits.stream_bytes);
}

static enum mica_status
append_all(struct mica_store *within, struct mica_store_row *stream,
           int64_t now, const struct mica_text *events, size_t count,
           struct mica_error *error)
{
    int64_t bytes = 0;
    bool held;

    MICA_TRY(mica_store_is_held(within, stream->values[MICA_STREAM_SESSION],
                                stream->values[MICA_STREAM_NUMBER], error,
                                &held));
    for (size_t i = 0; i < count; i++) {
        if (events[i].len > within->limits.stream_bytes)
            return too_large(within, events[i], error);
        MICA_TRY(make_event_room(within, stream, events[i].len, error));
        MICA_TRY(insert_event(within, stream, held, now, events[i], error));
        bytes += (int64_t)events[i].len;
    }
    return count_events(within, (int64_t)count, bytes, error);
}

enum mica_status
mica_store_stream_say(struct mica_store *within,
                      const struct mica_store_session_key *key, int64_t number,
                      int64_t now, const struct mica_text *events, size_t count,
                      bool closes, struct mica_error *error, int64_t *first_out)
{
    enum {
        SOME = 64 // the next append or sweep goes on
    };
    struct mica_store_row stream;
    size_t removed;

    MICA_TRY(need_stream(within, key, number, now, error, &stream));
    if (stream.values[MICA_STREAM_CLOSED].number != 0)
        return no_stream(number, error);
    *first_out = stream.values[MICA_STREAM_LAST].number + 1;
    MICA_TRY(append_all(within, &stream, now, events, count, error));
    stream.values[MICA_STREAM_CLOSED].number = closes;
    MICA_TRY(mica_store_update(
        within, MICA_STORE_STREAMS,
        MICA_COLUMN(MICA_STREAM_LAST) | MICA_COLUMN(MICA_STREAM_EVENTS) |
            MICA_COLUMN(MICA_STREAM_BYTES) | MICA_COLUMN(MICA_STREAM_CLOSED),
        &stream, error));
    if (closes)
        MICA_TRY(mica_store_session_settle(within, mica_store_key_text(key),
                                           now, error));
    return keep_total(within, SOME, error, &removed);
}

enum mica_status
mica_store_event_append(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        int64_t stream, int64_t now, struct mica_text data,
                        struct mica_error *error, int64_t *sequence_out)
{
    struct mica_store within;

    if (data.len > store->limits.stream_bytes)
        return too_large(store, data, error);
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within,
                            mica_store_stream_say(&within, key, stream, now,
                                                  &data, 1, false, error,
                                                  sequence_out),
                            error);
}

// ---- Replaying -----------------------------------------------------------------

static enum mica_status
copy_events(const struct mica_store_rows *rows, struct mica_arena *arena,
            struct mica_error *error, struct mica_store_events *out)
{
    struct mica_store_event *items =
        mica_arena_zero(arena, rows->count, sizeof *items);

    if (items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no memory for %zu events; ask for "
                              "fewer.",
                              rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        const union mica_store_value *values = rows->items[i].values;
        items[i] = (struct mica_store_event){
            .sequence = values[MICA_EVENT_SEQUENCE].number,
            .created = values[MICA_EVENT_CREATED].number,
            .data = values[MICA_EVENT_DATA].text};
    }
    out->items = items;
    out->count = rows->count;
    return MICA_OK;
}

static enum mica_status
copy_stream(struct mica_store *within, const struct mica_store_row *row,
            struct mica_arena *arena, struct mica_error *error,
            struct mica_store_events *out)
{
    const union mica_store_value *values = row->values;

    out->request = mica_arena_text(arena, values[MICA_STREAM_REQUEST].text);
    out->call = mica_arena_text(arena, values[MICA_STREAM_CALL].text);
    out->lease = mica_store_stream_lease(within, row);
    if (!arena->overflow)
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "There is no memory for what a stream is about.");
}

// Is that all there was after `after`, up to `last` or as many as were asked for?
// The rows are looked at, too, not the counts alone: a client that does not get
// an event has to be told.
static bool
is_whole(const struct mica_store_rows *rows, int64_t after, int64_t last,
         size_t limit)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->items[i].values[MICA_EVENT_SEQUENCE].number != ++after)
            return false;
    }
    return rows->count == limit || after == last;
}

static enum mica_status
replay(struct mica_store *within, const struct mica_store_session_key *key,
       int64_t number, int64_t after, size_t limit, int64_t now,
       struct mica_arena *arena, struct mica_error *error,
       struct mica_store_events *out)
{
    struct mica_store_range range = {.table = MICA_STORE_EVENTS,
                                     .equal = 2,
                                     .bound = MICA_BOUND_AFTER,
                                     .limit = limit};
    struct mica_store_rows rows;
    struct mica_store_row stream;
    int64_t last, oldest;

    MICA_TRY(need_stream(within, key, number, now, error, &stream));
    last = stream.values[MICA_STREAM_LAST].number;
    oldest = last - stream.values[MICA_STREAM_EVENTS].number + 1;
    if (after < 0 || after > last)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "Stream %lld has no event %lld.",
                              (long long)number, (long long)after);
    range.values[0] = stream.values[MICA_STREAM_SESSION];
    range.values[1] = stream.values[MICA_STREAM_NUMBER];
    range.values[2].number = after;
    MICA_TRY(mica_store_scan(within, &range, arena, error, &rows));
    MICA_TRY(copy_events(&rows, arena, error, out));
    MICA_TRY(copy_stream(within, &stream, arena, error, out));
    out->missed = after + 1 < oldest || !is_whole(&rows, after, last, limit);
    out->closed = stream.values[MICA_STREAM_CLOSED].number != 0;
    return MICA_OK;
}

enum mica_status
mica_store_event_replay(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        int64_t stream, int64_t after, size_t limit,
                        int64_t now, struct mica_arena *arena,
                        struct mica_error *error,
                        struct mica_store_events *events_out)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(&within,
                            replay(&within, key, stream, after, limit, now,
                                   arena, error, events_out),
                            error);
}
