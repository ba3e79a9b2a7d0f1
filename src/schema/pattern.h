// SPDX-License-Identifier: Apache-2.0
//
// A pattern that many threads match at a time: its program, and where that stays
// small a table of states, which takes one look-up for each character.
#ifndef MICA_SCHEMA_PATTERN_H
#define MICA_SCHEMA_PATTERN_H

#include "schema/regex.h"

enum {
    MICA_PATTERN_STATES = 254,
    MICA_PATTERN_CLASSES = 254
};

// In these two the rest of the text does not matter; others follow.
enum {
    MICA_PATTERN_FAILS = 0,
    MICA_PATTERN_MATCHES = 1,
    MICA_PATTERN_START = 2
};

// A state is the place of its row in `next`, where each class leads to a state.
// `ends[row / class_count]` says whether the text may end there. A code point's
// class: from `ascii`, or by the ranges, which begin at `starts`.
struct mica_schema_automaton {
    uint8_t ascii[128];
    uint32_t start;   // the first state
    uint32_t decided; // states up to this one are the two above
    size_t class_count, start_count;
    const uint32_t *starts;
    const uint8_t *classes; // of the ranges
    const uint16_t *next;
    const bool *ends;
    // For patterns like ^[A-Z]{3}$: the classes that may stand at each place, as
    // bits; so the places do not wait for each other. NULL for others.
    const uint32_t *places;
    size_t place_count;
};

struct mica_schema_pattern {
    struct mica_text source;
    struct mica_regex regex;
    const struct mica_schema_automaton *automaton; // NULL: too large
    bool only_prefix; // of ASCII is wanted, as with ^x-
    struct mica_text prefix;
};

// Building an automaton takes from `*budget`; when that is used up it is not built.
// Errors: those of mica_regex_compile.
enum mica_status mica_schema_pattern(struct mica_arena *arena,
                                     struct mica_text source, uint64_t *budget,
                                     struct mica_error *error,
                                     struct mica_schema_pattern *pattern_out)
    MICA_MUST_USE;

// True when the pattern matches anywhere in the text.
bool mica_schema_automaton_match(const struct mica_schema_automaton *automaton,
                                 struct mica_text text);

#endif
