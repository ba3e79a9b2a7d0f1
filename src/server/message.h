// SPDX-License-Identifier: Apache-2.0
//
// The functions that the files of this folder share: reading the envelope of a message
// and writing its reply. src/rest/ and src/http/ use the functions that write replies.
#ifndef MICA_SERVER_MESSAGE_H
#define MICA_SERVER_MESSAGE_H

#include "protocol/block.h"
#include "protocol/capability.h"
#include "protocol/envelope.h"
#include "protocol/header_value.h"
#include "protocol/log_level.h"
#include "registry/definition.h"
#include "registry/header_params.h"
#include "server/server.h"

// Reads the envelope of `text`, and copies method, id and params into the message unless
// it is a batch. Returns false if an error reply is ready.
bool mica_message_read(struct mica_message *message, struct mica_text text,
                       struct mica_envelope *envelope);

// The same for JSON that has been read: an item of a batch.
bool mica_message_read_item(struct mica_message *message,
                            const struct mica_json *root,
                            struct mica_envelope *envelope);

// Session revisions: does the server remember this client between requests, and can it
// send it notifications?
bool mica_message_has_state(const struct mica_message *message);

// Does the request continue a call? Its requestState has then been opened, or it names a
// stored call. Known once the execution has been entered.
bool mica_message_continues(const struct mica_message *message);

// Has an earlier request with the same idempotency key begun the call? Known once the
// execution has begun.
bool mica_message_joins(const struct mica_message *message);

// Reads a response of the client. If its id is that of a question, it becomes
// message->execution.answered. The step is MICA_STEP_SILENT.
void mica_message_read_response(struct mica_message *message,
                                const struct mica_json *root);

// Handles a notification: the step is MICA_STEP_SILENT or MICA_STEP_CANCEL.
void mica_message_notification(struct mica_message *message);

// ---- Batches (batch.c) ---------------------------------------------------------

// The messages of a JSON array; each has its own reply.
struct mica_batch {
    struct mica_message *items;
    size_t count;
};

// Begins each item of a JSON array, in message->context.revision. A reply is ready, or
// there is work for mica_message_execute_inline or _execute.
void mica_batch_begin(struct mica_message *message,
                      const struct mica_json *root);
void mica_batch_begin_again(struct mica_message *message);

// Runs execution.deferred, if it is set. Returns true if a handler has to run
// (execute.c).
bool mica_execute_deferred(struct mica_message *message);

// mica_message_execute_inline and _execute for a message that is not a batch (execute.c).
bool mica_execute_inline(struct mica_message *message);
bool mica_execute_fully(struct mica_message *message);

// Reads what a request of the stateless revision tells of its client. Returns false with
// *problem filled.
bool mica_message_read_client(struct mica_message *message,
                              const struct mica_envelope *envelope,
                              struct mica_problem *problem);

// Sets the revision that the request names. Returns false if an error reply is ready.
bool mica_message_set_revision(struct mica_message *message,
                               struct mica_text version);

// Call it before blocking on the store, and before the message has a side effect. Returns
// false if this thread must not block; the step of the message, or of its whole batch, is
// then MICA_STEP_STORE.
bool mica_message_may_wait(struct mica_message *message) MICA_MUST_USE;

// The same before a sealer opens `text`; with empty text before it seals.
bool mica_message_sealer_ready(struct mica_message *message,
                               struct mica_text text) MICA_MUST_USE;

// Does the revision of this message have its method? Returns false with *problem filled.
bool mica_message_has_method(struct mica_message *message,
                             struct mica_problem *problem);

// Runs the method. Afterwards a reply is ready, or a handler has to run.
void mica_message_dispatch(struct mica_message *message);

// Finds the endpoint that the request names. Returns false if it was withdrawn; no reply
// is written then.
bool mica_message_enter(struct mica_message *message) MICA_MUST_USE;

// Finds the definition that params.`field` names; it becomes message->execution.target.
// NULL: an error reply is ready.
const struct mica_definition *
mica_message_target(struct mica_message *message,
                    enum mica_definition_kind kind, const char *field);

// Finds that build of the tool (mica_registry_version), and holds it until the message
// ends. NULL: this server does not have it.
struct mica_definition *mica_message_build(struct mica_message *message,
                                           struct mica_text name,
                                           struct mica_text version);

