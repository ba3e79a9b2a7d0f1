// SPDX-License-Identifier: Apache-2.0
//
// Which sessions want to hear when a resource changes. A subscription ends with
// its session.
#include "store/store.h"

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

static void
write_row(const struct mica_store_session_key *key, struct mica_text uri,
          struct mica_store_row *row)
{
    row->values[MICA_SUBSCRIPTION_SESSION].text = mica_store_key_text(key);
    row->values[MICA_SUBSCRIPTION_URI].text = uri;
}

// False in `*room_out` when the session has as many as it may.
static enum mica_status
has_room(struct mica_store *within, const struct mica_store_session_key *key,
         struct mica_error *error, bool *room_out)
{
    struct mica_store_range range = {.table = MICA_STORE_SUBSCRIPTIONS,
                                     .equal = 1,
                                     .columns =
                                         MICA_COLUMN(MICA_SUBSCRIPTION_SESSION),
                                     .limit = within->limits.subscriptions};
    struct mica_store_rows rows;

    range.values[0].text = mica_store_key_text(key);
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    *room_out = rows.count < within->limits.subscriptions;
    return MICA_OK;
}

static enum mica_status
is_subscribed(struct mica_store *within, const struct mica_store_row *row,
              struct mica_error *error, bool *there_out)
{
    struct mica_store_range range = {.table = MICA_STORE_SUBSCRIPTIONS,
                                     .equal = 2};
    struct mica_store_row found;

    range.values[0] = row->values[MICA_SUBSCRIPTION_SESSION];
    range.values[1] = row->values[MICA_SUBSCRIPTION_URI];
    return mica_store_first(within, range, error, there_out, &found);
}

static enum mica_status
subscribe(struct mica_store *within, const struct mica_store_session_key *key,
          struct mica_text uri, int64_t now, struct mica_error *error)
{
    struct mica_store_row session, row;
    bool there, room;

    MICA_TRY(
        mica_store_session_row(within, key, now, false, NULL, error, &session));
    write_row(key, uri, &row);
    MICA_TRY(is_subscribed(within, &row, error, &there));
    if (there)
        return MICA_OK;
    MICA_TRY(has_room(within, key, error, &room));
    if (!room)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The session has %zu subscriptions, as many as "
                              "it may have; end one with "
                              "resources/unsubscribe.",
                              within->limits.subscriptions);
    MICA_TRY(mica_store_insert(within, MICA_STORE_SUBSCRIPTIONS, &row, error));
    return mica_store_add(within, MICA_COUNT_SUBSCRIPTIONS, 1, error);
}

enum mica_status
mica_store_subscribe(struct mica_store *store,
                     const struct mica_store_session_key *key,
                     struct mica_text uri, int64_t now,
                     struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(check_uri(uri, error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within, subscribe(&within, key, uri, now, error),
                            error);
}

static enum mica_status
unsubscribe(struct mica_store *within, const struct mica_store_session_key *key,
            struct mica_text uri, int64_t now, struct mica_error *error)
{
    struct mica_store_row session, row;
    size_t removed;

    MICA_TRY(
        mica_store_session_row(within, key, now, false, NULL, error, &session));
    write_row(key, uri, &row);
    MICA_TRY(mica_store_remove(within, MICA_STORE_SUBSCRIPTIONS, 2, &row, error,
                               &removed));
    return mica_store_add(within, MICA_COUNT_SUBSCRIPTIONS, -(int64_t)removed,
                          error);
}

enum mica_status
mica_store_unsubscribe(struct mica_store *store,
                       const struct mica_store_session_key *key,
                       struct mica_text uri, int64_t now,
                       struct mica_error *error)
{
    struct mica_store within;

    MICA_TRY(check_uri(uri, error));
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within, unsubscribe(&within, key, uri, now, error),
                            error);
}

// ---- Listing -------------------------------------------------------------------

// Adds the sessions of `rows` that have not expired.
static enum mica_status
add_live(struct mica_store *within, const struct mica_store_rows *rows,
         int64_t now, struct mica_error *error,
         struct mica_store_subscribers *out)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct mica_text text =
            rows->items[i].values[MICA_SUBSCRIPTION_SESSION].text;
        struct mica_store_session_key key;
        struct mica_store_row session;
        enum mica_status status;

        MICA_TRY(mica_store_take_key(text, error, &key));
        status = mica_store_session_row(within, &key, now, false, NULL, error,
                                        &session);
        if (status == MICA_OK)
            out->keys[out->count++] = key;
        else if (status != MICA_E_NOT_FOUND)
            return status;
    }
    return MICA_OK;
}

// Page by page, until there are `limit` live ones or no more rows.
static enum mica_status
list(struct mica_store *within, struct mica_store_range range, size_t limit,
     int64_t now, struct mica_error *error, struct mica_store_subscribers *out)
{
    struct mica_store_session_key last;
    struct mica_store_rows rows;

    do {
        range.limit = limit - out->count < 64 ? limit - out->count : 64;
        mica_arena_reset(&within->scratch);
        MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
        if (rows.count == 0)
            break;
        MICA_TRY(add_live(within, &rows, now, error, out));
        MICA_TRY(mica_store_take_key(
            rows.items[rows.count - 1].values[MICA_SUBSCRIPTION_SESSION].text,
            error, &last));
        range.bound = MICA_BOUND_AFTER;
        range.values[1].text = mica_store_key_text(&last);
    } while (rows.count == range.limit && out->count < limit);
    return MICA_OK;
}

enum mica_status
mica_store_subscribers(struct mica_store *store, struct mica_text uri,
                       const struct mica_store_session_key *after, size_t limit,
                       int64_t now, struct mica_arena *arena,
                       struct mica_error *error,
                       struct mica_store_subscribers *subscribers_out)
{
    struct mica_store_range range = {
        .table = MICA_STORE_SUBSCRIPTIONS,
        .index = 1,
        .equal = 1,
        .columns = MICA_COLUMN(MICA_SUBSCRIPTION_SESSION)};
    struct mica_store_subscribers found = {NULL, 0};
    struct mica_store within;
    enum mica_status status;

    range.values[0].text = uri;
    if (after != NULL) {
        range.bound = MICA_BOUND_AFTER;
        range.values[1].text = mica_store_key_text(after);
    }
    found.keys = mica_arena_zero(arena, limit, sizeof *found.keys);
    if (found.keys == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no memory for %zu subscribers; ask "
                              "for fewer.",
                              limit);
    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    status = mica_store_leave(
        &within, list(&within, range, limit, now, error, &found), error);
    if (status == MICA_OK)
        *subscribers_out = found;
    return status;
}
