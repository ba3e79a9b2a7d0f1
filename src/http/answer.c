// SPDX-License-Identifier: Apache-2.0
//
// The way of one request: libmicrohttpd calls mica_http_answer when the headers
// are there, for each piece of the body, when the request is whole, and again
// when a suspended connection is resumed.
#include "http/http.h"

#include <string.h>

#include "serve/refuse.h"
#include "serve/sessions.h"
#include "serve/time.h"

enum {
    PATIENCE = 2,           // idle times for a whole request, and for its reply
    SMALL_BODY = 16 * 1024, // not counted
    ALL_BODIES = 256 * 1024 * 1024, // large bodies of all requests together
    HEADER_TEXT = 4096              // longest name or value of ours
};

static uint64_t
deadline(const struct mica_http *http, unsigned times)
{
    return mica_time_coarse_ms() + (uint64_t)times * http->idle_ms;
}

static void
set_deadline(struct mica_http_exchange *exchange)
{
    if (exchange->link != NULL)
        atomic_store_explicit(&exchange->link->deadline_ms,
                              deadline(exchange->http, PATIENCE),
                              memory_order_relaxed);
}

// ---- Sending -------------------------------------------------------------------

static bool
add_header(struct MHD_Response *reply, struct mica_text name,
           struct mica_text value)
{
    char namez[HEADER_TEXT], valuez[HEADER_TEXT];

    if (name.len >= sizeof namez || value.len >= sizeof valuez)
        return false;
    memcpy(namez, name.ptr, name.len);
    namez[name.len] = '\0';
    memcpy(valuez, value.ptr, value.len);
    valuez[value.len] = '\0';
    return MHD_add_response_header(reply, namez, valuez) == MHD_YES;
}

// Queues `reply`, which is gone then, with the headers and status of `response`.
static enum MHD_Result
queue(struct mica_http_exchange *exchange, struct MHD_Response *reply,
      const struct mica_http_response *response)
{
    enum MHD_Result result = MHD_YES;

    if (reply == NULL)
        return MHD_NO;
    for (size_t i = 0; i < response->header_count && result == MHD_YES; i++) {
        if (!add_header(reply, response->headers[i].name,
                        response->headers[i].value))
            result = MHD_NO;
    }
    if (result == MHD_YES &&
        atomic_load_explicit(&exchange->http->draining, memory_order_relaxed))
        result = MHD_add_response_header(reply, "Connection", "close");
    if (result == MHD_YES)
        result =
            MHD_queue_response(exchange->connection, response->status, reply);
    MHD_destroy_response(reply);
    exchange->stage = MICA_STAGE_DONE;
    exchange->status = response->status;
    return result;
}

static enum MHD_Result
send_reply(struct mica_http_exchange *exchange,
           const struct mica_http_response *response)
{
    struct MHD_Response *reply = MHD_create_response_from_buffer(
        response->body.len,
        // Not changed: libmicrohttpd only has no const for it.
        (void *)(uintptr_t)response->body.ptr, MHD_RESPMEM_PERSISTENT);

    exchange->reply_bytes = response->body.len;
    set_deadline(exchange);
    return queue(exchange, reply, response);
}

enum MHD_Result
mica_exchange_send(struct mica_http_exchange *exchange,
                   const struct mica_http_response *response)
{
    return send_reply(exchange, response);
}

// A stream lasts as long as it lasts, but not longer than the token that it was
// opened with: whoever has a newer one opens another.
static uint64_t
stream_deadline(const struct mica_http_exchange *exchange)
{
    int64_t left;

    if (exchange->http->auth == NULL)
        return UINT64_MAX;
    left = exchange->principal.expires_ms - mica_keeper_now();
    return mica_time_coarse_ms() + (left > 0 ? (uint64_t)left : 0);
}

enum MHD_Result
mica_exchange_stream(struct mica_http_exchange *exchange, struct mica_sse *sse)
{
    struct mica_http_response response;
    struct MHD_Response *reply;

    mica_message_stream_head(&exchange->message, &response);
    if (exchange->stream == NULL) { // not the one that its call has opened
        mica_sse_hold(sse);
        exchange->stream = sse;
        atomic_store_explicit(&exchange->link->deadline_ms,
                              stream_deadline(exchange), memory_order_relaxed);
    }
    reply = mica_stream_begin(exchange->http, exchange->link, sse,
                              exchange->connection);
    exchange->streams = reply != NULL;
    return queue(exchange, reply, &response);
}

