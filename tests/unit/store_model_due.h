// SPDX-License-Identifier: Apache-2.0
//
// How calls go, which are due, their lists, and upkeep, in the plain model of a store
// (store_model.h).
#ifndef MICA_TESTS_STORE_MODEL_DUE_H
#define MICA_TESTS_STORE_MODEL_DUE_H

#include "store_model_calls.h"

// ---- Going -----------------------------------------------------------------------

static inline enum mica_status
model_call_cancel(struct model *model, struct mica_text id,
                  struct mica_error *why)
{
    struct model_call *call = model_call(model, id);

    (void)why;
    if (call == NULL)
        return MICA_E_NOT_FOUND;
    if (model_has_ended(call))
        return MICA_OK;
    call->stored.due = -1;
    call->next_run = 0;
    call->claim_next_run = call->lease;
    return MICA_OK;
}

static inline enum mica_status
model_call_delete(struct model *model, struct mica_text id, int64_t now,
                  struct mica_error *why)
{
    struct model_call *call = model_call(model, id);

    (void)why;
    if (call == NULL)
        return MICA_E_NOT_FOUND;
    if (!model_has_ended(call))
        model_leave(model, call, now);
    model_call_remove(model, (size_t)(call - model->calls));
    return MICA_OK;
}

static inline enum mica_status
model_call_expire(struct model *model, struct mica_text id, int64_t now,
                  struct mica_error *why)
{
    struct model_call *call = model_call(model, id);

    if (call == NULL || model_has_ended(call))
        return model_call_delete(model, id, now, why);
    call->stored.expires = now;
    call->next_run = model_session_is_gone(model, call, now)
                         ? 0
                         : model_next_run(&call->stored);
    call->claim_next_run = call->lease;
    return MICA_OK;
}

static inline enum mica_status
model_call_ending(struct model *model, struct mica_text id, int64_t now,
                  struct mica_error *why, enum mica_status *ending_out)
{
    const struct model_call *call = model_call(model, id);

    (void)why;
    if (call == NULL || model_has_ended(call))
        return MICA_E_NOT_FOUND;
    *ending_out = model_ending(model, call, now);
    return MICA_OK;
}

// ---- What is due -----------------------------------------------------------------

static inline int64_t
model_build(const struct model_call *call)
{
    const struct mica_store_build build = {.endpoint =
                                               call->stored.owner.endpoint,
                                           .kind = (int)call->stored.kind,
                                           .target = call->stored.target,
                                           .version = call->stored.version};

    return mica_store_build_number(&build);
}

static inline int64_t
model_due_at(const struct model_call *call)
{
    return call->claim != 0 ? call->claim_next_run : call->next_run;
}

// The open call of that build that is due first, behind (`at`, `id`).
static inline struct model_call *
model_next_due(struct model *model, int64_t build, int64_t at,
               struct mica_text id)
{
    struct model_call *next = NULL;

    for (size_t i = 0; i < model->calls_count; i++) {
        struct model_call *call = &model->calls[i];
        int64_t due = model_due_at(call);
        if (model_has_ended(call) || model_build(call) != build || due < at ||
            (due == at && mica_text_compare(call->stored.id, id) <= 0))
            continue;
        if (next == NULL || due < model_due_at(next) ||
            (due == model_due_at(next) &&
             mica_text_compare(call->stored.id, next->stored.id) < 0))
            next = call;
    }
    return next;
}

static inline enum mica_status
model_call_builds_behind(struct model *model, int64_t behind,
                         struct mica_arena *arena, struct mica_error *why,
                         struct mica_store_builds *builds_out)
{
    const struct mica_text front = {"", 0};
    struct mica_store_builds out = {
        .items = mica_arena_zero(arena, MODEL_MOST, sizeof *out.items)};

    (void)why;
    for (;;) {
        const struct model_call *next = NULL;
        for (size_t i = 0; i < model->calls_count; i++) {
            const struct model_call *call = &model->calls[i];
            if (!model_has_ended(call) && model_build(call) > behind &&
                (next == NULL || model_build(call) < model_build(next)))
                next = call;
        }
        if (next == NULL)
            break;
        behind = model_build(next);
        out.items[out.count++] = (struct mica_store_build){
            .number = behind,
            .kind = (int)next->stored.kind,
            .target = next->stored.target,
            .version = next->stored.version,
            .next =
                model_due_at(model_next_due(model, behind, INT64_MIN, front))};
    }
    *builds_out = out;
    return MICA_OK;
}

static inline enum mica_status
model_call_builds(struct model *model, struct mica_arena *arena,
                  struct mica_error *why, struct mica_store_builds *builds_out)
{
    return model_call_builds_behind(model, 0, arena, why, builds_out);
}

