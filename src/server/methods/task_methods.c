// SPDX-License-Identifier: Apache-2.0
//
// The methods of the tasks extension. A task is a stored call whose tools/call got its
// reply at once. With these methods its client reads its state, answers its questions and
// cancels it; its turns do everything else (server/calls/).
#include "server/methods/task_methods.h"
#include "server/calls/resumable.h"
#include "server/calls/task.h"

static const struct mica_text none = {NULL, 0};

// ---- Requests about a task -----------------------------------------------------------

static bool
task_refuse(struct mica_message *message, enum mica_status status,
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

// Checks the extension before searching for the task, so that a client without it does not
// learn whether the task exists. The rest runs as `deferred`, because it uses the store.
// [TASK-DECLARE]
static bool
task_request_enter(struct mica_message *message,
                   void (*deferred)(struct mica_message *))
{
    const struct mica_json *id =
        mica_json_get(message->request.params, "taskId");

    if ((message->context.capabilities & MICA_CLIENT_TASKS) == 0) {
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
    message->execution.deferred = deferred;
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
    return task_out->mode == MICA_CALL_TASK ? MICA_OK : MICA_E_NOT_FOUND;
}

static void
reply_task_state(struct mica_message *message)
{
    struct mica_json_writer writer;
    struct mica_kept_call task;
    struct mica_error error;
    enum mica_status status = find_task(message, &error, &task);

    if (status != MICA_OK) {
        (void)task_refuse(message, status, &error);
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
    (void)task_request_enter(message, reply_task_state);
}

static void
task_acknowledge(struct mica_message *message)
{
    struct mica_json_writer writer;

    mica_reply_open(message, &writer);
    mica_reply_close(message, &writer, none);
}

static void
update_task(struct mica_message *message)
{
    struct mica_error error;
    enum mica_status status = mica_task_update(
        message, mica_json_get(message->request.params, "inputResponses"),
        &error);

    if (status == MICA_E_TYPE)
        mica_reply_error(message, 200, MICA_RPC_PARAMS, status, none, "%s",
                         error.message);
    else if (status != MICA_OK)
        (void)task_refuse(message, status, &error);
    else
        task_acknowledge(message);
}

// MCP: tasks/update: ignores unknown and answered keys. Commits the answers before the
// acknowledgment. [TASK-UPDATE]
void
mica_method_task_update(struct mica_message *message)
{
    const struct mica_json *answers =
        mica_json_get(message->request.params, "inputResponses");

    if (task_request_enter(message, update_task) &&
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
        (void)task_refuse(message, status, &error);
    else
        task_acknowledge(message);
}

// MCP: tasks/cancel: cooperative. An ended task stays as it is.
// [TASK-CANCEL]
void
mica_method_task_cancel(struct mica_message *message)
{
    (void)task_request_enter(message, cancel_task);
}
