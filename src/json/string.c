// SPDX-License-Identifier: Apache-2.0
//
// JSON strings: find the end, check the UTF-8, and decode only when there is an
// escape. A string without one stays where it is in the source.
#include "base/arena.h"
#include "base/ascii.h"
#include "json/reader.h"
#include "json/scan.h"

// The value of four hexadecimal digits, or UINT32_MAX.
static uint32_t
read_hex4(const char *at, const char *end)
{
    uint32_t value = 0;
    if (end - at < 4)
        return UINT32_MAX;
    for (int i = 0; i < 4; i++) {
        int digit = mica_ascii_hex(at[i]);
        if (digit < 0)
            return UINT32_MAX;
        value = value << 4 | (uint32_t)digit;
    }
    return value;
}

static enum mica_status
fault_in_hex(struct mica_json_reader *reader, const char *at)
{
    while (mica_ascii_hex(*at) >= 0)
        at++;
    return mica_json_expected(reader, at, "four hexadecimal digits after \\u");
}

static enum mica_status
fault_in_pair(struct mica_json_reader *reader, const char *at, uint32_t unit)
{
    const char *other = unit < 0xDC00 ? "a second half (\\uDC00 to \\uDFFF) "
                                        "must follow it"
                                      : "a first half (\\uD800 to \\uDBFF) "
                                        "must stand before it";
    return mica_json_fault(
        reader, MICA_E_JSON, at,
        "\\u%04X is half of a surrogate pair and no character: %s",
        (unsigned)unit, other);
}

// Decodes \uXXXX, or two of them that are a pair. `*at` is at the backslash;
// `end` is the closing quote, which is no hexadecimal digit.
static enum mica_status
decode_unicode(struct mica_json_reader *reader, const char **at,
               const char *end, char **out)
{
    const char *start = *at;
    uint32_t unit = read_hex4(start + 2, end);
    if (unit == UINT32_MAX)
        return fault_in_hex(reader, start + 2);
    *at += 6;
    if (unit >= 0xDC00 && unit <= 0xDFFF)
        return fault_in_pair(reader, start, unit);
    if (unit >= 0xD800 && unit <= 0xDBFF) {
        uint32_t second = UINT32_MAX;
        if (end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u')
            second = read_hex4(*at + 2, end);
        if (second < 0xDC00 || second > 0xDFFF)
            return fault_in_pair(reader, start, unit);
        unit = 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
        *at += 6;
    }
    *out += mica_utf8_encode(unit, *out);
    return MICA_OK;
}

static enum mica_status
decode_escape(struct mica_json_reader *reader, const char **at, const char *end,
              char **out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char bytes[] = "\"\\/\b\f\n\r\t";
    char letter = (*at)[1];
    if (letter == 'u')
        return decode_unicode(reader, at, end, out);
    const char *found = memchr(letters, letter, sizeof letters - 1);
    if (found == NULL)
        return mica_json_expected(
            reader, *at + 1,
            "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash");
    *(*out)++ = bytes[found - letters];
    *at += 2;
    return MICA_OK;
}

// Decodes the bytes between the quotes into the arena; never longer than they
// are.
static enum mica_status
json_reader_decode(struct mica_json_reader *reader, struct mica_text inside,
                   struct mica_text *text_out)
{
    const char *at = inside.ptr, *end = at + inside.len;
    char *text = mica_arena_bytes(reader->arena, inside.len);
    if (text == NULL)
        return mica_json_no_memory(reader);
    char *out = text;
    uint64_t seen = 0;
    while (at < end) {
        if (*at == '\\') {
            MICA_TRY(decode_escape(reader, &at, end, &out));
            continue;
        }
        const char *run = at;
        at = mica_json_skip_plain(at, end, &seen);
        memcpy(out, run, (size_t)(at - run));
        out += at - run;
    }
    *text_out = (struct mica_text){text, (size_t)(out - text)};
    return MICA_OK;
}

static enum mica_status
fault_at_end(struct mica_json_reader *reader, const char *at, const char *quote)
{
    // A backslash is here only as the last byte of all.
    if (at >= reader->end || *at == '\\')
        return mica_json_fault(reader, MICA_E_JSON, reader->end,
                               "the string that starts at byte %zu has no "
                               "closing double quote",
                               (size_t)(quote - reader->start));
    const char *name = *at == '\n'   ? "\\n"
                       : *at == '\r' ? "\\r"
                       : *at == '\t' ? "\\t"
                                     : NULL;
    if (name != NULL)
        return mica_json_fault(
            reader, MICA_E_JSON, at,
            "the control character U+%04X must be written as %s in a string",
            (unsigned)*at, name);
    return mica_json_fault(
        reader, MICA_E_JSON, at,
        "the control character U+%04X must be written as \\u%04X in a string",
        (unsigned)*at, (unsigned)*at);
}

// From the first byte on that ends the string or needs care; `start` is the string's
// first.
static __attribute__((noinline)) enum mica_status
read_carefully(struct mica_json_reader *reader, const char *start,
               const char *at, uint64_t seen, struct mica_text *text_out)
{
    bool escapes = false;
    while (reader->end - at >= 2 && *at == '\\') {
        escapes = true;
        // What follows the backslash is looked at when it is decoded; here it
        // only must not end the string.
        at = mica_json_skip_plain(at + 2, reader->end, &seen);
    }
    if (at >= reader->end || *at != '"')
        return fault_at_end(reader, at, start - 1);
    struct mica_text inside = {start, (size_t)(at - start)};
    if (mica_json_saw_high(seen)) {
        size_t valid = mica_utf8_valid(inside);
        if (valid < inside.len)
            return mica_json_fault(reader, MICA_E_JSON, start + valid,
                                   "byte 0x%02X is not valid UTF-8 there",
                                   (unsigned)(unsigned char)start[valid]);
    }
    if (escapes)
        MICA_TRY(json_reader_decode(reader, inside, &inside));
    *text_out = inside;
    reader->at = at + 1;
    return MICA_OK;
}

enum mica_status
mica_json_read_string(struct mica_json_reader *reader,
                      struct mica_text *text_out)
{
    const char *start = reader->at + 1;
    uint64_t seen = 0;
    const char *at = mica_json_skip_plain(start, reader->end, &seen);
    if (at >= reader->end || *at != '"' || mica_json_saw_high(seen))
        return read_carefully(reader, start, at, seen, text_out);
    *text_out = (struct mica_text){start, (size_t)(at - start)};
    reader->at = at + 1;
    return MICA_OK;
}
