// SPDX-License-Identifier: Apache-2.0
//
// The list of errors: each with its two places. Nothing is written down on the
// way to a value; its place is found again from where it begins in the source.
#include "schema/explain.h"

enum {
    ERRORS = 10,
    ERRORS_MOST = 1000,
    TEXT_MOST = 64 << 10, // of one path or message
    WRONG_TYPE = 1000     // how much further off than another error
};

// Status and keyword of each reason; those without keyword are found.
static const struct {
    enum mica_status status;
    const char *keywordz;
} reasons[] = {
    [MICA_REASON_TYPE] = {MICA_E_TYPE, NULL},
    [MICA_REASON_CHOICES] = {MICA_E_CHOICE, NULL},
    [MICA_REASON_MINIMUM] = {MICA_E_RANGE, "minimum"},
    [MICA_REASON_MAXIMUM] = {MICA_E_RANGE, "maximum"},
    [MICA_REASON_EXCLUSIVE_MINIMUM] = {MICA_E_RANGE, "exclusiveMinimum"},
    [MICA_REASON_EXCLUSIVE_MAXIMUM] = {MICA_E_RANGE, "exclusiveMaximum"},
    [MICA_REASON_MULTIPLE] = {MICA_E_RANGE, "multipleOf"},
    [MICA_REASON_SHORT] = {MICA_E_RANGE, "minLength"},
    [MICA_REASON_LONG] = {MICA_E_RANGE, "maxLength"},
    [MICA_REASON_PATTERN] = {MICA_E_FORMAT, "pattern"},
    [MICA_REASON_FORMAT] = {MICA_E_FORMAT, "format"},
    [MICA_REASON_FEW_ITEMS] = {MICA_E_RANGE, "minItems"},
    [MICA_REASON_MANY_ITEMS] = {MICA_E_RANGE, "maxItems"},
    [MICA_REASON_UNIQUE] = {MICA_E_CHOICE, "uniqueItems"},
    [MICA_REASON_CONTAINS_FEW] = {MICA_E_CHOICE, NULL},
    [MICA_REASON_CONTAINS_MANY] = {MICA_E_CHOICE, "maxContains"},
    [MICA_REASON_ITEM] = {MICA_E_RANGE, NULL},
    [MICA_REASON_UNEVALUATED_ITEM] = {MICA_E_RANGE, "unevaluatedItems"},
    [MICA_REASON_FEW_MEMBERS] = {MICA_E_RANGE, "minProperties"},
    [MICA_REASON_MANY_MEMBERS] = {MICA_E_RANGE, "maxProperties"},
    [MICA_REASON_REQUIRED] = {MICA_E_REQUIRED, "required"},
    [MICA_REASON_DEPENDENT] = {MICA_E_REQUIRED, NULL},
    [MICA_REASON_MEMBER] = {MICA_E_UNKNOWN, NULL},
    [MICA_REASON_UNEVALUATED_MEMBER] = {MICA_E_UNKNOWN,
                                        "unevaluatedProperties"},
    [MICA_REASON_NAME] = {MICA_E_UNKNOWN, "propertyNames"},
    [MICA_REASON_ANY] = {MICA_E_CHOICE, "anyOf"},
    [MICA_REASON_NONE_OF_ONE] = {MICA_E_CHOICE, "oneOf"},
    [MICA_REASON_SEVERAL] = {MICA_E_CHOICE, "oneOf"},
    [MICA_REASON_NOT] = {MICA_E_CHOICE, "not"},
};

// ---- Places ----------------------------------------------------------------

static void
add_keyword(struct mica_buffer *out, const char *keywordz)
{
    mica_json_pointer_add(out, mica_text(keywordz));
}

// Which keyword it was that allows no such member.
static void
add_member_keyword(struct mica_buffer *out, const struct mica_schema_node *node,
                   const struct mica_json_member *member)
{
    const struct mica_schema_members *members = node->members;
    int64_t found = mica_schema_find(&members->table, member->name);
    if (found >= 0 && members->properties[found].node != NULL &&
        members->properties[found].node->types == 0) {
        add_keyword(out, "properties");
        mica_json_pointer_add(out, member->name);
    } else if (members->additional != NULL && members->additional->types == 0) {
        add_keyword(out, members->additional_keywordz);
    } else {
        add_keyword(out, "patternProperties");
    }
}

