// SPDX-License-Identifier: Apache-2.0
//
// The state of a kept call as JSON, and where it lies.
#include "rest/request.h"
#include "server/calls/progress_log.h"

static void
write_questions(struct mica_message *message, struct mica_text asks,
                uint32_t round, struct mica_json_writer *writer)
{
    struct mica_json value;

    if (mica_json_read(message->arena, asks, NULL, NULL, &value) != MICA_OK ||
        value.kind != MICA_JSON_OBJECT)
        return;
    mica_json_name(writer, "round");
    mica_json_integer(writer, round);
    mica_json_name(writer, "questions");
    mica_rest_write_questions(&value, writer);
}

// As a program has it, and as a person.
static void
write_links(const struct mica_message *message,
            const struct mica_kept_call *kept, uint32_t round,
            struct mica_json_writer *writer)
{
    struct mica_text base = mica_rest_base(message);
    char room[MICA_PATH_SIZE + 16];
    struct mica_buffer path = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_base_path_add(&path, base, "/api/calls/%.*s", MICA_ARG(kept->id));
    mica_json_name(writer, "links");
    mica_json_open_object(writer);
    mica_json_field(writer, "self", mica_buffer_as_text(&path));
    if (mica_call_asks(kept)) {
        mica_buffer_format(&path, "?round=%u", round);
        mica_json_field(writer, "answers", mica_buffer_as_text(&path));
    }
    if (message->server->pages &&
        kept->owner.endpoint.len == 0) { // none elsewhere
        path.len = 0;
        mica_base_path_add(&path, base, "/calls/%.*s", MICA_ARG(kept->id));
        mica_json_field(writer, "page", mica_buffer_as_text(&path));
    }
    mica_json_close_object(writer);
}

// For people; a tool that was taken away, or has none, has its name.
static void
write_title(struct mica_message *message, struct mica_text tool,
            struct mica_json_writer *writer)
{
    const struct mica_definition *definition = mica_catalog_find(
        mica_message_catalog(message), MICA_DEFINITION_TOOL, tool);

    if (definition != NULL && definition->title.len > 0)
        mica_json_field(writer, "title", definition->title);
}

void
mica_rest_write_call(struct mica_message *message,
                     const struct mica_kept_call *kept, uint32_t round,
                     struct mica_json_writer *writer)
{
    struct mica_rest *rest = mica_rest_of(message);

    mica_json_open_object(writer);
    mica_json_field(writer, "id", kept->id);
    mica_json_field(writer, "tool", kept->target);
    write_title(message, kept->target, writer);
    mica_json_field(writer, "status", mica_text(mica_call_state_name(kept)));
    if (kept->note.len > 0)
        mica_json_field(writer, "note", kept->note);
    mica_progress_log_write(kept->progress_log, rest->after, writer);
    if (mica_call_asks(kept))
        write_questions(message, kept->asks, round, writer);
    if (mica_call_has_ended(kept))
        mica_rest_write_outcome(message, kept->reply, writer);
    mica_call_write_time(writer, "created", kept->created);
    mica_call_write_time(writer, "changed", kept->changed);
    mica_call_write_time(writer, "expires", kept->expires);
    write_links(message, kept, round, writer);
    mica_json_close_object(writer);
    rest->retry_s = !mica_call_has_ended(kept) && !mica_call_asks(kept) ? 1 : 0;
}

void
mica_rest_locate(struct mica_message *message, struct mica_text id)
{
    struct mica_rest *rest = mica_rest_of(message);
    struct mica_buffer path = {.ptr = rest->location,
                               .capacity = sizeof rest->location - 1,
                               .max = sizeof rest->location - 1};

    mica_base_path_add(&path, mica_rest_base(message), "/api/calls/%.*s",
                       MICA_ARG(id));
    rest->location[path.len] = '\0';
}
