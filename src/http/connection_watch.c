// SPDX-License-Identifier: Apache-2.0
//
// One epoll reports the hang-ups of suspended connections; every tick the thread checks
// all deadlines while there are connections. connection_watch.h has the invariants.
#include "http/connection_watch.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/clock.h"
#include "serve/stop.h"
#include "store/serving_thread.h"

enum {
    EVENTS = 64,
    STACK_BYTES = 256 << 10,
    KEEP_ALIVE_MS = 15 * 1000, // of an idle stream
    BATCH = 64,                // streams that are kept alive at once
    TRIM_MS = 1000             // at least, between two returns of memory
};

#define WAKE UINT64_MAX // the event of `wake`

struct mica_watch {
    pthread_mutex_t lock;
    pthread_t thread;
    int epoll, wake;
    unsigned tick_ms;
    bool closing;
    atomic_bool trims; // memory is to be returned
    size_t used, high; // links in use; none at or above `high`
    size_t count;
    uint32_t *free; // a stack of indices
    size_t free_count;
    struct mica_link links[];
};

static void
watch_wake(struct mica_watch *watch)
{
    uint64_t one = 1;
    ssize_t written = write(watch->wake, &one, sizeof one);

    (void)written;
}

// With the lock held.
static void
link_end(struct mica_link *link, enum mica_link_end ending)
{
    if (link->ending == MICA_LINK_OPEN)
        link->ending = ending;
    atomic_store(link->cancelled, true);
}

static void
link_hung_up(struct mica_watch *watch, uint64_t data)
{
    uint32_t index = (uint32_t)data, generation = (uint32_t)(data >> 32);
    struct mica_sse *stream = NULL;

    pthread_mutex_lock(&watch->lock);
    struct mica_link *link = &watch->links[index];
    if (link->fd >= 0 && link->generation == generation) {
        if (link->cancelled != NULL && link->hangup)
            link_end(link, MICA_LINK_GONE);
        stream = link->stream;
        if (stream != NULL)
            mica_sse_hold(stream);
    }
    pthread_mutex_unlock(&watch->lock);
    if (stream != NULL)
        mica_sse_hang_up(stream);
    mica_sse_drop(stream);
}

// With the lock held.
static void
link_check_deadline(struct mica_link *link, uint64_t now)
{
    if (atomic_load_explicit(&link->deadline_ms, memory_order_relaxed) > now)
        return;
    if (link->cancelled != NULL && link->ending != MICA_LINK_LATE) {
        link_end(link, MICA_LINK_LATE);
        if (link->stream !=
            NULL) // the end of the stream may take as long again
            atomic_store_explicit(&link->deadline_ms, now + link->limit_ms,
                                  memory_order_relaxed);
    } else if (link->cancelled == NULL || link->stream != NULL) {
        shutdown(link->fd, SHUT_RDWR); // libmicrohttpd then closes it
    }
}

// Called and returns with the lock held; unlocks it for the streams.
static void
watch_keep_alive(struct mica_watch *watch, struct mica_sse *streams[BATCH],
                 size_t *count)
{
    pthread_mutex_unlock(&watch->lock);
    for (size_t i = 0; i < *count; i++) {
        mica_sse_keep_alive(streams[i]);
        mica_sse_drop(streams[i]);
    }
    *count = 0;
    pthread_mutex_lock(&watch->lock);
}

static void
watch_check_links(struct mica_watch *watch)
{
    uint64_t now = mica_clock_coarse_ms();
    struct mica_sse *streams[BATCH];
    size_t count = 0;

    pthread_mutex_lock(&watch->lock);
    for (size_t i = 0; i < watch->high; i++) {
        struct mica_link *link = &watch->links[i];
        if (link->fd < 0)
            continue;
        link_check_deadline(link, now);
        if (link->stream == NULL || link->next_keep_alive_ms > now)
            continue;
        link->next_keep_alive_ms = now + KEEP_ALIVE_MS;
        mica_sse_hold(link->stream);
        streams[count++] = link->stream;
        if (count == BATCH)
            watch_keep_alive(watch, streams, &count);
    }
    watch_keep_alive(watch, streams, &count);
    pthread_mutex_unlock(&watch->lock);
}

