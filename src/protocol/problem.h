// SPDX-License-Identifier: Apache-2.0
//
// Why a message is refused, as a value. What reads or checks a message returns
// false and fills a struct mica_problem; who holds the connection makes a reply, a
// log line or a failed call of it.
#ifndef MICA_PROTOCOL_PROBLEM_H
#define MICA_PROTOCOL_PROBLEM_H

#include <mica/base.h>
#include <mica/json.h>

// Error codes of JSON-RPC 2.0 (section 5.1) and of MCP.
enum mica_rpc_error {
    MICA_RPC_PARSE = -32700,
    MICA_RPC_REQUEST = -32600,
    MICA_RPC_METHOD = -32601,
    MICA_RPC_PARAMS = -32602,
    MICA_RPC_INTERNAL = -32603,
    MICA_RPC_RESOURCE = -32002, // resource not found; before 2026-07-28
    MICA_RPC_HEADER = -32020,
    MICA_RPC_CAPABILITY = -32021,
    MICA_RPC_VERSION = -32022
};

// Room for the text of a problem, NUL included.
#define MICA_PROBLEM_SIZE 768

struct mica_problem {
    enum mica_rpc_error rpc;
    unsigned http_status;  // of the response over HTTP
    const char *code;      // stable code (docs/errors.md)
    struct mica_text data; // more members of error.data, JSON, or empty
    char text[MICA_PROBLEM_SIZE];
};

// Fills *problem with the stable code of `status`. Returns false, so that a check
// can end with it. `data` is borrowed for as long as the problem lives.
bool mica_problem_set(struct mica_problem *problem, unsigned http_status,
                      enum mica_rpc_error rpc, enum mica_status status,
                      struct mica_text data, const char *formatz, ...)
    MICA_PRINTF(6, 7);

// The member "error" of a JSON-RPC response, name included:
// "error":{"code":…,"message":…,"data":{"code":…,…}}.
void mica_problem_write(struct mica_json_writer *writer,
                        enum mica_rpc_error rpc, const char *codez,
                        struct mica_text data, struct mica_text text);

// A quoted JSON string of at most about 100 bytes of `text`, for the text or the
// data of a problem. The text may be any bytes. Empty for want of memory.
struct mica_text mica_quote(struct mica_arena *arena, struct mica_text text);

#endif
