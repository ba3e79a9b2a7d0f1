// SPDX-License-Identifier: Apache-2.0
//
// From JSON Web Keys to keys of libcrypto. What a key is for is decided here,
// once, from its type: a token cannot make an RSA key the secret of an HMAC.
#include "auth/issuer_keys.h"

#include <stdlib.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>

enum {
    LEAST_RSA_BYTES = 256, // RFC 7518 section 3.3
    MOST_RSA_BYTES = 1024, // or a set of keys could make us slow
    MOST_EXPONENT_BYTES = 4,
    EC_BYTES = 32, // a coordinate of P-256
    ED25519_BYTES = 32,
    JSON_DEPTH = 16,
    JSON_MEMORY = 8 * 1024 * 1024,
    NAMES_MEMORY = MICA_AUTH_KEYS * 2 * MICA_AUTH_KID_BYTES
};

// ---- Material ------------------------------------------------------------------

static EVP_PKEY *
from_params(const char *type, OSSL_PARAM_BLD *builder)
{
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY_CTX *checker = NULL;
    EVP_PKEY *key = NULL;
    bool good =
        params != NULL && maker != NULL && EVP_PKEY_fromdata_init(maker) == 1 &&
        EVP_PKEY_fromdata(maker, &key, EVP_PKEY_PUBLIC_KEY, params) == 1;

    // That the point lies on the curve, that modulus and exponent can be of RSA.
    if (good) {
        checker = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
        good = checker != NULL && EVP_PKEY_public_check(checker) == 1;
    }
    EVP_PKEY_CTX_free(checker);
    EVP_PKEY_CTX_free(maker);
    OSSL_PARAM_free(params);
    if (good)
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

static BIGNUM *
key_number(const struct mica_buffer *bytes)
{
    return BN_bin2bn((const unsigned char *)bytes->ptr, (int)bytes->len, NULL);
}

static bool
read_member(const struct mica_json *jwk, const char *namez,
            struct mica_arena *arena, struct mica_buffer *bytes_out)
{
    mica_buffer_init(bytes_out, arena, MOST_RSA_BYTES);
    return mica_base64url_read(bytes_out, mica_json_get_text(jwk, namez)) &&
           bytes_out->len > 0;
}

// RFC 7518 section 6.3.1: numbers without leading zeros.
static EVP_PKEY *
read_rsa(const struct mica_json *jwk, struct mica_arena *arena)
{
    struct mica_buffer n, e;

    if (!read_member(jwk, "n", arena, &n) ||
        !read_member(jwk, "e", arena, &e) || n.len < LEAST_RSA_BYTES ||
        e.len > MOST_EXPONENT_BYTES || n.ptr[0] == 0 || e.ptr[0] == 0 ||
        (n.len == LEAST_RSA_BYTES && ((unsigned char)n.ptr[0] & 0x80) == 0))
        return NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *modulus = key_number(&n), *exponent = key_number(&e);
    EVP_PKEY *key = NULL;
    if (builder != NULL && modulus != NULL && exponent != NULL &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1)
        key = from_params("RSA", builder);
    BN_free(modulus);
    BN_free(exponent);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

// RFC 7518 section 6.2.1: both coordinates, in their full length.
static EVP_PKEY *
read_ec(const struct mica_json *jwk, struct mica_arena *arena)
{
    unsigned char point[1 + 2 * EC_BYTES] = {4}; // not compressed
    struct mica_buffer x, y;

    if (!read_member(jwk, "x", arena, &x) ||
        !read_member(jwk, "y", arena, &y) || x.len != EC_BYTES ||
        y.len != EC_BYTES)
        return NULL;
    for (size_t i = 0; i < EC_BYTES; i++) {
        point[1 + i] = (unsigned char)x.ptr[i];
        point[1 + EC_BYTES + i] = (unsigned char)y.ptr[i];
    }
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;
    if (builder != NULL &&
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME,
                                        "prime256v1", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY,
                                         point, sizeof point) == 1)
        key = from_params("EC", builder);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

// RFC 8037 section 2.
static EVP_PKEY *
read_ed25519(const struct mica_json *jwk, struct mica_arena *arena)
{
    struct mica_buffer x;

    if (!read_member(jwk, "x", arena, &x) || x.len != ED25519_BYTES)
        return NULL;
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL,
                                       (const unsigned char *)x.ptr, x.len);
}

// ---- One key -------------------------------------------------------------------

static const struct {
    const char *type, *curve, *algorithm;
    EVP_PKEY *(*read)(const struct mica_json *jwk, struct mica_arena *arena);
} kinds[] = {
    [MICA_ALGORITHM_RS256] = {"RSA", "", "RS256", read_rsa},
    [MICA_ALGORITHM_ES256] = {"EC", "P-256", "ES256", read_ec},
    [MICA_ALGORITHM_EDDSA] = {"OKP", "Ed25519", "EdDSA", read_ed25519}};

// Absent, or this text.
static bool
key_agrees(const struct mica_json *jwk, const char *namez, const char *textz)
{
    const struct mica_json *member = mica_json_get(jwk, namez);

    return member == NULL || (member->kind == MICA_JSON_STRING &&
                              mica_text_is(member->text, textz));
}

static bool
may_verify(const struct mica_json *jwk)
{
    const struct mica_json *operations = mica_json_get(jwk, "key_ops");
    bool found = operations == NULL;

    for (size_t i = 0;
         operations != NULL && operations->kind == MICA_JSON_ARRAY &&
         i < operations->count;
         i++)
        found |= mica_text_is(operations->items[i].text, "verify");
    return found && key_agrees(jwk, "use", "sig");
}

// NULL for a key that is not for us. One that is published with its private part
// is no secret any more and proves nothing.
static EVP_PKEY *
read_key(const struct mica_json *jwk, struct mica_arena *arena,
         struct mica_key *key)
{
    const struct mica_json *kid = mica_json_get(jwk, "kid");

    if (mica_json_get(jwk, "d") != NULL || !may_verify(jwk) ||
        (kid != NULL && (kid->kind != MICA_JSON_STRING ||
                         kid->text.len > MICA_AUTH_KID_BYTES)))
        return NULL;
    key->kid = kid != NULL ? kid->text : (struct mica_text){NULL, 0};
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        if (!mica_text_is(mica_json_get_text(jwk, "kty"), kinds[i].type))
            continue;
        key->algorithm = (enum mica_algorithm)i;
        if (key_agrees(jwk, "alg", kinds[i].algorithm) &&
            (kinds[i].curve[0] == '\0' ||
             mica_text_is(mica_json_get_text(jwk, "crv"), kinds[i].curve)))
            return kinds[i].read(jwk, arena);
    }
    return NULL;
}

