// SPDX-License-Identifier: Apache-2.0
//
// One validation under way, between its files:
//   evaluate.c          a node on a value; texts; the way in
//   evaluate_number.c   numbers, enum and const, equality
//   evaluate_items.c    arrays
//   evaluate_members.c  objects
//   evaluate_steps.c    schemas applied to the same value; what is unevaluated
//   explain.c           the list of errors
//   explain_words.c     their messages
//
// The first run only finds the answer and stops at the first failure. When it is
// no, and the caller wants to know why, a second run collects errors.
#ifndef MICA_SCHEMA_EVALUATE_H
#define MICA_SCHEMA_EVALUATE_H

#include "schema/number.h"
#include "schema/program.h"

enum {
    MICA_SCHEMA_LONG = 256 // bytes of a text whose length counts as work
};

struct mica_schema_faults; // explain.h

struct mica_schema_run {
    int64_t steps; // of work that are left
    uint32_t depth, depth_most;
    bool stopped;                      // a limit was met: no answer counts
    struct mica_schema_faults *faults; // NULL: only the answer counts
    const struct mica_schema *schema;
    const struct mica_json *root;
    struct mica_arena *scratch;
    uint32_t *regex_room;            // taken when it is needed
    struct mica_schema_chunk *chunk; // for marks
    const struct mica_schema_node *slots[MICA_SCHEMA_SLOTS];
};

// Which members or items of one value some schema has evaluated: a bit for each.
// NULL where no keyword asks.
struct mica_schema_marks {
    uint64_t *words;
};

static inline void
mica_schema_mark(struct mica_schema_marks *marks, size_t index)
{
    if (marks != NULL)
        marks->words[index / 64] |= UINT64_C(1) << index % 64;
}

// Why a value is refused.
enum mica_schema_reason {
    MICA_REASON_TYPE,
    MICA_REASON_CHOICES,
    MICA_REASON_MINIMUM,
    MICA_REASON_MAXIMUM,
    MICA_REASON_EXCLUSIVE_MINIMUM,
    MICA_REASON_EXCLUSIVE_MAXIMUM,
    MICA_REASON_MULTIPLE,
    MICA_REASON_SHORT,
    MICA_REASON_LONG,
    MICA_REASON_PATTERN,
    MICA_REASON_FORMAT,
    MICA_REASON_FEW_ITEMS,
    MICA_REASON_MANY_ITEMS,
    MICA_REASON_UNIQUE,       // detail: the two items
    MICA_REASON_CONTAINS_FEW, // detail: how many do
    MICA_REASON_CONTAINS_MANY,
    MICA_REASON_ITEM, // detail: an item that no schema allows
    MICA_REASON_UNEVALUATED_ITEM,
    MICA_REASON_FEW_MEMBERS,
    MICA_REASON_MANY_MEMBERS,
    MICA_REASON_REQUIRED,  // detail: the name
    MICA_REASON_DEPENDENT, // detail: a struct mica_schema_missing
    MICA_REASON_MEMBER,    // detail: a member that no schema allows
    MICA_REASON_UNEVALUATED_MEMBER,
    MICA_REASON_NAME, // detail: a member whose name is refused
    MICA_REASON_ANY,  // detail: the step
    MICA_REASON_NONE_OF_ONE,
    MICA_REASON_SEVERAL, // detail: a struct mica_schema_several
    MICA_REASON_NOT
};

struct mica_schema_missing {
    const struct mica_schema_dependent *dependent;
    struct mica_text name;
};

struct mica_schema_several {
    const struct mica_schema_step *step;
    size_t first, second;
};

// Evaluates all that `node` asks of `value`.
bool mica_schema_evaluate(struct mica_schema_run *run,
                          const struct mica_schema_node *node,
                          const struct mica_json *value,
                          struct mica_schema_marks *marks);

// The parts of it.
bool mica_schema_evaluate_texts(struct mica_schema_run *run,
                                const struct mica_schema_node *node,
                                const struct mica_json *value);
bool mica_schema_evaluate_numbers(struct mica_schema_run *run,
                                  const struct mica_schema_node *node,
                                  const struct mica_json *value);
bool mica_schema_evaluate_items(struct mica_schema_run *run,
                                const struct mica_schema_node *node,
                                const struct mica_json *value,
                                struct mica_schema_marks *marks);
bool mica_schema_evaluate_members(struct mica_schema_run *run,
                                  const struct mica_schema_node *node,
                                  const struct mica_json *value,
                                  struct mica_schema_marks *marks);
// The same when there are few properties, and nothing is asked of other members:
// looks for each property in the value.
bool mica_schema_evaluate_few(struct mica_schema_run *run,
                              const struct mica_schema_node *node,
                              const struct mica_json *value,
                              struct mica_schema_marks *marks);
