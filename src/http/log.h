// SPDX-License-Identifier: Apache-2.0
//
// One line per request on stderr: text for a person at a terminal, JSON for a program.
// A thread gathers and writes the lines, so that a slow reader of stderr delays no
// request, and a busy server needs no system call per line. If the reader is too slow,
// the log drops lines, and a line says how many.
//
// The log has no arguments, no results, and no header but the protocol's own.
#ifndef MICA_HTTP_LOG_H
#define MICA_HTTP_LOG_H

#include <mica/server.h>

struct mica_log;

struct mica_log_entry {
    struct mica_text method, path; // of HTTP
    struct mica_text base;         // that stood before the path, or empty
    struct mica_text endpoint;     // its key; empty: that of /mcp, or none
    struct mica_text rpc, tool, version; // of MCP; empty when unknown
    const char *code;                    // stable code of the failure, or NULL
    // How the response ended: "sent"; "asked": the client got a question, and the call
    // continues; "gone": the client disconnected; "late": it took too long; "closed":
    // the server has ended.
    const char *response;
    unsigned status;
    uint64_t duration_ns;
    size_t bytes_in, bytes_out; // of the bodies
    struct mica_text trace;     // W3C traceparent, or empty
};

// `serverz` is the name of the server in each JSON line; it must outlive the log.
enum mica_status mica_log_open(int fd, enum mica_log_form form,
                               const char *serverz, struct mica_error *error,
                               struct mica_log **log_out) MICA_MUST_USE;

// Writes the gathered lines, for at most a second, and frees the log. NULL is allowed.
void mica_log_close(struct mica_log **log);

void mica_log_request(struct mica_log *log, const struct mica_log_entry *entry);

#endif
