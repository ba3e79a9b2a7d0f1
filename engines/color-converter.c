// SPDX-License-Identifier: Apache-2.0
//
// One color in the three ways style sheets write it, and how well it reads
// against another one (WCAG 2.2). The pattern of the inputs admits only texts
// of a known shape, so that reading a color is reading its numbers.
#include <math.h>
#include <mica/engine.h>

#define COLOR_PATTERN                              \
    "^(#([0-9A-Fa-f]{3}){1,2}|"                    \
    "rgb\\( *[0-9]{1,3}([ ,]+[0-9]{1,3}){2} *\\)|" \
    "hsl\\( *[0-9]{1,3}(\\.[0-9]{1,6})?"           \
    "([ ,]+[0-9]{1,3}(\\.[0-9]{1,6})?%){2} *\\))$"

struct input {
    struct mica_text color, against;
};
MICA_RECORD(input,
            MICA_TEXT(color,
                      "The color as '#RGB', '#RRGGBB', 'rgb(30, 144, 255)' or "
                      "'hsl(210, 100%, 56%)'; no names, no transparency.",
                      .pattern = COLOR_PATTERN, .max_length = 64),
            MICA_TEXT(against,
                      "The color to measure the contrast with, such as the "
                      "background of a text; written like color.",
                      .pattern = COLOR_PATTERN, .max_length = 64,
                      .fallback = MICA_JSON("#ffffff")));

struct rgb {
    int64_t red, green, blue;
};
MICA_RECORD(rgb, MICA_INTEGER(red, "0 to 255.", .minimum = 0, .maximum = 255),
            MICA_INTEGER(green, "0 to 255.", .minimum = 0, .maximum = 255),
            MICA_INTEGER(blue, "0 to 255.", .minimum = 0, .maximum = 255));

struct hsl {
    double hue_degrees, saturation_percent, lightness_percent;
};
MICA_RECORD(hsl,
            MICA_NUMBER(hue_degrees, "0 (red) to below 360; 0 for greys.",
                        .title = "Hue in degrees"),
            MICA_NUMBER(saturation_percent, "0 (grey) to 100."),
            MICA_NUMBER(lightness_percent, "0 (black) to 100 (white)."));

struct levels {
    bool aa, aa_large, aaa, aaa_large;
};
MICA_RECORD(levels,
            MICA_BOOLEAN(aa, "Text passes level AA: at least 4.5.",
                         .title = "AA"),
            MICA_BOOLEAN(aa_large,
                         "Large text (24 px, or 18.66 px bold) and "
                         "controls pass level AA: at least 3.",
                         .title = "AA, large text"),
            MICA_BOOLEAN(aaa, "Text passes level AAA: at least 7.",
                         .title = "AAA"),
            MICA_BOOLEAN(aaa_large,
                         "Large text passes level AAA: at least "
                         "4.5.",
                         .title = "AAA, large text"));

struct output {
    struct mica_text hex;
    struct rgb rgb;
    struct hsl hsl;
    double luminance, contrast_ratio;
    struct levels wcag;
};
MICA_RECORD(output, MICA_TEXT(hex, "The color as '#rrggbb'."),
            MICA_NESTED(rgb, rgb, "Red, green and blue of the color in sRGB."),
            MICA_NESTED(hsl, hsl,
                        "Hue, saturation and lightness, to one decimal place."),
            MICA_NUMBER(luminance,
                        "Relative luminance by WCAG, 0 (black) to 1 (white), "
                        "to four decimal places."),
            MICA_NUMBER(contrast_ratio,
                        "Contrast with the other color by WCAG, 1 to 21, cut "
                        "to two decimal places."),
            MICA_NESTED(wcag, levels,
                        "What the exact contrast is enough for by WCAG 2.2."));

// How a text that starts with `start` has its three numbers.
static const struct notation {
    char start;
    double largest[3];
} notations[] = {
    {'#', {255, 255, 255}}, {'r', {255, 255, 255}}, {'h', {360, 100, 100}}};

static double
hex_digit(char digit)
{
    return (digit & 15) + (digit > '9' ? 9 : 0);
}

// "#abc" or "#aabbcc": a single digit stands for itself twice.
static void
read_hex(struct mica_text text, double values_out[3])
{
    size_t width = text.len / 3;

    for (size_t i = 0; i < 3; i++) {
        const char *digits = text.ptr + 1 + i * width;

        values_out[i] =
            hex_digit(digits[0]) * 16 + hex_digit(digits[width - 1]);
    }
}

static void
read_numbers(struct mica_text text, double values_out[3])
{
    const char *p = text.ptr, *end = text.ptr + text.len;

    for (size_t i = 0; i < 3; i++) {
        double value = 0, place = 1;

        while (*p < '0' || *p > '9') {
            p++;
        }
        for (bool whole = true; p < end && *p >= '.' && *p <= '9'; p++) {
            bool digit = *p != '.';

            place *= digit && !whole ? 10 : 1;
            value = digit ? value * 10 + (*p - '0') : value;
            whole = whole && digit;
        }
        values_out[i] = value / place;
    }
}

