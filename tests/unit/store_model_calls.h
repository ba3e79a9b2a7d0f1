// SPDX-License-Identifier: Apache-2.0
//
// Calls in the plain model of a store (store_model.h).
#ifndef MICA_TESTS_STORE_MODEL_CALLS_H
#define MICA_TESTS_STORE_MODEL_CALLS_H

#include <stdio.h>

#include "store/hashes.h" // in which order builds are
#include "store_model_streams.h"

// ---- One call --------------------------------------------------------------------

static inline struct model_call *
model_call(struct model *model, struct mica_text id)
{
    for (size_t i = 0; i < model->calls_count; i++) {
        if (mica_text_equal(model->calls[i].stored.id, id))
            return &model->calls[i];
    }
    return NULL;
}

static inline bool
model_has_ended(const struct model_call *call)
{
    return call->stored.state >= MICA_CALL_COMPLETED;
}

static inline struct mica_store_session_key
model_key_of(const struct model_call *call)
{
    struct mica_store_session_key key = {{0}};

    if (call->stored.session.len == sizeof key.bytes)
        memcpy(key.bytes, call->stored.session.ptr, sizeof key.bytes);
    return key;
}

static inline struct model_session *
model_session_of(struct model *model, const struct model_call *call)
{
    const struct mica_store_session_key key = model_key_of(call);

    return call->stored.session.len > 0 ? model_session(model, &key) : NULL;
}

static inline bool
model_session_is_gone(struct model *model, const struct model_call *call,
                      int64_t now)
{
    const struct model_session *session = model_session_of(model, call);

    return call->stored.session.len > 0 &&
           (session == NULL || session->stored.expires <= now);
}

// What its open questions come to.
static inline enum mica_status
model_ending(struct model *model, const struct model_call *call, int64_t now)
{
    if (call->stored.due == -1)
        return MICA_E_CANCELLED;
    if (model_session_is_gone(model, call, now))
        return MICA_E_DISCONNECTED;
    if (call->stored.expires <= now ||
        (call->stored.state == MICA_CALL_WAITING && call->stored.due <= now))
        return MICA_E_TIMEOUT;
    return MICA_OK;
}

// When it is due, once it is not claimed; its session aside.
static inline int64_t
model_next_run(const struct mica_kept_call *call)
{
    if (call->due == -1)
        return 0;
    if (call->state == MICA_CALL_WORKING)
        return call->changed + MODEL_GRACE_MS;
    return call->due < call->expires ? call->due : call->expires;
}

// Its claim is over.
static inline void
model_give_back(struct model *model, struct model_call *call, int64_t now)
{
    call->stored.fence = call->claim;
    call->claim = 0;
    call->next_run = model_session_is_gone(model, call, now)
                         ? 0
                         : model_next_run(&call->stored);
}

static inline int64_t
model_fixed_bytes(const struct mica_kept_call *call)
{
    return (int64_t)(call->owner.issuer.len + call->owner.subject.len +
                     call->owner.endpoint.len + call->target.len +
                     call->version.len + call->session.len +
                     call->arguments.len + call->context.len);
}

static inline int64_t
model_turn_bytes(const struct mica_kept_call *call)
{
    return (int64_t)(call->journal.len + call->asks.len + call->reply.len +
                     call->note.len + call->progress_log.len);
}

static inline int64_t
model_round_bytes(const struct model_call *call)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < call->round_count; i++)
        bytes += (int64_t)call->rounds[i].reply.len;
    return bytes;
}

// What is read: a claim is not.
static inline struct mica_kept_call
model_read(const struct model_call *call)
{
    struct mica_kept_call read = call->stored;

    read.fence = 0;
    read.ending = MICA_OK;
    return read;
}

// It does not answer in its session any more: what was sent on its stream ages, unless
// another call answers there.
static inline void
model_leave(struct model *model, struct model_call *call, int64_t now)
{
    const struct mica_store_session_key key = model_key_of(call);
    struct model_session *session = model_session_of(model, call);

    call->answers = false;
    if (call->stored.session.len == 0)
        return;
    if (!model_is_answered(model, &key, call->stored.stream))
        model_set_ages(model, &key, call->stored.stream, now);
    if (session != NULL)
        model_settle(model, session, now);
}

static inline void
model_call_remove(struct model *model, size_t at)
{
    for (size_t i = model->names_count; i-- > 0;) {
        if (mica_text_equal(model->names[i].call, model->calls[at].stored.id))
            MODEL_REMOVE(model, names, i);
    }
    MODEL_REMOVE(model, calls, at);
}

