// SPDX-License-Identifier: Apache-2.0
//
// See app_call.h. The surface writes results and refusals in the form of the API of apps.
#include "http/app_call.h"

#include "apps/app_error.h"
#include "http/http.h"
#include "protocol/accept.h"
#include "publish/app_builder.h"
#include "rest/problem_details.h"
#include "server/message.h"
#include "server/message_surface.h"

enum {
    READ_BYTES = 32 << 20,   // to read a body, or a reply
    ERROR_BYTES = 64 << 10,  // of a refusal
    FURTHER_BYTES = 4 << 10, // of arguments, beside the body
    BODY_DEPTH = 64
};

// ---- Refusals --------------------------------------------------------------------------

// Puts the reply into an empty text.
static void
reply_error(struct mica_message *message, struct mica_text code,
            struct mica_text text, struct mica_text details)
{
    enum mica_status status = mica_status_of_code(code);
    struct mica_app_error error = {
        .status = status, .message = text, .details = details};
    struct mica_json_writer writer;

    error.codez = mica_keep_code(message, code, false);
    mica_reply_begin(message);
    mica_json_writer_init(&writer, &message->reply.text);
    mica_app_error_write_body(&writer, &error);
    message->reply.error_code = error.codez;
    message->reply.http_status = (unsigned)mica_status_http(status);
}

// `data` has further members of the error.
static void
call_refuse(struct mica_message *message, const char *codez,
            struct mica_text data, struct mica_text text)
{
    struct mica_buffer details;

    mica_buffer_init(&details, message->arena, ERROR_BYTES);
    mica_buffer_format(&details, "{%.*s}", MICA_ARG(data));
    reply_error(message, mica_text(codez), text,
                details.overflow ? (struct mica_text){NULL, 0}
                                 : mica_buffer_as_text(&details));
}

// An error of a tool: {"code","message","details"} of an act, or mica's own with "path".
static void
reply_failure(struct mica_message *message, const struct mica_json *error)
{
    const struct mica_json *details = mica_json_get(error, "details");
    struct mica_text path = mica_json_get_text(error, "path");
    struct mica_json_writer writer;
    struct mica_buffer written;

    mica_buffer_init(&written, message->arena, ERROR_BYTES);
    mica_json_writer_init(&writer, &written);
    if (details != NULL && details->kind == MICA_JSON_OBJECT) {
        mica_json_value(&writer, details);
    } else {
        mica_json_open_object(&writer);
        if (path.len > 0)
            mica_json_field(&writer, "path", path);
        mica_json_close_object(&writer);
    }
    reply_error(message, mica_json_get_text(error, "code"),
                mica_json_get_text(error, "message"),
                written.overflow ? (struct mica_text){NULL, 0}
                                 : mica_buffer_as_text(&written));
}

// ---- Replies ---------------------------------------------------------------------------

static void
reply_result(struct mica_message *message, struct mica_text json)
{
    mica_reply_begin(message);
    message->reply.http_status = 200;
    mica_buffer_text(&message->reply.text, json);
    if (message->reply.text.overflow)
        mica_message_refuse(message, MICA_E_LIMIT,
                            "The result needs more than the memory of a call");
}

static void
call_finish(struct mica_message *message)
{
    const struct mica_result *result = &message->execution.call.result;
    struct mica_json error = {.kind = MICA_JSON_NULL};
    struct mica_arena arena; // the call may have used up its own memory

    if (result->status == MICA_OK) {
        reply_result(message, result->structured);
        return;
    }
    mica_arena_init(&arena, READ_BYTES);
    if (mica_json_read(&arena, result->error, NULL, NULL, &error) == MICA_OK)
        reply_failure(message, &error);
    else
        mica_message_refuse(message, result->status, "%s",
                            mica_status_meaning(result->status));
    mica_arena_fini(&arena);
}

static void
translate_root(struct mica_message *message, const struct mica_json *root)
{
    const struct mica_json *error = mica_json_get(root, "error");
    const struct mica_json *result = mica_json_get(root, "result");
    const struct mica_json *data = mica_json_get(result, "structuredContent");
    const struct mica_json *failure =
        mica_json_get(mica_json_get(result, "_meta"), "mica/error");

    // What was written stays where it is, and the reply is written beside it.
    mica_buffer_init(&message->reply.text, message->arena,
                     message->server->options.call_bytes);
    message->reply.rpc_error = 0;
    if (error != NULL)
        reply_error(
            message, mica_json_get_text(mica_json_get(error, "data"), "code"),
            mica_json_get_text(error, "message"), (struct mica_text){NULL, 0});
    else if (failure != NULL)
        reply_failure(message, failure);
    else if (data != NULL)
        reply_result(message, data->raw);
    else
        // It asks its client all the same, in a round of its own.
        mica_message_refuse(message, MICA_E_CAPABILITY,
                            "The draft asks its caller, who cannot be asked "
                            "over this API; test it by the builder's test_app");
}

// From the form of MCP, in which the turns of a call end.
static void
call_translate(struct mica_message *message)
{
    const struct mica_json_limits limits = {
        .bytes = message->server->options.call_bytes, .depth = BODY_DEPTH};
    struct mica_arena arena;
    struct mica_json root;

    if (message->step != MICA_STEP_REPLY)
        return;
    mica_arena_init(&arena, message->server->options.call_bytes);
    if (mica_json_read(&arena, mica_buffer_as_text(&message->reply.text),
                       &limits, NULL, &root) == MICA_OK)
        translate_root(message, &root);
    else
        mica_message_refuse(message, MICA_E_LIMIT,
                            "The result needs more than the memory of a call");
    mica_arena_fini(&arena);
}

