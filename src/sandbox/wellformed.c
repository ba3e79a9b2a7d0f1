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
scan_peek(const struct scan *scan)
{
    return scan->at < scan->end ? *scan->at : '\0';
}

// The next byte that is no white space.
static char
scan_next(struct scan *scan)
{
    char c = scan_peek(scan);
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
        scan->at++;
        c = scan_peek(scan);
    }
    return c;
}

static bool
scan_take(struct scan *scan, char expected)
{
    if (scan_peek(scan) != expected)
        return false;
    scan->at++;
    return true;
}

static bool
scan_word(struct scan *scan, const char *textz)
{
    size_t len = strlen(textz);
    if ((size_t)(scan->end - scan->at) < len ||
        memcmp(scan->at, textz, len) != 0)
        return false;
    scan->at += len;
    return true;
}

static bool
scan_digits(struct scan *scan)
{
    const char *start = scan->at;
    while (scan_peek(scan) >= '0' && scan_peek(scan) <= '9')
        scan->at++;
    return scan->at > start;
}

static bool
scan_number(struct scan *scan)
{
    (void)scan_take(scan, '-');
    if (!scan_take(scan, '0') && !scan_digits(scan))
        return false;
    if (scan_take(scan, '.') && !scan_digits(scan))
        return false;
    if (scan_take(scan, 'e') || scan_take(scan, 'E')) {
        if (!scan_take(scan, '+'))
            (void)scan_take(scan, '-');
        return scan_digits(scan);
    }
    return true;
}

// The four hexadecimal digits of \uXXXX.
static bool
scan_unit(struct scan *scan, unsigned *unit_out)
{
    *unit_out = 0;
    for (int i = 0; i < 4; i++) {
        int digit = mica_ascii_hex(scan_peek(scan));
        if (digit < 0)
            return false;
        *unit_out = *unit_out * 16 + (unsigned)digit;
        scan->at++;
    }
    return true;
}

// Behind a backslash.
static bool
scan_escape(struct scan *scan)
{
    unsigned first, second;
    char c = scan_peek(scan);
    if (c == '\0' || strchr("\"\\/bfnrtu", c) == NULL)
        return false;
    scan->at++;
    if (c != 'u')
        return true;
    if (!scan_unit(scan, &first) || (first & 0xFC00) == 0xDC00)
        return false;
    if ((first & 0xFC00) != 0xD800)
        return true;
    return scan_take(scan, '\\') && scan_take(scan, 'u') &&
           scan_unit(scan, &second) && (second & 0xFC00) == 0xDC00;
}

static bool
scan_string(struct scan *scan)
{
    uint64_t seen = 0; // UTF-8 is checked for the whole text
    if (!scan_take(scan, '"'))
        return false;
    for (;;) {
        scan->at = mica_json_skip_plain(scan->at, scan->end, &seen);
        if (scan_take(scan, '"'))
            return true;
        if (!scan_take(scan, '\\') || !scan_escape(scan))
            return false;
    }
}

static bool
scan_scalar(struct scan *scan)
{
    switch (scan_peek(scan)) {
    case '"':
        return scan_string(scan);
    case 't':
        return scan_word(scan, "true");
    case 'f':
        return scan_word(scan, "false");
    case 'n':
        return scan_word(scan, "null");
    default:
        return scan_number(scan);
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
scan_name(struct scan *scan)
{
    (void)scan_next(scan);
    if (!scan_string(scan))
        return false;
    (void)scan_next(scan);
    return scan_take(scan, ':');
}

static bool
close_bracket(struct scan *scan)
{
    if (scan_next(scan) != (in_object(scan) ? '}' : ']'))
        return false;
    scan->at++;
    scan->depth--;
    return true;
}

// Behind a value: over closing brackets, then over a comma and a name.
static bool
scan_separator(struct scan *scan)
{
    while (scan->depth > 0 && scan_next(scan) != ',')
        if (!close_bracket(scan))
            return false;
    if (scan->depth == 0)
        return true;
    scan->at++;
    return !in_object(scan) || scan_name(scan);
}

bool
mica_wellformed_object(struct mica_text text)
{
    struct scan scan = {.at = text.ptr, .end = text.ptr + text.len};
    if (text.len == 0 || mica_utf8_valid(text) != text.len ||
        scan_next(&scan) != '{')
        return false;
    do {
        char c = scan_next(&scan);
        if (c != '{' && c != '[') {
            if (!scan_scalar(&scan) || !scan_separator(&scan))
                return false;
            continue;
        }
        if (!open_bracket(&scan))
            return false;
        bool empty = scan_next(&scan) == (c == '{' ? '}' : ']');
        if (empty ? !scan_separator(&scan) : c == '{' && !scan_name(&scan))
            return false;
    } while (scan.depth > 0);
    (void)scan_next(&scan);
    return scan.at == scan.end;
}
