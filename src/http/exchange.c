// SPDX-License-Identifier: Apache-2.0
//
// The memory of exchanges, which a free list recycles, so that a busy server allocates
// none; and the one pass over the headers of a request.
#include "base/ascii.h"
#include "http/app_caller.h"
#include "http/http.h"
#include "http/http_login.h"
#include "protocol/header_value.h"

#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "server/call_rules.h"

enum {
    PATIENCE = 2,           // idle times for a whole request, and for its reply
    FREE_LIST = 64,         // exchanges at most
    WARM_BYTES = 32 * 1024, // first block of an arena; most calls fit
    LARGE_BYTES = 4 * WARM_BYTES, // smaller arenas are not counted
    TRIM_BYTES = 16 * 1024 * 1024 // freed by large arenas: return them
};

struct mica_http_exchange *
mica_exchange_obtain(struct mica_http *http)
{
    struct mica_http_exchange *exchange;

    pthread_mutex_lock(&http->lock);
    exchange = http->free;
    if (exchange != NULL) {
        http->free = exchange->next;
        http->free_count--;
    }
    pthread_mutex_unlock(&http->lock);
    if (exchange == NULL) {
        exchange = calloc(1, sizeof *exchange); // MICA_EXCHANGE_FREE
        if (exchange == NULL)
            return NULL;
        mica_arena_init(&exchange->arena, http->server->options.call_bytes);
        if (mica_arena_alloc(&exchange->arena, WARM_BYTES) == NULL) {
            mica_arena_fini(&exchange->arena);
            free(exchange);
            return NULL;
        }
        mica_arena_reset(&exchange->arena);
        exchange->http = http;
    }
    exchange->request.query = (struct mica_text){NULL, 0};
    exchange->link_end = MICA_LINK_OPEN;
    exchange->length = exchange->discarded = 0;
    exchange->refused = exchange->status = 0;
    exchange->why = "";
    exchange->auth_refusal = exchange->made = NULL;
    exchange->login = exchange->person = (struct mica_text){NULL, 0};
    exchange->stale = false;
    exchange->principal = (struct mica_auth_principal){.expires_ms = 0};
    exchange->code = NULL;
    exchange->session_turn = MICA_SESSION_NOTHING;
    exchange->closes = false;
    exchange->response = NULL;
    exchange->kind = MICA_REQUEST_EXCHANGE;
    exchange->place = MICA_PLACE_FOUND;
    atomic_init(&exchange->references, 1);
    exchange->reply_bytes = 0;
    exchange->inspected = 0;
    mica_buffer_init(&exchange->body, &exchange->arena,
                     http->server->options.message_bytes);
    mica_exchange_move(exchange, MICA_EXCHANGE_HEAD);
    atomic_fetch_add_explicit(&http->counts.exchanges, 1, memory_order_relaxed);
    return exchange;
}

static void
exchange_free(struct mica_http_exchange *exchange)
{
    mica_arena_fini(&exchange->arena);
    free(exchange);
}

// Freed memory stays with the process if a block in use lies above it in the heap. So
// after a burst of large requests the watcher returns it to the system.
static void
count_freed(struct mica_http *http, size_t bytes)
{
    if (bytes <= LARGE_BYTES)
        return;
    if (atomic_fetch_add_explicit(&http->freed_bytes, bytes,
                                  memory_order_relaxed) +
            bytes <
        TRIM_BYTES)
        return;
    atomic_store_explicit(&http->freed_bytes, 0, memory_order_relaxed);
    mica_watch_trim(http->watch);
}

void
mica_exchange_recycle(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    bool kept = false;

    if (exchange->counted > 0)
        atomic_fetch_sub(&http->body_bytes, exchange->counted);
    exchange->counted = 0;
    exchange->connection = NULL;
    exchange->reader = NULL;
    mica_endpoint_drop(exchange->held);
    exchange->held = NULL;
    mica_exchange_move(exchange, MICA_EXCHANGE_FREE);
    atomic_fetch_sub_explicit(&http->counts.exchanges, 1, memory_order_relaxed);
    size_t used = exchange->arena.used;
    mica_arena_reset(&exchange->arena);
    pthread_mutex_lock(&http->lock);
    if (http->free_count < FREE_LIST) {
        exchange->next = http->free;
        http->free = exchange;
        http->free_count++;
        kept = true;
    }
    pthread_mutex_unlock(&http->lock);
    if (!kept)
        exchange_free(exchange);
    count_freed(http, used); // another request may use `exchange` by now
}

