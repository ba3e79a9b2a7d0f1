// SPDX-License-Identifier: Apache-2.0
//
// The messages of validation: which value, what it must be, what it is, and where
// a slip of the pen is likely, what was meant.
#include "schema/explain.h"

enum {
    SHOWN_CHOICES = 20 // of a list
};

// A name in quotes, cut when it is long, between words.
static void
put_name(struct mica_buffer *out, const char *beforez, struct mica_text name,
         const char *behindz)
{
    mica_buffer_format(out, "%s\"", beforez);
    mica_schema_put_cut(out, name);
    mica_buffer_format(out, "\"%s", behindz);
}

// ---- Choices ---------------------------------------------------------------

// The choices of an enum, or the constants of a step whose alternatives are such.
struct choices {
    const struct mica_json *items; // NULL: those of the step
    const struct mica_schema_step *step;
    size_t count;
};

static void
put_choices(struct mica_buffer *out, struct choices choices,
            const struct mica_json *value)
{
    struct mica_schema_nearest nearest = {.to = value->text,
                                          .distance = SIZE_MAX};
    mica_buffer_format(out,
                       choices.count == 1 ? " must be " : " must be one of ");
    for (size_t i = 0; i < choices.count; i++) {
        const struct mica_json *item =
            choices.step != NULL ? choices.step->nodes[i]->choices->items
                                 : &choices.items[i];
        if (i < SHOWN_CHOICES) {
            mica_buffer_format(out, i > 0 ? ", " : "");
            mica_schema_put_cut(out, item->raw);
        } else if (i == SHOWN_CHOICES) {
            mica_buffer_format(out, ", …");
        }
        if (item->kind == MICA_JSON_STRING && value->kind == MICA_JSON_STRING)
            mica_schema_compare(&nearest, item->text);
    }
    mica_schema_put_but(out, value);
    if (nearest.distance != SIZE_MAX && choices.count > 1)
        put_name(out, "; did you mean ", nearest.name, "?");
}

// {"oneOf": [{"const": "a", "title": "A"}, …]} is an enum with titles.
bool
mica_schema_is_enum(const struct mica_schema_step *step)
{
    for (size_t i = 0; i < step->count; i++) {
        const struct mica_schema_node *node = step->nodes[i];
        if (node->choices == NULL || !node->choices->constant ||
            node->numbers != NULL || node->texts != NULL ||
            node->items != NULL || node->members != NULL ||
            node->step_count > 0)
            return false;
    }
    return step->count > 0;
}

// ---- Members ---------------------------------------------------------------

static void
put_unknown(const struct mica_schema_node *node,
            const struct mica_json_member *member, struct mica_buffer *out)
{
    const struct mica_json *known = mica_json_get(node->source, "properties");
    struct mica_schema_nearest nearest = {.to = member->name,
                                          .distance = SIZE_MAX};
    size_t count =
        known != NULL && known->kind == MICA_JSON_OBJECT ? known->count : 0;
    mica_buffer_format(out, " is not a known property");
    for (size_t i = 0; i < count; i++)
        if (known->members[i].value.kind != MICA_JSON_FALSE &&
            !mica_text_equal(known->members[i].name, member->name))
            mica_schema_compare(&nearest, known->members[i].name);
    if (nearest.distance != SIZE_MAX) {
        put_name(out, "; did you mean ", nearest.name, "?");
        return;
    }
    mica_buffer_format(out, count > 0 ? "; known are " : "; leave it out");
    for (size_t i = 0; i < count && i <= SHOWN_CHOICES; i++) {
        if (i == SHOWN_CHOICES) {
            mica_buffer_format(out, ", …");
        } else {
            mica_buffer_format(out, i > 0 ? ", " : "");
            mica_schema_put_cut(out, known->members[i].name);
        }
    }
}

// What the schema says about a property that is missing.
static void
put_required(const struct mica_schema_node *node,
             const struct mica_json *object, struct mica_text name,
             struct mica_buffer *out)
{
    struct mica_schema_nearest nearest = {.to = name, .distance = SIZE_MAX};
    int64_t found = mica_schema_find(&node->members->table, name);
    const struct mica_schema_node *property =
        found >= 0 ? node->members->properties[found].node : NULL;
    put_name(out, " must have the property ", name, "");
    if (property != NULL && property->types != MICA_TYPES_ALL &&
        property->types != 0) {
        mica_buffer_format(out, ", ");
        mica_schema_put_types(out, property->types);
    }
    struct mica_text description =
        property != NULL && property->source != NULL
            ? mica_json_get_text(property->source, "description")
            : (struct mica_text){NULL, 0};
    if (description.len > 0) {
        mica_buffer_format(out, " (");
        mica_schema_put_cut(out, description);
        mica_buffer_char(out, ')');
    }
    for (size_t i = 0; i < object->count; i++)
        if (mica_schema_find(&node->members->table, object->members[i].name) <
            0)
            mica_schema_compare(&nearest, object->members[i].name);
    if (nearest.distance != SIZE_MAX)
        put_name(out, "; ", nearest.name, " may be meant to be it");
}

