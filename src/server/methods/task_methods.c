// SPDX-License-Identifier: Apache-2.0
//
// The tasks extension: a tools/call that is answered at once while it runs,
// and how a client asks how it is, answers its questions and gives it up. A task
// is a kept call; what happens to it happens in its turns.
#include "server/methods/task_methods.h"
#include "server/calls/round.h"
#include "server/message_surface.h"

#include <string.h>

static const struct mica_text none = {NULL, 0};

enum {
    POLL_MS = 1000,
    ASKS_BYTES = 1 << 20
};

// ---- Shapes ----------------------------------------------------------------------

const char *
mica_call_state_name(const struct mica_kept_call *task)
{
    if (mica_call_asks(task))
        return "input_required";
    switch (task->state) {
    case MICA_CALL_COMPLETED:
        return "completed";
    case MICA_CALL_FAILED:
        return "failed";
    case MICA_CALL_CANCELLED:
        return "cancelled";
    case MICA_CALL_WORKING:
    case MICA_CALL_WAITING:
        break;
    }
    return "working";
}

void
mica_call_write_time(struct mica_json_writer *writer, const char *namez,
                     int64_t ms)
{
    char room[64];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_time_write(&text, mica_time_from_seconds(ms / 1000, 0));
    mica_json_field(writer, namez, mica_buffer_as_text(&text));
}

static void
write_task(const struct mica_kept_call *task, struct mica_json_writer *writer)
{
    mica_json_field(writer, "taskId", task->id);
    mica_json_field(writer, "status", mica_text(mica_call_state_name(task)));
    if (task->note.len > 0)
        mica_json_field(writer, "statusMessage", task->note);
    mica_call_write_time(writer, "createdAt", task->created);
    mica_call_write_time(writer, "lastUpdatedAt", task->changed);
    mica_json_name(writer, "ttlMs");
    mica_json_integer(writer, task->expires - task->created);
    mica_json_name(writer, "pollIntervalMs");
    mica_json_integer(writer, POLL_MS);
}

// [TASK-DETAIL]
void
mica_task_write(const struct mica_kept_call *task,
                struct mica_json_writer *writer)
{
    write_task(task, writer);
    if (mica_call_asks(task)) {
        mica_json_name(writer, "inputRequests");
        mica_json_raw(writer, task->asks);
    }
    if (task->state == MICA_CALL_COMPLETED || task->state == MICA_CALL_FAILED)
        mica_json_raw(writer, task->reply); // "result":… or "error":…
}

bool
mica_task_change(const struct mica_server *server,
                 const struct mica_kept_call *task, struct mica_arena *arena,
                 struct mica_change *change_out)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, arena, server->options.call_bytes);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_task_write(task, &writer);
    mica_json_close_object(&writer);
    *change_out = (struct mica_change){.kind = MICA_CHANGED_TASK,
                                       .uri = task->id,
                                       .task = mica_buffer_as_text(&text)};
    return !text.overflow;
}

// [TASK-LISTEN] Who is not told asks again.
void
mica_task_tell(struct mica_server *server, const struct mica_kept_call *task,
               struct mica_arena *arena)
{
    struct mica_change change;

    if (server->registry.changed != NULL &&
        mica_task_change(server, task, arena, &change))
        server->registry.changed(server->registry.changed_data, &change);
}

// MCP: CreateTaskResult. [TASK-CREATE]
void
mica_task_reply(struct mica_message *message)
{
    struct mica_json_writer writer;

    mica_reply_open_as(message, &writer, "task");
    write_task(&message->execution.round->kept, &writer);
    mica_reply_close(message, &writer, none);
}

// ---- Requests about a task -----------------------------------------------------------

static bool
refuse(struct mica_message *message, enum mica_status status,
       const struct mica_error *error)
{
    struct mica_text quoted;

    if (status == MICA_E_NOT_FOUND) {
        quoted = mica_quote(message->arena, message->request.name);
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_NOT_FOUND, none,
                         "Unknown task %.*s: it never was, or is no longer "
                         "kept",
                         MICA_ARG(quoted));
    } else {
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, status,
                         mica_status_kind(status) == MICA_BLOCKED
                             ? MICA_LITERAL("\"retryable\":true")
                             : none,
                         "%s", error->message);
    }
    return false;
}

