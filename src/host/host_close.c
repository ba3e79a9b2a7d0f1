// SPDX-License-Identifier: Apache-2.0
//
// The end of a host: everything that is open ends, and what the view gave is forgotten. The
// arenas of single things go at once; the host itself stays until mica_host_free, since the
// program may still ask about it.
#include "host/host_peer.h"

#include "base/arena.h"

static void
close_requests(struct mica_host *host)
{
    mica_host_queues_drop(host);
    mica_host_asked_close(host, true);
    mica_host_abandon(host, "The view has ended.");
}

void
mica_host_close(struct mica_host *host)
{
    struct mica_arena mark;

    if (host->state == MICA_HOST_CLOSED)
        return;
    mark = mica_host_enter(host);
    host->changed_ms = MICA_HOST_NEVER;
    // From TEARDOWN on a callback cannot open anything again (HOST-1).
    mica_host_queues_drop(host);
    (void)mica_host_move(host, MICA_HOST_TEARDOWN);
    close_requests(host);
    if (mica_host_move(host, MICA_HOST_CLOSED)) {
        mica_arena_fini(&host->arenas[MICA_HOST_MODEL]);
        mica_arena_fini(&host->arenas[MICA_HOST_MODEL_NEXT]);
        mica_arena_fini(&host->arenas[MICA_HOST_INPUT]);
        mica_arena_fini(&host->arenas[MICA_HOST_END]);
        host->model = host->model_next = (struct mica_text){NULL, 0};
        host->input = host->end_params = host->model;
        if (host->callbacks.closed != NULL)
            host->callbacks.closed(host->user);
    }
    mica_host_leave(host, &mark);
}
