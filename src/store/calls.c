// SPDX-License-Identifier: Apache-2.0
//
// Calls that wait: begun, found, claimed and written. The fence rises with every
// claim, so whoever has an older number has lost. A lease that ran out is still its
// holder's until another claims the call: the fence decides, not the clock.
#include "store/calls.h"

enum {
    SOME = 16 // expired ones that make room at once
};

static enum mica_status
lost(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_CALL_BUSY, "",
                          "The claim on the call was lost: somebody else goes "
                          "on with it, or it has ended.");
}

// Until the lease runs out, or its holder has died.
static bool
is_held(struct mica_store *within, const struct mica_store_row *row,
        int64_t now)
{
    return row->values[MICA_CALL_LEASE].number > now &&
           !mica_store_is_dead(within, row->values[MICA_CALL_HOLDER].number);
}

static void
set_lease(struct mica_store_row *row, int64_t now, int64_t lease_ms)
{
    row->values[MICA_CALL_LEASE].number = lease_ms > 0 ? now + lease_ms : 0;
}

// The row of a call that is claimed with that fence.
static enum mica_status
claimed_row(struct mica_store *within, struct mica_text id, int64_t fence,
            struct mica_error *error, struct mica_store_row *row_out)
{
    bool found;

    MICA_TRY(mica_store_call_row(within, id, error, &found, row_out));
    if (!found || mica_store_call_ended(row_out) ||
        row_out->values[MICA_CALL_LEASE].number == 0 ||
        row_out->values[MICA_CALL_FENCE].number != fence)
        return lost(error);
    return MICA_OK;
}

// ---- Room ----------------------------------------------------------------------

static enum mica_status
room_left(struct mica_store *within, int64_t calls, int64_t bytes,
          struct mica_error *error, bool *room_out)
{
    int64_t kept_calls, kept_bytes;

    MICA_TRY(mica_store_total(within, MICA_COUNT_CALLS, error, &kept_calls));
    MICA_TRY(
        mica_store_total(within, MICA_COUNT_CALL_BYTES, error, &kept_bytes));
    *room_out = (uint64_t)(kept_calls + calls) <= within->limits.calls &&
                (uint64_t)(kept_bytes + bytes) <= within->limits.all_call_bytes;
    return MICA_OK;
}

// Room for so much more, if need be in place of some that have expired.
static enum mica_status
make_room(struct mica_store *within, int64_t calls, int64_t bytes, int64_t now,
          struct mica_error *error)
{
    size_t removed;
    bool room;

    MICA_TRY(room_left(within, calls, bytes, error, &room));
    if (room)
        return MICA_OK;
    MICA_TRY(mica_store_calls_expire(within, now, SOME, error, &removed));
    MICA_TRY(room_left(within, calls, bytes, error, &room));
    if (room)
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "The server keeps as many calls as it may, %zu, or "
                          "as many bytes of them, %zu. Wait until some have "
                          "expired.",
                          within->limits.calls, within->limits.all_call_bytes);
}

// ---- Beginning -----------------------------------------------------------------

static enum mica_status
need_session(struct mica_store *within, const struct mica_store_call *call,
             int64_t now, struct mica_error *error)
{
    struct mica_store_session_key key;
    struct mica_store_row row;

    if (call->session.len == 0)
        return MICA_OK;
    memcpy(key.bytes, call->session.ptr, sizeof key.bytes);
    return mica_store_session_row(within, &key, now, false, NULL, error, &row);
}

// Before anything of it is written, so that a refusal leaves nothing behind in a
// transaction that goes on.
static enum mica_status
may_begin(struct mica_store *within, const struct mica_store_call *call,
          int64_t now, struct mica_error *error)
{
    size_t removed;
    bool room;

    MICA_TRY(need_session(within, call, now, error));
    if ((uint64_t)call->bytes > within->limits.call_bytes)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The call has %lld bytes to keep; a call may "
                              "have %zu.",
                              (long long)call->bytes,
                              within->limits.call_bytes);
    MICA_TRY(make_room(within, 1, call->bytes, now, error));
    MICA_TRY(mica_store_caller_room(within, &call->owner, error, &room));
    if (!room) {
        MICA_TRY(mica_store_calls_expire(within, now, SOME, error, &removed));
        MICA_TRY(mica_store_caller_room(within, &call->owner, error, &room));
    }
    if (room)
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "%zu calls of this caller are open or kept, as many "
                          "as there may be. Finish or cancel one, or wait "
                          "until one expires.",
                          within->limits.owner_calls);
}

