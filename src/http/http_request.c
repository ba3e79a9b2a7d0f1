// SPDX-License-Identifier: Apache-2.0
//
// Handles one request: libmicrohttpd calls mica_http_answer when it has read the
// headers, for each piece of the body, when the request is whole, and when a suspended
// connection was resumed.
#include "http/app_refusal.h"
#include "http/http.h"
#include "http/http_login.h"
#include "http/inspect_capture.h"
#include "http/sandbox_page.h"

#include <string.h>

#include "platform/clock.h"
#include "protocol/header_value.h"
#include "store/serving_thread.h"

// Sends the reply after a worker has run, or the reason why it is missing.
static enum MHD_Result
answer_after_worker(struct mica_http_exchange *exchange)
{
    if (exchange->refused == 503)
        return mica_exchange_refuse(exchange, 503, MICA_E_BUSY, exchange->why);
    switch (exchange->link_end) {
    case MICA_LINK_GONE:
        return MHD_NO; // the client has gone
    case MICA_LINK_LATE:
        return mica_exchange_refuse(exchange, 504, MICA_E_TIMEOUT,
                                    "the call took longer than this server "
                                    "waits; ask for less");
    case MICA_LINK_OPEN:
        break;
    }
    return exchange->made != NULL ? mica_exchange_send(exchange, exchange->made)
                                  : mica_exchange_reply(exchange);
}

// ---- A whole request ------------------------------------------------------------

// Sends the refusal of a caller, in the form of the route.
static enum MHD_Result
refuse_caller(struct mica_http_exchange *exchange)
{
    struct mica_http_response response = *exchange->auth_refusal;

    if (mica_exchange_speaks_apps(exchange))
        mica_app_refusal_reword(exchange, &response);
    return mica_exchange_send(exchange, &response);
}

static enum MHD_Result
answer_whole(struct mica_http_exchange *exchange)
{
    mica_inspect_begin(exchange);
    if (exchange->auth_refusal != NULL)
        return refuse_caller(exchange);
    if (exchange->refused != 0)
        return mica_exchange_refuse(exchange, exchange->refused,
                                    exchange->refused == 403 ? MICA_E_FORBIDDEN
                                    : exchange->refused == 400 ? MICA_E_FORMAT
                                    : exchange->refused == 503 ? MICA_E_BUSY
                                                               : MICA_E_LIMIT,
                                    exchange->why);
    mica_exchange_move(exchange, MICA_EXCHANGE_STEP);
    return exchange->stale ? mica_login_wait(exchange)
                           : mica_route_answer(exchange);
}

// ---- Read ----------------------------------------------------------------------

// The capacity that the body needs for `size` more bytes; 0 if they fit. The capacity
// doubles, and the arena keeps the older pieces. When half of a body of known length has
// come, the capacity becomes that length; not earlier, or a client could allocate the
// memory by sending a number.
static size_t
body_growth(const struct mica_http_exchange *exchange, size_t size)
{
    const struct mica_buffer *body = &exchange->body;
    size_t need = body->len + size, twice = 2 * body->capacity;

    if (need <= body->capacity || need > body->max)
        return 0;
    if (need <= exchange->length && need >= exchange->length / 2)
        return exchange->length;
    return need > twice ? need : twice < body->max ? twice : body->max;
}

// Counts the memory of a large body. Returns false if all of them exceed their limit;
// the request is then refused.
static bool
count_body(struct mica_http_exchange *exchange, size_t more)
{
    struct mica_http *http = exchange->http;

    if (more <= MICA_HTTP_SMALL_BODY)
        return true;
    if (atomic_fetch_add(&http->body_bytes, more) + more >
        MICA_HTTP_ALL_BODIES) {
        atomic_fetch_sub(&http->body_bytes, more);
        mica_exchange_refuse_large_body(exchange);
        return false;
    }
    exchange->counted += more;
    return true;
}

static void
append_body(struct mica_http_exchange *exchange, const char *bytes, size_t size)
{
    struct mica_buffer *body = &exchange->body;
    size_t growth = body_growth(exchange, size);

    if (!count_body(exchange, growth))
        return;
    if (growth > 0)
        (void)mica_buffer_reserve(body, growth - body->len);
    mica_buffer_add(body, bytes, size);
    if (body->overflow) {
        exchange->refused = 413;
        exchange->why = "the body is larger than this server reads";
    }
}