bool mica_schema_evaluate_steps(struct mica_schema_run *run,
                                const struct mica_schema_node *node,
                                const struct mica_json *value,
                                struct mica_schema_marks *marks);
bool mica_schema_evaluate_tracking(struct mica_schema_run *run,
                                   const struct mica_schema_node *node,
                                   const struct mica_json *value,
                                   struct mica_schema_marks *marks);
// What evaluate does when nothing is to be tracked for the node itself.
bool mica_schema_evaluate_rules(struct mica_schema_run *run,
                                const struct mica_schema_node *node,
                                const struct mica_json *value,
                                struct mica_schema_marks *marks);
bool mica_schema_evaluate_choices(struct mica_schema_run *run,
                                  const struct mica_schema_choices *choices,
                                  const struct mica_json *value);
bool mica_schema_match_slowly(struct mica_schema_run *run,
                              const struct mica_schema_pattern *pattern,
                              struct mica_text text);

// Equal by JSON's measure; the work is counted.
bool mica_schema_equal(struct mica_schema_run *run, const struct mica_json *a,
                       const struct mica_json *b);

// The first two items that are equal; false: all differ. Stops the run
// when there is no memory.
bool mica_schema_same_items(struct mica_schema_run *run,
                            const struct mica_json *array, size_t pair_out[2]);

// Cold: records an error. `detail` depends on the reason.
void mica_schema_explain(struct mica_schema_run *run,
                         const struct mica_schema_node *node,
                         enum mica_schema_reason reason,
                         const struct mica_json *value, const void *detail);

// Always false, for `return`.
static inline bool
mica_schema_fail(struct mica_schema_run *run,
                 const struct mica_schema_node *node,
                 enum mica_schema_reason reason, const struct mica_json *value,
                 const void *detail)
{
    if (run->faults != NULL)
        mica_schema_explain(run, node, reason, value, detail);
    return false;
}

// Takes work off the run; false when none is left.
static inline bool
mica_schema_spend(struct mica_schema_run *run, uint64_t work)
{
    run->steps -= (int64_t)work;
    if (run->steps < 0)
        run->stopped = true;
    return run->steps >= 0;
}

// Whether the pattern matches; by its prefix alone, its automaton, or its program.
static inline bool
mica_schema_matches(struct mica_schema_run *run,
                    const struct mica_schema_pattern *pattern,
                    struct mica_text text)
{
    if (pattern->only_prefix)
        return text.len >= pattern->prefix.len &&
               memcmp(text.ptr, pattern->prefix.ptr, pattern->prefix.len) == 0;
    if (pattern->automaton == NULL)
        return mica_schema_match_slowly(run, pattern, text);
    if (text.len >= MICA_SCHEMA_LONG && !mica_schema_spend(run, text.len / 8))
        return false;
    return mica_schema_automaton_match(pattern->automaton, text);
}

static inline bool
mica_schema_has_type(const struct mica_schema_node *node,
                     const struct mica_json *value)
{
    return (node->types >> value->kind & 1) != 0 ||
           (value->kind == MICA_JSON_NUMBER &&
            (node->types & MICA_TYPES_WHOLE) != 0 &&
            mica_numeral_whole_text(value->text));
}

// A node on a part of the value; what applies no other node is answered here.
static inline bool
mica_schema_apply(struct mica_schema_run *run,
                  const struct mica_schema_node *node,
                  const struct mica_json *value)
{
    if ((node->flags & MICA_NODE_LEAF) != 0) {
        if (!mica_schema_has_type(node, value))
            return mica_schema_fail(run, node, MICA_REASON_TYPE, value, NULL);
        if (value->kind == MICA_JSON_STRING && node->texts != NULL)
            return mica_schema_evaluate_texts(run, node, value);
        if (value->kind == MICA_JSON_NUMBER && node->numbers != NULL)
            return mica_schema_evaluate_numbers(run, node, value);
        return true;
    }
    if ((node->flags & MICA_NODE_CHOICE) != 0 && run->faults == NULL)
        return mica_schema_evaluate_choices(run, node->choices, value);
    return mica_schema_evaluate(run, node, value, NULL);
}

// Whether to continue after `good`: yes while all is good, or errors are collected.
static inline bool
mica_schema_goes_on(const struct mica_schema_run *run, bool good)
{
    return good || (run->faults != NULL && !run->stopped);
}

// The member of that name, or NULL.
const struct mica_json *mica_schema_member(struct mica_schema_run *run,
                                           const struct mica_json *object,
                                           struct mica_text name);

#endif
