// SPDX-License-Identifier: Apache-2.0
//
// completion/complete: suggests values for an argument of a prompt or a variable of a
// template. They are the choices of its field, or come from the author's completer.
#include "base/ascii.h"
#include "schema/record.h"
#include "server/message.h"

static const struct mica_text none = {NULL, 0};

enum {
    MOST_VALUES = 100 // in one reply (MCP: completion)
};

// The arguments of a completer, which runs as a runnable of the message.
struct asked {
    struct mica_runnable runnable;
    mica_completer *complete;
    struct mica_completion in;
};

static void
completion_refuse(struct mica_message *message, enum mica_status status,
                  const char *what)
{
    mica_reply_error(message, 200, MICA_RPC_PARAMS, status, none,
                     "completion/complete %s", what);
}

// ---- The reply ---------------------------------------------------------------------

struct values {
    struct mica_json_writer writer;
    int64_t total;
};

static void
open_values(struct mica_message *message, struct values *values)
{
    values->total = 0;
    mica_reply_open(message, &values->writer);
    mica_json_name(&values->writer, "completion");
    mica_json_open_object(&values->writer);
    mica_json_name(&values->writer, "values");
    mica_json_open_array(&values->writer);
}

static void
add_value(struct values *values, struct mica_text value)
{
    if (values->total++ < MOST_VALUES)
        mica_json_string(&values->writer, value);
}

static void
close_values(struct mica_message *message, struct values *values)
{
    mica_json_close_array(&values->writer);
    mica_json_name(&values->writer, "total");
    mica_json_integer(&values->writer, values->total);
    mica_json_name(&values->writer, "hasMore");
    mica_json_boolean(&values->writer, values->total > MOST_VALUES);
    mica_json_close_object(&values->writer);
    mica_reply_close(message, &values->writer, none);
}

// ---- Choices -----------------------------------------------------------------------

static bool
completion_begins(const char *choicez, struct mica_text typed)
{
    for (size_t i = 0; i < typed.len; i++) {
        if (mica_ascii_lower(choicez[i]) != mica_ascii_lower(typed.ptr[i]) ||
            choicez[i] == '\0')
            return false;
    }
    return true;
}

static void
suggest_choices(struct mica_message *message, const struct mica_type *type,
                struct mica_text typed)
{
    struct values values;

    open_values(message, &values);
    for (size_t i = 0; type != NULL && i < type->choice_count; i++) {
        if (completion_begins(type->choices[i], typed))
            add_value(&values, mica_text(type->choices[i]));
    }
    close_values(message, &values);
}

// ---- The author's completer ----------------------------------------------------------

static void
complete_guarded(struct mica_call *call, void *data)
{
    const struct asked *asked = data;

    (void)mica_call_conclude(call, asked->complete(call, &asked->in));
}

static void
run_complete(const struct mica_runnable *self, struct mica_call *call,
             struct mica_text arguments)
{
    (void)arguments;
    mica_call_guard(call, complete_guarded, self->data);
}

static void
completion_finish(struct mica_message *message)
{
    const struct mica_result *result = &message->execution.call.result;
    struct values values;

    if (result->status != MICA_OK) {
        mica_reply_failure(
            message, (enum mica_rpc_error)mica_status_json_rpc(result->status),
            none);
        return;
    }
    open_values(message, &values);
    for (const struct mica_content *block = result->content; block != NULL;
         block = block->next) {
        if (block->kind == MICA_CONTENT_TEXT)
            add_value(&values, block->data);
    }
    close_values(message, &values);
}

static void
completer_prepare(struct mica_message *message,
                  const struct mica_completion *in)
{
    struct asked *asked = mica_arena_zero(message->arena, 1, sizeof *asked);

    if (asked == NULL) {
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT, none,
                         "No memory to complete; send less");
        return;
    }
    asked->complete = message->execution.target->complete;
    asked->in = *in;
    asked->runnable = (struct mica_runnable){
        .run = run_complete,
        .data = asked,
        .user = message->execution.target->runnable.user};
    mica_message_prepare_run_by(message, &asked->runnable, none,
                                completion_finish);
}

// ---- The request -----------------------------------------------------------------------

// Finds the definition that params.ref names; it becomes message->execution.target.
static bool
find_target(struct mica_message *message, const struct mica_json *ref)
{
    struct mica_text type = mica_json_get_text(ref, "type"), quoted;
    bool is_prompt = mica_text_is(type, "ref/prompt");
    struct mica_text key = mica_json_get_text(ref, is_prompt ? "name" : "uri");
    const struct mica_catalog *catalog = mica_message_catalog(message);

    if ((!is_prompt && !mica_text_is(type, "ref/resource")) ||
        key.ptr == NULL) {
        completion_refuse(
            message, MICA_E_REQUIRED,
            "needs params.ref: {\"type\":\"ref/prompt\",\"name\":…} or "
            "{\"type\":\"ref/resource\",\"uri\":…}");
        return false;
    }
    message->request.name = key;
    message->execution.target = mica_catalog_find(
        catalog, is_prompt ? MICA_DEFINITION_PROMPT : MICA_DEFINITION_TEMPLATE,
        key);
    if (message->execution.target != NULL)
        return true;
    quoted = mica_quote(message->arena, key);
    mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_NOT_FOUND, none,
                     "There is no %s %.*s; %s names all",
                     is_prompt ? "prompt" : "resource template",
                     MICA_ARG(quoted),
                     is_prompt ? "prompts/list" : "resources/templates/list");
    return false;
}

// Reads the arguments that are filled in already: an object of strings, or absent.
static bool
read_others(struct mica_message *message, struct mica_completion *in)
{
    static const struct mica_json nothing = {.kind = MICA_JSON_OBJECT};
    const struct mica_json *others = mica_json_get(
        mica_json_get(message->request.params, "context"), "arguments");
    bool right = true;

    in->others = others != NULL ? others : &nothing;
    right = in->others->kind == MICA_JSON_OBJECT;
    for (size_t i = 0; right && i < in->others->count; i++)
        right = in->others->members[i].value.kind == MICA_JSON_STRING;
    if (!right)
        completion_refuse(
            message, MICA_E_TYPE,
            "takes params.context.arguments as an object of strings");
    return right;
}

// MCP: completion/complete.
// [COMPLETE-REF] [COMPLETE-MOST]
void
mica_method_complete(struct mica_message *message)
{
    const struct mica_json *argument =
        mica_json_get(message->request.params, "argument");
    struct mica_completion in = {
        .argument = mica_json_get_text(argument, "name"),
        .value = mica_json_get_text(argument, "value")};
    const struct mica_field *field;
    struct mica_text quoted;

    if (!find_target(message, mica_json_get(message->request.params, "ref")))
        return;
    if (in.argument.ptr == NULL || in.value.ptr == NULL) {
        completion_refuse(
            message, MICA_E_REQUIRED,
            "needs params.argument: {\"name\":…,\"value\":…}, both strings");
        return;
    }
    if (!read_others(message, &in))
        return;
    field = mica_record_find(message->execution.target->input, in.argument);
    if (field == NULL) {
        quoted = mica_quote(message->arena, in.argument);
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_UNKNOWN, none,
                         "\"%.*s\" has no argument %.*s",
                         MICA_ARG(message->execution.target->key),
                         MICA_ARG(quoted));
    } else if (field->type->kind == MICA_KIND_CHOICE ||
               message->execution.target->complete == NULL) {
        suggest_choices(
            message, field->type->kind == MICA_KIND_CHOICE ? field->type : NULL,
            in.value);
    } else {
        completer_prepare(message, &in);
    }
}
