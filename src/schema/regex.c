// SPDX-License-Identifier: Apache-2.0
//
// From a pattern to a program for regex_match.c. The parser writes the program
// straight away: distances are relative, so a piece that is already written can
// be shifted (to put a branch before it) and copied (for a counted repeat).
#include "schema/regex.h"

#include <string.h>

#include "schema/regex_read.h"

enum {
    STEP_LIMIT = 2000,
    GROUP_LIMIT = 50,
    FIRST_STEPS = 32
};

static void parse_choices(struct mica_regex_reader *in, unsigned depth);

// Room for `count` more steps; false when the program is too large.
static bool
regex_reader_reserve(struct mica_regex_reader *in, size_t count)
{
    struct mica_regex *regex = in->regex;
    if (in->failed)
        return false;
    if (count > STEP_LIMIT - regex->step_count) {
        mica_regex_refuse(in, MICA_E_LIMIT,
                          "the pattern grows beyond %d steps; use smaller "
                          "repeat counts",
                          STEP_LIMIT);
        return false;
    }
    size_t need = regex->step_count + count;
    if (need <= in->capacity)
        return true;
    size_t capacity = in->capacity < FIRST_STEPS ? FIRST_STEPS : in->capacity;
    while (capacity < need)
        capacity *= 2;
    struct mica_regex_step *steps =
        mica_arena_alloc(in->arena, capacity * sizeof *steps);
    if (steps == NULL) {
        mica_regex_refuse(in, MICA_E_LIMIT, "there is no memory for it");
        return false;
    }
    if (regex->step_count > 0)
        memcpy(steps, regex->steps, regex->step_count * sizeof *steps);
    regex->steps = steps;
    in->capacity = capacity;
    return true;
}

static void
regex_reader_emit(struct mica_regex_reader *in, enum mica_regex_op op, size_t a,
                  size_t b)
{
    if (regex_reader_reserve(in, 1))
        in->regex->steps[in->regex->step_count++] =
            (struct mica_regex_step){op, (int32_t)a, (int32_t)b};
}

// Puts a branch before everything from `start` on: to its next step, or `far`
// steps ahead.
static void
branch_before(struct mica_regex_reader *in, size_t start, size_t far)
{
    struct mica_regex *regex = in->regex;
    if (!regex_reader_reserve(in, 1))
        return;
    struct mica_regex_step *at = regex->steps + start;
    memmove(at + 1, at, (regex->step_count - start) * sizeof *at);
    *at = (struct mica_regex_step){MICA_REGEX_SPLIT, 1, (int32_t)far};
    regex->step_count++;
}

static void
append_copy(struct mica_regex_reader *in, size_t from, size_t count)
{
    struct mica_regex *regex = in->regex;
    if (count == 0 || !regex_reader_reserve(in, count))
        return;
    memcpy(regex->steps + regex->step_count, regex->steps + from,
           count * sizeof *regex->steps);
    regex->step_count += count;
}

// Turns the piece from `start` to the end into its repetition. The piece itself
// is the first copy.
static void
regex_reader_repeat(struct mica_regex_reader *in, size_t start, size_t least,
                    size_t most)
{
    struct mica_regex *regex = in->regex;
    size_t size = regex->step_count - start;
    if (most == 0 || size == 0) {
        regex->step_count = start;
        return;
    }
    for (size_t i = 1; i < least && !in->failed; i++)
        append_copy(in, start, size);
    if (most == MICA_REGEX_UNLIMITED && least > 0) {
        // Back to the last copy, or on.
        regex_reader_emit(in, MICA_REGEX_SPLIT, -size, 1);
        return;
    }
    if (most == MICA_REGEX_UNLIMITED) {
        branch_before(in, start, size + 2);
        regex_reader_emit(in, MICA_REGEX_JUMP, -(size + 1), 0);
        return;
    }
    // Each further copy may be skipped together with all behind it.
    size_t left = most - least;
    size_t source = start;
    if (least == 0) {
        branch_before(in, start, left * (size + 1));
        source++;
        left--;
    }
    for (; left > 0 && !in->failed; left--) {
        regex_reader_emit(in, MICA_REGEX_SPLIT, 1, left * (size + 1));
        append_copy(in, source, size);
    }
}

static void
parse_group(struct mica_regex_reader *in, unsigned depth)
{
    if (depth >= GROUP_LIMIT) {
        mica_regex_refuse(in, MICA_E_LIMIT, "groups nest more than %d deep",
                          GROUP_LIMIT);
        return;
    }
    if (mica_regex_take(in, '?') && !mica_regex_take(in, ':')) {
        mica_regex_refuse(in, MICA_E_USAGE,
                          "of the groups that start with (? only (?: is "
                          "supported; look-around would not be linear");
        return;
    }
    parse_choices(in, depth + 1);
    if (!mica_regex_take(in, ')'))
        mica_regex_refuse(in, MICA_E_USAGE, "a ( has no )");
}

static void
emit_class(struct mica_regex_reader *in, size_t first, bool outside)
{
    regex_reader_emit(in, outside ? MICA_REGEX_OUTSIDE : MICA_REGEX_CLASS,
                      first, in->regex->range_count - first);
}

