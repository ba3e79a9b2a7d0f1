// SPDX-License-Identifier: Apache-2.0
//
// Decodes an answer to a form into the handler's struct, or says what is wrong with it, in
// a message for the person who answers again. Also the hash of the question, by which a
// replay checks that it asks the same question.
#include <string.h>

#include "call/form_parts.h"
#include "schema/decode_words.h"
#include "schema/record.h"

// ---- Choices ---------------------------------------------------------------

static bool
is_option(const struct mica_field_setting *setting, struct mica_text value)
{
    for (size_t i = 0; i < setting->option_count; i++)
        if (mica_text_equal(setting->options[i].value, value))
            return true;
    return false;
}

// Sets the error that the decoder sets for an enum, with the options as its choices.
static enum mica_status
refuse_option(const struct mica_checker *checker,
              const struct mica_place *place,
              const struct mica_field_setting *setting, struct mica_text value)
{
    const char **choices = mica_arena_alloc(
        checker->arena, setting->option_count * sizeof *choices);
    if (choices == NULL)
        return mica_value_no_memory(checker, place);
    for (size_t i = 0; i < setting->option_count; i++) {
        choices[i] =
            mica_arena_text(checker->arena, setting->options[i].value).ptr;
        if (choices[i] == NULL)
            return mica_value_no_memory(checker, place);
    }
    const struct mica_type type = {.kind = MICA_KIND_CHOICE,
                                   .codec = &mica_codec_choice,
                                   .choices = choices,
                                   .choice_count = setting->option_count};
    return mica_decode_no_choice(checker, place, &type, value);
}

static enum mica_status
check_option(const struct mica_checker *checker, const struct mica_place *place,
             const struct mica_field_setting *setting, struct mica_text value)
{
    return setting == NULL || is_option(setting, value)
               ? MICA_OK
               : refuse_option(checker, place, setting, value);
}

// The name of the item, of either kind.
static struct mica_text
item_name(const struct mica_type *element, const struct mica_list_value *list,
          size_t index)
{
    if (element->kind == MICA_KIND_TEXT)
        return ((const struct mica_text *)list->items)[index];
    return mica_text(element->choices[((const int *)list->items)[index]]);
}

static enum mica_status
check_list(const struct mica_checker *checker, const struct mica_place *place,
           const struct mica_type *element,
           const struct mica_field_setting *setting,
           const struct mica_list_value *list)
{
    size_t most =
        setting != NULL ? setting->option_count : element->choice_count;
    char shown[MICA_SHOWN_SIZE];
    if (list->count > most)
        return mica_value_fail(checker, place, MICA_E_CHOICE,
                               "has %zu choices of %zu; choose each once",
                               list->count, most);
    for (size_t i = 0; i < list->count; i++) {
        struct mica_place here = {.up = place, .index = i};
        struct mica_text name = item_name(element, list, i);
        MICA_TRY(check_option(checker, &here, setting, name));
        for (size_t k = 0; k < i; k++)
            if (mica_text_equal(item_name(element, list, k), name))
                return mica_value_fail(checker, place, MICA_E_CHOICE,
                                       "has %s twice; choose each once",
                                       mica_value_shown(name, shown));
    }
    return MICA_OK;
}

enum mica_status
mica_form_check_choices(const struct mica_checker *checker,
                        const struct mica_form *form,
                        const struct mica_field *field, const void *out)
{
    const struct mica_field_setting *setting = mica_form_options(form, field);
    struct mica_place place = {.name = mica_text(field->name)};
    const char *bytes = out;
    const void *value = bytes + field->offset;
    if (field->has_offset > 0 &&
        !*(const bool *)(bytes + field->has_offset - 1))
        return MICA_OK;
    if (field->type->kind == MICA_KIND_TEXT)
        return check_option(checker, &place, setting,
                            *(const struct mica_text *)value);
    if (field->type->kind == MICA_KIND_LIST)
        return check_list(checker, &place, field->type->element, setting,
                          value);
    return MICA_OK;
}

// ---- Answers ---------------------------------------------------------------

