// SPDX-License-Identifier: Apache-2.0
//
// Sessions of clients of older revisions. The functions answer the same for an expired
// session, an unknown one, and one of another owner, so that a guessed or stolen id reveals
// nothing.
//
// A party is the owner of a session; if requests carry no token, it is the address of the
// client. When a party has reached its limit, a new session ends its session that has been
// idle for longest. The column `idle` says since when nothing of a session is open: a time
// in the future while one of its streams has a lease, INT64_MAX while one of its calls
// waits.
#include <sodium.h>

#include "store/hashes.h"
#include "store/store.h"

enum {
    // A request reads the clock, and then waits up to 2 s for the store's lock. A session
    // that became idle in that time has a later time in `idle`, but it is idle. Leases and
    // open streams reach further into the future while their process renews them.
    STALE_NOW_MS = 3000
};

enum {
    NOT_FOUND = 1,
    EXISTS,
    PARTY_IS_FULL
};

// ---- Ids -----------------------------------------------------------------------

void
mica_store_id_make(char id_out[MICA_STORE_ID_SIZE])
{
    unsigned char random[32];

    randombytes_buf(random, sizeof random);
    (void)sodium_bin2base64(id_out, MICA_STORE_ID_SIZE, random, sizeof random,
                            sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(random, sizeof random);
}

// Hashed before the id, so that the hash is of no use elsewhere.
struct mica_store_session_key
mica_store_session_key_of(struct mica_text id)
{
    static const unsigned char purpose[] = "mica session id";
    struct mica_store_session_key key;

    _Static_assert(sizeof key.bytes == crypto_generichash_BYTES, "");
    (void)crypto_generichash(key.bytes, sizeof key.bytes,
                             (const unsigned char *)id.ptr, id.len, purpose,
                             sizeof purpose);
    return key;
}

enum mica_status
mica_store_read_key(struct mica_text bytes, struct mica_error *error,
                    struct mica_store_session_key *key_out)
{
    if (bytes.len != sizeof key_out->bytes)
        return mica_error_set(error, MICA_E_IO, "",
                              "The store has a session key of %zu bytes; run "
                              "\"mica store check\".",
                              bytes.len);
    memcpy(key_out->bytes, bytes.ptr, bytes.len);
    return MICA_OK;
}

enum mica_status
mica_store_no_session(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "There is no such session, or it has ended; begin "
                          "another with initialize.");
}

// ---- Remove --------------------------------------------------------------------

// Removes the sessions of a query, with all they have. Their open calls become due; a
// claimed call when its claim is released.
#define REMOVE_STEPS(which)                                                    \
    {.sql = "SELECT count(*), coalesce(sum(bytes), 0) FROM events"             \
            " WHERE session IN (" which ")",                                   \
     .gives = "nn"},                                                           \
        {.sql = "UPDATE claims SET wakes = CASE WHEN wakes = lease THEN wakes" \
                " ELSE 0 END WHERE call IN (SELECT"                            \
                " c.number FROM calls AS c WHERE c.held = 1 AND c.session"     \
                " IN (" which "))"},                                           \
        {.sql = "UPDATE calls SET wakes = 0, held = 0 WHERE held = 1"          \
                " AND session IN (" which ")"},                                \
        {.sql = "DELETE FROM events WHERE session IN (" which ")"},            \
        {.sql = "DELETE FROM streams WHERE session IN (" which ")"},           \
        {.sql = "DELETE FROM subscriptions WHERE session IN (" which ")"},     \
        {.sql = "UPDATE parties SET sessions = sessions - (SELECT count(*)"    \
                " FROM sessions AS gone WHERE gone.party = parties.party"      \
                " AND gone.key IN (" which ")) WHERE party IN (SELECT p.party" \
                " FROM sessions AS p WHERE p.key IN (" which "))"},            \
    {                                                                          \
        .sql = "DELETE FROM parties WHERE sessions <= 0 AND party IN (SELECT"  \
               " p.party FROM sessions AS p WHERE p.key IN (" which "))"       \
    }

enum {
    REMOVED_EVENTS = 0, // count and bytes
    REMOVED_STREAMS = 4,
    REMOVED_SUBSCRIPTIONS = 5,
    REMOVED_SESSIONS = 8
};

