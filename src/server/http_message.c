// SPDX-License-Identifier: Apache-2.0
//
// A message that came as one HTTP request: the pipeline of guide 1.1, step by
// step, each of which may end it. Which era it is of decides the message, not
// the connection (guide 0.1).
#include "server/message.h"
#include "server/message_surface.h"

#include <string.h>

#include "base/assert.h"

// What Accept lists, of what there is here; or-ed over all its lines.
enum media {
    MEDIA_LISTED = 1, // something
    MEDIA_JSON = 2,   // application/json, application/*
    MEDIA_STREAM = 4, // text/event-stream
    MEDIA_TEXT = 8,   // text/*
    MEDIA_ANY = 16    // */*
};

// The headers that matter, found in one pass.
struct headers {
    struct mica_text host, origin, content_type, trace;
    unsigned accept; // enum media
    struct mica_text version, method, name, session, last_event;
    bool has_host, has_origin, has_version, has_method, has_name;
    bool has_session, has_last_event;
    bool twice_from;    // Host or Origin
    bool twice;         // any of the others
    bool twice_session; // Mcp-Session-Id or Last-Event-ID
};

static const struct mica_text none = {NULL, 0};

static void
take_once(bool *twice, bool *has, struct mica_text *slot,
          struct mica_text value)
{
    if (*has)
        *twice = true;
    *has = true;
    *slot = mica_header_trim(value);
}

// Whether a header has this name. Lengths come first: every header of every
// request is compared with all of these.
#define NAMED(text, lowercase) \
    ((text).len == sizeof(lowercase) - 1 && mica_header_is((text), (lowercase)))

// RFC 9110, 12.5.1. Media types have no case.
static unsigned
read_accept(struct mica_text list)
{
    unsigned media = 0;
    struct mica_text one;

    while (mica_header_next(&list, &one)) {
        one = mica_header_bare(one);
        media |= MEDIA_LISTED;
        if (NAMED(one, "application/json") || NAMED(one, "application/*"))
            media |= MEDIA_JSON;
        else if (NAMED(one, "text/event-stream"))
            media |= MEDIA_STREAM;
        else if (NAMED(one, "text/*"))
            media |= MEDIA_TEXT;
        else if (NAMED(one, "*/*"))
            media |= MEDIA_ANY;
    }
    return media;
}

static void
collect(const struct mica_http_request *request, struct headers *headers)
{
    memset(headers, 0, sizeof *headers);
    for (size_t i = 0; i < request->header_count; i++) {
        struct mica_text name = request->headers[i].name;
        struct mica_text value = request->headers[i].value;
        if (NAMED(name, "host"))
            take_once(&headers->twice_from, &headers->has_host, &headers->host,
                      value);
        else if (NAMED(name, "origin"))
            take_once(&headers->twice_from, &headers->has_origin,
                      &headers->origin, value);
        else if (NAMED(name, "content-type"))
            headers->content_type = mica_header_trim(value);
        else if (NAMED(name, "traceparent"))
            headers->trace = mica_header_trim(value);
        else if (NAMED(name, "accept"))
            headers->accept |= read_accept(value);
        else if (NAMED(name, "mcp-protocol-version"))
            take_once(&headers->twice, &headers->has_version, &headers->version,
                      value);
        else if (NAMED(name, "mcp-method"))
            take_once(&headers->twice, &headers->has_method, &headers->method,
                      value);
        else if (NAMED(name, "mcp-name"))
            take_once(&headers->twice, &headers->has_name, &headers->name,
                      value);
        else if (NAMED(name, "mcp-session-id"))
            take_once(&headers->twice_session, &headers->has_session,
                      &headers->session, value);
        else if (NAMED(name, "last-event-id"))
            take_once(&headers->twice_session, &headers->has_last_event,
                      &headers->last_event, value);
    }
}

// ---- Steps 1 to 4 ------------------------------------------------------------------

// [HTTP-ORIGIN]
static bool
check_origin(struct mica_message *message,
             const struct mica_http_allowed *allowed,
             const struct headers *headers)
{
    const char *what = NULL;

    if (headers->twice_from)
        what = "second Host or Origin; send one";
    else if (!mica_http_host_allowed(allowed, headers->host))
        what = "Host; allow it with --allow-host";
    else if (headers->has_origin &&
             !mica_http_origin_allowed(allowed, headers->origin))
        what = "Origin; allow it with --allow-origin";
    if (what == NULL)
        return true;
    mica_reply_error(message, 403, MICA_RPC_REQUEST, MICA_E_FORBIDDEN, none,
                     "Forbidden %s (protection against DNS rebinding)", what);
    return false;
}

