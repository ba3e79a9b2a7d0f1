// SPDX-License-Identifier: Apache-2.0
//
// Signing in with a browser: the authorization code flow with PKCE (RFC 6749, RFC
// 7636, RFC 9700), for which this server is the client of an issuer. The tokens stay
// here, in memory; a browser holds a random id in a cookie.
//
//     GET /login            mica_login_begin: to the issuer, with a pending login
//     GET /login/callback   mica_login_finish: the code becomes tokens
//     any page              mica_login_check: who is it, and does the token still hold
//     POST /logout          mica_login_end: here, and at the issuer
//
// Threads: mica_login_check and the counts from any thread; begin, finish, refresh and
// end wait for the issuer, so they run on one thread, one at a time, which serves no
// requests.
#ifndef MICA_AUTH_LOGIN_H
#define MICA_AUTH_LOGIN_H

#include "auth/auth.h"

enum {
    MICA_LOGINS = 1024,               // open at once
    MICA_LOGINS_PENDING = 256,        // people who are at the issuer
    MICA_LOGINS_PENDING_OF_ONE = 128, // of these, from one address
    MICA_LOGINS_OF_ONE = 16,          // open logins of one person
    MICA_LOGIN_PENDING_S = 600,       // that a person may take at the issuer
    MICA_LOGIN_MAX_AGE_S = 43200,  // of a login, unless the file says otherwise
    MICA_LOGIN_ID_BYTES = 43,      // 256 random bits as base64url
    MICA_LOGIN_TARGET_BYTES = 1024 // of the path to return to
};

// Where logins happen, as browsers see it. Lives as long as the auth.
struct mica_login_site {
    struct mica_text origin; // "https://mcp.example.com"
    struct mica_text base;   // in front of paths: "/tools/x", or empty
    bool secure;             // https
    // Names of the cookies of a login and of one that is pending.
    struct mica_text cookie, pending_cookie;
};

// NULL: the file has no `login`.
const struct mica_login_site *mica_login_site(const struct mica_auth *auth);

// A sign-in that begins. `party` (at most 16 bytes) is the client against which it is
// counted. `target` is the path to return to, checked (mica_login_target_valid). `url_out`
// is the address at the issuer, `id_out` the value of the pending cookie. Errors:
// MICA_E_LOGIN, MICA_E_TIMEOUT, MICA_E_LIMIT.
enum mica_status mica_login_begin(
    struct mica_auth *auth, struct mica_text party, struct mica_text target,
    int64_t now_ms, struct mica_arena *arena, struct mica_error *error,
    struct mica_text *url_out, struct mica_text *id_out) MICA_MUST_USE;

// What the issuer sent the browser back with; empty: it is not there.
struct mica_login_reply {
    struct mica_text id; // of the pending cookie
    struct mica_text state, code, issuer, error;
};

// `id_out` is the value of the cookie, `target_out` where to go. Errors:
// MICA_E_LOGIN_STATE (not of a sign-in of this browser, or too late),
// MICA_E_LOGIN (the issuer refused, or cannot be had), MICA_E_TIMEOUT, MICA_E_LOGINS.
enum mica_status mica_login_finish(struct mica_auth *auth,
                                   const struct mica_login_reply *reply,
                                   int64_t now_ms, struct mica_arena *arena,
                                   struct mica_error *error,
                                   struct mica_text *id_out,
                                   struct mica_text *target_out) MICA_MUST_USE;

enum mica_login_answer {
    MICA_LOGIN_NONE,   // there is no such login
    MICA_LOGIN_OPEN,   // `principal_out` and `name_out` are filled in
    MICA_LOGIN_STALE,  // its token has expired: mica_login_refresh, then again
    MICA_LOGIN_REFUSED // as the token is; `refusal_out` is filled in
};

// Whose login the cookie names. The same check as of a bearer token. Waits for nothing.
enum mica_login_answer
mica_login_check(struct mica_auth *auth, struct mica_text id, int64_t now_ms,
                 struct mica_arena *arena,
                 struct mica_auth_principal *principal_out,
                 struct mica_text *name_out,
                 struct mica_auth_refusal *refusal_out) MICA_MUST_USE;

// Gets a new token for a login that is stale. One that the issuer refuses ends.
// Errors: MICA_E_LOGIN, MICA_E_TIMEOUT: the issuer cannot be had; the login stays.
enum mica_status mica_login_refresh(struct mica_auth *auth, struct mica_text id,
                                    int64_t now_ms, struct mica_arena *arena,
                                    struct mica_error *error) MICA_MUST_USE;

// Ends a login here, and its tokens at the issuer if that announces how. `url_out` is
// where the browser ends its session at the issuer, or empty.
void mica_login_end(struct mica_auth *auth, struct mica_text id, int64_t now_ms,
                    struct mica_arena *arena, struct mica_text *url_out);

// A fetch that runs ends within about a second, and none begins.
void mica_login_stop(struct mica_auth *auth);

struct mica_login_counts {
    size_t open, pending; // now
    uint64_t begun, finished, failed, refused, refreshed, ended;
};
struct mica_login_counts mica_login_counts(const struct mica_auth *auth);

// ---- What browsers send (login_request.c) --------------------------------------------

// The id in the cookie `namez`, of the form that this server gives out. False when it is
// not there, is there twice or has another form.
bool mica_login_cookie_find(const struct mica_http_request *request,
                            struct mica_text name, struct mica_text *id_out);

// The decoded value of a name in a query; empty when it is not there. False when it is
// there twice, is longer than `most` or cannot be decoded.
bool mica_login_query_find(struct mica_text query, const char *namez,
                           size_t most, struct mica_arena *arena,
                           struct mica_text *value_out);

// May a browser be sent to that path of this server? It begins with one slash, has the
// characters of a path and a query alone, and does not sign in or out. So it names no
// other host (no open redirect).
bool mica_login_target_valid(struct mica_text target);

// Comes a request that changes something from a page of this site? By Sec-Fetch-Site
// and Origin; without either it does not count as one.
bool mica_login_same_site(const struct mica_http_request *request,
                          struct mica_text origin);

#endif
