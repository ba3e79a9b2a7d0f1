// SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder share: reading the envelope of a message and
// writing its reply. Not for other folders.
#ifndef MICA_SERVER_MESSAGE_H
#define MICA_SERVER_MESSAGE_H

#include "protocol/header_value.h"
#include "server/server.h"

// JSON-RPC and MCP error codes (guide section 8).
enum mica_rpc_error {
    MICA_RPC_PARSE = -32700,
    MICA_RPC_REQUEST = -32600,
    MICA_RPC_METHOD = -32601,
    MICA_RPC_PARAMS = -32602,
    MICA_RPC_INTERNAL = -32603,
    MICA_RPC_RESOURCE = -32002, // resource not found; legacy only
    MICA_RPC_HEADER = -32020,
    MICA_RPC_CAPABILITY = -32021,
    MICA_RPC_VERSION = -32022
};

enum mica_envelope {
    MICA_REQUEST,
    MICA_NOTIFICATION,
    MICA_RESPONSE,
    MICA_BATCH // an array
};

// What params._meta says of itself.
struct mica_meta {
    const struct mica_json *version, *capabilities, *log_level; // or NULL
};

// Reads the JSON-RPC envelope of `text` into message->method, id and params
// (steps 5 and 6), or only MICA_BATCH and the root. False: an error reply is
// ready.
bool mica_message_read(struct mica_message *message, struct mica_text text,
                       enum mica_envelope *envelope_out,
                       struct mica_meta *meta_out,
                       const struct mica_json **root_out);

// The same of what has been read as JSON.
bool mica_message_shape(struct mica_message *message,
                        const struct mica_json *root,
                        enum mica_envelope *envelope_out,
                        struct mica_meta *meta_out);

// Legacy: does the next request know what this one says, and can its client be
// told?
bool mica_message_has_state(const struct mica_message *message);

// A response of a client: when it answers a question of a call (by its id), it
// becomes message->answered. Nothing is to be said.
void mica_message_answer(struct mica_message *message,
                         const struct mica_json *root);

// A notification: there is nothing to say, and perhaps a request to cancel.
void mica_message_notification(struct mica_message *message);

// ---- Batches (batch.c) ---------------------------------------------------------

// Begins what a JSON array asks, in message->wire: a reply is ready, or there is
// work for _try or _work.
void mica_batch_begin(struct mica_message *message,
                      const struct mica_json *root);
bool mica_batch_try(struct mica_message *message);
void mica_batch_work(struct mica_message *message);
void mica_batch_end(struct mica_message *message);

// Step 9 and 11: the request's own version. False: an error reply is ready.
bool mica_message_modern(struct mica_message *message,
                         const struct mica_meta *meta);
bool mica_message_version(struct mica_message *message,
                          struct mica_text version);

// Step 13: is there such a method for this message's era? False: 404 is ready.
bool mica_message_has_method(struct mica_message *message);

// Step 15 and on: runs the method. A reply is ready, or a tool is to be run.
void mica_message_dispatch(struct mica_message *message);

// The catalogue as it was when this message first looked, held until
// mica_message_end.
const struct mica_catalog *mica_message_catalog(struct mica_message *message);

// The definition that params.`field` names, which becomes message->target. NULL:
// an error reply is ready.
const struct mica_definition *mica_message_target(struct mica_message *message,
                                                  enum mica_offer offer,
                                                  const char *field);

// mica_server_version, held by the message until it ends.
struct mica_definition *mica_message_build(struct mica_message *message,
                                           struct mica_text name,
                                           struct mica_text version);

// The next step is to run message->target on `arguments`; `finish` writes the
// reply from message->call.
void mica_message_run(struct mica_message *message, struct mica_text arguments,
                      void (*finish)(struct mica_message *message));

// The same with another runnable than that of message->target.
void mica_message_run_by(struct mica_message *message,
                         const struct mica_runnable *runnable,
                         struct mica_text arguments,
                         void (*finish)(struct mica_message *message));

// Has the server declared to this client the capability that `method` belongs
// to? True for a method that belongs to none (discover.c).
bool mica_message_declares(const struct mica_message *message,
                           struct mica_text method);