// RFC 6750, 3: a refusal for want of scopes says which ones.
static void
add_challenge(struct mica_http_exchange *exchange,
              struct mica_http_response *response)
{
    struct mica_auth_refusal refusal;

    mica_auth_refuse_scope(exchange->http->auth, exchange->message.lacks,
                           &exchange->arena, &refusal);
    response->headers[response->header_count++] = (struct mica_header){
        MICA_LITERAL("WWW-Authenticate"), refusal.challenge};
}

enum MHD_Result
mica_exchange_reply(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;

    mica_message_response(&exchange->message, &response);
    if (exchange->message.lacks.len > 0 && response.status == 403 &&
        exchange->http->auth != NULL)
        add_challenge(exchange, &response);
    return send_reply(exchange, &response);
}

static bool
is_endpoint(const struct mica_http_exchange *exchange)
{
    return mica_text_is(exchange->request.path, "/mcp");
}

// In the form of the route: JSON-RPC for MCP's, a problem document otherwise.
enum MHD_Result
mica_exchange_refuse(struct mica_http_exchange *exchange, unsigned status,
                     enum mica_status code, const char *why)
{
    struct mica_http_response response;
    struct mica_text id = {NULL, 0};
    struct mica_buffer body;

    mica_page_problem(exchange, status, code, &response, "%s", why);
    if (is_endpoint(exchange)) {
        if (exchange->is_message)
            id = exchange->message.id;
        mica_buffer_init(&body, &exchange->arena, SMALL_BODY);
        mica_refuse_write(&body, id,
                          status < 500 ? MICA_REFUSE_REQUEST
                                       : MICA_REFUSE_INTERNAL,
                          code, "%s", why);
        response.headers[0].value = MICA_LITERAL("application/json");
        response.body = mica_buffer_as_text(&body);
    }
    if (status == 503)
        response.headers[response.header_count++] = (struct mica_header){
            MICA_LITERAL("Retry-After"), MICA_LITERAL("1")};
    exchange->code = mica_status_code(code);
    return send_reply(exchange, &response);
}

// ---- The MCP endpoint ------------------------------------------------------------

// On a worker. The exchange is not ours any more once the connection resumes.
static void
work(void *data)
{
    struct mica_http_exchange *exchange = data;

    mica_message_work(&exchange->message);
    if (exchange->stream != NULL) {
        mica_call_stream_end(exchange);
        return;
    }
    if (exchange->is_run)
        mica_run_end(exchange->http->legacy, &exchange->run,
                     (struct mica_text){NULL, 0});
    exchange->ending = mica_watch_resume(exchange->http->watch, exchange->link);
    exchange->stage = MICA_STAGE_DONE;
    MHD_resume_connection(exchange->connection);
}

enum MHD_Result
mica_exchange_work(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    // A legacy client may come back for its answer, a modern one cancels by
    // closing (MCP: cancellation) [HTTP-DISCONNECT] [CANCEL-LEGACY].
    bool hangup = mica_wire_features(exchange->message.wire)->modern;

    if (!exchange->is_run)
        mica_call_stream_prepare(exchange);
    exchange->stage = MICA_STAGE_WORKING;
    exchange->task = (struct mica_task){.run = work, .data = exchange};
    mica_watch_suspend(http->watch, exchange->link,
                       &exchange->message.cancelled, hangup, deadline(http, 1));
    // First suspended, then queued: a worker may be done before we return.
    MHD_suspend_connection(exchange->connection);
    if (!mica_workers_push(http->workers, &exchange->task, 0)) {
        if (exchange->is_run)
            mica_run_end(http->legacy, &exchange->run,
                         (struct mica_text){NULL, 0});
        (void)mica_watch_resume(http->watch, exchange->link);
        exchange->refused = 503;
        exchange->stage = MICA_STAGE_DONE;
        MHD_resume_connection(exchange->connection);
    }
    return MHD_YES;
}

// The subscription takes the connection over from here; see change_over.
static enum MHD_Result
answer_listen(struct mica_http_exchange *exchange)
{
    exchange->listener = mica_listener_open(exchange);
    if (exchange->listener == NULL)
        return mica_exchange_refuse(exchange, 503, MICA_E_BUSY,
                                    "too many subscriptions are open; try "
                                    "again later, or ask for more in one");
    return mica_exchange_stream(exchange, exchange->listener->sse);
}

