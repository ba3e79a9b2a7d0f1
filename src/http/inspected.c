// SPDX-License-Identifier: Apache-2.0
//
// One exchange in the ring of the Inspector: which of its texts are kept, and how it is
// written as JSON.
#include "http/inspected.h"

#include <string.h>

#include "base/ascii.h"

enum {
    VERSION_BYTES = 32,
    METHOD_BYTES = 128,
    NAME_BYTES = 256,
    TYPE_BYTES = 128
};

size_t
mica_inspected_bytes(const struct mica_inspected *exchange)
{
    return exchange->verb.capacity + exchange->path.capacity +
           exchange->headers.capacity + exchange->version.capacity +
           exchange->method.capacity + exchange->name.capacity +
           exchange->code.capacity + exchange->type.capacity +
           exchange->request.text.capacity + exchange->reply.text.capacity;
}

void
mica_inspected_free(struct mica_inspected *exchange)
{
    mica_buffer_fini(&exchange->verb);
    mica_buffer_fini(&exchange->path);
    mica_buffer_fini(&exchange->headers);
    mica_buffer_fini(&exchange->version);
    mica_buffer_fini(&exchange->method);
    mica_buffer_fini(&exchange->name);
    mica_buffer_fini(&exchange->code);
    mica_buffer_fini(&exchange->type);
    mica_buffer_fini(&exchange->request.text);
    mica_buffer_fini(&exchange->reply.text);
    memset(exchange, 0, sizeof *exchange);
}

void
mica_inspected_init(struct mica_inspected *exchange)
{
    memset(exchange, 0, sizeof *exchange);
    mica_buffer_init(&exchange->verb, NULL, METHOD_BYTES);
    mica_buffer_init(&exchange->path, NULL, MICA_INSPECTION_HEAD_BYTES);
    mica_buffer_init(&exchange->headers, NULL, MICA_INSPECTION_HEAD_BYTES);
    mica_buffer_init(&exchange->version, NULL, VERSION_BYTES);
    mica_buffer_init(&exchange->method, NULL, METHOD_BYTES);
    mica_buffer_init(&exchange->name, NULL, NAME_BYTES);
    mica_buffer_init(&exchange->code, NULL, METHOD_BYTES);
    mica_buffer_init(&exchange->type, NULL, TYPE_BYTES);
    mica_buffer_init(&exchange->request.text, NULL, MICA_INSPECTION_BODY_BYTES);
    mica_buffer_init(&exchange->reply.text, NULL, MICA_INSPECTION_BODY_BYTES);
}

// Keeps what fits of a text that is shown and never sent again.
void
mica_inspected_keep(struct mica_buffer *buffer, struct mica_text text)
{
    buffer->len = 0;
    mica_buffer_text(buffer, mica_utf8_cut(text, buffer->max));
}

// Keeps what fits; JSON needs UTF-8, so the rest of a body that is not stays out.
void
mica_inspected_add(struct mica_inspected_body *body, struct mica_text bytes)
{
    bool whole = body->text.len == body->bytes;
    size_t room = body->text.max - body->text.len;

    body->bytes += bytes.len;
    if (!whole || bytes.len == 0)
        return;
    if (bytes.len > room)
        bytes = mica_text_slice(bytes, 0, room);
    mica_buffer_text(&body->text, bytes);
    if (body->text.overflow) { // no memory
        body->text.overflow = false;
        body->bytes += 1;
    }
}

// A piece of a stream may end within a character, whose rest comes with the next.
static struct mica_text
body_text(const struct mica_inspected_body *body)
{
    struct mica_text text = mica_buffer_as_text(&body->text);

    return mica_text_slice(text, 0, mica_utf8_valid(text));
}

// ---- The head of a request ---------------------------------------------------------

bool
mica_inspection_shows(struct mica_text name)
{
    static const char *const shown[] = {
        "accept",          "accept-encoding", "content-type",
        "idempotency-key", "if-none-match",   "last-event-id",
        "mcp-method",      "mcp-name",        "mcp-protocol-version",
        "prefer",          "traceparent",     "user-agent"};
    static const char parameter[] = "mcp-param-";

    for (size_t i = 0; i < MICA_COUNT(shown); i++)
        if (mica_ascii_is(name, shown[i]))
            return true;
    return name.len > sizeof parameter - 1 &&
           mica_ascii_is(mica_text_slice(name, 0, sizeof parameter - 1),
                         parameter);
}

