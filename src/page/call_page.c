// SPDX-License-Identifier: Apache-2.0
//
// The page of a call that asks: what it is about comes from /api/calls/{id} when it
// is open, as it changes; here is only the frame. And a form for one of its
// questions, as a piece of such a page.
#include "page/html.h"
#include "page/page_form.h"
#include "page/site.h"
#include "page/site_layout.h"

void
mica_page_call(const struct mica_site *site, struct mica_text id,
               struct mica_buffer *out)
{
    static const char *const modules[] = {"web/call.js",
                                          "web/ask.js",
                                          "web/press.js",
                                          "web/exact.js",
                                          "web/form.js",
                                          "web/grid.js",
                                          "web/result.js",
                                          "web/table.js",
                                          "web/chart.js",
                                          "web/label.js",
                                          "web/number.js",
                                          "web/element.js",
                                          NULL};

    mica_site_layout_open(site, mica_text("A call"), mica_text("A call"), out);
    mica_site_layout_preload(site, modules, out);
    mica_site_layout_body(site, out);
    mica_html(out, "<div class=\"ask\">\n<div class=\"head\">\n<nav "
                   "class=\"crumb\" aria-label=\"Place\"><a");
    mica_site_layout_href(site, "", out);
    mica_html(out,
              "\">All tools</a></nav>\n<h1 id=\"call-title\">A call</h1>\n"
              "<p id=\"state\" role=\"status\" tabindex=\"-1\">Loading…</p>\n"
              "</div>\n<section id=\"call\" class=\"stack\" "
              "aria-labelledby=\"call-title\"");
    mica_html_attribute(out, "data-call", id);
    mica_html(out, ">\n<ul id=\"answered\" class=\"card done\" "
                   "aria-label=\"Answers so far\" hidden></ul>\n"
                   "<p id=\"failure\" class=\"note bad\" role=\"alert\" hidden>"
                   "</p>\n");
    mica_site_layout_progress(out);
    mica_html(out,
              "<div id=\"questions\" class=\"stack\"></div>\n"
              "<div id=\"end\" class=\"card\" hidden>\n<div class=\"body\">"
              "<div id=\"outcome\" class=\"parts\"></div>\n<p "
              "class=\"actions\"><a class=\"button\" id=\"again\">Again</a>"
              "</p></div></div>\n<p class=\"actions\"><button type=\"button\" "
              "class=\"quiet\" id=\"cancel\" hidden>Give up this call"
              "</button></p>\n</section>\n"
              "<noscript><p class=\"note\">This page needs JavaScript.</p>"
              "</noscript>\n</div>\n");
    mica_site_layout_close(site, out);
}

enum mica_status
mica_page_form(struct mica_text schema, unsigned number,
               struct mica_arena *arena, struct mica_error *error,
               struct mica_buffer *out)
{
    struct mica_json value;
    char room[16];
    struct mica_buffer prefix = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    mica_buffer_format(&prefix, "q%u", number);
    mica_buffer_char(&prefix, '\0');
    MICA_TRY(mica_json_read(arena, schema, NULL, error, &value));
    mica_form_write(out, &value, prefix.ptr, true);
    return MICA_OK;
}
