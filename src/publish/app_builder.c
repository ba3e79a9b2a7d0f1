// SPDX-License-Identifier: Apache-2.0
//
// Makes the endpoint of the builder, and runs its tools: arguments become the request of an
// act, its answer the result. Schemas are for clients; the acts check what comes.
#include "publish/app_builder.h"

#include <string.h>

#include <mica/server.h>

#include "call/call.h"
#include "publish/builder_tools.h"
#include "registry/catalog.h"
#include "registry/definition.h"
#include "server/server.h"

#ifndef MICA_VERSION // meson sets it; this serves the checkers
#    define MICA_VERSION "0.0.0"
#endif

enum {
    // server/tool_result.c writes an error into texts of 4 and 8 KiB.
    MESSAGE_BYTES = 3 * 1024,
    ERROR_BYTES = 7 * 1024,
    JSON_BYTES = 16 * 1024, // of an error with what JSON escapes
    FINDINGS = 8,           // of a refused draft that an agent is told at once
    BODY_BYTES = MICA_ACT_BODY_BYTES,
    ADDRESS_BYTES = 1280
};

// In the definition of a tool.
struct tool {
    const struct mica_builder_tool *row;
    const struct mica_builder *builder;
};

// ---- Requests --------------------------------------------------------------------

// The argument that names what the act is about.
static const char *
name_argument(const struct mica_builder_tool *row)
{
    return mica_act_of_collection(row->act) ? "collection" : "app";
}

static bool
is_own_member(const struct mica_builder_tool *row, struct mica_text name)
{
    return mica_text_is(name, name_argument(row)) ||
           mica_text_is(name, "revision") ||
           (row->act == MICA_ACT_PREVIEW && mica_text_is(name, "html"));
}

// Writes the arguments without those that are no part of the act.
static struct mica_text
body_of(const struct mica_builder_tool *row, const struct mica_json *arguments,
        struct mica_arena *arena)
{
    struct mica_json_writer writer;
    struct mica_buffer body;

    if (row->wrapped != NULL) {
        const struct mica_json *inner = mica_json_get(arguments, row->wrapped);
        return inner != NULL ? inner->raw : MICA_LITERAL("{}");
    }
    mica_buffer_init(&body, arena, BODY_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < arguments->count; i++) {
        if (is_own_member(row, arguments->members[i].name))
            continue;
        mica_json_name_text(&writer, arguments->members[i].name);
        mica_json_value(&writer, &arguments->members[i].value);
    }
    mica_json_close_object(&writer);
    return mica_buffer_as_text(&body);
}

static bool
is_known_member(const struct mica_builder_tool *row, struct mica_text name)
{
    return row->wrapped == NULL || mica_text_is(name, row->wrapped) ||
           is_own_member(row, name);
}

static enum mica_status
request_read(const struct mica_builder_tool *row, struct mica_text text,
             struct mica_arena *arena, struct mica_error *error,
             struct mica_json *arguments, struct mica_act_request *request_out)
{
    const struct mica_json_limits limits = {.bytes = BODY_BYTES};
    const struct mica_json *revision;

    MICA_TRY(mica_json_read(arena, text, &limits, error, arguments));
    for (size_t i = 0; i < arguments->count; i++)
        if (!is_known_member(row, arguments->members[i].name))
            return mica_error_set(error, MICA_E_CONFIG, "",
                                  "%s takes no argument beside %s, revision "
                                  "and %s",
                                  row->name, name_argument(row), row->wrapped);
    *request_out = (struct mica_act_request){
        .act = row->act,
        .app = mica_json_get_text(arguments, name_argument(row)),
        .body = body_of(row, arguments, arena)};
    revision = mica_json_get(arguments, "revision");
    if (revision != NULL &&
        (revision->kind != MICA_JSON_NUMBER ||
         !mica_integer_read(revision->text, &request_out->revision) ||
         request_out->revision < 0))
        return mica_error_set(error, MICA_E_CONFIG, "/revision",
                              "revision must be a whole number");
    return MICA_OK;
}

// ---- Failures --------------------------------------------------------------------

// Adds what is to be mended, one line each: a model reads the text of an error alone. A
// caller of /api/apps reads the findings themselves.
static void
add_findings(const struct mica_call *call, const struct mica_json *findings,
             struct mica_buffer *message)
{
    size_t count = findings != NULL && findings->kind == MICA_JSON_ARRAY
                       ? findings->count
                       : 0;

