// SPDX-License-Identifier: Apache-2.0
//
// The host of a view, for programs that show views themselves: a desktop program with a
// webview, a test, a recorder (MCP Apps 2026-01-26; docs/hosting.md). It has the rules of
// `web/host/bridge.js`: the same states, messages, limits and words for errors.
//
//     #include <mica/host.h>
//
//     static void
//     to_view(void *window, struct mica_text message)
//     {
//         // The page runs: window.dispatchEvent(new MessageEvent("message", {data: …}))
//         webview_post(window, message);
//     }
//
//     struct mica_host *host;
//     const struct mica_host_options options = {
//         .user = window, .name = "my program", .version = "1.0",
//         .capabilities = MICA_LITERAL("{\"openLinks\":{},\"serverTools\":{}}"),
//         .callbacks = {.send = to_view, .open_link = ask_person,
//                       .server_request = ask_server}};
//     if (mica_host_open(&options, &error, &host) != MICA_OK)
//         …
//     mica_host_set_server_tools(host, tools, &error); // those that tools/list returned
//     mica_host_tool_input(host, arguments, &error);   // waits until the view is there
//     mica_host_receive(host, message, now_ms);        // each message of the view
//
// THE PEER DOES NO I/O. It takes messages as JSON text, calls `send` with messages as
// JSON text, and reads no clock: the program hands in the time, in milliseconds that never
// go back. mica_host_due tells when the peer next needs mica_host_tick.
//
// A VIEW IS NOT TRUSTED. Every message is bounded before it is read, and read before it
// counts. What the view does wrong never fails a function of this header: it is refused
// towards the view, counted (mica_host_count), and told to `error`. Other views keep their
// rate, since each has its own bucket, queues and memory.
//
// OWNERSHIP. A text that a function takes is copied before it returns. A text or a JSON
// value that a callback gets is valid until the callback returns. All memory of a host is
// in arenas with one cap, `memory_bytes`; mica_host_free gives it back.
//
// THREADS. A host is used by one thread at a time; hosts share nothing. Callbacks run on
// the thread that called, before its function returns. In a callback every function may be
// called but mica_host_receive, mica_host_tick and mica_host_free.
#ifndef MICA_HOST_H
#define MICA_HOST_H

#include <mica/json.h>

#pragma GCC visibility push(default)

// ---- States ----------------------------------------------------------------------

// LOADING: the document loads. HANDSHAKE: ui/initialize was answered. LIVE: the view is
// initialized, and gets what has waited. TEARDOWN: it was asked to end. CLOSED: it ended.
enum mica_host_state {
    MICA_HOST_LOADING,
    MICA_HOST_HANDSHAKE,
    MICA_HOST_LIVE,
    MICA_HOST_TEARDOWN,
    MICA_HOST_CLOSED
};

// ---- Limits ----------------------------------------------------------------------

// What one view may take. web/view and web/host have the same numbers
// (scripts/view-protocol).
enum {
    MICA_HOST_MESSAGE_BYTES = 16 << 20, // of one message, each way
    MICA_HOST_DEPTH = 64,               // objects and lists inside each other
    MICA_HOST_OPEN_REQUESTS = 256,      // without a reply, each way
    MICA_HOST_QUEUED = 1024,            // messages that wait for the view
    MICA_HOST_TOOLS = 50,               // tools of the view
    MICA_HOST_TOOL_BYTES = 65536,       // of one of them, with its schemas
    MICA_HOST_TOOL_NAME = 128,          // characters
    MICA_HOST_TOOL_TEXT = 4096, // of one text of a tool; a longer one is cut
    MICA_HOST_CALL_MS = 30000,  // for a call to a tool of the view
    MICA_HOST_RESULT_BYTES = 10000000, // of its result
    MICA_HOST_FORM_MS = 600000,        // for the view to answer a form
    MICA_HOST_ANSWER_BYTES = 65536,    // of that answer
    MICA_HOST_TEARDOWN_MS = 2000,      // for a view to end
    MICA_HOST_RATE = 1000,             // messages of the view in a second
    MICA_HOST_BURST = 1000,            // and at once
    MICA_HOST_REFUSED = 1000,          // beyond that before the view is stopped
    MICA_HOST_CHANGED_MS = 50,         // between two calls of tools_changed
    MICA_HOST_MEMORY_BYTES = 64 << 20, // that one host may hold
    MICA_HOST_LINK_BYTES = 8192        // of an address of ui/open-link
};

