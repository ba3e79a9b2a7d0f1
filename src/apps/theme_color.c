// SPDX-License-Identifier: Apache-2.0
//
// Reads colors, and compares them. The names are those of CSS Color 4; the conversion
// from oklch is that of the same document, cut to what sRGB can show.
#include "apps/theme_color.h"

#include <math.h>

#include "base/ascii.h"

static const struct color_name {
    const char *name;
    uint32_t rgb;
} color_names[] = {
    {"aliceblue", 0xf0f8ff},
    {"antiquewhite", 0xfaebd7},
    {"aqua", 0x00ffff},
    {"aquamarine", 0x7fffd4},
    {"azure", 0xf0ffff},
    {"beige", 0xf5f5dc},
    {"bisque", 0xffe4c4},
    {"black", 0x000000},
    {"blanchedalmond", 0xffebcd},
    {"blue", 0x0000ff},
    {"blueviolet", 0x8a2be2},
    {"brown", 0xa52a2a},
    {"burlywood", 0xdeb887},
    {"cadetblue", 0x5f9ea0},
    {"chartreuse", 0x7fff00},
    {"chocolate", 0xd2691e},
    {"coral", 0xff7f50},
    {"cornflowerblue", 0x6495ed},
    {"cornsilk", 0xfff8dc},
    {"crimson", 0xdc143c},
    {"cyan", 0x00ffff},
    {"darkblue", 0x00008b},
    {"darkcyan", 0x008b8b},
    {"darkgoldenrod", 0xb8860b},
    {"darkgray", 0xa9a9a9},
    {"darkgreen", 0x006400},
    {"darkgrey", 0xa9a9a9},
    {"darkkhaki", 0xbdb76b},
    {"darkmagenta", 0x8b008b},
    {"darkolivegreen", 0x556b2f},
    {"darkorange", 0xff8c00},
    {"darkorchid", 0x9932cc},
    {"darkred", 0x8b0000},
    {"darksalmon", 0xe9967a},
    {"darkseagreen", 0x8fbc8f},
    {"darkslateblue", 0x483d8b},
    {"darkslategray", 0x2f4f4f},
    {"darkslategrey", 0x2f4f4f},
    {"darkturquoise", 0x00ced1},
    {"darkviolet", 0x9400d3},
    {"deeppink", 0xff1493},
    {"deepskyblue", 0x00bfff},
    {"dimgray", 0x696969},
    {"dimgrey", 0x696969},
    {"dodgerblue", 0x1e90ff},
    {"firebrick", 0xb22222},
    {"floralwhite", 0xfffaf0},
    {"forestgreen", 0x228b22},
    {"fuchsia", 0xff00ff},
    {"gainsboro", 0xdcdcdc},
    {"ghostwhite", 0xf8f8ff},
    {"gold", 0xffd700},
    {"goldenrod", 0xdaa520},
    {"gray", 0x808080},
    {"green", 0x008000},
    {"greenyellow", 0xadff2f},
    {"grey", 0x808080},
    {"honeydew", 0xf0fff0},
    {"hotpink", 0xff69b4},
    {"indianred", 0xcd5c5c},
    {"indigo", 0x4b0082},
    {"ivory", 0xfffff0},
    {"khaki", 0xf0e68c},
    {"lavender", 0xe6e6fa},
    {"lavenderblush", 0xfff0f5},
    {"lawngreen", 0x7cfc00},
    {"lemonchiffon", 0xfffacd},
    {"lightblue", 0xadd8e6},
    {"lightcoral", 0xf08080},
    {"lightcyan", 0xe0ffff},
    {"lightgoldenrodyellow", 0xfafad2},
    {"lightgray", 0xd3d3d3},
    {"lightgreen", 0x90ee90},
    {"lightgrey", 0xd3d3d3},
    {"lightpink", 0xffb6c1},
    {"lightsalmon", 0xffa07a},
    {"lightseagreen", 0x20b2aa},
    {"lightskyblue", 0x87cefa},
    {"lightslategray", 0x778899},
    {"lightslategrey", 0x778899},
    {"lightsteelblue", 0xb0c4de},
    {"lightyellow", 0xffffe0},
    {"lime", 0x00ff00},
    {"limegreen", 0x32cd32},
    {"linen", 0xfaf0e6},
    {"magenta", 0xff00ff},
    {"maroon", 0x800000},
    {"mediumaquamarine", 0x66cdaa},
    {"mediumblue", 0x0000cd},
    {"mediumorchid", 0xba55d3},
    {"mediumpurple", 0x9370db},
    {"mediumseagreen", 0x3cb371},
    {"mediumslateblue", 0x7b68ee},
    {"mediumspringgreen", 0x00fa9a},
    {"mediumturquoise", 0x48d1cc},
    {"mediumvioletred", 0xc71585},
    {"midnightblue", 0x191970},
    {"mintcream", 0xf5fffa},
    {"mistyrose", 0xffe4e1},
    {"moccasin", 0xffe4b5},
    {"navajowhite", 0xffdead},
    {"navy", 0x000080},
    {"oldlace", 0xfdf5e6},
    {"olive", 0x808000},
    {"olivedrab", 0x6b8e23},
    {"orange", 0xffa500},
    {"orangered", 0xff4500},
    {"orchid", 0xda70d6},
    {"palegoldenrod", 0xeee8aa},
    {"palegreen", 0x98fb98},
    {"paleturquoise", 0xafeeee},
    {"palevioletred", 0xdb7093},
    {"papayawhip", 0xffefd5},
    {"peachpuff", 0xffdab9},
    {"peru", 0xcd853f},
    {"pink", 0xffc0cb},
    {"plum", 0xdda0dd},
    {"powderblue", 0xb0e0e6},
    {"purple", 0x800080},
    {"rebeccapurple", 0x663399},
    {"red", 0xff0000},
    {"rosybrown", 0xbc8f8f},
    {"royalblue", 0x4169e1},
    {"saddlebrown", 0x8b4513},
    {"salmon", 0xfa8072},
    {"sandybrown", 0xf4a460},
    {"seagreen", 0x2e8b57},
    {"seashell", 0xfff5ee},
    {"sienna", 0xa0522d},
    {"silver", 0xc0c0c0},
    {"skyblue", 0x87ceeb},
    {"slateblue", 0x6a5acd},
    {"slategray", 0x708090},
    {"slategrey", 0x708090},
    {"snow", 0xfffafa},
    {"springgreen", 0x00ff7f},
    {"steelblue", 0x4682b4},
    {"tan", 0xd2b48c},
    {"teal", 0x008080},
    {"thistle", 0xd8bfd8},
    {"tomato", 0xff6347},
    {"turquoise", 0x40e0d0},
    {"violet", 0xee82ee},
    {"wheat", 0xf5deb3},
    {"white", 0xffffff},
    {"whitesmoke", 0xf5f5f5},
    {"yellow", 0xffff00},
    {"yellowgreen", 0x9acd32},
};

