// SPDX-License-Identifier: Apache-2.0
//
// Writes drafts by the table of fields, apps as clients read them, and versions, which it
// reads, too.
#include <string.h>

#include "apps/app_fields.h"
#include "apps/app_record.h"
#include "json/optional_writer.h"

enum {
    MILLISECONDS = 1000,
    NANOSECONDS = 1000000 // of a millisecond
};

// ---- Drafts ----------------------------------------------------------------------

static void write_record(struct mica_json_writer *writer,
                         const struct mica_app_record *record,
                         const struct mica_app_draft *draft);

static void
write_people(struct mica_json_writer *writer, const char *namez,
             const struct mica_app_people *people)
{
    if (people->count == 0)
        return;
    mica_json_name(writer, namez);
    mica_json_open_array(writer);
    for (size_t i = 0; i < people->count; i++)
        mica_json_string(writer, people->names[i]);
    mica_json_close_array(writer);
}

static bool
has_record(const struct mica_app_field *field,
           const struct mica_app_draft *draft)
{
    if (strcmp(field->namez, "budget") == 0)
        return draft->has_budget;
    if (strcmp(field->namez, "roles") == 0)
        return draft->editors.count > 0 || draft->viewers.count > 0;
    return true;
}

static void
write_field(struct mica_json_writer *writer, const struct mica_app_field *field,
            const struct mica_app_draft *draft)
{
    const void *at = mica_app_field_at(field, draft);
    const struct mica_json *object;
    unsigned choice;
    int64_t number;

    switch (field->kind) {
    case MICA_APP_FIELD_LINE:
    case MICA_APP_FIELD_LINES:
    case MICA_APP_FIELD_WORD:
        mica_json_optional_text(writer, field->namez,
                                *(const struct mica_text *)at);
        break;
    case MICA_APP_FIELD_CHOICE:
        memcpy(&choice, at, sizeof choice);
        mica_json_field(writer, field->namez,
                        mica_text(field->choices->names[choice]));
        break;
    case MICA_APP_FIELD_NUMBER:
        memcpy(&number, at, sizeof number);
        mica_json_optional_size(writer, field->namez, (size_t)number);
        break;
    case MICA_APP_FIELD_OBJECT:
        object = *(const struct mica_json *const *)at;
        if (object == NULL)
            break;
        mica_json_name(writer, field->namez);
        mica_json_value(writer, object);
        break;
    case MICA_APP_FIELD_PEOPLE:
        write_people(writer, field->namez, at);
        break;
    case MICA_APP_FIELD_RECORD:
        if (!has_record(field, draft))
            break;
        mica_json_name(writer, field->namez);
        mica_json_open_object(writer);
        write_record(writer, field->record, draft);
        mica_json_close_object(writer);
        break;
    }
}

static void
write_record(struct mica_json_writer *writer,
             const struct mica_app_record *record,
             const struct mica_app_draft *draft)
{
    for (size_t i = 0; i < record->count; i++)
        if (mica_app_field_applies(&record->fields[i], draft->behavior.type))
            write_field(writer, &record->fields[i], draft);
}

void
mica_app_draft_write(struct mica_json_writer *writer,
                     const struct mica_app_draft *draft)
{
    mica_json_open_object(writer);
    write_record(writer, &mica_app_fields, draft);
    mica_json_close_object(writer);
}

enum mica_status
mica_app_draft_text(const struct mica_app_draft *draft,
                    struct mica_arena *arena, struct mica_error *error,
                    struct mica_text *json_out)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;

    mica_buffer_init(&buffer, arena, MICA_APP_DRAFT_BYTES);
    mica_json_writer_init(&writer, &buffer);
    mica_app_draft_write(&writer, draft);
    if (buffer.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the draft has more than %d bytes",
                              MICA_APP_DRAFT_BYTES);
    *json_out = mica_buffer_as_text(&buffer);
    return MICA_OK;
}

// ---- Times -----------------------------------------------------------------------

void
mica_app_write_time(struct mica_json_writer *writer, const char *namez,
                    int64_t milliseconds)
{
    char room[64];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    struct mica_time time;

    mica_json_name(writer, namez);
    if (milliseconds <= 0) {
        mica_json_null(writer);
        return;
    }
    time = mica_time_from_seconds(milliseconds / MILLISECONDS, 0);
    time.nanosecond = (int32_t)(milliseconds % MILLISECONDS) * NANOSECONDS;
    mica_time_write(&text, time);
    mica_json_string(writer, mica_buffer_as_text(&text));
}

