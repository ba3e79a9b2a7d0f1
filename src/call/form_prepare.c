// SPDX-License-Identifier: Apache-2.0
//
// Checks a form with the settings of one ask, and merges them into a record that decodes
// the answer. The author reads the refusals: each names the field, the rule and the way
// out.
#include <string.h>

#include "call/form_parts.h"
#include "schema/record.h"

static enum mica_status
checker_wrong(const struct mica_checker *checker,
              const struct mica_place *place, const char *wordsz)
{
    return mica_value_fail(checker, place, MICA_E_USAGE, "%s", wordsz);
}

// ---- Settings --------------------------------------------------------------

// The index of a field, or record->count.
static size_t
find_field(const struct mica_record *record, const char *namez)
{
    size_t i = 0;
    while (i < record->count &&
           strcmp(mica_record_field(record, i)->name, namez) != 0)
        i++;
    return i;
}

// Checks that the settings name fields that exist, each once.
static enum mica_status
check_names(const struct mica_checker *checker, const struct mica_form *form)
{
    for (size_t i = 0; i < form->set_count; i++) {
        const char *namez = form->set[i].field;
        if (namez == NULL)
            return checker_wrong(
                checker, NULL,
                "has a setting that names no field; a setting is "
                "MICA_SET(field, .options = …)");
        struct mica_place place = {.name = mica_text(namez)};
        if (find_field(form->record, namez) == form->record->count)
            return checker_wrong(
                checker, &place,
                "is set, but the record has no field of that name");
        if (mica_form_setting(
                form, mica_record_field(form->record,
                                        find_field(form->record, namez))) !=
            &form->set[i])
            return checker_wrong(checker, &place, "is set twice");
    }
    return MICA_OK;
}

static void
field_merge(struct mica_field *field, const struct mica_field_setting *setting)
{
    if (setting->description != NULL)
        field->description = setting->description;
    if (setting->fallback != NULL)
        field->fallback = setting->fallback;
    if (setting->has_minimum)
        field->minimum = setting->minimum;
    if (setting->has_maximum)
        field->maximum = setting->maximum;
    if (setting->min_length > 0)
        field->min_length = setting->min_length;
    if (setting->max_length > 0)
        field->max_length = setting->max_length;
    if (setting->min_items > 0)
        field->min_items = setting->min_items;
    if (setting->max_items > 0)
        field->max_items = setting->max_items;
}

// The field of a record that may have been compiled with fewer members.
static void
field_copy(struct mica_field *field, const struct mica_record *record,
           size_t index)
{
    const struct mica_field *from = mica_record_field(record, index);
    size_t size = record->field_size;

    if (size == 0)
        size = offsetof(struct mica_field, title);
    memset(field, 0, sizeof *field);
    memcpy(field, from, size < sizeof *field ? size : sizeof *field);
}

static enum mica_status
merge_all(const struct mica_checker *checker, const struct mica_form *form,
          struct mica_record *record_out)
{
    const struct mica_record *record = form->record;
    struct mica_field *fields =
        mica_arena_alloc(checker->arena, record->count * sizeof *fields);
    if (fields == NULL)
        return mica_value_no_memory(checker, NULL);
    for (size_t i = 0; i < record->count; i++)
        field_copy(&fields[i], record, i);
    for (size_t i = 0; i < form->set_count; i++)
        field_merge(&fields[find_field(record, form->set[i].field)],
                    &form->set[i]);
    *record_out = (struct mica_record){record->tag, record->size, fields,
                                       record->count, sizeof *fields};
    return MICA_OK;
}

// ---- Options ---------------------------------------------------------------

static enum mica_status
check_option(struct mica_checker *checker, const struct mica_place *place,
             const struct mica_field *field,
             const struct mica_field_setting *setting, size_t index)
{
    struct mica_text value = setting->options[index].value;
    struct mica_slot slot = mica_slot_of(field);
    char shown[MICA_SHOWN_SIZE];
    if (value.len == 0)
        return mica_value_fail(checker, place, MICA_E_USAGE,
                               "has an option without a value, number %zu",
                               index);
    if (mica_utf8_valid(value) != value.len)
        return mica_value_fail(checker, place, MICA_E_USAGE,
                               "has an option that is not UTF-8, number %zu",
                               index);
    for (size_t i = 0; i < index; i++)
        if (mica_text_equal(setting->options[i].value, value))
            return mica_value_fail(checker, place, MICA_E_USAGE,
                                   "has the option %s twice",
                                   mica_value_shown(value, shown));
    if (field->type->kind == MICA_KIND_TEXT &&
        mica_value_text(checker, place, mica_slot_bounds(&slot), value) !=
            MICA_OK)
        return mica_value_fail(checker, place, MICA_E_USAGE,
                               "has the option %s, which its own bounds or "
                               ".format refuse",
                               mica_value_shown(value, shown));
    return MICA_OK;
}

