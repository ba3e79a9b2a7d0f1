// SPDX-License-Identifier: Apache-2.0
//
// The steps of a login: to the issuer, back with a code, the check of each request, a new
// token, and the end.
#include "auth/login_client.h"

#include <string.h>

#include <openssl/rand.h>

enum {
    RANDOM_BYTES = 32, // of ids, states, nonces and verifiers
    FORM_BYTES = 32 * 1024,
    ERROR_BYTES = 64 // of an error code of the issuer that is shown
};

// ---- Random texts ------------------------------------------------------------------------

static struct mica_text
base64url_text(const unsigned char *bytes, size_t size,
               struct mica_arena *arena)
{
    struct mica_buffer out;

    mica_buffer_init(&out, arena, 4 * size);
    mica_base64_write(&out, bytes, size);
    while (out.len > 0 && out.ptr[out.len - 1] == '=')
        out.len--;
    for (size_t i = 0; i < out.len; i++)
        out.ptr[i] = out.ptr[i] == '+'   ? '-'
                     : out.ptr[i] == '/' ? '_'
                                         : out.ptr[i];
    return mica_buffer_as_text(&out);
}

static bool
random_text(struct mica_arena *arena, struct mica_text *text_out)
{
    unsigned char bytes[RANDOM_BYTES];

    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return false;
    *text_out = base64url_text(bytes, sizeof bytes, arena);
    return !arena->overflow;
}

static bool
digest_make(const struct mica_auth_state *state, struct mica_text text,
            unsigned char digest[EVP_MAX_MD_SIZE])
{
    return EVP_Digest(text.ptr, text.len, digest, NULL, state->sha256, NULL) ==
           1;
}

// ---- To the issuer -----------------------------------------------------------------------

static struct mica_text
address_write(const struct mica_login_client *login,
              const struct mica_login_pending *pending,
              struct mica_text challenge, struct mica_arena *arena)
{
    const struct mica_auth_options *options = login->auth->options;
    struct mica_text at = login->metadata.authorize;
    struct mica_buffer query, out;

    mica_buffer_init(&query, arena, MICA_LOGIN_URL_BYTES);
    mica_buffer_init(&out, arena, MICA_LOGIN_URL_BYTES);
    mica_login_add(&query, "response_type", MICA_LITERAL("code"));
    mica_login_add(&query, "client_id", options->login.client_id);
    mica_login_add(&query, "redirect_uri", login->redirect);
    mica_login_add(&query, "scope", login->scope);
    if (!options->login.omit_resource)
        mica_login_add(&query, "resource", options->resource);
    mica_login_add(&query, "state", pending->state);
    mica_login_add(&query, "nonce", pending->nonce);
    mica_login_add(&query, "code_challenge", challenge);
    mica_login_add(&query, "code_challenge_method", MICA_LITERAL("S256"));
    mica_buffer_text(&out, at);
    mica_buffer_char(&out,
                     at.len > 0 && memchr(at.ptr, '?', at.len) ? '&' : '?');
    mica_buffer_text(&out, mica_buffer_as_text(&query));
    if (query.overflow || out.overflow)
        return (struct mica_text){NULL, 0};
    return mica_buffer_as_text(&out);
}

static enum mica_status
no_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "there is no memory for a login");
}

enum mica_status
mica_flow_begin(struct mica_auth_state *state, struct mica_text party,
                struct mica_text target, int64_t now_ms,
                struct mica_arena *arena, struct mica_error *error,
                struct mica_text *url_out, struct mica_text *id_out)
{
    struct mica_login_client *login = state->login;
    struct mica_login_pending pending = {.party = party, .target = target};
    unsigned char digest[EVP_MAX_MD_SIZE];

    MICA_TRY(mica_login_discover(login, error));
    if (!random_text(arena, id_out) || !random_text(arena, &pending.state) ||
        !random_text(arena, &pending.verifier) ||
        (login->wants_id_token && !random_text(arena, &pending.nonce)) ||
        !digest_make(state, pending.verifier, digest))
        return no_memory(error);
    struct mica_text challenge =
        base64url_text(digest, MICA_DIGEST_BYTES, arena);
    *url_out = address_write(login, &pending, challenge, arena);
    if (url_out->len == 0)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the address at the issuer is longer than %d "
                              "bytes",
                              MICA_LOGIN_URL_BYTES);
    if (!digest_make(state, *id_out, digest) ||
        !mica_login_put(&login->table, digest, &pending, now_ms))
        return no_memory(error);
    mica_login_count(&login->table, &login->table.counts.begun);
    return MICA_OK;
}

