// SPDX-License-Identifier: Apache-2.0
//
// mica_server_use_store: gives a server the sessions, calls and cursors of one store.
#include "base/assert.h"
#include "serve/cursors.h"
#include "serve/stored_calls.h"
#include "serve/stored_sessions.h"
#include "serve/system_platform.h"
#include "server/server.h"

static void
sessions_close(void *data)
{
    struct mica_keeper *keeper = data;

    mica_keeper_close(&keeper);
}

static void
calls_close(void *data)
{
    struct mica_call_keeper *calls = data;

    mica_call_keeper_close(&calls);
}

static void
cursors_close(void *data)
{
    struct mica_cursors *cursors = data;

    mica_cursors_close(&cursors);
}

static enum mica_status
calls_open(struct mica_server *server, struct mica_keeper *keeper,
           struct mica_error *error, struct mica_cursors **cursors_out,
           struct mica_call_keeper **calls_out)
{
    const struct mica_call_keeper_options options = {
        .keeper = keeper, .server = server, .platform = server->platform};

    MICA_TRY(mica_call_keeper_open(&options, error, calls_out));
    return mica_cursors_open(server, keeper, error, cursors_out);
}

enum mica_status
mica_server_use_store(struct mica_server *server, struct mica_store *store,
                      struct mica_error *error)
{
    struct mica_keeper_options options = {.open = store};
    struct mica_call_keeper *calls = NULL;
    struct mica_keeper *keeper = NULL;
    struct mica_cursors *cursors;
    enum mica_status status;

    MICA_ASSERT(server->sessions == NULL && server->calls == NULL);
    MICA_TRY(mica_keeper_open(&options, error, &keeper));
    status = calls_open(server, keeper, error, &cursors, &calls);
    if (status != MICA_OK) {
        mica_call_keeper_close(&calls);
        mica_keeper_close(&keeper);
        return status;
    }
    server->sessions = mica_keeper_sessions(keeper);
    server->calls = mica_call_keeper_calls(calls);
    if (server->platform == NULL)
        server->platform = &mica_platform_real;
    mica_server_at_close(server, sessions_close, keeper);
    mica_server_at_close(server, calls_close, calls); // before its keeper, as
    mica_server_at_close(server, cursors_close, cursors);
    return MICA_OK;
}