// ---- Pieces ----------------------------------------------------------------------

enum {
    NUMBER_CHARS = 12 // of one number
};

static void
skip_spaces(struct mica_text *rest)
{
    while (rest->len > 0 && *rest->ptr == ' ')
        *rest = mica_text_slice(*rest, 1, rest->len);
}

static bool
take_char(struct mica_text *rest, char c)
{
    if (rest->len == 0 || *rest->ptr != c)
        return false;
    *rest = mica_text_slice(*rest, 1, rest->len);
    return true;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool
mica_theme_number(struct mica_text *rest, double *value_out)
{
    double value = 0, scale = 1;
    size_t at = 0, digits = 0;
    bool negative = rest->len > 0 && *rest->ptr == '-';

    if (negative || (rest->len > 0 && *rest->ptr == '+'))
        at++;
    for (; at < rest->len && is_digit(rest->ptr[at]); at++, digits++)
        value = value * 10 + (rest->ptr[at] - '0');
    if (at + 1 < rest->len && rest->ptr[at] == '.' &&
        is_digit(rest->ptr[at + 1])) {
        for (at++; at < rest->len && is_digit(rest->ptr[at]); at++, digits++)
            value += (rest->ptr[at] - '0') * (scale /= 10);
    }
    if (digits == 0 || at > NUMBER_CHARS)
        return false;
    *rest = mica_text_slice(*rest, at, rest->len);
    *value_out = negative ? -value : value;
    return true;
}

static double
value_clamped(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

// A number, or a percentage of `whole`.
static bool
take_share(struct mica_text *rest, double whole, double *value_out,
           bool *percent_out)
{
    double value;

    skip_spaces(rest);
    if (!mica_theme_number(rest, &value))
        return false;
    *percent_out = take_char(rest, '%');
    *value_out = *percent_out ? value / 100 * whole : value;
    return true;
}

// The three components of a function behind its bracket, and an alpha after a slash or,
// between commas, a third comma; up to the closing bracket.
struct components {
    double values[3], alpha;
    bool percent[3];
};

// What 100 % of each component is; 0: it is a hue, which may have a unit and no percent.
struct component_kinds {
    double wholes[3];
};

static bool
take_component(struct mica_text *rest, double whole, double *value_out,
               bool *percent_out)
{
    if (whole > 0)
        return take_share(rest, whole, value_out, percent_out);
    *percent_out = false;
    skip_spaces(rest);
    if (!mica_theme_number(rest, value_out))
        return false;
    if (mica_text_starts(*rest, "deg"))
        *rest = mica_text_slice(*rest, 3, rest->len);
    return true;
}

static bool
take_components(struct mica_text *rest, const struct component_kinds *kinds,
                struct components *parts)
{
    bool commas = false, percent;

    parts->alpha = 1;
    for (int i = 0; i < 3; i++) {
        if (i > 0) {
            skip_spaces(rest);
            bool comma = take_char(rest, ',');
            if (i == 1)
                commas = comma;
            else if (comma != commas)
                return false;
        }
        if (!take_component(rest, kinds->wholes[i], &parts->values[i],
                            &parts->percent[i]))
            return false;
        // CSS takes 1.2.3 for two numbers; here a space or a comma parts them.
        if (i < 2 && rest->len > 0 && *rest->ptr != ' ' && *rest->ptr != ',')
            return false;
    }
    skip_spaces(rest);
    if (take_char(rest, commas ? ',' : '/') &&
        !take_share(rest, 1, &parts->alpha, &percent))
        return false;
    parts->alpha = value_clamped(parts->alpha, 0, 1);
    skip_spaces(rest);
    return take_char(rest, ')');
}

// ---- Kinds of colors -------------------------------------------------------------

static bool
take_hex(struct mica_text *rest, struct mica_color *color)
{
    int digits[8];
    double parts[4] = {1, 1, 1, 1};
    size_t count = 0;

    while (count < rest->len && count < 8 &&
           (digits[count] = mica_ascii_hex(rest->ptr[count])) >= 0)
        count++;
    if (count != 3 && count != 4 && count != 6 && count != 8)
        return false;
    for (size_t i = 0; i < (count < 6 ? count : count / 2); i++)
        parts[i] = (count < 6 ? digits[i] * 17
                              : digits[2 * i] * 16 + digits[2 * i + 1]) /
                   255.0;
    *color = (struct mica_color){parts[0], parts[1], parts[2], parts[3]};
    *rest = mica_text_slice(*rest, count, rest->len);
    return true;
}

static bool
take_rgb(struct mica_text *rest, struct mica_color *color)
{
    static const struct component_kinds kinds = {{255, 255, 255}};
    struct components parts;

    if (!take_components(rest, &kinds, &parts) ||
        parts.percent[0] != parts.percent[1] ||
        parts.percent[1] != parts.percent[2])
        return false;
    *color = (struct mica_color){value_clamped(parts.values[0] / 255, 0, 1),
                                 value_clamped(parts.values[1] / 255, 0, 1),
                                 value_clamped(parts.values[2] / 255, 0, 1),
                                 parts.alpha};
    return true;
}

static double
hue_turned(double degrees)
{
    double rest = fmod(degrees, 360);

    return rest < 0 ? rest + 360 : rest;
}

static double
hsl_channel(double hue, double saturation, double light, double n)
{
    double k = fmod(n + hue / 30, 12);
    double a = saturation * fmin(light, 1 - light);

    return light - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1));
}

