// SPDX-License-Identifier: Apache-2.0
//
// A field is known by its schema, which answers are walked with. What the source
// writes is read from its words: too much is taken for an assignment rather than too
// little, since a finding has to be right.
#include "check/outputs.h"

#include <string.h>

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
mica_outputs_take(struct mica_outputs *outputs,
                  const struct mica_native_result *result)
{
    struct mica_json answer;

    if (outputs == NULL || result->ending != MICA_NATIVE_ANSWERED ||
        result->status != MICA_OK ||
        mica_json_read(outputs->arena, result->json, NULL, NULL, &answer) !=
            MICA_OK)
        return;
    outputs->answers++;
    outputs_walk(outputs,
                 mica_json_get(outputs->subject->manifest, "outputSchema"),
                 &answer);
}

// ---- The source --------------------------------------------------------------------

static bool
is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

// Behind what selects a part: "[i]", ".x", "->y".
static size_t
skip_parts(const struct mica_source *source, size_t at)
{
    struct mica_text code = source->code;

    for (;;) {
        at = mica_source_skip(source, at);
        if (at < code.len && code.ptr[at] == '[') {
            at = mica_source_close(source, at);
            continue;
        }
        if (at < code.len && code.ptr[at] == '.')
            at++;
        else if (at + 1 < code.len && code.ptr[at] == '-' &&
                 code.ptr[at + 1] == '>')
            at += 2;
        else
            return at;
        while (at < code.len && is_name(code.ptr[at]))
            at++;
    }
}

// "=", "+=", "<<=", "++" and their like, but not "==".
static bool
is_assigned_at(struct mica_text code, size_t at)
{
    struct mica_text rest = mica_text_slice(code, at, code.len);

    if (mica_text_starts(rest, "++") || mica_text_starts(rest, "--"))
        return true;
    if (mica_text_starts(rest, "<<=") || mica_text_starts(rest, ">>="))
        return true;
    if (rest.len > 1 && strchr("+-*/%&|^", rest.ptr[0]) != NULL)
        return rest.ptr[1] == '=';
    return rest.len > 1 && rest.ptr[0] == '=' && rest.ptr[1] != '=';
}

// Whether its address is taken, or it is counted, in front: "&out->x", "++out->x".
static bool
is_taken_before(struct mica_text code, size_t at)
{
    while (at > 0 && (is_name(code.ptr[at - 1]) || code.ptr[at - 1] == '.' ||
                      code.ptr[at - 1] == '>' || code.ptr[at - 1] == ']' ||
                      code.ptr[at - 1] == '[' ||
                      (code.ptr[at - 1] == '-' && code.ptr[at] == '>')))
        at--;
    if (at == 0)
        return false;
    if (code.ptr[at - 1] == '&')
        return at < 2 || code.ptr[at - 2] != '&';
    return at > 1 && code.ptr[at - 1] == code.ptr[at - 2] &&
           (code.ptr[at - 1] == '+' || code.ptr[at - 1] == '-');
}

bool
mica_source_assigns(const struct mica_source *source, struct mica_text member)
{
    struct mica_source whole = *source;
    struct mica_text word;

    whole.code = whole.lines; // a macro may assign it
    for (size_t at = 0; mica_source_word(&whole, &at, &word);) {
        size_t from = mica_source_at(&whole, word);
        char before = mica_source_before(&whole, from);

        if (!mica_text_equal(word, member))
            continue;
        if (source->code.ptr[from] != word.ptr[0])
            return true; // in a line of the preprocessor
        if (before != '.' && before != '>')
            continue;
        if (is_assigned_at(source->code, skip_parts(source, at)) ||
            is_taken_before(source->code, from))
            return true;
    }
    return false;
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
            "No line assigns `%.*s`, and it is zero in each of %zu answers. "
            "Assign it, or remove the field.",
            MICA_ARG(field->name), outputs->answers);
    }
}
