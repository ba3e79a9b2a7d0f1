// SPDX-License-Identifier: Apache-2.0
//
// Ends a server without a reset of any connection: a load balancer learns of the end
// in advance, and a connection closes only after its client knows.
//
//   SIGTERM -> leaving: the server serves everything; each reply closes its
//              connection; /healthz says "draining" with 503  (drain_ms)
//           -> draining: the listener closes, streams and requests end; quiet
//              connections are half-closed                (DRAIN_MS, then CANCEL_MS)
//           -> lingering: the server discards the input of half-closed connections
//              until their clients close them             (LINGER_MS)
//
// After SIGINT, a second signal or the death of the parent the server skips the first
// and the last phase; so does a server without drain_ms.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/address.h"
#include "http/dev_events.h"
#include "http/http.h"
#include "http/http_sse/http_sse.h"
#include "http/inspect_routes.h"
#include "http/io_standstill.h"
#include "platform/clock.h"
#include "serve/stop.h"

enum {
    HANDSHAKES_MS = 50,  // for handshakes that have begun
    DRAIN_MS = 10000,    // for requests to end by themselves
    CANCEL_MS = 5000,    // for cancelled calls to end
    LAST_READ_MS = 1000, // for clients to read the end of their streams
    LINGER_MS = 5000,    // for clients to close half-closed connections
    HALF_CLOSE_MS = 250, // between two attempts
    POLL_MS = 10
};

static bool
is_gentle(const struct mica_http *http)
{
    return http->drain_ms > 0 && !mica_stop_hurries();
}

// ---- Leaving -------------------------------------------------------------------

// Stops accepting. Returns the listener, which the caller closes later: the I/O thread
// may still use the descriptor.
static int
stop_listening(struct mica_http *http, int listener)
{
    if (is_gentle(http)) {
        mica_address_drain(listener);
        (void)poll(NULL, 0, HANDSHAKES_MS);
    }
    listener = mica_standstill_quiesce(&http->standstill, http->daemon,
                                       http->io_threads);
    if (listener >= 0)
        shutdown(listener, SHUT_RDWR);
    return listener;
}

static void
drain_leave(struct mica_http *http)
{
    uint64_t until = mica_clock_ns() + (uint64_t)http->drain_ms * 1000000u;

    atomic_store(&http->leaving, true);
    while (is_gentle(http) && mica_clock_ns() < until)
        (void)poll(NULL, 0, POLL_MS);
}

// ---- Draining ------------------------------------------------------------------

static bool
is_busy(struct mica_http *http)
{
    return atomic_load(&http->active) > 0 ||
           mica_turn_queue_counts(http->turn_queue).turns > 0;
}

// Half-closes quiet connections every HALF_CLOSE_MS. Returns false if there is no
// connection.
static bool
half_close_quiet(struct mica_http *http, uint64_t *next_ns)
{
    uint64_t now = mica_clock_ns();

    if (now < *next_ns)
        return true;
    *next_ns = now + (uint64_t)HALF_CLOSE_MS * 1000000u;
    return mica_watch_half_close(http->watch) > 0;
}

static bool
wait_for_requests(struct mica_http *http, unsigned wait_ms)
{
    uint64_t until = mica_clock_ns() + (uint64_t)wait_ms * 1000000u, next = 0;

    while (is_busy(http) && mica_clock_ns() < until) {
        if (mica_stop_count() > 1)
            return false; // a second signal: do not wait
        if (is_gentle(http))
            (void)half_close_quiet(http, &next);
        (void)poll(NULL, 0, POLL_MS);
    }
    return !is_busy(http);
}

// Waits until the clients have read the end of their streams.
static void
wait_for_readers(struct mica_http *http)
{
    for (unsigned ms = 0;
         ms < LAST_READ_MS && (atomic_load(&http->counts.subscriptions) > 0 ||
                               atomic_load(&http->active) > 0);
         ms += POLL_MS)
        (void)poll(NULL, 0, POLL_MS);
}

static void
end_streams(struct mica_http *http)
{
    atomic_store(&http->draining, true);
    mica_call_store_stop(mica_call_store_of(http->server));
    mica_listeners_end(http);
    mica_followers_end(http);
    mica_inspect_events_end(http);
    mica_session_table_drain(http->sessions);
    if (http->http_sse != NULL)
        mica_http_sse_drain(http->http_sse);
}

// libmicrohttpd aborts the process when it is stopped with a suspended connection. So
// the workers stop first: their jobs resume the connections, and their queues refuse
// later requests. The queues themselves stay, as requests may come until the daemon has
// stopped.
static enum mica_status
end_calls(struct mica_http *http, struct mica_error *error)
{
    if (!wait_for_requests(http, DRAIN_MS)) {
        mica_watch_cancel_all(http->watch);
        mica_session_table_cancel_all(http->sessions);
        mica_turn_queue_cancel_all(http->turn_queue);
    }
    mica_turn_queue_stop(http->turn_queue);
    mica_session_table_end(http->sessions);
    if (http->http_sse != NULL)
        mica_http_sse_end(http->http_sse);
    if (http->login_thread != NULL)
        mica_login_stop(http->auth);
    if ((http->login_thread != NULL &&
         !mica_workers_stop(http->login_thread, CANCEL_MS)) ||
        !mica_workers_stop(http->store_thread, CANCEL_MS) ||
        !mica_workers_stop(http->workers, CANCEL_MS))
        return mica_error_set(
            error, MICA_E_TIMEOUT, "",
            "%zu calls did not end when they were cancelled; a handler that "
            "takes long must look at mica_cancelled",
            mica_workers_busy(http->workers) +
                mica_workers_busy(http->store_thread));
    // Streams that began after end_streams; no more can begin now.
    mica_listeners_end(http);
    mica_followers_end(http);
    mica_inspect_events_end(http);
    wait_for_readers(http);
    return MICA_OK;
}

// ---- Lingering -----------------------------------------------------------------

static void
drain_linger(struct mica_http *http)
{
    uint64_t until = mica_clock_ns() + (uint64_t)LINGER_MS * 1000000u, next = 0;

    while (is_gentle(http) && mica_clock_ns() < until &&
           half_close_quiet(http, &next))
        (void)poll(NULL, 0, POLL_MS);
}

enum mica_status
mica_http_drain(struct mica_http *http, int listener, struct mica_error *error)
{
    drain_leave(http);
    listener = stop_listening(http, listener);
    end_streams(http);
    MICA_TRY(end_calls(http, error));
    drain_linger(http);
    MHD_stop_daemon(http->daemon);
    http->daemon = NULL;
    if (listener >= 0)
        close(listener);
    return MICA_OK;
}
