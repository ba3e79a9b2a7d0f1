// SPDX-License-Identifier: Apache-2.0
//
// Commits a turn under the fence of its claim: the state of the call, the reply of its
// round, and its events on the stream, in one transaction.
//
// The row of the call has the reply of the last round; a new reply moves the previous one
// to `rounds`. Rounds are numbered from 0 without a gap, and the store has the last ones.
#include <stdlib.h>

#include "store/calls.h"

enum {
    SOME =
        64 // events that one commit removes at most, if all streams have too many
};

// ---- SQL -----------------------------------------------------------------------

// ?1 id, ?2 fence, ?3 now, ?4 state, ?5 expires, ?6 due, ?7 lost claims (column attempts),
// ?8 mode (column way), ?9 journal, ?10 asks, ?11 reply, ?12 note, ?13 progress log (column
// told), ?14 the bytes of those five, ?15 whether a round was answered, ?16 answers, ?17 its
// reply, ?18 the bytes of that, ?19 token, ?20 and ?21 how many bytes and rounds a call may
// have, ?22 whether old rounds are removed for that
#define TAKES "tnnnnnnnbttttnnbtnnnnn"

#define IS_CLAIMED                                                  \
    "EXISTS (SELECT 1 FROM claims AS k WHERE k.call = calls.number" \
    " AND k.fence = ?2 AND calls.fence < ?2)"

#define MOVE_ROUND                                                            \
    {                                                                         \
        .sql = "INSERT INTO rounds (call, round, answers, bytes, reply)"      \
               " SELECT number, round - 1, answers, round_bytes, round_reply" \
               " FROM calls WHERE id = ?1 AND round > 0"                      \
               " AND length(answers) > 0 ON CONFLICT DO NOTHING"              \
    }

// Each form writes only the indexed columns that change: an index costs as much as a row.
#define WRITE(more)                                                            \
    {                                                                          \
        .sql =                                                                 \
            "UPDATE calls SET state = ?4, changed = ?3, expires = ?5,"         \
            " due = CASE WHEN due = " MICA_STORE_CANCELLED " THEN due ELSE ?6" \
            " END, attempts = ?7, journal = ?9, asks = ?10, reply = ?11,"      \
            " note = ?12, told = ?13, round = round + ?15,"                    \
            " answers = CASE WHEN ?15 = 1 THEN ?16 ELSE answers END,"          \
            " round_bytes = CASE WHEN ?15 = 1 THEN ?18 ELSE round_bytes END,"  \
            " round_reply = CASE WHEN ?15 = 1 THEN ?17 ELSE round_reply END,"  \
            " kept = kept + ?18, bytes = kept + ?18 + ?14,"                    \
            " grown = kept + ?18 + ?14 - bytes, token = ?19" more              \
            " WHERE id = ?1 AND ended = 0 AND kept + ?18 + ?14 <= ?20"         \
            " AND (?15 = 0 OR round < ?21 OR ?22 = 1)"                         \
            " AND " IS_CLAIMED " RETURNING number, round, bytes, grown",       \
        .gives = "nnnn", .refusal = MICA_STORE_CLAIM_IS_LOST                   \
    }

// The claim continues; the claim is released; the call ends.
#define GOES_ON ""
#define RELEASES                                                          \
    ", fence = ?2, way = ?8, wakes = CASE WHEN " MICA_STORE_SESSION_GONE( \
        "calls", "?3") " THEN 0 WHEN due = " MICA_STORE_CANCELLED         \
                       " THEN 0 WHEN ?4 = 1 THEN ?3 + 1000"               \
                       " WHEN ?6 < ?5 THEN ?6 ELSE ?5 END"
#define ENDS \
    ", fence = ?2, way = ?8, wakes = ?5, ended = 1, build = 0, held = 0"

#define DONE                                               \
    {                                                      \
        .sql = "SELECT number, round, bytes, 0 FROM calls" \
               " WHERE id = ?1 AND token = ?19",           \
        .gives = "nnnn"                                    \
    }

