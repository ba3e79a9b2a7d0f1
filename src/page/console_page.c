// SPDX-License-Identifier: Apache-2.0
//
// The console: where people design apps, publish them, and see how they are used. Here
// is only the frame; web/console/console.js fills it from /api/apps.
//
// A preview is the document of a widget, which has scripts inside. A document that a
// script makes (srcdoc, blob:) is bound by the policy of the page that made it, which
// allows no script inside. So a preview lies in a frame of its own address, the stage:
// its policy gives it an origin that is equal to no other, and lets what is written into
// it run there.
#include "page/assets.h"
#include "page/connect_part.h"
#include "page/html.h"
#include "page/site.h"
#include "page/site_layout.h"

void
mica_page_console_policy(struct mica_buffer *out)
{
    mica_buffer_text(
        out, MICA_LITERAL(
                 "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
                 "style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                 "frame-src 'self'; form-action 'self'; base-uri 'none'; "
                 "frame-ancestors 'none'; manifest-src 'self'; "
                 "worker-src 'self'"));
}

// As MICA_WIDGET_CSP of apps/widget.h, but with another frame-ancestors.
void
mica_page_stage_policy(struct mica_buffer *out)
{
    mica_buffer_text(
        out,
        MICA_LITERAL("sandbox allow-scripts; default-src 'none'; "
                     "script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                     "img-src https: data:; base-uri 'none'; form-action "
                     "'none'; frame-ancestors 'self'"));
}

// Takes one document of the page around it, and is that document from then on: a document
// that is opened anew forgets its listeners.
void
mica_page_stage(struct mica_buffer *out)
{
    mica_html(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<title>Preview</title>\n<script>\n"
        "addEventListener(\"message\", ({ data, source }) => {\n"
        "  if (source !== parent || typeof data?.stage !== \"string\") return;\n"
        "  document.open();\n  document.write(data.stage);\n"
        "  document.close();\n});\n"
        "parent.postMessage({ stage: \"ready\" }, \"*\");\n"
        "</script>\n</head>\n<body></body>\n</html>\n");
}

// Where the rules are that run in the browser, if the program has them.
static void
write_rules(const struct mica_site *site, struct mica_buffer *out)
{
    const struct mica_asset *rules =
        mica_asset_find(&mica_rules_assets, MICA_LITERAL("app-rules.wasm"));

    if (rules != NULL)
        mica_buffer_format(out, " data-rules=\"%.*sweb/app-rules.wasm?v=%.*s\"",
                           MICA_ARG(site->root), MICA_PAGE_TAG, rules->sha256);
}

static void
write_places(const struct mica_site *site, struct mica_buffer *out)
{
    mica_html(out, "<noscript><p class=\"note\">This page needs JavaScript.</p>"
                   "</noscript>\n<div id=\"console\" class=\"stack\"");
    write_rules(site, out);
    mica_html(
        out,
        "></div>\n<p "
        "id=\"console-state\" class=\"visually-hidden\" role=\"status\"></p>\n"
        "<dialog id=\"console-dialog\" class=\"consent\" "
        "aria-labelledby=\"console-dialog-title\"></dialog>\n");
}

void
mica_page_console(const struct mica_site *site, struct mica_buffer *out)
{
    static const char *const modules[] = {"web/console/console.js",
                                          "web/console/api.js",
                                          "web/console/app_list.js",
                                          "web/console/app_editor.js",
                                          "web/console/collection_list.js",
                                          "web/console/saver.js",
                                          "web/hostpage/elements.js",
                                          "web/element.js",
                                          "web/ask.js",
                                          "web/press.js",
                                          "web/copy.js",
                                          NULL};

    mica_site_layout_open(site, mica_text("Apps"),
                          mica_text("Design, publish and watch apps"), out);
    mica_site_layout_stylesheet(site, "console/console.css", out);
    mica_site_layout_preload(site, modules, out);
    mica_site_layout_body(site, out);
    write_places(site, out);
    mica_connect_write_template(out);
    mica_site_layout_close(site, out);
}
