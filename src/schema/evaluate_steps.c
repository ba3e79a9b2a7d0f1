// SPDX-License-Identifier: Apache-2.0
//
// Schemas that are applied to the same value, and which of its members or items
// they evaluated. A schema that fails has evaluated nothing, so a branch marks
// in memory of its own until it is known to hold.
#include "schema/evaluate.h"

enum {
    FIRST_WORDS = 256
};

// ---- Memory for marks ------------------------------------------------------

struct mica_schema_chunk {
    struct mica_schema_chunk *next;
    size_t room, top;
    uint64_t words[];
};

// Marks of one branch: a few on the stack, others in chunks that are used again
// when the branch is done.
struct fresh {
    struct mica_schema_marks marks;
    uint64_t few;
    struct mica_schema_chunk *chunk; // and how it was before
    size_t top;
};

static bool
next_chunk(struct mica_schema_run *run, size_t words)
{
    struct mica_schema_chunk *now = run->chunk;
    struct mica_schema_chunk *next = now != NULL ? now->next : NULL;
    if (next == NULL || next->room < words) {
        size_t room = now != NULL ? 2 * now->room : FIRST_WORDS;
        if (room < words)
            room = words;
        next = mica_arena_alloc(run->scratch,
                                sizeof *next + room * sizeof *next->words);
        if (next == NULL) {
            run->stopped = true;
            return false;
        }
        next->room = room;
        next->next = NULL;
        if (now != NULL)
            now->next = next;
    }
    next->top = 0;
    run->chunk = next;
    return true;
}

static size_t
words_of(const struct mica_json *value)
{
    return (value->count + 63) / 64;
}

static bool
take_marks(struct mica_schema_run *run, const struct mica_json *value,
           struct fresh *fresh)
{
    size_t words = words_of(value);
    fresh->few = 0;
    fresh->marks.words = &fresh->few;
    if (words <= 1)
        return true;
    if (!mica_schema_spend(run, words))
        return false;
    fresh->chunk = run->chunk;
    fresh->top = run->chunk != NULL ? run->chunk->top : 0;
    if ((run->chunk == NULL || run->chunk->room - run->chunk->top < words) &&
        !next_chunk(run, words))
        return false;
    fresh->marks.words = run->chunk->words + run->chunk->top;
    memset(fresh->marks.words, 0, words * sizeof *fresh->marks.words);
    run->chunk->top += words;
    return true;
}

static void
give_marks(struct mica_schema_run *run, const struct mica_json *value,
           const struct fresh *fresh)
{
    if (words_of(value) <= 1)
        return;
    // The first chunk is kept, though nothing is in it.
    if (fresh->chunk != NULL)
        run->chunk = fresh->chunk;
    run->chunk->top = fresh->top;
}

// ---- Branches --------------------------------------------------------------

// A schema that may fail without harm.
static bool
try_branch(struct mica_schema_run *run, const struct mica_schema_node *node,
           const struct mica_json *value, struct mica_schema_marks *marks)
{
    struct fresh fresh;
    if (marks == NULL)
        return mica_schema_evaluate(run, node, value, NULL);
    if (!take_marks(run, value, &fresh))
        return false;
    bool good = mica_schema_evaluate(run, node, value, &fresh.marks);
    for (size_t i = 0; good && i < words_of(value); i++)
        marks->words[i] |= fresh.marks.words[i];
    give_marks(run, value, &fresh);
    return good;
}

// Which of the first 64 alternatives may fit; all where nothing is known.
static uint64_t
select_branches(struct mica_schema_run *run,
                const struct mica_schema_step *step,
                const struct mica_json *value)
{
    const struct mica_schema_selector *selector = step->selector;
    if (selector == NULL || value->kind != MICA_JSON_OBJECT)
        return UINT64_MAX;
    const struct mica_json *member =
        mica_schema_member(run, value, selector->name);
    if (member == NULL || member->kind != MICA_JSON_STRING)
        return 0;
    int64_t found = mica_schema_find(&selector->table, member->text);
    return found < 0 ? 0 : selector->masks[found];
}