    if (call->owner != NULL && call->owner->context.surface != NULL)
        return;
    for (size_t i = 0; i < count && i < FINDINGS; i++) {
        const struct mica_json *finding = &findings->items[i];
        mica_buffer_format(
            message, "\n- %.*s %.*s: %.*s",
            MICA_ARG(mica_json_get_text(finding, "severity")),
            MICA_ARG(mica_json_get_text(finding, "path")),
            MICA_ARG(mica_utf8_cut(mica_json_get_text(finding, "message"),
                                   MESSAGE_BYTES / FINDINGS - 64)));
    }
    if (count > FINDINGS)
        mica_buffer_format(message, "\n- and %zu more", count - FINDINGS);
}

// Writes details that fit: those of the first findings.
static void
write_details(const struct mica_json *details, struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    for (size_t i = 0; i < details->count; i++) {
        const struct mica_json_member *member = &details->members[i];
        mica_json_name_text(writer, member->name);
        if (!mica_text_is(member->name, "findings")) {
            mica_json_value(writer, &member->value);
            continue;
        }
        mica_json_open_array(writer);
        for (size_t j = 0; j < member->value.count && j < FINDINGS; j++)
            mica_json_value(writer, &member->value.items[j]);
        mica_json_close_array(writer);
    }
    mica_json_close_object(writer);
}

static void
fail_with(struct mica_call *call, const struct mica_app_error *error,
          struct mica_arena *arena)
{
    struct mica_app_error shown = *error;
    struct mica_buffer message, details, json;
    struct mica_json_writer writer;
    struct mica_json value = {.kind = MICA_JSON_OBJECT};

    if (error->details.len > 0 &&
        mica_json_read(arena, error->details, NULL, NULL, &value) != MICA_OK)
        value = (struct mica_json){.kind = MICA_JSON_OBJECT};
    mica_buffer_init(&message, arena, MESSAGE_BYTES);
    mica_buffer_text(&message, error->message);
    add_findings(call, mica_json_get(&value, "findings"), &message);
    mica_buffer_init(&details, arena, ERROR_BYTES - MESSAGE_BYTES);
    mica_json_writer_init(&writer, &details);
    write_details(&value, &writer);
    shown.message = mica_buffer_as_text(&message);
    shown.details = details.overflow ? (struct mica_text){NULL, 0}
                                     : mica_buffer_as_text(&details);
    mica_buffer_init(&json, call->arena, JSON_BYTES);
    mica_json_writer_init(&writer, &json);
    mica_app_error_write(&writer, &shown);
    mica_call_fail(call, error->status, "", "%.*s", MICA_ARG(error->message));
    if (!json.overflow)
        call->result.error = mica_buffer_as_text(&json);
}

static void
fail_early(struct mica_call *call, const struct mica_error *error,
           struct mica_arena *arena)
{
    struct mica_app_error own;

    mica_app_error_make(error, arena, &own);
    if (mica_status_kind(error->status) == MICA_INPUT)
        own.status = MICA_E_CONFIG;
    fail_with(call, &own, arena);
}

// ---- Results ---------------------------------------------------------------------

// Where a person sees the preview, and the document if it is wanted.
static struct mica_text
preview_result(struct mica_call *call, const struct mica_acts *acts,
               const struct mica_act_request *request,
               const struct mica_json *arguments, struct mica_text html)
{
    const struct mica_json *wanted = mica_json_get(arguments, "html");
    struct mica_buffer json, address;
    struct mica_json_writer writer;

    mica_buffer_init(&address, call->arena, ADDRESS_BYTES);
    mica_buffer_format(&address, "%.*s/api/apps/%.*s/preview",
                       MICA_ARG(acts->address), MICA_ARG(request->app));
    mica_buffer_init(&json, call->arena, JSON_BYTES);
    mica_json_writer_init(&writer, &json);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "address", mica_buffer_as_text(&address));
    mica_json_name(&writer, "bytes");
    mica_json_integer(&writer, (int64_t)html.len);
    mica_json_close_object(&writer);
    if (wanted != NULL && wanted->kind == MICA_JSON_TRUE) {
        mica_add_text(call, mica_buffer_as_text(&json), NULL);
        mica_add_resource_text(
            call,
            mica_arena_text(call->arena, mica_buffer_as_text(&address)).ptr,
            "text/html", html, NULL);
    }
    return mica_buffer_as_text(&json);
}

struct run {
    const struct tool *tool;
    struct mica_text arguments;
    struct mica_arena *arena; // of the act
};

