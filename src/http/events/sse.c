// SPDX-License-Identifier: Apache-2.0
//
// A queue of bytes with one reader. It frees its buffer as soon as all bytes are read,
// so that an idle stream needs no memory but its struct.
#include "http/events/sse.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "http/events/event.h"
#include "platform/clock.h"

enum {
    BLOCK_BYTES = 512, // of a response to HTTP/1.0, which has no chunks
    READ_BYTES = 4096  // that may stay in the buffer before the others
};

struct mica_sse {
    pthread_mutex_t lock;
    pthread_cond_t drained; // bytes were read, or the stream has ended
    atomic_uint references;
    struct MHD_Connection *connection; // SSE-2
    bool suspended;                    // SSE-1
    enum mica_sse_state state;
    struct mica_buffer waiting; // from `start` on
    size_t start, max_bytes, bytes;
    struct mica_text
        last; // borrowed: sent after `waiting`, and `tail` after it
    size_t last_start, tail_start;
    struct mica_sse_tap tap; // or all NULL
};

static const struct mica_text tail = {"\n\n", 2};

struct mica_sse *
mica_sse_new(size_t max_bytes)
{
    struct mica_sse *sse = calloc(1, sizeof *sse);
    pthread_condattr_t attributes;

    if (sse == NULL)
        return NULL;
    pthread_mutex_init(&sse->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sse->drained, &attributes);
    pthread_condattr_destroy(&attributes);
    atomic_init(&sse->references, 1);
    sse->max_bytes = max_bytes;
    mica_buffer_init(&sse->waiting, NULL, SIZE_MAX / 4);
    return sse;
}

void
mica_sse_hold(struct mica_sse *sse)
{
    atomic_fetch_add_explicit(&sse->references, 1, memory_order_relaxed);
}

void
mica_sse_drop(struct mica_sse *sse)
{
    if (sse == NULL || atomic_fetch_sub_explicit(&sse->references, 1,
                                                 memory_order_acq_rel) != 1)
        return;
    mica_buffer_fini(&sse->waiting);
    pthread_cond_destroy(&sse->drained);
    pthread_mutex_destroy(&sse->lock);
    free(sse);
}

// ---- With the lock held ----------------------------------------------------------

static size_t
sse_waiting(const struct mica_sse *sse)
{
    return sse->waiting.len - sse->start;
}

static void
sse_resume(struct mica_sse *sse)
{
    if (!sse->suspended)
        return;
    sse->suspended = false;
    MHD_resume_connection(sse->connection);
}

// Closes the connection of a client that does not read; it would stay until it is idle
// for too long.
static void
sse_shut(const struct mica_sse *sse)
{
    const union MHD_ConnectionInfo *info =
        sse->connection != NULL
            ? MHD_get_connection_info(sse->connection,
                                      MHD_CONNECTION_INFO_CONNECTION_FD)
            : NULL;

    if (info != NULL)
        shutdown(info->connect_fd, SHUT_RDWR); // SSE-2: it is open
}

static void
sse_stop(struct mica_sse *sse, enum mica_sse_state state)
{
    if (sse->state == MICA_SSE_FULL ||
        (sse->state != MICA_SSE_OPEN && state != MICA_SSE_GONE))
        return;
    sse->state = state;
    if (state == MICA_SSE_FULL)
        sse_shut(sse);
    if (state == MICA_SSE_GONE || state == MICA_SSE_FULL) {
        sse->start = 0;
        mica_buffer_fini(&sse->waiting);
        sse->last = (struct mica_text){NULL, 0};
    }
    pthread_cond_broadcast(&sse->drained);
    sse_resume(sse);
}

// Moves the unread bytes to the front, once they are fewer than those that were read.
static void
sse_compact(struct mica_sse *sse)
{
    size_t rest = sse_waiting(sse);

    if (sse->start < READ_BYTES || sse->start < rest)
        return;
    memmove(sse->waiting.ptr, sse->waiting.ptr + sse->start, rest);
    sse->waiting.len = rest;
    sse->start = 0;
}

// Queues an event. Returns false, and queues nothing, if it exceeds max_bytes.
static bool
sse_add(struct mica_sse *sse, struct mica_text id, struct mica_text data,
        unsigned retry_ms)
{
    size_t before;

    sse_compact(sse);
    before = sse->waiting.len;
    mica_event_write(&sse->waiting, id, data, retry_ms);
    if (!sse->waiting.overflow && sse_waiting(sse) <= sse->max_bytes)
        return true;
    sse->waiting.len = before;
    sse->waiting.overflow = false;
    return false;
}

