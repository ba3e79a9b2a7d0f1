// SPDX-License-Identifier: Apache-2.0
//
// Messages that wait until the view is LIVE: the partial inputs, and all others in the order
// in which they were given. Each queue has an arena, which ends when the queue is sent.
#include "host/host_peer.h"

#include "base/arena.h"

static struct mica_host_queue *
queue_of(struct mica_host *host, enum mica_host_arena which)
{
    return which == MICA_HOST_PARTIALS ? &host->partials : &host->queue;
}

enum mica_status
mica_host_queue_push(struct mica_host *host, enum mica_host_arena which,
                     const struct mica_host_waiting *message,
                     struct mica_error *error)
{
    struct mica_arena *arena = mica_host_arena(host, which);
    struct mica_host_queue *queue = queue_of(host, which);
    struct mica_host_waiting *waiting;

    if (queue->count >= host->limits.queued)
        return mica_host_fail(
            host, MICA_HOST_QUEUE_FULL, error,
            "%u messages wait until the view is initialized. Wait for the "
            "callback \"initialized\".",
            host->limits.queued);
    waiting = mica_arena_zero(arena, 1, sizeof *waiting);
    if (waiting != NULL) {
        *waiting = *message;
        waiting->next = NULL;
        waiting->params = mica_arena_text(arena, message->params);
    }
    if (arena->overflow) {
        arena->overflow = false; // what is in it stays
        return mica_host_no_memory(host, error);
    }
    if (queue->last == NULL)
        queue->last = &queue->first;
    *queue->last = waiting;
    queue->last = &waiting->next;
    queue->count++;
    return MICA_OK;
}

struct mica_host_waiting *
mica_host_queue_take(struct mica_host *host, enum mica_host_arena which,
                     struct mica_arena *arena_out)
{
    struct mica_host_queue *queue = queue_of(host, which);
    struct mica_host_waiting *first = queue->first;

    *arena_out = host->arenas[which];
    mica_arena_init(&host->arenas[which], 0);
    *queue = (struct mica_host_queue){.first = NULL};
    return first;
}

void
mica_host_queues_drop(struct mica_host *host)
{
    struct mica_arena arena;

    (void)mica_host_queue_take(host, MICA_HOST_QUEUE, &arena);
    mica_arena_fini(&arena);
    (void)mica_host_queue_take(host, MICA_HOST_PARTIALS, &arena);
    mica_arena_fini(&arena);
}
