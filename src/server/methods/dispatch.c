// SPDX-License-Identifier: Apache-2.0
//
// The table of the protocol's methods: which revisions have a method, and the function
// that runs it.
#include "server/message.h"
#include "server/methods/task_methods.h"

static const struct method {
    const char *name;
    bool in_stateless, in_session; // revisions that have it
    bool needs_state; // only for a client that the server remembers
    void (*run)(struct mica_message *message);
} methods[] = {
    {"tools/call", true, true, false, mica_method_tools_call},
    {"tools/list", true, true, false, mica_method_tools_list},
    {"server/discover", true, false, false, mica_method_discover},
    {"initialize", false, true, false, mica_method_initialize},
    {"ping", false, true, false, mica_method_ping},
    {"subscriptions/listen", true, false, false, mica_method_listen},
    {"logging/setLevel", false, true, true, mica_method_set_level},
    {"resources/read", true, true, false, mica_method_resources_read},
    {"resources/list", true, true, false, mica_method_resources_list},
    {"resources/templates/list", true, true, false, mica_method_templates_list},
    {"prompts/get", true, true, false, mica_method_prompts_get},
    {"prompts/list", true, true, false, mica_method_prompts_list},
    {"completion/complete", true, true, false, mica_method_complete},
    {"tasks/get", true, false, false, mica_method_task_get},
    {"tasks/update", true, false, false, mica_method_task_update},
    {"tasks/cancel", true, false, false, mica_method_task_cancel},
    {"resources/subscribe", false, true, true, mica_method_subscribe},
    {"resources/unsubscribe", false, true, true, mica_method_unsubscribe},
};

static const struct method *
find_method(struct mica_message *message)
{
    bool stateless =
        mica_revision_features(message->context.revision)->stateless;

    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        const struct method *method = &methods[i];
        if (!mica_text_is(message->request.method, method->name))
            continue;
        if ((stateless ? !method->in_stateless : !method->in_session) ||
            !mica_message_declares(message, message->request.method))
            return NULL;
        return method->needs_state && !mica_message_has_state(message) ? NULL
                                                                       : method;
    }
    return NULL;
}

// [BASE-METHOD] [HTTP-STATUS]
static bool
refuse_method(const struct mica_message *message, struct mica_problem *problem)
{
    const struct mica_revision_features *features =
        mica_revision_features(message->context.revision);
    struct mica_text name = mica_quote(message->arena, message->request.method);

    return mica_problem_set(
        problem, features->stateless ? 404 : 200, MICA_RPC_METHOD,
        MICA_E_NOT_FOUND, (struct mica_text){NULL, 0},
        "Method not found: %.*s is no method of this server in revision %s",
        MICA_ARG(name), features->version);
}

bool
mica_message_has_method(struct mica_message *message,
                        struct mica_problem *problem)
{
    return find_method(message) != NULL || refuse_method(message, problem);
}

void
mica_message_dispatch(struct mica_message *message)
{
    const struct method *method = find_method(message);
    struct mica_problem problem;

    message->reply.known = method != NULL;
    if (method == NULL) {
        (void)refuse_method(message, &problem);
        mica_reply_problem(message, &problem);
    } else if (mica_message_waits_for(message, message->request.method,
                                      message->request.params)) {
        message->step = MICA_STEP_AWAIT_BUILD;
    } else {
        method->run(message);
    }
}
