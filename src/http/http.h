// SPDX-License-Identifier: Apache-2.0
//
// Internals shared by the files of this folder: the server over HTTP, and the exchange
// (one request and its reply).
//
// Owner of an exchange: the I/O thread of its connection; while the connection is
// suspended, a worker or the store thread. The lock of the queue orders the hand-over
// to the worker, libmicrohttpd's resume the one back.
#ifndef MICA_HTTP_HTTP_H
#define MICA_HTTP_HTTP_H

#include <pthread.h>
#include <sys/types.h>

#include <microhttpd.h>

#include "apps/app_access.h"
#include "apps/app_hosts.h"
#include "auth/surface.h"
#include "http/connection_watch.h"
#include "http/endpoint_load.h"
#include "http/exchange_state.h"
#include "http/io_standstill.h"
#include "http/log.h"
#include "http/own_host.h"
#include "http/party.h"
#include "http/routes.h"
#include "http/scrape.h"
#include "http/sessions/session_table.h"
#include "protocol/base_path.h"
#include "serve/bus.h"
#include "serve/stored_calls.h"
#include "serve/turn_queue.h"
#include "serve/workers.h"
#include "server/server.h"

enum {
    MICA_HTTP_HEADERS = 64, // of one request, at most
    MICA_HTTP_HOSTS = 64,   // allowed names, at most
    // Memory of a connection in libmicrohttpd: it bounds the headers, and is most of
    // what an idle stream costs. With authorization the pool is larger by a token.
    MICA_HTTP_POOL_BYTES = 8 * 1024,
    MICA_HTTP_SMALL_BODY = 16 * 1024, // bodies up to this are not counted
    // Memory of the large bodies of all requests together.
    MICA_HTTP_ALL_BODIES = 256 * 1024 * 1024
};

struct mica_app_api;
struct mica_http_sse;
struct mica_inspection;
struct mica_published_apps;

struct mica_http {
    struct mica_server *server;
    struct mica_http_allowed allowed;
    struct mica_app_hosts app_hosts; // in `app_host_arena`
    struct mica_arena app_host_arena;
    struct mica_base_path base;
    const char *hosts[MICA_HTTP_HOSTS + 2]; // NULL-ended, its own one last
    struct MHD_Daemon *daemon;
    struct mica_workers *workers;
    struct mica_workers
        *store_thread; // one thread, for operations of the store
    // One thread, which waits for issuers; NULL: browsers do not sign in.
    struct mica_workers *login_thread;
    struct mica_watch *watch;
    struct mica_bus *bus;
    struct mica_cursors *cursors;                 // of lists
    struct mica_session_store *session_store;     // of sessions and calls
    struct mica_session_store *own_session_store; // the same if this opened it
    struct mica_call_store *own_calls;  // the server's, if this opened them
    struct mica_turn_queue *turn_queue; // of background turns
    struct mica_session_table
        *sessions; // open sessions, and the feed of changes
    struct mica_published_apps *apps;
    struct mica_http_sse *http_sse;     // clients of 2024-11-05, or NULL
    struct mica_auth *auth;             // NULL: requests carry no token
    struct mica_log *log;               // NULL when quiet
    struct mica_inspection *inspection; // of mica dev, or NULL
    struct mica_app_api *app_api;       // NULL: apps are not edited here
    struct mica_metrics *metrics;       // NULL unless asked for
    struct mica_scrape *scrape;
    struct mica_proxies proxies; // trusted to name the clients they forward for
    unsigned io_threads;
    struct mica_standstill standstill; // in which the listener closes
    uint32_t idle_ms;
    uint32_t drain_ms; // after SIGTERM the server still accepts requests
    size_t pool_bytes; // of a connection
    bool rest;         // /api is served
    bool pages;        // pages for browsers are served
    enum mica_host_page host_page; // views have a sandbox below localhost
    atomic_bool leaving;  // replies close connections; /healthz says "draining"
    atomic_bool draining; // streams end, and no new one begins
    atomic_size_t active; // requests in progress
    atomic_size_t body_bytes;  // of all large bodies together
    atomic_size_t freed_bytes; // of large requests, since the last trim
    struct {
        atomic_size_t exchanges;     // in use now
        atomic_size_t streams;       // open now
        atomic_size_t subscriptions; // open now, of subscriptions/listen
        atomic_size_t following;     // of those: with tasks
        atomic_size_t unsubscribed;  // subscriptions refused: too many
        atomic_size_t unread; // streams ended: their clients did not read
        atomic_size_t missed; // notifications dropped: read too slowly
    } counts;
    pthread_mutex_t lock; // protects the list of free exchanges
    struct mica_http_exchange *free;
    size_t free_count;
};

