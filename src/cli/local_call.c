// SPDX-License-Identifier: Apache-2.0
//
// See local_call.h.
#include "cli/local_call.h"

#include <inttypes.h>
#include <stdio.h>

#include "call/turn.h"
#include "cli/cli_catalog.h"
#include "serve/stop.h"
#include "serve/system_platform.h"

enum {
    ID_DIGITS = 32
};

// ---- What the tool reaches -------------------------------------------------------

static void *
find_service(void *data, const char *namez)
{
    const struct mica_local_call *local = data;
    const struct mica_definition *owner = local->turn->owner;

    return mica_registry_service(&local->server->registry,
                                 owner != NULL ? owner : local->tool, namez);
}

// Each has a runnable of its own: those of one group are held side by side. A call
// in a terminal has one build of a tool to its end.
static const struct mica_tool_runnable *
find_tool(void *data, struct mica_text name, struct mica_text version)
{
    const struct mica_local_call *local = data;
    const struct mica_definition *found;
    struct mica_tool_runnable *tool =
        mica_arena_zero(local->arena, 1, sizeof *tool);
    struct mica_error *error = mica_arena_zero(local->arena, 1, sizeof *error);
    enum mica_status status;

    (void)version;
    if (tool == NULL || error == NULL)
        return NULL; // the call has overflowed, and says so
    status = mica_cli_catalog_find_tool(local->cli, local->options, name,
                                        local->server, error, &found);
    if (status == MICA_E_NOT_FOUND)
        return NULL;
    if (status != MICA_OK) {
        tool->refused = error;
        return tool;
    }
    tool->runnable = &found->runnable;
    tool->steps = found->steps;
    tool->fetches = found->fetches;
    tool->keeps = found->keeps;
    tool->form_views = mica_definition_form_views(found);
    tool->name = found->name;
    tool->owner = found;
    tool->limit_ms = found->limit_ms;
    return tool;
}

// Runs turns until the call has ended. Between them there is the journal alone, as
// on a server; a process that holds a conversation keeps it in its memory.
static enum mica_status
run_turns(struct mica_local_call *local, struct mica_conversation *conversation,
          struct mica_turn *turn, struct mica_call *call,
          struct mica_text arguments, struct mica_error *error)
{
    const struct mica_definition *tool = local->tool;
    struct mica_arena *arena = call->arena;
    enum mica_status status = MICA_OK;
    unsigned client = 0;

    for (;;) {
        mica_call_init(call, arena);
        call->user = tool->runnable.user;
        call->output_bytes = MICA_LOCAL_OUTPUT_BYTES;
        if (conversation != NULL) {
            call->on_notice = local->on_notice;
            call->notice_data = conversation;
            call->cancelled = mica_stop_flag();
            client = mica_conversation_client(conversation);
            turn->capabilities = client | mica_server_provides(local->server);
        }
        mica_turn_run(turn, call, &tool->runnable, arguments);
        if (!turn->suspended)
            return status;
        // It asks only what can be asked here, so there is a conversation.
        status = mica_local_models_answer(local->server, turn, client, error);
        if (status == MICA_OK && turn->ending == MICA_OK)
            status = mica_conversation_answer(conversation, turn, error);
        if (status != MICA_OK)
            turn->ending = MICA_E_CANCELLED; // has its clean-ups run
        mica_arena_reset(arena);
    }
}

void
mica_local_call_refuse(struct mica_call *call,
                       const struct mica_definition *tool, unsigned missing)
{
    struct mica_text name =
        tool->name.len > 0 ? tool->name : MICA_LITERAL("the tool");
    const char *what = "", *instead = "";

    if ((missing & MICA_ELICITATION) == 0 && (missing & MICA_SAMPLING) != 0) {
        what = " for words of a model";
        instead = ", --sampler 'CMD'";
    } else if ((missing & MICA_ELICITATION) == 0 &&
               (missing & MICA_ROOTS) != 0) {
        what = " for folders";
        instead = ", --root PATH";
    }
    mica_call_fail(call, MICA_E_CAPABILITY, "",
                   "%.*s asks its caller%s, and no person can be asked "
                   "here; call it in a terminal, or with --answers FILE%s",
                   MICA_ARG(name), what, instead);
}

// In a conversation of its own, whose journal ends with it.
enum mica_status
mica_local_call_run(struct mica_local_call *local,
                    struct mica_conversation *conversation,
                    struct mica_call *call, struct mica_text arguments,
                    struct mica_error *error)
{
    const struct mica_definition *tool = local->tool;
    char id[ID_DIGITS + 1];
    uint64_t bits[2];
    struct mica_journal journal;
    struct mica_arena kept;
    struct mica_turn turn = {.journal = &journal,
                             .platform = &mica_platform_real,
                             .dialect = MICA_ASKS_2026_07_28,
                             .limit_ms = tool->limit_ms,
                             .steps = tool->steps,
                             .fetches = tool->fetches,
                             .keeps = tool->keeps,
                             .form_views = mica_definition_form_views(tool),
                             .service = find_service,
                             .find = find_tool,
                             .data = local};
    enum mica_status status;

    mica_platform_real.random(mica_platform_real.data, bits, sizeof bits);
    (void)snprintf(id, sizeof id, "%016" PRIx64 "%016" PRIx64, bits[0],
                   bits[1]);
    turn.id = mica_text(id);
    mica_arena_init(&kept, MICA_LOCAL_CALL_BYTES);
    mica_journal_init(&journal, &kept);
    local->turn = &turn;
    status = run_turns(local, conversation, &turn, call, arguments, error);
    // It asks, and .requires does not say so.
    if (status == MICA_OK && call->result.status == MICA_E_CAPABILITY &&
        turn.missing != 0)
        mica_local_call_refuse(call, tool, turn.missing);
    local->turn = NULL;
    mica_arena_fini(&kept);
    return status;
}