static enum mica_status
count_new(struct mica_store *within, const struct mica_store_call *call,
          struct mica_error *error)
{
    MICA_TRY(mica_store_caller_add(within, &call->owner, 1, error));
    MICA_TRY(mica_store_add(within, MICA_COUNT_CALLS, 1, error));
    MICA_TRY(mica_store_add(within, MICA_COUNT_OPEN_CALLS, 1, error));
    return mica_store_add(within, MICA_COUNT_CALL_BYTES, call->bytes, error);
}

// Of the same owner, target and key. MICA_E_EXISTS, and it is read.
static enum mica_status
look_for_same(struct mica_store *within, const struct mica_store_call_key *key,
              int64_t now, struct mica_arena *arena, struct mica_error *error,
              struct mica_store_call *call)
{
    struct mica_store_row row;
    bool found;

    MICA_TRY(mica_store_call_key_find(within, key, now, error, &found, &row));
    if (!found)
        return MICA_OK;
    MICA_TRY(mica_store_call_read(within, &row, 0, 0, arena, error, call));
    return mica_error_set(error, MICA_E_EXISTS, "",
                          "A call was begun with that idempotency key "
                          "already.");
}

static enum mica_status
create(struct mica_store *within, struct mica_store_call *call,
       struct mica_text key, int64_t now, int64_t lease_ms,
       struct mica_arena *arena, struct mica_error *error)
{
    struct mica_store_call made = *call;
    struct mica_store_call_key hash;
    struct mica_store_row request;
    int64_t node;

    if (key.len > 0) {
        hash = mica_store_call_key_of(call, key);
        MICA_TRY(look_for_same(within, &hash, now, arena, error, call));
    }
    made.round = 0;
    made.changed = now;
    made.fence = 1;
    made.bytes = (int64_t)(mica_store_call_fixed_bytes(call) +
                           mica_store_call_turn_bytes(call));
    MICA_TRY(may_begin(within, &made, now, error));
    MICA_TRY(mica_store_node(within, now, error, &node));
    MICA_TRY(
        mica_store_call_insert(within, &made, now + lease_ms, node, error));
    MICA_TRY(count_new(within, &made, error));
    if (key.len > 0)
        MICA_TRY(mica_store_call_key_set(within, &hash, made.id, error));
    request.values[MICA_REQUEST_CALL].text = made.id;
    request.values[MICA_REQUEST_SESSION].text = made.session;
    request.values[MICA_REQUEST_STREAM].number = made.stream;
    MICA_TRY(mica_store_hold(within, &request, error));
    if (made.session.len > 0)
        MICA_TRY(mica_store_stream_answers(within, made.session, made.stream,
                                           made.id, error));
    *call = made;
    return MICA_OK;
}

enum mica_status
mica_store_call_create(struct mica_store *store, struct mica_store_call *call,
                       struct mica_text key, int64_t now, int64_t lease_ms,
                       struct mica_arena *arena, struct mica_error *error)
{
    struct mica_store_call given = *call;
    struct mica_store within;
    enum mica_status status;

    MICA_TRY(mica_store_call_check(call, error));
    if (lease_ms <= 0 || call->state != MICA_STORE_CALL_WORKING)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A call begins as WORKING, with a lease.");
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    status = mica_store_leave(
        &within, create(&within, call, key, now, lease_ms, arena, error),
        error);
    // What could not be committed was not made.
    if (status != MICA_OK && status != MICA_E_EXISTS)
        *call = given;
    return status;
}

// ---- Finding -------------------------------------------------------------------

static enum mica_status
find(struct mica_store *within, struct mica_text id,
     const struct mica_store_owner *owner, int64_t now,
     struct mica_arena *arena, struct mica_error *error,
     struct mica_store_row *row, struct mica_store_call *call_out)
{
    struct mica_store_call call;
    bool found;

