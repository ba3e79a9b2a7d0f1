// SPDX-License-Identifier: Apache-2.0
//
// From a request about something that is offered to its running handler: finds
// the definition, asks whether this caller may use it, and runs it with what the
// handler can reach. What kind of definition it is makes no difference here.
#include "base/words.h"
#include "server/calls/round.h"
#include "server/message_surface.h"

static const struct mica_text none = {NULL, 0};

// ---- Finding ---------------------------------------------------------------------

static void
refuse_unknown(struct mica_message *message, enum mica_offer offer,
               struct mica_text key)
{
    const struct mica_definition *nearest =
        mica_catalog_nearest(mica_message_catalog(message), offer, key);
    struct mica_text quoted = mica_quote(message->arena, key);

    if (nearest != NULL)
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_NOT_FOUND, none,
                         "Unknown %s %.*s; did you mean \"%.*s\"?",
                         mica_offer_noun(offer), MICA_ARG(quoted),
                         MICA_ARG(nearest->key));
    else
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_NOT_FOUND, none,
                         "Unknown %s %.*s; %s names all",
                         mica_offer_noun(offer), MICA_ARG(quoted),
                         message->context.surface != NULL
                             ? message->context.surface->list(message)
                             : mica_offer_list(offer));
}

// It will be there, and the client has waited as long as one may.
static void
refuse_coming(struct mica_message *message, struct mica_text key, size_t ready,
              size_t all)
{
    mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_BUSY, none,
                     "The tool %.*s is still being built; %zu of %zu are. Call "
                     "it again after notifications/tools/list_changed, or in a "
                     "few seconds",
                     MICA_ARG(mica_quote(message->arena, key)), ready, all);
}

// [TOOL-UNKNOWN]
static bool
find(struct mica_message *message, enum mica_offer offer, struct mica_text key)
{
    size_t ready = 0, all = 0;

    // Asked first: a tool that comes behind the question is in the catalogue.
    bool comes = offer == MICA_OFFER_TOOL && key.len > 0 &&
                 mica_message_expects(message, key, &ready, &all);

    if (message->server->coming != NULL)
        mica_message_look_again(message);
    message->request.name = key;
    message->execution.target =
        mica_catalog_find(mica_message_catalog(message), offer, key);
    if (message->execution.target == NULL && comes)
        refuse_coming(message, key, ready, all);
    else if (message->execution.target == NULL)
        refuse_unknown(message, offer, key);
    return message->execution.target != NULL;
}

bool
mica_message_tool(struct mica_message *message, struct mica_text name)
{
    return find(message, MICA_OFFER_TOOL, name);
}

const struct mica_definition *
mica_message_target(struct mica_message *message, enum mica_offer offer,
                    const char *field)
{
    const struct mica_json *key = mica_json_get(message->request.params, field);

    if (key == NULL || key->kind != MICA_JSON_STRING) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_REQUIRED, none,
                         "%.*s needs params.%s, a string: the %s of a %s",
                         MICA_ARG(message->request.method), field, field,
                         mica_offer_noun(offer));
        return NULL;
    }
    return find(message, offer, key->text) ? message->execution.target : NULL;
}

// ---- May it? ---------------------------------------------------------------------

static bool
has_word(struct mica_text granted, struct mica_text word)
{
    struct mica_text one;

    while (mica_words_next(&granted, &one)) {
        if (mica_text_equal(one, word))
            return true;
    }
    return false;
}

bool
mica_scopes_suffice(const struct mica_message *message, struct mica_text scopes)
{
    struct mica_text word;

    while (message->context.principal != NULL &&
           mica_words_next(&scopes, &word)) {
        if (!has_word(message->context.principal->scopes, word))
            return false;
    }
    return true;
}

static bool
need_scopes(struct mica_message *message, struct mica_text scopes)
{
    if (mica_scopes_suffice(message, scopes))
        return true;
    message->reply.lacks = scopes;
    mica_reply_error(message, 403, MICA_RPC_REQUEST, MICA_E_SCOPE, none,
                     "This takes an access token with the scopes \"%.*s\"",
                     MICA_ARG(message->reply.lacks));
    return false;
}

// [AUTH-403] Every scope of the target, where callers are known. Here and not in
// an adapter, so that no way in, a batch for one, goes around it.
static bool
may_use(struct mica_message *message)
{
    return need_scopes(message, message->execution.target->scope);
}

bool
mica_message_may_enter(struct mica_message *message)
{
    if (!mica_message_enter(message)) {
        mica_reply_error(message, 404, MICA_RPC_REQUEST, MICA_E_NOT_FOUND, none,
                         "There is no endpoint at this path");
        return false;
    }
    return message->context.principal == NULL ||
           need_scopes(message, mica_message_endpoint(message)->scope);
}

