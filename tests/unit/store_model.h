// SPDX-License-Identifier: Apache-2.0
//
// What a store does, written down a second time and plainly: arrays, loops, no SQL, no
// caches. Each function has the name and the parameters of the one of the store
// (src/store/store_*.h), which says what it does; tests give both the same and compare.
// This file has keys, sessions and subscriptions; store_model_streams.h has streams,
// events and changes, store_model_calls.h calls.
#ifndef MICA_TESTS_STORE_MODEL_H
#define MICA_TESTS_STORE_MODEL_H

#include <string.h>

#include "store/store_calls.h"
#include "store/store_changes.h"
#include "store/store_keys.h"
#include "store/store_sessions.h"
#include "store/store_streams.h"
#include "unit.h"

enum {
    MODEL_MOST = 256, // of each kind
    MODEL_ROUNDS = 16,
    MODEL_AT_ONCE = 16,    // expired ones that make room
    MODEL_TRIM = 64,       // events that make room
    MODEL_STALE_MS = 3000, // a session is idle that was so until lately
    MODEL_GRACE_MS = 1000  // a call that works is left alone for so long
};

struct model_session {
    struct mica_store_session_key key;
    struct mica_store_session stored; // as it was created, and is found
    int64_t streams;                  // numbers given
    int64_t idle, listens;
};

struct model_stream {
    struct mica_store_session_key session;
    int64_t number, last, lease;
    struct mica_text request, call;
    bool closed;
};

struct model_event {
    struct mica_store_session_key session;
    int64_t stream, ages;
    struct mica_store_event stored;
};

struct model_subscription {
    struct mica_store_session_key session;
    struct mica_text uri;
};

struct model_round {
    uint32_t number;
    struct mica_text answers, reply;
};

struct model_call {
    struct mica_kept_call stored; // .fence: that of the last claim that is over
    struct model_round rounds[MODEL_ROUNDS];
    size_t round_count;
    int64_t next_run; // when it is due, unless it is claimed
    bool answers;     // in its session
    // While it is claimed:
    int64_t claim, lease, claim_next_run; // the fence; 0: it is not claimed
    uint32_t lost_claims;
};

struct model_name { // an idempotency key
    struct mica_owner owner;
    struct mica_text target, key, call;
};

#define MODEL_LIST(type, name)    \
    struct type name[MODEL_MOST]; \
    size_t name##_count

struct model {
    struct mica_store_options limits;
    struct mica_arena arena; // texts
    MODEL_LIST(mica_store_key, keys);
    MODEL_LIST(model_session, sessions);
    MODEL_LIST(model_subscription, subscriptions);
    MODEL_LIST(model_stream, streams);
    MODEL_LIST(model_event, events);
    MODEL_LIST(mica_store_change, changes);
    MODEL_LIST(model_call, calls);
    MODEL_LIST(model_name, names);
    struct mica_store_statistics gone; // what was dropped
};

// ---- Lists -----------------------------------------------------------------------

static inline size_t
model_next(size_t *count)
{
    ck_assert_uint_lt(*count, MODEL_MOST);
    return (*count)++;
}

