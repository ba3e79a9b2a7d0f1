// SPDX-License-Identifier: Apache-2.0
//
// What may go wrong between a server and its store, and what is demanded of what
// it writes there. The functions that are looked at stand between mica and the real
// ones by the linker's hand (meson.build): a call of `function` becomes one of
// __wrap_function.
#include "hosts.h"
#include "server/calls/resumable.h"
#include "store/store.h"

enum {
    CALLS = 64,
    SLOW_MS = 3000
};

// What a thread does right now.
struct own {
    const struct mica_kept_call *commits;
    const char *claims;              // that call, when it succeeds
    const struct mica_message *runs; // or NULL
};

static struct sim_call calls[CALLS];
static size_t call_count;

bool
sim_is_rough(void)
{
    return cluster.rough && atomic_load(&world.now) < cluster.heals;
}

// ---- Faults --------------------------------------------------------------------------

static enum sim_fault
draw(void)
{
    cluster.points++;
    if (!cluster.rough)
        return cluster.points == cluster.fault_at ? cluster.fault : SIM_NOTHING;
    if (!sim_is_rough() || !sim_one_in(cluster.one_in))
        return SIM_NOTHING;
    return (enum sim_fault)(sim_random() % SIM_FAULTS);
}

static enum mica_status
broken(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "", "the disk of the test failed");
}

static struct sim_host *
host_now(void)
{
    return (struct sim_host *)sim_process_now(); // its first member
}

static enum mica_status
happen(enum sim_fault fault, struct mica_error *error)
{
    struct sim_host *host = host_now();
    int64_t now = atomic_load(&world.now);

    switch (fault) {
    case SIM_CRASH:
        sim_host_crash(host);
        sim_die();
        return broken(error); // a ghost
    case SIM_HANG:
        host->process.hangs_until =
            now + SIM_LEASE_MS + 1000 + (int64_t)(sim_random() % 5000);
        sim_yield();
        break;
    case SIM_SLOW:
        sim_sleep_until(now + 1 + (int64_t)(sim_random() % SLOW_MS));
        break;
    case SIM_ERROR:
        return broken(error);
    case SIM_BUSY:
        return mica_error_set(error, MICA_E_BUSY, "",
                              "others have held the store of the test");
    case SIM_UNKNOWN: // what asks is not told whether it was committed
        return broken(error);
    case SIM_NOTHING:
    case SIM_FAULTS:
        break;
    }
    return host->process.life == SIM_GHOST ? broken(error) : MICA_OK;
}

// A point at which something may go wrong, before a transaction or behind it.
static enum mica_status
point(bool before, bool writes, struct mica_error *error, bool *unknown_out)
{
    const struct sim_host *host = host_now();
    enum sim_fault fault;

    if (host == NULL)
        return MICA_OK;
    if (host->process.life == SIM_GHOST)
        return broken(error);
    fault = draw();
    if (!before && (fault == SIM_ERROR || fault == SIM_BUSY))
        fault = SIM_NOTHING; // a store that fails holds what it held
    if (host->process.ending_asked && (fault == SIM_HANG || fault == SIM_SLOW))
        fault = SIM_NOTHING; // the others do not wait for a slow one
    if (fault != SIM_NOTHING) {
        cluster.faults[fault]++;
        sim_note("%c %s %s: fault %d", 'A' + host->process.number,
                 before ? "before" : "after", writes ? "writing" : "reading",
                 (int)fault);
    }
    *unknown_out = fault == SIM_UNKNOWN;
    return happen(fault, error);
}

// ---- The store, seen from a server ---------------------------------------------------

enum mica_status __real_mica_store_run(struct mica_store *store,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *error,
                                       unsigned *refusal_out,
                                       bool *unknown_out);
enum mica_status __wrap_mica_store_run(struct mica_store *store,
                                       const struct mica_store_part *parts,
                                       size_t count, struct mica_arena *arena,
                                       struct mica_error *error,
                                       unsigned *refusal_out,
                                       bool *unknown_out);
enum mica_status __real_mica_store_call_commit(struct mica_store *store,
                                               struct mica_kept_call *call,
                                               struct mica_text answers,
                                               struct mica_text round_reply,
                                               int64_t now, int64_t lease_ms,
                                               struct mica_error *error);
enum mica_status __wrap_mica_store_call_commit(struct mica_store *store,
                                               struct mica_kept_call *call,
                                               struct mica_text answers,
                                               struct mica_text round_reply,
                                               int64_t now, int64_t lease_ms,
                                               struct mica_error *error);
enum mica_status __real_mica_store_call_create(struct mica_store *store,
                                               struct mica_kept_call *call,
                                               struct mica_text key,
                                               int64_t now, int64_t lease_ms,
                                               struct mica_arena *arena,
                                               struct mica_error *error);
enum mica_status __wrap_mica_store_call_create(struct mica_store *store,
                                               struct mica_kept_call *call,
                                               struct mica_text key,
                                               int64_t now, int64_t lease_ms,
                                               struct mica_arena *arena,
                                               struct mica_error *error);
