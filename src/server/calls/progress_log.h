// SPDX-License-Identifier: Apache-2.0
//
// The progress log of a task, which the store keeps: how far it is, and the last of its
// log messages, each with its number, so that a client that asks again continues from there.
// Lines of JSON, the first of them empty until there is progress:
//
//     {"progress":12,"total":20}
//     {"number":1,"level":"info","message":"…"}
//     {"number":2,"level":"warning","message":"…"}
#ifndef MICA_SERVER_CALLS_PROGRESS_LOG_H
#define MICA_SERVER_CALLS_PROGRESS_LOG_H

#include <mica/json.h>

#include "call/call.h"

enum {
    MICA_PROGRESS_LOG_BYTES = 16 << 10, // of all of it; the oldest messages go
    MICA_PROGRESS_LOG_MESSAGE_BYTES =
        1 << 10 // of one message; longer ones are cut
};

// Adds an event to the text in `progress_log`, a buffer of MICA_PROGRESS_LOG_BYTES. Messages below
// "info" are not kept. False: nothing has changed.
bool mica_progress_log_add(struct mica_buffer *progress_log,
                           const struct mica_event *event);

// Writes the members "progress" and "log" of an object that is open: messages
// behind number `after`. What the task never reported is left out.
void mica_progress_log_write(struct mica_text progress_log, int64_t after,
                             struct mica_json_writer *writer);

#endif