// Returns freed memory at most once a second, and not on a serving thread, as it walks
// the whole heap. Other C libraries than glibc return memory by themselves.
static void
watch_return_memory(struct mica_watch *watch, uint64_t *next_ms)
{
    uint64_t now = mica_clock_coarse_ms();

    if (!atomic_load_explicit(&watch->trims, memory_order_relaxed) ||
        now < *next_ms)
        return;
    atomic_store_explicit(&watch->trims, false, memory_order_relaxed);
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
    *next_ms = mica_clock_coarse_ms() + TRIM_MS;
}

static void *
connection_watch_run(void *data)
{
    struct mica_watch *watch = data;
    struct epoll_event events[EVENTS];
    uint64_t count, next = 0, next_trim = 0;

    mica_serving_thread_set(true);
    for (;;) {
        pthread_mutex_lock(&watch->lock);
        bool closing = watch->closing;
        bool idle = watch->used == 0 && !atomic_load(&watch->trims);
        pthread_mutex_unlock(&watch->lock);
        if (closing)
            return NULL;
        int got = epoll_wait(watch->epoll, events, EVENTS,
                             idle ? -1 : (int)watch->tick_ms);
        for (int i = 0; i < got; i++) {
            if (events[i].data.u64 != WAKE)
                link_hung_up(watch, events[i].data.u64);
            else if (read(watch->wake, &count, sizeof count) < 0)
                continue;
        }
        if (mica_clock_coarse_ms() >= next) {
            watch_check_links(watch);
            next = mica_clock_coarse_ms() + watch->tick_ms;
        }
        watch_return_memory(watch, &next_trim);
    }
}

static enum mica_status
watch_start(struct mica_watch *watch, struct mica_error *error)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = WAKE};
    pthread_attr_t attributes;
    sigset_t before;
    int failed;

    watch->epoll = epoll_create1(EPOLL_CLOEXEC);
    watch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (watch->epoll < 0 || watch->wake < 0 ||
        epoll_ctl(watch->epoll, EPOLL_CTL_ADD, watch->wake, &event) != 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot watch connections: %s", strerror(errno));
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    mica_stop_block(&before);
    failed = pthread_create(&watch->thread, &attributes, connection_watch_run,
                            watch);
    mica_stop_unblock(&before);
    pthread_attr_destroy(&attributes);
    if (failed != 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot start a thread to watch connections: %s",
                              strerror(failed));
    return MICA_OK;
}

static void
watch_release(struct mica_watch *watch)
{
    if (watch->epoll >= 0)
        close(watch->epoll);
    if (watch->wake >= 0)
        close(watch->wake);
    pthread_mutex_destroy(&watch->lock);
    free(watch->free);
    free(watch);
}

enum mica_status
mica_watch_open(size_t connections, unsigned tick_ms, struct mica_error *error,
                struct mica_watch **watch_out)
{
    struct mica_watch *watch =
        calloc(1, sizeof *watch + connections * sizeof watch->links[0]);
    enum mica_status status;

    if (watch != NULL)
        watch->free = malloc(connections * sizeof *watch->free);
    if (watch == NULL || watch->free == NULL) {
        free(watch);
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for %zu connections", connections);
    }
    pthread_mutex_init(&watch->lock, NULL);
    watch->epoll = watch->wake = -1;
    watch->tick_ms = tick_ms;
    watch->count = connections;
    // Return the memory that reading the engines has freed.
    atomic_init(&watch->trims, true);
    status = watch_start(watch, error);
    if (status != MICA_OK) {
        watch_release(watch);
        return status;
    }
    *watch_out = watch;
    return MICA_OK;
}

void
mica_watch_close(struct mica_watch **watch)
{
    struct mica_watch *self = *watch;

    if (self == NULL)
        return;
    pthread_mutex_lock(&self->lock);
    self->closing = true;
    pthread_mutex_unlock(&self->lock);
    watch_wake(self);
    pthread_join(self->thread, NULL);
    watch_release(self);
    *watch = NULL;
}

struct mica_link *
mica_link_of_guard(const struct mica_guard *guard)
{
    uintptr_t address = (uintptr_t)guard - offsetof(struct mica_link, guard);

    return (struct mica_link *)address;
}

