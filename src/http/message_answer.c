// SPDX-License-Identifier: Apache-2.0
//
// Answers requests of MCP and REST: begins the message, and does its next step on this
// thread, on a worker, on the store thread, or as a stream.
#include "http/http.h"

#include "base/arena.h"
#include "rest/rest.h"

static enum MHD_Result
answer_listen(struct mica_http_exchange *exchange)
{
    struct mica_listener *listener = mica_listener_open(exchange);

    if (listener == NULL)
        return mica_exchange_refuse(exchange, 503, MICA_E_BUSY,
                                    "too many subscriptions are open; try "
                                    "again later, or ask for more in one");
    exchange->reader = &listener->reader;
    mica_exchange_check_stream(exchange);
    return mica_exchange_stream(exchange, listener->reader.sse);
}

bool
mica_exchange_find_party(struct mica_http_exchange *exchange)
{
    const struct mica_http *http = exchange->http;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        exchange->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    struct mica_ip ip;

    if (info == NULL || info->client_addr == NULL ||
        !mica_ip_of_socket(info->client_addr, &ip))
        return false;
    ip = mica_party_client(&http->proxies, ip, exchange->request.headers,
                           exchange->request.header_count);
    exchange->party = mica_party_of(&ip);
    return true;
}

// Only of a caller that is not known.
static void
set_party(struct mica_http_exchange *exchange)
{
    if (!mica_exchange_find_party(exchange))
        return;
    exchange->message.context.party = (struct mica_text){
        (const char *)exchange->party.bytes, sizeof exchange->party.bytes};
}

// The message runs on the endpoint that the request was routed to. Looked up again by its
// key, that could be gone by now, or need another caller than the one that was admitted.
static void
message_set_endpoint(struct mica_http_exchange *exchange)
{
    exchange->message.request.endpoint = exchange->endpoint;
    if (exchange->held != NULL)
        mica_message_route(&exchange->message, exchange->held);
}

void
mica_exchange_begin_message(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;

    exchange->request.body = mica_buffer_as_text(&exchange->body);
    mica_message_init(&exchange->message, http->server, &exchange->arena);
    exchange->stage = MICA_MESSAGE_BEGUN;
    if (http->auth != NULL)
        exchange->message.context.principal = &exchange->principal.party;
    if (!mica_principal_is_known(exchange->message.context.principal))
        set_party(exchange);
    message_set_endpoint(exchange);
}

enum MHD_Result
mica_answer_rest(struct mica_http_exchange *exchange)
{
    struct mica_message *message = &exchange->message;

    mica_exchange_begin_message(exchange);
    mica_rest_begin(message, mica_exchange_allowed(exchange),
                    &exchange->request);
    if (message->step == MICA_STEP_WORK && message->execution.deferred != NULL)
        return mica_exchange_run_deferred(exchange);
    if (message->step == MICA_STEP_WORK &&
        !mica_message_execute_inline(message))
        return mica_exchange_work(exchange);
    return mica_exchange_reply(exchange);
}

enum MHD_Result
mica_answer_step(struct mica_http_exchange *exchange)
{
    struct mica_message *message = &exchange->message;

    if (message->step == MICA_STEP_STREAM)
        return mica_session_request_stream(exchange);
    if (message->step == MICA_STEP_LISTEN)
        return answer_listen(exchange);
    if (message->step == MICA_STEP_WORK && message->execution.deferred != NULL)
        return mica_exchange_run_deferred(exchange);
    if (message->step == MICA_STEP_WORK &&
        !mica_message_execute_inline(message))
        return message->context.session.id.len > 0
                   ? mica_session_request_call(exchange)
                   : mica_exchange_work(exchange);
    return mica_exchange_reply(exchange);
}

// ---- MCP -----------------------------------------------------------------------------

static void
read_message(struct mica_http_exchange *exchange, unsigned takes)
{
    struct mica_http *http = exchange->http;
    struct mica_message *message = &exchange->message;

    message->execution.can_receive_answers = http->server->sessions != NULL;
    message->request.takes = takes;
    mica_message_http(message, mica_exchange_allowed(exchange),
                      &exchange->request);
    exchange->stage = MICA_MESSAGE_BEGINS;
}

// Begins the message again on the store thread, where it may wait for the store.
static void
message_begin_again(void *data)
{
    struct mica_http_exchange *exchange = data;
    struct mica_message *message = &exchange->message;
    const struct mica_principal *principal = message->context.principal;
    struct mica_text party = message->context.party;

    mica_message_end(message);
    mica_arena_rewind(&exchange->arena, &exchange->before);
    mica_message_init(message, exchange->http->server, &exchange->arena);
    message->context.principal = principal;
    message->context.party = party;
    message_set_endpoint(exchange);
    read_message(exchange, MICA_TAKES_STREAMED);
    mica_exchange_resume(exchange, MICA_EXCHANGE_STEP);
}

enum MHD_Result
mica_answer_begun(struct mica_http_exchange *exchange)
{
    struct mica_message *message = &exchange->message;

    if (exchange->stage == MICA_MESSAGE_BEGINS) {
        exchange->stage = MICA_MESSAGE_BEGUN;
        if (message->context.session.id.len > 0 &&
            mica_session_request_deliver(exchange))
            return MHD_YES;
    }
    return mica_answer_step(exchange);
}

enum MHD_Result
mica_answer_message(struct mica_http_exchange *exchange)
{
    exchange->before = exchange->arena;
    mica_exchange_begin_message(exchange);
    read_message(exchange, MICA_TAKES_STREAMED | MICA_TAKES_STORE);
    if (exchange->message.step != MICA_STEP_STORE)
        return mica_answer_begun(exchange);
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_STORE,
                                 message_begin_again, false))
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    return MHD_YES;
}
