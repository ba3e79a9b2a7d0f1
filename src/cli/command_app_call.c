// SPDX-License-Identifier: Apache-2.0
//
// Acts on apps that run a tool or ask a language model, as a call in this process.
#include "call/turn.h"
#include "cli/command_app.h"
#include "cli/local_call.h"

// The act is the handler of a call: it runs again in each turn.
struct act_call {
    struct mica_cli_app *work;
    enum mica_act act;
    const char *app;
    struct mica_text body;
    enum mica_status status; // of the act
};

static void
act_guarded(struct mica_call *call, void *data)
{
    struct act_call *run = data;

    run->status =
        mica_cli_app_act_in(run->work, call, run->act, run->app, run->body);
}

static void
act_handler(const struct mica_runnable *self, struct mica_call *call,
            struct mica_text arguments)
{
    (void)arguments;
    mica_call_guard(call, act_guarded, self->data);
}

// A call that was stopped has not come to an answer of the act.
static enum mica_status
call_failure(struct mica_cli_app *work, const struct mica_call *call)
{
    struct mica_json error;

    if (mica_json_read(&work->cli->arena, call->result.error, NULL, NULL,
                       &error) != MICA_OK)
        return mica_error_set(work->error, call->result.status, "", "%s",
                              mica_status_meaning(call->result.status));
    return mica_error_set(work->error, call->result.status, "", "%.*s",
                          MICA_ARG(mica_json_get_text(&error, "message")));
}

static enum mica_status
call_converse(struct mica_cli_app *work, struct act_call *run,
              struct mica_definition *handler)
{
    struct mica_conversation conversation;
    struct mica_arena arena;
    struct mica_local_call local = {
        .cli = work->cli,
        .options = work->options,
        .server = work->server,
        .tool = handler,
        .arena = &arena,
        .on_notice = work->json ? NULL : mica_conversation_notice};
    struct mica_call call = {.arena = &arena};
    enum mica_status status;

    MICA_TRY(mica_conversation_open(work->cli, work->options, work->error,
                                    &conversation));
    mica_arena_init(&arena, MICA_LOCAL_CALL_BYTES);
    status = mica_local_call_run(&local, &conversation, &call, run->body,
                                 work->error);
    mica_conversation_close(&conversation);
    if (status == MICA_OK && run->status == MICA_SUSPENDED)
        status = call_failure(work, &call);
    else if (status == MICA_OK)
        status = run->status;
    if (status == MICA_OK)
        status = mica_conversation_end(&conversation, work->error);
    mica_arena_fini(&arena);
    return status;
}

enum mica_status
mica_cli_app_call(struct mica_cli_app *work, enum mica_act act, const char *app,
                  struct mica_text body)
{
    struct mica_definition *handler = mica_definition_new(MICA_DEFINITION_TOOL);
    struct act_call run = {.work = work,
                           .act = act,
                           .app = app,
                           .body = body,
                           .status = MICA_E_LIMIT};
    enum mica_status status;

    if (handler == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    handler->name = mica_text(mica_act_name(act));
    handler->limit_ms = MICA_ASK_LIMIT_MS;
    handler->runnable =
        (struct mica_runnable){.run = act_handler, .data = &run};
    status = call_converse(work, &run, handler);
    mica_definition_drop(handler);
    return status;
}
