// SPDX-License-Identifier: Apache-2.0
//
// The body of a carried request. JSON has no bytes and no forms, so `bodyType` says how
// `body` is to be read:
//
//     none        no body
//     json        a value; a string is JSON text that is sent as it is
//     text        a string
//     urlEncoded  a string, or an object of strings
//     base64      a string, or {"data": string}
//     formData    [{"name","value"} or {"name","data","filename","contentType"}, …]
//
// Without `bodyType` a string is text, and another value JSON.
#include <string.h>

#include <mica/json.h>

#include "base/ascii.h"
#include "rest/relay.h"

static const struct mica_text none = {NULL, 0};

// Two digits follow, so that no boundary is the beginning of another.
#define BOUNDARY "----mica-form-"

enum {
    BOUNDARY_BYTES = 32,
    BOUNDARY_NUMBERS = 256
};

static enum mica_status
body_too_large(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "body",
                          "the body has more than %d bytes", MICA_RELAY_BYTES);
}

static enum mica_status
body_wrong(struct mica_error *error, const char *path, const char *what)
{
    return mica_error_set(error, MICA_E_TYPE, path, "%s", what);
}

// ---- Base64 ---------------------------------------------------------------------

static enum mica_status
base64_take(struct mica_text text, const char *path, struct mica_arena *arena,
            struct mica_error *error, struct mica_text *bytes_out)
{
    struct mica_buffer bytes;

    mica_buffer_init(&bytes, arena, MICA_RELAY_BYTES);
    if (text.len / 4 * 3 > MICA_RELAY_BYTES)
        return body_too_large(error);
    if (!mica_base64_read(&bytes, text) && !bytes.overflow)
        return mica_error_set(error, MICA_E_FORMAT, path,
                              "this is not base64 with padding");
    *bytes_out = mica_buffer_as_text(&bytes);
    return bytes.overflow ? body_too_large(error) : MICA_OK;
}

static enum mica_status
base64_read(const struct mica_json *body, struct mica_arena *arena,
            struct mica_error *error, struct mica_text *bytes_out)
{
    const struct mica_json *data =
        body->kind == MICA_JSON_OBJECT ? mica_json_get(body, "data") : body;

    if (data == NULL || data->kind != MICA_JSON_STRING)
        return body_wrong(error, "body",
                          "with bodyType \"base64\" the body is a string");
    return base64_take(data->text, "body", arena, error, bytes_out);
}

// ---- URL-encoded forms ------------------------------------------------------------

