// SPDX-License-Identifier: Apache-2.0
//
// The names of log levels (MCP: logging; RFC 5424, table 2).
#ifndef MICA_PROTOCOL_LOG_LEVEL_H
#define MICA_PROTOCOL_LOG_LEVEL_H

#include <mica/protocol.h>

// Finds the level of that exact name. Returns false for an unknown name.
bool mica_log_level_find(struct mica_text name, enum mica_log_level *level_out);

const char *mica_log_level_name(enum mica_log_level level);

#endif
