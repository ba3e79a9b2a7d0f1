// SPDX-License-Identifier: Apache-2.0
//
// The page of a call that asks: what it is about comes from /api/calls/{id} when it
// is open, as it changes; here is only the frame. And a form for one of its
// questions, as a piece of such a page.
#include "page/html.h"
#include "page/page_form.h"
#include "page/shell.h"
#include "page/site.h"

void
mica_page_call(const struct mica_site *site, struct mica_text id,
               struct mica_buffer *out)
{
    static const char *const modules[] = {"web/call.js",   "web/ask.js",
                                          "web/exact.js",  "web/form.js",
                                          "web/result.js", NULL};

    mica_shell_open(site, mica_text("A call"), mica_text("A call"), out);
    mica_shell_preload(site, modules, out);
    mica_shell_body(site, out);
    mica_html(out, "<nav aria-label=\"Place\"><a");
    mica_shell_href(site, "", out);
    mica_html(out, "\">All tools</a></nav>\n"
                   "<h1 id=\"call-title\">A call</h1>\n<section id=\"call\"");
    mica_html_attribute(out, "data-call", id);
    mica_html(
        out, ">\n<p id=\"state\" role=\"status\" tabindex=\"-1\">Loading…</p>\n"
             "<p id=\"failure\" class=\"error\" role=\"alert\" hidden></p>\n");
    mica_shell_progress(out);
    mica_html(out, "<div id=\"questions\"></div>\n"
                   "<div id=\"outcome\" class=\"value\"></div>\n"
                   "<button type=\"button\" id=\"cancel\" hidden>Give up this "
                   "call</button>\n</section>\n"
                   "<noscript><p>This page needs JavaScript.</p></noscript>\n");
    mica_shell_close(out);
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
    mica_form_write(out, &value, prefix.ptr);
    return MICA_OK;
}