static bool
check_media(struct mica_message *message, const struct headers *headers,
            const struct mica_http_request *request)
{
    if (!mica_header_is(mica_header_bare(headers->content_type),
                        "application/json")) {
        mica_reply_error(message, 415, MICA_RPC_REQUEST, MICA_E_MEDIA, none,
                         "Content-Type must be application/json");
        return false;
    }
    // Lenient: whoever says nothing, or anything of ours, is served.
    if (headers->accept != 0 &&
        (headers->accept & (MEDIA_JSON | MEDIA_STREAM | MEDIA_ANY)) == 0) {
        mica_reply_error(message, 406, MICA_RPC_REQUEST, MICA_E_ACCEPT, none,
                         "Accept must list application/json and "
                         "text/event-stream");
        return false;
    }
    if (request->body.len > message->server->options.message_bytes) {
        mica_reply_error(message, 413, MICA_RPC_REQUEST, MICA_E_LIMIT, none,
                         "The body is larger than %zu bytes",
                         message->server->options.message_bytes);
        return false;
    }
    return true;
}

static bool
names_modern(const struct headers *headers)
{
    enum mica_wire wire;

    return headers->has_version && mica_wire_find(headers->version, &wire) &&
           mica_wire_features(wire)->modern;
}

// ---- The modern era, steps 8 to 14 ---------------------------------------------------

static bool
mismatch(struct mica_message *message, const char *header, const char *what)
{
    mica_reply_error(message, 400, MICA_RPC_HEADER, MICA_E_FORMAT, none,
                     "Header mismatch: %s %s", header, what);
    return false;
}

// MCP: standard headers (SEP-2243): each equals the body, byte for byte.
static bool
check_header(struct mica_message *message, const char *header, bool has,
             struct mica_text value, struct mica_text body)
{
    if (!has)
        return mismatch(message, header, "is missing");
    if (!mica_text_equal(value, body))
        return mismatch(message, header, "differs from the body");
    return true;
}

