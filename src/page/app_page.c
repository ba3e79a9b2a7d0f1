// SPDX-License-Identifier: Apache-2.0
//
// Everything on the page that an owner wrote is text: no markup of an app is on it. The
// widget is a document of its own.
#include "page/app_page.h"

#include "page/connect_part.h"
#include "page/html.h"
#include "page/site_layout.h"

void
mica_page_app_policy(struct mica_buffer *out)
{
    mica_html(out, "default-src 'none'; script-src 'self'; style-src 'self'; "
                   "img-src 'self' data:; connect-src 'self'; "
                   "frame-src 'self'; form-action 'self'; base-uri 'none'; "
                   "frame-ancestors 'none'");
}

static void
write_widget(const struct mica_page_app *app, struct mica_buffer *out)
{
    mica_html(out, "<section class=\"card\" aria-labelledby=\"widget-title\">\n"
                   "<header><h2 id=\"widget-title\">What it shows</h2>"
                   "</header>\n<p class=\"body help\">Its widget, with sample "
                   "data.</p>\n<div class=\"view\"><iframe class=\"app-frame\" "
                   "sandbox=\"allow-scripts\" title=\"The widget of ");
    mica_html_text(out, app->name);
    mica_buffer_format(out,
                       "\" src=\"%sui/%s.html?data=mock\"></iframe></div>\n"
                       "</section>\n",
                       app->folderz, app->layoutz);
}

static void
write_tool(const struct mica_page_app *app, struct mica_buffer *out)
{
    mica_html(out, "<section class=\"card\" aria-labelledby=\"tool-title\">\n"
                   "<header><h2 id=\"tool-title\">Its tool</h2></header>\n"
                   "<div class=\"body\"><p><code>");
    mica_html_text(out, app->tool);
    mica_html(out, "</code></p>\n<p class=\"message\">");
    mica_html_text(out, app->tool_description);
    mica_html(out, "</p></div>\n</section>\n");
}

static void
write_head(const struct mica_site *site, struct mica_text name,
           struct mica_text description, struct mica_buffer *out)
{
    mica_site_layout_open(site, name, description.len > 0 ? description : name,
                          out);
    mica_site_layout_body(site, out);
    mica_html(out, "<div class=\"head\">\n");
    if (site->alonez == NULL) {
        mica_html(out, "<nav class=\"crumb\" aria-label=\"Place\"><a");
        mica_site_layout_href(site, "", out);
        mica_html(out, "\">All tools</a></nav>\n");
    }
    mica_html(out, "<h1>");
    mica_html_text(out, name);
    mica_html(out, "</h1>\n");
    if (description.len > 0) {
        mica_html(out, "<p class=\"message\">");
        mica_html_text(out, description);
        mica_html(out, "</p>\n");
    }
}

// The button below the head, and what comes before the cards. The host is at the names of the
// server alone.
static void
write_host(const struct mica_site *site, const char *slugz,
           struct mica_buffer *out)
{
    if (site->alonez == NULL)
        mica_buffer_format(out,
                           "<p class=\"actions\"><a class=\"button main\" "
                           "href=\"%s/host\">Try it in a host</a></p>\n",
                           slugz);
    mica_html(out, "</div>\n<div class=\"stack\">\n");
}

void
mica_page_app(const struct mica_site *site, const struct mica_page_app *app,
              struct mica_buffer *out)
{
    struct mica_site clients = *site;

    clients.namez = app->slugz; // the key in the files of clients
    write_head(site, app->name, app->description, out);
    write_host(site, app->slugz, out);
    write_widget(app, out);
    write_tool(app, out);
    mica_connect_write(&clients, out);
    mica_html(out, "</div>\n");
    mica_site_layout_close(site, out);
}

static void
write_members(const struct mica_site *site,
              const struct mica_page_collection *collection,
              struct mica_buffer *out)
{
    mica_html(out, "<section class=\"card\" aria-labelledby=\"apps-title\">\n"
                   "<header><h2 id=\"apps-title\">Its apps</h2></header>\n"
                   "<div class=\"body\">\n");
    for (size_t i = 0; i < collection->member_count; i++) {
        const struct mica_page_member *member = &collection->members[i];
        mica_html(out, "<h3>");
        if (site->alonez == NULL) // beside this page
            mica_buffer_format(out, "<a href=\"%.*s\">",
                               MICA_ARG(member->slug));
        mica_html_text(out, member->name);
        mica_html(out, site->alonez == NULL ? "</a>" : "");
        mica_html(out, "</h3>\n<p><code>");
        mica_html_text(out, member->tool);
        mica_html(out, "</code></p>\n<p class=\"message\">");
        mica_html_text(out, member->tool_description);
        mica_html(out, "</p>\n");
    }
    mica_html(out, "</div>\n</section>\n");
}

void
mica_page_collection(const struct mica_site *site,
                     const struct mica_page_collection *collection,
                     struct mica_buffer *out)
{
    struct mica_site clients = *site;

    clients.namez = collection->slugz;
    write_head(site, collection->name, collection->description, out);
    write_host(site, collection->slugz, out);
    write_members(site, collection, out);
    mica_connect_write(&clients, out);
    mica_html(out, "</div>\n");
    mica_site_layout_close(site, out);
}
