// SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder share. Not for others.
#ifndef MICA_HTTP_SESSION_PARTS_H
#define MICA_HTTP_SESSION_PARTS_H

#include <pthread.h>

#include "http/sessions/session_stream.h"
#include "http/sessions/session_table.h"
#include "serve/bus.h"
#include "store/store_sessions.h"
#include "store/store_streams.h"

enum {
    MICA_SESSION_BUCKETS = 1024,
    MICA_SESSION_CHANGES = 256,       // of lists and contents, gathered
    MICA_SESSION_CHANGED_TASKS = 256, // that have changed, gathered
    MICA_SESSION_FEED_OWN = MICA_SESSION_CHANGES + MICA_SESSION_CHANGED_TASKS +
                            MICA_CHANGED_CONTENTS,
    MICA_SESSION_STREAM_BYTES = 4 << 20, // that wait for a slow reader
    MICA_SESSION_STREAM_LEASE_S =
        30, // that a call of a dead process seems to run
    MICA_SESSION_STREAM_LEASE_MS = MICA_SESSION_STREAM_LEASE_S * 1000,
    MICA_SESSION_CALL_MS =
        10 * 60 * 1000 // of a call whose stream is kept, and of a wait
};

// A session with something open here.
struct mica_open_session {
    struct mica_open_session *next; // in its bucket
    struct mica_store_session_key key;
    struct mica_session_call *calls;
    struct mica_session_stream *streams;
    uint64_t touched_ms;
    uint64_t notified; // the last change that it was sent as a subscriber
    // Key of its endpoint, once it has a stream of its own; NULL: that of /mcp.
    char *endpoint;
};

// A change of a list or of contents that waits to be told.
struct mica_session_change {
    enum mica_change_kind kind;
    char *endpoint, *uri; // the key; the second of contents, or NULL
};

// Changes that wait to be told, gathered.
struct mica_session_changes {
    bool everywhere
        [MICA_CHANGED_CONTENTS]; // lists, of any endpoint, by their kind
    struct mica_session_change items[MICA_SESSION_CHANGES];
    size_t count;
    char tasks[MICA_SESSION_CHANGED_TASKS][MICA_CALL_ID_SIZE]; // made here
    size_t task_count;
};

enum mica_session_feed_state {
    MICA_SESSION_FEED_UNKNOWN,
    MICA_SESSION_FEED_NONE, // the store is this process's alone
    MICA_SESSION_FEED_SHARED
};

// What the thread knows of the feed by which processes see each other's changes.
struct mica_session_feed {
    atomic_int state; // enum mica_session_feed_state
    int64_t after;    // the last change that was read
    int64_t
        own[MICA_SESSION_FEED_OWN]; // those behind it that this process made
    size_t own_count;
};

// What a server that ends still does for sessions.
enum mica_session_phase {
    MICA_SESSION_SERVES,
    MICA_SESSION_DRAINS, // no more streams of their own
    MICA_SESSION_ENDS    // nothing more at all
};

struct mica_session_table {
    struct mica_session_table_options options;
    struct mica_session_store *session_store;
    pthread_mutex_t lock; // L1, of all that follows
    pthread_cond_t wake;  // of the thread
    struct mica_open_session *buckets[MICA_SESSION_BUCKETS];
    struct mica_session_table_counts counts;
    struct mica_session_changes heard; // from the bus
    struct mica_session_changes made;  // by this process
    uint64_t change; // counts those that subscribers are told of
    enum mica_session_phase phase;
    bool has_thread, poked;
    pthread_t thread;
    void *(*thread_run)(void *table); // what it does (session_thread.c)
    void (*look)(void *data); // at something else, every second; or NULL
    void *look_data;

    struct mica_session_feed feed;     // the thread's own
    struct mica_subscriber subscriber; // of the bus; `changed` is NULL before
};

// With the lock held:

struct mica_open_session *
mica_open_session_find(struct mica_session_table *table,
                       const struct mica_store_session_key *key);
// Makes it when it is not there; NULL for want of memory.
struct mica_open_session *
mica_open_session_need(struct mica_session_table *table,
                       const struct mica_store_session_key *key);
// Forgets it when nothing of it is open any more.
void mica_open_session_tidy(struct mica_session_table *table,
                            struct mica_open_session *session);

// A copy that ends with NUL, for free(); NULL for want of memory.
char *mica_session_text_copy(struct mica_text text);

// Has the session thread look at streams that are BEHIND. Starts it if it does not run
// yet; false when that fails.
bool mica_session_table_wake(struct mica_session_table *table);

// Calls `look` for each session; it may end the session.
void mica_open_session_each(struct mica_session_table *table,
                            void (*look)(struct mica_session_table *,
                                         struct mica_open_session *));

static inline bool
mica_session_table_ends(const struct mica_session_table *table)
{
    return table->phase == MICA_SESSION_ENDS;
}

// Without the lock, but for the last two:

// Answers a GET with Last-Event-ID, as mica_session_table_stream.
struct mica_sse *mica_session_replay_open(struct mica_session_table *table,
                                          struct mica_message *message);

// The call of the session that waits and was begun by the request of that id
// (JSON text) is given up, in whichever process it was begun.
void mica_session_recovery_cancel(struct mica_session_table *table,
                                  const struct mica_store_session_key *key,
                                  struct mica_text id);

// Sends those questions of the call that are still open again, unless they were
// sent behind event `seen`: the answer may have been lost with a process. The first
// has the id, which may be empty. Returns how many.
size_t mica_session_recovery_ask_again(struct mica_session_table *table,
                                       const struct mica_store_session_key *key,
                                       int64_t stream, int64_t seen,
                                       struct mica_text call,
                                       struct mica_text id,
                                       struct mica_sse *sse);

// The reader of an open stream has caught up, as the store says in `events`. If the
// process that owns its call died, appends the missing events. True: so there is more
// now. `*asked` is when the call was last found with
// all its questions on the stream; 0: never.
bool mica_session_recovery_mend(struct mica_session_table *table,
                                const struct mica_store_session_key *key,
                                int64_t stream,
                                const struct mica_store_events *events,
                                int64_t *asked);

// Appends the last event of a stream, if `data` is not empty, and closes it: both,
// or neither. Errors: those of mica_store_event_append.
enum mica_status mica_session_stream_finish(
    struct mica_session_table *table, const struct mica_store_session_key *key,
    int64_t stream, struct mica_text data, int64_t *sequence_out) MICA_MUST_USE;

// On the thread, with the lock held on both ends: says of the calls that run here
// and answer on a stream that they do.
void mica_session_calls_renew(struct mica_session_table *table);

// Begins and ends to take part in changes (session_changes.c).
enum mica_status mica_session_changes_open(struct mica_session_table *table,
                                           struct mica_error *error)
    MICA_MUST_USE;
void mica_session_changes_close(struct mica_session_table *table);

// Without the lock: changes of others are heard from here on.
void mica_session_changes_join(struct mica_session_table *table);

// On the thread, with the lock held on both ends: tells sessions what was heard,
// other processes what was made here, and with `ask` asks what they made.
void mica_session_changes_tell(struct mica_session_table *table, bool ask);

// On the thread: sends what the store has for those who were poked, or with
// `all` for everybody.
void mica_session_replay_all(struct mica_session_table *table, bool all);

#endif
