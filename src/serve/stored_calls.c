// SPDX-License-Identifier: Apache-2.0
//
// The functions of struct mica_calls, on the store. Each runs one transaction. Besides,
// it notes the claims of this process in its leases, and announces to the scheduler when
// a call becomes due.
#include "serve/stored_calls.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "platform/clock.h"
#include "serve/builds.h"
#include "serve/system_platform.h"
#include "server/server.h"
#include "store/store_calls.h"

enum {
    LEASE_MS = 30000,
    POLL_MS = 5000,
    LOST_TWICE = 2,
    ALONE_MS = 10000,        // for which a call that was lost twice runs alone
    COMPARE_BYTES = 16 << 20 // memory to compare arguments in
};

struct mica_call_store {
    struct mica_calls calls;
    struct mica_session_store *session_store;
    const struct mica_platform *platform;
    int64_t lease_ms;
    struct mica_leases leases;
    struct mica_call_scheduler *scheduler;
    struct mica_builds *builds;
    uint64_t opened_ns; // on the monotonic clock
    uint64_t stranded_ns;
    atomic_uint_fast64_t begun, refused, busy, crashed, stranded;
};

static int64_t
now_of(const struct mica_call_store *call_store)
{
    return call_store->platform->now_ms(call_store->platform->data);
}

// ---- Owner ------------------------------------------------------------------------

static struct mica_owner
owner_of(const struct mica_caller *caller)
{
    struct mica_owner owner = {.endpoint = caller->endpoint};

    if (caller->principal != NULL) {
        owner.issuer = caller->principal->issuer;
        owner.subject = caller->principal->subject;
    }
    return owner;
}

// ---- Claims of this process ------------------------------------------------------

// Prepares a claim: does all that could fail after the store has made it.
static enum mica_status
call_store_prepare(struct mica_call_store *call_store, struct mica_error *error,
                   struct mica_store **store_out)
{
    MICA_TRY(
        mica_session_store_need(call_store->session_store, error, store_out));
    MICA_TRY(mica_call_scheduler_need(call_store->scheduler, error));
    if (mica_leases_reserve(&call_store->leases))
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "", "no memory for a call");
}

// Notes a claim that the store has made (`call` has a fence), or cancels the reservation.
static void
note_claim(struct mica_call_store *call_store, enum mica_status status,
           const struct mica_kept_call *call, int64_t now)
{
    if (status == MICA_OK && call->fence != 0)
        mica_leases_add(&call_store->leases, call->id, call->fence, now);
    else
        mica_leases_unreserve(&call_store->leases);
    if (status == MICA_E_CALL_BUSY)
        atomic_fetch_add(&call_store->busy, 1);
}

static void
kept_call_release(void *data, const struct mica_kept_call *call)
{
    struct mica_call_store *call_store = data;
    struct mica_store *store =
        mica_session_store_backing(call_store->session_store);
    int64_t now = now_of(call_store);
    struct mica_error error;
    enum mica_status status;

    status =
        mica_store_call_renew(store, call->id, call->fence, now, 0, &error);
    // If the store fails now, the scheduler releases the claim later.
    if (status == MICA_OK || status == MICA_E_CALL_BUSY)
        mica_leases_remove(&call_store->leases, call->id, call->fence);
    else
        mica_leases_unreleased(&call_store->leases, call->id, call->fence);
    mica_call_scheduler_expect(call_store->scheduler, now);
}

// ---- Create ----------------------------------------------------------------------

static enum mica_status
make_call_id(struct mica_call_store *call_store, struct mica_arena *arena,
             struct mica_error *error, struct mica_text *id_out)
{
    char id[MICA_CALL_ID_SIZE];

    mica_call_id_make(call_store->platform, id);
    *id_out = mica_arena_text(arena, mica_text(id));
    if (id_out->ptr != NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "", "no memory for a call");
}