enum mica_status __real_mica_store_call_claim(struct mica_store *store,
                                              struct mica_text id,
                                              const struct mica_owner *owner,
                                              int64_t now, int64_t lease_ms,
                                              struct mica_arena *arena,
                                              struct mica_error *error,
                                              struct mica_kept_call *call_out);
enum mica_status __wrap_mica_store_call_claim(struct mica_store *store,
                                              struct mica_text id,
                                              const struct mica_owner *owner,
                                              int64_t now, int64_t lease_ms,
                                              struct mica_arena *arena,
                                              struct mica_error *error,
                                              struct mica_kept_call *call_out);
enum mica_status __real_mica_store_call_claim_if(
    struct mica_store *store, struct mica_text id,
    const struct mica_owner *owner,
    bool (*may)(void *user, const struct mica_kept_call *call), void *user,
    int64_t now, int64_t lease_ms, struct mica_arena *arena,
    struct mica_error *error, struct mica_kept_call *call_out);
enum mica_status __wrap_mica_store_call_claim_if(
    struct mica_store *store, struct mica_text id,
    const struct mica_owner *owner,
    bool (*may)(void *user, const struct mica_kept_call *call), void *user,
    int64_t now, int64_t lease_ms, struct mica_arena *arena,
    struct mica_error *error, struct mica_kept_call *call_out);

bool __real_mica_message_execute(struct mica_message *message);
bool __wrap_mica_message_execute(struct mica_message *message);
bool __real_mica_message_resume(struct mica_message *message,
                                const struct mica_resume_cause *why);
bool __wrap_mica_message_resume(struct mica_message *message,
                                const struct mica_resume_cause *why);
static struct sim_call *
call_of(struct mica_text id)
{
    for (size_t i = 0; i < call_count; i++) {
        if (mica_text_is(id, calls[i].id))
            return &calls[i];
    }
    return NULL;
}

const struct sim_call *
sim_call_of(struct mica_text id)
{
    return call_of(id);
}

const struct sim_call *
sim_call_by(int64_t request)
{
    for (size_t i = 0; i < call_count; i++) {
        if (calls[i].request == request)
            return &calls[i];
    }
    return NULL;
}

static int64_t
request_of(const struct mica_kept_call *call)
{
    struct mica_json context;
    struct mica_arena arena;
    int64_t id = -1;

    mica_arena_init(&arena, 1 << 20);
    if (mica_json_read(&arena, call->context, NULL, NULL, &context) ==
            MICA_OK &&
        mica_json_get(&context, "id") != NULL)
        (void)mica_integer_read(mica_json_get(&context, "id")->raw, &id);
    mica_arena_fini(&arena);
    return id;
}

static void
replace(struct mica_text *kept, struct mica_text text)
{
    free((void *)(uintptr_t)kept->ptr);
    *kept = (struct mica_text){sim_copy(text), text.len};
}

static struct sim_call *
known_call(struct mica_text id)
{
    struct sim_call *known = call_of(id);

    if (known == NULL) {
        SIM_MUST(call_count < CALLS, "too many calls");
        known = &calls[call_count++];
        memset(known, 0, sizeof *known);
        snprintf(known->id, sizeof known->id, "%.*s", MICA_ARG(id));
    }
    return known;
}

// JOURNAL-1: a journal only grows; CALL-4: an ended call stays as it is, as the table of
// calls says.
static void
committed(const struct mica_kept_call *call)
{
    struct sim_call *known = known_call(call->id);

    known->request = request_of(call);
    sim_check_move(call->id, known->state, call->state);
    SIM_MUST(call->journal.len >= known->journal.len &&
                 (known->journal.len == 0 ||
                  memcmp(call->journal.ptr, known->journal.ptr,
                         known->journal.len) == 0),
             "the journal of %s is another", known->id);
    replace(&known->journal, call->journal);
    replace(&known->reply, call->reply);
    known->state = call->state;
    known->commits++;
    sim_recorded(world.doing, call->id);
    sim_note("%c commits %.6s: %zu bytes, state %d",
             'A' + sim_process_now()->number, known->id, known->journal.len,
             (int)known->state);
}

static void
claimed(const char *id, bool is_new)
{
    struct sim_call *known = known_call(mica_text(id));

    if (is_new) {
        sim_check_move(mica_text(id), known->state, MICA_CALL_WORKING);
        known->state = MICA_CALL_WORKING;
    }
    if (known->state >= MICA_CALL_COMPLETED)
        return; // it is found, and that is all
    known->fence++;
    sim_note("%c claims %.6s: %lld", 'A' + sim_process_now()->number, known->id,
             (long long)known->fence);
}

// Another process has claimed it after the one that runs it here (CALL-1).
static bool
has_lost(struct mica_text key)
{
    const struct own *own = sim_own();

    for (size_t i = 0; i < call_count; i++) {
        size_t len = strlen(calls[i].id);
        if (key.len >= len && memcmp(key.ptr, calls[i].id, len) == 0)
            return calls[i].fence > own->runs->execution.resumable->kept.fence;
    }
    return false;
}

