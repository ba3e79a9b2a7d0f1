// SPDX-License-Identifier: Apache-2.0
//
// The rules of sessions (guide 0.1 and 1.8): who may speak in which, and what an
// id, a revision or their absence means. A client that speaks both eras takes
// certain error codes for proof of the stateless one; nothing here sends them.
#include "server/session_rules.h"

#include <string.h>

#include "server/message.h"

static const struct mica_text none = {NULL, 0};

enum {
    ID_LENGTH = 256, // of an id that is worth looking for
    URI_BYTES = 8192 // of a subscription
};

static bool
refuse(struct mica_message *message, unsigned http_status,
       enum mica_status status, const char *what)
{
    mica_reply_error(message, http_status, MICA_RPC_REQUEST, status, none, "%s",
                     what);
    return false;
}

// A failure of the keeper. Nobody but the keeper may say NOT_FOUND, and always
// in the same words: whether a session ever was is nobody's business.
static bool
fail(struct mica_message *message, enum mica_status status,
     const struct mica_error *error)
{
    if (status == MICA_E_NOT_FOUND)
        return refuse(message, 404, status,
                      "There is no such session, or it has ended: send "
                      "initialize without Mcp-Session-Id");
    mica_reply_error(
        message,
        status == MICA_E_LIMIT ? 503 : (unsigned)mica_status_http(status),
        MICA_RPC_INTERNAL, status, none, "%s", error->message);
    return false;
}

// MCP: session ids are visible ASCII. Others were never given out.
static bool
is_visible(struct mica_text id)
{
    for (size_t i = 0; i < id.len; i++) {
        if (id.ptr[i] < 0x21 || id.ptr[i] > 0x7e)
            return false;
    }
    return id.len > 0 && id.len <= ID_LENGTH;
}

// As the client said at the handshake.
static unsigned
capabilities(struct mica_message *message)
{
    struct mica_text text = message->session.capabilities;
    struct mica_json root;

    if (text.len == 0 ||
        mica_json_read(message->arena, text, NULL, NULL, &root) != MICA_OK)
        return 0;
    return mica_client_read(&root, message->session.wire);
}

static bool
find(struct mica_message *message, struct mica_text id)
{
    const struct mica_sessions *sessions = message->sessions;
    struct mica_error error = {.message = ""};
    enum mica_status status = MICA_E_NOT_FOUND;

    if (is_visible(id))
        status = sessions->find(sessions->data, id, message->principal,
                                message->arena, &error, &message->session);
    if (status != MICA_OK) {
        message->session.id = none;
        return fail(message, status, &error);
    }
    message->wire = message->session.wire;
    message->logs = message->session.logs;
    message->log_level = message->session.log_level;
    message->client = capabilities(message);
    return true;
}

// MCP: transports, protocol version header. What was agreed on at the handshake
// counts; another revision that is spoken here does no harm, any other is 400.
static bool
check_version(struct mica_message *message,
              const struct mica_session_headers *headers)
{
    enum mica_wire wire;

    if (!headers->has_version || (mica_wire_find(headers->version, &wire) &&
                                  !mica_wire_features(wire)->modern))
        return true;
    return refuse(message, 400, MICA_E_UNKNOWN,
                  "MCP-Protocol-Version names no revision that has sessions; "
                  "send the one that initialize answered");
}

// [SESSION-GONE]
bool
mica_session_enter(struct mica_message *message,
                   const struct mica_session_headers *headers)
{
    if (headers->twice)
        return refuse(message, 400, MICA_E_FORMAT,
                      "Mcp-Session-Id, MCP-Protocol-Version or Last-Event-ID "
                      "is there twice; send each once");
    if (!headers->has_id)
        return refuse(message, 400, MICA_E_REQUIRED,
                      "This needs a session: send initialize first, then the "
                      "Mcp-Session-Id of its response with each request; or "
                      "speak revision 2026-07-28, which has none");
    return find(message, headers->id) && check_version(message, headers);
}

void
mica_session_get(struct mica_message *message,
                 const struct mica_session_headers *headers)
{
    if (!mica_session_enter(message, headers))
        return;
    if (!message->takes_stream) {
        (void)refuse(message, 406, MICA_E_ACCEPT,
                     "Accept must list text/event-stream");
        return;
    }
    message->resumes = headers->has_last_event_id;
    message->last_event_id = headers->last_event_id;
    message->step = MICA_STEP_STREAM;
}

