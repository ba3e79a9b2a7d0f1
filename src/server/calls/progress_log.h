// SPDX-License-Identifier: Apache-2.0
//
// The progress log of a task, which the store has: its last progress, and its last log
// messages, each with a number. A client that requests the task again continues after the
// number that it has read. The text is lines of JSON; the first line is the progress, or
// empty:
//
//     {"progress":12,"total":20}
//     {"number":1,"level":"info","message":"…"}
//     {"number":2,"level":"warning","message":"…"}
#ifndef MICA_SERVER_CALLS_PROGRESS_LOG_H
#define MICA_SERVER_CALLS_PROGRESS_LOG_H

#include <mica/json.h>

#include "call/call.h"

enum {
    MICA_PROGRESS_LOG_BYTES = 16 << 10, // of the whole text
    MICA_PROGRESS_LOG_MESSAGE_BYTES =
        1 << 10 // of one message; the rest is cut off
};

// Adds a notice to the text in `progress_log`, a buffer of MICA_PROGRESS_LOG_BYTES.
// Returns false, and changes nothing, if the notice is a message below "info".
bool mica_progress_log_add(struct mica_buffer *progress_log,
                           const struct mica_notice *notice);

// Writes the members "progress" and "log" of an open object: messages with a number above
// `after`. Leaves out a member that has no content.
void mica_progress_log_write(struct mica_text progress_log, int64_t after,
                             struct mica_json_writer *writer);

#endif
