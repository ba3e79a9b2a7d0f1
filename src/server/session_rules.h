// SPDX-License-Identifier: Apache-2.0
//
// A session: what a client and a server that shook hands over HTTP know of each
// other from one request to the next. The rules are here; where sessions are
// kept is an adapter's matter, which gives the server a struct mica_sessions. A
// server without one serves each legacy request for itself.
#ifndef MICA_SERVER_SESSION_RULES_H
#define MICA_SERVER_SESSION_RULES_H

#include <mica/server.h>

#include "protocol/revision.h"
#include "server/caller.h"

// What a message knows of its session. Texts are in the message's arena.
struct mica_session {
    struct mica_text id;         // as the client sends it; empty: no session
    enum mica_revision revision; // agreed on at the handshake
    struct mica_text client_info, capabilities; // JSON, or empty
    bool logs;                                  // logging/setLevel was called:
    enum mica_log_level log_level;
    // For `create`, where there is no principal: by what the client is told from
    // others, as its address. Bytes; empty: by nothing.
    struct mica_text party;
};

// Where sessions are kept. Any function may be called from any thread, and may
// fail with MICA_E_BUSY, MICA_E_IO or MICA_E_LIMIT beside its own errors; `error`
// then says what a client may read. Whose session it is is settled by `find`:
// the others are given what it found.
struct mica_sessions {
    void *data;

    // Keeps `session`, whose id is still empty, for `caller`,
    // and gives it an id, in `arena`. Errors: MICA_E_LIMIT (too many sessions),
    // MICA_E_SESSIONS (too many of this principal or party).
    enum mica_status (*create)(void *data, struct mica_session *session,
                               const struct mica_caller *caller,
                               struct mica_arena *arena,
                               struct mica_error *error);

    // The same as `find` without waiting: false when that has to be called. Or NULL.
    bool (*known)(void *data, struct mica_text id,
                  const struct mica_caller *caller, struct mica_arena *arena,
                  struct mica_error *error, struct mica_session *session_out,
                  enum mica_status *status_out);

    // Errors: MICA_E_NOT_FOUND (unknown, ended, expired or of another caller).
    enum mica_status (*find)(void *data, struct mica_text id,
                             const struct mica_caller *caller,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_session *session_out);

    // Ends it with its streams and subscriptions. Errors: MICA_E_NOT_FOUND.
    enum mica_status (*end)(void *data, const struct mica_session *session,
                            struct mica_error *error);

    enum mica_status (*set_log_level)(void *data,
                                      const struct mica_session *session,
                                      enum mica_log_level level,
                                      struct mica_error *error);

    // Subscribes or unsubscribes; doing so twice is doing so once. Errors:
    // MICA_E_LIMIT (too many subscriptions, too long a URI).
    enum mica_status (*subscribe)(void *data,
                                  const struct mica_session *session,
                                  struct mica_text uri, bool on,
                                  struct mica_error *error);
};

// What the headers of a request say about its session.
struct mica_session_headers {
    struct mica_text id, version, last_event_id; // trimmed
    bool has_id, has_version, has_last_event_id;
    bool twice; // one of them is there twice
};

struct mica_message;

// A GET, DELETE or legacy POST of a session: finds the session and sets
// message->context.session and revision. False: an error reply is ready, or the store
// has to be waited for elsewhere (MICA_STEP_STORE).
bool mica_session_enter(struct mica_message *message,
                        const struct mica_session_headers *headers);

// A GET: the adapter is to open or resume a stream (MICA_STEP_STREAM). A
// DELETE: the session ends.
void mica_session_get(struct mica_message *message,
                      const struct mica_session_headers *headers);
void mica_session_delete(struct mica_message *message);

// Replies that the store of sessions has failed, or has no such session. Nothing else
// may say NOT_FOUND, and always in the same words: whether a session ever was is for
// its own client alone to know. Returns false.
bool mica_session_fail(struct mica_message *message, enum mica_status status,
                       const struct mica_error *error);

// A legacy `initialize`: dispatches it and, when it succeeds, begins a session.
void mica_session_begin(struct mica_message *message,
                        const struct mica_session_headers *headers);

#endif
