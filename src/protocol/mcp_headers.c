// SPDX-License-Identifier: Apache-2.0
//
// Reads and checks the headers of a request to an MCP endpoint.
#include "protocol/mcp_headers.h"

#include <string.h>

#include "protocol/header_value.h"

static const struct mica_text none = {NULL, 0};

// ---- Read ----------------------------------------------------------------------

static void
read_once(bool *twice, bool *has, struct mica_text *slot,
          struct mica_text value)
{
    if (*has)
        *twice = true;
    *has = true;
    *slot = mica_header_trim(value);
}

void
mica_mcp_headers_read(const struct mica_http_request *request,
                      struct mica_mcp_headers *headers)
{
    memset(headers, 0, sizeof *headers);
    for (size_t i = 0; i < request->header_count; i++) {
        struct mica_text name = request->headers[i].name;
        struct mica_text value = request->headers[i].value;
        if (mica_ascii_is(name, "host"))
            read_once(&headers->duplicate_source, &headers->has_host,
                      &headers->host, value);
        else if (mica_ascii_is(name, "origin"))
            read_once(&headers->duplicate_source, &headers->has_origin,
                      &headers->origin, value);
        else if (mica_ascii_is(name, "content-type"))
            headers->content_type = mica_header_trim(value);
        else if (mica_ascii_is(name, "traceparent"))
            headers->trace = mica_header_trim(value);
        else if (mica_ascii_is(name, "accept"))
            headers->accept |= mica_accept_line(value);
        else if (mica_ascii_is(name, "mcp-protocol-version"))
            read_once(&headers->duplicate_standard, &headers->has_version,
                      &headers->version, value);
        else if (mica_ascii_is(name, "mcp-method"))
            read_once(&headers->duplicate_standard, &headers->has_method,
                      &headers->method, value);
        else if (mica_ascii_is(name, "mcp-name"))
            read_once(&headers->duplicate_standard, &headers->has_name,
                      &headers->name, value);
        else if (mica_ascii_is(name, "mcp-session-id"))
            read_once(&headers->duplicate_session, &headers->has_session,
                      &headers->session, value);
        else if (mica_ascii_is(name, "last-event-id"))
            read_once(&headers->duplicate_session, &headers->has_last_event,
                      &headers->last_event, value);
    }
}

// ---- Source and media types ----------------------------------------------------

// [HTTP-ORIGIN]
bool
mica_mcp_headers_allowed(const struct mica_mcp_headers *headers,
                         const struct mica_http_allowed *allowed,
                         struct mica_problem *problem)
{
    const char *what = NULL;

    if (headers->duplicate_source)
        what = "second Host or Origin; send one";
    else if (!mica_http_host_allowed(allowed, headers->host))
        what = "Host; allow it with --allow-host";
    else if (headers->has_origin &&
             !mica_http_origin_allowed(allowed, headers->origin))
        what = "Origin; allow it with --allow-origin";
    return what == NULL ||
           mica_problem_set(
               problem, 403, MICA_RPC_REQUEST, MICA_E_FORBIDDEN, none,
               "Forbidden %s (protection against DNS rebinding)", what);
}

bool
mica_mcp_headers_media(const struct mica_mcp_headers *headers,
                       struct mica_problem *problem)
{
    unsigned accepted = MICA_MEDIA_JSON | MICA_MEDIA_STREAM | MICA_MEDIA_ANY;

    if (!mica_ascii_is(mica_header_bare(headers->content_type),
                       "application/json"))
        return mica_problem_set(problem, 415, MICA_RPC_REQUEST, MICA_E_MEDIA,
                                none, "Content-Type must be application/json");
    // Lenient: a client may list nothing, or only one of the two types.
    if (headers->accept != 0 && (headers->accept & accepted) == 0)
        return mica_problem_set(problem, 406, MICA_RPC_REQUEST, MICA_E_ACCEPT,
                                none,
                                "Accept must list application/json and "
                                "text/event-stream");
    return true;
}

// Lenient as above for a POST; a GET must list it, as it gets nothing but a stream.
bool
mica_mcp_headers_accept_stream(const struct mica_mcp_headers *headers,
                               struct mica_text method)
{
    unsigned accept = headers->accept;

    if ((accept & MICA_MEDIA_STREAM) != 0)
        return true;
    return mica_text_is(method, "POST") &&
           (accept == 0 || (accept & (MICA_MEDIA_TEXT | MICA_MEDIA_ANY)) != 0);
}

bool
mica_mcp_headers_are_stateless(const struct mica_mcp_headers *headers)
{
    enum mica_revision revision;

    return headers->has_version &&
           mica_revision_find(headers->version, &revision) &&
           mica_revision_features(revision)->stateless;
}

// ---- Header and body agree -----------------------------------------------------

static bool
refuse_header(struct mica_problem *problem, const char *header,
              const char *what)
{
    return mica_problem_set(problem, 400, MICA_RPC_HEADER, MICA_E_FORMAT, none,
                            "Header mismatch: %s %s", header, what);
}

static bool
check_same(struct mica_problem *problem, const char *header, bool has,
           struct mica_text value, struct mica_text body)
{
    if (!has)
        return refuse_header(problem, header, "is missing");
    return mica_text_equal(value, body) ||
           refuse_header(problem, header, "differs from the body");
}

// [HTTP-VERSION]
bool
mica_mcp_headers_have_version(const struct mica_mcp_headers *headers,
                              struct mica_problem *problem)
{
    return headers->has_version ||
           refuse_header(problem, "MCP-Protocol-Version", "is missing");
}

bool
mica_mcp_headers_same_version(const struct mica_mcp_headers *headers,
                              const struct mica_envelope *envelope,
                              struct mica_problem *problem)
{
    if (headers->duplicate_standard)
        return refuse_header(problem, "An Mcp header", "is there twice");
    return check_same(problem, "MCP-Protocol-Version", true, headers->version,
                      envelope->version->text);
}

// [HTTP-METHOD]
bool
mica_mcp_headers_same_method(const struct mica_mcp_headers *headers,
                             const struct mica_envelope *envelope,
                             struct mica_problem *problem)
{
    return check_same(problem, "Mcp-Method", headers->has_method,
                      headers->method, envelope->method);
}

// The member of params that Mcp-Name repeats, or NULL.
static const char *
named_member(struct mica_text method)
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
bool
mica_mcp_headers_same_name(const struct mica_mcp_headers *headers,
                           const struct mica_envelope *envelope,
                           struct mica_arena *arena,
                           struct mica_problem *problem)
{
    const char *member = named_member(envelope->method);
    const struct mica_json *name;
    struct mica_text decoded;

    if (member == NULL)
        return true;
    name = mica_json_get(envelope->params, member);
    if (!headers->has_name)
        return refuse_header(problem, "Mcp-Name", "is missing");
    if (!mica_header_decode(arena, headers->name, &decoded))
        return refuse_header(
            problem, "Mcp-Name",
            "is malformed; encode what is not printable ASCII as =?base64?…?=");
    if (name == NULL || name->kind != MICA_JSON_STRING)
        return true; // the check of params reports what is wrong
    return check_same(problem, "Mcp-Name", true, decoded, name->text);
}
