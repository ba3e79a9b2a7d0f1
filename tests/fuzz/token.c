// SPDX-License-Identifier: Apache-2.0
//
// The header Authorization from a stranger: bearer token, JWS, claims, scopes. The
// input is such a header, and, as base64 hides most of a token from a fuzzer, also
// two lines that are the JSON of a header and of claims.
#include "auth/token.h"

#include <string.h>

#include "base/url.h"
#include "target.h"

static struct mica_text
encode(struct mica_arena *arena, struct mica_text bytes)
{
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, 1 << 20);
    mica_base64_write(&buffer, bytes.ptr, bytes.len);
    for (size_t i = 0; i < buffer.len; i++)
        buffer.ptr[i] = buffer.ptr[i] == '+'   ? '-'
                        : buffer.ptr[i] == '/' ? '_'
                                               : buffer.ptr[i];
    while (buffer.len > 0 && buffer.ptr[buffer.len - 1] == '=')
        buffer.len--;
    return mica_buffer_as_text(&buffer);
}

// The parts of a token that was read are those of its text, and no other text has
// them.
static void
check_token(struct mica_arena *arena, struct mica_text text,
            const struct mica_token *token)
{
    struct mica_text last =
        mica_text_slice(text, token->signed_part.len + 1, text.len);

    FUZZ_MUST(token->signed_part.ptr == text.ptr);
    FUZZ_MUST(text.ptr[token->signed_part.len] == '.');
    FUZZ_MUST(mica_text_equal(encode(arena, token->signature), last));
    FUZZ_MUST(token->kid.len <= MICA_AUTH_KID_BYTES);
    FUZZ_MUST(token->algorithm <= MICA_ALGORITHM_EDDSA);
    FUZZ_MUST(token->claims.kind == MICA_JSON_OBJECT);
}

static void
check_claims(struct mica_arena *arena, const struct mica_claims *claims)
{
    struct mica_principal party = {
        .scopes = mica_scopes_text(&claims->scopes, arena)};

    FUZZ_MUST(claims->issuer.len > 0 && claims->audience != NULL);
    FUZZ_MUST(claims->subject.len > 0 &&
              claims->subject.len <= MICA_AUTH_SUBJECT_BYTES);
    FUZZ_MUST(claims->scopes.count <= MICA_AUTH_SCOPES);
    for (size_t i = 0; i < claims->scopes.count; i++) {
        struct mica_text scope = claims->scopes.items[i];
        FUZZ_MUST(mica_scope_valid(scope));
        FUZZ_MUST(mica_auth_allows(&party, scope));
        FUZZ_MUST(i == 0 ||
                  mica_text_compare(claims->scopes.items[i - 1], scope) < 0);
    }
}

static void
read_token(struct mica_arena *arena, struct mica_text text)
{
    struct mica_token token;
    struct mica_claims claims;

    if (mica_token_read(text, arena, &token) != NULL)
        return;
    check_token(arena, text, &token);
    if (mica_claims_read(&token.claims, &claims) == NULL)
        check_claims(arena, &claims);
}

// header LF claims, as a token with an empty signature.
static void
read_lines(struct mica_arena *arena, struct mica_text input)
{
    const char *end = memchr(input.ptr, '\n', input.len);
    struct mica_buffer token;

    if (end == NULL)
        return;
    size_t size = (size_t)(end - input.ptr);
    mica_buffer_init(&token, arena, 1 << 20);
    mica_buffer_text(&token, encode(arena, mica_text_slice(input, 0, size)));
    mica_buffer_char(&token, '.');
    mica_buffer_text(
        &token, encode(arena, mica_text_slice(input, size + 1, input.len)));
    mica_buffer_char(&token, '.');
    read_token(arena, mica_buffer_as_text(&token));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text input = {(const char *)bytes, size}, text;
    struct mica_arena arena;
    struct mica_url url;

    if (size == 0 || size > 32 * 1024)
        return 0;
    mica_arena_init(&arena, 8 << 20);
    if (mica_bearer_read(input, &text) == MICA_BEARER_TOKEN) {
        FUZZ_MUST(text.len > 0 && text.len <= MICA_AUTH_TOKEN_BYTES);
        read_token(&arena, text);
    }
    read_lines(&arena, input);
    if (mica_url_read_safe(input, &url) == NULL)
        FUZZ_MUST((url.https || url.loopback) &&
                  url.origin.len + url.path.len + url.query.len == size);
    mica_arena_fini(&arena);
    return 0;
}