static void
add_found_keyword(struct mica_buffer *out, const struct mica_schema_node *node,
                  enum mica_schema_reason reason, const struct mica_json *value,
                  const void *detail)
{
    const struct mica_schema_choices *choices = detail;
    const struct mica_schema_missing *missing = detail;
    const struct mica_json *item = detail;
    if (reason == MICA_REASON_TYPE && node->source->kind != MICA_JSON_FALSE) {
        add_keyword(out, "type");
    } else if (reason == MICA_REASON_CHOICES) {
        add_keyword(out, choices->constant ? "const" : "enum");
    } else if (reason == MICA_REASON_CONTAINS_FEW) {
        add_keyword(out, node->items->contains_least > 1 ? "minContains"
                                                         : "contains");
    } else if (reason == MICA_REASON_DEPENDENT) {
        add_keyword(out, missing->dependent->keywordz);
        mica_json_pointer_add(out, missing->dependent->name);
    } else if (reason == MICA_REASON_MEMBER) {
        add_member_keyword(out, node, detail);
    } else if (reason == MICA_REASON_ITEM) {
        size_t index = (size_t)(item - value->items);
        if (index < node->items->prefix_count)
            mica_buffer_format(out, "/prefixItems/%zu", index);
        else
            add_keyword(out, node->items->rest_keywordz);
    }
}

static struct mica_text
schema_path(struct mica_schema_run *run, const struct mica_schema_node *node,
            enum mica_schema_reason reason, const struct mica_json *value,
            const void *detail)
{
    struct mica_buffer out;
    mica_buffer_init(&out, run->scratch, TEXT_MOST);
    mica_buffer_text(&out, node->resource->uri);
    mica_buffer_char(&out, '#');
    mica_schema_place(&out, node->resource->root, node->source);
    if (reasons[reason].keywordz != NULL)
        add_keyword(&out, reasons[reason].keywordz);
    else
        add_found_keyword(&out, node, reason, value, detail);
    return mica_buffer_as_text(&out);
}

// The value that an error is about: a part of the one that was evaluated, when a
// part is one too many.
static const struct mica_json *
at_fault(enum mica_schema_reason reason, const struct mica_json *value,
         const void *detail)
{
    const struct mica_json_member *member = detail;
    if (reason == MICA_REASON_MEMBER ||
        reason == MICA_REASON_UNEVALUATED_MEMBER)
        return &member->value;
    if (reason == MICA_REASON_ITEM || reason == MICA_REASON_UNEVALUATED_ITEM)
        return detail;
    return value;
}

// ---- Recording -------------------------------------------------------------

static void
schema_run_record(struct mica_schema_run *run,
                  const struct mica_schema_node *node,
                  enum mica_schema_reason reason, const struct mica_json *value,
                  const void *detail)
{
    struct mica_schema_faults *faults = run->faults;
    struct mica_buffer path, message;
    if (faults->count == faults->most) {
        faults->more = true;
        return;
    }
    mica_buffer_init(&path, run->scratch, TEXT_MOST);
    mica_schema_place(&path, run->root, at_fault(reason, value, detail));
    struct mica_schema_error *error = &faults->errors[faults->count++];
    *error = (struct mica_schema_error){
        .status = reasons[reason].status,
        .value_path = mica_buffer_as_text(&path),
        .schema_path = schema_path(run, node, reason, value, detail),
    };
    mica_buffer_init(&message, run->scratch, TEXT_MOST);
    mica_schema_words(run, node, reason, value, detail, &message);
    error->message = mica_buffer_as_text(&message);
}

// How far the value is from a schema: the errors it has there.
static uint64_t
schema_run_distance(struct mica_schema_run *run,
                    const struct mica_schema_node *node,
                    const struct mica_json *value)
{
    struct mica_schema_faults *faults = run->faults;
    struct mica_schema_faults counting = {.errors = NULL};
    run->faults = &counting;
    (void)mica_schema_evaluate(run, node, value, NULL);
    run->faults = faults;
    return counting.distance;
}

