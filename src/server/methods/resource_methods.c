// SPDX-License-Identifier: Apache-2.0
//
// resources/list, resources/templates/list and resources/read, which finds the resource
// or the template of a URI.
#include "server/calls/resumable.h"

#include "registry/uri_template.h"
#include "schema/record.h"

static const struct mica_text none = {NULL, 0};

// ---- The lists -------------------------------------------------------------------

static void
write_resource(const struct mica_definition *resource,
               const struct mica_list_reader *reader,
               struct mica_json_writer *writer)
{
    bool is_template = resource->kind == MICA_DEFINITION_TEMPLATE;

    mica_json_open_object(writer);
    mica_json_field(writer, is_template ? "uriTemplate" : "uri", resource->key);
    mica_write_base(resource, reader->features, writer);
    if (resource->mime_type.len > 0)
        mica_json_field(writer, "mimeType", resource->mime_type);
    if (resource->annotations.len > 0) {
        mica_json_name(writer, "annotations");
        mica_json_raw(writer, resource->annotations);
    }
    if (resource->has_size && !is_template) {
        mica_json_name(writer, "size");
        mica_json_integer(writer, (int64_t)resource->size);
    }
    mica_write_meta(resource, reader, writer);
    mica_json_close_object(writer);
}

// MCP: resources/list.
void
mica_method_resources_list(struct mica_message *message)
{
    mica_list(message, MICA_DEFINITION_RESOURCE, "resources", write_resource);
}

// MCP: resources/templates/list.
void
mica_method_templates_list(struct mica_message *message)
{
    mica_list(message, MICA_DEFINITION_TEMPLATE, "resourceTemplates",
              write_resource);
}

// ---- resources/read --------------------------------------------------------------

// Writes the variables as JSON for the record; empty for want of memory.
static struct mica_text
as_arguments(struct mica_message *message, const struct mica_template *template,
             const struct mica_text *values)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, message->arena,
                     (size_t)MICA_TEMPLATE_URI_BYTES * 8);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < template->variable_count; i++) {
        if (values[i].ptr == NULL)
            continue;
        mica_json_name_text(&writer, template->variables[i].name);
        mica_json_string(&writer, values[i]);
    }
    mica_json_close_object(&writer);
    return buffer.overflow ? none : mica_buffer_as_text(&buffer);
}

// Does the URI have all variables that the record requires?
static bool
has_required(const struct mica_definition *definition,
             const struct mica_template *template,
             const struct mica_text *values)
{
    const struct mica_record *record = definition->input;

    for (size_t i = 0; i < template->variable_count; i++) {
        const struct mica_field *field =
            mica_record_find(record, template->variables[i].name);
        if (values[i].ptr == NULL && field != NULL && !field->optional &&
            field->fallback == NULL)
            return false;
    }
    return true;
}

// Finds the first template, in the order they were added, that matches the URI.
static bool
find_template(struct mica_message *message, struct mica_text *arguments_out)
{
    const struct mica_definition_list *list =
        &mica_message_catalog(message)->lists[MICA_DEFINITION_TEMPLATE];
    struct mica_text values[MICA_TEMPLATE_VARIABLES];

    for (size_t i = 0; i < list->count; i++) {
        const struct mica_definition *definition = list->items[i];
        const struct mica_template *template = definition->details;
        if (mica_template_match(template, message->request.uri, message->arena,
                                values) &&
            has_required(definition, template, values)) {
            message->execution.target = definition;
            *arguments_out = as_arguments(message, template, values);
            return true;
        }
    }
    return false;
}

// MCP: resources/read. A resource with a fixed URI precedes all templates.
// [RESOURCE-READ]
void
mica_method_resources_read(struct mica_message *message)
{
    const struct mica_json *uri = mica_json_get(message->request.params, "uri");
    struct mica_text arguments = MICA_LITERAL("{}");

    if (uri == NULL || uri->kind != MICA_JSON_STRING) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_REQUIRED, none,
                         "resources/read needs params.uri, a string");
        return;
    }
    message->request.name = uri->text;
    message->request.uri = uri->text;
    message->execution.target = mica_catalog_find(
        mica_message_catalog(message), MICA_DEFINITION_RESOURCE, uri->text);
    if (message->execution.target == NULL &&
        !find_template(message, &arguments))
        mica_resource_refuse(message);
    else
        mica_message_prepare_run(message, arguments, mica_finish_read);
}
