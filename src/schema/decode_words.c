// SPDX-License-Identifier: Apache-2.0
//
// What the decoder says: what the value must be, what it is, and how to get
// from one to the other. Lists of names come last, so that a cut message loses
// the least.
#include "schema/decode_words.h"

#include <string.h>

#include "schema/codec.h"

enum {
    WORDS_SIZE = 400,
    NEAR = 3 // edits at most, for "did you mean"
};

// Text that is put together on the stack; what does not fit is dropped.
struct words {
    char room[WORDS_SIZE];
    struct mica_buffer buffer;
};

static void
words_init(struct words *words)
{
    words->buffer = (struct mica_buffer){
        .ptr = words->room, .capacity = WORDS_SIZE, .max = WORDS_SIZE - 1};
}

static const char *
words_end(struct words *words)
{
    words->room[words->buffer.len] = '\0';
    return words->room;
}

// ---- Types -----------------------------------------------------------------

static void
say_value(struct words *words, const struct mica_json *value)
{
    char shown[MICA_SHOWN_SIZE];
    switch (value->kind) {
    case MICA_JSON_STRING:
        mica_buffer_format(&words->buffer, "the string %s",
                           mica_value_shown(value->text, shown));
        return;
    case MICA_JSON_NUMBER:
        mica_buffer_format(&words->buffer, "the number %.*s",
                           MICA_ARG(mica_text_slice(value->text, 0, 40)));
        return;
    case MICA_JSON_ARRAY:
        mica_buffer_format(&words->buffer, "an array");
        return;
    case MICA_JSON_OBJECT:
        mica_buffer_format(&words->buffer, "an object");
        return;
    case MICA_JSON_NULL:
        mica_buffer_format(&words->buffer, "null");
        return;
    case MICA_JSON_FALSE:
    case MICA_JSON_TRUE:
        mica_buffer_format(&words->buffer, "%s",
                           value->kind == MICA_JSON_TRUE ? "true" : "false");
    }
}

// The advice that fits: quotes too many, quotes missing, null for absent.
static void
say_advice(struct words *words, const struct mica_slot *slot,
           const struct mica_json *value)
{
    enum mica_kind kind = slot->type->kind;
    bool takes_number = kind == MICA_KIND_NUMBER || kind == MICA_KIND_INTEGER ||
                        kind == MICA_KIND_DECIMAL;
    double number;
    if (value->kind == MICA_JSON_NULL && !slot->inner &&
        (slot->field->optional || slot->field->fallback != NULL))
        mica_buffer_format(&words->buffer, "; leave it out instead");
    else if (value->kind == MICA_JSON_STRING && value->text.len <= 40 &&
             ((takes_number && mica_number_read(value->text, &number)) ||
              (kind == MICA_KIND_BOOLEAN &&
               (mica_text_is(value->text, "true") ||
                mica_text_is(value->text, "false")))))
        mica_buffer_format(&words->buffer, "; write %.*s without quotes",
                           MICA_ARG(value->text));
    else if (value->kind == MICA_JSON_NUMBER && kind == MICA_KIND_TEXT &&
             value->text.len <= 40)
        mica_buffer_format(&words->buffer, "; write \"%.*s\" with quotes",
                           MICA_ARG(value->text));
    else if (kind == MICA_KIND_LIST && value->kind != MICA_JSON_NULL)
        mica_buffer_format(&words->buffer, "; put it in [ ]");
}

enum mica_status
mica_decode_wrong_type(const struct mica_checker *checker,
                       const struct mica_place *place,
                       const struct mica_slot *slot,
                       const struct mica_json *value)
{
    struct words words;
    words_init(&words);
    say_value(&words, value);
    say_advice(&words, slot, value);
    return mica_value_fail(checker, place, MICA_E_TYPE, "must be %s, but is %s",
                           slot->type->codec->wanted, words_end(&words));
}

enum mica_status
mica_decode_too_large(const struct mica_checker *checker,
                      const struct mica_place *place,
                      const struct mica_json *value)
{
    return mica_value_fail(checker, place, MICA_E_RANGE,
                           "is larger than a number of its kind can be: %.*s",
                           MICA_ARG(mica_text_slice(value->text, 0, 60)));
}

