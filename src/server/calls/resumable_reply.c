// SPDX-License-Identifier: Apache-2.0
//
// The replies of a turn that has not ended its call: the questions, with a requestState
// that the client sends back with its answers; or that the call is a task from now on.
#include "server/calls/resumable.h"
#include "server/calls/task.h"

static const struct mica_text none = {NULL, 0};

void
mica_resumable_write_questions(const struct mica_resumable *resumable,
                               struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    for (const struct mica_asked *asked = resumable->turn.asked; asked != NULL;
         asked = asked->next) {
        mica_json_name_text(writer, asked->key);
        mica_json_open_object(writer);
        mica_json_field(writer, "method", mica_ask_method(asked->kind));
        mica_json_name(writer, "params");
        mica_json_raw(writer, asked->params);
        mica_json_close_object(writer);
    }
    mica_json_close_object(writer);
}

// When the last of the questions times out.
static int64_t
last_due(const struct mica_turn *turn)
{
    int64_t due = 0;

    for (const struct mica_asked *asked = turn->asked; asked != NULL;
         asked = asked->next)
        due = asked->due > due ? asked->due : due;
    return due;
}

// MCP: InputRequiredResult. [MRTR-RESULT]
void
mica_resumable_reply_questions(struct mica_message *message,
                               struct mica_text asks, uint32_t next_round)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_state state = {
        .stored = mica_execution_is_stored(resumable),
        .id = resumable->kept.id,
        .round = next_round,
        .created = resumable->kept.created,
        .version = mica_registry_version_of(&message->server->registry,
                                            message->execution.target)};
    struct mica_json_writer writer;
    struct mica_error error;
    struct mica_text text;
    enum mica_status status;

    resumable->questions_round = next_round;
    state.expires = state.stored
                        ? resumable->kept.expires
                        : last_due(&resumable->turn) + MICA_STATE_GRACE_MS;
    if (!state.stored)
        state.journal = mica_buffer_as_text(&resumable->journal.bytes);
    status = mica_state_seal(message, &state, &error, &text);
    if (status != MICA_OK) {
        (void)mica_resumable_refuse(message, status, &error);
        return;
    }
    mica_reply_open_as(message, &writer, "input_required");
    mica_json_name(&writer, "inputRequests");
    mica_json_raw(&writer, asks);
    mica_json_field(&writer, "requestState", text);
    mica_reply_close(message, &writer, none);
}

// The call is stored, so the client may learn of the task: the scheduler runs it.
void
mica_resumable_reply_task(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;

    mica_resumable_release(message);
    mica_task_reply(message);
    calls->wake(calls->data, message->execution.resumable->kept.id);
}
