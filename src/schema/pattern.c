// SPDX-License-Identifier: Apache-2.0
//
// From the program of a pattern to a table of states: sets of steps become
// states, characters that no step tells apart become classes. Sizes and work are
// bounded; a pattern beyond the bounds is matched by its program.
#include "schema/pattern.h"

#include <string.h>

enum {
    STEPS = 512, // of a program that is tried
    WORDS = STEPS / 64,
    TEMPORARY_BYTES = 8 << 20
};

// Sets of steps, as bits.
struct set {
    uint64_t words[WORDS];
};

struct builder {
    const struct mica_regex *regex;
    struct mica_arena *arena, *temporary;
    uint64_t *budget;
    uint32_t *starts; // where ranges of code points begin
    uint8_t *classes;
    size_t start_count, class_count;
    uint32_t samples[MICA_PATTERN_CLASSES]; // a code point of each class
    struct set *kernels;                    // of each state: what it begins at
    struct set *closures;                   // and what can take a character
    bool *ends;
    uint8_t *next;
    size_t state_count;
};

static bool
set_has(const struct set *set, size_t step)
{
    return (set->words[step / 64] >> step % 64 & 1) != 0;
}

static void
set_add(struct set *set, size_t step)
{
    set->words[step / 64] |= UINT64_C(1) << step % 64;
}

static bool
builder_spend(struct builder *builder, uint64_t work)
{
    bool enough = *builder->budget >= work;
    *builder->budget = enough ? *builder->budget - work : 0;
    return enough;
}

// ---- Classes of characters -------------------------------------------------

// Sorts by merging runs, and drops what is there twice; `spare` is as large.
// Returns how many are left.
static size_t
pattern_sort(uint32_t *values, uint32_t *spare, size_t count)
{
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t start = 0; start < count; start += 2 * run) {
            size_t middle = start + run < count ? start + run : count;
            size_t end = middle + run < count ? middle + run : count;
            size_t left = start, right = middle;
            for (size_t i = start; i < end; i++)
                spare[i] = left < middle && (right == end ||
                                             values[left] <= values[right])
                               ? values[left++]
                               : values[right++];
        }
        memcpy(values, spare, count * sizeof *values);
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[i] != values[kept - 1])
            values[kept++] = values[i];
    return kept;
}

// Where the ranges of code points begin that the steps can tell apart.
static bool
find_starts(struct builder *builder)
{
    const struct mica_regex *regex = builder->regex;
    size_t most = 5 + 2 * (regex->step_count + regex->range_count), count = 0;
    uint32_t *starts =
        mica_arena_alloc(builder->temporary, 2 * most * sizeof *starts);
    if (starts == NULL)
        return false;
    // Those of "." in any case.
    const uint32_t first[] = {0,        '\n',   '\n' + 1, '\r',
                              '\r' + 1, 0x2028, 0x202A};
    for (; count < MICA_COUNT(first); count++)
        starts[count] = first[count];
    for (size_t i = 0; i < regex->step_count; i++) {
        if (regex->steps[i].op != MICA_REGEX_CHAR)
            continue;
        starts[count++] = (uint32_t)regex->steps[i].a;
        starts[count++] = (uint32_t)regex->steps[i].a + 1;
    }
    for (size_t i = 0; i < regex->range_count; i++) {
        starts[count++] = regex->ranges[i].first;
        starts[count++] = regex->ranges[i].last + 1;
    }
    builder->start_count = pattern_sort(starts, starts + most, count);
    builder->starts = starts;
    return true;
}

// The steps that accept a code point.
static struct set
builder_accepting(const struct builder *builder, uint32_t c)
{
    const struct mica_regex *regex = builder->regex;
    struct set set = {{0}};
    for (size_t i = 0; i < regex->step_count; i++)
        if (regex->steps[i].op <= MICA_REGEX_OUTSIDE &&
            mica_regex_accepts(regex, &regex->steps[i], c))
            set_add(&set, i);
    return set;
}

