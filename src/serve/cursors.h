// SPDX-License-Identifier: Apache-2.0
//
// The sealer of a server: it seals cursors and the states of calls (requestState). It uses the
// keys of the store with the server's sessions, so that servers that share a store can open
// each other's texts. It opens that store when the server first seals or opens a text. Without
// such a store the keys live as long as the process.
#ifndef MICA_SERVE_CURSORS_H
#define MICA_SERVE_CURSORS_H

#include "serve/stored_sessions.h"
#include "server/server.h"

struct mica_cursors;

// `session_store` outlives this; may be NULL. Has no effect on a server that has a sealer.
// Errors: MICA_E_LIMIT.
enum mica_status mica_cursors_open(struct mica_server *server,
                                   struct mica_session_store *session_store,
                                   struct mica_error *error,
                                   struct mica_cursors **cursors_out)
    MICA_MUST_USE;

// Call it when the server serves no message any more. Sets *cursors to NULL. NULL is allowed.
void mica_cursors_close(struct mica_cursors **cursors);

#endif
