// SPDX-License-Identifier: Apache-2.0
//
// /api/{name}: one call of a tool. POST has its arguments as JSON. GET has them in
// the query and is for engines, whose result depends on nothing else.
#include <string.h>

#include "rest/request.h"
#include "json/exact.h"

static const struct mica_text none = {NULL, 0};

// A parameter that is no argument: the build that the address is about.
#define BUILD "@sha256"

// Short enough for an address, long enough for nothing else to have it.
enum {
    BUILD_DIGITS = 16
};

// ---- POST -----------------------------------------------------------------------

// An engine reads its arguments itself, in its sandbox; a handler outside of one
// is given JSON.
static bool
is_object(struct mica_message *message, struct mica_text body)
{
    struct mica_json_limits limits = {
        .bytes = message->server->options.message_bytes};
    struct mica_json value;
    struct mica_error error;
    enum mica_status status;

    if (message->execution.target->runnable.inline_first)
        return true;
    status = mica_json_read(message->arena, body, &limits, &error, &value);
    if (status == MICA_OK && value.kind != MICA_JSON_OBJECT)
        status = mica_error_set(&error, MICA_E_TYPE, "",
                                "The body must be an object: the arguments of "
                                "the tool. It is %s",
                                mica_json_kind_name(value.kind));
    if (status != MICA_OK)
        mica_rest_fail(message, &error);
    return status == MICA_OK;
}

static void
call_posted(struct mica_message *message)
{
    struct mica_text body = message->request.http->body;

    if (message->request.http->query.len > 0)
        mica_rest_refuse(message, 422, MICA_E_UNKNOWN, "",
                         "A POST has its arguments in the body, and no query");
    else if (body.len == 0)
        mica_message_call(message, MICA_LITERAL("{}"),
                          mica_rest_of(message)->idempotency_key);
    else if (is_object(message, body))
        mica_message_call(message, body,
                          mica_rest_of(message)->idempotency_key);
}

// ---- GET ------------------------------------------------------------------------

// Takes the build off the query. False: it is another one than is offered.
static bool
take_build(struct mica_message *message, struct mica_query *query)
{
    struct mica_text sha256 = message->execution.target->sha256;
    size_t kept = 0;

    for (size_t i = 0; i < query->count; i++) {
        struct mica_text given = query->pairs[i].value;
        if (!mica_text_is(query->pairs[i].name, BUILD)) {
            query->pairs[kept++] = query->pairs[i];
            continue;
        }
        if (given.len < BUILD_DIGITS || given.len > sha256.len ||
            memcmp(given.ptr, sha256.ptr, given.len) != 0) {
            mica_message_refuse(message, MICA_E_NOT_FOUND,
                                "That build of the engine is not the one that "
                                "is offered; leave " BUILD " out");
            return false;
        }
        mica_rest_of(message)->immutable = true;
    }
    query->count = kept;
    return true;
}

static enum mica_status
read_arguments(struct mica_message *message, const struct mica_query *query,
               struct mica_error *error, struct mica_text *arguments_out)
{
    const char *help =
        mica_base_path_text(message->arena, MICA_LITERAL("GET "), "%s",
                            mica_rest_address(message, "/openapi.json"))
            .ptr;
    struct mica_json schema;

    MICA_TRY(mica_json_read(message->arena,
                            message->execution.target->input_schema, NULL,
                            error, &schema));
    return mica_pairs_read(message->arena, &schema, query->pairs, query->count,
                           help, error, arguments_out);
}

// The same input has the same tag, however it is written.
static void
message_tag(struct mica_message *message, struct mica_text arguments)
{
    struct mica_rest *rest = mica_rest_of(message);
    struct mica_buffer canonical;
    struct mica_json value;

    mica_buffer_init(&canonical, message->arena, arguments.len * 8 + 1024);
    if (mica_json_read(message->arena, arguments, NULL, NULL, &value) !=
            MICA_OK ||
        mica_json_exact(message->arena, &canonical, &value) != MICA_OK ||
        canonical.overflow)
        mica_rest_tag(rest, message->execution.target->sha256, arguments);
    else
        mica_rest_tag(rest, message->execution.target->sha256,
                      mica_buffer_as_text(&canonical));
    rest->pure = true;
}

static void
call_read(struct mica_message *message)
{
    struct mica_query query;
    struct mica_text arguments;
    struct mica_error error;
    enum mica_status status = mica_query_read(
        message->arena, message->request.http->query, &error, &query);

    if (status != MICA_OK) {
        mica_rest_refuse(message, status == MICA_E_LIMIT ? 414 : 400, status,
                         "", "%s", error.message);
        return;
    }
    if (!take_build(message, &query))
        return;
    status = read_arguments(message, &query, &error, &arguments);
    if (status != MICA_OK) {
        mica_rest_fail(message, &error);
        return;
    }
    mica_message_call(message, arguments, none);
    if (message->step != MICA_STEP_WORK)
        return; // a caller that may not call it is told nothing
    message_tag(message, arguments);
    // The tag was made of an engine and an input that had a result: it still has
    // the same.
    if (mica_rest_matches(message, false))
        mica_rest_unchanged(message);
}

// ---- Who may call it ------------------------------------------------------------------

bool
mica_rest_offers(const struct mica_message *message,
                 const struct mica_definition *tool)
{
    if (message->relayer == NULL)
        return mica_definition_for_models(tool);
    return mica_definition_for_views(tool) &&
           !mica_definition_for_requests(tool);
}

// A request of REST comes from a program, and nothing in it shows that a view sends it: only
// http_request says so.
bool
mica_rest_may_call(struct mica_message *message,
                   const struct mica_definition *tool)
{
    if (mica_rest_offers(message, tool))
        return true;
    if (message->relayer == NULL)
        mica_rest_refuse(message, 403, MICA_E_VIEW_ONLY, "",
                         "Only views of this server may call %.*s, by way of "
                         "their host; GET %s lists the tools for programs",
                         MICA_ARG(tool->name),
                         mica_rest_address(message, "/api"));
    else if (mica_definition_for_requests(tool))
        mica_rest_refuse(message, 403, MICA_E_NOT_MOUNTED, "",
                         "A request of a view is not carried twice");
    else
        mica_rest_refuse(message, 403, MICA_E_MODEL_ONLY, "",
                         "No view may call %.*s; GET %s lists the tools for "
                         "views",
                         MICA_ARG(tool->name),
                         mica_rest_address(message, "/api"));
    return false;
}

void
mica_rest_tool(struct mica_message *message, struct mica_text name)
{
    const struct mica_rest *rest = mica_rest_of(message);
    bool pure;

    if (mica_text_is(rest->method, "OPTIONS")) {
        mica_rest_only(message, "GET, HEAD, POST, OPTIONS", "%s", "");
        return;
    }
    if (!mica_message_tool(message, name) ||
        !mica_rest_may_call(message, message->execution.target))
        return;
    message->request.method =
        MICA_LITERAL("tools/call"); // as rounds are bound to it
    message->reply.known = true;
    pure = message->execution.target->sha256.len > 0;
    if (mica_text_is(rest->method, "POST"))
        call_posted(message);
    else if (rest->reads && pure)
        call_read(message);
    else if (pure)
        mica_rest_only(message, "GET, HEAD, POST, OPTIONS",
                       "Use POST with the arguments as JSON, or GET with a "
                       "query");
    else
        mica_rest_only(message, "POST, OPTIONS",
                       "Use POST with the arguments as JSON; GET is for "
                       "engines, which depend on their arguments alone");
}
