// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions with ECMA-262 syntax and a time linear in the text: the
// states of all possible matches advance together, one character at a time
// (Thompson 1968), so no pattern and no text makes it explode.
//
// Understood, over Unicode code points as with the flag u: literals, ".",
// classes, \d \w \s \b and their opposites, ^ $, groups, "|", the repeats
// * + ? {m} {m,} {m,n} (lazy forms too: they match the same texts), \xHH \uHHHH
// \u{H…} \cX, the control escapes, and if asked for \p{…} with general
// categories, Any, ASCII and Assigned (Unicode 14). Refused with a reason:
// look-around, back-references, scripts and other properties.
#ifndef MICA_SCHEMA_REGEX_H
#define MICA_SCHEMA_REGEX_H

#include <mica/base.h>

// A compiled pattern, and the room that matching needs.
struct mica_regex {
    struct mica_regex_step *steps;
    struct mica_regex_range *ranges;
    size_t step_count, range_count;
    bool anchored;  // can only match at the start
    uint32_t *room; // for mica_regex_match
};

// A module has them when its tables have a pattern: then the linker asks for
// them (build/link.c). It finds the pattern among those that were compiled before.
#ifdef __wasm__
#    define MICA_REGEX_WEAK __attribute__((weak))
#else
#    define MICA_REGEX_WEAK
#endif

// Owner: everything lives in `arena`; `pattern` is not kept.
// Errors: MICA_E_USAGE naming the place in the pattern and what is wrong;
// MICA_E_LIMIT when it is too large or the arena is full.
enum mica_status
mica_regex_compile(struct mica_arena *arena, struct mica_text pattern,
                   struct mica_error *error, struct mica_regex *regex_out)
    MICA_MUST_USE MICA_REGEX_WEAK;

// The same with \p{…}: `property` adds what such a name stands for, or its
// opposite, and is false for a name that it does not know.
struct mica_regex_reader;
typedef bool mica_regex_property(struct mica_regex_reader *in,
                                 struct mica_text name, bool opposite);
mica_regex_property mica_regex_unicode;
enum mica_status
mica_regex_compile_with(struct mica_arena *arena, struct mica_text pattern,
                        mica_regex_property *property, struct mica_error *error,
                        struct mica_regex *regex_out) MICA_MUST_USE;

// True when the pattern matches anywhere in `text`, which must be valid UTF-8.
// `*work_out` (may be NULL) counts the states and the ranges that were looked at:
// at most mica_regex_cost for each character and one more.
// Threads: one at a time for each compiled pattern.
bool mica_regex_match(struct mica_regex *regex, struct mica_text text,
                      uint64_t *work_out) MICA_REGEX_WEAK;

// The most that one character can take: of every state, and of its ranges.
uint64_t mica_regex_cost(const struct mica_regex *regex);

// The same for any number of threads: each brings its own room, of
// MICA_REGEX_ROOM × step_count elements.
#define MICA_REGEX_ROOM 4
bool mica_regex_match_in(const struct mica_regex *regex, uint32_t *room,
                         struct mica_text text, uint64_t *work_out);

// ---- The program -----------------------------------------------------------

enum mica_regex_op {
    MICA_REGEX_CHAR,    // a: code point
    MICA_REGEX_ANY,     // all but line ends
    MICA_REGEX_CLASS,   // a: first range, b: number of ranges
    MICA_REGEX_OUTSIDE, // the same, negated
    MICA_REGEX_SPLIT,   // a, b: distances of the two ways on
    MICA_REGEX_JUMP,    // a: distance
    MICA_REGEX_BEGIN,   // ^
    MICA_REGEX_END,     // $
    MICA_REGEX_EDGE,    // \b
    MICA_REGEX_NO_EDGE, // \B
    MICA_REGEX_MATCH
};

// Distances count from the step itself, so that a piece of program can be
// moved and repeated as it is.
struct mica_regex_step {
    enum mica_regex_op op;
    int32_t a, b;
};

struct mica_regex_range {
    uint32_t first, last;
};

// A pattern in a module, compiled when that was built.
struct mica_regex_built {
    const char *source;
    struct mica_regex_step *steps; // not written to
    struct mica_regex_range *ranges;
    size_t step_count, range_count;
    bool anchored;
};

// Whether a step that takes a character takes this one.
bool mica_regex_accepts(const struct mica_regex *regex,
                        const struct mica_regex_step *step, uint32_t c);

#endif
