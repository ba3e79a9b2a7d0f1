// SPDX-License-Identifier: Apache-2.0
//
// The reason why a message is refused, as a value. A function that reads or checks a
// message returns false and fills a struct mica_problem; its caller makes a reply, a line
// of the log or a failed call from it.
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

// Size of the text of a problem, with its NUL.
#define MICA_PROBLEM_SIZE 768

struct mica_problem {
    enum mica_rpc_error rpc;
    unsigned http_status;  // of the response over HTTP
    const char *code;      // stable code (docs/errors.md)
    struct mica_text data; // more members of error.data, JSON, or empty
    char text[MICA_PROBLEM_SIZE];
};

// Fills *problem with the stable code of `status`. Returns false, so that a check can
// return its result. The caller keeps `data` as long as the problem.
bool mica_problem_set(struct mica_problem *problem, unsigned http_status,
                      enum mica_rpc_error rpc, enum mica_status status,
                      struct mica_text data, const char *formatz, ...)
    MICA_PRINTF(6, 7);

// Writes the member "error" of a JSON-RPC response, with its name:
// "error":{"code":…,"message":…,"data":{"code":…,…}}.
void mica_problem_write(struct mica_json_writer *writer,
                        enum mica_rpc_error rpc, const char *codez,
                        struct mica_text data, struct mica_text text);

// Quotes at most about 100 bytes of `text` as a JSON string, for the text or the data of a
// problem. The text may have any bytes. Empty for want of memory.
struct mica_text mica_quote(struct mica_arena *arena, struct mica_text text);

#endif