static enum MHD_Result
answer_message(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;
    struct mica_message *message = &exchange->message;

    exchange->request.body = mica_buffer_as_text(&exchange->body);
    mica_message_init(message, http->server, &exchange->arena);
    exchange->is_message = true;
    if (http->auth != NULL)
        message->principal = &exchange->principal.party;
    mica_message_http(message, &http->allowed, &exchange->request);
    if (http->legacy != NULL && message->session.id.len > 0)
        mica_session_effects(exchange);
    if (message->step == MICA_STEP_STREAM)
        return mica_session_stream(exchange);
    if (message->step == MICA_STEP_LISTEN)
        return answer_listen(exchange);
    if (message->step == MICA_STEP_WORK && !mica_message_try(message))
        return http->legacy != NULL && message->session.id.len > 0
                   ? mica_session_run(exchange)
                   : mica_exchange_work(exchange);
    return mica_exchange_reply(exchange);
}

// After a worker: the reply, or why there is none.
static enum MHD_Result
answer_worked(struct mica_http_exchange *exchange)
{
    if (exchange->refused == 503)
        return mica_exchange_refuse(exchange, 503, MICA_E_BUSY,
                                    "too many calls are waiting; try again");
    switch (exchange->ending) {
    case MICA_LINK_GONE:
        return MHD_NO; // nobody is there to read a reply
    case MICA_LINK_LATE:
        return mica_exchange_refuse(exchange, 504, MICA_E_TIMEOUT,
                                    "the call took longer than this server "
                                    "waits; ask for less");
    case MICA_LINK_OPEN:
        break;
    }
    return mica_exchange_reply(exchange);
}

// ---- Routes --------------------------------------------------------------------

static enum MHD_Result
answer_page(struct mica_http_exchange *exchange,
            void (*page)(struct mica_http_exchange *,
                         struct mica_http_response *))
{
    struct mica_http_response response;

    if (!mica_text_is(exchange->request.method, "GET") &&
        !mica_text_is(exchange->request.method, "HEAD")) {
        mica_page_problem(exchange, 405, MICA_E_UNKNOWN, &response,
                          "%.*s answers GET and HEAD only",
                          MICA_ARG(exchange->request.path));
        response.headers[response.header_count++] = (struct mica_header){
            MICA_LITERAL("Allow"), MICA_LITERAL("GET, HEAD")};
        return send_reply(exchange, &response);
    }
    page(exchange, &response);
    return send_reply(exchange, &response);
}

static enum MHD_Result
answer_whole(struct mica_http_exchange *exchange)
{
    struct mica_text path = exchange->request.path;
    struct mica_http_response response;

    if (exchange->turned_away != NULL)
        return send_reply(exchange, exchange->turned_away);
    if (exchange->refused != 0)
        return mica_exchange_refuse(exchange, exchange->refused,
                                    exchange->refused == 403 ? MICA_E_FORBIDDEN
                                    : exchange->refused == 400 ? MICA_E_FORMAT
                                    : exchange->refused == 503 ? MICA_E_BUSY
                                                               : MICA_E_LIMIT,
                                    exchange->why);
    if (is_endpoint(exchange))
        return answer_message(exchange);
    if (exchange->http->oldest != NULL && mica_oldest_serves(path))
        return mica_oldest_answer(exchange);
    if (exchange->http->auth != NULL &&
        mica_auth_describe(exchange->http->auth, &exchange->request,
                           &exchange->arena, &response))
        return send_reply(exchange, &response);
    if (mica_text_is(path, "/healthz"))
        return answer_page(exchange, mica_page_health);
    if (mica_text_is(path, "/"))
        return answer_page(exchange, mica_page_front);
    mica_page_problem(
        exchange, 404, MICA_E_NOT_FOUND, &response,
        "there is nothing at this path; the MCP endpoint is /mcp");
    return send_reply(exchange, &response);
}

// ---- Reading -------------------------------------------------------------------

// Large bodies of all connections together have a bound.
static bool
count_body(struct mica_http_exchange *exchange, size_t size)
{
    struct mica_http *http = exchange->http;
    size_t more = size - exchange->counted;

    if (size <= SMALL_BODY || more == 0)
        return true;
    if (atomic_fetch_add(&http->body_bytes, more) + more > ALL_BODIES) {
        atomic_fetch_sub(&http->body_bytes, more);
        exchange->refused = 503;
        exchange->why = "too many large bodies are coming in; try again";
        return false;
    }
    exchange->counted = size;
    return true;
}