static bool
evaluate_any(struct mica_schema_run *run, const struct mica_schema_node *node,
             const struct mica_schema_step *step, const struct mica_json *value,
             struct mica_schema_marks *marks)
{
    struct mica_schema_faults *faults = run->faults;
    uint64_t selected = select_branches(run, step, value);
    bool good = false;
    run->faults = NULL;
    for (size_t i = 0; i < step->count && !(good && marks == NULL); i++)
        if (i >= 64 || (selected >> i & 1) != 0)
            good |= try_branch(run, step->nodes[i], value, marks);
    run->faults = faults;
    return good || mica_schema_fail(run, node, MICA_REASON_ANY, value, step);
}

static bool
evaluate_one(struct mica_schema_run *run, const struct mica_schema_node *node,
             const struct mica_schema_step *step, const struct mica_json *value,
             struct mica_schema_marks *marks)
{
    struct mica_schema_faults *faults = run->faults;
    struct mica_schema_several several = {.step = step};
    uint64_t selected = select_branches(run, step, value);
    size_t good = 0;
    run->faults = NULL;
    for (size_t i = 0; i < step->count && good < 2; i++) {
        if ((i < 64 && (selected >> i & 1) == 0) ||
            !try_branch(run, step->nodes[i], value, marks))
            continue;
        *(good == 0 ? &several.first : &several.second) = i;
        good++;
    }
    run->faults = faults;
    if (good == 0)
        return mica_schema_fail(run, node, MICA_REASON_NONE_OF_ONE, value,
                                step);
    return good == 1 ||
           mica_schema_fail(run, node, MICA_REASON_SEVERAL, value, &several);
}

static bool
evaluate_not(struct mica_schema_run *run, const struct mica_schema_node *node,
             const struct mica_schema_step *step, const struct mica_json *value)
{
    struct mica_schema_faults *faults = run->faults;
    run->faults = NULL;
    bool good = !mica_schema_evaluate(run, step->node, value, NULL);
    run->faults = faults;
    return good || mica_schema_fail(run, node, MICA_REASON_NOT, value, step);
}

static bool
evaluate_if(struct mica_schema_run *run, const struct mica_schema_step *step,
            const struct mica_json *value, struct mica_schema_marks *marks)
{
    struct mica_schema_faults *faults = run->faults;
    if (step->nodes[0] == NULL && step->nodes[1] == NULL && marks == NULL)
        return true;
    run->faults = NULL;
    bool holds = try_branch(run, step->node, value, marks);
    run->faults = faults;
    const struct mica_schema_node *next = step->nodes[holds ? 0 : 1];
    return next == NULL || mica_schema_evaluate(run, next, value, marks);
}

// Inside a resource its dynamic anchors hold, unless one around it has the same.
static bool
evaluate_scope(struct mica_schema_run *run, const struct mica_schema_step *step,
               const struct mica_json *value, struct mica_schema_marks *marks)
{
    const struct mica_schema_scope *scope = step->scope;
    uint64_t entered = 0;
    for (size_t i = 0; i < scope->count; i++) {
        if (run->slots[scope->slots[i]] != NULL)
            continue;
        run->slots[scope->slots[i]] = scope->nodes[i];
        entered |= UINT64_C(1) << i;
    }
    bool good = mica_schema_evaluate(run, step->node, value, marks);
    for (size_t i = 0; i < scope->count; i++)
        if ((entered >> i & 1) != 0)
            run->slots[scope->slots[i]] = NULL;
    return good;
}

// Steps over entering resources whose anchors are all overruled already, which is
// what happens nearly always inside a recursive schema.
static const struct mica_schema_node *
skip_scope(const struct mica_schema_run *run,
           const struct mica_schema_node *node)
{
    if ((node->flags & MICA_NODE_SCOPE) == 0)
        return node;
    const struct mica_schema_scope *scope = node->steps->scope;
    for (size_t i = 0; i < scope->count; i++)
        if (run->slots[scope->slots[i]] == NULL)
            return node;
    return node->steps->node;
}