static inline int64_t
model_next_of(struct model *model, const struct mica_store_build_set *builds)
{
    const struct mica_text front = {"", 0};
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < builds->count; i++) {
        const struct model_call *call =
            model_next_due(model, builds->numbers[i], INT64_MIN, front);
        if (call != NULL && model_due_at(call) < next)
            next = model_due_at(call);
    }
    return next;
}

// A call whose time has come: it waits for its client after all, or is given out.
static inline void
model_give(struct model *model, struct model_call *call, int64_t now,
           int64_t again_ms, struct mica_store_due *due)
{
    enum mica_status ending = model_ending(model, call, now);
    int64_t next_run = now + again_ms;

    if (ending == MICA_OK && call->stored.state == MICA_CALL_WAITING) {
        next_run = model_next_run(&call->stored);
    } else {
        due->ids[due->count] = call->stored.id;
        due->endings[due->count++] = ending;
    }
    *(call->claim != 0 ? &call->claim_next_run : &call->next_run) = next_run;
}

// Which calls are looked at is decided before one is given out.
static inline enum mica_status
model_call_due_of(struct model *model,
                  const struct mica_store_build_set *builds, int64_t now,
                  size_t limit, int64_t again_ms, struct mica_arena *arena,
                  struct mica_error *why, struct mica_store_due *due_out)
{
    struct mica_store_due out = {
        .ids = mica_arena_zero(arena, limit, sizeof *out.ids),
        .endings = mica_arena_zero(arena, limit, sizeof *out.endings)};

    (void)why;
    for (size_t i = 0; i < builds->count && out.count < limit; i++) {
        struct model_call *listed[MODEL_MOST], *next;
        struct mica_text id = {"", 0};
        int64_t at = INT64_MIN;
        size_t count = 0;
        while (count < limit - out.count &&
               (next = model_next_due(model, builds->numbers[i], at, id)) !=
                   NULL &&
               model_due_at(next) <= now) {
            at = model_due_at(next);
            id = next->stored.id;
            listed[count++] = next;
        }
        for (size_t c = 0; c < count; c++)
            model_give(model, listed[c], now, again_ms, &out);
    }
    out.next = model_next_of(model, builds);
    *due_out = out;
    return MICA_OK;
}

static inline enum mica_status
model_call_stranded(struct model *model,
                    const struct mica_store_build_set *builds, int64_t before,
                    int64_t now, size_t limit, struct mica_arena *arena,
                    struct mica_error *why, struct mica_store_due *stranded_out)
{
    struct mica_store_due out = {
        .ids = mica_arena_zero(arena, limit, sizeof *out.ids),
        .next = INT64_MAX};

    (void)why;
    for (size_t i = 0; i < builds->count; i++) {
        struct model_call *last = NULL;
        while (out.count < limit) {
            struct model_call *next = NULL;
            for (size_t c = 0; c < model->calls_count; c++) {
                struct model_call *call = &model->calls[c];
                if (model_has_ended(call) ||
                    model_build(call) != builds->numbers[i] ||
                    call->next_run > now || call->stored.expires > before ||
                    (call->claim != 0 && call->lease > now))
                    continue;
                if (last != NULL && (call->next_run < last->next_run ||
                                     (call->next_run == last->next_run &&
                                      mica_text_compare(call->stored.id,
                                                        last->stored.id) <= 0)))
                    continue;
                if (next == NULL || call->next_run < next->next_run ||
                    (call->next_run == next->next_run &&
                     mica_text_compare(call->stored.id, next->stored.id) < 0))
                    next = call;
            }
            if (next == NULL)
                break;
            out.ids[out.count++] = next->stored.id;
            last = next;
        }
    }
    *stranded_out = out;
    return MICA_OK;
}

static inline enum mica_status
model_count_stranded(struct model *model, struct mica_error *why)
{
    (void)why;
    model->gone.calls_stranded++;
    return MICA_OK;
}

// ---- Lists -----------------------------------------------------------------------

static inline bool
model_is_listed(const struct model_call *call,
                const struct mica_store_call_filter *filter)
{
    const struct mica_kept_call *stored = &call->stored;

    return model_has_ended(call) == filter->ended &&
           (filter->target.len == 0 ||
            mica_text_equal(stored->target, filter->target)) &&
           (filter->subject.len == 0 ||
            mica_text_equal(stored->owner.subject, filter->subject)) &&
           (filter->state == 0 || stored->state == filter->state) &&
           (filter->created_from == 0 ||
            stored->created >= filter->created_from) &&
           (filter->created_to == 0 || stored->created <= filter->created_to);
}

static inline bool
model_is_behind(const struct mica_kept_call *call, int64_t created,
                struct mica_text id)
{
    return call->created > created ||
           (call->created == created && mica_text_compare(call->id, id) > 0);
}

static inline enum mica_status
model_call_page(struct model *model,
                const struct mica_store_call_filter *filter,
                struct mica_text after, size_t limit, struct mica_arena *arena,
                struct mica_error *why, struct mica_store_calls *calls_out)
{
    struct mica_store_calls out = {
        mica_arena_zero(arena, limit, sizeof *out.items), 0, {NULL, 0}};
    char cursor[MICA_STORE_CALL_CURSOR_SIZE];
    int64_t created = INT64_MIN;
    struct mica_text id = {"", 0};