// Gives each range its class: ranges that the same steps accept share one.
static bool
find_classes(struct builder *builder)
{
    const struct mica_regex *regex = builder->regex;
    struct set *sets = mica_arena_alloc(builder->temporary,
                                        MICA_PATTERN_CLASSES * sizeof *sets);
    builder->classes = mica_arena_alloc(builder->arena, builder->start_count);
    if (sets == NULL || builder->classes == NULL)
        return false;
    for (size_t i = 0; i < builder->start_count; i++) {
        if (!builder_spend(builder, regex->step_count + regex->range_count))
            return false;
        struct set set = builder_accepting(builder, builder->starts[i]);
        size_t class = 0;
        while (class < builder->class_count &&
               memcmp(&sets[class], &set, sizeof set) != 0)
            class ++;
        if (class == builder->class_count) {
            if (class == MICA_PATTERN_CLASSES ||
                !builder_spend(builder, class * WORDS))
                return false;
            sets[class] = set;
            builder->samples[class] = builder->starts[i];
            builder->class_count++;
        }
        builder->classes[i] = (uint8_t) class;
    }
    return true;
}

// ---- States ----------------------------------------------------------------

// What can be reached from `kernel` without a character. True when the pattern
// has matched by then.
static bool
builder_close(const struct builder *builder, const struct set *kernel,
              bool at_begin, bool at_end, struct set *closure_out)
{
    const struct mica_regex_step *steps = builder->regex->steps;
    uint32_t todo[STEPS];
    struct set seen = *kernel;
    size_t count = 0;
    *closure_out = (struct set){{0}};
    for (size_t i = 0; i < builder->regex->step_count; i++)
        if (set_has(kernel, i))
            todo[count++] = (uint32_t)i;
    while (count > 0) {
        uint32_t at = todo[--count];
        int32_t jumps[2] = {1, 0};
        enum mica_regex_op op = steps[at].op;
        if (op == MICA_REGEX_MATCH)
            return true;
        if (op <= MICA_REGEX_OUTSIDE) {
            set_add(closure_out, at);
            continue;
        }
        if ((op == MICA_REGEX_BEGIN && !at_begin) ||
            (op == MICA_REGEX_END && !at_end))
            continue;
        if (op == MICA_REGEX_SPLIT || op == MICA_REGEX_JUMP)
            jumps[0] = steps[at].a;
        if (op == MICA_REGEX_SPLIT)
            jumps[1] = steps[at].b;
        for (size_t i = 0; i < 2 && jumps[i] != 0; i++) {
            uint32_t to = (uint32_t)((int32_t)at + jumps[i]);
            if (set_has(&seen, to))
                continue;
            set_add(&seen, to);
            todo[count++] = to;
        }
    }
    return false;
}

// The number of the state that begins with `kernel`; 0 to 255, or more when
// there are too many.
static size_t
state_of(struct builder *builder, const struct set *kernel, bool first)
{
    static const struct set nothing;
    struct set unused;
    if (memcmp(kernel, &nothing, sizeof nothing) == 0)
        return MICA_PATTERN_FAILS;
    // The start is never met again: behind a character ^ does not hold.
    for (size_t i = MICA_PATTERN_START + 1; i < builder->state_count; i++)
        if (memcmp(&builder->kernels[i], kernel, sizeof *kernel) == 0)
            return i;
    size_t state = builder->state_count;
    if (state == MICA_PATTERN_STATES)
        return SIZE_MAX;
    builder->kernels[state] = *kernel;
    if (builder_close(builder, kernel, first, false, &builder->closures[state]))
        return MICA_PATTERN_MATCHES;
    builder->ends[state] = builder_close(builder, kernel, first, true, &unused);
    builder->state_count++;
    return state;
}

// Where each class leads from a state.
static bool
fill_state(struct builder *builder, size_t state)
{
    const struct mica_regex *regex = builder->regex;
    const struct set *closure = &builder->closures[state];
    if (!builder_spend(builder, builder->class_count * (2 * regex->step_count +
                                                        regex->range_count)))
        return false;
    for (size_t class = 0; class < builder->class_count; class ++) {
        struct set kernel = {{0}};
        for (size_t i = 0; i < regex->step_count; i++)
            if (set_has(closure, i) &&
                mica_regex_accepts(regex, &regex->steps[i],
                                   builder->samples[class]))
                set_add(&kernel, i + 1);
        if (!regex->anchored)
            set_add(&kernel, 0);
        size_t to = state_of(builder, &kernel, false);
        if (to == SIZE_MAX)
            return false;
        builder->next[state * builder->class_count + class] = (uint8_t)to;
    }
    return true;
}

