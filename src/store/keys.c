// SPDX-License-Identifier: Apache-2.0
//
// Sealing keys. The newest seals; when one takes its place, it still opens for
// a while, so that what was sealed just before can still be opened. The number
// of a key is never given twice, as the newest is never swept.
#include <sodium.h>

#include "store/store.h"

// Scratch memory is given back as it is, so secrets are wiped from it here.
static void
take_key(const struct mica_store_row *row, struct mica_store_key *key_out)
{
    struct mica_text secret = row->values[MICA_KEY_SECRET].text;

    *key_out = (struct mica_store_key){
        .id = (uint32_t)row->values[MICA_KEY_ID].number,
        .created = row->values[MICA_KEY_CREATED].number,
        .retires = row->values[MICA_KEY_RETIRES].number};
    if (secret.len == sizeof key_out->secret)
        memcpy(key_out->secret, secret.ptr, secret.len);
}

static enum mica_status
find_key(struct mica_store *within, struct mica_store_range range,
         struct mica_error *error, bool *found_out,
         struct mica_store_key *key_out)
{
    struct mica_store_rows rows;
    struct mica_text secret;

    range.table = MICA_STORE_KEYS;
    range.limit = 1;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    *found_out = rows.count > 0;
    if (rows.count == 0)
        return MICA_OK;
    take_key(&rows.items[0], key_out);
    secret = rows.items[0].values[MICA_KEY_SECRET].text;
    if (secret.len != sizeof key_out->secret)
        return mica_error_set(error, MICA_E_IO, "",
                              "Key %u in the store has %zu bytes instead of "
                              "32; put a backup back.",
                              (unsigned)key_out->id, secret.len);
    // The arena is this transaction's own.
    sodium_memzero((char *)(uintptr_t)secret.ptr, secret.len);
    return MICA_OK;
}

static enum mica_status
newest_key(struct mica_store *within, struct mica_error *error, bool *found_out,
           struct mica_store_key *key_out)
{
    return find_key(within, (struct mica_store_range){.newest_first = true},
                    error, found_out, key_out);
}

// From now on `key` only opens, and not for ever.
static enum mica_status
retire_key(struct mica_store *within, const struct mica_store_key *key,
           int64_t now, struct mica_error *error)
{
    struct mica_store_row row;

    row.values[MICA_KEY_ID].number = key->id;
    row.values[MICA_KEY_RETIRES].number = now + within->limits.key_overlap_ms;
    return mica_store_update(within, MICA_STORE_KEYS,
                             MICA_COLUMN(MICA_KEY_RETIRES), &row, error);
}

static enum mica_status
make_key(struct mica_store *within, const struct mica_store_key *newest,
         int64_t now, struct mica_error *error, struct mica_store_key *key_out)
{
    struct mica_store_key key = {.id = 1, .created = now, .retires = INT64_MAX};
    struct mica_store_row row;

    if (newest != NULL) {
        key.id = newest->id + 1;
        MICA_TRY(retire_key(within, newest, now, error));
    }
    randombytes_buf(key.secret, sizeof key.secret);
    row.values[MICA_KEY_ID].number = key.id;
    row.values[MICA_KEY_SECRET].text =
        (struct mica_text){(const char *)key.secret, sizeof key.secret};
    row.values[MICA_KEY_CREATED].number = key.created;
    row.values[MICA_KEY_RETIRES].number = key.retires;
    MICA_TRY(mica_store_insert(within, MICA_STORE_KEYS, &row, error));
    MICA_TRY(mica_store_add(within, MICA_COUNT_KEYS, 1, error));
    *key_out = key;
    sodium_memzero(&key, sizeof key);
    return MICA_OK;
}

// A clock that went back does not make a key older than it is.
static bool
still_seals(const struct mica_store *within, const struct mica_store_key *key,
            int64_t now)
{
    return now < key->created || now - key->created < within->limits.key_age_ms;
}

static enum mica_status
current_key(struct mica_store *within, int64_t now, struct mica_error *error,
            struct mica_store_key *key_out)
{
    struct mica_store_key newest;
    bool found = false;

    MICA_TRY(newest_key(within, error, &found, &newest));
    if (!found || !still_seals(within, &newest, now))
        return make_key(within, found ? &newest : NULL, now, error, key_out);
    *key_out = newest;
    return MICA_OK;
}

static enum mica_status
look_for_key(struct mica_store *store, struct mica_store_range range,
             struct mica_error *error, bool *found_out,
             struct mica_store_key *key_out)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_READ, error, &within));
    return mica_store_leave(
        &within, find_key(&within, range, error, found_out, key_out), error);
}

// Most often there is one, and looking for it waits for no writer.
enum mica_status
mica_store_key_current(struct mica_store *store, int64_t now,
                       struct mica_error *error, struct mica_store_key *key_out)
{
    struct mica_store within;
    bool found = false;

    MICA_TRY(look_for_key(store,
                          (struct mica_store_range){.newest_first = true},
                          error, &found, key_out));
    if (found && still_seals(store, key_out, now))
        return MICA_OK;
    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within, current_key(&within, now, error, key_out),
                            error);
}

enum mica_status
mica_store_key_find(struct mica_store *store, uint32_t id, int64_t now,
                    struct mica_error *error, struct mica_store_key *key_out)
{
    struct mica_store_range range = {.equal = 1};
    struct mica_store_key key;
    bool found = false;

    range.values[0].number = id;
    MICA_TRY(look_for_key(store, range, error, &found, &key));
    if (!found || key.retires <= now)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no key %u, or it has retired.",
                              (unsigned)id);
    *key_out = key;
    sodium_memzero(&key, sizeof key);
    return MICA_OK;
}

static enum mica_status
rotate(struct mica_store *within, int64_t now, struct mica_error *error,
       struct mica_store_key *key_out)
{
    struct mica_store_key newest;
    bool found = false;

    MICA_TRY(newest_key(within, error, &found, &newest));
    return make_key(within, found ? &newest : NULL, now, error, key_out);
}

enum mica_status
mica_store_key_rotate(struct mica_store *store, int64_t now,
                      struct mica_error *error, struct mica_store_key *key_out)
{
    struct mica_store within;

    MICA_TRY(mica_store_enter(store, MICA_STORE_WRITE, error, &within));
    return mica_store_leave(&within, rotate(&within, now, error, key_out),
                            error);
}

// Oldest first: the first that is still good ends it.
enum mica_status
mica_store_keys_expire(struct mica_store *within, int64_t now, size_t limit,
                       struct mica_error *error, size_t *removed_out)
{
    struct mica_store_range range = {.table = MICA_STORE_KEYS,
                                     .columns = MICA_COLUMN(MICA_KEY_ID) |
                                                MICA_COLUMN(MICA_KEY_RETIRES),
                                     .limit = limit};
    struct mica_store_rows rows;
    size_t removed;

    *removed_out = 0;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    for (size_t i = 0;
         i < rows.count && rows.items[i].values[MICA_KEY_RETIRES].number <= now;
         i++) {
        MICA_TRY(mica_store_remove(within, MICA_STORE_KEYS, 1, &rows.items[i],
                                   error, &removed));
        *removed_out += removed;
    }
    return mica_store_add(within, MICA_COUNT_KEYS, -(int64_t)*removed_out,
                          error);
}
