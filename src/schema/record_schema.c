// SPDX-License-Identifier: Apache-2.0
//
// A record as JSON Schema 2020-12. It says neither more nor less than the
// decoder takes, apart from what JSON Schema cannot say (the calendar behind a
// "date", the grammar behind an "email", how many digits a decimal may have, which
// "x-decimal" stands for).
#include "schema/record.h"

#include <math.h>

#include "schema/record_value.h"
#include "json/optional_writer.h"

static void write_type(struct mica_json_writer *writer,
                       const struct mica_slot *slot);

static void write_record(struct mica_json_writer *writer,
                         const struct mica_record *record);

static void
name_string(struct mica_json_writer *writer, const char *namez,
            const char *textz)
{
    if (textz == NULL)
        return;
    mica_json_name(writer, namez);
    mica_json_stringz(writer, textz);
}

// ---- Bounds ----------------------------------------------------------------

static void
write_text_bounds(struct mica_json_writer *writer,
                  const struct mica_bounds *bounds)
{
    mica_json_optional_size(writer, "minLength", bounds->min_length);
    mica_json_optional_size(writer, "maxLength", bounds->max_length);
    name_string(writer, "pattern", bounds->pattern);
    if (bounds->format != NULL)
        name_string(writer, "format", bounds->format->name);
}

// An integer that is not `.wide` has the safe integers as its bounds, unless
// its own are closer.
static void
write_number_bounds(struct mica_json_writer *writer,
                    const struct mica_bounds *bounds, bool safe)
{
    double minimum = bounds->minimum;
    double maximum = bounds->maximum;
    if (safe && minimum == -MICA_INFINITY &&
        bounds->exclusive_minimum == -MICA_INFINITY)
        minimum = (double)-MICA_SAFE_INTEGER;
    if (safe && maximum == MICA_INFINITY &&
        bounds->exclusive_maximum == MICA_INFINITY)
        maximum = (double)MICA_SAFE_INTEGER;
    mica_json_optional_number(writer, "minimum", minimum, -MICA_INFINITY);
    mica_json_optional_number(writer, "maximum", maximum, MICA_INFINITY);
    mica_json_optional_number(writer, "exclusiveMinimum",
                              bounds->exclusive_minimum, -MICA_INFINITY);
    mica_json_optional_number(writer, "exclusiveMaximum",
                              bounds->exclusive_maximum, MICA_INFINITY);
}

static void
write_choices(struct mica_json_writer *writer, const struct mica_type *type,
              bool nullable)
{
    mica_json_name(writer, "enum");
    mica_json_open_array(writer);
    for (size_t i = 0; i < type->choice_count; i++)
        if (type->choices[i] != NULL)
            mica_json_stringz(writer, type->choices[i]);
    if (nullable)
        mica_json_null(writer);
    mica_json_close_array(writer);
}

// ---- Types -----------------------------------------------------------------

// The JSON type of a kind whose null is one more entry of "type"; NULL for the
// kinds that have parts or any type.
static const char *
simple_type(enum mica_kind kind)
{
    switch (kind) {
    case MICA_KIND_TEXT:
    case MICA_KIND_CHOICE:
    case MICA_KIND_DATE:
    case MICA_KIND_DATE_TIME:
        return "string";
    case MICA_KIND_NUMBER:
    case MICA_KIND_DECIMAL:
        return "number";
    case MICA_KIND_INTEGER:
        return "integer";
    case MICA_KIND_BOOLEAN:
        return "boolean";
    case MICA_KIND_RECORD:
    case MICA_KIND_ANY:
    case MICA_KIND_LIST:
    case MICA_KIND_MAP:
    case MICA_KIND_NULLABLE:
        break;
    }
    return NULL;
}

static void
write_simple(struct mica_json_writer *writer, const struct mica_slot *slot,
             bool nullable)
{
    const struct mica_bounds *bounds = mica_slot_bounds(slot);
    enum mica_kind kind = slot->type->kind;
    mica_json_name(writer, "type");
    if (nullable) {
        mica_json_open_array(writer);
        mica_json_stringz(writer, simple_type(kind));
        mica_json_stringz(writer, "null");
        mica_json_close_array(writer);
    } else {
        mica_json_stringz(writer, simple_type(kind));
    }
    if (kind == MICA_KIND_TEXT)
        write_text_bounds(writer, bounds);
    else if (kind == MICA_KIND_NUMBER || kind == MICA_KIND_INTEGER ||
             kind == MICA_KIND_DECIMAL)
        write_number_bounds(writer, bounds,
                            kind == MICA_KIND_INTEGER && !bounds->wide);
    else if (kind == MICA_KIND_CHOICE)
        write_choices(writer, slot->type, nullable);
    else if (kind != MICA_KIND_BOOLEAN)
        name_string(writer, "format",
                    kind == MICA_KIND_DATE ? "date" : "date-time");
    if (kind == MICA_KIND_DECIMAL) {
        mica_json_name(writer, "x-decimal");
        mica_json_boolean(writer, true);
    }
}

static void
write_object(struct mica_json_writer *writer, const struct mica_slot *slot)
{
    mica_json_open_object(writer);
    write_type(writer, slot);
    mica_json_close_object(writer);
}