static bool
take_hsl(struct mica_text *rest, struct mica_color *color)
{
    static const struct component_kinds kinds = {{0, 1, 1}};
    struct components parts;

    if (!take_components(rest, &kinds, &parts) || !parts.percent[1] ||
        !parts.percent[2])
        return false;
    double hue = hue_turned(parts.values[0]);
    double saturation = value_clamped(parts.values[1], 0, 1);
    double light = value_clamped(parts.values[2], 0, 1);
    *color = (struct mica_color){hsl_channel(hue, saturation, light, 0),
                                 hsl_channel(hue, saturation, light, 8),
                                 hsl_channel(hue, saturation, light, 4),
                                 parts.alpha};
    return true;
}

static double
gamma_of(double linear)
{
    double value = linear <= 0.0031308 ? 12.92 * linear
                                       : 1.055 * pow(linear, 1 / 2.4) - 0.055;

    return value_clamped(value, 0, 1);
}

static bool
take_oklch(struct mica_text *rest, struct mica_color *color)
{
    static const struct component_kinds kinds = {{1, 0.4, 0}};
    static const double radian = 0.017453292519943295;
    struct components parts;

    if (!take_components(rest, &kinds, &parts))
        return false;
    double light = value_clamped(parts.values[0], 0, 1);
    double chroma = value_clamped(parts.values[1], 0, 1);
    double a = chroma * cos(hue_turned(parts.values[2]) * radian);
    double b = chroma * sin(hue_turned(parts.values[2]) * radian);
    double l = light + 0.3963377774 * a + 0.2158037573 * b;
    double m = light - 0.1055613458 * a - 0.0638541728 * b;
    double s = light - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    *color = (struct mica_color){
        gamma_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
        gamma_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
        gamma_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s),
        parts.alpha};
    return true;
}

