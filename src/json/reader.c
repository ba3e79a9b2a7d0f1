// SPDX-License-Identifier: Apache-2.0
//
// The JSON reader: one loop, no recursion. Values wait on a stack until their
// container closes; then its children are copied to the arena in one piece. So
// the tree has no links, and the stack is as high as the open containers have
// children.
#include "json/reader.h"

#include <string.h>

#include "base/memory.h"

enum {
    DEFAULT_DEPTH = 64,
    LARGEST_DEPTH = 512,
    DEFAULT_BYTES = 16 * 1024 * 1024,
    FIRST_ROOM = 48 // most messages need no more
};

static inline bool
is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline bool
is_digit(const struct mica_json_reader *reader, const char *at)
{
    return at < reader->end && (unsigned char)(*at - '0') <= 9;
}

// The next byte that is no white space; 0 at the end, which no token has.
static inline char
json_reader_peek(struct mica_json_reader *reader)
{
    while (reader->at < reader->end && is_space(*reader->at))
        reader->at++;
    return reader->at < reader->end ? *reader->at : '\0';
}

// ---- Scalars ---------------------------------------------------------------

static enum mica_status
read_number(struct mica_json_reader *reader)
{
    const char *at = reader->at;
    if (*at == '-')
        at++;
    const char *whole = at;
    while (is_digit(reader, at))
        at++;
    if (at == whole)
        return mica_json_expected(reader, at, "a digit");
    if (*whole == '0' && at - whole > 1)
        return mica_json_fault(reader, MICA_E_JSON, whole,
                               "a number must not start with 0 and another "
                               "digit");
    if (at < reader->end && *at == '.') {
        if (!is_digit(reader, ++at))
            return mica_json_expected(reader, at, "a digit after the point");
        while (is_digit(reader, at))
            at++;
    }
    if (at < reader->end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < reader->end && (*at == '+' || *at == '-'))
            at++;
        if (!is_digit(reader, at))
            return mica_json_expected(reader, at, "a digit of the exponent");
        while (is_digit(reader, at))
            at++;
    }
    reader->at = at;
    return MICA_OK;
}

// Reads a word that an error shows in quotes.
static enum mica_status
read_word(struct mica_json_reader *reader, const char *quotedz)
{
    const char *at = reader->at;
    for (const char *w = quotedz + 1; *w != '"'; w++, at++)
        if (at == reader->end || *at != *w)
            return mica_json_expected(reader, at, quotedz);
    reader->at = at;
    return MICA_OK;
}

static enum mica_status
read_scalar(struct mica_json_reader *reader, char first)
{
    struct mica_json *value = &reader->stack[reader->top].value;
    const char *start = reader->at;
    struct mica_text text = {NULL, 0};
    switch (first) {
    case '"':
        value->kind = MICA_JSON_STRING;
        MICA_TRY(mica_json_read_string(reader, &text));
        break;
    case 't':
        value->kind = MICA_JSON_TRUE;
        MICA_TRY(read_word(reader, "\"true\""));
        break;
    case 'f':
        value->kind = MICA_JSON_FALSE;
        MICA_TRY(read_word(reader, "\"false\""));
        break;
    case 'n':
        value->kind = MICA_JSON_NULL;
        MICA_TRY(read_word(reader, "\"null\""));
        break;
    default:
        if (first != '-' && !is_digit(reader, start))
            return mica_json_expected(reader, start, "a value");
        value->kind = MICA_JSON_NUMBER;
        MICA_TRY(read_number(reader));
        text = (struct mica_text){start, (size_t)(reader->at - start)};
    }
    value->raw = (struct mica_text){start, (size_t)(reader->at - start)};
    value->text = text;
    value->count = 0;
    value->items = NULL;
    return MICA_OK;
}

// ---- Containers ------------------------------------------------------------

// Doubles the stack. It may take as much as the arena has left: all that is on
// it goes there in the end.
static enum mica_status
json_reader_grow(struct mica_json_reader *reader)
{
    const size_t size = sizeof *reader->stack;
    size_t most = (reader->arena->cap - reader->arena->used) / size;
    size_t room = 2 * reader->room < most ? 2 * reader->room : most;
    if (room <= reader->room)
        return mica_json_no_memory(reader);
    void *stack = mica_memory_resize(reader->on_heap ? reader->stack : NULL,
                                     reader->room * size, room * size);
    if (stack == NULL)
        return mica_json_no_memory(reader);
    if (!reader->on_heap)
        memcpy(stack, reader->stack, reader->room * size);
    reader->on_heap = true;
    reader->stack = stack;
    reader->room = room;
    return MICA_OK;
}

// The value at the top is done: the next one goes above it.
static inline enum mica_status
json_reader_push(struct mica_json_reader *reader)
{
    reader->top++;
    return reader->top < reader->room ? MICA_OK : json_reader_grow(reader);
}

static enum mica_status
read_name(struct mica_json_reader *reader, const char *expectedz)
{
    if (json_reader_peek(reader) != '"')
        return mica_json_expected(reader, reader->at, expectedz);
    struct mica_text *name = &reader->stack[reader->top].name;
    MICA_TRY(mica_json_read_string(reader, name));
    if (json_reader_peek(reader) != ':')
        return mica_json_expected(reader, reader->at, "\":\" after a name");
    reader->at++;
    return MICA_OK;
}

static enum mica_status
open_container(struct mica_json_reader *reader, enum mica_json_kind kind)
{
    if (reader->depth == reader->depth_max)
        return mica_json_fault(
            reader, MICA_E_LIMIT, reader->at,
            "arrays and objects are nested deeper than the limit of %zu",
            reader->depth_max);
    struct mica_json *value = &reader->stack[reader->top].value;
    *value = (struct mica_json){
        .kind = kind, .raw.ptr = reader->at, .count = reader->open};
    reader->depth++;
    reader->open = reader->top;
    reader->at++;
    return json_reader_push(reader);
}

