// SPDX-License-Identifier: Apache-2.0
//
// The claims of a token (RFC 7519 section 4.1, RFC 9068 section 2.2), by type.
// What they have to say is the matter of token_check.c.
#include "auth/token.h"

#include <math.h>

// Milliseconds of a NumericDate; far ends are cut, so that sums do not overflow.
static bool
read_date(const struct mica_json *date, int64_t *ms_out)
{
    const double most = 8.64e15; // as in ECMA-262: about 273,000 years
    double seconds;

    if (date->kind != MICA_JSON_NUMBER ||
        !mica_number_read(date->text, &seconds) || !isfinite(seconds))
        return false;
    double ms = seconds * 1000;
    *ms_out = (int64_t)(ms > most ? most : ms < -most ? -most : ms);
    return true;
}

// Text with spaces, or an array: `scope` is the former (RFC 8693 section 4.2),
// issuers that write `scp` are of both minds.
static bool
read_scopes(const struct mica_json *scope, struct mica_scopes *scopes)
{
    if (scope->kind == MICA_JSON_STRING)
        return mica_scopes_add_words(scopes, scope->text);
    if (scope->kind != MICA_JSON_ARRAY)
        return false;
    for (size_t i = 0; i < scope->count; i++)
        if (scope->items[i].kind != MICA_JSON_STRING ||
            !mica_scopes_add(scopes, scope->items[i].text))
            return false;
    return true;
}

static bool
audience_valid(const struct mica_json *audience)
{
    if (audience == NULL || audience->kind == MICA_JSON_STRING)
        return audience != NULL;
    if (audience->kind != MICA_JSON_ARRAY)
        return false;
    for (size_t i = 0; i < audience->count; i++)
        if (audience->items[i].kind != MICA_JSON_STRING)
            return false;
    return true;
}

static bool
read_text(const struct mica_json *claims, const char *namez, size_t most,
          struct mica_text *text_out)
{
    *text_out = mica_json_get_text(claims, namez);
    return text_out->len > 0 && text_out->len <= most;
}

const char *
mica_claims_read(const struct mica_json *claims, struct mica_claims *claims_out)
{
    const struct mica_json *scope = mica_json_get(claims, "scope");
    const struct mica_json *date = mica_json_get(claims, "exp");

    claims_out->scopes.count = 0;
    claims_out->not_before_ms = INT64_MIN;
    claims_out->audience = mica_json_get(claims, "aud");
    if (!read_text(claims, "iss", MICA_AUTH_TOKEN_BYTES, &claims_out->issuer))
        return "the token names no issuer";
    if (!read_text(claims, "sub", MICA_AUTH_SUBJECT_BYTES,
                   &claims_out->subject))
        return "the token names no subject of 1 to 512 bytes";
    if (!audience_valid(claims_out->audience))
        return "the token names no audience";
    if (date == NULL || !read_date(date, &claims_out->expires_ms))
        return "the token does not say when it expires";
    date = mica_json_get(claims, "nbf");
    if (date != NULL && !read_date(date, &claims_out->not_before_ms))
        return "the token's nbf is no time";
    date = mica_json_get(claims, "iat");
    int64_t issued_ms;
    if (date != NULL && !read_date(date, &issued_ms))
        return "the token's iat is no time";
    if (scope == NULL)
        scope = mica_json_get(claims, "scp");
    if (scope != NULL && !read_scopes(scope, &claims_out->scopes))
        return "the token's scopes cannot be read, or are more than 128";
    return NULL;
}