// Those that have ended and expired, the first first.
static inline size_t
model_calls_expire(struct model *model, int64_t now, size_t limit)
{
    size_t removed = 0;

    for (; removed < limit; removed++) {
        const struct model_call *all = model->calls;
        size_t first = MODEL_MOST;
        for (size_t i = 0; i < model->calls_count; i++) {
            if (!model_has_ended(&all[i]) || all[i].next_run > now)
                continue;
            if (first == MODEL_MOST || all[i].next_run < all[first].next_run ||
                (all[i].next_run == all[first].next_run &&
                 mica_text_compare(all[i].stored.id, all[first].stored.id) < 0))
                first = i;
        }
        if (first == MODEL_MOST)
            break;
        model_call_remove(model, first);
    }
    model->gone.calls_expired += (int64_t)removed;
    return removed;
}

// ---- Room ------------------------------------------------------------------------

static inline bool
model_has_room(const struct model *model, size_t calls, int64_t bytes)
{
    for (size_t i = 0; i < model->calls_count; i++)
        bytes += model->calls[i].stored.bytes;
    return model->calls_count + calls <= model->limits.calls &&
           bytes <= (int64_t)model->limits.all_call_bytes;
}

// A call of a session that has ended makes no room.
static inline enum mica_status
model_calls_room(struct model *model, const struct model_call *begins,
                 int64_t bytes, int64_t now)
{
    if (model_has_room(model, begins != NULL, bytes))
        return MICA_OK;
    if (begins != NULL && model_session_is_gone(model, begins, now))
        return MICA_E_NOT_FOUND;
    (void)model_calls_expire(model, now, MODEL_AT_ONCE);
    return model_has_room(model, begins != NULL, bytes) ? MICA_OK
                                                        : MICA_E_LIMIT;
}

static inline bool
model_owner_is_full(const struct model *model, const struct mica_owner *owner)
{
    size_t count = 0;

    if (owner->issuer.len == 0 && owner->subject.len == 0)
        return false;
    for (size_t i = 0; i < model->calls_count; i++)
        count += mica_text_equal(model->calls[i].stored.owner.issuer,
                                 owner->issuer) &&
                 mica_text_equal(model->calls[i].stored.owner.subject,
                                 owner->subject);
    return count >= model->limits.owner_calls;
}

// ---- Beginning -------------------------------------------------------------------

static inline struct model_name *
model_name(struct model *model, const struct mica_kept_call *call,
           struct mica_text key)
{
    for (size_t i = 0; i < model->names_count; i++) {
        struct model_name *name = &model->names[i];
        if (mica_text_equal(name->owner.issuer, call->owner.issuer) &&
            mica_text_equal(name->owner.subject, call->owner.subject) &&
            mica_text_equal(name->owner.endpoint, call->owner.endpoint) &&
            mica_text_equal(name->target, call->target) &&
            mica_text_equal(name->key, key))
            return name;
    }
    return NULL;
}

static inline void
model_copy_turn(struct model *model, struct mica_kept_call *call)
{
    call->journal = model_copy(model, call->journal);
    call->asks = model_copy(model, call->asks);
    call->reply = model_copy(model, call->reply);
    call->note = model_copy(model, call->note);
    call->progress_log = model_copy(model, call->progress_log);
}

static inline void
model_add_round(struct model *model, struct model_call *call,
                struct mica_text answers, struct mica_text reply)
{
    ck_assert_uint_lt(call->round_count, MODEL_ROUNDS);
    call->rounds[call->round_count++] =
        (struct model_round){call->stored.round++, model_copy(model, answers),
                             model_copy(model, reply)};
}

// Everything that refuses a new call, but for room among all.
static inline enum mica_status
model_may_begin(struct model *model, struct model_call *call, int64_t now)
{
    if (model_session_is_gone(model, call, now))
        return MICA_E_NOT_FOUND;
    if (model_owner_is_full(model, &call->stored.owner))
        (void)model_calls_expire(model, now, MODEL_AT_ONCE);
    if (model_owner_is_full(model, &call->stored.owner))
        return MICA_E_LIMIT;
    return model_call(model, call->stored.id) != NULL ? MICA_E_USAGE : MICA_OK;
}

