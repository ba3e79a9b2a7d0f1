// SPDX-License-Identifier: Apache-2.0
//
// Writes a form as requestedSchema, as the client's revision has it (MCP:
// ElicitRequestFormParams, PrimitiveSchemaDefinition):
//
//                     2025-06-18            2025-11-25, 2026-07-28
//   default           of booleans           of every kind
//   titled choices    enum and enumNames    oneOf of const and title
//   lists             none                  items.enum, or items.anyOf
//
// It writes nothing else: no bounds that only mica knows, no `additionalProperties`.
#include <string.h>

#include "call/form_parts.h"
#include "json/optional_writer.h"

static void
name_words(struct mica_json_writer *writer, const char *namez,
           const char *wordsz)
{
    struct mica_text words = mica_text(wordsz);
    if (words.len == 0)
        return;
    mica_json_name(writer, namez);
    mica_form_string(writer, &words, 1);
}

static void
name_type(struct mica_json_writer *writer, const char *typez)
{
    mica_json_name(writer, "type");
    mica_json_stringz(writer, typez);
}

// ---- Options ---------------------------------------------------------------

static bool
has_titles(const struct mica_field_setting *setting)
{
    for (size_t i = 0; i < setting->option_count; i++)
        if (setting->options[i].title.len > 0)
            return true;
    return false;
}

static struct mica_text
title_of(const struct mica_option *option)
{
    return option->title.len > 0 ? option->title : option->value;
}

static void
write_values(struct mica_json_writer *writer,
             const struct mica_field_setting *setting)
{
    mica_json_name(writer, "enum");
    mica_json_open_array(writer);
    for (size_t i = 0; i < setting->option_count; i++)
        mica_json_string(writer, setting->options[i].value);
    mica_json_close_array(writer);
}

static void
write_enum_names(struct mica_json_writer *writer,
                 const struct mica_field_setting *setting)
{
    mica_json_name(writer, "enumNames");
    mica_json_open_array(writer);
    for (size_t i = 0; i < setting->option_count; i++) {
        struct mica_text title = title_of(&setting->options[i]);
        mica_form_string(writer, &title, 1);
    }
    mica_json_close_array(writer);
}

static void
write_titled(struct mica_json_writer *writer, const char *keywordz,
             const struct mica_field_setting *setting)
{
    mica_json_name(writer, keywordz);
    mica_json_open_array(writer);
    for (size_t i = 0; i < setting->option_count; i++) {
        struct mica_text title = title_of(&setting->options[i]);
        mica_json_open_object(writer);
        mica_json_field(writer, "const", setting->options[i].value);
        mica_json_name(writer, "title");
        mica_form_string(writer, &title, 1);
        mica_json_close_object(writer);
    }
    mica_json_close_array(writer);
}

static void
write_options(struct mica_json_writer *writer,
              const struct mica_field_setting *setting,
              enum mica_ask_dialect dialect)
{
    bool titled = has_titles(setting);
    bool names = setting->enum_names || dialect == MICA_ASKS_2025_06_18;
    if (titled && !names) {
        write_titled(writer, "oneOf", setting);
        return;
    }
    write_values(writer, setting);
    if (titled)
        write_enum_names(writer, setting);
}

static void
write_choices(struct mica_json_writer *writer, const struct mica_type *type)
{
    mica_json_name(writer, "enum");
    mica_json_open_array(writer);
    for (size_t i = 0; i < type->choice_count; i++)
        mica_json_stringz(writer, type->choices[i]);
    mica_json_close_array(writer);
}

// ---- Kinds -----------------------------------------------------------------

static void
write_text(struct mica_json_writer *writer, const struct mica_field *field,
           const struct mica_field_setting *setting,
           enum mica_ask_dialect dialect)
{
    name_type(writer, "string");
    if (setting != NULL) {
        write_options(writer, setting, dialect);
        return;
    }
    mica_json_optional_size(writer, "minLength", field->min_length);
    mica_json_optional_size(writer, "maxLength", field->max_length);
    if (field->format != NULL)
        name_words(writer, "format", field->format->name);
}

static void
write_number(struct mica_json_writer *writer, const struct mica_field *field)
{
    name_type(writer,
              field->type->kind == MICA_KIND_INTEGER ? "integer" : "number");
    mica_json_optional_number(writer, "minimum", field->minimum,
                              -MICA_INFINITY);
    mica_json_optional_number(writer, "maximum", field->maximum, MICA_INFINITY);
}