static void
count_removed(struct mica_store *store, const struct mica_store_part *part)
{
    const struct mica_store_given *given = part->given;
    const union mica_store_value *events =
        mica_store_given_row(&given[REMOVED_EVENTS], 0);

    mica_store_count(store, MICA_COUNT_EVENTS, -events[0].number);
    mica_store_count(store, MICA_COUNT_EVENT_BYTES, -events[1].number);
    mica_store_count(store, MICA_COUNT_STREAMS,
                     -(int64_t)given[REMOVED_STREAMS].changed);
    mica_store_count(store, MICA_COUNT_SUBSCRIPTIONS,
                     -(int64_t)given[REMOVED_SUBSCRIPTIONS].changed);
    mica_store_count(store, MICA_COUNT_SESSIONS,
                     -(int64_t)given[REMOVED_SESSIONS].changed);
}

static void
count_displaced(struct mica_store *store, const struct mica_store_part *part)
{
    count_removed(store, part);
    mica_store_count(store, MICA_COUNT_SESSIONS_DISPLACED,
                     (int64_t)part->given[REMOVED_SESSIONS].changed);
}

static void
count_expired(struct mica_store *store, const struct mica_store_part *part)
{
    count_removed(store, part);
    mica_store_count(store, MICA_COUNT_SESSIONS_EXPIRED,
                     (int64_t)part->given[REMOVED_SESSIONS].changed);
}

static void
count_created(struct mica_store *store, const struct mica_store_part *part)
{
    (void)part;
    mica_store_count(store, MICA_COUNT_SESSIONS, 1);
}

// The session that has been idle for longest, of a party that has reached its limit.
// ?1 party, ?2 idle before, ?3 the limit
#define IDLEST                                                            \
    "SELECT s.key FROM sessions AS s WHERE s.party = ?1 AND s.idle < ?2"  \
    " AND (SELECT q.sessions FROM parties AS q WHERE q.party = ?1) >= ?3" \
    " ORDER BY s.idle, s.key LIMIT 1"

// The steps change the row of the party, and so the result of the query: the first step
// notes the key in the row of the session.
static const struct mica_store_operation session_displace = {
    .name = "session_displace",
    .writes = true,
    .takes = "bnn",
    .steps = {REMOVE_STEPS("SELECT d.key FROM sessions AS d WHERE d.party = ?1"
                           " AND d.idle = -1"),
              {.sql = "DELETE FROM sessions WHERE party = ?1 AND idle = -1"
                      " RETURNING key",
               .gives = "b"}},
    .count = count_displaced};

static const struct mica_store_operation session_mark_idlest = {
    .name = "session_mark_idlest",
    .writes = true,
    .takes = "bnn",
    .steps = {
        {.sql = "UPDATE sessions SET idle = -1 WHERE key IN (" IDLEST ")"}}};

static const struct mica_store_operation session_delete = {
    .name = "session_delete",
    .writes = true,
    .takes = "bn",
    .steps = {REMOVE_STEPS("SELECT d.key FROM sessions AS d WHERE d.key = ?1"
                           " AND d.expires > ?2"),
              {.sql = "DELETE FROM sessions WHERE key = ?1 AND expires > ?2",
               .refusal = NOT_FOUND}},
    // Done if the session does not exist.
    .done = {.sql = "SELECT 1 WHERE NOT EXISTS"
                    " (SELECT 1 FROM sessions WHERE key = ?1)",
             .gives = "n"},
    .count = count_removed};

// ?1 now, ?2 the most
#define EXPIRED                                             \
    "SELECT d.key FROM sessions AS d WHERE d.expires <= ?1" \
    " ORDER BY d.expires, d.key LIMIT ?2"
static const struct mica_store_operation sessions_expire = {
    .name = "sessions_expire",
    .writes = true,
    .takes = "nn",
    .steps = {REMOVE_STEPS(EXPIRED),
              {.sql = "DELETE FROM sessions WHERE key IN (" EXPIRED ")"}},
    .count = count_expired};

static const struct mica_store_operation sessions_expired = {
    .name = "sessions_expired",
    .takes = "n",
    .steps = {{.sql = "SELECT 1 FROM sessions WHERE expires <= ?1 LIMIT 1",
               .gives = "n",
               .refusal = NOT_FOUND}}};

enum mica_status
mica_store_session_delete(struct mica_store *store,
                          const struct mica_store_session_key *key, int64_t now,
                          struct mica_error *error)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(mica_store_key_text(key)), MICA_STORE_NUMBER(now)};
    struct mica_store_given given[MICA_STORE_STEPS] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    mica_arena_init(&arena, 1 << 12);
    status = mica_store_do(store, &session_delete, values, given, &arena, error,
                           &refusal);
    mica_session_cache_forget(store->sessions, key);
    if (status == MICA_OK && refusal != 0)
        status = mica_store_no_session(error);
    mica_arena_fini(&arena);
    return status;
}

