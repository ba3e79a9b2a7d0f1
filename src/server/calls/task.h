// SPDX-License-Identifier: Apache-2.0
//
// A task: a kept call that is answered at once and continues by itself. What its client
// reads of it, and the answers that it gives.
#ifndef MICA_SERVER_CALLS_TASK_H
#define MICA_SERVER_CALLS_TASK_H

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

// Takes the answers to the questions of the task message->request.name: they are
// committed when it returns, and the task continues by itself. Errors: those of
// mica_calls.claim and .commit; MICA_E_TYPE for an answer that is no object.
enum mica_status mica_task_update(struct mica_message *message,
                                  const struct mica_json *answers,
                                  struct mica_error *error) MICA_MUST_USE;

// The same for the task `id`, from a surface that names the tool in the request.
enum mica_status mica_task_answer(struct mica_message *message,
                                  struct mica_text id,
                                  const struct mica_json *answers,
                                  struct mica_error *error) MICA_MUST_USE;

#endif
