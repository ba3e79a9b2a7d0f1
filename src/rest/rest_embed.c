// SPDX-License-Identifier: Apache-2.0
//
// REST for a program that has a web server of its own.
#include "rest/rest.h"
#include "server/message_surface.h"

void
mica_server_handle_rest(struct mica_server *server, struct mica_arena *arena,
                        const struct mica_http_allowed *allowed,
                        const struct mica_http_request *request,
                        struct mica_http_response *response_out)
{
    mica_message_embed(server, arena, allowed, request, mica_rest_begin,
                       response_out);
}