// ---- Back with a code ----------------------------------------------------------------------

// What the issuer says instead of a code (RFC 6749, 4.1.2.1): shown when it is a word.
static struct mica_text
word_shown(struct mica_text word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!((word.ptr[i] >= 'a' && word.ptr[i] <= 'z') || word.ptr[i] == '_'))
            return MICA_LITERAL("an error without a code");
    return word.len <= ERROR_BYTES ? word
                                   : MICA_LITERAL("an error without a code");
}

// RFC 9207: the reply is of the issuer that was asked.
static enum mica_status
reply_check(const struct mica_login_client *login,
            const struct mica_login_reply *reply, struct mica_error *error)
{
    if (reply->issuer.len > 0 ? !mica_text_equal(reply->issuer, login->issuer)
                              : login->metadata.names_itself)
        return mica_error_set(error, MICA_E_LOGIN_STATE, "",
                              "the reply is of another issuer than the one "
                              "that was asked; sign in again");
    if (reply->error.len > 0)
        return mica_error_set(error, MICA_E_LOGIN, "",
                              "the issuer did not sign you in: %.*s",
                              MICA_ARG(word_shown(reply->error)));
    if (reply->code.len == 0)
        return mica_error_set(error, MICA_E_LOGIN_STATE, "",
                              "the reply has neither a code nor an error; sign "
                              "in again");
    return MICA_OK;
}

static enum mica_status
code_exchange(struct mica_login_client *login,
              const struct mica_login_reply *reply,
              const struct mica_login_pending *pending, int64_t now_ms,
              struct mica_arena *arena, struct mica_error *error,
              struct mica_login_tokens *tokens_out)
{
    struct mica_buffer form;
    bool final;

    MICA_TRY(mica_login_discover(login, error));
    MICA_TRY(reply_check(login, reply, error));
    mica_buffer_init(&form, arena, FORM_BYTES);
    mica_login_add(&form, "grant_type", MICA_LITERAL("authorization_code"));
    mica_login_add(&form, "code", reply->code);
    mica_login_add(&form, "redirect_uri", login->redirect);
    mica_login_add(&form, "code_verifier", pending->verifier);
    return mica_login_grant(login, &form, pending->nonce, now_ms, arena, error,
                            tokens_out, &final);
}

static enum mica_status
take_refuse(enum mica_status status, struct mica_error *error)
{
    if (status == MICA_E_LOGINS)
        return mica_error_set(error, status, "",
                              "%d browsers are signed in, and there is no room "
                              "for more; try again later",
                              MICA_LOGINS);
    if (status == MICA_E_LIMIT)
        return no_memory(error);
    return mica_error_set(error, MICA_E_LOGIN_STATE, "",
                          "this reply belongs to no sign-in of this browser, "
                          "was used before, or is older than %d minutes; sign "
                          "in again",
                          MICA_LOGIN_PENDING_S / 60);
}

static enum mica_status
exchange_conclude(struct mica_auth_state *state, struct mica_login *slot,
                  const struct mica_login_tokens *tokens, int64_t now_ms,
                  struct mica_arena *arena, struct mica_error *error,
                  struct mica_text *id_out)
{
    struct mica_login_table *table = &state->login->table;
    unsigned char digest[EVP_MAX_MD_SIZE];

    if (!random_text(arena, id_out) || !digest_make(state, *id_out, digest)) {
        (void)mica_login_conclude(table, slot, NULL, NULL, now_ms, 0);
        return no_memory(error);
    }
    return mica_login_conclude(table, slot, tokens, digest, now_ms,
                               now_ms + state->login->max_age_ms)
               ? MICA_OK
               : no_memory(error);
}