// The same at the endpoint with that key, which may be another one than the message's.
struct mica_definition *mica_message_build_at(struct mica_message *message,
                                              struct mica_text key,
                                              struct mica_text name,
                                              struct mica_text version);

// Holds the definition until the message ends, beyond its present turn. False for want of
// memory.
bool mica_message_hold(struct mica_message *message,
                       struct mica_definition *definition);

// Makes running `runnable` on `arguments` the next step; `finish` writes the reply from
// message->execution.call. If the caller lacks scopes of message->execution.target, or the
// client lacks capabilities, an error reply is ready instead.
void mica_message_prepare_run_by(struct mica_message *message,
                                 const struct mica_runnable *runnable,
                                 struct mica_text arguments,
                                 void (*finish)(struct mica_message *message));

// Moves an execution to a new state. Builds with MICA_DEBUG stop at a move that is not in
// the table, and if the execution does not fit its new state.
void mica_execution_move(struct mica_execution *execution,
                         enum mica_execution_state state);

struct mica_states;
extern const struct mica_states mica_execution_states;

// Has the server declared to this client the capability that `method` belongs
// to? True for a method that belongs to none (discover.c).
bool mica_message_declares(struct mica_message *message,
                           struct mica_text method);

// Replaces the message's snapshot of the endpoint by the endpoint as it is now. Nothing
// of the old snapshot may be in use.
void mica_message_refresh_endpoint(struct mica_message *message);

// Does the endpoint still exist, and has the caller its scopes? Otherwise an error reply
// is ready.
bool mica_message_may_enter(struct mica_message *message) MICA_MUST_USE;

// May the caller continue a call that began with that version of a tool of the endpoint?
// At an endpoint that shows each caller a part, only a tool of this part.
bool mica_message_may_continue(struct mica_message *message,
                               struct mica_text version) MICA_MUST_USE;

// Is the tool of that name (empty: any tool) still being built? Also counts the tools that
// are ready, and all of them.
bool mica_message_expects(const struct mica_message *message,
                          struct mica_text name, size_t *ready_out,
                          size_t *all_out);

// Does the caller have all these scopes? True if the server does not identify callers.
bool mica_scopes_suffice(const struct mica_message *message,
                         struct mica_text scopes);

// Fills message->execution.call with what its handler can reach, except what a turn adds.
void mica_message_prepare(struct mica_message *message, uint32_t budget_ms);

// Has the client cancelled the message, or left?
bool mica_message_is_cancelled(struct mica_message *message);

// Does the client have all capabilities that message->execution.target needs? Otherwise an
// error reply is ready.
bool mica_client_suffices(struct mica_message *message);

// Writes the error reply for these missing capabilities.
void mica_client_refuse(struct mica_message *message, unsigned missing);

// Sets the functions of message->execution.call that send notices (notification.c).
void mica_message_connect_notices(struct mica_message *message);

// Sends a notice with message->reply.emit, if the client wants such notices.
void mica_message_send_notice(struct mica_message *message,
                              const struct mica_notice *notice);

// Does a request of that method have to wait for a tool that is being built? False if the
// adapter does not support MICA_STEP_AWAIT_BUILD (build_wait.c).
bool mica_message_waits_for(struct mica_message *message,
                            struct mica_text method,
                            const struct mica_json *params);

// Does the client want progress or log messages of the message, or of one of its items?
bool mica_message_wants_notices(const struct mica_message *message);

// ---- Shared by several methods ----------------------------------------------

// Writes name, title, description and icons in the form of the revision.
void mica_write_base(const struct mica_definition *definition,
                     const struct mica_revision_features *features,
                     struct mica_json_writer *writer);

// For whom a definition is written: the form of the revision, and what the client shows.
struct mica_list_reader {
    const struct mica_revision_features *features;
    bool views; // it is told of views
};

// Is the client told of views? If it shows them, or if everything is listed for everyone.
bool mica_message_tells_views(struct mica_message *message);

// Writes _meta of the definition, if it has any for that client.
void mica_write_meta(const struct mica_definition *definition,
                     const struct mica_list_reader *reader,
                     struct mica_json_writer *writer);