// Is it a W3C traceparent?
bool mica_trace_is_valid(struct mica_text text);

// Has the caller all these scopes? True where callers are not known.
bool mica_scopes_suffice(const struct mica_message *message,
                         struct mica_text scopes);

// Does nobody wait for the message any more?
bool mica_message_is_cancelled(struct mica_message *message);

// A capability that handlers do not ask about, in the same set of bits.
enum {
    MICA_CLIENT_TASKS = 1 << 16 // the extension of that name (modern)
};

// What a client of that revision can do, from the capabilities it declares (may
// be NULL).
unsigned mica_client_read(const struct mica_json *capabilities,
                          enum mica_wire wire);

// Step 17: does the client have all that message->target needs? False: an error
// reply is ready.
bool mica_client_suffices(struct mica_message *message);

// Those bits in the form of ClientCapabilities: {"sampling":{},…}.
void mica_client_write(struct mica_json_writer *writer, unsigned bits);

// The same for what is missing, by the bits.
void mica_client_refuse(struct mica_message *message, unsigned missing);

// Gives message->call what its handler's events go through (events.c).
void mica_message_events(struct mica_message *message);

// Sends an event by message->emit, if its client has asked for it.
void mica_message_tell(struct mica_message *message,
                       const struct mica_event *event);

// Does a request of that method have to wait for a tool that is being built?
// False where the adapter does not hold messages (hold.c).
bool mica_message_waits_for(struct mica_message *message,
                            struct mica_text method,
                            const struct mica_json *params);

// Has its client asked for progress or log messages, of it or of a part?
bool mica_message_tells(const struct mica_message *message);

bool mica_log_level_find(struct mica_text name, enum mica_log_level *level_out);
const char *mica_log_level_name(enum mica_log_level level);

// ---- Definitions (define.c) -----------------------------------------------------

// Fills what all kinds have; the key is the name. Texts may be NULL.
// Errors: MICA_E_USAGE (an icon or .meta that is none).
enum mica_status mica_define_common(struct mica_definition *definition,
                                    const char *name, const char *title,
                                    const char *description,
                                    const struct mica_icon *icons,
                                    size_t icon_count, const char *meta,
                                    const char *scope, struct mica_error *error)
    MICA_MUST_USE;

// A copy that lives as long as the definition, which calls may hold when its
// author has taken it back; empty for NULL and for want of memory (sticky).
struct mica_text mica_define_text(struct mica_definition *definition,
                                  const char *textz);

// Makes `handler` what runs, on arguments that are texts and choices. `record`
// may be NULL for none, and is checked. Errors: MICA_E_USAGE.
enum mica_status mica_define_handler(struct mica_definition *definition,
                                     const struct mica_record *record,
                                     mica_handler *handler,
                                     struct mica_error *error) MICA_MUST_USE;

// The field of that name, or NULL.
const struct mica_field *mica_field_find(const struct mica_record *record,
                                         struct mica_text name);

// Fills what a tool on raw JSON has: its schemas and how it runs (raw.c).
// Errors: MICA_E_USAGE (a schema that is none).
enum mica_status mica_define_raw(struct mica_definition *definition,
                                 const struct mica_tool *tool,
                                 struct mica_error *error) MICA_MUST_USE;

// Closes what tools have opened, at the end of the server (services.c).
void mica_services_close(struct mica_server *server);

// A JSON array.
void mica_write_icons(struct mica_json_writer *writer,
                      const struct mica_icon *icons, size_t count);

// An argument of a tool that is repeated in a header Mcp-Param-<name>.
struct mica_param {
    struct mica_param *next;
    struct mica_text name;    // of the header, after "Mcp-Param-"
    struct mica_text pointer; // to the argument, RFC 6901
    enum mica_param_kind {
        MICA_PARAM_STRING,
        MICA_PARAM_INTEGER,
        MICA_PARAM_BOOLEAN
    } kind;
};