bool
__wrap_mica_message_execute(struct mica_message *message)
{
    struct own *own = sim_own();

    own->runs = message;
    world.doing->ran_count = 0;
    // Without a model provider no message waits for a model.
    (void)__real_mica_message_execute(message);
    own->runs = NULL;
    return true;
}

bool
__wrap_mica_message_resume(struct mica_message *message,
                           const struct mica_resume_cause *why)
{
    struct own *own = sim_own();

    own->runs = message;
    world.doing->ran_count = 0;
    (void)__real_mica_message_resume(message, why);
    own->runs = NULL;
    return true;
}

// ---- Transactions --------------------------------------------------------------------

static bool
has_part(const struct mica_store_part *parts, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].operation->writes &&
            strcmp(parts[i].operation->name, name) == 0)
            return true;
    }
    return false;
}

static bool
is_write(const struct mica_store_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].operation->writes)
            return true;
    }
    return false;
}

// What a transaction that was committed says of a call.
static void
look_at(const struct mica_store_part *parts, size_t count)
{
    struct own *own = sim_own();

    if (own->commits != NULL && (has_part(parts, count, "call_commit") ||
                                 has_part(parts, count, "call_begin"))) {
        committed(own->commits);
        own->commits = NULL;
    }
    if (own->claims != NULL && (has_part(parts, count, "call_claim") ||
                                has_part(parts, count, "claim_new"))) {
        claimed(own->claims, has_part(parts, count, "claim_new"));
        own->claims = NULL;
    }
}

// Everything that the store keeps passes here.
enum mica_status
__wrap_mica_store_run(struct mica_store *store,
                      const struct mica_store_part *parts, size_t count,
                      struct mica_arena *arena, struct mica_error *error,
                      unsigned *refusal_out, bool *unknown_out)
{
    bool writes = is_write(parts, count);
    enum mica_status status;

    *unknown_out = false;
    MICA_TRY(point(true, writes, error, unknown_out));
    sim_hold_turn(); // transactions are one after the other
    status = __real_mica_store_run(store, parts, count, arena, error,
                                   refusal_out, unknown_out);
    sim_let_turn_go();
    if (host_now() == NULL || status != MICA_OK || *refusal_out != 0 || !writes)
        return status;
    look_at(parts, count);
    return point(false, true, error, unknown_out);
}

enum mica_status
__wrap_mica_store_call_commit(struct mica_store *store,
                              struct mica_kept_call *call,
                              struct mica_text answers,
                              struct mica_text round_reply, int64_t now,
                              int64_t lease_ms, struct mica_error *error)
{
    struct own *own = sim_own();
    enum mica_status status;

    own->commits = call;
    status = __real_mica_store_call_commit(store, call, answers, round_reply,
                                           now, lease_ms, error);
    own->commits = NULL;
    return status;
}

enum mica_status
__wrap_mica_store_call_create(struct mica_store *store,
                              struct mica_kept_call *call, struct mica_text key,
                              int64_t now, int64_t lease_ms,
                              struct mica_arena *arena,
                              struct mica_error *error)
{
    struct own *own = sim_own();
    char id[MICA_STORE_CALL_ID_BYTES + 1];
    enum mica_status status;

    snprintf(id, sizeof id, "%.*s", MICA_ARG(call->id));
    own->claims = id;
    status = __real_mica_store_call_create(store, call, key, now, lease_ms,
                                           arena, error);
    own->claims = NULL;
    return status;
}

enum mica_status
__wrap_mica_store_call_claim(struct mica_store *store, struct mica_text id,
                             const struct mica_owner *owner, int64_t now,
                             int64_t lease_ms, struct mica_arena *arena,
                             struct mica_error *error,
                             struct mica_kept_call *call_out)
{
    struct own *own = sim_own();
    char idz[MICA_STORE_CALL_ID_BYTES + 1];
    enum mica_status status;

    snprintf(idz, sizeof idz, "%.*s", MICA_ARG(id));
    own->claims = idz;
    status = __real_mica_store_call_claim(store, id, owner, now, lease_ms,
                                          arena, error, call_out);
    own->claims = NULL;
    return status;
}

enum mica_status
__wrap_mica_store_call_claim_if(
    struct mica_store *store, struct mica_text id,
    const struct mica_owner *owner,
    bool (*may)(void *user, const struct mica_kept_call *call), void *user,
    int64_t now, int64_t lease_ms, struct mica_arena *arena,
    struct mica_error *error, struct mica_kept_call *call_out)
{
    struct own *own = sim_own();
    char idz[MICA_STORE_CALL_ID_BYTES + 1];
    enum mica_status status;

    snprintf(idz, sizeof idz, "%.*s", MICA_ARG(id));
    own->claims = idz;
    status = __real_mica_store_call_claim_if(store, id, owner, may, user, now,
                                             lease_ms, arena, error, call_out);
    own->claims = NULL;
    return status;
}

void
sim_calls_begin(void)
{
    call_count = 0;
    world.is_lost = has_lost;
}

void
sim_calls_end(void)
{
    for (size_t i = 0; i < call_count; i++) {
        free((void *)(uintptr_t)calls[i].journal.ptr);
        free((void *)(uintptr_t)calls[i].reply.ptr);
    }
    call_count = 0;
}
