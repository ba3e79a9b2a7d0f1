// SPDX-License-Identifier: Apache-2.0
//
// Creates a call: its row, the count of its owner, its idempotency key, its stream and its
// claim, as parts of one transaction.
#include "store/calls.h"

// ---- Sizes ---------------------------------------------------------------------

size_t
mica_store_call_fixed_bytes(const struct mica_kept_call *call)
{
    return call->owner.issuer.len + call->owner.subject.len +
           call->owner.endpoint.len + call->target.len + call->version.len +
           call->session.len + call->arguments.len + call->context.len;
}

size_t
mica_store_call_turn_bytes(const struct mica_kept_call *call)
{
    return call->journal.len + call->asks.len + call->reply.len +
           call->note.len + call->progress_log.len;
}

enum mica_status
mica_store_call_check(const struct mica_kept_call *call,
                      struct mica_error *error)
{
    const struct {
        const char *what;
        struct mica_text text;
    } texts[] = {{"The id", call->id},
                 {"The issuer", call->owner.issuer},
                 {"The subject", call->owner.subject},
                 {"The endpoint", call->owner.endpoint},
                 {"The target", call->target},
                 {"The version", call->version},
                 {"The arguments", call->arguments},
                 {"The context", call->context},
                 {"What is asked", call->asks},
                 {"The reply", call->reply},
                 {"The note", call->note},
                 {"What is told", call->progress_log}};

    for (size_t i = 0; i < MICA_COUNT(texts); i++)
        MICA_TRY(mica_store_text(texts[i].text, texts[i].what, error));
    if (call->id.len == 0 || call->id.len > MICA_STORE_CALL_ID_BYTES)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The id of a call has 1 to %d bytes, not %zu.",
                              MICA_STORE_CALL_ID_BYTES, call->id.len);
    if (call->session.len != 0 &&
        call->session.len != sizeof(struct mica_store_session_key))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The session of a call is named by its key, 32 "
                              "bytes, not by %zu.",
                              call->session.len);
    return MICA_OK;
}

// ---- Limits --------------------------------------------------------------------

static bool
has_capacity(const struct mica_store *store, int64_t calls, int64_t bytes,
             const int64_t totals[MICA_STORE_COUNTERS])
{
    return totals[MICA_COUNT_CALLS] + calls <= (int64_t)store->limits.calls &&
           totals[MICA_COUNT_CALL_BYTES] + bytes <=
               (int64_t)store->limits.all_call_bytes;
}

// ---- Parts ---------------------------------------------------------------------

static const struct mica_store_operation session_lives = {
    .name = "session_lives",
    .takes = "bn",
    .steps = {{.sql = "SELECT 1 FROM sessions WHERE key = ?1 AND expires > ?2",
               .gives = "n",
               .refusal = MICA_STORE_NO_SESSION}}};

// Checks that the session exists, before expired calls are removed for the new one.
static enum mica_status
need_session(struct mica_store *store, const struct mica_kept_call *call,
             int64_t now, struct mica_error *error)
{
    unsigned refusal = 0;

    if (call == NULL || call->session.len == 0)
        return MICA_OK;
    const union mica_store_value values[] = {MICA_STORE_TEXT(call->session),
                                             MICA_STORE_NUMBER(now)};
    MICA_TRY(mica_store_do(store, &session_lives, values, NULL, NULL, error,
                           &refusal));
    return refusal == 0 ? MICA_OK : mica_store_no_session(error);
}

enum mica_status
mica_store_calls_room(struct mica_store *store,
                      const struct mica_kept_call *begins, int64_t bytes,
                      int64_t now, struct mica_error *error)
{
    int64_t totals[MICA_STORE_COUNTERS], calls = begins != NULL;
    size_t removed;

    MICA_TRY(mica_store_totals(store, now, error, totals));
    if (has_capacity(store, calls, bytes, totals))
        return MICA_OK;
    MICA_TRY(need_session(store, begins, now, error));
    MICA_TRY(mica_store_calls_expire(store, now, MICA_STORE_EXPIRE_BATCH, error,
                                     &removed));
    MICA_TRY(mica_store_totals(store, MICA_STORE_TOTALS_WRITE, error, totals));
    if (has_capacity(store, calls, bytes, totals))
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "The server keeps as many calls as it may, %zu, or "
                          "as many bytes of them, %zu. Wait until some have "
                          "expired.",
                          store->limits.calls, store->limits.all_call_bytes);
}

