// SPDX-License-Identifier: Apache-2.0
//
// libmicrohttpd 0.9.75 has no hook between the socket and its parser, and its parser is
// lenient. So guard_recv replaces its import of recv (import.c). It finds the guard by
// the descriptor, and calls recv for a descriptor without one.
#include "http/http_guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "http/import.h"
#include "serve/refuse.h"

enum {
    PAGE = 1024, // descriptors
    PAGES = 1024,
    SCRATCH_BYTES = 4096,
    REFUSAL_BYTES = 2048
};

struct page {
    _Atomic(struct mica_guard *) guards[PAGE];
};

// By descriptor. A page is never freed, as another thread may read it.
static _Atomic(struct page *) pages[PAGES];

static atomic_bool reads; // libmicrohttpd calls guard_recv

static struct page *
page_at(int fd)
{
    if (fd < 0 || fd >= PAGE * PAGES)
        return NULL;
    return atomic_load_explicit(&pages[fd / PAGE], memory_order_acquire);
}

static struct mica_guard *
guard_of(int fd)
{
    struct page *page = page_at(fd);

    return page != NULL ? atomic_load_explicit(&page->guards[fd % PAGE],
                                               memory_order_acquire)
                        : NULL;
}

// NULL for want of memory; then the connection has no guard [GUARD-3].
static struct page *
make_page(int fd)
{
    struct page *page = page_at(fd), *other = NULL;

    if (page != NULL || fd < 0 || fd >= PAGE * PAGES)
        return page;
    page = calloc(1, sizeof *page);
    if (page == NULL ||
        atomic_compare_exchange_strong(&pages[fd / PAGE], &other, page))
        return page;
    free(page);
    return other;
}

// ---- Refuse ------------------------------------------------------------------------

enum mica_status
mica_guard_code(const struct mica_guard *guard)
{
    enum mica_fault fault = (enum mica_fault)guard->framing.fault;

    return mica_fault_status(fault) == 431 ? MICA_E_LIMIT : MICA_E_FORMAT;
}

static void
write_refusal(const struct mica_guard *guard, struct mica_buffer *body)
{
    enum mica_fault fault = (enum mica_fault)guard->framing.fault;
    unsigned status = mica_fault_status(fault);
    enum mica_status code = mica_guard_code(guard);

    if (guard->framing.speaks_mcp)
        mica_refuse_write(body, (struct mica_text){NULL, 0},
                          MICA_REFUSE_REQUEST, code, "%s",
                          mica_fault_text(fault));
    else
        mica_problem_details_write(body, guard->added, status, code, "%s",
                                   mica_fault_text(fault));
}

static const char *
reason_phrase(unsigned status)
{
    switch (status) {
    case 431:
        return "Request Header Fields Too Large";
    case 505:
        return "HTTP Version Not Supported";
    default:
        return "Bad Request";
    }
}

// Sends without waiting: the socket's buffer is empty, as everything before was sent. If
// it is full, the client does not read, and gets no refusal.
static void
send_refusal(const struct mica_guard *guard)
{
    unsigned status = mica_fault_status((enum mica_fault)guard->framing.fault);
    char text[REFUSAL_BYTES], storage[REFUSAL_BYTES / 2];
    struct mica_buffer body = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    int length;

    write_refusal(guard, &body);
    if (body.overflow)
        body.len = 0;
    length =
        snprintf(text, sizeof text,
                 "HTTP/1.1 %u %s\r\nConnection: close\r\nContent-Type: %s\r\n"
                 "Content-Length: %zu\r\nCache-Control: no-store\r\n"
                 "X-Content-Type-Options: nosniff\r\n\r\n%.*s",
                 status, reason_phrase(status),
                 guard->framing.speaks_mcp ? "application/json"
                                           : "application/problem+json",
                 body.len, MICA_ARG(mica_buffer_as_text(&body)));
    if (length > 0 && (size_t)length < sizeof text)
        (void)send(guard->fd, text, (size_t)length,
                   MSG_NOSIGNAL | MSG_DONTWAIT);
}

// RFC 9112, 9.6: closes the server's side first and then discards the input, or the
// client could lose the refusal.
static void
guard_refuse(struct mica_guard *guard)
{
    guard->state = MICA_GUARD_DEAF;
    if (guard->closes) {
        (void)shutdown(guard->fd, SHUT_RDWR);
        return;
    }
    guard->closes = true;
    send_refusal(guard);
    (void)shutdown(guard->fd, SHUT_WR);
    if (guard->refused != NULL)
        guard->refused(guard, guard->data);
}

// ---- Read --------------------------------------------------------------------------

static ssize_t
read_would_block(void)
{
    errno = EAGAIN;
    return -1;
}

// Discards input until the client closes, or the connection's deadline passes.
static ssize_t
guard_ignore(struct mica_guard *guard)
{
    char scratch[SCRATCH_BYTES];

    while (guard->ignored < MICA_GUARD_LINGER_BYTES) {
        ssize_t got = recv(guard->fd, scratch, sizeof scratch, 0);
        if (got <= 0)
            return got;
        guard->ignored += (size_t)got;
    }
    return 0;
}

