// SPDX-License-Identifier: Apache-2.0
//
// Step 1 of a takeover: reads calls there, with their sessions, and writes them here as the
// parts of one transaction. A part has no effect if its row exists already: a call that is here
// already has another token than the copy would have.
#include "store/store_takeover.h"

// ---- Parts -----------------------------------------------------------------------

void
mica_takeover_reset(struct takeover *over)
{
    mica_arena_reset(&over->arena);
    over->parts = NULL;
    over->part_count = over->part_room = 0;
}

static bool
grow_parts(struct takeover *over)
{
    size_t more = over->part_room == 0 ? 256 : over->part_room * 4;
    struct mica_store_part *parts;

    if (over->part_count < over->part_room)
        return true;
    parts = mica_arena_zero(&over->arena, more, sizeof *parts);
    if (parts == NULL)
        return false;
    if (over->part_count > 0)
        memcpy(parts, over->parts, over->part_count * sizeof *parts);
    over->parts = parts;
    over->part_room = more;
    return true;
}

struct mica_store_given *
mica_takeover_add(struct takeover *over,
                  const struct mica_store_operation *operation,
                  const union mica_store_value *values, size_t count)
{
    union mica_store_value *copy =
        mica_arena_zero(&over->arena, count + 1, sizeof *copy);
    struct mica_store_given *given =
        mica_arena_zero(&over->arena, MICA_STORE_STEPS, sizeof *given);

    if (copy == NULL || given == NULL || !grow_parts(over))
        return NULL;
    if (count > 0)
        memcpy(copy, values, count * sizeof *copy);
    over->parts[over->part_count++] =
        (struct mica_store_part){operation, copy, given};
    return given;
}

static enum mica_status
no_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "There is no memory to take calls over.");
}

enum mica_status
mica_takeover_perform(struct takeover *over, struct mica_store *store,
                      struct mica_error *error)
{
    over->refusal = 0;
    if (over->arena.overflow)
        return no_memory(error);
    if (over->part_count == 0)
        return MICA_OK;
    return mica_store_perform(store, over->parts, over->part_count,
                              &over->arena, error, &over->refusal);
}

// ---- Sessions --------------------------------------------------------------------

#define SESSION_COLUMNS                                                     \
    "key, issuer, subject, revision, client_info, capabilities, log_level," \
    " created, seen, expires, last_stream, party, listens, endpoint"
#define SESSION_KINDS "btttttnnnnnbnt"
enum {
    SESSION_WIDTH = 14
};

// ?1 session
static const struct mica_store_operation session_export = {
    .name = "session_export",
    .takes = "b",
    .steps = {{.sql = "SELECT " SESSION_COLUMNS ", idle"
                      " FROM sessions WHERE key = ?1",
               .gives = SESSION_KINDS "n"},
              {.sql = "SELECT uri FROM subscriptions WHERE session = ?1",
               .gives = "t"},
              {.sql = "SELECT stream FROM streams WHERE session = ?1"
                      " ORDER BY stream",
               .gives = "n"}}};

static void
count_session(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_count(store, MICA_COUNT_SESSIONS, (int64_t)part->given[2].count);
}

// A new session has the mark idle = -2 until all its rows are here.
static const struct mica_store_operation session_import = {
    .name = "session_import",
    .writes = true,
    .takes = SESSION_KINDS,
    .steps =
        {{.sql = "INSERT INTO parties (party, sessions) SELECT ?12, 1"
                 " WHERE length(?12) > 0 AND NOT EXISTS (SELECT 1"
                 " FROM sessions WHERE key = ?1) ON CONFLICT (party)"
                 " DO UPDATE SET sessions = parties.sessions + 1"},
         // Otherwise its next stream here would get a number that it has there.
         {.sql = "INSERT INTO sessions (" SESSION_COLUMNS ", idle) VALUES"
                 " (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
                 " ?14, -2) ON CONFLICT (key) DO UPDATE"
                 " SET last_stream = excluded.last_stream"
                 " WHERE sessions.last_stream < excluded.last_stream"},
         {.sql = "SELECT 1 FROM sessions WHERE key = ?1 AND idle = -2",
          .gives = "n"}},
    .count = count_session};

