// SPDX-License-Identifier: Apache-2.0
//
// What a surface beside MCP itself gives to this folder and takes from it. A
// message of it is found, allowed, run, asked and kept like any other; only what it
// reads and the words it writes are its own.
//
// Calls are kept in MCP's words, whichever surface began them: so a call that one surface
// began and another finds by its key reads the same. While a turn runs, replies
// are MCP's; at its end `translate` makes the surface's of it.
#ifndef MICA_SERVER_MESSAGE_SURFACE_H
#define MICA_SERVER_MESSAGE_SURFACE_H

#include "protocol/capability.h"
#include "protocol/header_value.h"
#include "server/server.h"

struct mica_surface {
    const char *name; // for the log and the metrics
    // What names all tools, for a message to people.
    const char *(*list)(const struct mica_message *message);

    // Writes the reply that a request is refused with. `codez` is a stable code,
    // `data` (may be empty) more members of the error's object.
    void (*refuse)(struct mica_message *message, const char *codez,
                   struct mica_text data, struct mica_text text);

    // A tool has ended: writes the reply from message->execution.call.
    void (*finish)(struct mica_message *message);

    // What a running call tells (server/notification.c), as whole events of the stream that
    // the response becomes then.
    void (*tell)(struct mica_message *message, const struct mica_event *event,
                 struct mica_buffer *out);

    // Of such a stream: what the event is called that has the reply.
    const char *(*last_event)(const struct mica_message *message);

    // message->reply.text is MCP's, of a round: makes it the surface's.
    void (*translate)(struct mica_message *message);

    // Status, headers and body of the reply, but for CORS.
    void (*respond)(const struct mica_message *message,
                    struct mica_http_response *response);
};

// ---- Beginning a message ------------------------------------------------------

// A message whose response is all that is sent, in `arena`; NULL when that has no
// room even for it.
struct mica_message *
mica_message_handled(struct mica_server *server, struct mica_arena *arena,
                     const struct mica_http_request *request);

// A key that no endpoint has: a message that asks for it is refused with
// MICA_E_NOT_FOUND.
#define MICA_NO_ENDPOINT MICA_LITERAL("*")

// Finds the endpoint that the path of the request is of, and the request with the path
// below that, which may be a copy in the message's arena. NULL for want of memory.
const struct mica_http_request *
mica_message_at_path(struct mica_message *message,
                     const struct mica_http_request *request);

// What every request over HTTP has: where it comes from, and its trace. False: it
// may not come, and a reply is ready.
bool mica_message_from(struct mica_message *message,
                       const struct mica_http_allowed *allowed,
                       const struct mica_http_request *request);

// The tool of that name becomes message->execution.target. False: a reply is ready.
bool mica_message_tool(struct mica_message *message, struct mica_text name);

// The next step is to run message->execution.target on `arguments` (a JSON object), unless a
// reply is ready: may this caller, has the client what the tool asks for? With
// `idempotency_key` (may be empty) a call is known again.
void mica_message_call(struct mica_message *message, struct mica_text arguments,
                       struct mica_text idempotency_key);

// The next step is one more round of a call that is kept and waits for its client,
// or has: `answers` (may be NULL) by the keys of the questions of `round`. A call
// that continues by itself, a task, takes them here and now: then a reply is to be
// written by the caller unless one is ready.
void mica_message_continue(struct mica_message *message,
                           const struct mica_kept_call *kept, uint32_t round,
                           const struct mica_json *answers);

// The call of a tool that is kept under that id for this caller, in the message's
// arena. False: a reply is ready.
bool mica_message_find_call(struct mica_message *message, struct mica_text id,
                            struct mica_kept_call *kept_out);

// Its client wants no more of it. False: a reply is ready.
bool mica_message_cancel_call(struct mica_message *message,
                              const struct mica_kept_call *kept);

// ---- Writing a reply ----------------------------------------------------------

// The value of a Retry-After, in `arena`; "60" for want of memory.
struct mica_text mica_retry_after(struct mica_arena *arena, unsigned seconds);

// An empty reply, to be written.
void mica_reply_begin(struct mica_message *message);

// A reply of MCP, as the rounds have it (for what a surface has no words for).
void mica_finish_mcp(struct mica_message *message);

// "working", "input_required", "completed", "failed" or "cancelled".
const char *mica_call_state_name(const struct mica_kept_call *task);

// A member that is a time of a kept call, to the second.
void mica_call_write_time(struct mica_json_writer *writer, const char *namez,
                          int64_t ms);

// The round that the questions of the reply are of, once a turn has ended.
uint32_t mica_message_round(const struct mica_message *message);

// Refuses in the message's own words.
void mica_message_refuse(struct mica_message *message, enum mica_status status,
                         const char *formatz, ...) MICA_PRINTF(3, 4);

// Whether mica has a code of that name. An author may use the name, too: whose a
// code is says the status of the result, never its text.
bool mica_code_is_ours(struct mica_text code);

// `code` as text that outlives the reply, for message->reply.error_code. Logs and counters
// know codes by their text, so one that a tool has made (`own`) and that reads like
// one of ours is FAILED there.
const char *mica_keep_code(struct mica_message *message, struct mica_text code,
                           bool own);

#endif