// ---- Names -----------------------------------------------------------------

// The names that could be meant. A source gives the i-th, or NULL for a hole.
struct names {
    const void *source;
    const char *(*name)(const void *source, size_t index);
    size_t count;
};

static const char *
field_name(const void *source, size_t index)
{
    const struct mica_record *record = source;
    return mica_record_field(record, index)->name;
}

static const char *
choice_name(const void *source, size_t index)
{
    const struct mica_type *type = source;
    return type->choices[index];
}

static struct names
names_of_fields(const struct mica_record *record)
{
    return (struct names){record, field_name, record->count};
}

// The nearest name to `text`, or NULL when none is near. A short word allows
// fewer edits, or every name of two letters would be near.
static const char *
names_nearest(const struct names *names, struct mica_text text)
{
    const char *best = NULL;
    size_t limit = text.len / 2 < NEAR ? text.len / 2 : NEAR;
    for (size_t i = 0; i < names->count; i++) {
        const char *namez = names->name(names->source, i);
        if (namez == NULL)
            continue;
        size_t distance = mica_text_distance(text, mica_text(namez), limit);
        if (distance > limit || (best != NULL && distance == limit))
            continue;
        best = namez;
        limit = distance;
    }
    return best;
}

static void
say_names(struct words *words, const struct names *names)
{
    const char *joinz = "";
    for (size_t i = 0; i < names->count; i++) {
        const char *namez = names->name(names->source, i);
        if (namez == NULL)
            continue;
        mica_buffer_format(&words->buffer, "%s\"%s\"", joinz, namez);
        joinz = ", ";
    }
}

enum mica_status
mica_decode_no_choice(const struct mica_checker *checker,
                      const struct mica_place *place,
                      const struct mica_type *type, struct mica_text value)
{
    struct names names = {type, choice_name, type->choice_count};
    const char *near = names_nearest(&names, value);
    char shown[MICA_SHOWN_SIZE];
    struct words words;
    words_init(&words);
    if (near != NULL)
        mica_buffer_format(&words.buffer, "did you mean \"%s\"? ", near);
    mica_buffer_format(&words.buffer, "the choices are ");
    say_names(&words, &names);
    return mica_value_fail(checker, place, MICA_E_CHOICE,
                           "is not one of its choices: %s; %s",
                           mica_value_shown(value, shown), words_end(&words));
}

enum mica_status
mica_decode_missing(const struct mica_checker *checker,
                    const struct mica_place *place,
                    const struct mica_field *field)
{
    struct mica_place here = {.up = place, .name = mica_text(field->name)};
    return mica_value_fail(
        checker, &here, MICA_E_REQUIRED, "is required; pass %s: %s",
        field->type->codec->wanted,
        field->description != NULL ? field->description : "");
}

enum mica_status
mica_decode_unknown(const struct mica_checker *checker,
                    const struct mica_place *place,
                    const struct mica_record *record, struct mica_text name)
{
    struct mica_place here = {.up = place, .name = name};
    struct names names = names_of_fields(record);
    const char *near = names_nearest(&names, name);
    if (name.ptr == NULL)
        here.name.ptr = "";
    if (near != NULL)
        return mica_value_fail(checker, &here, MICA_E_UNKNOWN,
                               "is no field of this object; did you mean "
                               "\"%s\"?",
                               near);
    if (record->count == 0)
        return mica_value_fail(checker, &here, MICA_E_UNKNOWN,
                               "is no field of this object, which takes none");
    struct words words;
    words_init(&words);
    say_names(&words, &names);
    return mica_value_fail(checker, &here, MICA_E_UNKNOWN,
                           "is no field of this object; its fields are %s",
                           words_end(&words));
}

enum mica_status
mica_decode_no_object(const struct mica_checker *checker,
                      const struct mica_record *record,
                      const struct mica_json *value)
{
    struct names names = names_of_fields(record);
    struct words what, fields;
    words_init(&what);
    words_init(&fields);
    say_value(&what, value);
    say_names(&fields, &names);
    return mica_error_set(checker->error, MICA_E_TYPE, "",
                          "the input must be an object, but is %s; its fields "
                          "are %s",
                          words_end(&what), words_end(&fields));
}
