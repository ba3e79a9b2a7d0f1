// SPDX-License-Identifier: Apache-2.0
//
// Functions that the files of the journal share: the fields of each kind of entry, and the
// check of a new entry against the entries before it.
#ifndef MICA_CALL_JOURNAL_ENTRY_H
#define MICA_CALL_JOURNAL_ENTRY_H

#include "call/journal.h"

// The fields of an entry, in the order of their bytes.
enum mica_entry_field {
    MICA_FIELD_KEY = 1,
    MICA_FIELD_NUMBER = 2,
    MICA_FIELD_STATUS = 4,
    MICA_FIELD_HASH = 8,
    MICA_FIELD_TIME = 16,
    MICA_FIELD_DUE = 32,
    MICA_FIELD_DATA = 64,
    MICA_FIELD_VERSION = 128
};

// The fields of a kind, or-ed; 0 for an unknown kind.
unsigned mica_entry_fields(unsigned kind);

// "ask", "answer", …
const char *mica_entry_name(enum mica_entry_kind kind);

// Why `entry` must not follow the other entries, or NULL (JOURNAL-2 to JOURNAL-5).
const char *mica_journal_refuses(const struct mica_journal *journal,
                                 const struct mica_entry *entry);

// Appends an entry that was not refused and whose bytes are written. Returns false if there
// is no memory.
bool mica_journal_push(struct mica_journal *journal,
                       const struct mica_entry *entry);

#endif