static void
url_encode(struct mica_buffer *out, struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        char small = (char)(c | 0x20);
        if ((small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') ||
            c == '*' || c == '-' || c == '.' || c == '_')
            mica_buffer_char(out, c);
        else if (c == ' ')
            mica_buffer_char(out, '+');
        else
            mica_buffer_format(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

static enum mica_status
url_form_read(const struct mica_json *body, struct mica_arena *arena,
              struct mica_error *error, struct mica_text *text_out)
{
    struct mica_buffer text;

    if (body->kind == MICA_JSON_STRING) {
        *text_out = body->text;
        return MICA_OK;
    }
    if (body->kind != MICA_JSON_OBJECT)
        return body_wrong(error, "body",
                          "with bodyType \"urlEncoded\" the body is a string, "
                          "or an object of strings");
    mica_buffer_init(&text, arena, MICA_RELAY_BYTES);
    for (size_t i = 0; i < body->count; i++) {
        if (body->members[i].value.kind != MICA_JSON_STRING)
            return body_wrong(error, "body",
                              "the fields of the form must be strings");
        if (i > 0)
            mica_buffer_char(&text, '&');
        url_encode(&text, body->members[i].name);
        mica_buffer_char(&text, '=');
        url_encode(&text, body->members[i].value.text);
    }
    *text_out = mica_buffer_as_text(&text);
    return text.overflow ? body_too_large(error) : MICA_OK;
}

// ---- Forms with files (RFC 7578) ----------------------------------------------------

struct form_field {
    struct mica_text name, filename, type, bytes;
    bool is_file;
};

// A name in a header of a part, as browsers write it (HTML, multipart/form-data).
static void
write_quoted(struct mica_buffer *out, struct mica_text name)
{
    mica_buffer_char(out, '"');
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '"' || c == '\r' || c == '\n')
            mica_buffer_format(out, "%%%02X", (unsigned)c);
        else
            mica_buffer_char(out, c);
    }
    mica_buffer_char(out, '"');
}

static bool
is_media_type(struct mica_text type)
{
    for (size_t i = 0; i < type.len; i++)
        if (type.ptr[i] < ' ' || type.ptr[i] >= 0x7f)
            return false;
    return true;
}

static enum mica_status
field_read(const struct mica_json *given, struct mica_arena *arena,
           struct mica_error *error, struct form_field *field)
{
    const struct mica_json *name = mica_json_get(given, "name");
    const struct mica_json *value = mica_json_get(given, "value");
    const struct mica_json *data = mica_json_get(given, "data");

    if (name == NULL || name->kind != MICA_JSON_STRING ||
        (value != NULL) == (data != NULL) ||
        (value != NULL ? value : data)->kind != MICA_JSON_STRING)
        return body_wrong(error, "body",
                          "a field of a form is an object with a \"name\", and "
                          "either a \"value\" or the base64 \"data\" of a "
                          "file");
    field->name = name->text;
    field->is_file = data != NULL;
    if (value != NULL) {
        field->bytes = value->text;
        return MICA_OK;
    }
    field->filename = mica_json_get_text(given, "filename");
    if (field->filename.ptr == NULL)
        field->filename = MICA_LITERAL("blob");
    field->type = mica_json_get_text(given, "contentType");
    if (field->type.len == 0)
        field->type = MICA_LITERAL("application/octet-stream");
    if (!is_media_type(field->type))
        return mica_error_set(error, MICA_E_FORMAT, "body",
                              "the contentType of a file is not a media type");
    return base64_take(data->text, "body", arena, error, &field->bytes);
}

// Marks the numbers of the boundaries that `bytes` contains.
static void
boundary_mark(struct mica_text bytes, bool used[BOUNDARY_NUMBERS])
{
    const struct mica_text prefix = MICA_LITERAL(BOUNDARY);

    for (size_t i = 0; i + prefix.len + 2 <= bytes.len; i++) {
        const char *at = memchr(bytes.ptr + i, '-', bytes.len - i);
        if (at == NULL)
            return;
        i = (size_t)(at - bytes.ptr);
        if (i + prefix.len + 2 > bytes.len ||
            memcmp(at, prefix.ptr, prefix.len) != 0)
            continue;
        int high = mica_ascii_hex(at[prefix.len]);
        int low = mica_ascii_hex(at[prefix.len + 1]);
        if (high >= 0 && low >= 0)
            used[high * 16 + low] = true;
    }
}

// A boundary that no field contains. Returns false if they contain all.
static bool
boundary_make(const struct form_field *fields, size_t count,
              struct mica_buffer *boundary)
{
    bool used[BOUNDARY_NUMBERS] = {false};

    for (size_t i = 0; i < count; i++)
        boundary_mark(fields[i].bytes, used);
    for (unsigned number = 0; number < BOUNDARY_NUMBERS; number++) {
        if (used[number])
            continue;
        mica_buffer_format(boundary, BOUNDARY "%02x", number);
        return true;
    }
    return false;
}

static void
form_write(const struct form_field *fields, size_t count,
           struct mica_text boundary, struct mica_buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        mica_buffer_format(out,
                           "--%.*s\r\nContent-Disposition: form-data; name=",
                           MICA_ARG(boundary));
        write_quoted(out, fields[i].name);
        if (fields[i].is_file) {
            mica_buffer_text(out, MICA_LITERAL("; filename="));
            write_quoted(out, fields[i].filename);
            mica_buffer_format(out, "\r\nContent-Type: %.*s",
                               MICA_ARG(fields[i].type));
        }
        mica_buffer_text(out, MICA_LITERAL("\r\n\r\n"));
        mica_buffer_text(out, fields[i].bytes);
        mica_buffer_text(out, MICA_LITERAL("\r\n"));
    }
    mica_buffer_format(out, "--%.*s--\r\n", MICA_ARG(boundary));
}

