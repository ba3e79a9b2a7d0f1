// SPDX-License-Identifier: Apache-2.0
//
// Streams, their events, and changes in the plain model of a store (store_model.h).
#ifndef MICA_TESTS_STORE_MODEL_STREAMS_H
#define MICA_TESTS_STORE_MODEL_STREAMS_H

#include "store_model.h"

// ---- Streams ---------------------------------------------------------------------

static inline struct model_stream *
model_stream(struct model *model, const struct mica_store_session_key *key,
             int64_t number, int64_t now)
{
    for (size_t i = 0; i < model->streams_count; i++) {
        if (model->streams[i].number == number &&
            model_same_key(&model->streams[i].session, key) &&
            model_live(model, key, now) != NULL)
            return &model->streams[i];
    }
    return NULL;
}

// Does an open call answer there?
static inline bool
model_is_answered(const struct model *model,
                  const struct mica_store_session_key *key, int64_t stream)
{
    for (size_t i = 0; i < model->calls_count; i++) {
        if (model->calls[i].answers &&
            model->calls[i].stored.stream == stream &&
            model_in_session(&model->calls[i], key))
            return true;
    }
    return false;
}

// The age of all events of a stream.
static inline void
model_set_ages(struct model *model, const struct mica_store_session_key *key,
               int64_t stream, int64_t ages)
{
    for (size_t i = 0; i < model->events_count; i++) {
        if (model->events[i].stream == stream &&
            model_same_key(&model->events[i].session, key))
            model->events[i].ages = ages;
    }
}

// The first event of a stream; MODEL_MOST: it has none.
static inline size_t
model_first_event(const struct model *model,
                  const struct mica_store_session_key *key, int64_t stream)
{
    size_t i = 0;

    while (i < model->events_count &&
           (model->events[i].stream != stream ||
            !model_same_key(&model->events[i].session, key)))
        i++;
    return i < model->events_count ? i : MODEL_MOST;
}

static inline int64_t
model_event_bytes(const struct model *model,
                  const struct mica_store_session_key *key, int64_t stream)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < model->events_count; i++) {
        if (key == NULL || (model->events[i].stream == stream &&
                            model_same_key(&model->events[i].session, key)))
            bytes += (int64_t)model->events[i].stored.data.len;
    }
    return bytes;
}

static inline void
model_event_drop(struct model *model, size_t at)
{
    MODEL_REMOVE(model, events, at);
    model->gone.events_dropped++;
}

static inline void
model_stream_drop(struct model *model, size_t at)
{
    const struct model_stream stream = model->streams[at];
    size_t event;

    while ((event = model_first_event(model, &stream.session, stream.number)) !=
           MODEL_MOST)
        model_event_drop(model, event);
    MODEL_REMOVE(model, streams, at);
}

// One that can be missed: the first that is closed, or else the first that was left.
static inline size_t
model_stream_spare(const struct model *model,
                   const struct mica_store_session_key *key, int64_t now)
{
    size_t spare = MODEL_MOST;

    for (size_t i = 0; i < model->streams_count; i++) {
        const struct model_stream *stream = &model->streams[i];
        bool left = stream->lease <= now &&
                    !model_is_answered(model, key, stream->number);
        if (!model_same_key(&stream->session, key) ||
            (!stream->closed && !left))
            continue;
        if (spare == MODEL_MOST ||
            stream->closed > model->streams[spare].closed ||
            (stream->closed == model->streams[spare].closed &&
             stream->number < model->streams[spare].number))
            spare = i;
    }
    return spare;
}

static inline enum mica_status
model_stream_open(struct model *model, const struct mica_store_session_key *key,
                  struct mica_text request, int64_t now, int64_t lease_ms,
                  struct mica_error *why, int64_t *stream_out)
{
    struct model_session *session = model_live(model, key, now);
    struct model_stream *added;
    size_t count = 0, spare;

    (void)why;
    if (session == NULL)
        return MICA_E_NOT_FOUND;
    for (size_t i = 0; i < model->streams_count; i++)
        count += model_same_key(&model->streams[i].session, key);
    if (count >= model->limits.streams) {
        spare = model_stream_spare(model, key, now);
        if (spare == MODEL_MOST)
            return MICA_E_LIMIT;
        model_stream_drop(model, spare);
    }
    if (session->idle < now + lease_ms)
        session->idle = now + lease_ms;
    added = MODEL_ADD(model, streams);
    *added = (struct model_stream){.session = *key,
                                   .number = ++session->streams,
                                   .request = model_copy(model, request),
                                   .lease = now + lease_ms};
    *stream_out = added->number;
    return MICA_OK;
}

static inline enum mica_status
model_stream_renew(struct model *model,
                   const struct mica_store_session_key *key, int64_t number,
                   int64_t now, int64_t lease_ms, struct mica_error *why)
{
    struct model_stream *stream = model_stream(model, key, number, now);
    struct model_session *session = model_session(model, key);

    (void)why;
    if (stream == NULL || stream->closed)
        return MICA_E_NOT_FOUND;
    stream->lease = now + lease_ms;
    if (session->idle < stream->lease)
        session->idle = stream->lease;
    return MICA_OK;
}