// Removes the oldest rounds, until the call is within its limits with the new round. In
// between, the column `grown` has the number of the last round to remove.
#define DROP_ROUNDS                                                            \
    {.sql = "UPDATE calls SET grown = (SELECT max(x.last) FROM"                \
            " (SELECT CASE WHEN ?15 = 1 THEN calls.round - ?21 ELSE -1 END"    \
            " AS last UNION ALL SELECT coalesce((SELECT y.round FROM"          \
            " (SELECT r.round, sum(r.bytes) OVER (ORDER BY r.round) AS gone"   \
            " FROM rounds AS r WHERE r.call = calls.number) AS y"              \
            " WHERE calls.kept + ?18 + ?14 - ?20 > 0"                          \
            " AND y.gone >= calls.kept + ?18 + ?14 - ?20"                      \
            " ORDER BY y.round LIMIT 1), -1)) AS x) WHERE id = ?1"},           \
        {.sql = "UPDATE calls SET kept = kept - (SELECT coalesce(sum(r.bytes)" \
                ", 0) FROM rounds AS r WHERE r.call = calls.number"            \
                " AND r.round <= calls.grown) WHERE id = ?1"},                 \
    {                                                                          \
        .sql = "DELETE FROM rounds WHERE call = (SELECT c.number FROM calls"   \
               " AS c WHERE c.id = ?1) AND round <= (SELECT c.grown"           \
               " FROM calls AS c WHERE c.id = ?1)"                             \
    }

enum form {
    CONTINUE,
    RELEASE,
    END
};

enum { // indexes of the values
    STATE = 3,
    ANSWERED = 14
};

// The last step writes the call; the step before, if there is one, removes rounds.
static void
count_commit(struct mica_store *store, const struct mica_store_part *part)
{
    int64_t answered = part->values[ANSWERED].number;
    unsigned last = 0;

    while (part->operation->steps[last + 1].sql != NULL)
        last++;
    const union mica_store_value *row =
        mica_store_given_row(&part->given[last], 0);
    mica_store_count(store, MICA_COUNT_CALL_BYTES, row[3].number);
    mica_store_count(
        store, MICA_COUNT_ROUNDS,
        answered - (last >= 3 ? (int64_t)part->given[last - 1].changed : 0));
    mica_store_count(store, MICA_COUNT_OPEN_CALLS,
                     part->values[STATE].number >= MICA_CALL_COMPLETED ? -1
                                                                       : 0);
}

#define OPERATION(name_, ...)                                       \
    {                                                               \
        .name = (name_), .writes = true, .takes = TAKES,            \
        .steps = {__VA_ARGS__}, .done = DONE, .count = count_commit \
    }

// By form: without a round, with one; then the same two with removal of old rounds.
static const struct mica_store_operation commits[][3] = {
    {OPERATION("call_commit", WRITE(GOES_ON)),
     OPERATION("call_commit", WRITE(RELEASES)),
     OPERATION("call_commit", WRITE(ENDS))},
    {OPERATION("call_commit", MOVE_ROUND, WRITE(GOES_ON)),
     OPERATION("call_commit", MOVE_ROUND, WRITE(RELEASES)),
     OPERATION("call_commit", MOVE_ROUND, WRITE(ENDS))},
    {OPERATION("call_commit", MOVE_ROUND, DROP_ROUNDS, WRITE(GOES_ON)),
     OPERATION("call_commit", MOVE_ROUND, DROP_ROUNDS, WRITE(RELEASES)),
     OPERATION("call_commit", MOVE_ROUND, DROP_ROUNDS, WRITE(ENDS))},
    {OPERATION("call_commit", DROP_ROUNDS, WRITE(GOES_ON)),
     OPERATION("call_commit", DROP_ROUNDS, WRITE(RELEASES)),
     OPERATION("call_commit", DROP_ROUNDS, WRITE(ENDS))}};

// After the end of a call the events of its stream age, unless another call sends there.
// ?1 id, ?2 now
#define ITS_SESSION                                     \
    "(SELECT c.session FROM calls AS c WHERE c.id = ?1" \
    " AND length(c.session) > 0)"