static void
count_subscription(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_count(store, MICA_COUNT_SUBSCRIPTIONS,
                     (int64_t)part->given[0].changed);
}

// ?1 session, ?2 URI
static const struct mica_store_operation subscription_import = {
    .name = "subscription_import",
    .writes = true,
    .takes = "bt",
    .steps = {{.sql = "INSERT INTO subscriptions (session, uri) SELECT ?1, ?2"
                      " WHERE EXISTS (SELECT 1 FROM sessions"
                      " WHERE key = ?1 AND idle = -2) ON CONFLICT DO NOTHING"}},
    .count = count_subscription};

// ?1 session, ?2 idle
static const struct mica_store_operation session_is_here = {
    .name = "session_is_here",
    .writes = true,
    .takes = "bn",
    .steps = {{.sql = "UPDATE sessions SET idle = ?2"
                      " WHERE key = ?1 AND idle = -2"}}};

// ---- Streams ---------------------------------------------------------------------

// ?1 session, ?2 stream
static const struct mica_store_operation stream_export = {
    .name = "stream_export",
    .takes = "bn",
    .steps = {{.sql = "SELECT last, closed, request, lease, call, holder, total"
                      " FROM streams WHERE session = ?1 AND stream = ?2",
               .gives = "nntntnn"},
              {.sql = "SELECT sequence, created, bytes, data, ages, total"
                      " FROM events WHERE session = ?1 AND stream = ?2"
                      " ORDER BY sequence",
               .gives = "nnnbnn"}}};

static void
count_stream(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_count(store, MICA_COUNT_STREAMS, (int64_t)part->given[0].count);
}

// A stream with that number that was opened here for another request stays unchanged.
// ?1 session, ?2 stream, ?3 to ?9 as above
static const struct mica_store_operation stream_import = {
    .name = "stream_import",
    .writes = true,
    .takes = "bnnntntnn",
    .steps =
        {{.sql = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM streams"
                 " WHERE session = ?1 AND stream = ?2)",
          .gives = "n"},
         {.sql = "INSERT INTO streams (session, stream, last, closed, request,"
                 " lease, call, holder, total, token) VALUES (?1, ?2, ?3, ?4,"
                 " ?5, ?6, ?7, ?8, ?9, 0) ON CONFLICT (session, stream)"
                 " DO UPDATE SET last = excluded.last, call = excluded.call,"
                 " total = excluded.total"
                 " WHERE streams.request = excluded.request"
                 " AND streams.last <= excluded.last"}},
    .count = count_stream};

static void
count_event(struct mica_store *store, const struct mica_store_part *part)
{
    int64_t changed = (int64_t)part->given[0].changed;

    mica_store_count(store, MICA_COUNT_EVENTS, changed);
    mica_store_count(store, MICA_COUNT_EVENT_BYTES,
                     changed * part->values[4].number);
}

// ?1 session, ?2 stream, ?3 to ?8 as above, ?9 request, ?10 last
static const struct mica_store_operation event_import = {
    .name = "event_import",
    .writes = true,
    .takes = "bnnnnbnntn",
    .steps = {{.sql = "INSERT INTO events (session, stream, sequence, created,"
                      " bytes, data, ages, total) SELECT ?1, ?2, ?3, ?4, ?5,"
                      " ?6, ?7, ?8 WHERE EXISTS (SELECT 1 FROM streams"
                      " WHERE session = ?1 AND stream = ?2 AND request = ?9"
                      " AND last = ?10) ON CONFLICT DO NOTHING"}},
    .count = count_event};

static enum mica_status
add_stream(struct takeover *over, struct mica_text session, int64_t number,
           struct mica_error *error)
{
    const union mica_store_value key[] = {MICA_STORE_TEXT(session),
                                          MICA_STORE_NUMBER(number)};
    struct mica_store_given given[2] = {{.count = 0}};
    union mica_store_value values[10];
    const union mica_store_value *stream;
    unsigned refusal;

