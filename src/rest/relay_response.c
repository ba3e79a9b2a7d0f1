// SPDX-License-Identifier: Apache-2.0
//
// Writes a response as the result of http_request. A body that is UTF-8 is a string, byte for
// byte: JSON that a view's host parses and writes again would lose the digits of large numbers.
#include <mica/json.h>

#include "base/ascii.h"
#include "protocol/header_value.h"
#include "rest/relay.h"

enum {
    NAME_BYTES = 256 // of a header
};

static bool
has_body(unsigned status)
{
    return status != 204 && status != 205 && status != 304;
}

// Headers that set something in a browser, or describe a connection, are not the view's.
static bool
is_shown(struct mica_text name)
{
    return !mica_text_is(name, "set-cookie") &&
           !mica_text_is(name, "set-cookie2") &&
           !mica_text_is(name, "connection") &&
           !mica_text_is(name, "content-length") &&
           !mica_text_is(name, "transfer-encoding");
}

static bool
is_value(struct mica_text value)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.ptr[i] < ' ' || value.ptr[i] >= 0x7f)
            return false;
    return true;
}

// The name of the header in lower case; empty: it is not shown.
static struct mica_text
shown_name(const struct mica_header *header, char room[NAME_BYTES])
{
    struct mica_text name = {room, header->name.len};

    if (header->name.len > NAME_BYTES || !mica_header_is_token(header->name) ||
        !is_value(header->value))
        return (struct mica_text){NULL, 0};
    for (size_t i = 0; i < name.len; i++)
        room[i] = mica_ascii_lower(header->name.ptr[i]);
    return is_shown(name) ? name : (struct mica_text){NULL, 0};
}

static bool
was_before(const struct mica_http_response *response, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        struct mica_text name = response->headers[i].name;
        char room[NAME_BYTES];
        struct mica_text now = shown_name(&response->headers[index], room);
        if (name.len == now.len && mica_ascii_same(name.ptr, now.ptr, now.len))
            return true;
    }
    return false;
}

static void
write_headers(const struct mica_http_response *response,
              struct mica_json_writer *out)
{
    char room[NAME_BYTES];

    mica_json_name(out, "headers");
    mica_json_open_object(out);
    for (size_t i = 0; i < response->header_count; i++) {
        struct mica_text name = shown_name(&response->headers[i], room);
        if (name.len > 0 && !was_before(response, i)) {
            mica_json_name_text(out, name);
            mica_json_string(out, response->headers[i].value);
        }
    }
    mica_json_close_object(out);
}

static void
write_body(struct mica_call *call, struct mica_text body,
           struct mica_json_writer *out)
{
    struct mica_buffer base64;

    if (mica_utf8_valid(body) == body.len) {
        mica_json_field(out, "body", body);
        mica_json_field(out, "bodyType", MICA_LITERAL("text"));
        return;
    }
    mica_buffer_init(&base64, call->arena, body.len / 3 * 4 + 8);
    mica_base64_write(&base64, body.ptr, body.len);
    mica_json_field(out, "body", mica_buffer_as_text(&base64));
    mica_json_field(out, "bodyType", MICA_LITERAL("base64"));
}

static struct mica_text
final_url(struct mica_call *call, const struct mica_http_request *request)
{
    struct mica_buffer url;

    mica_buffer_init(&url, call->arena,
                     request->path.len + request->query.len + 2);
    mica_buffer_text(&url, request->path);
    if (request->query.len > 0)
        mica_buffer_char(&url, '?');
    mica_buffer_text(&url, request->query);
    return mica_buffer_as_text(&url);
}

// What a person or a model sees of it; the view reads the structured result.
static void
add_summary(struct mica_call *call, const struct mica_http_request *request,
            unsigned status, size_t size)
{
    struct mica_buffer text;
    struct mica_text path = mica_utf8_cut(request->path, 200);

    mica_buffer_init(&text, call->arena, 512);
    mica_buffer_format(&text, "%.*s %.*s: HTTP %u, %zu bytes",
                       MICA_ARG(request->method), MICA_ARG(path), status, size);
    mica_add_text(call, mica_buffer_as_text(&text), NULL);
}

enum mica_status
mica_relay_write(struct mica_call *call,
                 const struct mica_relay_request *request,
                 const struct mica_http_response *response,
                 struct mica_json_writer *out)
{
    unsigned status = response->status != 0 ? response->status : 200;
    bool sent = has_body(status) && response->body.len > 0 &&
                !mica_text_is(request->http.method, "HEAD");

    if (response->body.len > MICA_RELAY_BYTES)
        return mica_error_set(&call->error, MICA_E_LIMIT, "",
                              "the body of the response has more than %d "
                              "bytes; ask for less",
                              MICA_RELAY_BYTES);
    if (status < 200 || status > 599)
        return mica_error_set(&call->error, MICA_E_USAGE, "",
                              "a mount gave the status %u; it is 200 to 599",
                              status);
    mica_json_open_object(out);
    mica_json_name(out, "status");
    mica_json_integer(out, (int64_t)status);
    write_headers(response, out);
    if (sent)
        write_body(call, response->body, out);
    else
        mica_json_field(out, "bodyType", MICA_LITERAL("none"));
    mica_json_field(out, "url", final_url(call, &request->http));
    mica_json_name(out, "redirected");
    mica_json_boolean(out, request->redirected);
    mica_json_name(out, "ok");
    mica_json_boolean(out, status < 300);
    mica_json_close_object(out);
    add_summary(call, &request->http, status, sent ? response->body.len : 0);
    return MICA_OK;
}

struct mica_text
mica_relay_location(const struct mica_http_response *response)
{
    unsigned status = response->status;

    if (status != 301 && status != 302 && status != 303 && status != 307 &&
        status != 308)
        return (struct mica_text){NULL, 0};
    for (size_t i = 0; i < response->header_count; i++)
        if (mica_ascii_is(response->headers[i].name, "location"))
            return response->headers[i].value;
    return (struct mica_text){NULL, 0};
}