void
mica_session_delete(struct mica_message *message)
{
    const struct mica_sessions *sessions = message->sessions;
    struct mica_error error = {.message = ""};
    enum mica_status status =
        sessions->end(sessions->data, &message->session, &error);

    if (status == MICA_OK)
        mica_reply_silent(message, 204);
    else
        (void)fail(message, status, &error);
}

// ---- The handshake ---------------------------------------------------------------

static void
create(struct mica_message *message)
{
    const struct mica_sessions *sessions = message->sessions;
    const struct mica_json *info = mica_json_get(message->params, "clientInfo");
    const struct mica_json *capabilities =
        mica_json_get(message->params, "capabilities");
    struct mica_session session = {.wire = message->wire,
                                   .party = message->party};
    struct mica_error error = {.message = ""};
    enum mica_status status;

    if (info != NULL && info->kind == MICA_JSON_OBJECT)
        session.client_info = info->raw;
    if (capabilities != NULL && capabilities->kind == MICA_JSON_OBJECT)
        session.capabilities = capabilities->raw;
    status = sessions->create(sessions->data, &session, message->principal,
                              message->arena, &error);
    if (status != MICA_OK) {
        (void)fail(message, status, &error);
        return;
    }
    message->session = session;
    message->begins = true;
}

// [SESSION-ID] [SESSION-BOUND]
void
mica_session_begin(struct mica_message *message,
                   const struct mica_session_headers *headers)
{
    if (headers->has_id) {
        (void)refuse(message, 400, MICA_E_EXISTS,
                     "initialize begins a session and belongs to none; leave "
                     "Mcp-Session-Id out");
        return;
    }
    mica_message_dispatch(message);
    if (message->rpc_error == 0)
        create(message);
}

// ---- Methods of a session --------------------------------------------------------

bool
mica_message_has_state(const struct mica_message *message)
{
    return !message->only_reply &&
           (message->line != NULL || message->session.id.len > 0);
}

// MCP: logging/setLevel. The result is exactly {}.
void
mica_method_set_level(struct mica_message *message)
{
    const struct mica_sessions *sessions = message->sessions;
    const struct mica_json *name = mica_json_get(message->params, "level");
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
    if (message->line != NULL) {
        message->line->logs = true;
        message->line->log_level = level;
    } else {
        status = sessions->set_log_level(sessions->data, &message->session,
                                         level, &error);
    }
    if (status != MICA_OK) {
        (void)fail(message, status, &error);
        return;
    }
    mica_reply_open(message, &writer);
    mica_reply_close(message, &writer, none);
}

static void
subscribe(struct mica_message *message, bool on)
{
    const struct mica_sessions *sessions = message->sessions;
    const struct mica_json *uri = mica_json_get(message->params, "uri");
    struct mica_error error = {.message = ""};
    struct mica_json_writer writer;
    enum mica_status status;

    if (uri == NULL || uri->kind != MICA_JSON_STRING || uri->text.len == 0) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_REQUIRED, none,
                         "%.*s needs params.uri, a string: the URI of a "
                         "resource",
                         MICA_ARG(message->method));
        return;
    }
    if (uri->text.len > URI_BYTES ||
        memchr(uri->text.ptr, '\0', uri->text.len) != NULL) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_LIMIT, none,
                         "params.uri must be a URI of at most %d bytes",
                         URI_BYTES);
        return;
    }
    message->name = uri->text;
    if (sessions == NULL) {
        mica_reply_error(message, 200, MICA_RPC_METHOD, MICA_E_NOT_FOUND, none,
                         "Nobody here tells of changes");
        return;
    }
    status = sessions->subscribe(sessions->data, &message->session, uri->text,
                                 on, &error);
    if (status == MICA_E_LIMIT) {
        mica_reply_error(message, 200, MICA_RPC_PARAMS, status, none, "%s",
                         error.message);
        return;
    }
    if (status != MICA_OK) {
        (void)fail(message, status, &error);
        return;
    }
    mica_reply_open(message, &writer);
    mica_reply_close(message, &writer, none);
}

// MCP: resources/subscribe. Any URI: one that is not there may come to be.
void
mica_method_subscribe(struct mica_message *message)
{
    subscribe(message, true);
}

void
mica_method_unsubscribe(struct mica_message *message)
{
    subscribe(message, false);
}
