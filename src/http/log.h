// SPDX-License-Identifier: Apache-2.0
//
// One line per request on stderr: text for a person at a terminal, JSON for a program.
// Lines are gathered and written by a thread of their own, so that a slow reader of
// stderr never holds up a request, and a busy server does not pay a system call per line.
// When the reader is too slow lines are dropped, and a line says how many.
//
// No arguments, no results, no header but the protocol's own are ever logged.
#ifndef MICA_HTTP_LOG_H
#define MICA_HTTP_LOG_H

#include <mica/server.h>

struct mica_log;

struct mica_log_entry {
    struct mica_text method, path;       // of HTTP
    struct mica_text endpoint;           // its key; empty: of /mcp, or none
    struct mica_text rpc, tool, version; // of MCP; empty when unknown
    const char *code;                    // stable code of the failure, or NULL
    // What became of the response: "sent"; "asked", a question to the client, after
    // which the call continues; "gone", the client had gone; "late", it took too
    // long; "closed", the server has ended.
    const char *response;
    unsigned status;
    uint64_t duration_ns;
    size_t bytes_in, bytes_out; // of the bodies that came and went
    struct mica_text trace;     // W3C traceparent, or empty
};

// Each JSON line has the server's name, which outlives the log.
enum mica_status mica_log_open(int fd, enum mica_log_form form,
                               const char *serverz, struct mica_error *error,
                               struct mica_log **log_out) MICA_MUST_USE;

// Writes what is gathered, for at most a second, and ends. NULL is allowed.
void mica_log_close(struct mica_log **log);

void mica_log_request(struct mica_log *log, const struct mica_log_entry *entry);

#endif
