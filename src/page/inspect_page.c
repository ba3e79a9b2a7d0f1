// SPDX-License-Identifier: Apache-2.0
//
// The Inspector of `mica dev`: what clients have asked and what they were answered, and
// requests to try. Here is only the frame; web/inspect.js and web/try.js fill it.
#include "page/html.h"
#include "page/site.h"
#include "page/site_layout.h"

// ---- Exchanges -------------------------------------------------------------------

static void
write_list(struct mica_buffer *out)
{
    mica_html(
        out,
        "<section class=\"card\" aria-labelledby=\"list-title\">\n<header>"
        "<h2 id=\"list-title\">Requests</h2>\n<span id=\"count\" "
        "class=\"chip\" role=\"status\">0</span>\n<span class=\"right "
        "actions\"><button type=\"button\" class=\"small\" id=\"pause\" "
        "aria-pressed=\"false\">Pause</button>\n<button type=\"button\" "
        "class=\"small\" id=\"clear\">Clear</button></span></header>\n"
        "<form class=\"filters\" id=\"filters\" autocomplete=\"off\">\n"
        "<label class=\"visually-hidden\" for=\"surface\">Surface</label>"
        "<select id=\"surface\"><option value=\"\">All surfaces</option>"
        "<option value=\"mcp\">MCP</option><option value=\"sse\">MCP, "
        "2024-11-05</option><option value=\"rest\">REST</option></select>\n"
        "<label class=\"visually-hidden\" for=\"session\">Session</label>"
        "<select id=\"session\"><option value=\"\">All sessions</option>"
        "<option value=\"-\">Without a session</option></select>\n<label "
        "class=\"visually-hidden\" for=\"words\">Filter by text</label>"
        "<input type=\"search\" id=\"words\" placeholder=\"Filter by "
        "text\">\n</form>\n<p id=\"empty\" class=\"body help\">Nothing has "
        "been asked yet. Connect a client to <code data-endpoint=\"\">"
        "</code>, or try a request.</p>\n<p id=\"none\" class=\"body help\" "
        "hidden>No request fits these filters.</p>\n<ol id=\"exchanges\" "
        "class=\"exchanges\" aria-labelledby=\"list-title\"></ol>\n<footer "
        "id=\"forgotten\" hidden></footer>\n</section>\n");
}

static void
write_body(struct mica_buffer *out, const char *idz, const char *titlez)
{
    mica_buffer_format(out,
                       "<div class=\"block\"><h3>%s <small id=\"%s-size\">"
                       "</small></h3>\n<pre id=\"%s\" tabindex=\"0\" "
                       "role=\"group\" aria-label=\"%s\"></pre></div>\n",
                       titlez, idz, idz, titlez);
}

static void
write_detail(struct mica_buffer *out)
{
    mica_html(
        out,
        "<section class=\"card\" id=\"detail\" "
        "aria-labelledby=\"detail-title\" tabindex=\"-1\">\n<header><h2 "
        "id=\"detail-title\">Select a request</h2></header>\n<p "
        "id=\"unselected\" class=\"body help\">Its bytes, how long it took, "
        "and ways to send it again appear here. ↑ and ↓ move through the "
        "list.</p>\n<div class=\"body\" id=\"selected\" hidden>\n<dl "
        "class=\"facts\" id=\"facts\"></dl>\n<div class=\"actions\" "
        "role=\"group\" aria-label=\"This request\"><button type=\"button\" "
        "class=\"small main\" id=\"repeat\">Repeat</button>\n<button "
        "type=\"button\" class=\"small\" id=\"copy-curl\">Copy as curl"
        "</button>\n<button type=\"button\" class=\"small\" "
        "id=\"copy-transcript\">Copy as transcript</button></div>\n<p "
        "id=\"did\" class=\"help\" role=\"status\"></p>\n");
    write_body(out, "request", "Request");
    write_body(out, "reply", "Reply");
    mica_html(out, "</div>\n</section>\n");
}

// ---- Try -------------------------------------------------------------------------

