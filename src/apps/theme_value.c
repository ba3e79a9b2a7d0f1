// SPDX-License-Identifier: Apache-2.0
//
// The grammar of the values of a theme, by the kind of variable. A value that it does not
// know is refused, however harmless it may be in CSS: var(), calc() and the like could
// stand for anything.
#include "apps/theme.h"

#include "apps/theme_color.h"
#include "base/ascii.h"

enum {
    LENGTH_MOST = 10000, // of a number with any unit; 9999px makes a pill
    FONT_CHARS = 64      // of one name
};

static bool
take_char(struct mica_text *rest, char c)
{
    if (rest->len == 0 || *rest->ptr != c)
        return false;
    *rest = mica_text_slice(*rest, 1, rest->len);
    return true;
}

static void
skip_spaces(struct mica_text *rest)
{
    size_t at = 0;

    while (at < rest->len && rest->ptr[at] == ' ')
        at++;
    *rest = mica_text_slice(*rest, at, rest->len);
}

static bool
take_word(struct mica_text *rest, const char *wordz)
{
    struct mica_text word = mica_text(wordz);

    if (rest->len < word.len || !mica_ascii_same(rest->ptr, word.ptr, word.len))
        return false;
    *rest = mica_text_slice(*rest, word.len, rest->len);
    return true;
}

// ---- Lengths ---------------------------------------------------------------------

static bool
take_length(struct mica_text *rest, bool negative, bool percent,
            double *value_out)
{
    static const char *const units[] = {"px", "rem", "em"};

    if (!mica_theme_number(rest, value_out) || (*value_out < 0 && !negative) ||
        *value_out > LENGTH_MOST || *value_out < -LENGTH_MOST)
        return false;
    for (size_t i = 0; i < MICA_COUNT(units); i++) {
        if (take_word(rest, units[i]))
            return true;
    }
    if (percent && take_char(rest, '%'))
        return true;
    return *value_out >= 0 && *value_out <= 0;
}

static bool
is_length(struct mica_text value)
{
    double number;

    return take_length(&value, false, true, &number) && value.len == 0;
}

static bool
is_line_height(struct mica_text value)
{
    struct mica_text rest = value;
    double number;

    if (mica_theme_number(&rest, &number) && rest.len == 0)
        return number > 0 && number <= 10;
    return is_length(value);
}

static bool
is_weight(struct mica_text value)
{
    double number;

    if (mica_ascii_is(value, "normal") || mica_ascii_is(value, "bold"))
        return true;
    return mica_theme_number(&value, &number) && value.len == 0 &&
           number >= 1 && number <= 1000;
}

// ---- Fonts -----------------------------------------------------------------------

static bool
is_font_char(char c, bool quoted)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == ' ' ||
           (quoted && (c == '.' || c == '+' || c == '&'));
}

// One name: in double quotes, or words that begin with a letter or a hyphen.
static bool
take_font(struct mica_text *rest)
{
    bool quoted = take_char(rest, '"');
    size_t end = 0;

    while (end < rest->len && is_font_char(rest->ptr[end], quoted))
        end++;
    if (end == 0 || end > FONT_CHARS || *rest->ptr == ' ')
        return false;
    for (size_t i = 0; !quoted && i < end; i++) {
        char before = i == 0 ? ' ' : rest->ptr[i - 1];
        char c = rest->ptr[i];
        if (before == ' ' && ((c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    *rest = mica_text_slice(*rest, end, rest->len);
    return !quoted || take_char(rest, '"');
}

static bool
is_font_list(struct mica_text value)
{
    for (int count = 1; count <= MICA_THEME_FONTS; count++) {
        if (!take_font(&value))
            return false;
        if (value.len == 0)
            return true;
        if (!take_char(&value, ','))
            return false;
        skip_spaces(&value);
    }
    return false;
}

// ---- Shadows ---------------------------------------------------------------------

// [inset] x y [blur [spread]] color
static bool
take_shadow(struct mica_text *rest)
{
    struct mica_color_pair color;
    double length;
    int lengths = 0;

    take_word(rest, "inset ");
    skip_spaces(rest);
    for (; lengths < 4; lengths++) {
        struct mica_text behind = *rest;
        if (!take_length(&behind, lengths != 2, false, &length) ||
            !take_char(&behind, ' '))
            break;
        skip_spaces(&behind);
        *rest = behind;
    }
    return lengths >= 2 && mica_color_take(rest, &color);
}

static bool
is_shadow(struct mica_text value)
{
    if (mica_ascii_is(value, "none"))
        return true;
    for (int count = 1; count <= MICA_THEME_SHADOWS; count++) {
        if (!take_shadow(&value))
            return false;
        if (value.len == 0)
            return true;
        skip_spaces(&value);
        if (!take_char(&value, ','))
            return false;
        skip_spaces(&value);
    }
    return false;
}

// ---- Any value -------------------------------------------------------------------

static bool
is_color(struct mica_text value)
{
    struct mica_color_pair color;

    return mica_color_read(value, &color);
}

bool
mica_theme_value(enum mica_theme_kind kind, struct mica_text value)
{
    static bool (*const checks[])(struct mica_text) = {
        [MICA_THEME_COLOR] = is_color,      [MICA_THEME_FONT] = is_font_list,
        [MICA_THEME_WEIGHT] = is_weight,    [MICA_THEME_LENGTH] = is_length,
        [MICA_THEME_LINE] = is_line_height, [MICA_THEME_SHADOW] = is_shadow,
    };

    return value.len > 0 && value.len <= MICA_THEME_VALUE_BYTES &&
           checks[kind](value);
}