enum mica_status
mica_store_sessions_expire(struct mica_store *store, int64_t now, size_t limit,
                           struct mica_error *error, size_t *removed_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(now),
                                             MICA_STORE_NUMBER((int64_t)limit)};
    struct mica_store_given given[MICA_STORE_STEPS] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    *removed_out = 0;
    MICA_TRY(mica_store_do(store, &sessions_expired, values, NULL, NULL, error,
                           &refusal));
    if (refusal != 0)
        return MICA_OK;
    mica_arena_init(&arena, 1 << 12);
    status = mica_store_do(store, &sessions_expire, values, given, &arena,
                           error, &refusal);
    if (status == MICA_OK)
        *removed_out = given[REMOVED_SESSIONS].changed;
    mica_arena_fini(&arena);
    return status;
}

// ---- Create --------------------------------------------------------------------

static enum mica_status
check_texts(const struct mica_store_session *session, struct mica_error *error)
{
    const struct {
        const char *what;
        struct mica_text text;
    } texts[] = {{"The issuer", session->owner.issuer},
                 {"The subject", session->owner.subject},
                 {"The endpoint", session->owner.endpoint},
                 {"The protocol's revision", session->revision},
                 {"clientInfo", session->client_info},
                 {"capabilities", session->capabilities}};
    size_t bytes = 0;

    for (size_t i = 0; i < MICA_COUNT(texts); i++) {
        size_t room = MICA_STORE_SESSION_BYTES - bytes;
        if (texts[i].text.len > room)
            return mica_error_set(error, MICA_E_LIMIT, "",
                                  "%s has %zu bytes; all that a session says "
                                  "of its client may have %d.",
                                  texts[i].what, texts[i].text.len,
                                  MICA_STORE_SESSION_BYTES);
        bytes += texts[i].text.len;
        MICA_TRY(mica_store_text(texts[i].text, texts[i].what, error));
    }
    return MICA_OK;
}

static bool
has_capacity(const struct mica_store *store,
             const int64_t totals[MICA_STORE_COUNTERS])
{
    return totals[MICA_COUNT_SESSIONS] < 0 ||
           (uint64_t)totals[MICA_COUNT_SESSIONS] < store->limits.sessions;
}

// Fails if the store has reached its limit of sessions; removes expired ones first.
static enum mica_status
check_capacity(struct mica_store *store, int64_t now, struct mica_error *error)
{
    int64_t totals[MICA_STORE_COUNTERS];
    size_t removed;

    MICA_TRY(mica_store_totals(store, now, error, totals));
    if (has_capacity(store, totals))
        return MICA_OK;
    MICA_TRY(mica_store_sessions_expire(store, now, MICA_STORE_EXPIRE_BATCH,
                                        error, &removed));
    MICA_TRY(mica_store_totals(store, MICA_STORE_TOTALS_WRITE, error, totals));
    if (has_capacity(store, totals))
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "%lld sessions are open, as many as there may be. "
                          "End one with DELETE, or wait until one expires.",
                          (long long)totals[MICA_COUNT_SESSIONS]);
}

// ?1 party, ?2 how many it may have, ?3 the new session
static const struct mica_store_operation party_add = {
    .name = "party_add",
    .writes = true,
    .takes = "bnb",
    .steps = {{.sql = "INSERT INTO parties (party, sessions) VALUES (?1, 1)"
                      " ON CONFLICT (party) DO UPDATE"
                      " SET sessions = parties.sessions + 1"
                      " WHERE parties.sessions < ?2",
               .refusal = PARTY_IS_FULL}}};

#define SAME_SESSION                                                         \
    "SELECT 1 FROM sessions WHERE key = ?1 AND issuer = ?2 AND subject = ?3" \
    " AND client_info = ?5 AND created = ?8"
static const struct mica_store_operation session_create = {
    .name = "session_create",
    .writes = true,
    .takes = "btttttnnnnbt",
    .steps = {{.sql = "INSERT INTO sessions (key, issuer, subject, revision,"
                      " client_info, capabilities, log_level, created, seen,"
                      " expires, last_stream, party, idle, listens, endpoint)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0,"
                      " ?11, ?9, 0, ?12) ON CONFLICT (key) DO NOTHING",
               .refusal = EXISTS}},
    .done = {.sql = SAME_SESSION, .gives = "n"},
    .count = count_created};

