// SPDX-License-Identifier: Apache-2.0
//
// The values without parts: texts, numbers, truths, choices, and JSON as it is.
#include <math.h>

#include "base/assert.h"
#include "schema/codec.h"
#include "schema/decode_words.h"

// ---- Texts -----------------------------------------------------------------

static enum mica_status
decode_text(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const struct mica_json *value,
            void *out)
{
    struct mica_text *text = out;
    if (value->kind != MICA_JSON_STRING)
        return mica_decode_wrong_type(checker, place, slot, value);
    *text = value->text;
    return mica_value_text(checker, place, mica_slot_bounds(slot), *text);
}

static enum mica_status
encode_text(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const void *in,
            struct mica_json_writer *writer)
{
    const struct mica_text *text = in;
    MICA_TRY(mica_value_utf8(checker, place, *text));
    MICA_TRY(mica_value_text(checker, place, mica_slot_bounds(slot), *text));
    mica_json_string(writer, *text);
    return MICA_OK;
}

const struct mica_codec mica_codec_text = {"a string", decode_text,
                                           encode_text};

// ---- Numbers ---------------------------------------------------------------

static enum mica_status
decode_number(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_slot *slot, const struct mica_json *value,
              void *out)
{
    double *number = out;
    if (value->kind != MICA_JSON_NUMBER ||
        !mica_number_read(value->text, number))
        return mica_decode_wrong_type(checker, place, slot, value);
    if (isinf(*number))
        return mica_decode_too_large(checker, place, value);
    return mica_value_number(checker, place, mica_slot_bounds(slot), *number);
}

static enum mica_status
encode_number(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_slot *slot, const void *in,
              struct mica_json_writer *writer)
{
    const double *number = in;
    MICA_TRY(
        mica_value_number(checker, place, mica_slot_bounds(slot), *number));
    mica_json_number(writer, *number);
    return MICA_OK;
}

const struct mica_codec mica_codec_number = {"a number", decode_number,
                                             encode_number};

static enum mica_status
decode_integer(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_slot *slot, const struct mica_json *value,
               void *out)
{
    const struct mica_bounds *bounds = mica_slot_bounds(slot);
    int64_t *integer = out;
    double nearest;
    if (value->kind != MICA_JSON_NUMBER)
        return mica_decode_wrong_type(checker, place, slot, value);
    if (mica_integer_read(value->text, integer))
        return mica_value_integer(checker, place, bounds, *integer);
    if (mica_number_read(value->text, &nearest) &&
        fabs(nearest) >= (bounds->wide ? 0x1p63 : 0x1p53))
        return mica_decode_too_large(checker, place, value);
    return mica_decode_wrong_type(checker, place, slot, value);
}

static enum mica_status
encode_integer(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_slot *slot, const void *in,
               struct mica_json_writer *writer)
{
    const int64_t *integer = in;
    MICA_TRY(
        mica_value_integer(checker, place, mica_slot_bounds(slot), *integer));
    mica_json_integer(writer, *integer);
    return MICA_OK;
}

const struct mica_codec mica_codec_integer = {"a whole number", decode_integer,
                                              encode_integer};

// ---- Truths ----------------------------------------------------------------

static enum mica_status
decode_boolean(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_slot *slot, const struct mica_json *value,
               void *out)
{
    if (value->kind != MICA_JSON_TRUE && value->kind != MICA_JSON_FALSE)
        return mica_decode_wrong_type(checker, place, slot, value);
    *(bool *)out = value->kind == MICA_JSON_TRUE;
    return MICA_OK;
}

static enum mica_status
encode_boolean(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_slot *slot, const void *in,
               struct mica_json_writer *writer)
{
    (void)checker;
    (void)place;
    (void)slot;
    mica_json_boolean(writer, *(const bool *)in);
    return MICA_OK;
}

const struct mica_codec mica_codec_boolean = {"true or false", decode_boolean,
                                              encode_boolean};

// ---- Choices ---------------------------------------------------------------

static enum mica_status
decode_choice(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_slot *slot, const struct mica_json *value,
              void *out)
{
    const struct mica_type *type = slot->type;
    MICA_ASSERT(type->size == sizeof(int));
    if (value->kind != MICA_JSON_STRING)
        return mica_decode_wrong_type(checker, place, slot, value);
    for (size_t i = 0; i < type->choice_count; i++) {
        if (type->choices[i] != NULL &&
            mica_text_is(value->text, type->choices[i])) {
            *(int *)out = (int)i;
            return MICA_OK;
        }
    }
    return mica_decode_no_choice(checker, place, type, value->text);
}

static enum mica_status
encode_choice(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_slot *slot, const void *in,
              struct mica_json_writer *writer)
{
    const struct mica_type *type = slot->type;
    int choice = *(const int *)in;
    MICA_ASSERT(type->size == sizeof(int));
    if (choice < 0 || (size_t)choice >= type->choice_count ||
        type->choices[choice] == NULL)
        return mica_value_fail(checker, place, MICA_E_CHOICE,
                               "is enum %s %d, which has no name in "
                               "MICA_CHOICES",
                               type->tag, choice);
    mica_json_stringz(writer, type->choices[choice]);
    return MICA_OK;
}

const struct mica_codec mica_codec_choice = {"a string, one of the choices",
                                             decode_choice, encode_choice};

// ---- JSON as it is ---------------------------------------------------------

static enum mica_status
decode_any(struct mica_checker *checker, const struct mica_place *place,
           const struct mica_slot *slot, const struct mica_json *value,
           void *out)
{
    (void)checker;
    (void)place;
    (void)slot;
    *(const struct mica_json **)out = value;
    return MICA_OK;
}

static enum mica_status
encode_any(struct mica_checker *checker, const struct mica_place *place,
           const struct mica_slot *slot, const void *in,
           struct mica_json_writer *writer)
{
    const struct mica_json *value = *(const struct mica_json *const *)in;
    (void)checker;
    (void)place;
    (void)slot;
    if (value == NULL)
        mica_json_null(writer);
    else
        mica_json_value(writer, value);
    return MICA_OK;
}

const struct mica_codec mica_codec_any = {"a value", decode_any, encode_any};
