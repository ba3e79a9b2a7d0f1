// SPDX-License-Identifier: Apache-2.0
//
// Text for a person. A terminal obeys control characters, and directions and line
// separators of Unicode let one text look like another; here they are written out.
// Everything that mica prints for a person is made by these functions.
#ifndef MICA_BASE_VISIBLE_H
#define MICA_BASE_VISIBLE_H

#include <mica/base.h>

enum mica_visible {
    MICA_VISIBLE_LINE,  // one line: \n is written out, too
    MICA_VISIBLE_LINES, // \n and \t stay
    MICA_VISIBLE_JSON   // JSON text: the same value, with \uNNNN
};

// Appends `text`. Control characters (U+0000 to U+001F, U+007F to U+009F) and bytes that
// are no UTF-8 become \xNN; marks of direction (U+061C, U+200E, U+200F, U+202A to U+202E,
// U+2066 to U+2069) and U+2028, U+2029 become \uNNNN. \t always stays.
void mica_visible_add(struct mica_buffer *out, struct mica_text text,
                      enum mica_visible how);

// What a terminal shall obey. Index of mica_styles.
enum mica_style {
    MICA_STYLE_PLAIN,
    MICA_STYLE_BOLD,
    MICA_STYLE_DIM,
    MICA_STYLE_RED,
    MICA_STYLE_GREEN,
    MICA_STYLE_YELLOW,
    MICA_STYLE_ALARM, // bold and red
    MICA_STYLE_NONE,  // ""
    MICA_STYLES
};

// The sequence of a style, or "" without `color`. An argument of %s below is a
// style when it is this pointer: no text that came from elsewhere can be one.
const char *mica_style(bool color, enum mica_style style);

// Appends as mica_buffer_format does. What the format itself says is mica's and stays;
// each text among the arguments (%s, %.*s, %c) is shown on one line.
void mica_visible_format(struct mica_buffer *out, const char *formatz, ...)
    MICA_PRINTF(2, 3);
void mica_visible_vformat(struct mica_buffer *out, const char *formatz,
                          va_list arguments) MICA_PRINTF(2, 0);

#endif
