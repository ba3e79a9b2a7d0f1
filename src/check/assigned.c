// SPDX-License-Identifier: Apache-2.0
//
// Looks at each place of the source that has the member's name: what stands behind it
// ("x = 1", "x[i].y += 1", "x++") and in front of it ("&out->x", "++out->x").
#include "check/assigned.h"

#include <string.h>

enum {
    FIELDS = 64 // of one record
};

static bool
is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

// ---- One place -----------------------------------------------------------------------

// Behind the parts that are selected of a value: "[i]", ".x", "->y".
static size_t
skip_parts(const struct mica_source *source, size_t at)
{
    struct mica_text code = source->code;

    for (;;) {
        at = mica_source_skip(source, at);
        if (at < code.len && code.ptr[at] == '[') {
            at = mica_source_close(source, at);
            continue;
        }
        if (at < code.len && code.ptr[at] == '.')
            at++;
        else if (mica_text_starts(mica_text_slice(code, at, code.len), "->"))
            at += 2;
        else
            return at;
        while (at < code.len && is_name(code.ptr[at]))
            at++;
    }
}

// "=", "+=", "<<=", "++" and their like, but not "==".
static bool
is_assigned_at(struct mica_text code, size_t at)
{
    struct mica_text rest = mica_text_slice(code, at, code.len);

    if (mica_text_starts(rest, "++") || mica_text_starts(rest, "--") ||
        mica_text_starts(rest, "<<=") || mica_text_starts(rest, ">>="))
        return true;
    if (rest.len > 1 && strchr("+-*/%&|^", rest.ptr[0]) != NULL)
        return rest.ptr[1] == '=';
    return rest.len > 1 && rest.ptr[0] == '=' && rest.ptr[1] != '=';
}

// The offset of the bracket that is open at `at`, or the text's length.
static size_t
find_open(struct mica_text code, size_t at)
{
    size_t depth = 0;

    while (at > 0) {
        char c = code.ptr[--at];
        if (c == ')' || c == ']')
            depth++;
        else if ((c == '(' || c == '[') && depth-- == 0)
            return at;
    }
    return code.len;
}

// Where the expression begins whose last part is at `at`: "&" of "&(rows[i + 1].x".
static size_t
find_start(struct mica_text code, size_t at)
{
    while (at > 0) {
        char c = code.ptr[at - 1];
        if (c == ']') {
            size_t open = find_open(code, at - 1);
            if (open == code.len)
                return at;
            at = open;
        } else if (is_name(c) || c == '.' || c == '(' || c == ' ' ||
                   (c == '>' && at > 1 && code.ptr[at - 2] == '-')) {
            at -= c == '>' ? 2 : 1;
        } else {
            return at;
        }
    }
    return 0;
}

// Whether its address is taken, or it is counted.
static bool
is_taken_before(struct mica_text code, size_t at)
{
    at = find_start(code, at);
    if (at == 0)
        return false;
    if (code.ptr[at - 1] == '&')
        return at < 2 || code.ptr[at - 2] != '&';
    return at > 1 && code.ptr[at - 1] == code.ptr[at - 2] &&
           (code.ptr[at - 1] == '+' || code.ptr[at - 1] == '-');
}

// The word that ends before `at`, with white space between; may be empty.
static struct mica_text
word_before(struct mica_text code, size_t at)
{
    size_t end, from;

    while (at > 0 && (code.ptr[at - 1] == ' ' || code.ptr[at - 1] == '\n'))
        at--;
    for (end = from = at; from > 0 && is_name(code.ptr[from - 1]);)
        from--;
    return mica_text_slice(code, from, end);
}

// Whether the source has "#define NAME".
static bool
is_macro(const struct mica_source *source, struct mica_text name)
{
    struct mica_source whole = *source;
    struct mica_text word;
    bool defines = false;

    whole.code = whole.lines;
    for (size_t at = 0; mica_source_word(&whole, &at, &word);) {
        if (defines && mica_text_equal(word, name))
            return true;
        defines = mica_text_is(word, "define");
    }
    return false;
}

// Whether the word is an argument of a macro that the source defines.
static bool
is_macro_argument(const struct mica_source *source, size_t at)
{
    size_t open = find_open(source->code, at);
    struct mica_text name;

    if (open == source->code.len || source->code.ptr[open] != '(')
        return false;
    name = word_before(source->code, open);
    return name.len > 0 && is_macro(source, name);
}

// ---- Structs that are initialized by position ------------------------------------------

// Whether a braced list begins at or behind "= " or ")" and its first item has no name.
static bool
is_positional_at(const struct mica_source *source, size_t at)
{
    struct mica_text code = source->code;

    at = mica_source_skip(source, at);
    while (at < code.len && (is_name(code.ptr[at]) || code.ptr[at] == '[' ||
                             code.ptr[at] == ')' || code.ptr[at] == '=')) {
        at = code.ptr[at] == '[' ? mica_source_close(source, at) : at + 1;
        at = mica_source_skip(source, at);
    }
    if (at >= code.len || code.ptr[at] != '{')
        return false;
    while (at < code.len &&
           (code.ptr[at] == '{' || code.ptr[at] == ' ' || code.ptr[at] == '\n'))
        at++;
    return at < code.len && strchr(".[}0", code.ptr[at]) == NULL;
}

static bool
is_initialized(const struct mica_source *source, struct mica_text name)
{
    struct mica_text word;
    bool is_struct = false;

    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        size_t next = mica_source_skip(source, at);
        bool defined = next < source->code.len && source->code.ptr[next] == '{';
        if (is_struct && !defined && mica_text_equal(word, name) &&
            is_positional_at(source, at))
            return true;
        is_struct = mica_text_is(word, "struct");
    }
    return false;
}

// Whether a MICA_RECORD of the member has a struct that is initialized by position.
static bool
is_in_table(const struct mica_source *source, struct mica_text member)
{
    struct mica_text word, fields[FIELDS], name;

    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        size_t open = mica_source_skip(source, at), count;
        if (!mica_text_is(word, "MICA_RECORD"))
            continue;
        count = mica_source_arguments(source, open, fields, FIELDS);
        for (size_t i = 1; i < count && i < FIELDS; i++) {
            size_t start = mica_source_at(source, fields[i]);
            bool has_name = mica_source_word(source, &start, &name);
            // The first word is the macro, the second the member.
            has_name = has_name && mica_source_word(source, &start, &name);
            if (has_name && mica_text_equal(name, member) &&
                is_initialized(source, fields[0]))
                return true;
        }
    }
    return false;
}

// ---- The source ------------------------------------------------------------------------

bool
mica_source_assigns(const struct mica_source *source, struct mica_text member)
{
    struct mica_source whole = *source;
    struct mica_text word;

    whole.code = whole.lines; // a macro may assign it
    for (size_t at = 0; mica_source_word(&whole, &at, &word);) {
        size_t from = mica_source_at(&whole, word);
        char before = mica_source_before(&whole, from);

        if (!mica_text_equal(word, member))
            continue;
        if (source->code.ptr[from] != word.ptr[0])
            return true; // in a line of the preprocessor
        if (before != '.' && before != '>') {
            if (is_macro_argument(source, from))
                return true;
            continue;
        }
        if (is_assigned_at(source->code, skip_parts(source, at)) ||
            is_taken_before(source->code, from))
            return true;
    }
    return is_in_table(source, member);
}
