// SPDX-License-Identifier: Apache-2.0
//
// Adds a client's answers to the journal of a task, and commits them before the client
// gets its acknowledgment.
#include "server/calls/resumable.h"
#include "server/calls/task.h"

#include <string.h>

static const struct mica_text none = {NULL, 0};

enum {
    ASKS_BYTES = 1 << 20
};

static bool
question_is_open(const struct mica_journal *journal, struct mica_text key)
{
    uint32_t number;

    for (uint32_t i = 0; mica_journal_open_ask(journal, i, &number);
         i = number + 1) {
        if (mica_text_equal(journal->entries[number].key, key))
            return true;
    }
    return false;
}

// Removes the answered questions from task->asks.
static enum mica_status
task_drop_answered(struct mica_message *message,
                   const struct mica_journal *journal,
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
        if (!question_is_open(journal, asks.members[i].name))
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

// The effect of the answers of one request.
struct update {
    bool has_answers; // the journal has new answers
    bool continues;   // the task can run its next turn
};

// Adds the answers to the journal. The task becomes WORKING if it can continue; then any
// process may run its next turn.
static enum mica_status
task_add_answers(struct mica_message *message, struct mica_kept_call *task,
                 const struct mica_json *answers, struct update *update,
                 struct mica_error *error)
{
    struct mica_journal journal;
    uint32_t open, before;

    MICA_TRY(mica_journal_read(&journal, message->arena, task->journal, error));
    before = journal.count;
    // The questions have timed out: the next turn ends the task with TIMEOUT.
    if (mica_journal_due(&journal) <= mica_resumable_now(message)) {
        update->continues = true;
        return MICA_OK;
    }
    MICA_TRY(mica_journal_answer(&journal, answers, error));
    update->has_answers = journal.count > before;
    if (update->has_answers)
        task->lost_claims = 0; // CALL-5
    // Some of the answers help only a handler that waits for several tools at once.
    update->continues =
        journal.scope_count > 1 || !mica_journal_open_ask(&journal, 0, &open);
    task->journal = mica_buffer_as_text(&journal.bytes);
    task->due = mica_journal_due(&journal);
    if (update->continues)
        mica_call_move(task, MICA_CALL_WORKING);
    if (mica_journal_open_ask(&journal, 0, &open))
        return task_drop_answered(message, &journal, task, error);
    task->asks = none;
    return MICA_OK;
}

// Another turn has the task, or has died with it. Without open questions the answers have
// nothing to answer, and are acknowledged. With open questions the client must send them
// again: an acknowledgment would lose them.
static enum mica_status
busy_task_update(struct mica_message *message, struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_caller caller = mica_message_caller(message);
    struct mica_kept_call task;

    MICA_TRY(calls->find(calls->data, message->request.name, &caller,
                         message->arena, error, &task));
    if (task.mode != MICA_CALL_TASK)
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "no task");
    if (!mica_call_asks(&task))
        return MICA_OK;
    return mica_error_set(error, MICA_E_CALL_BUSY, "",
                          "Another request is working on the task; try "
                          "again in a moment.");
}

enum mica_status
mica_task_update(struct mica_message *message, const struct mica_json *answers,
                 struct mica_error *error)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_caller caller = mica_message_caller(message);
    struct mica_kept_call task;
    struct update update = {false, false};
    enum mica_call_state stored;
    enum mica_status status =
        calls->claim_for_client(calls->data, message->request.name, &caller,
                                message->arena, error, &task);

    if (status == MICA_E_CALL_BUSY)
        return busy_task_update(message, error);
    if (status != MICA_OK || mica_call_has_ended(&task))
        return status;
    stored = task.state;
    if (task.mode != MICA_CALL_TASK)
        status = MICA_E_NOT_FOUND;
    else if (mica_call_asks(&task))
        status = task_add_answers(message, &task, answers, &update, error);
    if (status != MICA_OK || !update.has_answers) {
        calls->release(calls->data, &task);
        if (status == MICA_OK && update.continues)
            calls->wake(calls->data, task.id);
        return status;
    }
    mica_call_check_commit(&task, stored);
    MICA_TRY(calls->commit(calls->data, &task, none, none, true, error));
    mica_task_publish_change(message->server, &task, message->arena);
    if (update.continues)
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
        status = mica_task_update(message, answers, error);
    message->request.name = name; // of the tool, for the log
    return status;
}
