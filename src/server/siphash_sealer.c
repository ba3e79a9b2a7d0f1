// SPDX-License-Identifier: Apache-2.0
//
// A sealer for programs without a store: SipHash-2-4 with 128 bits, a keyed hash that is
// small enough for the core. A client can read a sealed text, but cannot change or forge
// it. A cursor needs no more: its client has just received the same names in a list.
#include "server/sealer.h"

#include <string.h>

enum {
    TAG = 16,
    PLAIN_BYTES = MICA_SEALED_BYTES / 4 * 3 - TAG
};

struct siphash_sealer {
    struct mica_sealer sealer;
    uint64_t key[2];
};

// ---- SipHash -------------------------------------------------------------------

struct hash {
    uint64_t v[4];
    uint64_t word;  // bytes that are not mixed in yet
    uint64_t count; // all bytes
};

static uint64_t
read_word(const unsigned char bytes[8])
{
    uint64_t word = 0;

    for (unsigned i = 0; i < 8; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static uint64_t
siphash_sealer_rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static void
siphash_sealer_mix(uint64_t v[4], unsigned rounds)
{
    for (; rounds > 0; rounds--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = siphash_sealer_rotate(v[1], 13) ^ v[0];
        v[3] = siphash_sealer_rotate(v[3], 16) ^ v[2];
        v[0] = siphash_sealer_rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = siphash_sealer_rotate(v[1], 17) ^ v[2];
        v[3] = siphash_sealer_rotate(v[3], 21) ^ v[0];
        v[2] = siphash_sealer_rotate(v[2], 32);
    }
}

static void
hash_begin(struct hash *hash, const uint64_t key[2])
{
    *hash = (struct hash){
        .v = {key[0] ^ 0x736f6d6570736575U, key[1] ^ 0x646f72616e646f6dU ^ 0xee,
              key[0] ^ 0x6c7967656e657261U, key[1] ^ 0x7465646279746573U}};
}

static void
hash_word(struct hash *hash, uint64_t word)
{
    hash->v[3] ^= word;
    siphash_sealer_mix(hash->v, 2);
    hash->v[0] ^= word;
}

static void
hash_add(struct hash *hash, struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        hash->word |= (uint64_t)(unsigned char)text.ptr[i]
                      << (8 * (hash->count % 8));
        if (++hash->count % 8 != 0)
            continue;
        hash_word(hash, hash->word);
        hash->word = 0;
    }
}

static void
hash_end(struct hash *hash, unsigned char tag_out[TAG])
{
    uint64_t *v = hash->v;

    hash_word(hash, hash->word | hash->count << 56);
    v[2] ^= 0xee;
    for (unsigned half = 0; half < 2; half++) {
        siphash_sealer_mix(v, 4);
        for (unsigned i = 0; i < 8; i++)
            tag_out[8 * half + i] =
                (unsigned char)((v[0] ^ v[1] ^ v[2] ^ v[3]) >> (8 * i));
        v[1] ^= 0xdd;
    }
}

// ---- Sealing -------------------------------------------------------------------

// Hashes the length of `bound`, `bound`, and the plain text.
static void
make_tag(const struct siphash_sealer *siphash, struct mica_text bound,
         struct mica_text plain, unsigned char tag_out[TAG])
{
    char length[8];
    struct hash hash;

    for (unsigned i = 0; i < sizeof length; i++)
        length[i] = (char)((uint64_t)bound.len >> (8 * i));
    hash_begin(&hash, siphash->key);
    hash_add(&hash, (struct mica_text){length, sizeof length});
    hash_add(&hash, bound);
    hash_add(&hash, plain);
    hash_end(&hash, tag_out);
}

static enum mica_status
siphash_sealer_seal(void *user, int64_t now, struct mica_text plain,
                    struct mica_text bound, struct mica_error *error,
                    struct mica_buffer *text_out)
{
    unsigned char tag[TAG];
    struct mica_buffer raw;

    (void)now;
    mica_buffer_init(&raw, NULL, PLAIN_BYTES + TAG);
    make_tag(user, bound, plain, tag);
    mica_buffer_add(&raw, tag, sizeof tag);
    mica_buffer_text(&raw, plain);
    if (!raw.overflow)
        mica_base64_write(text_out, raw.ptr, raw.len);
    if (raw.overflow || text_out->overflow) {
        mica_buffer_fini(&raw);
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "a cursor would be too long; make the names of "
                              "what is offered shorter");
    }
    mica_buffer_fini(&raw);
    return MICA_OK;
}

// Compares two tags in constant time.
static bool
siphash_sealer_same(const unsigned char *a, const char *b)
{
    unsigned different = 0;

    for (unsigned i = 0; i < TAG; i++)
        different |= a[i] ^ (unsigned char)b[i];
    return different == 0;
}

static enum mica_status
siphash_sealer_unseal(void *user, int64_t now, struct mica_text text,
                      struct mica_text bound, struct mica_error *error,
                      struct mica_buffer *plain_out)
{
    enum mica_status status = MICA_E_FORMAT;
    struct mica_text plain;
    unsigned char tag[TAG];
    struct mica_buffer raw;

    (void)now;
    mica_buffer_init(&raw, NULL, PLAIN_BYTES + TAG);
    if (text.len <= MICA_SEALED_BYTES && mica_base64_read(&raw, text) &&
        raw.len >= TAG) {
        plain = mica_text_slice(mica_buffer_as_text(&raw), TAG, raw.len);
        make_tag(user, bound, plain, tag);
        if (siphash_sealer_same(tag, raw.ptr)) {
            mica_buffer_text(plain_out, plain);
            status = MICA_OK;
        }
    }
    mica_buffer_fini(&raw);
    return status == MICA_OK
               ? status
               : mica_error_set(error, status, "", "this was not made here");
}

const struct mica_sealer *
mica_siphash_sealer(struct mica_arena *arena, const void *key)
{
    const unsigned char *bytes = key;
    struct siphash_sealer *siphash = mica_arena_zero(arena, 1, sizeof *siphash);

    if (siphash == NULL)
        return NULL;
    siphash->sealer = (struct mica_sealer){.seal = siphash_sealer_seal,
                                           .open = siphash_sealer_unseal,
                                           .user = siphash};
    siphash->key[0] = read_word(bytes);
    siphash->key[1] = read_word(bytes + 8);
    return &siphash->sealer;
}
