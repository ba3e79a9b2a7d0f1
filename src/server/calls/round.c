// SPDX-License-Identifier: Apache-2.0
//
// One turn of a call for one request: what its handler can reach.
#include "server/calls/round.h"
#include "server/calls/progress_log.h"

#include <string.h>

// T3. Beside the journal nothing is said.
static enum mica_status
commit_turn(void *data, struct mica_error *error)
{
    struct mica_message *message = data;
    enum mica_status status =
        mica_round_commit(message, (struct mica_text){NULL, 0}, false, error);

    // What is too large is so for ever: that is how the call ends.
    if (status != MICA_OK && status != MICA_E_LIMIT)
        message->execution.round->lost = *error;
    return status;
}

static void
note_text_take(struct mica_round *round, struct mica_text text)
{
    if (text.len == 0)
        return;
    text = mica_utf8_cut(text, sizeof round->note);
    memcpy(round->note, text.ptr, text.len);
    round->kept.note = (struct mica_text){round->note, text.len};
}

// Behind what the turns before this one have told. False: nothing was added.
static bool
take_event(struct mica_message *message, const struct mica_event *event)
{
    struct mica_round *round = message->execution.round;
    struct mica_buffer *progress_log = &round->progress_log;

    if (progress_log->ptr == NULL) {
        progress_log->ptr =
            mica_arena_alloc(message->arena, MICA_PROGRESS_LOG_BYTES);
        if (progress_log->ptr == NULL)
            return false;
        progress_log->capacity = progress_log->max = MICA_PROGRESS_LOG_BYTES;
        if (round->kept.progress_log.len <= MICA_PROGRESS_LOG_BYTES)
            mica_buffer_text(progress_log, round->kept.progress_log);
    }
    if (!mica_progress_log_add(progress_log, event))
        return false;
    round->kept.progress_log = mica_buffer_as_text(progress_log);
    return true;
}

// MCP: tasks: the client is told nothing on the way; it reads what the call says of
// itself when it asks for the state of the task.
static void
note_take(void *data, const struct mica_event *event)
{
    struct mica_message *message = data;
    struct mica_round *round = message->execution.round;
    int64_t now = mica_round_now(message);
    struct mica_error error;
    enum mica_status status;

    if (event->kind == MICA_EVENT_PROGRESS)
        note_text_take(round, event->message);
    if (!take_event(message, event) || !mica_execution_is_claimed(round) ||
        now < round->noted + MICA_NOTE_MS)
        return;
    round->noted = now;
    // What cannot be written now is with the next thing that is.
    status =
        mica_round_commit(message, (struct mica_text){NULL, 0}, false, &error);
    (void)status;
}

void
mica_round_prepare(struct mica_message *message, uint32_t budget_ms)
{
    mica_message_prepare(message, budget_ms);
    if (message->execution.round->kept.mode != MICA_CALL_TASK)
        return;
    message->execution.call.event = note_take;
    message->execution.call.close_stream = NULL;
}

static enum mica_ask_dialect
message_dialect(const struct mica_message *message)
{
    if (mica_round_is_stateless(message))
        return MICA_ASKS_2026_07_28;
    return message->context.revision == MICA_REVISION_2025_11_25
               ? MICA_ASKS_2025_11_25
               : MICA_ASKS_2025_06_18;
}

static uint32_t
limit_of(const struct mica_definition *definition)
{
    return definition->limit_ms > 0 ? definition->limit_ms : MICA_LIMIT_MS;
}

static void *
find_service(void *data, const char *namez)
{
    struct mica_message *message = data;
    const struct mica_definition *owner = message->execution.round->turn.owner;

    return mica_registry_service(
        &message->server->registry,
        owner != NULL ? owner : message->execution.target, namez);
}

// What has effects is recorded when it has run, so a call that was to be carried is
// kept from here on. NULL, or why it cannot be.
static const struct mica_error *
keep_now(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;

    if (mica_execution_is_claimed(round))
        return NULL;
    if (mica_round_create(message, &round->lost) != MICA_OK)
        return &round->lost;
    round->lost.status = MICA_OK;
    round->turn.commit = commit_turn;
    round->turn.repeats = round->kept.mode == MICA_CALL_ROUNDS;
    return NULL;
}

// As it is offered now, or as it was when it was invoked.
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

