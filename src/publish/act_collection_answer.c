// SPDX-License-Identifier: Apache-2.0
//
// What the store keeps of a collection, and what its readers get.
#include "publish/act_collection.h"

#include <string.h>

// ---- What the store keeps --------------------------------------------------------

static enum mica_status
no_memory(struct mica_act_work *work)
{
    return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
}

static size_t
people_take(const struct mica_app_people *from, enum mica_store_app_role role,
            struct mica_store_app_person *people)
{
    for (size_t i = 0; i < from->count; i++)
        people[i] = (struct mica_store_app_person){from->names[i], role};
    return from->count;
}

enum mica_status
mica_act_collection_content(struct mica_act_work *work,
                            const struct mica_collection_record *record,
                            const struct mica_act_members *members,
                            struct mica_store_collection_content *content_out)
{
    size_t count = record->editors.count + record->viewers.count;
    struct mica_store_app_person *people =
        mica_arena_zero(work->arena, count + 1, sizeof *people);
    struct mica_act_output text;

    if (people == NULL)
        return no_memory(work);
    count = people_take(&record->editors, MICA_STORE_APP_EDITOR, people);
    count +=
        people_take(&record->viewers, MICA_STORE_APP_VIEWER, people + count);
    mica_act_output_init(work, &text);
    mica_json_open_object(&text.writer);
    mica_collection_record_write(&text.writer, record, true);
    mica_json_close_object(&text.writer);
    *content_out = (struct mica_store_collection_content){
        .text = mica_buffer_as_text(&text.buffer),
        .people = people,
        .people_count = count,
        .members = members->ids,
        .member_count = members->count};
    return text.buffer.overflow ? no_memory(work) : MICA_OK;
}

struct mica_store_app_target
mica_act_collection_target(const struct mica_act_work *work)
{
    return (struct mica_store_app_target){.id = work->collection.id,
                                          .revision = work->collection.revision,
                                          .now = work->acts->now()};
}

// ---- Members ---------------------------------------------------------------------

// Has an earlier member that counts the name already?
static bool
name_is_taken(const struct mica_store_collection *collection, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        const struct mica_store_member *member = &collection->members[i];
        if (member->counts && member->tool.len > 0 &&
            mica_text_equal(member->tool, collection->members[index].tool))
            return true;
    }
    return false;
}

// Why clients do not have the app; NULL: they have it.
static const char *
why_missing(const struct mica_store_collection *collection, size_t index)
{
    const struct mica_store_member *member = &collection->members[index];

    if (!member->counts)
        return "owner";
    if (member->status != MICA_STORE_APP_PUBLISHED)
        return "unpublished";
    return name_is_taken(collection, index) ? "toolName" : NULL;
}

static void
write_member_app(struct mica_act_work *work,
                 const struct mica_store_member *member,
                 struct mica_json_writer *writer)
{
    struct mica_json summary = {.kind = MICA_JSON_OBJECT};
    struct mica_error ignored;

    if (mica_json_read(work->arena, member->summary, NULL, &ignored,
                       &summary) == MICA_OK)
        mica_json_field(writer, "name", mica_json_get_text(&summary, "name"));
    mica_json_field(writer, "status",
                    member->status == MICA_STORE_APP_PUBLISHED
                        ? MICA_LITERAL("published")
                        : MICA_LITERAL("draft"));
    if (member->tool.len > 0)
        mica_json_field(writer, "toolName", member->tool);
}

// Of an app that the owner of the collection may not edit any more, readers get what names it
// in the list alone: what its people do with it is not theirs.
static void
write_member(struct mica_act_work *work, size_t index,
             struct mica_json_writer *writer)
{
    const struct mica_store_member *member = &work->collection.members[index];
    const char *whyz = why_missing(&work->collection, index);

    mica_json_open_object(writer);
    mica_json_field(writer, "id", member->id);
    mica_json_field(writer, "mcpSlug", member->slug);
    if (member->counts || work->person->is_operator)
        write_member_app(work, member, writer);
    mica_json_name(writer, "served");
    mica_json_boolean(writer, whyz == NULL);
    if (whyz != NULL)
        mica_json_field(writer, "reason", mica_text(whyz));
    mica_json_close_object(writer);
}

static void
write_all_members(struct mica_act_work *work, struct mica_json_writer *writer)
{
    mica_json_name(writer, "members");
    mica_json_open_array(writer);
    for (size_t i = 0; i < work->collection.member_count; i++)
        write_member(work, i, writer);
    mica_json_close_array(writer);
}

// ---- The answer ------------------------------------------------------------------

enum {
    URL_BYTES = 1280
};

void
mica_act_write_collection_facts(const struct mica_act_work *work,
                                const struct mica_store_collection *collection,
                                struct mica_json_writer *writer)
{
    char room[URL_BYTES];
    struct mica_buffer url = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_buffer_format(&url, "%.*s/servers/%.*s/mcp",
                       MICA_ARG(work->acts->address),
                       MICA_ARG(collection->slug));
    mica_json_name(writer, "revision");
    mica_json_integer(writer, collection->revision);
    mica_app_write_time(writer, "createdAt", collection->created);
    mica_app_write_time(writer, "updatedAt", collection->changed);
    mica_json_field(writer, "url", mica_buffer_as_text(&url));
}

void
mica_act_write_collection_head(const struct mica_store_collection *collection,
                               struct mica_json_writer *writer)
{
    mica_json_field(writer, "id", collection->id);
    mica_json_field(writer, "mcpSlug", collection->slug);
    mica_json_field(writer, "owner", collection->owner);
}

// A stored record was checked before it was written.
enum mica_status
mica_act_collection_record(struct mica_act_work *work,
                           const struct mica_store_collection *collection,
                           struct mica_collection_record *record_out)
{
    enum mica_status status = mica_collection_record_read(
        collection->text, work->arena, work->error, record_out);

    if (status == MICA_E_CONFIG)
        return mica_error_set(work->error, MICA_E_EXECUTION, "",
                              "the stored text of the collection is damaged");
    return status;
}

enum mica_status
mica_act_answer_collection(struct mica_act_work *work, struct mica_text id)
{
    struct mica_act_output output;

    MICA_TRY(mica_store_collection_read(work->acts->store, id, work->arena,
                                        work->error, &work->collection));
    MICA_TRY(
        mica_act_collection_record(work, &work->collection, &work->record));
    work->answer->revision = work->collection.revision;
    work->answer->slug = work->collection.slug;
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    mica_act_write_collection_head(&work->collection, &output.writer);
    mica_collection_record_write(&output.writer, &work->record,
                                 mica_app_may(work->role, MICA_APP_EDIT));
    write_all_members(work, &output.writer);
    mica_act_write_collection_facts(work, &work->collection, &output.writer);
    mica_json_field(&output.writer, "role",
                    mica_text(mica_app_role_name(work->role)));
    mica_json_close_object(&output.writer);
    return mica_act_output_end(work, &output);
}