#define MODEL_ADD(model, list) \
    (&(model)->list[model_next(&(model)->list##_count)])

#define MODEL_REMOVE(model, list, at)                     \
    memmove(&(model)->list[at], &(model)->list[(at) + 1], \
            (--(model)->list##_count - (at)) * sizeof *(model)->list)

static inline bool
model_same_key(const struct mica_store_session_key *a,
               const struct mica_store_session_key *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static inline struct mica_text
model_copy(struct model *model, struct mica_text text)
{
    struct mica_text copy = mica_arena_text(&model->arena, text);

    ck_assert(text.len == 0 || copy.ptr != NULL);
    return copy;
}

static inline void
model_open(struct model *model, const struct mica_store_options *limits)
{
    memset(model, 0, sizeof *model);
    model->limits = *limits;
    mica_arena_init(&model->arena, 64 << 20);
}

// ---- Keys ------------------------------------------------------------------------

static inline enum mica_status
model_key_rotate(struct model *model, int64_t now, struct mica_error *why,
                 struct mica_store_key *key_out)
{
    struct mica_store_key *key = MODEL_ADD(model, keys);

    (void)why;
    *key =
        (struct mica_store_key){.id = 1, .created = now, .retires = INT64_MAX};
    if (model->keys_count > 1) {
        key->id = key[-1].id + 1;
        key[-1].retires = now + model->limits.key_overlap_ms;
    }
    *key_out = *key;
    return MICA_OK;
}

static inline enum mica_status
model_key_current(struct model *model, int64_t now, struct mica_error *why,
                  struct mica_store_key *key_out)
{
    if (model->keys_count > 0) {
        *key_out = model->keys[model->keys_count - 1];
        if (now - key_out->created < model->limits.key_age_ms)
            return MICA_OK;
    }
    return model_key_rotate(model, now, why, key_out);
}

static inline enum mica_status
model_key_find(struct model *model, uint32_t id, int64_t now,
               struct mica_error *why, struct mica_store_key *key_out)
{
    (void)why;
    for (size_t i = 0; i < model->keys_count; i++) {
        if (model->keys[i].id == id && model->keys[i].retires > now) {
            *key_out = model->keys[i];
            return MICA_OK;
        }
    }
    return MICA_E_NOT_FOUND;
}

// From the oldest on, while they have retired.
static inline size_t
model_keys_expire(struct model *model, int64_t now, size_t limit)
{
    size_t removed = 0;

    while (removed < limit && model->keys_count > 0 &&
           model->keys[0].retires <= now) {
        MODEL_REMOVE(model, keys, 0);
        removed++;
    }
    return removed;
}

// ---- Sessions --------------------------------------------------------------------

static inline struct model_session *
model_session(struct model *model, const struct mica_store_session_key *key)
{
    for (size_t i = 0; i < model->sessions_count; i++) {
        if (model_same_key(&model->sessions[i].key, key))
            return &model->sessions[i];
    }
    return NULL;
}

// The same, unless it has expired.
static inline struct model_session *
model_live(struct model *model, const struct mica_store_session_key *key,
           int64_t now)
{
    struct model_session *session = model_session(model, key);

    return session != NULL && session->stored.expires > now ? session : NULL;
}

static inline bool
model_in_session(const struct model_call *call,
                 const struct mica_store_session_key *key)
{
    return call->stored.session.len == sizeof key->bytes &&
           memcmp(call->stored.session.ptr, key->bytes, sizeof key->bytes) == 0;
}

static inline bool
model_same_party(const struct mica_store_session *a,
                 const struct mica_store_session *b)
{
    return mica_text_equal(a->owner.issuer, b->owner.issuer) &&
           mica_text_equal(a->owner.subject, b->owner.subject) &&
           (a->owner.issuer.len > 0 || a->owner.subject.len > 0 ||
            mica_text_equal(a->party, b->party));
}

static inline bool
model_has_party(const struct mica_store_session *session)
{
    return session->owner.issuer.len > 0 || session->owner.subject.len > 0 ||
           session->party.len > 0;
}

static inline size_t
model_party_count(const struct model *model,
                  const struct mica_store_session *of)
{
    size_t count = 0;

    for (size_t i = 0; i < model->sessions_count; i++)
        count += model_same_party(&model->sessions[i].stored, of);
    return count;
}

// Since when is it idle? Never while a call answers in it, and not while it has a
// stream.
static inline void
model_settle(struct model *model, struct model_session *session, int64_t now)
{
    session->idle = now > session->listens ? now : session->listens;
    for (size_t i = 0; i < model->streams_count; i++) {
        const struct model_stream *stream = &model->streams[i];
        if (model_same_key(&stream->session, &session->key) &&
            !stream->closed && stream->lease > session->idle)
            session->idle = stream->lease;
    }
    for (size_t i = 0; i < model->calls_count; i++) {
        if (model->calls[i].answers &&
            model_in_session(&model->calls[i], &session->key))
            session->idle = INT64_MAX;
    }
}

// With its streams, events and subscriptions. Its open calls are due.
static inline void
model_session_remove(struct model *model, size_t at)
{
    const struct mica_store_session_key key = model->sessions[at].key;

    for (size_t i = 0; i < model->calls_count; i++) {
        struct model_call *call = &model->calls[i];
        if (!call->answers || !model_in_session(call, &key))
            continue;
        call->answers = false;
        call->next_run = 0;
        // Where it runs, that is looked at when its lease is over.
        if (call->claim_next_run != call->lease)
            call->claim_next_run = 0;
    }
    for (size_t i = model->streams_count; i-- > 0;) {
        if (model_same_key(&model->streams[i].session, &key))
            MODEL_REMOVE(model, streams, i);
    }
    for (size_t i = model->events_count; i-- > 0;) {
        if (model_same_key(&model->events[i].session, &key))
            MODEL_REMOVE(model, events, i);
    }
    for (size_t i = model->subscriptions_count; i-- > 0;) {
        if (model_same_key(&model->subscriptions[i].session, &key))
            MODEL_REMOVE(model, subscriptions, i);
    }
    MODEL_REMOVE(model, sessions, at);
}

// Those that expired first go first.
static inline size_t
model_sessions_expire(struct model *model, int64_t now, size_t limit)
{
    size_t removed = 0;

    while (removed < limit) {
        const struct model_session *all = model->sessions;
        size_t first = MODEL_MOST;
        for (size_t i = 0; i < model->sessions_count; i++) {
            int64_t expires = all[i].stored.expires;
            if (expires > now)
                continue;
            if (first == MODEL_MOST || expires < all[first].stored.expires ||
                (expires == all[first].stored.expires &&
                 memcmp(&all[i].key, &all[first].key, sizeof all->key) < 0))
                first = i;
        }
        if (first == MODEL_MOST)
            break;
        model_session_remove(model, first);
        removed++;
    }
    model->gone.sessions_expired += (int64_t)removed;
    return removed;
}

// The session of that party that has been idle for longest; MODEL_MOST: none is.
static inline size_t
model_idlest(const struct model *model, const struct mica_store_session *of)
{
    const struct model_session *all = model->sessions;
    size_t first = MODEL_MOST;

    for (size_t i = 0; i < model->sessions_count; i++) {
        if (!model_same_party(&all[i].stored, of) ||
            all[i].idle >= of->seen + MODEL_STALE_MS)
            continue;
        if (first == MODEL_MOST || all[i].idle < all[first].idle ||
            (all[i].idle == all[first].idle &&
             memcmp(&all[i].key, &all[first].key, sizeof all->key) < 0))
            first = i;
    }
    return first;
}

static inline enum mica_status
model_session_create(struct model *model,
                     const struct mica_store_session_key *key,
                     const struct mica_store_session *session,
                     struct mica_error *why)
{
    size_t goes = MODEL_MOST;
    struct model_session *added;

    (void)why;
    if (model->sessions_count >= model->limits.sessions)
        (void)model_sessions_expire(model, session->seen, MODEL_AT_ONCE);
    if (model->sessions_count >= model->limits.sessions)
        return MICA_E_LIMIT;
    if (model_has_party(session) &&
        model_party_count(model, session) >= model->limits.party_sessions) {
        goes = model_idlest(model, session);
        if (goes == MODEL_MOST)
            return MICA_E_SESSIONS;
    }
    if (model_session(model, key) != NULL &&
        (goes == MODEL_MOST ||
         !model_same_key(&model->sessions[goes].key, key)))
        return MICA_E_EXISTS;
    if (goes != MODEL_MOST) {
        model_session_remove(model, goes);
        model->gone.sessions_displaced++;
    }
    added = MODEL_ADD(model, sessions);
    *added = (struct model_session){
        .key = *key, .stored = *session, .idle = session->seen};
    added->stored.owner.issuer = model_copy(model, session->owner.issuer);
    added->stored.owner.subject = model_copy(model, session->owner.subject);
    added->stored.owner.endpoint = model_copy(model, session->owner.endpoint);
    added->stored.party = model_copy(model, session->party);
    added->stored.client_info = model_copy(model, session->client_info);
    return MICA_OK;
}

static inline enum mica_status
model_session_find(struct model *model,
                   const struct mica_store_session_key *key,
                   const struct mica_owner *owner, int64_t now,
                   struct mica_arena *arena, struct mica_error *why,
                   struct mica_store_session *session_out)
{
    const struct model_session *session = model_live(model, key, now);

    (void)arena, (void)why;
    if (session == NULL ||
        !mica_text_equal(session->stored.owner.issuer, owner->issuer) ||
        !mica_text_equal(session->stored.owner.subject, owner->subject) ||
        !mica_text_equal(session->stored.owner.endpoint, owner->endpoint))
        return MICA_E_NOT_FOUND;
    *session_out = session->stored;
    return MICA_OK;
}

static inline enum mica_status
model_session_listen(struct model *model,
                     const struct mica_store_session_key *key, int64_t now,
                     int64_t expires, int64_t until, struct mica_error *why)
{
    struct model_session *session = model_live(model, key, now);
    int64_t busy = until > now ? until : now;

    (void)why;
    if (session == NULL)
        return MICA_E_NOT_FOUND;
    session->stored.seen = now;
    session->stored.expires = expires;
    if (until > 0)
        session->listens = until;
    if (session->idle < busy)
        session->idle = busy;
    return MICA_OK;
}

static inline enum mica_status
model_session_touch(struct model *model,
                    const struct mica_store_session_key *key, int64_t now,
                    int64_t expires, struct mica_error *why)
{
    return model_session_listen(model, key, now, expires, 0, why);
}

static inline enum mica_status
model_session_set_log_level(struct model *model,
                            const struct mica_store_session_key *key,
                            int64_t now, int log_level, struct mica_error *why)
{
    struct model_session *session = model_live(model, key, now);

    (void)why;
    if (session == NULL)
        return MICA_E_NOT_FOUND;
    session->stored.log_level = log_level;
    return MICA_OK;
}

static inline enum mica_status
model_session_delete(struct model *model,
                     const struct mica_store_session_key *key, int64_t now,
                     struct mica_error *why)
{
    struct model_session *session = model_live(model, key, now);

    (void)why;
    if (session == NULL)
        return MICA_E_NOT_FOUND;
    model_session_remove(model, (size_t)(session - model->sessions));
    return MICA_OK;
}

// ---- Subscriptions ---------------------------------------------------------------

static inline enum mica_status
model_subscribe(struct model *model, const struct mica_store_session_key *key,
                struct mica_text uri, int64_t now, struct mica_error *why)
{
    struct model_subscription *added;
    size_t count = 0;

    (void)why;
    if (model_live(model, key, now) == NULL)
        return MICA_E_NOT_FOUND;
    for (size_t i = 0; i < model->subscriptions_count; i++) {
        if (!model_same_key(&model->subscriptions[i].session, key))
            continue;
        if (mica_text_equal(model->subscriptions[i].uri, uri))
            return MICA_OK;
        count++;
    }
    if (count >= model->limits.subscriptions)
        return MICA_E_LIMIT;
    added = MODEL_ADD(model, subscriptions);
    *added = (struct model_subscription){*key, model_copy(model, uri)};
    return MICA_OK;
}

static inline enum mica_status
model_unsubscribe(struct model *model, const struct mica_store_session_key *key,
                  struct mica_text uri, int64_t now, struct mica_error *why)
{
    (void)why;
    if (model_live(model, key, now) == NULL)
        return MICA_E_NOT_FOUND;
    for (size_t i = model->subscriptions_count; i-- > 0;) {
        if (model_same_key(&model->subscriptions[i].session, key) &&
            mica_text_equal(model->subscriptions[i].uri, uri))
            MODEL_REMOVE(model, subscriptions, i);
    }
    return MICA_OK;
}

// The next key in order, behind `after` when that is not NULL.
static inline const struct mica_store_session_key *
model_next_subscriber(struct model *model, struct mica_text uri,
                      const struct mica_store_session_key *after, int64_t now)
{
    const struct mica_store_session_key *next = NULL;

    for (size_t i = 0; i < model->subscriptions_count; i++) {
        const struct model_subscription *one = &model->subscriptions[i];
        if (mica_text_equal(one->uri, uri) &&
            model_live(model, &one->session, now) != NULL &&
            (after == NULL ||
             memcmp(&one->session, after, sizeof *after) > 0) &&
            (next == NULL || memcmp(&one->session, next, sizeof *next) < 0))
            next = &one->session;
    }
    return next;
}

static inline enum mica_status
model_subscribers(struct model *model, struct mica_text uri,
                  const struct mica_store_session_key *after, size_t limit,
                  int64_t now, struct mica_arena *arena, struct mica_error *why,
                  struct mica_store_subscribers *subscribers_out)
{
    struct mica_store_subscribers found = {
        mica_arena_zero(arena, limit, sizeof *found.keys), 0};

    (void)why;
    while (found.count < limit &&
           (after = model_next_subscriber(model, uri, after, now)) != NULL)
        found.keys[found.count++] = *after;
    *subscribers_out = found;
    return MICA_OK;
}

#endif
