// SPDX-License-Identifier: Apache-2.0
//
// What an open auth is, inside the module.
//
//   KEYS-1  Keys are found through a source under the lock, counted as held, and used
//           without it; the last holder frees them.
//   KEYS-2  `generation` goes up whenever the keys of a source become others or are
//           dropped. It is read before a token is verified; a remembered token counts
//           only while the number is still that one.
//   KEYS-3  Only the refreshing thread fetches, and it holds no lock meanwhile. It is
//           started after the key files were read in mica_auth_open.
#ifndef MICA_AUTH_STATE_H
#define MICA_AUTH_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "auth/auth_module.h"
#include "auth/issuer_keys.h"
#include "auth/token_cache.h"
#include "base/url.h"

struct mica_login_client;

// An issuer and its keys.
struct mica_source {
    struct mica_text issuer;
    const char *jwksz;
    bool is_url;
    // Guarded by the state's lock. Times are of the monotonic clock.
    struct mica_keys *keys;                  // NULL: none yet, or none any more
    unsigned char digest[MICA_DIGEST_BYTES]; // of the set they were read from
    uint64_t due_ms;                         // of the next fetch
    uint64_t good_ms;                        // of the last good one
    uint64_t wanted_ms; // of the last fetch that a token asked for
    uint64_t tries;     // fetches that have ended
    bool wanted;        // one was asked for and has not begun
    bool fetching, failing, ever_wanted;
};

struct mica_auth_state {
    const struct mica_auth_options *options;
    struct mica_auth_times times; // without zeros
    int64_t leeway_ms;
    struct mica_arena arena; // of the texts below and the options' copies
    struct mica_auth_options copy;
    struct mica_url resource;
    struct mica_text metadata, metadata_url;
    struct mica_url apps;      // of the apps, up to their slugs
    struct mica_text required; // scopes, separated by spaces
    EVP_MD *sha256;
    struct mica_cache cache;
    struct mica_login_client *login; // of browsers, or NULL
    pthread_mutex_t lock;
    pthread_cond_t changed; // something to fetch, or something was fetched
    pthread_t thread;
    bool has_lock, has_thread, has_curl;
    atomic_bool stopping;
    _Atomic(uint64_t) generation;
    size_t source_count;
    struct mica_source sources[MICA_AUTH_ISSUERS];
};

// ---- challenge.c ---------------------------------------------------------------

// Makes `metadata`, `metadata_url`, `apps` and `required` from the options.
void mica_challenge_prepare(struct mica_auth_state *state);

// Fills in a refusal by its status; `message` is static; `app` is the slug that the request
// is for, or empty.
void mica_refuse(const struct mica_auth_state *state, enum mica_status status,
                 const char *message, struct mica_text app,
                 struct mica_arena *arena,
                 struct mica_auth_refusal *refusal_out);
void mica_refuse_scope(const struct mica_auth_state *state,
                       struct mica_text needed, struct mica_text app,
                       struct mica_arena *arena,
                       struct mica_auth_refusal *refusal_out);
bool mica_metadata_serves(const struct mica_auth_state *state,
                          struct mica_text path);

// As mica_auth_metadata_at.
struct mica_text mica_metadata_at(const struct mica_auth_state *state,
                                  struct mica_text path,
                                  struct mica_arena *arena);

// As mica_auth_metadata_of.
struct mica_text mica_metadata_of(const struct mica_auth_state *state,
                                  struct mica_text app,
                                  struct mica_arena *arena);

// The slug of an app that is named by it, or by the origin of its own host name; empty: the
// origin is of none.
struct mica_text mica_app_slug_of(const struct mica_auth_state *state,
                                  struct mica_text app);

// If the text is the address of the MCP endpoint of an app, at this server or at a host name
// of the app, its slug; otherwise empty. Scheme and host may come in capitals.
struct mica_text mica_app_of_url(const struct mica_auth_state *state,
                                 struct mica_text url);

// ---- refresh.c -----------------------------------------------------------------

// Fetches and exchanges the keys of one source. On failure the old ones stay,
// unless they are too old.
enum mica_status mica_refresh_now(struct mica_auth_state *state,
                                  struct mica_source *source,
                                  struct mica_error *error);

// Starts the thread and waits until each URL was tried once, at most as long as
// the options say.
enum mica_status mica_refresh_start(struct mica_auth_state *state,
                                    struct mica_error *error);
void mica_refresh_stop(struct mica_auth_state *state);

// The keys as they are now, held, or NULL; and a hold's end.
struct mica_keys *mica_source_hold(struct mica_auth_state *state,
                                   struct mica_source *source);
void mica_source_release(struct mica_auth_state *state, struct mica_keys *keys);

// Asks for a fetch on behalf of a token that newer keys might make good.
enum mica_wanted {
    MICA_WANTED_TOO_SOON, // one was asked for a short while ago
    MICA_WANTED_PENDING,  // it has not ended yet
    MICA_WANTED_DONE      // one ended while we waited
};
enum mica_wanted mica_source_want(struct mica_auth_state *state,
                                  struct mica_source *source, unsigned wait_ms);

// ---- token_check.c -------------------------------------------------------------------

// As mica_auth_check_at.
enum mica_status mica_check(struct mica_auth_state *state,
                            struct mica_text authorization, unsigned count,
                            struct mica_text app, int64_t now_ms,
                            unsigned wait_ms, struct mica_arena *arena,
                            struct mica_auth_principal *principal_out,
                            struct mica_auth_refusal *refusal_out);

#endif