static bool
builder_build(struct builder *builder)
{
    struct set start = {{0}};
    if (!find_starts(builder) || !find_classes(builder))
        return false;
    size_t states = MICA_PATTERN_STATES;
    builder->kernels =
        mica_arena_alloc(builder->temporary, states * sizeof *builder->kernels);
    builder->closures = mica_arena_alloc(builder->temporary,
                                         states * sizeof *builder->closures);
    builder->ends = mica_arena_zero(builder->temporary, states, sizeof(bool));
    builder->next =
        mica_arena_zero(builder->temporary, states, builder->class_count);
    if (builder->kernels == NULL || builder->closures == NULL ||
        builder->ends == NULL || builder->next == NULL)
        return false;
    builder->state_count = MICA_PATTERN_START;
    builder->ends[MICA_PATTERN_MATCHES] = true;
    set_add(&start, 0);
    if (state_of(builder, &start, true) == MICA_PATTERN_MATCHES)
        return true;
    for (size_t i = MICA_PATTERN_START; i < builder->state_count; i++)
        if (!fill_state(builder, i))
            return false;
    return true;
}

// ---- The table -------------------------------------------------------------

static void *
builder_keep(struct builder *builder, const void *bytes, size_t size)
{
    void *kept = mica_arena_alloc(builder->arena, size);
    return kept != NULL ? memcpy(kept, bytes, size) : NULL;
}

// The classes of each place, when all texts that match have the same length.
static void
find_places(struct builder *builder, struct mica_schema_automaton *automaton)
{
    const struct mica_regex *regex = builder->regex;
    size_t end = regex->step_count - 2; // before the match
    if (!regex->anchored || end < 2 || regex->steps[end].op != MICA_REGEX_END ||
        builder->class_count > 32)
        return;
    uint32_t *places = mica_arena_zero(builder->arena, end - 1, sizeof *places);
    for (size_t i = 1; i < end && places != NULL; i++) {
        if (regex->steps[i].op > MICA_REGEX_OUTSIDE)
            return;
        for (size_t k = 0; k < builder->class_count; k++)
            if (mica_regex_accepts(regex, &regex->steps[i],
                                   builder->samples[k]))
                places[i - 1] |= UINT32_C(1) << k;
    }
    automaton->places = places;
    automaton->place_count = end - 1;
}

static const struct mica_schema_automaton *
builder_finish(struct builder *builder)
{
    struct mica_schema_automaton *automaton =
        mica_arena_zero(builder->arena, 1, sizeof *automaton);
    size_t size = builder->state_count * builder->class_count;
    if (automaton == NULL || !builder_spend(builder, size))
        return NULL;
    // Without a state the empty text matches already.
    size_t start = builder->state_count > MICA_PATTERN_START
                       ? MICA_PATTERN_START
                       : MICA_PATTERN_MATCHES;
    automaton->start = (uint32_t)(start * builder->class_count);
    automaton->decided =
        (uint32_t)(MICA_PATTERN_MATCHES * builder->class_count);
    automaton->class_count = builder->class_count;
    automaton->start_count = builder->start_count;
    automaton->classes = builder->classes;
    automaton->starts = builder_keep(builder, builder->starts,
                                     builder->start_count * sizeof(uint32_t));
    automaton->ends =
        builder_keep(builder, builder->ends, builder->state_count);
    uint16_t *next = mica_arena_alloc(builder->arena, size * sizeof *next);
    if (next == NULL)
        return NULL;
    for (size_t i = 0; i < size; i++)
        next[i] = (uint16_t)(builder->next[i] * builder->class_count);
    automaton->next = next;
    find_places(builder, automaton);
    for (size_t i = 0, c = 0; c < 128; c++) {
        while (i + 1 < builder->start_count && builder->starts[i + 1] <= c)
            i++;
        automaton->ascii[c] = builder->classes[i];
    }
    return automaton->starts != NULL && automaton->ends != NULL ? automaton
                                                                : NULL;
}

