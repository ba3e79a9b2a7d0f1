// SPDX-License-Identifier: Apache-2.0
//
// The MCP server without I/O: the bytes of one message in, the bytes of one
// reply out. An adapter (http, stdio) owns sockets and threads; it makes a
// message, begins it, and runs its handler on a thread that may block.
//
//     mica_message_init(&message, server, arena);
//     mica_message_http(&message, allowed, &request);   or _line(…)
//     if (message.step == MICA_STEP_WORK && !mica_message_execute_inline(&message))
//         on a worker: mica_message_execute(&message);
//     then message.step is REPLY (message.reply.text, message.reply.http_status) or
//     SILENT; in a session also ASK (the call waits for answers);
//     mica_message_end(&message);
//
// Threads: one thread at a time owns a message, from its arrival to its reply; other
// threads may only set `cancelled`. A message holds a snapshot of the catalog
// (registry/registry.h).
#ifndef MICA_SERVER_SERVER_H
#define MICA_SERVER_SERVER_H

#include <mica/server.h>

#include "base/platform.h"
#include "protocol/revision.h"
#include "registry/registry.h"
#include "server/calls/calls_interface.h"
#include "server/session_rules.h"

// How a question that the server answers was answered.
struct mica_model_outcome {
    enum mica_status status;
    struct mica_text
        answer; // MICA_OK: JSON, as the client's answer or of call/model_ask.h
    const char *message; // otherwise: why, without secrets
    int64_t tokens;      // that it cost, in and out, whatever the status
};

// The progress of an errand that has its answer.
enum {
    MICA_ERRAND_ALL = 1000000
};

// A question that the server answers (server/calls/resumable_provider.c).
struct mica_model_errand {
    bool
        is_sampling; // of sampling/createMessage; otherwise of call/model_ask.h
    struct mica_text params; // borrowed until `begin` returns
    uint32_t limit_ms;
    const atomic_bool *cancelled; // looked at until on_outcome
    // On any thread; they do not block. on_outcome comes once, and nothing after it.
    void (*on_progress)(void *data, unsigned progress); // NULL: not wanted
    void (*on_outcome)(void *data, const struct mica_model_outcome *outcome);
    void *data;
};

// Answers questions to models in place of clients: those of handlers inside mica
// (call/model_ask.h), and sampling questions for clients that have no model.
struct mica_model_provider {
    void *data; // of `generate`
    // For surfaces beside MCP. Generates the text that answers the params of
    // sampling/createMessage, in `arena`. Blocks a worker until the text is there or
    // `cancelled` is set. Tells the operator of a failure; the client then gets the
    // question. Errors: any. NULL: `begin` answers these, too, if it samples.
    enum mica_status (*generate)(void *data, struct mica_text params,
                                 const atomic_bool *cancelled,
                                 struct mica_arena *arena,
                                 struct mica_error *error,
                                 struct mica_text *words_out);
    void *errands; // of the next four
    // Begins to answer, and returns at once; on_outcome may come before that. NULL: no
    // handler can ask a model. Errors: any; then on_outcome does not come.
    enum mica_status (*begin)(void *errands,
                              const struct mica_model_errand *errand,
                              struct mica_error *error);
    // Is that the name of a provider, or is one there where it is empty? NULL: not known.
    bool (*has)(void *errands, struct mica_text name);
    bool samples; // `begin` answers for clients that have not declared sampling
    // Returns when the low 32 bits of `signals` are not 0: for a thread that cannot leave
    // its message (server/calls/parked.h). An outcome sets them before `begin`'s side
    // wakes this.
    void (*wait)(void *errands, const atomic_ullong *signals);
};

// Gives a provider that generates the errands of another one, unless that is NULL.
static inline void
mica_model_provider_join(struct mica_model_provider *provider,
                         const struct mica_model_provider *errands)
{
    if (errands == NULL)
        return;
    provider->errands = errands->errands;
    provider->begin = errands->begin;
    provider->has = errands->has;
    provider->samples = errands->samples;
    provider->wait = errands->wait;
}

// The state of a development server, for pages that show it. From any thread.
struct mica_development {
    void *data;
    int64_t (*revision)(void *data); // number of the state; it rises
    void (*write)(void *data,
                  struct mica_buffer *out); // writes the state: JSON
};

