// SPDX-License-Identifier: Apache-2.0
//
// One signature (RFC 7515 section 5.2). The algorithm comes from the key; that
// the token names the same is a condition for using the key at all (RFC 8725
// section 3.1).
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include "auth/issuer_keys.h"

enum {
    PAIR_BYTES = 64, // a signature of ES256: r, then s (RFC 7518 section 3.4)
    HALF = PAIR_BYTES / 2,
    DER_BYTES = 80 // the same as libcrypto wants it, at most
};

// False: it is no signature at all.
static bool
to_der(struct mica_text signature, unsigned char der[DER_BYTES],
       size_t *size_out)
{
    const unsigned char *bytes = (const unsigned char *)signature.ptr;
    ECDSA_SIG *pair = ECDSA_SIG_new();
    unsigned char *end = der;
    int size = 0;

    if (signature.len != PAIR_BYTES || pair == NULL) {
        ECDSA_SIG_free(pair);
        return false;
    }
    BIGNUM *r = BN_bin2bn(bytes, HALF, NULL);
    BIGNUM *s = BN_bin2bn(bytes + HALF, HALF, NULL);
    if (r != NULL && s != NULL && ECDSA_SIG_set0(pair, r, s) == 1) {
        size = i2d_ECDSA_SIG(pair, &end); // at most 72 bytes
    } else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(pair);
    *size_out = size > 0 ? (size_t)size : 0;
    return size > 0;
}

static bool
signature_begin(EVP_MD_CTX *context, const struct mica_key *key)
{
    EVP_PKEY_CTX *settings = NULL;
    const char *hash = key->algorithm == MICA_ALGORITHM_EDDSA ? NULL : "SHA256";

    if (EVP_DigestVerifyInit_ex(context, &settings, hash, NULL, NULL,
                                key->public, NULL) != 1)
        return false;
    return key->algorithm != MICA_ALGORITHM_RS256 ||
           EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PADDING) == 1;
}

static bool
signature_fits(const struct mica_key *key, const struct mica_token *token)
{
    unsigned char der[DER_BYTES];
    const unsigned char *signature =
        (const unsigned char *)token->signature.ptr;
    size_t size = token->signature.len;

    if (size == 0)
        return false;
    if (key->algorithm == MICA_ALGORITHM_ES256) {
        if (!to_der(token->signature, der, &size))
            return false;
        signature = der;
    }
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context != NULL && signature_begin(context, key) &&
                EVP_DigestVerify(context, signature, size,
                                 (const unsigned char *)token->signed_part.ptr,
                                 token->signed_part.len) == 1;
    EVP_MD_CTX_free(context);
    // What failed is of no interest; the queue belongs to the thread.
    ERR_clear_error();
    return good;
}

enum mica_verdict
mica_keys_verify(const struct mica_keys *keys, const struct mica_token *token)
{
    const struct mica_key *candidates[MICA_AUTH_KEYS];
    size_t count = 0;

    for (size_t i = 0; i < keys->count; i++) {
        const struct mica_key *key = &keys->keys[i];
        if (key->algorithm == token->algorithm &&
            (token->kid.len == 0 || mica_text_equal(key->kid, token->kid)))
            candidates[count++] = key;
    }
    if (count == 0)
        return MICA_VERDICT_UNKNOWN;
    if (token->kid.len == 0 && count > 1)
        return MICA_VERDICT_AMBIGUOUS;
    // An issuer may publish several keys of one name.
    for (size_t i = 0; i < count; i++)
        if (signature_fits(candidates[i], token))
            return MICA_VERDICT_GOOD;
    return MICA_VERDICT_BAD;
}
