// SPDX-License-Identifier: Apache-2.0
//
// An issuer's public keys (RFC 7517), each good for one algorithm. A set never
// changes once it is read, so any number of threads verify with it; its
// owner counts the holders.
#ifndef MICA_AUTH_ISSUER_KEYS_H
#define MICA_AUTH_ISSUER_KEYS_H

#include <openssl/evp.h>

#include "auth/token.h"

enum {
    MICA_AUTH_KEYS = 64 // of one issuer that are usable, at most
};

struct mica_key {
    enum mica_algorithm algorithm;
    struct mica_text kid; // empty: none
    EVP_PKEY *public;
};

struct mica_keys {
    struct mica_arena arena; // of the names
    unsigned holders;        // guarded by the owner's lock
    size_t count;
    struct mica_key keys[MICA_AUTH_KEYS];
};

// Reads a JWK set. Keys that are not for verifying, of another kind, too weak,
// or wrong in themselves are left out (RFC 7517 section 5); it is an error when
// none is left. Errors: MICA_E_JSON, MICA_E_LIMIT, MICA_E_FORMAT.
enum mica_status mica_keys_read(struct mica_text json, struct mica_error *error,
                                struct mica_keys **keys_out) MICA_MUST_USE;
void mica_keys_free(struct mica_keys *keys);

enum mica_verdict {
    MICA_VERDICT_GOOD,
    MICA_VERDICT_BAD,      // a key of that name does not fit the signature
    MICA_VERDICT_UNKNOWN,  // there is no key of that name for the algorithm
    MICA_VERDICT_AMBIGUOUS // the token names none and there are several
};

// Checks the signature, with a key of the token's own algorithm alone.
enum mica_verdict mica_keys_verify(const struct mica_keys *keys,
                                   const struct mica_token *token);

#endif