    (void)why;
    if (after.len > 0) {
        const char *dot = memchr(after.ptr, '.', after.len);
        size_t digits = (size_t)(dot - after.ptr);
        ck_assert(
            mica_integer_read(mica_text_slice(after, 0, digits), &created));
        id = mica_text_slice(after, digits + 1, after.len);
    }
    for (;;) {
        const struct mica_kept_call *next = NULL;
        for (size_t i = 0; i < model->calls_count; i++) {
            const struct mica_kept_call *call = &model->calls[i].stored;
            if (model_is_listed(&model->calls[i], filter) &&
                model_is_behind(call, created, id) &&
                (next == NULL ||
                 model_is_behind(next, call->created, call->id)))
                next = call;
        }
        if (next == NULL)
            break;
        if (out.count == limit) {
            mica_store_call_cursor(&out.items[limit - 1], cursor);
            out.next = mica_arena_text(arena, mica_text(cursor));
            break;
        }
        created = next->created;
        id = next->id;
        out.items[out.count] = *next;
        out.items[out.count].fence = 0;
        // A list is without these.
        out.items[out.count].arguments = out.items[out.count].context =
            out.items[out.count].journal = out.items[out.count].reply =
                out.items[out.count].progress_log = (struct mica_text){NULL, 0};
        out.count++;
    }
    *calls_out = out;
    return MICA_OK;
}

static inline enum mica_status
model_call_count(struct model *model,
                 const struct mica_store_call_filter *filter,
                 struct mica_error *why, int64_t *count_out)
{
    (void)why;
    *count_out = 0;
    for (size_t i = 0; i < model->calls_count; i++)
        *count_out += model_is_listed(&model->calls[i], filter);
    return MICA_OK;
}

static inline enum mica_status
model_answering(struct model *model, const struct mica_store_session_key *key,
                int64_t stream, struct mica_arena *arena,
                struct mica_error *why,
                struct mica_store_answering *answering_out)
{
    struct mica_store_answering out = {
        .ids = mica_arena_zero(arena, MODEL_MOST, sizeof *out.ids),
        .streams = mica_arena_zero(arena, MODEL_MOST, sizeof *out.streams)};

    (void)why;
    for (size_t i = 0; i < model->calls_count; i++) {
        const struct model_call *call = &model->calls[i];
        size_t at = out.count;
        if (!call->answers || !model_in_session(call, key) ||
            (stream != 0 && call->stored.stream != stream))
            continue;
        for (; at > 0 &&
               (out.streams[at - 1] > call->stored.stream ||
                (out.streams[at - 1] == call->stored.stream &&
                 mica_text_compare(out.ids[at - 1], call->stored.id) > 0));
             at--) {
            out.ids[at] = out.ids[at - 1];
            out.streams[at] = out.streams[at - 1];
        }
        out.ids[at] = call->stored.id;
        out.streams[at] = call->stored.stream;
        out.count++;
    }
    *answering_out = out;
    return MICA_OK;
}

// ---- Upkeep ----------------------------------------------------------------------

static inline enum mica_status
model_sweep(struct model *model, int64_t now, size_t limit,
            struct mica_error *why, size_t *removed_out)
{
    const size_t removed[] = {
        model_sessions_expire(model, now, limit),
        model_events_expire(model, now, limit),
        model_calls_expire(model, now, limit),
        model_changes_expire(model, now - model->limits.change_age_ms, limit),
        model_keys_expire(model, now, limit)};

    (void)why;
    *removed_out = 0;
    for (size_t i = 0; i < MICA_COUNT(removed); i++)
        *removed_out = removed[i] > *removed_out ? removed[i] : *removed_out;
    return MICA_OK;
}

static inline enum mica_status
model_statistics(struct model *model, struct mica_error *why,
                 struct mica_store_statistics *statistics_out)
{
    struct mica_store_statistics now = model->gone;

    (void)why;
    now.keys = (int64_t)model->keys_count;
    now.sessions = (int64_t)model->sessions_count;
    now.streams = (int64_t)model->streams_count;
    now.events = (int64_t)model->events_count;
    now.event_bytes = model_event_bytes(model, NULL, 0);
    now.changes = (int64_t)model->changes_count;
    now.subscriptions = (int64_t)model->subscriptions_count;
    now.calls = (int64_t)model->calls_count;
    for (size_t i = 0; i < model->calls_count; i++) {
        now.open_calls += !model_has_ended(&model->calls[i]);
        now.call_bytes += model->calls[i].stored.bytes;
        now.rounds += (int64_t)model->calls[i].round_count;
    }
    *statistics_out = now;
    return MICA_OK;
}

#endif