// Finds every x-mcp-header of a tool's input schema (guide 1.4). Errors:
// MICA_E_USAGE (a name that is none or is there twice, a place or a type where
// it may not be).
enum mica_status mica_params_define(struct mica_definition *definition,
                                    struct mica_error *error) MICA_MUST_USE;

// Step 16: compares the headers with the arguments. False: an error reply is
// ready.
bool mica_params_check(struct mica_message *message,
                       const struct mica_json *arguments);

// ---- What several methods write ---------------------------------------------

// name, title, description and icons, as the revision has them.
void mica_write_base(const struct mica_definition *definition,
                     const struct mica_wire_features *features,
                     struct mica_json_writer *writer);

// _meta of a definition that has one, as the revision has it.
void mica_write_meta(const struct mica_definition *definition,
                     const struct mica_wire_features *features,
                     struct mica_json_writer *writer);

// One element of a list, braces included.
typedef void mica_write_definition(const struct mica_definition *definition,
                                   const struct mica_wire_features *features,
                                   struct mica_json_writer *writer);

// Answers with one page of a list, `member` being its name in the result.
void mica_list(struct mica_message *message, enum mica_offer offer,
               const char *member, mica_write_definition *write);

// Where the page begins that params.cursor asks for; 0 without one. False: an
// error reply is ready.
bool mica_cursor_open(struct mica_message *message, enum mica_offer offer,
                      size_t *from_out);

// A cursor for what comes after the definition at `position`; there must be a
// sealer. False: an error reply is ready.
bool mica_cursor_seal(struct mica_message *message, enum mica_offer offer,
                      size_t position, struct mica_text *cursor_out);

// MCP: caching (modern): ttlMs and cacheScope.
void mica_write_caching(struct mica_message *message,
                        struct mica_json_writer *writer);

// A content block; one of a kind that the revision has not becomes text.
void mica_write_block(struct mica_message *message,
                      struct mica_json_writer *writer,
                      const struct mica_content *block);
void mica_write_text_block(struct mica_json_writer *writer,
                           struct mica_text text);

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

// Opens {"jsonrpc":"2.0","id":…,"result":{ and, on modern, writes resultType.
void mica_reply_open(struct mica_message *message,
                     struct mica_json_writer *writer);

// The same with another resultType on modern.
void mica_reply_open_as(struct mica_message *message,
                        struct mica_json_writer *writer,
                        const char *result_typez);

// What of the reply stands behind its id: "result":… or "error":…; and a reply
// with that.
struct mica_text mica_reply_tail_of(const struct mica_message *message);
void mica_reply_tail(struct mica_message *message, struct mica_text tail);

// Closes it, with _meta.serverInfo on modern; `meta` (may be empty) is more
// members of _meta, as "name":value text.
void mica_reply_close(struct mica_message *message,
                      struct mica_json_writer *writer, struct mica_text meta);

// An error reply. `data` (may be empty) is more members of error.data.
void mica_reply_error(struct mica_message *message, unsigned http_status,
                      enum mica_rpc_error rpc, enum mica_status status,
                      struct mica_text data, const char *formatz, ...)
    MICA_PRINTF(6, 7);

// The same with a stable code that is in no table, and a text as it is. `codez`
// must outlive the message.
void mica_reply_code(struct mica_message *message, unsigned http_status,
                     enum mica_rpc_error rpc, const char *codez,
                     struct mica_text data, struct mica_text text);

// The stable code with which message->call has failed, in `arena`.
struct mica_text mica_failure_code(const struct mica_message *message,
                                   struct mica_arena *arena);

// An error reply from a failure of message->call: its code, message and path.
void mica_reply_failure(struct mica_message *message, enum mica_rpc_error rpc,
                        struct mica_text data);

// Nothing to say but an HTTP status.
void mica_reply_silent(struct mica_message *message, unsigned http_status);

// {"name":…,"version":…,…} as that revision has it.
void mica_write_implementation(const struct mica_server *server,
                               const struct mica_wire_features *features,
                               struct mica_json_writer *writer);

// A quoted JSON string, cut to about 100 bytes, for an error message or data.
struct mica_text mica_quote(struct mica_message *message,
                            struct mica_text text);

#endif