    MICA_TRY(mica_store_call_row(within, id, error, &found, row));
    if (!found || (row->values[MICA_CALL_EXPIRES].number <= now &&
                   (owner != NULL || mica_store_call_ended(row))))
        return mica_store_no_call(error);
    MICA_TRY(mica_store_call_read(within, row, 0, 0, arena, error, &call));
    if (owner != NULL && (!mica_text_equal(call.owner.issuer, owner->issuer) ||
                          !mica_text_equal(call.owner.subject, owner->subject)))
        return mica_store_no_call(error);
    *call_out = call;
    return MICA_OK;
}

enum mica_status
mica_store_call_find(struct mica_store *store, struct mica_text id,
                     const struct mica_store_owner *owner, int64_t now,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_store_call *call_out)
{
    struct mica_store within;
    struct mica_store_row row;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within, find(&within, id, owner, now, arena, error, &row, call_out),
        error);
}

// ---- Claiming ------------------------------------------------------------------

struct claim {
    struct mica_text id;
    const struct mica_store_owner *owner;
    bool (*may)(void *user, const struct mica_store_call *call); // or NULL
    void *user;
    int64_t now, lease_ms;
};

static enum mica_status
may_claim(struct mica_store *within, const struct claim *claim,
          const struct mica_store_row *row, const struct mica_store_call *call,
          struct mica_error *error)
{
    if (claim->may != NULL && !claim->may(claim->user, call))
        return mica_error_set(error, MICA_E_STRANDED, "",
                              "The call began with a build of %.*s that is "
                              "not here.",
                              MICA_ARG(call->target));
    if (is_held(within, row, claim->now))
        return mica_error_set(error, MICA_E_CALL_BUSY, "",
                              "Somebody goes on with the call right now; try "
                              "again in a moment.");
    return MICA_OK;
}

static enum mica_status
claim_call(struct mica_store *within, const struct claim *claim,
           struct mica_arena *arena, struct mica_error *error,
           struct mica_store_call *call_out)
{
    struct mica_store_row row;

    MICA_TRY(find(within, claim->id, claim->owner, claim->now, arena, error,
                  &row, call_out));
    if (mica_store_call_ended(&row))
        return MICA_OK;
    MICA_TRY(may_claim(within, claim, &row, call_out, error));
    // One that was given back has no lease.
    if (row.values[MICA_CALL_LEASE].number != 0 &&
        row.values[MICA_CALL_ATTEMPTS].number < UINT32_MAX)
        row.values[MICA_CALL_ATTEMPTS].number++;
    MICA_TRY(mica_store_node(within, claim->now, error,
                             &row.values[MICA_CALL_HOLDER].number));
    row.values[MICA_CALL_FENCE].number++;
    set_lease(&row, claim->now, claim->lease_ms);
    call_out->fence = row.values[MICA_CALL_FENCE].number;
    call_out->attempts = (uint32_t)row.values[MICA_CALL_ATTEMPTS].number;
    MICA_TRY(mica_store_call_judge(within, &row, claim->now, error,
                                   &call_out->ending));
    return mica_store_call_update(
        within, &row,
        MICA_COLUMN(MICA_CALL_LEASE) | MICA_COLUMN(MICA_CALL_FENCE) |
            MICA_COLUMN(MICA_CALL_HOLDER) | MICA_COLUMN(MICA_CALL_ATTEMPTS),
        error);
}