// Limits of one host. 0 takes the constant above.
struct mica_host_limits {
    size_t message_bytes, memory_bytes, result_bytes;
    unsigned depth, open_requests, queued, tools;
    unsigned rate, burst, refused; // at most a million each
    unsigned call_ms, teardown_ms;
};

// ---- Codes -----------------------------------------------------------------------

// X(symbol, word, status, meaning). The words are those of web/view and web/host. A
// function that refuses returns the status, with the word in error->code; a refusal of a
// message has it in error.data.code of the reply.
#define MICA_HOST_CODE_TABLE(X)                                               \
    X(MICA_HOST_MESSAGE_TOO_LARGE, "MESSAGE_TOO_LARGE", MICA_E_LIMIT,         \
      "a message is larger than its limit")                                   \
    X(MICA_HOST_MESSAGE_TOO_DEEP, "MESSAGE_TOO_DEEP", MICA_E_LIMIT,           \
      "a message has more levels than its limit")                             \
    X(MICA_HOST_MESSAGE_NOT_JSON, "MESSAGE_NOT_JSON", MICA_E_JSON,            \
      "a message is not JSON")                                                \
    X(MICA_HOST_INVALID_MESSAGE, "INVALID_MESSAGE", MICA_E_TYPE,              \
      "a message is not JSON-RPC 2.0")                                        \
    X(MICA_HOST_INVALID_PARAMS, "INVALID_PARAMS", MICA_E_TYPE,                \
      "the parameters of a message have another form")                        \
    X(MICA_HOST_RATE_LIMITED, "RATE_LIMITED", MICA_E_BUSY,                    \
      "the view sends more messages than it may")                             \
    X(MICA_HOST_VIEW_FLOODS, "VIEW_FLOODS", MICA_E_BUSY,                      \
      "the view kept sending, and was disconnected")                          \
    X(MICA_HOST_TOO_MANY_REQUESTS, "TOO_MANY_REQUESTS", MICA_E_LIMIT,         \
      "as many requests are open as there may be")                            \
    X(MICA_HOST_ID_IN_USE, "ID_IN_USE", MICA_E_EXISTS,                        \
      "a request has the id of one that is open")                             \
    X(MICA_HOST_UNKNOWN_REPLY, "UNKNOWN_REPLY", MICA_E_NOT_FOUND,             \
      "a reply answers no open request")                                      \
    X(MICA_HOST_OUT_OF_ORDER, "OUT_OF_ORDER", MICA_E_USAGE,                   \
      "a message has no place in this state")                                 \
    X(MICA_HOST_UNKNOWN_TOOL, "UNKNOWN_TOOL", MICA_E_NOT_FOUND,               \
      "the server has no tool of that name")                                  \
    X(MICA_HOST_TOOL_NOT_VISIBLE, "TOOL_NOT_VISIBLE", MICA_E_FORBIDDEN,       \
      "the tool is not for views")                                            \
    X(MICA_HOST_LINK_REFUSED, "LINK_REFUSED", MICA_E_FORBIDDEN,               \
      "a link has another scheme than http, https and mailto, or hides text") \
    X(MICA_HOST_TOO_MANY_TOOLS, "TOO_MANY_TOOLS", MICA_E_LIMIT,               \
      "a view has more tools than it may; the others are left out")           \
    X(MICA_HOST_BAD_TOOL_NAME, "TOOL_NAME", MICA_E_FORMAT,                    \
      "a tool of the view has a name that is no tool name")                   \
    X(MICA_HOST_BAD_TOOL_TEXT, "TOOL_TEXT", MICA_E_FORMAT,                    \
      "a name inside a tool of the view has hidden characters")               \
    X(MICA_HOST_INVALID_RESULT, "INVALID_RESULT", MICA_E_TYPE,                \
      "a result has another form than its method")                            \
    X(MICA_HOST_RESULT_TOO_LARGE, "RESULT_TOO_LARGE", MICA_E_LIMIT,           \
      "the result of a tool of the view is larger than its limit")            \
    X(MICA_HOST_REQUEST_TIMEOUT, "REQUEST_TIMEOUT", MICA_E_TIMEOUT,           \
      "the other end did not answer in time, or the request was cancelled")   \
    X(MICA_HOST_CONNECTION_CLOSED, "CONNECTION_CLOSED", MICA_E_DISCONNECTED,  \
      "the view ends, or has ended")                                          \
    X(MICA_HOST_CAPABILITY_NOT_SUPPORTED, "CAPABILITY_NOT_SUPPORTED",         \
      MICA_E_CAPABILITY, "the view has not declared what a request needs")    \
    X(MICA_HOST_QUEUE_FULL, "QUEUE_FULL", MICA_E_LIMIT,                       \
      "as many messages wait for the view as there may be")                   \
    X(MICA_HOST_MEMORY_FULL, "MEMORY_FULL", MICA_E_LIMIT,                     \
      "the host of a view has no memory left")                                \
    X(MICA_HOST_INPUT_COMPLETE, "INPUT_COMPLETE", MICA_E_USAGE,               \
      "the view has its tool input already")                                  \
    X(MICA_HOST_INPUT_MISSING, "INPUT_MISSING", MICA_E_USAGE,                 \
      "a result was given before the tool input")                             \
    X(MICA_HOST_CALL_ENDED, "CALL_ENDED", MICA_E_USAGE,                       \
      "the view has a result or a cancellation already")                      \
    X(MICA_HOST_INVALID_HOST_CONTEXT, "INVALID_HOST_CONTEXT", MICA_E_CHOICE,  \
      "a host context has a word that the protocol does not know")            \
    X(MICA_HOST_DISPLAY_MODE_NOT_SUPPORTED, "DISPLAY_MODE_NOT_SUPPORTED",     \
      MICA_E_CHOICE, "the view does not offer that display mode")             \
    X(MICA_HOST_ERROR_REPLY, "ERROR_REPLY", MICA_E_CLIENT,                    \
      "the view answered with an error of its own")

