// SPDX-License-Identifier: Apache-2.0
//
// Colors of a theme as numbers, to compare text with its background.
#ifndef MICA_APPS_THEME_COLOR_H
#define MICA_APPS_THEME_COLOR_H

#include <mica/base.h>

// sRGB, each 0 to 1.
struct mica_color {
    double red, green, blue, alpha;
};

// A color in a light and in a dark theme; the same one without light-dark().
struct mica_color_pair {
    struct mica_color light, dark;
};

// Reads a whole color (MICA_THEME_COLOR in apps/theme.h). Returns false for anything else.
bool mica_color_read(struct mica_text text, struct mica_color_pair *color_out);

// Takes a color off the front of *rest, as mica_color_read does.
bool mica_color_take(struct mica_text *rest, struct mica_color_pair *color_out);

// Takes a number without an exponent off the front of *rest. Returns false if there is
// none, or if it has more than 12 characters.
bool mica_theme_number(struct mica_text *rest, double *value_out);

// A color on an opaque one, which what is transparent lets through.
struct mica_color mica_color_over(struct mica_color color,
                                  struct mica_color below);

// The contrast of WCAG 2.2 between text and what it stands on, on an opaque page: 1 to 21.
double mica_color_contrast(struct mica_color text, struct mica_color background,
                           struct mica_color page);

#endif
