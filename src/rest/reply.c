// SPDX-License-Identifier: Apache-2.0
//
// The words of REST: a result as the JSON that it is, a failure as a problem
// document, a call that waits as its state. What a round has written in MCP's words
// is read again, so that there is one way to keep a call.
#include <string.h>

#include "base/assert.h"
#include "protocol/response_header.h"
#include "rest/request.h"

enum {
    OWN_BYTES = 64 << 10 // to read a failure, when the call's memory is spent
};

// ---- Writing ----------------------------------------------------------------------

void
mica_rest_open(struct mica_message *message, unsigned status,
               struct mica_json_writer *writer)
{
    mica_reply_begin(message);
    message->reply.http_status = status;
    mica_json_writer_init(writer, &message->reply.text);
}

// With no memory left for any other reply.
static void
last_words(struct mica_message *message)
{
    const struct mica_problem_details problem = {
        .code = MICA_LITERAL("LIMIT_EXCEEDED"),
        .detail = MICA_LITERAL("Not enough memory to answer; ask for less"),
        .base = mica_rest_base(message),
        .form = mica_rest_form(message)};

    message->reply.text =
        (struct mica_buffer){.ptr = message->reply.spare,
                             .capacity = sizeof message->reply.spare,
                             .max = sizeof message->reply.spare,
                             .arena = message->arena};
    mica_problem_details_document(&message->reply.text, &problem);
    message->reply.http_status = (unsigned)mica_status_http(MICA_E_LIMIT);
    message->reply.error_code = mica_status_code(MICA_E_LIMIT);
    MICA_ASSERT(!message->reply.text.overflow);
}

static void
write_problem(struct mica_message *message,
              const struct mica_problem_details *given)
{
    struct mica_problem_details problem = *given;
    struct mica_rest *rest = mica_rest_of(message);
    enum mica_status status = mica_problem_details_status(given);

    problem.base = mica_rest_base(message);
    problem.form = mica_rest_form(message);
    mica_reply_begin(message);
    message->reply.http_status = problem.status != 0
                                     ? problem.status
                                     : (unsigned)mica_status_http(status);
    if (message->reply.rpc_error == 0)
        message->reply.rpc_error = mica_status_json_rpc(status);
    if (rest != NULL) {
        rest->is_problem = true;
        rest->form = problem.form;
        rest->etag[0] = rest->location[0] = '\0';
        rest->retry_s = message->reply.retry_s > 0 ? message->reply.retry_s
                        : mica_status_kind(status) == MICA_BLOCKED ? 1
                                                                   : 0;
    }
    mica_problem_details_document(&message->reply.text, &problem);
    if (message->reply.text.overflow)
        last_words(message);
}

static void
message_refuse(struct mica_message *message, const char *codez,
               struct mica_text data, struct mica_text text)
{
    const struct mica_problem_details problem = {
        .code = mica_text(codez), .detail = text, .more = data};

    write_problem(message, &problem);
}

void
mica_rest_close(struct mica_message *message)
{
    if (message->reply.text.overflow)
        mica_message_refuse(message, MICA_E_LIMIT,
                            "The result is larger than %zu bytes; ask for less",
                            message->server->options.call_bytes);
}

static void
refuse_as(struct mica_message *message, unsigned http_status,
          enum mica_status status, struct mica_text pointer,
          struct mica_text text)
{
    const struct mica_problem_details problem = {
        .code = mica_text(mica_status_code(status)),
        .detail = text,
        .pointer = pointer,
        .status = http_status};

    message->reply.error_code = mica_status_code(status);
    write_problem(message, &problem);
}

void
mica_rest_refuse(struct mica_message *message, unsigned http_status,
                 enum mica_status status, const char *pointerz,
                 const char *formatz, ...)
{
    struct mica_error error;
    va_list arguments;

    va_start(arguments, formatz);
    (void)mica_error_vset(&error, status, NULL, "", formatz, arguments);
    va_end(arguments);
    refuse_as(message, http_status, status, mica_text(pointerz),
              mica_text(error.message));
}

void
mica_rest_fail(struct mica_message *message, const struct mica_error *error)
{
    refuse_as(message, 0, error->status, mica_text(error->path),
              mica_text(error->message));
}

void
mica_rest_only(struct mica_message *message, const char *allow,
               const char *formatz, ...)
{
    struct mica_rest *rest = mica_rest_of(message);
    struct mica_error error;
    va_list arguments;

    rest->allow = allow;
    if (!mica_text_is(rest->method, "OPTIONS")) {
        va_start(arguments, formatz);
        (void)mica_error_vset(&error, MICA_E_METHOD, NULL, "", formatz,
                              arguments);
        va_end(arguments);
        refuse_as(message, 405, MICA_E_METHOD, mica_text(""),
                  mica_text(error.message));
        return;
    }
    message->step = MICA_STEP_SILENT;
    message->reply.http_status = 204;
}

// ---- What a tool came to ------------------------------------------------------------

static void
finish_failed(struct mica_message *message)
{
    const struct mica_result *result = &message->execution.call.result;
    struct mica_problem_details problem = {
        .code = mica_text(mica_status_code(result->status)),
        .detail = mica_text(mica_status_meaning(result->status))};
    struct mica_json error;
    struct mica_arena own; // the call's memory may be what ran out

    mica_arena_init(&own, OWN_BYTES);
    if (mica_json_read(&own, result->error, NULL, NULL, &error) == MICA_OK)
        problem = mica_rest_problem_of(&error);
    problem.own = result->status == MICA_FAILED;
    message->reply.error_code =
        mica_keep_code(message, problem.code, problem.own);
    write_problem(message, &problem);
    mica_arena_fini(&own);
}