static enum mica_status
check_options(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_field *field,
              const struct mica_field_setting *setting)
{
    if (!mica_form_takes_options(field->type))
        return checker_wrong(
            checker, place,
            "has .options, which are for a text and a list of texts; "
            "the choices of an enum are those of MICA_CHOICES");
    if (setting->options == NULL)
        return checker_wrong(checker, place,
                             "has .option_count, but no .options");
    if (setting->option_count == 0)
        return checker_wrong(
            checker, place,
            "has .options, but .option_count is 0: when there is "
            "nothing to choose from, do not ask");
    if (setting->option_count > MICA_FORM_OPTIONS)
        return mica_value_fail(checker, place, MICA_E_USAGE,
                               "has more than %d options; narrow them down "
                               "first",
                               MICA_FORM_OPTIONS);
    for (size_t i = 0; i < setting->option_count; i++)
        MICA_TRY(check_option(checker, place, field, setting, i));
    return MICA_OK;
}

// The number of choices of a list.
static size_t
choices_of(const struct mica_field *field,
           const struct mica_field_setting *setting)
{
    return field->type->element->kind == MICA_KIND_CHOICE
               ? field->type->element->choice_count
               : setting->option_count;
}

static enum mica_status
check_choosing(const struct mica_checker *checker,
               const struct mica_place *place, const struct mica_field *field,
               const struct mica_field_setting *setting)
{
    if (field->type->kind != MICA_KIND_LIST)
        return MICA_OK;
    if (field->type->element->kind == MICA_KIND_TEXT && setting == NULL)
        return checker_wrong(
            checker, place,
            "is a list of texts without .options; a form has lists "
            "only to choose from: set some with MICA_SET");
    if (field->min_items > choices_of(field, setting))
        return mica_value_fail(checker, place, MICA_E_USAGE,
                               "wants %zu choices of %zu", field->min_items,
                               choices_of(field, setting));
    return MICA_OK;
}

// Checks that the default is one of the options. (It was checked before that it decodes.)
static enum mica_status
check_fallback(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_form *form, const struct mica_record *record,
               const struct mica_field *field)
{
    struct mica_record one = {record->tag, record->size, field, 1,
                              record->field_size};
    struct mica_json none = {.kind = MICA_JSON_OBJECT};
    struct mica_error error = {.status = MICA_OK};
    struct mica_checker quiet = {checker->arena, &error, NULL};
    if (field->fallback == NULL)
        return MICA_OK;
    void *out = mica_arena_zero(checker->arena, 1, record->size);
    if (out == NULL)
        return mica_value_no_memory(checker, place);
    MICA_TRY(
        mica_record_decode(&one, &none, checker->arena, checker->error, out));
    if (mica_form_check_choices(&quiet, form, field, out) == MICA_OK)
        return MICA_OK;
    return mica_value_fail(checker, place, MICA_E_USAGE,
                           "has a .fallback that it refuses itself: %s",
                           error.message);
}

static enum mica_status
check_merged(struct mica_checker *checker, const struct mica_form *form,
             const struct mica_record *record)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct mica_field *field = mica_record_field(record, i);
        struct mica_place place = {.name = mica_text(field->name)};
        const struct mica_field_setting *setting =
            mica_form_setting(form, field);
        if (setting != NULL &&
            (setting->options != NULL || setting->option_count > 0))
            MICA_TRY(check_options(checker, &place, field, setting));
        MICA_TRY(check_choosing(checker, &place, field,
                                mica_form_options(form, field)));
        MICA_TRY(mica_form_check_kind(checker, &place, field));
        MICA_TRY(check_fallback(checker, &place, form, record, field));
    }
    return MICA_OK;
}

enum mica_status
mica_form_prepare(const struct mica_form *form, struct mica_arena *arena,
                  struct mica_error *error, struct mica_record *record_out)
{
    struct mica_checker checker = {arena, error, NULL};
    if (form->record == NULL || form->out == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "a form without its record or its struct; make "
                              "forms with MICA_FORM");
    MICA_TRY(mica_form_check_record(form->record, arena, error));
    enum mica_status status = check_names(&checker, form);
    if (status == MICA_OK)
        status = merge_all(&checker, form, record_out);
    if (status == MICA_OK)
        status = mica_record_check(record_out, arena, error);
    if (status == MICA_OK)
        status = check_merged(&checker, form, record_out);
    if (status != MICA_OK)
        mica_error_prefix(error, "form %s", form->record->tag);
    return status;
}
