// SPDX-License-Identifier: Apache-2.0
//
// The rules of sessions: which caller may use which session, and what a session id, a
// revision, or their absence means. A client that also supports the stateless revision
// concludes from certain error codes that the server has it; this file sends none of them.
#include "server/session_rules.h"

#include <string.h>

#include "base/ascii.h"
#include "server/message.h"

static const struct mica_text none = {NULL, 0};

enum {
    MAX_ID_LENGTH = 256 // longer ids are refused without a search
};

static bool
refuse_session(struct mica_message *message, unsigned http_status,
               enum mica_status status, const char *what)
{
    mica_reply_error(message, http_status, MICA_RPC_REQUEST, status, none, "%s",
                     what);
    return false;
}

// MCP: session ids are visible ASCII. The server never issues other ids.
static bool
is_visible(struct mica_text id)
{
    return id.len > 0 && id.len <= MAX_ID_LENGTH && mica_ascii_visible(id);
}

// The capabilities that the client declared in the handshake.
static unsigned
session_capabilities(struct mica_message *message)
{
    struct mica_text text = message->context.session.capabilities;
    struct mica_json root;

    if (text.len == 0 ||
        mica_json_read(message->arena, text, NULL, NULL, &root) != MICA_OK)
        return 0;
    return mica_client_read(&root, message->context.session.revision);
}

static bool
find_session(struct mica_message *message, struct mica_text id)
{
    const struct mica_sessions *sessions = message->context.sessions;
    struct mica_caller caller = mica_message_caller(message);
    struct mica_error error = {.message = ""};
    enum mica_status status = MICA_E_NOT_FOUND;

    if (is_visible(id) &&
        (sessions->known == NULL ||
         !sessions->known(sessions->data, id, &caller, message->arena, &error,
                          &message->context.session, &status))) {
        if (!mica_message_may_wait(message))
            return false;
        status = sessions->find(sessions->data, id, &caller, message->arena,
                                &error, &message->context.session);
    }
    if (status != MICA_OK) {
        message->context.session.id = none;
        return mica_session_fail(message, status, &error);
    }
    message->context.revision = message->context.session.revision;
    message->context.logs = message->context.session.logs;
    message->context.log_level = message->context.session.log_level;
    message->context.capabilities = session_capabilities(message);
    return true;
}

// MCP: transports, protocol version header. The revision of the handshake counts. The
// header may name another session revision of this server; any other value is 400.
static bool
check_version(struct mica_message *message,
              const struct mica_session_headers *headers)
{
    enum mica_revision revision;

    if (!headers->has_version ||
        (mica_revision_find(headers->version, &revision) &&
         !mica_revision_features(revision)->stateless))
        return true;
    return refuse_session(
        message, 400, MICA_E_UNKNOWN,
        "MCP-Protocol-Version names no revision that has sessions; "
        "send the one that initialize answered");
}

// [SESSION-GONE]
bool
mica_session_enter(struct mica_message *message,
                   const struct mica_session_headers *headers)
{
    if (headers->duplicate_header)
        return refuse_session(
            message, 400, MICA_E_FORMAT,
            "Mcp-Session-Id, MCP-Protocol-Version or Last-Event-ID "
            "is there twice; send each once");
    if (!headers->has_id)
        return refuse_session(
            message, 400, MICA_E_REQUIRED,
            "This needs a session: send initialize first, then the "
            "Mcp-Session-Id of its response with each request; or "
            "speak revision 2026-07-28, which has none");
    return find_session(message, headers->id) &&
           check_version(message, headers);
}

void
mica_session_get(struct mica_message *message,
                 const struct mica_session_headers *headers)
{
    if (!mica_session_enter(message, headers))
        return;
    if (!message->request.takes_stream) {
        (void)refuse_session(message, 406, MICA_E_ACCEPT,
                             "Accept must list text/event-stream");
        return;
    }
    message->request.resumes = headers->has_last_event_id;
    message->request.last_event_id = headers->last_event_id;
    message->step = MICA_STEP_STREAM;
}

void
mica_session_delete(struct mica_message *message)
{
    const struct mica_sessions *sessions = message->context.sessions;
    struct mica_error error = {.message = ""};
    enum mica_status status;

    if (!mica_message_may_wait(message))
        return;
    status = sessions->end(sessions->data, &message->context.session, &error);
    if (status == MICA_OK)
        mica_reply_silent(message, 204);
    else
        (void)mica_session_fail(message, status, &error);
}

// ---- The handshake ---------------------------------------------------------------

static void
create_session(struct mica_message *message)
{
    const struct mica_sessions *sessions = message->context.sessions;
    const struct mica_json *info =
        mica_json_get(message->request.params, "clientInfo");
    const struct mica_json *capabilities =
        mica_json_get(message->request.params, "capabilities");
    struct mica_session session = {.revision = message->context.revision,
                                   .party = message->context.party};
    struct mica_caller caller = mica_message_caller(message);
    struct mica_error error = {.message = ""};
    enum mica_status status;

    if (info != NULL && info->kind == MICA_JSON_OBJECT)
        session.client_info = info->raw;
    if (capabilities != NULL && capabilities->kind == MICA_JSON_OBJECT)
        session.capabilities = capabilities->raw;
    status = sessions->create(sessions->data, &session, &caller, message->arena,
                              &error);
    if (status != MICA_OK) {
        (void)mica_session_fail(message, status, &error);
        return;
    }
    message->context.session = session;
    message->reply.begins = true;
}

// [SESSION-ID] [SESSION-BOUND]
void
mica_session_begin(struct mica_message *message,
                   const struct mica_session_headers *headers)
{
    if (headers->has_id) {
        (void)refuse_session(
            message, 400, MICA_E_EXISTS,
            "initialize begins a session and belongs to none; leave "
            "Mcp-Session-Id out");
        return;
    }
    if (!mica_message_may_wait(message))
        return;
    mica_message_dispatch(message);
    if (message->reply.rpc_error == 0)
        create_session(message);
}
