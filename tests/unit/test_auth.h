// SPDX-License-Identifier: Apache-2.0
//
// An authorization server in small for the tests of src/auth: keys, key sets and
// tokens, good ones and bad ones.
#ifndef MICA_TESTS_AUTH_H
#define MICA_TESTS_AUTH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include "auth/auth.h"
#include "unit.h"

#define NOW    INT64_C(1800000000000)
#define ISSUER "https://login.example.com/"
#define HOME   "https://mcp.example.com/mcp"
#define CLAIMS                                                \
    "{\"iss\":\"" ISSUER "\",\"sub\":\"ada\",\"aud\":\"" HOME \
    "\",\"exp\":1800000600,\"iat\":1800000000,\"scope\":\"%s\"}"

// One arena a test, never given back before its end.
static inline struct mica_arena *
memory(void)
{
    static struct mica_arena arena;
    if (arena.cap == 0)
        mica_arena_init(&arena, 256 << 20);
    return &arena;
}

static inline const char *print(const char *format, ...) MICA_PRINTF(1, 2);

static inline const char *
print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    ck_assert_int_ge(len, 0);
    char *out = mica_arena_alloc(memory(), (size_t)len + 1);
    ck_assert_ptr_nonnull(out);
    va_start(arguments, format);
    (void)vsnprintf(out, (size_t)len + 1, format, arguments);
    va_end(arguments);
    return out;
}

// ---- Keys ----------------------------------------------------------------------

enum kind {
    RSA_2048,
    RSA_1024,
    P_256,
    P_384,
    ED25519
};

static inline EVP_PKEY *
generate(enum kind kind)
{
    EVP_PKEY *key =
        kind == RSA_2048   ? EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048)
        : kind == RSA_1024 ? EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)1024)
        : kind == P_256    ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256")
        : kind == P_384    ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-384")
                           : EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    ck_assert_ptr_nonnull(key);
    return key;
}

static inline const char *
base64url(const void *bytes, size_t size)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, memory(), 1 << 20);
    mica_base64_write(&buffer, bytes, size);
    while (buffer.len > 0 && buffer.ptr[buffer.len - 1] == '=')
        buffer.len--;
    mica_buffer_char(&buffer, '\0');
    for (char *c = buffer.ptr; *c != '\0'; c++)
        *c = *c == '+' ? '-' : *c == '/' ? '_' : *c;
    return buffer.ptr;
}

static inline const char *
number(EVP_PKEY *key, const char *name, int size)
{
    unsigned char bytes[1024];
    BIGNUM *value = NULL;
    ck_assert_int_eq(EVP_PKEY_get_bn_param(key, name, &value), 1);
    int len = size > 0 ? size : BN_num_bytes(value);
    ck_assert_int_eq(BN_bn2binpad(value, bytes, len), len);
    BN_free(value);
    return base64url(bytes, (size_t)len);
}

// The members that make up the public key.
static inline const char *
material(EVP_PKEY *key)
{
    unsigned char raw[32];
    size_t size = sizeof raw;
    if (EVP_PKEY_is_a(key, "RSA"))
        return print("\"kty\":\"RSA\",\"n\":\"%s\",\"e\":\"%s\"",
                     number(key, OSSL_PKEY_PARAM_RSA_N, 0),
                     number(key, OSSL_PKEY_PARAM_RSA_E, 0));
    if (EVP_PKEY_is_a(key, "EC")) {
        int bits = EVP_PKEY_get_bits(key);
        return print("\"kty\":\"EC\",\"crv\":\"P-%d\",\"x\":\"%s\",\"y\":"
                     "\"%s\"",
                     bits, number(key, OSSL_PKEY_PARAM_EC_PUB_X, bits / 8),
                     number(key, OSSL_PKEY_PARAM_EC_PUB_Y, bits / 8));
    }
    ck_assert_int_eq(EVP_PKEY_get_raw_public_key(key, raw, &size), 1);
    return print("\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"%s\"",
                 base64url(raw, size));
}

static inline const char *
jwk(EVP_PKEY *key, const char *kid)
{
    return print("{%s,\"use\":\"sig\",\"kid\":\"%s\"}", material(key), kid);
}

// ---- Tokens --------------------------------------------------------------------

// r and s of the DER form, 32 bytes each.
static inline void
raw_pair(const unsigned char *der, size_t size, unsigned char out[64])
{
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)size);
    ck_assert_ptr_nonnull(pair);
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), out, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), out + 32, 32);
    ECDSA_SIG_free(pair);
}

