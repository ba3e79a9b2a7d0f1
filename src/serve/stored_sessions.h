// SPDX-License-Identifier: Apache-2.0
//
// Keeps the sessions of legacy clients in a store: what src/server/session_rules.h asks
// for, with the clock, the opening of the store when it is first needed, and
// its upkeep.
#ifndef MICA_SERVE_STORED_SESSIONS_H
#define MICA_SERVE_STORED_SESSIONS_H

#include "store/store_sessions.h"

#include "server/session_rules.h"

struct mica_session_store;

struct mica_session_store_options {
    const char *store;       // as mica_store_open takes it; NULL: "memory"
    struct mica_store *open; // use this one instead; it outlives this one
    // Opened only when the first session begins, and replaced by memory when
    // that fails; `note` (may be NULL) is then told why.
    bool lazy;
    void (*note)(void *user, const char *text);
    void *user;
    size_t
        party_sessions; // of one principal or address; 0: as the store has it
    unsigned idle_s; // without a message a session lives for that long; 0: 3600
};

// Errors: those of mica_store_open, unless it is lazy; MICA_E_LIMIT.
enum mica_status mica_session_store_open(
    const struct mica_session_store_options *options, struct mica_error *error,
    struct mica_session_store **session_store_out) MICA_MUST_USE;

// Sets *session_store to NULL; it may be so before.
void mica_session_store_close(struct mica_session_store **session_store);

// The one that mica_server_use_store made, or NULL.
struct mica_session_store *
mica_session_store_of(const struct mica_server *server);

const struct mica_sessions *
mica_session_store_sessions(struct mica_session_store *session_store);

// The store, opened if it is not.
enum mica_status
mica_session_store_need(struct mica_session_store *session_store,
                        struct mica_error *error, struct mica_store **store_out)
    MICA_MUST_USE;

// The store, or NULL until it was needed first.
struct mica_store *
mica_session_store_backing(struct mica_session_store *session_store);

// Tells the log of the server, if it has one.
void mica_session_store_note(struct mica_session_store *session_store,
                             const char *textz);

// Seen now, though it sent nothing: a stream of it is open, which makes it no idle one
// to other processes until it is not touched for a minute and a half. False when it has
// ended or expired meanwhile; a failing store says nothing about that.
bool mica_session_store_touch(struct mica_session_store *session_store,
                              const struct mica_store_session_key *key);

// Milliseconds since 1970, as a store takes them.
int64_t mica_session_store_now(void);

struct mica_session_store_counts {
    uint64_t begun, ended, refused; // of this process; refused: there were too
                                    // many
};
struct mica_session_store_counts
mica_session_store_counts(struct mica_session_store *session_store);

#endif
