// SPDX-License-Identifier: Apache-2.0
//
// The tools of /mcp, for handlers at endpoints that invoke them (MICA_INVOKES_SERVER):
// published apps, each with one tool that runs another one of the server, and the builder,
// which tests drafts. The tool runs for the caller of the message: under the rules of the
// operator for that caller, and with its scopes.
#ifndef MICA_SERVER_CALLS_MAPPED_TOOL_H
#define MICA_SERVER_CALLS_MAPPED_TOOL_H

#include "server/message.h"

// Do handlers of this message invoke tools of /mcp, and not of their own endpoint?
bool mica_message_maps_tools(struct mica_message *message);

// Finds the tool of /mcp in that build (empty: the present one), and holds it until the
// message ends. NULL: the server does not have it, or the caller may not use it.
struct mica_definition *mica_mapped_tool_find(struct mica_message *message,
                                              struct mica_text name,
                                              struct mica_text version);

#endif
