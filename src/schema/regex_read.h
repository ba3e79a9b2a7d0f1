// SPDX-License-Identifier: Apache-2.0
//
// The small pieces of pattern syntax: escapes, classes, repeat counts. Used by
// regex.c only.
#ifndef MICA_SCHEMA_REGEX_READ_H
#define MICA_SCHEMA_REGEX_READ_H

#include "schema/regex.h"

#define MICA_REGEX_UNLIMITED SIZE_MAX

// A pattern being compiled. After the first failure everything runs to its end
// without effect.
struct mica_regex_reader {
    struct mica_arena *arena;
    struct mica_error *error;
    struct mica_regex *regex;
    struct mica_text pattern, rest;
    size_t capacity, range_capacity;
    mica_regex_property *property; // for \p{…}, or NULL
    bool failed;
    enum mica_status status;
};

// Records the first failure: the pattern, where it stands, and the text.
void mica_regex_refuse(struct mica_regex_reader *in, enum mica_status status,
                       const char *formatz, ...) MICA_PRINTF(3, 4);

// Takes `byte` when it comes next.
bool mica_regex_take(struct mica_regex_reader *in, char byte);

// Adds code points to the class that is being read.
void mica_regex_add_range(struct mica_regex_reader *in, uint32_t first,
                          uint32_t last);

// What follows a backslash. True: one character, in `*code_point_out`. False: a
// set like \d, added to the ranges, or a failure.
bool mica_regex_read_escape(struct mica_regex_reader *in, bool in_class,
                            uint32_t *code_point_out);

// The inside of a class and its "]", added to the ranges.
void mica_regex_read_class(struct mica_regex_reader *in);

// A repeat, and the "?" of a lazy one. False when none comes next.
bool mica_regex_read_repeat(struct mica_regex_reader *in, size_t *least_out,
                            size_t *most_out);

#endif
