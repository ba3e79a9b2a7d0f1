// SPDX-License-Identifier: Apache-2.0
//
// Takes out of JSON what a record does not read. The strict decoder then reads the
// rest, so that engines carry no second way of decoding.
#include "schema/record.h"

// One pass over one value.
struct foreign {
    struct mica_arena *arena;
    struct mica_error *error;
};

static enum mica_status foreign_take(const struct foreign *foreign,
                                     const struct mica_type *type,
                                     const struct mica_json *value,
                                     struct mica_json *out);

static enum mica_status
no_memory(const struct foreign *foreign)
{
    return mica_error_set(foreign->error, MICA_E_LIMIT, "",
                          "the answer needs more memory than one call may use");
}

// The field that takes the member, or NULL.
static const struct mica_field *
field_of(const struct mica_record *record,
         const struct mica_json_member *member)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct mica_field *field = mica_record_field(record, i);
        enum mica_kind kind = field->type->kind;

        if (!mica_text_is(member->name, field->name))
            continue;
        // A null for what may be absent is no value.
        return member->value.kind == MICA_JSON_NULL &&
                       (field->optional || field->fallback != NULL) &&
                       kind != MICA_KIND_NULLABLE && kind != MICA_KIND_ANY
                   ? NULL
                   : field;
    }
    return NULL;
}

static enum mica_status
take_record(const struct foreign *foreign, const struct mica_record *record,
            const struct mica_json *value, struct mica_json *out)
{
    struct mica_json_member *members =
        mica_arena_zero(foreign->arena, value->count + 1, sizeof *members);

    if (members == NULL)
        return no_memory(foreign);
    out->count = 0;
    out->members = members;
    for (size_t i = 0; i < value->count; i++) {
        const struct mica_json_member *member = &value->members[i];
        const struct mica_field *field = field_of(record, member);
        struct mica_json_member *kept = &members[out->count];

        if (field == NULL)
            continue;
        kept->name = member->name;
        MICA_TRY(
            foreign_take(foreign, field->type, &member->value, &kept->value));
        out->count++;
    }
    return MICA_OK;
}

static enum mica_status
take_map(const struct foreign *foreign, const struct mica_type *element,
         const struct mica_json *value, struct mica_json *out)
{
    struct mica_json_member *members =
        mica_arena_zero(foreign->arena, value->count + 1, sizeof *members);

    if (members == NULL)
        return no_memory(foreign);
    out->members = members;
    for (size_t i = 0; i < value->count; i++) {
        members[i].name = value->members[i].name;
        MICA_TRY(foreign_take(foreign, element, &value->members[i].value,
                              &members[i].value));
    }
    return MICA_OK;
}

static enum mica_status
take_list(const struct foreign *foreign, const struct mica_type *element,
          const struct mica_json *value, struct mica_json *out)
{
    struct mica_json *items =
        mica_arena_zero(foreign->arena, value->count + 1, sizeof *items);

    if (items == NULL)
        return no_memory(foreign);
    out->items = items;
    for (size_t i = 0; i < value->count; i++)
        MICA_TRY(foreign_take(foreign, element, &value->items[i], &items[i]));
    return MICA_OK;
}

// Of a value that is of another kind nothing is taken out: the decoder says so.
static enum mica_status
foreign_take(const struct foreign *foreign, const struct mica_type *type,
             const struct mica_json *value, struct mica_json *out)
{
    *out = *value;
    if (type->kind == MICA_KIND_NULLABLE)
        return foreign_take(foreign, type->element, value, out);
    if (type->kind == MICA_KIND_RECORD && value->kind == MICA_JSON_OBJECT)
        return take_record(foreign, type->record, value, out);
    if (type->kind == MICA_KIND_MAP && value->kind == MICA_JSON_OBJECT)
        return take_map(foreign, type->element, value, out);
    if (type->kind == MICA_KIND_LIST && value->kind == MICA_JSON_ARRAY)
        return take_list(foreign, type->element, value, out);
    return MICA_OK;
}

enum mica_status
mica_record_decode_foreign(const struct mica_record *record,
                           const struct mica_json *value,
                           struct mica_arena *arena, struct mica_error *error,
                           void *out)
{
    const struct foreign foreign = {arena, error};
    struct mica_json known = *value;

    if (value->kind == MICA_JSON_OBJECT)
        MICA_TRY(take_record(&foreign, record, value, &known));
    return mica_record_decode(record, &known, arena, error, out);
}
