// SPDX-License-Identifier: Apache-2.0
//
// What outlives one message: sealing keys, the sessions of legacy clients, the
// events that a broken stream is resumed from, calls that wait for their client,
// and the feed by which several servers see each other's changes. Kept in this
// process or in a SQLite file, which any number of processes may share;
// docs/store.md tells users.
//
// Times are milliseconds since 1970-01-01T00:00:00Z and always come from the
// caller: a store reads no clock. What has expired is not found, whether it has
// been swept or not.
//
// Errors of every function that takes a store, beside its own: MICA_E_BUSY
// (others held the store for longer than busy_ms; the same call may work
// later), MICA_E_IO (the file system failed), MICA_E_LIMIT (no memory),
// MICA_E_FORMAT (a text that is not UTF-8 or has U+0000 in it). After any of them
// the store holds what it held before the call.
//
// Threads: a store may be used by any number of threads at once, and so may one
// file by any number of processes; not across fork.
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

// The key to seal with: the newest, or a new one when the store has no key or its
// newest is older than key_age_ms. Processes that ask at once get the same.
enum mica_status mica_store_key_current(struct mica_store *store, int64_t now,
                                        struct mica_error *error,
                                        struct mica_store_key *key_out)
    MICA_MUST_USE;

// The key to open with. Errors: MICA_E_NOT_FOUND (no such key, or retired).
enum mica_status mica_store_key_find(struct mica_store *store, uint32_t id,
                                     int64_t now, struct mica_error *error,
                                     struct mica_store_key *key_out)
    MICA_MUST_USE;

// Makes a new key at once; those before it retire in key_overlap_ms.
enum mica_status mica_store_key_rotate(struct mica_store *store, int64_t now,
                                       struct mica_error *error,
                                       struct mica_store_key *key_out)
    MICA_MUST_USE;

// ---- Sessions ------------------------------------------------------------

// Room for the id of a session, NUL included.
#define MICA_STORE_ID_SIZE 44

// A new id: 256 random bits in 43 visible ASCII characters.
void mica_store_id_make(char id_out[MICA_STORE_ID_SIZE]);

// By what a store knows a session: a hash of its id. The id itself is a secret
// of the client and is never stored.
struct mica_store_session_key {
    unsigned char bytes[32];
};

// The key of any text that a client sends as an id.
struct mica_store_session_key mica_store_session_key_of(struct mica_text id);

// Who a session belongs to; both empty for an unknown caller.
struct mica_store_owner {
    struct mica_text issuer, subject;
};

struct mica_store_session {
    struct mica_store_owner owner;
    struct mica_text revision;     // of the protocol, "2025-11-25"
    struct mica_text client_info;  // JSON as the client sent it, or empty
    struct mica_text capabilities; // the same
    int log_level;                 // the caller's numbers; -1 for none
    int64_t created, seen, expires;
    // Where there is no owner: by what one client is told from others, as its
    // address; any bytes, of which a hash is kept. Empty: no bound applies.
    // Not read back.
    struct mica_text party;
};

// Longest texts of one session together.
#define MICA_STORE_SESSION_BYTES 16384

// When its party (the owner, or .party) has .party_sessions already, the one of them
// that has been idle for longest ends: a session with an open stream or a call that
// waits is not idle. Errors: MICA_E_EXISTS (the key is in use), MICA_E_LIMIT (as many
// sessions as there may be, or texts longer than MICA_STORE_SESSION_BYTES),
// MICA_E_SESSIONS (as many of that party, and none is idle).
enum mica_status
mica_store_session_create(struct mica_store *store,
                          const struct mica_store_session_key *key,
                          const struct mica_store_session *session,
                          struct mica_error *error) MICA_MUST_USE;

// The same as mica_store_session_find without waiting: false when that has to be called.
// True: `*status_out` is MICA_OK, or MICA_E_NOT_FOUND. What this process changes is
// known at once, what others change after at most 5 seconds; a session that was not
// there is looked for again after one.
bool mica_store_session_known(struct mica_store *store,
                              const struct mica_store_session_key *key,
                              const struct mica_store_owner *owner, int64_t now,
                              struct mica_arena *arena,
                              struct mica_error *error,
                              struct mica_store_session *session_out,
                              enum mica_status *status_out) MICA_MUST_USE;