// What libmicrohttpd's pointer of a request points to; the first member of each.
enum mica_request_kind {
    MICA_REQUEST_EXCHANGE, // struct mica_http_exchange
    MICA_REQUEST_READER,   // struct mica_reader
    MICA_REQUEST_LISTENER, // the reader of a struct mica_listener
    // The reader of a struct mica_follower (dev_events.c), or of a struct
    // inspect_follower (inspect_routes.c).
    MICA_REQUEST_DEV_EVENTS
};

// The exchange's call in its session.
enum mica_session_turn_state {
    MICA_SESSION_NOTHING,
    MICA_SESSION_TURN, // `call` runs or has ended
    MICA_SESSION_WAITS // the call continues without the exchange
};

// The state of the exchange's message.
enum mica_message_stage {
    MICA_MESSAGE_NONE,   // `message` is not in use
    MICA_MESSAGE_BEGINS, // what it does to other requests is still to do
    MICA_MESSAGE_BEGUN
};

// One request and its reply. Recycled for another request afterwards.
struct mica_http_exchange {
    enum mica_request_kind kind;
    struct mica_http_exchange *next; // in the free list
    atomic_uint references;          // the connection's, and that of a worker
    struct mica_http *http;
    struct MHD_Connection *connection;
    const struct mica_route *route;
    // Key of the endpoint, empty: that of /mcp; and the path with the endpoint's
    // path, which request.path does not have.
    struct mica_text endpoint, whole_path;
    // The path as it was asked for, without the base path: in libmicrohttpd's memory.
    struct mica_text asked_path;
    // The base path, where it stood before that; or empty.
    struct mica_text asked_base;
    enum mica_exchange_place place;
    struct mica_endpoint *held; // the endpoint with that key; or NULL
    struct mica_text own_path;  // of an endpoint of a source
    struct mica_link *link;
    struct mica_worker_job job;
    struct mica_session_turn turn; // of a session
    enum mica_session_turn_state session_turn;
    struct mica_sse
        *opened; // held: a stream to queue on the I/O thread; or NULL
    bool closes; // the connection closes after the reply
    atomic_uint pending_deliveries; // on other requests, that are not done yet
    atomic_bool delivery_failed;    // one of them was refused or lost
    enum mica_exchange_state state; // set by mica_exchange_move alone
    enum mica_link_end link_end;
    pthread_t io_thread; // of the connection, with MICA_DEBUG
    uint64_t started_ns;
    uint64_t inspected; // number in the Inspector's ring, or 0

    struct mica_arena arena;
    struct mica_buffer body;
    size_t length;    // of the body, from Content-Length; or 0
    size_t counted;   // memory of the body that http->body_bytes has
    size_t discarded; // bytes of the body of a refused request
    unsigned refused; // HTTP status of the refusal, or 0
    const char *why;  // text of the refusal
    const struct mica_http_response *auth_refusal; // or NULL
    struct mica_auth_principal principal;          // the caller, with `auth`
    struct mica_text login;  // id of the login in its cookie, or empty
    struct mica_text person; // name of the person of that login, or empty
    bool stale;              // the login needs a new token before the answer
    const struct mica_http_response *made; // by the login thread, or NULL
    struct mica_header headers[MICA_HTTP_HEADERS];
    struct mica_text named_host; // from the request target; or {NULL, 0}
    struct mica_text host;
    const struct mica_app_host *own_host; // that the request is at, or NULL
    const char *own_names[2];             // NULL-ended: the name of that
    struct mica_http_allowed own_allowed; // at it
    struct mica_http_request request;
    struct mica_ip party; // the client's (mica_exchange_find_party)
    struct mica_message message;
    enum mica_message_stage stage;
    struct mica_arena before; // state of the arena before the message
    const char *code;         // of a refusal, or NULL
    unsigned status;          // of the reply
    size_t reply_room;        // of its head (mica_guard_reply_room)
    size_t reply_bytes;
    struct mica_reader
        *reader; // replaces the exchange at its connection, or NULL
    // Of a call outside of sessions whose reply is a stream (call_stream.c):
    struct mica_sse *stream; // held; or NULL
    uint32_t patience_ms;    // for which the call may still wait for its reader
    const char *response;    // how the connection ended, for the log
};

