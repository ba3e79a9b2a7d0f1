// SPDX-License-Identifier: Apache-2.0
//
// Matching: all states that the text so far can lead to advance together. Each
// step of the program is looked at once for each character, whatever the
// pattern, so the time is at most program × text.
#include <string.h>

#include "schema/regex.h"

#define NO_CHARACTER UINT32_MAX

// What stands on either side of the place between two characters.
struct gap {
    uint32_t before, after;
};

// A match under way. `seen` has the generation in which a state was met.
struct matcher {
    const struct mica_regex *regex;
    uint32_t *seen, *todo, *now, *next;
    uint32_t generation;
};

static bool
is_word(uint32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= 'a' && c <= 'z');
}

static bool
assertion_holds(enum mica_regex_op op, struct gap gap)
{
    if (op == MICA_REGEX_BEGIN)
        return gap.before == NO_CHARACTER;
    if (op == MICA_REGEX_END)
        return gap.after == NO_CHARACTER;
    return (is_word(gap.before) != is_word(gap.after)) ==
           (op == MICA_REGEX_EDGE);
}

bool
mica_regex_accepts(const struct mica_regex *regex,
                   const struct mica_regex_step *step, uint32_t c)
{
    if (step->op == MICA_REGEX_CHAR)
        return (uint32_t)step->a == c;
    if (step->op == MICA_REGEX_ANY)
        return c != '\n' && c != '\r' && c != 0x2028 && c != 0x2029;
    for (int32_t i = step->a; i < step->a + step->b; i++)
        if (c >= regex->ranges[i].first && c <= regex->ranges[i].last)
            return step->op == MICA_REGEX_CLASS;
    return step->op == MICA_REGEX_OUTSIDE;
}

static bool
has_ranges(const struct mica_regex_step *step)
{
    return step->op == MICA_REGEX_CLASS || step->op == MICA_REGEX_OUTSIDE;
}

uint64_t
mica_regex_cost(const struct mica_regex *regex)
{
    uint64_t cost = regex->step_count;

    for (size_t i = 0; i < regex->step_count; i++) {
        if (has_ranges(&regex->steps[i]))
            cost += (uint32_t)regex->steps[i].b;
    }
    return cost;
}

// The states that `state` leads to without a character, onto `now`; those that
// were met at this place before are left out. True when the pattern has matched.
static bool
matcher_follow(struct matcher *matcher, uint32_t state, struct gap gap,
               size_t *now_count, uint64_t *work)
{
    size_t todo = 0;
    if (matcher->seen[state] == matcher->generation)
        return false;
    matcher->seen[state] = matcher->generation;
    matcher->todo[todo++] = state;
    while (todo > 0) {
        uint32_t at = matcher->todo[--todo];
        const struct mica_regex_step *step = matcher->regex->steps + at;
        int32_t jumps[2] = {1, 0};
        ++*work;
        switch (step->op) {
        case MICA_REGEX_MATCH:
            return true;
        case MICA_REGEX_SPLIT:
            jumps[1] = step->b;
            jumps[0] = step->a;
            break;
        case MICA_REGEX_JUMP:
            jumps[0] = step->a;
            break;
        case MICA_REGEX_BEGIN:
        case MICA_REGEX_END:
        case MICA_REGEX_EDGE:
        case MICA_REGEX_NO_EDGE:
            if (!assertion_holds(step->op, gap))
                continue;
            break;
        case MICA_REGEX_CHAR:
        case MICA_REGEX_ANY:
        case MICA_REGEX_CLASS:
        case MICA_REGEX_OUTSIDE:
            matcher->now[(*now_count)++] = at;
            continue;
        }
        for (size_t i = 0; i < 2 && jumps[i] != 0; i++) {
            uint32_t to = (uint32_t)((int32_t)at + jumps[i]);
            if (matcher->seen[to] == matcher->generation)
                continue;
            matcher->seen[to] = matcher->generation;
            matcher->todo[todo++] = to;
        }
    }
    return false;
}

// One place in the text: first all that can be there, then on over `after`.
// `next` holds the states to start from, and gets those behind the character.
static bool
matcher_advance(struct matcher *matcher, struct gap gap, bool start_here,
                size_t *next_count, uint64_t *work)
{
    const struct mica_regex *regex = matcher->regex;
    size_t now_count = 0;
    matcher->generation++;
    for (size_t i = 0; i < *next_count; i++)
        if (matcher_follow(matcher, matcher->next[i], gap, &now_count, work))
            return true;
    if (start_here && matcher_follow(matcher, 0, gap, &now_count, work))
        return true;
    *next_count = 0;
    for (size_t i = 0; i < now_count; i++) {
        uint32_t at = matcher->now[i];
        const struct mica_regex_step *step = regex->steps + at;
        if (mica_regex_accepts(regex, step, gap.after))
            matcher->next[(*next_count)++] = at + 1;
        if (has_ranges(step))
            *work += (uint32_t)step->b; // each range was looked at
    }
    return false;
}

bool
mica_regex_match_in(const struct mica_regex *regex, uint32_t *room,
                    struct mica_text text, uint64_t *work_out)
{
    size_t size = regex->step_count;
    struct matcher matcher = {.regex = regex};
    matcher.seen = room;
    matcher.todo = room + size;
    matcher.now = room + 2 * size;
    matcher.next = room + 3 * size;
    struct gap gap = {NO_CHARACTER, NO_CHARACTER};
    size_t next_count = 0;
    uint64_t work = 0;
    bool matched = false;
    memset(matcher.seen, 0, size * sizeof *matcher.seen);
    do {
        bool first = gap.before == NO_CHARACTER;
        gap.after = mica_text_next(&text);
        matched = matcher_advance(&matcher, gap, first || !regex->anchored,
                                  &next_count, &work);
        gap.before = gap.after;
    } while (!matched && gap.after != NO_CHARACTER &&
             (next_count > 0 || !regex->anchored));
    if (work_out != NULL)
        *work_out = work;
    return matched;
}

bool
mica_regex_match(struct mica_regex *regex, struct mica_text text,
                 uint64_t *work_out)
{
    return mica_regex_match_in(regex, regex->room, text, work_out);
}