static inline enum mica_status
model_stream_close(struct model *model,
                   const struct mica_store_session_key *key, int64_t number,
                   int64_t now, struct mica_error *why)
{
    struct model_stream *stream = model_stream(model, key, number, now);

    (void)why;
    if (stream == NULL)
        return MICA_E_NOT_FOUND;
    stream->closed = true;
    if (model_first_event(model, key, number) == MODEL_MOST)
        MODEL_REMOVE(model, streams, (size_t)(stream - model->streams));
    model_settle(model, model_session(model, key), now);
    return MICA_OK;
}

// ---- Events ----------------------------------------------------------------------

// The next to go: the first of the stream whose event has the lowest age.
static inline size_t
model_oldest_event(const struct model *model, int64_t ages)
{
    const struct model_event *all = model->events;
    size_t oldest = MODEL_MOST;

    for (size_t i = 0; i < model->events_count; i++) {
        int order = 0;
        if (all[i].ages > ages)
            continue;
        if (oldest != MODEL_MOST && all[i].ages == all[oldest].ages) {
            order = memcmp(&all[i].session, &all[oldest].session,
                           sizeof all->session);
            if (order == 0)
                order = all[i].stream < all[oldest].stream ? -1 : 1;
        }
        if (oldest == MODEL_MOST || all[i].ages < all[oldest].ages || order < 0)
            oldest = i;
    }
    return oldest;
}

// Which streams lose how many is decided before one goes.
static inline size_t
model_events_drop(struct model *model, int64_t ages, size_t limit)
{
    struct model_event goes[MODEL_MOST];
    size_t count = 0;

    while (count < limit && count < model->events_count) {
        size_t oldest = model_oldest_event(model, ages);
        if (oldest == MODEL_MOST)
            break;
        goes[count++] = model->events[oldest];
        model->events[oldest].ages = INT64_MAX; // it was found
        if (ages == INT64_MAX)
            break; // one by one
    }
    for (size_t i = 0; i < count; i++) {
        size_t first =
            model_first_event(model, &goes[i].session, goes[i].stream);
        // One that is found has the age of the one that goes in its place.
        for (size_t j = 0; j < model->events_count; j++) {
            if (model->events[j].stream == goes[i].stream &&
                model->events[j].stored.sequence == goes[i].stored.sequence &&
                model_same_key(&model->events[j].session, &goes[i].session))
                model->events[j].ages = goes[i].ages;
        }
        model_event_drop(model, first);
        if (model_first_event(model, &goes[i].session, goes[i].stream) !=
            MODEL_MOST)
            continue;
        for (size_t j = model->streams_count; j-- > 0;) {
            if (model->streams[j].closed &&
                model->streams[j].number == goes[i].stream &&
                model_same_key(&model->streams[j].session, &goes[i].session))
                MODEL_REMOVE(model, streams, j);
        }
    }
    return count;
}

static inline size_t
model_events_trim(struct model *model, size_t limit)
{
    size_t removed = 0;

    while (removed < limit && model_event_bytes(model, NULL, 0) >
                                  (int64_t)model->limits.event_bytes)
        removed += model_events_drop(model, INT64_MAX, 1);
    return removed;
}

static inline size_t
model_events_expire(struct model *model, int64_t now, size_t limit)
{
    size_t removed =
        model_events_drop(model, now - model->limits.event_age_ms - 1, limit);

    return removed + model_events_trim(model, limit - removed);
}

// On a stream that is open.
static inline int64_t
model_append(struct model *model, struct model_stream *stream, int64_t now,
             struct mica_text data)
{
    const struct mica_store_session_key key = stream->session;
    struct model_event *added = MODEL_ADD(model, events);
    int64_t number = stream->number;
    size_t first;

    *added = (struct model_event){
        .session = key,
        .stream = number,
        .stored = {++stream->last, now, model_copy(model, data)},
        .ages = model_is_answered(model, &key, number) ? INT64_MAX : now};
    while ((first = model_first_event(model, &key, number)) != MODEL_MOST &&
           (stream->last - model->events[first].stored.sequence >=
                (int64_t)model->limits.stream_events ||
            model_event_bytes(model, &key, number) >
                (int64_t)model->limits.stream_bytes))
        model_event_drop(model, first);
    return stream->last;
}

static inline enum mica_status
model_event_append(struct model *model,
                   const struct mica_store_session_key *key, int64_t number,
                   int64_t now, struct mica_text data, struct mica_error *why,
                   int64_t *sequence_out)
{
    struct model_stream *stream = model_stream(model, key, number, now);

    (void)why;
    if (data.len > model->limits.stream_bytes)
        return MICA_E_LIMIT;
    if (stream == NULL || stream->closed)
        return MICA_E_NOT_FOUND;
    *sequence_out = model_append(model, stream, now, data);
    (void)model_events_trim(model, MODEL_TRIM);
    return MICA_OK;
}