static enum MHD_Result
read_body_piece(struct mica_http_exchange *exchange, const char *bytes,
                size_t size)
{
    if (exchange->refused == 0)
        append_body(exchange, bytes, size);
    if (exchange->refused == 0)
        return MHD_YES;
    exchange->discarded += size;
    return exchange->discarded <= mica_exchange_discard_limit(exchange)
               ? MHD_YES
               : MHD_NO;
}

// Copies the query and removes it before libmicrohttpd splits it: at some hundred parts
// its pool is exhausted, and 0.9.75 then sends no reply. The text is in libmicrohttpd's
// read buffer, which it changes itself in spite of the const.
void *
mica_http_arrived(void *data, const char *uri,
                  struct MHD_Connection *connection)
{
    char *mark = (char *)(uintptr_t)strchr(uri, '?');
    struct mica_http_exchange *exchange;

    (void)connection;
    if (mark == NULL)
        return NULL;
    exchange = mica_exchange_obtain(data);
    if (exchange == NULL)
        return NULL; // mica_http_answer refuses the request
    exchange->request.query =
        mica_arena_text(&exchange->arena, mica_text(mark + 1));
    mark[1] = '\0';
    return exchange;
}

// Does the path have an encoded NUL or slash? Text after a NUL would be lost; a slash
// would split a name that a proxy has read as one (RFC 3986, 2.2).
static bool
path_misleads(const char *text)
{
    for (; (text = strchr(text, '%')) != NULL; text++) {
        if ((text[1] == '0' && text[2] == '0') ||
            (text[1] == '2' && (text[2] == 'F' || text[2] == 'f')))
            return true;
    }
    return false;
}

// Does not decode such a path; the server has nothing there.
size_t
mica_http_unescape(void *data, struct MHD_Connection *connection, char *text)
{
    (void)data;
    (void)connection;
    return path_misleads(text) ? strlen(text) : MHD_http_unescape(text);
}

// The text after "http://" or "https://", in any case (RFC 3986, 3.1); or nothing.
static struct mica_text
after_scheme(struct mica_text target)
{
    static const char *const schemes[] = {"http://", "https://"};

    for (size_t i = 0; i < MICA_COUNT(schemes); i++) {
        size_t length = strlen(schemes[i]);
        if (target.len >= length &&
            mica_ascii_is(mica_text_slice(target, 0, length), schemes[i]))
            return mica_text_slice(target, length, target.len);
    }
    return (struct mica_text){NULL, 0};
}

// RFC 9112, 3.2.2: a target may name the host, as in requests to proxies. It replaces
// that of the header. Returns the path.
static struct mica_text
split_host(struct mica_http_exchange *exchange, struct mica_text target)
{
    struct mica_text rest = after_scheme(target);
    size_t end = 0;

    exchange->named_host = (struct mica_text){NULL, 0};
    if (rest.len == 0)
        return target;
    while (end < rest.len && rest.ptr[end] != '/')
        end++;
    exchange->named_host = mica_text_slice(rest, 0, end);
    return end < rest.len ? mica_text_slice(rest, end, rest.len)
                          : mica_text("/");
}

// Sets the path without the base path; no later code sees it in the path.
static void
set_target(struct mica_http_exchange *exchange, struct mica_text target)
{
    const struct mica_base_path *base = &exchange->http->base;
    struct mica_text path = split_host(exchange, target);

    exchange->asked_base = (struct mica_text){NULL, 0};
    mica_own_host_find(exchange);
    if (exchange->own_host != NULL) { // the base path is of the server's names
        exchange->request.path = path;
        exchange->request.base = (struct mica_text){NULL, 0};
        exchange->request.origin = exchange->own_host->origin;
        return;
    }
    exchange->request.path = mica_base_path_strip(base->stripped, path);
    if (exchange->request.path.len < path.len)
        exchange->asked_base = base->stripped;
    exchange->request.base = base->added;
    exchange->request.origin = base->origin;
}

