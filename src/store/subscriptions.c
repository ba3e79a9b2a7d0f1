// SPDX-License-Identifier: Apache-2.0
//
// The subscriptions of sessions to resources.
#include "store/store.h"

enum {
    NO_SESSION = 1,
    NO_ROOM
};

static enum mica_status
check_uri(struct mica_text uri, struct mica_error *error)
{
    if (uri.len > MICA_STORE_NAME_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "A URI of %zu bytes is too long to subscribe "
                              "to; %d are taken.",
                              uri.len, MICA_STORE_NAME_BYTES);
    return mica_store_text(uri, "The URI", error);
}

// ---- Subscribe -----------------------------------------------------------------

// ?1 session, ?2 URI, ?3 now
#define LIVES                                                            \
    {                                                                    \
        .sql = "SELECT 1 FROM sessions WHERE key = ?1 AND expires > ?3", \
        .gives = "n", .refusal = NO_SESSION                              \
    }

static void
count_added(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_count(store, MICA_COUNT_SUBSCRIPTIONS,
                     (int64_t)part->given[1].changed);
}

static void
count_removed(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_count(store, MICA_COUNT_SUBSCRIPTIONS,
                     -(int64_t)part->given[1].changed);
}

static const struct mica_store_operation subscription_add = {
    .name = "subscribe",
    .writes = true,
    .takes = "btnn", // ?4 the most of a session
    .steps = {LIVES,
              {.sql = "INSERT INTO subscriptions (session, uri) SELECT ?1, ?2"
                      " WHERE (SELECT count(*) FROM subscriptions AS s"
                      " WHERE s.session = ?1) < ?4 ON CONFLICT DO NOTHING"},
              {.sql = "SELECT 1 FROM subscriptions"
                      " WHERE session = ?1 AND uri = ?2",
               .gives = "n",
               .refusal = NO_ROOM}},
    .count = count_added};

enum mica_status
mica_store_subscribe(struct mica_store *store,
                     const struct mica_store_session_key *key,
                     struct mica_text uri, int64_t now,
                     struct mica_error *error)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(mica_store_key_text(key)), MICA_STORE_TEXT(uri),
        MICA_STORE_NUMBER(now),
        MICA_STORE_NUMBER((int64_t)store->limits.subscriptions)};
    struct mica_store_given given[3] = {{.count = 0}};
    unsigned refusal;

    MICA_TRY(check_uri(uri, error));
    MICA_TRY(mica_store_do(store, &subscription_add, values, given, NULL, error,
                           &refusal));
    if (refusal == NO_SESSION)
        return mica_store_no_session(error);
    if (refusal == NO_ROOM)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The session has %zu subscriptions, as many as "
                              "it may have; end one with "
                              "resources/unsubscribe.",
                              store->limits.subscriptions);
    return MICA_OK;
}

static const struct mica_store_operation subscription_remove = {
    .name = "unsubscribe",
    .writes = true,
    .takes = "btn",
    .steps = {LIVES,
              {.sql = "DELETE FROM subscriptions"
                      " WHERE session = ?1 AND uri = ?2"}},
    .count = count_removed};

enum mica_status
mica_store_unsubscribe(struct mica_store *store,
                       const struct mica_store_session_key *key,
                       struct mica_text uri, int64_t now,
                       struct mica_error *error)
{
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(mica_store_key_text(key)), MICA_STORE_TEXT(uri),
        MICA_STORE_NUMBER(now)};
    struct mica_store_given given[2] = {{.count = 0}};
    unsigned refusal;

    MICA_TRY(check_uri(uri, error));
    MICA_TRY(mica_store_do(store, &subscription_remove, values, given, NULL,
                           error, &refusal));
    if (refusal == NO_SESSION)
        return mica_store_no_session(error);
    return MICA_OK;
}

// ---- Subscribers ---------------------------------------------------------------

static const struct mica_store_operation subscribers = {
    .name = "subscribers",
    .takes = "tbnn",
    .steps = {{.sql = "SELECT u.session FROM subscriptions AS u"
                      " JOIN sessions AS s ON s.key = u.session"
                      " WHERE u.uri = ?1 AND u.session > ?2 AND s.expires > ?3"
                      " ORDER BY u.session LIMIT ?4",
               .gives = "b"}}};

enum mica_status
mica_store_subscribers(struct mica_store *store, struct mica_text uri,
                       const struct mica_store_session_key *after, size_t limit,
                       int64_t now, struct mica_arena *arena,
                       struct mica_error *error,
                       struct mica_store_subscribers *subscribers_out)
{
    const struct mica_text front = {"", 0};
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(uri),
        MICA_STORE_TEXT(after != NULL ? mica_store_key_text(after) : front),
        MICA_STORE_NUMBER(now), MICA_STORE_NUMBER((int64_t)limit)};
    struct mica_store_given given[1] = {{.count = 0}};
    struct mica_store_subscribers found = {NULL, 0};
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &subscribers, values, given, arena, error,
                           &refusal));
    found.keys = mica_arena_zero(arena, given[0].count, sizeof *found.keys);
    if (found.keys == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no memory for %zu subscribers; ask "
                              "for fewer.",
                              limit);
    for (; found.count < given[0].count; found.count++)
        MICA_TRY(mica_store_read_key(
            mica_store_given_row(&given[0], found.count)[0].text, error,
            &found.keys[found.count]));
    *subscribers_out = found;
    return MICA_OK;
}