// Of several alternatives that all failed the number of the nearest, from 1. One
// that wants another type is not near; 0: none of them is near.
static size_t
find_nearest(struct mica_schema_run *run, const struct mica_schema_step *step,
             const struct mica_json *value)
{
    uint64_t least = WRONG_TYPE;
    size_t nearest = 0;
    for (size_t i = 0; i < step->count && !run->stopped; i++) {
        uint64_t now = schema_run_distance(run, step->nodes[i], value);
        if (now < least) {
            least = now;
            nearest = i + 1;
        }
    }
    return run->stopped ? 0 : nearest;
}

static void
record_alternatives(struct mica_schema_run *run,
                    const struct mica_schema_node *node,
                    enum mica_schema_reason reason,
                    const struct mica_json *value,
                    const struct mica_schema_step *step)
{
    size_t nearest =
        mica_schema_is_enum(step) ? 0 : find_nearest(run, step, value);
    run->faults->nearest = nearest;
    schema_run_record(run, node, reason, value, step);
    if (nearest > 0)
        (void)mica_schema_evaluate(run, step->nodes[nearest - 1], value, NULL);
}

// The name of a member, which broke propertyNames.
static void
record_name(struct mica_schema_run *run, const struct mica_schema_node *node,
            const struct mica_json *value,
            const struct mica_json_member *member)
{
    struct mica_schema_faults *faults = run->faults;
    const struct mica_json name = {
        .kind = MICA_JSON_STRING, .raw = value->raw, .text = member->name};
    faults->name = member;
    (void)mica_schema_evaluate(run, node->members->names, &name, NULL);
    faults->name = NULL;
}

void
mica_schema_explain(struct mica_schema_run *run,
                    const struct mica_schema_node *node,
                    enum mica_schema_reason reason,
                    const struct mica_json *value, const void *detail)
{
    struct mica_schema_faults *faults = run->faults;
    if (faults->errors == NULL) {
        // Choices tell alternatives apart, as types do.
        faults->distance += reason == MICA_REASON_TYPE      ? WRONG_TYPE
                            : reason == MICA_REASON_CHOICES ? 10
                                                            : 1;
        return;
    }
    if (reason == MICA_REASON_NAME) {
        record_name(run, node, value, detail);
        return;
    }
    if (reason == MICA_REASON_ANY || reason == MICA_REASON_NONE_OF_ONE)
        record_alternatives(run, node, reason, value, detail);
    else
        schema_run_record(run, node, reason, value, detail);
}

// ---- The report ------------------------------------------------------------

static enum mica_status
give_up(struct mica_schema_report *report)
{
    static const char words[] = "the value is too large or too deep to be "
                                "checked against its schema";
    static const struct mica_schema_error error = {
        .status = MICA_E_LIMIT, .message = {words, sizeof words - 1}};
    *report = (struct mica_schema_report){&error, 1, false};
    return MICA_E_LIMIT;
}

enum mica_status
mica_schema_report(struct mica_schema_run *run,
                   const struct mica_schema_limits *limits, int64_t steps,
                   struct mica_schema_report *report_out)
{
    struct mica_schema_faults faults = {.most = ERRORS};
    struct mica_schema_report unseen;
    if (limits->errors != 0)
        faults.most =
            limits->errors < ERRORS_MOST ? limits->errors : ERRORS_MOST;
    if (run->stopped)
        return give_up(report_out != NULL ? report_out : &unseen);
    if (report_out == NULL)
        return MICA_FAILED;
    faults.errors =
        mica_arena_alloc(run->scratch, faults.most * sizeof *faults.errors);
    if (faults.errors == NULL)
        return give_up(report_out);
    run->faults = &faults;
    run->steps = steps;
    run->depth = 0;
    (void)mica_schema_evaluate(run, run->schema->root, run->root, NULL);
    run->faults = NULL;
    // Collecting takes more work than finding out, so it may come to nothing.
    if (faults.count == 0 || run->scratch->overflow)
        return give_up(report_out);
    *report_out = (struct mica_schema_report){faults.errors, faults.count,
                                              faults.more || run->stopped};
    return faults.errors[0].status;
}

void
mica_schema_report_write(const struct mica_schema_report *report,
                         struct mica_buffer *buffer)
{
    for (size_t i = 0; i < report->count; i++) {
        mica_buffer_text(buffer, report->errors[i].message);
        mica_buffer_char(buffer, '\n');
    }
    if (report->more)
        mica_buffer_format(buffer, "and more\n");
}
