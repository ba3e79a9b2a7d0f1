// SPDX-License-Identifier: Apache-2.0
//
// Ranges of code points by their width (Unicode 15, East_Asian_Width W and F, and the
// blocks of combining marks), as coarse as a table of names needs it.
#include "cli/columns.h"

struct range {
    uint32_t first, last;
    size_t width;
};

static const struct range ranges[] = {
    {0x0300, 0x036F, 0},   {0x1100, 0x115F, 2},   {0x1AB0, 0x1AFF, 0},
    {0x1DC0, 0x1DFF, 0},   {0x200B, 0x200F, 0},   {0x20D0, 0x20FF, 0},
    {0x2E80, 0x303E, 2},   {0x3041, 0xA4CF, 2},   {0xA960, 0xA97F, 2},
    {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2},   {0xFE00, 0xFE0F, 0},
    {0xFE20, 0xFE2F, 0},   {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},
    {0xFFE0, 0xFFE6, 2},   {0x1F300, 0x1F64F, 2}, {0x1F680, 0x1F6FF, 2},
    {0x1F900, 0x1FAFF, 2}, {0x20000, 0x3FFFD, 2},
};

static size_t
point_width(uint32_t point)
{
    for (size_t i = 0; i < MICA_COUNT(ranges) && point >= ranges[i].first; i++)
        if (point <= ranges[i].last)
            return ranges[i].width;
    return 1;
}

size_t
mica_columns(struct mica_text text)
{
    size_t width = 0;

    while (text.len > 0)
        width += point_width(mica_text_next(&text));
    return width;
}

void
mica_columns_cut(struct mica_buffer *out, struct mica_text text, size_t most)
{
    struct mica_text rest = text;
    size_t width = 0, fits = 0;

    if (mica_columns(text) <= most) {
        mica_buffer_text(out, text);
        return;
    }
    while (rest.len > 0) {
        width += point_width(mica_text_next(&rest));
        if (width + 1 > most)
            break;
        fits = text.len - rest.len;
    }
    while (fits > 0 && text.ptr[fits - 1] == ' ')
        fits--;
    mica_buffer_text(out, mica_text_slice(text, 0, fits));
    mica_buffer_text(out, MICA_LITERAL("…"));
}

void
mica_columns_line(struct mica_buffer *out, struct mica_text text)
{
    bool blank = false, begun = false;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            blank = true;
            continue;
        }
        if (blank && begun)
            mica_buffer_char(out, ' ');
        mica_buffer_char(out, c);
        blank = false;
        begun = true;
    }
}