static void
write_list(struct mica_json_writer *writer, const struct mica_field *field,
           const struct mica_field_setting *setting)
{
    name_type(writer, "array");
    mica_json_optional_size(writer, "minItems", field->min_items);
    mica_json_optional_size(writer, "maxItems", field->max_items);
    mica_json_name(writer, "items");
    mica_json_open_object(writer);
    if (setting != NULL && has_titles(setting)) {
        write_titled(writer, "anyOf", setting);
    } else {
        name_type(writer, "string");
        if (setting != NULL)
            write_values(writer, setting);
        else
            write_choices(writer, field->type->element);
    }
    mica_json_close_object(writer);
}

static void
write_kind(struct mica_json_writer *writer, const struct mica_field *field,
           const struct mica_field_setting *setting,
           enum mica_ask_dialect dialect)
{
    switch (field->type->kind) {
    case MICA_KIND_TEXT:
        write_text(writer, field, setting, dialect);
        return;
    case MICA_KIND_NUMBER:
    case MICA_KIND_DECIMAL:
    case MICA_KIND_INTEGER:
        write_number(writer, field);
        return;
    case MICA_KIND_BOOLEAN:
        name_type(writer, "boolean");
        return;
    case MICA_KIND_CHOICE:
        name_type(writer, "string");
        write_choices(writer, field->type);
        return;
    case MICA_KIND_DATE:
    case MICA_KIND_DATE_TIME:
        name_type(writer, "string");
        name_words(writer, "format",
                   field->type->kind == MICA_KIND_DATE ? "date" : "date-time");
        return;
    case MICA_KIND_LIST:
        write_list(writer, field, setting);
        return;
    case MICA_KIND_RECORD:
    case MICA_KIND_ANY:
    case MICA_KIND_MAP:
    case MICA_KIND_NULLABLE:
        break; // mica_form_prepare refuses them
    }
}

// ---- Forms -----------------------------------------------------------------

static void
write_field(struct mica_json_writer *writer, const struct mica_form *form,
            const struct mica_record *prepared, const struct mica_field *field,
            enum mica_ask_dialect dialect)
{
    const struct mica_field_setting *setting = mica_form_setting(form, field);
    mica_json_name(writer, field->name);
    mica_json_open_object(writer);
    name_words(writer, "title",
               setting != NULL && setting->title != NULL
                   ? setting->title
                   : mica_field_title(prepared, field));
    name_words(writer, "description", field->description);
    write_kind(writer, field, mica_form_options(form, field), dialect);
    if (field->fallback != NULL && (field->type->kind == MICA_KIND_BOOLEAN ||
                                    dialect != MICA_ASKS_2025_06_18)) {
        mica_json_name(writer, "default");
        mica_json_raw(writer, mica_text(field->fallback));
    }
    mica_json_close_object(writer);
}

static void
write_required(struct mica_json_writer *writer,
               const struct mica_record *record)
{
    bool open = false;
    for (size_t i = 0; i < record->count; i++) {
        if (mica_record_field(record, i)->optional ||
            mica_record_field(record, i)->fallback != NULL)
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

enum mica_status
mica_form_schema(const struct mica_form *form,
                 const struct mica_record *prepared,
                 enum mica_ask_dialect dialect, struct mica_error *error,
                 struct mica_json_writer *writer)
{
    struct mica_checker checker = {NULL, error, NULL};
    for (size_t i = 0; i < prepared->count; i++) {
        const struct mica_field *field = mica_record_field(prepared, i);
        struct mica_place place = {.name = mica_text(field->name)};
        if (field->type->kind == MICA_KIND_LIST &&
            dialect == MICA_ASKS_2025_06_18)
            return mica_value_fail(
                &checker, &place, MICA_E_CAPABILITY,
                "lets the person choose several, which a client of revision "
                "2025-06-18 cannot show; it takes one of 2025-11-25 or later");
    }
    mica_json_open_object(writer);
    name_type(writer, "object");
    mica_json_name(writer, "properties");
    mica_json_open_object(writer);
    for (size_t i = 0; i < prepared->count; i++)
        write_field(writer, form, prepared, mica_record_field(prepared, i),
                    dialect);
    mica_json_close_object(writer);
    write_required(writer, prepared);
    mica_json_close_object(writer);
    return MICA_OK;
}
