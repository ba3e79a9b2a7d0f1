// SPDX-License-Identifier: Apache-2.0
//
// The page of one tool. An engine runs on it; what is native and does not ask is
// called on the server.
#include "page/assets.h"
#include "page/engine.h"
#include "page/html.h"
#include "page/label.h"
#include "page/page_form.h"
#include "page/site.h"
#include "page/site_layout.h"
#include "page/tool_words.h"

void
mica_page_engine_of(const struct mica_definition *definition,
                    struct mica_page_engine *engine_out)
{
    *engine_out = (struct mica_page_engine){
        .slug = definition->name,
        .title = definition->title,
        .description = definition->description,
        .input_schema = definition->input_schema,
        .output_schema = definition->output_schema,
        .examples = definition->examples,
        .sha256 = definition->sha256,
        .fallback_sha256 = definition->carried_sha256[MICA_CARRIED_FALLBACK],
        .memory_bytes = definition->memory_bytes};
}

// ---- Presets --------------------------------------------------------------------

static void
write_preset(struct mica_buffer *out, const struct mica_json *example)
{
    const struct mica_json *input = mica_json_get(example, "input");
    if (input == NULL)
        return;
    mica_html(out, "<li><button type=\"button\" class=\"preset\"");
    mica_html_attribute(out, "data-input", input->raw);
    mica_html(out, ">");
    mica_html_text(out, mica_json_get_text(example, "title"));
    mica_html(out, "</button></li>\n");
}

static void
write_presets(struct mica_buffer *out, const struct mica_json *examples)
{
    if (examples->count == 0)
        return;
    mica_html(out, "<details class=\"menu right\" id=\"examples\">\n<summary>"
                   "Examples</summary>\n<ul>\n");
    for (size_t i = 0; i < examples->count; i++)
        write_preset(out, &examples->items[i]);
    mica_html(out, "</ul>\n</details>\n");
}

// ---- The result -----------------------------------------------------------------

static void
write_tabs(struct mica_buffer *out)
{
    static const struct {
        const char *namez, *wordz;
    } tabs[] = {{"answer", "Answer"}, {"json", "JSON"}, {"code", "Code"}};

    mica_html(out, "<div class=\"tabs right\" role=\"tablist\" "
                   "aria-label=\"Result as\">\n");
    for (size_t i = 0; i < MICA_COUNT(tabs); i++)
        mica_buffer_format(out,
                           "<button type=\"button\" role=\"tab\" id=\"tab-%s\" "
                           "aria-controls=\"pane-%s\" aria-selected=\"%s\"%s>%s"
                           "</button>\n",
                           tabs[i].namez, tabs[i].namez,
                           i == 0 ? "true" : "false",
                           i == 0 ? "" : " tabindex=\"-1\"", tabs[i].wordz);
    mica_html(out, "</div>\n");
}

static void
write_code(struct mica_buffer *out)
{
    static const struct {
        const char *kindz, *wordz;
    } codes[] = {{"curl", "Over HTTP"},
                 {"mcp", "As a message of MCP"},
                 {"cli", "In a terminal"}};

    for (size_t i = 0; i < MICA_COUNT(codes); i++)
        mica_buffer_format(out,
                           "<h3>%s</h3>\n<pre tabindex=\"0\" role=\"group\" "
                           "aria-label=\"%s\" data-code=\"%s\"></pre>\n",
                           codes[i].wordz, codes[i].wordz, codes[i].kindz);
}

static void
write_copies(struct mica_buffer *out)
{
    static const struct {
        const char *kindz, *wordz;
    } copies[] = {{"link", "Copy link"},
                  {"json", "Copy JSON"},
                  {"curl", "Copy curl"},
                  {"mcp", "Copy MCP call"},
                  {"cli", "Copy command"}};

    mica_html(out, "<footer id=\"copies\" role=\"group\" aria-label=\"Copy\" "
                   "hidden>\n");
    for (size_t i = 0; i < MICA_COUNT(copies); i++)
        mica_buffer_format(out,
                           "<button type=\"button\" class=\"small\" "
                           "data-copy=\"%s\">%s</button>\n",
                           copies[i].kindz, copies[i].wordz);
    mica_html(out, "<span id=\"copied\" role=\"status\"></span></footer>\n");
}

