// SPDX-License-Identifier: Apache-2.0
//
// What of a view's texts a person or a model may see. Characters that show nothing, or
// change the direction of what stands beside them, can hide what a text says; a tool whose
// names need them is left out. web/host/tools.js has the same rules.
#include "host/host_peer.h"

#include <string.h>

#include "base/ascii.h"

// ---- Characters ------------------------------------------------------------------

// Control, format, private and unassigned characters: the class is compiled once a host.
enum mica_status
mica_host_hidden_open(struct mica_host *host, struct mica_error *error)
{
    return mica_regex_compile_with(&host->arenas[MICA_HOST_OWN],
                                   MICA_LITERAL("\\p{C}"), mica_regex_unicode,
                                   error, &host->hidden);
}

// Beside the class: separators of lines and paragraphs, fillers, and variation selectors
// of ideographs.
static bool
is_filler(uint32_t code)
{
    return code == 0x2028 || code == 0x2029 || code == 0x115f ||
           code == 0x1160 || code == 0x3164 || code == 0xffa0 ||
           (code >= 0xe0100 && code <= 0xe01ef);
}

// Finds a code point in ranges that are in order.
static bool
ranges_have(const struct mica_regex_range *ranges, size_t count, uint32_t code)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code > ranges[middle].last)
            low = middle + 1;
        else if (code < ranges[middle].first)
            high = middle;
        else
            return true;
    }
    return false;
}

bool
mica_host_is_hidden(const struct mica_regex *hidden, uint32_t code)
{
    if (code == '\n' || code == '\t')
        return false;
    if (code < 0x80)
        return code < 0x20 || code == 0x7f;
    return is_filler(code) ||
           ranges_have(hidden->ranges, hidden->range_count, code);
}

// ---- Texts -----------------------------------------------------------------------

// Units of UTF-16, in which JavaScript counts.
static size_t
units_of(uint32_t code)
{
    return code > 0xffff ? 2 : 1;
}

static size_t
shown_units(const struct mica_regex *hidden, struct mica_text text, size_t most)
{
    size_t units = 0;

    while (text.len > 0 && units <= most) {
        uint32_t code = mica_text_next(&text);
        if (!mica_host_is_hidden(hidden, code))
            units += units_of(code);
    }
    return units;
}

void
mica_host_shown(const struct mica_regex *hidden, struct mica_text text,
                size_t most, struct mica_buffer *out)
{
    bool cut = shown_units(hidden, text, most) > most;
    size_t left = cut ? most - 1 : most;

    while (text.len > 0) {
        const char *at = text.ptr;
        uint32_t code = mica_text_next(&text);
        if (mica_host_is_hidden(hidden, code))
            continue;
        if (units_of(code) > left)
            break;
        left -= units_of(code);
        mica_buffer_add(out, at, (size_t)(text.ptr - at));
    }
    if (cut)
        mica_buffer_text(out, MICA_LITERAL("\xe2\x80\xa6"));
}

static bool
is_plain(const struct mica_regex *hidden, struct mica_text text)
{
    while (text.len > 0)
        if (mica_host_is_hidden(hidden, mica_text_next(&text)))
            return false;
    return true;
}

// ---- Values ----------------------------------------------------------------------

static void
write_shown(const struct mica_regex *hidden, struct mica_text text,
            struct mica_json_writer *writer)
{
    char room[4 * MICA_HOST_TOOL_TEXT + 4];
    struct mica_buffer shown = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_host_shown(hidden, text, MICA_HOST_TOOL_TEXT, &shown);
    mica_json_string(writer, mica_buffer_as_text(&shown));
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as a message may be
bool
mica_host_cleaned(const struct mica_regex *hidden,
                  const struct mica_json *value,
                  struct mica_json_writer *writer)
{
    bool fine = true;

    switch (value->kind) {
    case MICA_JSON_STRING:
        write_shown(hidden, value->text, writer);
        break;
    case MICA_JSON_ARRAY:
        mica_json_open_array(writer);
        for (size_t i = 0; i < value->count && fine; i++)
            fine = mica_host_cleaned(hidden, &value->items[i], writer);
        mica_json_close_array(writer);
        break;
    case MICA_JSON_OBJECT:
        mica_json_open_object(writer);
        for (size_t i = 0; i < value->count && fine; i++) {
            fine = is_plain(hidden, value->members[i].name);
            mica_json_name_text(writer, value->members[i].name);
            fine =
                mica_host_cleaned(hidden, &value->members[i].value, writer) &&
                fine;
        }
        mica_json_close_object(writer);
        break;
    case MICA_JSON_NULL:
    case MICA_JSON_FALSE:
    case MICA_JSON_TRUE:
    case MICA_JSON_NUMBER:
        mica_json_value(writer, value);
        break;
    }
    return fine;
}

// ---- Tools of the view -----------------------------------------------------------

static bool
is_tool_name(const struct mica_json *name)
{
    if (name == NULL || name->kind != MICA_JSON_STRING || name->text.len == 0 ||
        name->text.len > MICA_HOST_TOOL_NAME)
        return false;
    for (size_t i = 0; i < name->text.len; i++) {
        char c = name->text.ptr[i];
        char low = mica_ascii_lower(c);
        if ((low < 'a' || low > 'z') && (c < '0' || c > '9') && c != '_' &&
            c != '.' && c != '-')
            return false;
    }
    return true;
}

// Tells the program which tool was left out, and why.
static void
report_left_out(struct mica_host *host, const struct mica_json *tool,
                enum mica_host_code code, const char *whyz)
{
    char room[4 * 40 + 4];
    struct mica_buffer shown = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    const struct mica_json *name = mica_json_get(tool, "name");
    struct mica_text text;

