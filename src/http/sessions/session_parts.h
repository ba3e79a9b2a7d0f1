// SPDX-License-Identifier: Apache-2.0
//
// Internals shared by the files of this folder; other folders include
// session_table.h.
#ifndef MICA_HTTP_SESSION_PARTS_H
#define MICA_HTTP_SESSION_PARTS_H

#include <pthread.h>

#include "apps/app_access.h"
#include "http/sessions/session_stream.h"
#include "http/sessions/session_table.h"
#include "serve/bus.h"
#include "store/store_sessions.h"
#include "store/store_streams.h"

enum {
    MICA_SESSION_BUCKETS = 1024,
    MICA_SESSION_CHANGES = 256,       // gathered, of lists and contents
    MICA_SESSION_CHANGED_TASKS = 256, // gathered
    MICA_SESSION_FEED_OWN = MICA_SESSION_CHANGES + MICA_SESSION_CHANGED_TASKS +
                            MICA_CHANGED_CONTENTS,
    MICA_SESSION_STREAM_BYTES = 4 << 20, // queued for a slow reader
    MICA_SESSION_STREAM_LEASE_S = 30,    // on the stream of a running call
    MICA_SESSION_STREAM_LEASE_MS = MICA_SESSION_STREAM_LEASE_S * 1000,
    // Time limit of one turn whose stream is resumable; and of a resumed stream
    // without events and without a stored call.
    MICA_SESSION_TURN_MS = 10 * 60 * 1000
};

// A session that has a stream or a call in this process.
struct mica_open_session {
    struct mica_open_session *next; // in its bucket
    struct mica_store_session_key key;
    struct mica_session_turn *turns;
    struct mica_session_stream *streams;
    uint64_t touched_ms; // when the store was last told that it is in use
    uint64_t notified;   // number of the last change sent to it as a subscriber
    // Key of its endpoint, set when its own stream opens; NULL: that of /mcp.
    char *endpoint;
    // Who opened that stream, set with `endpoint`. Owner of `scopes`: the session.
    struct mica_app_caller caller;
};

// A change of a list or of contents that is not delivered yet.
struct mica_session_change {
    enum mica_change_kind kind;
    char *endpoint, *uri; // endpoint key; `uri` of contents, else empty
};

// Changes that are not delivered yet; repeated ones are merged.
struct mica_session_changes {
    // By kind of list: it changed on every endpoint.
    bool everywhere[MICA_CHANGED_CONTENTS];
    struct mica_session_change items[MICA_SESSION_CHANGES];
    size_t count;
    char tasks[MICA_SESSION_CHANGED_TASKS][MICA_CALL_ID_SIZE];
    size_t task_count;
};

enum mica_session_feed_state {
    MICA_SESSION_FEED_UNKNOWN,
    MICA_SESSION_FEED_NONE, // no other process shares the store
    MICA_SESSION_FEED_SHARED
};

// The feed of changes in the store, which the processes of a store share.
struct mica_session_feed {
    atomic_int state; // enum mica_session_feed_state
    int64_t after;    // sequence of the last change that was read
    // Later changes that this process has written.
    int64_t own[MICA_SESSION_FEED_OWN];
    size_t own_count;
};

// What the table still accepts.
enum mica_session_stage {
    MICA_SESSION_SERVES,
    MICA_SESSION_DRAINS, // no more streams that sessions open for themselves
    MICA_SESSION_ENDS    // no streams and no calls
};

struct mica_session_table {
    struct mica_session_table_options options;
    struct mica_session_store *session_store;
    pthread_mutex_t lock; // SESSION-1: protects the members below
    pthread_cond_t wake;  // wakes the session thread
    struct mica_open_session *buckets[MICA_SESSION_BUCKETS];
    struct mica_session_table_counts counts;
    struct mica_session_changes from_bus;  // to be sent to sessions
    struct mica_session_changes made_here; // to be written into the feed
    uint64_t change_number; // counts the changes that subscribers are sent
    enum mica_session_stage stage;
    bool has_thread, poked;
    pthread_t thread;
    void *(*thread_run)(void *table); // its body (session_thread.c)
    void (*on_tick)(void *data);      // called every second; or NULL
    void *on_tick_data;

