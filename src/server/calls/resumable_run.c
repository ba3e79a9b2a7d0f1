// SPDX-License-Identifier: Apache-2.0
//
// Runs one turn of a call, and gives its handler what it can reach: the commits of
// effects, services, other tools.
#include "server/calls/mapped_tool.h"
#include "server/calls/progress_log.h"
#include "server/calls/resumable.h"

#include <string.h>

// TURN-3. Commits the journal while the handler runs; sends no events of the stream.
static enum mica_status
commit_turn(void *data, struct mica_error *error)
{
    struct mica_message *message = data;
    enum mica_status status = mica_resumable_commit(
        message, (struct mica_text){NULL, 0}, false, error);

    // A journal that is too large stays too large, so the call ends with that error.
    if (status != MICA_OK && status != MICA_E_LIMIT)
        message->execution.resumable->commit_error = *error;
    return status;
}

static void
task_set_note(struct mica_resumable *resumable, struct mica_text text)
{
    if (text.len == 0)
        return;
    text = mica_utf8_cut(text, sizeof resumable->note);
    memcpy(resumable->note, text.ptr, text.len);
    resumable->kept.note = (struct mica_text){resumable->note, text.len};
}

// Appends a notice to the progress log, after the notices of earlier turns. Returns false
// if nothing was added.
static bool
task_log_notice(struct mica_message *message, const struct mica_notice *notice)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_buffer *progress_log = &resumable->progress_log;

    if (progress_log->ptr == NULL) {
        progress_log->ptr =
            mica_arena_alloc(message->arena, MICA_PROGRESS_LOG_BYTES);
        if (progress_log->ptr == NULL)
            return false;
        progress_log->capacity = progress_log->max = MICA_PROGRESS_LOG_BYTES;
        if (resumable->kept.progress_log.len <= MICA_PROGRESS_LOG_BYTES)
            mica_buffer_text(progress_log, resumable->kept.progress_log);
    }
    if (!mica_progress_log_add(progress_log, notice))
        return false;
    resumable->kept.progress_log = mica_buffer_as_text(progress_log);
    return true;
}

// MCP: tasks: the client of a task gets no notifications. It reads the note and the log
// when it asks for the state of the task.
static void
task_notice(void *data, const struct mica_notice *notice)
{
    struct mica_message *message = data;
    struct mica_resumable *resumable = message->execution.resumable;
    int64_t now = mica_resumable_now(message);
    struct mica_error error;
    enum mica_status status;

    if (notice->kind == MICA_NOTICE_PROGRESS)
        task_set_note(resumable, notice->message);
    if (!task_log_notice(message, notice) ||
        !mica_execution_is_claimed(resumable) ||
        now < resumable->note_committed + MICA_NOTE_MS)
        return;
    resumable->note_committed = now;
    // If this commit fails, the next one writes the note and the log.
    status = mica_resumable_commit(message, (struct mica_text){NULL, 0}, false,
                                   &error);
    (void)status;
}

void
mica_resumable_prepare(struct mica_message *message, uint32_t budget_ms)
{
    mica_message_prepare(message, budget_ms);
    if (message->execution.resumable->kept.mode != MICA_CALL_TASK)
        return;
    message->execution.call.on_notice = task_notice;
    message->execution.call.close_stream = NULL;
}

static enum mica_ask_dialect
question_dialect(const struct mica_message *message)
{
    if (mica_resumable_is_stateless(message))
        return MICA_ASKS_2026_07_28;
    return message->context.revision == MICA_REVISION_2025_11_25
               ? MICA_ASKS_2025_11_25
               : MICA_ASKS_2025_06_18;
}

static uint32_t
limit_of(const struct mica_definition *definition)
{
    return definition->limit_ms > 0 ? definition->limit_ms : MICA_ASK_LIMIT_MS;
}

static void *
find_service(void *data, const char *namez)
{
    struct mica_message *message = data;
    const struct mica_definition *owner =
        message->execution.resumable->turn.owner;

    return mica_registry_service(
        &message->server->registry,
        owner != NULL ? owner : message->execution.target, namez);
}