static void
write_result(struct mica_buffer *out, const struct mica_definition *tool)
{
    mica_html(out, "<section class=\"card result\" "
                   "aria-labelledby=\"result-title\">\n<header><h2 "
                   "id=\"result-title\">Result</h2>\n");
    write_tabs(out);
    mica_html(out,
              "</header>\n<div class=\"body\">\n"
              "<p id=\"state\" class=\"state loud\" role=\"status\">Loading…"
              "</p>\n<p id=\"failure\" class=\"note bad\" role=\"alert\" "
              "hidden></p>\n");
    mica_site_layout_progress(out);
    mica_html(out, "<div id=\"pane-answer\" role=\"tabpanel\" "
                   "aria-labelledby=\"tab-answer\"><div id=\"result\" "
                   "class=\"parts\"></div></div>\n<div id=\"pane-json\" "
                   "role=\"tabpanel\" aria-labelledby=\"tab-json\" hidden>"
                   "<pre tabindex=\"0\" role=\"group\" aria-label=\"JSON\" "
                   "id=\"result-json\"></pre></div>\n<div id=\"pane-code\" "
                   "role=\"tabpanel\" aria-labelledby=\"tab-code\" hidden>"
                   "<div class=\"parts\">\n");
    write_code(out);
    mica_html(out, "</div></div>\n</div>\n");
    write_copies(out);
    mica_html(out, "<template id=\"output\">");
    mica_html_text(out, tool->output_schema);
    mica_html(out, "</template>\n</section>\n");
}

// ---- The head -------------------------------------------------------------------

// What the page's module will ask for, so that it is on its way before.
static void
write_preloads(struct mica_buffer *out, const struct mica_site *site,
               const struct mica_definition *tool)
{
    static const char *const ours[] = {"web/ask.js",     "web/press.js",
                                       "web/tool.js",    "web/copy.js",
                                       "web/exact.js",   "web/form.js",
                                       "web/grid.js",    "web/result.js",
                                       "web/table.js",   "web/chart.js",
                                       "web/label.js",   "web/number.js",
                                       "web/element.js", NULL};
    static const char *const engines[] = {"engines/_engine.js", NULL};

    mica_site_layout_preload(site, ours, out);
    if (tool->carried == NULL)
        return;
    mica_site_layout_preload(site, engines, out);
    mica_html(out, "<link rel=\"modulepreload\"");
    mica_site_layout_href(site, "engines/", out);
    mica_html_text(out, tool->name);
    mica_html(out, ".js\">\n<link rel=\"preload\" as=\"fetch\" crossorigin");
    mica_site_layout_href(site, "engines/", out);
    mica_html_text(out, tool->name);
    mica_html(out, ".wasm?v=");
    mica_html_text(out, mica_text_slice(tool->sha256, 0, MICA_PAGE_TAG));
    mica_html(out, "\">\n");
}

// ---- The page -------------------------------------------------------------------