// Tools that are being built while the server serves. From any thread.
struct mica_coming {
    void *data;
    // Is the tool of that name still being built? With an empty name: is any tool?
    // False for a tool whose build has failed. Also counts the tools that are ready,
    // and all of them.
    bool (*expects)(void *data, struct mica_text name, size_t *ready_out,
                    size_t *all_out);
};

struct mica_rules; // server/call_rules.h
struct mica_relay; // rest/relay.h

struct mica_server {
    struct mica_server_options options;   // defaults filled in
    struct mica_arena arena;              // lives as long as the server
    struct mica_registry registry;        // endpoints, catalogs, services
    const struct mica_sessions *sessions; // NULL: the server has no sessions
    // Seals cursors and requestState. NULL: a list is one page, and in the stateless
    // revision no handler can ask.
    const struct mica_sealer *sealer;
    int64_t (*now)(void); // milliseconds since 1970, for the sealer; or NULL
    const struct mica_calls *calls;       // store of calls; NULL: none
    const struct mica_platform *platform; // NULL: no handler can ask
    const struct mica_model_provider *model_provider; // or NULL
    const struct mica_development *development;       // or NULL
    const struct mica_coming *coming; // NULL: all tools are built
    const struct mica_rules *rules;   // of the operator, or NULL
    struct mica_relay *relay; // requests of views; NULL: none are carried
    bool pages; // the server has pages for people; a stored call has one
    void (*close_hooks[8])(void *); // run at close, the last one first
    void *close_data[8];
    size_t close_count;
};

// Runs `hook(data)` when the server closes. At most 8; asserted.
void mica_server_at_close(struct mica_server *server, void (*hook)(void *),
                          void *data);

// The capabilities (enum mica_client_capability) that the server has in place of a client
// that has not declared them: MICA_SAMPLING, if its model provider samples.
unsigned mica_server_provides(const struct mica_server *server);

// Can handlers of this server wait for a language model?
static inline bool
mica_server_asks_models(const struct mica_server *server)
{
    return server->model_provider != NULL &&
           server->model_provider->begin != NULL;
}

// Does the provider of that name answer for this server? With an empty name: does any?
static inline bool
mica_server_has_provider(const struct mica_server *server,
                         struct mica_text name)
{
    const struct mica_model_provider *provider = server->model_provider;

    return mica_server_asks_models(server) &&
           (provider->has == NULL || provider->has(provider->errands, name));
}

// Does the server itself answer below "/" and that segment?
bool mica_server_reserves(struct mica_text segment);

// ---- One message -----------------------------------------------------------

// What the adapter does next with a message.
enum mica_step {
    MICA_STEP_SILENT, // send nothing (over HTTP: http_status with an empty body)
    MICA_STEP_REPLY,  // send `reply`
    MICA_STEP_WORK, // run the handler: mica_message_execute_inline or _execute
    MICA_STEP_CANCEL, // cancel the requests that mica_message_cancels names; send nothing
    MICA_STEP_STREAM, // a GET: open the stream of `session`, or resume one
    // Session revisions: send mica_message_question 0, 1, …; the call waits.
    MICA_STEP_ASK,
    MICA_STEP_LISTEN, // send the changes that `listen` names, until the client cancels
    // The message needs the store and has done nothing yet: begin a new message with the
    // same bytes, on a thread that may block, without MICA_TAKES_STORE.
    MICA_STEP_STORE,
    // Wait until mica_message_awaits_build returns false. Then begin a new message with the
    // same bytes; without MICA_TAKES_BUILD_WAIT if the wait has reached its limit.
    MICA_STEP_AWAIT_BUILD
};

// What client and server have agreed on over stdio. Owned by the thread that reads it. All
// but `revision` is for the session revisions.
struct mica_line_state {
    bool initialized; // after `initialize`
    enum mica_revision revision;
    bool logs; // logging/setLevel was called
    enum mica_log_level log_level;
    unsigned capabilities;                // as message.context.capabilities
    const struct mica_sessions *sessions; // for subscriptions; NULL: none
};

// Why a call continues without a request of its client:
//
//     answer   ending
//     set      OK         the client has answered the question `number`
//     NULL     not OK     the call ends: DISCONNECTED, as its pipe or stream has closed
//     NULL     OK         the scheduler has found the call due, or was woken. The claim
//                         tells whether a time limit has passed, the session has ended or
//                         the client has cancelled
struct mica_resume_cause {
    struct mica_text call;          // its id
    uint32_t number;                // of the question
    const struct mica_json *answer; // result or error of the response, or NULL
    bool is_error;                  // `answer` is an error
    enum mica_status ending;
};