// CSS Color 4: hue in degrees, the others 0 to 1; channel n of 0, 8, 4.
static double
hsl_channel(double hue, double saturation, double lightness, double n)
{
    double k = fmod(n + hue / 30, 12);
    double a = saturation * fmin(lightness, 1 - lightness);

    return lightness - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1));
}

static enum mica_status
read_color(struct mica_call *call, const char *path, struct mica_text text,
           struct rgb *rgb_out)
{
    const struct notation *notation = notations;
    double v[3];

    while (notation->start != text.ptr[0]) {
        notation++;
    }
    (notation->start == '#' ? read_hex : read_numbers)(text, v);
    for (size_t i = 0; i < 3; i++) {
        if (v[i] > notation->largest[i]) {
            return mica_fail(call, "COLOR_OUT_OF_RANGE", path,
                             "%s='%.*s' has %s as its number %zu, which may be "
                             "at most %s.",
                             path, MICA_ARG(text), mica_number(call, v[i]),
                             i + 1, mica_number(call, notation->largest[i]));
        }
    }
    if (notation->start == 'h') {
        double hue = v[0], saturation = v[1] / 100, lightness = v[2] / 100;

        v[0] = 255 * hsl_channel(hue, saturation, lightness, 0);
        v[1] = 255 * hsl_channel(hue, saturation, lightness, 8);
        v[2] = 255 * hsl_channel(hue, saturation, lightness, 4);
    }
    *rgb_out = (struct rgb){(int64_t)round(v[0]), (int64_t)round(v[1]),
                            (int64_t)round(v[2])};
    return MICA_OK;
}

static struct hsl
to_hsl(struct rgb rgb)
{
    double r = (double)rgb.red / 255, g = (double)rgb.green / 255;
    double b = (double)rgb.blue / 255;
    double most = fmax(r, fmax(g, b)), least = fmin(r, fmin(g, b));
    double spread = most - least, sum = most + least;
    double sixth = spread == 0 ? 0
                   : most == r ? fmod((g - b) / spread + 6, 6)
                   : most == g ? (b - r) / spread + 2
                               : (r - g) / spread + 4;
    double saturation = spread == 0 ? 0 : spread / fmin(sum, 2 - sum);

    return (struct hsl){fmod(round(sixth * 600) / 10, 360),
                        round(saturation * 1000) / 10, round(sum * 500) / 10};
}

static double
linear(int64_t channel)
{
    double c = (double)channel / 255;

    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
luminance(struct rgb rgb)
{
    return 0.2126 * linear(rgb.red) + 0.7152 * linear(rgb.green) +
           0.0722 * linear(rgb.blue);
}

static enum mica_status
convert(struct mica_call *call, const struct input *in, struct output *out)
{
    struct rgb rgb, against;
    double own, other, ratio;

    MICA_TRY(read_color(call, "color", in->color, &rgb));
    MICA_TRY(read_color(call, "against", in->against, &against));
    own = luminance(rgb);
    other = luminance(against);
    ratio = (fmax(own, other) + 0.05) / (fmin(own, other) + 0.05);
    out->hex = mica_format(call, "#%02x%02x%02x", (unsigned)rgb.red,
                           (unsigned)rgb.green, (unsigned)rgb.blue);
    out->rgb = rgb;
    out->hsl = to_hsl(rgb);
    out->luminance = mica_round(own, 4);
    // Cut, not rounded: 4.499 must not read as the 4.5 that it fails.
    out->contrast_ratio = floor(ratio * 100 + 1e-9) / 100;
    out->wcag =
        (struct levels){ratio >= 4.5, ratio >= 3, ratio >= 7, ratio >= 4.5};
    return MICA_OK;
}

MICA_ENGINE(
    color_converter, input, output, convert, .title = "Color converter",
    .category = "design",
    .description =
        "Convert an sRGB color between hex, rgb() and hsl() notation, and "
        "measure its WCAG 2.2 contrast ratio with another color.",
    .examples = MICA_EXAMPLES(
        {"A blue on white", MICA_JSON({"color": "#1E90FF"}), MICA_JSON({
             "hex": "#1e90ff",
             "rgb": {"red": 30, "green": 144, "blue": 255},
             "hsl": {
                 "hue_degrees": 209.6,
                 "saturation_percent": 100,
                 "lightness_percent": 55.9
             },
             "contrast_ratio": 3.23,
             "wcag": {
                 "aa": false,
                 "aa_large": true,
                 "aaa": false,
                 "aaa_large": false
             }
         })},
        {"From hsl(), on black",
         MICA_JSON({"color": "hsl(120, 100%, 25.1%)", "against": "#000"}),
         MICA_JSON({"hex": "#008000", "contrast_ratio": 4.08})},
        {"Black on white",
         MICA_JSON({"color": "rgb(0 0 0)", "against": "hsl(0 0% 100%)"}),
         MICA_JSON({
             "hex": "#000000",
             "luminance": 0,
             "contrast_ratio": 21,
             "wcag":
                 {"aa": true, "aa_large": true, "aaa": true, "aaa_large": true}
         })},
        {"Too much red", MICA_JSON({"color": "rgb(300, 0, 0)"}),
         .error = "COLOR_OUT_OF_RANGE"}));