// The symbols of the table, in its order.
enum mica_host_code {
#define MICA_HOST_CODE_SYMBOL(symbol, word, status, meaning) symbol,
    MICA_HOST_CODE_TABLE(MICA_HOST_CODE_SYMBOL)
#undef MICA_HOST_CODE_SYMBOL
    MICA_HOST_CODES
};

// The word of a code, e.g. "LINK_REFUSED". Static.
const char *mica_host_code_word(enum mica_host_code code);

// ---- Callbacks -------------------------------------------------------------------

// What the program does for the view. `user` is that of the options. `request` is the
// number of a request, unique in its host: the program answers it with mica_host_answer or
// mica_host_refuse, in the callback or later. Where the callback of a request is NULL, the
// view gets -32601 "Method not found". A callback of a notification may be NULL.
struct mica_host_callbacks {
    // One message for the view: JSON text on one line. Required.
    void (*send)(void *user, struct mica_text message);

    // Requests: answer {} or {"isError": true}. The address has a scheme that may be
    // opened, and no blank or hidden character; show it to the person all the same.
    void (*open_link)(void *user, uint64_t request, struct mica_text url);
    // The list of ui/download-file. Links in it have names without paths; for the others
    // see mica_host_download_name.
    void (*download)(void *user, uint64_t request,
                     const struct mica_json *contents);
    // {"role": "user", "content": [block, …]}.
    void (*message)(void *user, uint64_t request,
                    const struct mica_json *params);
    // {content?, structuredContent?} for the model. NULL, with the capability
    // updateModelContext: the host keeps it (mica_host_model_context) and answers.
    void (*model_context)(void *user, uint64_t request,
                          const struct mica_json *params);
    // Asked only for a mode that both sides offer. Answer {"mode": the one in force}.
    void (*request_display_mode)(void *user, uint64_t request,
                                 struct mica_text mode);
    // sampling/createMessage: for the host's model.
    void (*sample)(void *user, uint64_t request,
                   const struct mica_json *params);
    // tools/call, tools/list, resources/read, resources/list,
    // resources/templates/list and prompts/list, for the server of the view alone.
    // Answer with the server's result. `params` may be NULL.
    void (*server_request)(void *user, uint64_t request, const char *methodz,
                           const struct mica_json *params);
    // The view no longer waits for that request, so that no answer is needed.
    void (*request_cancelled)(void *user, uint64_t request,
                              struct mica_text reason);

