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

#include "http/log.h"
#include "http/scrape.h"
#include "http/watch.h"
#include "mcp/server.h"
#include "serve/workers.h"

enum {
    MICA_HTTP_HEADERS = 64,          // of one request, at most
    MICA_HTTP_HOSTS = 64,            // allowed names, at most
    MICA_HTTP_POOL_BYTES = 16 * 1024 // per connection: bounds its headers
};

struct mica_http {
    struct mica_server *server;
    struct mica_http_allowed allowed;
    const char *hosts[MICA_HTTP_HOSTS + 2]; // NULL-ended, the own one last
    struct MHD_Daemon *daemon;
    struct mica_workers *workers;
    struct mica_watch *watch;
    struct mica_log *log;         // NULL when quiet
    struct mica_metrics *metrics; // NULL unless asked for
    struct mica_scrape *scrape;
    uint32_t idle_ms;
    atomic_bool draining;     // the connections close after their next reply
    atomic_size_t active;     // requests that have begun and not ended
    atomic_size_t body_bytes; // in large bodies, of all requests together
    pthread_mutex_t lock;     // of the free requests
    struct mica_http_exchange *free;
    size_t free_count;
};

enum mica_stage {
    MICA_STAGE_READING, // the body comes in
    MICA_STAGE_WORKING, // a worker has it, the connection is suspended
    MICA_STAGE_DONE     // a reply is ready
};

// One request and its reply; reused for another one afterwards.
struct mica_http_exchange {
    struct mica_http_exchange *next; // in the list of free ones
    struct mica_http *http;
    struct MHD_Connection *connection;
    struct mica_link *link;
    struct mica_task task;
    enum mica_stage stage;
    enum mica_link_end ending;
    uint64_t started_ns;

    struct mica_arena arena;
    struct mica_buffer body;
    size_t counted;   // of the body in http->body_bytes
    size_t discarded; // bytes of a body that is not wanted
    unsigned refused; // the HTTP status to refuse with, or 0
    const char *why;  // it is refused
    struct mica_header headers[MICA_HTTP_HEADERS];
    struct mica_text host;
    struct mica_http_request request;
    struct mica_message message;
    bool is_message;  // `message` is in use
    const char *code; // of a refusal, or NULL
    unsigned status;  // of the reply
    size_t reply_bytes;
};

// A request for a connection; NULL when there is no memory.
struct mica_http_exchange *mica_exchange_take(struct mica_http *http);
void mica_exchange_give(struct mica_http_exchange *exchange);
void mica_exchange_free_all(struct mica_http *http);

// libmicrohttpd's callbacks; `data` is the struct mica_http.
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

// How much of an unwanted body is read so that the refusal arrives.
static inline size_t
mica_exchange_bearable(const struct mica_http_exchange *exchange)
{
    return 16 * exchange->body.max;
}

// Replies for the routes beside MCP's: "/healthz", "/", and what is not there.
// The text is in the exchange's arena.
void mica_page_health(struct mica_http_exchange *exchange,
                      struct mica_http_response *response);
void mica_page_front(struct mica_http_exchange *exchange,
                     struct mica_http_response *response);
void mica_page_problem(struct mica_http_exchange *exchange, unsigned status,
                       enum mica_status code,
                       struct mica_http_response *response, const char *formatz,
                       ...) MICA_PRINTF(5, 6);

#endif