// Removes the displaced sessions from the cache; all sessions if the outcome of the
// transaction was unknown at first, as then it does not name them.
static void
forget_displaced(struct mica_store *store, const struct mica_store_given *gone)
{
    struct mica_store_session_key key;
    struct mica_error error;

    if (gone->count == 0)
        mica_session_cache_clear(store->sessions);
    for (size_t i = 0; i < gone->count; i++) {
        if (mica_store_read_key(mica_store_given_row(gone, i)[0].text, &error,
                                &key) == MICA_OK)
            mica_session_cache_forget(store->sessions, &key);
    }
}

// One transaction: with `displaces` ends an idle session of the party; counts the party's
// sessions; creates the session.
static enum mica_status
session_create_once(struct mica_store *store,
                    const struct mica_store_session_key *key,
                    const struct mica_store_session *session,
                    struct mica_text party, bool displaces,
                    struct mica_error *error, unsigned *refusal_out)
{
    int64_t now = session->seen;
    const union mica_store_value made[] = {
        MICA_STORE_TEXT(mica_store_key_text(key)),
        MICA_STORE_TEXT(session->owner.issuer),
        MICA_STORE_TEXT(session->owner.subject),
        MICA_STORE_TEXT(session->revision),
        MICA_STORE_TEXT(session->client_info),
        MICA_STORE_TEXT(session->capabilities),
        MICA_STORE_NUMBER(session->log_level),
        MICA_STORE_NUMBER(session->created),
        MICA_STORE_NUMBER(session->seen),
        MICA_STORE_NUMBER(session->expires),
        MICA_STORE_TEXT(party),
        MICA_STORE_TEXT(session->owner.endpoint)};
    const union mica_store_value counted[] = {
        MICA_STORE_TEXT(party),
        MICA_STORE_NUMBER((int64_t)store->limits.party_sessions),
        MICA_STORE_TEXT(mica_store_key_text(key))};
    const union mica_store_value idlest[] = {
        MICA_STORE_TEXT(party),
        MICA_STORE_NUMBER(now < INT64_MAX - STALE_NOW_MS ? now + STALE_NOW_MS
                                                         : now),
        MICA_STORE_NUMBER((int64_t)store->limits.party_sessions)};
    struct mica_store_given given[MICA_STORE_STEPS] = {{.count = 0}};
    struct mica_store_part parts[4];
    struct mica_arena arena;
    enum mica_status status;
    size_t count = 0;

    if (displaces) {
        parts[count++] =
            (struct mica_store_part){&session_mark_idlest, idlest, NULL};
        parts[count++] =
            (struct mica_store_part){&session_displace, idlest, given};
    }
    if (party.len > 0)
        parts[count++] = (struct mica_store_part){&party_add, counted, NULL};
    parts[count++] = (struct mica_store_part){&session_create, made, NULL};
    mica_arena_init(&arena, 1 << 12);
    status =
        mica_store_perform(store, parts, count, &arena, error, refusal_out);
    if (displaces)
        forget_displaced(store, &given[REMOVED_SESSIONS]);
    mica_arena_fini(&arena);
    return status;
}

enum mica_status
mica_store_session_create(struct mica_store *store,
                          const struct mica_store_session_key *key,
                          const struct mica_store_session *session,
                          struct mica_error *error)
{
    unsigned char hash[MICA_STORE_HASH_BYTES];
    struct mica_text party = mica_store_party_of(session, hash);
    unsigned refusal;

    MICA_TRY(check_texts(session, error));
    MICA_TRY(check_capacity(store, session->seen, error));
    MICA_TRY(session_create_once(store, key, session, party, false, error,
                                 &refusal));
    if (refusal == PARTY_IS_FULL)
        MICA_TRY(session_create_once(store, key, session, party, true, error,
                                     &refusal));
    if (refusal == PARTY_IS_FULL)
        return mica_error_set(
            error, MICA_E_SESSIONS, "",
            "This client has %zu sessions, as many as it may have, and each has "
            "an open stream or a call that waits. End one with DELETE, or try "
            "again later.",
            store->limits.party_sessions);
    if (refusal == EXISTS)
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "There is a session of that id already.");
    return MICA_OK;
}

// ---- Find ----------------------------------------------------------------------

static const struct mica_store_operation session_find = {
    .name = "session_find",
    .takes = "bttnt",
    .steps = {{.sql = "SELECT issuer, subject, revision, client_info,"
                      " capabilities, log_level, created, seen, expires,"
                      " endpoint FROM sessions WHERE key = ?1 AND issuer = ?2"
                      " AND subject = ?3 AND expires > ?4 AND endpoint = ?5",
               .gives = "tttttnnnnt",
               .refusal = NOT_FOUND}}};