// ---- Progress --------------------------------------------------------------------------

static void
call_tell(struct mica_message *message, const struct mica_notice *notice,
          struct mica_buffer *out)
{
    struct mica_json_writer writer;

    (void)message;
    if (notice->kind != MICA_NOTICE_PROGRESS)
        return;
    mica_buffer_format(out, "event: progress\ndata: ");
    mica_json_writer_init(&writer, out);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "progress");
    mica_json_number(&writer, notice->progress);
    mica_json_name(&writer, "total");
    mica_json_number(&writer, notice->total);
    if (notice->message.len > 0)
        mica_json_field(&writer, "message", notice->message);
    mica_json_close_object(&writer);
    mica_buffer_format(out, "\n\n");
}

static const char *
call_last_event(const struct mica_message *message)
{
    return message->reply.http_status == 200 ? "result" : "error";
}

// ---- The response ----------------------------------------------------------------------

static void
response_add(struct mica_http_response *response, const char *namez,
             struct mica_text value)
{
    response->headers[response->header_count++] =
        (struct mica_header){mica_text(namez), value};
}

static void
call_respond(const struct mica_message *message,
             struct mica_http_response *response)
{
    response->body = mica_buffer_as_text(&message->reply.text);
    response_add(response, "Content-Type", MICA_LITERAL("application/json"));
    response_add(response, "Cache-Control", MICA_LITERAL("no-store"));
    response_add(response, "X-Content-Type-Options", MICA_LITERAL("nosniff"));
    if (message->reply.retry_s > 0)
        response_add(response, "Retry-After",
                     mica_retry_after(message->arena, message->reply.retry_s));
}

static const char *
call_list(const struct mica_message *message)
{
    (void)message;
    return "docs/app-api.md";
}

static const struct mica_surface call_surface = {.name = "apps",
                                                 .list = call_list,
                                                 .refuse = call_refuse,
                                                 .finish = call_finish,
                                                 .tell = call_tell,
                                                 .last_event = call_last_event,
                                                 .translate = call_translate,
                                                 .respond = call_respond};

// ---- The request -----------------------------------------------------------------------

const char *
mica_app_call_tool(enum mica_act act)
{
    return act == MICA_ACT_TEST    ? "test_app"
           : act == MICA_ACT_DRAFT ? "draft_app"
                                   : NULL;
}

// The body with what stands in the head of the request. False: it is no object.
static bool
arguments_write(struct mica_http_exchange *exchange,
                const struct mica_act_request *request,
                struct mica_text *arguments_out)
{
    const struct mica_json_limits limits = {.bytes = MICA_ACT_BODY_BYTES,
                                            .depth = BODY_DEPTH};
    struct mica_json body = {.kind = MICA_JSON_OBJECT};
    struct mica_json_writer writer;
    struct mica_buffer arguments;
    struct mica_arena arena;
    bool is_object;

    mica_arena_init(&arena, READ_BYTES);
    mica_buffer_init(&arguments, &exchange->arena,
                     request->body.len + FURTHER_BYTES);
    is_object = (request->body.len == 0 ||
                 mica_json_read(&arena, request->body, &limits, NULL, &body) ==
                     MICA_OK) &&
                body.kind == MICA_JSON_OBJECT;
    mica_json_writer_init(&writer, &arguments);
    mica_json_open_object(&writer);
    if (request->app.len > 0)
        mica_json_field(&writer, "app", request->app);
    if (request->revision != 0) {
        mica_json_name(&writer, "revision");
        mica_json_integer(&writer, request->revision);
    }
    for (size_t i = 0; is_object && i < body.count; i++) {
        mica_json_name_text(&writer, body.members[i].name);
        mica_json_value(&writer, &body.members[i].value);
    }
    mica_json_close_object(&writer);
    mica_arena_fini(&arena);
    *arguments_out = mica_buffer_as_text(&arguments);
    return is_object && !arguments.overflow;
}

// The client of this API declares nothing, so it is asked nothing.
static void
message_set(struct mica_message *message,
            const struct mica_http_request *request)
{
    message->context.surface = &call_surface;
    message->context.capabilities = 0;
    message->request.http = request;
    message->request.method = MICA_LITERAL("tools/call");
    message->request.takes_stream =
        (mica_accept_request(request) & MICA_MEDIA_STREAM) != 0;
    if (message->request.takes_stream)
        message->request.progress_token = MICA_LITERAL("0");
    message->reply.known = true;
}

bool
mica_app_call_begin(struct mica_http_exchange *exchange,
                    const struct mica_act_request *request,
                    enum MHD_Result *result_out)
{
    struct mica_message *message = &exchange->message;
    struct mica_text arguments;

    if (!arguments_write(exchange, request, &arguments))
        return false;
    exchange->endpoint = MICA_LITERAL(MICA_BUILDER_KEY);
    mica_exchange_begin_message(exchange);
    message_set(message, &exchange->request);
    if (mica_message_tool(message, mica_text(mica_app_call_tool(request->act))))
        mica_message_call(message, arguments, (struct mica_text){NULL, 0});
    *result_out = message->step == MICA_STEP_WORK
                      ? mica_exchange_work(exchange)
                      : mica_exchange_reply(exchange);
    return true;
}
