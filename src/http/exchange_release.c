// SPDX-License-Identifier: Apache-2.0
//
// The last holder of an exchange writes its line of the log and recycles it. A reader
// may need the exchange until its stream ends.
#include "http/http.h"
#include "http/inspect_capture.h"

// Only the last holder writes the line: until then another thread may write the fields
// that the log reads.
void
mica_exchange_release(struct mica_http_exchange *exchange)
{
    struct mica_http *http = exchange->http;

    if (atomic_fetch_sub_explicit(&exchange->references, 1,
                                  memory_order_acq_rel) != 1)
        return;
    if (exchange->reader != NULL) {
        mica_reader_end_exchange(exchange);
        return;
    }
    if (exchange->stream != NULL)
        exchange->reply_bytes = mica_sse_bytes(exchange->stream);
    mica_exchange_note(exchange, exchange->response);
    mica_inspect_end(http, exchange->inspected, exchange->response,
                     exchange->started_ns);
    mica_exchange_end(exchange);
    atomic_fetch_sub_explicit(&http->active, 1, memory_order_release);
}
