// SPDX-License-Identifier: Apache-2.0
//
// A module's result goes to clients as it is, so a module that was led astray
// must not be able to break the messages around it. Reading it into a tree
// would cost a hundred times its size in memory; this checks the same grammar
// (RFC 8259) with one bit for each open bracket.
#include "sandbox/wellformed.h"

#include <string.h>

#include "base/ascii.h"
#include "json/scan.h"

enum {
    DEPTH_MAX = 512
};

struct scan {
    const char *at, *end;
    unsigned depth;
    unsigned char is_object[DEPTH_MAX / 8]; // of each open bracket
};

static char
peek(const struct scan *scan)
{
    return scan->at < scan->end ? *scan->at : '\0';
}

// The next byte that is no white space.
static char
next(struct scan *scan)
{
    char c = peek(scan);
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
        scan->at++;
        c = peek(scan);
    }
    return c;
}

static bool
take(struct scan *scan, char expected)
{
    if (peek(scan) != expected)
        return false;
    scan->at++;
    return true;
}

static bool
word(struct scan *scan, const char *textz)
{
    size_t len = strlen(textz);
    if ((size_t)(scan->end - scan->at) < len ||
        memcmp(scan->at, textz, len) != 0)
        return false;
    scan->at += len;
    return true;
}

static bool
digits(struct scan *scan)
{
    const char *start = scan->at;
    while (peek(scan) >= '0' && peek(scan) <= '9')
        scan->at++;
    return scan->at > start;
}

static bool
number(struct scan *scan)
{
    (void)take(scan, '-');
    if (!take(scan, '0') && !digits(scan))
        return false;
    if (take(scan, '.') && !digits(scan))
        return false;
    if (take(scan, 'e') || take(scan, 'E')) {
        if (!take(scan, '+'))
            (void)take(scan, '-');
        return digits(scan);
    }
    return true;
}

// The four hexadecimal digits of \uXXXX.
static bool
unit(struct scan *scan, unsigned *unit_out)
{
    *unit_out = 0;
    for (int i = 0; i < 4; i++) {
        int digit = mica_ascii_hex(peek(scan));
        if (digit < 0)
            return false;
        *unit_out = *unit_out * 16 + (unsigned)digit;
        scan->at++;
    }
    return true;
}

// Behind a backslash.
static bool
escape(struct scan *scan)
{
    unsigned first, second;
    char c = peek(scan);
    if (c == '\0' || strchr("\"\\/bfnrtu", c) == NULL)
        return false;
    scan->at++;
    if (c != 'u')
        return true;
    if (!unit(scan, &first) || (first & 0xFC00) == 0xDC00)
        return false;
    if ((first & 0xFC00) != 0xD800)
        return true;
    return take(scan, '\\') && take(scan, 'u') && unit(scan, &second) &&
           (second & 0xFC00) == 0xDC00;
}

static bool
string(struct scan *scan)
{
    uint64_t seen = 0; // UTF-8 is checked for the whole text
    if (!take(scan, '"'))
        return false;
    for (;;) {
        scan->at = mica_json_skip_plain(scan->at, scan->end, &seen);
        if (take(scan, '"'))
            return true;
        if (!take(scan, '\\') || !escape(scan))
            return false;
    }
}

static bool
scalar(struct scan *scan)
{
    switch (peek(scan)) {
    case '"':
        return string(scan);
    case 't':
        return word(scan, "true");
    case 'f':
        return word(scan, "false");
    case 'n':
        return word(scan, "null");
    default:
        return number(scan);
    }
}

// ---- Containers --------------------------------------------------------------

static bool
in_object(const struct scan *scan)
{
    unsigned bit = scan->depth - 1;
    return (scan->is_object[bit / 8] >> bit % 8 & 1) != 0;
}

static bool
open_bracket(struct scan *scan)
{
    if (scan->depth == DEPTH_MAX)
        return false;
    unsigned char *byte = &scan->is_object[scan->depth / 8];
    unsigned char mask = (unsigned char)(1U << scan->depth % 8);
    if (*scan->at == '{')
        *byte |= mask;
    else
        *byte &= (unsigned char)~mask;
    scan->depth++;
    scan->at++;
    return true;
}

static bool
name(struct scan *scan)
{
    (void)next(scan);
    if (!string(scan))
        return false;
    (void)next(scan);
    return take(scan, ':');
}

static bool
close_bracket(struct scan *scan)
{
    if (next(scan) != (in_object(scan) ? '}' : ']'))
        return false;
    scan->at++;
    scan->depth--;
    return true;
}

// Behind a value: over closing brackets, then over a comma and a name.
static bool
go_on(struct scan *scan)
{
    while (scan->depth > 0 && next(scan) != ',')
        if (!close_bracket(scan))
            return false;
    if (scan->depth == 0)
        return true;
    scan->at++;
    return !in_object(scan) || name(scan);
}

bool
mica_wellformed_object(struct mica_text text)
{
    struct scan scan = {.at = text.ptr, .end = text.ptr + text.len};
    if (text.len == 0 || mica_utf8_valid(text) != text.len ||
        next(&scan) != '{')
        return false;
    do {
        char c = next(&scan);
        if (c != '{' && c != '[') {
            if (!scalar(&scan) || !go_on(&scan))
                return false;
            continue;
        }
        if (!open_bracket(&scan))
            return false;
        bool empty = next(&scan) == (c == '{' ? '}' : ']');
        if (empty ? !go_on(&scan) : c == '{' && !name(&scan))
            return false;
    } while (scan.depth > 0);
    (void)next(&scan);
    return scan.at == scan.end;
}
