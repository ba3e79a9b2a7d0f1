// SPDX-License-Identifier: Apache-2.0
//
// Which databases of tools a folder has, while servers use them.
#ifndef MICA_KEEP_KEEP_LIST_H
#define MICA_KEEP_KEEP_LIST_H

#include <stddef.h>
#include <stdint.h>

#include <mica/base.h>

struct mica_keep_listed {
    const char *name;   // "tool.notes", "shared.orders"
    int64_t bytes;      // of its pages, which keep.megabytes limits
    int64_t free_bytes; // of these, of pages that hold nothing now
    int64_t entries;    // that have not expired
    int64_t expired;    // that have, and are not removed yet
    int64_t tables;     // of the tools
};

// The databases of `folder` by their names; none when there is no such folder. In the
// arena. `now` is in milliseconds since 1970. Errors: MICA_E_KEEP, MICA_E_KEEP_BUSY,
// MICA_E_LIMIT.
enum mica_status
mica_keep_list_databases(const char *folder, int64_t now,
                         struct mica_arena *arena, struct mica_error *error,
                         const struct mica_keep_listed **listed_out,
                         size_t *count_out) MICA_MUST_USE;

#endif