static enum MHD_Result
take_body(struct mica_http_exchange *exchange, const char *bytes, size_t size)
{
    struct mica_buffer *body = &exchange->body;

    if (exchange->refused == 0 && count_body(exchange, body->len + size)) {
        mica_buffer_add(body, bytes, size);
        if (body->overflow) {
            exchange->refused = 413;
            exchange->why = "the body is larger than this server reads";
        }
    }
    if (exchange->refused == 0)
        return MHD_YES;
    exchange->discarded += size;
    return exchange->discarded <= mica_exchange_bearable(exchange) ? MHD_YES
                                                                   : MHD_NO;
}

static struct mica_link *
link_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info != NULL ? info->socket_context : NULL;
}

static enum MHD_Result
begin(struct mica_http *http, struct MHD_Connection *connection,
      const char *url, const char *method, void **state)
{
    struct mica_link *link = link_of(connection);
    struct mica_http_exchange *exchange =
        link != NULL ? mica_exchange_take(http) : NULL;

    if (exchange == NULL)
        return MHD_NO;
    *state = exchange;
    atomic_fetch_add(&http->active, 1); // before `draining` is looked at
    exchange->connection = connection;
    exchange->link = link;
    exchange->started_ns =
        http->log != NULL || http->metrics != NULL ? mica_time_ns() : 0;
    exchange->request.method = mica_text(method);
    exchange->request.path = mica_text(url);
    exchange->request.body = (struct mica_text){NULL, 0};
    if (!mica_http_read_head(exchange))
        return answer_whole(exchange);
    return MHD_YES;
}

// A subscription lasts long and is small: what has begun it is given back.
static void *
who_stays(struct mica_http_exchange *exchange)
{
    struct mica_listener *listener = exchange->listener;

    if (listener == NULL)
        return exchange;
    mica_exchange_release(exchange);
    return listener;
}

enum MHD_Result
mica_http_answer(void *data, struct MHD_Connection *connection, const char *url,
                 const char *method, const char *version, const char *upload,
                 size_t *upload_size, void **state)
{
    struct mica_http_exchange *exchange = *state;

    (void)version;
    if (exchange == NULL)
        return begin(data, connection, url, method, state);
    if (*upload_size > 0) {
        size_t size = *upload_size;
        *upload_size = 0;
        return take_body(exchange, upload, size);
    }
    if (exchange->stage == MICA_STAGE_READING) {
        enum MHD_Result result = answer_whole(exchange);
        *state = who_stays(exchange);
        return result;
    }
    if (exchange->stage == MICA_STAGE_STREAMING)
        return mica_exchange_stream(exchange, exchange->stream);
    return answer_worked(exchange);
}

// ---- The end -------------------------------------------------------------------

static const char *
outcome(enum mica_link_end ending, enum MHD_RequestTerminationCode code)
{
    if (ending == MICA_LINK_GONE)
        return "gone";
    if (ending == MICA_LINK_LATE)
        return "late";
    switch (code) {
    case MHD_REQUEST_TERMINATED_COMPLETED_OK:
        return "ok";
    case MHD_REQUEST_TERMINATED_CLIENT_ABORT:
    case MHD_REQUEST_TERMINATED_READ_ERROR:
        return "gone";
    case MHD_REQUEST_TERMINATED_TIMEOUT_REACHED:
        return "late";
    case MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN:
    case MHD_REQUEST_TERMINATED_WITH_ERROR:
        break;
    }
    return "closed";
}

// Only names of this server: a stranger must not make labels.
static void
count_request(struct mica_metrics *metrics, const struct mica_message *message,
              const struct mica_log_entry *entry)
{
    struct mica_operation operation = {.version = entry->version,
                                       .code = entry->code,
                                       .transport = "tcp",
                                       .duration_ns = entry->duration_ns};

    mica_metrics_request(metrics, entry->status, entry->code);
    if (entry->rpc.len == 0)
        return;
    if (message->known)
        operation.method = entry->rpc;
    if (message->target != NULL && message->target->offer == MICA_OFFER_TOOL)
        operation.tool = message->target->name;
    mica_metrics_operation(metrics, &operation);
}