static const struct mica_store_operation call_let_go = {
    .name = "call_let_go",
    .writes = true,
    .takes = "tn",
    .steps = {{.sql = "UPDATE events SET ages = ?2 WHERE (session, stream) IN"
                      " (SELECT c.session, c.stream FROM calls AS c"
                      " WHERE c.id = ?1 AND length(c.session) > 0)"
                      " AND NOT EXISTS (SELECT 1 FROM calls AS o"
                      " WHERE o.session = events.session"
                      " AND o.stream = events.stream AND o.held = 1)"},
              {.sql = MICA_STORE_UPDATE_IDLE(ITS_SESSION, "?2")}}};

// The lease of a claim that continues. ?1 id, ?2 fence, ?3 lease, ?4 lost claims (column attempts)
static const struct mica_store_operation claim_continue = {
    .name = "claim_go_on",
    .writes = true,
    .takes = "tnnn",
    .steps = {{.sql = "UPDATE claims SET lease = ?3, wakes = ?3, attempts = ?4"
                      " WHERE fence = ?2 AND call = (SELECT c.number"
                      " FROM calls AS c WHERE c.id = ?1)",
               .refusal = MICA_STORE_CLAIM_IS_LOST}}};

// Why a commit was refused. ?1 id, ?2 fence
static const struct mica_store_operation commit_look = {
    .name = "call_commit_look",
    .takes = "tn",
    .steps = {{.sql = "SELECT kept, bytes FROM calls WHERE id = ?1"
                      " AND ended = 0 AND " IS_CLAIMED,
               .gives = "nn",
               .refusal = MICA_STORE_CLAIM_IS_LOST},
              {.sql = "SELECT r.bytes FROM rounds AS r JOIN calls AS c"
                      " ON c.number = r.call WHERE c.id = ?1 UNION ALL"
                      " SELECT c.round_bytes FROM calls AS c WHERE c.id = ?1"
                      " AND length(c.answers) > 0",
               .gives = "n"}}};

// ---- One commit ----------------------------------------------------------------

struct commit {
    struct mica_kept_call *call;
    struct mica_text answers, round_reply;
    int64_t now, lease_ms;
    enum form form;
    bool drops; // removes old rounds
    unsigned char answers_hash[32];
    union mica_store_value values[22], renewed[4], let_go[2];
    struct mica_store_given given[8];
    struct mica_store_beginning beginning;
    struct mica_store_append *appends; // of each event
    struct mica_store_close close;
    struct mica_store_part *parts;
    size_t count;
};

static size_t
event_count(const struct mica_kept_call *call)
{
    return call->turn_events != NULL ? call->turn_events->count : 0;
}

static void
fill_values(const struct mica_store *store, struct commit *commit)
{
    const struct mica_kept_call *call = commit->call;
    bool answered = commit->round_reply.len > 0;
    struct mica_text hash = {"", 0};

    if (answered)
        hash = mica_store_answers_of(commit->answers, commit->answers_hash);
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(call->id),
        MICA_STORE_NUMBER(call->fence),
        MICA_STORE_NUMBER(commit->now),
        MICA_STORE_NUMBER((int64_t)call->state),
        MICA_STORE_NUMBER(call->expires),
        MICA_STORE_NUMBER(call->due),
        MICA_STORE_NUMBER(call->lost_claims),
        MICA_STORE_NUMBER(call->mode),
        MICA_STORE_TEXT(call->journal),
        MICA_STORE_TEXT(call->asks),
        MICA_STORE_TEXT(call->reply),
        MICA_STORE_TEXT(call->note),
        MICA_STORE_TEXT(call->progress_log),
        MICA_STORE_NUMBER((int64_t)mica_store_call_turn_bytes(call)),
        MICA_STORE_NUMBER(answered),
        MICA_STORE_TEXT(hash),
        MICA_STORE_TEXT(commit->round_reply),
        MICA_STORE_NUMBER((int64_t)commit->round_reply.len),
        MICA_STORE_NUMBER(mica_store_token()),
        MICA_STORE_NUMBER((int64_t)store->limits.call_bytes),
        MICA_STORE_NUMBER((int64_t)store->limits.call_rounds),
        MICA_STORE_NUMBER(commit->drops)};

    _Static_assert(MICA_COUNT(values) == MICA_COUNT(commit->values), "");
    memcpy(commit->values, values, sizeof values);
}

