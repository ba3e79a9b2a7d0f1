// SPDX-License-Identifier: Apache-2.0
//
// A store contains the data that outlives one message: sealing keys, the sessions of older
// clients, the events from which a client resumes a broken stream, calls that wait for
// their client, the feed in which several servers see each other's changes, and published
// apps. It is in the memory of this process, or in a SQLite file that any number of processes may share;
// docs/store.md is for users. A program that embeds mica opens, sweeps and closes a store;
// the server reads and writes it with internal functions.
//
// The caller passes all times, in milliseconds since 1970-01-01T00:00:00Z: a store reads no
// clock. No function finds an expired item, whether a sweep has removed it or not.
//
// Errors of every function with a store, beside its own: MICA_E_BUSY (other threads or
// processes used the store for longer than busy_ms; the same call may succeed later),
// MICA_E_IO (the file system failed), MICA_E_LIMIT (no memory), MICA_E_FORMAT (a text that
// is not UTF-8 or contains U+0000). After any of them the store is unchanged.
//
// Threads: any number of threads may use a store at the same time, and any number of
// processes one file. A child process must not use a store that it inherits by fork.
#ifndef MICA_STORE_H
#define MICA_STORE_H

#include <mica/base.h>

#pragma GCC visibility push(default)

struct mica_store;

// ---- Open ----------------------------------------------------------------

// Limits. 0 is the default, which the comment of each says.
struct mica_store_options {
    size_t sessions;        // 100000
    size_t party_sessions;  // of one party: 1000
    size_t streams;         // of one session, open or with events: 64
    size_t stream_events;   // of one stream; older ones are removed: 256
    size_t stream_bytes;    // of the events of one stream: 1 MiB
    size_t event_bytes;     // of the events of all streams: 256 MiB
    int64_t event_age_ms;   // 10 minutes
    size_t subscriptions;   // of one session: 256
    size_t changes;         // in the feed: 10000
    int64_t change_age_ms;  // 1 hour
    int64_t key_age_ms;     // for which a key seals: 30 days
    int64_t key_overlap_ms; // for which it opens after a newer key: 31 days
    size_t calls;           // open, or ended and not expired: 1000000
    size_t owner_calls;     // of those, of one owner: 10000
    size_t call_bytes;      // of one call, with its rounds: 4 MiB
    size_t all_call_bytes;  // of all calls together: 1 GiB
    size_t call_rounds;     // of one call; older ones are removed: 256
    size_t apps;            // 100000
    size_t app_versions;    // of one app; older ones are removed: 100
    size_t app_widgets;     // of one app, while it is published: 1000
    unsigned busy_ms; // longest wait for other threads and processes: 2000
    bool must_exist;  // fail instead of making the file
    // Opens without reading all pages of the file first, which takes seconds for
    // gigabytes. For a short command beside servers, which read them when they began; a
    // damaged page fails with MICA_E_IO when it is met. A file that has to be brought up to
    // date is read whole in any case.
    bool pages_trusted;
};

// Opens the store that `spec` names: "memory", "sqlite:PATH", or "sqlite" for the default
// path. Makes a missing file, with its folders, for this user alone. Migrates the file of an
// older mica.
// Owner: the caller, until mica_store_close. `options` may be NULL.
// Errors: MICA_E_USAGE (another spec), MICA_E_NOT_FOUND (must_exist),
// MICA_E_TRUST (others may read the file), MICA_E_IO (damaged, of a newer mica, or of another
// program: the file stays unchanged), MICA_E_BUSY.
enum mica_status mica_store_open(const char *spec,
                                 const struct mica_store_options *options,
                                 struct mica_error *error,
                                 struct mica_store **store_out) MICA_MUST_USE;

// Closes a store that no other thread uses, and sets *store to NULL. NULL is allowed.
void mica_store_close(struct mica_store **store);

// Bytes of a path, NUL included.
#define MICA_STORE_PATH_SIZE 4096

