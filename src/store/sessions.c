// SPDX-License-Identifier: Apache-2.0
//
// Sessions of legacy clients. A session that has expired, that never was, and
// that is somebody else's are told apart by nobody outside: the answer is the
// same, so an id that was guessed or stolen says nothing.
#include <sodium.h>

#include "store/store.h"

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

// What is hashed besides the id, so that the hash serves nothing else.
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
mica_store_take_key(struct mica_text bytes, struct mica_error *error,
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

// ---- Rows ----------------------------------------------------------------------

static enum mica_status
not_found(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "There is no such session, or it has ended; begin "
                          "another with initialize.");
}

static void
write_row(const struct mica_store_session_key *key,
          const struct mica_store_session *session, struct mica_text party,
          struct mica_store_row *row)
{
    union mica_store_value *values = row->values;

    values[MICA_SESSION_KEY].text = mica_store_key_text(key);
    values[MICA_SESSION_ISSUER].text = session->owner.issuer;
    values[MICA_SESSION_SUBJECT].text = session->owner.subject;
    values[MICA_SESSION_REVISION].text = session->revision;
    values[MICA_SESSION_CLIENT_INFO].text = session->client_info;
    values[MICA_SESSION_CAPABILITIES].text = session->capabilities;
    values[MICA_SESSION_LOG_LEVEL].number = session->log_level;
    values[MICA_SESSION_CREATED].number = session->created;
    values[MICA_SESSION_SEEN].number = session->seen;
    values[MICA_SESSION_EXPIRES].number = session->expires;
    values[MICA_SESSION_LAST_STREAM].number = 0;
    values[MICA_SESSION_PARTY].text = party;
    values[MICA_SESSION_IDLE].number = session->seen;
    values[MICA_SESSION_LISTENS].number = 0;
}

static void
read_row(const struct mica_store_row *row, struct mica_store_session *out)
{
    const union mica_store_value *values = row->values;

    *out = (struct mica_store_session){
        .owner = {values[MICA_SESSION_ISSUER].text,
                  values[MICA_SESSION_SUBJECT].text},
        .revision = values[MICA_SESSION_REVISION].text,
        .client_info = values[MICA_SESSION_CLIENT_INFO].text,
        .capabilities = values[MICA_SESSION_CAPABILITIES].text,
        .log_level = (int)values[MICA_SESSION_LOG_LEVEL].number,
        .created = values[MICA_SESSION_CREATED].number,
        .seen = values[MICA_SESSION_SEEN].number,
        .expires = values[MICA_SESSION_EXPIRES].number};
}

enum mica_status
mica_store_session_row(struct mica_store *within,
                       const struct mica_store_session_key *key, int64_t now,
                       bool texts, struct mica_arena *arena,
                       struct mica_error *error, struct mica_store_row *row_out)
{
    struct mica_store_range range = {
        .table = MICA_STORE_SESSIONS, .equal = 1, .limit = 1};
    struct mica_store_rows rows;

    if (!texts)
        range.columns =
            MICA_COLUMN(MICA_SESSION_KEY) | MICA_COLUMN(MICA_SESSION_EXPIRES) |
            MICA_COLUMN(MICA_SESSION_LAST_STREAM) |
            MICA_COLUMN(MICA_SESSION_PARTY) | MICA_COLUMN(MICA_SESSION_IDLE);
    range.values[0].text = mica_store_key_text(key);
    MICA_TRY(mica_store_scan(within, &range, arena, error, &rows));
    if (rows.count == 0 ||
        rows.items[0].values[MICA_SESSION_EXPIRES].number <= now)
        return not_found(error);
    *row_out = rows.items[0];
    return MICA_OK;
}

// ---- Making and finding --------------------------------------------------------

