// SPDX-License-Identifier: Apache-2.0
//
// What the Inspector of `mica dev` shows: a bounded ring of the requests that clients
// sent, each with its reply. Any thread may call these functions. Nothing here knows
// sockets or libmicrohttpd; inspect_capture.c fills the ring.
//
// Invariants:
//  INSPECT-1. Of the headers of a request only those that mica_inspection_shows names
//             enter the ring, so Authorization and Cookie never do.
//  INSPECT-2. Of a session's id at most MICA_INSPECTION_SESSION bytes enter.
//  INSPECT-3. The oldest exchanges go first when the ring has more than
//             MICA_INSPECTION_COUNT, or more than MICA_INSPECTION_ALL_BYTES of text.
#ifndef MICA_HTTP_INSPECTION_H
#define MICA_HTTP_INSPECTION_H

#include <mica/http.h>

enum {
    MICA_INSPECTION_COUNT = 256,            // exchanges
    MICA_INSPECTION_BODY_BYTES = 64 * 1024, // of each request and each reply
    MICA_INSPECTION_ALL_BYTES = 8 * 1024 * 1024, // of all texts together
    MICA_INSPECTION_HEAD_BYTES =
        8 * 1024,               // of the path and headers of a request
    MICA_INSPECTION_SESSION = 8 // bytes that are kept of a session's id
};

struct mica_inspection;

// NULL for want of memory. Owner: mica_inspection_close.
struct mica_inspection *mica_inspection_open(void);
void mica_inspection_close(struct mica_inspection **inspection);

// May a header of that name be shown? A short list of names decides, so that a secret
// header with an unknown name stays out.
bool mica_inspection_shows(struct mica_text name);

// A request that has come whole. All is copied.
struct mica_inspected_request {
    const char *surface; // "mcp", "rest" or "sse"; not copied
    int64_t at_ms;       // since 1970
    struct mica_text verb, path, query;
    const struct mica_header *headers;
    size_t header_count;
    struct mica_text body;
};

// Adds an exchange; its number, 1, 2, …, or 0 for want of memory. The functions below
// do nothing with 0, and with the number of an exchange that has left the ring.
uint64_t mica_inspection_begin(struct mica_inspection *inspection,
                               const struct mica_inspected_request *request);

// What the message was; each text may be empty.
struct mica_inspected_message {
    struct mica_text version, method, name;
    struct mica_text code; // of a refusal or failure
};
void mica_inspection_name(struct mica_inspection *inspection, uint64_t number,
                          const struct mica_inspected_message *message);

// Keeps the beginning of the id of the session that the exchange belongs to.
void mica_inspection_session(struct mica_inspection *inspection,
                             uint64_t number, struct mica_text id);

// The reply: its status, type, and the part of its body that is in memory.
// `bytes` is the size of the whole body.
struct mica_inspected_reply {
    unsigned status;
    struct mica_text type, body;
    size_t bytes;
};
void mica_inspection_reply(struct mica_inspection *inspection, uint64_t number,
                           const struct mica_inspected_reply *reply);

// More of the body, as it is sent on a stream.
void mica_inspection_add(struct mica_inspection *inspection, uint64_t number,
                         struct mica_text bytes);

// The exchange is over; `outcome` as the log has it ("sent", "gone" …), not copied.
void mica_inspection_end(struct mica_inspection *inspection, uint64_t number,
                         const char *outcome, uint64_t duration_ns);

// Writes what has changed after `after` as one line of JSON, {"change", "forgotten",
// "exchanges": […]}: the exchanges without bodies, the oldest first. Returns the number
// of the last change, which a caller gives next; 0 is before the first.
uint64_t mica_inspection_list(struct mica_inspection *inspection,
                              uint64_t after, struct mica_buffer *out);

// Writes one exchange with its bodies; false: it is not in the ring (any more).
bool mica_inspection_write(struct mica_inspection *inspection, uint64_t number,
                           struct mica_buffer *out);

#endif
