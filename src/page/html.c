// SPDX-License-Identifier: Apache-2.0
//
// Escapes what comes from outside.
#include "page/html.h"

void
mica_html(struct mica_buffer *out, const char *htmlz)
{
    mica_buffer_text(out, mica_text(htmlz));
}

static const char *
text_escape(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void
mica_html_text(struct mica_buffer *out, struct mica_text text)
{
    size_t from = 0;
    for (size_t at = 0; at < text.len; at++) {
        const char *instead = text_escape(text.ptr[at]);
        if (instead == NULL)
            continue;
        mica_buffer_text(out, mica_text_slice(text, from, at));
        mica_html(out, instead);
        from = at + 1;
    }
    mica_buffer_text(out, mica_text_slice(text, from, text.len));
}

void
mica_html_attribute(struct mica_buffer *out, const char *namez,
                    struct mica_text value)
{
    mica_buffer_format(out, " %s=\"", namez);
    mica_html_text(out, value);
    mica_buffer_char(out, '"');
}

void
mica_html_number(struct mica_buffer *out, const char *namez, size_t value)
{
    mica_buffer_format(out, " %s=\"%zu\"", namez, value);
}