    mica_host_shown(&host->hidden,
                    name == NULL                     ? MICA_LITERAL("undefined")
                    : name->kind == MICA_JSON_STRING ? name->text
                                                     : name->raw,
                    40, &shown);
    text = mica_buffer_as_text(&shown);
    mica_host_report(host, code, "A tool of the view was left out (%.*s): %s",
                     MICA_ARG(text), whyz);
}

// Adds the tool to the page; false if it was left out.
static bool
clean_tool(struct mica_host *host, const struct mica_json *tool,
           struct mica_json_writer *page)
{
    struct mica_buffer out;
    struct mica_json_writer writer;
    bool fine;

    if (!is_tool_name(mica_json_get(tool, "name"))) {
        report_left_out(host, tool, MICA_HOST_BAD_TOOL_NAME,
                        "a name is 1 to 128 of A-Z a-z 0-9 _ . -");
        return false;
    }
    if (tool->raw.len > MICA_HOST_TOOL_BYTES) {
        report_left_out(host, tool, MICA_HOST_MESSAGE_TOO_LARGE,
                        "The message is larger than 65536.");
        return false;
    }
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     MICA_HOST_TOOL_BYTES);
    mica_json_writer_init(&writer, &out);
    fine = mica_host_cleaned(&host->hidden, tool, &writer);
    if (fine && !out.overflow)
        mica_json_raw(page, mica_buffer_as_text(&out));
    if (!fine || out.overflow)
        report_left_out(host, tool,
                        fine ? MICA_HOST_MESSAGE_TOO_LARGE
                             : MICA_HOST_BAD_TOOL_TEXT,
                        fine ? "The message is larger than 65536."
                             : "a name in it has hidden characters");
    return fine && !out.overflow;
}

// Room for all tools at once: cleaned texts are no longer than those that came.
static size_t
page_bytes(const struct mica_json *result, unsigned left)
{
    const struct mica_json *tools = mica_json_get(result, "tools");
    size_t bytes = result->raw.len - tools->raw.len + 64;

    for (size_t i = 0; i < tools->count && i < left; i++)
        bytes += tools->items[i].raw.len + 1;
    return bytes;
}

bool
mica_host_clean_tools(struct mica_host *host, const struct mica_json *result,
                      unsigned left, struct mica_text *page_out,
                      unsigned *count_out)
{
    const struct mica_json *tools = mica_json_get(result, "tools");
    struct mica_buffer out;
    struct mica_json_writer writer;

    if (tools == NULL || tools->kind != MICA_JSON_ARRAY)
        return false;
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    (void)mica_buffer_reserve(&out, page_bytes(result, left));
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < result->count; i++) {
        if (mica_text_is(result->members[i].name, "tools"))
            continue;
        mica_json_name_text(&writer, result->members[i].name);
        mica_json_value(&writer, &result->members[i].value);
    }
    mica_json_name(&writer, "tools");
    mica_json_open_array(&writer);
    for (size_t i = 0; i < tools->count && i < left; i++)
        *count_out += clean_tool(host, &tools->items[i], &writer);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    if (tools->count > left)
        mica_host_report(host, MICA_HOST_TOO_MANY_TOOLS,
                         "A view may have %u tools; %zu were left out.",
                         host->limits.tools, tools->count - left);
    if (!out.overflow)
        *page_out = mica_buffer_as_text(&out);
    return true;
}

// ---- Tools of the server ---------------------------------------------------------

bool
mica_host_tool_is_visible(const struct mica_json *tool)
{
    const struct mica_json *visibility = mica_json_get(
        mica_json_get(mica_json_get(tool, "_meta"), "ui"), "visibility");

    if (visibility == NULL)
        return true;
    for (size_t i = 0;
         visibility->kind == MICA_JSON_ARRAY && i < visibility->count; i++)
        if (visibility->items[i].kind == MICA_JSON_STRING &&
            mica_text_is(visibility->items[i].text, "app"))
            return true;
    return false;
}
