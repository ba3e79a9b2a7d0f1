// SPDX-License-Identifier: Apache-2.0
//
// The inside of a host: what its files share. The files call each other downwards:
//
//     host_peer.c      opens, frees, ticks; all that is asked about a host
//     host_receive.c   one message of the view: bounds, bucket, dispatch
//     host_close.c     the end of a host
//     host_serve.c, host_notified.c   requests and notifications of the view
//     host_answer.c    answers of the program
//     host_running.c   requests of the view that are open
//     host_opening.c   the call that opened the view, and what waits for it
//     host_asked.c     requests to the view, their replies and time limits
//     host_context.c   the host context
//     host_queue.c     messages that wait
//     host_send.c      writes messages
//     host_state.c     states
//     host_memory.c    arenas, counters, errors
//     host_checks.c, host_hygiene.c, host_link.c   pure functions on texts
//
//  HOST-1. A callback may call every function but receive, tick and free. So a function
//          that has called one does not rely on a slot or on a kept text that it read
//          before.
//  HOST-2. All memory of a host is in its arenas, and their sum stays below memory_bytes:
//          mica_host_arena sets the cap of the one that grows.
//  HOST-3. The number of a request is never used again, so an answer that is late finds
//          nothing.
#ifndef MICA_HOST_HOST_PEER_H
#define MICA_HOST_HOST_PEER_H

#include <mica/host.h>

#include "protocol/id_scan.h"
#include "schema/regex.h"
#include "view/view_protocol.h"

// An arena for each thing that ends by itself.
enum mica_host_arena {
    MICA_HOST_OWN,  // the host, its tables; as long as the host
    MICA_HOST_WORK, // one call of a function of the header
    MICA_HOST_CONTEXT,
    MICA_HOST_ANNOUNCED, // the context that the view knows
    MICA_HOST_APP,       // what the view said of itself
    MICA_HOST_INPUT,
    MICA_HOST_END,
    MICA_HOST_PARTIALS,
    MICA_HOST_QUEUE,
    MICA_HOST_MODEL,
    MICA_HOST_MODEL_NEXT, // not answered yet
    MICA_HOST_SERVER_TOOLS,
    MICA_HOST_ARENAS
};

// A message that waits for the view.
struct mica_host_waiting {
    struct mica_host_waiting *next;
    const char *methodz;
    struct mica_text params; // JSON, or empty
    uint64_t number;         // of the request that it is; 0: a notification
};

struct mica_host_queue {
    struct mica_host_waiting *first, **last;
    unsigned count; // those that were not given up
};

enum mica_host_asked_kind {
    MICA_HOST_ASKED_CALL,
    MICA_HOST_ASKED_LIST,
    MICA_HOST_ASKED_FORM,
    MICA_HOST_ASKED_PING,
    MICA_HOST_ASKED_TEARDOWN
};

// What a view has declared: bits by the kinds of requests that need it.
enum mica_host_app_can {
    MICA_HOST_APP_TOOLS = 1,
    MICA_HOST_APP_FORMS = 2
};

// A request to the view.
struct mica_host_asked {
    enum {
        MICA_HOST_ASKED_FREE,
        MICA_HOST_ASKED_WAITS, // until the view is LIVE
        MICA_HOST_ASKED_SENT
    } state;
    enum mica_host_asked_kind kind;
    uint64_t number;
    uint64_t id; // on the wire, once it is sent
    uint64_t due_ms;
    bool first_page; // LIST: it has no cursor
    struct mica_host_call call;
};

// A request of the view that the program answers.
struct mica_host_running {
    uint64_t number; // 0: free
    const struct mica_view_method *method;
    struct mica_text id;    // JSON
    struct mica_text token; // of its progress, JSON; or empty
    char *room;             // for both, of MICA_HOST_RUNNING_ROOM bytes
};

enum {
    MICA_HOST_RUNNING_ROOM = 2 * MICA_ID_BYTES
};

