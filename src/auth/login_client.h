// SPDX-License-Identifier: Apache-2.0
//
// What logins are inside the module: the client of the issuer, what the issuer says of
// itself, and the table. All but the table is of the thread that asks the issuer.
#ifndef MICA_AUTH_LOGIN_CLIENT_H
#define MICA_AUTH_LOGIN_CLIENT_H

#include "auth/login_table.h"
#include "auth/state.h"

enum {
    MICA_LOGIN_TTL_MS = 3600 * 1000, // of the issuer's metadata
    MICA_LOGIN_RETRY_MS = 5 * 1000,  // after metadata that could not be had
    MICA_LOGIN_SECRET_BYTES = 4096,
    MICA_LOGIN_TOKEN_BYTES = 8192, // of a refresh or ID token
    MICA_LOGIN_URL_BYTES = 4000    // of an address at the issuer
};

// What the issuer says of itself (RFC 8414, section 2). Empty: it is not there.
struct mica_issuer_metadata {
    struct mica_text authorize, token, end_session, revoke;
    bool names_itself; // RFC 9207: replies have `iss`
    bool posts_secret; // client_secret_post alone
};

struct mica_login_client {
    struct mica_auth_state *auth;
    struct mica_text issuer;
    struct mica_login_site site;
    struct mica_text redirect; // the address of /login/callback
    struct mica_text secret;   // or empty
    struct mica_text scope;    // to ask for, separated by spaces
    bool wants_id_token;       // "openid" is one of them
    int64_t max_age_ms;
    atomic_bool stopping;
    struct mica_arena arena; // of `metadata`, emptied before each fetch
    struct mica_issuer_metadata metadata;
    uint64_t good_until_ms, bad_until_ms; // of the monotonic clock
    struct mica_error failure;            // while it is bad
    struct mica_login_table table;
};

// ---- login_open.c --------------------------------------------------------------------

// Checks the options and makes `state->login`. Without `login` in the file it stays NULL.
enum mica_status mica_login_open(struct mica_auth_state *state,
                                 struct mica_error *error) MICA_MUST_USE;
void mica_login_close(struct mica_login_client **login);

// ---- login_issuer.c ------------------------------------------------------------------

// Reads the metadata of `issuer`. NULL, or what is wrong with it. `secret` is whether
// the client has one.
const char *mica_issuer_metadata_read(const struct mica_json *json,
                                      struct mica_text issuer, bool secret,
                                      struct mica_issuer_metadata *out);

// Fetches it, unless it is known. Errors: MICA_E_LOGIN, MICA_E_TIMEOUT.
enum mica_status mica_login_discover(struct mica_login_client *login,
                                     struct mica_error *error) MICA_MUST_USE;

// ---- login_tokens.c ------------------------------------------------------------------

// Asks the token endpoint with `form`, to which the client's identity is added, and
// checks the access token that comes. `*final_out`: the issuer has refused the grant.
// Errors: MICA_E_LOGIN, MICA_E_TIMEOUT, MICA_E_LIMIT.
enum mica_status
mica_login_grant(struct mica_login_client *login, struct mica_buffer *form,
                 struct mica_text nonce, int64_t now_ms,
                 struct mica_arena *arena, struct mica_error *error,
                 struct mica_login_tokens *tokens_out, bool *final_out)
    MICA_MUST_USE;

// Adds "name=value" to a query or form; nothing for an empty value.
void mica_login_add(struct mica_buffer *out, const char *namez,
                    struct mica_text value);

// Posts a token to the endpoint for revocation (RFC 7009). Its outcome changes nothing.
void mica_login_revoke(struct mica_login_client *login, struct mica_text token,
                       struct mica_arena *arena);

// ---- login_flow.c --------------------------------------------------------------------

// As the functions of login.h.
enum mica_status
mica_flow_begin(struct mica_auth_state *state, struct mica_text party,
                struct mica_text target, int64_t now_ms,
                struct mica_arena *arena, struct mica_error *error,
                struct mica_text *url_out, struct mica_text *id_out);
enum mica_status mica_flow_finish(struct mica_auth_state *state,
                                  const struct mica_login_reply *reply,
                                  int64_t now_ms, struct mica_arena *arena,
                                  struct mica_error *error,
                                  struct mica_text *id_out,
                                  struct mica_text *target_out);
enum mica_login_answer mica_flow_check(
    struct mica_auth_state *state, struct mica_text id, int64_t now_ms,
    struct mica_arena *arena, struct mica_auth_principal *principal_out,
    struct mica_text *name_out, struct mica_auth_refusal *refusal_out);
enum mica_status mica_flow_refresh(struct mica_auth_state *state,
                                   struct mica_text id, int64_t now_ms,
                                   struct mica_arena *arena,
                                   struct mica_error *error);
void mica_flow_end(struct mica_auth_state *state, struct mica_text id,
                   int64_t now_ms, struct mica_arena *arena,
                   struct mica_text *url_out);

#endif