static bool
has_gone(int fd)
{
    char next;
    ssize_t got = recv(fd, &next, 1, MSG_PEEK | MSG_DONTWAIT);

    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

// Checks bytes that recv returned. Returns how many of them libmicrohttpd gets; 0: the
// connection ends.
//
// After a read that does not fill its buffer libmicrohttpd waits for epoll, which is
// edge-triggered. If the end of the input arrived with those bytes, epoll never reports
// it, and an incomplete request would hold its memory until its deadline. So this checks
// for the end of the input when a request is incomplete.
static ssize_t
guard_check(struct mica_guard *guard, const char *bytes, size_t size,
            bool filled)
{
    struct mica_framing *framing = &guard->framing;
    size_t right = mica_framing_read(framing, bytes, size);

    if (right == size)
        return !filled && !mica_framing_is_between(framing) &&
                       has_gone(guard->fd)
                   ? 0
                   : (ssize_t)size;
    if (framing->fault == MICA_FAULT_NONE) { // after the last request
        guard->state = MICA_GUARD_DEAF;
    } else {
        guard->state = MICA_GUARD_REFUSES;
        if (guard->done >= framing->ended) {
            guard_refuse(guard);
            return guard_ignore(guard);
        }
    }
    return right > 0 ? (ssize_t)right : read_would_block();
}

// Before a read. Returns false if the server's side is closed.
static bool
guard_set_busy(struct mica_guard *guard)
{
    int use = MICA_GUARD_QUIET;

    while (use != MICA_GUARD_CLOSED &&
           !atomic_compare_exchange_weak(&guard->use, &use, MICA_GUARD_BUSY))
        continue;
    return use != MICA_GUARD_CLOSED;
}

// After a read without input, or a reply: the connection may be quiet now.
static void
guard_set_quiet(struct mica_guard *guard)
{
    int use = MICA_GUARD_BUSY;

    if (mica_framing_is_between(&guard->framing) &&
        guard->done >= guard->framing.ended)
        (void)atomic_compare_exchange_strong(&guard->use, &use,
                                             MICA_GUARD_QUIET);
}

// libmicrohttpd calls this instead of recv.
static ssize_t
guard_recv(int fd, void *bytes, size_t size, int flags)
{
    struct mica_guard *guard = guard_of(fd);
    ssize_t got;

    if (guard != NULL &&
        (guard->state != MICA_GUARD_OPEN || !guard_set_busy(guard)))
        return guard_ignore(guard);
    got = recv(fd, bytes, size, flags);
    if (guard != NULL && got < 0)
        guard_set_quiet(guard);
    if (guard == NULL || got <= 0)
        return got;
    return guard_check(guard, bytes, (size_t)got, (size_t)got == size);
}

// ---- Connections -------------------------------------------------------------------

// MHD_get_version loads the library if it is loaded late (late_library.c).
static void
http_guard_install(void)
{
    (void)MHD_get_version();
    atomic_store(&reads, mica_import_replace("libmicrohttpd.so", "recv",
                                             (mica_import *)guard_recv));
}

void
mica_guard_install(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, http_guard_install);
}

void
mica_guard_open(struct mica_guard *guard, int fd, size_t pool_bytes,
                const struct mica_base_path *base)
{
    static const struct mica_base_path none = {.stripped = {NULL, 0}};
    struct page *page = make_page(fd);

    if (base == NULL)
        base = &none;
    mica_framing_init(&guard->framing,
                      pool_bytes - MICA_GUARD_REPLY_HEAD_BYTES);
    guard->added = base->added;
    guard->fd = fd;
    guard->state = MICA_GUARD_OPEN;
    atomic_init(&guard->use, MICA_GUARD_QUIET);
    guard->closes = false;
    guard->begun = guard->done = 0;
    guard->ignored = 0;
    if (page != NULL)
        atomic_store_explicit(&page->guards[fd % PAGE], guard,
                              memory_order_release);
}

void
mica_guard_close(struct mica_guard *guard)
{
    struct page *page = page_at(guard->fd);

    if (page != NULL)
        atomic_store_explicit(&page->guards[guard->fd % PAGE], NULL,
                              memory_order_release);
}

bool
mica_guard_has_seen_head(struct mica_guard *guard)
{
    return ++guard->begun <= guard->framing.heads;
}

size_t
mica_guard_reply_room(const struct mica_guard *guard)
{
    if (guard->begun > guard->framing.heads)
        return SIZE_MAX;
    return MICA_GUARD_REPLY_HEAD_BYTES +
           (guard->begun == guard->framing.heads ? guard->framing.spare : 0);
}

// Is there input that the guard has not read? It will be answered.
static bool
has_come(int fd)
{
    char next;

    return recv(fd, &next, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

void
mica_guard_half_close(struct mica_guard *guard, int fd)
{
    int use = MICA_GUARD_QUIET;

    if (!atomic_load(&reads) || guard_of(fd) != guard ||
        atomic_compare_exchange_strong(&guard->use, &use, MICA_GUARD_SEEN) ||
        use != MICA_GUARD_SEEN || has_come(fd))
        return;
    if (atomic_compare_exchange_strong(&guard->use, &use, MICA_GUARD_CLOSED))
        (void)shutdown(fd, SHUT_WR);
}

void
mica_guard_mark_last_answer(struct mica_guard *guard)
{
    guard->closes = true;
}

// libmicrohttpd closes the connection after some replies: those to HTTP/1.0, in which
// the end of the connection ends a stream, and those that were not sent whole.
void
mica_guard_completed(struct mica_guard *guard,
                     enum MHD_RequestTerminationCode code)
{
    guard->done++;
    guard_set_quiet(guard);
    if (guard->state != MICA_GUARD_REFUSES)
        return;
    if (code != MHD_REQUEST_TERMINATED_COMPLETED_OK ||
        guard->framing.minor_zero || guard->framing.unsure)
        guard->closes = true;
    if (guard->done >= guard->framing.ended)
        guard_refuse(guard);
}
