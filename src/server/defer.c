// SPDX-License-Identifier: Apache-2.0
//
// Moves the begin of a message to another thread. The message needs the store, but its
// thread must not block; so a thread that may block begins it again.
#include "server/message.h"

#include <string.h>

void
mica_message_defer(struct mica_message *message)
{
    bool can_receive_answers = message->execution.can_receive_answers;
    bool cancelled = atomic_load(&message->execution.cancelled);

    mica_message_end(message);
    memset(&message->execution, 0, sizeof message->execution);
    message->execution.can_receive_answers = can_receive_answers;
    atomic_init(&message->execution.cancelled, cancelled);
    message->request.takes &= ~(unsigned)MICA_TAKES_STORE;
    message->execution.deferred = message->request.batch_root != NULL
                                      ? mica_batch_begin_again
                                      : mica_message_dispatch;
    message->step = MICA_STEP_WORK;
}