static void
write_try(struct mica_buffer *out)
{
    mica_html(
        out,
        "<section class=\"card\" aria-labelledby=\"try-title\">\n<header>"
        "<h2 id=\"try-title\">Try a request</h2></header>\n<div "
        "class=\"body\">\n<div class=\"field\"><label for=\"revision\">"
        "Protocol revision</label><select id=\"revision\"></select><p "
        "class=\"help\" id=\"revision-help\"></p></div>\n<div "
        "class=\"field\"><label for=\"kind\">Kind</label><select "
        "id=\"kind\"><option value=\"tool\">Tool</option><option "
        "value=\"resource\">Resource</option><option value=\"prompt\">Prompt"
        "</option></select></div>\n<div class=\"field\"><label "
        "for=\"target\">Name</label><select id=\"target\"></select><p "
        "class=\"help\" id=\"target-help\"></p></div>\n<form "
        "id=\"arguments\" class=\"fields\" autocomplete=\"off\" novalidate>"
        "</form>\n<details id=\"as-json\"><summary class=\"help\">Arguments "
        "as JSON, and their schema</summary>\n<label "
        "class=\"visually-hidden\" for=\"arguments-json\">Arguments as JSON"
        "</label><textarea id=\"arguments-json\" rows=\"5\" "
        "spellcheck=\"false\"></textarea>\n<pre id=\"arguments-schema\" "
        "tabindex=\"0\" role=\"group\" aria-label=\"Schema of the "
        "arguments\"></pre></details>\n<p class=\"error\" id=\"try-error\" "
        "role=\"alert\" hidden></p>\n<div class=\"actions\"><button "
        "type=\"button\" class=\"main\" id=\"send\">Call</button>\n<button "
        "type=\"button\" id=\"subscribe\" aria-pressed=\"false\" hidden>"
        "Subscribe</button></div>\n</div>\n</section>\n"
        "<section class=\"card\" aria-labelledby=\"outcome-title\">\n<header>"
        "<h2 id=\"outcome-title\">Answer</h2>\n<span id=\"try-state\" "
        "class=\"chip right\" role=\"status\">Nothing sent</span></header>\n"
        "<div class=\"body\"><div id=\"questions\" class=\"stack\"></div>\n"
        "<pre id=\"outcome\" tabindex=\"0\" role=\"group\" "
        "aria-label=\"Answer\"></pre>\n<h3 id=\"told-title\">Told meanwhile"
        "</h3>\n<div role=\"log\" "
        "aria-labelledby=\"told-title\"><ol id=\"told\" class=\"log\">"
        "</ol></div></div>\n</section>\n");
}

// ---- The page --------------------------------------------------------------------

static void
write_tabs(struct mica_buffer *out)
{
    mica_html(
        out,
        "<div class=\"tabs\" role=\"tablist\" aria-label=\"Inspector\">\n"
        "<button type=\"button\" role=\"tab\" id=\"tab-requests\" "
        "aria-controls=\"pane-requests\" aria-selected=\"true\">Requests"
        "</button>\n<button type=\"button\" role=\"tab\" id=\"tab-try\" "
        "aria-controls=\"pane-try\" aria-selected=\"false\" tabindex=\"-1\">"
        "Try</button>\n</div>\n");
}

void
mica_page_inspect(const struct mica_site *site, struct mica_buffer *out)
{
    static const char *const modules[] = {"web/inspect.js", "web/exchange.js",
                                          "web/try.js",     "web/question.js",
                                          "web/mcp.js",     "web/ask.js",
                                          "web/press.js",   "web/copy.js",
                                          "web/exact.js",   "web/form.js",
                                          "web/grid.js",    "web/label.js",
                                          "web/element.js", NULL};

    mica_site_layout_open(site, mica_text("Inspector"),
                          mica_text("What clients ask this server"), out);
    mica_site_layout_preload(site, modules, out);
    mica_site_layout_body(site, out);
    mica_html(out, "<div class=\"head\">\n<nav class=\"crumb\" "
                   "aria-label=\"Place\"><a");
    mica_site_layout_href(site, "", out);
    mica_html(out,
              "\">All tools</a></nav>\n<div class=\"beside\"><h1>Inspector</h1>"
              "\n");
    write_tabs(out);
    mica_html(
        out,
        "</div>\n<p>What clients ask this server and what it answers, "
        "while you write its tools.</p>\n<noscript><p class=\"note\">This page needs "
        "JavaScript.</p></noscript>\n</div>\n<div id=\"inspect\" "
        "class=\"stack\">\n<div id=\"pane-requests\" class=\"pair\" "
        "role=\"tabpanel\" aria-labelledby=\"tab-requests\">\n");
    write_list(out);
    write_detail(out);
    mica_html(out, "</div>\n<div id=\"pane-try\" class=\"pair\" "
                   "role=\"tabpanel\" aria-labelledby=\"tab-try\" hidden>\n");
    write_try(out);
    mica_html(out, "</div>\n</div>\n");
    mica_site_layout_close(site, out);
}
