// SPDX-License-Identifier: Apache-2.0
//
// The decision about one request. In this order: is there a token, was it seen
// before, whom does it say it is from, is it signed by that issuer's key, and
// only then what else it says (RFC 7519 section 7.2, RFC 9068 section 4)
// [AUTH-TOKEN].
#include "auth/state.h"
#include "base/ascii.h"
#include "base/words.h"

#define OTHER_SERVER "the token is for another server"

// ---- Claims --------------------------------------------------------------------

// The canonical URI. Scheme and host may come in capitals, and the path of a
// server at the root with or without its slash (MCP authorization, canonical
// server URI); all else byte by byte.
static bool
is_resource(const struct mica_auth_state *state, struct mica_text audience)
{
    struct mica_text origin = state->resource.origin;
    struct mica_text path = mica_text_slice(audience, origin.len, audience.len);

    if (audience.len < origin.len ||
        !mica_ascii_same(audience.ptr, origin.ptr, origin.len))
        return false;
    return mica_text_equal(path, state->resource.path) ||
           (state->resource.path.len == 0 && mica_text_is(path, "/"));
}

static bool
is_for_us(const struct mica_auth_state *state, struct mica_text audience)
{
    const struct mica_auth_texts *accepted = &state->options->audiences;

    for (size_t i = 0; i < accepted->count; i++)
        if (mica_text_equal(accepted->items[i], audience))
            return true;
    return accepted->count == 0 && is_resource(state, audience);
}

// Is the token for the whole server? Otherwise lists the apps that it is for, in
// `principal->apps`.
static bool
audience_fits(const struct mica_auth_state *state, struct mica_text audience,
              struct mica_buffer *apps)
{
    struct mica_text app;

    if (is_for_us(state, audience))
        return true;
    app = state->options->audiences.count == 0
              ? mica_app_of_url(state, audience)
              : (struct mica_text){NULL, 0};
    if (app.len > 0) {
        if (apps->len > 0)
            mica_buffer_char(apps, ' ');
        mica_buffer_text(apps, app);
    }
    return false;
}

// Reads for what the token is: with true `apps_out` is empty, the whole server, or has the
// slugs of apps. False: it is for another server.
static bool
audience_read(const struct mica_auth_state *state,
              const struct mica_json *audience, struct mica_arena *arena,
              struct mica_text *apps_out)
{
    struct mica_buffer apps;
    bool whole = false;

    mica_buffer_init(&apps, arena, MICA_AUTH_TOKEN_BYTES);
    if (audience->kind == MICA_JSON_STRING)
        whole = audience_fits(state, audience->text, &apps);
    else
        for (size_t i = 0; !whole && i < audience->count; i++)
            whole = audience_fits(state, audience->items[i].text, &apps);
    *apps_out =
        whole ? (struct mica_text){NULL, 0} : mica_buffer_as_text(&apps);
    return whole || (apps.len > 0 && !apps.overflow);
}

// Does a token that is for these apps alone count at `app` (empty: not at an app)?
static bool
apps_have(struct mica_text apps, struct mica_text app)
{
    struct mica_text word;

    if (apps.len == 0)
        return true;
    while (mica_words_next(&apps, &word))
        if (mica_text_equal(word, app))
            return true;
    return false;
}

// What a signed token says. NULL, or why it is refused.
static const char *
token_judge(const struct mica_auth_state *state, const struct mica_token *token,
            struct mica_claims *claims, int64_t now_ms,
            struct mica_arena *arena, struct mica_text *apps_out)
{
    if (!audience_read(state, claims->audience, arena, apps_out))
        return OTHER_SERVER;
    if (now_ms >= claims->expires_ms + state->leeway_ms)
        return "the token has expired";
    if (claims->not_before_ms != INT64_MIN &&
        now_ms < claims->not_before_ms - state->leeway_ms)
        return "the token is not valid yet";
    if (state->options->require_at_jwt && !token->at_jwt)
        return "the token is not of type at+jwt";
    if (!mica_scopes_imply(&claims->scopes, state->options))
        return "the token's scopes are more than 128";
    return NULL;
}