// Signs as the key's kind would, whatever the header says.
static inline const char *
sign(EVP_PKEY *key, const char *header, const char *claims)
{
    unsigned char signature[1024], pair[64];
    size_t size = sizeof signature;
    const char *text = print("%s.%s", base64url(header, strlen(header)),
                             base64url(claims, strlen(claims)));
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    ck_assert_int_eq(
        EVP_DigestSignInit(context, NULL,
                           EVP_PKEY_is_a(key, "ED25519") ? NULL : EVP_sha256(),
                           NULL, key),
        1);
    ck_assert_int_eq(EVP_DigestSign(context, signature, &size,
                                    (const unsigned char *)text, strlen(text)),
                     1);
    EVP_MD_CTX_free(context);
    if (!EVP_PKEY_is_a(key, "EC") || EVP_PKEY_get_bits(key) != 256)
        return print("%s.%s", text, base64url(signature, size));
    raw_pair(signature, size, pair);
    return print("%s.%s", text, base64url(pair, sizeof pair));
}

// A good token of the subject ada with these scopes.
static inline const char *
token(EVP_PKEY *key, const char *kid, const char *scopes)
{
    const char *algorithm = EVP_PKEY_is_a(key, "RSA")  ? "RS256"
                            : EVP_PKEY_is_a(key, "EC") ? "ES256"
                                                       : "EdDSA";
    return sign(key,
                print("{\"alg\":\"%s\",\"typ\":\"at+jwt\",\"kid\":\"%s\"}",
                      algorithm, kid),
                print(CLAIMS, scopes));
}

// ---- Files ---------------------------------------------------------------------

static char folder[32];

static inline void
remove_files(void)
{
    DIR *files = opendir(folder);
    for (struct dirent *one; files != NULL && (one = readdir(files)) != NULL;)
        (void)unlinkat(dirfd(files), one->d_name, 0);
    if (files != NULL)
        (void)closedir(files);
    (void)rmdir(folder);
}

// A file of this test with that text, gone when it ends.
static inline const char *
file(const char *name, const char *text)
{
    if (folder[0] == '\0') {
        strcpy(folder, "/tmp/mica-auth-XXXXXX");
        ck_assert_ptr_nonnull(mkdtemp(folder));
        (void)atexit(remove_files);
    }
    const char *path = print("%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(text, 1, strlen(text), out), strlen(text));
    ck_assert_int_eq(fclose(out), 0);
    return path;
}

// ---- An open auth --------------------------------------------------------------

// One issuer and HOME; the module of this build.
static inline struct mica_auth_options
options_for(const char *jwks)
{
    struct mica_auth_issuer *issuer =
        mica_arena_zero(memory(), 1, sizeof *issuer);
    *issuer = (struct mica_auth_issuer){mica_text(ISSUER), mica_text(jwks)};
    return (struct mica_auth_options){
        .resource = mica_text(HOME),
        .issuers = {1, issuer},
        .module = mica_text(getenv("MICA_AUTH_MODULE")),
    };
}

static inline struct mica_auth *
open_with(struct mica_auth_options options)
{
    // It must outlive the auth.
    struct mica_auth_options *kept = mica_arena_alloc(memory(), sizeof *kept);
    struct mica_auth *auth = NULL;
    struct mica_error error = {.message = ""};
    *kept = options;
    enum mica_status status = mica_auth_open(kept, &error, &auth);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    return auth;
}

// A set of keys, its members separated by commas.
static inline const char *
set(const char *keys)
{
    return print("{\"keys\":[%s]}", keys);
}

static inline struct mica_auth *
open_keys(const char *keys)
{
    return open_with(options_for(file("jwks.json", set(keys))));
}

// An issuer with one new key, for tests that ask about all else.
static inline struct mica_auth_options
options_of_lone(enum kind kind, const char *kid, EVP_PKEY **key_out)
{
    *key_out = generate(kind);
    return options_for(file("jwks.json", set(jwk(*key_out, kid))));
}

static inline struct mica_auth *
open_lone(enum kind kind, const char *kid, EVP_PKEY **key_out)
{
    return open_with(options_of_lone(kind, kid, key_out));
}

static inline void
close_lone(struct mica_auth **auth, EVP_PKEY *key)
{
    mica_auth_close(auth);
    EVP_PKEY_free(key);
}

// ---- Asking --------------------------------------------------------------------

static struct mica_auth_principal principal;
static struct mica_auth_refusal refusal;

// The decision about a header at a moment.
static inline enum mica_status
ask_at(struct mica_auth *auth, const char *authorization, int64_t now_ms)
{
    return mica_auth_check(auth, mica_text(authorization), 1, now_ms, 0,
                           memory(), &principal, &refusal);
}

static inline enum mica_status
ask(struct mica_auth *auth, const char *text)
{
    return ask_at(auth, print("Bearer %s", text), NOW);
}

#define TAKES(auth, text)                                                 \
    do {                                                                  \
        enum mica_status takes_ = ask(auth, text);                        \
        ck_assert_msg(takes_ == MICA_OK, "refused: %s", refusal.message); \
    } while (0)
#define REFUSES(auth, text, why)                                \
    do {                                                        \
        ck_assert_int_eq(ask(auth, text), MICA_E_UNAUTHORIZED); \
        ck_assert_uint_eq(refusal.http_status, 401);            \
        ck_assert_str_eq(refusal.message, why);                 \
    } while (0)

#endif