// Before the task is looked for: who has not declared the extension is not told
// whether there is one. Where it is kept is asked `later`. [TASK-DECLARE]
static bool
enter(struct mica_message *message, void (*later)(struct mica_message *))
{
    const struct mica_json *id =
        mica_json_get(message->request.params, "taskId");

    if ((message->context.client & MICA_CLIENT_TASKS) == 0) {
        mica_client_refuse(message, MICA_CLIENT_TASKS);
        return false;
    }
    if (id == NULL || id->kind != MICA_JSON_STRING) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_REQUIRED, none,
                         "%.*s needs params.taskId, a string",
                         MICA_ARG(message->request.method));
        return false;
    }
    message->request.name = id->text;
    message->execution.later = later;
    message->step = MICA_STEP_WORK;
    return true;
}

static enum mica_status
find_task(struct mica_message *message, struct mica_error *error,
          struct mica_kept_call *task_out)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_caller caller = mica_message_caller(message);

    MICA_TRY(calls->find(calls->data, message->request.name, &caller,
                         message->arena, error, task_out));
    return task_out->way == MICA_CALL_TASK ? MICA_OK : MICA_E_NOT_FOUND;
}

static void
tell_state(struct mica_message *message)
{
    struct mica_json_writer writer;
    struct mica_kept_call task;
    struct mica_error error;
    enum mica_status status = find_task(message, &error, &task);

    if (status != MICA_OK) {
        (void)refuse(message, status, &error);
        return;
    }
    mica_reply_open(message, &writer);
    mica_task_write(&task, &writer);
    mica_reply_close(message, &writer, none);
}

// MCP: tasks/get.
void
mica_method_task_get(struct mica_message *message)
{
    (void)enter(message, tell_state);
}

static void
acknowledge(struct mica_message *message)
{
    struct mica_json_writer writer;

    mica_reply_open(message, &writer);
    mica_reply_close(message, &writer, none);
}

static bool
is_open(const struct mica_journal *journal, struct mica_text key)
{
    uint32_t number;

    for (uint32_t i = 0; mica_journal_open_ask(journal, i, &number);
         i = number + 1) {
        if (mica_text_equal(journal->entries[number].key, key))
            return true;
    }
    return false;
}

// Those of task->asks that are still open, in `arena`.
static enum mica_status
keep_open(struct mica_message *message, const struct mica_journal *journal,
          struct mica_kept_call *task, struct mica_error *error)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    struct mica_json asks;

    memset(&asks, 0, sizeof asks);
    MICA_TRY(mica_json_read(message->arena, task->asks, NULL, error, &asks));
    mica_buffer_init(&buffer, message->arena, ASKS_BYTES + task->asks.len);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < asks.count; i++) {
        if (!is_open(journal, asks.members[i].name))
            continue;
        mica_json_name_text(&writer, asks.members[i].name);
        mica_json_raw(&writer, asks.members[i].value.raw);
    }
    mica_json_close_object(&writer);
    if (buffer.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    task->asks = mica_buffer_as_text(&buffer);
    return MICA_OK;
}

// What the answers of one request came to.
struct update {
    bool taken, goes_on;
};

// Takes the answers. When none is missing any more, or the others are of other tools,
// the task works again: a process that finds it continues it, should this one die.
static enum mica_status
answer(struct mica_message *message, struct mica_kept_call *task,
       const struct mica_json *answers, struct update *update,
       struct mica_error *error)
{
    struct mica_journal journal;
    uint32_t open, before;

    MICA_TRY(mica_journal_read(&journal, message->arena, task->journal, error));
    before = journal.count;
    // The time for an answer has passed: the task ends with TIMEOUT.
    if (mica_journal_due(&journal) <= mica_round_now(message)) {
        update->goes_on = true;
        return MICA_OK;
    }
    MICA_TRY(mica_journal_answer(&journal, answers, error));
    update->taken = journal.count > before;
    if (update->taken)
        task->attempts = 0; // C5
    // Answers to a part of a round bring only those further who wait for several
    // tools at once.
    update->goes_on =
        journal.scope_count > 1 || !mica_journal_open_ask(&journal, 0, &open);
    task->journal = mica_buffer_as_text(&journal.bytes);
    task->due = mica_journal_due(&journal);
    if (update->goes_on)
        task->state = MICA_CALL_WORKING;
    if (mica_journal_open_ask(&journal, 0, &open))
        return keep_open(message, &journal, task, error);
    task->asks = none;
    return MICA_OK;
}