// The session, if it is `owner`'s; its texts in `arena`. Errors:
// MICA_E_NOT_FOUND (unknown, expired, ended, or of another owner: all the same).
enum mica_status
mica_store_session_find(struct mica_store *store,
                        const struct mica_store_session_key *key,
                        const struct mica_store_owner *owner, int64_t now,
                        struct mica_arena *arena, struct mica_error *error,
                        struct mica_store_session *session_out) MICA_MUST_USE;

// Seen now; expires at `expires`. It writes, so do it once in a while and not at
// each message. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_session_touch(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t now, int64_t expires, struct mica_error *error) MICA_MUST_USE;

// The same, and a stream of it is open, until `until` as far as other processes know.
// Errors: MICA_E_NOT_FOUND.
enum mica_status
mica_store_session_listen(struct mica_store *store,
                          const struct mica_store_session_key *key, int64_t now,
                          int64_t expires, int64_t until,
                          struct mica_error *error) MICA_MUST_USE;

// Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_session_set_log_level(
    struct mica_store *store, const struct mica_store_session_key *key,
    int64_t now, int log_level, struct mica_error *error) MICA_MUST_USE;

// Ends it, with its streams, events and subscriptions; its open calls are due.
// Errors: MICA_E_NOT_FOUND.
enum mica_status
mica_store_session_delete(struct mica_store *store,
                          const struct mica_store_session_key *key, int64_t now,
                          struct mica_error *error) MICA_MUST_USE;

// ---- Streams and their events --------------------------------------------

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

// ---- Change feed ---------------------------------------------------------

// What a change is about.
enum mica_store_change_kind {
    MICA_CHANGE_TOOLS = 1, // the list of tools
    MICA_CHANGE_PROMPTS,   // the list of prompts
    MICA_CHANGE_RESOURCES, // the list of resources
    MICA_CHANGE_RESOURCE,  // what is in the resource `name`
    MICA_CHANGE_TASK       // the state of the task whose id is `name`
};

struct mica_store_change {
    int64_t sequence;
    int64_t created;
    enum mica_store_change_kind kind;
    struct mica_text name; // of a tool or prompt, or a URI; may be empty
};

// Longest name in the feed, and longest URI of a subscription.
#define MICA_STORE_NAME_BYTES 8192

// Errors: MICA_E_LIMIT (the name).
enum mica_status mica_store_change_append(struct mica_store *store,
                                          enum mica_store_change_kind kind,
                                          struct mica_text name, int64_t now,
                                          struct mica_error *error,
                                          int64_t *sequence_out) MICA_MUST_USE;

// The sequence of the newest change, 0 when there was none: where to read from.
enum mica_status mica_store_change_last(struct mica_store *store,
                                        struct mica_error *error,
                                        int64_t *sequence_out) MICA_MUST_USE;

struct mica_store_changes {
    struct mica_store_change *items; // in order
    size_t count;
    bool missed; // changes after `after` are gone: take all as changed
};

// At most `limit` changes after sequence `after`, in `arena`.
enum mica_status mica_store_change_read(struct mica_store *store, int64_t after,
                                        size_t limit, struct mica_arena *arena,
                                        struct mica_error *error,
                                        struct mica_store_changes *changes_out)
    MICA_MUST_USE;

// ---- Subscriptions to resources ------------------------------------------

// Subscribing twice is subscribing once. Errors: MICA_E_NOT_FOUND (the session),
// MICA_E_LIMIT (as many as a session may have, or the URI's length).
enum mica_status mica_store_subscribe(struct mica_store *store,
                                      const struct mica_store_session_key *key,
                                      struct mica_text uri, int64_t now,
                                      struct mica_error *error) MICA_MUST_USE;

// Errors: MICA_E_NOT_FOUND (the session; not the subscription).
enum mica_status mica_store_unsubscribe(
    struct mica_store *store, const struct mica_store_session_key *key,
    struct mica_text uri, int64_t now, struct mica_error *error) MICA_MUST_USE;

// Sessions, by their keys.
struct mica_store_subscribers {
    struct mica_store_session_key *keys;
    size_t count;
};

// At most `limit` sessions that subscribe to `uri`, in `arena`: the first ones
// when `after` is NULL, those behind it otherwise. As many as `limit`: there may
// be more, behind the last of them.
enum mica_status mica_store_subscribers(
    struct mica_store *store, struct mica_text uri,
    const struct mica_store_session_key *after, size_t limit, int64_t now,
    struct mica_arena *arena, struct mica_error *error,
    struct mica_store_subscribers *subscribers_out) MICA_MUST_USE;