// A tool of the server.
struct mica_host_server_tool {
    struct mica_text name;
    bool visible; // for views
};

// Of the call that opened the view.
enum mica_host_part {
    MICA_HOST_ABSENT,
    MICA_HOST_GIVEN,
    MICA_HOST_SENT
};

// How that call ended.
enum mica_host_end {
    MICA_HOST_RESULT,
    MICA_HOST_CANCELLED
};

#define MICA_HOST_NEVER UINT64_MAX

struct mica_host {
    struct mica_host_callbacks callbacks;
    void *user;
    struct mica_host_limits limits;
    enum mica_host_state state;
    unsigned entered; // functions of the header that run, inside each other
    uint64_t now_ms;
    uint64_t numbers; // of requests, both ways, that were given out
    uint64_t next_id; // of a request to the view

    struct mica_arena arenas[MICA_HOST_ARENAS];
    size_t memory_most;
    uint64_t counts[MICA_HOST_CODES];
    uint64_t received, sent;

    // The bucket: thousandths of a message.
    int64_t tokens; // below zero after a large message
    uint64_t tokens_ms;
    uint64_t refused; // messages since it was full

    struct mica_text info, capabilities;         // hostInfo, hostCapabilities
    struct mica_text context, announced, model;  // JSON, or empty
    struct mica_text app_info, app_capabilities; // JSON, or empty
    struct mica_text model_next; // what the request model_number gave
    uint64_t model_number;
    unsigned app_can; // enum mica_host_app_can, or-ed
    bool keeps_model; // hostCapabilities.updateModelContext

    struct mica_host_server_tool *server_tools;
    size_t server_tool_count;

    // The call that opened the view.
    enum mica_host_part input_part, end_part;
    enum mica_host_end end; // what end_part is
    struct mica_text input, end_params;
    struct mica_host_queue partials, queue;

    struct mica_host_asked *asked;     // limits.open_requests of them
    struct mica_host_running *running; // the same number
    unsigned asked_count, running_count, listed;
    uint64_t
        changed_ms; // when tools_changed is due; MICA_HOST_NEVER: it is not
    struct mica_regex hidden; // one class: characters that show nothing
};

// ---- host_memory.c ---------------------------------------------------------------

// Begins and ends a function of the header: what it takes of the arena WORK is given back.
struct mica_arena mica_host_enter(struct mica_host *host);
void mica_host_leave(struct mica_host *host, const struct mica_arena *mark);

// Bytes that the arenas may still take.
size_t mica_host_room(const struct mica_host *host);

// Takes the time of the program, which never goes back; far below MICA_HOST_NEVER.
void mica_host_clock(struct mica_host *host, uint64_t now_ms);

// An arena that may grow as far as there is room (HOST-2).
struct mica_arena *mica_host_arena(struct mica_host *host,
                                   enum mica_host_arena which);

enum mica_status mica_host_no_memory(struct mica_host *host,
                                     struct mica_error *error);

// Replaces a kept text, which has the arena to itself. Fails with MEMORY_FULL, and then the
// old text is still there.
enum mica_status mica_host_keep(struct mica_host *host,
                                enum mica_host_arena which,
                                struct mica_text *kept, struct mica_text text,
                                struct mica_error *error);

// Counts the refusal, fills `error` (may be NULL) and returns the status of the code.
enum mica_status mica_host_fail(struct mica_host *host,
                                enum mica_host_code code,
                                struct mica_error *error, const char *formatz,
                                ...) MICA_PRINTF(4, 5);

// The same for a failure that no function returns: calls `error`.
void mica_host_report(struct mica_host *host, enum mica_host_code code,
                      const char *formatz, ...) MICA_PRINTF(3, 4);

// Reads a text of the program that must be a JSON object (or an array).
enum mica_status mica_host_read(struct mica_host *host, struct mica_text text,
                                enum mica_json_kind kind, const char *whatz,
                                struct mica_error *error,
                                struct mica_json *value_out) MICA_MUST_USE;

