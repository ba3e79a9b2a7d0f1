// SPDX-License-Identifier: Apache-2.0
//
// The logins of browsers, in memory: a bounded table, each login with a state.
//
//   LOGIN-1  An id is 256 random bits; the table has its SHA-256 alone, so that what is
//            read out of memory opens no login.
//   LOGIN-2  A pending login is taken once: a browser that comes back a second time finds
//            none.
//   LOGIN-3  The id of an open login is another one than it had while it was pending.
//   LOGIN-4  EXCHANGE and REFRESH are of the thread that asks the issuer; no other thread
//            frees a login then.
//   LOGIN-5  Texts of a login are overwritten before their memory is freed.
#ifndef MICA_AUTH_LOGIN_TABLE_H
#define MICA_AUTH_LOGIN_TABLE_H

#include <pthread.h>

#include "auth/login.h"
#include "auth/token_cache.h"
#include "base/states.h"

// The states of a login; login_table.c draws them.
enum mica_login_state {
    MICA_LOGIN_FREE,
    MICA_LOGIN_PENDING,  // the person is at the issuer
    MICA_LOGIN_EXCHANGE, // the code is being exchanged
    MICA_LOGIN_ACTIVE,   // it has a token
    MICA_LOGIN_REFRESH   // a new token is being fetched
};
extern const struct mica_states mica_login_states;

// Texts of a login that is pending.
struct mica_login_pending {
    struct mica_text target, state, verifier, nonce;
    struct mica_text party; // who began it; not given back
};

// Texts of an open one. `authorization` is "Bearer " and the access token.
struct mica_login_tokens {
    struct mica_text subject, name, authorization, refresh, id_token;
    int64_t expires_ms; // of the access token
};

enum {
    MICA_LOGIN_TEXTS = 5, // of either
    MICA_LOGIN_PARTY_BYTES = 16
};

struct mica_login {
    enum mica_login_state state;
    unsigned char digest[MICA_DIGEST_BYTES];     // of its id
    unsigned char party[MICA_LOGIN_PARTY_BYTES]; // while it is pending
    int64_t ends_ms;                             // whatever its token says
    int64_t used_ms;                             // last
    int64_t token_ms;                            // when the token expires
    char *texts[MICA_LOGIN_TEXTS];               // owned; NULL: empty
    size_t sizes[MICA_LOGIN_TEXTS];
};

struct mica_login_table {
    pthread_mutex_t lock;
    bool has_lock;
    struct mica_login_counts counts;
    struct mica_login logins[MICA_LOGINS + MICA_LOGINS_PENDING];
};

bool mica_login_table_init(struct mica_login_table *table);
void mica_login_table_fini(struct mica_login_table *table);

// A pending login; in a full table it takes the place of the oldest of them, or where its
// party has as many as one may have, of the oldest of that.
// False for want of memory.
bool mica_login_put(struct mica_login_table *table,
                    const unsigned char digest[MICA_DIGEST_BYTES],
                    const struct mica_login_pending *pending, int64_t now_ms)
    MICA_MUST_USE;

// Takes a pending login whose state is `state`, for its exchange. Its texts are copied
// into `arena`. Errors: MICA_E_LOGIN_STATE, MICA_E_LOGINS (all are open; it is gone
// then), MICA_E_LIMIT.
enum mica_status mica_login_take(struct mica_login_table *table,
                                 const unsigned char digest[MICA_DIGEST_BYTES],
                                 struct mica_text state, int64_t now_ms,
                                 struct mica_arena *arena,
                                 struct mica_login **login_out,
                                 struct mica_login_pending *pending_out)
    MICA_MUST_USE;

// Ends the exchange or the refreshment: with tokens the login is open from here on,
// under this id (NULL: as before); without it is gone. `ends_ms` of 0: as before. False for
// want of memory: then it is gone.
bool mica_login_conclude(struct mica_login_table *table,
                         struct mica_login *login,
                         const struct mica_login_tokens *tokens,
                         const unsigned char *digest, int64_t now_ms,
                         int64_t ends_ms);

// Ends a refreshment that could not be tried: the login is as before.
void mica_login_keep(struct mica_login_table *table, struct mica_login *login);

// The texts of an open login, copied into `arena`. False: no such login.
bool mica_login_find(struct mica_login_table *table,
                     const unsigned char digest[MICA_DIGEST_BYTES],
                     int64_t now_ms, struct mica_arena *arena,
                     struct mica_login_tokens *tokens_out) MICA_MUST_USE;

// The same for its refreshment; or for its end, after which it is gone.
struct mica_login *
mica_login_claim(struct mica_login_table *table,
                 const unsigned char digest[MICA_DIGEST_BYTES], int64_t now_ms,
                 struct mica_arena *arena,
                 struct mica_login_tokens *tokens_out);
bool mica_login_remove(struct mica_login_table *table,
                       const unsigned char digest[MICA_DIGEST_BYTES],
                       int64_t now_ms, struct mica_arena *arena,
                       struct mica_login_tokens *tokens_out);

void mica_login_count(struct mica_login_table *table, uint64_t *count);
struct mica_login_counts
mica_login_table_counts(struct mica_login_table *table);

#endif
