// SPDX-License-Identifier: Apache-2.0
//
// Compares the capabilities of a client with those that a tool requires.
#include "server/message.h"

bool
mica_client_suffices(struct mica_message *message)
{
    unsigned needs = message->execution.target->requires, missing;

    if (message->execution.target->task == MICA_TASK_REQUIRED)
        needs |= MICA_CLIENT_TASKS;
    missing = needs & ~(message->context.capabilities |
                        mica_server_provides(message->server));

    if (missing != 0)
        mica_client_refuse(message, missing);
    return missing == 0;
}

// [BASE-CAPABILITY]
void
mica_client_refuse(struct mica_message *message, unsigned missing)
{
    struct mica_text who = message->execution.target != NULL
                               ? message->execution.target->name
                               : message->request.method;
    struct mica_json_writer writer;
    struct mica_buffer data, names;

    mica_buffer_init(&names, message->arena, 1024);
    mica_json_writer_init(&writer, &names);
    mica_client_write(&writer, missing);
    // MCP: the session revisions do not have this error: the tool returns a result.
    if (!mica_revision_features(message->context.revision)->stateless) {
        mica_call_init(&message->execution.call, message->arena);
        mica_call_fail(&message->execution.call, MICA_E_CAPABILITY, "",
                       "this tool needs a client with the capabilities %.*s",
                       MICA_ARG(mica_buffer_as_text(&names)));
        message->execution.finish(message);
        return;
    }
    mica_buffer_init(&data, message->arena, 1024);
    mica_buffer_text(&data, MICA_LITERAL("\"requiredCapabilities\":"));
    mica_buffer_text(&data, mica_buffer_as_text(&names));
    mica_reply_error(message, 400, MICA_RPC_CAPABILITY, MICA_E_CAPABILITY,
                     mica_buffer_as_text(&data),
                     "Missing client capability: %.*s needs %.*s; declare it "
                     "in params._meta",
                     MICA_ARG(who), MICA_ARG(mica_buffer_as_text(&names)));
}