// Writes one element of a list, braces included.
typedef void mica_write_definition(const struct mica_definition *definition,
                                   const struct mica_list_reader *reader,
                                   struct mica_json_writer *writer);

// Replies with one page of a list; `member` is its name in the result.
void mica_list(struct mica_message *message, enum mica_definition_kind kind,
               const char *member, mica_write_definition *write);

// Finds where the page of params.cursor begins; without a cursor at 0. Returns false if an
// error reply is ready, or the step is MICA_STEP_STORE (mica_message_may_wait).
bool mica_cursor_open(struct mica_message *message,
                      enum mica_definition_kind kind, size_t *from_out);

// Makes a cursor for the page after the definition at `position`. The server must have a
// sealer. Returns false as above.
bool mica_cursor_seal(struct mica_message *message,
                      enum mica_definition_kind kind, size_t position,
                      struct mica_text *cursor_out);

// MCP: caching (stateless revision): writes ttlMs and cacheScope.
void mica_write_caching(struct mica_message *message,
                        struct mica_json_writer *writer);

// ---- Results (tool_result.c, resource_result.c) ------------------------------------

// Write the reply after the handler has ended.
void mica_finish_tool(struct mica_message *message);
void mica_finish_prompt(struct mica_message *message);
void mica_finish_read(struct mica_message *message);

// Writes the error reply for message->request.uri, which is not the URI of a resource.
void mica_resource_refuse(struct mica_message *message);

// ---- The methods --------------------------------------------------------------

void mica_method_discover(struct mica_message *message);
void mica_method_initialize(struct mica_message *message);
void mica_method_ping(struct mica_message *message);
void mica_method_listen(struct mica_message *message);
void mica_method_set_level(struct mica_message *message);
void mica_method_subscribe(struct mica_message *message);
void mica_method_unsubscribe(struct mica_message *message);
void mica_method_tools_list(struct mica_message *message);
void mica_method_tools_call(struct mica_message *message);
void mica_method_resources_list(struct mica_message *message);
void mica_method_templates_list(struct mica_message *message);
void mica_method_resources_read(struct mica_message *message);
void mica_method_prompts_list(struct mica_message *message);
void mica_method_prompts_get(struct mica_message *message);
void mica_method_complete(struct mica_message *message);

// ---- Replies ---------------------------------------------------------------

// Opens {"jsonrpc":"2.0","id":…,"result":{ and, on the stateless revision, writes resultType.
void mica_reply_open(struct mica_message *message,
                     struct mica_json_writer *writer);

// The same with another resultType on the stateless revision.
void mica_reply_open_as(struct mica_message *message,
                        struct mica_json_writer *writer,
                        const char *result_typez);

// The part of the reply after its id: "result":… or "error":….
struct mica_text mica_reply_tail_of(const struct mica_message *message);

// Writes a reply with that part, for the id of this message.
void mica_reply_tail(struct mica_message *message, struct mica_text tail);

// Closes the reply, with _meta.serverInfo on the stateless revision. `meta` (may be empty)
// has more members of _meta, as "name":value text.
void mica_reply_close(struct mica_message *message,
                      struct mica_json_writer *writer, struct mica_text meta);

// Writes an error reply. `data` (may be empty) has more members of error.data.
void mica_reply_error(struct mica_message *message, unsigned http_status,
                      enum mica_rpc_error rpc, enum mica_status status,
                      struct mica_text data, const char *formatz, ...)
    MICA_PRINTF(6, 7);

void mica_reply_problem(struct mica_message *message,
                        const struct mica_problem *problem);

// The same with a code that is not in the table of codes, and a text that is copied
// unchanged. `codez` must outlive the message.
void mica_reply_code(struct mica_message *message, unsigned http_status,
                     enum mica_rpc_error rpc, const char *codez,
                     struct mica_text data, struct mica_text text);

// The code with which message->execution.call has failed, in `arena`.
struct mica_text mica_failure_code(const struct mica_message *message,
                                   struct mica_arena *arena);

// Writes an error reply for the failure of message->execution.call: code, message, path.
void mica_reply_failure(struct mica_message *message, enum mica_rpc_error rpc,
                        struct mica_text data);

// Sets the step MICA_STEP_SILENT, with an HTTP status.
void mica_reply_silent(struct mica_message *message, unsigned http_status);

#endif
