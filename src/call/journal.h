// SPDX-License-Identifier: Apache-2.0
//
// The journal of a call: the only state that survives between its turns. It lists entries
// in the order in which the handler reached them. When the handler runs again, each of its
// operations reads the next entry; an operation after the last entry appends a new one.
//
// docs/journal.md describes the bytes.
//
// Invariants; the reader and every append check them:
//  JOURNAL-1. No entry changes or disappears: a journal only grows.
//  JOURNAL-2. An ANSWER names an earlier ASK of its scope, and no other ANSWER names that
//             one.
//  JOURNAL-3. One SCOPE opens a scope before any entry of it; scope 0 is the tool. Scopes
//             are numbered in the order in which they are opened. After its ENDED a scope
//             has no more entries.
//  JOURNAL-4. No two ASKs have the same key.
//  JOURNAL-5. END is the last entry.
//  JOURNAL-6. A journal has at most MICA_JOURNAL_ENTRIES entries and MICA_JOURNAL_BYTES
//             bytes.
//
// Threads: one at a time.
#ifndef MICA_CALL_JOURNAL_H
#define MICA_CALL_JOURNAL_H

#include <mica/base.h>
#include <mica/json.h>

#define MICA_JOURNAL_VERSION 2
#define MICA_JOURNAL_ENTRIES 4096
#define MICA_JOURNAL_BYTES   (1 << 20)

// The kinds, with the members that each uses besides `scope`. The members `number`, `hash` and
// `time` mean what the kind says. Stored bytes contain the numbers: they never change.
enum mica_entry_kind {
    // The handler asks. number: enum mica_ask_kind; hash: of the question (TURN-2); time,
    // due: when it was asked, and when it times out; key.
    MICA_ENTRY_ASK = 1,
    // A question is answered. number: the number of the ASK entry; status; data: JSON.
    MICA_ENTRY_ANSWER,
    // A phase or a step has ended. key; status; data: JSON of its output or error.
    MICA_ENTRY_PHASE,
    MICA_ENTRY_STEP,
    // mica_client_has was called. number: the capability; status: MICA_OK if the client
    // has it.
    MICA_ENTRY_CLIENT,
    MICA_ENTRY_TIME,   // mica_now was called. time: its result
    MICA_ENTRY_RANDOM, // mica_random was called. hash: its result
    // Notices of the scope were sent. number: how many so far; time: the number of the call's
    // last notification (mica_notify).
    MICA_ENTRY_REPORTED,
    // A scope begins: of an invoked tool, or of a phase, step or clean-up that records
    // something inside. number: the number of the scope; key. Of a tool also hash and data
    // (of its arguments, see docs/journal.md) and version (of its build). Its name in JSON
    // is "child".
    MICA_ENTRY_SCOPE,
    MICA_ENTRY_ENDED, // an invoked tool has ended. key; status; data: result or error
    MICA_ENTRY_CLEANED, // a clean-up has run. key
    MICA_ENTRY_END,     // the call has ended. status; data: result or error
    MICA_ENTRY_CONTENT  // a phase or step has added content. key; data: JSON
};
#define MICA_ENTRY_KINDS (MICA_ENTRY_CONTENT + 1)

// Members that the kind does not use are 0.
struct mica_entry {
    enum mica_entry_kind kind;
    uint32_t scope;
    uint32_t number; // see the kind
    enum mica_status status;
    uint64_t hash;     // see the kind
    int64_t time, due; // milliseconds since 1970; of REPORTED a number
    // A key begins with the path of its scope ("book/confirm#2"), so that it is unique in
    // the call.
    struct mica_text key, data, version;
    uint32_t answer; // of an ASK: number of its ANSWER plus 1, or 0
    uint32_t chain;  // of an ASK: the next of its bucket plus 1, or 0
};

struct mica_scope {
    uint32_t parent;
    uint32_t child; // number of its SCOPE entry; of scope 0: 0
    uint32_t ended; // number of its ENDED entry plus 1, or 0
};

struct mica_journal {
    struct mica_arena *arena;
    struct mica_entry *entries;
    uint32_t count, capacity;
    struct mica_scope *scopes;
    uint32_t scope_count, scope_capacity;
    uint32_t *buckets;        // a hash table of ASKs by their keys
    struct mica_buffer bytes; // the journal as stores and sealed states have it
};

// Makes an empty journal; its memory is in `arena`.
void mica_journal_init(struct mica_journal *journal, struct mica_arena *arena);

// Reads a journal from untrusted bytes. Errors: MICA_E_FORMAT (not a journal, or an
// invariant is broken; the message says at which byte), MICA_E_STATE (of another version),
// MICA_E_LIMIT.
enum mica_status mica_journal_read(struct mica_journal *journal,
                                   struct mica_arena *arena,
                                   struct mica_text bytes,
                                   struct mica_error *error) MICA_MUST_USE;

// Appends an entry and copies its texts. Errors: MICA_E_LIMIT (JOURNAL-6, or no memory),
// MICA_E_USAGE (another invariant).
enum mica_status mica_journal_add(struct mica_journal *journal,
                                  const struct mica_entry *entry,
                                  struct mica_error *error) MICA_MUST_USE;

// Finds the first ASK, from entry `from` on, that has no answer. Returns false if there is
// none.
bool mica_journal_open_ask(const struct mica_journal *journal, uint32_t from,
                           uint32_t *number_out);

// The earliest `due` of all open ASKs; INT64_MAX if none is open.
int64_t mica_journal_due(const struct mica_journal *journal);

// Records the members of `answers` ({key: result, …}) whose key is that of an open ask, and
// ignores the others. Fails with MICA_E_TYPE, and records none, if one is not an object.
enum mica_status mica_journal_answer(struct mica_journal *journal,
                                     const struct mica_json *answers,
                                     struct mica_error *error) MICA_MUST_USE;

// Answers every open ask of a scope (0: of the call), and of the scopes inside it, with
// `status`: TIMEOUT, DISCONNECTED or CANCELLED.
enum mica_status
mica_journal_close_asks(struct mica_journal *journal, uint32_t scope,
                        enum mica_status status, struct mica_error *error)
    MICA_MUST_USE;

// Writes one line for each entry, for people: what it was, when, and its data as JSON.
void mica_journal_describe(const struct mica_journal *journal,
                           struct mica_buffer *text);

// Writes the entries as a JSON array of objects.
void mica_journal_write_json(const struct mica_journal *journal,
                             struct mica_json_writer *writer);

#endif