enum mica_status
mica_flow_finish(struct mica_auth_state *state,
                 const struct mica_login_reply *reply, int64_t now_ms,
                 struct mica_arena *arena, struct mica_error *error,
                 struct mica_text *id_out, struct mica_text *target_out)
{
    struct mica_login_client *login = state->login;
    struct mica_login_table *table = &login->table;
    struct mica_login_pending pending;
    struct mica_login_tokens tokens;
    unsigned char digest[EVP_MAX_MD_SIZE];
    struct mica_login *slot = NULL;
    enum mica_status status = MICA_E_LIMIT;

    if (digest_make(state, reply->id, digest))
        status = mica_login_take(table, digest, reply->state, now_ms, arena,
                                 &slot, &pending);
    if (status != MICA_OK) {
        mica_login_count(table, &table->counts.failed);
        return take_refuse(status, error);
    }
    status =
        code_exchange(login, reply, &pending, now_ms, arena, error, &tokens);
    if (status != MICA_OK)
        (void)mica_login_conclude(table, slot, NULL, NULL, now_ms, 0);
    else
        status = exchange_conclude(state, slot, &tokens, now_ms, arena, error,
                                   id_out);
    mica_login_count(table, status == MICA_OK ? &table->counts.finished
                                              : &table->counts.failed);
    *target_out = pending.target;
    return status;
}

// ---- Each request --------------------------------------------------------------------------

enum mica_login_answer
mica_flow_check(struct mica_auth_state *state, struct mica_text id,
                int64_t now_ms, struct mica_arena *arena,
                struct mica_auth_principal *principal_out,
                struct mica_text *name_out,
                struct mica_auth_refusal *refusal_out)
{
    struct mica_login_table *table = &state->login->table;
    struct mica_login_tokens tokens;
    unsigned char digest[EVP_MAX_MD_SIZE];
    enum mica_status status;
    bool renews;

    if (!digest_make(state, id, digest) ||
        !mica_login_find(table, digest, now_ms, arena, &tokens))
        return MICA_LOGIN_NONE;
    renews = tokens.refresh.len > 0;
    if (now_ms >= tokens.expires_ms)
        return renews ? MICA_LOGIN_STALE : MICA_LOGIN_NONE;
    status =
        mica_check(state, tokens.authorization, 1, (struct mica_text){NULL, 0},
                   now_ms, 0, arena, principal_out, refusal_out);
    // Its key has gone, say.
    if (status == MICA_E_UNAUTHORIZED && renews)
        return MICA_LOGIN_STALE;
    if (status != MICA_OK)
        return MICA_LOGIN_REFUSED;
    *name_out = tokens.name.len > 0 ? tokens.name : tokens.subject;
    return MICA_LOGIN_OPEN;
}

// Has a request before this one brought a new token?
static bool
is_fresh(struct mica_auth_state *state, const struct mica_login_tokens *tokens,
         int64_t now_ms, struct mica_arena *arena)
{
    struct mica_auth_principal principal;
    struct mica_auth_refusal refusal;

    return now_ms < tokens->expires_ms &&
           mica_check(state, tokens->authorization, 1,
                      (struct mica_text){NULL, 0}, now_ms, 0, arena, &principal,
                      &refusal) != MICA_E_UNAUTHORIZED;
}

// A new token for the same person. An issuer that gives no new refresh or ID token
// leaves the old ones (RFC 6749, 6).
static enum mica_status
token_renew(struct mica_login_client *login,
            const struct mica_login_tokens *old, int64_t now_ms,
            struct mica_arena *arena, struct mica_error *error,
            struct mica_login_tokens *new_out, bool *final_out)
{
    struct mica_buffer form;

    *final_out = false;
    MICA_TRY(mica_login_discover(login, error));
    mica_buffer_init(&form, arena, FORM_BYTES);
    mica_login_add(&form, "grant_type", MICA_LITERAL("refresh_token"));
    mica_login_add(&form, "refresh_token", old->refresh);
    MICA_TRY(mica_login_grant(login, &form, (struct mica_text){NULL, 0}, now_ms,
                              arena, error, new_out, final_out));
    if (!mica_text_equal(new_out->subject, old->subject))
        return mica_error_set(error, MICA_E_LOGIN, "",
                              "the issuer's new token is of another person");
    if (new_out->refresh.len == 0)
        new_out->refresh = old->refresh;
    if (new_out->id_token.len == 0)
        new_out->id_token = old->id_token;
    if (new_out->name.len == 0)
        new_out->name = old->name;
    return MICA_OK;
}