// Compares JSON values, not their texts.
static bool
same_arguments(struct mica_text a, struct mica_text b)
{
    struct mica_json value_a, value_b;
    struct mica_error error;
    struct mica_arena arena;
    bool same = mica_text_equal(a, b);

    if (same)
        return true;
    mica_arena_init(&arena, COMPARE_BYTES);
    same = mica_json_read(&arena, a, NULL, &error, &value_a) == MICA_OK &&
           mica_json_read(&arena, b, NULL, &error, &value_b) == MICA_OK &&
           mica_json_equal(&value_a, &value_b);
    mica_arena_fini(&arena);
    return same;
}

static enum mica_status
kept_call_create(void *data, struct mica_kept_call *call, struct mica_text key,
                 struct mica_arena *arena, struct mica_error *error)
{
    struct mica_call_store *call_store = data;
    struct mica_kept_call made = *call;
    int64_t now = now_of(call_store);
    struct mica_store *store;
    enum mica_status status;

    if (made.id.len == 0)
        MICA_TRY(make_call_id(call_store, arena, error, &made.id));
    if (made.created == 0)
        made.created = now;
    MICA_TRY(call_store_prepare(call_store, error, &store));
    status = mica_store_call_create(store, &made, key, now,
                                    call_store->lease_ms, arena, error);
    note_claim(call_store, status, &made, now);
    if (status == MICA_OK)
        atomic_fetch_add(&call_store->begun, 1);
    else if (status == MICA_E_LIMIT)
        atomic_fetch_add(&call_store->refused, 1);
    if (status == MICA_E_EXISTS &&
        !same_arguments(call->arguments, made.arguments))
        return mica_error_set(error, MICA_E_SUPERSEDED, "",
                              "the idempotency key has begun a call with "
                              "other arguments; take another key");
    if (status == MICA_OK || status == MICA_E_EXISTS)
        *call = made;
    return status;
}

// ---- Find and claim --------------------------------------------------------------

// Finds a call of `owner`; NULL: of any owner.
static enum mica_status
find_for(struct mica_call_store *call_store, struct mica_text id,
         const struct mica_owner *owner, struct mica_arena *arena,
         struct mica_error *error, struct mica_kept_call *call_out)
{
    struct mica_store *store;

    MICA_TRY(mica_session_store_need(call_store->session_store, error, &store));
    return mica_store_call_find(store, id, owner, now_of(call_store), arena,
                                error, call_out);
}

static enum mica_status
kept_call_find(void *data, struct mica_text id,
               const struct mica_caller *caller, struct mica_arena *arena,
               struct mica_error *error, struct mica_kept_call *call_out)
{
    struct mica_owner owner = owner_of(caller);

    return find_for(data, id, &owner, arena, error, call_out);
}

enum mica_status
mica_call_store_find(struct mica_call_store *call_store, struct mica_text id,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_kept_call *call_out)
{
    return find_for(call_store, id, NULL, arena, error, call_out);
}

// A call that was lost may have crashed its process, or another call of that process did.
// After two losses this process runs such calls one at a time, to find the one that
// crashes it: then the others are not lost again.
static enum mica_status
run_alone(struct mica_call_store *call_store, const struct mica_kept_call *call,
          int64_t now, struct mica_error *error)
{
    if (call->fence == 0 || call->lost_claims < LOST_TWICE)
        return MICA_OK;
    if (call->lost_claims >=
        MICA_CALL_MOST_LOST_CLAIMS) { // CALL-5: it ends, and does not run
        atomic_fetch_add(&call_store->crashed, 1);
        return MICA_OK;
    }
    if (mica_leases_run_alone(&call_store->leases, call->id, call->fence, now,
                              ALONE_MS))
        return MICA_OK;
    kept_call_release(call_store, call);
    atomic_fetch_add(&call_store->busy, 1);
    return mica_error_set(error, MICA_E_CALL_BUSY, "",
                          "The server has ended twice in the middle of the "
                          "call. Such calls continue one at a time; try "
                          "again in a moment.");
}

// CALL-6. Opens no file: most claims are of builds that the server offers now, and need none.
static bool
build_is_current(void *data, const struct mica_kept_call *call)
{
    const struct mica_call_store *call_store = data;

    return mica_builds_has(call_store->builds, call, true);
}