static const struct mica_store_operation owner_add = {
    .name = "owner_add",
    .writes = true,
    .takes = "bn",
    .steps = {{.sql = "INSERT INTO callers (owner, calls) VALUES (?1, 1)"
                      " ON CONFLICT (owner) DO UPDATE"
                      " SET calls = callers.calls + 1"
                      " WHERE callers.calls < ?2",
               .refusal = MICA_STORE_OWNER_IS_FULL}}};

enum { // indexes of those values
    OWNER = 1,
    ENDED = 4,
    ROUND = 7,
    TOKEN = 13,
    BYTES = 15
};

static void
count_begun(struct mica_store *store, const struct mica_store_part *part)
{
    const union mica_store_value *values = part->values;

    mica_store_count(store, MICA_COUNT_CALLS, 1);
    mica_store_count(store, MICA_COUNT_OPEN_CALLS, 1 - values[ENDED].number);
    mica_store_count(store, MICA_COUNT_CALL_BYTES, values[BYTES].number);
    mica_store_count(store, MICA_COUNT_ROUNDS, values[ROUND].number);
}

static const struct mica_store_operation call_begin = {
    .name = "call_begin",
    .writes = true,
    .takes = "tbnnnnnnnnnnnnnnbnnnnttttttbtttt"
             "bntt",
    .steps =
        {{.sql =
              "INSERT INTO calls (id, endpoint, owner, build, wakes,"
              " ended, created, state, round, changed, expires, due,"
              " fence, attempts, token, kept, bytes, grown, session,"
              " stream, held, way, offer, target, version, issuer,"
              " subject, arguments, context, journal, asks, reply,"
              " note, told, answers, round_bytes, round_reply) VALUES (?1, ?36, ?2,"
              " ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
              " ?15, ?16, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,"
              " ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35)"
              " ON CONFLICT (id) DO NOTHING",
          .refusal = MICA_STORE_ID_IS_USED}},
    .done = {.sql = "SELECT 1 FROM calls WHERE id = ?1 AND token = ?14",
             .gives = "n"},
    .count = count_begun};

// The key belongs to the owner and target. A key whose call is gone or expired is free.
// ?1 hash, ?2 id, ?3 now
static const struct mica_store_operation key_set = {
    .name = "key_set",
    .writes = true,
    .takes = "btn",
    .steps = {{.sql = "INSERT INTO call_keys (hash, call) SELECT ?1, c.number"
                      " FROM calls AS c WHERE c.id = ?2 ON CONFLICT (hash)"
                      " DO UPDATE SET call = excluded.call WHERE NOT EXISTS"
                      " (SELECT 1 FROM calls AS o"
                      " WHERE o.number = call_keys.call AND o.expires > ?3)",
               .refusal = MICA_STORE_KEY_IS_USED}}};

// While the call is open, the events of its stream do not age.
// ?1 session, ?2 stream, ?3 id
static const struct mica_store_operation call_answers = {
    .name = "call_answers",
    .writes = true,
    .takes = "bnt",
    .steps = {{.sql = "UPDATE streams SET call = ?3"
                      " WHERE session = ?1 AND stream = ?2"},
              {.sql = "UPDATE events SET ages = 9223372036854775807"
                      " WHERE session = ?1 AND stream = ?2"},
              {.sql = "UPDATE sessions SET idle = 9223372036854775807"
                      " WHERE key = ?1"}}};

// ?1 id, ?2 lease, ?3 holder, ?4 token
static const struct mica_store_operation claim_new = {
    .name = "claim_new",
    .writes = true,
    .takes = "tnnn",
    .steps = {{.sql = "INSERT INTO claims (call, fence, holder, lease, wakes,"
                      " attempts, token) SELECT number, 1, ?3, ?2, ?2, 0, ?4"
                      " FROM calls WHERE id = ?1"}}};

static int64_t
next_run_of(const struct mica_kept_call *call, bool ended, int64_t now)
{
    if (ended)
        return call->expires;
    if (call->due == MICA_STORE_CALL_CANCELLED)
        return 0;
    if (call->state == MICA_CALL_WORKING)
        return now + MICA_STORE_CALL_GRACE_MS;
    return call->due < call->expires ? call->due : call->expires;
}

