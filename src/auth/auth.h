// SPDX-License-Identifier: Apache-2.0
//
// Who may call: an OAuth resource server (MCP authorization; RFC 6750, 7515,
// 7519, 8725, 9068, 9728). It reads bearer tokens that are JWTs, checks them
// against the keys of the issuers it is told to trust, and words the refusals.
// It issues nothing and asks no issuer about a token. login.h has the sign-in of
// browsers, for which it is a client of an issuer.
//
// The work is done by mica-auth.so, because its libraries (libcrypto, libcurl)
// take 8 ms and 6 MiB at the start; mica_auth_open loads it.
// docs/authorization.md is the page for operators.
//
// A token comes in the header Authorization and nowhere else: the caller never
// looks for one in the query or the body, never logs the header, and never
// hands it to a handler or upstream.
//
// Threads: everything but open and close may be called from any number of
// threads at once.
#ifndef MICA_AUTH_AUTH_H
#define MICA_AUTH_AUTH_H

#include <mica/server.h>

#include "apps/app_hosts.h"

enum {
    MICA_AUTH_ISSUERS = 8,            // at most
    MICA_AUTH_TOKEN_BYTES = 8 * 1024, // of a token, at most
    MICA_AUTH_SCOPES = 128            // of a token, implied ones included
};

struct mica_auth;

// An issuer whose tokens are accepted, and where the keys to check them are.
struct mica_auth_issuer {
    struct mica_text issuer; // exactly as in the claim `iss`
    // A JSON Web Key Set: a file, an https URL, or an http URL of this machine.
    struct mica_text jwks;
};
MICA_LIST_TYPE(mica_auth_texts, text);

// How browsers sign in (docs/authorization.md): this server is a client of an
// issuer, which asks people who they are.
struct mica_auth_login {
    struct mica_text issuer; // one of the issuers; empty: the first
    struct mica_text client_id;
    // A variable of the environment or a file that holds the secret of a
    // confidential client; neither: a public client.
    struct mica_text client_secret_env, client_secret_file;
    struct mica_auth_texts scopes; // to ask for; none: `required_scopes`
    int64_t max_age_s;             // of a login; 0: 12 h
    bool omit_resource;            // for issuers that refuse RFC 8707
};

// Zero takes the default. These are for tests and odd networks.
struct mica_auth_times {
    unsigned ttl_ms;     // instead of jwks_ttl_s
    unsigned retry_ms;   // between fetches that fail or are asked for; 30 s
    unsigned timeout_ms; // of one fetch; 10 s
    unsigned open_ms;    // that mica_auth_open waits for the first keys; 5 s
    unsigned stale_ms;   // that keys serve after the last good fetch; 24 h
};

// What is protected, and by whom. A file of JSON with the same names is read by
// mica_auth_options_read.
struct mica_auth_options {
    struct mica_text resource; // canonical URI: "https://mcp.example.com/mcp"
    struct {
        size_t count;
        const struct mica_auth_issuer *items;
    } issuers;
    // Values of `aud` that are accepted; none: `resource`.
    struct mica_auth_texts audiences;
    // Where clients get tokens; none: the issuers.
    struct mica_auth_texts authorization_servers;
    struct mica_auth_texts scopes_supported; // none: `required_scopes`
    struct mica_auth_texts required_scopes;  // of every request
    // Broader scopes and what each includes: "admin" -> "read", "write".
    struct {
        size_t count;
        const struct mica_text *keys;
        const struct mica_auth_texts *items;
    } implied_scopes;
    struct mica_text resource_name, resource_documentation; // or empty
    bool has_login;
    struct mica_auth_login login;
    // Where clients reach the MCP endpoint, for logins; empty: `resource`.
    struct mica_text endpoint;
    bool require_at_jwt; // refuse tokens without RFC 9068's `typ`
    int64_t leeway_s;    // between clocks; 0: 30
    int64_t jwks_ttl_s;  // keys are fetched again after that; 0: 300
    struct mica_auth_times times;
    // Host names of apps, at which they have other resource URLs; NULL: none.
    const struct mica_app_hosts *app_hosts;
    struct mica_text module; // path of mica-auth.so; empty: it is looked for
    // Told, on a thread of the module, when the keys of an issuer could not be
    // had, could be had again, or are others. NULL: it is not told.
    void (*report)(void *user, const char *messagez);
    void *user;
};

// Reads a configuration file. Names of key files in it are relative to its
// folder. `endpoint` is where clients reach the MCP endpoint, or empty: the resource of
// a file that has none, and one that the file has must contain it.
// Owner: all texts are in `arena`. Errors: MICA_E_NOT_FOUND, MICA_E_IO, MICA_E_USAGE
// (the resource is another one), and those of JSON and of records, with the path of
// the value.
enum mica_status
mica_auth_options_read(const char *pathz, struct mica_text endpoint,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_auth_options *options_out) MICA_MUST_USE;

// Loads the module, checks the options, reads the keys. A key file that cannot
// be used is an error. An issuer that does not answer is not: it is asked again
// until it does, and its tokens get 503 meanwhile.
// Owner: what `options` points to must outlive the result.
// Errors: MICA_E_USAGE (an option; the message names it), MICA_E_NOT_FOUND or
// MICA_E_TRUST (the module, a key file), MICA_E_IO, MICA_E_JSON, MICA_E_LIMIT.
enum mica_status mica_auth_open(const struct mica_auth_options *options,
                                struct mica_error *error,
                                struct mica_auth **auth_out) MICA_MUST_USE;

