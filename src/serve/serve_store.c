// SPDX-License-Identifier: Apache-2.0
//
// mica_server_use_store: opens the sessions, calls and cursors of one store for a server.
#include "base/assert.h"
#include "serve/cursors.h"
#include "serve/stored_calls.h"
#include "serve/stored_sessions.h"
#include "serve/system_platform.h"
#include "server/server.h"

static void
sessions_close(void *data)
{
    struct mica_session_store *session_store = data;

    mica_session_store_close(&session_store);
}

static void
calls_close(void *data)
{
    struct mica_call_store *calls = data;

    mica_call_store_close(&calls);
}

static void
cursors_close(void *data)
{
    struct mica_cursors *cursors = data;

    mica_cursors_close(&cursors);
}

static enum mica_status
calls_open(struct mica_server *server, struct mica_session_store *session_store,
           struct mica_error *error, struct mica_cursors **cursors_out,
           struct mica_call_store **calls_out)
{
    const struct mica_call_store_options options = {
        .session_store = session_store,
        .server = server,
        .platform = server->platform};

    MICA_TRY(mica_call_store_open(&options, error, calls_out));
    return mica_cursors_open(server, session_store, error, cursors_out);
}

enum mica_status
mica_server_use_store(struct mica_server *server, struct mica_store *store,
                      struct mica_error *error)
{
    struct mica_session_store_options options = {.open = store};
    struct mica_call_store *calls = NULL;
    struct mica_session_store *session_store = NULL;
    struct mica_cursors *cursors;
    enum mica_status status;

    MICA_ASSERT(server->sessions == NULL && server->calls == NULL);
    MICA_TRY(mica_session_store_open(&options, error, &session_store));
    status = calls_open(server, session_store, error, &cursors, &calls);
    if (status != MICA_OK) {
        mica_call_store_close(&calls);
        mica_session_store_close(&session_store);
        return status;
    }
    server->sessions = mica_session_store_sessions(session_store);
    server->calls = mica_call_store_calls(calls);
    if (server->platform == NULL)
        server->platform = &mica_platform_real;
    mica_server_at_close(server, sessions_close, session_store);
    mica_server_at_close(server, calls_close,
                         calls); // before its session store, as
    mica_server_at_close(server, cursors_close, cursors);
    return MICA_OK;
}