// One escape outside a class, the backslash already taken.
static void
parse_escape(struct mica_regex_reader *in)
{
    size_t first = in->regex->range_count;
    uint32_t code_point;
    if (mica_regex_read_escape(in, false, &code_point))
        regex_reader_emit(in, MICA_REGEX_CHAR, code_point, 0);
    else if (!in->failed)
        emit_class(in, first, false);
}

static void
parse_class(struct mica_regex_reader *in)
{
    size_t first = in->regex->range_count;
    bool outside = mica_regex_take(in, '^');
    mica_regex_read_class(in);
    emit_class(in, first, outside);
}

// One of the assertions, which match no character and take no repeat. False:
// no assertion is here.
static bool
parse_assertion(struct mica_regex_reader *in)
{
    static const struct {
        const char *textz;
        enum mica_regex_op op;
    } assertions[] = {{"^", MICA_REGEX_BEGIN},
                      {"$", MICA_REGEX_END},
                      {"\\b", MICA_REGEX_EDGE},
                      {"\\B", MICA_REGEX_NO_EDGE}};
    for (size_t i = 0; i < MICA_COUNT(assertions); i++) {
        if (mica_text_starts(in->rest, assertions[i].textz)) {
            size_t size = strlen(assertions[i].textz);
            in->rest = mica_text_slice(in->rest, size, in->rest.len);
            regex_reader_emit(in, assertions[i].op, 0, 0);
            return true;
        }
    }
    return false;
}

static void
parse_atom(struct mica_regex_reader *in, unsigned depth)
{
    uint32_t c = mica_text_next(&in->rest);
    switch (c) {
    case '(':
        parse_group(in, depth);
        return;
    case '[':
        parse_class(in);
        return;
    case '\\':
        parse_escape(in);
        return;
    case '.':
        regex_reader_emit(in, MICA_REGEX_ANY, 0, 0);
        return;
    case '*':
    case '+':
    case '?':
        mica_regex_refuse(in, MICA_E_USAGE,
                          "there is nothing for %c to repeat; for the "
                          "character itself write \\%c",
                          (int)c, (int)c);
        return;
    case '{':
    case '}':
    case ']':
        mica_regex_refuse(in, MICA_E_USAGE,
                          "for the character %c itself write \\%c", (int)c,
                          (int)c);
        return;
    default:
        regex_reader_emit(in, MICA_REGEX_CHAR, c, 0);
    }
}

static void
parse_term(struct mica_regex_reader *in, unsigned depth)
{
    size_t start = in->regex->step_count;
    size_t least, most;
    if (parse_assertion(in)) {
        if (mica_regex_read_repeat(in, &least, &most))
            mica_regex_refuse(in, MICA_E_USAGE,
                              "^, $, \\b and \\B take no repeat");
        return;
    }
    parse_atom(in, depth);
    if (!in->failed && mica_regex_read_repeat(in, &least, &most))
        regex_reader_repeat(in, start, least, most);
}

static bool
at_end_of_choice(const struct mica_regex_reader *in)
{
    return in->failed || in->rest.len == 0 || in->rest.ptr[0] == '|' ||
           in->rest.ptr[0] == ')';
}

// Alternatives up to the end or a ")". Each but the last ends in a jump behind
// all of them; until that place is known the jumps form a chain.
static void
parse_choices(struct mica_regex_reader *in, unsigned depth)
{
    struct mica_regex *regex = in->regex;
    size_t chain = SIZE_MAX;
    for (;;) {
        size_t start = regex->step_count;
        while (!at_end_of_choice(in))
            parse_term(in, depth);
        if (!mica_regex_take(in, '|'))
            break;
        branch_before(in, start, regex->step_count - start + 2);
        regex_reader_emit(in, MICA_REGEX_JUMP, chain, 0);
        chain = regex->step_count - 1;
    }
    while (!in->failed && chain != SIZE_MAX) {
        struct mica_regex_step *jump = regex->steps + chain;
        size_t before = jump->a < 0 ? SIZE_MAX : (size_t)jump->a;
        jump->a = (int32_t)(regex->step_count - chain);
        chain = before;
    }
}

enum mica_status
mica_regex_compile(struct mica_arena *arena, struct mica_text pattern,
                   struct mica_error *error, struct mica_regex *regex_out)
{
    return mica_regex_compile_with(arena, pattern, NULL, error, regex_out);
}

enum mica_status
mica_regex_compile_with(struct mica_arena *arena, struct mica_text pattern,
                        mica_regex_property *property, struct mica_error *error,
                        struct mica_regex *regex_out)
{
    struct mica_regex regex = {.steps = NULL};
    struct mica_regex_reader in = {.arena = arena,
                                   .error = error,
                                   .regex = &regex,
                                   .pattern = pattern,
                                   .rest = pattern,
                                   .property = property};
    parse_choices(&in, 0);
    if (!in.failed && in.rest.len > 0)
        mica_regex_refuse(&in, MICA_E_USAGE, "a ) has no (");
    regex_reader_emit(&in, MICA_REGEX_MATCH, 0, 0);
    if (in.failed)
        return in.status;
    regex.anchored = regex.steps[0].op == MICA_REGEX_BEGIN;
    regex.room = mica_arena_alloc(arena, MICA_REGEX_ROOM * regex.step_count *
                                             sizeof *regex.room);
    if (regex.room == NULL) {
        mica_regex_refuse(&in, MICA_E_LIMIT, "there is no memory for it");
        return in.status;
    }
    *regex_out = regex;
    return MICA_OK;
}