static void
add_part(struct commit *commit, const struct mica_store_operation *operation,
         const union mica_store_value *values, struct mica_store_given *given)
{
    commit->parts[commit->count++] =
        (struct mica_store_part){operation, values, given};
}

static void
add_end(struct commit *commit)
{
    commit->let_go[0].text = commit->call->id;
    commit->let_go[1].number = commit->now;
    add_part(commit, &call_let_go, commit->let_go, NULL);
}

static void
add_turn(struct mica_store *store, struct commit *commit)
{
    bool answered = commit->round_reply.len > 0;
    unsigned row = commit->drops ? (answered ? 2u : 3u) : (answered ? 1u : 0u);

    fill_values(store, commit);
    add_part(commit, &commits[row][commit->form], commit->values,
             commit->given);
    if (commit->form == END)
        add_end(commit);
    if (commit->form != CONTINUE)
        return;
    commit->renewed[0].text = commit->call->id;
    commit->renewed[1].number = commit->call->fence;
    commit->renewed[2].number = commit->now + commit->lease_ms;
    commit->renewed[3].number = commit->call->lost_claims;
    add_part(commit, &claim_continue, commit->renewed, NULL);
}

static void
add_beginning(struct mica_store *store, struct commit *commit)
{
    commit->beginning = (struct mica_store_beginning){
        .call = commit->call,
        .answers = commit->answers,
        .round_reply = commit->round_reply,
        .now = commit->now,
        .lease = commit->form == CONTINUE ? commit->now + commit->lease_ms : 0};
    commit->count += mica_store_beginning_parts(store, &commit->beginning,
                                                commit->parts + commit->count);
    if (commit->form == END && commit->call->session.len > 0)
        add_end(commit);
}

static void
add_stream(struct mica_store *store, struct commit *commit,
           const struct mica_store_session_key *key)
{
    const struct mica_kept_call *call = commit->call;

    for (size_t i = 0; i < event_count(call); i++) {
        mica_store_append_part(
            store, key, call->stream, commit->now, call->turn_events->events[i],
            &commit->appends[i], &commit->parts[commit->count]);
        // All events have one token: the stream has the token of its last event.
        commit->appends[i].values[5] = commit->appends[0].values[5];
        commit->count++;
    }
    if (event_count(call) > 0 && call->turn_events->closes) {
        mica_store_close_part(key, call->stream, commit->now, &commit->close,
                              &commit->parts[commit->count]);
        commit->count++;
    }
}

// Copies what the row has become into the call, and notes the released claim, whose row the
// next claim deletes.
static void
apply_turn(struct mica_store *store, struct commit *commit)
{
    bool answered = commit->round_reply.len > 0;
    unsigned step = (commit->drops ? 3u : 0u) + (answered ? 1u : 0u);
    const struct mica_store_given *written =
        &commit->given[commit->given[step].count > 0 ? step : 0];
    const union mica_store_value *row = mica_store_given_row(written, 0);

    commit->call->round = (uint32_t)row[1].number;
    commit->call->bytes = row[2].number;
    if (commit->form == CONTINUE)
        return;
    pthread_mutex_lock(&store->lock);
    if (store->released_count < MICA_STORE_RELEASED)
        store->released[store->released_count++] = row[0].number;
    pthread_mutex_unlock(&store->lock);
}

static void
apply_beginning(struct commit *commit)
{
    struct mica_kept_call *call = commit->call;

    call->fence = 1;
    call->round = commit->round_reply.len > 0;
    call->bytes =
        (int64_t)(mica_store_call_fixed_bytes(call) +
                  mica_store_call_turn_bytes(call) + commit->round_reply.len);
}

static void
apply_commit(struct mica_store *store, struct commit *commit)
{
    struct mica_kept_call *call = commit->call;
    size_t events = event_count(call);
    const union mica_store_value *newest;

    if (call->begins)
        apply_beginning(commit);
    else
        apply_turn(store, commit);
    call->changed = commit->now;
    if (commit->form != CONTINUE)
        call->fence = 0;
    if (events == 0)
        return;
    newest = mica_store_given_row(&commit->appends[events - 1].given[0], 0);
    call->turn_events->first = newest[0].number - (int64_t)events + 1;
}