// ---- The set -------------------------------------------------------------------

static enum mica_status
read_set(const struct mica_json *set, struct mica_arena *arena,
         struct mica_keys *keys, struct mica_error *error)
{
    const struct mica_json *list = mica_json_get(set, "keys");

    if (list == NULL || list->kind != MICA_JSON_ARRAY)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "it is no JSON Web Key Set: an object with an "
                              "array \"keys\"");
    for (size_t i = 0; i < list->count; i++) {
        struct mica_key key;
        key.public = read_key(&list->items[i], arena, &key);
        ERR_clear_error();
        if (key.public == NULL)
            continue;
        if (keys->count == MICA_AUTH_KEYS) {
            EVP_PKEY_free(key.public);
            return mica_error_set(error, MICA_E_LIMIT, "",
                                  "it has more than %d usable keys",
                                  MICA_AUTH_KEYS);
        }
        key.kid = mica_arena_text(&keys->arena, key.kid);
        keys->keys[keys->count++] = key;
    }
    if (keys->count > 0 && !arena->overflow && !keys->arena.overflow)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "none of its %zu keys is one for RS256 (2048 bits or "
                          "more), ES256 or EdDSA with Ed25519",
                          list->count);
}

enum mica_status
mica_keys_read(struct mica_text json, struct mica_error *error,
               struct mica_keys **keys_out)
{
    struct mica_keys *keys = calloc(1, sizeof *keys);
    struct mica_json_limits limits = {.depth = JSON_DEPTH};
    struct mica_arena arena;
    struct mica_json set;
    enum mica_status status;

    if (keys == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "there is no memory");
    mica_arena_init(&keys->arena, NAMES_MEMORY);
    mica_arena_init(&arena, JSON_MEMORY);
    status = mica_json_read(&arena, json, &limits, error, &set);
    if (status == MICA_OK)
        status = read_set(&set, &arena, keys, error);
    mica_arena_fini(&arena);
    if (status == MICA_OK)
        *keys_out = keys;
    else
        mica_keys_free(keys);
    return status;
}

void
mica_keys_free(struct mica_keys *keys)
{
    if (keys == NULL)
        return;
    for (size_t i = 0; i < keys->count; i++)
        EVP_PKEY_free(keys->keys[i].public);
    mica_arena_fini(&keys->arena);
    free(keys);
}
