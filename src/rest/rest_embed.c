// SPDX-License-Identifier: Apache-2.0
//
// REST for a program that has a web server of its own.
#include <string.h>

#include "rest/rest.h"
#include "server/call_rules.h"
#include "server/message_surface.h"

void
mica_server_handle_rest(struct mica_server *server, struct mica_arena *arena,
                        const struct mica_http_allowed *allowed,
                        const struct mica_http_request *request,
                        struct mica_http_response *response_out)
{
    struct mica_message *message = mica_message_make(server, arena, request);

    memset(response_out, 0, sizeof *response_out);
    response_out->status = 503;
    if (message == NULL)
        return;
    request = mica_message_at_path(message, request);
    if (request == NULL)
        return;
    mica_rest_begin(message, allowed, request);
    if (message->step == MICA_STEP_WORK)
        mica_message_execute(message);
    mica_message_response(message, response_out);
    mica_rules_record(message);
    mica_message_end(message);
}
