// SPDX-License-Identifier: Apache-2.0
//
// The MCP server without I/O: the bytes of one message in, the bytes of one
// reply out. An adapter (http, stdio) owns sockets and threads; it makes a
// message, begins it, and when there is work to do runs it where it may block.
//
//     mica_message_init(&message, server, arena);
//     mica_message_http(&message, allowed, &request);   or _line(…)
//     if (message.step == MICA_STEP_WORK && !mica_message_try(&message))
//         on a worker: mica_message_work(&message);
//     then message.step is REPLY (message.reply, message.http_status) or SILENT.
//
// Threads: a message is owned by one thread at a time from arrival to reply;
// only `cancelled` may be set by another. The server is read-only while serving.
#ifndef MICA_MCP_SERVER_H
#define MICA_MCP_SERVER_H

#include <mica/server.h>

#include "call/call.h"
#include "mcp/wire.h"

// A tool as the catalogue shows it. All text is in the server's arena.
struct mica_definition {
    struct mica_text name, title, description, category;
    struct mica_text input_schema, output_schema; // JSON; output may be empty
    struct mica_text examples;                    // JSON array, or empty
    struct mica_text sha256;                      // of the module, or empty
    unsigned hints;                               // enum mica_hints
    struct mica_runnable runnable;
};

struct mica_server {
    struct mica_server_options options; // defaults filled in
    struct mica_arena arena;            // lives as long as the server
    struct mica_text server_info;       // {"name":…,"version":…}
    struct mica_definition **tools;     // in the order they were added
    size_t tool_count, tool_capacity;
    uint32_t *index; // open-addressed by name; tool number + 1
    size_t index_size;
    void (*close_hooks[8])(void *); // run at close, last first
    void *close_data[8];
    size_t close_count;
};

// Adds a tool that is already described. Copies nothing: the texts and the
// runnable's data must outlive the server (put them in server->arena).
enum mica_status mica_server_define(struct mica_server *server,
                                    const struct mica_definition *definition,
                                    struct mica_error *error) MICA_MUST_USE;

// Adds an engine by its manifest (the JSON of mica_engine_describe).
enum mica_status mica_server_define_engine(struct mica_server *server,
                                           struct mica_text manifest,
                                           const struct mica_runnable *runnable,
                                           struct mica_error *error)
    MICA_MUST_USE;

// Runs `hook(data)` when the server closes. At most 8; asserted.
void mica_server_at_close(struct mica_server *server, void (*hook)(void *),
                          void *data);

const struct mica_definition *mica_server_find(const struct mica_server *server,
                                               struct mica_text name);

// The tool whose name is nearest to a wrong one, or NULL.
const struct mica_definition *
mica_server_nearest(const struct mica_server *server, struct mica_text name);

// ---- One message -----------------------------------------------------------

enum mica_step {
    MICA_STEP_SILENT, // nothing to send (over HTTP: http_status, empty body)
    MICA_STEP_REPLY,  // `reply` is ready
    MICA_STEP_WORK,   // a tool must run: mica_message_try or mica_message_work
    MICA_STEP_CANCEL  // stdio: the request whose id is `cancel_id` is cancelled
};

// What a stdio connection has agreed on. Owned by the thread that reads it.
struct mica_line_state {
    bool initialized; // legacy: after `initialize`
    enum mica_wire wire;
};

struct mica_message {
    struct mica_server *server;
    struct mica_arena *arena;
    enum mica_step step;
    struct mica_buffer reply; // one line of JSON, no newline at its end
    unsigned http_status;

    bool over_http;
    struct mica_text origin; // HTTP: the Origin that was allowed, or empty
    enum mica_wire wire;
    struct mica_text method, id; // id: its JSON text, empty when there is none
    const struct mica_json *params;
    struct mica_text cancel_id; // JSON text, for MICA_STEP_CANCEL

    const struct mica_definition *tool;
    struct mica_text arguments;
    struct mica_call call;
    atomic_bool cancelled; // set by the adapter when nobody waits any more

    // For the log line.
    const char *error_code; // stable code of the failure, or NULL
    int rpc_error;          // JSON-RPC error code, or 0

    char spare[512]; // the reply when there is no memory for any other
};

// Owner: `arena` is the adapter's, reset after the reply has been sent; give it
// the cap server->options.call_bytes.
void mica_message_init(struct mica_message *message, struct mica_server *server,
                       struct mica_arena *arena);

// Begins a message that came as one line of stdin (without its newline).
void mica_message_line(struct mica_message *message,
                       struct mica_line_state *state, struct mica_text line);

// Begins a message that came as one HTTP request to the MCP endpoint. Checks
// Host and Origin, method, content type and all headers. `allowed` as in
// mica/server.h. The request must live until the reply is done.
void mica_message_http(struct mica_message *message,
                       const struct mica_http_allowed *allowed,
                       const struct mica_http_request *request);

// Tries the tool on this thread within 1 ms. False when it must run on a
// worker: nothing has been said yet, call mica_message_work there.
bool mica_message_try(struct mica_message *message);

// Runs the tool to its end. The reply is ready afterwards.
void mica_message_work(struct mica_message *message);

// Host and Origin (guide 1.5): MICA_OK, or a 403 reply is ready. For routes
// other than the MCP endpoint. `host` may be empty only with HTTP/1.0.
bool mica_http_host_allowed(const struct mica_http_allowed *allowed,
                            struct mica_text host);
bool mica_http_origin_allowed(const struct mica_http_allowed *allowed,
                              struct mica_text origin);

// The headers a response of the MCP endpoint carries beside its status.
void mica_message_response(const struct mica_message *message,
                           struct mica_http_response *response_out);

#endif