// It is there; the parts that never change are copied.
static inline struct model_call *
model_begin(struct model *model, struct model_call *call, int64_t now)
{
    struct mica_kept_call *stored = &call->stored;
    const struct mica_store_session_key key = model_key_of(call);
    struct model_session *session = model_session_of(model, call);
    struct model_call *added;

    stored->id = model_copy(model, stored->id);
    stored->owner.issuer = model_copy(model, stored->owner.issuer);
    stored->owner.subject = model_copy(model, stored->owner.subject);
    stored->owner.endpoint = model_copy(model, stored->owner.endpoint);
    stored->target = model_copy(model, stored->target);
    stored->version = model_copy(model, stored->version);
    stored->arguments = model_copy(model, stored->arguments);
    stored->context = model_copy(model, stored->context);
    stored->session = model_copy(model, stored->session);
    model_copy_turn(model, stored);
    stored->changed = now;
    stored->turn_events = NULL;
    stored->begins = stored->strands = false;
    for (size_t i = 0; i < model->streams_count && session != NULL; i++) {
        if (model->streams[i].number == stored->stream &&
            model_same_key(&model->streams[i].session, &key))
            model->streams[i].call = stored->id;
    }
    if (session != NULL) {
        model_set_ages(model, &key, stored->stream, INT64_MAX);
        session->idle = INT64_MAX;
    }
    added = MODEL_ADD(model, calls);
    *added = *call;
    added->answers = session != NULL;
    return added;
}

static inline enum mica_status
model_call_create(struct model *model, struct mica_kept_call *call,
                  struct mica_text key, int64_t now, int64_t lease_ms,
                  struct mica_arena *arena, struct mica_error *why)
{
    struct model_call made = {.stored = *call}, *added;
    struct model_name *name = model_name(model, call, key);
    const struct model_call *same = NULL;

    (void)arena, (void)why;
    if (key.len > 0 && name != NULL)
        same = model_call(model, name->call);
    if (same != NULL && same->stored.expires > now) {
        *call = model_read(same);
        return MICA_E_EXISTS;
    }
    made.stored.bytes = model_fixed_bytes(call) + model_turn_bytes(call);
    if (made.stored.bytes > (int64_t)model->limits.call_bytes)
        return MICA_E_LIMIT;
    MICA_TRY(model_calls_room(model, &made, made.stored.bytes, now));
    MICA_TRY(model_may_begin(model, &made, now));
    made.stored.lost_claims = 0;
    made.stored.round = 0;
    added = model_begin(model, &made, now);
    added->claim = 1;
    added->stored.fence = 0;
    added->lease = added->claim_next_run = now + lease_ms;
    added->next_run = now + MODEL_GRACE_MS;
    if (key.len > 0) {
        name = model_name(model, call, key);
        if (name == NULL)
            name = MODEL_ADD(model, names);
        *name = (struct model_name){added->stored.owner, added->stored.target,
                                    model_copy(model, key), added->stored.id};
    }
    call->round = 0;
    call->changed = now;
    call->fence = 1;
    call->bytes = added->stored.bytes;
    return MICA_OK;
}

// ---- Finding and claiming --------------------------------------------------------

static inline struct model_call *
model_look(struct model *model, struct mica_text id,
           const struct mica_owner *owner, int64_t now)
{
    struct model_call *call = model_call(model, id);

    if (call == NULL || (call->stored.expires <= now &&
                         (owner != NULL || model_has_ended(call))))
        return NULL;
    if (owner != NULL &&
        (!mica_text_equal(call->stored.owner.issuer, owner->issuer) ||
         !mica_text_equal(call->stored.owner.subject, owner->subject) ||
         !mica_text_equal(call->stored.owner.endpoint, owner->endpoint)))
        return NULL;
    return call;
}

static inline enum mica_status
model_call_find(struct model *model, struct mica_text id,
                const struct mica_owner *owner, int64_t now,
                struct mica_arena *arena, struct mica_error *why,
                struct mica_kept_call *call_out)
{
    const struct model_call *call = model_look(model, id, owner, now);

    (void)arena, (void)why;
    if (call == NULL)
        return MICA_E_NOT_FOUND;
    *call_out = model_read(call);
    return MICA_OK;
}

static inline enum mica_status
model_call_claim(struct model *model, struct mica_text id,
                 const struct mica_owner *owner, int64_t now, int64_t lease_ms,
                 struct mica_arena *arena, struct mica_error *why,
                 struct mica_kept_call *call_out)
{
    struct model_call *call = model_look(model, id, owner, now);

