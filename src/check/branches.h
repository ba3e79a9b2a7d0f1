// SPDX-License-Identifier: Apache-2.0
//
// Every `if` and `case` of a source that examples have to cover: found by
// reading, counted by the compiler's profile. What a macro expands to does not
// count, nor does MICA_UNREACHABLE.
#ifndef MICA_CHECK_BRANCHES_H
#define MICA_CHECK_BRANCHES_H

#include "check/source.h"

enum mica_branch_kind {
    MICA_BRANCH_IF,
    MICA_BRANCH_CASE,
    MICA_BRANCH_DEFAULT
};

struct mica_branch {
    enum mica_branch_kind kind;
    size_t at;             // of the keyword
    size_t body;           // IF: where what it guards starts
    struct mica_text what; // the condition or the label, as written
    bool true_counts;      // CASE, DEFAULT: it counts at all
    bool false_counts;     // IF
};

// All branches in the order of the text, in `arena`.
size_t mica_branches_find(const struct mica_source *source,
                          struct mica_arena *arena,
                          struct mica_branch **branches_out);

#endif