    // Notifications.
    void (*initialized)(void *user); // the state is LIVE
    // NULL: the view did not say.
    void (*size_changed)(void *user, const double *width, const double *height);
    void (*log)(void *user, struct mica_text level, struct mica_text logger,
                const struct mica_json *data);
    void (*request_teardown)(void *user); // it would like to be closed
    void (*tools_changed)(void *user);    // list them again
    void (*sandbox_ready)(void *user);    // the proxy waits for its document

    // What the view did wrong, and failures that no function returns. `code` is a word of
    // the table.
    void (*error)(void *user, const struct mica_error *error);
    // The state is CLOSED, for the first time.
    void (*closed)(void *user);
};

// ---- A host ----------------------------------------------------------------------

// One view, and its messages.
struct mica_host;

// How a host begins. Texts are copied.
struct mica_host_options {
    struct mica_host_callbacks callbacks;
    void *user;
    const char *name, *version;    // of the program: hostInfo
    struct mica_text capabilities; // hostCapabilities, an object; empty: {}
    struct mica_text context;      // hostContext, an object; empty: {}
    struct mica_host_limits limits;
    uint64_t now_ms;
};

// Makes a host in the state LOADING. Errors: MICA_E_JSON and MICA_E_TYPE for the texts,
// INVALID_HOST_CONTEXT, MICA_E_LIMIT without memory.
enum mica_status mica_host_open(const struct mica_host_options *options,
                                struct mica_error *error,
                                struct mica_host **host_out) MICA_MUST_USE;

// Closes the host if it is open, and gives all memory back. NULL is allowed. Not in a
// callback.
void mica_host_free(struct mica_host *host);

// The state, and its name as JavaScript has it.
enum mica_host_state mica_host_state(const struct mica_host *host);
const char *mica_host_state_name(enum mica_host_state state);

// ---- Messages and time -----------------------------------------------------------

// Takes one message of the view, as JSON text. A closed host ignores it. Not in a
// callback.
void mica_host_receive(struct mica_host *host, struct mica_text message,
                       uint64_t now_ms);

// True if mica_host_tick is needed at a time: *at_ms_out.
bool mica_host_due(const struct mica_host *host, uint64_t *at_ms_out);

// Ends what is late, and calls tools_changed when it is its time. Not in a callback.
void mica_host_tick(struct mica_host *host, uint64_t now_ms);

// ---- The call that opened the view -----------------------------------------------

// The order is: partial inputs, the input once, its result or its cancellation once. Each
// waits until the view is LIVE. A view that is loaded again gets input and result again.
// Errors: MICA_E_JSON, MICA_E_TYPE, INPUT_COMPLETE, INPUT_MISSING, CALL_ENDED, QUEUE_FULL,
// MESSAGE_TOO_LARGE, MEMORY_FULL, CONNECTION_CLOSED.

// The arguments as they grow: a JSON object, or empty.
enum mica_status mica_host_tool_input_partial(struct mica_host *host,
                                              struct mica_text arguments,
                                              struct mica_error *error);
enum mica_status mica_host_tool_input(struct mica_host *host,
                                      struct mica_text arguments,
                                      struct mica_error *error);
