// SPDX-License-Identifier: Apache-2.0
//
// resources/list, resources/templates/list and resources/read: from a URI to the
// definition that answers for it, and from its contents to the reply. How a
// definition comes to be is in resource.c.
#include "server/calls/round.h"

#include <string.h>

#include "registry/uri_template.h"

static const struct mica_text none = {NULL, 0};

// ---- The lists -------------------------------------------------------------------

static void
write_resource(const struct mica_definition *resource,
               const struct mica_revision_features *features,
               struct mica_json_writer *writer)
{
    bool is_template = resource->offer == MICA_OFFER_TEMPLATE;

    mica_json_open_object(writer);
    mica_json_field(writer, is_template ? "uriTemplate" : "uri", resource->key);
    mica_write_base(resource, features, writer);
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
    mica_write_meta(resource, features, writer);
    mica_json_close_object(writer);
}

// MCP: resources/list.
void
mica_method_resources_list(struct mica_message *message)
{
    mica_list(message, MICA_OFFER_RESOURCE, "resources", write_resource);
}

// MCP: resources/templates/list.
void
mica_method_templates_list(struct mica_message *message)
{
    mica_list(message, MICA_OFFER_TEMPLATE, "resourceTemplates",
              write_resource);
}

// ---- Failures --------------------------------------------------------------------

// {"uri":…} for error.data, without braces.
static struct mica_text
uri_data(const struct mica_message *message, struct mica_arena *arena)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, message->request.uri.len * 6 + 64);
    mica_json_writer_init(&writer, &buffer);
    mica_json_field(&writer, "uri", message->request.uri);
    return buffer.overflow ? none : mica_buffer_as_text(&buffer);
}

// [RESOURCE-MISSING] MCP: resources, error handling (SEP-2164): a code of its own before the
// stateless revision. Never an empty list of contents.
static enum mica_rpc_error
missing(const struct mica_message *message)
{
    return mica_revision_features(message->context.revision)->modern
               ? MICA_RPC_PARAMS
               : MICA_RPC_RESOURCE;
}

static void
refuse_unknown(struct mica_message *message)
{
    const struct mica_definition *nearest =
        mica_catalog_nearest(mica_message_catalog(message), MICA_OFFER_RESOURCE,
                             message->request.uri);
    struct mica_text data = uri_data(message, message->arena);
    struct mica_text quoted = mica_quote(message->arena, message->request.uri);

    if (nearest != NULL)
        mica_reply_error(message, 200, missing(message), MICA_E_NOT_FOUND, data,
                         "Unknown resource %.*s; did you mean \"%.*s\"?",
                         MICA_ARG(quoted), MICA_ARG(nearest->key));
    else
        mica_reply_error(message, 200, missing(message), MICA_E_NOT_FOUND, data,
                         "Unknown resource %.*s; resources/list and "
                         "resources/templates/list say what there is",
                         MICA_ARG(quoted));
}

// A value that the template's record refuses is the client's fault, as is what
// the handler says not to be there; all else is the server's.
static void
refuse_read(struct mica_message *message)
{
    const struct mica_result *result = &message->execution.call.result;
    enum mica_rpc_error rpc = MICA_RPC_INTERNAL;
    struct mica_arena own; // the call's memory may be what ran out

    mica_arena_init(&own, message->request.uri.len * 6 + (64 << 10));
    if (mica_text_is(mica_failure_code(message, &own), "NOT_FOUND"))
        rpc = missing(message);
    else if (result->status != MICA_FAILED &&
             mica_status_kind(result->status) == MICA_INPUT)
        rpc = MICA_RPC_PARAMS;
    mica_reply_failure(message, rpc, uri_data(message, &own));
    mica_arena_fini(&own);
}

// ---- resources/read --------------------------------------------------------------

// MCP: resource contents: text or blob. False for a block of another kind.
static bool
write_contents(struct mica_message *message, struct mica_json_writer *writer,
               const struct mica_content *block)
{
    if (block->kind != MICA_CONTENT_RESOURCE)
        return false;
    mica_json_open_object(writer);
    mica_json_field(writer, "uri", block->uri);
    if (block->mime_type.len > 0)
        mica_json_field(writer, "mimeType", block->mime_type);
    mica_json_field(writer, block->base64 ? "blob" : "text", block->data);
    if (message->execution.call.late !=
        NULL) // the text is empty; between its quotes
        message->reply.late_at = message->reply.text.len - 1;
    mica_json_close_object(writer);
    return true;
}

static void
write_read(struct mica_message *message)
{
    struct mica_json_writer writer;
    bool right = message->execution.call.result.content != NULL;

    mica_reply_open(message, &writer);
    mica_json_name(&writer, "contents");
    mica_json_open_array(&writer);
    for (const struct mica_content *block =
             message->execution.call.result.content;
         block != NULL; block = block->next)
        right = write_contents(message, &writer, block) && right;
    mica_json_close_array(&writer);
    mica_write_caching(message, &writer);
    mica_reply_close(message, &writer, none);
    if (right)
        return;
    mica_call_fail(&message->execution.call, MICA_E_EXECUTION, "",
                   "the handler of this resource must add contents with "
                   "mica_add_resource_text or mica_add_resource_bytes, and "
                   "nothing else");
    refuse_read(message);
}

void
mica_finish_read(struct mica_message *message)
{
    if (message->execution.call.result.status == MICA_OK)
        write_read(message);
    else
        refuse_read(message);
}

// The variables as the JSON that the record decodes; empty for want of memory.
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

// Would the record miss a variable that this URI leaves out?
static bool
has_required(const struct mica_definition *definition,
             const struct mica_template *template,
             const struct mica_text *values)
{
    const struct mica_record *record = definition->input;

    for (size_t i = 0; i < template->variable_count; i++) {
        const struct mica_field *field =
            mica_field_find(record, template->variables[i].name);
        if (values[i].ptr == NULL && field != NULL && !field->optional &&
            field->fallback == NULL)
            return false;
    }
    return true;
}

// The first template that the URI comes from, in the order they were added.
static bool
find_template(struct mica_message *message, struct mica_text *arguments_out)
{
    const struct mica_shelf *shelf =
        &mica_message_catalog(message)->shelves[MICA_OFFER_TEMPLATE];
    struct mica_text values[MICA_TEMPLATE_VARIABLES];

    for (size_t i = 0; i < shelf->count; i++) {
        const struct mica_definition *definition = shelf->items[i];
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

// MCP: resources/read. A fixed resource comes before any template.
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
        mica_message_catalog(message), MICA_OFFER_RESOURCE, uri->text);
    if (message->execution.target == NULL &&
        !find_template(message, &arguments))
        refuse_unknown(message);
    else
        mica_message_run(message, arguments, mica_finish_read);
}