static void
write_nullable(struct mica_json_writer *writer, const struct mica_slot *slot)
{
    struct mica_slot element = mica_slot_element(slot);
    if (element.type->kind == MICA_KIND_ANY)
        return; // null is one of any
    if (simple_type(element.type->kind) != NULL) {
        write_simple(writer, &element, true);
        return;
    }
    mica_json_name(writer, "anyOf");
    mica_json_open_array(writer);
    write_object(writer, &element);
    mica_json_open_object(writer);
    name_string(writer, "type", "null");
    mica_json_close_object(writer);
    mica_json_close_array(writer);
}

static void
write_list(struct mica_json_writer *writer, const struct mica_slot *slot)
{
    struct mica_slot element = mica_slot_element(slot);
    name_string(writer, "type", "array");
    mica_json_name(writer, "items");
    write_object(writer, &element);
    if (slot->counted) {
        mica_json_optional_size(writer, "minItems", slot->field->min_items);
        mica_json_optional_size(writer, "maxItems", slot->field->max_items);
    }
}

static bool
has_text_bounds(const struct mica_bounds *bounds)
{
    return bounds->min_length > 0 || bounds->max_length > 0 ||
           bounds->pattern != NULL || bounds->format != NULL;
}

static void
write_map(struct mica_json_writer *writer, const struct mica_slot *slot)
{
    struct mica_slot element = mica_slot_element(slot);
    name_string(writer, "type", "object");
    if (has_text_bounds(&slot->field->keys)) {
        mica_json_name(writer, "propertyNames");
        mica_json_open_object(writer);
        write_text_bounds(writer, &slot->field->keys);
        mica_json_close_object(writer);
    }
    mica_json_name(writer, "additionalProperties");
    write_object(writer, &element);
    if (slot->counted) {
        mica_json_optional_size(writer, "minProperties",
                                slot->field->min_items);
        mica_json_optional_size(writer, "maxProperties",
                                slot->field->max_items);
    }
}

// The members of the schema object of `slot`.
static void
write_type(struct mica_json_writer *writer, const struct mica_slot *slot)
{
    switch (slot->type->kind) {
    case MICA_KIND_LIST:
        write_list(writer, slot);
        return;
    case MICA_KIND_MAP:
        write_map(writer, slot);
        return;
    case MICA_KIND_NULLABLE:
        write_nullable(writer, slot);
        return;
    case MICA_KIND_RECORD:
        write_record(writer, slot->type->record);
        return;
    case MICA_KIND_ANY:
        return; // no keyword: any value
    case MICA_KIND_TEXT:
    case MICA_KIND_NUMBER:
    case MICA_KIND_DECIMAL:
    case MICA_KIND_INTEGER:
    case MICA_KIND_BOOLEAN:
    case MICA_KIND_CHOICE:
    case MICA_KIND_DATE:
    case MICA_KIND_DATE_TIME:
        write_simple(writer, slot, false);
    }
}

// ---- Records ---------------------------------------------------------------

static void
write_property(struct mica_json_writer *writer,
               const struct mica_record *record, const struct mica_field *field)
{
    struct mica_slot slot = mica_slot_of(field);
    mica_json_name(writer, field->name);
    mica_json_open_object(writer);
    name_string(writer, "title", mica_field_title(record, field));
    name_string(writer, "description", field->description);
    write_type(writer, &slot);
    if (field->fallback != NULL) {
        mica_json_name(writer, "default");
        mica_json_raw(writer, mica_text(field->fallback));
    }
    name_string(writer, "x-unit", field->unit);
    name_string(writer, "x-chart", mica_field_chart(record, field));
    if (mica_field_answer(record, field)) {
        mica_json_name(writer, "x-answer");
        mica_json_boolean(writer, true);
    }
    mica_json_close_object(writer);
}

static bool
is_required(const struct mica_field *field)
{
    return !field->optional && field->fallback == NULL;
}

static void
write_required(struct mica_json_writer *writer,
               const struct mica_record *record)
{
    bool open = false;
    for (size_t i = 0; i < record->count; i++) {
        if (!is_required(mica_record_field(record, i)))
            continue;
        if (!open) {
            mica_json_name(writer, "required");
            mica_json_open_array(writer);
        }
        open = true;
        mica_json_stringz(writer, mica_record_field(record, i)->name);
    }
    if (open)
        mica_json_close_array(writer);
}

static void
write_record(struct mica_json_writer *writer, const struct mica_record *record)
{
    name_string(writer, "type", "object");
    mica_json_name(writer, "properties");
    mica_json_open_object(writer);
    for (size_t i = 0; i < record->count; i++)
        write_property(writer, record, mica_record_field(record, i));
    mica_json_close_object(writer);
    write_required(writer, record);
    mica_json_name(writer, "additionalProperties");
    mica_json_boolean(writer, false);
}

void
mica_record_schema(const struct mica_record *record, bool dialect,
                   struct mica_text examples, struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    if (dialect)
        name_string(writer, "$schema",
                    "https://json-schema.org/draft/2020-12/schema");
    write_record(writer, record);
    if (examples.len > 0) {
        mica_json_name(writer, "examples");
        mica_json_raw(writer, examples);
    }
    mica_json_close_object(writer);
}
