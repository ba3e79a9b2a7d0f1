// SPDX-License-Identifier: Apache-2.0
//
// The streams of a session and their events, from which a client that has lost its
// connection resumes.
#ifndef MICA_STORE_STORE_STREAMS_H
#define MICA_STORE_STORE_STREAMS_H

#include "store/store_sessions.h"

// Longest text that says what a stream is for.
#define MICA_STORE_STREAM_REQUEST_BYTES 1024

// A number for a new stream of the session, 1 and up, never given twice.
// `request` is what it is opened for, in the caller's words. The process that
// works on it holds a lease until now + lease_ms, and renews it by the next function; or a
// call that is kept (below) answers on the stream. Where neither is so the process
// has died, and nothing more will come. When the session has as many streams as it
// may, the oldest closed one is forgotten, or else the oldest of these. Errors:
// MICA_E_NOT_FOUND (the session), MICA_E_LIMIT (all are in use, or `request` is too
// long).
enum mica_status mica_store_stream_open(
    struct mica_store *store, const struct mica_store_session_key *key,
    struct mica_text request, int64_t now, int64_t lease_ms,
    struct mica_error *error, int64_t *stream_out) MICA_MUST_USE;

// Errors: MICA_E_NOT_FOUND (the session or the stream, or it is closed).
enum mica_status
mica_store_stream_renew(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        int64_t stream, int64_t now, int64_t lease_ms,
                        struct mica_error *error) MICA_MUST_USE;

// Nothing will be appended any more. Its events stay for those who resume, and
// the stream goes with the last of them. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_stream_close(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t stream, int64_t now, struct mica_error *error) MICA_MUST_USE;

// What was sent on a stream, as it was given to mica_store_event_append. While an
// open call answers on the stream, its events do not become old: their age is
// counted from the end of that call.
struct mica_store_event {
    int64_t sequence;
    int64_t created;
    struct mica_text data;
};

// Appends to an open stream; the sequence rises by 1 from 1. The oldest events
// go when there are more than a limit allows. Errors: MICA_E_NOT_FOUND (the
// session or the stream, or it is closed), MICA_E_LIMIT (larger than
// stream_bytes).
enum mica_status mica_store_event_append(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t stream, int64_t now, struct mica_text data,
    struct mica_error *error, int64_t *sequence_out) MICA_MUST_USE;

// Appends these (at most MICA_STORE_EVENTS_MOST), or none, to an open stream whose
// newest event is still `last`. Errors: those of mica_store_event_append;
// MICA_E_NOT_FOUND also when the stream has got another event.
#define MICA_STORE_EVENTS_MOST 1000
enum mica_status mica_store_events_append(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t stream, int64_t last, int64_t now, const struct mica_text *events,
    size_t count, struct mica_error *error) MICA_MUST_USE;

// Appends a last event, unless `data` is empty, and closes the stream, at once. Errors:
// those of mica_store_event_append. `*sequence_out` is 0 without an event.
enum mica_status mica_store_stream_end(struct mica_store *store,
                                       const struct mica_store_session_key *key,
                                       int64_t stream, int64_t now,
                                       struct mica_text data,
                                       struct mica_error *error,
                                       int64_t *sequence_out) MICA_MUST_USE;

struct mica_store_events {
    struct mica_store_event *items; // in order
    size_t count;
    int64_t last; // sequence of the newest of the stream
    bool missed;  // events right after `after` are gone: do not resume
    bool closed;  // nothing will come any more
    struct mica_text request; // what the stream was opened for
    int64_t lease;            // until when a process works on that
    struct mica_text call; // the last that answers or answered on it; or empty
};

// At most `limit` events after sequence `after`, in `arena`. Errors:
// MICA_E_NOT_FOUND (the session, the stream, or no event `after` was ever made:
// the caller made it up).
enum mica_status mica_store_event_replay(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t stream, int64_t after, size_t limit, int64_t now,
    struct mica_arena *arena, struct mica_error *error,
    struct mica_store_events *events_out) MICA_MUST_USE;

#endif
