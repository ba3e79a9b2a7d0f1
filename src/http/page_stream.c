// SPDX-License-Identifier: Apache-2.0
//
// Streams of open pages: one of the subscriptions, and a reader.
#include "http/http.h"

enum MHD_Result
mica_exchange_follow(struct mica_http_exchange *exchange,
                     struct mica_reader *(*open)(struct mica_http_exchange *))
{
    struct mica_http *http = exchange->http;
    struct mica_reader *reader = NULL;

    mica_exchange_begin_message(exchange); // for the head of the response
    if (!atomic_load(&http->draining) && mica_subscription_claim(http)) {
        reader = open(exchange);
        if (reader == NULL)
            mica_subscription_release(http);
    }
    if (reader == NULL)
        return mica_exchange_refuse(exchange, 503, MICA_E_BUSY,
                                    "too many pages are open; close some");
    exchange->reader = reader;
    return mica_exchange_stream(exchange, reader->sse);
}