// The result of tools/call, as the server gave it.
enum mica_status mica_host_tool_result(struct mica_host *host,
                                       struct mica_text result,
                                       struct mica_error *error);
// Instead of a result. `reason` may be empty.
enum mica_status mica_host_tool_cancelled(struct mica_host *host,
                                          struct mica_text reason,
                                          struct mica_error *error);

// ---- Context, lists, the document ------------------------------------------------

// Changes members of the host context: a JSON object. A member that it lacks stays as it
// is, as JSON has no word for one that is gone, and an official view refuses null. The
// view is told what changed. Style variables that the protocol does not have go into
// "mica/variables". Errors: as above, INVALID_HOST_CONTEXT, DISPLAY_MODE_NOT_SUPPORTED.
enum mica_status mica_host_set_context(struct mica_host *host,
                                       struct mica_text changes,
                                       struct mica_error *error);

// The tools of the view's server, a JSON array as tools/list returns it: the view may call
// those among them whose _meta.ui.visibility has "app" or is absent, and no others. Before
// this is called it may call none. Call it again when the server's list changes.
enum mica_status mica_host_set_server_tools(struct mica_host *host,
                                            struct mica_text tools,
                                            struct mica_error *error);

// Lists of a server.
enum mica_host_list {
    MICA_HOST_LIST_TOOLS,
    MICA_HOST_LIST_RESOURCES,
    MICA_HOST_LIST_PROMPTS
};

// Tells the view that a list of its server has changed.
enum mica_status mica_host_server_changed(struct mica_host *host,
                                          enum mica_host_list list,
                                          struct mica_error *error);

// Hands the document to the sandbox proxy, where one is used: {html, sandbox?, csp?,
// permissions?}. It does not wait.
enum mica_status mica_host_sandbox_resource(struct mica_host *host,
                                            struct mica_text params,
                                            struct mica_error *error);

// ---- Answers to the view ---------------------------------------------------------

// Answers a request with a result, a JSON object. The host takes tools out of a tools/list
// that are not for views. Errors: MICA_E_NOT_FOUND (the request is over), MICA_E_JSON,
// MICA_E_TYPE, INVALID_RESULT (the request stays open), MESSAGE_TOO_LARGE.
enum mica_status mica_host_answer(struct mica_host *host, uint64_t request,
                                  struct mica_text result,
                                  struct mica_error *error);

// Answers it with an error of JSON-RPC, as -32000 or a server's own; `data` is JSON, or
// empty.
enum mica_status mica_host_refuse(struct mica_host *host, uint64_t request,
                                  int rpc_code, struct mica_text message,
                                  struct mica_text data,
                                  struct mica_error *error);

// Passes progress of a request on: {progress, total?, message?}. Without effect if the
// view did not ask for it.
enum mica_status mica_host_progress(struct mica_host *host, uint64_t request,
                                    struct mica_text progress,
                                    struct mica_error *error);

// ---- Requests to the view --------------------------------------------------------

// How a request to the view ended.
struct mica_host_reply {
    const char *code;        // a word of the table; NULL: `result` is there
    struct mica_text result; // a JSON object
    int rpc_code;            // of ERROR_REPLY
    struct mica_text message, data; // of any error; `data` is JSON, or empty
};

// Is called exactly once for each request that was taken.
typedef void mica_host_done(void *user, const struct mica_host_reply *reply);

// What a request to the view needs. The host waits with it until the view is LIVE.
struct mica_host_call {
    mica_host_done *done; // may be NULL
    void *user;           // of done and of progress
    // Called with {progress, total?, message?} if it is not NULL.
    void (*progress)(void *user, const struct mica_json *progress);
    unsigned timeout_ms; // 0: that of the limits
    uint64_t now_ms;
};

