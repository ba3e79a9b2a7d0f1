// SPDX-License-Identifier: Apache-2.0
//
// Checks that a record can be a form, whatever an ask sets for it. The author reads the
// refusals: each names the field, the rule and the way out.
#include "call/form.h"

#include <string.h>

#include "call/form_parts.h"
#include "schema/record.h"

enum {
    CHECK_MEMORY = 64 << 20 // more than all forms of a source need
};

static enum mica_status
form_wrong(const struct mica_checker *checker, const struct mica_place *place,
           const char *wordsz)
{
    return mica_value_fail(checker, place, MICA_E_USAGE, "%s", wordsz);
}

// ---- Rules for records -----------------------------------------------------

static enum mica_status
check_text(const struct mica_checker *checker, const struct mica_place *place,
           const struct mica_bounds *bounds)
{
    if (bounds->pattern != NULL)
        return form_wrong(
            checker, place,
            "has a .pattern, which a form cannot show; say in the "
            "description what is wanted, check the answer in the "
            "handler and ask again");
    if (bounds->format != NULL && bounds->format != MICA_EMAIL &&
        bounds->format != MICA_URI)
        return mica_value_fail(checker, place, MICA_E_USAGE,
                               "has the .format %s; a form has MICA_EMAIL and "
                               "MICA_URI, and fields of kind date",
                               bounds->format->name);
    return MICA_OK;
}

static enum mica_status
check_number(const struct mica_checker *checker, const struct mica_place *place,
             const struct mica_bounds *bounds)
{
    if (bounds->wide)
        return form_wrong(
            checker, place,
            "is .wide; clients read numbers of a form as doubles: "
            "stay within 2^53, or ask for a text");
    if (bounds->exclusive_minimum != -MICA_INFINITY ||
        bounds->exclusive_maximum != MICA_INFINITY)
        return form_wrong(
            checker, place,
            "has an exclusive bound, which a form cannot show; use "
            ".minimum and .maximum");
    return MICA_OK;
}

static enum mica_status
check_list(const struct mica_checker *checker, const struct mica_place *place,
           const struct mica_field *field)
{
    const struct mica_bounds *each = &field->each;
    if (field->type->element->kind == MICA_KIND_CHOICE)
        return MICA_OK;
    if (field->type->element->kind != MICA_KIND_TEXT)
        return form_wrong(checker, place,
                          "is a list without choices; a form has lists "
                          "of choices, and of texts with .options");
    if (each->min_length > 0 || each->max_length > 0 || each->pattern != NULL ||
        each->format != NULL)
        return form_wrong(
            checker, place,
            "sets .each; what a list of texts in a form may hold is "
            "said by its .options alone");
    return MICA_OK;
}

enum mica_status
mica_form_check_kind(const struct mica_checker *checker,
                     const struct mica_place *place,
                     const struct mica_field *field)
{
    switch (field->type->kind) {
    case MICA_KIND_TEXT:
        return check_text(checker, place, &field->bounds);
    case MICA_KIND_NUMBER:
    case MICA_KIND_DECIMAL:
    case MICA_KIND_INTEGER:
        return check_number(checker, place, &field->bounds);
    case MICA_KIND_LIST:
        return check_list(checker, place, field);
    case MICA_KIND_BOOLEAN:
    case MICA_KIND_CHOICE:
    case MICA_KIND_DATE:
    case MICA_KIND_DATE_TIME:
        return MICA_OK;
    case MICA_KIND_RECORD:
        return form_wrong(
            checker, place,
            "is a record; a form is flat: put its fields into the "
            "form itself, or ask twice");
    case MICA_KIND_NULLABLE:
        return form_wrong(
            checker, place,
            "is nullable; an answer has no null: say MICA_OPTIONAL");
    case MICA_KIND_MAP:
    case MICA_KIND_ANY:
        break;
    }
    return form_wrong(
        checker, place,
        "is of a kind that a form does not have; it has texts, "
        "numbers, integers, booleans, choices, dates, and lists of "
        "choices");
}

// The client, its model and its logs see the answer, so no form may ask for a secret.
static enum mica_status
check_secret(const struct mica_checker *checker, const struct mica_place *place,
             const struct mica_field *field)
{
    enum mica_kind kind = field->type->kind;
    bool digits = kind == MICA_KIND_INTEGER || kind == MICA_KIND_NUMBER ||
                  kind == MICA_KIND_DECIMAL;
    if (kind != MICA_KIND_TEXT && !digits)
        return MICA_OK;
    const char *secret = mica_form_secret(field->name, digits);
    if (secret == NULL)
        return MICA_OK;
    return mica_value_fail(
        checker, place, MICA_E_USAGE,
        "asks for a %s, which must never go through a form: client, model and "
        "logs see it; send the person to a page of yours with mica_elicit_url, "
        "or rename the field if it is not a secret",
        secret);
}

static enum mica_status
check_description(const struct mica_checker *checker,
                  const struct mica_place *place,
                  const struct mica_field *field)
{
    if (strstr(field->description, "http://") == NULL &&
        strstr(field->description, "https://") == NULL)
        return MICA_OK;
    return form_wrong(checker, place,
                      "has a URL in its description; a form must not have what "
                      "a person could click on: send the person there with "
                      "mica_elicit_url");
}

static enum mica_status
check_fields(const struct mica_checker *checker,
             const struct mica_record *record)
{
    if (record->count == 0)
        return form_wrong(checker, NULL, "has no fields; ask for one at least");
    for (size_t i = 0; i < record->count; i++) {
        const struct mica_field *field = mica_record_field(record, i);
        struct mica_place place = {.name = mica_text(field->name)};
        MICA_TRY(mica_form_check_kind(checker, &place, field));
        MICA_TRY(check_secret(checker, &place, field));
        MICA_TRY(check_description(checker, &place, field));
    }
    return MICA_OK;
}

enum mica_status
mica_form_check_record(const struct mica_record *record,
                       struct mica_arena *arena, struct mica_error *error)
{
    struct mica_checker checker = {arena, error, NULL};
    enum mica_status status = mica_record_check(record, arena, error);
    if (status == MICA_OK)
        status = check_fields(&checker, record);
    if (status != MICA_OK)
        mica_error_prefix(error, "form %s", record->tag);
    return status;
}

enum mica_status
mica_forms_check(const struct mica_tool_module *module,
                 struct mica_error *error)
{
    const struct mica_record *const *at = module->forms;
    enum mica_status status = MICA_OK;
    struct mica_arena arena;
    mica_arena_init(&arena, CHECK_MEMORY);
    for (; at != module->forms_end && status == MICA_OK; at++)
        status = mica_form_check_record(*at, &arena, error);
    mica_arena_fini(&arena);
    return status;
}
