// SPDX-License-Identifier: Apache-2.0
//
// The bytes of one event of a text/event-stream (WHATWG HTML, server-sent
// events). No stream, no lock: what src/http/events/sse.c puts into its streams.
#ifndef MICA_HTTP_EVENT_H
#define MICA_HTTP_EVENT_H

#include <mica/base.h>

// Appends an event. `id` and `retry_ms` are left out when empty or 0. `data` is
// there unless it and `id` are empty; one of several lines becomes as many data
// lines, so that no text can end an event or begin another. An `id` ends before
// its first control character.
void mica_event_write(struct mica_buffer *buffer, struct mica_text id,
                      struct mica_text data, unsigned retry_ms);

// A comment, which every reader skips.
#define MICA_EVENT_COMMENT ":\n\n"

#endif
