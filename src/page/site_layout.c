// SPDX-License-Identifier: Apache-2.0
//
// The layout of every page. What it loads is named with the hash of its bytes,
// so that a browser keeps it for ever and still sees a new one at once.
#include "page/site_layout.h"

#include "base/assert.h"
#include "page/assets.h"
#include "page/html.h"

void
mica_site_layout_href(const struct mica_site *site, const char *pathz,
                      struct mica_buffer *out)
{
    mica_buffer_format(out, " href=\"%.*s%s", MICA_ARG(site->root), pathz);
}

void
mica_site_layout_preload(const struct mica_site *site, const char *const *names,
                         struct mica_buffer *out)
{
    for (; *names != NULL; names++) {
        mica_html(out, "<link rel=\"modulepreload\"");
        mica_site_layout_href(site, *names, out);
        mica_html(out, "\">\n");
    }
}

static void
write_asset(struct mica_buffer *out, const struct mica_site *site,
            const char *namez)
{
    const struct mica_asset *asset =
        mica_asset_find(&mica_page_assets, mica_text(namez));
    MICA_ASSERT(asset != NULL);
    mica_buffer_format(out, "%.*sweb/%s?v=%.*s", MICA_ARG(site->root), namez,
                       MICA_PAGE_TAG, asset->sha256);
}

// The server's own icon where the policy lets it be shown; else ours.
static void
write_icon(struct mica_buffer *out, const struct mica_site *site,
           const char *attributez)
{
    mica_buffer_format(out, " %s=\"", attributez);
    if (site->icon.len > 0)
        mica_html_text(out, site->icon);
    else
        write_asset(out, site, "icon.svg");
    mica_html(out, "\"");
}

void
mica_site_layout_stylesheet(const struct mica_site *site, const char *namez,
                            struct mica_buffer *out)
{
    mica_html(out, "<link rel=\"stylesheet\" href=\"");
    write_asset(out, site, namez);
    mica_html(out, "\">\n");
}