static bool
evaluate_step(struct mica_schema_run *run, const struct mica_schema_node *node,
              const struct mica_schema_step *step,
              const struct mica_json *value, struct mica_schema_marks *marks)
{
    const struct mica_schema_node *next = step->node;
    switch (step->op) {
    case MICA_SCHEMA_OP_REF:
        break;
    case MICA_SCHEMA_OP_DYNAMIC:
        if (run->slots[step->slot] != NULL)
            next = run->slots[step->slot];
        break;
    case MICA_SCHEMA_OP_SCOPE:
        return evaluate_scope(run, step, value, marks);
    case MICA_SCHEMA_OP_ANY:
        return evaluate_any(run, node, step, value, marks);
    case MICA_SCHEMA_OP_ONE:
        return evaluate_one(run, node, step, value, marks);
    case MICA_SCHEMA_OP_NOT:
        return evaluate_not(run, node, step, value);
    case MICA_SCHEMA_OP_IF:
        return evaluate_if(run, step, value, marks);
    case MICA_SCHEMA_OP_DEPENDENT:
        if (value->kind != MICA_JSON_OBJECT ||
            mica_schema_member(run, value, step->name) == NULL)
            return true;
        break;
    }
    return mica_schema_evaluate(run, skip_scope(run, next), value, marks);
}

bool
mica_schema_evaluate_steps(struct mica_schema_run *run,
                           const struct mica_schema_node *node,
                           const struct mica_json *value,
                           struct mica_schema_marks *marks)
{
    bool good = true;
    for (size_t i = 0; i < node->step_count && mica_schema_goes_on(run, good);
         i++)
        good &= evaluate_step(run, node, &node->steps[i], value, marks);
    return good;
}

// ---- What is unevaluated ---------------------------------------------------

static bool
evaluate_left(struct mica_schema_run *run, const struct mica_schema_node *node,
              const struct mica_json *value,
              const struct mica_schema_marks *marks)
{
    bool array = value->kind == MICA_JSON_ARRAY, good = true;
    const struct mica_schema_node *left =
        array ? node->items->unevaluated : node->members->unevaluated;
    for (size_t i = 0; i < value->count && mica_schema_goes_on(run, good);
         i++) {
        if ((marks->words[i / 64] >> i % 64 & 1) != 0)
            continue;
        const struct mica_json *child =
            array ? &value->items[i] : &value->members[i].value;
        if (left->types != 0)
            good &= mica_schema_apply(run, left, child);
        else if (array)
            good = mica_schema_fail(run, node, MICA_REASON_UNEVALUATED_ITEM,
                                    value, child);
        else
            good = mica_schema_fail(run, node, MICA_REASON_UNEVALUATED_MEMBER,
                                    value, &value->members[i]);
    }
    return good;
}

bool
mica_schema_evaluate_tracking(struct mica_schema_run *run,
                              const struct mica_schema_node *node,
                              const struct mica_json *value,
                              struct mica_schema_marks *marks)
{
    struct fresh fresh;
    bool tracked = (value->kind == MICA_JSON_ARRAY && node->items != NULL &&
                    node->items->unevaluated != NULL) ||
                   (value->kind == MICA_JSON_OBJECT && node->members != NULL &&
                    node->members->unevaluated != NULL);
    if (!tracked)
        return mica_schema_evaluate_rules(run, node, value, marks);
    if (!take_marks(run, value, &fresh) ||
        !mica_schema_spend(run, value->count))
        return false;
    bool good = mica_schema_evaluate_rules(run, node, value, &fresh.marks) &&
                evaluate_left(run, node, value, &fresh.marks);
    give_marks(run, value, &fresh);
    for (size_t i = 0; marks != NULL && i < value->count; i++)
        mica_schema_mark(marks, i);
    return good;
}
