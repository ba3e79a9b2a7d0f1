// SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder share: reading the envelope of a message and
// writing its reply. Not for other folders.
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

// Reads the envelope of `text`, of which the message takes method, id and params;
// of a batch only *envelope has what was read. False: an error reply is ready.
bool mica_message_read(struct mica_message *message, struct mica_text text,
                       struct mica_envelope *envelope);

// The same of an item of a batch.
bool mica_message_shape(struct mica_message *message,
                        const struct mica_json *root,
                        struct mica_envelope *envelope);

// Legacy: does the next request know what this one says, and can its client be
// told?
bool mica_message_has_state(const struct mica_message *message);

// A response of a client: when it answers a question of a call (by its id), it
// becomes message->execution.answered. Nothing is to be said.
void mica_message_answer(struct mica_message *message,
                         const struct mica_json *root);

// A notification: there is nothing to say, and perhaps a request to cancel.
void mica_message_notification(struct mica_message *message);

// ---- Batches (batch.c) ---------------------------------------------------------

// The messages of a JSON array, each with a reply of its own.
struct mica_batch {
    struct mica_message *items;
    size_t count;
};

// Begins what a JSON array asks, in message->context.revision: a reply is ready, or there is
// work for mica_message_execute_inline or _work.
void mica_batch_begin(struct mica_message *message,
                      const struct mica_json *root);
void mica_batch_begin_again(struct mica_message *message);

// Does what was to be done `later`. False: with it everything is done (execute.c).
bool mica_execute_deferred(struct mica_message *message);

// mica_message_execute_inline and _work of a message that is no batch (execute.c).
bool mica_execute_inline(struct mica_message *message);
void mica_execute_fully(struct mica_message *message);

// What a request of the stateless revision says of its client.
bool mica_message_take_client(struct mica_message *message,
                              const struct mica_envelope *envelope,
                              struct mica_problem *problem);

// The request's own revision. False: an error reply is ready.
bool mica_message_version(struct mica_message *message,
                          struct mica_text version);

// Before a store is waited for, and before the message has done anything. False: its
// adapter's thread does not wait, and the step is MICA_STEP_STORE, of the whole batch.
bool mica_message_may_wait(struct mica_message *message) MICA_MUST_USE;

// The same before a sealer opens `text`, or seals when that is empty.
bool mica_message_sealer_ready(struct mica_message *message,
                               struct mica_text text) MICA_MUST_USE;

// Is there a method of that name for the revision of this message?
bool mica_message_has_method(struct mica_message *message,
                             struct mica_problem *problem);

// Step 15 and on: runs the method. A reply is ready, or a tool is to be run.
void mica_message_dispatch(struct mica_message *message);

// Finds the endpoint that the request names. False: it was withdrawn, and nothing is
// written.
bool mica_message_enter(struct mica_message *message) MICA_MUST_USE;

// The definition that params.`field` names, which becomes message->execution.target. NULL:
// an error reply is ready.
const struct mica_definition *
mica_message_target(struct mica_message *message,
                    enum mica_definition_kind kind, const char *field);

// mica_server_version, held by the message until it ends.
struct mica_definition *mica_message_build(struct mica_message *message,
                                           struct mica_text name,
                                           struct mica_text version);

// The next step is to run `runnable` on `arguments`; `finish` writes the reply from
// message->execution.call. The caller needs the scopes and the client the capabilities
// of message->execution.target; otherwise an error reply is ready.
void mica_message_run_by(struct mica_message *message,
                         const struct mica_runnable *runnable,
                         struct mica_text arguments,
                         void (*finish)(struct mica_message *message));

// Moves an execution. Builds with MICA_DEBUG stop at a move that the table does not
// have, and where the execution does not fit its new state.
void mica_execution_move(struct mica_execution *execution,
                         enum mica_execution_state state);

struct mica_states;
extern const struct mica_states mica_execution_states;

// Has the server declared to this client the capability that `method` belongs
// to? True for a method that belongs to none (discover.c).
bool mica_message_declares(struct mica_message *message,
                           struct mica_text method);

// Takes the endpoint as it is now, in place of what the message has seen of it, before
// it has used anything of that.
void mica_message_look_again(struct mica_message *message);

// Is the endpoint still there, and has the caller its scopes? False: an error reply is
// ready.
bool mica_message_may_enter(struct mica_message *message) MICA_MUST_USE;

// Is the tool of that name (empty: any) still being built? Then how many are ready, of
// how many.
bool mica_message_expects(const struct mica_message *message,
                          struct mica_text name, size_t *ready_out,
                          size_t *all_out);

