// SPDX-License-Identifier: Apache-2.0
//
// What a client wants to be told of, and the messages that tell it. Without I/O:
// an adapter keeps the subscription, hears of changes, and sends.
#ifndef MICA_SERVER_METHODS_LISTENING_H
#define MICA_SERVER_METHODS_LISTENING_H

#include "server/server.h"

// MCP: subscriptions/listen (stateless revision), or all that a legacy connection hears.
struct mica_listen {
    struct mica_text id;               // JSON, of the request; empty: legacy
    struct mica_text endpoint;         // key of where its client is connected
    struct mica_text server_info;      // of that, when it began; JSON
    bool lists[MICA_CHANGED_CONTENTS]; // by enum mica_change_kind
    bool follows;                      // resources were asked for
    bool tasks_too;                    // tasks were asked for
    size_t uri_count, task_count;
    struct mica_text *uris;
    struct mica_text *tasks; // ids of the caller's, behind `uris`
};

// A copy in one piece of memory of mica_listen_size bytes, aligned for any type.
size_t mica_listen_size(const struct mica_listen *listen);
struct mica_listen *mica_listen_copy(const struct mica_listen *listen,
                                     void *room);

// Does `change` concern the URI, or something below it?
bool mica_listen_covers(struct mica_text subscribed, struct mica_text uri);

// Each writes one message, on one line. mica_listen_tell writes nothing and says
// false when the client has not asked for that.
void mica_listen_acknowledge(const struct mica_listen *listen,
                             struct mica_buffer *line);
bool mica_listen_tell(const struct mica_listen *listen,
                      const struct mica_change *change,
                      struct mica_buffer *line);
void mica_listen_end(const struct mica_listen *listen,
                     struct mica_buffer *line);
// MCP: cancellation: what precedes the end on a pipe.
void mica_listen_cancel(const struct mica_listen *listen,
                        struct mica_buffer *line);

#endif
