// SPDX-License-Identifier: Apache-2.0
//
// What legacy.c, run.c and resume.c share. Not for other files.
#ifndef MICA_HTTP_LEGACY_PARTS_H
#define MICA_HTTP_LEGACY_PARTS_H

#include <pthread.h>

#include "http/legacy.h"

enum {
    MICA_LEGACY_BUCKETS = 1024,
    MICA_STREAM_BYTES = 4 << 20, // that wait for a slow reader
    MICA_RETRY_MS = 500,         // after which a client resumes
    MICA_RUN_MS = 10 * 60 * 1000 // of a call that can be resumed, and of a wait
};

// A stream that a client came back for.
struct mica_resumed {
    struct mica_resumed *next;
    struct mica_sse *sse;
    int64_t stream, after; // the last event that it has
    uint64_t moved_ms;     // when it last got one
    bool poked;            // there may be more in the store
};

// A session with something open here.
struct mica_live {
    struct mica_live *next; // in its bucket
    struct mica_store_session_key key;
    struct mica_sse *own; // the stream of a GET, or NULL
    struct mica_run *runs;
    struct mica_resumed *resumed;
    uint64_t touched_ms;
};

struct mica_legacy {
    struct mica_http *http;
    struct mica_keeper *keeper;
    pthread_mutex_t lock; // L1, of all that follows
    pthread_cond_t wake;  // of the thread
    struct mica_live *buckets[MICA_LEGACY_BUCKETS];
    struct mica_legacy_counts counts;
    bool has_thread, poked, ending;
    pthread_t thread;
};

// With the lock held:

struct mica_live *mica_live_find(struct mica_legacy *legacy,
                                 const struct mica_store_session_key *key);
// Makes it when it is not there; NULL for want of memory.
struct mica_live *mica_live_need(struct mica_legacy *legacy,
                                 const struct mica_store_session_key *key);
// Forgets it when nothing of it is open any more.
void mica_live_tidy(struct mica_legacy *legacy, struct mica_live *live);

// Has the thread look at what was resumed. Starts it if there is none yet;
// false when that fails.
bool mica_legacy_wake(struct mica_legacy *legacy);

// A stream ends, and its sender lets go of it. Both may be NULL.
void mica_stream_end(struct mica_sse **sse);

void mica_resumed_end(struct mica_legacy *legacy, struct mica_live *live,
                      struct mica_resumed *resumed);
void mica_resumed_poke(struct mica_legacy *legacy, struct mica_live *live,
                       int64_t stream);

// Without the lock:

// Answers a GET with Last-Event-ID, as mica_legacy_stream.
struct mica_sse *mica_legacy_resume(struct mica_legacy *legacy,
                                    struct mica_message *message);

// On the thread: sends what the store has for those who were poked, or with
// `all` for everybody.
void mica_legacy_replay(struct mica_legacy *legacy, bool all);

#endif