// A tool with effects commits each of them, so from here on the store has the call, even
// if it was carried. Returns NULL, or why the call cannot be stored.
static const struct mica_error *
store_call(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;

    if (mica_execution_is_claimed(resumable))
        return NULL;
    if (mica_resumable_create(message, &resumable->commit_error) != MICA_OK)
        return &resumable->commit_error;
    resumable->commit_error.status = MICA_OK;
    resumable->turn.commit = commit_turn;
    resumable->turn.may_repeat = resumable->kept.mode == MICA_CALL_ROUNDS;
    return NULL;
}

// Finds the tool as it is offered now, or, with a version, as it was when the handler
// invoked it.
static struct mica_definition *
find_build(struct mica_message *message, struct mica_text name,
           struct mica_text version)
{
    struct mica_definition *found = mica_catalog_find(
        mica_message_offered(message), MICA_DEFINITION_TOOL, name);

    if (version.len == 0 ||
        (found != NULL &&
         mica_text_equal(version, mica_registry_version_of(
                                      &message->server->registry, found))))
        return found;
    return mica_message_build(message, name, version);
}

// Is the tool being built, or was it built after the message began?
static bool
is_coming(struct mica_message *message, struct mica_text name)
{
    size_t ready, all;

    return message->server->coming != NULL &&
           (mica_message_expects(message, name, &ready, &all) ||
            // What a mapped tool needs is one build of it.
            (!mica_message_maps_tools(message) &&
             mica_registry_has_tool(&message->server->registry,
                                    message->request.endpoint, name)));
}

// Returns a refusal if the tool is still being built, and NULL if it is unknown. A
// request for the tool waits until it is built (build_wait.c). A handler does not wait, as it
// would block one of few workers.
static const struct mica_tool_runnable *
find_coming(struct mica_message *message, struct mica_text name)
{
    struct mica_tool_runnable *tool;
    struct mica_error *error;

    if (!is_coming(message, name))
        return NULL;
    tool = mica_arena_zero(message->arena, 1, sizeof *tool);
    error = mica_arena_zero(message->arena, 1, sizeof *error);
    if (tool == NULL || error == NULL)
        return NULL;
    mica_error_set(error, MICA_E_BUSY, "",
                   "the tool \"%.*s\" is still being built; try again in a "
                   "moment",
                   MICA_ARG(name));
    tool->refused = error;
    return tool;
}

static const struct mica_tool_runnable *
find_tool(void *data, struct mica_text name, struct mica_text version)
{
    struct mica_message *message = data;
    bool mapped = mica_message_maps_tools(message);
    struct mica_definition *found =
        mapped ? mica_mapped_tool_find(message, name, version)
               : find_build(message, name, version);
    struct mica_tool_runnable *tool;

    if (found == NULL && (mapped || version.len == 0))
        return find_coming(message, name);
    // An invoked tool needs the same OAuth scopes as a direct call.
    if (found == NULL || !mica_scopes_suffice(message, found->scope))
        return NULL;
    tool = mica_arena_zero(message->arena, 1, sizeof *tool);
    if (tool == NULL)
        return NULL;
    tool->runnable = &found->runnable;
    tool->steps = found->steps;
    tool->fetches = found->fetches;
    tool->keeps = found->keeps;
    tool->form_views = mica_definition_form_views(found);
    tool->name = found->name;
    tool->version = mica_registry_version_of(&message->server->registry, found);
    tool->owner = found;
    if (found->stored)
        tool->refused = store_call(message);
    tool->limit_ms = limit_of(found);
    return tool;
}

// A view shows forms if the operator says so and the client can.
static enum mica_form_display
form_display(const struct mica_message *message)
{
    bool by_view =
        message->server->options.form_views &&
        (message->context.capabilities & MICA_CLIENT_FORM_VIEWS) != 0;

    return by_view ? MICA_FORM_BY_VIEW : MICA_FORM_BY_CLIENT;
}