// The value as compact JSON, in the arena WORK; empty when there is no memory.
struct mica_text mica_host_compact(struct mica_host *host,
                                   const struct mica_json *value);

// ---- host_state.c ----------------------------------------------------------------

struct mica_states;
extern const struct mica_states mica_host_states;

// Moves if the state has that move; false if not.
bool mica_host_move(struct mica_host *host, enum mica_host_state state);

// TEARDOWN and CLOSED: the program can tell the view nothing any more.
bool mica_host_is_ending(const struct mica_host *host);
enum mica_status mica_host_must_be_open(struct mica_host *host,
                                        struct mica_error *error);

// ---- host_send.c -----------------------------------------------------------------

// Sends a notification, a request or a reply. `params` and `result` are JSON.
enum mica_status mica_host_send_notification(struct mica_host *host,
                                             const char *methodz,
                                             struct mica_text params,
                                             struct mica_error *error);
enum mica_status mica_host_send_request(struct mica_host *host, uint64_t id,
                                        const char *methodz,
                                        struct mica_text params, bool progress,
                                        struct mica_error *error);
enum mica_status mica_host_send_result(struct mica_host *host,
                                       struct mica_text id,
                                       struct mica_text result,
                                       struct mica_error *error);
// The same; a failure is reported.
void mica_host_reply(struct mica_host *host, struct mica_text id,
                     struct mica_text result);
void mica_host_send_error(struct mica_host *host, struct mica_text id,
                          int rpc_code, struct mica_text text,
                          struct mica_text data);
// The same with {"code": word} as data. Counts the refusal.
void mica_host_send_refusal(struct mica_host *host, struct mica_text id,
                            int rpc_code, enum mica_host_code code,
                            struct mica_text message);

// ---- host_context.c --------------------------------------------------------------

// Merges the members of `text` into the context, if every view accepts the outcome.
enum mica_status mica_host_context_merge(struct mica_host *host,
                                         struct mica_text text,
                                         struct mica_error *error);

// Tells the view what it does not know yet. Failures are reported.
void mica_host_context_announce(struct mica_host *host);

// The text of a member of the context, in the arena WORK.
struct mica_text mica_host_context_word(struct mica_host *host,
                                        const char *namez);
// Whether the view offers the mode; and whether both sides do.
bool mica_host_offers_mode(struct mica_host *host, struct mica_text mode);
bool mica_host_both_offer_mode(struct mica_host *host, struct mica_text mode);

// ---- host_opening.c --------------------------------------------------------------

// The view is LIVE: sends everything that waits, in order.
void mica_host_flush(struct mica_host *host);

// Sends what is due of the call that opened the view.
void mica_host_opening_flush(struct mica_host *host);

// The view was loaded anew: it has got nothing yet.
void mica_host_opening_again(struct mica_host *host);

// ---- host_queue.c ----------------------------------------------------------------

// Adds a message to the queue of that arena, QUEUE or PARTIALS.
enum mica_status mica_host_queue_push(struct mica_host *host,
                                      enum mica_host_arena which,
                                      const struct mica_host_waiting *message,
                                      struct mica_error *error);

// Takes all messages out of a queue. They live in *arena_out, which the caller ends: what
// is sent for them may fill the queue again (HOST-1).
struct mica_host_waiting *mica_host_queue_take(struct mica_host *host,
                                               enum mica_host_arena which,
                                               struct mica_arena *arena_out);
void mica_host_queues_drop(struct mica_host *host);

// ---- host_asked.c ----------------------------------------------------------------

// What is wrong with an answer to a form; NULL: nothing. Static (host_form.c).
const char *mica_host_answer_wrong(const struct mica_json *result);

// Is it the id of a request to the view that is open?
struct mica_host_asked *mica_host_asked_find(struct mica_host *host,
                                             const struct mica_json *id);
