// SPDX-License-Identifier: Apache-2.0
//
// What the client of a pipe has subscribed to: any number of stateless
// subscriptions, and one for the handshake. They hear of changes on the bus's
// thread and put lines into the outbox; all else is the serving thread's.
#ifndef MICA_STDIO_LISTEN_H
#define MICA_STDIO_LISTEN_H

#include "serve/bus.h"
#include "server/methods/listening.h"
#include "stdio/counts.h"
#include "stdio/outbox.h"
#include "stdio/stdio_stream.h"

struct mica_pipe_subscription;

struct mica_pipe_listen {
    struct mica_server *server;
    struct mica_bus *bus;
    struct mica_outbox *outbox;
    struct mica_stream *stream;
    struct mica_pipe_counts *counts;
    struct mica_pipe_subscription *subscriptions;
    struct mica_pipe_subscription *session; // one of them, or NULL
    size_t count;
    struct mica_sessions
        sessions; // takes what a client of a session revision subscribes to
};

enum mica_status mica_pipe_listen_open(struct mica_pipe_listen *listen,
                                       struct mica_server *server,
                                       struct mica_outbox *outbox,
                                       struct mica_stream *stream,
                                       struct mica_pipe_counts *counts,
                                       struct mica_error *error) MICA_MUST_USE;

// Begins a subscription with its acknowledgement. Errors: MICA_E_BUSY (too
// many), MICA_E_LIMIT (no memory).
enum mica_status mica_pipe_listen_begin(struct mica_pipe_listen *listen,
                                        const struct mica_listen *wanted,
                                        enum mica_revision revision);

// The handshake is done: from here on the client is told when a list changes.
void mica_pipe_listen_handshake(struct mica_pipe_listen *listen);

// Ends the subscription of that id without a word; false: no subscription has that id.
bool mica_pipe_listen_cancel(struct mica_pipe_listen *listen,
                             struct mica_text id);

// Ends those for which a line was lost, as the server's end does.
void mica_pipe_listen_tidy(struct mica_pipe_listen *listen);

// Ends all, with a result.
void mica_pipe_listen_end(struct mica_pipe_listen *listen);

#endif