static inline enum mica_status
model_events_append(struct model *model,
                    const struct mica_store_session_key *key, int64_t number,
                    int64_t last, int64_t now, const struct mica_text *events,
                    size_t count, struct mica_error *why)
{
    struct model_stream *stream = model_stream(model, key, number, now);

    (void)why;
    for (size_t i = 0; i < count; i++) {
        if (events[i].len > model->limits.stream_bytes)
            return MICA_E_LIMIT;
    }
    if (stream == NULL || stream->closed || stream->last != last)
        return MICA_E_NOT_FOUND;
    for (size_t i = 0; i < count; i++)
        (void)model_append(model, stream, now, events[i]);
    return MICA_OK;
}

static inline enum mica_status
model_stream_end(struct model *model, const struct mica_store_session_key *key,
                 int64_t number, int64_t now, struct mica_text data,
                 struct mica_error *why, int64_t *sequence_out)
{
    struct model_stream *stream = model_stream(model, key, number, now);

    *sequence_out = 0;
    if (data.len == 0)
        return model_stream_close(model, key, number, now, why);
    if (data.len > model->limits.stream_bytes)
        return MICA_E_LIMIT;
    if (stream == NULL || stream->closed)
        return MICA_E_NOT_FOUND;
    *sequence_out = model_append(model, stream, now, data);
    return model_stream_close(model, key, number, now, why);
}

static inline enum mica_status
model_event_replay(struct model *model,
                   const struct mica_store_session_key *key, int64_t number,
                   int64_t after, size_t limit, int64_t now,
                   struct mica_arena *arena, struct mica_error *why,
                   struct mica_store_events *events_out)
{
    const struct model_stream *stream = model_stream(model, key, number, now);
    size_t first = model_first_event(model, key, number);
    struct mica_store_events out = {.count = 0};

    (void)why;
    if (stream == NULL || after < 0 || after > stream->last)
        return MICA_E_NOT_FOUND;
    out.items = mica_arena_zero(arena, limit + 1, sizeof *out.items);
    for (size_t i = 0; i < model->events_count && out.count < limit; i++) {
        const struct model_event *event = &model->events[i];
        if (event->stream == number && event->stored.sequence > after &&
            model_same_key(&event->session, key))
            out.items[out.count++] = event->stored;
    }
    out.last = stream->last;
    out.closed = stream->closed;
    out.request = stream->request;
    out.lease = stream->lease;
    out.call = stream->call;
    out.missed = first == MODEL_MOST
                     ? after < stream->last
                     : after + 1 < model->events[first].stored.sequence;
    *events_out = out;
    return MICA_OK;
}

// ---- Changes ---------------------------------------------------------------------

static inline void
model_change_drop(struct model *model)
{
    MODEL_REMOVE(model, changes, 0);
    model->gone.changes_dropped++;
}

static inline enum mica_status
model_change_last(struct model *model, struct mica_error *why,
                  int64_t *sequence_out)
{
    (void)why;
    *sequence_out = model->changes_count == 0
                        ? 0
                        : model->changes[model->changes_count - 1].sequence;
    return MICA_OK;
}

static inline enum mica_status
model_change_append(struct model *model, const struct mica_store_change *change,
                    struct mica_error *why, int64_t *sequence_out)
{
    struct mica_store_change *added;

    (void)model_change_last(model, why, sequence_out);
    added = MODEL_ADD(model, changes);
    *added = (struct mica_store_change){
        .sequence = ++*sequence_out,
        .created = change->created,
        .kind = change->kind,
        .name = model_copy(model, change->name),
        .endpoint = model_copy(model, change->endpoint)};
    while (model->changes_count > model->limits.changes)
        model_change_drop(model);
    return MICA_OK;
}

static inline enum mica_status
model_change_read(struct model *model, int64_t after, size_t limit,
                  struct mica_arena *arena, struct mica_error *why,
                  struct mica_store_changes *changes_out)
{
    struct mica_store_changes out = {
        mica_arena_zero(arena, limit + 1, sizeof *out.items), 0, false};

    (void)why;
    for (size_t i = 0; i < model->changes_count && out.count < limit; i++) {
        if (model->changes[i].sequence > after)
            out.items[out.count++] = model->changes[i];
    }
    out.missed =
        model->changes_count > 0 && after + 1 < model->changes[0].sequence;
    *changes_out = out;
    return MICA_OK;
}

// The newest stays.
static inline size_t
model_changes_expire(struct model *model, int64_t before, size_t limit)
{
    size_t removed = 0;

    while (removed < limit && model->changes_count > 1 &&
           model->changes[0].created < before) {
        model_change_drop(model);
        removed++;
    }
    return removed;
}

#endif