enum mica_status
mica_flow_refresh(struct mica_auth_state *state, struct mica_text id,
                  int64_t now_ms, struct mica_arena *arena,
                  struct mica_error *error)
{
    struct mica_login_table *table = &state->login->table;
    struct mica_login_tokens old, new;
    unsigned char digest[EVP_MAX_MD_SIZE];
    struct mica_login *slot;
    bool final;

    if (!digest_make(state, id, digest))
        return no_memory(error);
    slot = mica_login_claim(table, digest, now_ms, arena, &old);
    if (slot == NULL)
        return MICA_OK; // it has ended: the check says so
    if (is_fresh(state, &old, now_ms, arena)) {
        mica_login_keep(table, slot);
        return MICA_OK;
    }
    enum mica_status status =
        token_renew(state->login, &old, now_ms, arena, error, &new, &final);
    if (status != MICA_OK && !final) {
        mica_login_keep(table, slot);
        return status;
    }
    // Refused for good, it is gone; a new login is the remedy.
    if (mica_login_conclude(table, slot, status == MICA_OK ? &new : NULL, NULL,
                            now_ms, 0))
        mica_login_count(table, &table->counts.refreshed);
    else
        mica_login_count(table, &table->counts.ended);
    return MICA_OK;
}

// ---- The end -------------------------------------------------------------------------------

// Where the browser ends its session at the issuer (OpenID Connect RP-Initiated Logout).
static struct mica_text
end_address(const struct mica_login_client *login,
            const struct mica_login_tokens *tokens, struct mica_arena *arena)
{
    struct mica_text at = login->metadata.end_session;
    struct mica_buffer query, out, home;
    bool hints;

    if (at.len == 0)
        return (struct mica_text){NULL, 0};
    mica_buffer_init(&query, arena, MICA_LOGIN_URL_BYTES);
    mica_buffer_init(&out, arena, MICA_LOGIN_URL_BYTES);
    mica_buffer_init(&home, arena, MICA_LOGIN_URL_BYTES);
    mica_buffer_text(&home, login->site.origin);
    mica_buffer_text(&home, login->site.base);
    mica_buffer_char(&home, '/');
    hints = tokens->id_token.len < MICA_LOGIN_URL_BYTES / 2;
    mica_login_add(&query, "client_id", login->auth->options->login.client_id);
    mica_login_add(&query, "post_logout_redirect_uri",
                   mica_buffer_as_text(&home));
    if (hints)
        mica_login_add(&query, "id_token_hint", tokens->id_token);
    mica_buffer_text(&out, at);
    mica_buffer_char(&out, memchr(at.ptr, '?', at.len) ? '&' : '?');
    mica_buffer_text(&out, mica_buffer_as_text(&query));
    return query.overflow || out.overflow ? (struct mica_text){NULL, 0}
                                          : mica_buffer_as_text(&out);
}

void
mica_flow_end(struct mica_auth_state *state, struct mica_text id,
              int64_t now_ms, struct mica_arena *arena,
              struct mica_text *url_out)
{
    struct mica_login_client *login = state->login;
    struct mica_login_tokens tokens;
    unsigned char digest[EVP_MAX_MD_SIZE];
    struct mica_error error;

    *url_out = (struct mica_text){NULL, 0};
    if (!digest_make(state, id, digest) ||
        !mica_login_remove(&login->table, digest, now_ms, arena, &tokens) ||
        arena->overflow || mica_login_discover(login, &error) != MICA_OK)
        return;
    mica_login_revoke(login,
                      tokens.refresh.len > 0
                          ? tokens.refresh
                          : mica_text_slice(tokens.authorization,
                                            sizeof "Bearer " - 1,
                                            tokens.authorization.len),
                      arena);
    *url_out = end_address(login, &tokens, arena);
}
