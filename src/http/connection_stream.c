// SPDX-License-Identifier: Apache-2.0
//
// Begins and ends to watch and count a stream on a connection.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "http/http.h"

enum {
    VANISHED_MS = 60 * 1000 // a peer that acknowledges nothing is gone
};

// Has the kernel close a connection whose peer acknowledges nothing for VANISHED_MS; by
// default it waits for a quarter of an hour.
static void
detect_silent_peer(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    unsigned ms = VANISHED_MS;

    if (info != NULL)
        (void)setsockopt(info->connect_fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms,
                         sizeof ms);
}

// [HTTP-SSE]
struct MHD_Response *
mica_stream_begin(struct mica_http *http, struct mica_link *link,
                  struct mica_sse *sse, struct MHD_Connection *connection)
{
    struct MHD_Response *response = mica_sse_response(sse, connection);

    if (response == NULL)
        return NULL;
    detect_silent_peer(connection);
    mica_watch_stream(http->watch, link, sse);
    atomic_fetch_add(&http->counts.streams, 1);
    return response;
}

void
mica_stream_done(struct mica_http *http, struct mica_link *link,
                 struct mica_sse *sse)
{
    mica_sse_hang_up(sse); // no effect if it has ended
    mica_watch_unstream(http->watch, link);
    atomic_fetch_sub(&http->counts.streams, 1);
    if (mica_sse_state(sse) == MICA_SSE_FULL)
        atomic_fetch_add(&http->counts.unread, 1);
}
