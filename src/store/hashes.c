// SPDX-License-Identifier: Apache-2.0
//
// Hashes of texts, each for one purpose.
#include "store/hashes.h"

#include <sodium.h>

// Hashes each text with its length, so that no two lists of texts have the same input.
static void
hash_texts(struct mica_text purpose, const struct mica_text *texts,
           size_t count, unsigned char hash_out[32])
{
    crypto_generichash_state state;

    _Static_assert(crypto_generichash_BYTES == MICA_STORE_HASH_BYTES, "");
    (void)crypto_generichash_init(&state, (const unsigned char *)purpose.ptr,
                                  purpose.len, MICA_STORE_HASH_BYTES);
    for (size_t i = 0; i < count; i++) {
        uint64_t len = texts[i].len;
        (void)crypto_generichash_update(&state, (const unsigned char *)&len,
                                        sizeof len);
        (void)crypto_generichash_update(
            &state, (const unsigned char *)texts[i].ptr, texts[i].len);
    }
    (void)crypto_generichash_final(&state, hash_out, MICA_STORE_HASH_BYTES);
}

static struct mica_text
text_of(const unsigned char hash[32])
{
    return (struct mica_text){(const char *)hash, MICA_STORE_HASH_BYTES};
}

// The number of texts to hash. The last is the key of an endpoint. The key of /mcp is empty
// and is not hashed, so that the hashes of older stores stay valid.
static size_t
count_with(const struct mica_text *texts, size_t count)
{
    return texts[count - 1].len > 0 ? count : count - 1;
}

// Calls without an owner belong to many people, so the store does not count them.
struct mica_text
mica_store_caller_of(const struct mica_owner *owner, unsigned char hash_out[32])
{
    const struct mica_text texts[] = {owner->issuer, owner->subject};

    if (owner->issuer.len == 0 && owner->subject.len == 0)
        return (struct mica_text){"", 0};
    hash_texts(MICA_LITERAL("mica caller"), texts, MICA_COUNT(texts), hash_out);
    return text_of(hash_out);
}

struct mica_text
mica_store_asker_of(const struct mica_owner *owner, unsigned char hash_out[32])
{
    const struct mica_text texts[] = {owner->issuer, owner->subject,
                                      owner->endpoint};

    hash_texts(MICA_LITERAL("mica asker"), texts, MICA_COUNT(texts), hash_out);
    return text_of(hash_out);
}

struct mica_text
mica_store_party_of(const struct mica_store_session *session,
                    unsigned char hash_out[32])
{
    // With its NUL, as in the stores of earlier versions.
    static const char purpose[] = "mica party";
    const struct mica_owner *owner = &session->owner;
    bool known = owner->issuer.len > 0 || owner->subject.len > 0;
    const struct mica_text none = {"", 0};
    const struct mica_text texts[] = {owner->issuer, owner->subject,
                                      known ? none : session->party};

    if (!known && session->party.len == 0)
        return none;
    hash_texts((struct mica_text){purpose, sizeof purpose}, texts,
               MICA_COUNT(texts), hash_out);
    return text_of(hash_out);
}

struct mica_text
mica_store_call_key_of(const struct mica_kept_call *call, struct mica_text key,
                       unsigned char hash_out[32])
{
    char kind = (char)call->kind;
    const struct mica_text texts[] = {
        call->owner.issuer,  call->owner.subject, {&kind, 1}, call->target, key,
        call->owner.endpoint};

    hash_texts(MICA_LITERAL("mica idempotency key"), texts,
               count_with(texts, MICA_COUNT(texts)), hash_out);
    return text_of(hash_out);
}

struct mica_text
mica_store_answers_of(struct mica_text answers, unsigned char hash_out[32])
{
    static const unsigned char purpose[] = "mica answers";

    (void)crypto_generichash(hash_out, MICA_STORE_HASH_BYTES,
                             (const unsigned char *)answers.ptr, answers.len,
                             purpose, sizeof purpose);
    return text_of(hash_out);
}

int64_t
mica_store_build_number(const struct mica_store_build *what)
{
    char number = (char)what->kind;
    const struct mica_text texts[] = {
        {&number, 1}, what->target, what->version, what->endpoint};
    unsigned char hash[32];
    uint64_t build = 0;

    hash_texts(MICA_LITERAL("mica build"), texts,
               count_with(texts, MICA_COUNT(texts)), hash);
    for (unsigned i = 0; i < sizeof build; i++)
        build = build << 8 | hash[i];
    build >>= 1;
    return build != 0 ? (int64_t)build : 1;
}
