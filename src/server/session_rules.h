// SPDX-License-Identifier: Apache-2.0
//
// The rules of sessions. A session is what client and server remember of each other
// between HTTP requests, after the handshake of a session revision (before 2026-07-28).
// An adapter implements struct mica_sessions, which stores them. A server without one
// serves each request of a session revision on its own.
#ifndef MICA_SERVER_SESSION_RULES_H
#define MICA_SERVER_SESSION_RULES_H

#include <mica/server.h>

#include "protocol/revision.h"
#include "server/caller.h"

// What a message knows of its session. Texts are in the message's arena.
struct mica_session {
    struct mica_text id;         // as the client sends it; empty: no session
    enum mica_revision revision; // agreed in the handshake
    struct mica_text client_info, capabilities; // JSON, or empty
    bool logs;                                  // logging/setLevel was called
    enum mica_log_level log_level;
    // For `create` without a principal: bytes that identify the client, as its address;
    // empty: none.
    struct mica_text party;
};

// The store of sessions. Any thread may call these functions. Each may fail with
// MICA_E_BUSY, MICA_E_IO or MICA_E_LIMIT beside its own errors; a client may read the
// message of `error`. `find` checks the owner; the other functions receive its result.
struct mica_sessions {
    void *data;

    // Stores a new session for `caller`, and sets its id, in `arena`. Errors:
    // MICA_E_LIMIT (too many sessions), MICA_E_SESSIONS (too many of this principal or
    // party).
    enum mica_status (*create)(void *data, struct mica_session *session,
                               const struct mica_caller *caller,
                               struct mica_arena *arena,
                               struct mica_error *error);

    // `find` without blocking: returns false if the cache does not have the answer. May
    // be NULL.
    bool (*known)(void *data, struct mica_text id,
                  const struct mica_caller *caller, struct mica_arena *arena,
                  struct mica_error *error, struct mica_session *session_out,
                  enum mica_status *status_out);

    // Reads a session. Errors: MICA_E_NOT_FOUND (unknown, ended, expired or of another
    // caller).
    enum mica_status (*find)(void *data, struct mica_text id,
                             const struct mica_caller *caller,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_session *session_out);

    // Ends a session with its streams and subscriptions. Errors: MICA_E_NOT_FOUND.
    enum mica_status (*end)(void *data, const struct mica_session *session,
                            struct mica_error *error);

    enum mica_status (*set_log_level)(void *data,
                                      const struct mica_session *session,
                                      enum mica_log_level level,
                                      struct mica_error *error);

    // Subscribes (`on`) or unsubscribes. Idempotent. Errors: MICA_E_LIMIT (too many
    // subscriptions, URI too long).
    enum mica_status (*subscribe)(void *data,
                                  const struct mica_session *session,
                                  struct mica_text uri, bool on,
                                  struct mica_error *error);
};

// The headers of a request that concern its session.
struct mica_session_headers {
    struct mica_text id, version, last_event_id; // trimmed
    bool has_id, has_version, has_last_event_id;
    bool duplicate_header; // the request has one of them twice
};

struct mica_message;

// Finds the session of a GET, a DELETE, or a POST of a session revision; sets
// message->context.session and revision. Returns false if an error reply is ready, or the
// step is MICA_STEP_STORE.
bool mica_session_enter(struct mica_message *message,
                        const struct mica_session_headers *headers);

// Handles a GET, after which the adapter opens or resumes a stream (MICA_STEP_STREAM), and
// a DELETE, which ends the session.
void mica_session_get(struct mica_message *message,
                      const struct mica_session_headers *headers);
void mica_session_delete(struct mica_message *message);

// Replies that the session store has failed, or has no such session. For a session only
// this function replies NOT_FOUND, always with the same text, so that only its own client
// learns whether a session exists. Returns false.
bool mica_session_fail(struct mica_message *message, enum mica_status status,
                       const struct mica_error *error);

// Handles `initialize` of a session revision; if it succeeds, begins a session.
void mica_session_begin(struct mica_message *message,
                        const struct mica_session_headers *headers);

#endif
