// SPDX-License-Identifier: Apache-2.0
//
// Writes the error reply for an unknown session, or for a failure of the store of sessions.
#include "server/message.h"
#include "server/session_rules.h"

static const struct mica_text none = {NULL, 0};

bool
mica_session_fail(struct mica_message *message, enum mica_status status,
                  const struct mica_error *error)
{
    if (status == MICA_E_NOT_FOUND)
        mica_reply_error(message, 404, MICA_RPC_REQUEST, status, none,
                         "There is no such session, or it has ended: send "
                         "initialize without Mcp-Session-Id");
    else
        mica_reply_error(
            message,
            status == MICA_E_LIMIT ? 503 : (unsigned)mica_status_http(status),
            MICA_RPC_INTERNAL, status, none, "%s", error->message);
    return false;
}
