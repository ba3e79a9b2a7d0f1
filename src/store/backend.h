// SPDX-License-Identifier: Apache-2.0
//
// What a back end does: rows in tables, kept in the order of their indexes, in
// transactions. What the rows mean, and every rule about them, lies in front of
// this (sessions.c, streams.c, …), once for all back ends. So a new table is an
// entry in tables.c and the text of a migration, and a new back end is the
// struct of functions below.
#ifndef MICA_STORE_BACKEND_H
#define MICA_STORE_BACKEND_H

#include <mica/store.h>

enum {
    MICA_STORE_COLUMNS = 18,  // most of one table
    MICA_STORE_INDEXES = 3,   // most of one table
    MICA_STORE_PARTS = 3,     // most columns of one index
    MICA_STORE_CONDITIONS = 4 // most of one range
};

// ---- Tables (tables.c) -------------------------------------------------------

enum mica_store_table {
    MICA_STORE_KEYS,
    MICA_STORE_SESSIONS,
    MICA_STORE_STREAMS,
    MICA_STORE_EVENTS,
    MICA_STORE_CHANGES,
    MICA_STORE_SUBSCRIPTIONS,
    MICA_STORE_CALLS,
    MICA_STORE_REQUESTS,
    MICA_STORE_JOURNALS,
    MICA_STORE_ROUNDS,
    MICA_STORE_CALL_KEYS,
    MICA_STORE_CALLERS,
    MICA_STORE_HOLDS,
    MICA_STORE_NODES,
    MICA_STORE_PARTIES,
    MICA_STORE_TABLES
};

enum mica_store_kind {
    MICA_STORE_NUMBER,
    MICA_STORE_TEXT, // UTF-8 without U+0000
    MICA_STORE_BYTES
};

struct mica_store_column {
    const char *name;
    enum mica_store_kind kind;
};

struct mica_store_index {
    unsigned char columns[MICA_STORE_PARTS];
    unsigned char count;
};

// The first index is the primary key. Rows that are equal in another are in the
// order of the first.
struct mica_store_layout {
    const char *name;
    struct mica_store_column columns[MICA_STORE_COLUMNS];
    unsigned column_count;
    struct mica_store_index indexes[MICA_STORE_INDEXES];
    unsigned index_count;
};

extern const struct mica_store_layout mica_store_layouts[MICA_STORE_TABLES];

// The columns, in the order of the layouts.
enum { // keys
    MICA_KEY_ID,
    MICA_KEY_SECRET,
    MICA_KEY_CREATED,
    MICA_KEY_RETIRES
};

enum { // sessions
    MICA_SESSION_KEY,
    MICA_SESSION_ISSUER,
    MICA_SESSION_SUBJECT,
    MICA_SESSION_REVISION,
    MICA_SESSION_CLIENT_INFO,
    MICA_SESSION_CAPABILITIES,
    MICA_SESSION_LOG_LEVEL,
    MICA_SESSION_CREATED,
    MICA_SESSION_SEEN,
    MICA_SESSION_EXPIRES,
    MICA_SESSION_LAST_STREAM,
    MICA_SESSION_PARTY,  // hash of whom it is counted; empty: of nobody
    MICA_SESSION_IDLE,   // since when nothing of it is open (parties.c)
    MICA_SESSION_LISTENS // until when a process has a stream of it open
};

// The indexes of sessions.
enum {
    MICA_SESSIONS_BY_KEY,
    MICA_SESSIONS_BY_EXPIRES,
    MICA_SESSIONS_BY_PARTY
};

enum { // parties
    MICA_PARTY_HASH,
    MICA_PARTY_SESSIONS // that there are
};

enum { // streams
    MICA_STREAM_SESSION,
    MICA_STREAM_NUMBER,
    MICA_STREAM_LAST,   // sequence of its newest event
    MICA_STREAM_EVENTS, // that are kept
    MICA_STREAM_BYTES,  // of those
    MICA_STREAM_CLOSED,
    MICA_STREAM_REQUEST, // what it was opened for
    MICA_STREAM_LEASE,   // until when somebody goes on with that
    MICA_STREAM_CALL,    // the kept call that answers on it, or empty
    MICA_STREAM_HOLDER   // the node that has the lease; 0: not known
};

enum { // events
    MICA_EVENT_SESSION,
    MICA_EVENT_STREAM,
    MICA_EVENT_SEQUENCE,
    MICA_EVENT_CREATED,
    MICA_EVENT_BYTES,
    MICA_EVENT_DATA,
    MICA_EVENT_AGES // since when it ages; INT64_MAX while its stream is held
};

enum { // changes
    MICA_CHANGE_SEQUENCE,
    MICA_CHANGE_CREATED,
    MICA_CHANGE_KIND,
    MICA_CHANGE_NAME
};

enum { // subscriptions
    MICA_SUBSCRIPTION_SESSION,
    MICA_SUBSCRIPTION_URI
};