// ---- All of them -----------------------------------------------------------

// "must have at least 2 items, but has 1".
static void
put_size(struct mica_buffer *out, const char *boundz, size_t bound,
         const char *thingz, const char *pluralz, size_t size)
{
    mica_buffer_format(out, " must have at %s %zu %s, but has %zu", boundz,
                       bound, bound == 1 ? thingz : pluralz, size);
}

static void
put_bound(struct mica_buffer *out, const char *wordsz,
          const struct mica_json *bound, const struct mica_json *value)
{
    mica_buffer_format(out, " must be %s %.*s", wordsz, MICA_ARG(bound->text));
    mica_schema_put_but(out, value);
}

// When no alternative takes such a type, the types that they take.
static void
put_alternatives(const struct mica_schema_run *run, struct mica_buffer *out,
                 const struct mica_schema_step *step,
                 const struct mica_json *value)
{
    unsigned types = 0;
    if (mica_schema_is_enum(step)) {
        put_choices(out, (struct choices){NULL, step, step->count}, value);
        return;
    }
    for (size_t i = 0; i < step->count; i++)
        types |= step->nodes[i]->types;
    if ((types >> value->kind & 1) == 0 && types != 0) {
        mica_schema_put_type_error(out, types, value);
        return;
    }
    mica_buffer_format(out, " fits none of its %u alternatives",
                       (unsigned)step->count);
    if (run->faults->nearest > 0)
        mica_buffer_format(out, "; nearest is number %zu",
                           run->faults->nearest);
}

static void
put_forbidden(struct mica_buffer *out, const struct mica_schema_step *step)
{
    const struct mica_json *source = step->node->source;
    if (source == NULL) {
        mica_schema_put_not_allowed(out);
        return;
    }
    mica_buffer_format(out, " must not fit this schema: ");
    mica_schema_put_cut(out, source->raw);
}

static void
put_numbers(struct mica_buffer *out, const struct mica_schema_numbers *numbers,
            enum mica_schema_reason reason, const struct mica_json *value)
{
    if (reason == MICA_REASON_MINIMUM)
        put_bound(out, "at least", numbers->minimum.number, value);
    else if (reason == MICA_REASON_MAXIMUM)
        put_bound(out, "at most", numbers->maximum.number, value);
    else if (reason == MICA_REASON_EXCLUSIVE_MINIMUM)
        put_bound(out, "greater than", numbers->exclusive_minimum.number,
                  value);
    else if (reason == MICA_REASON_EXCLUSIVE_MAXIMUM)
        put_bound(out, "less than", numbers->exclusive_maximum.number, value);
    else
        put_bound(out, "a multiple of", numbers->multiple_of, value);
}

// 2027-02-30 has the format of a date, so "the format" says nothing there.
static void
put_format(struct mica_buffer *out, const struct mica_schema_format *format)
{
    if (mica_text_is(mica_text(format->name), "date"))
        mica_buffer_format(out, " must be a date of the calendar like %s",
                           format->sample);
    else if (mica_text_is(mica_text(format->name), "date-time"))
        mica_buffer_format(out,
                           " must be a moment of the calendar with its zone, "
                           "like %s",
                           format->sample);
    else
        mica_buffer_format(out, " must be of the format %s, like %s",
                           format->name, format->sample);
}

static void
put_texts(struct mica_buffer *out, const struct mica_schema_texts *texts,
          enum mica_schema_reason reason, const struct mica_json *value)
{
    size_t length = mica_text_length(value->text);
    if (reason == MICA_REASON_SHORT) {
        put_size(out, "least", texts->least, "character", "characters", length);
    } else if (reason == MICA_REASON_LONG) {
        put_size(out, "most", texts->most, "character", "characters", length);
    } else if (reason == MICA_REASON_PATTERN) {
        mica_buffer_format(out, " must match the pattern ");
        mica_schema_put_cut(out, texts->pattern->source);
        mica_schema_put_but(out, value);
    } else {
        put_format(out, texts->format);
        mica_schema_put_but(out, value);
    }
}

