// SPDX-License-Identifier: Apache-2.0
//
// The addresses of widgets, and the view that one is.
#include "apps/widget.h"

#define WIDGET_PREFIX "ui://widget/"
#define WIDGET_ENDING ".html"
#define WIDGET_TAG    "?v="

// ---- Addresses -------------------------------------------------------------------

void
mica_widget_uri(struct mica_buffer *out, struct mica_text slug,
                struct mica_text tag)
{
    mica_buffer_text(out, MICA_LITERAL(WIDGET_PREFIX));
    mica_buffer_text(out, slug);
    mica_buffer_text(out, MICA_LITERAL(WIDGET_ENDING));
    if (tag.len == 0)
        return;
    mica_buffer_text(out, MICA_LITERAL(WIDGET_TAG));
    mica_buffer_text(out, mica_text_slice(tag, 0, MICA_WIDGET_TAG));
}

static bool
is_tag(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return false;
    }
    return text.len == MICA_WIDGET_TAG;
}

bool
mica_widget_uri_read(struct mica_text uri, struct mica_text *slug_out,
                     struct mica_text *tag_out)
{
    size_t prefix = sizeof WIDGET_PREFIX - 1, at = prefix;
    struct mica_text rest, tag;

    if (!mica_text_starts(uri, WIDGET_PREFIX))
        return false;
    while (at < uri.len && uri.ptr[at] != '.')
        at++;
    rest = mica_text_slice(uri, at, uri.len);
    if (at == prefix || !mica_text_starts(rest, WIDGET_ENDING))
        return false;
    tag = mica_text_slice(rest, sizeof WIDGET_ENDING - 1, rest.len);
    if (tag.len > 0) {
        if (!mica_text_starts(tag, WIDGET_TAG))
            return false;
        tag = mica_text_slice(tag, sizeof WIDGET_TAG - 1, tag.len);
        if (!is_tag(tag))
            return false;
    }
    *slug_out = mica_text_slice(uri, prefix, at);
    *tag_out = tag;
    return true;
}

// ---- The view --------------------------------------------------------------------

void
mica_widget_view(const struct mica_app_layout_row *layout,
                 const char *const *domains, struct mica_view *view_out)
{
    *view_out = (struct mica_view){
        .name = layout->name.ptr,
        .title = layout->title.ptr,
        .description = layout->seen.ptr,
        .resource_domains =
            domains != NULL && domains[0] != NULL ? domains : NULL,
        .border = MICA_BORDERED,
    };
}
