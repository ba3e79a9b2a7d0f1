// SPDX-License-Identifier: Apache-2.0
//
// Applies the operator's rules to a message.
#include "server/call_rules.h"

#include "server/message.h"
#include "server/message_surface.h"
#include "json/exact.h"

static struct mica_ruled_call
call_of(const struct mica_message *message)
{
    return (struct mica_ruled_call){
        .caller = mica_message_caller(message),
        .party = message->context.party,
        .tool = message->request.name,
        .version = mica_text(
            message->context.surface != NULL
                ? message->context.surface->name
                : mica_revision_features(message->context.revision)->version)};
}

// Does the message continue a call that has begun? The resumable execution knows: it has opened the
// requestState. That there is one in the params is only what a client says.
static bool
has_begun(const struct mica_message *message)
{
    return mica_message_continues(message) ||
           (message->request.http == NULL && message->request.line == NULL);
}

bool
mica_rules_admit(struct mica_message *message)
{
    const struct mica_rules *rules = message->server->rules;
    struct mica_ruled_call call = call_of(message);
    struct mica_buffer data;
    char storage[48];
    uint32_t wait_ms;

    if (rules == NULL || has_begun(message))
        return true; // [RULES-3]
    wait_ms = rules->admit(rules->data, &call);
    if (wait_ms == 0)
        return true;
    message->reply.retry_s = (wait_ms + 999) / 1000;
    data = (struct mica_buffer){
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};
    mica_buffer_format(&data, "\"retryAfterMs\":%u", wait_ms);
    mica_reply_error(message, message->context.surface != NULL ? 429 : 200,
                     MICA_RPC_INTERNAL, MICA_E_RATE, mica_buffer_as_text(&data),
                     "This tool was called too often; try again in %u s",
                     message->reply.retry_s);
    return false;
}

void
mica_rules_run(struct mica_message *message)
{
    const struct mica_rules *rules = message->server->rules;
    struct mica_execution *execution = &message->execution;

    // What a message runs may be another function of its target, such as a completer.
    if (rules != NULL && rules->run != NULL && execution->target != NULL &&
        execution->target->kind == MICA_DEFINITION_TOOL &&
        execution->runnable == &execution->target->runnable)
        rules->run(rules->data, execution->target, &execution->call,
                   execution->arguments);
    else
        execution->runnable->run(execution->runnable, &execution->call,
                                 execution->arguments);
}

// Is the message a tool call with a reply? Over REST a call of an unknown tool has no
// method.
static bool
is_call(const struct mica_message *message)
{
    if (message->request.name.len == 0 || message->step == MICA_STEP_STORE ||
        message->step == MICA_STEP_AWAIT_BUILD)
        return false;
    return mica_text_is(message->request.method, "tools/call") ||
           (message->request.method.len == 0 &&
            message->execution.target == NULL &&
            message->reply.error_code != NULL);
}

// The arguments in canonical form: the same for the same values.
static struct mica_text
canonical_form(const struct mica_message *message)
{
    struct mica_text text = message->execution.arguments;
    struct mica_buffer canonical;
    struct mica_json value;

    mica_buffer_init(&canonical, message->arena, text.len * 8 + 1024);
    if (text.len == 0 ||
        mica_json_read(message->arena, text, NULL, NULL, &value) != MICA_OK ||
        mica_json_exact(message->arena, &canonical, &value) != MICA_OK ||
        canonical.overflow)
        return text;
    return mica_buffer_as_text(&canonical);
}

void
mica_rules_record(const struct mica_message *message)
{
    const struct mica_rules *rules = message->server->rules;
    const struct mica_kept_call *kept;
    struct mica_ruled_call call;

    if (rules == NULL || rules->record == NULL || message->endpoint == NULL ||
        !is_call(message))
        return;
    kept = mica_message_kept(message);
    call = call_of(message);
    call.code = message->reply.error_code;
    call.arguments = canonical_form(message);
    if (kept != NULL)
        call.id = kept->id;
    call.continues = has_begun(message) || mica_message_joins(message);
    rules->record(rules->data, &call);
}
