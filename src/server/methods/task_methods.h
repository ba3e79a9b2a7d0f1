// SPDX-License-Identifier: Apache-2.0
//
// Tasks, as the rest of this folder and the adapters that tell of them see them.
#ifndef MICA_SERVER_METHODS_TASK_METHODS_H
#define MICA_SERVER_METHODS_TASK_METHODS_H

#include "server/calls/call_store.h"
#include "server/message.h"

// The members of a DetailedTask, in an object that is open.
void mica_task_write(const struct mica_kept_call *task,
                     struct mica_json_writer *writer);

// What is told of the state of a task: its text is in `arena`. False: there is no
// memory for it.
bool mica_task_change(const struct mica_server *server,
                      const struct mica_kept_call *task,
                      struct mica_arena *arena, struct mica_change *change_out);

// Tells the server's adapter that the task has another state; `arena` is for the
// moment. Once that is committed.
void mica_task_tell(struct mica_server *server,
                    const struct mica_kept_call *task,
                    struct mica_arena *arena);

// Answers a tools/call with the task that message->execution.round keeps.
void mica_task_reply(struct mica_message *message);

void mica_method_task_get(struct mica_message *message);
void mica_method_task_update(struct mica_message *message);
void mica_method_task_cancel(struct mica_message *message);

#endif