static void
write_form(struct mica_buffer *out, const struct mica_site *site,
           const struct mica_definition *tool, const struct mica_json *schema,
           const struct mica_json *examples)
{
    mica_html(out, "<form id=\"tool\" class=\"card\" autocomplete=\"off\" "
                   "aria-labelledby=\"input-title\" novalidate");
    mica_html_attribute(out, "data-tool", tool->name);
    if (tool->carried != NULL)
        mica_html(out, " data-engine");
    if (site->rest)
        mica_html(out, " data-rest");
    mica_html(out, ">\n<header><h2 id=\"input-title\">Input</h2>\n");
    write_presets(out, examples);
    mica_html(out, "</header>\n<div class=\"body\" id=\"fields\">\n");
    mica_form_write(out, schema, "f", false);
    mica_html(
        out,
        "</div>\n<div class=\"body\">\n<p class=\"error\" id=\"form-error\" "
        "role=\"alert\" hidden></p>\n<div class=\"actions\"><button "
        "type=\"submit\" class=\"main\" id=\"run\">Run</button>\n"
        "<button type=\"reset\" class=\"quiet\">Clear</button></div>\n"
        "<details>\n<summary class=\"help\">The input as JSON</summary>\n"
        "<label class=\"visually-hidden\" for=\"json\">JSON</label>\n"
        "<textarea id=\"json\" rows=\"6\" spellcheck=\"false\"></textarea>\n"
        "</details>\n</div>\n</form>\n");
}

static void
write_head(struct mica_buffer *out, const struct mica_site *site,
           const struct mica_definition *tool)
{
    mica_html(out, "<div class=\"head\">\n<nav class=\"crumb\" "
                   "aria-label=\"Place\"><a");
    mica_site_layout_href(site, "", out);
    mica_html(out, "\">All tools</a>");
    if (tool->category.len > 0) {
        mica_html(out, " › ");
        mica_html_text(out, tool->category);
    }
    mica_html(out, "</nav>\n<h1>");
    mica_html_text(out, tool->title.len > 0 ? tool->title : tool->name);
    mica_html(out, "</h1>\n<p>");
    mica_html_text(out, mica_label_sentence(tool->description));
    mica_html(out, "</p>\n<p id=\"runs\" class=\"runs\" role=\"status\">");
    mica_html(out, tool->carried != NULL
                       ? "Runs in this browser. What you type stays here."
                       : "Runs on the server. What you type is sent to it.");
    mica_html(out, "</p>\n");
    if (tool->carried_sha256[MICA_CARRIED_PAGE].len > 0) {
        mica_html(out, "<p><a");
        mica_site_layout_href(site, "tools/", out);
        mica_html_text(out, tool->name);
        mica_html(out, "/page\">The page that this tool brings</a></p>\n");
    }
    mica_html(out, "<noscript><p class=\"note\">This page needs JavaScript. "
                   "Without it, call the tool by its API.</p></noscript>\n"
                   "</div>\n");
}

// Empty texts are no JSON.
static enum mica_status
manifest_read(struct mica_arena *arena, struct mica_text json,
              struct mica_error *error, struct mica_json *value_out)
{
    return mica_json_read(arena, json.len > 0 ? json : mica_text("[]"), NULL,
                          error, value_out);
}

enum mica_status
mica_page_tool(const struct mica_site *site, const struct mica_definition *tool,
               struct mica_arena *arena, struct mica_error *error,
               struct mica_buffer *out)
{
    struct mica_json input, output, examples;
    MICA_TRY(manifest_read(arena, tool->input_schema, error, &input));
    MICA_TRY(manifest_read(arena, tool->output_schema, error, &output));
    MICA_TRY(manifest_read(arena, tool->examples, error, &examples));
    mica_site_layout_open(site, tool->title.len > 0 ? tool->title : tool->name,
                          tool->description, out);
    write_preloads(out, site, tool);
    mica_site_layout_body(site, out);
    write_head(out, site, tool);
    mica_html(out, "<div class=\"columns\">\n");
    write_form(out, site, tool, &input, &examples);
    write_result(out, tool);
    mica_words_write(tool, &input, &output, out);
    mica_html(out, "</div>\n<a id=\"glance\" class=\"glance\" "
                   "href=\"#result-title\" hidden><span></span> <b></b></a>\n"
                   "<template id=\"schema\">");
    mica_html_text(out, tool->input_schema);
    mica_html(out, "</template>\n");
    mica_site_layout_close(site, out);
    return MICA_OK;
}
