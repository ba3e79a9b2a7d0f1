// SPDX-License-Identifier: Apache-2.0
//
// The streams of a session and their events: a client that has lost its connection resumes from
// them.
#ifndef MICA_STORE_STORE_STREAMS_H
#define MICA_STORE_STORE_STREAMS_H

#include "store/store_sessions.h"

// Longest `request` of a stream.
#define MICA_STORE_STREAM_REQUEST_BYTES 1024

// Opens a stream of the session; its number, 1 and up, is never used again. `request` is a text
// of the caller that says what the stream is for. The process that works on the stream has a lease
// until now + lease_ms, and renews it by the next function; or a kept call sends on the stream. If
// neither is the case, the process has died, and no more events follow. If the session has reached
// its limit of streams, removes its oldest closed one, or its oldest one that a dead process has
// left. Errors: MICA_E_NOT_FOUND (the session), MICA_E_LIMIT (all are in use, or `request` is too
// long).
enum mica_status mica_store_stream_open(
    struct mica_store *store, const struct mica_store_session_key *key,
    struct mica_text request, int64_t now, int64_t lease_ms,
    struct mica_error *error, int64_t *stream_out) MICA_MUST_USE;

// Renews the lease. Errors: MICA_E_NOT_FOUND (the session or the stream, or it is closed).
enum mica_status
mica_store_stream_renew(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        int64_t stream, int64_t now, int64_t lease_ms,
                        struct mica_error *error) MICA_MUST_USE;

// Closes a stream: no more events follow. Its events stay for clients that resume; the stream is
// removed with the last of them. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_stream_close(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t stream, int64_t now, struct mica_error *error) MICA_MUST_USE;

// An event that was sent on a stream (mica_store_event_append). While an open call sends on the
// stream, its events do not age: their age counts from the end of that call.
struct mica_store_event {
    int64_t sequence;
    int64_t created;
    struct mica_text data;
};

// Appends an event to an open stream; sequences begin with 1 and rise by 1. Removes the oldest
// events if the stream exceeds a limit. Errors: MICA_E_NOT_FOUND (the session or the stream, or it
// is closed), MICA_E_LIMIT (larger than stream_bytes).
enum mica_status mica_store_event_append(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t stream, int64_t now, struct mica_text data,
    struct mica_error *error, int64_t *sequence_out) MICA_MUST_USE;

// Appends all of the events (at most MICA_STORE_EVENTS_MOST), or none, to an open stream whose
// newest event is still `last`. Errors: those of mica_store_event_append; MICA_E_NOT_FOUND also if
// the stream has a newer event.
#define MICA_STORE_EVENTS_MOST 1000
enum mica_status mica_store_events_append(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t stream, int64_t last, int64_t now, const struct mica_text *events,
    size_t count, struct mica_error *error) MICA_MUST_USE;

// Appends a last event, unless `data` is empty, and closes the stream, in one transaction. Errors:
// those of mica_store_event_append. *sequence_out is 0 without an event.
enum mica_status mica_store_stream_end(struct mica_store *store,
                                       const struct mica_store_session_key *key,
                                       int64_t stream, int64_t now,
                                       struct mica_text data,
                                       struct mica_error *error,
                                       int64_t *sequence_out) MICA_MUST_USE;

struct mica_store_events {
    struct mica_store_event *items; // in order
    size_t count;
    int64_t last; // sequence of the newest event of the stream
    // The store has removed events right after `after`: do not resume.
    bool missed;
    bool closed;              // no more events follow
    struct mica_text request; // as mica_store_stream_open got it
    int64_t lease;            // of the process that works on the stream
    // Id of the last call that sends or sent on it; or empty.
    struct mica_text call;
};

// Reads at most `limit` events after sequence `after`, in `arena`. Errors: MICA_E_NOT_FOUND (the
// session or the stream; or the stream never had an event `after`).
enum mica_status mica_store_event_replay(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t stream, int64_t after, size_t limit, int64_t now,
    struct mica_arena *arena, struct mica_error *error,
    struct mica_store_events *events_out) MICA_MUST_USE;

#endif
