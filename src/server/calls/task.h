// SPDX-License-Identifier: Apache-2.0
//
// A task: a stored call whose request gets its reply at once, and which the scheduler
// then runs. What its client reads of it, and how its client answers its questions.
#ifndef MICA_SERVER_CALLS_TASK_H
#define MICA_SERVER_CALLS_TASK_H

#include "server/calls/calls_interface.h"
#include "server/message.h"

// Writes the members of a DetailedTask into an open object.
void mica_task_write(const struct mica_kept_call *task,
                     struct mica_json_writer *writer);

// Makes the change notification for the state of a task; its text is in `arena`. Returns
// false for want of memory.
bool mica_task_change(const struct mica_server *server,
                      const struct mica_kept_call *task,
                      struct mica_arena *arena, struct mica_change *change_out);

// Tells the server's adapter that the task has a new state. Call it after the commit;
// `arena` is used until the function returns.
void mica_task_publish_change(struct mica_server *server,
                              const struct mica_kept_call *task,
                              struct mica_arena *arena);

// Replies to a tools/call with the task of message->execution.resumable.
void mica_task_reply(struct mica_message *message);

// Commits the answers to the questions of the task message->request.name, and wakes the
// task if it can continue. Errors: those of mica_calls.claim_for_client and .commit;
// MICA_E_TYPE (an answer is not an object).
enum mica_status mica_task_update(struct mica_message *message,
                                  const struct mica_json *answers,
                                  struct mica_error *error) MICA_MUST_USE;

// The same for the task `id`, for a surface whose requests name the tool.
enum mica_status mica_task_answer(struct mica_message *message,
                                  struct mica_text id,
                                  const struct mica_json *answers,
                                  struct mica_error *error) MICA_MUST_USE;

#endif
