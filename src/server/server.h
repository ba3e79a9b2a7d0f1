// SPDX-License-Identifier: Apache-2.0
//
// The MCP server without I/O: the bytes of one message in, the bytes of one
// reply out. An adapter (http, stdio) owns sockets and threads; it makes a
// message, begins it, and when there is work to do runs it where it may block.
//
//     mica_message_init(&message, server, arena);
//     mica_message_http(&message, allowed, &request);   or _line(…)
//     if (message.step == MICA_STEP_WORK && !mica_message_execute_inline(&message))
//         on a worker: mica_message_execute(&message);
//     then message.step is REPLY (message.reply.text, message.reply.http_status) or SILENT;
//     mica_message_end(&message);
//
// Threads: a message is owned by one thread at a time from arrival to reply;
// only `cancelled` may be set by another. What is offered is a snapshot that a
// message holds (registry/registry.h).
#ifndef MICA_SERVER_SERVER_H
#define MICA_SERVER_SERVER_H

#include <mica/server.h>

#include "base/platform.h"
#include "protocol/revision.h"
#include "registry/registry.h"
#include "server/calls/call_store.h"
#include "server/session_rules.h"

// Speaks for the model of clients that have none: those of another surface.
struct mica_model_provider {
    void *data;
    // The words that answer the params of sampling/createMessage, in `arena`. On a
    // worker, for as long as it takes, or until `cancelled`. Errors: any; then the
    // client is asked.
    enum mica_status (*speak)(void *data, struct mica_text params,
                              const atomic_bool *cancelled,
                              struct mica_arena *arena,
                              struct mica_error *error,
                              struct mica_text *words_out);
};

// The tools that are served are being written, and open pages follow. From any
// thread.
struct mica_development {
    void *data;
    int64_t (*revision)(void *data); // of the state; it rises
    void (*write)(void *data, struct mica_buffer *out); // the state, JSON
};

// Tools that are being built while the server serves. From any thread.
struct mica_coming {
    void *data;
    // Is the tool of that name still to come? With an empty name: is any? A tool
    // that could not be built comes no more. How many are ready, of how many.
    bool (*expects)(void *data, struct mica_text name, size_t *ready_out,
                    size_t *all_out);
};

struct mica_rules; // server/call_rules.h

struct mica_server {
    struct mica_server_options options;   // defaults filled in
    struct mica_arena arena;              // lives as long as the server
    struct mica_registry registry;        // what is offered
    const struct mica_sessions *sessions; // of legacy clients; NULL: none
    const struct mica_sealer *sealer; // of cursors; NULL: a list is one page
    int64_t (*now)(void); // milliseconds since 1970, for the sealer; or NULL
    const struct mica_calls *calls;       // that wait; NULL: none can be kept
    const struct mica_platform *platform; // NULL: no handler can ask
    const struct mica_model_provider *model_provider; // or NULL
    const struct mica_development *development;       // or NULL
    const struct mica_coming *coming; // NULL: all tools are there
    const struct mica_rules *rules;   // of the operator, or NULL
    bool pages; // people have pages here, and a kept call has one
    void (*close_hooks[8])(void *); // run at close, last first
    void *close_data[8];
    size_t close_count;
};

// Runs `hook(data)` when the server closes. At most 8; asserted.
void mica_server_at_close(struct mica_server *server, void (*hook)(void *),
                          void *data);

// ---- One message -----------------------------------------------------------

enum mica_step {
    MICA_STEP_SILENT, // nothing to send (over HTTP: http_status, empty body)
    MICA_STEP_REPLY,  // `reply` is ready
    MICA_STEP_WORK, // a handler must run: mica_message_execute_inline or _work
    MICA_STEP_CANCEL, // SILENT, and mica_message_cancels names requests
    MICA_STEP_STREAM, // a GET: open the stream of `session`, or resume one
    MICA_STEP_ASK, // legacy: send mica_message_question 0, 1, …; the call waits
    MICA_STEP_LISTEN, // tell the client what `listen` says, until it cancels
    MICA_STEP_STORE, // a store has to be waited for, and nothing has been done yet:
        // begin a new message with the same bytes, on a thread that
        // may wait, without MICA_TAKES_STORE
    MICA_STEP_HOLD // as long as mica_message_is_held: then begin a new message
        // with the same bytes, and without MICA_TAKES_HOLD if it waited
        // long enough
};

