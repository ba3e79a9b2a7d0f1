// SPDX-License-Identifier: Apache-2.0
//
// The host page: calls the tools of the server, or of one published app, by hand, shows the
// views of their results, and lists the tools that these views have. Here is only the frame;
// web/hostpage/page.js fills it.
#include "page/app_page.h"
#include "page/html.h"
#include "page/site.h"
#include "page/site_layout.h"

// Nothing that runs, and nothing from elsewhere. Frames are of sandboxes alone: names
// below localhost, of which each is an origin of its own (src/http/sandbox_page.h).
void
mica_page_host_policy(struct mica_text port, struct mica_buffer *out)
{
    mica_buffer_format(
        out,
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; worker-src 'self'; "
        "frame-src http://*.localhost%.*s; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'",
        MICA_ARG(port));
}

static void
write_list(struct mica_buffer *out)
{
    mica_html(
        out,
        "<section class=\"card\" id=\"tools-card\" "
        "aria-labelledby=\"tools-title\">\n<header>"
        "<h2 id=\"tools-title\">Tools</h2>\n<span id=\"tool-count\" "
        "class=\"chip right\" role=\"status\">0</span></header>\n<form "
        "class=\"filters\" id=\"tool-filters\" autocomplete=\"off\">\n<label "
        "class=\"visually-hidden\" for=\"tool-words\">Filter the tools</label>"
        "<input type=\"search\" id=\"tool-words\" placeholder=\"Filter by "
        "text\">\n</form>\n<p id=\"tool-none\" class=\"body help\" hidden>No "
        "tool fits.</p>\n<div id=\"host-tools\" class=\"origins\"></div>\n"
        "</section>\n");
}

static void
write_call(struct mica_buffer *out)
{
    mica_html(
        out,
        "<section class=\"card\" id=\"call-card\" "
        "aria-labelledby=\"call-title\">\n<header><h2 id=\"call-title\">Choose "
        "a tool</h2>\n<span id=\"call-hints\" class=\"right actions\"></span>"
        "</header>\n<p id=\"call-none\" class=\"body help\">Its form appears "
        "here. ↑ and ↓ move through the list.</p>\n<div class=\"body\" "
        "id=\"call-part\" hidden>\n<p class=\"help\" id=\"call-origin\"></p>\n"
        "<p class=\"message\" id=\"call-words\"></p>\n<div id=\"call-form\">"
        "</div>\n<details id=\"call-as-json\"><summary class=\"help\">Arguments "
        "as JSON, and their schema</summary>\n<label "
        "class=\"visually-hidden\" for=\"call-json\">Arguments as JSON</label>"
        "<textarea id=\"call-json\" rows=\"5\" spellcheck=\"false\">{}"
        "</textarea>\n<pre id=\"call-schema\" tabindex=\"0\" role=\"group\" "
        "aria-label=\"Schema of the arguments\"></pre></details>\n<p "
        "class=\"error\" id=\"call-error\" role=\"alert\" hidden></p>\n<div "
        "class=\"actions\"><button type=\"button\" class=\"main\" "
        "title=\"Ctrl+Enter\" aria-keyshortcuts=\"Control+Enter Meta+Enter\" "
        "id=\"call-send\">Call</button></div>\n</div>\n<div id=\"questions\" "
        "class=\"stack\"></div>\n</section>\n");
}

static void
write_cards(struct mica_buffer *out)
{
    mica_html(
        out,
        "<h2 id=\"cards-title\" tabindex=\"-1\">Results and views</h2>\n<p "
        "id=\"cards-empty\" class=\"note\">Call a tool: its result appears "
        "here, with its view if it has one. Several stand side by side.</p>\n"
        "<div id=\"cards\" class=\"outcomes\"></div>\n<p id=\"host-state\" "
        "class=\"visually-hidden\" role=\"status\"></p>\n");
}

// One question at a time, of the view that the host names.
static void
write_dialog(struct mica_buffer *out)
{
    mica_html(
        out,
        "<dialog id=\"consent\" class=\"consent\" "
        "aria-labelledby=\"consent-title\" aria-describedby=\"consent-asks\">\n"
        "<h2 id=\"consent-title\"></h2>\n<p id=\"consent-asks\" class=\"help\">"
        "<span id=\"consent-who\"></span> asks.</p>\n<div "
        "id=\"consent-parts\" class=\"stack\"></div>\n<label class=\"check\">"
        "<input type=\"checkbox\" id=\"consent-always\"> Always for this view"
        "<span id=\"consent-for\"></span>, until it closes</label>\n<div "
        "class=\"actions\"><button "
        "type=\"button\" id=\"consent-refuse\" autofocus>Do not allow</button>"
        "<button type=\"button\" id=\"consent-allow\">Allow</button><button "
        "type=\"button\" id=\"consent-close\" class=\"quiet right\">Close the "
        "view</button></div>\n</dialog>\n");
}

static void
host_open(const struct mica_site *site, struct mica_text title,
          const char *descriptionz, struct mica_buffer *out)
{
    static const char *const modules[] = {"web/hostpage/page.js",
                                          "web/hostpage/view.js",
                                          "web/hostpage/server_client.js",
                                          "web/host/bridge.js",
                                          "web/view/peer.js",
                                          "web/question.js",
                                          "web/mcp.js",
                                          "web/ask.js",
                                          "web/press.js",
                                          "web/exact.js",
                                          "web/form.js",
                                          "web/grid.js",
                                          "web/element.js",
                                          NULL};

    mica_site_layout_open(site, title, mica_text(descriptionz), out);
    mica_site_layout_preload(site, modules, out);
    mica_site_layout_body(site, out);
    mica_html(out, "<div class=\"head\">\n<nav class=\"crumb\" "
                   "aria-label=\"Place\"><a");
}

// Behind the head: all that the script fills. `below` is the address of an app, from the
// root of the server, and empty for the page of the server itself.
static void
host_close(const struct mica_site *site, struct mica_buffer *out)
{
    mica_html(out,
              "<noscript><p class=\"note\">"
              "This page needs JavaScript.</p></noscript>\n<p id=\"host-note\" "
              "class=\"note bad\" role=\"alert\" hidden></p>\n</div>\n<div "
              "id=\"host\" class=\"stack\"");
    mica_html_attribute(out, "data-below", site->below);
    mica_html(out, ">\n<div class=\"pair\">\n");
    write_list(out);
    write_call(out);
    mica_html(out, "</div>\n");
    write_cards(out);
    mica_html(out, "</div>\n");
    write_dialog(out);
    mica_site_layout_close(site, out);
}

void
mica_page_host(const struct mica_site *site, struct mica_buffer *out)
{
    host_open(site, mica_text("Host"), "Calls tools and shows their views",
              out);
    mica_site_layout_href(site, "", out);
    mica_html(
        out,
        "\">All tools</a></nav>\n<h1>Host</h1>\n<p>Calls the tools of this "
        "server and shows their views, as the host of a conversation does. What "
        "a view wants to do is asked of you.</p>\n");
    host_close(site, out);
}

void
mica_page_app_host(const struct mica_site *site,
                   const struct mica_page_app *app, struct mica_buffer *out)
{
    host_open(site, app->name, "Calls the app and shows its widget", out);
    mica_buffer_format(out, " href=\"../%s\">", app->slugz);
    mica_html_text(out, app->name);
    mica_html(out, "</a></nav>\n<h1>Try <bdi>");
    mica_html_text(out, app->name);
    mica_html(
        out,
        "</bdi></h1>\n<p>A host of MCP Apps: it calls a tool as a model does, "
        "and shows the widget as a conversation does.</p>\n");
    host_close(site, out);
}
