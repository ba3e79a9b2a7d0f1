// SPDX-License-Identifier: Apache-2.0
//
// Methods whose effect outlives their message: log level and subscriptions of a session or
// of a pipe (revisions before 2026-07-28).
#include "server/message.h"

#include <string.h>

#include "server/session_rules.h"

static const struct mica_text none = {NULL, 0};

enum {
    URI_BYTES = 8192 // of a subscription
};

bool
mica_message_has_state(const struct mica_message *message)
{
    return !message->request.only_reply &&
           (message->request.line != NULL ||
            message->context.session.id.len > 0);
}

// MCP: logging/setLevel. The result is exactly {}.
void
mica_method_set_level(struct mica_message *message)
{
    const struct mica_sessions *sessions = message->context.sessions;
    const struct mica_json *name =
        mica_json_get(message->request.params, "level");
    struct mica_error error = {.message = ""};
    enum mica_status status = MICA_OK;
    struct mica_json_writer writer;
    enum mica_log_level level;

    if (name == NULL || name->kind != MICA_JSON_STRING ||
        !mica_log_level_find(name->text, &level)) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_CHOICE, none,
                         "params.level must be one of debug, info, notice, "
                         "warning, error, critical, alert, emergency");
        return;
    }
    if (message->request.line != NULL) {
        message->request.line->logs = true;
        message->request.line->log_level = level;
    } else {
        if (!mica_message_may_wait(message))
            return;
        status = sessions->set_log_level(
            sessions->data, &message->context.session, level, &error);
    }
    if (status != MICA_OK) {
        (void)mica_session_fail(message, status, &error);
        return;
    }
    mica_reply_open(message, &writer);
    mica_reply_close(message, &writer, none);
}

static void
subscription_set(struct mica_message *message, bool on)
{
    const struct mica_sessions *sessions = message->context.sessions;
    const struct mica_json *uri = mica_json_get(message->request.params, "uri");
    struct mica_error error = {.message = ""};
    struct mica_json_writer writer;
    enum mica_status status;

    if (uri == NULL || uri->kind != MICA_JSON_STRING || uri->text.len == 0) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_REQUIRED, none,
                         "%.*s needs params.uri, a string: the URI of a "
                         "resource",
                         MICA_ARG(message->request.method));
        return;
    }
    if (uri->text.len > URI_BYTES ||
        memchr(uri->text.ptr, '\0', uri->text.len) != NULL) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_LIMIT, none,
                         "params.uri must be a URI of at most %d bytes",
                         URI_BYTES);
        return;
    }
    message->request.name = uri->text;
    if (sessions == NULL) {
        mica_reply_error(message, 200, MICA_RPC_METHOD, MICA_E_NOT_FOUND, none,
                         "This server sends no notifications of changes");
        return;
    }
    if (message->context.session.id.len > 0 && !mica_message_may_wait(message))
        return;
    status = sessions->subscribe(sessions->data, &message->context.session,
                                 uri->text, on, &error);
    if (status == MICA_E_LIMIT) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, status, none, "%s",
                         error.message);
        return;
    }
    if (status != MICA_OK) {
        (void)mica_session_fail(message, status, &error);
        return;
    }
    mica_reply_open(message, &writer);
    mica_reply_close(message, &writer, none);
}

// MCP: resources/subscribe. Accepts any URI: its resource may be created later.
void
mica_method_subscribe(struct mica_message *message)
{
    subscription_set(message, true);
}

void
mica_method_unsubscribe(struct mica_message *message)
{
    subscription_set(message, false);
}