// MCP: standard headers: the member of params that Mcp-Name repeats, or NULL.
static const char *
named_by(struct mica_text method)
{
    static const struct {
        const char *method, *member;
    } named[] = {{"tools/call", "name"},     {"prompts/get", "name"},
                 {"resources/read", "uri"},  {"tasks/get", "taskId"},
                 {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"}};

    for (size_t i = 0; i < MICA_COUNT(named); i++) {
        if (mica_text_is(method, named[i].method))
            return named[i].member;
    }
    return NULL;
}

// [HTTP-NAME]
static bool
check_name(struct mica_message *message, const struct headers *headers)
{
    const char *member = named_by(message->method);
    const struct mica_json *name;
    struct mica_text decoded;

    if (member == NULL)
        return true;
    name = mica_json_get(message->params, member);
    if (!headers->has_name)
        return mismatch(message, "Mcp-Name", "is missing");
    if (!mica_header_decode(message->arena, headers->name, &decoded))
        return mismatch(message, "Mcp-Name",
                        "is malformed; encode what is not printable ASCII as "
                        "=?base64?…?=");
    if (name == NULL || name->kind != MICA_JSON_STRING)
        return true; // step 15 says what is wrong with the body
    return check_header(message, "Mcp-Name", true, decoded, name->text);
}

// [HTTP-VERSION] [HTTP-METHOD]
static void
modern_request(struct mica_message *message, const struct headers *headers,
               const struct mica_meta *meta)
{
    if (!headers->has_version) {
        (void)mismatch(message, "MCP-Protocol-Version", "is missing");
        return;
    }
    if (!mica_message_modern(message, meta))
        return;
    MICA_ASSERT(meta->version != NULL); // or it would not be modern
    if (headers->twice) {
        (void)mismatch(message, "An Mcp header", "is there twice");
        return;
    }
    if (check_header(message, "MCP-Protocol-Version", true, headers->version,
                     meta->version->text) &&
        mica_message_version(message, meta->version->text) &&
        check_header(message, "Mcp-Method", headers->has_method,
                     headers->method, message->method) &&
        mica_message_has_method(message) && check_name(message, headers))
        mica_message_dispatch(message);
}

// ---- The legacy era ----------------------------------------------------------------------

// Without sessions each request stands for itself, in the revision that its
// header names.
static bool
take_version(struct mica_message *message, const struct headers *headers)
{
    enum mica_wire wire = MICA_WIRE_2025_03_26; // what an absent header means

    // Before the handshake there is no version to be wrong about.
    if (headers->has_version && !mica_wire_find(headers->version, &wire) &&
        !mica_text_is(message->method, "initialize"))
        return mica_message_version(message, headers->version);
    message->wire = wire == MICA_WIRE_2024_11_05 ? MICA_WIRE_2025_03_26 : wire;
    return true;
}

static struct mica_session_headers
of_session(const struct headers *headers)
{
    return (struct mica_session_headers){
        .id = headers->session,
        .version = headers->version,
        .last_event_id = headers->last_event,
        .has_id = headers->has_session,
        .has_version = headers->has_version,
        .has_last_event_id = headers->has_last_event,
        .twice = headers->twice_session || headers->twice};
}

static void
legacy_request(struct mica_message *message, const struct headers *headers)
{
    struct mica_session_headers session = of_session(headers);
    enum mica_wire wire;

    if (message->sessions == NULL) {
        if (take_version(message, headers))
            mica_message_dispatch(message);
    } else if (mica_text_is(message->method, "initialize")) {
        message->wire = MICA_WIRE_2025_11_25;
        mica_session_begin(message, &session);
    } else if (!headers->has_session && headers->has_version &&
               !mica_wire_find(headers->version, &wire)) {
        (void)mica_message_version(message, headers->version); // either era
    } else if (mica_session_enter(message, &session)) {
        mica_message_dispatch(message);
    }
}

static void
batch(struct mica_message *message, const struct headers *headers,
      const struct mica_json *root)
{
    struct mica_session_headers session = of_session(headers);

    if (names_modern(headers) ||
        (message->sessions == NULL ? take_version(message, headers)
                                   : mica_session_enter(message, &session)))
        mica_batch_begin(message, root);
}

// What asks nothing. Without a session nobody waits for what is answered or
// could be cancelled.
static void
one_way(struct mica_message *message, const struct headers *headers,
        enum mica_envelope envelope, const struct mica_json *root)
{
    struct mica_session_headers session = of_session(headers);
    bool stateless = message->sessions == NULL || names_modern(headers);

    if (stateless && envelope == MICA_RESPONSE) {
        mica_reply_error(message, 400, MICA_RPC_REQUEST, MICA_E_UNKNOWN, none,
                         "This server asked nothing that could be answered");
        return;
    }
    if (!stateless && !mica_session_enter(message, &session))
        return;
    if (stateless)
        mica_reply_silent(message, 202);
    else if (envelope == MICA_RESPONSE)
        mica_message_answer(message, root);
    else
        mica_message_notification(message);
}

// The era is decided per message, by what it says of itself (guide 0.1).
// [HTTP-ACCEPTED]
static void
route(struct mica_message *message, const struct headers *headers,
      enum mica_envelope envelope, const struct mica_meta *meta,
      const struct mica_json *root)
{
    if (envelope != MICA_REQUEST)
        one_way(message, headers, envelope, root);
    else if (meta->version != NULL || meta->capabilities != NULL ||
             names_modern(headers))
        modern_request(message, headers, meta);
    else
        legacy_request(message, headers);
}

// [HTTP-GET]
static void
other_method(struct mica_message *message, const struct headers *headers,
             const struct mica_http_request *request)
{
    struct mica_session_headers session = of_session(headers);
    bool get = mica_text_is(request->method, "GET");

    if (mica_text_is(request->method, "OPTIONS")) {
        mica_reply_silent(message, 204);
        return;
    }
    message->wire = MICA_WIRE_2025_11_25;
    if ((get || mica_text_is(request->method, "DELETE")) &&
        message->sessions != NULL && !names_modern(headers)) {
        if (get)
            mica_session_get(message, &session);
        else if (mica_session_enter(message, &session))
            mica_session_delete(message);
        return;
    }
    mica_reply_error(message, 405, MICA_RPC_REQUEST, MICA_E_METHOD, none,
                     message->sessions != NULL
                         ? "Use POST; GET and DELETE are for sessions, which "
                           "revision 2026-07-28 does not have"
                         : "Use POST; GET and DELETE are for sessions alone, "
                           "and there are none here");
}

// Lenient, as check_media is; but a stream is all that a GET could get.
static bool
takes_stream(const struct mica_http_request *request, unsigned accept)
{
    if ((accept & MEDIA_STREAM) != 0)
        return true;
    return mica_text_is(request->method, "POST") &&
           (accept == 0 || (accept & (MEDIA_TEXT | MEDIA_ANY)) != 0);
}

static bool
from(struct mica_message *message, const struct mica_http_allowed *allowed,
     const struct mica_http_request *request, const struct headers *headers)
{
    message->over_http = true;
    message->request = request;
    message->origin = headers->origin;
    if (mica_trace_is_valid(headers->trace))
        message->trace = headers->trace; // unless the message has its own
    return check_origin(message, allowed, headers);
}

bool
mica_message_from(struct mica_message *message,
                  const struct mica_http_allowed *allowed,
                  const struct mica_http_request *request)
{
    struct headers headers;

    collect(request, &headers);
    return from(message, allowed, request, &headers);
}

void
mica_message_http(struct mica_message *message,
                  const struct mica_http_allowed *allowed,
                  const struct mica_http_request *request)
{
    struct headers headers;
    enum mica_envelope envelope;
    struct mica_meta meta;
    const struct mica_json *root;

    message->sessions = message->server->sessions;
    collect(request, &headers);
    message->takes_stream = takes_stream(request, headers.accept);
    if (!from(message, allowed, request, &headers))
        return;
    if (!mica_text_is(request->method, "POST")) {
        other_method(message, &headers, request);
        return;
    }
    if (!check_media(message, &headers, request) ||
        !mica_message_read(message, request->body, &envelope, &meta, &root))
        return;
    if (envelope == MICA_BATCH)
        batch(message, &headers, root);
    else
        route(message, &headers, envelope, &meta, root);
}
