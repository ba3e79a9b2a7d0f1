// SPDX-License-Identifier: Apache-2.0
//
// Writes the bytes of one event of a text/event-stream (WHATWG HTML, server-sent
// events). No I/O, no lock.
#ifndef MICA_HTTP_EVENT_H
#define MICA_HTTP_EVENT_H

#include <mica/base.h>

// Appends an event, without the fields `id` if empty, `retry` if 0, and `data` if both
// `data` and `id` are empty. Each line of `data` becomes a line of its own, so that no
// text can end an event or begin another. An `id` ends before its first control
// character.
void mica_event_write(struct mica_buffer *buffer, struct mica_text id,
                      struct mica_text data, unsigned retry_ms);

// A comment, which clients ignore.
#define MICA_EVENT_COMMENT ":\n\n"

#endif