enum mica_status
mica_store_call_claim_if(struct mica_store *store, struct mica_text id,
                         const struct mica_store_owner *owner,
                         bool (*may)(void *user,
                                     const struct mica_store_call *call),
                         void *user, int64_t now, int64_t lease_ms,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_store_call *call_out)
{
    const struct claim claim = {.id = id,
                                .owner = owner,
                                .may = may,
                                .user = user,
                                .now = now,
                                .lease_ms = lease_ms};
    struct mica_store_call call;
    struct mica_store within;

    if (lease_ms <= 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A claim has a lease of at least 1 ms.");
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    MICA_TRY(mica_store_leave(
        &within, claim_call(&within, &claim, arena, error, &call), error));
    *call_out = call;
    return MICA_OK;
}

enum mica_status
mica_store_call_claim(struct mica_store *store, struct mica_text id,
                      const struct mica_store_owner *owner, int64_t now,
                      int64_t lease_ms, struct mica_arena *arena,
                      struct mica_error *error,
                      struct mica_store_call *call_out)
{
    return mica_store_call_claim_if(store, id, owner, NULL, NULL, now, lease_ms,
                                    arena, error, call_out);
}

static enum mica_status
renew(struct mica_store *within, struct mica_text id, int64_t fence,
      int64_t now, int64_t lease_ms, struct mica_error *error)
{
    struct mica_store_row row;

    MICA_TRY(claimed_row(within, id, fence, error, &row));
    set_lease(&row, now, lease_ms);
    return mica_store_call_update(
        within, &row,
        MICA_COLUMN(MICA_CALL_LEASE) | MICA_COLUMN(MICA_CALL_FENCE), error);
}

enum mica_status
mica_store_call_renew(struct mica_store *store, struct mica_text id,
                      int64_t fence, int64_t now, int64_t lease_ms,
                      struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(
        &within, renew(&within, id, fence, now, lease_ms, error), error);
}

// ---- Committing ----------------------------------------------------------------

// Of those that are in an index only what changes: an index costs as much as a row.
#define WRITTEN                                                        \
    (MICA_COLUMN(MICA_CALL_STATE) | MICA_COLUMN(MICA_CALL_ROUND) |     \
     MICA_COLUMN(MICA_CALL_CHANGED) | MICA_COLUMN(MICA_CALL_EXPIRES) | \
     MICA_COLUMN(MICA_CALL_DUE) | MICA_COLUMN(MICA_CALL_FENCE) |       \
     MICA_COLUMN(MICA_CALL_LEASE) | MICA_COLUMN(MICA_CALL_BYTES) |     \
     MICA_COLUMN(MICA_CALL_KEPT) | MICA_COLUMN(MICA_CALL_ATTEMPTS))
#define END (MICA_COLUMN(MICA_CALL_ENDED) | MICA_COLUMN(MICA_CALL_BUILD))

// Counts what the call has now. One that ends may exceed what all may have: what
// it has done cannot be undone, so its reply is kept.
static enum mica_status
count_change(struct mica_store *within, struct mica_store_row *row,
             int64_t before, int64_t now, struct mica_error *error)
{
    int64_t more;

    MICA_TRY(mica_store_rounds_fit(within, row, error));
    more = row->values[MICA_CALL_BYTES].number - before;
    if (more > 0 && !mica_store_call_ended(row))
        MICA_TRY(make_room(within, 0, more, now, error));
    return mica_store_add(within, MICA_COUNT_CALL_BYTES, more, error);
}

// What depends on its session; and how its client goes on with it, should that
// have changed.
static enum mica_status
settle(struct mica_store *within, struct mica_store_row *row, int way,
       int64_t now, struct mica_error *error)
{
    struct mica_store_row request;
    bool there;

    MICA_TRY(mica_store_call_session(within, row, error, &request));
    if (request.values[MICA_REQUEST_WAY].number != way) {
        request.values[MICA_REQUEST_WAY].number = way;
        MICA_TRY(mica_store_update(within, MICA_STORE_REQUESTS,
                                   MICA_COLUMN(MICA_REQUEST_WAY), &request,
                                   error));
    }
    if (mica_store_call_ended(row)) {
        MICA_TRY(mica_store_let_go(within, &request, now, error));
        return mica_store_add(within, MICA_COUNT_OPEN_CALLS, -1, error);
    }
    MICA_TRY(mica_store_call_has_session(within, &request, now, error, &there));
    // It ended while the call was run, so nobody else will wake it.
    if (!there)
        row->values[MICA_CALL_WAKES].number = 0;
    return MICA_OK;
}

static void
write_state(const struct mica_store_call *call, int64_t now, int64_t lease_ms,
            struct mica_store_row *row)
{
    union mica_store_value *values = row->values;

    values[MICA_CALL_ENDED].number =
        call->state >= MICA_STORE_CALL_COMPLETED ? 1 : 0;
    if (mica_store_call_ended(row))
        values[MICA_CALL_BUILD].number = 0;
    values[MICA_CALL_STATE].number = (int64_t)call->state;
    values[MICA_CALL_CHANGED].number = now;
    values[MICA_CALL_EXPIRES].number = call->expires;
    if (values[MICA_CALL_DUE].number != MICA_STORE_CALL_GIVEN_UP)
        values[MICA_CALL_DUE].number = call->due;
    values[MICA_CALL_ATTEMPTS].number = call->attempts;
    set_lease(row, now, mica_store_call_ended(row) ? 0 : lease_ms);
    values[MICA_CALL_BYTES].number = values[MICA_CALL_KEPT].number +
                                     (int64_t)mica_store_call_turn_bytes(call);
}

// Once nobody runs it any more.
static enum mica_status
let_go(struct mica_store *within, struct mica_store_row *row, int way,
       int64_t now, struct mica_error *error)
{
    int64_t wakes = row->values[MICA_CALL_WAKES].number;

    MICA_TRY(settle(within, row, way, now, error));
    if (row->values[MICA_CALL_WAKES].number == wakes)
        return MICA_OK;
    return mica_store_update(within, MICA_STORE_CALLS,
                             MICA_COLUMN(MICA_CALL_WAKES), row, error);
}

static enum mica_status
write_all(struct mica_store *within, const struct mica_store_call *call,
          struct mica_text answers, struct mica_text round_reply,
          int64_t before, int64_t now, struct mica_store_row *row,
          struct mica_error *error)
{
    if (round_reply.len > 0)
        MICA_TRY(
            mica_store_round_add(within, row, answers, round_reply, error));
    MICA_TRY(count_change(within, row, before, now, error));
    MICA_TRY(mica_store_call_write_turn(within, call, error));
    MICA_TRY(mica_store_call_update(
        within, row, mica_store_call_ended(row) ? WRITTEN | END : WRITTEN,
        error));
    if (row->values[MICA_CALL_LEASE].number != 0)
        return MICA_OK;
    return let_go(within, row, call->way, now, error);
}

static enum mica_status
begin(struct mica_store *within, struct mica_store_call *call, int64_t now,
      struct mica_error *error)
{
    struct mica_store_call made = *call;

    made.state = MICA_STORE_CALL_WORKING;
    MICA_TRY(create(within, &made, (struct mica_text){NULL, 0}, now, 1, NULL,
                    error));
    call->fence = made.fence;
    return MICA_OK;
}

static enum mica_status
say(struct mica_store *within, struct mica_store_call *call, int64_t now,
    struct mica_error *error)
{
    struct mica_store_session_key key;
    int64_t first = 0;

    if (call->event_count == 0)
        return MICA_OK;
    MICA_TRY(mica_store_take_key(call->session, error, &key));
    MICA_TRY(mica_store_stream_say(within, &key, call->stream, now,
                                   call->events, call->event_count,
                                   call->closes, error, &first));
    call->first_event = first;
    return MICA_OK;
}

static enum mica_status
commit(struct mica_store *within, struct mica_store_call *call,
       struct mica_text answers, struct mica_text round_reply, int64_t now,
       int64_t lease_ms, struct mica_error *error)
{
    struct mica_store_row row;
    enum mica_status status;
    int64_t before;

    if (call->begins)
        MICA_TRY(begin(within, call, now, error));
    MICA_TRY(claimed_row(within, call->id, call->fence, error, &row));
    before = row.values[MICA_CALL_BYTES].number;
    write_state(call, now, lease_ms, &row);
    status =
        write_all(within, call, answers, round_reply, before, now, &row, error);
    if (status != MICA_OK) {
        within->broken = status; // a round may have been written
        return status;
    }
    call->round = (uint32_t)row.values[MICA_CALL_ROUND].number;
    call->changed = now;
    call->bytes = row.values[MICA_CALL_BYTES].number;
    if (row.values[MICA_CALL_LEASE].number == 0)
        call->fence = 0;
    status = say(within, call, now, error);
    if (status != MICA_OK)
        within->broken = status;
    return status;
}

enum mica_status
mica_store_call_commit(struct mica_store *store, struct mica_store_call *call,
                       struct mica_text answers, struct mica_text round_reply,
                       int64_t now, int64_t lease_ms, struct mica_error *error)
{
    struct mica_store_call written = *call;
    struct mica_store within;

    call->first_event = written.first_event = 0;
    MICA_TRY(mica_store_call_check(call, error));
    MICA_TRY(mica_store_text(round_reply, "The reply of the round", error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    MICA_TRY(mica_store_leave(
        &within,
        commit(&within, &written, answers, round_reply, now, lease_ms, error),
        error));
    *call = written;
    return MICA_OK;
}
