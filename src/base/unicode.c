// SPDX-License-Identifier: Apache-2.0
//
// Ranges of Unicode 15. What is hidden is everything without a shape of its own
// that is no space and no line end: general category Cc, Cf, Co, Cn of the
// noncharacters, Zl, Zp, the variation selectors and the Hangul fillers.
#include "base/unicode.h"

struct range {
    uint32_t first, last;
    const char *name;
};

static const struct range hidden[] = {
    {0x00, 0x08, "control character"},
    {0x0B, 0x1F, "control character"},
    {0x7F, 0x9F, "control character"},
    {0xAD, 0xAD, "soft hyphen"},
    {0x034F, 0x034F, "combining grapheme joiner"},
    {0x061C, 0x061C, "directional mark"},
    {0x115F, 0x1160, "Hangul filler"},
    {0x17B4, 0x17B5, "invisible vowel"},
    {0x180B, 0x180F, "Mongolian selector"},
    {0x200B, 0x200B, "zero-width space"},
    {0x200C, 0x200C, "zero-width non-joiner"},
    {0x200D, 0x200D, "zero-width joiner"},
    {0x200E, 0x200F, "directional mark"},
    {0x2028, 0x2029, "line or paragraph separator"},
    {0x202A, 0x202E, "directional override"},
    {0x2060, 0x2060, "word joiner"},
    {0x2061, 0x2064, "invisible operator"},
    {0x2065, 0x2065, "unassigned character"},
    {0x2066, 0x2069, "directional isolate"},
    {0x206A, 0x206F, "deprecated format character"},
    {0x2800, 0x2800, "blank braille pattern"},
    {0x3164, 0x3164, "Hangul filler"},
    {0xE000, 0xF8FF, "private-use character"},
    {0xFDD0, 0xFDEF, "noncharacter"},
    {0xFE00, 0xFE0F, "variation selector"},
    {0xFEFF, 0xFEFF, "byte order mark"},
    {0xFFA0, 0xFFA0, "Hangul filler"},
    {0xFFF0, 0xFFFB, "format character"},
    {0xFFFE, 0xFFFF, "noncharacter"},
    {0x1BCA0, 0x1BCA3, "shorthand control"},
    {0x1D173, 0x1D17A, "musical control"},
    {0xE0000, 0xE007F, "tag character"},
    {0xE0080, 0xE00FF, "unassigned character"},
    {0xE0100, 0xE01EF, "variation selector"},
    {0xE01F0, 0xE0FFF, "unassigned character"},
    {0xF0000, 0x10FFFF, "private-use character"},
};

static const struct range *
range_find(const struct range *ranges, size_t count, uint32_t code_point)
{
    for (size_t i = 0; i < count; i++) {
        if (code_point >= ranges[i].first && code_point <= ranges[i].last) {
            return &ranges[i];
        }
    }
    return NULL;
}

// What an emoji's variation selector or joiner may stand behind.
static bool
is_pictograph(uint32_t code_point)
{
    return (code_point >= 0x2190 && code_point <= 0x2BFF &&
            code_point != 0x2800) ||
           (code_point >= 0x1F000 && code_point <= 0x1FAFF) ||
           code_point == 0xA9 || code_point == 0xAE || code_point == 0x203C ||
           code_point == 0x2049 || code_point == 0x2122 || code_point == 0x2139;
}

static bool
is_keycap(uint32_t code_point)
{
    return (code_point >= '0' && code_point <= '9') || code_point == '#' ||
           code_point == '*';
}

// Whether the selector or joiner between two characters is part of an emoji.
static bool
is_inside_emoji(uint32_t before, uint32_t code_point, uint32_t after)
{
    if (code_point == 0xFE0F && is_keycap(before)) {
        return after == 0x20E3;
    }
    if (code_point == 0xFE0E || code_point == 0xFE0F) {
        return is_pictograph(before);
    }
    return code_point == 0x200D &&
           (is_pictograph(before) || before == 0xFE0F) && is_pictograph(after);
}

// England, Scotland and Wales: no other flag of tags is in use.
static const char *const flag_tags[] = {
    "\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
    "\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
    "\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F"};

// The bytes of the tags behind a black flag that make it a country's; or 0.
static size_t
flag_length(uint32_t code_point, struct mica_text rest)
{
    for (size_t i = 0; code_point == 0x1F3F4 && i < MICA_COUNT(flag_tags);
         i++) {
        if (mica_text_starts(rest, flag_tags[i]))
            return mica_text(flag_tags[i]).len;
    }
    return 0;
}

// Where a search for hidden characters is.
struct hidden_scan {
    struct mica_text rest;
    uint32_t before; // the character in front of the one that was found
    size_t next;     // index of the first one of `rest`
    size_t row;      // of hidden ones, up to the one that was found
};