// What a stdio connection has agreed on. Owned by the thread that reads it.
struct mica_line_state {
    bool initialized; // legacy: after `initialize`
    enum mica_revision revision;
    bool logs; // legacy: logging/setLevel was called
    enum mica_log_level log_level;
    unsigned client; // legacy: as message.context.client
    const struct mica_sessions
        *sessions; // legacy: takes subscriptions, or NULL
};

// Why a call continues that no request of its client runs.
struct mica_answered {
    struct mica_text call;          // its id
    uint32_t ask;                   // number of the question
    const struct mica_json *answer; // result or error of the response, or NULL:
    bool is_error;
    enum mica_status ending; // … no answer will come: TIMEOUT, DISCONNECTED, …;
                             // MICA_OK: it just continues
};

struct mica_message;
struct mica_turn_events; // call/kept_call.h
struct mica_surface;     // server/message_surface.h

// A definition that a message holds until it ends.
struct mica_held {
    struct mica_held *next;
    struct mica_definition *definition;
};

// What an adapter can do, as bits of mica_request.takes.
enum {
    MICA_TAKES_HOLD = 1,  // it knows MICA_STEP_HOLD
    MICA_TAKES_LATE = 2,  // it sends what execution.call.late reads
    MICA_TAKES_STORE = 4, // it knows MICA_STEP_STORE: its thread does not wait
};

// What came, and what its adapter can do with an answer. Set as the message begins.
struct mica_request {
    struct mica_text method, id; // id: its JSON text; empty: it has no id
    const struct mica_json *params;
    struct mica_text progress_token;    // JSON, or empty: not asked for
    struct mica_text cancel_id;         // JSON text, for MICA_STEP_CANCEL
    struct mica_text name;              // of the target, as the request has it
    struct mica_text uri;               // of the resource that is read
    struct mica_text trace;             // W3C traceparent, or empty
    const struct mica_json *batch_root; // what a batch was read from, or NULL

    // A message of a pipe has `line`, one of HTTP `http`.
    struct mica_line_state *line;
    const struct mica_http_request *http;
    // Key of the endpoint that the message came to; set before it begins. Empty: the
    // one of /mcp.
    struct mica_text endpoint;
    struct mica_text origin;        // the Origin that was allowed, or empty
    struct mica_text last_event_id; // of a GET, when it resumes a stream:
    bool resumes;

    unsigned takes; // what its adapter can do: MICA_TAKES_…
    bool over_http;
    bool takes_stream; // the answer may be text/event-stream
    bool only_reply;   // the adapter sends nothing else, now or later
};

// Who asks, and what was agreed on with that client.
struct mica_context {
    enum mica_revision revision;
    const struct mica_principal *principal; // NULL: unknown
    struct mica_text scopes; // of a call that continues: its caller's
    struct mica_text party;  // of the client (session_rules.h), or empty
    unsigned client;         // what the client can do: protocol/capability.h
    bool logs;               // it asked for log messages,
    enum mica_log_level log_level; // none less severe than these
    bool speaks; // the server's model provider answers for the client's model

    // Of another surface than MCP's own; NULL: it is one of MCP.
    const struct mica_surface *surface;
    void *surface_data;

    // Before 2026-07-28. A message of a pipe or of HTTP has `sessions`, unless each
    // stands for itself.
    const struct mica_sessions *sessions;
    struct mica_session session;  // its id is empty outside of sessions
    struct mica_text session_key; // of a session in a store: 32 bytes
    int64_t stream;               // of the session
};

