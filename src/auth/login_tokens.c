// SPDX-License-Identifier: Apache-2.0
//
// The token endpoint (RFC 6749, 3.2): a code or a refresh token becomes an access token,
// which is checked as if a client had sent it. And the endpoint for revocation.
#include "auth/login_client.h"

#include <string.h>

#include "auth/fetch.h"
#include "base/ascii.h"

enum {
    HTTP_OK = 200,
    FORM_BYTES = 32 * 1024,
    ERROR_BYTES = 64,    // of an error code of the issuer that is shown
    NAME_BYTES = 128,    // of a person's name that is shown
    CHECK_WAIT_MS = 5000 // for the keys of the token
};

#define BEARER "Bearer "

void
mica_login_add(struct mica_buffer *out, const char *namez,
               struct mica_text value)
{
    if (value.len == 0)
        return;
    if (out->len > 0)
        mica_buffer_char(out, '&');
    mica_buffer_text(out, mica_text(namez));
    mica_buffer_char(out, '=');
    mica_url_encode(out, value);
}

// ---- One request -----------------------------------------------------------------------

// The client says who it is: with its secret in the header (RFC 6749, 2.3.1), in the
// form where the issuer takes nothing else, or by its id alone.
static const char *
client_add(const struct mica_login_client *login, struct mica_buffer *form,
           struct mica_arena *arena)
{
    struct mica_text id = login->auth->options->login.client_id;
    struct mica_buffer user;

    if (login->secret.len == 0 || login->metadata.posts_secret) {
        mica_login_add(form, "client_id", id);
        mica_login_add(form, "client_secret", login->secret);
        return NULL;
    }
    mica_buffer_init(&user, arena, FORM_BYTES);
    mica_url_encode(&user, id);
    mica_buffer_char(&user, ':');
    mica_url_encode(&user, login->secret);
    mica_buffer_char(&user, '\0');
    return user.overflow ? "" : user.ptr;
}

static enum mica_status
issuer_post(struct mica_login_client *login, struct mica_text url,
            struct mica_buffer *form, struct mica_arena *arena,
            struct mica_buffer *answer, long *status_out,
            struct mica_error *error)
{
    struct mica_text urlz = mica_arena_text(arena, url);
    struct mica_fetch fetch = {.acceptz = "application/json",
                               .timeout_ms = login->auth->times.timeout_ms,
                               .stopping = &login->stopping};

    fetch.userz = client_add(login, form, arena);
    mica_buffer_char(form, '\0');
    if (form->overflow || arena->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "there is no memory");
    fetch.urlz = urlz.ptr;
    fetch.formz = form->ptr;
    return mica_fetch_send(&fetch, answer, status_out, error);
}

// ---- The answer ------------------------------------------------------------------------

// An error code (RFC 6749, 5.2) that may be shown; else nothing of what came.
static struct mica_text
code_shown(struct mica_text code)
{
    for (size_t i = 0; i < code.len; i++) {
        char low = mica_ascii_lower(code.ptr[i]);
        if (!(low >= 'a' && low <= 'z') && code.ptr[i] != '_')
            return MICA_LITERAL("an error without a code");
    }
    return code.len > 0 && code.len <= ERROR_BYTES
               ? code
               : MICA_LITERAL("an error without a code");
}

static enum mica_status
answer_refuse(const struct mica_json *json, long status,
              struct mica_error *error, bool *final_out)
{
    struct mica_text code = mica_json_get_text(json, "error");

    *final_out = mica_text_is(code, "invalid_grant");
    return mica_error_set(error, MICA_E_LOGIN, "",
                          "the issuer gave no token: HTTP status %ld, %.*s",
                          status, MICA_ARG(code_shown(code)));
}

// A text that fits into an HTTP header or form.
static bool
is_token(struct mica_text text, size_t most)
{
    return text.len <= most && mica_ascii_visible(text);
}

static enum mica_status
answer_read(const struct mica_json *json, struct mica_arena *arena,
            struct mica_error *error, struct mica_login_tokens *tokens_out)
{
    struct mica_text access = mica_json_get_text(json, "access_token");
    struct mica_text type = mica_json_get_text(json, "token_type");
    struct mica_buffer authorization;

    tokens_out->refresh = mica_json_get_text(json, "refresh_token");
    tokens_out->id_token = mica_json_get_text(json, "id_token");
    if (!mica_ascii_is(type, "bearer") || access.len == 0 ||
        !is_token(access, MICA_AUTH_TOKEN_BYTES) ||
        !is_token(tokens_out->refresh, MICA_LOGIN_TOKEN_BYTES) ||
        !is_token(tokens_out->id_token, MICA_LOGIN_TOKEN_BYTES))
        return mica_error_set(error, MICA_E_LOGIN, "",
                              "the issuer's answer has no bearer token, or one "
                              "that is larger than 8 KiB");
    mica_buffer_init(&authorization, arena,
                     sizeof BEARER + MICA_AUTH_TOKEN_BYTES);
    mica_buffer_text(&authorization, MICA_LITERAL(BEARER));
    mica_buffer_text(&authorization, access);
    tokens_out->authorization = mica_buffer_as_text(&authorization);
    return MICA_OK;
}

// ---- Who it is -------------------------------------------------------------------------