void
mica_exchange_free_all(struct mica_http *http)
{
    while (http->free != NULL) {
        struct mica_http_exchange *exchange = http->free;
        http->free = exchange->next;
        exchange_free(exchange);
    }
    http->free_count = 0;
}

void
mica_exchange_hold(struct mica_http_exchange *exchange)
{
    atomic_fetch_add_explicit(&exchange->references, 1, memory_order_relaxed);
}

void
mica_exchange_end(struct mica_http_exchange *exchange)
{
    mica_sse_drop(exchange->stream);
    mica_sse_drop(
        exchange->opened); // the connection closed before it was queued
    exchange->stream = exchange->opened = NULL;
    if (exchange->stage != MICA_MESSAGE_NONE) {
        mica_rules_record(&exchange->message);
        mica_message_end(&exchange->message);
    }
    exchange->stage = MICA_MESSAGE_NONE;
    mica_exchange_recycle(exchange);
}

// ---- Deadlines ----------------------------------------------------------------------

uint64_t
mica_http_deadline(const struct mica_http *http)
{
    return mica_clock_coarse_ms() + (uint64_t)PATIENCE * http->idle_ms;
}

void
mica_exchange_set_deadline(struct mica_http_exchange *exchange)
{
    if (exchange->link != NULL)
        atomic_store_explicit(&exchange->link->deadline_ms,
                              mica_http_deadline(exchange->http),
                              memory_order_relaxed);
}

struct mica_link *
mica_http_link(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info != NULL ? info->socket_context : NULL;
}

void
mica_exchange_copy_texts(struct mica_http_exchange *exchange)
{
    struct mica_arena *arena = &exchange->arena;
    struct mica_message *message = &exchange->message;

    exchange->request.method = mica_arena_text(arena, exchange->request.method);
    exchange->request.path = mica_arena_text(arena, exchange->request.path);
    exchange->whole_path = mica_arena_text(arena, exchange->whole_path);
    message->request.trace = mica_arena_text(arena, message->request.trace);
    message->request.origin = mica_arena_text(arena, message->request.origin);
}

// ---- Headers -------------------------------------------------------------------

static enum MHD_Result
add_header_field(void *data, enum MHD_ValueKind kind, const char *name,
                 size_t name_size, const char *value, size_t value_size)
{
    struct mica_http_exchange *exchange = data;
    size_t count = exchange->request.header_count++;

    (void)kind;
    if (count >= MICA_HTTP_HEADERS)
        return MHD_NO;
    exchange->headers[count].name = (struct mica_text){name, name_size};
    exchange->headers[count].value =
        (struct mica_text){value != NULL ? value : "", value_size};
    return MHD_YES;
}

// The headers that decide about refusal.
struct head {
    struct mica_text host, origin;
    bool has_origin, chunked, expects;
    unsigned lengths, hosts;
    uint64_t length;
};

// Compares lengths first, which is cheaper.
static void
head_read_field(struct head *head, const struct mica_header *header)
{
    switch (header->name.len) {
    case 4:
        if (mica_ascii_is(header->name, "host")) {
            head->host = header->value;
            head->hosts++;
        }
        break;
    case 6:
        if (mica_ascii_is(header->name, "origin")) {
            head->origin = header->value;
            head->has_origin = true;
        } else if (mica_ascii_is(header->name, "expect")) {
            head->expects = true;
        }
        break;
    case 14:
        if (mica_ascii_is(header->name, "content-length")) {
            // libmicrohttpd has checked that it is a number.
            head->length = strtoull(header->value.ptr, NULL, 10);
            head->lengths++;
        }
        break;
    case 17:
        if (mica_ascii_is(header->name, "transfer-encoding"))
            head->chunked = true;
        break;
    default:
        break;
    }
}

static void
exchange_refuse(struct mica_http_exchange *exchange, unsigned status,
                const char *why)
{
    exchange->refused = status;
    exchange->why = why;
}

void
mica_exchange_refuse_large_body(struct mica_http_exchange *exchange)
{
    exchange_refuse(exchange, 503,
                    "too many large bodies are coming in; try again");
}