static void
fill_row(struct mica_store_beginning *beginning)
{
    const struct mica_kept_call *call = beginning->call;
    bool ended = call->state >= MICA_CALL_COMPLETED;
    bool answered = beginning->round_reply.len > 0,
         free = beginning->lease == 0;
    size_t kept =
        mica_store_call_fixed_bytes(call) + beginning->round_reply.len;
    const struct mica_store_build build = {.endpoint = call->owner.endpoint,
                                           .kind = (int)call->kind,
                                           .target = call->target,
                                           .version = call->version};
    struct mica_text hash = {"", 0};

    if (answered)
        hash =
            mica_store_answers_of(beginning->answers, beginning->answers_hash);
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(call->id),
        MICA_STORE_TEXT(
            mica_store_caller_of(&call->owner, beginning->owner_hash)),
        MICA_STORE_NUMBER(ended ? 0 : mica_store_build_number(&build)),
        MICA_STORE_NUMBER(next_run_of(call, ended, beginning->now)),
        MICA_STORE_NUMBER(ended),
        MICA_STORE_NUMBER(call->created),
        MICA_STORE_NUMBER((int64_t)call->state),
        MICA_STORE_NUMBER(answered),
        MICA_STORE_NUMBER(beginning->now),
        MICA_STORE_NUMBER(call->expires),
        MICA_STORE_NUMBER(call->due),
        MICA_STORE_NUMBER(free),
        MICA_STORE_NUMBER(free ? (int64_t)call->lost_claims : 0),
        MICA_STORE_NUMBER(mica_store_token()),
        MICA_STORE_NUMBER((int64_t)kept),
        MICA_STORE_NUMBER((int64_t)(kept + mica_store_call_turn_bytes(call))),
        MICA_STORE_TEXT(call->session),
        MICA_STORE_NUMBER(call->stream),
        MICA_STORE_NUMBER(call->session.len > 0 && !ended),
        MICA_STORE_NUMBER(call->mode),
        MICA_STORE_NUMBER(call->kind),
        MICA_STORE_TEXT(call->target),
        MICA_STORE_TEXT(call->version),
        MICA_STORE_TEXT(call->owner.issuer),
        MICA_STORE_TEXT(call->owner.subject),
        MICA_STORE_TEXT(call->arguments),
        MICA_STORE_TEXT(call->context),
        MICA_STORE_TEXT(call->journal),
        MICA_STORE_TEXT(call->asks),
        MICA_STORE_TEXT(call->reply),
        MICA_STORE_TEXT(call->note),
        MICA_STORE_TEXT(call->progress_log),
        MICA_STORE_TEXT(hash),
        MICA_STORE_NUMBER((int64_t)beginning->round_reply.len),
        MICA_STORE_TEXT(beginning->round_reply),
        MICA_STORE_TEXT(call->owner.endpoint)};

    _Static_assert(MICA_COUNT(values) <= MICA_COUNT(beginning->values), "");
    memcpy(beginning->values, values, sizeof values);
}

// Adds the parts of a stream; its session exists.
static size_t
add_stream(struct mica_store_beginning *beginning,
           struct mica_store_part *parts_out)
{
    const struct mica_kept_call *call = beginning->call;

    beginning->stream[0].text = call->session;
    beginning->stream[1].number = call->stream;
    beginning->stream[2].text = call->id;
    parts_out[0] =
        (struct mica_store_part){&call_answers, beginning->stream, NULL};
    return 1;
}

static size_t
add_claim(struct mica_store *store, struct mica_store_beginning *beginning,
          struct mica_store_part *parts_out)
{
    beginning->claim[0].text = beginning->call->id;
    beginning->claim[1].number = beginning->lease;
    beginning->claim[2].number = mica_store_node(store);
    beginning->claim[3].number = beginning->values[TOKEN].number;
    parts_out[0] = (struct mica_store_part){&claim_new, beginning->claim, NULL};
    return 1;
}

size_t
mica_store_beginning_parts(struct mica_store *store,
                           struct mica_store_beginning *beginning,
                           struct mica_store_part *parts_out)
{
    const struct mica_kept_call *call = beginning->call;
    size_t count = 0;

    fill_row(beginning);
    beginning->session[0].text = call->session;
    beginning->session[1].number = beginning->now;
    beginning->owner[0] = beginning->values[OWNER];
    beginning->owner[1].number = (int64_t)store->limits.owner_calls;
    if (call->session.len > 0)
        parts_out[count++] =
            (struct mica_store_part){&session_lives, beginning->session, NULL};
    if (beginning->owner[0].text.len > 0)
        parts_out[count++] =
            (struct mica_store_part){&owner_add, beginning->owner, NULL};
    parts_out[count++] = (struct mica_store_part){
        &call_begin, beginning->values, beginning->given};
    if (beginning->key.len > 0) {
        beginning->named[0].text =
            mica_store_call_key_of(call, beginning->key, beginning->key_hash);
        beginning->named[1].text = call->id;
        beginning->named[2].number = beginning->now;
        parts_out[count++] =
            (struct mica_store_part){&key_set, beginning->named, NULL};
    }
    if (call->session.len > 0)
        count += add_stream(beginning, &parts_out[count]);
    if (beginning->lease != 0)
        count += add_claim(store, beginning, &parts_out[count]);
    return count;
}