    struct mica_session_feed feed; // used by the session thread
    struct mica_subscriber
        subscriber; // of the bus; not open: `changed` is NULL
};

// The caller of these functions holds the lock:

struct mica_open_session *
mica_open_session_find(struct mica_session_table *table,
                       const struct mica_store_session_key *key);
// Finds or adds it. NULL for want of memory, and when the table ends.
struct mica_open_session *
mica_open_session_obtain(struct mica_session_table *table,
                         const struct mica_store_session_key *key);
// Removes and frees it if it has neither streams nor calls.
void mica_open_session_remove_if_empty(struct mica_session_table *table,
                                       struct mica_open_session *session);

// Returns a copy that ends with NUL, for free(); NULL for want of memory.
char *mica_session_text_copy(struct mica_text text);

// Wakes the session thread, which serves streams that are BEHIND and delivers changes.
// Starts the thread if it does not run yet; returns false if that fails.
bool mica_session_table_wake(struct mica_session_table *table);

// Calls `visit` for each session; it may end the session.
void mica_open_session_each(struct mica_session_table *table,
                            void (*visit)(struct mica_session_table *,
                                          struct mica_open_session *));

static inline bool
mica_session_table_ends(const struct mica_session_table *table)
{
    return table->stage == MICA_SESSION_ENDS;
}

// The caller of these functions does not hold the lock, except where stated:

// Answers a GET with Last-Event-ID, as mica_session_table_stream.
struct mica_sse *mica_session_replay_open(struct mica_session_table *table,
                                          struct mica_message *message);

// Cancels the open stored calls of the session that a request of that id (JSON text) has
// begun. They wait for answers, or a turn of them runs in some process.
void mica_session_recovery_cancel(struct mica_session_table *table,
                                  const struct mica_store_session_key *key,
                                  struct mica_text id);

// Sends the open questions of the call again, except those that the stream has after
// event `resume_after`: a process may have died with the answer. The first event has
// `id`, which may be empty. Returns how many it sent.
size_t mica_session_recovery_resend_questions(
    struct mica_session_table *table, const struct mica_store_session_key *key,
    int64_t stream, int64_t resume_after, struct mica_text call,
    struct mica_text id, struct mica_sse *sse);

// Appends the events that a process has not appended because it died: questions, a
// reply, or the error INTERRUPTED. `events` is what the store returned to a reader
// that has caught up with an open stream. `*checked_change` is as in
// struct mica_session_position. Returns true if it appended events; an operation that
// fails is repeated at the next poll.
bool mica_session_recovery_append_missing(
    struct mica_session_table *table, const struct mica_store_session_key *key,
    int64_t stream, const struct mica_store_events *events,
    int64_t *checked_change);

// Appends the last event of a stream, if `data` is not empty, and closes the stream,
// in one transaction. Errors: those of mica_store_event_append.
enum mica_status mica_session_stream_finish(
    struct mica_session_table *table, const struct mica_store_session_key *key,
    int64_t stream, struct mica_text data, int64_t *sequence_out) MICA_MUST_USE;

// Renews the leases on the streams of calls that run in this process. The session
// thread calls this with the lock held; it returns with the lock held, and unlocks
// it for the store.
void mica_session_turns_renew(struct mica_session_table *table);

// Subscribe the table to the bus, and unsubscribe it (session_changes.c).
enum mica_status mica_session_changes_open(struct mica_session_table *table,
                                           struct mica_error *error)
    MICA_MUST_USE;
void mica_session_changes_close(struct mica_session_table *table);

// Delivers the gathered changes to sessions and into the feed; with `reads_feed` reads
// the changes of other processes from it. The session thread calls this with the lock
// held; it returns with the lock held, and unlocks it inside.
void mica_session_changes_deliver(struct mica_session_table *table,
                                  bool reads_feed);

// Sends the events of the store to streams that are BEHIND; with `all` to all that
// are served from the store. The session thread calls this with the lock held; it
// returns with the lock held, and unlocks it inside.
void mica_session_replay_all(struct mica_session_table *table, bool all);

#endif