static enum mica_status
check_texts(const struct mica_store_session *session, struct mica_error *error)
{
    const struct {
        const char *what;
        struct mica_text text;
    } texts[] = {{"The issuer", session->owner.issuer},
                 {"The subject", session->owner.subject},
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

// Room for one more, if need be in place of some that have expired.
static enum mica_status
make_room(struct mica_store *within, int64_t now, struct mica_error *error)
{
    enum {
        SOME = 16
    };
    int64_t count;
    size_t removed;

    MICA_TRY(mica_store_total(within, MICA_COUNT_SESSIONS, error, &count));
    if ((uint64_t)count < within->limits.sessions)
        return MICA_OK;
    MICA_TRY(mica_store_sessions_expire(within, now, SOME, error, &removed));
    if ((uint64_t)count - removed < within->limits.sessions)
        return MICA_OK;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "%lld sessions are open, as many as there may be. "
                          "End one with DELETE, or wait until one expires.",
                          (long long)count);
}

static enum mica_status
create(struct mica_store *within, const struct mica_store_session_key *key,
       const struct mica_store_session *session, struct mica_error *error)
{
    unsigned char hash[32];
    struct mica_text party = mica_store_party_of(session, hash);
    struct mica_store_row row;

    MICA_TRY(mica_store_party_room(within, party, session->seen, error));
    MICA_TRY(make_room(within, session->seen, error));
    write_row(key, session, party, &row);
    enum mica_status status =
        mica_store_insert(within, MICA_STORE_SESSIONS, &row, error);
    if (status == MICA_E_EXISTS)
        return mica_error_set(error, status, "",
                              "There is a session of that id already.");
    MICA_TRY(status);
    MICA_TRY(mica_store_party_add(within, party, 1, error));
    return mica_store_add(within, MICA_COUNT_SESSIONS, 1, error);
}

enum mica_status
mica_store_session_create(struct mica_store *store,
                          const struct mica_store_session_key *key,
                          const struct mica_store_session *session,
                          struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(check_texts(session, error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within, create(&within, key, session, error),
                            error);
}

static enum mica_status
find(struct mica_store *within, const struct mica_store_session_key *key,
     const struct mica_store_owner *owner, int64_t now,
     struct mica_arena *arena, struct mica_error *error,
     struct mica_store_session *session_out)
{
    struct mica_store_session session;
    struct mica_store_row row;

    MICA_TRY(
        mica_store_session_row(within, key, now, true, arena, error, &row));
    read_row(&row, &session);
    if (!mica_text_equal(session.owner.issuer, owner->issuer) ||
        !mica_text_equal(session.owner.subject, owner->subject))
        return not_found(error);
    *session_out = session;
    return MICA_OK;
}

enum mica_status
mica_store_session_find(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        const struct mica_store_owner *owner, int64_t now,
                        struct mica_arena *arena, struct mica_error *error,
                        struct mica_store_session *session_out)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within, find(&within, key, owner, now, arena, error, session_out),
        error);
}

// ---- Changing ------------------------------------------------------------------

static enum mica_status
change(struct mica_store *within, const struct mica_store_session_key *key,
       int64_t now, unsigned columns, struct mica_store_row *row,
       struct mica_error *error)
{
    struct mica_store_row there;

    MICA_TRY(
        mica_store_session_row(within, key, now, false, NULL, error, &there));
    row->values[MICA_SESSION_KEY].text = mica_store_key_text(key);
    return mica_store_update(within, MICA_STORE_SESSIONS, columns, row, error);
}

// `until` is 0 when no stream is open, as far as the caller knows.
static enum mica_status
touch(struct mica_store *within, const struct mica_store_session_key *key,
      int64_t now, int64_t expires, int64_t until, struct mica_error *error)
{
    struct mica_store_row row;
    unsigned columns =
        MICA_COLUMN(MICA_SESSION_SEEN) | MICA_COLUMN(MICA_SESSION_EXPIRES);

    row.values[MICA_SESSION_SEEN].number = now;
    row.values[MICA_SESSION_EXPIRES].number = expires;
    row.values[MICA_SESSION_LISTENS].number = until;
    if (until > 0)
        columns |= MICA_COLUMN(MICA_SESSION_LISTENS);
    MICA_TRY(change(within, key, now, columns, &row, error));
    return mica_store_session_busy(within, mica_store_key_text(key),
                                   until > now ? until : now, error);
}

enum mica_status
mica_store_session_touch(struct mica_store *store,
                         const struct mica_store_session_key *key, int64_t now,
                         int64_t expires, struct mica_error *error)
{
    return mica_store_session_listen(store, key, now, expires, 0, error);
}