struct mica_message;
struct mica_turn_events; // call/kept_call.h
struct mica_surface;     // server/message_surface.h

// A definition that a message holds until it ends.
struct mica_definition_ref {
    struct mica_definition_ref *next;
    struct mica_definition *definition;
};

// What an adapter supports, as bits of mica_request.takes.
enum {
    MICA_TAKES_BUILD_WAIT = 1, // MICA_STEP_AWAIT_BUILD
    MICA_TAKES_STREAMED = 2,   // sending what execution.call.streamed reads
    MICA_TAKES_STORE =
        4, // MICA_STEP_STORE: its thread must not block on a store
};

// The request, and what its adapter can do with a reply. Set as the message begins.
struct mica_request {
    struct mica_text method, id; // id: its JSON text; empty: it has no id
    const struct mica_json *params;
    struct mica_text progress_token;    // JSON; empty: no progress
    struct mica_text cancel_id;         // JSON text, for MICA_STEP_CANCEL
    struct mica_text name;              // of the target, as in the request
    struct mica_text uri;               // of the resource to read
    struct mica_text trace;             // W3C traceparent, or empty
    const struct mica_json *batch_root; // the JSON array of a batch, or NULL

    // A message over stdio has `line`, a message over HTTP has `http`.
    struct mica_line_state *line;
    const struct mica_http_request *http;
    // Key of the endpoint that received the message; set before it begins. Empty: /mcp.
    struct mica_text endpoint;
    struct mica_text origin;        // the Origin that was allowed, or empty
    struct mica_text last_event_id; // of a GET that resumes a stream
    bool resumes;                   // last_event_id is set

    unsigned takes; // what the adapter supports: MICA_TAKES_…
    bool over_http;
    bool takes_stream; // the response may be text/event-stream
    bool only_reply;   // the adapter sends only the reply
};

// The client, its caller, and what client and server have agreed on.
struct mica_context {
    enum mica_revision revision;
    const struct mica_principal *principal; // NULL: unknown
    // Of the caller that began a stored call. `ptr` is NULL if the server identified none.
    struct mica_text scopes;
    struct mica_text party;        // of the client (session_rules.h), or empty
    unsigned capabilities;         // of the client: protocol/capability.h
    bool logs;                     // it wants log messages
    enum mica_log_level log_level; // the least severe that it wants
    // The server's model provider replaces the client's model
    bool uses_provider;

    // The surface of the message; NULL: MCP itself.
    const struct mica_surface *surface;
    void *surface_data;

    // For the session revisions. `sessions` is NULL if the server has none.
    const struct mica_sessions *sessions;
    struct mica_session session;  // its id is empty outside of sessions
    struct mica_text session_key; // of a session in a store: 32 bytes
    int64_t stream;               // of the session, for the reply; 0: none
};

// The states of an execution. execution_state.c has their table.
enum mica_execution_state {
    MICA_EXECUTION_NEW,      // the call is not known yet
    MICA_EXECUTION_ENTERED,  // the request was read
    MICA_EXECUTION_CLAIMED,  // this process has claimed the call
    MICA_EXECUTION_RUNNING,  // the handler runs
    MICA_EXECUTION_ASKED,    // the handler waits for answers of the client
    MICA_EXECUTION_ENDED,    // the handler has ended; the call has a result
    MICA_EXECUTION_REPLAYED, // the reply was recorded by an earlier turn
    MICA_EXECUTION_REFUSED,  // the reply is an error, and no turn ran
    MICA_EXECUTION_LOST,     // the turn could not be committed
    MICA_EXECUTION_RELEASED  // this process holds nothing for it
};

// What runs for the message.
struct mica_execution {
    enum mica_execution_state state;      // moved by mica_execution_move
    const struct mica_definition *target; // the tool, prompt or resource
    // References to older builds: of the target, or of a tool that it invokes.
    struct mica_definition_ref *definition_refs;
    const struct mica_runnable *runnable; // what runs: the target's, or another
    struct mica_text arguments;           // JSON for the runnable
    struct mica_call call;
    atomic_bool cancelled; // the adapter sets it when the client has left
    void (*finish)(
        struct mica_message *message); // writes the reply from `call`
    // Short work that may block on the store instead of a handler; NULL: none. An
    // adapter whose serving thread must not block runs it on the store thread. The step
    // may be MICA_STEP_WORK again afterwards: then a handler runs.
    void (*deferred)(struct mica_message *message);

