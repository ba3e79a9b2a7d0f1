// SPDX-License-Identifier: Apache-2.0
//
// A store keeps what outlives one message: sealing keys, the sessions of older
// clients, the events from which a client resumes a broken stream, calls that wait
// for their client, and the feed by which several servers see each other's changes.
// It lies in the memory of this process or in a SQLite file, which any number of
// processes may share; docs/store.md is for users. A server reads and writes it by
// functions of its own: a program that embeds mica opens a store, looks after it, and
// closes it.
//
// Times are milliseconds since 1970-01-01T00:00:00Z and always come from the
// caller: a store reads no clock. A function never finds what has expired, swept
// or not.
//
// Errors of every function that takes a store, beside its own: MICA_E_BUSY
// (others held the store for longer than busy_ms; the same call may succeed
// later), MICA_E_IO (the file system failed), MICA_E_LIMIT (no memory),
// MICA_E_FORMAT (a text that is not UTF-8 or has U+0000 in it). After any of them
// the store holds what it held before the call.
//
// Threads: any number of threads may use a store at once, and any number of
// processes one file. A child process must not use a store that it inherits by fork.
#ifndef MICA_STORE_H
#define MICA_STORE_H

#include <mica/base.h>

#pragma GCC visibility push(default)

struct mica_store;

// ---- Opening -------------------------------------------------------------

// Limits. 0 is the default behind each.
struct mica_store_options {
    size_t sessions;        // 100000
    size_t party_sessions;  // of one party: 1000
    size_t streams;         // of one session, that are open or kept: 64
    size_t stream_events;   // kept of one stream: 256
    size_t stream_bytes;    // kept of one stream: 1 MiB
    size_t event_bytes;     // kept of all streams together: 256 MiB
    int64_t event_age_ms;   // 10 minutes
    size_t subscriptions;   // of one session: 256
    size_t changes;         // kept in the feed: 10000
    int64_t change_age_ms;  // 1 hour
    int64_t key_age_ms;     // a key seals for 30 days,
    int64_t key_overlap_ms; // and opens for 31 days when a new one has come
    size_t calls;           // that are open or whose reply is kept: 1000000
    size_t owner_calls;     // of those, of one owner: 10000
    size_t call_bytes;      // of one call, with its rounds: 4 MiB
    size_t all_call_bytes;  // of all calls together: 1 GiB
    size_t call_rounds;     // of one call, that are kept: 256
    unsigned busy_ms;       // longest wait for others: 2000
    bool must_exist;        // do not make the file
};

// Opens what `spec` names: "memory", "sqlite:PATH", or "sqlite" for the default
// path. A file that is not there is made, with its folders, for this user
// alone. A file of an older mica is brought up to date.
// Owner: the caller, until mica_store_close. `options` may be NULL.
// Errors: MICA_E_USAGE (another spec), MICA_E_NOT_FOUND (must_exist),
// MICA_E_TRUST (others may read the file), MICA_E_IO (damaged, of a newer mica,
// or not mica's: the file is left as it is), MICA_E_BUSY.
enum mica_status mica_store_open(const char *spec,
                                 const struct mica_store_options *options,
                                 struct mica_error *error,
                                 struct mica_store **store_out) MICA_MUST_USE;

// Sets *store to NULL; it may be so before. No other thread may use it.
void mica_store_close(struct mica_store **store);

// Room for a path.
#define MICA_STORE_PATH_SIZE 4096

// $XDG_STATE_HOME/mica/mica.db, or ~/.local/state/mica/mica.db. Errors:
// MICA_E_USAGE when neither variable is an absolute path.
enum mica_status mica_store_default_path(char path_out[MICA_STORE_PATH_SIZE],
                                         struct mica_error *error)
    MICA_MUST_USE;

// ---- Sealing keys --------------------------------------------------------

// A key that all processes share. Its secret is wiped by who holds it.
struct mica_store_key {
    uint32_t id; // 1 and up
    unsigned char secret[32];
    int64_t created;
    int64_t retires; // opens until then; INT64_MAX while it is the newest
};

// Makes a new key at once; those before it retire in key_overlap_ms.
enum mica_status mica_store_key_rotate(struct mica_store *store, int64_t now,
                                       struct mica_error *error,
                                       struct mica_store_key *key_out)
    MICA_MUST_USE;

// ---- Upkeep --------------------------------------------------------------

// Removes at most `limit` (1 to 1000) of each kind that have expired or are too
// old: sessions with all they have, calls that have ended, events, changes, keys.
// An open call is never removed, but due. Call it now and then, and again at once
// while `*removed_out` is not below `limit`. Errors:
// MICA_E_USAGE (another limit).
enum mica_status mica_store_sweep(struct mica_store *store, int64_t now,
                                  size_t limit, struct mica_error *error,
                                  size_t *removed_out) MICA_MUST_USE;

// What is there, swept or not, and what was dropped since the store was made.
struct mica_store_statistics {
    int64_t keys, sessions, streams, events, event_bytes, changes,
        subscriptions;
    int64_t calls, open_calls, call_bytes, rounds;
    int64_t events_dropped, changes_dropped; // for a limit or for their age
    int64_t sessions_expired, calls_expired; // and swept
    int64_t calls_stranded;     // ended, as no process had their build
    int64_t sessions_displaced; // ended to make room for another of their party
};

// Cheap enough to be asked every second.
enum mica_status
mica_store_statistics(struct mica_store *store, struct mica_error *error,
                      struct mica_store_statistics *statistics_out)
    MICA_MUST_USE;

// What a store is kept in.
struct mica_store_place {
    const char *backend;  // "memory" or "sqlite"; static
    const char *path;     // as long as the store; NULL in memory
    int64_t schema;       // version of its tables
    int64_t bytes;        // of the file, what is being written aside included
    uint64_t waits_ended; // in this process: others were waited for, and ended
    uint64_t waits_vain;  // the same, and they did not: MICA_E_BUSY
    bool sees_deaths;     // of processes that share the file: it can be locked
};

// The path lives as long as the store.
enum mica_status mica_store_place(struct mica_store *store,
                                  struct mica_error *error,
                                  struct mica_store_place *place_out)
    MICA_MUST_USE;

// Copies the store as it is at one moment into a new file at `path`, for this
// user alone, while others use it. The copy is complete or not there.
// `progress` (may be NULL) is called with pages done and in all; when it returns
// false the copy is given up with MICA_E_CANCELLED.
// Errors: MICA_E_EXISTS (there is a file), MICA_E_USAGE (a store in memory).
enum mica_status
mica_store_backup(struct mica_store *store, const char *path,
                  bool (*progress)(void *user, int64_t done, int64_t total),
                  void *user, struct mica_error *error) MICA_MUST_USE;

// Reads everything and compares each index with its rows. `*findings_out`, in
// `arena`, has one line for each fault; empty: the store is sound.
enum mica_status mica_store_check(struct mica_store *store,
                                  struct mica_arena *arena,
                                  struct mica_error *error,
                                  struct mica_text *findings_out) MICA_MUST_USE;

#pragma GCC visibility pop

#endif
