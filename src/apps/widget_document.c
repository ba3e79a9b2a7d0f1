// SPDX-License-Identifier: Apache-2.0
//
// Writes the document of a widget. Three kinds of text come from an app's owner, and each
// has its own way in: words are escaped for HTML, a theme passes the grammar of
// theme_value.c, and data is JSON in which no '<' is left.
#include "apps/theme.h"
#include "apps/theme_defaults.h"
#include "apps/widget.h"
#include "apps/widget_assets.h"
#include "base/assert.h"
#include "page/html.h"

// The asset of the layout, or the one that all share, by its ending.
static struct mica_text
widget_asset(struct mica_text name, const char *endingz)
{
    char whole[32];
    struct mica_text ending = mica_text(endingz);
    size_t size = name.len + ending.len;

    MICA_ASSERT(size <= sizeof whole);
    for (size_t i = 0; i < size; i++)
        whole[i] = i < name.len ? name.ptr[i] : ending.ptr[i - name.len];
    const struct mica_asset *asset =
        mica_asset_find(&mica_widget_assets, (struct mica_text){whole, size});
    MICA_ASSERT(asset != NULL);
    return asset->bytes;
}

// JSON in a script element: '<' could begin what ends it, and is in strings alone.
static void
write_json_text(struct mica_buffer *out, struct mica_text json)
{
    size_t from = 0;

    for (size_t at = 0; at < json.len; at++) {
        if (json.ptr[at] != '<')
            continue;
        mica_buffer_text(out, mica_text_slice(json, from, at));
        mica_html(out, "\\u003c");
        from = at + 1;
    }
    mica_buffer_text(out, mica_text_slice(json, from, json.len));
}

static void
write_json_element(struct mica_buffer *out, const char *idz,
                   struct mica_text json)
{
    mica_buffer_format(out, "<script type=\"application/json\" id=\"%s\">",
                       idz);
    write_json_text(out, json);
    mica_html(out, "</script>\n");
}

// Data is written anew: compact, and surely JSON.
static enum mica_status
write_inline(const struct mica_widget_parts *parts, struct mica_arena *arena,
             struct mica_error *error, struct mica_buffer *out)
{
    struct mica_json data;
    struct mica_json_writer writer;
    struct mica_buffer json;

    mica_buffer_init(&json, arena, MICA_WIDGET_BYTES);
    mica_json_writer_init(&writer, &json);
    if (parts->failure.len > 0) {
        mica_json_string(&writer, parts->failure);
    } else if (parts->data.len > 0) {
        MICA_TRY(mica_json_read(arena, parts->data, NULL, error, &data));
        mica_json_value(&writer, &data);
    } else {
        return MICA_OK;
    }
    if (json.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The data of the widget is larger than %d bytes.",
                              MICA_WIDGET_BYTES);
    write_json_element(out, parts->failure.len > 0 ? "failure" : "data",
                       mica_buffer_as_text(&json));
    return MICA_OK;
}

static void
write_styles(const struct mica_widget_parts *parts, struct mica_buffer *out)
{
    mica_html(out, "<style>:root{");
    mica_theme_write_defaults(out);
    mica_html(out, "}");
    mica_buffer_text(out, widget_asset(MICA_LITERAL("widget"), ".css"));
    mica_buffer_text(out, widget_asset(parts->layout->name, ".css"));
    // On the body: there it wins over what a host sets on the root.
    mica_html(out, "body{");
    mica_theme_write(parts->theme, out);
    mica_html(out, "}</style>\n");
}

static void
write_body(const struct mica_widget_parts *parts, struct mica_buffer *out)
{
    mica_html(out, "<body");
    mica_html_attribute(out, "data-layout", parts->layout->name);
    if (parts->tool.len > 0)
        mica_html_attribute(out, "data-tool", parts->tool);
    mica_html_attribute(out, "data-submit",
                        parts->submit == MICA_WIDGET_SUBMIT_TOOL
                            ? MICA_LITERAL("tool")
                            : MICA_LITERAL("message"));
    mica_html(out, ">\n<main aria-busy=\"true\"><h1 class=\"unseen\">");
    mica_html_text(out, parts->title);
    mica_html(out, "</h1><p>Loading…</p></main>\n<p id=\"status\" "
                   "class=\"status\" role=\"status\"></p>\n");
}

static void
write_script(const struct mica_widget_parts *parts, struct mica_buffer *out)
{
    mica_html(out, "<script type=\"module\">");
    mica_buffer_text(out, widget_asset(parts->layout->name, ".js"));
    mica_html(out, "</script>\n</body>\n</html>\n");
}

enum mica_status
mica_widget_write(const struct mica_widget_parts *parts,
                  struct mica_arena *arena, struct mica_error *error,
                  struct mica_buffer *html_out)
{
    size_t begin = html_out->len;

    mica_html(html_out,
              "<!doctype html>\n<html lang=\"en\">\n<head>\n"
              "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
              "content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    mica_html_text(html_out, parts->title);
    mica_html(html_out, "</title>\n");
    write_styles(parts, html_out);
    mica_html(html_out, "</head>\n");
    write_body(parts, html_out);
    MICA_TRY(write_inline(parts, arena, error, html_out));
    write_script(parts, html_out);
    if (html_out->overflow || html_out->len - begin > MICA_WIDGET_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The widget is larger than %d bytes. Use smaller "
                              "pictures, or give their addresses.",
                              MICA_WIDGET_BYTES);
    return MICA_OK;
}
