// SPDX-License-Identifier: Apache-2.0
//
// Records, and the whole input and output, which are records themselves.
#include "base/assert.h"
#include "schema/codec.h"
#include "schema/decode_words.h"
#include "schema/record.h"

// ---- Decoding --------------------------------------------------------------

// One pass, as this is asked for each member of each call.
static bool
is_name(const char *namez, struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (namez[i] != text.ptr[i] || namez[i] == '\0')
            return false;
    return namez[text.len] == '\0';
}

// Index of the field of that name, or record->count. Callers mostly keep the
// order of the schema, so the search begins at `guess`.
static size_t
find_field(const struct mica_record *record, struct mica_text name,
           size_t guess)
{
    for (size_t i = guess; i < record->count; i++)
        if (is_name(mica_record_field(record, i)->name, name))
            return i;
    for (size_t i = 0; i < guess; i++)
        if (is_name(mica_record_field(record, i)->name, name))
            return i;
    return record->count;
}

static enum mica_status
decode_field(struct mica_checker *checker, const struct mica_place *up,
             const struct mica_field *field,
             const struct mica_json_member *member, char *out)
{
    struct mica_place place = {.up = up, .name = member->name};
    struct mica_slot slot = mica_slot_of(field);
    if (field->has_offset > 0)
        out[field->has_offset - 1] = true;
    return mica_decode_value(checker, &place, &slot, &member->value,
                             out + field->offset);
}

// Most defaults are a small whole number, for which no reader has to be set up.
static enum mica_status
read_fallback(const struct mica_checker *checker, struct mica_text text,
              struct mica_json *value_out)
{
    size_t digits = 0;
    while (digits < text.len && text.ptr[digits] >= '0' &&
           text.ptr[digits] <= '9')
        digits++;
    if (digits == 0 || digits < text.len || (digits > 1 && text.ptr[0] == '0'))
        return mica_json_read(checker->arena, text, NULL, checker->error,
                              value_out);
    *value_out =
        (struct mica_json){.kind = MICA_JSON_NUMBER, .raw = text, .text = text};
    return MICA_OK;
}

// A fallback is the author's text, decoded as if the caller had sent it.
static enum mica_status
decode_absent(struct mica_checker *checker, const struct mica_place *up,
              const struct mica_field *field, char *out)
{
    if (field->fallback != NULL) {
        struct mica_place place = {.up = up, .name = mica_text(field->name)};
        struct mica_slot slot = mica_slot_of(field);
        // In the arena, as a field of kind any keeps it.
        struct mica_json *value =
            mica_arena_alloc(checker->arena, sizeof *value);
        if (value == NULL)
            return mica_value_no_memory(checker, &place);
        MICA_TRY(read_fallback(checker, mica_text(field->fallback), value));
        return mica_decode_value(checker, &place, &slot, value,
                                 out + field->offset);
    }
    return field->optional ? MICA_OK : mica_decode_missing(checker, up, field);
}

static enum mica_status
decode_record(struct mica_checker *checker, const struct mica_place *place,
              const struct mica_record *record, const struct mica_json *value,
              char *out)
{
    uint64_t seen = 0;
    size_t guess = 0;
    MICA_ASSERT(record->count <= 64);
    for (size_t i = 0; i < value->count; i++) {
        const struct mica_json_member *member = &value->members[i];
        size_t index = find_field(record, member->name, guess);
        if (index == record->count)
            return mica_decode_unknown(checker, place, record, member->name);
        seen |= UINT64_C(1) << index;
        guess = index + 1;
        MICA_TRY(decode_field(checker, place, mica_record_field(record, index),
                              member, out));
    }
    for (size_t i = 0; i < record->count; i++)
        if ((seen >> i & 1) == 0)
            MICA_TRY(decode_absent(checker, place, mica_record_field(record, i),
                                   out));
    return MICA_OK;
}

static enum mica_status
decode_value(struct mica_checker *checker, const struct mica_place *place,
             const struct mica_slot *slot, const struct mica_json *value,
             void *out)
{
    if (value->kind != MICA_JSON_OBJECT)
        return mica_decode_wrong_type(checker, place, slot, value);
    return decode_record(checker, place, slot->type->record, value, out);
}

enum mica_status
mica_record_decode(const struct mica_record *record,
                   const struct mica_json *value, struct mica_arena *arena,
                   struct mica_error *error, void *out)
{
    struct mica_checker checker = {arena, error, NULL};
    if (value->kind != MICA_JSON_OBJECT)
        return mica_decode_no_object(&checker, record, value);
    return decode_record(&checker, NULL, record, value, out);
}

// ---- Encoding --------------------------------------------------------------

static enum mica_status
encode_record(struct mica_checker *checker, const struct mica_place *up,
              const struct mica_record *record, const char *in,
              struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    for (size_t i = 0; i < record->count; i++) {
        const struct mica_field *field = mica_record_field(record, i);
        struct mica_place place = {.up = up, .name = mica_text(field->name)};
        struct mica_slot slot = mica_slot_of(field);
        if (field->has_offset > 0 &&
            !*(const bool *)(in + field->has_offset - 1))
            continue;
        mica_json_name_text(writer, place.name);
        MICA_TRY(mica_encode_value(checker, &place, &slot, in + field->offset,
                                   writer));
    }
    mica_json_close_object(writer);
    return MICA_OK;
}

static enum mica_status
encode_value(struct mica_checker *checker, const struct mica_place *place,
             const struct mica_slot *slot, const void *in,
             struct mica_json_writer *writer)
{
    return encode_record(checker, place, slot->type->record, in, writer);
}

enum mica_status
mica_record_encode(const struct mica_record *record, const void *in,
                   struct mica_arena *arena, struct mica_error *error,
                   struct mica_json_writer *writer)
{
    struct mica_checker checker = {arena, error, NULL};
    return encode_record(&checker, NULL, record, in, writer);
}

const struct mica_codec mica_codec_record = {"an object", decode_value,
                                             encode_value};