    (void)arena, (void)why;
    if (call == NULL)
        return MICA_E_NOT_FOUND;
    *call_out = model_read(call);
    if (model_has_ended(call))
        return MICA_OK;
    if (call->claim != 0 && call->lease > now) {
        memset(call_out, 0, sizeof *call_out);
        return MICA_E_CALL_BUSY;
    }
    if (call->claim != 0) {
        call->claim++;
        call->lost_claims++; // its holder was lost
    } else {
        call->claim = call->stored.fence + 1;
        call->lost_claims = call->stored.lost_claims;
    }
    call->lease = call->claim_next_run = now + lease_ms;
    call_out->fence = call->claim;
    call_out->lost_claims = call->lost_claims;
    call_out->ending = model_ending(model, call, now);
    return MICA_OK;
}

// The call, if that claim still holds.
static inline struct model_call *
model_held(struct model *model, struct mica_text id, int64_t fence)
{
    struct model_call *call = model_call(model, id);

    return call != NULL && call->claim != 0 && call->claim == fence ? call
                                                                    : NULL;
}

static inline enum mica_status
model_call_renew(struct model *model, struct mica_text id, int64_t fence,
                 int64_t now, int64_t lease_ms, struct mica_error *why)
{
    struct model_call *call = model_held(model, id, fence);

    (void)why;
    if (call == NULL)
        return MICA_E_CALL_BUSY;
    if (lease_ms > 0) {
        call->lease = call->claim_next_run = now + lease_ms;
        return MICA_OK;
    }
    call->stored.lost_claims = call->lost_claims;
    model_give_back(model, call, now);
    return MICA_OK;
}

// ---- Committing ------------------------------------------------------------------

// The stream takes them all, or nothing is kept.
static inline enum mica_status
model_may_say(struct model *model, const struct mica_kept_call *call,
              int64_t now)
{
    const struct model_call asked = {.stored = *call};
    const struct mica_store_session_key key = model_key_of(&asked);
    const struct model_stream *stream;

    if (call->turn_events == NULL || call->turn_events->count == 0)
        return MICA_OK;
    stream = model_stream(model, &key, call->stream, now);
    return stream == NULL || stream->closed ? MICA_E_NOT_FOUND : MICA_OK;
}

static inline void
model_say(struct model *model, const struct mica_kept_call *call, int64_t now)
{
    const struct model_call asked = {.stored = *call};
    const struct mica_store_session_key key = model_key_of(&asked);
    struct model_stream *stream;

    if (call->turn_events == NULL || call->turn_events->count == 0)
        return;
    stream = model_stream(model, &key, call->stream, now);
    call->turn_events->first = stream->last + 1;
    for (size_t i = 0; i < call->turn_events->count; i++)
        (void)model_append(model, stream, now, call->turn_events->events[i]);
    if (call->turn_events->closes)
        (void)model_stream_close(model, &key, call->stream, now, NULL);
    (void)model_events_trim(model, MODEL_TRIM);
}

static inline enum mica_status
model_commit_begin(struct model *model, struct mica_kept_call *call,
                   struct mica_text answers, struct mica_text reply,
                   int64_t now)
{
    struct model_call made = {.stored = *call}, *added;
    bool ended = model_has_ended(&made);

    made.stored.bytes =
        model_fixed_bytes(call) + model_turn_bytes(call) + (int64_t)reply.len;
    if (made.stored.bytes > (int64_t)model->limits.call_bytes)
        return MICA_E_LIMIT;
    MICA_TRY(model_calls_room(model, &made, made.stored.bytes, now));
    MICA_TRY(model_may_begin(model, &made, now));
    MICA_TRY(model_may_say(model, call, now));
    made.stored.round = 0;
    added = model_begin(model, &made, now);
    added->stored.fence = 1; // as if it had been claimed and given back
    if (reply.len > 0)
        model_add_round(model, added, answers, reply);
    added->next_run = ended ? call->expires : model_next_run(&added->stored);
    if (ended)
        model_leave(model, added, now);
    call->bytes = added->stored.bytes;
    call->round = added->stored.round;
    return MICA_OK;
}

// Bytes that the call has after the commit; the oldest rounds go for that, and where
// there are too many. How many go is in `*go_out`; one that was not answered now stays.
static inline int64_t
model_measure(const struct model *model, const struct model_call *call,
              const struct mica_kept_call *written, size_t reply,
              size_t *go_out)
{
    int64_t bytes = model_fixed_bytes(&call->stored) + model_round_bytes(call) +
                    (int64_t)reply + model_turn_bytes(written);
    size_t most = reply > 0 ? call->round_count : call->round_count - 1, go = 0;

    while (call->round_count > 0 && go < most &&
           (bytes > (int64_t)model->limits.call_bytes ||
            call->round_count - go + (reply > 0) > model->limits.call_rounds))
        bytes -= (int64_t)call->rounds[go++].reply.len;
    *go_out = go;
    return bytes;
}