// As both of the above, and keeps the options itself. `app_hosts`, `report` and `user` as
// in the options. Errors about a value begin with the file's name.
enum mica_status
mica_auth_open_file(const char *pathz, struct mica_text endpoint,
                    const struct mica_app_hosts *app_hosts,
                    void (*report)(void *user, const char *messagez),
                    void *user, struct mica_error *error,
                    struct mica_auth **auth_out) MICA_MUST_USE;

// How many issuers are trusted.
size_t mica_auth_issuer_count(const struct mica_auth *auth);

// Ends the thread, within about a second of a fetch that runs, frees everything
// and sets *auth to NULL. No call may be running. NULL is allowed.
void mica_auth_close(struct mica_auth **auth);

// ---- One request ----------------------------------------------------------------

// Who asks. (issuer, subject) names one party for good; sessions, cursors and
// other state belong to the pair. The token itself is not here, so no handler can
// hand it on [AUTH-FORWARD]. Owner: `issuer` lives as long as the auth, the
// rest as long as the arena.
struct mica_auth_principal {
    struct mica_principal party; // scopes sorted, each once, with implied ones
    // Slugs of the apps that the token is for, and nothing else here, separated by spaces;
    // empty: it is for the whole server.
    struct mica_text apps;
    int64_t expires_ms; // Unix time; a stream of this principal ends by then
};

// How to answer a request that is not let in. Nothing in it comes from the
// token. `message` is static.
struct mica_auth_refusal {
    unsigned http_status;       // 400, 401, 403 or 503
    enum mica_status status;    // its stable code
    struct mica_text challenge; // value of WWW-Authenticate; empty with 503
    const char *message;
    unsigned retry_after_s; // value of Retry-After; 0: none
};

// Decides about one HTTP request, whatever its method. `authorization` is the
// value of the header Authorization, `count` how often the header is there.
// `now_ms` is Unix time. Takes one or two microseconds for a token seen before, a
// signature's time (60 to 190 µs) otherwise.
//
// A token with an unknown key, or one that names none and fits none, makes the
// module fetch the issuer's keys, at most once in times.retry_ms. Meanwhile the
// answer is 503, or the call waits for the fetch, at most `wait_ms`: 0 on a
// thread that serves others too.
// Errors: MICA_E_FORMAT (400), MICA_E_UNAUTHORIZED (401), MICA_E_SCOPE (403),
// MICA_E_BUSY (503: no keys yet, or no memory); then `refusal_out` is filled in
// and `principal_out` is not.
enum mica_status mica_auth_check(struct mica_auth *auth,
                                 struct mica_text authorization, unsigned count,
                                 int64_t now_ms, unsigned wait_ms,
                                 struct mica_arena *arena,
                                 struct mica_auth_principal *principal_out,
                                 struct mica_auth_refusal *refusal_out)
    MICA_MUST_USE;

// As mica_auth_check for a request to an app: `app` is its slug or, at a host name of its own,
// the origin of that (app_hosts); empty: the request is to another address. A token counts
// that is for this server, or for this app: its `aud` is then a URL of the app's MCP endpoint,
// at whichever of its addresses, and it counts nowhere else. A refusal sends the client to the
// metadata of the app at this address; whether there is such an app does not matter.
enum mica_status
mica_auth_check_at(struct mica_auth *auth, struct mica_text authorization,
                   unsigned count, struct mica_text app, int64_t now_ms,
                   unsigned wait_ms, struct mica_arena *arena,
                   struct mica_auth_principal *principal_out,
                   struct mica_auth_refusal *refusal_out) MICA_MUST_USE;

// Whether every scope of `needed` (separated by spaces) was granted.
bool mica_auth_allows(const struct mica_principal *party,
                      struct mica_text needed);

// The refusal (403) of an operation that takes the scopes of `needed`, and those
// of every request, which the challenge names all at once. `app` as above.
void mica_auth_refuse_scope(struct mica_auth *auth, struct mica_text needed,
                            struct mica_text app, struct mica_arena *arena,
                            struct mica_auth_refusal *refusal_out);

// ---- Metadata (RFC 9728) ----------------------------------------------------------

// Whether a request's path (without query) is one at which the metadata is
// served: the well-known path, and behind it the path of the endpoint, of the
// resource, or of the MCP endpoint of any slug, which an app may have or not. GET, without authorization, with Access-Control-Allow-Origin: *.
bool mica_auth_serves(const struct mica_auth *auth, struct mica_text path);

// The document, as application/json. Lives as long as the auth.
struct mica_text mica_auth_metadata(const struct mica_auth *auth);

// The document at a path that is served; empty for want of memory. Owner: as above, or in
// `arena`.
struct mica_text mica_auth_metadata_at(const struct mica_auth *auth,
                                       struct mica_text path,
                                       struct mica_arena *arena);

// The document of an app, as mica_auth_check_at has it, in `arena`; empty for want of memory.
struct mica_text mica_auth_metadata_of(const struct mica_auth *auth,
                                       struct mica_text app,
                                       struct mica_arena *arena);

#endif
