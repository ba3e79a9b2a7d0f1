// SPDX-License-Identifier: Apache-2.0
//
// x-mcp-header (SEP-2243): arguments of a tool that clients repeat in headers, so that
// proxies can route by them. Clients ignore a tool with a wrong annotation, so the
// registry refuses it.
#include "registry/header_params.h"

#include <string.h>

#include "base/ascii.h"
#include "protocol/header_value.h"

enum {
    PARAMS = 64,         // of one tool
    POINTER_BYTES = 4096 // of the path to one argument
};

static const struct mica_text none = {NULL, 0};

// ---- At registration ---------------------------------------------------------

struct finder {
    struct mica_definition *definition;
    struct mica_param **end; // where the next one is linked
    size_t count;
    struct mica_error *error;
};

static bool
same_name(struct mica_text a, struct mica_text b)
{
    bool same = a.len == b.len;

    for (size_t i = 0; same && i < a.len; i++)
        same = mica_ascii_lower(a.ptr[i]) == mica_ascii_lower(b.ptr[i]);
    return same;
}

static enum mica_status
finder_refuse(struct finder *finder, struct mica_text name, const char *why)
{
    return mica_error_set(finder->error, MICA_E_USAGE, "",
                          "tool '%.*s': x-mcp-header \"%.*s\" %s",
                          MICA_ARG(finder->definition->name),
                          MICA_ARG(mica_text_slice(name, 0, 64)), why);
}

static bool
find_kind(const struct mica_json *schema, enum mica_param_kind *kind_out)
{
    struct mica_text type = mica_json_get_text(schema, "type");

    if (mica_text_is(type, "string"))
        *kind_out = MICA_PARAM_STRING;
    else if (mica_text_is(type, "integer"))
        *kind_out = MICA_PARAM_INTEGER;
    else if (mica_text_is(type, "boolean"))
        *kind_out = MICA_PARAM_BOOLEAN;
    else
        return false;
    return true;
}

static enum mica_status
finder_add(struct finder *finder, const struct mica_json *annotation,
           const struct mica_json *schema, struct mica_text pointer)
{
    struct mica_arena *arena = &finder->definition->arena;
    struct mica_text name = annotation->text;
    struct mica_param *param;

    if (annotation->kind != MICA_JSON_STRING || !mica_header_is_token(name))
        return finder_refuse(
            finder, annotation->kind == MICA_JSON_STRING ? name : none,
            "must be a string that can end the name of a header");
    for (const struct mica_param *other = finder->definition->params;
         other != NULL; other = other->next) {
        if (same_name(other->name, name))
            return finder_refuse(finder, name,
                                 "is there twice (case does not count)");
    }
    if (++finder->count > PARAMS)
        return finder_refuse(finder, name,
                             "is one more than the 64 a tool may have");
    param = mica_arena_zero(arena, 1, sizeof *param);
    if (param == NULL)
        return finder_refuse(finder, name, "finds no memory");
    if (!find_kind(schema, &param->kind))
        return finder_refuse(
            finder, name,
            "must be on a property whose type is string, integer or "
            "boolean");
    param->name = mica_arena_text(arena, name);
    param->pointer = mica_arena_text(arena, pointer);
    *finder->end = param;
    finder->end = &param->next;
    return MICA_OK;
}

// Refuses an annotation in any other place than a property below properties.
static enum mica_status
find_misplaced(struct finder *finder, const struct mica_json *value)
{
    const struct mica_json *annotation = mica_json_get(value, "x-mcp-header");

    if (annotation != NULL)
        return finder_refuse(
            finder, annotation->text,
            "must be in a property that is reached from the root by "
            "\"properties\" alone");
    for (size_t i = 0; i < value->count; i++) {
        if (value->kind == MICA_JSON_ARRAY)
            MICA_TRY(find_misplaced(finder, &value->items[i]));
        else
            MICA_TRY(find_misplaced(finder, &value->members[i].value));
    }
    return MICA_OK;
}

static enum mica_status finder_find(struct finder *finder,
                                    const struct mica_json *schema,
                                    struct mica_buffer *pointer);

static enum mica_status
find_in_properties(struct finder *finder, const struct mica_json *properties,
                   struct mica_buffer *pointer)
{
    for (size_t i = 0; i < properties->count; i++) {
        const struct mica_json_member *member = &properties->members[i];
        const struct mica_json *annotation =
            mica_json_get(&member->value, "x-mcp-header");
        size_t before = pointer->len;
        mica_json_pointer_add(pointer, member->name);
        if (annotation != NULL && pointer->overflow)
            return finder_refuse(finder, annotation->text,
                                 "is nested too deep");
        if (annotation != NULL)
            MICA_TRY(finder_add(finder, annotation, &member->value,
                                mica_buffer_as_text(pointer)));
        MICA_TRY(finder_find(finder, &member->value, pointer));
        pointer->len = before;
    }
    return MICA_OK;
}

