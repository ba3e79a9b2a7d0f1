// SPDX-License-Identifier: Apache-2.0
//
// The OpenAPI 3.1 document, from the same definitions that are called: a path for
// each tool, with its schemas and examples. Schemas stand under components, by the
// name of their tool, so that references in them have a place to point to.
#include "base/words.h"
#include "rest/openapi_parts.h"
#include "rest/request.h"

enum {
    NAME_BYTES = 256, // of a component
    READ_BYTES = 16 << 20
};

struct document {
    struct mica_json_writer writer;
    struct mica_arena arena; // of one tool
    const struct mica_openapi *options;
    const struct mica_endpoint *endpoint;
};

static void
document_field(struct document *d, const char *namez, const char *textz)
{
    mica_json_field(&d->writer, namez, mica_text(textz));
}

static void
document_open(struct document *d, const char *namez)
{
    mica_json_name(&d->writer, namez);
    mica_json_open_object(&d->writer);
}

static void
document_close(struct document *d)
{
    mica_json_close_object(&d->writer);
}

static void
document_reference(struct document *d, const char *namez, const char *kind,
                   const char *part, struct mica_text of)
{
    char room[NAME_BYTES];
    struct mica_buffer path = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_buffer_format(&path, "#/components/%s/%.*s%s", kind, MICA_ARG(of),
                       part);
    document_open(d, namez);
    mica_json_field(&d->writer, "$ref", mica_buffer_as_text(&path));
    document_close(d);
}

static void
refer_response(struct document *d, const char *status, const char *name)
{
    document_reference(d, status, "responses", name, (struct mica_text){"", 0});
}

// ---- Schemas --------------------------------------------------------------------

static bool
document_read(struct document *d, struct mica_text text,
              struct mica_json *value_out)
{
    mica_arena_reset(&d->arena);
    return text.len > 0 &&
           mica_json_read(&d->arena, text, NULL, NULL, value_out) == MICA_OK;
}

static void
write_schema(struct document *d, struct mica_text tool, const char *part,
             struct mica_text schema)
{
    char room[NAME_BYTES];
    struct mica_buffer name = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    struct mica_json value;

    if (!document_read(d, schema, &value))
        return;
    mica_buffer_format(&name, "%.*s%s", MICA_ARG(tool), part);
    mica_json_name_text(&d->writer, mica_buffer_as_text(&name));
    mica_openapi_schema(&value, mica_buffer_as_text(&name), &d->writer);
}

// ---- Parameters of a GET ---------------------------------------------------------

static bool
is_required(const struct mica_json *schema, struct mica_text name)
{
    const struct mica_json *required = mica_json_get(schema, "required");

    for (size_t i = 0; required != NULL && i < required->count; i++) {
        if (mica_text_equal(required->items[i].text, name))
            return true;
    }
    return false;
}

// What a query has no plain form for is written as JSON in it.
static bool
is_plain(const struct mica_json *schema)
{
    struct mica_text type = mica_json_get_text(schema, "type");
    const struct mica_json *items = mica_json_get(schema, "items");

    if (mica_text_is(type, "array"))
        return items != NULL && is_plain(items) &&
               !mica_text_is(mica_json_get_text(items, "type"), "array");
    return mica_text_is(type, "string") || mica_text_is(type, "number") ||
           mica_text_is(type, "integer") || mica_text_is(type, "boolean");
}

static void
write_parameter(struct document *d, const struct mica_definition *tool,
                const struct mica_json *schema,
                const struct mica_json_member *member)
{
    struct mica_text description =
        mica_json_get_text(&member->value, "description");
    char room[NAME_BYTES];
    struct mica_buffer component = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_buffer_format(&component, "%.*s.input", MICA_ARG(tool->name));
    mica_json_open_object(&d->writer);
    mica_json_field(&d->writer, "name", member->name);
    document_field(d, "in", "query");
    if (description.len > 0)
        mica_json_field(&d->writer, "description", description);
    mica_json_name(&d->writer, "required");
    mica_json_boolean(&d->writer, is_required(schema, member->name));
    if (!is_plain(&member->value)) {
        document_open(d, "content");
        document_open(d, "application/json");
    }
    mica_json_name(&d->writer, "schema");
    mica_openapi_schema(&member->value, mica_buffer_as_text(&component),
                        &d->writer);
    if (!is_plain(&member->value)) {
        document_close(d);
        document_close(d);
    }
    document_close(d);
}

