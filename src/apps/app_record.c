// SPDX-License-Identifier: Apache-2.0
//
// Reads a draft by the table of fields. The table gives the order, so that the same draft
// always gives the same list of findings.
#include "apps/app_record.h"

#include <string.h>

#include "apps/app_fields.h"
#include "base/unicode.h"
#include "schema/explain.h"

#define INVALID MICA_APP_INVALID

struct draft_reader {
    struct mica_arena *arena;
    struct mica_app_findings *findings;
    struct mica_app_draft *draft;
};

// Where a value stands: the pointer of its object, and its name there.
struct place {
    const char *parentz;
    struct mica_text name;
};

static const char *
code_of(enum mica_status status)
{
    return mica_status_code(status);
}

static void *
place_of(const struct draft_reader *reader, const struct mica_app_field *field)
{
    return (char *)reader->draft + field->offset;
}

static void
find_type(struct draft_reader *reader, struct place place, const char *wantedz,
          const struct mica_json *value)
{
    mica_app_find_member(reader->findings, INVALID, code_of(MICA_E_TYPE),
                         place.parentz, place.name,
                         "%.*s must be %s, but is %s", MICA_ARG(place.name),
                         wantedz, mica_json_kind_name(value->kind));
}

// ---- Texts -----------------------------------------------------------------------

static bool
is_word(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c <= ' ' || c >= 0x7f || c == '"' || c == '\\')
            return false;
    }
    return true;
}

static bool
is_one_line(struct mica_text text)
{
    return text.len == 0 || (memchr(text.ptr, '\n', text.len) == NULL &&
                             memchr(text.ptr, '\t', text.len) == NULL);
}

static void
find_hidden(struct draft_reader *reader, struct place place,
            struct mica_text text)
{
    size_t index = 0;
    uint32_t found = mica_hidden_find(text, &index);

    if (found != 0)
        mica_app_find_member(
            reader->findings, INVALID, "HIDDEN_CHARACTER", place.parentz,
            place.name,
            "character %zu of %.*s is a %s (U+%04X), which people do not see; "
            "remove it",
            index + 1, MICA_ARG(place.name), mica_hidden_name(found),
            found == UINT32_MAX ? 0 : (unsigned)found);
}

static void
check_text(struct draft_reader *reader, struct place place,
           const struct mica_app_field *field, struct mica_text text)
{
    size_t length = mica_text_length(text);

    if (length > (size_t)field->most)
        mica_app_find_member(
            reader->findings, INVALID, code_of(MICA_E_RANGE), place.parentz,
            place.name, "%.*s has %zu characters; it may have %lld",
            MICA_ARG(place.name), length, (long long)field->most);
    if (field->kind == MICA_APP_FIELD_WORD && !is_word(text)) {
        mica_app_find_member(
            reader->findings, INVALID, code_of(MICA_E_FORMAT), place.parentz,
            place.name,
            "%.*s has a space, a quote, a backslash or a character outside "
            "ASCII",
            MICA_ARG(place.name));
        return;
    }
    if (field->kind != MICA_APP_FIELD_LINES && !is_one_line(text))
        mica_app_find_member(reader->findings, INVALID, code_of(MICA_E_FORMAT),
                             place.parentz, place.name,
                             "%.*s has a tab or the end of a line; it must be "
                             "one line",
                             MICA_ARG(place.name));
    find_hidden(reader, place, text);
}

static void
read_text(struct draft_reader *reader, struct place place,
          const struct mica_app_field *field, const struct mica_json *value)
{
    struct mica_text *out = place_of(reader, field);

    if (value->kind != MICA_JSON_STRING) {
        find_type(reader, place, "a string", value);
        return;
    }
    *out = value->text;
    check_text(reader, place, field, value->text);
}

// ---- Other values ----------------------------------------------------------------

static void
list_choices(struct mica_buffer *list, const struct mica_app_choices *choices)
{
    for (unsigned i = 0; i < choices->count; i++)
        mica_buffer_format(list, "%s%s",
                           i == 0                   ? ""
                           : i + 1 < choices->count ? ", "
                                                    : " or ",
                           choices->names[i]);
}