static bool
read_time(struct mica_text text, int64_t *milliseconds_out)
{
    struct mica_time time;

    if (!mica_time_read(text, &time))
        return false;
    *milliseconds_out = mica_time_to_seconds(time) * MILLISECONDS +
                        time.nanosecond / NANOSECONDS;
    return *milliseconds_out > 0;
}

// ---- What a client reads ---------------------------------------------------------

// The members of an object without its braces.
static void
write_members(struct mica_json_writer *writer, struct mica_text object)
{
    struct mica_text inside = mica_text_slice(object, 1, object.len);

    if (inside.len > 1)
        mica_json_raw(writer, mica_text_slice(inside, 0, inside.len - 1));
}

void
mica_app_write(struct mica_json_writer *writer,
               const struct mica_app_facts *facts, struct mica_text draft,
               struct mica_text url)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "id", facts->id);
    mica_json_name(writer, "status");
    mica_json_stringz(writer, facts->published ? "published" : "draft");
    mica_json_field(writer, "mcpSlug", facts->slug);
    mica_json_field(writer, "owner", facts->owner);
    write_members(writer, draft);
    mica_json_name(writer, "revision");
    mica_json_integer(writer, facts->revision);
    mica_json_name(writer, "publishVersion");
    mica_json_integer(writer, facts->publish_version);
    mica_app_write_time(writer, "publishedAt", facts->published_at);
    mica_app_write_time(writer, "createdAt", facts->created_at);
    mica_app_write_time(writer, "updatedAt", facts->updated_at);
    mica_json_field(writer, "url", url);
    mica_json_close_object(writer);
}

// ---- Versions --------------------------------------------------------------------

void
mica_app_version_write(struct mica_json_writer *writer,
                       const struct mica_app_version *version)
{
    mica_json_open_object(writer);
    write_record(writer, &mica_app_fields, &version->draft);
    mica_json_optional_size(writer, "version", (size_t)version->version);
    if (version->published_at > 0)
        mica_app_write_time(writer, "publishedAt", version->published_at);
    mica_json_optional_text(writer, "widget", version->widget);
    mica_json_optional_text(writer, "pin", version->pin);
    mica_json_close_object(writer);
}

// What stands beside the draft. Each member may be absent.
static enum mica_status
read_facts(const struct mica_json *value, struct mica_error *error,
           struct mica_app_version *version)
{
    const struct mica_json *number = mica_json_get(value, "version");
    const struct mica_json *time = mica_json_get(value, "publishedAt");

    if (number != NULL &&
        (number->kind != MICA_JSON_NUMBER ||
         !mica_integer_read(number->text, &version->version) ||
         version->version < 1))
        return mica_error_set(error, MICA_E_CONFIG, "/version",
                              "the stored version is damaged: its number is "
                              "not 1 or more");
    if (time != NULL && (time->kind != MICA_JSON_STRING ||
                         !read_time(time->text, &version->published_at)))
        return mica_error_set(error, MICA_E_CONFIG, "/publishedAt",
                              "the stored version is damaged: publishedAt is "
                              "no time");
    version->widget = mica_json_get_text(value, "widget");
    version->pin = mica_json_get_text(value, "pin");
    return MICA_OK;
}

enum mica_status
mica_app_version_read(struct mica_text json, struct mica_arena *arena,
                      struct mica_error *error,
                      struct mica_app_version *version_out)
{
    const struct mica_json_limits limits = {.depth = MICA_APP_DEPTH,
                                            .bytes = MICA_APP_VERSION_BYTES};
    struct mica_app_findings *findings =
        mica_arena_zero(arena, 1, sizeof *findings);
    struct mica_json *value = mica_arena_zero(arena, 1, sizeof *value);

    *version_out = (struct mica_app_version){0};
    if (findings == NULL || value == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory is left");
    mica_app_findings_init(findings, arena);
    MICA_TRY(mica_json_read(arena, json, &limits, error, value));
    MICA_TRY(mica_app_draft_take(value, arena, findings, error,
                                 &version_out->draft));
    MICA_TRY(mica_app_findings_refuse(findings, false, error));
    return read_facts(value, error, version_out);
}