    MICA_TRY(mica_store_do(over->from, &stream_export, key, given, &over->arena,
                           error, &refusal));
    if (given[0].count == 0)
        return MICA_OK;
    stream = mica_store_given_row(&given[0], 0);
    memcpy(values, key, sizeof key);
    memcpy(values + 2, stream, 7 * sizeof *values);
    (void)mica_takeover_add(over, &stream_import, values, 9);
    for (size_t i = 0; i < given[1].count; i++) {
        memcpy(values + 2, mica_store_given_row(&given[1], i),
               6 * sizeof *values);
        values[8] = stream[2];
        values[9] = stream[0];
        (void)mica_takeover_add(over, &event_import, values, 10);
    }
    return MICA_OK;
}

// Was the session added before? Several calls of a batch may have the same session.
static bool
was_added(struct takeover *over, struct mica_text session)
{
    for (size_t i = 0; i < over->session_count; i++) {
        if (mica_text_equal(over->sessions[i], session))
            return true;
    }
    over->sessions[over->session_count++] = session;
    return false;
}

// Adds a session with its subscriptions, streams and events, also if an earlier batch did.
static enum mica_status
add_session(struct takeover *over, struct mica_text session,
            struct mica_error *error)
{
    const union mica_store_value key[] = {MICA_STORE_TEXT(session)};
    struct mica_store_given given[3] = {{.count = 0}};
    union mica_store_value values[2] = {MICA_STORE_TEXT(session)};
    const union mica_store_value *row;
    unsigned refusal;

    if (was_added(over, session))
        return MICA_OK;
    MICA_TRY(mica_store_do(over->from, &session_export, key, given,
                           &over->arena, error, &refusal));
    if (given[0].count == 0)
        return MICA_OK; // the session has ended there
    row = mica_store_given_row(&given[0], 0);
    (void)mica_takeover_add(over, &session_import, row, SESSION_WIDTH);
    for (size_t i = 0; i < given[1].count; i++) {
        values[1] = mica_store_given_row(&given[1], i)[0];
        (void)mica_takeover_add(over, &subscription_import, values, 2);
    }
    values[1] = row[SESSION_WIDTH];
    (void)mica_takeover_add(over, &session_is_here, values, 2);
    for (size_t i = 0; i < given[2].count; i++)
        MICA_TRY(add_stream(over, session,
                            mica_store_given_row(&given[2], i)[0].number,
                            error));
    return MICA_OK;
}

// ---- Calls -----------------------------------------------------------------------

#define CALL_COLUMNS                                                        \
    "id, endpoint, owner, build, wakes, ended, created, state, round,"      \
    " changed, expires, due, fence, attempts, token, kept, bytes, session," \
    " stream, way, offer, target, version, issuer, subject, arguments,"     \
    " context, journal, asks, reply, note, told, answers, round_bytes,"     \
    " round_reply"
#define CALL_KINDS "ttbnnnnnnnnnnnnnnbnnnttttttbttttbnt"
enum { // indexes of those
    ID = 0,
    NEXT_RUN = 4,
    ENDED = 5,
    STATE = 7,
    CHANGED = 9,
    EXPIRES = 10,
    DUE = 11,
    FENCE = 12,
    ATTEMPTS = 13,
    TOKEN = 14,
    BYTES = 16,
    SESSION = 17,
    STREAM = 18,
    ANSWERS = 32,
    CALL_WIDTH = 35,
    CLAIM_FENCE = CALL_WIDTH,
    CLAIM_ATTEMPTS,
    CLAIM_LEASE,
    CLAIM_HOLDER,
    CLAIM_NEXT_RUN
};

#define CLAIM_OF(column)                               \
    ", coalesce((SELECT k." column " FROM claims AS k" \
    " WHERE k.call = calls.number AND k.fence > calls.fence), 0)"
#define NUMBER "(SELECT c.number FROM calls AS c WHERE c.id = ?1)"
static const struct mica_store_operation call_export = {
    .name = "call_export",
    .takes = "t",
    .steps = {{.sql = "SELECT " CALL_COLUMNS CLAIM_OF("fence")
                   CLAIM_OF("attempts") CLAIM_OF("lease") CLAIM_OF("holder")
                       CLAIM_OF("wakes") " FROM calls WHERE id = ?1",
               .gives = CALL_KINDS "nnnnn"},
              {.sql = "SELECT round, answers, bytes, reply FROM rounds"
                      " WHERE call = " NUMBER " ORDER BY round",
               .gives = "nbnt"},
              {.sql = "SELECT hash FROM call_keys WHERE call = " NUMBER,
               .gives = "b"}}};

