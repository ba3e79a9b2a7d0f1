// SPDX-License-Identifier: Apache-2.0
//
// The session store: implements struct mica_sessions (src/server/session_rules.h) on a store. It
// reads the clock, opens the store when it is first needed, and sweeps it.
#ifndef MICA_SERVE_STORED_SESSIONS_H
#define MICA_SERVE_STORED_SESSIONS_H

#include "store/store_sessions.h"

#include "server/session_rules.h"

struct mica_session_store;

struct mica_session_store_options {
    const char *store; // spec of mica_store_open; NULL: "memory"
    // Use this store instead; it outlives the session store.
    struct mica_store *open;
    // Opens the store when the first session begins. If that fails, uses a store in memory, and
    // calls `note` (may be NULL) with the reason.
    bool lazy;
    void (*note)(void *user, const char *text);
    void *user;
    // Of one principal or address; 0: the default of the store.
    size_t party_sessions;
    unsigned idle_s; // for which a session lives without a message; 0: 3600
};

// Errors: those of mica_store_open, unless it is lazy; MICA_E_LIMIT.
enum mica_status mica_session_store_open(
    const struct mica_session_store_options *options, struct mica_error *error,
    struct mica_session_store **session_store_out) MICA_MUST_USE;

// Sets *session_store to NULL. NULL is allowed.
void mica_session_store_close(struct mica_session_store **session_store);

// The session store of a server with mica_server_use_store, or NULL.
struct mica_session_store *
mica_session_store_of(const struct mica_server *server);

const struct mica_sessions *
mica_session_store_sessions(struct mica_session_store *session_store);

// Returns the store; opens it if it is not open.
enum mica_status
mica_session_store_need(struct mica_session_store *session_store,
                        struct mica_error *error, struct mica_store **store_out)
    MICA_MUST_USE;

// The store, or NULL if it is not open yet.
struct mica_store *
mica_session_store_backing(struct mica_session_store *session_store);

// Writes to the log of the server, if it has one.
void mica_session_store_note(struct mica_session_store *session_store,
                             const char *textz);

// Notes that a session has an open stream, though its client sent no message: for a minute and a
// half it is not idle for any process. Returns false if the session has ended or expired; true
// also if the store fails.
bool mica_session_store_touch(struct mica_session_store *session_store,
                              const struct mica_store_session_key *key);

// Milliseconds since 1970, for the functions of a store.
int64_t mica_session_store_now(void);

struct mica_session_store_counts {
    uint64_t begun, ended,
        refused; // by this process; refused: a limit was reached
};
struct mica_session_store_counts
mica_session_store_counts(struct mica_session_store *session_store);

#endif
