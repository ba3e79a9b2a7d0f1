// SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder share. Not for others.
#ifndef MICA_HTTP_SESSION_PARTS_H
#define MICA_HTTP_SESSION_PARTS_H

#include <pthread.h>

#include "http/sessions/session_table.h"
#include "serve/bus.h"

enum {
    MICA_SESSION_EVENT_ID_SIZE = 48, // room for "<stream>-<sequence>"
    MICA_SESSION_BUCKETS = 1024,
    MICA_SESSION_CHANGED_URIS = 256,  // of contents that changed, gathered
    MICA_SESSION_CHANGED_TASKS = 256, // that have changed, gathered
    MICA_SESSION_FEED_OWN = MICA_SESSION_CHANGED_URIS +
                            MICA_SESSION_CHANGED_TASKS + MICA_CHANGED_CONTENTS,
    MICA_SESSION_STREAM_BYTES = 4 << 20, // that wait for a slow reader
    MICA_SESSION_RETRY_MS = 500,         // after which a client resumes
    MICA_SESSION_STREAM_LEASE_S =
        30, // that a call of a dead process seems to run
    MICA_SESSION_STREAM_LEASE_MS = MICA_SESSION_STREAM_LEASE_S * 1000,
    MICA_SESSION_CALL_MS =
        10 * 60 * 1000 // of a call that can be resumed, and of a wait
};

// A stream that a client came back for.
struct mica_resumed {
    struct mica_resumed *next;
    struct mica_sse *sse;
    int64_t stream, after; // the last event that it has
    uint64_t moved_ms;     // when it last got one
    bool poked;            // there may be more in the store
    bool read;             // by the thread, just now
    // Of a call that is kept, and its id: it lasts as long as that.
    bool holds;
    unsigned char ticks; // since the store was asked without being poked
    int64_t asked;       // as mica_session_recovery_mend has it
    bool primes;         // its revision has events that are nothing but an id
    bool begun;          // an event with an id has gone out on it
    // Its client came back behind that event, and is asked again what is still
    // open; -1: it has been.
    int64_t seen;
    char call[MICA_CALL_ID_SIZE];
};

// A session with something open here.
struct mica_open_session {
    struct mica_open_session *next; // in its bucket
    struct mica_store_session_key key;
    struct mica_sse *own; // the stream of a GET, or NULL
    struct mica_session_call *calls;
    struct mica_resumed *resumed;
    uint64_t touched_ms;
    uint64_t told; // the last change that it was told of as a subscriber
};

// Changes that wait to be told, gathered.
struct mica_session_changes {
    bool lists[MICA_CHANGED_CONTENTS]; // by enum mica_change_kind
    char *uris[MICA_SESSION_CHANGED_URIS];
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

struct mica_session_table {
    struct mica_http *http;
    struct mica_keeper *keeper;
    pthread_mutex_t lock; // L1, of all that follows
    pthread_cond_t wake;  // of the thread
    struct mica_open_session *buckets[MICA_SESSION_BUCKETS];
    struct mica_session_table_counts counts;
    struct mica_session_changes heard,
        made;        // from the bus, and by this process
    uint64_t change; // counts those that subscribers are told of
    bool has_thread, poked;
    bool draining; // no more streams of their own
    bool ending;   // nothing more at all
    pthread_t thread;
    void (*look)(void *data); // at something else, every second; or NULL
    void *look_data;

    struct mica_session_feed feed;     // the thread's own
    struct mica_subscriber subscriber; // of the bus
    bool listens;                      // it is on the bus, and its witness
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

// Has the thread look at what was resumed. Starts it if there is none yet;
// false when that fails.
bool mica_session_table_wake(struct mica_session_table *table);

// A stream ends, and its sender lets go of it. Both may be NULL.
void mica_stream_end(struct mica_sse **sse);

void mica_resumed_end(struct mica_session_table *table,
                      struct mica_open_session *session,
                      struct mica_resumed *resumed);
void mica_resumed_poke(struct mica_session_table *table,
                       struct mica_open_session *session, int64_t stream);

// Whoever reads the stream of `run` gets the rest from the store.
void mica_resumed_take(struct mica_session_table *table,
                       struct mica_session_call *call);

// The same, as its call waits. With `looks` the store is asked for what came behind
// that: another turn of the call may have been faster.
void mica_resumed_adopt(struct mica_session_table *table,
                        struct mica_session_call *call, struct mica_text id,
                        bool looks);

// Sends the event that is next on the stream to whoever came back for it, or waits
// there, and with `last` ends that. False: the store has to be asked (or nobody is
// there).
bool mica_resumed_tell(struct mica_session_table *table,
                       struct mica_open_session *session, int64_t stream,
                       int64_t sequence, struct mica_text data, bool last);

// Without the lock, but for the last two:

// Answers a GET with Last-Event-ID, as mica_session_table_stream.
struct mica_sse *mica_session_replay_open(struct mica_session_table *table,
                                          struct mica_message *message);

// The call of the session that waits and was begun by the request of that id
// (JSON text) is given up, in whichever process it was begun (waiting.c).
void mica_session_recovery_cancel(struct mica_session_table *table,
                                  const struct mica_store_session_key *key,
                                  struct mica_text id);

// The id of that event of a stream, by which a client resumes behind it. 0 is the
// beginning.
struct mica_text mica_session_event_id(char room[MICA_SESSION_EVENT_ID_SIZE],
                                       int64_t stream, int64_t sequence);

// An event that is nothing but an id, and says when to resume.
bool mica_session_event_prime(struct mica_sse *sse, int64_t stream,
                              int64_t sequence);

// Sends those questions of the call that are still open again, unless they were
// sent behind event `seen`: the answer may have been lost with a process. The first
// has the id, which may be empty. Returns how many.
size_t mica_session_recovery_ask_again(struct mica_session_table *table,
                                       const struct mica_store_session_key *key,
                                       int64_t stream, int64_t seen,
                                       struct mica_text call,
                                       struct mica_text id,
                                       struct mica_sse *sse);

// Somebody has all that there is on an open stream, as the store says in `events`.
// When nothing would follow, as its process has died, what was to be said is added
// to it. True: so there is more now. `*asked` is when the call was last found with
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

// Begins and ends to take part in changes (news.c).
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