// The exchange of a message that is in one.
static inline struct mica_http_exchange *
mica_exchange_of(struct mica_message *message)
{
    char *at = (char *)message - offsetof(struct mica_http_exchange, message);

    return (struct mica_http_exchange *)(void *)at;
}

// Gets an exchange from the free list, or a new one. NULL for want of memory.
struct mica_http_exchange *mica_exchange_obtain(struct mica_http *http);
void mica_exchange_recycle(struct mica_http_exchange *exchange);
void mica_exchange_free_all(struct mica_http *http);

// A worker that may outlive the connection holds a reference.
void mica_exchange_hold(struct mica_http_exchange *exchange);
void mica_exchange_release(struct mica_http_exchange *exchange);

// Called by the last holder: write the line of the log and the metrics, with the
// response of the connection; end the message and recycle the exchange.
void mica_exchange_note(const struct mica_http_exchange *exchange,
                        const char *response);
void mica_exchange_end(struct mica_http_exchange *exchange);

// "ok", "gone", "late" or "closed".
const char *mica_http_response_name(enum mica_link_end ending,
                                    enum MHD_RequestTerminationCode code);

// Copies the texts of the request from libmicrohttpd's memory into the arena, as they
// are needed after the connection is done.
void mica_exchange_copy_texts(struct mica_http_exchange *exchange);

// The deadline of a request or a reply that begins now.
uint64_t mica_http_deadline(const struct mica_http *http);
void mica_exchange_set_deadline(struct mica_http_exchange *exchange);

// Sets the party against which a request without a token is counted: the address of its
// client. False: it has none. On the I/O thread.
bool mica_exchange_find_party(struct mica_http_exchange *exchange);

// Initializes the message of the exchange.
void mica_exchange_begin_message(struct mica_http_exchange *exchange);

// Makes a response part of whose body is read while it is sent (streamed_reply.c). NULL
// for want of memory.
struct MHD_Response *
mica_streamed_response(struct mica_http_exchange *exchange,
                       const struct mica_http_response *response);

// Functions that answer a request, on the I/O thread (exchange_reply.c): _reply sends
// the reply of the message, _send a response, _queue a response of libmicrohttpd,
// _refuse a refusal, _stream a stream with status 200 (borrowed), for which a reader
// replaces the exchange, _stream_call the stream that the call has opened. _work runs
// the call on a worker, and answers afterwards (exchange_work.c).
enum MHD_Result mica_exchange_reply(struct mica_http_exchange *exchange);
enum MHD_Result mica_exchange_send(struct mica_http_exchange *exchange,
                                   const struct mica_http_response *response);
enum MHD_Result mica_exchange_queue(struct mica_http_exchange *exchange,
                                    struct MHD_Response *reply,
                                    const struct mica_http_response *response);
enum MHD_Result mica_exchange_refuse(struct mica_http_exchange *exchange,
                                     unsigned status, enum mica_status code,
                                     const char *why);
enum MHD_Result mica_exchange_stream(struct mica_http_exchange *exchange,
                                     struct mica_sse *sse);
enum MHD_Result mica_exchange_stream_call(struct mica_http_exchange *exchange);
enum MHD_Result mica_exchange_work(struct mica_http_exchange *exchange);

// Refuses a request at an endpoint that its source does not have: with APP_NOT_FOUND, in
// the form of the route.
enum MHD_Result
mica_exchange_refuse_absent(struct mica_http_exchange *exchange);

// _suspend suspends the connection and moves the exchange to MICA_EXCHANGE_STORE, _LOGIN
// or _WORK; with `hangup` a disconnect cancels the message. _hand_over does that, and then
// has the store thread, the login thread or a worker call `run` with the exchange. It
// returns false if the queue is full; the caller resumes the exchange, which is refused.
void mica_exchange_suspend(struct mica_http_exchange *exchange,
                           enum mica_exchange_state state, bool hangup);