static enum mica_status
commit_perform(struct mica_store *store, struct commit *commit,
               struct mica_error *error, unsigned *refusal_out)
{
    const struct mica_kept_call *call = commit->call;
    struct mica_store_session_key key;
    struct mica_arena arena;
    enum mica_status status;

    commit->count = 0;
    if (call->begins)
        add_beginning(store, commit);
    else
        add_turn(store, commit);
    if (call->session.len > 0 || event_count(call) > 0) {
        MICA_TRY(mica_store_read_key(call->session, error, &key));
        add_stream(store, commit, &key);
    }
    mica_arena_init(&arena, 16 << 20);
    status = mica_store_perform(store, commit->parts, commit->count, &arena,
                                error, refusal_out);
    if (status == MICA_OK && *refusal_out == 0)
        apply_commit(store, commit);
    mica_arena_fini(&arena);
    return status;
}

// ---- Limits --------------------------------------------------------------------

static enum mica_status
refuse_large(const struct mica_store *store, int64_t bytes,
             struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "The call has %lld bytes to keep; a call may have "
                          "%zu.",
                          (long long)bytes, store->limits.call_bytes);
}

// How many bytes the call has, and would have after the commit. The commit removes the
// oldest rounds if they are too many, or if the call would be too large.
static void
rounds_measure(const struct mica_store *store, const struct commit *commit,
               const struct mica_store_given given[2], int64_t *before_out,
               int64_t *after_out)
{
    const union mica_store_value *row = mica_store_given_row(&given[0], 0);
    bool answered = commit->round_reply.len > 0;
    size_t rounds = given[1].count;

    *before_out = row[1].number;
    *after_out =
        row[0].number + (int64_t)(mica_store_call_turn_bytes(commit->call) +
                                  commit->round_reply.len);
    // The rounds are in their order; the newest stays.
    for (size_t i = 0; i + !answered < rounds; i++) {
        if (*after_out <= (int64_t)store->limits.call_bytes &&
            rounds - i + answered <= store->limits.call_rounds)
            return;
        *after_out -= mica_store_given_row(&given[1], i)[0].number;
    }
}

static enum mica_status
commit_measure(struct mica_store *store, const struct commit *commit,
               struct mica_error *error, int64_t *before_out,
               int64_t *after_out)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(commit->call->id),
        MICA_STORE_NUMBER(commit->call->fence)};
    struct mica_store_given given[2] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    mica_arena_init(&arena, 1 << 20);
    status = mica_store_do(store, &commit_look, values, given, &arena, error,
                           &refusal);
    if (status == MICA_OK && refusal != 0)
        status = mica_store_claim_lost(error);
    if (status == MICA_OK)
        rounds_measure(store, commit, given, before_out, after_out);
    mica_arena_fini(&arena);
    return status;
}

// Checks the limit of all calls together. A call that ends may exceed it: its effects
// cannot be undone, so the store must have its reply. Reads by how much a call grows only
// near the limit.
static enum mica_status
check_all_bytes(struct mica_store *store, const struct commit *commit,
                struct mica_error *error)
{
    int64_t most = (int64_t)(mica_store_call_turn_bytes(commit->call) +
                             commit->round_reply.len);
    int64_t totals[MICA_STORE_COUNTERS], before, after;

    if (commit->form == END)
        return MICA_OK;
    MICA_TRY(mica_store_totals(store, commit->now, error, totals));
    if (totals[MICA_COUNT_CALL_BYTES] + most <=
        (int64_t)store->limits.all_call_bytes)
        return MICA_OK;
    MICA_TRY(commit_measure(store, commit, error, &before, &after));
    if (after <= before || after > (int64_t)store->limits.call_bytes)
        return MICA_OK; // it does not grow, or its own limit refuses it later
    return mica_store_calls_room(store, NULL, after - before, commit->now,
                                 error);
}

static enum mica_status
check_new_call(struct mica_store *store, const struct commit *commit,
               struct mica_error *error)
{
    const struct mica_kept_call *call = commit->call;
    int64_t bytes =
        (int64_t)(mica_store_call_fixed_bytes(call) +
                  mica_store_call_turn_bytes(call) + commit->round_reply.len);