static void
count_call(struct mica_store *store, const struct mica_store_part *part)
{
    const union mica_store_value *values = part->values;

    if (part->given[0].changed == 0)
        return;
    mica_store_count(store, MICA_COUNT_CALLS, 1);
    mica_store_count(store, MICA_COUNT_OPEN_CALLS, 1 - values[ENDED].number);
    mica_store_count(store, MICA_COUNT_CALL_BYTES, values[BYTES].number);
    mica_store_count(store, MICA_COUNT_ROUNDS, values[ANSWERS].text.len > 0);
}

static const struct mica_store_operation call_import = {
    .name = "call_import",
    .writes = true,
    .takes = CALL_KINDS,
    .steps =
        {{.sql =
              "INSERT INTO calls (" CALL_COLUMNS ", grown, held) VALUES (?1,"
              " ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,"
              " ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27,"
              " ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, 0, 0)"
              " ON CONFLICT (id) DO NOTHING"},
         {.sql = "INSERT INTO claims (call, fence, holder, lease, wakes,"
                 " attempts, token) SELECT number, fence + 1,"
                 " " MICA_STORE_INCOMING ", 4611686018427387903,"
                 " 4611686018427387903, attempts, 0 FROM calls"
                 " WHERE id = ?1 AND token = ?15"},
         {.sql =
              "INSERT INTO callers (owner, calls) SELECT owner, 1 FROM calls"
              " WHERE id = ?1 AND token = ?15 AND length(owner) > 0"
              " ON CONFLICT (owner) DO UPDATE SET calls = callers.calls + 1"}},
    .count = count_call};

static void
count_round(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_count(store, MICA_COUNT_ROUNDS, (int64_t)part->given[0].changed);
}

// ?1 id, ?2 token, ?3 to ?6 as above
static const struct mica_store_operation round_import = {
    .name = "round_import",
    .writes = true,
    .takes = "tnnbnt",
    .steps = {{.sql = "INSERT INTO rounds (call, round, answers, bytes, reply)"
                      " SELECT number, ?3, ?4, ?5, ?6 FROM calls"
                      " WHERE id = ?1 AND token = ?2"}},
    .count = count_round};

// ?1 id, ?2 token, ?3 hash
static const struct mica_store_operation key_import = {
    .name = "call_key_import",
    .writes = true,
    .takes = "tnb",
    .steps = {{.sql = "INSERT INTO call_keys (hash, call) SELECT ?3, number"
                      " FROM calls WHERE id = ?1 AND token = ?2"
                      " ON CONFLICT DO NOTHING"}}};

// Another request here may have the number of the call's stream. Then the call has no stream any
// more, as its questions must not reach that request.
// ?1 id, ?2 token, ?3 session, ?4 now, ?5 whether its stream is there, ?6 for what
#define IMPORTED                                                 \
    "SELECT c.session, c.stream FROM calls AS c WHERE c.id = ?1" \
    " AND c.token = ?2 AND c.held = 1"
static const struct mica_store_operation call_holds = {
    .name = "call_holds",
    .writes = true,
    .takes = "tnbnnt",
    .steps = {
        {.sql = "UPDATE calls SET stream = 0 WHERE id = ?1 AND token = ?2"
                " AND EXISTS (SELECT 1 FROM sessions"
                " WHERE key = ?3 AND expires > ?4) AND EXISTS (SELECT 1"
                " FROM streams AS s WHERE s.session = ?3"
                " AND s.stream = calls.stream AND (?5 = 1 AND s.request <> ?6"
                " OR ?5 = 0 AND s.call <> calls.id))"},
        {.sql = "UPDATE calls SET held = 1 WHERE id = ?1 AND token = ?2"
                " AND EXISTS (SELECT 1 FROM sessions"
                " WHERE key = ?3 AND expires > ?4)"},
        {.sql = "UPDATE events SET ages = 9223372036854775807"
                " WHERE (session, stream) IN (" IMPORTED ")"},
        {.sql = "UPDATE sessions SET idle = 9223372036854775807"
                " WHERE key = ?3 AND EXISTS (" IMPORTED ")"}}};

