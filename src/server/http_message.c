// SPDX-License-Identifier: Apache-2.0
//
// Begins a message that is one HTTP request to the MCP endpoint. The checks follow one
// another, and each may end the message with an error reply:
//
//     Host and Origin -> endpoint and scopes -> HTTP method -> media types and size
//     -> envelope -> revision or session -> method
//
// The message, not the connection, decides whether it is of the stateless revision or of
// a session revision.
#include "protocol/mcp_headers.h"
#include "server/message.h"
#include "server/message_surface.h"
#include "server/session_rules.h"

static const struct mica_text none = {NULL, 0};

static bool
check_media(struct mica_message *message,
            const struct mica_mcp_headers *headers,
            const struct mica_http_request *request)
{
    size_t most = message->server->options.message_bytes;
    struct mica_problem problem;
    bool fits = mica_mcp_headers_media(headers, &problem);

    if (fits && request->body.len > most)
        fits =
            mica_problem_set(&problem, 413, MICA_RPC_REQUEST, MICA_E_LIMIT,
                             none, "The body is larger than %zu bytes", most);
    if (!fits)
        mica_reply_problem(message, &problem);
    return fits;
}

// ---- The stateless revision --------------------------------------------------------

// Checks that headers and body agree, and that this server has the revision and the
// method.
static bool
check_stateless(struct mica_message *message,
                const struct mica_mcp_headers *headers,
                const struct mica_envelope *envelope,
                struct mica_problem *problem)
{
    return mica_mcp_headers_have_version(headers, problem) &&
           mica_message_read_client(message, envelope, problem) &&
           mica_mcp_headers_same_version(headers, envelope, problem) &&
           mica_revision_stateless(envelope->version->text, message->arena,
                                   &message->context.revision, problem) &&
           mica_mcp_headers_same_method(headers, envelope, problem) &&
           mica_message_has_method(message, problem) &&
           mica_mcp_headers_same_name(headers, envelope, message->arena,
                                      problem);
}

static void
stateless_request(struct mica_message *message,
                  const struct mica_mcp_headers *headers,
                  const struct mica_envelope *envelope)
{
    struct mica_problem problem;

    if (check_stateless(message, headers, envelope, &problem))
        mica_message_dispatch(message);
    else
        mica_reply_problem(message, &problem);
}

// ---- The session revisions ---------------------------------------------------------

// For a server without sessions: each request is of the revision that its header names.
static bool
set_revision(struct mica_message *message,
             const struct mica_mcp_headers *headers)
{
    enum mica_revision revision =
        MICA_REVISION_2025_03_26; // without the header

    // Before the handshake no version is agreed on, so none can be wrong.
    if (headers->has_version &&
        !mica_revision_find(headers->version, &revision) &&
        !mica_text_is(message->request.method, "initialize"))
        return mica_message_set_revision(message, headers->version);
    message->context.revision = revision == MICA_REVISION_2024_11_05
                                    ? MICA_REVISION_2025_03_26
                                    : revision;
    return true;
}

static struct mica_session_headers
session_headers(const struct mica_mcp_headers *headers)
{
    return (struct mica_session_headers){
        .id = headers->session,
        .version = headers->version,
        .last_event_id = headers->last_event,
        .has_id = headers->has_session,
        .has_version = headers->has_version,
        .has_last_event_id = headers->has_last_event,
        .duplicate_header =
            headers->duplicate_session || headers->duplicate_standard};
}

static void
session_request(struct mica_message *message,
                const struct mica_mcp_headers *headers)
{
    struct mica_session_headers session = session_headers(headers);
    enum mica_revision revision;

    if (message->context.sessions == NULL) {
        if (set_revision(message, headers))
            mica_message_dispatch(message);
    } else if (mica_text_is(message->request.method, "initialize")) {
        message->context.revision = MICA_REVISION_2025_11_25;
        mica_session_begin(message, &session);
    } else if (!headers->has_session && headers->has_version &&
               !mica_revision_find(headers->version, &revision)) {
        (void)mica_message_set_revision(message, headers->version);
    } else if (mica_session_enter(message, &session)) {
        mica_message_dispatch(message);
    }
}

static void
http_batch(struct mica_message *message, const struct mica_mcp_headers *headers,
           const struct mica_json *root)
{
    struct mica_session_headers session = session_headers(headers);

    if (mica_mcp_headers_are_stateless(headers) ||
        (message->context.sessions == NULL
             ? set_revision(message, headers)
             : mica_session_enter(message, &session)))
        mica_batch_begin(message, root);
}