static void
keep_headers(struct mica_inspected *exchange,
             const struct mica_inspected_request *request)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, &exchange->headers);
    mica_json_open_array(&writer);
    for (size_t i = 0; i < request->header_count; i++) {
        const struct mica_header *header = &request->headers[i];
        if (!mica_inspection_shows(header->name))
            continue;
        mica_json_open_object(&writer);
        mica_json_field(&writer, "name", header->name);
        mica_json_field(&writer, "value",
                        mica_utf8_cut(header->value, NAME_BYTES));
        mica_json_close_object(&writer);
    }
    mica_json_close_array(&writer);
    if (!exchange->headers.overflow)
        return;
    exchange->headers.len = 0;
    exchange->headers.overflow = false;
}

void
mica_inspected_keep_session(struct mica_inspected *exchange,
                            struct mica_text id)
{
    struct mica_text kept = mica_utf8_cut(id, MICA_INSPECTION_SESSION);

    if (kept.len == 0)
        return;
    memcpy(exchange->session, kept.ptr, kept.len);
    exchange->session[kept.len] = '\0';
}

// INSPECT-2: the transport of 2024-11-05 has the id in the query.
static void
keep_path(struct mica_inspected *exchange,
          const struct mica_inspected_request *request)
{
    struct mica_text query = request->query;
    bool secret = strcmp(request->surface, "sse") == 0;

    mica_inspected_keep(&exchange->path, request->path);
    if (query.len == 0)
        return;
    if (secret && mica_text_starts(query, "session="))
        mica_inspected_keep_session(exchange,
                                    mica_text_slice(query, 8, query.len));
    if (secret)
        mica_buffer_format(&exchange->path, "?session=%s…", exchange->session);
    else
        mica_buffer_format(&exchange->path, "?%.*s",
                           MICA_ARG(mica_utf8_cut(query, query.len)));
    exchange->path.overflow = false; // then there is as much as fits
}

void
mica_inspected_keep_request(struct mica_inspected *exchange,
                            const struct mica_inspected_request *request)
{
    exchange->surface = request->surface;
    exchange->at_ms = request->at_ms;
    mica_inspected_keep(&exchange->verb, request->verb);
    keep_path(exchange, request);
    keep_headers(exchange, request);
    for (size_t i = 0; i < request->header_count; i++)
        if (mica_ascii_is(request->headers[i].name, "mcp-session-id"))
            mica_inspected_keep_session(exchange, request->headers[i].value);
    mica_inspected_add(&exchange->request, request->body);
}

// ---- As JSON -----------------------------------------------------------------------

static void
write_text(struct mica_json_writer *writer, const char *namez,
           const struct mica_buffer *text)
{
    if (text->len > 0)
        mica_json_field(writer, namez, mica_buffer_as_text(text));
}

static void
write_number(struct mica_json_writer *writer, const char *namez, uint64_t value)
{
    mica_json_name(writer, namez);
    mica_json_integer(writer, (int64_t)value);
}

void
mica_inspected_write_head(struct mica_json_writer *writer,
                          const struct mica_inspected *exchange)
{
    write_number(writer, "number", exchange->number);
    write_number(writer, "at_ms", (uint64_t)exchange->at_ms);
    mica_json_field(writer, "surface", mica_text(exchange->surface));
    if (exchange->session[0] != '\0')
        mica_json_field(writer, "session", mica_text(exchange->session));
    write_text(writer, "verb", &exchange->verb);
    write_text(writer, "path", &exchange->path);
    write_text(writer, "version", &exchange->version);
    write_text(writer, "method", &exchange->method);
    write_text(writer, "name", &exchange->name);
    write_text(writer, "code", &exchange->code);
    write_number(writer, "status", exchange->status);
    write_number(writer, "request_bytes", exchange->request.bytes);
    write_number(writer, "reply_bytes", exchange->reply.bytes);
    if (exchange->outcome == NULL)
        return; // it is not over
    mica_json_field(writer, "outcome", mica_text(exchange->outcome));
    write_number(writer, "duration_us", exchange->duration_ns / 1000);
}

static void
write_body(struct mica_json_writer *writer, const char *namez,
           const struct mica_inspected_body *body)
{
    struct mica_text text = body_text(body);

    mica_json_name(writer, namez);
    mica_json_open_object(writer);
    mica_json_field(writer, "text", text);
    mica_json_name(writer, "cut");
    mica_json_boolean(writer, text.len < body->bytes);
    mica_json_close_object(writer);
}

void
mica_inspected_write(struct mica_json_writer *writer,
                     const struct mica_inspected *exchange)
{
    mica_inspected_write_head(writer, exchange);
    write_text(writer, "type", &exchange->type);
    mica_json_name(writer, "headers");
    mica_json_raw(writer, exchange->headers.len > 0
                              ? mica_buffer_as_text(&exchange->headers)
                              : mica_text("[]"));
    write_body(writer, "request", &exchange->request);
    write_body(writer, "reply", &exchange->reply);
}