// A claim of a task only records answers; a process that has its build continues it.
static bool
may_claim_for_answer(void *data, const struct mica_kept_call *call)
{
    return call->mode == MICA_CALL_TASK || build_is_current(data, call);
}

// The argument of scheduler_may_claim. Out: whether it has refused a foreign call.
struct scheduler_claim {
    struct mica_call_store *call_store;
    const struct mica_text *session; // NULL: any
    bool is_foreign;                 // the call is of another session
};

static bool
scheduler_may_claim(void *data, const struct mica_kept_call *call)
{
    struct scheduler_claim *claim = data;

    claim->is_foreign = claim->session != NULL &&
                        !mica_text_equal(*claim->session, call->session);
    return !claim->is_foreign && build_is_current(claim->call_store, call);
}

// Claims a call of `owner` (NULL: of any owner) if `may` returns true for it (NULL: in
// any case). Errors: MICA_E_STRANDED if it returns false; those of
// mica_calls.claim_for_client.
static enum mica_status
claim_for(struct mica_call_store *call_store, struct mica_text id,
          const struct mica_owner *owner,
          bool (*may)(void *user, const struct mica_kept_call *call),
          void *user, struct mica_arena *arena, struct mica_error *error,
          struct mica_kept_call *call_out, enum mica_status *ending_out)
{
    struct mica_kept_call found;
    int64_t now = now_of(call_store);
    struct mica_store *store;
    enum mica_status status;

    MICA_TRY(call_store_prepare(call_store, error, &store));
    status =
        mica_store_call_claim_if(store, id, owner, may, user, now,
                                 call_store->lease_ms, arena, error, &found);
    note_claim(call_store, status, &found, now);
    if (status == MICA_OK)
        status = run_alone(call_store, &found, now, error);
    if (status != MICA_OK)
        return status;
    *call_out = found;
    *ending_out = found.ending;
    return MICA_OK;
}

// CALL-6. Searches for an older build too, and so may open files.
static enum mica_status
need_build(struct mica_call_store *call_store,
           const struct mica_kept_call *call, struct mica_error *error)
{
    if (mica_builds_has(call_store->builds, call, false))
        return MICA_OK;
    return mica_error_set(error, MICA_E_STRANDED, "",
                          "This server has not got %.*s in the build with "
                          "which the call began. Another server may have it; "
                          "try again.",
                          MICA_ARG(call->target));
}

static enum mica_status
kept_call_claim_for_client(void *data, struct mica_text id,
                           const struct mica_caller *caller,
                           struct mica_arena *arena, struct mica_error *error,
                           struct mica_kept_call *call_out)
{
    struct mica_call_store *call_store = data;
    struct mica_owner owner = owner_of(caller);
    struct mica_kept_call found;
    struct mica_store *store;
    enum mica_status ending;
    enum mica_status status =
        claim_for(call_store, id, &owner, may_claim_for_answer, call_store,
                  arena, error, call_out, &ending);

    if (status != MICA_E_STRANDED)
        return status;
    MICA_TRY(mica_session_store_need(call_store->session_store, error, &store));
    MICA_TRY(mica_store_call_find(store, id, &owner, now_of(call_store), arena,
                                  error, &found));
    MICA_TRY(need_build(call_store, &found, error));
    return claim_for(call_store, id, &owner, NULL, NULL, arena, error, call_out,
                     &ending);
}

// CALL-6. Claims a call whose build the server does not offer now: this process may have the
// older build; or the call is stranded, if it expired so long ago that no process will
// continue it. Errors: MICA_E_STRANDED if another process may still continue it.
static enum mica_status
claim_older_build_or_stranded(struct mica_call_store *call_store,
                              struct mica_text id, struct mica_arena *arena,
                              struct mica_error *error,
                              struct mica_kept_call *call_out,
                              enum mica_status *ending_out, bool *stranded_out)
{
    struct mica_error refusal = *error;
    int64_t now = now_of(call_store);
    struct mica_kept_call found;
    struct mica_store *store;

