// SPDX-License-Identifier: Apache-2.0
//
// How many calls an owner has, and under which of his keys he has begun which.
// Owners and keys are kept as hashes: they are only compared, and a key may be
// what somebody else would like to know.
#include <sodium.h>

#include "store/calls.h"

// ---- Hashes --------------------------------------------------------------------

void
mica_store_hash_texts(struct mica_text purpose, const struct mica_text *texts,
                      size_t count, unsigned char hash_out[32])
{
    crypto_generichash_state state;

    _Static_assert(crypto_generichash_BYTES == 32, "");
    (void)crypto_generichash_init(&state, (const unsigned char *)purpose.ptr,
                                  purpose.len, 32);
    for (size_t i = 0; i < count; i++) {
        uint64_t len = texts[i].len;
        (void)crypto_generichash_update(&state, (const unsigned char *)&len,
                                        sizeof len);
        (void)crypto_generichash_update(
            &state, (const unsigned char *)texts[i].ptr, texts[i].len);
    }
    (void)crypto_generichash_final(&state, hash_out, 32);
}

struct mica_store_call_key
mica_store_call_key_of(const struct mica_store_call *call, struct mica_text key)
{
    char offer = (char)call->offer;
    const struct mica_text texts[] = {call->owner.issuer,
                                      call->owner.subject,
                                      {&offer, 1},
                                      call->target,
                                      key};
    struct mica_store_call_key hash = {{0}};

    mica_store_hash_texts(MICA_LITERAL("mica idempotency key"), texts,
                          MICA_COUNT(texts), hash.bytes);
    return hash;
}

// 63 bits, never 0.
int64_t
mica_store_build_number(int offer, struct mica_text target,
                        struct mica_text version)
{
    char number = (char)offer;
    const struct mica_text texts[] = {{&number, 1}, target, version};
    unsigned char hash[32];
    uint64_t build = 0;

    mica_store_hash_texts(MICA_LITERAL("mica build"), texts, MICA_COUNT(texts),
                          hash);
    for (unsigned i = 0; i < sizeof build; i++)
        build = build << 8 | hash[i];
    build >>= 1;
    return build != 0 ? (int64_t)build : 1;
}

// ---- Owners --------------------------------------------------------------------

static bool
is_nobody(const struct mica_store_owner *owner)
{
    return owner->issuer.len == 0 && owner->subject.len == 0;
}

struct hash {
    unsigned char bytes[32];
};

// The row of an owner, or one with no calls. `hash` has its key.
static enum mica_status
read_owner(struct mica_store *within, const struct mica_store_owner *owner,
           struct hash *hash, struct mica_error *error, bool *found_out,
           struct mica_store_row *row_out)
{
    const struct mica_text texts[] = {owner->issuer, owner->subject};
    struct mica_store_range range = {.table = MICA_STORE_CALLERS, .equal = 1};

    mica_store_hash_texts(MICA_LITERAL("mica caller"), texts, MICA_COUNT(texts),
                          hash->bytes);
    range.values[0].text =
        (struct mica_text){(const char *)hash->bytes, sizeof hash->bytes};
    row_out->values[MICA_CALLER_CALLS].number = 0;
    MICA_TRY(mica_store_first(within, range, error, found_out, row_out));
    row_out->values[MICA_CALLER_OWNER] = range.values[0];
    return MICA_OK;
}

enum mica_status
mica_store_caller_room(struct mica_store *within,
                       const struct mica_store_owner *owner,
                       struct mica_error *error, bool *room_out)
{
    struct mica_store_row row;
    struct hash hash;
    bool found;

    *room_out = true;
    if (is_nobody(owner)) // who is many people
        return MICA_OK;
    MICA_TRY(read_owner(within, owner, &hash, error, &found, &row));
    *room_out = (uint64_t)row.values[MICA_CALLER_CALLS].number <
                within->limits.owner_calls;
    return MICA_OK;
}

enum mica_status
mica_store_caller_add(struct mica_store *within,
                      const struct mica_store_owner *owner, int by,
                      struct mica_error *error)
{
    struct mica_store_row row;
    struct hash hash;
    size_t removed;
    bool found;

    if (is_nobody(owner))
        return MICA_OK;
    MICA_TRY(read_owner(within, owner, &hash, error, &found, &row));
    row.values[MICA_CALLER_CALLS].number += by;
    if (row.values[MICA_CALLER_CALLS].number <= 0)
        return mica_store_remove(within, MICA_STORE_CALLERS, 1, &row, error,
                                 &removed);
    if (found)
        return mica_store_update(within, MICA_STORE_CALLERS,
                                 MICA_COLUMN(MICA_CALLER_CALLS), &row, error);
    return mica_store_insert(within, MICA_STORE_CALLERS, &row, error);
}

// ---- Keys ----------------------------------------------------------------------

static struct mica_text
key_text(const struct mica_store_call_key *key)
{
    return (struct mica_text){(const char *)key->bytes, sizeof key->bytes};
}

static enum mica_status
find_key(struct mica_store *within, const struct mica_store_call_key *key,
         struct mica_error *error, bool *found_out,
         struct mica_store_row *row_out)
{
    struct mica_store_range range = {.table = MICA_STORE_CALL_KEYS, .equal = 1};

    range.values[0].text = key_text(key);
    return mica_store_first(within, range, error, found_out, row_out);
}

enum mica_status
mica_store_call_key_find(struct mica_store *within,
                         const struct mica_store_call_key *key, int64_t now,
                         struct mica_error *error, bool *found_out,
                         struct mica_store_row *row_out)
{
    struct mica_store_row kept;

    MICA_TRY(find_key(within, key, error, found_out, &kept));
    if (!*found_out)
        return MICA_OK;
    MICA_TRY(mica_store_call_row(within, kept.values[MICA_CALL_KEY_CALL].text,
                                 error, found_out, row_out));
    if (*found_out && row_out->values[MICA_CALL_EXPIRES].number <= now)
        *found_out = false;
    return MICA_OK;
}

enum mica_status
mica_store_call_key_set(struct mica_store *within,
                        const struct mica_store_call_key *key,
                        struct mica_text id, struct mica_error *error)
{
    struct mica_store_row row;
    bool found;

    MICA_TRY(find_key(within, key, error, &found, &row));
    row.values[MICA_CALL_KEY_HASH].text = key_text(key);
    row.values[MICA_CALL_KEY_CALL].text = id;
    if (found)
        return mica_store_update(within, MICA_STORE_CALL_KEYS,
                                 MICA_COLUMN(MICA_CALL_KEY_CALL), &row, error);
    return mica_store_insert(within, MICA_STORE_CALL_KEYS, &row, error);
}

enum mica_status
mica_store_call_keys_remove(struct mica_store *within, struct mica_text id,
                            struct mica_error *error)
{
    struct mica_store_range range = {
        .table = MICA_STORE_CALL_KEYS, .index = 1, .equal = 1, .limit = 2};
    struct mica_store_rows rows;
    size_t removed;

    range.values[0].text = id;
    MICA_TRY(mica_store_scan(within, &range, NULL, error, &rows));
    for (size_t i = 0; i < rows.count; i++)
        MICA_TRY(mica_store_remove(within, MICA_STORE_CALL_KEYS, 1,
                                   &rows.items[i], error, &removed));
    return MICA_OK;
}