// It is claimed. Without open questions there is nothing to be answered. Otherwise
// another turn looks at it, or has died with it: to acknowledge an answer that is not
// taken would lose it.
static enum mica_status
judge_busy(struct mica_message *message, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_caller caller = mica_message_caller(message);
    struct mica_kept_call task;

    MICA_TRY(calls->find(calls->data, message->request.name, &caller,
                         message->arena, error, &task));
    if (task.way != MICA_CALL_TASK)
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "no task");
    if (!mica_call_asks(&task))
        return MICA_OK;
    return mica_error_set(error, MICA_E_CALL_BUSY, "",
                          "Somebody goes on with the task right now; try "
                          "again in a moment.");
}

static enum mica_status
take_update(struct mica_message *message, const struct mica_json *answers,
            struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_caller caller = mica_message_caller(message);
    struct mica_kept_call task;
    struct update update = {false, false};
    enum mica_status status =
        calls->claim(calls->data, message->request.name, &caller,
                     message->arena, error, &task);

    if (status == MICA_E_CALL_BUSY)
        return judge_busy(message, error);
    if (status != MICA_OK || mica_call_has_ended(&task))
        return status;
    if (task.way != MICA_CALL_TASK)
        status = MICA_E_NOT_FOUND;
    else if (mica_call_asks(&task))
        status = answer(message, &task, answers, &update, error);
    if (status != MICA_OK || !update.taken) {
        calls->release(calls->data, &task);
        if (status == MICA_OK && update.goes_on)
            calls->wake(calls->data, task.id);
        return status;
    }
    MICA_TRY(calls->commit(calls->data, &task, none, none, true, error));
    mica_task_tell(message->server, &task, message->arena);
    if (update.goes_on)
        calls->wake(calls->data, task.id);
    return MICA_OK;
}

enum mica_status
mica_task_answer(struct mica_message *message, struct mica_text id,
                 const struct mica_json *answers, struct mica_error *error)
{
    struct mica_text name = message->request.name;
    enum mica_status status = MICA_OK;

    message->request.name = id;
    if (answers != NULL)
        status = take_update(message, answers, error);
    message->request.name = name; // of the tool, as the log has it
    return status;
}

static void
update_task(struct mica_message *message)
{
    struct mica_error error;
    enum mica_status status = take_update(
        message, mica_json_get(message->request.params, "inputResponses"),
        &error);

    if (status == MICA_E_TYPE)
        mica_reply_error(message, 200, MICA_RPC_PARAMS, status, none, "%s",
                         error.message);
    else if (status != MICA_OK)
        (void)refuse(message, status, &error);
    else
        acknowledge(message);
}

// MCP: tasks/update: unknown and answered keys are ignored; what was taken is
// visible before the acknowledgement. [TASK-UPDATE]
void
mica_method_task_update(struct mica_message *message)
{
    const struct mica_json *answers =
        mica_json_get(message->request.params, "inputResponses");

    if (enter(message, update_task) &&
        (answers == NULL || answers->kind != MICA_JSON_OBJECT))
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_REQUIRED, none,
                         "tasks/update needs params.inputResponses, an object: "
                         "an answer by the key of its question");
}

static void
cancel_task(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_kept_call task;
    struct mica_error error;
    enum mica_status status = find_task(message, &error, &task);

    if (status == MICA_OK && !mica_call_has_ended(&task))
        status = calls->cancel(calls->data, task.id, &error);
    if (status != MICA_OK)
        (void)refuse(message, status, &error);
    else
        acknowledge(message);
}

// MCP: tasks/cancel: cooperative; one that has ended stays as it is.
// [TASK-CANCEL]
void
mica_method_task_cancel(struct mica_message *message)
{
    (void)enter(message, cancel_task);
}