static void
write_parameters(struct document *d, const struct mica_definition *tool)
{
    const struct mica_json *properties;
    struct mica_json schema;

    if (!document_read(d, tool->input_schema, &schema))
        return;
    properties = mica_json_get(&schema, "properties");
    mica_json_name(&d->writer, "parameters");
    mica_json_open_array(&d->writer);
    for (size_t i = 0; properties != NULL && i < properties->count; i++)
        write_parameter(d, tool, &schema, &properties->members[i]);
    mica_json_raw(
        &d->writer,
        MICA_LITERAL(
            "{\"name\":\"@sha256\",\"in\":\"query\",\"description\":\"At "
            "least 16 digits of the engine's hash: the result of that build "
            "alone, which never changes.\",\"schema\":{\"type\":\"string\","
            "\"minLength\":16}}"));
    mica_json_close_array(&d->writer);
}

// ---- Operations -------------------------------------------------------------------

static void
write_scopes(struct document *d, const struct mica_definition *tool)
{
    struct mica_text rest = tool->scope, word;

    if (!d->options->secured)
        return;
    mica_json_name(&d->writer, "security");
    mica_json_open_array(&d->writer);
    mica_json_open_object(&d->writer);
    mica_json_name(&d->writer, "bearer");
    mica_json_open_array(&d->writer);
    while (mica_words_next(&rest, &word))
        mica_json_string(&d->writer, word);
    mica_json_close_array(&d->writer);
    mica_json_close_object(&d->writer);
    mica_json_close_array(&d->writer);
}

static void
write_result(struct document *d, const struct mica_definition *tool)
{
    document_open(d, "200");
    document_field(d, "description", "What the tool gave.");
    if (tool->sha256.len > 0)
        mica_json_raw(&d->writer,
                      MICA_LITERAL("\"headers\":{\"ETag\":{\"description\":"
                                   "\"Of a GET: of engine and input.\","
                                   "\"schema\":{\"type\":\"string\"}}}"));
    document_open(d, "content");
    document_open(d, "application/json");
    if (tool->output_schema.len > 0) {
        document_reference(d, "schema", "schemas", ".output", tool->name);
    } else {
        mica_json_name(&d->writer, "schema");
        mica_json_raw(&d->writer, MICA_LITERAL("{}"));
    }
    document_close(d);
    document_close(d);
    document_close(d);
}

static void
write_responses(struct document *d, const struct mica_definition *tool,
                bool get)
{
    bool native = tool->sha256.len == 0;

    document_open(d, "responses");
    write_result(d, tool);
    if (native)
        refer_response(d, "202", "Accepted");
    if (get)
        refer_response(d, "304", "Unchanged");
    refer_response(d, "400", "Problem");
    if (d->options->secured) {
        refer_response(d, "401", "Problem");
        refer_response(d, "403", "Problem");
    }
    if (native)
        refer_response(d, "409", "Problem");
    refer_response(d, "413", "Problem");
    refer_response(d, "422", "Problem");
    refer_response(d, "503", "Busy");
    refer_response(d, "504", "Problem");
    refer_response(d, "default", "Problem");
    document_close(d);
}

static void
write_head(struct document *d, const struct mica_definition *tool,
           const char *suffix)
{
    char room[NAME_BYTES];
    struct mica_buffer id = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_buffer_format(&id, "%.*s%s", MICA_ARG(tool->name), suffix);
    mica_json_field(&d->writer, "operationId", mica_buffer_as_text(&id));
    mica_json_field(&d->writer, "summary",
                    tool->title.len > 0 ? tool->title : tool->name);
    mica_json_field(&d->writer, "description", tool->description);
    if (tool->category.len > 0) {
        mica_json_name(&d->writer, "tags");
        mica_json_open_array(&d->writer);
        mica_json_string(&d->writer, tool->category);
        mica_json_close_array(&d->writer);
    }
    write_scopes(d, tool);
}

static void
write_examples(struct document *d, const struct mica_definition *tool)
{
    struct mica_json examples;
    unsigned number = 0;

    if (!document_read(d, tool->examples, &examples))
        return;
    document_open(d, "examples");
    for (size_t i = 0; i < examples.count; i++) {
        const struct mica_json *example = &examples.items[i];
        const struct mica_json *input = mica_json_get(example, "input");
        struct mica_text title = mica_json_get_text(example, "title");
        char room[32];
        struct mica_buffer name = {
            .ptr = room, .capacity = sizeof room - 1, .max = sizeof room - 1};
        if (input == NULL)
            continue;
        mica_buffer_format(&name, "%u", ++number);
        mica_json_name_text(&d->writer, mica_buffer_as_text(&name));
        mica_json_open_object(&d->writer);
        if (title.len > 0)
            mica_json_field(&d->writer, "summary", title);
        mica_json_name(&d->writer, "value");
        mica_json_value(&d->writer, input);
        document_close(d);
    }
    document_close(d);
}