static void
run_act(struct mica_call *call, void *data)
{
    const struct run *run = data;
    const struct mica_builder *builder = run->tool->builder;
    struct mica_json arguments = {.kind = MICA_JSON_OBJECT};
    struct mica_act_request request = {.act = MICA_ACTS};
    struct mica_act_person person;
    struct mica_act_answer answer;
    struct mica_error error;
    struct mica_acts acts;
    enum mica_status status;

    if (request_read(run->tool->row, run->arguments, run->arena, &error,
                     &arguments, &request) != MICA_OK ||
        builder->acts(builder->data, &error, &acts) != MICA_OK ||
        mica_act_person(&acts, call->principal, run->arena, &error, &person) !=
            MICA_OK) {
        fail_early(call, &error, run->arena);
        return;
    }
    request.call = call;
    status = mica_act_run(&acts, &person, &request, run->arena, &answer);
    if (status == MICA_SUSPENDED)
        return;
    if (status != MICA_OK) {
        fail_with(call, &answer.error, run->arena);
        return;
    }
    call->result.structured =
        answer.html.len > 0
            ? preview_result(call, &acts, &request, &arguments, answer.html)
            : mica_arena_text(call->arena, answer.json);
    if (mica_act_writes(request.act) && builder->changed != NULL)
        builder->changed(builder->data);
}

// The memory of the act is not that of the call, which has its result alone.
static void
tool_run(const struct mica_runnable *self, struct mica_call *call,
         struct mica_text arguments)
{
    struct mica_arena arena;
    struct run run = {self->data, arguments, &arena};

    mica_arena_init(&arena, MICA_ACT_ARENA_BYTES);
    mica_call_guard(call, run_act, &run);
    if (call->arena->overflow && call->result.status == MICA_OK)
        mica_call_fail(call, MICA_E_LIMIT, "",
                       "the result needs more than the memory of a call");
    mica_arena_fini(&arena);
}

// ---- The endpoint ----------------------------------------------------------------

static enum mica_status
tool_add(struct mica_catalog *catalog, const struct mica_builder *builder,
         const struct mica_builder_tool *row, struct mica_error *error)
{
    struct mica_definition *definition =
        mica_definition_new(MICA_DEFINITION_TOOL);
    struct tool *tool;
    enum mica_status status;

    if (definition == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    tool = mica_arena_zero(&definition->arena, 1, sizeof *tool);
    if (tool == NULL) {
        mica_definition_drop(definition);
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    }
    *tool = (struct tool){.row = row, .builder = builder};
    definition->name = definition->key = mica_text(row->name);
    definition->title = mica_text(row->title);
    definition->description = mica_text(row->description);
    definition->input_schema = mica_text(row->input);
    definition->output_schema = mica_text(row->output);
    definition->output_is_object = true;
    definition->hints = row->hints;
    // A test counts as a call of its app, so a client cannot repeat its rounds either.
    definition->asking =
        row->act == MICA_ACT_TEST ? MICA_ASKING_STORED : MICA_ASKING_CARRIED;
    definition->runnable =
        (struct mica_runnable){.run = tool_run, .data = tool};
    status = mica_definition_check(definition, error);
    if (status == MICA_OK && !mica_catalog_add(catalog, definition))
        status = mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_definition_drop(definition);
    return status;
}

enum mica_status
mica_builder_endpoint(const struct mica_builder *builder,
                      struct mica_error *error,
                      struct mica_endpoint **endpoint_out)
{
    static const struct mica_endpoint_parts parts = {
        .key = {MICA_BUILDER_KEY, sizeof MICA_BUILDER_KEY - 1},
        .path = {MICA_BUILDER_PATH, sizeof MICA_BUILDER_PATH - 1},
        .implementation = {.name = "mica-builder",
                           .version = MICA_VERSION,
                           .title = "mica app builder",
                           .description = "Builds and publishes apps"},
        .instructions = mica_builder_instructions,
        .scope = MICA_ACT_SCOPE,
        .page_items = 100,
        .invokes = MICA_INVOKES_SERVER};
    struct mica_catalog *catalog = mica_catalog_new();
    enum mica_status status = MICA_OK;

    if (catalog == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < mica_builder_tool_count && status == MICA_OK; i++)
        status = tool_add(catalog, builder, &mica_builder_tools[i], error);
    if (status != MICA_OK) {
        mica_catalog_drop(catalog);
        return status;
    }
    *endpoint_out = mica_endpoint_make(&parts, catalog);
    if (*endpoint_out == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    (*endpoint_out)->declared = MICA_DECLARED_TOOLS;
    return MICA_OK;
}
