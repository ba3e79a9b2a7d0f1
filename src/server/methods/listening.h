// SPDX-License-Identifier: Apache-2.0
//
// A subscription to changes, and the messages for it. Without I/O: an adapter stores the
// subscription, receives changes, and sends the messages.
#ifndef MICA_SERVER_METHODS_LISTENING_H
#define MICA_SERVER_METHODS_LISTENING_H

#include "server/server.h"

// The filter of a subscription: of subscriptions/listen (stateless revision), or of a
// connection of a session revision.
struct mica_listen {
    struct mica_text id;       // JSON, of the request; empty: session revision
    struct mica_text endpoint; // key of the client's endpoint
    // Of the endpoint, as the subscription began: JSON.
    struct mica_text server_info;
    bool lists[MICA_CHANGED_CONTENTS]; // by enum mica_change_kind
    bool follows;                      // the client wants changes of resources
    bool tasks_too;                    // the client wants changes of tasks
    size_t uri_count, task_count;
    struct mica_text *uris;
    struct mica_text *tasks; // ids of the caller's tasks, after `uris`
};

// Copies a subscription into one block of mica_listen_size bytes, aligned for any type.
size_t mica_listen_size(const struct mica_listen *listen);
struct mica_listen *mica_listen_copy(const struct mica_listen *listen,
                                     void *storage);

// Does `change` concern the URI, or something below it?
bool mica_listen_covers(struct mica_text subscribed, struct mica_text uri);

// Each function writes one message, on one line. mica_listen_tell returns false, and
// writes nothing, if the subscription does not include the change.
void mica_listen_acknowledge(const struct mica_listen *listen,
                             struct mica_buffer *line);
bool mica_listen_tell(const struct mica_listen *listen,
                      const struct mica_change *change,
                      struct mica_buffer *line);
void mica_listen_end(const struct mica_listen *listen,
                     struct mica_buffer *line);
// MCP: cancellation: the message before the end of a subscription on a pipe.
void mica_listen_cancel(const struct mica_listen *listen,
                        struct mica_buffer *line);

#endif
