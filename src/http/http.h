// SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder share: the server over HTTP, and one request on
// its way through it.
//
// A request is owned by the I/O thread of its connection. While its connection
// is suspended a worker owns it; the hand-over is the pool's lock one way and
// libmicrohttpd's resume the other.
#ifndef MICA_HTTP_HTTP_H
#define MICA_HTTP_HTTP_H

#include <pthread.h>
#include <sys/types.h>

#include <microhttpd.h>

#include "auth/surface.h"
#include "http/connection_watch.h"
#include "http/exchange_state.h"
#include "http/log.h"
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
    // Per connection: bounds its headers, and is most of what an idle stream
    // costs. With authorization there is room for a token beside it.
    MICA_HTTP_POOL_BYTES = 8 * 1024,
    MICA_HTTP_SMALL_BODY = 16 * 1024, // pieces up to that are not counted
    // Memory of the large bodies of all requests together.
    MICA_HTTP_ALL_BODIES = 256 * 1024 * 1024
};

struct mica_http_sse;

struct mica_http {
    struct mica_server *server;
    struct mica_http_allowed allowed;
    struct mica_base_path base;             // where clients find its paths
    const char *hosts[MICA_HTTP_HOSTS + 2]; // NULL-ended, the own one last
    struct MHD_Daemon *daemon;
    struct mica_workers *workers;
    struct mica_workers
        *store_thread; // one thread, for what only waits for the store
    struct mica_watch *watch;
    struct mica_bus *bus;
    struct mica_cursors *cursors;                 // of lists
    struct mica_session_store *session_store;     // of sessions and calls
    struct mica_session_store *own_session_store; // the same when it is ours
    struct mica_call_store *own_calls;  // those of the server when ours
    struct mica_turn_queue *turn_queue; // of their turns
    struct mica_session_table
        *sessions;                  // what sessions have open, and the feed
    struct mica_http_sse *http_sse; // clients of 2024-11-05, or NULL
    struct mica_auth *auth;         // NULL: requests carry no token
    struct mica_log *log;           // NULL when quiet
    struct mica_metrics *metrics;   // NULL unless asked for
    struct mica_scrape *scrape;
    struct mica_proxies proxies; // that say whom they ask for
    uint32_t idle_ms;
    uint32_t drain_ms;    // between SIGTERM and the end, for further requests
    size_t pool_bytes;    // of a connection
    bool rest;            // /api is served
    bool pages;           // what browsers get is served
    atomic_bool leaving;  // replies close their connections; /healthz says so
    atomic_bool draining; // streams end, and none begins
    atomic_size_t active; // requests that have begun and not ended
    atomic_size_t body_bytes;  // in large bodies, of all requests together
    atomic_size_t given_bytes; // by large requests, since the last trim
    struct {
        atomic_size_t exchanges;     // in use now
        atomic_size_t streams;       // open now
        atomic_size_t subscriptions; // open now, of subscriptions/listen
        atomic_size_t following;     // of those, that follow tasks
        atomic_size_t unsubscribed;  // refused: too many
        atomic_size_t unread;        // ended: their clients did not read them
        atomic_size_t missed;        // notifications left out: read too slowly
    } counts;
    pthread_mutex_t lock; // of the free requests
    struct mica_http_exchange *free;
    size_t free_count;
};

// What the requests of a connection are to libmicrohttpd; the first member of
// either.
enum mica_request_kind {
    MICA_REQUEST_ANSWERS, // struct mica_http_exchange
    MICA_REQUEST_READS,   // struct mica_reader
    MICA_REQUEST_LISTENS, // that of a struct mica_listener
    MICA_REQUEST_FOLLOWS  // that of a struct mica_follower (dev_events.c)
};

// What a session has of the exchange's call.
enum mica_session_part {
    MICA_SESSION_NOTHING,
    MICA_SESSION_CALL, // it runs in `run`
    MICA_SESSION_WAITS // it waits for its client, without the exchange
};

// What there is of the exchange's message.
enum mica_message_phase {
    MICA_MESSAGE_NONE,   // `message` is not in use
    MICA_MESSAGE_BEGINS, // what it does to others is to be done
    MICA_MESSAGE_BEGUN
};

// One request and its reply; reused for another one afterwards.
struct mica_http_exchange {
    enum mica_request_kind kind;
    struct mica_http_exchange *next; // in the list of free ones
    atomic_uint references; // the connection's, and a worker's that outlives it
    struct mica_http *http;
    struct MHD_Connection *connection;
    const struct mica_route *route;
    // Key of the endpoint that the path names, empty: that of /mcp; and the path with
    // that of the endpoint, below which request.path is.
    struct mica_text endpoint, whole_path;
    struct mica_link *link;
    struct mica_worker_job task;
    struct mica_session_call call; // of a session
    enum mica_session_part session;
    struct mica_sse *opened; // its stream, held, until it is sent; or NULL
    bool closes;             // its connection, after the reply
    atomic_uint unsettled;   // things that it does to others
    atomic_bool unkept;      // one of them could not be done
    enum mica_exchange_state state; // moved by mica_exchange_move alone
    enum mica_link_end ending;
    pthread_t io_thread; // of its connection, with MICA_DEBUG
    uint64_t started_ns;

