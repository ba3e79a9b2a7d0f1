// SPDX-License-Identifier: Apache-2.0
//
// Reads tokens. JSON is read by the strict reader, so a member that stands twice
// refuses the token (RFC 7515 section 4, RFC 8725 section 2.4).
#include "auth/token.h"

#include <string.h>

#include "base/ascii.h"

static const struct mica_json_limits limits = {.depth = 16,
                                               .bytes = MICA_AUTH_TOKEN_BYTES};

// ---- The header Authorization --------------------------------------------------

// b64token of RFC 6750 section 2.1.
static bool
is_token(struct mica_text text)
{
    size_t len = text.len;

    while (len > 0 && text.ptr[len - 1] == '=')
        len--;
    for (size_t i = 0; i < len; i++) {
        char c = mica_ascii_lower(text.ptr[i]);
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
            (c == '\0' || strchr("-._~+/", c) == NULL))
            return false;
    }
    return len > 0;
}

enum mica_bearer
mica_bearer_read(struct mica_text authorization, struct mica_text *token_out)
{
    size_t scheme = 0, start, end = authorization.len;

    while (end > 0 && (authorization.ptr[end - 1] == ' ' ||
                       authorization.ptr[end - 1] == '\t'))
        end--;
    while (scheme < end && authorization.ptr[scheme] != ' ')
        scheme++;
    // RFC 9110 section 11.1: the scheme's case does not matter.
    if (!mica_ascii_is(mica_text_slice(authorization, 0, scheme), "bearer"))
        return MICA_BEARER_NONE;
    for (start = scheme; start < end && authorization.ptr[start] == ' ';)
        start++;
    *token_out = mica_text_slice(authorization, start, end);
    return token_out->len <= MICA_AUTH_TOKEN_BYTES && is_token(*token_out)
               ? MICA_BEARER_TOKEN
               : MICA_BEARER_BAD;
}

// ---- The header of the token ---------------------------------------------------

static bool
read_part(struct mica_text text, struct mica_arena *arena,
          struct mica_json *object_out)
{
    struct mica_buffer bytes;

    mica_buffer_init(&bytes, arena, MICA_AUTH_TOKEN_BYTES);
    return mica_base64url_read(&bytes, text) &&
           mica_json_read(arena, mica_buffer_as_text(&bytes), &limits, NULL,
                          object_out) == MICA_OK &&
           object_out->kind == MICA_JSON_OBJECT;
}

static bool
read_algorithm(struct mica_text name, enum mica_algorithm *algorithm_out)
{
    static const char *const names[] = {[MICA_ALGORITHM_RS256] = "RS256",
                                        [MICA_ALGORITHM_ES256] = "ES256",
                                        [MICA_ALGORITHM_EDDSA] = "EdDSA"};

    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        if (mica_text_is(name, names[i])) {
            *algorithm_out = (enum mica_algorithm)i;
            return true;
        }
    }
    return false;
}

// RFC 8725 section 3.11: a token of another kind, say of a logout, is refused. Many
// issuers say JWT or nothing where RFC 9068 section 2.1 has at+jwt.
static const char *
read_type(const struct mica_json *header, struct mica_token *token)
{
    const struct mica_json *type = mica_json_get(header, "typ");

    token->at_jwt = false;
    if (type == NULL)
        return NULL;
    token->at_jwt = mica_ascii_is(type->text, "at+jwt") ||
                    mica_ascii_is(type->text, "application/at+jwt");
    if (type->kind == MICA_JSON_STRING &&
        (token->at_jwt || mica_ascii_is(type->text, "jwt") ||
         mica_ascii_is(type->text, "application/jwt")))
        return NULL;
    return "the token is of another type than an access token";
}

// `jwk`, `jku`, `x5c` and `x5u` are not looked at: a token does not say which key
// it is to be checked with, only the name of one that is known (RFC 8725 section
// 3.10; RFC 7515 sections 4.1.2 to 4.1.6 leave them optional).
static const char *
read_header(const struct mica_json *header, struct mica_token *token)
{
    const struct mica_json *kid = mica_json_get(header, "kid");
    const struct mica_json *algorithm = mica_json_get(header, "alg");

    if (algorithm == NULL || algorithm->kind != MICA_JSON_STRING ||
        !read_algorithm(algorithm->text, &token->algorithm))
        return "the token's algorithm must be RS256, ES256 or EdDSA";
    // RFC 7515 section 4.1.11: no extension is understood here, and an empty
    // list is not allowed.
    if (mica_json_get(header, "crit") != NULL)
        return "the token has critical header parameters";
    token->kid = (struct mica_text){NULL, 0};
    if (kid != NULL && (kid->kind != MICA_JSON_STRING || kid->text.len == 0 ||
                        kid->text.len > MICA_AUTH_KID_BYTES))
        return "the token's kid is no text of 1 to 256 bytes";
    if (kid != NULL)
        token->kid = kid->text;
    return read_type(header, token);
}

// ---- The token -----------------------------------------------------------------

const char *
mica_token_read(struct mica_text text, struct mica_arena *arena,
                struct mica_token *token_out)
{
    static const char no_token[] = "the token is no signed JWT";
    struct mica_token token;
    struct mica_json header;
    struct mica_buffer signature;
    const char *first = memchr(text.ptr, '.', text.len);

    if (first == NULL || text.len > MICA_AUTH_TOKEN_BYTES)
        return no_token;
    size_t end = (size_t)(first - text.ptr);
    struct mica_text rest = mica_text_slice(text, end + 1, text.len);
    const char *second = memchr(rest.ptr, '.', rest.len);
    if (second == NULL)
        return no_token;
    size_t middle = (size_t)(second - rest.ptr);
    token.signed_part = mica_text_slice(text, 0, end + 1 + middle);
    mica_buffer_init(&signature, arena, MICA_AUTH_TOKEN_BYTES);
    // A third point is not in the alphabet: five parts are an encrypted token.
    if (!read_part(mica_text_slice(text, 0, end), arena, &header) ||
        !mica_base64url_read(&signature,
                             mica_text_slice(rest, middle + 1, rest.len)))
        return no_token;
    const char *wrong = read_header(&header, &token);
    if (wrong != NULL)
        return wrong;
    if (!read_part(mica_text_slice(rest, 0, middle), arena, &token.claims))
        return no_token;
    token.signature = mica_buffer_as_text(&signature);
    *token_out = token;
    return NULL;
}