// Has the caller all these scopes? True where callers are not known.
bool mica_scopes_suffice(const struct mica_message *message,
                         struct mica_text scopes);

// Gives message->execution.call all that its handler reaches, but for a turn.
void mica_message_prepare(struct mica_message *message, uint32_t budget_ms);

// Has its client given the message up?
bool mica_message_is_cancelled(struct mica_message *message);

// Step 17: does the client have all that message->execution.target needs? False: an error
// reply is ready.
bool mica_client_suffices(struct mica_message *message);

// Refuses for want of these capabilities.
void mica_client_refuse(struct mica_message *message, unsigned missing);

// Gives message->execution.call what its handler's events go through (events.c).
void mica_message_events(struct mica_message *message);

// Sends an event by message->reply.emit, if its client has asked for it.
void mica_message_tell(struct mica_message *message,
                       const struct mica_event *event);

// Does a request of that method have to wait for a tool that is being built?
// False where the adapter does not hold messages (hold.c).
bool mica_message_waits_for(struct mica_message *message,
                            struct mica_text method,
                            const struct mica_json *params);

// Has its client asked for progress or log messages, of it or of a part?
bool mica_message_tells(const struct mica_message *message);

// ---- What several methods write ---------------------------------------------

// name, title, description and icons, as the revision has them.
void mica_write_base(const struct mica_definition *definition,
                     const struct mica_revision_features *features,
                     struct mica_json_writer *writer);

// _meta of a definition that has one, as the revision has it.
void mica_write_meta(const struct mica_definition *definition,
                     const struct mica_revision_features *features,
                     struct mica_json_writer *writer);

// One element of a list, braces included.
typedef void
mica_write_definition(const struct mica_definition *definition,
                      const struct mica_revision_features *features,
                      struct mica_json_writer *writer);

// Answers with one page of a list, `member` being its name in the result.
void mica_list(struct mica_message *message, enum mica_definition_kind kind,
               const char *member, mica_write_definition *write);

// Where the page begins that params.cursor asks for; 0 without one. False: an
// error reply is ready, or the store has to be waited for (mica_message_may_wait).
bool mica_cursor_open(struct mica_message *message,
                      enum mica_definition_kind kind, size_t *from_out);

// A cursor for what comes after the definition at `position`; there must be a
// sealer. False: as above.
bool mica_cursor_seal(struct mica_message *message,
                      enum mica_definition_kind kind, size_t position,
                      struct mica_text *cursor_out);

// MCP: caching (stateless revision): ttlMs and cacheScope.
void mica_write_caching(struct mica_message *message,
                        struct mica_json_writer *writer);

// ---- Results (tool_result.c, resource_result.c) ------------------------------------

// How a reply is written when the handler has ended.
void mica_finish_tool(struct mica_message *message);
void mica_finish_prompt(struct mica_message *message);
void mica_finish_read(struct mica_message *message);

// Refuses to read message->request.uri, which is the URI of no resource.
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

// What of the reply stands behind its id: "result":… or "error":…; and a reply
// with that.
struct mica_text mica_reply_tail_of(const struct mica_message *message);
void mica_reply_tail(struct mica_message *message, struct mica_text tail);

// Closes it, with _meta.serverInfo on the stateless revision; `meta` (may be empty) is more
// members of _meta, as "name":value text.
void mica_reply_close(struct mica_message *message,
                      struct mica_json_writer *writer, struct mica_text meta);

// An error reply. `data` (may be empty) is more members of error.data.
void mica_reply_error(struct mica_message *message, unsigned http_status,
                      enum mica_rpc_error rpc, enum mica_status status,
                      struct mica_text data, const char *formatz, ...)
    MICA_PRINTF(6, 7);

void mica_reply_problem(struct mica_message *message,
                        const struct mica_problem *problem);

// The same with a stable code that is in no table, and a text as it is. `codez`
// must outlive the message.
void mica_reply_code(struct mica_message *message, unsigned http_status,
                     enum mica_rpc_error rpc, const char *codez,
                     struct mica_text data, struct mica_text text);

// The stable code with which message->execution.call has failed, in `arena`.
struct mica_text mica_failure_code(const struct mica_message *message,
                                   struct mica_arena *arena);

// An error reply from a failure of message->execution.call: its code, message and path.
void mica_reply_failure(struct mica_message *message, enum mica_rpc_error rpc,
                        struct mica_text data);

// Nothing to say but an HTTP status.
void mica_reply_silent(struct mica_message *message, unsigned http_status);

#endif