    MICA_TRY(mica_session_store_need(call_store->session_store, error, &store));
    MICA_TRY(mica_store_call_find(store, id, NULL, now, arena, error, &found));
    *stranded_out = false;
    if (mica_builds_has(call_store->builds, &found, false))
        return claim_for(call_store, id, NULL, NULL, NULL, arena, error,
                         call_out, ending_out);
    if (mica_clock_ns() - call_store->opened_ns < call_store->stranded_ns ||
        now - found.expires < MICA_CALL_STRANDED_MS) {
        *error = refusal;
        return MICA_E_STRANDED;
    }
    MICA_TRY(claim_for(call_store, id, NULL, NULL, NULL, arena, error, call_out,
                       ending_out));
    *stranded_out = call_out->fence != 0;
    return MICA_OK;
}

// The store reads *ending_out in the transaction that claims the call.
static enum mica_status
kept_call_claim_for_turn(void *data, struct mica_text id,
                         const struct mica_text *session,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_kept_call *call_out,
                         enum mica_status *ending_out)
{
    struct mica_call_store *call_store = data;
    struct scheduler_claim claim = {.call_store = call_store,
                                    .session = session};
    bool stranded = false;
    enum mica_status status =
        claim_for(call_store, id, NULL, scheduler_may_claim, &claim, arena,
                  error, call_out, ending_out);

    if (claim.is_foreign)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "the call is of another session");
    if (status == MICA_E_STRANDED)
        status = claim_older_build_or_stranded(call_store, id, arena, error,
                                               call_out, ending_out, &stranded);
    if (status == MICA_OK && stranded)
        *ending_out = MICA_E_STRANDED;
    return status;
}

// ---- Commit ----------------------------------------------------------------------

// Reports a stranded call in the log and in the counts: no client gets its result.
static void
report_stranded(struct mica_call_store *call_store, struct mica_store *store,
                const struct mica_kept_call *call)
{
    struct mica_error ignored;
    enum mica_status status;
    char text[512];
    struct mica_buffer note = {
        .ptr = text, .capacity = sizeof text - 1, .max = sizeof text - 1};

    atomic_fetch_add(&call_store->stranded, 1);
    status = mica_store_count_stranded(store, &ignored);
    (void)status; // the log and the metric have it
    mica_buffer_format(&note,
                       "the call %.*s has expired, and %.*s is not here in the "
                       "build %.*s with which it began: it ends with "
                       "BUILD_MISSING, and its clean-ups do not run",
                       MICA_ARG(call->id), MICA_ARG(call->target),
                       MICA_ARG(call->version));
    text[note.len] = '\0';
    mica_session_store_note(call_store->session_store, text);
}

// After a commit: notes whether the claim is still held, and when the call becomes due.
static void
call_store_committed(struct mica_call_store *call_store,
                     const struct mica_kept_call *call, int64_t fence,
                     int64_t now)
{
    int64_t due = call->due < call->expires ? call->due : call->expires;

    if (call->fence != 0) {
        mica_leases_renewed(&call_store->leases, call->id, fence, now);
        return;
    }
    mica_leases_remove(&call_store->leases, call->id, fence);
    if (call->state == MICA_CALL_WAITING)
        mica_call_scheduler_expect(call_store->scheduler, due);
    else if (call->state == MICA_CALL_WORKING)
        mica_call_scheduler_expect(call_store->scheduler,
                                   now + MICA_STORE_CALL_GRACE_MS);
}

// Commits a turn. If its stream cannot store the events (it is closed or full, or its
// session has ended), commits the turn without them.
static enum mica_status
commit_turn(struct mica_store *store, struct mica_kept_call *call,
            struct mica_text answers, struct mica_text round_reply, int64_t now,
            int64_t lease_ms, struct mica_error *error)
{
    struct mica_turn_events *turn_events = call->turn_events;
    enum mica_status status = mica_store_call_commit(
        store, call, answers, round_reply, now, lease_ms, error);

    if (turn_events == NULL ||
        (status != MICA_E_LIMIT && status != MICA_E_NOT_FOUND))
        return status;
    call->turn_events = NULL;
    status = mica_store_call_commit(store, call, answers, round_reply, now,
                                    lease_ms, error);
    call->turn_events = turn_events;
    return status;
}

