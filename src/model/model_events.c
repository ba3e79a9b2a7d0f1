// SPDX-License-Identifier: Apache-2.0
//
// See model_events.h.
#include "model/model_events.h"

#include <string.h>

void
mica_model_events_init(struct mica_model_events *events)
{
    *events = (struct mica_model_events){.name_len = 0};
    mica_buffer_init(&events->line, NULL, MICA_MODEL_EVENT_BYTES);
    mica_buffer_init(&events->data, NULL, MICA_MODEL_EVENT_BYTES);
}

void
mica_model_events_fini(struct mica_model_events *events)
{
    mica_buffer_fini(&events->line);
    mica_buffer_fini(&events->data);
}

static void
event_name_set(struct mica_model_events *events, struct mica_text value)
{
    events->name_len =
        value.len < sizeof events->name ? value.len : sizeof events->name;
    if (events->name_len > 0)
        memcpy(events->name, value.ptr, events->name_len);
}

// A field; `id` and `retry` are for clients that resume, which no provider offers.
static void
event_field(struct mica_model_events *events, struct mica_text name,
            struct mica_text value)
{
    if (mica_text_is(name, "event")) {
        event_name_set(events, value);
    } else if (mica_text_is(name, "data")) {
        if (events->has_data)
            mica_buffer_char(&events->data, '\n');
        events->has_data = true;
        mica_buffer_text(&events->data, value);
    }
}

static void
event_dispatch(struct mica_model_events *events,
               const struct mica_model_event_taker *taker)
{
    if (events->has_data && !events->data.overflow)
        taker->take(taker->user,
                    (struct mica_text){events->name, events->name_len},
                    mica_buffer_as_text(&events->data));
    events->data.len = 0;
    events->has_data = false;
    events->name_len = 0;
}

// A whole line, without its end. It begins with a colon if it is a comment.
static void
event_line(struct mica_model_events *events,
           const struct mica_model_event_taker *taker)
{
    struct mica_text line = mica_buffer_as_text(&events->line), name, value;
    const char *colon;

    if (events->lines == 0 && mica_text_starts(line, "\xEF\xBB\xBF"))
        line = mica_text_slice(line, 3, line.len); // the byte order mark
    events->lines++;
    colon = line.len > 0 ? memchr(line.ptr, ':', line.len) : NULL;
    if (line.len == 0) {
        event_dispatch(events, taker);
    } else if (colon != line.ptr) {
        size_t at = colon != NULL ? (size_t)(colon - line.ptr) : line.len;
        name = mica_text_slice(line, 0, at);
        value = mica_text_slice(line, at + 1, line.len);
        if (value.len > 0 && value.ptr[0] == ' ')
            value = mica_text_slice(value, 1, value.len);
        event_field(events, name, value);
    }
    events->line.len = 0;
}

// Bytes before the next CR or LF.
static size_t
until_end(struct mica_text piece)
{
    size_t at = 0;

    while (at < piece.len && piece.ptr[at] != '\r' && piece.ptr[at] != '\n')
        at++;
    return at;
}

bool
mica_model_events_feed(struct mica_model_events *events, struct mica_text piece,
                       const struct mica_model_event_taker *taker)
{
    while (piece.len > 0 && !events->line.overflow && !events->data.overflow) {
        size_t at = until_end(piece);
        // The LF of a CRLF, whose CR has ended the line.
        if (events->after_cr && piece.ptr[0] == '\n') {
            events->after_cr = false;
            piece = mica_text_slice(piece, 1, piece.len);
            continue;
        }
        events->after_cr = false;
        mica_buffer_add(&events->line, piece.ptr, at);
        if (at == piece.len || events->line.overflow)
            break;
        events->after_cr = piece.ptr[at] == '\r';
        event_line(events, taker);
        piece = mica_text_slice(piece, at + 1, piece.len);
    }
    return !events->line.overflow && !events->data.overflow;
}