static void
read_choice(struct draft_reader *reader, struct place place,
            const struct mica_app_field *field, const struct mica_json *value)
{
    char room[128];
    struct mica_buffer list = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    if (value->kind != MICA_JSON_STRING) {
        find_type(reader, place, "a string", value);
        return;
    }
    for (unsigned i = 0; i < field->choices->count; i++) {
        if (!mica_text_is(value->text, field->choices->names[i]))
            continue;
        memcpy(place_of(reader, field), &i, sizeof i);
        return;
    }
    list_choices(&list, field->choices);
    struct mica_text shown = mica_app_shown(reader->findings, value->text);
    mica_app_find_member(
        reader->findings, INVALID, code_of(MICA_E_CHOICE), place.parentz,
        place.name, "%.*s \"%.*s\" does not exist; it is %.*s",
        MICA_ARG(place.name), MICA_ARG(shown), (int)list.len, list.ptr);
}

static void
read_number(struct draft_reader *reader, struct place place,
            const struct mica_app_field *field, const struct mica_json *value)
{
    int64_t number;

    if (value->kind != MICA_JSON_NUMBER) {
        find_type(reader, place, "a number", value);
        return;
    }
    if (!mica_integer_read(value->text, &number) || number < 1 ||
        number > field->most) {
        mica_app_find_member(reader->findings, INVALID, code_of(MICA_E_RANGE),
                             place.parentz, place.name,
                             "%.*s must be a whole number from 1 to %lld",
                             MICA_ARG(place.name), (long long)field->most);
        return;
    }
    memcpy(place_of(reader, field), &number, sizeof number);
}

// The reader bounds the depth.
bool
mica_app_has_proto(const struct mica_json *value)
{
    bool object = value->kind == MICA_JSON_OBJECT;

    if (!object && value->kind != MICA_JSON_ARRAY)
        return false;
    for (size_t i = 0; i < value->count; i++) {
        if (object && mica_text_is(value->members[i].name, "__proto__"))
            return true;
        if (mica_app_has_proto(object ? &value->members[i].value
                                      : &value->items[i]))
            return true;
    }
    return false;
}

static void
read_object(struct draft_reader *reader, struct place place,
            const struct mica_app_field *field, const struct mica_json *value)
{
    if (value->kind != MICA_JSON_OBJECT) {
        find_type(reader, place, "an object", value);
        return;
    }
    if (value->raw.len > (size_t)field->most)
        mica_app_find_member(
            reader->findings, INVALID, code_of(MICA_E_LIMIT), place.parentz,
            place.name, "%.*s has %zu bytes; it may have %lld",
            MICA_ARG(place.name), value->raw.len, (long long)field->most);
    if (mica_app_has_proto(value))
        mica_app_find_member(reader->findings, INVALID, code_of(MICA_E_FORMAT),
                             place.parentz, place.name,
                             "%.*s has the name \"__proto__\", which scripts "
                             "take for something else; use another name",
                             MICA_ARG(place.name));
    *(const struct mica_json **)place_of(reader, field) = value;
}

static void
read_people(struct draft_reader *reader, struct place place,
            const struct mica_app_field *field, const struct mica_json *value)
{
    static const struct mica_app_field person = {
        .kind = MICA_APP_FIELD_LINE, .most = MICA_APP_PERSON_LENGTH};
    struct mica_app_people *people = place_of(reader, field);
    struct mica_text *names;

    if (value->kind != MICA_JSON_ARRAY) {
        find_type(reader, place, "an array", value);
        return;
    }
    if (value->count > (size_t)field->most) {
        mica_app_find_member(
            reader->findings, INVALID, code_of(MICA_E_LIMIT), place.parentz,
            place.name, "%.*s names %zu people; there may be %lld",
            MICA_ARG(place.name), value->count, (long long)field->most);
        return;
    }
    names = mica_arena_zero(reader->arena, value->count, sizeof *names);
    if (names == NULL)
        return; // the arena tells
    people->names = names;
    for (size_t i = 0; i < value->count; i++) {
        const struct mica_json *item = &value->items[i];
        if (item->kind != MICA_JSON_STRING || item->text.len == 0) {
            find_type(reader, place, "a list of names", item);
            continue;
        }
        check_text(reader, place, &person, item->text);
        names[people->count++] = item->text;
    }
}

