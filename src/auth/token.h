// SPDX-License-Identifier: Apache-2.0
//
// A bearer token as it comes, taken apart: the header of the request (RFC 6750),
// the compact JWS (RFC 7515), its header and its claims (RFC 7519). Nothing here
// is trusted yet and nothing here needs a key.
//
// The functions give NULL, or what is wrong: static text that may stand in an
// error_description, with nothing of the token in it.
#ifndef MICA_AUTH_TOKEN_H
#define MICA_AUTH_TOKEN_H

#include "auth/scopes.h"

enum {
    MICA_AUTH_KID_BYTES = 256,    // of a key's name
    MICA_AUTH_SUBJECT_BYTES = 512 // of the claim `sub`
};

// The pinned list. Nothing else is ever verified (RFC 8725 section 3.1).
enum mica_algorithm {
    MICA_ALGORITHM_RS256,
    MICA_ALGORITHM_ES256,
    MICA_ALGORITHM_EDDSA // with Ed25519
};

enum mica_bearer {
    MICA_BEARER_NONE, // no credentials of this scheme
    MICA_BEARER_BAD,  // they cannot be read
    MICA_BEARER_TOKEN
};

// Finds the token in the value of the header Authorization.
enum mica_bearer mica_bearer_read(struct mica_text authorization,
                                  struct mica_text *token_out);

struct mica_token {
    enum mica_algorithm algorithm;
    struct mica_text kid; // empty: none
    bool at_jwt;          // typ says that it is an access token (RFC 9068)
    struct mica_text signed_part;
    struct mica_text signature; // bytes
    struct mica_json claims;    // an object
};

// Takes a token apart. What it points to is in `arena` and in `text`.
const char *mica_token_read(struct mica_text text, struct mica_arena *arena,
                            struct mica_token *token_out);

struct mica_claims {
    struct mica_text issuer, subject;
    const struct mica_json *audience; // text or array
    int64_t not_before_ms, expires_ms;
    struct mica_scopes scopes;
};

// The claims that are used, each of its type.
const char *mica_claims_read(const struct mica_json *claims,
                             struct mica_claims *claims_out);

// Base64url without padding (RFC 7515 section 2), each sequence of bytes having
// exactly one text. False when `text` is anything else.
bool mica_base64url_read(struct mica_buffer *buffer, struct mica_text text);

#endif
