// SPDX-License-Identifier: Apache-2.0
//
// Blanks out what is no code, then answers questions about what is left.
#include "check/source.h"

#include <string.h>

// ---- Blanking ------------------------------------------------------------------

struct blanker {
    const char *text;
    char *code;
    size_t at, size;
    bool keep_directives;
};

static char
blanker_peek(const struct blanker *blanker, size_t ahead)
{
    size_t at = blanker->at + ahead;

    return at < blanker->size ? blanker->text[at] : '\0';
}

// Steps over `count` bytes and leaves only their line ends.
static void
blanker_blank(struct blanker *blanker, size_t count)
{
    for (size_t i = 0; i < count && blanker->at < blanker->size; i++) {
        char byte = blanker->text[blanker->at];

        blanker->code[blanker->at++] = byte == '\n' ? '\n' : ' ';
    }
}

static void
blank_line_comment(struct blanker *blanker)
{
    while (blanker->at < blanker->size && blanker_peek(blanker, 0) != '\n') {
        blanker_blank(blanker, blanker_peek(blanker, 0) == '\\' ? 2 : 1);
    }
}

static void
blank_comment(struct blanker *blanker)
{
    blanker_blank(blanker, 2);
    while (blanker->at < blanker->size && !(blanker_peek(blanker, 0) == '*' &&
                                            blanker_peek(blanker, 1) == '/')) {
        blanker_blank(blanker, 1);
    }
    blanker_blank(blanker, 2);
}

// A literal that its line does not end is the compiler's to refuse; here it
// ends with the line.
static void
blank_literal(struct blanker *blanker)
{
    char quote = blanker_peek(blanker, 0);

    blanker->at++;
    while (blanker->at < blanker->size && blanker_peek(blanker, 0) != quote &&
           blanker_peek(blanker, 0) != '\n') {
        blanker_blank(blanker, blanker_peek(blanker, 0) == '\\' ? 2 : 1);
    }
    if (blanker_peek(blanker, 0) == quote) {
        blanker->at++;
    }
}

static bool
at_comment(const struct blanker *blanker, char second)
{
    return blanker_peek(blanker, 0) == '/' &&
           blanker_peek(blanker, 1) == second;
}

static void
blank_directive(struct blanker *blanker)
{
    while (blanker->at < blanker->size && blanker_peek(blanker, 0) != '\n') {
        if (at_comment(blanker, '*')) {
            blank_comment(blanker);
        } else {
            blanker_blank(blanker, blanker_peek(blanker, 0) == '\\' ? 2 : 1);
        }
    }
}

static bool
is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void
blank_all(struct blanker *blanker)
{
    bool fresh = true; // nothing on this line yet

    while (blanker->at < blanker->size) {
        char byte = blanker_peek(blanker, 0);

        if (at_comment(blanker, '/')) {
            blank_line_comment(blanker);
        } else if (at_comment(blanker, '*')) {
            blank_comment(blanker);
        } else if (byte == '#' && fresh && !blanker->keep_directives) {
            blank_directive(blanker);
        } else if (byte == '"' || byte == '\'') {
            blank_literal(blanker);
            fresh = false;
        } else {
            fresh = byte == '\n' || (fresh && is_space(byte));
            blanker->at++;
        }
    }
}

static struct mica_text
source_blanked(struct mica_arena *arena, struct mica_text text,
               bool keep_directives)
{
    char *code = mica_arena_alloc(arena, text.len + 1);
    struct blanker blanker = {text.ptr, code, 0, text.len, keep_directives};

    if (code == NULL || text.len == 0) {
        return (struct mica_text){NULL, 0};
    }
    memcpy(code, text.ptr, text.len);
    blank_all(&blanker);
    return (struct mica_text){code, text.len};
}

void
mica_source_init(struct mica_source *source, struct mica_arena *arena,
                 struct mica_text text)
{
    source->text = text;
    source->code = source_blanked(arena, text, false);
    source->lines = source_blanked(arena, text, true);
    if (source->lines.ptr == NULL) {
        *source = (struct mica_source){{NULL, 0}, {NULL, 0}, {NULL, 0}};
    }
}

// ---- Places --------------------------------------------------------------------

unsigned
mica_source_line(const struct mica_source *source, size_t offset)
{
    unsigned line = 1;

    for (size_t i = 0; i < offset && i < source->text.len; i++) {
        line += source->text.ptr[i] == '\n';
    }
    return line;
}

unsigned
mica_source_column(const struct mica_source *source, size_t offset)
{
    unsigned column = 1;

    while (offset > 0 && source->text.ptr[offset - 1] != '\n') {
        column++;
        offset--;
    }
    return column;
}