static bool
is_suitable(const struct mica_regex *regex)
{
    if (regex->step_count > STEPS)
        return false;
    for (size_t i = 0; i < regex->step_count; i++)
        if (regex->steps[i].op == MICA_REGEX_EDGE ||
            regex->steps[i].op == MICA_REGEX_NO_EDGE)
            return false;
    return true;
}

// Finds out whether only a prefix is wanted.
static void
find_prefix(struct mica_arena *arena, struct mica_schema_pattern *pattern)
{
    const struct mica_regex *regex = &pattern->regex;
    size_t last = regex->step_count - 1; // the match
    char *prefix = mica_arena_alloc(arena, regex->step_count);
    if (prefix == NULL || !regex->anchored)
        return;
    for (size_t i = 1; i < last; i++) {
        if (regex->steps[i].op != MICA_REGEX_CHAR || regex->steps[i].a > 0x7F)
            return;
        prefix[i - 1] = (char)regex->steps[i].a;
    }
    pattern->only_prefix = true;
    pattern->prefix = (struct mica_text){prefix, last - 1};
}

enum mica_status
mica_schema_pattern(struct mica_arena *arena, struct mica_text source,
                    uint64_t *budget, struct mica_error *error,
                    struct mica_schema_pattern *pattern_out)
{
    struct mica_schema_pattern pattern = {.source = source};
    struct mica_arena temporary;
    MICA_TRY(mica_regex_compile_with(arena, source, mica_regex_unicode, error,
                                     &pattern.regex));
    struct builder builder = {
        .regex = &pattern.regex, .arena = arena, .temporary = &temporary};
    builder.budget = budget;
    find_prefix(arena, &pattern);
    mica_arena_init(&temporary, TEMPORARY_BYTES);
    if (is_suitable(&pattern.regex) && builder_build(&builder))
        pattern.automaton = builder_finish(&builder);
    mica_arena_fini(&temporary);
    if (arena->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "there is no memory for the pattern");
    *pattern_out = pattern;
    return MICA_OK;
}

// ---- Matching --------------------------------------------------------------

// The class of a code point beyond ASCII.
static size_t
class_of(const struct mica_schema_automaton *automaton, uint32_t c)
{
    size_t from = 0, to = automaton->start_count;
    while (to - from > 1) {
        size_t middle = (from + to) / 2;
        if (automaton->starts[middle] <= c)
            from = middle;
        else
            to = middle;
    }
    return automaton->classes[from];
}

// Whether each place has a character that may stand there. False in `*ascii_out`
// when the text has others than ASCII, and then nothing is known.
static bool
match_places(const struct mica_schema_automaton *automaton,
             struct mica_text text, bool *ascii_out)
{
    const unsigned char *at = (const unsigned char *)text.ptr;
    uint32_t good = 1, bits = 0;
    for (size_t i = 0; i < automaton->place_count; i++) {
        bits |= at[i];
        good &= automaton->places[i] >> automaton->ascii[at[i] & 0x7F];
    }
    *ascii_out = bits < 0x80;
    return good != 0;
}

bool
mica_schema_automaton_match(const struct mica_schema_automaton *automaton,
                            struct mica_text text)
{
    const unsigned char *at = (const unsigned char *)text.ptr;
    const unsigned char *end = at + text.len;
    const uint16_t *next = automaton->next;
    size_t state = automaton->start;
    if (automaton->places != NULL && text.len == automaton->place_count) {
        bool ascii, good = match_places(automaton, text, &ascii);
        if (ascii)
            return good;
    }
    while (at < end && state > automaton->decided) {
        if (*at < 0x80) {
            state = next[state + automaton->ascii[*at++]];
            continue;
        }
        struct mica_text rest = {(const char *)at, (size_t)(end - at)};
        state = next[state + class_of(automaton, mica_text_next(&rest))];
        at = (const unsigned char *)rest.ptr;
    }
    return automaton->ends[state / automaton->class_count];
}
