// SPDX-License-Identifier: Apache-2.0
//
// The interface between this folder and a surface other than MCP (src/rest/). This folder
// finds, checks, runs and stores the calls of every surface alike; a surface reads its
// own requests and writes its own replies.
//
// The store has replies and questions in the form of MCP, whichever surface began the
// call. So a surface can read a call that another one began. While a turn runs, replies
// have the form of MCP; at its end `translate` converts the reply.
#ifndef MICA_SERVER_MESSAGE_SURFACE_H
#define MICA_SERVER_MESSAGE_SURFACE_H

#include "protocol/capability.h"
#include "protocol/header_value.h"
#include "server/server.h"

struct mica_surface {
    const char *name; // for the log and the metrics
    // Where a person finds the names of all tools, for messages.
    const char *(*list)(const struct mica_message *message);

    // Writes an error reply. `codez` is a stable code; `data` (may be empty) has more
    // members of the error object.
    void (*refuse)(struct mica_message *message, const char *codez,
                   struct mica_text data, struct mica_text text);

    // Writes the reply from message->execution.call, after the tool has ended.
    void (*finish)(struct mica_message *message);

    // Writes a notification of a running call (server/notification.c) as an event of the
    // response stream.
    void (*tell)(struct mica_message *message, const struct mica_notice *notice,
                 struct mica_buffer *out);

    // The name of the event that has the reply, on such a stream.
    const char *(*last_event)(const struct mica_message *message);

    // Converts message->reply.text, the reply of a round, from the form of MCP.
    void (*translate)(struct mica_message *message);

    // Sets status, headers and body of the response, except the headers of CORS.
    void (*respond)(const struct mica_message *message,
                    struct mica_http_response *response);
};

// ---- Beginning a message ------------------------------------------------------

// Makes a message with only_reply, in `arena`; NULL for want of memory.
struct mica_message *mica_message_make(struct mica_server *server,
                                       struct mica_arena *arena,
                                       const struct mica_http_request *request);

// A key that no endpoint has: a message for it is refused with MICA_E_NOT_FOUND.
#define MICA_NO_ENDPOINT MICA_LITERAL("*")

// Finds the endpoint above the path of the request. Returns the request with the rest of
// the path; it may be a copy in the message's arena. NULL for want of memory.
const struct mica_http_request *
mica_message_at_path(struct mica_message *message,
                     const struct mica_http_request *request);

// Reads the request: it sets the next step, or writes a reply.
typedef void mica_message_begin(struct mica_message *message,
                                const struct mica_http_allowed *allowed,
                                const struct mica_http_request *request);

// Handles a whole request for a program with a web server of its own, which blocks until the
// call has ended or asks. The response is in `arena`; 503 for want of memory.
void mica_message_embed(struct mica_server *server, struct mica_arena *arena,
                        const struct mica_http_allowed *allowed,
                        const struct mica_http_request *request,
                        mica_message_begin *begin,
                        struct mica_http_response *response_out);

// Checks Host and Origin of the request and reads its trace. Returns false if an error
// reply is ready.
bool mica_message_check_source(struct mica_message *message,
                               const struct mica_http_allowed *allowed,
                               const struct mica_http_request *request);

// Finds the tool of that name; it becomes message->execution.target. Returns false if an
// error reply is ready.
bool mica_message_tool(struct mica_message *message, struct mica_text name);

// Makes running message->execution.target on `arguments` (a JSON object) the next step, or
// writes an error reply: the caller lacks scopes, the client lacks capabilities, or a rule
// refuses the call. `idempotency_key` (may be empty) identifies the call.
void mica_message_call(struct mica_message *message, struct mica_text arguments,
                       struct mica_text idempotency_key);

// Makes the round `round` of a stored call the next step. `answers` (may be NULL) has the
// answers by the keys of the questions. For a task it commits the answers at once; the
// caller then writes the reply, unless an error reply is ready.
void mica_message_continue(struct mica_message *message,
                           const struct mica_kept_call *kept, uint32_t round,
                           const struct mica_json *answers);

// Reads the stored call of a tool, if it is this caller's, into the message's arena.
// Returns false if an error reply is ready.
bool mica_message_find_call(struct mica_message *message, struct mica_text id,
                            struct mica_kept_call *kept_out);

// Cancels the call for its client. Returns false if an error reply is ready.
bool mica_message_cancel_call(struct mica_message *message,
                              const struct mica_kept_call *kept);

// ---- Writing a reply ----------------------------------------------------------

// The value of a Retry-After, in `arena`; "60" for want of memory.
struct mica_text mica_retry_after(struct mica_arena *arena, unsigned seconds);

// Begins a reply with an empty text.
void mica_reply_begin(struct mica_message *message);

// Writes the reply in the form of MCP, for results that a surface does not write itself.
void mica_finish_mcp(struct mica_message *message);

// "working", "input_required", "completed", "failed" or "cancelled".
const char *mica_call_state_name(const struct mica_kept_call *task);

// Writes a member with a time of a stored call, to the second.
void mica_call_write_time(struct mica_json_writer *writer, const char *namez,
                          int64_t ms);

// The round that the questions in the reply belong to, after the turn has ended.
uint32_t mica_message_round(const struct mica_message *message);

// Writes an error reply in the form of the message's surface.
void mica_message_refuse(struct mica_message *message, enum mica_status status,
                         const char *formatz, ...) MICA_PRINTF(3, 4);

// Is this a code of mica? The author of a tool may use the same text: only the status of a
// result tells whose code it is.
bool mica_code_is_ours(struct mica_text code);

// Copies `code` for message->reply.error_code, so that it outlives the reply. Logs and
// counters identify codes by their text. So a code of a tool (`own`) with the text of one
// of mica's codes becomes FAILED.
const char *mica_keep_code(struct mica_message *message, struct mica_text code,
                           bool own);

#endif