bool mica_exchange_hand_over(struct mica_http_exchange *exchange,
                             enum mica_exchange_state state,
                             void (*run)(void *exchange), bool hangup)
    MICA_MUST_USE;

// Called by the thread that owns a suspended exchange: hands it back to the I/O thread,
// at MICA_EXCHANGE_STEP or _REPLY.
void mica_exchange_resume(struct mica_http_exchange *exchange,
                          enum mica_exchange_state state);

// Runs the deferred store operation of the message on the store thread, and answers
// afterwards. It does not queue for a worker, as it may concern the call that occupies
// the last one.
enum MHD_Result mica_exchange_run_deferred(struct mica_http_exchange *exchange);

// The reply of a call on a worker may become a stream (call_stream.c). _prepare runs
// before the call; _end after it, if exchange->stream is there, and releases the
// worker's reference to the exchange.
void mica_call_stream_prepare(struct mica_http_exchange *exchange);
void mica_call_stream_end(struct mica_http_exchange *exchange);

// On the I/O thread: the connection is done with such a stream, or has closed.
void mica_call_stream_disconnect(struct mica_http_exchange *exchange);

// Begin and end a stream on a connection, on its I/O thread. The caller queues the
// response; NULL for want of memory.
struct MHD_Response *mica_stream_begin(struct mica_http *http,
                                       struct mica_link *link,
                                       struct mica_sse *sse,
                                       struct MHD_Connection *connection);
void mica_stream_done(struct mica_http *http, struct mica_link *link,
                      struct mica_sse *sse);

// The connection's part of a stream that answers a request: small, and all that
// remains while nothing runs for the request (stream_reader.c). The last holder writes
// the line of the log.
struct mica_reader {
    enum mica_request_kind kind;
    enum mica_revision revision;
    atomic_uint references; // the connection's and the exchange's
    bool streams;           // the stream was queued
    bool noted;             // the request is in the log; its call continues
    struct mica_http *http;
    struct mica_link *link;
    struct mica_sse *sse;                // held
    struct mica_http_exchange *exchange; // of a call that has ended, or NULL
    const char *response;                // of the connection
    // Called when the connection is done; or NULL.
    void (*close)(struct mica_reader *reader);
    // For the log, of a request whose exchange was recycled:
    struct mica_text method, path;        // in libmicrohttpd's memory
    const struct mica_app_host *own_host; // to which the path belongs; or NULL
    uint64_t started_ns;
    uint64_t inspected; // as the exchange has it
    size_t bytes_in;
    char trace[64]; // W3C traceparent, or empty
};

// Initializes a reader, which replaces `exchange` at its connection; the caller
// releases the exchange next. Owner: the reader has the reference to `sse`.
void mica_reader_begin(struct mica_reader *reader, enum mica_request_kind kind,
                       struct mica_http_exchange *exchange,
                       struct mica_sse *sse);

// The same with a new reader. NULL for want of memory: then the stream has ended.
struct mica_reader *mica_reader_open(struct mica_http_exchange *exchange,
                                     struct mica_sse *sse);

// The exchange has no holder any more. Recycles it at once, or, if its call has ended,
// when the client has read the stream: then its line of the log is complete.
void mica_reader_end_exchange(struct mica_http_exchange *exchange);

// On the I/O thread: the connection is done with it.
void mica_reader_completed(struct mica_reader *reader,
                           enum MHD_RequestTerminationCode code);

// MCP: subscriptions/listen. Lasts as long as its stream. NULL if there are too many,
// or for want of memory.
struct mica_listener {
    struct mica_reader reader; // the first member
    struct mica_subscriber subscriber;
    struct mica_listen *listen;
    struct mica_app_caller caller; // who subscribed
    size_t
        sent[MICA_CHANGED_CONTENTS]; // where the last event of each kind ends
};
struct mica_listener *mica_listener_open(struct mica_http_exchange *exchange);