static enum mica_status
form_read(const struct mica_json *body, struct mica_arena *arena,
          struct mica_error *error, struct mica_text *text_out,
          struct mica_text *type_out)
{
    struct form_field *fields;
    struct mica_buffer text, boundary, type;

    if (body->kind != MICA_JSON_ARRAY)
        return body_wrong(error, "body",
                          "with bodyType \"formData\" the body is an array of "
                          "fields");
    if (body->count > MICA_RELAY_FIELDS)
        return mica_error_set(error, MICA_E_LIMIT, "body",
                              "the form has more than %d fields",
                              MICA_RELAY_FIELDS);
    fields = mica_arena_zero(arena, body->count + 1, sizeof *fields);
    mica_buffer_init(&text, arena, MICA_RELAY_BYTES);
    mica_buffer_init(&boundary, arena, BOUNDARY_BYTES);
    mica_buffer_init(&type, arena, BOUNDARY_BYTES + 64);
    if (fields == NULL)
        return body_too_large(error);
    for (size_t i = 0; i < body->count; i++)
        MICA_TRY(field_read(&body->items[i], arena, error, &fields[i]));
    if (!boundary_make(fields, body->count, &boundary))
        return mica_error_set(error, MICA_E_FORMAT, "body",
                              "the fields of the form contain every boundary "
                              "that could be between them");
    form_write(fields, body->count, mica_buffer_as_text(&boundary), &text);
    mica_buffer_format(&type, "multipart/form-data; boundary=%.*s",
                       MICA_ARG(mica_buffer_as_text(&boundary)));
    *text_out = mica_buffer_as_text(&text);
    *type_out = mica_buffer_as_text(&type);
    return text.overflow || type.overflow ? body_too_large(error) : MICA_OK;
}

// ---- All of them --------------------------------------------------------------------

static struct mica_text
body_type(const struct mica_json *arguments, const struct mica_json *body)
{
    struct mica_text type = mica_json_get_text(arguments, "bodyType");

    if (type.len > 0)
        return type;
    if (body == NULL || body->kind == MICA_JSON_NULL)
        return MICA_LITERAL("none");
    return body->kind == MICA_JSON_STRING ? MICA_LITERAL("text")
                                          : MICA_LITERAL("json");
}

enum mica_status
mica_relay_body(const struct mica_json *arguments, struct mica_arena *arena,
                struct mica_error *error, struct mica_text *body_out,
                struct mica_text *type_out, bool *is_form_out)
{
    const struct mica_json *body = mica_json_get(arguments, "body");
    struct mica_text type = body_type(arguments, body);
    enum mica_status status = MICA_OK;

    *body_out = *type_out = none;
    *is_form_out = false;
    if (mica_text_is(type, "none") || body == NULL)
        return MICA_OK;
    if (mica_text_is(type, "json")) {
        *body_out = body->kind == MICA_JSON_STRING ? body->text : body->raw;
        *type_out = MICA_LITERAL("application/json");
    } else if (mica_text_is(type, "urlEncoded")) {
        *type_out = MICA_LITERAL("application/x-www-form-urlencoded");
        status = url_form_read(body, arena, error, body_out);
    } else if (mica_text_is(type, "base64")) {
        status = base64_read(body, arena, error, body_out);
    } else if (mica_text_is(type, "formData")) {
        *is_form_out = true;
        status = form_read(body, arena, error, body_out, type_out);
    } else if (body->kind == MICA_JSON_STRING) {
        *body_out = body->text;
        *type_out = MICA_LITERAL("text/plain;charset=UTF-8");
    } else {
        return body_wrong(error, "body",
                          "with bodyType \"text\" the body is a string");
    }
    if (status == MICA_OK && body_out->len > MICA_RELAY_BYTES)
        status = body_too_large(error);
    return status;
}