// ---- Running ---------------------------------------------------------------------

void
mica_message_run_by(struct mica_message *message,
                    const struct mica_runnable *runnable,
                    struct mica_text arguments,
                    void (*finish)(struct mica_message *message))
{
    message->execution.runnable = runnable;
    message->execution.arguments = arguments;
    message->execution.finish = finish;
    if (!may_use(message) || !mica_client_suffices(message))
        return;
    mica_execution_move(&message->execution, MICA_EXECUTION_ENTERED);
    message->step = MICA_STEP_WORK;
}

void
mica_message_run(struct mica_message *message, struct mica_text arguments,
                 void (*finish)(struct mica_message *message))
{
    mica_message_run_by(message, &message->execution.target->runnable,
                        arguments, finish);
    if (message->step == MICA_STEP_WORK && mica_round_enter(message))
        message->step = MICA_STEP_WORK;
}

// The flag of a client that has gone: of a batch, the whole has it.
static atomic_bool *
flag(struct mica_message *message)
{
    return message->whole != NULL ? &message->whole->execution.cancelled
                                  : &message->execution.cancelled;
}

bool
mica_message_is_cancelled(struct mica_message *message)
{
    return atomic_load_explicit(&message->execution.cancelled,
                                memory_order_relaxed) ||
           atomic_load_explicit(flag(message), memory_order_relaxed);
}

void
mica_message_prepare(struct mica_message *message, uint32_t budget_ms)
{
    const struct mica_runnable *runnable = message->execution.runnable;
    struct mica_call *call = &message->execution.call;

    mica_call_init(call, message->arena);
    call->user = runnable->user;
    call->cancelled = flag(message);
    call->principal = message->context.principal;
    call->uri = message->request.uri;
    call->mime_type = message->execution.target->mime_type;
    // What a session or a batch keeps of a reply is text.
    call->takes_late = (message->request.takes & MICA_TAKES_LATE) != 0 &&
                       message->context.session.id.len == 0 &&
                       message->whole == NULL &&
                       message->context.surface == NULL;
    call->budget_ms = budget_ms;
    call->output_bytes = message->server->options.call_bytes / 4;
    mica_message_events(message);
}

// A handler that cannot ask. An I/O thread gives it a little time (budget_ms): when that
// is over nothing was said or recorded, and a worker runs it from its beginning.
static void
run_alone(struct mica_message *message, bool may_run_again)
{
    struct mica_execution *execution = &message->execution;
    bool again;

    mica_execution_move(execution, MICA_EXECUTION_RUNNING);
    execution->runnable->run(execution->runnable, &execution->call,
                             execution->arguments);
    again = may_run_again && execution->call.result.status == MICA_E_TIMEOUT;
    mica_execution_move(execution,
                        again ? MICA_EXECUTION_ENTERED : MICA_EXECUTION_ENDED);
}

static void
run(struct mica_message *message, uint32_t budget_ms)
{
    mica_message_prepare(message, budget_ms);
    if (message->execution.round != NULL)
        mica_round_run(message);
    else
        run_alone(message, budget_ms != 0);
}

static void
finish(struct mica_message *message)
{
    if (message->execution.round != NULL) {
        mica_round_finish(message);
        return;
    }
    mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
    if (mica_message_is_cancelled(message) ||
        message->execution.call.result.status == MICA_E_CANCELLED) {
        message->reply.error_code = mica_status_code(MICA_E_CANCELLED);
        mica_reply_silent(message, 499);
    } else {
        message->execution.finish(message);
    }
}

bool
mica_work_go_on(struct mica_message *message)
{
    void (*later)(struct mica_message *) = message->execution.later;

    if (later == NULL)
        return true;
    message->execution.later = NULL;
    message->step = MICA_STEP_REPLY;
    later(message);
    return message->step == MICA_STEP_WORK;
}

bool
mica_work_try(struct mica_message *message)
{
    if (!mica_work_go_on(message))
        return true;
    if (!message->execution.runnable->inline_first)
        return false;
    run(message, 1);
    if (message->execution.state == MICA_EXECUTION_ENTERED)
        return false;
    finish(message);
    return true;
}

void
mica_work_do(struct mica_message *message)
{
    if (!mica_work_go_on(message))
        return;
    if (!mica_message_is_cancelled(message)) {
        run(message, 0);
        finish(message);
    } else {
        if (message->execution.round != NULL)
            mica_round_leave(message);
        else
            mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
        message->reply.error_code = mica_status_code(MICA_E_CANCELLED);
        mica_reply_silent(message, 499);
    }
}