static void
put_items(struct mica_buffer *out, const struct mica_schema_items *items,
          enum mica_schema_reason reason, const struct mica_json *value,
          const void *detail)
{
    const size_t *numbers = detail;
    if (reason == MICA_REASON_FEW_ITEMS) {
        put_size(out, "least", items->least, "item", "items", value->count);
    } else if (reason == MICA_REASON_MANY_ITEMS) {
        put_size(out, "most", items->most, "item", "items", value->count);
    } else if (reason == MICA_REASON_UNIQUE) {
        mica_buffer_format(out,
                           " must not have an item twice, but items %zu and "
                           "%zu (from 0) are both ",
                           numbers[0], numbers[1]);
        mica_schema_put_cut(out, value->items[numbers[0]].raw);
    } else if (reason == MICA_REASON_CONTAINS_FEW) {
        put_size(out, "least", items->contains_least,
                 "item of the kind it has to contain",
                 "items of the kind it has to contain", numbers[0]);
    } else if (reason == MICA_REASON_CONTAINS_MANY) {
        put_size(out, "most", items->contains_most,
                 "item of the kind it may contain",
                 "items of the kind it may contain", numbers[0]);
    } else {
        mica_buffer_format(out, " is an item too many; leave it out");
    }
}

void
mica_schema_words(const struct mica_schema_run *run,
                  const struct mica_schema_node *node,
                  enum mica_schema_reason reason, const struct mica_json *value,
                  const void *detail, struct mica_buffer *out)
{
    const struct mica_schema_several *several = detail;
    const struct mica_schema_missing *missing = detail;
    const struct mica_json_member *member = detail;
    const struct mica_schema_choices *choices = detail;
    bool member_at_fault = reason == MICA_REASON_MEMBER ||
                           reason == MICA_REASON_UNEVALUATED_MEMBER;
    bool item_at_fault =
        reason == MICA_REASON_ITEM || reason == MICA_REASON_UNEVALUATED_ITEM;
    mica_schema_put_subject(run,
                            member_at_fault ? &member->value
                            : item_at_fault ? detail
                                            : value,
                            out);
    switch (reason) {
    case MICA_REASON_TYPE:
        mica_schema_put_type_error(out, node->types, value);
        break;
    case MICA_REASON_CHOICES:
        put_choices(out, (struct choices){choices->items, NULL, choices->count},
                    value);
        break;
    case MICA_REASON_MINIMUM:
    case MICA_REASON_MAXIMUM:
    case MICA_REASON_EXCLUSIVE_MINIMUM:
    case MICA_REASON_EXCLUSIVE_MAXIMUM:
    case MICA_REASON_MULTIPLE:
        put_numbers(out, node->numbers, reason, value);
        break;
    case MICA_REASON_SHORT:
    case MICA_REASON_LONG:
    case MICA_REASON_PATTERN:
    case MICA_REASON_FORMAT:
        put_texts(out, node->texts, reason, value);
        break;
    case MICA_REASON_FEW_ITEMS:
    case MICA_REASON_MANY_ITEMS:
    case MICA_REASON_UNIQUE:
    case MICA_REASON_CONTAINS_FEW:
    case MICA_REASON_CONTAINS_MANY:
    case MICA_REASON_ITEM:
    case MICA_REASON_UNEVALUATED_ITEM:
        put_items(out, node->items, reason, value, detail);
        break;
    case MICA_REASON_FEW_MEMBERS:
        put_size(out, "least", node->members->least, "property", "properties",
                 value->count);
        break;
    case MICA_REASON_MANY_MEMBERS:
        put_size(out, "most", node->members->most, "property", "properties",
                 value->count);
        break;
    case MICA_REASON_REQUIRED:
        put_required(node, value, *(const struct mica_text *)detail, out);
        break;
    case MICA_REASON_DEPENDENT:
        put_name(out, " must have the property ", missing->name, "");
        put_name(out, ", since it has ", missing->dependent->name, "");
        break;
    case MICA_REASON_MEMBER:
    case MICA_REASON_UNEVALUATED_MEMBER:
        put_unknown(node, member, out);
        break;
    case MICA_REASON_NAME:
        break;
    case MICA_REASON_ANY:
    case MICA_REASON_NONE_OF_ONE:
        put_alternatives(run, out, detail, value);
        break;
    case MICA_REASON_SEVERAL:
        mica_buffer_format(out,
                           " fits two of its alternatives, number %zu and "
                           "number %zu, and must fit exactly one",
                           several->first + 1, several->second + 1);
        break;
    case MICA_REASON_NOT:
        put_forbidden(out, detail);
        break;
    }
}
