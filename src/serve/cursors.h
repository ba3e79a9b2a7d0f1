// SPDX-License-Identifier: Apache-2.0
//
// Gives a server that is being served what it seals cursors with: the keys of
// the store that keeps its sessions, opened when the first list has a second
// page, so that servers that share a store open each other's cursors. Without
// such a store the keys live as long as the process.
#ifndef MICA_SERVE_CURSORS_H
#define MICA_SERVE_CURSORS_H

#include "serve/stored_sessions.h"
#include "server/server.h"

struct mica_cursors;

// `session_store` may be NULL, and else outlives it. A server that has a sealer keeps
// it. Errors: MICA_E_LIMIT.
enum mica_status mica_cursors_open(struct mica_server *server,
                                   struct mica_session_store *session_store,
                                   struct mica_error *error,
                                   struct mica_cursors **cursors_out)
    MICA_MUST_USE;

// When no message is served any more. Sets *cursors to NULL; it may be so before.
void mica_cursors_close(struct mica_cursors **cursors);

#endif
