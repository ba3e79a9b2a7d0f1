// SPDX-License-Identifier: Apache-2.0
//
// What clang's counters say of a source: its regions, with a count each.
#ifndef MICA_CHECK_PROFILE_H
#define MICA_CHECK_PROFILE_H

#include "check/native.h"
#include "check/subject.h"

enum mica_region_kind {
    MICA_REGION_CODE = 0,
    MICA_REGION_EXPANSION = 1, // of a macro
    MICA_REGION_SKIPPED = 2,   // by the preprocessor
    MICA_REGION_GAP = 3        // between two statements
};

// From one offset of the source to another. Regions nest.
struct mica_region {
    size_t from, to;
    int64_t count;
    int kind;
};

struct mica_profile {
    struct mica_region *regions;
    size_t region_count;
    struct mica_region *labels; // how often a case or default was selected
    size_t label_count;
};

// Reads the counts that the children of `native` have left in `folder`. Only
// what stands in the engine's own text counts, not what macros expand to. All is
// in the report's arena. False, with a finding, when they cannot be read.
bool mica_profile_read(const struct mica_subject *subject,
                       const struct mica_native *native, const char *folder,
                       struct mica_profile *profile_out);

#endif