// A call that ends is kept beyond the limit over all calls.
static inline enum mica_status
model_may_write(struct model *model, struct model_call *call,
                const struct mica_kept_call *written, size_t reply, int64_t now,
                size_t *go_out)
{
    int64_t before = call->stored.bytes;
    int64_t after = model_measure(model, call, written, reply, go_out);

    if (after > (int64_t)model->limits.call_bytes)
        return MICA_E_LIMIT;
    if (written->state >= MICA_CALL_COMPLETED || after <= before)
        return MICA_OK;
    return model_calls_room(model, NULL, after - before, now);
}

static inline void
model_write(struct model *model, struct model_call *call,
            const struct mica_kept_call *written, int64_t bytes, int64_t now)
{
    struct mica_kept_call *stored = &call->stored;

    stored->state = written->state;
    stored->journal = written->journal;
    stored->asks = written->asks;
    stored->reply = written->reply;
    stored->note = written->note;
    stored->progress_log = written->progress_log;
    model_copy_turn(model, stored);
    if (stored->due != -1) // given up for good
        stored->due = written->due;
    stored->expires = written->expires;
    stored->lost_claims = written->lost_claims;
    stored->changed = now;
    stored->bytes = bytes;
}

static inline enum mica_status
model_commit_claimed(struct model *model, struct mica_kept_call *call,
                     struct mica_text answers, struct mica_text reply,
                     int64_t now, int64_t lease_ms)
{
    struct model_call *kept = model_held(model, call->id, call->fence);
    bool ends = call->state >= MICA_CALL_COMPLETED;
    struct mica_text id = call->id;
    int64_t bytes;
    size_t go;

    if (kept == NULL)
        return MICA_E_CALL_BUSY;
    MICA_TRY(model_may_write(model, kept, call, reply.len, now, &go));
    MICA_TRY(model_may_say(model, call, now));
    kept = model_call(model, id); // others may have made room
    bytes = model_measure(model, kept, call, reply.len, &go);
    memmove(kept->rounds, &kept->rounds[go],
            (kept->round_count -= go) * sizeof *kept->rounds);
    model_write(model, kept, call, bytes, now);
    if (reply.len > 0)
        model_add_round(model, kept, answers, reply);
    if (ends || lease_ms <= 0) {
        kept->stored.mode = call->mode;
        model_give_back(model, kept, now);
    } else {
        kept->lease = kept->claim_next_run = now + lease_ms;
        kept->lost_claims = call->lost_claims;
    }
    if (ends) {
        kept->next_run = call->expires;
        model_leave(model, kept, now);
    }
    call->bytes = bytes;
    call->round = kept->stored.round;
    return MICA_OK;
}

static inline enum mica_status
model_call_commit(struct model *model, struct mica_kept_call *call,
                  struct mica_text answers, struct mica_text round_reply,
                  int64_t now, int64_t lease_ms, struct mica_error *why)
{
    bool goes_on = lease_ms > 0 && call->state < MICA_CALL_COMPLETED;

    (void)why;
    if (call->turn_events != NULL)
        call->turn_events->first = 0;
    for (size_t i = 0;
         call->turn_events != NULL && i < call->turn_events->count; i++) {
        if (call->turn_events->events[i].len > model->limits.stream_bytes)
            return MICA_E_LIMIT;
    }
    if (call->begins)
        MICA_TRY(model_commit_begin(model, call, answers, round_reply, now));
    else
        MICA_TRY(model_commit_claimed(model, call, answers, round_reply, now,
                                      lease_ms));
    model_say(model, call, now);
    call->changed = now;
    if (!goes_on)
        call->fence = 0;
    return MICA_OK;
}

static inline enum mica_status
model_call_replay(struct model *model, struct mica_text id, uint32_t round,
                  struct mica_text answers, int64_t now,
                  struct mica_arena *arena, struct mica_error *why,
                  struct mica_text *reply_out)
{
    const struct model_call *call = model_call(model, id);

    (void)arena, (void)why;
    if (call == NULL || call->stored.expires <= now ||
        round >= call->stored.round)
        return MICA_E_NOT_FOUND;
    for (size_t i = 0; i < call->round_count; i++) {
        if (call->rounds[i].number == round &&
            mica_text_equal(call->rounds[i].answers, answers)) {
            *reply_out = call->rounds[i].reply;
            return MICA_OK;
        }
    }
    return MICA_E_SUPERSEDED;
}

#endif