size_t
mica_source_offset(const struct mica_source *source, unsigned line,
                   unsigned column)
{
    size_t at = 0;

    for (unsigned i = 1; i < line; i++) {
        const char *end =
            memchr(source->text.ptr + at, '\n', source->text.len - at);

        if (end == NULL) {
            return source->text.len;
        }
        at = (size_t)(end - source->text.ptr) + 1;
    }
    at += column > 0 ? column - 1 : 0;
    return at < source->text.len ? at : source->text.len;
}

size_t
mica_source_at(const struct mica_source *source, struct mica_text span)
{
    uintptr_t at = (uintptr_t)span.ptr, code = (uintptr_t)source->code.ptr;

    if (at >= code && at <= code + source->code.len) {
        return at - code;
    }
    return at - (uintptr_t)source->text.ptr;
}

unsigned
mica_source_find(const struct mica_source *source, struct mica_text wanted)
{
    const char *found = wanted.len == 0
                            ? NULL
                            : memmem(source->text.ptr, source->text.len,
                                     wanted.ptr, wanted.len);

    return found == NULL
               ? 0
               : mica_source_line(source, (size_t)(found - source->text.ptr));
}

// ---- Words and brackets ----------------------------------------------------------

static bool
in_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

bool
mica_source_word(const struct mica_source *source, size_t *offset,
                 struct mica_text *word_out)
{
    const struct mica_text code = source->code;
    size_t from = *offset, to;

    for (;;) {
        while (from < code.len && !in_word(code.ptr[from])) {
            from++;
        }
        for (to = from; to < code.len && in_word(code.ptr[to]);) {
            to++;
        }
        *offset = to;
        if (from == code.len) {
            return false;
        }
        if (code.ptr[from] < '0' || code.ptr[from] > '9') {
            break;
        }
        from = to; // a number
    }
    *word_out = mica_text_slice(code, from, to);
    return true;
}

size_t
mica_source_skip(const struct mica_source *source, size_t offset)
{
    while (offset < source->code.len && is_space(source->code.ptr[offset])) {
        offset++;
    }
    return offset;
}

char
mica_source_before(const struct mica_source *source, size_t offset)
{
    while (offset > 0 && is_space(source->code.ptr[offset - 1])) {
        offset--;
    }
    return offset > 0 ? source->code.ptr[offset - 1] : '\0';
}

size_t
mica_source_close(const struct mica_source *source, size_t open)
{
    size_t depth = 0;

    for (size_t i = open; i < source->code.len; i++) {
        char byte = source->code.ptr[i];

        if (byte == '(' || byte == '[' || byte == '{') {
            depth++;
        } else if (byte == ')' || byte == ']' || byte == '}') {
            if (--depth == 0) {
                return i + 1;
            }
        }
    }
    return source->code.len;
}

static struct mica_text
source_trimmed(const struct mica_source *source, size_t from, size_t to)
{
    from = mica_source_skip(source, from);
    while (to > from && is_space(source->code.ptr[to - 1])) {
        to--;
    }
    return mica_text_slice(source->text, from, to > from ? to : from);
}

size_t
mica_source_arguments(const struct mica_source *source, size_t open,
                      struct mica_text *arguments_out, size_t max)
{
    size_t end = mica_source_close(source, open), from = open + 1, count = 0;

    for (size_t i = from; i < end; i++) {
        char byte = source->code.ptr[i];

        if (byte == '(' || byte == '[' || byte == '{') {
            i = mica_source_close(source, i) - 1;
        } else if (byte == ',' || i + 1 == end) {
            if (count < max) {
                arguments_out[count] = source_trimmed(source, from, i);
            }
            count++;
            from = i + 1;
        }
    }
    return count;
}

// ---- Literals ------------------------------------------------------------------

bool
mica_source_literal(const struct mica_source *source, struct mica_arena *arena,
                    struct mica_text span, size_t *at,
                    struct mica_text *literal_out)
{
    size_t start = mica_source_at(source, span), end = start + span.len;
    size_t open = start + *at;
    struct mica_buffer joined;

    while (open < end && source->code.ptr[open] != '"') {
        open++;
    }
    if (open >= end) {
        return false;
    }
    mica_buffer_init(&joined, arena, span.len);
    while (open < end && source->code.ptr[open] == '"') {
        size_t close = open + 1;

        while (close < end && source->code.ptr[close] != '"') {
            close++;
        }
        mica_buffer_text(&joined,
                         mica_text_slice(source->text, open + 1, close));
        open = mica_source_skip(source, close + 1);
    }
    *at = open > start ? open - start : span.len;
    *literal_out = mica_buffer_as_text(&joined);
    return true;
}

bool
mica_source_is_literal(const struct mica_source *source, struct mica_text span)
{
    size_t start = mica_source_at(source, span);
    bool inside = false, any = false;

    for (size_t i = start; i < start + span.len; i++) {
        char byte = source->code.ptr[i];

        any = any || byte == '"';
        inside = byte == '"' ? !inside : inside;
        if (byte != '"' && !inside && !is_space(byte)) {
            return false;
        }
    }
    return any;
}