    struct mica_arena arena;
    struct mica_buffer body;
    size_t length;    // of the body, where its head says so
    size_t counted;   // of the body's memory, in http->body_bytes
    size_t discarded; // bytes of a body that is not wanted
    unsigned refused; // the HTTP status to refuse with, or 0
    const char *why;  // it is refused
    const struct mica_http_response
        *turned_away;                     // by `auth`, with this; or NULL
    struct mica_auth_principal principal; // who asks, with `auth`
    struct mica_header headers[MICA_HTTP_HEADERS];
    struct mica_text named_host; // of the target, if it names one
    struct mica_text host;
    struct mica_http_request request;
    struct mica_ip party; // of the client
    struct mica_message message;
    enum mica_message_phase phase;
    struct mica_arena before; // the arena, before the message began
    const char *code;         // of a refusal, or NULL
    unsigned status;          // of the reply
    size_t reply_bytes;
    struct mica_reader *reader; // that takes the connection over, or NULL
    // Of a call on a worker that tells something, outside of sessions:
    struct mica_sse *stream; // that is the reply, held; or NULL
    uint32_t patience_ms;    // that its call may still wait for the reader
    const char *response;    // what became of it, for the log
};

// A request for a connection; NULL when there is no memory.
struct mica_http_exchange *mica_exchange_take(struct mica_http *http);
void mica_exchange_give(struct mica_http_exchange *exchange);
void mica_exchange_free_all(struct mica_http *http);

// A worker that outlives the connection holds the exchange, too.
void mica_exchange_hold(struct mica_http_exchange *exchange);
void mica_exchange_release(struct mica_http_exchange *exchange);

// By the last holder: what the log and the metrics say of it, with the
// response of its connection; and its end.
void mica_exchange_note(const struct mica_http_exchange *exchange,
                        const char *response);
void mica_exchange_end(struct mica_http_exchange *exchange);

// "ok", "gone", "late" or "closed".
const char *mica_http_response_name(enum mica_link_end ending,
                                    enum MHD_RequestTerminationCode code);

// Copies what is in libmicrohttpd's memory and needed longer than that.
void mica_exchange_keep(struct mica_http_exchange *exchange);

// When a request that begins now, and then its reply, is late.
uint64_t mica_http_deadline(const struct mica_http *http);
void mica_exchange_set_deadline(struct mica_http_exchange *exchange);

// A message for it, to be begun.
void mica_exchange_begin_message(struct mica_http_exchange *exchange);

// A response whose body has what the message reads late (late_reply.c); NULL for want
// of memory.
struct MHD_Response *
mica_late_response(struct mica_http_exchange *exchange,
                   const struct mica_http_response *response);

// Ways to answer (exchange_reply.c), on the I/O thread: what the message says, a
// queued response of any kind, a refusal,
// a stream with status 200 (borrowed), which a reader takes over, and the one that
// its call has opened; or later, when a worker is done (exchange_work.c).
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
enum MHD_Result mica_exchange_tell(struct mica_http_exchange *exchange);
enum MHD_Result mica_exchange_work(struct mica_http_exchange *exchange);

// Its parts. The I/O thread suspends the connection and moves the exchange to
// MICA_EXCHANGE_STORE or _WORK; then the store thread or a worker calls `run` with
// the exchange. False: there is no place for it, and the caller resumes the
// exchange as refused. With `hangup` the message is cancelled when its client goes.
void mica_exchange_suspend(struct mica_http_exchange *exchange,
                           enum mica_exchange_state state, bool hangup);
bool mica_exchange_hand_over(struct mica_http_exchange *exchange,
                             enum mica_exchange_state state,
                             void (*run)(void *exchange), bool hangup)
    MICA_MUST_USE;

// From the thread that owns a suspended exchange: hands it back to the I/O thread
// of its connection, at MICA_EXCHANGE_STEP or _REPLY.
void mica_exchange_resume(struct mica_http_exchange *exchange,
                          enum mica_exchange_state state);

// The same for what is no handler's work, but may wait for others who hold the
// store: never behind a handler, which could be what it is about.
enum MHD_Result mica_exchange_write(struct mica_http_exchange *exchange);

// A call on a worker may become a stream (call_stream.c): before it runs, and after,
// when exchange->stream is there. Then the exchange is not the worker's any more.
void mica_call_stream_prepare(struct mica_http_exchange *exchange);
void mica_call_stream_end(struct mica_http_exchange *exchange);

// On the I/O thread: the connection has done with such a stream, or has closed.
void mica_call_stream_left(struct mica_http_exchange *exchange);

// A stream begins on a connection, and is done there (on its I/O thread). The
// response is to be queued; NULL for want of memory.
struct MHD_Response *mica_stream_begin(struct mica_http *http,
                                       struct mica_link *link,
                                       struct mica_sse *sse,
                                       struct MHD_Connection *connection);