static enum MHD_Result
http_begin(struct mica_http *http, struct MHD_Connection *connection,
           const char *url, const char *method, void **state)
{
    struct mica_link *link = mica_http_link(connection);
    struct mica_http_exchange *exchange = *state;

    if (link == NULL)
        return MHD_NO;
    if (exchange == NULL)
        exchange = mica_exchange_obtain(http);
    if (exchange == NULL)
        return MHD_NO;
    *state = exchange;
    atomic_fetch_add(&http->active, 1); // before this request reads `draining`
    exchange->connection = connection;
    exchange->link = link;
    exchange->started_ns =
        http->log != NULL || http->metrics != NULL || http->inspection != NULL
            ? mica_clock_ns()
            : 0;
    exchange->request.method = mica_text(method);
    set_target(exchange, mica_text(url));
    exchange->closes = !mica_guard_has_seen_head(&link->guard);
    exchange->reply_room = mica_guard_reply_room(&link->guard);
    if (!mica_route_find(exchange))
        return MHD_NO;
    mica_sandbox_enter(exchange);
    exchange->request.body = (struct mica_text){NULL, 0};
    if (!mica_http_read_head(exchange))
        return answer_whole(exchange);
    mica_exchange_move(exchange, MICA_EXCHANGE_BODY);
    return MHD_YES;
}

// Answers a whole request, or does the next step of one that was resumed.
static enum MHD_Result
answer_step(struct mica_http_exchange *exchange)
{
    if (exchange->state == MICA_EXCHANGE_BODY)
        return answer_whole(exchange);
    if (exchange->stale)
        return mica_login_renewed(exchange);
    if (exchange->stream != NULL)
        return mica_exchange_stream_call(exchange);
    if (exchange->stage == MICA_MESSAGE_NONE) // its endpoint was looked for
        return mica_route_answer(exchange);
    return exchange->opened != NULL ? mica_session_request_opened(exchange)
                                    : mica_answer_begun(exchange);
}

// If the reply is a stream with a reader, the reader replaces the exchange.
static void *
exchange_or_reader(struct mica_http_exchange *exchange)
{
    struct mica_reader *reader = exchange->reader;

    if (reader == NULL)
        return exchange;
    mica_exchange_move(exchange, MICA_EXCHANGE_SENT);
    mica_exchange_release(exchange);
    return reader;
}

enum MHD_Result
mica_http_answer(void *data, struct MHD_Connection *connection, const char *url,
                 const char *method, const char *version, const char *upload,
                 size_t *upload_size, void **state)
{
    struct mica_http_exchange *exchange = *state;
    enum MHD_Result result;

    (void)version;
    if (exchange == NULL || exchange->state == MICA_EXCHANGE_HEAD)
        return http_begin(data, connection, url, method, state);
    if (*upload_size > 0) {
        size_t size = *upload_size;
        *upload_size = 0;
        return read_body_piece(exchange, upload, size);
    }
    if (exchange->state == MICA_EXCHANGE_REPLY)
        return answer_after_worker(exchange);
    result = answer_step(exchange);
    *state = exchange_or_reader(exchange);
    return result;
}

// ---- Connections ---------------------------------------------------------------

// Logs and counts a request that the guard has refused: it gets no exchange.
static void
note_refusal(const struct mica_guard *guard, void *data)
{
    struct mica_http *http = data;
    struct mica_link *link = mica_link_of_guard(guard);
    unsigned status = mica_fault_status((enum mica_fault)guard->framing.fault);
    struct mica_log_entry entry = {.code =
                                       mica_status_code(mica_guard_code(guard)),
                                   .response = "sent",
                                   .status = status};

    atomic_store_explicit(&link->deadline_ms,
                          mica_clock_coarse_ms() + MICA_GUARD_LINGER_MS,
                          memory_order_relaxed);
    if (http->log != NULL)
        mica_log_request(http->log, &entry);
    if (http->metrics == NULL)
        return;
    mica_metrics_request(http->metrics, status);
    mica_metrics_refused(http->metrics, entry.code);
}

void
mica_http_connected(void *data, struct MHD_Connection *connection, void **link,
                    enum MHD_ConnectionNotificationCode code)
{
    struct mica_http *http = data;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        mica_serving_thread_set(
            true); // a close may run on the program's thread
    if (code == MHD_CONNECTION_NOTIFY_STARTED &&
        mica_standstill_takes(&http->standstill, connection))
        return;
    if (code == MHD_CONNECTION_NOTIFY_STARTED && info != NULL) {
        struct mica_link *added = mica_watch_add(http->watch, info->connect_fd,
                                                 mica_http_deadline(http));
        *link = added;
        if (added == NULL)
            return;
        mica_guard_open(&added->guard, info->connect_fd, http->pool_bytes,
                        &http->base);
        added->guard.refused = note_refusal;
        added->guard.data = http;
    } else if (code == MHD_CONNECTION_NOTIFY_CLOSED && *link != NULL) {
        struct mica_link *added = *link;
        mica_guard_close(&added->guard);
        mica_watch_remove(http->watch, *link);
        *link = NULL;
    }
}