void
mica_site_layout_open(const struct mica_site *site, struct mica_text title,
                      struct mica_text description, struct mica_buffer *out)
{
    mica_html(out, "<!doctype html>\n<html lang=\"en\"");
    if (site->develops)
        mica_html_number(out, "data-dev", (size_t)site->revision);
    mica_html(out,
              ">\n<head>\n"
              "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
              "content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    mica_html_text(out, title);
    mica_html(out, title.len > 0 ? " – " : "");
    mica_html_text(out, mica_text(site->titlez));
    mica_html(out, "</title>\n<meta name=\"description\"");
    mica_html_attribute(out, "content", description);
    mica_html(out, ">\n<link rel=\"icon\"");
    write_icon(out, site, "href");
    mica_html(out, ">\n");
    mica_site_layout_stylesheet(site, "design.css", out);
    mica_site_layout_stylesheet(site, "style.css", out);
    mica_html(out, "<script type=\"module\" src=\"");
    write_asset(out, site, "page.js");
    mica_html(out, "\"></script>\n");
}

// The search leads to the front page; there web/catalog.js searches as one types.
static void
write_search(struct mica_buffer *out, const struct mica_site *site)
{
    mica_buffer_format(out,
                       "<form class=\"find\" role=\"search\" id=\"search\" "
                       "action=\"%.*s\">\n",
                       MICA_ARG(site->root));
    mica_html(out,
              "<label class=\"visually-hidden\" for=\"query\">Search the "
              "tools</label>\n<input type=\"search\" id=\"query\" name=\"q\" "
              "placeholder=\"Search the tools\" autocomplete=\"off\">"
              "<kbd aria-hidden=\"true\">/</kbd>\n</form>\n");
}

// Who is signed in, and the button that ends it: a form, as a link could be followed by
// a page of another site.
static void
write_person(struct mica_buffer *out, const struct mica_site *site)
{
    if (site->person.len == 0)
        return;
    mica_html(out, "<form class=\"person\" method=\"post\"");
    mica_html_attribute(out, "action", site->logout);
    mica_html(out, "><span");
    mica_html_attribute(out, "title", site->person);
    mica_html(out, "><span class=\"visually-hidden\">Signed in as </span>");
    mica_html_text(out, site->person);
    mica_html(out, "</span><button class=\"small\">Sign out</button></form>\n");
}

void
mica_site_layout_body(const struct mica_site *site, struct mica_buffer *out)
{
    mica_html(out, "</head>\n<body>\n"
                   "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
                   "<header class=\"bar\"><div>\n<a class=\"brand\"");
    mica_site_layout_href(site, "", out);
    mica_html(out, "\"><img alt=\"\" width=\"24\" height=\"24\"");
    write_icon(out, site, "src");
    mica_html(out, "><span>");
    mica_html_text(
        out, mica_text(site->alonez != NULL ? site->alonez : site->titlez));
    mica_html(out, "</span></a>\n");
    if (site->alonez == NULL)
        write_search(out, site);
    mica_html(out, "<nav aria-label=\"Server\">\n<a");
    mica_site_layout_href(site, "", out);
    mica_html(out, "#connect\">Connect</a>\n");
    if (site->consolez != NULL) {
        mica_html(out, "<a");
        mica_site_layout_href(site, site->consolez, out);
        mica_html(out, "\">Apps</a>\n");
    }
    if (site->rest) {
        mica_html(out, "<a");
        mica_site_layout_href(site, "openapi.json", out);
        mica_html(out, "\">OpenAPI</a>\n");
    }
    if (site->host_pagez != NULL) {
        mica_html(out, "<a");
        mica_site_layout_href(site, site->host_pagez, out);
        mica_html(out, "\">Host</a>\n");
    }
    if (site->develops) {
        mica_html(out, "<a");
        mica_site_layout_href(site, "inspect", out);
        mica_html(out, "\">Inspector</a>\n");
    }
    if (site->website.len > 0) {
        mica_html(out, "<a rel=\"noopener\"");
        mica_html_attribute(out, "href", site->website);
        mica_html(out, ">Website</a>\n");
    }
    mica_html(out, "</nav>\n");
    write_person(out, site);
    mica_html(out, "</div></header>\n<main id=\"main\">\n");
}

void
mica_site_layout_progress(struct mica_buffer *out)
{
    mica_html(out, "<progress id=\"progress\" aria-label=\"Progress\" hidden>"
                   "</progress>\n<div role=\"log\" aria-label=\"What the tool "
                   "tells\"><ol id=\"log\" class=\"log\"></ol></div>\n");
}

void
mica_site_layout_close(const struct mica_site *site, struct mica_buffer *out)
{
    mica_html(out, "</main>\n<footer class=\"foot\"><span>");
    mica_html_text(out, mica_text(site->namez));
    mica_html(out, " ");
    mica_html_text(out, mica_text(site->versionz));
    mica_html(out,
              "</span><span>The same answer here, for agents, over HTTP and "
              "in a terminal.</span></footer>\n</body>\n</html>\n");
}

void
mica_page_policy(struct mica_buffer *out)
{
    mica_buffer_text(
        out, MICA_LITERAL(
                 "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
                 "style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                 "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
                 "manifest-src 'self'; worker-src 'self'"));
}

// Without allow-same-origin the browser gives the page an origin that is equal
// to no other, so it can read nothing of the server and of its pages, and what
// it sends says "Origin: null". data: is where its engine is.
void
mica_page_sandbox(struct mica_text hashes, struct mica_buffer *out)
{
    const char *space = hashes.len > 0 ? " " : "";
    mica_buffer_format(
        out,
        "sandbox allow-scripts allow-forms; default-src 'none'; "
        "script-src data: 'wasm-unsafe-eval'%s%.*s; style-src 'self'%s%.*s; "
        "img-src 'self' data:; connect-src data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'",
        space, MICA_ARG(hashes), space, MICA_ARG(hashes));
}