static void
write_post(struct document *d, const struct mica_definition *tool)
{
    document_open(d, "post");
    write_head(d, tool, "");
    if (tool->sha256.len == 0)
        mica_json_raw(
            &d->writer,
            MICA_LITERAL("\"parameters\":[{\"$ref\":\"#/components/parameters/"
                         "IdempotencyKey\"},{\"$ref\":\"#/components/"
                         "parameters/Asks\"}]"));
    document_open(d, "requestBody");
    mica_json_name(&d->writer, "required");
    mica_json_boolean(&d->writer, true);
    document_open(d, "content");
    document_open(d, "application/json");
    document_reference(d, "schema", "schemas", ".input", tool->name);
    write_examples(d, tool);
    document_close(d);
    document_close(d);
    document_close(d);
    write_responses(d, tool, false);
    document_close(d);
}

static void
write_path(struct document *d, const struct mica_definition *tool)
{
    char room[NAME_BYTES];
    struct mica_buffer path = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_buffer_format(&path, "/api/%.*s", MICA_ARG(tool->name));
    mica_json_name_text(&d->writer, mica_buffer_as_text(&path));
    mica_json_open_object(&d->writer);
    if (tool->sha256.len > 0) {
        document_open(d, "get");
        write_head(d, tool, ".get");
        write_parameters(d, tool);
        write_responses(d, tool, true);
        document_close(d);
    }
    write_post(d, tool);
    document_close(d);
}

static bool
is_offered(const struct mica_openapi *options,
           const struct mica_definition *tool)
{
    return options->message != NULL ? mica_rest_offers(options->message, tool)
                                    : mica_definition_for_models(tool);
}

// ---- The document -----------------------------------------------------------------

static void
write_info(struct document *d)
{
    const struct mica_implementation *of = &d->endpoint->implementation;

    document_field(d, "openapi", "3.1.0");
    document_open(d, "info");
    document_field(d, "title", of->title != NULL ? of->title : of->name);
    document_field(d, "version", of->version);
    if (of->description != NULL)
        document_field(d, "description", of->description);
    document_close(d);
    mica_json_name(&d->writer, "servers");
    mica_json_open_array(&d->writer);
    mica_json_open_object(&d->writer);
    document_field(d, "url", d->options->url != NULL ? d->options->url : "/");
    document_close(d);
    mica_json_close_array(&d->writer);
}

static void
write_components(struct document *d, const struct mica_definition_list *tools)
{
    document_open(d, "components");
    document_open(d, "schemas");
    mica_openapi_common_schemas(d->options->form, &d->writer);
    for (size_t i = 0; i < tools->count; i++) {
        const struct mica_definition *tool = tools->items[i];
        if (!is_offered(d->options, tool))
            continue;
        write_schema(d, tool->name, ".input", tool->input_schema);
        write_schema(d, tool->name, ".output", tool->output_schema);
    }
    document_close(d);
    document_open(d, "responses");
    mica_openapi_common_responses(d->options->form, &d->writer);
    document_close(d);
    document_open(d, "parameters");
    mica_openapi_common_parameters(&d->writer);
    document_close(d);
    if (d->options->secured) {
        document_open(d, "securitySchemes");
        document_open(d, "bearer");
        document_field(d, "type", "http");
        document_field(d, "scheme", "bearer");
        document_close(d);
        document_close(d);
    }
    document_close(d);
}

void
mica_openapi_write(const struct mica_endpoint *endpoint,
                   const struct mica_openapi *options,
                   struct mica_buffer *buffer)
{
    const struct mica_catalog *catalog =
        options->catalog != NULL ? options->catalog : endpoint->catalog;
    const struct mica_definition_list *tools =
        &catalog->lists[MICA_DEFINITION_TOOL];
    struct document d = {.options = options, .endpoint = endpoint};
    bool calls = false;

    mica_arena_init(&d.arena, READ_BYTES);
    mica_json_writer_init(&d.writer, buffer);
    mica_json_open_object(&d.writer);
    write_info(&d);
    document_open(&d, "paths");
    for (size_t i = 0; i < tools->count; i++) {
        if (!is_offered(options, tools->items[i]))
            continue; // REST refuses it
        write_path(&d, tools->items[i]);
        calls = calls || tools->items[i]->sha256.len == 0;
    }
    mica_openapi_common_paths(calls, &d.writer);
    document_close(&d);
    write_components(&d, tools);
    if (options->secured)
        mica_json_raw(&d.writer,
                      MICA_LITERAL("\"security\":[{\"bearer\":[]}]"));
    document_close(&d);
    mica_arena_fini(&d.arena);
}