// ---- Records ---------------------------------------------------------------------

static void read_record(struct draft_reader *reader, const char *pathz,
                        const struct mica_app_record *record,
                        const struct mica_json *object);

static void
read_field(struct draft_reader *reader, struct place place,
           const struct mica_app_field *field, const struct mica_json *value)
{
    switch (field->kind) {
    case MICA_APP_FIELD_LINE:
    case MICA_APP_FIELD_LINES:
    case MICA_APP_FIELD_WORD:
        read_text(reader, place, field, value);
        break;
    case MICA_APP_FIELD_CHOICE:
        read_choice(reader, place, field, value);
        break;
    case MICA_APP_FIELD_NUMBER:
        read_number(reader, place, field, value);
        break;
    case MICA_APP_FIELD_OBJECT:
        read_object(reader, place, field, value);
        break;
    case MICA_APP_FIELD_PEOPLE:
        read_people(reader, place, field, value);
        break;
    case MICA_APP_FIELD_RECORD: {
        char path[32] = "/";
        if (value->kind != MICA_JSON_OBJECT) {
            find_type(reader, place, "an object", value);
            break;
        }
        memcpy(path + 1, field->namez, strlen(field->namez) + 1);
        read_record(reader, path, field->record, value);
        break;
    }
    }
}

static const struct mica_app_field *
field_find(const struct mica_app_record *record, struct mica_text name)
{
    for (size_t i = 0; i < record->count; i++)
        if (mica_text_is(name, record->fields[i].namez))
            return &record->fields[i];
    return NULL;
}

static void
find_unknown(struct draft_reader *reader, const char *pathz,
             const struct mica_app_record *record, struct mica_text name)
{
    struct mica_schema_nearest nearest = {.to = name, .distance = SIZE_MAX};
    struct mica_text shown = mica_app_shown(reader->findings, name);
    enum mica_app_behavior_type type = reader->draft->behavior.type;

    for (size_t i = 0; i < record->count; i++)
        if (mica_app_field_applies(&record->fields[i], type))
            mica_schema_compare(&nearest, mica_text(record->fields[i].namez));
    if (nearest.distance == SIZE_MAX)
        mica_app_find_member(
            reader->findings, INVALID, code_of(MICA_E_UNKNOWN), pathz, name,
            "an app has no \"%.*s\" here; remove it", MICA_ARG(shown));
    else
        mica_app_find_member(
            reader->findings, INVALID, code_of(MICA_E_UNKNOWN), pathz, name,
            "an app has no \"%.*s\" here; did you mean \"%.*s\"?",
            MICA_ARG(shown), MICA_ARG(nearest.name));
}

static void
find_strays(struct draft_reader *reader, const char *pathz,
            const struct mica_app_record *record,
            const struct mica_json *object)
{
    enum mica_app_behavior_type type = reader->draft->behavior.type;

    for (size_t i = 0; i < object->count; i++) {
        struct mica_text name = object->members[i].name;
        const struct mica_app_field *field = field_find(record, name);
        if (field == NULL) {
            if (record != &mica_app_fields || !mica_app_field_of_store(name))
                find_unknown(reader, pathz, record, name);
        } else if (!mica_app_field_applies(field, type) &&
                   object->members[i].value.kind != MICA_JSON_NULL) {
            mica_app_find_member(reader->findings, INVALID,
                                 code_of(MICA_E_UNKNOWN), pathz, name,
                                 "a behavior of the type \"%s\" has no %s",
                                 mica_app_behavior_name(type), field->namez);
        }
    }
}