static bool
color_named(struct mica_text name, struct mica_color *color)
{
    if (mica_ascii_is(name, "transparent")) {
        *color = (struct mica_color){0, 0, 0, 0};
        return true;
    }
    for (size_t i = 0; i < MICA_COUNT(color_names); i++) {
        if (!mica_ascii_is(name, color_names[i].name))
            continue;
        uint32_t rgb = color_names[i].rgb;
        *color =
            (struct mica_color){(rgb >> 16) / 255.0, ((rgb >> 8) & 255) / 255.0,
                                (rgb & 255) / 255.0, 1};
        return true;
    }
    return false;
}

// ---- A color ---------------------------------------------------------------------

static bool
is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

// The word at the front, and the bracket behind it if there is one.
static struct mica_text
take_word(struct mica_text *rest, bool *bracket_out)
{
    struct mica_text word;
    size_t end = 0;

    while (end < rest->len && is_name_char(rest->ptr[end]))
        end++;
    word = mica_text_slice(*rest, 0, end);
    *rest = mica_text_slice(*rest, end, rest->len);
    *bracket_out = take_char(rest, '(');
    return word;
}

// A color that is the same in every theme.
static bool
take_plain(struct mica_text *rest, struct mica_color *color)
{
    static const struct {
        const char *name;
        bool (*take)(struct mica_text *, struct mica_color *);
    } functions[] = {{"rgb", take_rgb},
                     {"rgba", take_rgb},
                     {"hsl", take_hsl},
                     {"hsla", take_hsl},
                     {"oklch", take_oklch}};
    bool bracket;

    if (take_char(rest, '#'))
        return take_hex(rest, color);
    struct mica_text word = take_word(rest, &bracket);
    if (!bracket)
        return color_named(word, color);
    for (size_t i = 0; i < MICA_COUNT(functions); i++) {
        if (mica_ascii_is(word, functions[i].name))
            return functions[i].take(rest, color);
    }
    return false;
}

bool
mica_color_take(struct mica_text *rest, struct mica_color_pair *color_out)
{
    struct mica_text behind = *rest;
    bool bracket;

    if (!mica_ascii_is(take_word(&behind, &bracket), "light-dark") ||
        !bracket) {
        if (!take_plain(rest, &color_out->light))
            return false;
        color_out->dark = color_out->light;
        return true;
    }
    *rest = behind;
    skip_spaces(rest);
    if (!take_plain(rest, &color_out->light))
        return false;
    skip_spaces(rest);
    if (!take_char(rest, ','))
        return false;
    skip_spaces(rest);
    if (!take_plain(rest, &color_out->dark))
        return false;
    skip_spaces(rest);
    return take_char(rest, ')');
}

bool
mica_color_read(struct mica_text text, struct mica_color_pair *color_out)
{
    return mica_color_take(&text, color_out) && text.len == 0;
}

// ---- Contrast --------------------------------------------------------------------

struct mica_color
mica_color_over(struct mica_color color, struct mica_color below)
{
    double a = color.alpha;

    return (struct mica_color){color.red * a + below.red * (1 - a),
                               color.green * a + below.green * (1 - a),
                               color.blue * a + below.blue * (1 - a), 1};
}

static double
linear_of(double channel)
{
    return channel <= 0.04045 ? channel / 12.92
                              : pow((channel + 0.055) / 1.055, 2.4);
}

static double
luminance_of(struct mica_color color)
{
    return 0.2126 * linear_of(color.red) + 0.7152 * linear_of(color.green) +
           0.0722 * linear_of(color.blue);
}

double
mica_color_contrast(struct mica_color text, struct mica_color background,
                    struct mica_color page)
{
    struct mica_color below = mica_color_over(background, page);
    double a = luminance_of(mica_color_over(text, below));
    double b = luminance_of(below);

    return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}