// Calls a tool of the view. The result has `content`. *number_out (may be NULL) is for
// mica_host_cancel. Errors: CAPABILITY_NOT_SUPPORTED, QUEUE_FULL, TOO_MANY_REQUESTS,
// CONNECTION_CLOSED, and those of `arguments`, a JSON object or empty.
enum mica_status mica_host_call_tool(struct mica_host *host,
                                     struct mica_text name,
                                     struct mica_text arguments,
                                     const struct mica_host_call *call,
                                     struct mica_error *error,
                                     uint64_t *number_out);

// Asks for a page of the view's tools: 50 in all, without hidden characters in their
// texts; `cursor` is the nextCursor of the page before, or empty. A tool that cannot be
// shown is left out, and told to `error`.
enum mica_status mica_host_list_tools(struct mica_host *host,
                                      struct mica_text cursor,
                                      const struct mica_host_call *call,
                                      struct mica_error *error,
                                      uint64_t *number_out);

// Gives the view a question, to answer in the place of the host's own form (SEP-3118, a
// draft): `params` of elicitation/create with a form, as the server sent them. Only for a
// view that was opened for this question, with `elicitation` in the capabilities of the
// host; the program asks it once. The result is {"action": "accept", "content": {…}}, whose
// values are texts, numbers, booleans and lists of texts, or {"action": "decline"} or
// {"action": "cancel"}; anything else is INVALID_RESULT. The program compares the content
// with requestedSchema (mica/schema.h), and shows the form itself after any failure. Errors:
// those of mica_host_call_tool. Ten minutes, if the call says nothing else; its progress
// is not called.
enum mica_status mica_host_elicit(struct mica_host *host,
                                  struct mica_text params,
                                  const struct mica_host_call *call,
                                  struct mica_error *error,
                                  uint64_t *number_out);

// Asks the view whether it answers.
enum mica_status mica_host_ping(struct mica_host *host,
                                const struct mica_host_call *call,
                                struct mica_error *error, uint64_t *number_out);

// Ends a request to the view with REQUEST_TIMEOUT and the reason as its message, and tells
// the view. Without effect if it is over.
void mica_host_cancel(struct mica_host *host, uint64_t number,
                      struct mica_text reason);

// Asks the view to end, once. `call->done` gets its answer, or {} if it has none in two
// seconds; then remove the view and close the host. Until then the view may still ask, for
// example to save.
enum mica_status mica_host_teardown(struct mica_host *host,
                                    const struct mica_host_call *call,
                                    struct mica_error *error);

// Ends everything at once: open calls to the view end with CONNECTION_CLOSED. Without
// effect on a closed host.
void mica_host_close(struct mica_host *host);

// ---- What there is to know -------------------------------------------------------

// What the view says of itself, without hidden characters, and can: appInfo and
// appCapabilities, JSON objects, or empty before its handshake. Valid until it initializes
// again.
struct mica_text mica_host_app_info(const struct mica_host *host);
struct mica_text mica_host_app_capabilities(const struct mica_host *host);

// The context as the view knows it or will know it. Valid until it changes.
struct mica_text mica_host_context(const struct mica_host *host);

// What the view last gave for the model, {content?, structuredContent?}; empty if it gave
// nothing, and from teardown on. Valid until the view gives another one.
struct mica_text mica_host_model_context(const struct mica_host *host);

// How often a refusal of this code has happened in this host, to either end.
uint64_t mica_host_count(const struct mica_host *host,
                         enum mica_host_code code);

// What a host holds now, and has passed on.
struct mica_host_usage {
    uint64_t received, sent; // messages
    size_t memory_bytes;     // of `memory_bytes` in the limits
    size_t memory_most;      // the most it was
    unsigned queued;         // messages that wait for the view
    unsigned asked;          // requests to the view that are open
    unsigned running;        // requests of the view that are open
};
void mica_host_usage(const struct mica_host *host,
                     struct mica_host_usage *usage_out);

// The name under which an item of ui/download-file may be saved, at most 255 characters: a
// name, never a path, without hidden characters.
void mica_host_download_name(struct mica_host *host,
                             const struct mica_json *content,
                             struct mica_buffer *out);

#pragma GCC visibility pop

#endif