    if (bytes > (int64_t)store->limits.call_bytes)
        return refuse_large(store, bytes, error);
    return mica_store_calls_room(store, call, bytes, commit->now, error);
}

// ---- Commit --------------------------------------------------------------------

// The commit was refused because the claim was lost or the call is too large. In the second
// case commits again and removes old rounds.
static enum mica_status
drop_and_perform(struct mica_store *store, struct commit *commit,
                 struct mica_error *error, unsigned *refusal_out)
{
    int64_t before, after;

    MICA_TRY(commit_measure(store, commit, error, &before, &after));
    if (after > (int64_t)store->limits.call_bytes)
        return refuse_large(store, after, error);
    commit->drops = true;
    return commit_perform(store, commit, error, refusal_out);
}

static enum mica_status
commit_refused(struct mica_store *store, const struct commit *commit,
               unsigned refusal, struct mica_error *error)
{
    if (refusal == MICA_STORE_CLAIM_IS_LOST)
        return mica_store_claim_lost(error);
    if (refusal == MICA_STORE_NO_STREAM)
        return mica_store_no_stream(commit->call->stream, error);
    return mica_store_beginning_refused(store, refusal, error);
}

static enum mica_status
try_commit(struct mica_store *store, struct commit *commit,
           struct mica_error *error)
{
    unsigned refusal;
    size_t removed;

    MICA_TRY(commit->call->begins ? check_new_call(store, commit, error)
                                  : check_all_bytes(store, commit, error));
    MICA_TRY(commit_perform(store, commit, error, &refusal));
    if (refusal == MICA_STORE_OWNER_IS_FULL) {
        MICA_TRY(mica_store_calls_expire(
            store, commit->now, MICA_STORE_EXPIRE_BATCH, error, &removed));
        MICA_TRY(commit_perform(store, commit, error, &refusal));
    }
    if (refusal == MICA_STORE_CLAIM_IS_LOST)
        MICA_TRY(drop_and_perform(store, commit, error, &refusal));
    if (refusal != 0)
        return commit_refused(store, commit, refusal, error);
    if (event_count(commit->call) > 0) // they are committed, even if this fails
        (void)mica_store_events_trim(store, commit->now, SOME, error, &removed);
    return MICA_OK;
}

static enum mica_status
commit_check(const struct mica_store *store, const struct mica_kept_call *call,
             struct mica_text round_reply, struct mica_error *error)
{
    MICA_TRY(mica_store_call_check(call, error));
    MICA_TRY(mica_store_text(round_reply, "The reply of the round", error));
    for (size_t i = 0; i < event_count(call); i++) {
        if (call->turn_events->events[i].len > store->limits.stream_bytes)
            return mica_store_too_large(store, call->turn_events->events[i],
                                        error);
    }
    return MICA_OK;
}

enum mica_status
mica_store_call_commit(struct mica_store *store, struct mica_kept_call *call,
                       struct mica_text answers, struct mica_text round_reply,
                       int64_t now, int64_t lease_ms, struct mica_error *error)
{
    struct mica_kept_call written = *call;
    struct commit commit = {.call = &written,
                            .answers = answers,
                            .round_reply = round_reply,
                            .now = now,
                            .lease_ms = lease_ms,
                            .drops = !call->begins &&
                                     call->round >= store->limits.call_rounds,
                            .form = call->state >= MICA_CALL_COMPLETED ? END
                                    : lease_ms > 0 ? CONTINUE
                                                   : RELEASE};
    enum mica_status status;

    if (call->turn_events != NULL)
        call->turn_events->first = 0;
    MICA_TRY(commit_check(store, call, round_reply, error));
    commit.appends = calloc(event_count(call) + 1, sizeof *commit.appends);
    commit.parts = calloc(event_count(call) + MICA_STORE_BEGINNING_PARTS + 3,
                          sizeof *commit.parts);
    status = commit.appends != NULL && commit.parts != NULL
                 ? try_commit(store, &commit, error)
                 : mica_error_set(error, MICA_E_LIMIT, "",
                                  "No memory is left to keep a call.");
    free(commit.appends);
    free(commit.parts);
    if (status == MICA_OK)
        *call = written;
    return status;
}