// A commit that creates the call has no claim, so nothing has started the scheduler yet.
static enum mica_status
need_scheduler(struct mica_call_store *call_store, struct mica_kept_call *call,
               bool releases, struct mica_error *error)
{
    MICA_ASSERT(!call->begins || (releases && call->id.len > 0));
    return call->begins ? mica_call_scheduler_need(call_store->scheduler, error)
                        : MICA_OK;
}

// After a commit that failed. `releases`: it should have released the claim.
static void
commit_failed(struct mica_call_store *call_store,
              const struct mica_kept_call *call, bool releases,
              enum mica_status status)
{
    if (call->begins)
        return; // the call was not created
    if (status == MICA_E_LIMIT)
        atomic_fetch_add(&call_store->refused, 1);
    if (status == MICA_E_CALL_BUSY)
        mica_leases_remove(&call_store->leases, call->id, call->fence);
    else if (releases)
        kept_call_release(call_store, call);
}

static enum mica_status
kept_call_commit(void *data, struct mica_kept_call *call,
                 struct mica_text answers, struct mica_text round_reply,
                 bool releases, struct mica_error *error)
{
    struct mica_call_store *call_store = data;
    int64_t fence = call->fence; // the commit may reset it
    int64_t now = now_of(call_store);
    struct mica_store *store;
    enum mica_status status =
        mica_session_store_need(call_store->session_store, error, &store);

    if (status == MICA_OK)
        status = need_scheduler(call_store, call, releases, error);
    if (status == MICA_OK)
        status = commit_turn(store, call, answers, round_reply, now,
                             releases ? 0 : call_store->lease_ms, error);
    if (status != MICA_OK) {
        commit_failed(call_store, call, releases, status);
        return status;
    }
    if (call->begins)
        atomic_fetch_add(&call_store->begun, 1);
    if (call->strands)
        report_stranded(call_store, store, call);
    call_store_committed(call_store, call, fence, now);
    return MICA_OK;
}

static enum mica_status
stored_calls_replay(void *data, struct mica_text id, uint32_t round,
                    struct mica_text answers, struct mica_arena *arena,
                    struct mica_error *error, struct mica_text *reply_out)
{
    struct mica_call_store *call_store = data;
    struct mica_store *store;

    MICA_TRY(mica_session_store_need(call_store->session_store, error, &store));
    return mica_store_call_replay(store, id, round, answers, now_of(call_store),
                                  arena, error, reply_out);
}

static enum mica_status
stored_calls_cancel(void *data, struct mica_text id, struct mica_error *error)
{
    struct mica_call_store *call_store = data;
    struct mica_store *store;

    MICA_TRY(mica_session_store_need(call_store->session_store, error, &store));
    MICA_TRY(mica_store_call_cancel(store, id, error));
    mica_call_scheduler_cancel(call_store->scheduler, id);
    mica_call_scheduler_wake(call_store->scheduler, id);
    return MICA_OK;
}

static void
stored_calls_wake(void *data, struct mica_text id)
{
    struct mica_call_store *call_store = data;

    mica_call_scheduler_wake(call_store->scheduler, id);
}

// ---- For the adapter -------------------------------------------------------------

const struct mica_calls *
mica_call_store_calls(struct mica_call_store *call_store)
{
    return &call_store->calls;
}

struct mica_call_store *
mica_call_store_of(const struct mica_server *server)
{
    if (server->calls == NULL || server->calls->create != kept_call_create)
        return NULL;
    return server->calls->data;
}

enum mica_status
mica_call_store_start(struct mica_call_store *call_store,
                      mica_call_scheduler_due *due, void *data,
                      struct mica_error *error)
{
    struct mica_store *store;

    MICA_TRY(mica_session_store_need(call_store->session_store, error, &store));
    MICA_TRY(mica_call_scheduler_need(call_store->scheduler, error));
    mica_call_scheduler_on_due(call_store->scheduler, due, data);
    return MICA_OK;
}

void
mica_call_store_on_cancel(struct mica_call_store *call_store,
                          mica_call_scheduler_cancelled *cancelled, void *data)
{
    mica_call_scheduler_on_cancel(call_store->scheduler, cancelled, data);
}

