// SPDX-License-Identifier: Apache-2.0
//
// The keys that seal cursors and states. The newest key seals. When a newer one is made, a
// key retires after a while, and opens until then. Keys retire in the order in which they
// were made.
#include <sodium.h>

#include "store/store.h"

#define KEY_COLUMNS "id, secret, created, retires"
#define NEWEST      "(SELECT max(newest.id) FROM keys AS newest)"

// ---- Read ----------------------------------------------------------------------

static enum mica_status
read_key(const struct mica_store_given *given, struct mica_error *error,
         struct mica_store_key *key_out)
{
    const union mica_store_value *values = mica_store_given_row(given, 0);
    struct mica_text secret = values[1].text;

    *key_out = (struct mica_store_key){.id = (uint32_t)values[0].number,
                                       .created = values[2].number,
                                       .retires = values[3].number};
    if (secret.len != sizeof key_out->secret)
        return mica_error_set(error, MICA_E_IO, "",
                              "Key %u in the store has %zu bytes instead of "
                              "32; put a backup back.",
                              (unsigned)key_out->id, secret.len);
    memcpy(key_out->secret, secret.ptr, secret.len);
    return MICA_OK;
}

// Runs an operation whose last step returns the key, if there is one.
static enum mica_status
run_key(struct mica_store *store, const struct mica_store_operation *operation,
        unsigned step, const union mica_store_value *values,
        struct mica_error *error, bool *found_out,
        struct mica_store_key *key_out)
{
    struct mica_store_given given[4] = {{.count = 0}};
    struct mica_arena arena;
    enum mica_status status;
    unsigned refusal;

    mica_arena_init(&arena, 1 << 16);
    status =
        mica_store_do(store, operation, values, given, &arena, error, &refusal);
    if (status == MICA_OK && given[step].count == 0 && given[0].count > 0)
        step = 0; // an earlier try had committed
    *found_out = status == MICA_OK && given[step].count > 0;
    if (*found_out)
        status = read_key(&given[step], error, key_out);
    for (size_t i = 0; status == MICA_OK && i < given[step].count; i++) {
        struct mica_text secret = mica_store_given_row(&given[step], i)[1].text;
        sodium_memzero((char *)(uintptr_t)secret.ptr, secret.len);
    }
    mica_arena_fini(&arena);
    return status;
}

static const struct mica_store_operation key_find = {
    .name = "key_find",
    .takes = "n",
    .steps = {{.sql = "SELECT " KEY_COLUMNS " FROM keys WHERE id = ?1",
               .gives = "nbnn"}}};

static const struct mica_store_operation key_newest = {
    .name = "key_newest",
    .takes = "",
    .steps = {{.sql = "SELECT " KEY_COLUMNS " FROM keys ORDER BY id DESC LIMIT "
                      "1",
               .gives = "nbnn"}}};

enum mica_status
mica_store_key_find(struct mica_store *store, uint32_t id, int64_t now,
                    struct mica_error *error, struct mica_store_key *key_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(id)};
    struct mica_store_key key;
    bool found = false;

    MICA_TRY(run_key(store, &key_find, 0, values, error, &found, &key));
    if (!found || key.retires <= now)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no key %u, or it has retired.",
                              (unsigned)id);
    *key_out = key;
    sodium_memzero(&key, sizeof key);
    return MICA_OK;
}

// ---- Make ----------------------------------------------------------------------

// ?1 the secret, ?2 now, ?3 when those before retire
#define RETIRE "UPDATE keys SET retires = ?3 WHERE id = " NEWEST
#define MAKE                                                        \
    "INSERT INTO keys (id, secret, created, retires)"               \
    " SELECT coalesce(max(id), 0) + 1, ?1, ?2, 9223372036854775807" \
    " FROM keys"
#define MADE "SELECT " KEY_COLUMNS " FROM keys WHERE secret = ?1"

static void
count_made(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_count(store, MICA_COUNT_KEYS, (int64_t)part->given[1].changed);
}