// What a request was, for the log and the metrics.
static void
note_request(const struct mica_http_exchange *exchange, const char *outcome)
{
    const struct mica_http *http = exchange->http;
    const struct mica_message *message = &exchange->message;
    struct mica_log_entry entry = {
        .method = exchange->request.method,
        .path = exchange->request.path,
        .code = exchange->code,
        .outcome = outcome,
        .status = exchange->status,
        .duration_ns = mica_time_ns() - exchange->started_ns,
        .bytes_in = exchange->body.len + exchange->discarded,
        .bytes_out = exchange->reply_bytes,
    };

    if (exchange->is_message) {
        entry.rpc = message->method;
        entry.tool = message->name;
        entry.version = mica_text(mica_wire_features(message->wire)->version);
        entry.trace = message->trace;
        if (entry.code == NULL)
            entry.code = message->error_code;
    }
    if (http->log != NULL)
        mica_log_request(http->log, &entry);
    if (http->metrics != NULL)
        count_request(http->metrics, message, &entry);
}

// The same of a subscription, whose message is long gone.
static void
note_listener(const struct mica_listener *listener, const char *outcome)
{
    const struct mica_http *http = listener->http;
    struct mica_log_entry entry = {
        .method = MICA_LITERAL("POST"),
        .path = MICA_LITERAL("/mcp"),
        .rpc = MICA_LITERAL("subscriptions/listen"),
        .version = mica_text(mica_wire_features(listener->wire)->version),
        .trace = mica_text(listener->trace),
        .outcome = outcome,
        .status = 200,
        .duration_ns = mica_time_ns() - listener->started_ns,
        .bytes_in = listener->bytes_in,
        .bytes_out = mica_sse_bytes(listener->sse),
    };
    struct mica_operation operation = {.method = entry.rpc,
                                       .version = entry.version,
                                       .transport = "tcp",
                                       .duration_ns = entry.duration_ns};

    if (http->log != NULL)
        mica_log_request(http->log, &entry);
    if (http->metrics != NULL) {
        mica_metrics_request(http->metrics, entry.status, NULL);
        mica_metrics_operation(http->metrics, &operation);
    }
}

static void
listener_completed(struct mica_listener *listener,
                   enum MHD_RequestTerminationCode code)
{
    struct mica_http *http = listener->http;
    bool gone = mica_sse_state(listener->sse) != MICA_SSE_ENDED;

    mica_stream_done(http, listener->link, listener->sse);
    if (http->log != NULL || http->metrics != NULL)
        note_listener(listener,
                      outcome(gone ? MICA_LINK_GONE : MICA_LINK_OPEN, code));
    atomic_store_explicit(&listener->link->deadline_ms,
                          deadline(http, PATIENCE), memory_order_relaxed);
    mica_listener_close(listener);
}

void
mica_http_completed(void *data, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode code)
{
    enum mica_request_kind *kind = *state;
    struct mica_http_exchange *exchange = *state;

    (void)data;
    (void)connection;
    *state = NULL;
    if (kind == NULL)
        return;
    if (*kind == MICA_REQUEST_LISTENS) {
        listener_completed((void *)kind, code);
        return;
    }
    if (exchange->tells)
        mica_call_stream_left(exchange);
    if (exchange->streams)
        mica_stream_done(exchange->http, exchange->link, exchange->stream);
    exchange->outcome = outcome(exchange->ending, code);
    set_deadline(exchange); // of the next request
    mica_exchange_release(exchange);
}

void
mica_exchange_hold(struct mica_http_exchange *exchange)
{
    atomic_fetch_add_explicit(&exchange->holds, 1, memory_order_relaxed);
}

// By the last of them: only then nobody writes what the log reads.
void
mica_exchange_release(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;

    if (atomic_fetch_sub_explicit(&exchange->holds, 1, memory_order_acq_rel) !=
        1)
        return;
    if (exchange->stream != NULL)
        exchange->reply_bytes = mica_sse_bytes(exchange->stream);
    if (exchange->listener == NULL &&
        (http->log != NULL || http->metrics != NULL))
        note_request(exchange, exchange->outcome);
    mica_sse_drop(exchange->stream);
    if (exchange->is_message)
        mica_message_end(&exchange->message);
    mica_exchange_give(exchange);
    atomic_fetch_sub_explicit(&http->active, 1, memory_order_release);
}

void
mica_http_connected(void *data, struct MHD_Connection *connection, void **link,
                    enum MHD_ConnectionNotificationCode code)
{
    struct mica_http *http = data;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    if (code == MHD_CONNECTION_NOTIFY_STARTED && info != NULL)
        *link = mica_watch_add(http->watch, info->connect_fd,
                               deadline(http, PATIENCE));
    else if (code == MHD_CONNECTION_NOTIFY_CLOSED && *link != NULL) {
        mica_watch_remove(http->watch, *link);
        *link = NULL;
    }
}