    // The call of a handler that may ask (server/calls/resumable.h); NULL: it cannot ask.
    struct mica_resumable *resumable;
    // Session revisions: the adapter can route the client's answers to this call. Set
    // before the message begins.
    bool can_receive_answers;
    bool turn_running; // replies have the form of MCP, whatever the surface
    // Lets the message wait for a model without a thread (PARK-1). The adapter sets it
    // before it executes the message; it has a worker call mica_message_execute again.
    // Any thread; does not block. NULL: the thread that executes waits
    // (server/calls/parked.h).
    void (*wake)(struct mica_message *message);
    struct mica_parked *parked; // the answers that it waits for, or NULL
    // Most bytes of an event that the commit of a turn may append to the stream; 0: the
    // commit appends none. mica_message_turn_events tells what it appended, and the
    // adapter sends all other events.
    size_t max_event_bytes;
    struct mica_resume_cause answered; // by the client's response; read from it
    // For a turn without a request; each may be NULL. on_claimed: the call is claimed;
    // the callback may set reply.emit. on_recorded: the answer is committed, or is not
    // needed any more.
    void (*on_claimed)(struct mica_message *message);
    void (*on_recorded)(struct mica_message *message);
    void *callback_data;
    // How the open questions of such a turn end, if no answer comes; MICA_OK: they do not.
    enum mica_status ending;
};

// The reply, and the notifications before it.
struct mica_reply {
    struct mica_buffer text; // one line of JSON, no newline at its end
    unsigned http_status;
    // Where the adapter inserts what execution.call.streamed reads; 0: nowhere. An adapter
    // that becomes the owner of `streamed` sets it to NULL.
    size_t streamed_at;
    struct mica_text lacks; // missing scopes, for a challenge; or empty
    bool begins;            // the session is new: the response has its id
    unsigned retry_s;       // Retry-After of the response, or 0
    // MICA_STEP_LISTEN: server/methods/listening.h
    struct mica_listen *listen;

    // Sends a notification, one line of JSON that is borrowed until it returns. Runs on
    // the thread of the handler. NULL: the adapter drops notifications.
    void (*emit)(struct mica_message *message, struct mica_text notification);
    void *emit_data;
    // Closes the response stream of a call that continues; the client resumes the
    // stream. NULL: it cannot.
    bool (*close_stream)(struct mica_message *message);
    bool progressed; // `progress` was sent last
    double progress;

    // For the log line and the metrics.
    bool known;             // the method is one of this server
    const char *error_code; // stable code of the failure, or NULL
    int rpc_error;          // JSON-RPC error code, or 0

    char spare[512]; // storage for an error reply when memory is exhausted
};

struct mica_message {
    struct mica_server *server;
    struct mica_arena *arena;
    enum mica_step step;
    struct mica_endpoint *endpoint; // held from its first use on
    struct mica_catalog *view;      // its catalog after the rules; held as well
    struct mica_request request;
    struct mica_context context;
    struct mica_execution execution;
    struct mica_reply reply;
    struct mica_batch *batch;   // its items, or NULL
    struct mica_message *whole; // the batch of which this is an item, or NULL
    // The call of http_request that carries this request for a view, or NULL.
    struct mica_message *relayer;
};

// MICA_STEP_AWAIT_BUILD: does the message still wait for a tool that is being built?
bool mica_message_awaits_build(struct mica_message *message);

// Sends the number of built tools as progress, if the client wants progress.
void mica_message_send_build_progress(struct mica_message *message);

// The adapter owns `arena`, and resets it after the reply has been sent. Its limit is
// server->options.call_bytes.
void mica_message_init(struct mica_message *message, struct mica_server *server,
                       struct mica_arena *arena);

// The endpoint and its catalog, as they were when this message first used them, held
// until mica_message_end. A withdrawn endpoint has an empty catalog. The rules have
// removed and renamed tools for this caller (server/call_rules.h).
const struct mica_endpoint *mica_message_endpoint(struct mica_message *message);

// Has the message run on this endpoint, which it holds: what withdraws or replaces the
// endpoint later does not concern it. Call it before the message begins.
void mica_message_route(struct mica_message *message,
                        struct mica_endpoint *endpoint);
const struct mica_catalog *mica_message_catalog(struct mica_message *message);

// The same without the rules: for calls that have begun, and for a tool that invokes
// another.
const struct mica_catalog *mica_message_offered(struct mica_message *message);