// Sends a request that has waited. Nothing if it is over.
void mica_host_asked_send(struct mica_host *host,
                          const struct mica_host_waiting *waiting);
void mica_host_asked_replied(struct mica_host *host,
                             struct mica_host_asked *asked,
                             const struct mica_json *message);
void mica_host_asked_progress(struct mica_host *host,
                              const struct mica_json *params);
void mica_host_asked_expire(struct mica_host *host);
// Ends those that wait, or all of them, with CONNECTION_CLOSED.
void mica_host_asked_close(struct mica_host *host, bool all);

// ---- host_running.c --------------------------------------------------------------

// A request of the view that is open, or NULL.
struct mica_host_running *mica_host_running_of(struct mica_host *host,
                                               uint64_t number);
struct mica_host_running *mica_host_running_of_id(struct mica_host *host,
                                                  struct mica_text id);

// A slot with the id and the token; NULL without memory. There is a free one.
struct mica_host_running *
mica_host_running_new(struct mica_host *host, struct mica_text id,
                      const struct mica_view_method *method,
                      const struct mica_json *params);
void mica_host_running_end(struct mica_host *host,
                           struct mica_host_running *running);

// Ends all requests of the view without a reply.
void mica_host_abandon(struct mica_host *host, const char *reasonz);

// The row of a method that a view or a proxy may send, or NULL.
const struct mica_view_method *mica_host_method(struct mica_text name,
                                                bool request);

// False, with the whole text of the refusal, if the parameters have another form.
bool mica_host_check_params(struct mica_host *host, const char *methodz,
                            const struct mica_json *params,
                            struct mica_buffer *text);

// What the view gave for the model was answered: it is in force.
void mica_host_model_commit(struct mica_host *host);

// ---- host_serve.c, host_notified.c -----------------------------------------------

// Takes a request or a notification of the view. `id` is JSON.
void mica_host_serve(struct mica_host *host, struct mica_text id,
                     struct mica_text method, const struct mica_json *params);
void mica_host_notified(struct mica_host *host, struct mica_text name,
                        const struct mica_json *params);

// ---- host_checks.c ---------------------------------------------------------------

// What is wrong with the parameters of that method, as the official host writes it; empty
// if nothing is.
void mica_host_check(const char *methodz, const struct mica_json *params,
                     struct mica_buffer *faults);

// ---- host_hygiene.c --------------------------------------------------------------

// Compiles the class of hidden characters.
enum mica_status mica_host_hidden_open(struct mica_host *host,
                                       struct mica_error *error);
bool mica_host_is_hidden(const struct mica_regex *hidden, uint32_t code);

// Writes the text without hidden characters, cut to `most` characters.
void mica_host_shown(const struct mica_regex *hidden, struct mica_text text,
                     size_t most, struct mica_buffer *out);

// Writes the value with all its texts like that. False if a name in it has hidden
// characters.
bool mica_host_cleaned(const struct mica_regex *hidden,
                       const struct mica_json *value,
                       struct mica_json_writer *writer);

// The page of a view's tools as it may be shown: JSON in the arena WORK. False: the view
// sent no list.
bool mica_host_clean_tools(struct mica_host *host,
                           const struct mica_json *result, unsigned left,
                           struct mica_text *page_out, unsigned *count_out);

// Whether a view may call a tool of the server.
bool mica_host_tool_is_visible(const struct mica_json *tool);

// ---- host_link.c -----------------------------------------------------------------

// May the address be opened: http, https or mailto, without blanks and hidden characters?
bool mica_host_link_is_safe(const struct mica_regex *hidden,
                            struct mica_text url);

// Writes the contents of ui/download-file; links get names without paths.
void mica_host_safe_downloads(const struct mica_regex *hidden,
                              const struct mica_json *contents,
                              struct mica_json_writer *writer);

#endif