// The life of an execution: execution_state.c draws it.
enum mica_execution_state {
    MICA_EXECUTION_NEW,      // nothing is known of its call yet
    MICA_EXECUTION_ENTERED,  // its request was read
    MICA_EXECUTION_CLAIMED,  // its call is claimed
    MICA_EXECUTION_RUNNING,  // the handler runs
    MICA_EXECUTION_ASKED,    // the handler waits for its client
    MICA_EXECUTION_ENDED,    // the call has the result
    MICA_EXECUTION_REPLAYED, // the reply is of an earlier turn
    MICA_EXECUTION_REFUSED,  // an error is the reply, and no turn was run
    MICA_EXECUTION_LOST,     // what the turn has done is not kept
    MICA_EXECUTION_RELEASED  // nothing is held any more
};

// What runs for the message.
struct mica_execution {
    enum mica_execution_state state;      // moved by mica_execution_move
    const struct mica_definition *target; // what the work is about
    struct mica_held *held;               // definitions as they were
    const struct mica_runnable *runnable; // what runs: the target's, or another
    struct mica_text arguments;           // JSON that its runnable takes
    struct mica_call call;
    atomic_bool cancelled; // set by the adapter when its client has gone
    void (*finish)(struct mica_message *message); // writes the work's reply
    // The work is no handler but short, and may wait for who holds a store: where
    // others are served by the same thread another one does it. It may find that a
    // handler is to run: then the step is work again, without it. Or NULL.
    void (*deferred)(struct mica_message *message);

    // A handler that asks (server/calls/round.h); NULL: it cannot ask. The
    // adapter says before the work that answers can come back to this message's
    // call in its session.
    struct mica_round *round;
    bool answers_later;
    bool in_turn; // replies have the form of MCP, whatever the surface
    // Of an event, at most, that the turn keeps on the stream; 0: none. What it has
    // kept there is mica_message_turn_events, the adapter keeps the rest.
    size_t event_bytes;
    struct mica_answered answered; // by a response of the client
    // Of a turn that no request runs: its call is claimed, and may be given
    // reply.emit; and what its open asks have come to, when no answer comes.
    void (*taken)(struct mica_message *message);
    // The answer that the turn brings is committed, or no request waits for it.
    void (*recorded)(struct mica_message *message);
    void *taken_data;
    enum mica_status ending;
};

// What is said: the reply, and notifications on the way to it.
struct mica_reply {
    struct mica_buffer text; // one line of JSON, no newline at its end
    unsigned http_status;
    // The adapter writes what execution.call.late reads into the text, at `late_at`
    // unless that is 0, and may take it over by setting it to NULL.
    size_t late_at;
    struct mica_text lacks; // scopes: of a refusal that the adapter challenges
    bool begins;            // the session is new: the reply names its id
    unsigned retry_s;       // Retry-After of the response, or 0
    // MICA_STEP_LISTEN: server/methods/listening.h
    struct mica_listen *listen;

    // The adapter sets `emit` when it can send notifications: one line of JSON,
    // borrowed for the call; on the thread that works. NULL: they are dropped.
    void (*emit)(struct mica_message *message, struct mica_text notification);
    void *emit_data;
    // Closes the response stream of a call that continues; the client resumes the
    // stream. NULL: it cannot.
    bool (*close_stream)(struct mica_message *message);
    bool progressed; // progress was sent, the last:
    double progress;

    // For the log line and the metrics.
    bool known;             // the method is one of this server
    const char *error_code; // stable code of the failure, or NULL
    int rpc_error;          // JSON-RPC error code, or 0

    char spare[512]; // the text when there is no memory for any other
};

struct mica_message {
    struct mica_server *server;
    struct mica_arena *arena;
    enum mica_step step;
    struct mica_endpoint *endpoint; // held from the first look at it
    struct mica_catalog *view;      // of it, with rules; held as well
    struct mica_request request;
    struct mica_context context;
    struct mica_execution execution;
    struct mica_reply reply;
    struct mica_batch *batch;   // its parts, or NULL
    struct mica_message *whole; // of the batch that this is a part of
};

// MICA_STEP_HOLD: does the message still wait for a tool that is being built?
bool mica_message_is_held(struct mica_message *message);

// Tells a client that has asked for progress how many tools are built.
void mica_message_hold_progress(struct mica_message *message);

// Owner: `arena` is the adapter's, reset after the reply has been sent; give it
// the cap server->options.call_bytes.
void mica_message_init(struct mica_message *message, struct mica_server *server,
                       struct mica_arena *arena);

