// SPDX-License-Identifier: Apache-2.0
//
// The methods of the tasks extension.
#ifndef MICA_SERVER_METHODS_TASK_METHODS_H
#define MICA_SERVER_METHODS_TASK_METHODS_H

#include "server/message.h"

void mica_method_task_get(struct mica_message *message);
void mica_method_task_update(struct mica_message *message);
void mica_method_task_cancel(struct mica_message *message);

#endif