// $XDG_STATE_HOME/mica/mica.db, or ~/.local/state/mica/mica.db. Errors: MICA_E_USAGE if
// neither XDG_STATE_HOME nor HOME is an absolute path.
enum mica_status mica_store_default_path(char path_out[MICA_STORE_PATH_SIZE],
                                         struct mica_error *error)
    MICA_MUST_USE;

// ---- Sealing keys --------------------------------------------------------

// A sealing key that all processes share. The caller must wipe its secret after use.
struct mica_store_key {
    uint32_t id; // 1 and up
    unsigned char secret[32];
    int64_t created;
    int64_t retires; // until when it opens; INT64_MAX while it is the newest
};

// Makes a new key at once; the older keys retire in key_overlap_ms.
enum mica_status mica_store_key_rotate(struct mica_store *store, int64_t now,
                                       struct mica_error *error,
                                       struct mica_store_key *key_out)
    MICA_MUST_USE;

// ---- Upkeep --------------------------------------------------------------

// Removes at most `limit` (1 to 1000) items of each kind that have expired or are too old:
// sessions with all they have, calls that have ended, events, changes, keys, days of usage of
// apps. It removes no
// open call; an expired one is due, and ends. Call it once a minute, and again at once while
// *removed_out is not below `limit`. Errors: MICA_E_USAGE (another limit).
enum mica_status mica_store_sweep(struct mica_store *store, int64_t now,
                                  size_t limit, struct mica_error *error,
                                  size_t *removed_out) MICA_MUST_USE;

// Numbers of items in the store (expired ones included until a sweep), and of items that were
// removed since the store was made.
struct mica_store_statistics {
    int64_t keys, sessions, streams, events, event_bytes, changes,
        subscriptions;
    int64_t calls, open_calls, call_bytes, rounds;
    int64_t apps, published_apps, app_versions, app_widgets;
    int64_t events_dropped, changes_dropped; // by a limit or by their age
    int64_t sessions_expired, calls_expired; // removed by sweeps
    int64_t calls_stranded;     // ended because no process had their build
    int64_t sessions_displaced; // ended at the limit of their party
};

// Cheap enough to be read every second.
enum mica_status
mica_store_statistics(struct mica_store *store, struct mica_error *error,
                      struct mica_store_statistics *statistics_out)
    MICA_MUST_USE;

// Where the data of a store is.
struct mica_store_place {
    const char *backend;  // "memory" or "sqlite"; static
    const char *path;     // as long as the store; NULL in memory
    int64_t schema;       // version of its tables
    int64_t bytes;        // of the file and its log
    uint64_t waits_ended; // waits of this process for others that ended well
    uint64_t waits_vain;  // waits that ended with MICA_E_BUSY
    bool sees_deaths; // locks prove the deaths of processes that share the file
};

// Reads them; waits for other threads of this process that use the store. The path lives
// as long as the store.
enum mica_status mica_store_place(struct mica_store *store,
                                  struct mica_error *error,
                                  struct mica_store_place *place_out)
    MICA_MUST_USE;

// Copies the store, as it is at one moment, into a new file at `path`, for this user alone,
// while others use the store. The copy is complete, or does not exist. Calls `progress` (may
// be NULL) with the pages copied and in all; if it returns false, this removes the copy and
// returns MICA_E_CANCELLED.
// Errors: MICA_E_EXISTS (there is a file), MICA_E_USAGE (a store in memory).
enum mica_status
mica_store_backup(struct mica_store *store, const char *path,
                  bool (*progress)(void *user, int64_t done, int64_t total),
                  void *user, struct mica_error *error) MICA_MUST_USE;

// Reads everything and compares each index with its rows. *findings_out, in `arena`, has one
// line for each fault; it is empty if the store is sound.
enum mica_status mica_store_check(struct mica_store *store,
                                  struct mica_arena *arena,
                                  struct mica_error *error,
                                  struct mica_text *findings_out) MICA_MUST_USE;

#pragma GCC visibility pop

#endif