enum mica_status
mica_store_beginning_refused(struct mica_store *store, unsigned refusal,
                             struct mica_error *error)
{
    if (refusal == MICA_STORE_NO_SESSION)
        return mica_store_no_session(error);
    if (refusal == MICA_STORE_ID_IS_USED)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "There is a call with that id already.");
    if (refusal == MICA_STORE_KEY_IS_USED)
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "A call was begun with that idempotency key "
                              "already.");
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "%zu calls of this caller are open or kept, as many "
                          "as there may be. Finish or cancel one, or wait "
                          "until one expires.",
                          store->limits.owner_calls);
}

// ---- Create --------------------------------------------------------------------

// ?1 hash, ?2 now
static const struct mica_store_operation key_find = {
    .name = "key_find",
    .takes = "bn",
    .steps = {{.sql = "SELECT " MICA_STORE_CALL_COLUMNS
                      " FROM call_keys AS n JOIN calls AS c"
                      " ON c.number = n.call"
                      " WHERE n.hash = ?1 AND c.expires > ?2",
               .gives = MICA_STORE_CALL_KINDS,
               .refusal = 1}}};

// Reads the call that has the same key, if there is one: then returns MICA_E_EXISTS.
static enum mica_status
find_same_key(struct mica_store *store, struct mica_text key, int64_t now,
              struct mica_arena *arena, struct mica_error *error,
              struct mica_kept_call *call)
{
    unsigned char hash[MICA_STORE_HASH_BYTES];
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(mica_store_call_key_of(call, key, hash)),
        MICA_STORE_NUMBER(now)};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned refusal;

    MICA_TRY(
        mica_store_do(store, &key_find, values, given, arena, error, &refusal));
    if (refusal != 0)
        return MICA_OK;
    mica_store_call_read(mica_store_given_row(&given[0], 0), true, call);
    return mica_store_beginning_refused(store, MICA_STORE_KEY_IS_USED, error);
}

static enum mica_status
call_begin_once(struct mica_store *store,
                struct mica_store_beginning *beginning,
                struct mica_error *error, unsigned *refusal_out)
{
    struct mica_store_part parts[MICA_STORE_BEGINNING_PARTS];
    struct mica_arena arena;
    enum mica_status status;
    size_t count = mica_store_beginning_parts(store, beginning, parts);

    mica_arena_init(&arena, 1 << 12);
    status =
        mica_store_perform(store, parts, count, &arena, error, refusal_out);
    mica_arena_fini(&arena);
    return status;
}

enum mica_status
mica_store_call_create(struct mica_store *store, struct mica_kept_call *call,
                       struct mica_text key, int64_t now, int64_t lease_ms,
                       struct mica_arena *arena, struct mica_error *error)
{
    struct mica_store_beginning beginning = {
        .call = call, .key = key, .now = now, .lease = now + lease_ms};
    size_t bytes =
        mica_store_call_fixed_bytes(call) + mica_store_call_turn_bytes(call);
    unsigned refusal;
    size_t removed;

    MICA_TRY(mica_store_call_check(call, error));
    if (lease_ms <= 0 || call->state != MICA_CALL_WORKING)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "A call begins as WORKING, with a lease.");
    if (key.len > 0)
        MICA_TRY(find_same_key(store, key, now, arena, error, call));
    if (bytes > store->limits.call_bytes)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The call has %zu bytes to keep; a call may "
                              "have %zu.",
                              bytes, store->limits.call_bytes);
    MICA_TRY(mica_store_calls_room(store, call, (int64_t)bytes, now, error));
    MICA_TRY(call_begin_once(store, &beginning, error, &refusal));
    if (refusal == MICA_STORE_OWNER_IS_FULL) {
        MICA_TRY(mica_store_calls_expire(store, now, MICA_STORE_EXPIRE_BATCH,
                                         error, &removed));
        MICA_TRY(call_begin_once(store, &beginning, error, &refusal));
    }
    if (refusal == MICA_STORE_KEY_IS_USED)
        MICA_TRY(find_same_key(store, key, now, arena, error, call));
    if (refusal != 0)
        return mica_store_beginning_refused(store, refusal, error);
    call->round = 0;
    call->changed = now;
    call->fence = 1;
    call->bytes = (int64_t)bytes;
    return MICA_OK;
}