struct mica_link *
mica_watch_add(struct mica_watch *watch, int fd, uint64_t deadline_ms)
{
    struct mica_link *link = NULL;
    bool first = false;

    pthread_mutex_lock(&watch->lock);
    if (watch->free_count > 0)
        link = &watch->links[watch->free[--watch->free_count]];
    else if (watch->high < watch->count) {
        link = &watch->links[watch->high];
        link->index = (uint32_t)watch->high++;
    }
    if (link != NULL) {
        link->fd = fd;
        link->cancelled = NULL;
        link->stream = NULL;
        link->armed = false;
        link->ending = MICA_LINK_OPEN;
        atomic_store(&link->deadline_ms, deadline_ms);
        first = watch->used++ == 0;
    }
    pthread_mutex_unlock(&watch->lock);
    if (first)
        watch_wake(watch);
    return link;
}

void
mica_watch_remove(struct mica_watch *watch, struct mica_link *link)
{
    pthread_mutex_lock(&watch->lock);
    link->fd = -1;
    link->generation++;
    watch->used--;
    watch->free[watch->free_count++] = link->index;
    pthread_mutex_unlock(&watch->lock);
}

// Has epoll report when the client closes its side. With the lock held.
static void
watch_arm(struct mica_watch *watch, struct mica_link *link)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT};

    link->generation++;
    event.data.u64 = (uint64_t)link->generation << 32 | link->index;
    (void)epoll_ctl(watch->epoll, link->armed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
                    link->fd, &event);
    link->armed = true;
}

static void
watch_disarm(struct mica_watch *watch, struct mica_link *link)
{
    if (link->armed)
        (void)epoll_ctl(watch->epoll, EPOLL_CTL_DEL, link->fd, NULL);
    link->armed = false;
    link->generation++;
}

void
mica_watch_suspend(struct mica_watch *watch, struct mica_link *link,
                   atomic_bool *cancelled, bool hangup, uint64_t deadline_ms)
{
    uint64_t now = mica_clock_coarse_ms();

    pthread_mutex_lock(&watch->lock);
    link->generation++;
    link->cancelled = cancelled;
    link->hangup = hangup;
    link->ending = MICA_LINK_OPEN;
    link->limit_ms = deadline_ms > now ? deadline_ms - now : 0;
    atomic_store(&link->deadline_ms, deadline_ms);
    if (hangup)
        watch_arm(watch, link);
    pthread_mutex_unlock(&watch->lock);
}

enum mica_link_end
mica_watch_resume(struct mica_watch *watch, struct mica_link *link)
{
    pthread_mutex_lock(&watch->lock);
    link->cancelled = NULL;
    if (link->stream == NULL)
        watch_disarm(watch, link);
    enum mica_link_end ending = link->ending;
    pthread_mutex_unlock(&watch->lock);
    return ending;
}

void
mica_watch_stream(struct mica_watch *watch, struct mica_link *link,
                  struct mica_sse *sse)
{
    mica_sse_hold(sse);
    pthread_mutex_lock(&watch->lock);
    link->stream = sse;
    link->next_keep_alive_ms = mica_clock_coarse_ms() + KEEP_ALIVE_MS;
    watch_arm(watch,
              link); // a hang-up that epoll has reported, it reports again
    pthread_mutex_unlock(&watch->lock);
}

void
mica_watch_unstream(struct mica_watch *watch, struct mica_link *link)
{
    struct mica_sse *stream;

    pthread_mutex_lock(&watch->lock);
    stream = link->stream;
    link->stream = NULL;
    watch_disarm(watch, link);
    pthread_mutex_unlock(&watch->lock);
    mica_sse_drop(stream);
}

void
mica_watch_trim(struct mica_watch *watch)
{
    if (!atomic_exchange(&watch->trims, true))
        watch_wake(watch);
}

size_t
mica_watch_half_close(struct mica_watch *watch)
{
    size_t used;

    pthread_mutex_lock(&watch->lock);
    for (size_t i = 0; i < watch->high; i++) {
        struct mica_link *link = &watch->links[i];
        if (link->fd >= 0) // and it is open [WATCH-1]
            mica_guard_half_close(&link->guard, link->fd);
    }
    used = watch->used;
    pthread_mutex_unlock(&watch->lock);
    return used;
}

void
mica_watch_cancel_all(struct mica_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    for (size_t i = 0; i < watch->high; i++) {
        if (watch->links[i].fd >= 0 && watch->links[i].cancelled != NULL)
            link_end(&watch->links[i], MICA_LINK_LATE);
    }
    pthread_mutex_unlock(&watch->lock);
}