// Is it being built, or there since the message began?
static bool
is_coming(const struct mica_message *message, struct mica_text name)
{
    size_t ready, all;

    return message->server->coming != NULL &&
           (mica_message_expects(message, name, &ready, &all) ||
            mica_registry_has_tool(&message->server->registry,
                                   message->request.endpoint, name));
}

// NULL: it is not being built. A list of tools, and a call of one, are held for it
// (hold.c); a handler is not, as its worker may be one of few.
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
    struct mica_definition *found = find_build(message, name, version);
    struct mica_tool_runnable *tool;

    if (found == NULL && version.len == 0)
        return find_coming(message, name);
    // A scope that this caller lacks is one that its call lacks, too.
    if (found == NULL || !mica_scopes_suffice(message, found->scope))
        return NULL;
    tool = mica_arena_zero(message->arena, 1, sizeof *tool);
    if (tool == NULL)
        return NULL;
    tool->runnable = &found->runnable;
    tool->steps = found->steps;
    tool->name = found->name;
    tool->version = mica_registry_version_of(&message->server->registry, found);
    tool->owner = found;
    if (found->stored)
        tool->refused = keep_now(message);
    tool->limit_ms = limit_of(found);
    return tool;
}

static void
message_prepare(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    const struct mica_definition *target = message->execution.target;
    struct mica_turn *turn = &round->turn;

    turn->journal = &round->journal;
    turn->id = round->kept.id;
    turn->platform = message->server->platform;
    turn->client = message->context.client;
    turn->dialect = message_dialect(message);
    turn->steps = target->steps;
    turn->commit = mica_execution_is_claimed(round) ? commit_turn : NULL;
    // A task that was given up says so when it is taken; one whose server ends
    // continues when a server runs again.
    turn->repeats = mica_execution_is_claimed(round) &&
                    turn->ending == MICA_OK &&
                    round->kept.mode != MICA_CALL_SESSION;
    turn->may_detach = mica_round_may_be_task(message) && target->detaches &&
                       !round->resumes && turn->ending == MICA_OK;
    turn->service = find_service;
    turn->find = find_tool;
    turn->data = message;
    if (!round->resumes)
        mica_round_mark(round);
    turn->durable = round->known;
}

bool
mica_message_keep(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;

    if (round == NULL || mica_round_is_stateless(message) ||
        !message->execution.target->stored)
        return true;
    round->turn.limit_ms = limit_of(message->execution.target);
    return mica_round_begin(message);
}

void
mica_message_abandon(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status;

    if (round == NULL || !mica_execution_is_claimed(round))
        return;
    mica_round_leave(message);
    status = calls->cancel(calls->data, round->kept.id, &error);
    (void)status; // should the store fail, it ends when it is late
}

// Design D3: once the limit of a question has passed, the call is over for its
// client, whether the journal was carried or kept. The handler runs with
// MICA_E_TIMEOUT, and what was answered after the limit is not read.
static void
end_if_late(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;

    if (!round->has_state || round->turn.ending != MICA_OK ||
        mica_journal_due(&round->journal) > mica_round_now(message))
        return;
    round->turn.ending = MICA_E_TIMEOUT;
    round->turn.answers = NULL;
}

void
mica_round_run_turn(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;

    mica_execution_move(&message->execution, MICA_EXECUTION_RUNNING);
    mica_turn_run(&round->turn, &message->execution.call,
                  message->execution.runnable, message->execution.arguments);
    mica_execution_move(&message->execution, mica_execution_turn_state(round));
}

void
mica_round_run(struct mica_message *message)
{
    struct mica_round *round = message->execution.round;
    struct mica_error error;
    enum mica_status status;

    message->execution.in_turn = true;
    // Before `create` describes the call, which has a limit.
    round->turn.limit_ms = limit_of(message->execution.target);
    if (!round->resumes && !mica_execution_is_claimed(round) &&
        !mica_round_begin(message))
        return;
    end_if_late(message);
    message_prepare(message);
    if (round->turn.answers != NULL) {
        status =
            mica_journal_answer(&round->journal, round->turn.answers, &error);
        if (status != MICA_OK) {
            mica_round_release(message);
            (void)mica_round_answer_error(message, status, &error);
            return;
        }
    }
    mica_round_run_turn(message);
    while (mica_round_speak(message)) {
        mica_round_prepare(message, 0);
        mica_round_run_turn(message);
    }
}
