// SPDX-License-Identifier: Apache-2.0
//
// Fills the Inspector's ring (inspection.h) from exchanges, in `mica dev` alone: a
// server that is not in development has no ring, and these functions do nothing.
#ifndef MICA_HTTP_INSPECT_CAPTURE_H
#define MICA_HTTP_INSPECT_CAPTURE_H

#include <stdint.h>

#include <mica/base.h>

struct mica_http;
struct mica_http_exchange;
struct mica_http_response;
struct mica_sse;

// A request has come whole; its route says whether the Inspector shows it. On the I/O
// thread.
void mica_inspect_begin(struct mica_http_exchange *exchange);

// What its message is, and what became of it: from the thread that owns the message, before
// it hands the message over, and when it has the reply.
void mica_inspect_name(struct mica_http_exchange *exchange);

// Its reply is queued. On the I/O thread; does not read the message.
void mica_inspect_reply(struct mica_http_exchange *exchange,
                        const struct mica_http_response *response);

// The same for a stream, whose bytes are kept as they are sent.
void mica_inspect_stream(struct mica_http_exchange *exchange,
                         struct mica_sse *sse);

// The transport of 2024-11-05: the session of a stream; and a reply, which comes on the
// stream and not to the POST.
void mica_inspect_session(struct mica_http_exchange *exchange,
                          struct mica_text id);
void mica_inspect_message(struct mica_http_exchange *exchange,
                          struct mica_text reply);

// The last holder of the request is done with it. 0 is the number of no exchange.
void mica_inspect_end(struct mica_http *http, uint64_t number,
                      const char *outcome, uint64_t started_ns);

#endif