enum mica_status
mica_store_session_find(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        const struct mica_owner *owner, int64_t now,
                        struct mica_arena *arena, struct mica_error *error,
                        struct mica_store_session *session_out)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(mica_store_key_text(key)),
        MICA_STORE_TEXT(owner->issuer), MICA_STORE_TEXT(owner->subject),
        MICA_STORE_NUMBER(now), MICA_STORE_TEXT(owner->endpoint)};
    struct mica_store_given given[1] = {{.count = 0}};
    const union mica_store_value *row;
    unsigned refusal;

    uint64_t mark = mica_session_cache_mark(store->sessions);

    MICA_TRY(mica_store_do(store, &session_find, values, given, arena, error,
                           &refusal));
    if (refusal != 0) {
        mica_session_cache_keep(store->sessions, mark, key, owner, now, NULL);
        return mica_store_no_session(error);
    }
    row = mica_store_given_row(&given[0], 0);
    *session_out =
        (struct mica_store_session){.owner = {.issuer = row[0].text,
                                              .subject = row[1].text,
                                              .endpoint = row[9].text},
                                    .revision = row[2].text,
                                    .client_info = row[3].text,
                                    .capabilities = row[4].text,
                                    .log_level = (int)row[5].number,
                                    .created = row[6].number,
                                    .seen = row[7].number,
                                    .expires = row[8].number};
    mica_session_cache_keep(store->sessions, mark, key, owner, now,
                            session_out);
    return MICA_OK;
}

bool
mica_store_session_known(struct mica_store *store,
                         const struct mica_store_session_key *key,
                         const struct mica_owner *owner, int64_t now,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_store_session *session_out,
                         enum mica_status *status_out)
{
    switch (mica_session_cache_find(store->sessions, key, owner, now, arena,
                                    session_out)) {
    case MICA_SESSION_FOUND:
        *status_out = MICA_OK;
        return true;
    case MICA_SESSION_GONE:
        *status_out = mica_store_no_session(error);
        return true;
    case MICA_SESSION_NOT_KNOWN:
        break;
    }
    return false;
}

// ---- Change --------------------------------------------------------------------

static enum mica_status
session_change(struct mica_store *store,
               const struct mica_store_operation *operation,
               const struct mica_store_session_key *key,
               const union mica_store_value *values, struct mica_error *error)
{
    unsigned refusal;
    enum mica_status status =
        mica_store_do(store, operation, values, NULL, NULL, error, &refusal);

    mica_session_cache_forget(store->sessions, key);
    if (status != MICA_OK)
        return status;
    return refusal == 0 ? MICA_OK : mica_store_no_session(error);
}

// ?2 now, ?3 expires, ?4 until when a stream is open, or 0; ?5 the later of ?2 and ?4
static const struct mica_store_operation session_listen = {
    .name = "session_listen",
    .writes = true,
    .takes = "bnnnn",
    .steps = {{.sql = "UPDATE sessions SET seen = ?2, expires = ?3,"
                      " listens = CASE WHEN ?4 > 0 THEN ?4 ELSE listens END,"
                      " idle = CASE WHEN idle < ?5 THEN ?5 ELSE idle END"
                      " WHERE key = ?1 AND expires > ?2",
               .refusal = NOT_FOUND}}};

enum mica_status
mica_store_session_listen(struct mica_store *store,
                          const struct mica_store_session_key *key, int64_t now,
                          int64_t expires, int64_t until,
                          struct mica_error *error)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(mica_store_key_text(key)), MICA_STORE_NUMBER(now),
        MICA_STORE_NUMBER(expires), MICA_STORE_NUMBER(until),
        MICA_STORE_NUMBER(until > now ? until : now)};

    return session_change(store, &session_listen, key, values, error);
}

enum mica_status
mica_store_session_touch(struct mica_store *store,
                         const struct mica_store_session_key *key, int64_t now,
                         int64_t expires, struct mica_error *error)
{
    return mica_store_session_listen(store, key, now, expires, 0, error);
}

static const struct mica_store_operation session_set_log_level = {
    .name = "session_set_log_level",
    .writes = true,
    .takes = "bnn",
    .steps = {{.sql = "UPDATE sessions SET log_level = ?3"
                      " WHERE key = ?1 AND expires > ?2",
               .refusal = NOT_FOUND}}};

enum mica_status
mica_store_session_set_log_level(struct mica_store *store,
                                 const struct mica_store_session_key *key,
                                 int64_t now, int log_level,
                                 struct mica_error *error)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(mica_store_key_text(key)), MICA_STORE_NUMBER(now),
        MICA_STORE_NUMBER(log_level)};

    return session_change(store, &session_set_log_level, key, values, error);
}
