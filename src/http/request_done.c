// SPDX-License-Identifier: Apache-2.0
//
// libmicrohttpd is done with a request: releases the connection's reference to the
// exchange, or to the reader that replaced it.
#include "http/http.h"

static void
end_request(void *state, enum MHD_RequestTerminationCode code)
{
    enum mica_request_kind *kind = state;
    struct mica_http_exchange *exchange = state;

    if (kind == NULL)
        return;
    if (*kind != MICA_REQUEST_EXCHANGE) {
        mica_reader_completed((void *)kind, code);
        return;
    }
    if (exchange->state ==
        MICA_EXCHANGE_HEAD) { // the client never sent the headers
        mica_exchange_move(exchange, MICA_EXCHANGE_SENT);
        mica_exchange_recycle(exchange);
        return;
    }
    if (exchange->stream != NULL)
        mica_call_stream_disconnect(exchange);
    if (exchange->state == MICA_EXCHANGE_STREAM)
        mica_stream_done(exchange->http, exchange->link, exchange->stream);
    exchange->response = mica_http_response_name(exchange->link_end, code);
    mica_exchange_set_deadline(exchange); // of the next request
    mica_exchange_move(exchange, MICA_EXCHANGE_SENT);
    mica_exchange_release(exchange);
}

void
mica_http_completed(void *data, struct MHD_Connection *connection, void **state,
                    enum MHD_RequestTerminationCode code)
{
    struct mica_link *link = mica_http_link(connection);

    (void)data;
    end_request(*state, code);
    *state = NULL;
    if (link != NULL)
        mica_guard_completed(&link->guard, code);
}
