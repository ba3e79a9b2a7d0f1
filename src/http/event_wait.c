// SPDX-License-Identifier: Apache-2.0
//
// event_wait replaces libmicrohttpd's import of epoll_wait (import.c).
#include "http/event_wait.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/epoll.h>

#include <microhttpd.h>

#include "http/import.h"

// The last epoll_wait of this I/O thread filled its array: the next one asks for the rest.
static _Thread_local bool asks_for_rest;

static int
event_wait(int epoll, struct epoll_event *events, int max, int timeout_ms)
{
    int got = epoll_wait(epoll, events, max, asks_for_rest ? 0 : timeout_ms);

    asks_for_rest = got == max;
    return got;
}

// MHD_get_version loads the library if it is loaded late (late_library.c).
static void
event_wait_install(void)
{
    (void)MHD_get_version();
    (void)mica_import_replace("libmicrohttpd.so", "epoll_wait",
                              (mica_import *)event_wait);
}

void
mica_event_wait_install(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, event_wait_install);
}
