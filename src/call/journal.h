// SPDX-License-Identifier: Apache-2.0
//
// The journal of a call: all that lives between its turns. A list of entries in
// the order in which the handler reached them; when the handler runs again it
// reaches them again, takes what is recorded, and adds behind the last.
//
// The bytes are described in docs/journal.md.
//
// Invariants, checked by the reader and by every append:
//  J1. An entry is never changed or removed: a journal grows.
//  J2. An ANSWER names an ASK of its scope that stands before it, and is the only
//      one to do so.
//  J3. A scope is opened by one CHILD before any entry of it; scope 0 is the tool.
//      They are numbered as they are opened. Behind its ENDED there is nothing of
//      it.
//  J4. No two ASKs have the same key.
//  J5. Behind END there is nothing.
//  J6. At most MICA_JOURNAL_ENTRIES entries and MICA_JOURNAL_BYTES bytes.
//
// Threads: one at a time.
#ifndef MICA_CALL_JOURNAL_H
#define MICA_CALL_JOURNAL_H

#include <mica/base.h>
#include <mica/json.h>

#define MICA_JOURNAL_VERSION 2
#define MICA_JOURNAL_ENTRIES 4096
#define MICA_JOURNAL_BYTES   (1 << 20)

// The numbers are in stored bytes: they stay.
enum mica_entry_kind {
    MICA_ENTRY_ASK = 1,  // key, ask (enum mica_ask_kind), hash, time, due
    MICA_ENTRY_ANSWER,   // ask (number of the entry), status, data: JSON
    MICA_ENTRY_PHASE,    // key, status, data: JSON of its output, or its error
    MICA_ENTRY_STEP,     // key, status, data: the same
    MICA_ENTRY_CLIENT,   // ask: the capability, status: MICA_OK if it has it
    MICA_ENTRY_TIME,     // time
    MICA_ENTRY_RANDOM,   // hash: the bits
    MICA_ENTRY_REPORTED, // ask: how many events of the scope had been reported;
                         // time: number of the call's last notification
    MICA_ENTRY_CHILD,   // key: the tool, phase or step; ask: scope that begins;
                        // of a tool hash and data (its arguments, see
                        // docs/journal.md), version (of its build)
    MICA_ENTRY_ENDED,   // of a child, key, status, data: as it ended
    MICA_ENTRY_CLEANED, // key: a clean-up that has run
    MICA_ENTRY_END,     // status, data: the call's result
    MICA_ENTRY_CONTENT  // of a phase or step, key, data: JSON of content
};
#define MICA_ENTRY_KINDS (MICA_ENTRY_CONTENT + 1)

// What a kind does not have is 0.
struct mica_entry {
    enum mica_entry_kind kind;
    uint32_t scope;
    uint32_t ask;
    enum mica_status status;
    uint64_t hash;
    int64_t time, due; // milliseconds since 1970
    // Keys have the path of their scope before them ("book/confirm#2"), so that
    // they are unique in the call.
    struct mica_text key, data, version;
    uint32_t answer; // of an ASK: number of its ANSWER plus 1, or 0
    uint32_t chain;  // of an ASK: the next of its bucket plus 1, or 0
};

// What the entries of a scope have in common.
struct mica_scope {
    uint32_t parent;
    uint32_t child; // number of its CHILD; of scope 0: 0
    uint32_t ended; // number of its ENDED plus 1, or 0
};

struct mica_journal {
    struct mica_arena *arena;
    struct mica_entry *entries;
    uint32_t count, capacity;
    struct mica_scope *scopes;
    uint32_t scope_count, scope_capacity;
    uint32_t *buckets;        // of ASKs by their keys
    struct mica_buffer bytes; // what is stored or sealed
};

// An empty one. Owner: what it holds is in `arena`.
void mica_journal_init(struct mica_journal *journal, struct mica_arena *arena);

// Reads what was written by any process, or by an enemy. Errors: MICA_E_FORMAT
// (not a journal, an invariant broken; the message says at which byte),
// MICA_E_STATE (of another version), MICA_E_LIMIT.
enum mica_status mica_journal_read(struct mica_journal *journal,
                                   struct mica_arena *arena,
                                   struct mica_text bytes,
                                   struct mica_error *error) MICA_MUST_USE;

// Adds an entry; its texts are copied. Errors: MICA_E_LIMIT (J6, or no memory),
// MICA_E_USAGE (another invariant).
enum mica_status mica_journal_add(struct mica_journal *journal,
                                  const struct mica_entry *entry,
                                  struct mica_error *error) MICA_MUST_USE;

// The first ASK from entry `from` on that has no answer; false when there is
// none. Its number is in *number_out.
bool mica_journal_open_ask(const struct mica_journal *journal, uint32_t from,
                           uint32_t *number_out);

// The earliest `due` of those; INT64_MAX: no ask is open.
int64_t mica_journal_due(const struct mica_journal *journal);

// Records as answers those members of `answers` ({key: result, …}) whose key is
// that of an open ask; others are ignored. Fails with MICA_E_TYPE, before it
// records any, when one of those is no object.
enum mica_status mica_journal_answer(struct mica_journal *journal,
                                     const struct mica_json *answers,
                                     struct mica_error *error) MICA_MUST_USE;

// Records that every open ask of a scope and of those inside it (0: of the call)
// came to `status`: TIMEOUT, DISCONNECTED or CANCELLED.
enum mica_status
mica_journal_close_asks(struct mica_journal *journal, uint32_t scope,
                        enum mica_status status, struct mica_error *error)
    MICA_MUST_USE;

// For people: one line for each entry, what it was, when, and its data as JSON.
void mica_journal_describe(const struct mica_journal *journal,
                           struct mica_buffer *text);

// The same as a JSON array of objects.
void mica_journal_write_json(const struct mica_journal *journal,
                             struct mica_json_writer *writer);

#endif
