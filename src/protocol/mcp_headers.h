// SPDX-License-Identifier: Apache-2.0
//
// Reads the headers of a request to an MCP endpoint in one pass, and checks them as far as
// that needs no server (MCP: Streamable HTTP; standard headers, SEP-2243).
#ifndef MICA_PROTOCOL_MCP_HEADERS_H
#define MICA_PROTOCOL_MCP_HEADERS_H

#include <mica/http.h>

#include "protocol/accept.h"
#include "protocol/envelope.h"

// Values without the white space around them, borrowed from the request.
struct mica_mcp_headers {
    struct mica_text host, origin, content_type, trace;
    unsigned accept; // enum mica_media
    struct mica_text version, method, name, session, last_event;
    bool has_host, has_origin, has_version, has_method, has_name;
    bool has_session, has_last_event;
    // One of these is there twice:
    bool duplicate_source;   // Host or Origin
    bool duplicate_standard; // MCP-Protocol-Version, Mcp-Method or Mcp-Name
    bool duplicate_session;  // Mcp-Session-Id or Last-Event-ID
};

void mica_mcp_headers_read(const struct mica_http_request *request,
                           struct mica_mcp_headers *headers);

// Checks Host and Origin: protection against DNS rebinding. Returns false with a 403.
bool mica_mcp_headers_allowed(const struct mica_mcp_headers *headers,
                              const struct mica_http_allowed *allowed,
                              struct mica_problem *problem);

// Checks Content-Type and Accept of a POST. Returns false with a 415 or a 406.
bool mica_mcp_headers_media(const struct mica_mcp_headers *headers,
                            struct mica_problem *problem);

// May the response to a request of that HTTP method be text/event-stream?
bool mica_mcp_headers_accept_stream(const struct mica_mcp_headers *headers,
                                    struct mica_text method);

// Does MCP-Protocol-Version name the stateless revision?
bool mica_mcp_headers_are_stateless(const struct mica_mcp_headers *headers);

// ---- Header and body agree ----------------------------------------------------
// Each standard header of the stateless revision repeats a member of the body, byte for
// byte. Call these checks in this order; between them the server checks whether it has
// the revision and the method. Each returns false with a 400.

// Checks that MCP-Protocol-Version is there.
bool mica_mcp_headers_have_version(const struct mica_mcp_headers *headers,
                                   struct mica_problem *problem);

// Checks that no standard header is there twice, and that MCP-Protocol-Version agrees.
bool mica_mcp_headers_same_version(const struct mica_mcp_headers *headers,
                                   const struct mica_envelope *envelope,
                                   struct mica_problem *problem);

bool mica_mcp_headers_same_method(const struct mica_mcp_headers *headers,
                                  const struct mica_envelope *envelope,
                                  struct mica_problem *problem);

// Checks Mcp-Name, for a method that names something. Decodes it in `arena`.
bool mica_mcp_headers_same_name(const struct mica_mcp_headers *headers,
                                const struct mica_envelope *envelope,
                                struct mica_arena *arena,
                                struct mica_problem *problem);

#endif