// ---- Calls that wait -----------------------------------------------------
//
// A call that lives longer than one message: what it was asked, how far it has
// come, and what it has answered. A process that continues one claims it: a lease until
// some time, and a fence, a number that rises with each claim. What was claimed
// is written under its fence, so of two processes that continue the same call one wins,
// and the other writes nothing. A lease that ran out may be claimed by others;
// until then its holder may still write. A process that claims such a call is told how
// often that was so, call->attempts: its holder has not come back from it.

enum mica_store_call_state {
    MICA_STORE_CALL_WORKING = 1, // a turn runs, or waits to be run
    MICA_STORE_CALL_WAITING,     // for answers
    MICA_STORE_CALL_COMPLETED,   // from here on it has ended
    MICA_STORE_CALL_FAILED,
    MICA_STORE_CALL_CANCELLED
};

// Longest id of a call.
#define MICA_STORE_CALL_ID_BYTES 64

// Who is woken has so long to claim a call before others look at it.
#define MICA_STORE_CALL_GRACE_MS 1000

struct mica_store_call {
    // What never changes:
    struct mica_text id; // not empty
    struct mica_store_owner owner;
    int way, offer;                      // the caller's numbers
    struct mica_text target;             // what runs, and
    struct mica_text version;            // of that
    struct mica_text arguments, context; // JSON
    struct mica_text session; // bytes of its mica_store_session_key, or empty
    int64_t stream;           // of that session, on which it answers; or 0
    int64_t created;
    // What a commit writes:
    enum mica_store_call_state state;
    struct mica_text journal;           // bytes
    struct mica_text asks, reply, note; // JSON; JSON; for people
    struct mica_text told;              // lines of JSON, for people
    int64_t due;                        // when `asks` are late; INT64_MAX
    int64_t expires;
    uint32_t attempts; // claims whose lease ran out, since a commit wrote 0
    // What the store writes:
    uint32_t round; // how many rounds it has answered
    int64_t changed;
    int64_t fence; // of the claim; 0: it is not claimed by this function
    int64_t bytes; // all that is kept of it
    // What its open questions come to, by mica_store_call_claim: as
    // mica_store_call_ending.
    enum mica_status ending;
    // By mica_store_call_commit, in the same transaction: it is kept first, as by
    // mica_store_call_create, its lease and its fence aside …
    bool begins;
    // … and these are the next events of its stream, the first with the number
    // `first_event`, which is 0 when they could not be kept; then nothing was.
    const struct mica_text *events;
    size_t event_count;
    bool closes; // the stream, behind them
    int64_t first_event;
};

// Keeps a new call, claimed until now + lease_ms; `*call` gets its fence. With a
// `key` (not empty) under which the same owner has begun a call of the same
// target that has not expired: MICA_E_EXISTS, and *call is that one, in `arena`,
// not claimed. Other errors: MICA_E_LIMIT (a limit above; calls without an owner, both
// texts empty, are bounded by those on all calls alone),
// MICA_E_NOT_FOUND (the session), MICA_E_USAGE (the id is in use, or too long).
enum mica_status
mica_store_call_create(struct mica_store *store, struct mica_store_call *call,
                       struct mica_text key, int64_t now, int64_t lease_ms,
                       struct mica_arena *arena, struct mica_error *error)
    MICA_MUST_USE;

// Reads a call, its texts in `arena`. Errors: MICA_E_NOT_FOUND (unknown,
// expired, or of another owner). `owner` NULL: any owner; a call that is
// still open is then found also when it has expired.
enum mica_status
mica_store_call_find(struct mica_store *store, struct mica_text id,
                     const struct mica_store_owner *owner, int64_t now,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_store_call *call_out) MICA_MUST_USE;

// The same, and claims it. One that has ended is found, not claimed. Errors:
// MICA_E_CALL_BUSY (another process has the lease).
enum mica_status
mica_store_call_claim(struct mica_store *store, struct mica_text id,
                      const struct mica_store_owner *owner, int64_t now,
                      int64_t lease_ms, struct mica_arena *arena,
                      struct mica_error *error,
                      struct mica_store_call *call_out) MICA_MUST_USE;