// The next hidden character, or 0. A NUL is 0xFFFFFFFF.
static uint32_t
hidden_next(struct hidden_scan *scan, uint32_t *before_out)
{
    while (scan->rest.len > 0) {
        uint32_t before = scan->before, after;
        uint32_t code_point = mica_text_next(&scan->rest);
        struct mica_text ahead = scan->rest;
        size_t flag = flag_length(code_point, scan->rest);

        after = ahead.len > 0 ? mica_text_next(&ahead) : 0;
        scan->before = code_point;
        scan->next++;
        if (flag > 0) {
            scan->next +=
                mica_text_length(mica_text_slice(scan->rest, 0, flag));
            scan->rest = mica_text_slice(scan->rest, flag, scan->rest.len);
        }
        if (range_find(hidden, MICA_COUNT(hidden), code_point) == NULL ||
            is_inside_emoji(before, code_point, after)) {
            scan->row = 0;
            continue;
        }
        scan->row++;
        *before_out = before;
        return code_point > 0 ? code_point : 0xFFFFFFFF;
    }
    return 0;
}

uint32_t
mica_hidden_find(struct mica_text text, size_t *index_out)
{
    struct hidden_scan scan = {.rest = text};
    uint32_t before, found = hidden_next(&scan, &before);

    if (found != 0)
        *index_out = scan.next - 1;
    return found;
}

// ---- Covert characters -----------------------------------------------------------

enum {
    COVERT_ROW = 3 // hidden characters in a row
};

// Carriage returns come with texts of some systems.
static const struct range covert[] = {
    {0x00, 0x0C, "control"},          {0x0E, 0x1F, "control"},
    {0x7F, 0x9F, "control"},          {0x202D, 0x202E, "override"},
    {0x2061, 0x2065, "operator"},     {0x206A, 0x206F, "deprecated"},
    {0xFDD0, 0xFDEF, "noncharacter"}, {0xFFF0, 0xFFFB, "format"},
    {0xFFFE, 0xFFFF, "noncharacter"}, {0x1BCA0, 0x1BCA3, "shorthand"},
    {0x1D173, 0x1D17A, "musical"},    {0xE0000, 0xE00FF, "tag"},
    {0xE0100, 0xE01EF, "selector"},   {0xE01F0, 0xE0FFF, "unassigned"},
};

// What has variants that a selector of the supplement chooses from.
static bool
is_ideograph(uint32_t code_point)
{
    return (code_point >= 0x3400 && code_point <= 0x9FFF) ||
           (code_point >= 0xF900 && code_point <= 0xFAFF) ||
           (code_point >= 0x20000 && code_point <= 0x3FFFD);
}

static bool
is_covert(uint32_t code_point, uint32_t before)
{
    if (code_point >= 0xE0100 && code_point <= 0xE01EF && is_ideograph(before))
        return false;
    return code_point == 0xFFFFFFFF ||
           range_find(covert, MICA_COUNT(covert), code_point) != NULL;
}

uint32_t
mica_covert_find(struct mica_text text, size_t *index_out)
{
    struct hidden_scan scan = {.rest = text};
    uint32_t before, found;

    while ((found = hidden_next(&scan, &before)) != 0) {
        if (scan.row < COVERT_ROW && !is_covert(found, before))
            continue;
        *index_out = scan.next - 1;
        return found;
    }
    return 0;
}

const char *
mica_hidden_name(uint32_t code_point)
{
    const struct range *range = range_find(
        hidden, MICA_COUNT(hidden), code_point == 0xFFFFFFFF ? 0 : code_point);

    return range != NULL ? range->name : "character";
}

// ---- Look-alikes -----------------------------------------------------------------

// Letters of other alphabets that pass for Latin ones; of Greek only those, as
// "μm" and "Ω" are good units.
static const struct range lookalikes[] = {
    {0x0391, 0x0392, "Greek"},          {0x0395, 0x0397, "Greek"},
    {0x0399, 0x039A, "Greek"},          {0x039C, 0x039D, "Greek"},
    {0x039F, 0x039F, "Greek"},          {0x03A1, 0x03A1, "Greek"},
    {0x03A4, 0x03A5, "Greek"},          {0x03A7, 0x03A7, "Greek"},
    {0x03BD, 0x03BD, "Greek"},          {0x03BF, 0x03BF, "Greek"},
    {0x0400, 0x052F, "Cyrillic"},       {0x0531, 0x0587, "Armenian"},
    {0x13A0, 0x13FF, "Cherokee"},       {0xFF21, 0xFF5A, "full-width"},
    {0x1D400, 0x1D7FF, "mathematical"},
};

static bool
is_latin(uint32_t code_point)
{
    uint32_t letter = code_point | 32;

    return (letter >= 'a' && letter <= 'z') ||
           (code_point >= 0xC0 && code_point <= 0x24F && code_point != 0xD7 &&
            code_point != 0xF7);
}

bool
mica_lookalike_find(struct mica_text text, struct mica_text *word_out,
                    uint32_t *letter_out)
{
    struct mica_text word = text;
    bool latin = false;
    uint32_t other = 0;

    while (text.len > 0) {
        struct mica_text at = text;
        uint32_t code_point = mica_text_next(&text);
        bool alike =
            range_find(lookalikes, MICA_COUNT(lookalikes), code_point) != NULL;

        if (!alike && !is_latin(code_point)) {
            word = text;
            latin = false;
            other = 0;
            continue;
        }
        latin = latin || is_latin(code_point);
        other = alike && other == 0 ? code_point : other;
        if (latin && other != 0) {
            size_t size = (size_t)(at.ptr - word.ptr) + at.len - text.len;

            *word_out = mica_text_slice(word, 0, size);
            *letter_out = other;
            return true;
        }
    }
    return false;
}
