// SPDX-License-Identifier: Apache-2.0
//
// Refusals of an adapter, before the server core gets a message or instead of its reply: too
// long, too busy, too late.
#ifndef MICA_SERVE_REFUSE_H
#define MICA_SERVE_REFUSE_H

#include <mica/json.h>

// Writes a JSON-RPC error reply of one line. `id` is JSON text; empty if the request was not
// readable. `rpc_code` is one of these.
enum {
    MICA_REFUSE_REQUEST = -32600, // the request is invalid
    MICA_REFUSE_INTERNAL = -32603 // the same request may succeed later
};
void mica_refuse_write(struct mica_buffer *buffer, struct mica_text id,
                       int rpc_code, enum mica_status status,
                       const char *formatz, ...) MICA_PRINTF(5, 6);

// Writes a problem document (RFC 9457) for a route other than MCP. Its addresses begin with
// `base` (protocol/base_path.h).
void mica_problem_details_write(struct mica_buffer *buffer,
                                struct mica_text base, unsigned http_status,
                                enum mica_status status, const char *formatz,
                                ...) MICA_PRINTF(5, 6);

#endif
