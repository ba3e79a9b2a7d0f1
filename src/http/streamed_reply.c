// SPDX-License-Identifier: Apache-2.0
//
// A reply with a string that is read while it is sent. The exchange has the bytes before
// and after the string; the string is not in memory.
#include <stdlib.h>
#include <string.h>

#include "http/http.h"

enum {
    BLOCK_BYTES = 64 * 1024, // of the file, for each reader
    BYTES_PER_MS = 64        // the slowest reader that is in time
};

struct streamed_reply {
    struct mica_text before, after; // in the exchange
    struct mica_streamed_text *streamed;
};

static size_t
late_copy(struct mica_text text, uint64_t at, char *bytes, size_t size)
{
    size_t count = text.len - (size_t)at < size ? text.len - (size_t)at : size;

    memcpy(bytes, text.ptr + at, count);
    return count;
}

// If the disk fails, the connection breaks, so that the client sees that the body is
// not whole.
static ssize_t
streamed_read(void *data, uint64_t at, char *bytes, size_t size)
{
    struct streamed_reply *reply = data;
    uint64_t length = reply->streamed->length;
    size_t got;

    if (at < reply->before.len)
        return (ssize_t)late_copy(reply->before, at, bytes, size);
    at -= reply->before.len;
    if (at >= length)
        return (ssize_t)late_copy(reply->after, at - length, bytes, size);
    if (size > length - at)
        size = (size_t)(length - at);
    got = reply->streamed->read(reply->streamed, at, bytes, size);
    return got > 0 ? (ssize_t)got : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void
streamed_free(void *data)
{
    struct streamed_reply *reply = data;

    reply->streamed->close(reply->streamed);
    free(reply);
}

struct MHD_Response *
mica_streamed_response(struct mica_http_exchange *exchange,
                       const struct mica_http_response *response)
{
    struct mica_message *message = &exchange->message;
    struct streamed_reply *reply = malloc(sizeof *reply);
    struct MHD_Response *queued;
    uint64_t length;

    if (reply == NULL)
        return NULL;
    reply->before =
        mica_text_slice(response->body, 0, message->reply.streamed_at);
    reply->after = mica_text_slice(response->body, message->reply.streamed_at,
                                   response->body.len);
    reply->streamed = message->execution.call.streamed;
    length = reply->streamed->length;
    queued = MHD_create_response_from_callback(response->body.len + length,
                                               BLOCK_BYTES, streamed_read,
                                               reply, streamed_free);
    if (queued == NULL) {
        free(reply);
        return NULL;
    }
    message->execution.call.streamed = NULL; // the response owns it now
    exchange->reply_bytes = response->body.len + (size_t)length;
    atomic_store_explicit(&exchange->link->deadline_ms,
                          mica_http_deadline(exchange->http) +
                              length / BYTES_PER_MS,
                          memory_order_relaxed);
    return queued;
}