// Copies the children of the innermost container to the arena.
static enum mica_status
copy_children(struct mica_json_reader *reader, struct mica_json *value,
              struct mica_json_member *children, size_t count)
{
    bool named = value->kind == MICA_JSON_OBJECT;
    value->count = count;
    if (count == 0)
        return MICA_OK;
    size_t size =
        named ? sizeof(struct mica_json_member) : sizeof(struct mica_json);
    void *memory = mica_arena_alloc(reader->arena, count * size);
    if (memory == NULL)
        return mica_json_no_memory(reader);
    if (named) {
        value->members = memcpy(memory, children, count * size);
        if (reader->duplicate_names)
            return MICA_OK;
        return mica_json_unique(reader, value->members, count, children);
    }
    struct mica_json *items = memory;
    for (size_t i = 0; i < count; i++)
        items[i] = children[i].value;
    value->items = items;
    return MICA_OK;
}

// The innermost container becomes the value at the top.
static enum mica_status
close_container(struct mica_json_reader *reader)
{
    struct mica_json *value = &reader->stack[reader->open].value;
    size_t around = value->count;
    size_t count = reader->top - reader->open - 1;
    reader->at++;
    value->raw.len = (size_t)(reader->at - value->raw.ptr);
    reader->top = reader->open;
    reader->open = around;
    reader->depth--;
    return copy_children(reader, value, reader->stack + reader->top + 1, count);
}

static inline bool
in_object(const struct mica_json_reader *reader)
{
    return reader->stack[reader->open].value.kind == MICA_JSON_OBJECT;
}

// ---- The loop --------------------------------------------------------------

// From behind a value to where the next one starts: over a comma and a name,
// and before that over brackets that close. Done when all are closed.
static enum mica_status
finish_value(struct mica_json_reader *reader, bool *done_out)
{
    while (reader->open != MICA_JSON_NONE) {
        MICA_TRY(json_reader_push(reader));
        bool object = in_object(reader);
        char c = json_reader_peek(reader);
        if (c == ',') {
            reader->at++;
            return object ? read_name(reader,
                                      "a name in double quotes after \",\"")
                          : MICA_OK;
        }
        if (c != (object ? '}' : ']'))
            return mica_json_expected(reader, reader->at,
                                      object ? "\",\" or \"}\" after a member"
                                             : "\",\" or \"]\" after an item");
        MICA_TRY(close_container(reader));
    }
    *done_out = true;
    return MICA_OK;
}

// Behind an opening bracket: to the first child, or to the end of an empty
// container.
static enum mica_status
json_reader_enter(struct mica_json_reader *reader, bool *done_out)
{
    bool object = in_object(reader);
    if (json_reader_peek(reader) == (object ? '}' : ']')) {
        MICA_TRY(close_container(reader));
        return finish_value(reader, done_out);
    }
    return object ? read_name(reader, "a name in double quotes or \"}\"")
                  : MICA_OK;
}

static enum mica_status
read_text(struct mica_json_reader *reader)
{
    for (bool done = false; !done;) {
        char c = json_reader_peek(reader);
        if (c == '{' || c == '[') {
            MICA_TRY(open_container(reader, c == '{' ? MICA_JSON_OBJECT
                                                     : MICA_JSON_ARRAY));
            MICA_TRY(json_reader_enter(reader, &done));
        } else {
            MICA_TRY(read_scalar(reader, c));
            MICA_TRY(finish_value(reader, &done));
        }
    }
    json_reader_peek(reader);
    if (reader->at < reader->end)
        return mica_json_expected(reader, reader->at,
                                  "the end of the text after its value");
    return MICA_OK;
}

static enum mica_status
check_start(struct mica_json_reader *reader, size_t bytes_max)
{
    size_t len = (size_t)(reader->end - reader->start);
    if (len > bytes_max)
        return mica_error_set(
            reader->error, MICA_E_LIMIT, "",
            "the JSON text has %zu bytes, more than the limit of %zu", len,
            bytes_max);
    if (len >= 3 && memcmp(reader->start, "\xEF\xBB\xBF", 3) == 0)
        return mica_json_fault(reader, MICA_E_JSON, reader->start,
                               "the text starts with a byte order mark "
                               "(U+FEFF); leave it out");
    return MICA_OK;
}

enum mica_status
mica_json_read(struct mica_arena *arena, struct mica_text text,
               const struct mica_json_limits *limits, struct mica_error *error,
               struct mica_json *value_out)
{
    struct mica_json_limits limit = {0};
    struct mica_json_member first[FIRST_ROOM];
    if (limits != NULL)
        limit = *limits;
    if (limit.depth == 0)
        limit.depth = DEFAULT_DEPTH;
    if (text.ptr == NULL)
        text = mica_text("");
    struct mica_json_reader reader = {
        .start = text.ptr,
        .at = text.ptr,
        .end = text.ptr + text.len,
        .arena = arena,
        .error = error,
        .depth_max = limit.depth < LARGEST_DEPTH ? limit.depth : LARGEST_DEPTH,
        .duplicate_names = limit.duplicate_names,
        .stack = first,
        .room = FIRST_ROOM,
        .open = MICA_JSON_NONE,
    };
    enum mica_status status =
        check_start(&reader, limit.bytes > 0 ? limit.bytes : DEFAULT_BYTES);
    if (status == MICA_OK)
        status = read_text(&reader);
    if (status == MICA_OK)
        *value_out = reader.stack[0].value;
    if (reader.on_heap)
        mica_memory_give(reader.stack, reader.room * sizeof first[0]);
    return status;
}
