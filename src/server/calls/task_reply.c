// SPDX-License-Identifier: Apache-2.0
//
// Writes the state of a task: as the reply to the request that began it, as the reply to
// tasks/get, and as a change notification.
#include "server/calls/resumable.h"
#include "server/calls/task.h"
#include "server/message_surface.h"

static const struct mica_text none = {NULL, 0};

enum {
    POLL_MS = 1000
};

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
    char storage[64];
    struct mica_buffer text = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

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

// [TASK-LISTEN] A client that misses the notification polls.
void
mica_task_publish_change(struct mica_server *server,
                         const struct mica_kept_call *task,
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
    write_task(&message->execution.resumable->kept, &writer);
    mica_reply_close(message, &writer, none);
}