static struct mica_text
name_of(const struct mica_json *claims)
{
    static const char *const names[] = {"name", "preferred_username", "email"};

    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        struct mica_text name = mica_json_get_text(claims, names[i]);
        if (name.len > 0 && mica_utf8_valid(name) == name.len)
            return mica_utf8_cut(name, NAME_BYTES);
    }
    return (struct mica_text){NULL, 0};
}

static bool
audience_has(const struct mica_json *audience, struct mica_text client)
{
    if (audience == NULL || audience->kind == MICA_JSON_STRING)
        return audience != NULL && mica_text_equal(audience->text, client);
    for (size_t i = 0; audience->kind == MICA_JSON_ARRAY && i < audience->count;
         i++)
        if (mica_text_equal(audience->items[i].text, client))
            return true;
    return false;
}

// The ID token, if there is one, gives the name that pages show and must answer this
// sign-in (OpenID Connect Core, 3.1.3.7; it came from the issuer itself, so TLS stands
// for its signature). NULL, or what is wrong.
static const char *
id_token_read(const struct mica_login_client *login, struct mica_text nonce,
              struct mica_arena *arena, struct mica_login_tokens *tokens)
{
    struct mica_token token;

    if (tokens->id_token.len == 0)
        return NULL;
    if (mica_token_read(tokens->id_token, arena, &token) != NULL)
        return "its ID token cannot be read";
    if (!mica_text_equal(mica_json_get_text(&token.claims, "iss"),
                         login->issuer) ||
        !audience_has(mica_json_get(&token.claims, "aud"),
                      login->auth->options->login.client_id))
        return "its ID token is of another issuer or for another client";
    if (nonce.len > 0 &&
        !mica_text_equal(mica_json_get_text(&token.claims, "nonce"), nonce))
        return "its ID token answers another sign-in";
    if (!mica_text_equal(mica_json_get_text(&token.claims, "sub"),
                         tokens->subject))
        return "its ID token is of another person than its access token";
    tokens->name = name_of(&token.claims);
    return NULL;
}

// The same checks as of a token that a client sends; it must be of the issuer that was
// asked.
static enum mica_status
token_admit(struct mica_login_client *login, int64_t now_ms,
            struct mica_arena *arena, struct mica_error *error,
            struct mica_login_tokens *tokens)
{
    struct mica_auth_principal principal;
    struct mica_auth_refusal refusal;

    if (mica_check(login->auth, tokens->authorization, 1,
                   (struct mica_text){NULL, 0}, now_ms, CHECK_WAIT_MS, arena,
                   &principal, &refusal) != MICA_OK)
        return mica_error_set(error, MICA_E_LOGIN, "",
                              "the issuer's access token is refused: %s",
                              refusal.message);
    if (!mica_text_equal(principal.party.issuer, login->issuer))
        return mica_error_set(error, MICA_E_LOGIN, "",
                              "the issuer's access token is of another issuer");
    tokens->subject = principal.party.subject;
    tokens->expires_ms = principal.expires_ms - login->auth->leeway_ms;
    return MICA_OK;
}

enum mica_status
mica_login_grant(struct mica_login_client *login, struct mica_buffer *form,
                 struct mica_text nonce, int64_t now_ms,
                 struct mica_arena *arena, struct mica_error *error,
                 struct mica_login_tokens *tokens_out, bool *final_out)
{
    struct mica_buffer answer;
    struct mica_json json;
    const char *wrong;
    long status = 0;

    memset(tokens_out, 0, sizeof *tokens_out);
    *final_out = false;
    mica_buffer_init(&answer, arena, MICA_AUTH_JWKS_BYTES);
    if (!login->auth->options->login.omit_resource)
        mica_login_add(form, "resource", login->auth->options->resource);
    if (issuer_post(login, login->metadata.token, form, arena, &answer, &status,
                    error) != MICA_OK) {
        mica_error_prefix(error, "the token endpoint of the issuer");
        return error->status == MICA_E_TIMEOUT ? MICA_E_TIMEOUT : MICA_E_LOGIN;
    }
    if (mica_json_read(arena, mica_buffer_as_text(&answer), NULL, NULL,
                       &json) != MICA_OK ||
        json.kind != MICA_JSON_OBJECT)
        return mica_error_set(error, MICA_E_LOGIN, "",
                              "the issuer gave no token: HTTP status %ld, and "
                              "no JSON object",
                              status);
    if (status != HTTP_OK)
        return answer_refuse(&json, status, error, final_out);
    *final_out = true; // what comes from here on does not get better
    MICA_TRY(answer_read(&json, arena, error, tokens_out));
    MICA_TRY(token_admit(login, now_ms, arena, error, tokens_out));
    wrong = id_token_read(login, nonce, arena, tokens_out);
    if (wrong != NULL)
        return mica_error_set(error, MICA_E_LOGIN, "",
                              "the issuer answered: %s", wrong);
    return MICA_OK;
}

void
mica_login_revoke(struct mica_login_client *login, struct mica_text token,
                  struct mica_arena *arena)
{
    struct mica_buffer form, answer;
    struct mica_error error;
    enum mica_status status;
    long http_status = 0;

    if (login->metadata.revoke.len == 0 || token.len == 0)
        return;
    mica_buffer_init(&form, arena, FORM_BYTES);
    mica_buffer_init(&answer, arena, MICA_AUTH_JWKS_BYTES);
    mica_login_add(&form, "token", token);
    status = issuer_post(login, login->metadata.revoke, &form, arena, &answer,
                         &http_status, &error);
    (void)status; // the login is gone here, whatever the issuer says
}