// ---- Keys ----------------------------------------------------------------------

// Each issuer's tokens are checked with its own keys alone (RFC 8725 section
// 3.8): the claim says which, the signature then proves it.
static struct mica_source *
source_of(struct mica_auth_state *state, struct mica_text issuer)
{
    for (size_t i = 0; i < state->source_count; i++)
        if (mica_text_equal(state->sources[i].issuer, issuer))
            return &state->sources[i];
    return NULL;
}

static enum mica_verdict
try_keys(struct mica_auth_state *state, struct mica_source *source,
         const struct mica_token *token, bool *have_keys_out)
{
    struct mica_keys *keys = mica_source_hold(state, source);
    enum mica_verdict verdict = MICA_VERDICT_UNKNOWN;

    *have_keys_out = keys != NULL;
    if (keys != NULL) {
        verdict = mica_keys_verify(keys, token);
        mica_source_release(state, keys);
    }
    return verdict;
}

static const char *
word_verdict(enum mica_verdict verdict)
{
    switch (verdict) {
    case MICA_VERDICT_BAD:
        return "the token's signature is wrong";
    case MICA_VERDICT_AMBIGUOUS:
        return "the token names no key and its issuer has several";
    case MICA_VERDICT_UNKNOWN:
        return "the token's issuer has no key with the token's key id";
    case MICA_VERDICT_GOOD:
        break;
    }
    return NULL;
}

// Whether newer keys could make a token good: it names one that is not there, or
// none, and then it may well be signed by the successor of the one there is.
static bool
may_be_newer(const struct mica_token *token, enum mica_verdict verdict)
{
    return verdict == MICA_VERDICT_UNKNOWN ||
           (verdict != MICA_VERDICT_GOOD && token->kid.len == 0);
}

// MICA_OK with `*wrong_out` as NULL or why it is refused; or MICA_E_BUSY.
static enum mica_status
token_verify(struct mica_auth_state *state, struct mica_source *source,
             const struct mica_token *token, unsigned wait_ms,
             const char **wrong_out)
{
    bool have_keys, pending = false;
    enum mica_verdict verdict = try_keys(state, source, token, &have_keys);

    if (may_be_newer(token, verdict)) {
        enum mica_wanted wanted = mica_source_want(state, source, wait_ms);
        if (wanted == MICA_WANTED_DONE)
            verdict = try_keys(state, source, token, &have_keys);
        pending = wanted == MICA_WANTED_PENDING;
    }
    *wrong_out = word_verdict(verdict);
    return pending || !have_keys ? MICA_E_BUSY : MICA_OK;
}

// ---- The token -----------------------------------------------------------------

static void
token_fill(const struct mica_auth_state *state,
           const struct mica_source *source, const struct mica_claims *claims,
           struct mica_text apps, struct mica_arena *arena,
           struct mica_auth_principal *principal_out)
{
    *principal_out = (struct mica_auth_principal){
        .party = {.issuer = source->issuer,
                  .subject = claims->subject,
                  .scopes = mica_scopes_text(&claims->scopes, arena)},
        .apps = apps,
        .expires_ms = claims->expires_ms + state->leeway_ms};
}

// What a token that was not seen before is worth.
struct look {
    struct mica_auth_state *state;
    struct mica_arena *arena;
    struct mica_text app; // that the request is for, or empty
    int64_t now_ms;
    unsigned wait_ms;
    int64_t not_before_ms; // out: from when it counts, leeway included
    const char *wrong;     // out: why it is refused, or NULL
};

static enum mica_status
look_at(struct look *look, struct mica_text text,
        struct mica_auth_principal *principal_out)
{
    struct mica_auth_state *state = look->state;
    struct mica_text apps = {NULL, 0};
    struct mica_claims claims;
    struct mica_token token;