enum mica_status
mica_store_session_listen(struct mica_store *store,
                          const struct mica_store_session_key *key, int64_t now,
                          int64_t expires, int64_t until,
                          struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(
        &within, touch(&within, key, now, expires, until, error), error);
}

enum mica_status
mica_store_session_set_log_level(struct mica_store *store,
                                 const struct mica_store_session_key *key,
                                 int64_t now, int log_level,
                                 struct mica_error *error)
{
    struct mica_store within;
    struct mica_store_row row;

    row.values[MICA_SESSION_LOG_LEVEL].number = log_level;
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within,
                            change(&within, key, now,
                                   MICA_COLUMN(MICA_SESSION_LOG_LEVEL), &row,
                                   error),
                            error);
}

// ---- Ending --------------------------------------------------------------------

// The numbers of its streams, off the totals.
static enum mica_status
forget_streams(struct mica_store *within, const struct mica_store_row *session,
               struct mica_error *error)
{
    struct mica_store_range range = {
        .table = MICA_STORE_STREAMS, .equal = 1, .limit = SIZE_MAX};
    struct mica_store_rows rows;
    int64_t events = 0, bytes = 0;

    range.values[0] = session->values[MICA_SESSION_KEY];
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    for (size_t i = 0; i < rows.count; i++) {
        events += rows.items[i].values[MICA_STREAM_EVENTS].number;
        bytes += rows.items[i].values[MICA_STREAM_BYTES].number;
    }
    MICA_TRY(mica_store_add(within, MICA_COUNT_STREAMS, -(int64_t)rows.count,
                            error));
    MICA_TRY(mica_store_add(within, MICA_COUNT_EVENTS, -events, error));
    return mica_store_add(within, MICA_COUNT_EVENT_BYTES, -bytes, error);
}

enum mica_status
mica_store_session_remove(struct mica_store *within,
                          const struct mica_store_row *row,
                          struct mica_error *error)
{
    static const enum mica_store_table parts[] = {
        MICA_STORE_EVENTS, MICA_STORE_STREAMS, MICA_STORE_SUBSCRIPTIONS,
        MICA_STORE_SESSIONS};
    size_t removed[MICA_COUNT(parts)];

    MICA_TRY(mica_store_party_add(within, row->values[MICA_SESSION_PARTY].text,
                                  -1, error));
    MICA_TRY(mica_store_holds_end(within, row, error));
    // Each of these tables begins with the key of the session.
    MICA_TRY(forget_streams(within, row, error));
    for (size_t i = 0; i < MICA_COUNT(parts); i++)
        MICA_TRY(
            mica_store_remove(within, parts[i], 1, row, error, &removed[i]));
    MICA_TRY(mica_store_add(within, MICA_COUNT_SUBSCRIPTIONS,
                            -(int64_t)removed[2], error));
    return mica_store_add(within, MICA_COUNT_SESSIONS, -(int64_t)removed[3],
                          error);
}

static enum mica_status
end_session(struct mica_store *within, const struct mica_store_session_key *key,
            int64_t now, struct mica_error *error)
{
    struct mica_store_row row;

    MICA_TRY(
        mica_store_session_row(within, key, now, false, NULL, error, &row));
    return mica_store_session_remove(within, &row, error);
}

enum mica_status
mica_store_session_delete(struct mica_store *store,
                          const struct mica_store_session_key *key, int64_t now,
                          struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within, end_session(&within, key, now, error),
                            error);
}

enum mica_status
mica_store_sessions_expire(struct mica_store *within, int64_t now, size_t limit,
                           struct mica_error *error, size_t *removed_out)
{
    struct mica_store_range range = {.table = MICA_STORE_SESSIONS,
                                     .index = 1,
                                     .bound = MICA_BOUND_BELOW,
                                     .columns = MICA_COLUMN(MICA_SESSION_KEY) |
                                                MICA_COLUMN(MICA_SESSION_PARTY),
                                     .limit = limit};
    struct mica_store_rows rows;

    range.values[0].number = now + 1;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    for (size_t i = 0; i < rows.count; i++)
        MICA_TRY(mica_store_session_remove(within, &rows.items[i], error));
    *removed_out = rows.count;
    return mica_store_add(within, MICA_COUNT_SESSIONS_EXPIRED,
                          (int64_t)rows.count, error);
}