// Checks Host, Origin and the announced size, for every route.
static void
exchange_check(struct mica_http_exchange *exchange, const struct head *head)
{
    const struct mica_http *http = exchange->http;
    size_t body_bytes = atomic_load(&http->body_bytes);

    if (exchange->request.header_count > MICA_HTTP_HEADERS)
        exchange_refuse(exchange, 431,
                        "there are more than 64 headers; send fewer");
    else if (head->hosts > 1 || head->lengths > 1 ||
             (head->lengths > 0 && head->chunked))
        exchange_refuse(
            exchange, 400,
            "Host, Content-Length or Transfer-Encoding is there twice, or "
            "both of the latter are; send each once");
    else if ((exchange->route->reach & MICA_ROUTE_OF_SANDBOX) == 0 &&
             exchange->own_host == NULL && // [HOSTNAME-2]
             !mica_http_host_allowed(&http->allowed, head->host))
        exchange_refuse(
            exchange, 403,
            "the Host header names another server; if this one is reached "
            "by that name, start it with --allow-host NAME (allowed_hosts "
            "in a program)");
    else if (head->has_origin &&
             !mica_http_origin_allowed(mica_exchange_allowed(exchange),
                                       head->origin))
        exchange_refuse(
            exchange, 403,
            "pages of that Origin may not call this server; if they should, "
            "start it with --allow-origin ORIGIN (allowed_origins in a "
            "program)");
    else if (head->length > http->server->options.message_bytes)
        exchange_refuse(exchange, 413,
                        "the body is larger than this server reads");
    else if (head->length > MICA_HTTP_SMALL_BODY &&
             head->length > MICA_HTTP_ALL_BODIES - body_bytes)
        mica_exchange_refuse_large_body(exchange);
    exchange->length = (size_t)head->length;
}

// Checks the token, or the login of a browser. Open routes (health, the metadata) need
// neither; where people sign in, the styles of pages are open, too, and at the name of an
// app, whose page anyone may open. At the address of an app
// a request without a token is anonymous until the app is known (app_caller.h); a token
// that does not count is refused here, so that the answer is the same for every slug.
static void
exchange_authorize(struct mica_http_exchange *exchange)
{
    struct mica_auth *auth = exchange->http->auth;
    struct mica_http_response response;
    enum mica_status status;

    if (auth == NULL || exchange->route->entry == MICA_ROUTE_OPEN ||
        (exchange->route->entry == MICA_ROUTE_STYLE &&
         (mica_login_offered(exchange->http) || exchange->own_host != NULL)) ||
        mica_login_admit(exchange) || mica_exchange_is_anonymous(exchange) ||
        mica_auth_admit(auth, &exchange->request, mica_exchange_app(exchange),
                        &exchange->arena, &exchange->principal, &response,
                        &status))
        return;
    struct mica_http_response *answer =
        mica_arena_alloc(&exchange->arena, sizeof *answer);
    exchange_refuse(exchange, response.status,
                    "there is no memory for an answer");
    if (answer == NULL)
        return;
    *answer = response;
    exchange->auth_refusal = answer;
    exchange->code = mica_status_code(status);
}

bool
mica_http_read_head(struct mica_http_exchange *exchange)
{
    struct head head;

    memset(&head, 0, sizeof head);
    exchange->request.header_count = 0;
    MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND,
                                add_header_field, exchange);
    exchange->request.headers = exchange->headers;
    for (size_t i = 0; i < exchange->request.header_count; i++) {
        if (i < MICA_HTTP_HEADERS)
            head_read_field(&head, &exchange->headers[i]);
    }
    if (exchange->named_host.ptr != NULL && head.hosts == 1)
        head.host = exchange->named_host;
    exchange->host = head.host;
    if (exchange->own_host != NULL)
        mica_own_host_set(exchange);
    exchange_check(exchange, &head);
    if (exchange->refused == 0)
        exchange_authorize(exchange);
    if (exchange->refused == 0)
        return true;
    // A page for a person who has no token needs Accept; nothing else reads them now.
    if (exchange->auth_refusal == NULL)
        exchange->request.header_count = 0;
    if (exchange->refused == 400 || exchange->refused == 431)
        exchange->closes = true;
    // The client would lose the refusal if the connection closed while it still sends.
    // So a body of moderate size is read to its end first.
    return !head.expects && (head.chunked || head.length > 0) &&
           head.length <= mica_exchange_discard_limit(exchange);
}