void mica_stream_done(struct mica_http *http, struct mica_link *link,
                      struct mica_sse *sse);

// A stream that answers a request, as its connection has it: small, and all that
// stays while nothing runs for the request (stream_reader.c). Its last holder
// notes the request.
struct mica_reader {
    enum mica_request_kind kind;
    enum mica_revision revision;
    atomic_uint references; // the connection's and the exchange's
    bool streams;           // it was queued
    bool noted;             // the request was logged: its call continues later
    struct mica_http *http;
    struct mica_link *link;
    struct mica_sse *sse;                // held
    struct mica_http_exchange *exchange; // whose call has ended, or NULL
    const char *response;                // of the connection
    // Its connection is done with it; or NULL.
    void (*close)(struct mica_reader *reader);
    // For the log, of a request that is a stream and nothing else:
    struct mica_text method, path; // in libmicrohttpd's memory
    uint64_t started_ns;
    size_t bytes_in;
    char trace[64]; // W3C traceparent, or empty
};

// A stream takes its connection over from `exchange`, which is released next.
// Owner: the reader has the reference to `sse` from here on.
void mica_reader_begin(struct mica_reader *reader, enum mica_request_kind kind,
                       struct mica_http_exchange *exchange,
                       struct mica_sse *sse);

// The same with one of its own; NULL for want of memory: then the stream has ended.
struct mica_reader *mica_reader_open(struct mica_http_exchange *exchange,
                                     struct mica_sse *sse);

// The exchange has no holder any more: it is given back, but that of a call that
// has ended only when the stream was read.
void mica_reader_take(struct mica_http_exchange *exchange);

// On the I/O thread: the connection is done with it.
void mica_reader_completed(struct mica_reader *reader,
                           enum MHD_RequestTerminationCode code);

// MCP: subscriptions/listen, for as long as its stream is open. NULL when there
// are too many, or for want of memory.
struct mica_listener {
    struct mica_reader reader; // the first member
    struct mica_subscriber subscriber;
    struct mica_listen *listen;
    size_t sent[MICA_CHANGED_CONTENTS]; // where the last of its kind ends
};
struct mica_listener *mica_listener_open(struct mica_http_exchange *exchange);

// A place among all subscriptions; false: all are taken.
bool mica_subscription_take(struct mica_http *http) MICA_MUST_USE;
void mica_subscription_give(struct mica_http *http);

// Ends all of them, with a result.
void mica_listeners_end(struct mica_http *http);

// A request of a session (session.c): what it does to others, a GET that opens a
// stream, a call that needs a worker. The first is true when it takes time: then the
// request is resumed at MICA_EXCHANGE_STEP.
bool mica_session_request_effects(struct mica_http_exchange *exchange);
enum MHD_Result
mica_session_request_stream(struct mica_http_exchange *exchange);
enum MHD_Result mica_session_request_call(struct mica_http_exchange *exchange);

// The same when the stream of the call is open (`opened`).
enum MHD_Result
mica_session_request_opened(struct mica_http_exchange *exchange);

// On a worker, before a call runs that may ask: from now on calls that are due are
// gone on with.
void mica_http_asks(struct mica_http *http);

// Turns of calls that no request runs (background_turns.c): for the turn queue.
void mica_http_turn_taken(void *data, struct mica_message *message);
void mica_http_turn_left(void *data, struct mica_message *message);
bool mica_http_turn_ended(void *data, struct mica_queued_turn *turn);

// Registers what the metrics say beside requests (gauges.c).
void mica_http_gauges(struct mica_http *http);

// From a signal to the end of the daemon (http_drain.c). `listener` is closed then.
// Errors: MICA_E_TIMEOUT, when a handler did not end.
enum mica_status mica_http_drain(struct mica_http *http, int listener,
                                 struct mica_error *error) MICA_MUST_USE;

// The link of a connection; NULL when there were too many.
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

// Reads the headers of the request, once, and decides whether it is refused.
// True: read the body (of a refused request to throw it away). False: refuse at
// once.
bool mica_http_read_head(struct mica_http_exchange *exchange);

// Refuses with 503: the bodies of all requests together have no room for this one.
void mica_exchange_no_room(struct mica_http_exchange *exchange);

// How much of an unwanted body is read so that the refusal arrives.
static inline size_t
mica_exchange_bearable(const struct mica_http_exchange *exchange)
{
    return 16 * exchange->body.max;
}

// The path that the client has asked for as far as it is text, to be shown: escaped
// bytes may make anything of it. In the exchange's arena.
struct mica_text mica_exchange_path(struct mica_http_exchange *exchange);

// Replies for the routes beside MCP's: "/healthz", and what is not there.
// The text is in the exchange's arena.
void mica_page_health(struct mica_http_exchange *exchange,
                      struct mica_http_response *response);
void mica_page_problem(struct mica_http_exchange *exchange, unsigned status,
                       enum mica_status code,
                       struct mica_http_response *response, const char *formatz,
                       ...) MICA_PRINTF(5, 6);

#endif