static void
message_finish(struct mica_message *message)
{
    const struct mica_result *result = &message->execution.call.result;
    struct mica_json_writer writer;

    if (result->status != MICA_OK) {
        finish_failed(message);
    } else if (result->structured.len > 0 && !result->is_error) {
        mica_rest_open(message, 200, &writer);
        mica_json_raw(&writer, result->structured);
        mica_rest_close(message);
        if (message->reply.http_status == 200 &&
            mica_rest_matches(message, true))
            mica_rest_unchanged(message); // If-None-Match: *
    } else {
        mica_finish_mcp(message);
        mica_rest_surface.translate(message);
    }
}

// ---- From MCP's words -----------------------------------------------------------------

// 202: the call waits, or continues by itself.
static void
answer_kept(struct mica_message *message, const struct mica_json *result)
{
    const struct mica_json *asks = mica_json_get(result, "inputRequests");
    struct mica_kept_call kept = *mica_message_kept(message);
    struct mica_json_writer writer;

    if (asks != NULL) { // a round of before is answered as it was
        kept.state = MICA_CALL_WAITING;
        kept.asks = asks->raw;
    }
    mica_rest_locate(message, kept.id);
    mica_rest_open(message, 202, &writer);
    mica_rest_write_call(
        message, &kept, asks != NULL ? mica_message_round(message) : kept.round,
        &writer);
    mica_rest_close(message);
}

static void
translate_reply(struct mica_message *message, const struct mica_json *root)
{
    struct mica_rest_outcome outcome =
        mica_rest_outcome_read(root, message->arena);
    struct mica_text type = mica_json_get_text(outcome.result, "resultType");
    struct mica_json_writer writer;

    // What was written stays where it is, and the reply is written beside it.
    mica_buffer_init(&message->reply.text, message->arena,
                     message->server->options.call_bytes);
    if (outcome.failed) {
        message->reply.error_code =
            mica_keep_code(message, outcome.problem.code, outcome.problem.own);
        write_problem(message, &outcome.problem);
    } else if (mica_message_kept(message) != NULL &&
               !mica_text_is(type, "complete")) {
        message->reply.rpc_error = 0;
        answer_kept(message, outcome.result);
    } else {
        mica_rest_open(message, 200, &writer);
        mica_rest_write_result(outcome.result, &writer);
        mica_rest_close(message);
    }
}

static void
message_translate(struct mica_message *message)
{
    struct mica_arena own;
    struct mica_json root;

    if (message->step != MICA_STEP_REPLY)
        return;
    mica_arena_init(&own, message->server->options.call_bytes);
    if (mica_json_read(&own, mica_buffer_as_text(&message->reply.text),
                       &(struct mica_json_limits){
                           .bytes = message->server->options.call_bytes,
                           .depth = MICA_REST_DEPTH},
                       NULL, &root) == MICA_OK)
        translate_reply(message, &root);
    else
        mica_message_refuse(message, MICA_E_LIMIT,
                            "The result needs more memory than the %zu bytes "
                            "of a call; ask for less",
                            message->server->options.call_bytes);
    mica_arena_fini(&own);
}

// ---- The response ---------------------------------------------------------------------

static void
add_caching(const struct mica_message *message, const struct mica_rest *rest,
            struct mica_http_response *response)
{
    bool alone = message->context.principal != NULL;

    if (rest->etag[0] == '\0') {
        mica_response_add(response, "Cache-Control", MICA_LITERAL("no-store"));
        return;
    }
    mica_response_add(response, "ETag", mica_text(rest->etag));
    // A cache may keep it. Unless the address names the build, it asks
    // whether the engine is still the same, which costs no run of it.
    if (rest->pure && rest->immutable)
        mica_response_add(
            response, "Cache-Control",
            alone ? MICA_LITERAL("private, max-age=31536000, immutable")
                  : MICA_LITERAL("public, max-age=31536000, immutable"));
    else
        mica_response_add(response, "Cache-Control",
                          alone ? MICA_LITERAL("private, no-cache")
                                : MICA_LITERAL("public, no-cache"));
    if (message->request.origin.len == 0) // or CORS says so
        mica_response_add(response, "Vary", MICA_LITERAL("Origin"));
}

static void
message_respond(const struct mica_message *message,
                struct mica_http_response *response)
{
    const struct mica_rest *rest = mica_rest_of(message);
    bool problem = rest == NULL ||
                   (rest->is_problem && rest->form == MICA_PROBLEM_DOCUMENT);

    if (message->step == MICA_STEP_REPLY) {
        response->body = mica_buffer_as_text(&message->reply.text);
        mica_response_add(response, "Content-Type",
                          problem ? MICA_LITERAL("application/problem+json")
                                  : MICA_LITERAL("application/json"));
    }
    mica_response_add(response, "X-Content-Type-Options",
                      MICA_LITERAL("nosniff"));
    if (rest == NULL)
        return;
    add_caching(message, rest, response);
    if (rest->location[0] != '\0')
        mica_response_add(response, "Location", mica_text(rest->location));
    if (rest->retry_s > 0)
        mica_response_add(response, "Retry-After",
                          mica_retry_after(message->arena, rest->retry_s));
    if (rest->allow != NULL)
        mica_response_add(response, "Allow", mica_text(rest->allow));
}

static const char *
list_address(const struct mica_message *message)
{
    return mica_base_path_text(message->arena, (struct mica_text){"GET ", 4},
                               "%s", mica_rest_address(message, "/api"))
        .ptr;
}

const struct mica_surface mica_rest_surface = {.name = "rest",
                                               .list = list_address,
                                               .refuse = message_refuse,
                                               .finish = message_finish,
                                               .translate = message_translate,
                                               .tell = mica_rest_tell,
                                               .last_event =
                                                   mica_rest_last_event,
                                               .respond = message_respond};