void
mica_call_store_stop(struct mica_call_store *call_store)
{
    mica_call_scheduler_on_due(call_store->scheduler, NULL, NULL);
}

struct mica_call_store_counts
mica_call_store_counts(struct mica_call_store *call_store)
{
    struct mica_call_scheduler_counts scheduler =
        mica_call_scheduler_counts(call_store->scheduler);

    return (struct mica_call_store_counts){
        .begun = atomic_load(&call_store->begun),
        .refused = atomic_load(&call_store->refused),
        .busy = atomic_load(&call_store->busy),
        .crashed = atomic_load(&call_store->crashed),
        .stranded = atomic_load(&call_store->stranded),
        .freed = scheduler.freed,
        .queued = scheduler.queued,
        .renewed = scheduler.renewed,
        .lost = scheduler.lost,
        .failed = scheduler.failed,
        .claimed = mica_leases_count(&call_store->leases)};
}

enum mica_status
mica_call_store_open(const struct mica_call_store_options *options,
                     struct mica_error *error,
                     struct mica_call_store **call_store_out)
{
    struct mica_call_store *call_store = calloc(1, sizeof *call_store);
    unsigned lease = options->lease_ms != 0 ? options->lease_ms : LEASE_MS;
    unsigned stranded = options->stranded_ms != 0 ? options->stranded_ms
                                                  : MICA_CALL_STRANDED_MS;
    struct mica_call_scheduler_options scheduler = {
        .session_store = options->session_store,
        .lease_ms = lease,
        .poll_ms = options->poll_ms != 0 ? options->poll_ms : POLL_MS,
        .stranded_ms = stranded / 3};
    enum mica_status status;

    if (call_store == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory for calls");
    call_store->calls =
        (struct mica_calls){.data = call_store,
                            .create = kept_call_create,
                            .find = kept_call_find,
                            .claim_for_client = kept_call_claim_for_client,
                            .claim_for_turn = kept_call_claim_for_turn,
                            .commit = kept_call_commit,
                            .replay = stored_calls_replay,
                            .cancel = stored_calls_cancel,
                            .release = kept_call_release,
                            .wake = stored_calls_wake};
    call_store->session_store = options->session_store;
    call_store->platform =
        options->platform != NULL ? options->platform : &mica_platform_real;
    call_store->lease_ms = lease;
    call_store->opened_ns = mica_clock_ns();
    call_store->stranded_ns = stranded * 1000000ull;
    mica_leases_init(&call_store->leases);
    status = mica_builds_open(options->server, error, &call_store->builds);
    scheduler.platform = call_store->platform;
    scheduler.leases = &call_store->leases;
    scheduler.builds = call_store->builds;
    if (status == MICA_OK)
        status =
            mica_call_scheduler_open(&scheduler, error, &call_store->scheduler);
    if (status != MICA_OK)
        mica_call_store_close(&call_store);
    *call_store_out = call_store;
    return status;
}

// Releases all claims, so that the next process need not wait until they expire.
static void
release_all_claims(struct mica_call_store *call_store)
{
    struct mica_store *store =
        mica_session_store_backing(call_store->session_store);
    struct mica_lease claim;
    struct mica_error error;
    enum mica_status status = MICA_OK;

    while ((status == MICA_OK || status == MICA_E_CALL_BUSY) &&
           mica_leases_oldest(&call_store->leases, INT64_MAX, &claim)) {
        struct mica_text id = mica_text(claim.id);
        status = mica_store_call_renew(store, id, claim.fence,
                                       now_of(call_store), 0, &error);
        mica_leases_remove(&call_store->leases, id, claim.fence);
    }
}

void
mica_call_store_close(struct mica_call_store **call_store)
{
    struct mica_call_store *closed = *call_store;

    if (closed == NULL)
        return;
    mica_call_scheduler_close(&closed->scheduler);
    release_all_claims(closed);
    mica_leases_fini(&closed->leases);
    mica_builds_close(&closed->builds);
    free(closed);
    *call_store = NULL;
}
