// SPDX-License-Identifier: Apache-2.0
//
// What the two files of the Inspector's ring share: inspection.c, which has the ring, and
// inspected.c, which has one exchange. All of these functions are called with the ring's
// lock held.
#ifndef MICA_HTTP_INSPECTED_H
#define MICA_HTTP_INSPECTED_H

#include <pthread.h>

#include <mica/json.h>

#include "http/inspection.h"

// A body, as far as it is kept.
struct mica_inspected_body {
    struct mica_buffer text; // on the heap
    size_t bytes;            // of the whole
};

struct mica_inspected {
    uint64_t number, change; // number 0: the place is free
    const char *surface, *outcome;
    int64_t at_ms;
    uint64_t duration_ns;
    unsigned status;
    char session[MICA_INSPECTION_SESSION + 1];
    struct mica_buffer verb, path, headers; // on the heap; the last is JSON
    struct mica_buffer version, method, name, code, type;
    struct mica_inspected_body request, reply;
};

struct mica_inspection {
    pthread_mutex_t lock;
    uint64_t numbers, changes; // given so far
    uint64_t oldest;           // number of the oldest exchange that is there
    size_t bytes;              // of all texts
    struct mica_inspected ring[MICA_INSPECTION_COUNT];
};

void mica_inspected_init(struct mica_inspected *exchange);
void mica_inspected_free(struct mica_inspected *exchange);

// Memory of all its texts.
size_t mica_inspected_bytes(const struct mica_inspected *exchange);

// Keeps what fits of a text that is shown.
void mica_inspected_keep(struct mica_buffer *buffer, struct mica_text text);

void mica_inspected_keep_request(struct mica_inspected *exchange,
                                 const struct mica_inspected_request *request);
void mica_inspected_keep_session(struct mica_inspected *exchange,
                                 struct mica_text id);
void mica_inspected_add(struct mica_inspected_body *body,
                        struct mica_text bytes);

// Members of an object: without bodies, and whole.
void mica_inspected_write_head(struct mica_json_writer *writer,
                               const struct mica_inspected *exchange);
void mica_inspected_write(struct mica_json_writer *writer,
                          const struct mica_inspected *exchange);

#endif