static const struct mica_store_operation key_rotate = {
    .name = "key_rotate",
    .writes = true,
    .takes = "bnn",
    .steps = {{.sql = RETIRE}, {.sql = MAKE}, {.sql = MADE, .gives = "nbnn"}},
    .done = {.sql = MADE, .gives = "nbnn"},
    .count = count_made};

// Only if the newest key is too old to seal: ?4 is how old it may be. A clock that has
// stepped back makes no key old.
#define IS_OLD                                                  \
    " NOT EXISTS (SELECT 1 FROM keys AS k WHERE k.id = " NEWEST \
    " AND (k.created > ?2 OR ?2 - k.created < ?4))"

static const struct mica_store_operation key_current = {
    .name = "key_current",
    .writes = true,
    .takes = "bnnn",
    .steps = {{.sql = RETIRE " AND" IS_OLD},
              {.sql = MAKE " HAVING" IS_OLD},
              {.sql =
                   "SELECT " KEY_COLUMNS " FROM keys ORDER BY id DESC LIMIT 1",
               .gives = "nbnn"}},
    .count = count_made};

static enum mica_status
make_key(struct mica_store *store, const struct mica_store_operation *operation,
         int64_t now, struct mica_error *error, struct mica_store_key *key_out)
{
    unsigned char secret[sizeof key_out->secret];
    enum mica_status status;
    bool found;

    randombytes_buf(secret, sizeof secret);
    const union mica_store_value values[] = {
        MICA_STORE_TEXT(((struct mica_text){(char *)secret, sizeof secret})),
        MICA_STORE_NUMBER(now),
        MICA_STORE_NUMBER(now + store->limits.key_overlap_ms),
        MICA_STORE_NUMBER(store->limits.key_age_ms)};
    status = run_key(store, operation, 2, values, error, &found, key_out);
    sodium_memzero(secret, sizeof secret);
    MICA_TRY(status);
    return MICA_OK;
}

static bool
still_seals(const struct mica_store *store, const struct mica_store_key *key,
            int64_t now)
{
    return now < key->created || now - key->created < store->limits.key_age_ms;
}

enum mica_status
mica_store_key_current(struct mica_store *store, int64_t now,
                       struct mica_error *error, struct mica_store_key *key_out)
{
    const union mica_store_value none[1] = {{.number = 0}};
    bool found = false;

    // Reads first: most often there is one, and a read does not wait for a writer.
    MICA_TRY(run_key(store, &key_newest, 0, none, error, &found, key_out));
    if (found && still_seals(store, key_out, now))
        return MICA_OK;
    return make_key(store, &key_current, now, error, key_out);
}

enum mica_status
mica_store_key_rotate(struct mica_store *store, int64_t now,
                      struct mica_error *error, struct mica_store_key *key_out)
{
    return make_key(store, &key_rotate, now, error, key_out);
}

// ---- Expire --------------------------------------------------------------------

static void
count_expired(struct mica_store *store, const struct mica_store_part *part)
{
    mica_store_count(store, MICA_COUNT_KEYS, -(int64_t)part->given[0].changed);
}

static const struct mica_store_operation keys_expire = {
    .name = "keys_expire",
    .writes = true,
    .takes = "nn",
    .steps = {{.sql = "DELETE FROM keys WHERE id IN (SELECT k.id FROM keys AS k"
                      " WHERE k.retires <= ?1 AND NOT EXISTS (SELECT 1"
                      " FROM keys AS b WHERE b.id < k.id AND b.retires > ?1)"
                      " ORDER BY k.id LIMIT ?2)"}},
    .count = count_expired};

enum mica_status
mica_store_keys_expire(struct mica_store *store, int64_t now, size_t limit,
                       struct mica_error *error, size_t *removed_out)
{
    const union mica_store_value values[] = {MICA_STORE_NUMBER(now),
                                             MICA_STORE_NUMBER((int64_t)limit)};
    struct mica_store_given given[1] = {{.count = 0}};
    unsigned refusal;

    MICA_TRY(mica_store_do(store, &keys_expire, values, given, NULL, error,
                           &refusal));
    *removed_out = given[0].changed;
    return MICA_OK;
}
