// SPDX-License-Identifier: Apache-2.0
//
// Reads an event stream (text/event-stream, HTML Living Standard section 9.2.6) that comes
// in pieces of any length. Pure: no I/O.
#ifndef MICA_MODEL_MODEL_EVENTS_H
#define MICA_MODEL_MODEL_EVENTS_H

#include <mica/base.h>

enum {
    MICA_MODEL_EVENT_BYTES = 1 << 20, // of a line, and of the data of an event
    MICA_MODEL_EVENT_NAME = 64        // longer names of events are cut
};

struct mica_model_events {
    struct mica_buffer line, data;
    char name[MICA_MODEL_EVENT_NAME];
    size_t name_len;
    uint64_t lines; // that have ended
    bool has_data, after_cr;
};

// Called for each event that has data, in their order. `name` is empty where the stream
// gives none. Both texts live until it returns.
struct mica_model_event_taker {
    void (*take)(void *user, struct mica_text name, struct mica_text data);
    void *user;
};

// Owner: the heap, until _fini.
void mica_model_events_init(struct mica_model_events *events);
void mica_model_events_fini(struct mica_model_events *events);

// The next piece of the stream. Returns false, now and from then on, when a line or the data
// of an event is larger than MICA_MODEL_EVENT_BYTES. An event that the stream does not end
// with an empty line is dropped, as the standard has it.
bool mica_model_events_feed(struct mica_model_events *events,
                            struct mica_text piece,
                            const struct mica_model_event_taker *taker)
    MICA_MUST_USE;

#endif
