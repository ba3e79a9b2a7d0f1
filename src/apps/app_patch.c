// SPDX-License-Identifier: Apache-2.0
//
// Partial edits of a draft: JSON Merge Patch (RFC 7396), but for values that only make
// sense as a whole.
#include "apps/app_record.h"

static bool
is_object(const struct mica_json *value)
{
    return value != NULL && value->kind == MICA_JSON_OBJECT;
}

// Whether the patch replaces the member as a whole.
static bool
is_whole(struct mica_text name, const struct mica_json *before,
         const struct mica_json *patch)
{
    static const char *const wholes[] = {"themeVariables", "mockData",
                                         "arguments", "data"};
    struct mica_text type;

    for (size_t i = 0; i < MICA_COUNT(wholes); i++)
        if (mica_text_is(name, wholes[i]))
            return true;
    if (!mica_text_is(name, "behavior"))
        return false;
    type = mica_json_get_text(patch, "type");
    return type.len > 0 &&
           !mica_text_equal(type, mica_json_get_text(before, "type"));
}

static void write_merged(struct mica_json_writer *writer,
                         const struct mica_json *before,
                         const struct mica_json *patch);

// One member of the patch. `old` is what it changes; NULL: there is nothing yet.
static void
write_change(struct mica_json_writer *writer,
             const struct mica_json_member *member, const struct mica_json *old)
{
    if (member->value.kind == MICA_JSON_NULL)
        return;
    mica_json_name_text(writer, member->name);
    if (is_object(&member->value) &&
        !is_whole(member->name, old, &member->value))
        write_merged(writer, old, &member->value);
    else
        mica_json_value(writer, &member->value);
}

// `before` may be anything; only an object has members that stay. The depth is that of
// the reader's limit.
static void
write_merged(struct mica_json_writer *writer, const struct mica_json *before,
             const struct mica_json *patch)
{
    size_t count = is_object(before) ? before->count : 0;

    mica_json_open_object(writer);
    for (size_t i = 0; before != NULL && i < count; i++) {
        struct mica_text name = before->members[i].name;
        if (mica_json_member(patch, name) != NULL)
            continue;
        mica_json_name_text(writer, name);
        mica_json_value(writer, &before->members[i].value);
    }
    for (size_t i = 0; i < patch->count; i++)
        write_change(writer, &patch->members[i],
                     mica_json_member(before, patch->members[i].name));
    mica_json_close_object(writer);
}

static enum mica_status
read_object(struct mica_text json, const char *whatz, struct mica_arena *arena,
            struct mica_error *error, struct mica_json *value_out)
{
    const struct mica_json_limits limits = {.depth = MICA_APP_DEPTH,
                                            .bytes = MICA_APP_DRAFT_BYTES};
    struct mica_error fault;
    enum mica_status status =
        mica_json_read(arena, json, &limits, &fault, value_out);

    if (status != MICA_OK)
        return mica_error_set(
            error, status == MICA_E_LIMIT ? MICA_E_LIMIT : MICA_E_CONFIG,
            fault.path, "%s: %s", whatz, fault.message);
    if (!is_object(value_out))
        return mica_error_set(error, MICA_E_CONFIG, "",
                              "%s must be a JSON object, but is %s", whatz,
                              mica_json_kind_name(value_out->kind));
    return MICA_OK;
}

enum mica_status
mica_app_draft_patch(struct mica_text json, struct mica_text patch,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_buffer *json_out)
{
    struct mica_json_writer writer;
    struct mica_json before, change;

    MICA_TRY(read_object(json, "the draft", arena, error, &before));
    MICA_TRY(read_object(patch, "the patch", arena, error, &change));
    mica_json_writer_init(&writer, json_out);
    write_merged(&writer, &before, &change);
    if (json_out->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the draft has more than %zu bytes",
                              json_out->max);
    return MICA_OK;
}