    look->wrong = mica_token_read(text, look->arena, &token);
    if (look->wrong == NULL)
        look->wrong = mica_claims_read(&token.claims, &claims);
    if (look->wrong != NULL)
        return MICA_OK;
    struct mica_source *source = source_of(state, claims.issuer);
    if (source == NULL) {
        look->wrong =
            "this server does not accept tokens of the token's issuer";
        return MICA_OK;
    }
    MICA_TRY(token_verify(state, source, &token, look->wait_ms, &look->wrong));
    if (look->wrong == NULL)
        look->wrong = token_judge(state, &token, &claims, look->now_ms,
                                  look->arena, &apps);
    if (look->wrong != NULL)
        return MICA_OK;
    look->not_before_ms = claims.not_before_ms == INT64_MIN
                              ? INT64_MIN
                              : claims.not_before_ms - state->leeway_ms;
    token_fill(state, source, &claims, apps, look->arena, principal_out);
    return MICA_OK;
}

// From the cache, or looked at and put into it.
static enum mica_status
token_admit(struct look *look, struct mica_text text,
            struct mica_auth_principal *principal_out)
{
    struct mica_auth_state *state = look->state;
    unsigned char digest[EVP_MAX_MD_SIZE];
    uint64_t generation = atomic_load(&state->generation); // KEYS-2

    look->wrong = NULL;
    if (EVP_Digest(text.ptr, text.len, digest, NULL, state->sha256, NULL) != 1)
        return MICA_E_BUSY;
    if (mica_cache_find(&state->cache, digest, generation, look->now_ms,
                        look->arena, principal_out))
        return MICA_OK;
    MICA_TRY(look_at(look, text, principal_out));
    if (look->wrong == NULL && !look->arena->overflow)
        mica_cache_put(&state->cache, digest, generation, look->not_before_ms,
                       principal_out);
    return MICA_OK;
}

static enum mica_status
token_refuse(const struct look *look, enum mica_status status,
             const char *message, struct mica_auth_refusal *refusal_out)
{
    mica_refuse(look->state, status, message, look->app, look->arena,
                refusal_out);
    return status;
}

enum mica_status
mica_check(struct mica_auth_state *state, struct mica_text authorization,
           unsigned count, struct mica_text app, int64_t now_ms,
           unsigned wait_ms, struct mica_arena *arena,
           struct mica_auth_principal *principal_out,
           struct mica_auth_refusal *refusal_out)
{
    struct look look = {.state = state,
                        .arena = arena,
                        .app = app,
                        .now_ms = now_ms,
                        .wait_ms = wait_ms};
    struct mica_auth_principal principal = {.expires_ms = 0};
    struct mica_text text = {NULL, 0};

    if (count > 1)
        return token_refuse(&look, MICA_E_FORMAT,
                            "the header Authorization is there more than once",
                            refusal_out);
    switch (count == 0 ? MICA_BEARER_NONE
                       : mica_bearer_read(authorization, &text)) {
    case MICA_BEARER_NONE:
        return token_refuse(&look, MICA_E_UNAUTHORIZED, NULL, refusal_out);
    case MICA_BEARER_BAD:
        return token_refuse(
            &look, MICA_E_FORMAT,
            "the bearer token is not well-formed, or longer than 8 KiB",
            refusal_out);
    case MICA_BEARER_TOKEN:
        break;
    }
    if (token_admit(&look, text, &principal) != MICA_OK)
        return token_refuse(
            &look, MICA_E_BUSY,
            "the keys of the token's issuer are being fetched; try "
            "again",
            refusal_out);
    if (arena->overflow)
        return token_refuse(&look, MICA_E_BUSY,
                            "there is no memory for the request", refusal_out);
    if (look.wrong == NULL &&
        !apps_have(principal.apps, mica_app_slug_of(state, app)))
        look.wrong = OTHER_SERVER;
    if (look.wrong != NULL)
        return token_refuse(&look, MICA_E_UNAUTHORIZED, look.wrong,
                            refusal_out);
    if (!mica_auth_allows(&principal.party, state->required)) {
        mica_refuse_scope(state, (struct mica_text){NULL, 0}, app, arena,
                          refusal_out);
        return MICA_E_SCOPE;
    }
    *principal_out = principal;
    return MICA_OK;
}