// null is the same as an absent member.
static void
read_record(struct draft_reader *reader, const char *pathz,
            const struct mica_app_record *record,
            const struct mica_json *object)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct mica_app_field *field = &record->fields[i];
        const struct mica_json *value = mica_json_get(object, field->namez);
        struct place place = {pathz, mica_text(field->namez)};
        if (value != NULL && value->kind != MICA_JSON_NULL &&
            mica_app_field_applies(field, reader->draft->behavior.type))
            read_field(reader, place, field, value);
    }
    find_strays(reader, pathz, record, object);
}

enum mica_status
mica_app_draft_take(const struct mica_json *value, struct mica_arena *arena,
                    struct mica_app_findings *findings,
                    struct mica_error *error, struct mica_app_draft *draft_out)
{
    struct draft_reader reader = {arena, findings, draft_out};
    const struct mica_json *budget = mica_json_get(value, "budget");

    *draft_out = (struct mica_app_draft){0};
    if (value->kind != MICA_JSON_OBJECT)
        return mica_error_set(error, MICA_E_CONFIG, "",
                              "a draft is a JSON object, but this is %s",
                              mica_json_kind_name(value->kind));
    read_record(&reader, "", &mica_app_fields, value);
    draft_out->has_budget = budget != NULL && budget->kind == MICA_JSON_OBJECT;
    if (arena->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory is left");
    return MICA_OK;
}

enum mica_status
mica_app_draft_read(struct mica_text json, struct mica_arena *arena,
                    struct mica_app_findings *findings,
                    struct mica_error *error, struct mica_app_draft *draft_out)
{
    const struct mica_json_limits limits = {.depth = MICA_APP_DEPTH,
                                            .bytes = MICA_APP_DRAFT_BYTES};
    struct mica_json *value = mica_arena_zero(arena, 1, sizeof *value);
    struct mica_error fault;
    enum mica_status status;

    *draft_out = (struct mica_app_draft){0};
    if (json.len > MICA_APP_DRAFT_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the draft has %zu bytes; it may have %d",
                              json.len, MICA_APP_DRAFT_BYTES);
    if (value == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory is left");
    status = mica_json_read(arena, json, &limits, &fault, value);
    if (status != MICA_OK)
        return mica_error_set(
            error, status == MICA_E_LIMIT ? MICA_E_LIMIT : MICA_E_CONFIG,
            fault.path, "the draft: %s", fault.message);
    return mica_app_draft_take(value, arena, findings, error, draft_out);
}

// ---- New drafts ------------------------------------------------------------------

const struct mica_app_budget mica_app_budget_default = {
    .calls_per_day = MICA_APP_CALLS_SMALL,
    .tokens_per_day = MICA_APP_TOKENS_SMALL,
    .seconds = MICA_APP_SECONDS_SMALL,
    .concurrent = MICA_APP_CONCURRENT_SMALL};

void
mica_app_draft_new(struct mica_text name, enum mica_app_layout layout,
                   const struct mica_json *mock_data,
                   struct mica_app_draft *draft_out)
{
    *draft_out = (struct mica_app_draft){.name = name,
                                         .layout = layout,
                                         .mock_data = mock_data,
                                         .behavior.type = MICA_APP_DATA,
                                         .visibility = MICA_APP_PUBLIC};
}

struct mica_app_budget
mica_app_budget(const struct mica_app_draft *draft)
{
    struct mica_app_budget budget = draft->budget;
    const struct mica_app_budget *small = &mica_app_budget_default;

    if (draft->behavior.type != MICA_APP_PROMPT)
        return budget;
    if (budget.calls_per_day == 0)
        budget.calls_per_day = small->calls_per_day;
    if (budget.tokens_per_day == 0)
        budget.tokens_per_day = small->tokens_per_day;
    if (budget.seconds == 0)
        budget.seconds = small->seconds;
    if (budget.concurrent == 0)
        budget.concurrent = small->concurrent;
    return budget;
}
