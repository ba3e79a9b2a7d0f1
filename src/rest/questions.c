// SPDX-License-Identifier: Apache-2.0
//
// The questions of a call as a client of REST reads them: what kind, what a person
// is told, and the JSON Schema of the answer.
#include <string.h>

#include "call/ask_attempts.h"
#include "rest/request.h"

#define SAMPLED                                                                \
    "{\"type\":\"object\",\"properties\":{\"role\":{\"const\":\"assistant\"}," \
    "\"content\":{\"description\":\"A content block of MCP, or several.\","    \
    "\"type\":[\"object\",\"array\"]},\"model\":{\"type\":\"string\"},"        \
    "\"stopReason\":{\"type\":\"string\"}},\"required\":[\"role\","            \
    "\"content\",\"model\"]}"
#define ROOTS                                                             \
    "{\"type\":\"object\",\"properties\":{\"roots\":{\"type\":\"array\"," \
    "\"items\":{\"type\":\"object\",\"properties\":{\"uri\":{\"type\":"   \
    "\"string\",\"format\":\"uri\"},\"name\":{\"type\":\"string\"}},"     \
    "\"required\":[\"uri\"]}}},\"required\":[\"roots\"]}"

static void
copy_text(const struct mica_json *params, const char *namez,
          struct mica_json_writer *writer)
{
    struct mica_text text = mica_json_get_text(params, namez);

    if (text.len > 0)
        mica_json_field(writer, namez, text);
}

static void
copy_value(const struct mica_json *params, const char *namez, const char *asz,
           struct mica_json_writer *writer)
{
    const struct mica_json *value = mica_json_get(params, namez);

    if (value == NULL)
        return;
    mica_json_name(writer, asz);
    mica_json_raw(writer, value->raw);
}

// Writes the question alone: the message that a client of MCP shows also says what was
// wrong with the last answer, which "error" has here.
static void
write_message(struct mica_text message, struct mica_json_writer *writer)
{
    const struct mica_text fault = MICA_LITERAL(MICA_ASK_FAULT);

    for (size_t at = message.len; at >= fault.len; at--)
        if (memcmp(message.ptr + at - fault.len, fault.ptr, fault.len) == 0) {
            message.len = at - fault.len;
            break;
        }
    if (message.len > 0)
        mica_json_field(writer, "message", message);
}

// Why the last answer was not taken, and where it is wrong.
static void
write_error(const struct mica_json *error, struct mica_json_writer *writer)
{
    mica_json_name(writer, "error");
    mica_json_open_object(writer);
    mica_json_field(writer, "code", mica_json_get_text(error, "code"));
    mica_json_field(writer, "detail", mica_json_get_text(error, "message"));
    mica_json_field(writer, "pointer", mica_json_get_text(error, "path"));
    mica_json_close_object(writer);
}

static void
write_question(const struct mica_json *ask, struct mica_json_writer *writer)
{
    const struct mica_json *params = mica_json_get(ask, "params");
    const struct mica_json *error =
        mica_json_get(mica_json_get(params, "_meta"), "mica/error");
    struct mica_text method = mica_json_get_text(ask, "method");

    mica_json_open_object(writer);
    if (mica_text_is(method, "sampling/createMessage")) {
        mica_json_field(writer, "kind", MICA_LITERAL("sampling"));
        mica_json_name(writer, "request");
        mica_json_raw(writer, params->raw);
        mica_json_name(writer, "schema");
        mica_json_raw(writer, MICA_LITERAL(SAMPLED));
    } else if (mica_text_is(method, "roots/list")) {
        mica_json_field(writer, "kind", MICA_LITERAL("roots"));
        mica_json_name(writer, "schema");
        mica_json_raw(writer, MICA_LITERAL(ROOTS));
    } else if (mica_text_is(mica_json_get_text(params, "mode"), "url")) {
        mica_json_field(writer, "kind", MICA_LITERAL("page"));
        copy_text(params, "message", writer);
        copy_text(params, "url", writer);
    } else {
        mica_json_field(writer, "kind", MICA_LITERAL("form"));
        if (error != NULL)
            write_message(mica_json_get_text(params, "message"), writer);
        else
            copy_text(params, "message", writer);
        copy_value(params, "requestedSchema", "schema", writer);
        if (error != NULL)
            write_error(error, writer);
    }
    mica_json_close_object(writer);
}

void
mica_rest_write_questions(const struct mica_json *asks,
                          struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    for (size_t i = 0; i < asks->count; i++) {
        mica_json_name_text(writer, asks->members[i].name);
        write_question(&asks->members[i].value, writer);
    }
    mica_json_close_object(writer);
}
