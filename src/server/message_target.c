// SPDX-License-Identifier: Apache-2.0
//
// Finds the definition that a request names, of any kind, and checks that this caller may
// use it, before its execution begins.
#include "base/words.h"
#include "server/call_rules.h"
#include "server/message.h"
#include "server/message_surface.h"

static const struct mica_text none = {NULL, 0};

// ---- Finding ---------------------------------------------------------------------

static void
refuse_unknown(struct mica_message *message, enum mica_definition_kind kind,
               struct mica_text key)
{
    const struct mica_definition *nearest =
        mica_catalog_nearest(mica_message_catalog(message), kind, key);
    struct mica_text quoted = mica_quote(message->arena, key);

    if (nearest != NULL)
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_NOT_FOUND, none,
                         "Unknown %s %.*s; did you mean \"%.*s\"?",
                         mica_definition_kind_noun(kind), MICA_ARG(quoted),
                         MICA_ARG(nearest->key));
    else
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_NOT_FOUND, none,
                         "Unknown %s %.*s; %s names all",
                         mica_definition_kind_noun(kind), MICA_ARG(quoted),
                         message->context.surface != NULL
                             ? message->context.surface->list(message)
                             : mica_definition_list_method(kind));
}

// The tool is still being built, and the wait has reached its limit.
static void
refuse_coming(struct mica_message *message, struct mica_text key, size_t ready,
              size_t all)
{
    mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_BUSY, none,
                     "The tool %.*s is still being built; %zu of %zu are. Call "
                     "it again after notifications/tools/list_changed, or in a "
                     "few seconds",
                     MICA_ARG(mica_quote(message->arena, key)), ready, all);
}

// Is the tool that this caller means by that name still being built?
static bool
is_coming(const struct mica_message *message, struct mica_text shown,
          size_t *ready_out, size_t *all_out)
{
    const struct mica_rules *rules = message->server->rules;

    if (message->server->coming != NULL && rules != NULL)
        shown = rules->own_name(rules->data, message->context.principal, shown);
    return shown.len > 0 &&
           mica_message_expects(message, shown, ready_out, all_out);
}

// [TOOL-UNKNOWN] [RULES-2]
static bool
target_find(struct mica_message *message, enum mica_definition_kind kind,
            struct mica_text key)
{
    size_t ready = 0, all = 0;

    // Before the search: a tool whose build ends in between is then in the catalog.
    bool is_being_built = kind == MICA_DEFINITION_TOOL && key.len > 0 &&
                          is_coming(message, key, &ready, &all);

    // Only /mcp can be published before all its tools are built.
    if (message->server->coming != NULL && message->request.endpoint.len == 0)
        mica_message_refresh_endpoint(message);
    message->request.name = key;
    message->execution.target =
        mica_catalog_find(mica_message_catalog(message), kind, key);
    if (message->execution.target != NULL &&
        message->execution.target->behind != NULL) {
        message->execution.target = message->execution.target->behind;
        message->request.name = message->execution.target->key; // [RULES-1]
    }
    if (message->execution.target == NULL && is_being_built)
        refuse_coming(message, key, ready, all);
    else if (message->execution.target == NULL)
        refuse_unknown(message, kind, key);
    return message->execution.target != NULL;
}

bool
mica_message_tool(struct mica_message *message, struct mica_text name)
{
    return target_find(message, MICA_DEFINITION_TOOL, name);
}

const struct mica_definition *
mica_message_target(struct mica_message *message,
                    enum mica_definition_kind kind, const char *field)
{
    const struct mica_json *key = mica_json_get(message->request.params, field);

    if (key == NULL || key->kind != MICA_JSON_STRING) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_REQUIRED, none,
                         "%.*s needs params.%s, a string: the %s of a %s",
                         MICA_ARG(message->request.method), field, field,
                         mica_definition_kind_noun(kind));
        return NULL;
    }
    return target_find(message, kind, key->text) ? message->execution.target
                                                 : NULL;
}

// ---- Permissions -----------------------------------------------------------------

static bool
words_have(struct mica_text granted, struct mica_text word)
{
    struct mica_text one;

    while (mica_words_next(&granted, &one)) {
        if (mica_text_equal(one, word))
            return true;
    }
    return false;
}

bool
mica_scopes_suffice(const struct mica_message *message, struct mica_text scopes)
{
    struct mica_text word;

    while (message->context.principal != NULL &&
           mica_words_next(&scopes, &word)) {
        if (!words_have(message->context.principal->scopes, word))
            return false;
    }
    return true;
}

static bool
scopes_require(struct mica_message *message, struct mica_text scopes)
{
    if (mica_scopes_suffice(message, scopes))
        return true;
    message->reply.lacks = scopes;
    mica_reply_error(message, 403, MICA_RPC_REQUEST, MICA_E_SCOPE, none,
                     "This takes an access token with the scopes \"%.*s\"",
                     MICA_ARG(message->reply.lacks));
    return false;
}

// [AUTH-403] Does the caller have every scope of the target? Checked here and not in an
// adapter, so that no request, for example in a batch, evades it.
static bool
target_may_be_used(struct mica_message *message)
{
    return scopes_require(message, message->execution.target->scope);
}

bool
mica_message_may_enter(struct mica_message *message)
{
    if (!mica_message_enter(message)) {
        mica_reply_error(message, 404, MICA_RPC_REQUEST, MICA_E_NOT_FOUND, none,
                         "There is no endpoint at this path");
        return false;
    }
    return message->context.principal == NULL ||
           scopes_require(message, mica_message_endpoint(message)->scope);
}

// ---- Begin of the execution --------------------------------------------------------

void
mica_message_prepare_run_by(struct mica_message *message,
                            const struct mica_runnable *runnable,
                            struct mica_text arguments,
                            void (*finish)(struct mica_message *message))
{
    message->execution.runnable = runnable;
    message->execution.arguments = arguments;
    message->execution.finish = finish;
    if (!target_may_be_used(message) || !mica_client_suffices(message))
        return;
    mica_execution_move(&message->execution, MICA_EXECUTION_ENTERED);
    message->step = MICA_STEP_WORK;
}