// Answers with the stream that `open` makes for this exchange, if the server may have one
// more subscription and is not draining; 503 otherwise. The reader's `close` releases the
// subscription. `open` returns NULL for want of memory.
enum MHD_Result
mica_exchange_follow(struct mica_http_exchange *exchange,
                     struct mica_reader *(*open)(struct mica_http_exchange *));

// Claim and release one of the subscriptions that the server allows. Returns false if
// all are in use.
bool mica_subscription_claim(struct mica_http *http) MICA_MUST_USE;
void mica_subscription_release(struct mica_http *http);

// End all subscriptions, or those at an endpoint, with a result; with `now` only those
// whose callers it does not admit.
void mica_listeners_end(struct mica_http *http);
void mica_listeners_end_at(struct mica_http *http, struct mica_text endpoint,
                           const struct mica_app_exposure *now);

// A request of a session (session_request.c): what it does to other requests, a GET
// that opens a stream, a call that needs a worker. _deliver returns true if it has
// suspended the exchange, which is resumed at MICA_EXCHANGE_STEP.
bool mica_session_request_deliver(struct mica_http_exchange *exchange);
enum MHD_Result
mica_session_request_stream(struct mica_http_exchange *exchange);
enum MHD_Result mica_session_request_call(struct mica_http_exchange *exchange);

// Queues the stream of a GET or of a call, `exchange->opened`.
enum MHD_Result
mica_session_request_opened(struct mica_http_exchange *exchange);

// Starts the scheduler of due calls. Called on a worker before a call runs that may
// ask; does nothing the second time.
void mica_http_start_turns(struct mica_http *http);

// Callbacks of the turn queue for background turns (background_turns.c).
void mica_http_turn_claimed(void *data, struct mica_message *message);
void mica_http_turn_retried(void *data, struct mica_message *message);
bool mica_http_turn_ended(void *data, struct mica_queued_turn *turn);

// Registers the gauges of this server (gauges.c).
void mica_http_gauges(struct mica_http *http);

// Ends the server after a signal (http_drain.c), and closes `listener`. Errors:
// MICA_E_TIMEOUT if a handler did not end.
enum mica_status mica_http_drain(struct mica_http *http, int listener,
                                 struct mica_error *error) MICA_MUST_USE;

// The link of a connection; NULL if the watcher has no more.
struct mica_link *mica_http_link(struct MHD_Connection *connection);

// libmicrohttpd's callbacks; `data` is the struct mica_http.
void *mica_http_arrived(void *data, const char *uri,
                        struct MHD_Connection *connection);
size_t mica_http_unescape(void *data, struct MHD_Connection *connection,
                          char *text);
enum MHD_Result mica_http_answer(void *data, struct MHD_Connection *connection,
                                 const char *url, const char *method,
                                 const char *version, const char *upload,
                                 size_t *upload_size, void **state);
void mica_http_completed(void *data, struct MHD_Connection *connection,
                         void **state, enum MHD_RequestTerminationCode code);
void mica_http_connected(void *data, struct MHD_Connection *connection,
                         void **link, enum MHD_ConnectionNotificationCode code);

// Reads the headers of the request, once, and decides whether it is refused. Returns
// true if the body is to be read (of a refused request: to discard it); otherwise the
// caller refuses the request at once.
bool mica_http_read_head(struct mica_http_exchange *exchange);

// Marks the request as refused with 503: all large bodies together would exceed their
// limit.
void mica_exchange_refuse_large_body(struct mica_http_exchange *exchange);

// How many bytes of the body of a refused request are read, so that the client gets
// the refusal.
static inline size_t
mica_exchange_discard_limit(const struct mica_http_exchange *exchange)
{
    return 16 * exchange->body.max;
}

// The requested path for display, up to the first byte that is not text: decoded, it
// may have any bytes. In the exchange's arena.
struct mica_text mica_exchange_path(struct mica_http_exchange *exchange);

// Fill the response of "/healthz", and a problem document. The text is in the
// exchange's arena.
void mica_page_health(struct mica_http_exchange *exchange,
                      struct mica_http_response *response);
void mica_page_problem(struct mica_http_exchange *exchange, unsigned status,
                       enum mica_status code,
                       struct mica_http_response *response, const char *formatz,
                       ...) MICA_PRINTF(5, 6);

#endif