// The same, unless `may` says that this process cannot run the call: then
// MICA_E_STRANDED, and nothing is written. `may` runs inside the transaction.
enum mica_status mica_store_call_claim_if(
    struct mica_store *store, struct mica_text id,
    const struct mica_store_owner *owner,
    bool (*may)(void *user, const struct mica_store_call *call), void *user,
    int64_t now, int64_t lease_ms, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_call *call_out) MICA_MUST_USE;

// The claim with that fence lasts until now + lease_ms; with 0 it is given back.
// Errors: MICA_E_CALL_BUSY (it was lost).
enum mica_status mica_store_call_renew(struct mica_store *store,
                                       struct mica_text id, int64_t fence,
                                       int64_t now, int64_t lease_ms,
                                       struct mica_error *error) MICA_MUST_USE;

// Writes what a commit writes, and the lease as mica_store_call_renew; one that
// gives the claim back also writes call->way. With a
// `round_reply` (not empty) also that its round was answered with that, for
// `answers` of which a hash is kept, and call->round rises. Of more than
// call_rounds rounds, or when the call would become too large, the oldest go.
// A call that has ended has no lease any more. Errors: MICA_E_CALL_BUSY (the
// claim was lost), MICA_E_LIMIT.
enum mica_status
mica_store_call_commit(struct mica_store *store, struct mica_store_call *call,
                       struct mica_text answers, struct mica_text round_reply,
                       int64_t now, int64_t lease_ms, struct mica_error *error)
    MICA_MUST_USE;

// What a round was answered with. Errors: MICA_E_NOT_FOUND (no such call, or it
// has not answered that round yet), MICA_E_SUPERSEDED (it had other answers, or
// is too long ago).
enum mica_status
mica_store_call_replay(struct mica_store *store, struct mica_text id,
                       uint32_t round, struct mica_text answers, int64_t now,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_text *reply_out) MICA_MUST_USE;

// What the open asks of an open call have come to: MICA_OK (nothing: they are
// still waited for), MICA_E_TIMEOUT (they are late, or the call has expired),
// MICA_E_DISCONNECTED (its session has ended), MICA_E_CANCELLED. Errors:
// MICA_E_NOT_FOUND.
enum mica_status mica_store_call_ending(struct mica_store *store,
                                        struct mica_text id, int64_t now,
                                        struct mica_error *error,
                                        enum mica_status *ending_out)
    MICA_MUST_USE;

struct mica_store_due {
    struct mica_text *ids; // first those that are late for longest
    enum mica_status *endings;
    size_t count;
    int64_t next; // when there will be more; INT64_MAX
};

// What runs calls: a tool, say, in one build. The number stands for these texts,
// the same in every store.
struct mica_store_build {
    int64_t number;
    int offer;
    struct mica_text target, version;
    int64_t next; // when the first of its calls is due
};

// All that open calls began with.
struct mica_store_builds {
    struct mica_store_build *items;
    size_t count;
    bool more; // behind the last one
};

// Some of them, by their numbers.
struct mica_store_build_set {
    const int64_t *numbers;
    size_t count;
};

// The builds that open calls have begun with, in `arena` and in the order of their
// numbers; of more than 10,000 the first ones.
enum mica_status mica_store_call_builds(struct mica_store *store,
                                        struct mica_arena *arena,
                                        struct mica_error *error,
                                        struct mica_store_builds *builds_out)
    MICA_MUST_USE;

// The same, of those builds alone whose number is greater than `behind`.
enum mica_status mica_store_call_builds_behind(
    struct mica_store *store, int64_t behind, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_builds *builds_out)
    MICA_MUST_USE;

// At most `limit` (1 to 1000) open calls of these builds, in `arena`, that a process
// has to continue: their asks are late, they have expired, their session has ended,
// or they are WORKING and no process has claimed them for a second. They are not given out
// again, to any process, before now + again_ms, but may be claimed. A claim that is held is
// waited for. What a process cannot run does not stand in its way. Calls of one build
// come first late, first given. Errors: MICA_E_USAGE (another limit).
enum mica_status mica_store_call_due_of(
    struct mica_store *store, const struct mica_store_build_set *builds,
    int64_t now, size_t limit, int64_t again_ms, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_due *due_out) MICA_MUST_USE;

// At most `limit` (1 to 1000) open calls of these builds, in `arena`, that expired
// at `before` or earlier and that no process holds; without endings, and they are
// found again.
enum mica_status
mica_store_call_stranded(struct mica_store *store,
                         const struct mica_store_build_set *builds,
                         int64_t before, int64_t now, size_t limit,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_store_due *stranded_out) MICA_MUST_USE;