static void
turn_prepare(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    const struct mica_definition *target = message->execution.target;
    struct mica_turn *turn = &resumable->turn;

    turn->journal = &resumable->journal;
    turn->id = resumable->kept.id;
    turn->platform = message->server->platform;
    turn->capabilities =
        message->context.capabilities | mica_server_provides(message->server);
    turn->dialect = question_dialect(message);
    turn->steps = target->steps;
    turn->fetches = target->fetches;
    turn->keeps = target->keeps;
    turn->form_views = mica_definition_form_views(target);
    turn->form_display = form_display(message);
    turn->keep_ms = target->keep_ms;
    turn->commit = mica_execution_is_claimed(resumable) ? commit_turn : NULL;
    // May a later turn repeat this one? Not in a session. A cancelled task runs to
    // its end now; a task whose server stops continues on the next server.
    turn->may_repeat = mica_execution_is_claimed(resumable) &&
                       turn->ending == MICA_OK &&
                       resumable->kept.mode != MICA_CALL_SESSION;
    turn->attendance =
        resumable->has_no_request && resumable->kept.mode == MICA_CALL_ROUNDS
            ? MICA_UNATTENDED
            : MICA_ATTENDED;
    turn->may_detach = mica_resumable_may_be_task(message) &&
                       target->detaches && !resumable->has_no_request &&
                       turn->ending == MICA_OK;
    turn->service = find_service;
    turn->find = find_tool;
    turn->data = message;
    if (!resumable->has_no_request)
        mica_resumable_mark_start(resumable);
    turn->durable = resumable->entries_at_start;
}

bool
mica_message_store_call(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;

    if (resumable == NULL || mica_resumable_is_stateless(message) ||
        !mica_resumable_begins_stored(message))
        return true;
    resumable->turn.limit_ms = limit_of(message->execution.target);
    return mica_resumable_begin(message) == MICA_RESUMABLE_RUN;
}

void
mica_message_abandon(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    enum mica_status status;

    if (resumable == NULL || !mica_execution_is_claimed(resumable))
        return;
    mica_resumable_release_unrun(message);
    status = calls->cancel(calls->data, resumable->kept.id, &error);
    (void)status; // if the store fails, the call ends at its time limit
}

// Once the time limit of a question has passed, the call times out, whether it is
// carried or stored: the handler runs with MICA_E_TIMEOUT and reads no later answer.
static void
end_if_timed_out(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;

    if (!resumable->has_state || resumable->turn.ending != MICA_OK ||
        mica_journal_due(&resumable->journal) > mica_resumable_now(message))
        return;
    resumable->turn.ending = MICA_E_TIMEOUT;
    resumable->turn.answers = NULL;
}

void
mica_resumable_run_turn(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;

    mica_execution_move(&message->execution, MICA_EXECUTION_RUNNING);
    mica_turn_run(&resumable->turn, &message->execution.call,
                  message->execution.runnable, message->execution.arguments);
    mica_execution_move(&message->execution,
                        mica_execution_turn_state(resumable));
}

// Runs the turn again as long as the model provider answers what it asks.
static bool
follow_provider(struct mica_message *message, enum mica_model_turn next)
{
    while (next == MICA_MODEL_TURN_AGAIN) {
        mica_resumable_prepare(message, 0);
        mica_resumable_run_turn(message);
        next = mica_resumable_ask_provider(message);
    }
    return next != MICA_MODEL_TURN_PARKED;
}

bool
mica_resumable_continue(struct mica_message *message)
{
    return follow_provider(message, mica_resumable_hear_provider(message));
}

bool
mica_resumable_run(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error;
    enum mica_status status;

    message->execution.turn_running = true;
    // mica_resumable_create stores this limit.
    resumable->turn.limit_ms = limit_of(message->execution.target);
    if (!resumable->has_no_request && !mica_execution_is_claimed(resumable) &&
        mica_resumable_begin(message) == MICA_RESUMABLE_REPLIED)
        return true;
    end_if_timed_out(message);
    turn_prepare(message);
    if (resumable->turn.answers != NULL) {
        status = mica_journal_answer(&resumable->journal,
                                     resumable->turn.answers, &error);
        if (status != MICA_OK) {
            mica_resumable_release(message);
            (void)mica_resumable_reply_error(message, status, &error);
            return true;
        }
    }
    mica_resumable_run_turn(message);
    return follow_provider(message, mica_resumable_ask_provider(message));
}