static enum mica_status
add_hold(struct takeover *over, const union mica_store_value *row,
         int64_t token, struct mica_error *error)
{
    const union mica_store_value key[] = {row[SESSION], row[STREAM]};
    struct mica_store_given given[2] = {{.count = 0}};
    union mica_store_value values[] = {
        row[ID],       MICA_STORE_NUMBER(token),
        row[SESSION],  MICA_STORE_NUMBER(over->now),
        {.number = 0}, MICA_STORE_TEXT(((struct mica_text){"", 0}))};
    unsigned refusal;

    MICA_TRY(add_session(over, row[SESSION].text, error));
    MICA_TRY(mica_store_do(over->from, &stream_export, key, given, &over->arena,
                           error, &refusal));
    if (given[0].count > 0) {
        values[4].number = 1;
        values[5] = mica_store_given_row(&given[0], 0)[2];
    }
    (void)mica_takeover_add(over, &call_holds, values, 6);
    return MICA_OK;
}

static void
note_seen(struct takeover *over, size_t number,
          const union mica_store_value *row)
{
    static const unsigned places[MICA_TAKEOVER_SEEN] = {
        TOKEN, FENCE,    CHANGED,     DUE,         EXPIRES,
        STATE, NEXT_RUN, CLAIM_FENCE, CLAIM_LEASE, CLAIM_NEXT_RUN};

    for (unsigned i = 0; i < MICA_TAKEOVER_SEEN; i++)
        over->seen[number][i] = row[places[i]];
}

// Sets *given_out to NULL if it does not copy the call: the call is gone, or claimed there.
static enum mica_status
add_call(struct takeover *over, size_t number, struct mica_error *error,
         struct mica_store_given **given_out)
{
    const union mica_store_value id[] = {MICA_STORE_TEXT(over->ids[number])};
    struct mica_store_given given[3] = {{.count = 0}};
    union mica_store_value values[CALL_WIDTH], part[6];
    const union mica_store_value *row;
    unsigned refusal;

    *given_out = NULL;
    MICA_TRY(mica_store_do(over->from, &call_export, id, given, &over->arena,
                           error, &refusal));
    if (given[0].count == 0)
        return MICA_OK;
    row = mica_store_given_row(&given[0], 0);
    if (row[CLAIM_LEASE].number > over->now &&
        !mica_store_is_dead(over->from, row[CLAIM_HOLDER].number))
        return MICA_OK;
    note_seen(over, number, row);
    memcpy(values, row, sizeof values);
    values[TOKEN].number = mica_store_token();
    if (row[CLAIM_FENCE].number > 0) {
        values[FENCE] = row[CLAIM_FENCE];
        values[ATTEMPTS] = row[CLAIM_ATTEMPTS];
    }
    *given_out = mica_takeover_add(over, &call_import, values, CALL_WIDTH);
    part[0] = values[ID];
    part[1] = values[TOKEN];
    for (size_t i = 0; i < given[1].count; i++) {
        memcpy(part + 2, mica_store_given_row(&given[1], i), 4 * sizeof *part);
        (void)mica_takeover_add(over, &round_import, part, 6);
    }
    for (size_t i = 0; i < given[2].count; i++) {
        part[2] = mica_store_given_row(&given[2], i)[0];
        (void)mica_takeover_add(over, &key_import, part, 3);
    }
    if (row[ENDED].number == 0 && row[SESSION].text.len > 0)
        return add_hold(over, row, values[TOKEN].number, error);
    return MICA_OK;
}

enum mica_status
mica_takeover_copy(struct takeover *over, struct mica_error *error)
{
    struct mica_store_given *given[MICA_TAKEOVER_CALLS] = {NULL};

    over->session_count = 0;
    over->part_count = 0;
    for (size_t i = 0; i < over->count; i++)
        MICA_TRY(add_call(over, i, error, &given[i]));
    MICA_TRY(mica_takeover_perform(over, over->to, error));
    for (size_t i = 0; i < over->part_count; i++) {
        if (over->parts[i].operation == &session_import)
            over->taken.sessions += over->parts[i].given[2].count;
    }
    for (size_t i = 0; i < over->count; i++)
        over->copied[i] = given[i] != NULL && given[i][0].changed > 0;
    return MICA_OK;
}