// ---- Read ------------------------------------------------------------------------

static size_t
sse_copy(char *bytes, size_t size, struct mica_text from, size_t *start)
{
    size_t part = from.len - *start < size ? from.len - *start : size;

    memcpy(bytes, from.ptr + *start, part);
    *start += part;
    return part;
}

static size_t
sse_read_final(struct mica_sse *sse, char *bytes, size_t size)
{
    if (sse->last.len > sse->last_start)
        return sse_copy(bytes, size, sse->last, &sse->last_start);
    return sse->last.len > 0 ? sse_copy(bytes, size, tail, &sse->tail_start)
                             : 0;
}

static size_t
sse_read(struct mica_sse *sse, char *bytes, size_t size)
{
    size_t part;

    if (sse_waiting(sse) == 0)
        return sse_read_final(sse, bytes, size);
    part =
        sse_copy(bytes, size, mica_buffer_as_text(&sse->waiting), &sse->start);
    if (sse_waiting(sse) == 0) {
        sse->start = 0;
        mica_buffer_fini(&sse->waiting);
    }
    pthread_cond_broadcast(&sse->drained);
    return part;
}

static ssize_t
sse_read_body(void *data, uint64_t position, char *bytes, size_t size)
{
    struct mica_sse *sse = data;
    ssize_t result;

    (void)position;
    pthread_mutex_lock(&sse->lock);
    result = (ssize_t)sse_read(sse, bytes, size);
    sse->bytes += (size_t)result;
    if (result == 0) {
        switch (sse->state) {
        case MICA_SSE_OPEN:
            sse->suspended = true;
            MHD_suspend_connection(sse->connection);
            break;
        case MICA_SSE_ENDED:
            result = MHD_CONTENT_READER_END_OF_STREAM;
            break;
        case MICA_SSE_GONE:
        case MICA_SSE_FULL:
            // After an error libmicrohttpd closes the connection only when all older
            // ones have had an event; when it cannot write it closes at once.
            sse_shut(sse);
            result = MHD_CONTENT_READER_END_OF_STREAM;
            break;
        }
    }
    pthread_mutex_unlock(&sse->lock);
    if (sse->tap.read != NULL && result > 0)
        sse->tap.read(sse->tap.data, sse->tap.number,
                      (struct mica_text){bytes, (size_t)result});
    return result;
}

// libmicrohttpd is done with the response, however it ended.
static void
sse_response_free(void *data)
{
    struct mica_sse *sse = data;

    pthread_mutex_lock(&sse->lock);
    sse->connection = NULL;
    sse->suspended = false;
    if (sse->state == MICA_SSE_OPEN)
        sse_stop(sse, MICA_SSE_GONE);
    sse->last = (struct mica_text){NULL, 0};
    pthread_mutex_unlock(&sse->lock);
    mica_sse_drop(sse);
}

void
mica_sse_tap(struct mica_sse *sse, const struct mica_sse_tap *tap)
{
    sse->tap = *tap;
}

struct MHD_Response *
mica_sse_response(struct mica_sse *sse, struct MHD_Connection *connection)
{
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK_BYTES, sse_read_body, sse, sse_response_free);

    if (response == NULL)
        return NULL;
    mica_sse_hold(sse);
    pthread_mutex_lock(&sse->lock);
    sse->connection = connection;
    pthread_mutex_unlock(&sse->lock);
    return response;
}

// ---- Send ------------------------------------------------------------------------

bool
mica_sse_send(struct mica_sse *sse, struct mica_text id, struct mica_text data,
              unsigned retry_ms)
{
    bool sent;

    pthread_mutex_lock(&sse->lock);
    sent = sse->state == MICA_SSE_OPEN;
    if (sent) {
        sent = sse_add(sse, id, data, retry_ms);
        if (sent)
            sse_resume(sse);
        else
            sse_stop(sse, MICA_SSE_FULL);
    }
    pthread_mutex_unlock(&sse->lock);
    return sent;
}