// Handles a notification or a response. Without a session no call waits for a response,
// and none can be cancelled.
static void
accept_without_reply(struct mica_message *message,
                     const struct mica_mcp_headers *headers,
                     const struct mica_envelope *envelope)
{
    struct mica_session_headers session = session_headers(headers);
    bool stateless = message->context.sessions == NULL ||
                     mica_mcp_headers_are_stateless(headers);

    if (stateless && envelope->kind == MICA_RESPONSE) {
        mica_reply_error(
            message, 400, MICA_RPC_REQUEST, MICA_E_UNKNOWN, none,
            "Unexpected response: no request of this server is open");
        return;
    }
    if (!stateless && !mica_session_enter(message, &session))
        return;
    if (stateless)
        mica_reply_silent(message, 202);
    else if (envelope->kind == MICA_RESPONSE)
        mica_message_read_response(message, envelope->root);
    else
        mica_message_notification(message);
}

// [HTTP-ACCEPTED]
static void
http_route(struct mica_message *message, const struct mica_mcp_headers *headers,
           const struct mica_envelope *envelope)
{
    if (envelope->kind != MICA_REQUEST)
        accept_without_reply(message, headers, envelope);
    else if (mica_envelope_is_stateless(envelope) ||
             mica_mcp_headers_are_stateless(headers))
        stateless_request(message, headers, envelope);
    else
        session_request(message, headers);
}

// [HTTP-GET]
static void
other_method(struct mica_message *message,
             const struct mica_mcp_headers *headers,
             const struct mica_http_request *request)
{
    struct mica_session_headers session = session_headers(headers);
    bool get = mica_text_is(request->method, "GET");

    if (mica_text_is(request->method, "OPTIONS")) {
        mica_reply_silent(message, 204);
        return;
    }
    message->context.revision = MICA_REVISION_2025_11_25;
    if ((get || mica_text_is(request->method, "DELETE")) &&
        message->context.sessions != NULL &&
        !mica_mcp_headers_are_stateless(headers)) {
        if (get)
            mica_session_get(message, &session);
        else if (mica_session_enter(message, &session))
            mica_session_delete(message);
        return;
    }
    mica_reply_error(message, 405, MICA_RPC_REQUEST, MICA_E_METHOD, none,
                     message->context.sessions != NULL
                         ? "Use POST; GET and DELETE are for sessions, which "
                           "revision 2026-07-28 does not have"
                         : "Use POST; GET and DELETE are for sessions alone, "
                           "and this server has no sessions");
}

static bool
http_check_origin(struct mica_message *message,
                  const struct mica_http_allowed *allowed,
                  const struct mica_http_request *request,
                  const struct mica_mcp_headers *headers)
{
    struct mica_problem problem;

    message->request.over_http = true;
    message->request.http = request;
    message->request.origin = headers->origin;
    if (mica_trace_is_valid(headers->trace))
        message->request.trace =
            headers->trace; // _meta of the message may replace it
    if (mica_mcp_headers_allowed(headers, allowed, &problem))
        return mica_message_may_enter(message);
    mica_reply_problem(message, &problem);
    return false;
}

bool
mica_message_check_source(struct mica_message *message,
                          const struct mica_http_allowed *allowed,
                          const struct mica_http_request *request)
{
    struct mica_mcp_headers headers;

    mica_mcp_headers_read(request, &headers);
    return http_check_origin(message, allowed, request, &headers);
}

void
mica_message_http(struct mica_message *message,
                  const struct mica_http_allowed *allowed,
                  const struct mica_http_request *request)
{
    struct mica_mcp_headers headers;
    struct mica_envelope envelope;

    message->context.sessions = message->server->sessions;
    mica_mcp_headers_read(request, &headers);
    message->request.takes_stream =
        mica_mcp_headers_accept_stream(&headers, request->method);
    if (!http_check_origin(message, allowed, request, &headers))
        return;
    if (!mica_text_is(request->method, "POST")) {
        other_method(message, &headers, request);
        return;
    }
    if (!check_media(message, &headers, request) ||
        !mica_message_read(message, request->body, &envelope))
        return;
    if (envelope.kind == MICA_BATCH)
        http_batch(message, &headers, envelope.root);
    else
        http_route(message, &headers, &envelope);
}