// The endpoint, and its catalog, as they were when this message first looked, held
// until mica_message_end. Of one that was withdrawn the catalog is empty. The catalog is
// as the rules give it to this caller (server/call_rules.h).
const struct mica_endpoint *mica_message_endpoint(struct mica_message *message);
const struct mica_catalog *mica_message_catalog(struct mica_message *message);

// The same without the rules: for what has begun, and for a tool that calls another.
const struct mica_catalog *mica_message_offered(struct mica_message *message);

// Who sent the message, and to which endpoint.
struct mica_caller mica_message_caller(const struct mica_message *message);

// Lets go of what the message holds, once its reply has been sent (or will never
// be). Idempotent.
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

// Is this, or a part of this, the request with that id (as JSON text)? Then it is
// cancelled. From any thread.
bool mica_message_cancel(struct mica_message *message, struct mica_text id);

// The ids of requests that the message cancels, by 0, 1, …; empty after the last.
struct mica_text mica_message_cancels(const struct mica_message *message,
                                      size_t index);

// Keeps the call of a session that is kept from its beginning, before its client
// is told where to come back to for its answer. For a message with work, once the
// adapter has set where that is. False: it cannot be kept, an error reply is ready.
bool mica_message_keep(struct mica_message *message);

// The work of a message will not be done after all: no process continues the call
// that it has kept.
void mica_message_abandon(struct mica_message *message);

// Tries the work on this thread within 1 ms. False when it must run on a
// worker: nothing has been said yet, call mica_message_execute there.
bool mica_message_execute_inline(struct mica_message *message);

// MICA_STEP_STORE of a message whose bytes stay where they are: it has work instead, for
// a thread that may wait, and begins again with it. The envelope is not read again.
void mica_message_defer(struct mica_message *message);

// Does the work to its end. The reply is ready afterwards.
void mica_message_execute(struct mica_message *message);

// The answers that a message of a session has for questions of the server, by
// 0, 1, …; NULL after the last. Each is a reason for mica_message_resume.
const struct mica_answered *
mica_message_answered(const struct mica_message *message, size_t index);

// Legacy: the request with the question, one line of JSON in the message's arena;
// empty behind the last. Its id names call and question.
struct mica_text mica_message_question(struct mica_message *message,
                                       size_t index);

// Legacy: what the end of the turn has kept on the stream of its call (call/kept_call.h):
// its questions or its reply. NULL: nothing.
const struct mica_turn_events *
mica_message_turn_events(const struct mica_message *message);

// Legacy: the questions that a kept call waits for, each as it was sent, by 0, 1,
// …; empty behind the last. In `arena`.
struct mica_text mica_kept_question(const struct mica_kept_call *kept,
                                    size_t index, struct mica_arena *arena);

// What of the request that began it a kept call knows: its id, JSON text; empty
// when it had no id.
struct mica_text mica_kept_request(const struct mica_kept_call *kept,
                                   struct mica_arena *arena);

// The reply of a kept call that has ended, to that request, in `arena`; empty for
// want of memory.
struct mica_text mica_kept_reply(const struct mica_kept_call *kept,
                                 struct mica_arena *arena);

// One more turn of a kept call, on a worker, in a message that has been
// initialized and may have `emit`. Afterwards the step is
//   REPLY   the call has ended: `reply` answers the request that began it
//   ASK     there are questions to send
//   SILENT  nothing: it has ended before, or waits for more answers;
//           rpc_error and error_code say whether it failed. MICA_E_CALL_BUSY:
//           another process runs it, try again soon.
void mica_message_resume(struct mica_message *message,
                         const struct mica_answered *why);

// The call as it is kept, after _work or _resume; NULL: it is not.
const struct mica_kept_call *
mica_message_kept(const struct mica_message *message);

// The head of a response that is a stream of events. While a handler runs, too.
void mica_message_stream_head(const struct mica_message *message,
                              struct mica_http_response *response_out);

// The headers a response of the MCP endpoint carries beside its status.
void mica_message_response(const struct mica_message *message,
                           struct mica_http_response *response_out);

#endif