// A call is in three tables, by how often they are written: what is looked at and
// changed at each step, what it was asked, and what a turn leaves.
enum { // calls
    MICA_CALL_ID,
    MICA_CALL_ENDED, // 0 or 1
    MICA_CALL_WAKES, // when somebody has to look at it; its end: when it goes
    MICA_CALL_STATE,
    MICA_CALL_ROUND,
    MICA_CALL_CHANGED,
    MICA_CALL_EXPIRES,
    MICA_CALL_DUE,
    MICA_CALL_FENCE,
    MICA_CALL_LEASE, // until when it is claimed; 0: it is not
    MICA_CALL_BYTES, // all that is kept of it
    MICA_CALL_KEPT,  // of those, all but its row in journals
    MICA_CALL_ATTEMPTS,
    MICA_CALL_BUILD,  // number of what runs it; 0: it has ended
    MICA_CALL_HOLDER, // the node that has claimed it last; 0: not known
    MICA_CALL_TARGET, // these three as in requests, for lists
    MICA_CALL_SUBJECT,
    MICA_CALL_CREATED
};

// The indexes of calls.
enum {
    MICA_CALLS_BY_ID,
    MICA_CALLS_BY_WAKES,
    MICA_CALLS_BY_CREATED
};

enum { // requests
    MICA_REQUEST_CALL,
    MICA_REQUEST_ISSUER,
    MICA_REQUEST_SUBJECT,
    MICA_REQUEST_WAY,
    MICA_REQUEST_OFFER,
    MICA_REQUEST_TARGET,
    MICA_REQUEST_VERSION,
    MICA_REQUEST_SESSION,
    MICA_REQUEST_STREAM,
    MICA_REQUEST_CREATED,
    MICA_REQUEST_ARGUMENTS,
    MICA_REQUEST_CONTEXT
};

enum { // journals
    MICA_JOURNAL_CALL,
    MICA_JOURNAL_JOURNAL,
    MICA_JOURNAL_ASKS,
    MICA_JOURNAL_REPLY,
    MICA_JOURNAL_NOTE,
    MICA_JOURNAL_TOLD
};

enum { // rounds
    MICA_ROUND_CALL,
    MICA_ROUND_NUMBER,
    MICA_ROUND_ANSWERS, // their hash
    MICA_ROUND_REPLY
};

enum {                  // call_keys
    MICA_CALL_KEY_HASH, // of owner, target and key
    MICA_CALL_KEY_CALL
};

enum {                 // callers
    MICA_CALLER_OWNER, // hash of issuer and subject
    MICA_CALLER_CALLS  // that are kept
};

enum { // holds: streams on which an open call answers
    MICA_HOLD_SESSION,
    MICA_HOLD_STREAM,
    MICA_HOLD_CALL
};

enum { // nodes: processes that hold something in this store
    MICA_NODE_ID,
    MICA_NODE_SINCE
};

// Numbers that are kept beside the tables, so that nobody has to count rows.
enum mica_store_counter {
    MICA_COUNT_KEYS,
    MICA_COUNT_SESSIONS,
    MICA_COUNT_STREAMS,
    MICA_COUNT_EVENTS,
    MICA_COUNT_EVENT_BYTES,
    MICA_COUNT_CHANGES,
    MICA_COUNT_SUBSCRIPTIONS,
    MICA_COUNT_EVENTS_DROPPED,
    MICA_COUNT_CHANGES_DROPPED,
    MICA_COUNT_SESSIONS_EXPIRED,
    MICA_COUNT_CALLS,
    MICA_COUNT_OPEN_CALLS,
    MICA_COUNT_CALL_BYTES,
    MICA_COUNT_ROUNDS,
    MICA_COUNT_CALLS_EXPIRED,
    MICA_COUNT_CALLS_STRANDED,
    MICA_COUNT_SESSIONS_DISPLACED,
    MICA_COUNT_TAKEN_OVER,
    MICA_STORE_COUNTERS
};

extern const char *const mica_store_counter_names[MICA_STORE_COUNTERS];

// The number of a build, for the column of calls: never 0 (callers.c).
int64_t mica_store_build_number(int offer, struct mica_text target,
                                struct mica_text version);

// ---- Rows --------------------------------------------------------------------

union mica_store_value {
    int64_t number;
    struct mica_text text; // also of bytes
};

struct mica_store_row {
    union mica_store_value values[MICA_STORE_COLUMNS];
};

struct mica_store_rows {
    struct mica_store_row *items;
    size_t count;
};

// The set with one column.
#define MICA_COLUMN(number) (1u << (number))
#define MICA_ALL_COLUMNS    ((1u << MICA_STORE_COLUMNS) - 1)

enum mica_store_bound {
    MICA_BOUND_NONE,
    MICA_BOUND_AFTER, // greater than the value
    MICA_BOUND_BELOW  // less than it
};

enum mica_store_comparison {
    MICA_IS_EQUAL = 1,
    MICA_IS_AT_MOST,
    MICA_IS_AT_LEAST
};