// Who sent the message, and to which endpoint.
struct mica_caller mica_message_caller(const struct mica_message *message);

// Drops all references of the message, after its reply has been sent or given up.
// Idempotent.
void mica_message_end(struct mica_message *message);

// Begins a message that came as one line of stdin (without its newline).
void mica_message_line(struct mica_message *message,
                       struct mica_line_state *state, struct mica_text line);

// Begins a message that came as one HTTP request to the MCP endpoint. Checks
// Host and Origin, method, content type and all headers. `allowed` as in
// mica/server.h. The request must live until the reply is done.
void mica_message_http(struct mica_message *message,
                       const struct mica_http_allowed *allowed,
                       const struct mica_http_request *request);

// Cancels the message, or an item of it, if it is the request with that id (JSON text).
// Returns true if it is. From any thread.
bool mica_message_cancel(struct mica_message *message, struct mica_text id);

// The ids of requests that the message cancels, by 0, 1, …; empty after the last.
struct mica_text mica_message_cancels(const struct mica_message *message,
                                      size_t index);

// Stores the call of a session before its handler runs, if it begins as a stored call.
// Call it for a message with work, after setting the stream of the reply and before
// sending the client its first event id. Returns false if an error reply is ready.
bool mica_message_store_call(struct mica_message *message);

// Cancels the stored call of a message whose work the adapter cannot run.
void mica_message_abandon(struct mica_message *message);

// Runs the handler on this thread for at most 1 ms. Returns false if a worker must run it
// with mica_message_execute; then nothing has been sent.
bool mica_message_execute_inline(struct mica_message *message);

// Replaces MICA_STEP_STORE by MICA_STEP_WORK, for a thread that may block. That work
// begins the message again, without reading the envelope again. The bytes of the message
// must stay where they are.
void mica_message_defer(struct mica_message *message);

// Runs the handler on this thread, which may block, up to its full limit, and finishes the
// reply. Returns false if the message waits for a model without a thread: then the caller
// must not touch it any more; execution.wake has it called again, maybe at once. Without
// execution.wake it returns true.
bool mica_message_execute(struct mica_message *message);

// The answers in a message to questions of the server, by 0, 1, …; NULL after the last.
// Each is a cause for mica_message_resume.
const struct mica_resume_cause *
mica_message_answer_at(const struct mica_message *message, size_t index);

// Session revisions: the request to the client with that question, one line of JSON in
// the message's arena; empty after the last. Its id names call and question.
struct mica_text mica_message_question(struct mica_message *message,
                                       size_t index);

// Session revisions: the events that the commit of the turn appended to the stream of the
// call: its questions, or its reply. NULL: none.
const struct mica_turn_events *
mica_message_turn_events(const struct mica_message *message);

// Session revisions: the open questions of a stored call, as they were sent, by 0, 1, …;
// empty after the last. In `arena`.
struct mica_text mica_kept_question(const struct mica_kept_call *kept,
                                    size_t index, struct mica_arena *arena);

// The id of the request that began a stored call, as JSON text; empty: it had none.
struct mica_text mica_kept_request(const struct mica_kept_call *kept,
                                   struct mica_arena *arena);

// The reply of a stored call that has ended, in `arena`; empty for want of memory.
struct mica_text mica_kept_reply(const struct mica_kept_call *kept,
                                 struct mica_arena *arena);

// Runs a turn of a stored call, on a worker. The message is initialized and may have
// `emit`. Afterwards the step is
//   REPLY   the call has ended: `reply` answers the request that began it
//   ASK     the adapter sends questions
//   SILENT  the adapter sends nothing: the call had ended, or waits for more answers.
//           rpc_error and error_code tell a failure; with MICA_E_CALL_BUSY another
//           process runs the call: try again soon.
// Returns false if the message waits for a model, as mica_message_execute does, which
// continues it.
bool mica_message_resume(struct mica_message *message,
                         const struct mica_resume_cause *cause);

// The stored call, after mica_message_execute or _resume; NULL: it is not stored.
const struct mica_kept_call *
mica_message_kept(const struct mica_message *message);

// The head of a response that is a stream of events. May run while the handler runs.
void mica_message_stream_head(const struct mica_message *message,
                              struct mica_http_response *response_out);

// The headers of a response of the MCP endpoint.
void mica_message_response(const struct mica_message *message,
                           struct mica_http_response *response_out);

#endif
