// SPDX-License-Identifier: Apache-2.0
//
// Walks answers together with the output schema; a field is known by its schema there.
#include "check/outputs.h"

#include "check/assigned.h"
#include "check/fields.h"

struct output {
    struct output *next;
    const struct mica_field_view *field;
    bool assigned; // an answer had another value than zero
};

struct mica_outputs {
    const struct mica_subject *subject;
    struct mica_arena *arena;
    struct output *first;
    size_t answers;
};

// ---- Answers -----------------------------------------------------------------------

static void
outputs_add(void *context, const struct mica_field_view *field)
{
    struct mica_outputs *outputs = context;
    struct output *output = mica_arena_zero(outputs->arena, 1, sizeof *output);

    if (output == NULL)
        return;
    output->field = field;
    output->next = outputs->first;
    outputs->first = output;
}

struct mica_outputs *
mica_outputs_new(const struct mica_subject *subject)
{
    struct mica_arena *arena = subject->report->arena;
    struct mica_outputs *outputs = mica_arena_zero(arena, 1, sizeof *outputs);

    if (outputs == NULL)
        return NULL;
    outputs->subject = subject;
    outputs->arena = arena;
    mica_fields_visit(arena, mica_json_get(subject->manifest, "outputSchema"),
                      "output", true, outputs_add, outputs);
    return outputs;
}

// Whether a zeroed member is written so. Of a choice that is the first word, and of a
// record its fields decide.
static bool
is_zero(const struct mica_json *schema, const struct mica_json *value)
{
    const struct mica_json *choices =
        mica_json_get(mica_value_schema(schema), "enum");
    double number;

    switch (value->kind) {
    case MICA_JSON_NUMBER:
        return mica_number_read(value->text, &number) && number == 0;
    case MICA_JSON_STRING:
        if (choices != NULL && choices->count > 0)
            return mica_text_equal(choices->items[0].text, value->text);
        return value->text.len == 0 || mica_text_is(value->text, "0");
    case MICA_JSON_ARRAY:
    case MICA_JSON_OBJECT:
        return value->count == 0;
    case MICA_JSON_TRUE:
        return false;
    case MICA_JSON_NULL:
    case MICA_JSON_FALSE:
        break;
    }
    return true;
}

static void
outputs_mark(struct mica_outputs *outputs, const struct mica_json *schema,
             const struct mica_json *value)
{
    if (is_zero(schema, value))
        return;
    for (struct output *output = outputs->first; output != NULL;
         output = output->next)
        if (output->field->schema == schema)
            output->assigned = true;
}

static void
outputs_walk(struct mica_outputs *outputs, const struct mica_json *schema,
             const struct mica_json *value)
{
    const struct mica_json *element = mica_value_element(schema);
    const struct mica_json *fields =
        mica_json_get(mica_value_schema(schema), "properties");

    for (size_t i = 0;
         element != NULL && value->kind == MICA_JSON_ARRAY && i < value->count;
         i++)
        outputs_walk(outputs, element, &value->items[i]);
    for (size_t i = 0; value->kind == MICA_JSON_OBJECT && i < value->count;
         i++) {
        const struct mica_json_member *member = &value->members[i];
        if (element != NULL)
            outputs_walk(outputs, element, &member->value);
        for (size_t j = 0; fields != NULL && j < fields->count; j++) {
            const struct mica_json_member *field = &fields->members[j];
            if (!mica_text_equal(field->name, member->name))
                continue;
            outputs_mark(outputs, &field->value, &member->value);
            outputs_walk(outputs, &field->value, &member->value);
        }
    }
}

void
mica_outputs_take(struct mica_outputs *outputs, struct mica_arena *arena,
                  const struct mica_native_result *result)
{
    struct mica_json answer;

    if (outputs == NULL || result->ending != MICA_NATIVE_ANSWERED ||
        result->status != MICA_OK ||
        mica_json_read(arena, result->json, NULL, NULL, &answer) != MICA_OK)
        return;
    outputs->answers++;
    outputs_walk(outputs,
                 mica_json_get(outputs->subject->manifest, "outputSchema"),
                 &answer);
}

void
mica_outputs_check(const struct mica_outputs *outputs)
{
    if (outputs == NULL || outputs->answers == 0)
        return;
    for (const struct output *output = outputs->first; output != NULL;
         output = output->next) {
        const struct mica_field_view *field = output->field;
        if (output->assigned ||
            mica_source_assigns(outputs->subject->source, field->name))
            continue;
        mica_report_add(
            outputs->subject->report, MICA_RULE_OUTPUT_UNASSIGNED,
            mica_subject_line(outputs->subject,
                              mica_json_get_text(field->schema, "description")),
            field->path,
            "No line of the engine assigns `%.*s`: it is zero or empty in each "
            "of %zu answer%s. Assign it, or remove the field.",
            MICA_ARG(field->name), outputs->answers,
            outputs->answers == 1 ? "" : "s");
    }
}