// One more call has ended because no process had its build (statistics).
enum mica_status mica_store_count_stranded(struct mica_store *store,
                                           struct mica_error *error)
    MICA_MUST_USE;

// Frees at once what processes have held that have ended: a lock that the system
// lets go of proves it, never a process id. In `*freed_out` how many calls; each is
// due, and its next claim counts a lost holder. Where the file system has no such
// locks, and in memory, nothing happens: leases run out.
enum mica_status mica_store_reap(struct mica_store *store, int64_t now,
                                 struct mica_error *error, size_t *freed_out)
    MICA_MUST_USE;

struct mica_store_calls {
    struct mica_store_call *items; // without arguments, context, journal, reply
    size_t count;
    struct mica_text
        next; // the next page begins behind this; empty: it was the last
};

// Which calls are listed; what is 0 or empty is not asked about.
struct mica_store_call_filter {
    struct mica_text target;  // exactly this one runs
    struct mica_text subject; // of its owner, whatever the issuer
    enum mica_store_call_state state;
    int64_t created_from, created_to; // both included
    bool ended; // those that have ended and are kept; else those that are open
};

// Room for a cursor of a list, NUL included.
#define MICA_STORE_CALL_CURSOR_SIZE (MICA_STORE_CALL_ID_BYTES + 24)

// The cursor of the page behind that call.
void mica_store_call_cursor(const struct mica_store_call *call,
                            char cursor_out[MICA_STORE_CALL_CURSOR_SIZE]);

// At most `limit` (1 to 1000) calls that the filter lets through, those that began
// first at the front, behind a cursor when that is not empty. In `next` the cursor
// of the last one when there are more. A page costs the same wherever it lies.
// Errors: MICA_E_USAGE (another limit, or no cursor).
enum mica_status mica_store_call_page(
    struct mica_store *store, const struct mica_store_call_filter *filter,
    struct mica_text after, size_t limit, struct mica_arena *arena,
    struct mica_error *error, struct mica_store_calls *calls_out) MICA_MUST_USE;

// How many calls the filter lets through.
enum mica_status mica_store_call_count(
    struct mica_store *store, const struct mica_store_call_filter *filter,
    struct mica_error *error, int64_t *count_out) MICA_MUST_USE;

// What mica_store_take_over has done.
struct mica_store_taken {
    size_t calls, sessions, keys;
    size_t left; // calls that a process of the other store holds or has changed
};

// Moves the calls whose build `may` lets through from another store into this one,
// with the sessions in which they answer; keys are copied when this store has none.
// A call can be claimed in one of them at most, wherever the process dies: a second
// takeover continues where the first has ended. Others may use both stores meanwhile; a
// call that they change is left. One process at a time moves calls into a store.
// Errors: MICA_E_BUSY (another has done so for longer than busy_ms).
enum mica_status mica_store_take_over(
    struct mica_store *to, struct mica_store *from,
    bool (*may)(void *user, const struct mica_store_build *build), void *user,
    int64_t now, struct mica_error *error, struct mica_store_taken *taken_out)
    MICA_MUST_USE;

// The open calls that answer on a stream of the session, or with 0 on any, at
// most so many, in `arena`. Of a session that is not there: none.
#define MICA_STORE_ANSWERING 256
struct mica_store_answering {
    struct mica_text *ids;
    int64_t *streams;
    size_t count;
};
enum mica_status
mica_store_answering(struct mica_store *store,
                     const struct mica_store_session_key *key, int64_t stream,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_store_answering *answering_out) MICA_MUST_USE;

// Its client wants no more of it: an open call is due at once, and its asks have
// come to MICA_E_CANCELLED, whatever a claim that is held now commits but its end.
// One that has ended stays as it is. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_call_cancel(struct mica_store *store,
                                        struct mica_text id,
                                        struct mica_error *error) MICA_MUST_USE;

// Expires it now: an open call is due, one that has ended is deleted. Errors:
// MICA_E_NOT_FOUND.
enum mica_status mica_store_call_expire(struct mica_store *store,
                                        struct mica_text id, int64_t now,
                                        struct mica_error *error) MICA_MUST_USE;

// Deletes it as it is, with no clean-up of what it has done; who holds it loses
// his claim. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_store_call_delete(struct mica_store *store,
                                        struct mica_text id, int64_t now,
                                        struct mica_error *error) MICA_MUST_USE;

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
