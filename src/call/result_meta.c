// SPDX-License-Identifier: Apache-2.0
//
// What a handler puts into _meta of its result: data for a view or a program, which no model
// reads.
#define MICA_TOOL_PLAIN // the functions themselves, not the macros of tool.h
#include <string.h>

#include <mica/tool.h>

#include "call/turn_state.h"

enum {
    META_NAMES = 16, // of one result
    META_NAME_LENGTH = 128
};

static enum mica_status
meta_wrong(struct mica_call *call, const char *namez, const char *whyz)
{
    call->error_is_from_operation = true;
    return mica_error_set(&call->error, MICA_E_USAGE, "",
                          "mica_set_meta cannot set \"%.128s\": %s",
                          namez != NULL ? namez : "", whyz);
}

// Prefixes of mica and of MCP, and names that the server itself writes.
static bool
is_reserved(struct mica_text name)
{
    return mica_text_starts(name, "mica/") ||
           mica_text_starts(name, "io.modelcontextprotocol/") ||
           mica_text_starts(name, "modelcontextprotocol/") ||
           mica_text_starts(name, "mcp/") ||
           mica_text_is(name, "progressToken");
}

static bool
name_is_valid(struct mica_text name)
{
    if (name.len == 0 || name.len > META_NAME_LENGTH)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool digit = c >= '0' && c <= '9';
        if (!letter && !digit && (c == '\0' || strchr("._-/", c) == NULL))
            return false;
    }
    return true;
}

// Is the name there? *count_out: how many there are.
static bool
meta_has(struct mica_call *call, struct mica_text name, size_t *count_out)
{
    struct mica_buffer braces = mica_builder(call);
    struct mica_json meta;

    mica_buffer_format(&braces, "{%.*s}", MICA_ARG(call->result.meta));
    if (braces.overflow ||
        mica_json_read(call->arena, mica_buffer_as_text(&braces), NULL, NULL,
                       &meta) != MICA_OK)
        mica_call_exceed(call);
    *count_out = meta.count;
    for (size_t i = 0; i < meta.count; i++) {
        if (mica_text_equal(meta.members[i].name, name))
            return true;
    }
    return false;
}

static enum mica_status
meta_add(struct mica_call *call, struct mica_text name, struct mica_text json)
{
    struct mica_buffer buffer = mica_builder(call);

    mica_buffer_format(&buffer, "%.*s%s\"%.*s\":", MICA_ARG(call->result.meta),
                       call->result.meta.len > 0 ? "," : "", MICA_ARG(name));
    mica_buffer_text(&buffer, json);
    if (buffer.overflow)
        mica_call_exceed(call);
    call->result.meta = mica_buffer_as_text(&buffer);
    return MICA_OK;
}

enum mica_status
mica_set_meta(struct mica_call *call, const char *namez, struct mica_text json)
{
    struct mica_text name = mica_text(namez != NULL ? namez : "");
    struct mica_buffer line = mica_builder(call);
    struct mica_json_writer writer;
    struct mica_json value;
    size_t count = 0;

    if (!name_is_valid(name) || is_reserved(name))
        return meta_wrong(call, namez,
                          "a name has 1 to 128 of A-Z a-z 0-9 . _ - /, for "
                          "example \"example.com/rows\", and mica's and MCP's "
                          "own prefixes are taken");
    if (mica_json_read(call->arena, json, NULL, NULL, &value) != MICA_OK)
        return meta_wrong(call, namez, "the value is not JSON");
    if (meta_has(call, name, &count))
        return meta_wrong(call, namez, "it is set already");
    if (count >= META_NAMES)
        return meta_wrong(call, namez, "a result has at most 16 names");
    mica_json_writer_init(&writer, &line);
    mica_json_value(&writer, &value); // on one line, as a reply is
    if (line.overflow)
        mica_call_exceed(call);
    return meta_add(call, name, mica_buffer_as_text(&line));
}

enum mica_status
mica_set_meta_from(struct mica_call *call, const char *namez,
                   struct mica_from from)
{
    struct mica_text json;

    MICA_TRY(mica_turn_encode(call, from, &json));
    return mica_set_meta(call, namez, json);
}
