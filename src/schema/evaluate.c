// SPDX-License-Identifier: Apache-2.0
//
// A node on a value: first its type, then what is asked of values of that kind,
// then the schemas that are applied beside it. Recursion is bounded by the depth
// that the caller allows.
#include "schema/evaluate.h"

#include <string.h>

#include "schema/explain.h"

enum {
    DEPTH = 512,
    DEPTH_MOST = 2048,
    STEPS = 50 * 1000 * 1000
};

// ---- Texts -----------------------------------------------------------------

bool
mica_schema_match_slowly(struct mica_schema_run *run,
                         const struct mica_schema_pattern *pattern,
                         struct mica_text text)
{
    uint64_t work;
    if (run->regex_room == NULL)
        run->regex_room = mica_arena_alloc(
            run->scratch, MICA_REGEX_ROOM * run->schema->regex_steps *
                              sizeof *run->regex_room);
    // What it may cost is known before.
    if (run->regex_room == NULL || run->steps < 0 ||
        text.len >= (uint64_t)run->steps / mica_regex_cost(&pattern->regex)) {
        run->stopped = true;
        return false;
    }
    bool matches =
        mica_regex_match_in(&pattern->regex, run->regex_room, text, &work);
    return mica_schema_spend(run, work) && matches;
}

// Whether the number of code points lies in bounds; each takes one to four
// bytes, which decides most cases.
static bool
is_long_enough(struct mica_text text, size_t least)
{
    return text.len >= least &&
           (text.len / 4 >= least || mica_text_length(text) >= least);
}

static bool
is_short_enough(struct mica_text text, size_t most)
{
    return text.len <= most ||
           (text.len / 4 <= most && mica_text_length(text) <= most);
}

bool
mica_schema_evaluate_texts(struct mica_schema_run *run,
                           const struct mica_schema_node *node,
                           const struct mica_json *value)
{
    const struct mica_schema_texts *texts = node->texts;
    bool good = true;
    if (value->text.len >= MICA_SCHEMA_LONG &&
        !mica_schema_spend(run, value->text.len / 8))
        return false;
    if (texts->sized && !is_long_enough(value->text, texts->least))
        good = mica_schema_fail(run, node, MICA_REASON_SHORT, value, NULL);
    if (texts->sized && !is_short_enough(value->text, texts->most))
        good = mica_schema_fail(run, node, MICA_REASON_LONG, value, NULL);
    if (mica_schema_goes_on(run, good) && texts->pattern != NULL &&
        !mica_schema_matches(run, texts->pattern, value->text))
        good = mica_schema_fail(run, node, MICA_REASON_PATTERN, value, NULL);
    if (mica_schema_goes_on(run, good) && texts->format != NULL &&
        !texts->format->matches(value->text))
        good = mica_schema_fail(run, node, MICA_REASON_FORMAT, value, NULL);
    return good;
}

// ---- Nodes -----------------------------------------------------------------

// What is asked of values of this kind.
static inline __attribute__((always_inline)) bool
evaluate_kind(struct mica_schema_run *run, const struct mica_schema_node *node,
              const struct mica_json *value, struct mica_schema_marks *marks)
{
    switch (value->kind) {
    case MICA_JSON_NUMBER:
        return node->numbers == NULL ||
               mica_schema_evaluate_numbers(run, node, value);
    case MICA_JSON_STRING:
        return node->texts == NULL ||
               mica_schema_evaluate_texts(run, node, value);
    case MICA_JSON_ARRAY:
        return node->items == NULL ||
               mica_schema_evaluate_items(run, node, value, marks);
    case MICA_JSON_OBJECT:
        if (node->members == NULL)
            return true;
        return node->members->few_alone
                   ? mica_schema_evaluate_few(run, node, value, marks)
                   : mica_schema_evaluate_members(run, node, value, marks);
    case MICA_JSON_NULL:
    case MICA_JSON_FALSE:
    case MICA_JSON_TRUE:
        break;
    }
    return true;
}

// Inline, since this is where a validator spends its calls.
static inline __attribute__((always_inline)) bool
evaluate_rules(struct mica_schema_run *run, const struct mica_schema_node *node,
               const struct mica_json *value, struct mica_schema_marks *marks)
{
    bool good = true;
    for (const struct mica_schema_choices *choices = node->choices;
         choices != NULL; choices = choices->next)
        if (!mica_schema_evaluate_choices(run, choices, value))
            good = mica_schema_fail(run, node, MICA_REASON_CHOICES, value,
                                    choices);
    if (mica_schema_goes_on(run, good))
        good &= evaluate_kind(run, node, value, marks);
    if (node->step_count > 0 && mica_schema_goes_on(run, good))
        good &= mica_schema_evaluate_steps(run, node, value, marks);
    return good;
}

bool
mica_schema_evaluate_rules(struct mica_schema_run *run,
                           const struct mica_schema_node *node,
                           const struct mica_json *value,
                           struct mica_schema_marks *marks)
{
    return evaluate_rules(run, node, value, marks);
}

bool
mica_schema_evaluate(struct mica_schema_run *run,
                     const struct mica_schema_node *node,
                     const struct mica_json *value,
                     struct mica_schema_marks *marks)
{
    if (--run->steps < 0 || run->depth == run->depth_most) {
        run->stopped = true;
        return false;
    }
    if (!mica_schema_has_type(node, value))
        return mica_schema_fail(run, node, MICA_REASON_TYPE, value, NULL);
    run->depth++;
    bool good = (node->flags & MICA_NODE_TRACKS) != 0
                    ? mica_schema_evaluate_tracking(run, node, value, marks)
                    : evaluate_rules(run, node, value, marks);
    run->depth--;
    return good;
}

// ---- The way in ------------------------------------------------------------

enum mica_status
mica_schema_validate(const struct mica_schema *schema,
                     const struct mica_json *value,
                     const struct mica_schema_limits *limits,
                     struct mica_arena *scratch,
                     struct mica_schema_report *report_out)
{
    static const struct mica_schema_limits defaults;
    struct mica_schema_run run;
    if (limits == NULL)
        limits = &defaults;
    run.steps = limits->steps == 0          ? STEPS
                : limits->steps < INT64_MAX ? (int64_t)limits->steps
                                            : INT64_MAX;
    run.depth = 0;
    run.depth_most = limits->depth == 0           ? DEPTH
                     : limits->depth < DEPTH_MOST ? (uint32_t)limits->depth
                                                  : DEPTH_MOST;
    run.stopped = false;
    run.faults = NULL;
    run.schema = schema;
    run.root = value;
    run.scratch = scratch;
    run.regex_room = NULL;
    run.chunk = NULL;
    for (size_t i = 0; i < schema->slot_count; i++)
        run.slots[i] = NULL;
    if (report_out != NULL)
        *report_out = (struct mica_schema_report){.errors = NULL};
    int64_t steps = run.steps;
    bool good = mica_schema_apply(&run, schema->root, value);
    if (good && !run.stopped)
        return MICA_OK;
    return mica_schema_report(&run, limits, steps, report_out);
}