// A copy of the object with only the members that the form has.
static struct mica_json
known_members(const struct mica_record *prepared,
              const struct mica_json *content, struct mica_arena *arena)
{
    struct mica_json known = *content;
    struct mica_json_member *members =
        mica_arena_zero(arena, content->count, sizeof *members);

    known.count = 0;
    known.members = members;
    for (size_t i = 0; members != NULL && i < content->count; i++) {
        for (size_t k = 0; k < prepared->count; k++) {
            if (mica_text_is(content->members[i].name,
                             mica_record_field(prepared, k)->name))
                members[known.count++] = content->members[i];
        }
    }
    return known;
}

// A client may send members that the form does not have, as its schema allows. If the
// other members are invalid, the error of the unknown member is the better hint.
static enum mica_status
decode_members(const struct mica_form *form, const struct mica_record *prepared,
               const struct mica_json *content, struct mica_arena *arena,
               struct mica_error *error)
{
    enum mica_status status =
        mica_record_decode(prepared, content, arena, error, form->out);
    struct mica_error second;
    struct mica_json known;

    if (status != MICA_E_UNKNOWN)
        return status;
    known = known_members(prepared, content, arena);
    memset(form->out, 0, prepared->size);
    return mica_record_decode(prepared, &known, arena, &second, form->out) ==
                   MICA_OK
               ? MICA_OK
               : status;
}

static enum mica_status
form_decode(const struct mica_form *form, const struct mica_record *prepared,
            const struct mica_json *content, struct mica_arena *arena,
            struct mica_error *error)
{
    struct mica_checker checker = {arena, error, NULL};
    struct mica_json none = {.kind = MICA_JSON_OBJECT};
    MICA_TRY(decode_members(form, prepared, content != NULL ? content : &none,
                            arena, error));
    for (size_t i = 0; i < prepared->count; i++)
        MICA_TRY(mica_form_check_choices(
            &checker, form, mica_record_field(prepared, i), form->out));
    return MICA_OK;
}

enum mica_status
mica_form_decode(const struct mica_form *form,
                 const struct mica_record *prepared,
                 const struct mica_json *content, struct mica_arena *arena,
                 struct mica_error *error)
{
    memset(form->out, 0, prepared->size);
    enum mica_status status =
        form_decode(form, prepared, content, arena, error);
    if (status != MICA_OK)
        memset(form->out, 0, prepared->size);
    return status;
}

// ---- Hash ------------------------------------------------------------------

static uint64_t
hash_number(uint64_t hash, double value)
{
    char text[MICA_NUMBER_SIZE];
    size_t len = mica_number_write(value, text);
    return mica_form_hash_text(hash, (struct mica_text){text, len});
}

static uint64_t
hash_choices(uint64_t hash, const struct mica_type *type,
             const struct mica_field_setting *setting)
{
    while (type->element != NULL)
        type = type->element;
    hash = mica_form_hash_count(hash, type->kind);
    hash = mica_form_hash_count(hash, type->choice_count);
    for (size_t i = 0; i < type->choice_count; i++)
        hash = mica_form_hash_text(hash, mica_text(type->choices[i]));
    hash =
        mica_form_hash_count(hash, setting != NULL ? setting->option_count : 0);
    for (size_t i = 0; setting != NULL && i < setting->option_count; i++)
        hash = mica_form_hash_text(hash, setting->options[i].value);
    return hash;
}

static uint64_t
hash_field(uint64_t hash, const struct mica_field *field,
           const struct mica_field_setting *setting)
{
    const size_t sizes[] = {field->min_length, field->max_length,
                            field->min_items, field->max_items};
    hash = mica_form_hash_text(hash, mica_text(field->name));
    hash = mica_form_hash_count(hash, field->type->kind);
    hash = hash_choices(hash, field->type, setting);
    hash = hash_number(hash, field->minimum);
    hash = hash_number(hash, field->maximum);
    for (size_t i = 0; i < MICA_COUNT(sizes); i++)
        hash = mica_form_hash_count(hash, sizes[i]);
    return mica_form_hash_text(
        hash, mica_text(field->format != NULL ? field->format->name : NULL));
}

uint64_t
mica_form_hash(const struct mica_form *form, const struct mica_record *prepared)
{
    uint64_t hash = mica_form_hash_count(MICA_HASH_START, prepared->count);
    for (size_t i = 0; i < prepared->count; i++)
        hash =
            hash_field(hash, mica_record_field(prepared, i),
                       mica_form_options(form, mica_record_field(prepared, i)));
    return hash;
}