// Finds the annotations below `schema`. The caller has handled `schema` itself.
static enum mica_status
finder_find(struct finder *finder, const struct mica_json *schema,
            struct mica_buffer *pointer)
{
    if (schema->kind != MICA_JSON_OBJECT)
        return MICA_OK; // true or false: a schema without members
    for (size_t i = 0; i < schema->count; i++) {
        const struct mica_json_member *member = &schema->members[i];
        if (mica_text_is(member->name, "properties") &&
            member->value.kind == MICA_JSON_OBJECT)
            MICA_TRY(find_in_properties(finder, &member->value, pointer));
        else if (!mica_text_is(member->name, "x-mcp-header"))
            MICA_TRY(find_misplaced(finder, &member->value));
    }
    return MICA_OK;
}

// Does the schema have any annotation? Most have none.
static bool
has_any(struct mica_text schema)
{
    const struct mica_text word = MICA_LITERAL("x-mcp-header");

    for (size_t i = 0; i + word.len <= schema.len; i++) {
        if (memcmp(schema.ptr + i, word.ptr, word.len) == 0)
            return true;
    }
    return false;
}

// [HTTP-ANNOTATION]
enum mica_status
mica_params_define(struct mica_definition *definition, struct mica_error *error)
{
    struct finder finder = {
        .definition = definition, .end = &definition->params, .error = error};
    struct mica_buffer pointer;
    struct mica_json schema;
    struct mica_arena arena;
    enum mica_status status;

    if (!has_any(definition->input_schema))
        return MICA_OK;
    mica_arena_init(&arena, 16 << 20);
    mica_buffer_init(&pointer, &arena, POINTER_BYTES);
    memset(&schema, 0, sizeof schema);
    status =
        mica_json_read(&arena, definition->input_schema, NULL, error, &schema);
    if (status == MICA_OK)
        status = finder_find(&finder, &schema, &pointer);
    mica_arena_fini(&arena);
    return status;
}

// ---- At a call ---------------------------------------------------------------

static bool
refuse_param(struct mica_problem *problem, const struct mica_param *param,
             const char *what)
{
    return mica_problem_set(problem, 400, MICA_RPC_HEADER, MICA_E_FORMAT, none,
                            "Header mismatch: Mcp-Param-%.*s %s",
                            MICA_ARG(param->name), what);
}

// Counts the occurrences of the header, and reads its value.
static size_t
find_header(const struct mica_http_request *request,
            const struct mica_param *param, struct mica_text *value_out)
{
    static const char prefix[] = "mcp-param-";
    size_t length = sizeof prefix - 1, count = 0;

    for (size_t i = 0; i < request->header_count; i++) {
        struct mica_text name = request->headers[i].name;
        if (name.len == length + param->name.len &&
            same_name(mica_text_slice(name, 0, length), mica_text(prefix)) &&
            same_name(mica_text_slice(name, length, name.len), param->name)) {
            *value_out = request->headers[i].value;
            count++;
        }
    }
    return count;
}

// Integers are compared by value: 42 equals 42.0.
static bool
is_same(const struct mica_param *param, const struct mica_json *argument,
        struct mica_text header)
{
    int64_t a, b;

    switch (param->kind) {
    case MICA_PARAM_STRING:
        return mica_text_equal(argument->text, header);
    case MICA_PARAM_BOOLEAN:
        return mica_text_equal(argument->raw, header);
    case MICA_PARAM_INTEGER:
        return mica_text_equal(argument->raw, header) ||
               (mica_integer_read(argument->raw, &a) &&
                mica_integer_read(header, &b) && a == b);
    }
    return false;
}

// A value of another type is not compared: the tool's decoder reports it.
static bool
has_kind(const struct mica_param *param, const struct mica_json *argument)
{
    switch (param->kind) {
    case MICA_PARAM_STRING:
        return argument->kind == MICA_JSON_STRING;
    case MICA_PARAM_INTEGER:
        return argument->kind == MICA_JSON_NUMBER;
    case MICA_PARAM_BOOLEAN:
        return argument->kind == MICA_JSON_TRUE ||
               argument->kind == MICA_JSON_FALSE;
    }
    return false;
}

static bool
check_param(const struct mica_param *param,
            const struct mica_http_request *request,
            const struct mica_json *arguments, struct mica_arena *arena,
            struct mica_problem *problem)
{
    const struct mica_json *argument =
        arguments != NULL ? mica_json_pointer_get(arguments, param->pointer)
                          : NULL;
    struct mica_text header = none, decoded = none;
    size_t count = find_header(request, param, &header);
    bool given = argument != NULL && argument->kind != MICA_JSON_NULL;

    if (count > 1)
        return refuse_param(problem, param, "is there twice");
    if (!given)
        return count == 0 ||
               refuse_param(problem, param, "is there without its argument");
    if (count == 0)
        return refuse_param(problem, param, "is missing");
    if (!mica_header_decode(arena, header, &decoded))
        return refuse_param(
            problem, param,
            "is malformed; encode what is not printable ASCII as "
            "=?base64?…?=");
    if (has_kind(param, argument) && !is_same(param, argument, decoded))
        return refuse_param(problem, param, "differs from its argument");
    return true;
}

// [HTTP-PARAM]
bool
mica_params_check(const struct mica_param *params,
                  const struct mica_http_request *request,
                  const struct mica_json *arguments, struct mica_arena *arena,
                  struct mica_problem *problem)
{
    for (; params != NULL; params = params->next) {
        if (!check_param(params, request, arguments, arena, problem))
            return false;
    }
    return true;
}
