// SPDX-License-Identifier: Apache-2.0
//
// The page of one tool. An engine runs on it; what is native and does not ask is
// called on the server.
#include "page/assets.h"
#include "page/engine.h"
#include "page/html.h"
#include "page/page_form.h"
#include "page/shell.h"
#include "page/site.h"
#include "schema/outline.h"

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
    mica_html(out, "<h2 id=\"examples\">Examples</h2>\n"
                   "<ul class=\"presets\" aria-labelledby=\"examples\">\n");
    for (size_t i = 0; i < examples->count; i++)
        write_preset(out, &examples->items[i]);
    mica_html(out, "</ul>\n");
}

// ---- The result -----------------------------------------------------------------

static void
write_part(struct mica_buffer *out, const struct mica_json_member *member)
{
    mica_html(out, "<div hidden");
    mica_html_attribute(out, "data-result", member->name);
    mica_html(out, ">\n<dt>");
    for (size_t i = 0; i < member->name.len; i++) {
        char c = member->name.ptr[i] == '_' ? ' ' : member->name.ptr[i];
        if (i == 0 && c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        mica_html_text(out, (struct mica_text){&c, 1});
    }
    mica_html(out, "</dt>\n<dd class=\"value\"></dd>\n<dd class=\"help\">");
    mica_html_text(out, mica_json_get_text(&member->value, "description"));
    mica_html(out, "</dd>\n</div>\n");
}

static void
write_result(struct mica_buffer *out, const struct mica_json *schema)
{
    const struct mica_json *properties = mica_json_get(schema, "properties");
    mica_html(out,
              "<section class=\"result\" aria-labelledby=\"result-title\">\n"
              "<h2 id=\"result-title\">Result</h2>\n"
              "<p id=\"state\" role=\"status\">Loading…</p>\n"
              "<p id=\"failure\" class=\"error\" role=\"alert\" hidden></p>\n");
    mica_shell_progress(out);
    mica_html(out, "<dl id=\"result\">\n");
    for (size_t i = 0; properties != NULL && i < properties->count; i++)
        write_part(out, &properties->members[i]);
    mica_html(out, "</dl>\n<div class=\"copies\" role=\"group\" "
                   "aria-label=\"Copy\">\n");
    static const struct {
        const char *kindz, *wordz;
    } copies[] = {{"link", "Copy link"},
                  {"json", "Copy JSON"},
                  {"curl", "Copy curl"},
                  {"mcp", "Copy MCP call"},
                  {"cli", "Copy command"}};
    for (size_t i = 0; i < MICA_COUNT(copies); i++)
        mica_buffer_format(out,
                           "<button type=\"button\" data-copy=\"%s\">%s"
                           "</button>\n",
                           copies[i].kindz, copies[i].wordz);
    mica_html(out, "</div>\n<p id=\"copied\" role=\"status\"></p>\n"
                   "</section>\n");
}

// ---- The head -------------------------------------------------------------------

// What the page's module will ask for, so that it is on its way before.
static void
write_preloads(struct mica_buffer *out, const struct mica_site *site,
               const struct mica_definition *tool)
{
    static const char *const ours[] = {"web/ask.js", "web/exact.js",
                                       "web/form.js", "web/result.js", NULL};
    static const char *const engines[] = {"engines/_engine.js", NULL};

    mica_shell_preload(site, ours, out);
    if (tool->carried == NULL)
        return;
    mica_shell_preload(site, engines, out);
    mica_html(out, "<link rel=\"modulepreload\"");
    mica_shell_href(site, "engines/", out);
    mica_html_text(out, tool->name);
    mica_html(out, ".js\">\n<link rel=\"preload\" as=\"fetch\" crossorigin");
    mica_shell_href(site, "engines/", out);
    mica_html_text(out, tool->name);
    mica_html(out, ".wasm?v=");
    mica_html_text(out, mica_text_slice(tool->sha256, 0, MICA_PAGE_TAG));
    mica_html(out, "\">\n");
}

// ---- The page -------------------------------------------------------------------

static void
write_form(struct mica_buffer *out, const struct mica_site *site,
           const struct mica_definition *tool, const struct mica_json *schema)
{
    mica_html(out, "<form id=\"tool\" class=\"tool\" autocomplete=\"off\" "
                   "novalidate");
    mica_html_attribute(out, "data-tool", tool->name);
    if (tool->carried != NULL)
        mica_html(out, " data-engine");
    if (site->rest)
        mica_html(out, " data-rest");
    mica_html(out, ">\n<h2>Input</h2>\n");
    mica_form_write(out, schema, "f");
    mica_html(out, "<p class=\"error\" id=\"form-error\" hidden></p>\n"
                   "<details>\n<summary>The input as JSON</summary>\n"
                   "<label for=\"json\">JSON</label>\n<textarea id=\"json\" "
                   "rows=\"6\" spellcheck=\"false\"></textarea>\n</details>\n"
                   "<button type=\"submit\" id=\"run\">Run</button>\n"
                   "<button type=\"reset\">Clear</button>\n</form>\n");
}

static void
write_head(struct mica_buffer *out, const struct mica_site *site,
           const struct mica_definition *tool)
{
    mica_html(out, "<nav aria-label=\"Place\"><a");
    mica_shell_href(site, "", out);
    mica_html(out, "\">All tools</a>");
    if (tool->category.len > 0) {
        mica_html(out, " › ");
        mica_html_text(out, tool->category);
    }
    mica_html(out, "</nav>\n<h1>");
    mica_html_text(out, tool->title.len > 0 ? tool->title : tool->name);
    mica_html(out, "</h1>\n<p id=\"description\">");
    mica_html_text(out, tool->description);
    mica_html(out, "</p>\n");
    if (tool->carried_sha256[MICA_CARRIED_PAGE].len > 0) {
        mica_html(out, "<p><a");
        mica_shell_href(site, "tools/", out);
        mica_html_text(out, tool->name);
        mica_html(out, "/page\">The page that this tool brings</a></p>\n");
    }
    mica_html(out, "<noscript><p>This page needs JavaScript. "
                   "Without it, call the tool by its API.</p></noscript>\n");
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
    mica_shell_open(site, tool->title.len > 0 ? tool->title : tool->name,
                    tool->description, out);
    write_preloads(out, site, tool);
    mica_shell_body(site, out);
    write_head(out, site, tool);
    mica_html(out, "<div class=\"columns\">\n<div>\n");
    write_presets(out, &examples);
    write_form(out, site, tool, &input);
    mica_html(out, "</div>\n");
    write_result(out, &output);
    mica_html(out, "</div>\n<p id=\"runs\" class=\"runs\" "
                   "role=\"status\"></p>\n<template id=\"schema\">");
    mica_html_text(out, tool->input_schema);
    mica_html(out, "</template>\n");
    mica_shell_close(out);
    return MICA_OK;
}