// What a column of a row has to be besides. It is tested row by row.
struct mica_store_condition {
    unsigned column;
    enum mica_store_comparison is;
    union mica_store_value value;
};

// Rows whose first `equal` columns of an index have the values given, and whose
// next column is bound by the value after those. With `ties` rows that have just
// that value are bound by the primary key, of one column, whose value comes next.
struct mica_store_range {
    enum mica_store_table table;
    unsigned index;
    unsigned equal;
    enum mica_store_bound bound;
    bool ties;         // of MICA_BOUND_AFTER or _BELOW
    bool newest_first; // in the reverse order of the index
    unsigned columns;  // the set that is read; 0: all
    size_t limit;      // rows
    union mica_store_value values[MICA_STORE_PARTS + 1];
    struct mica_store_condition conditions[MICA_STORE_CONDITIONS];
    unsigned condition_count;
};

// ---- Back ends ---------------------------------------------------------------

enum mica_store_access {
    MICA_STORE_READ,
    MICA_STORE_WRITE
};

// Between begin and commit or rollback a connection belongs to one thread and
// sees one state of the store: its own writes, and nothing that others do. A
// back end that cannot promise this for a writer says MICA_E_BUSY at commit.
// Any failure of a function that writes makes the front roll back.
struct mica_store_backend {
    const char *name;
    void (*close)(void *self);

    // Waits for others at most as long as options.busy_ms says. Errors:
    // MICA_E_BUSY, MICA_E_USAGE (this thread is inside a transaction already).
    enum mica_status (*begin)(void *self, enum mica_store_access access,
                              struct mica_error *error, void **connection_out);
    // On failure it is rolled back.
    enum mica_status (*commit)(void *connection, struct mica_error *error);
    void (*rollback)(void *connection);

    // MICA_E_EXISTS when the primary key is taken.
    enum mica_status (*insert)(void *connection, enum mica_store_table table,
                               const struct mica_store_row *row,
                               struct mica_error *error);
    // Sets a set of columns, none of the primary key's, of the row whose primary
    // key is that of `row`. MICA_E_NOT_FOUND.
    enum mica_status (*update)(void *connection, enum mica_store_table table,
                               unsigned columns,
                               const struct mica_store_row *row,
                               struct mica_error *error);
    // Removes the rows that are equal to `row` in the first `equal` columns of
    // the primary key.
    enum mica_status (*remove)(void *connection, enum mica_store_table table,
                               unsigned equal, const struct mica_store_row *row,
                               struct mica_error *error, size_t *removed_out);
    // Copies rows into `arena`.
    enum mica_status (*scan)(void *connection,
                             const struct mica_store_range *range,
                             struct mica_arena *arena, struct mica_error *error,
                             struct mica_store_rows *rows_out);

    // How many rows a range has; its limit and columns count for nothing.
    enum mica_status (*count)(void *connection,
                              const struct mica_store_range *range,
                              struct mica_error *error, int64_t *count_out);

    enum mica_status (*add)(void *connection, enum mica_store_counter counter,
                            int64_t by, struct mica_error *error);
    enum mica_status (*total)(void *connection, enum mica_store_counter counter,
                              struct mica_error *error, int64_t *total_out);

    // The number of this process among those that share the store: the system
    // lets go of a lock when the process ends, whatever ends it. 0: the file
    // system has no such locks. `*new_out`: no transaction has been committed
    // since it was first asked for; with NULL it is only told.
    // NULL: no process shares the store.
    int64_t (*node)(void *connection, bool *new_out);
    // Has the process of that number ended for certain?
    bool (*is_dead)(void *connection, int64_t node);

    // Keeps other processes from moving calls into this store, until it is unlocked
    // or the process ends; it does not wait. MICA_E_BUSY: another moves them now.
    // Both NULL: no process shares the store.
    enum mica_status (*lock_takeover)(void *connection,
                                      struct mica_error *error);
    void (*unlock_takeover)(void *self); // outside of transactions

    // Outside of transactions. NULL: it has no file.
    enum mica_status (*place)(void *self, struct mica_error *error,
                              struct mica_store_place *place_out);
    enum mica_status (*backup)(void *self, const char *path,
                               bool (*progress)(void *user, int64_t done,
                                                int64_t total),
                               void *user, struct mica_error *error);
    enum mica_status (*check)(void *self, struct mica_arena *arena,
                              struct mica_error *error,
                              struct mica_text *findings_out);
};

// Owner: each makes the object that its functions take as `self`.
enum mica_status mica_store_memory_open(const struct mica_store_options *limits,
                                        struct mica_error *error,
                                        void **self_out) MICA_MUST_USE;
enum mica_status mica_store_sqlite_open(const char *path,
                                        const struct mica_store_options *limits,
                                        struct mica_error *error,
                                        void **self_out) MICA_MUST_USE;

extern const struct mica_store_backend mica_store_memory;
extern const struct mica_store_backend mica_store_sqlite;

#endif