bool
mica_sse_write(struct mica_sse *sse, struct mica_text events)
{
    bool sent;

    pthread_mutex_lock(&sse->lock);
    sent = sse->state == MICA_SSE_OPEN &&
           sse_waiting(sse) + events.len <= sse->max_bytes;
    if (sent) {
        mica_buffer_text(&sse->waiting, events);
        sent = !sse->waiting.overflow;
        sse_resume(sse);
    }
    pthread_mutex_unlock(&sse->lock);
    return sent;
}

bool
mica_sse_offer(struct mica_sse *sse, struct mica_text data)
{
    bool sent;

    pthread_mutex_lock(&sse->lock);
    sent = sse->state == MICA_SSE_OPEN &&
           sse_add(sse, (struct mica_text){NULL, 0}, data, 0);
    if (sent)
        sse_resume(sse);
    pthread_mutex_unlock(&sse->lock);
    return sent;
}

bool
mica_sse_await(struct mica_sse *sse, size_t size, unsigned wait_ms)
{
    struct timespec deadline = mica_clock_after(wait_ms);
    bool has_room;

    pthread_mutex_lock(&sse->lock);
    // An event larger than max_bytes never fits, so an empty queue ends the wait.
    while (sse->state == MICA_SSE_OPEN && sse_waiting(sse) > 0 &&
           sse_waiting(sse) + size > sse->max_bytes &&
           pthread_cond_timedwait(&sse->drained, &sse->lock, &deadline) == 0) {
    }
    has_room = sse->state == MICA_SSE_OPEN &&
               sse_waiting(sse) + size <= sse->max_bytes;
    pthread_mutex_unlock(&sse->lock);
    return has_room;
}

void
mica_sse_keep_alive(struct mica_sse *sse)
{
    pthread_mutex_lock(&sse->lock);
    if (sse->state == MICA_SSE_OPEN && sse_waiting(sse) == 0 &&
        sse->connection != NULL) {
        mica_buffer_text(&sse->waiting, MICA_LITERAL(MICA_EVENT_COMMENT));
        sse->waiting.overflow = false; // the comment may be missing
        sse_resume(sse);
    }
    pthread_mutex_unlock(&sse->lock);
}

void
mica_sse_end(struct mica_sse *sse)
{
    pthread_mutex_lock(&sse->lock);
    sse_stop(sse, MICA_SSE_ENDED);
    pthread_mutex_unlock(&sse->lock);
}

static bool
is_line(struct mica_text data)
{
    return data.len > 0 && memchr(data.ptr, '\n', data.len) == NULL &&
           memchr(data.ptr, '\r', data.len) == NULL;
}

void
mica_sse_end_with(struct mica_sse *sse, struct mica_text data)
{
    struct mica_text none = {NULL, 0};

    pthread_mutex_lock(&sse->lock);
    if (sse->state == MICA_SSE_OPEN) {
        enum mica_sse_state state = MICA_SSE_ENDED;
        if (is_line(data)) {
            mica_buffer_text(&sse->waiting, MICA_LITERAL("data: "));
            sse->last = data;
        } else {
            mica_event_write(&sse->waiting, none, data, 0);
        }
        if (sse->waiting.overflow) // no memory: do not send half an event
            state = MICA_SSE_FULL;
        sse_stop(sse, state);
    }
    pthread_mutex_unlock(&sse->lock);
}

void
mica_sse_hang_up(struct mica_sse *sse)
{
    pthread_mutex_lock(&sse->lock);
    sse_stop(sse, MICA_SSE_GONE);
    pthread_mutex_unlock(&sse->lock);
}

enum mica_sse_state
mica_sse_state(struct mica_sse *sse)
{
    enum mica_sse_state state;

    pthread_mutex_lock(&sse->lock);
    state = sse->state;
    pthread_mutex_unlock(&sse->lock);
    return state;
}

bool
mica_sse_is_open(struct mica_sse *sse)
{
    return mica_sse_state(sse) == MICA_SSE_OPEN;
}

size_t
mica_sse_position(struct mica_sse *sse)
{
    size_t position;

    pthread_mutex_lock(&sse->lock);
    position = sse->bytes + sse_waiting(sse);
    pthread_mutex_unlock(&sse->lock);
    return position;
}

size_t
mica_sse_bytes(struct mica_sse *sse)
{
    size_t bytes;

    pthread_mutex_lock(&sse->lock);
    bytes = sse->bytes;
    pthread_mutex_unlock(&sse->lock);
    return bytes;
}
