// SPDX-License-Identifier: Apache-2.0
//
// What a tool came to, out of a reply in MCP's words: its result, or a problem.
#include "rest/request.h"

static const struct mica_text none = {NULL, 0};

enum {
    PROBLEM_BYTES = 64 << 10, // of a problem document
    MORE_BYTES = 16 << 10     // of further members of a problem
};

enum mica_problem_form
mica_rest_form(struct mica_message *message)
{
    return mica_message_endpoint(message)->source != NULL
               ? MICA_PROBLEM_OF_APP
               : MICA_PROBLEM_DOCUMENT;
}

struct mica_problem_details
mica_rest_problem_of(const struct mica_json *error)
{
    const struct mica_json *own = mica_json_get(error, "own");
    const struct mica_json *details = mica_json_get(error, "details");

    return (struct mica_problem_details){
        .code = mica_json_get_text(error, "code"),
        .detail = mica_json_get_text(error, "message"),
        .pointer = mica_json_get_text(error, "path"),
        .details = details != NULL ? details->raw : none,
        .own = own != NULL && own->kind == MICA_JSON_TRUE};
}

// The members of error.data that a problem has no other place for.
static struct mica_text
rest_of_data(const struct mica_json *data, struct mica_arena *arena)
{
    struct mica_json_writer writer;
    struct mica_buffer more;

    mica_buffer_init(&more, arena, MORE_BYTES);
    mica_json_writer_init(&writer, &more);
    for (size_t i = 0; data != NULL && i < data->count; i++) {
        struct mica_text name = data->members[i].name;
        if (mica_text_is(name, "code") || mica_text_is(name, "path"))
            continue;
        mica_json_name_text(&writer, name);
        mica_json_value(&writer, &data->members[i].value);
    }
    return more.overflow ? none : mica_buffer_as_text(&more);
}

static struct mica_text
first_text(const struct mica_json *result)
{
    const struct mica_json *content = mica_json_get(result, "content");

    if (content == NULL || content->kind != MICA_JSON_ARRAY ||
        content->count == 0)
        return MICA_LITERAL("the tool says that it has failed");
    return mica_json_get_text(&content->items[0], "text");
}

struct mica_rest_outcome
mica_rest_outcome_read(const struct mica_json *root, struct mica_arena *arena)
{
    const struct mica_json *error = mica_json_get(root, "error");
    const struct mica_json *result = mica_json_get(root, "result");
    const struct mica_json *is_error = mica_json_get(result, "isError");
    const struct mica_json *known =
        mica_json_get(mica_json_get(result, "_meta"), "mica/error");
    struct mica_rest_outcome outcome = {.result = result};

    if (error != NULL) {
        const struct mica_json *data = mica_json_get(error, "data");
        outcome.failed = true;
        outcome.problem = mica_rest_problem_of(data);
        outcome.problem.detail = mica_json_get_text(error, "message");
        outcome.problem.more = rest_of_data(data, arena);
    } else if (is_error != NULL && is_error->kind == MICA_JSON_TRUE) {
        outcome.failed = true;
        outcome.problem = mica_rest_problem_of(known);
        if (known == NULL)
            outcome.problem = (struct mica_problem_details){
                .code = MICA_LITERAL("FAILED"), .detail = first_text(result)};
    }
    return outcome;
}

void
mica_rest_write_result(const struct mica_json *result,
                       struct mica_json_writer *writer)
{
    const struct mica_json *structured =
        mica_json_get(result, "structuredContent");
    const struct mica_json *content = mica_json_get(result, "content");

    if (structured != NULL) {
        mica_json_raw(writer, structured->raw);
        return;
    }
    mica_json_open_object(writer);
    if (content != NULL) {
        mica_json_name(writer, "content");
        mica_json_raw(writer, content->raw);
    }
    mica_json_close_object(writer);
}

void
mica_rest_write_outcome(struct mica_message *message, struct mica_text tail,
                        struct mica_json_writer *writer)
{
    struct mica_buffer text;
    struct mica_json root;
    struct mica_rest_outcome outcome;

    mica_buffer_init(&text, message->arena, tail.len + 2);
    mica_buffer_char(&text, '{');
    mica_buffer_text(&text, tail);
    mica_buffer_char(&text, '}');
    if (tail.len == 0 ||
        mica_json_read(message->arena, mica_buffer_as_text(&text), NULL, NULL,
                       &root) != MICA_OK)
        return;
    outcome = mica_rest_outcome_read(&root, message->arena);
    mica_json_name(writer, outcome.failed ? "problem" : "result");
    if (!outcome.failed) {
        mica_rest_write_result(outcome.result, writer);
    } else {
        struct mica_buffer problem;
        outcome.problem.base = mica_rest_base(message);
        outcome.problem.form = mica_rest_form(message);
        mica_buffer_init(&problem, message->arena, PROBLEM_BYTES);
        mica_problem_details_document(&problem, &outcome.problem);
        mica_json_raw(writer, problem.overflow ? MICA_LITERAL("{}")
                                               : mica_buffer_as_text(&problem));
    }
}
