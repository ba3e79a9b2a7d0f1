// SPDX-License-Identifier: Apache-2.0
//
// The catalog: every tool by its category, to be searched, and beside them how each
// client of the Model Context Protocol connects (connect_part.c).
#include "page/connect_part.h"
#include "page/html.h"
#include "page/label.h"
#include "page/site.h"
#include "page/site_layout.h"

static void
write_tool(struct mica_buffer *out, const struct mica_site *site,
           const struct mica_definition *tool)
{
    mica_html(out, "<li");
    mica_html_attribute(out, "data-words", tool->description);
    mica_html(out, "><a");
    mica_site_layout_href(site, "tools/", out);
    mica_html_text(out, tool->name);
    mica_html(out, "\"><b>");
    mica_html_text(out, tool->title.len > 0 ? tool->title : tool->name);
    mica_html(out, "</b> <code>");
    mica_html_text(out, tool->name);
    mica_html(out, "</code> <span>");
    mica_html_text(out, mica_label_sentence(tool->description));
    mica_html(out, "</span></a></li>\n");
}

// Whether a tool before this one has its category.
static bool
is_seen(const struct mica_definition_list *tools, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (mica_definition_for_models(tools->items[i]) &&
            mica_text_equal(tools->items[i]->category,
                            tools->items[at]->category))
            return true;
    return false;
}

// Is it in that part of the page? A tool for views alone is in none.
static bool
is_of_category(const struct mica_definition *tool, struct mica_text category)
{
    return mica_definition_for_models(tool) &&
           mica_text_equal(tool->category, category);
}

// The head of a category. Tools without one that stand alone need none: the page has it.
static void
open_category(struct mica_buffer *out, struct mica_text category, size_t first,
              size_t count, bool alone)
{
    if (category.len == 0 && alone) {
        mica_html(out, "<section class=\"card category\" "
                       "aria-label=\"Tools\">\n");
        return;
    }
    mica_buffer_format(out,
                       "<section class=\"card category\" "
                       "aria-labelledby=\"c%zu\">\n<header><h2 id=\"c%zu\">",
                       first, first);
    mica_html_text(out,
                   category.len > 0 ? category : MICA_LITERAL("Other tools"));
    mica_buffer_format(
        out, "</h2><span class=\"chip right\">%zu</span></header>\n", count);
}

static void
write_category(struct mica_buffer *out, const struct mica_site *site,
               const struct mica_definition_list *tools,
               struct mica_text category, size_t first)
{
    size_t count = 0;

    for (size_t i = first; i < tools->count; i++)
        count += is_of_category(tools->items[i], category);
    open_category(out, category, first, count,
                  count == mica_definitions_for_models(tools));
    mica_html(out, "<ul class=\"tools\">\n");
    for (size_t i = first; i < tools->count; i++)
        if (is_of_category(tools->items[i], category))
            write_tool(out, site, tools->items[i]);
    mica_html(out, "</ul>\n</section>\n");
}

// Each category once, where its first tool is; tools without one come last.
static void
write_categories(struct mica_buffer *out, const struct mica_site *site,
                 const struct mica_definition_list *tools)
{
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < tools->count; i++) {
            struct mica_text category = tools->items[i]->category;
            if (mica_definition_for_models(tools->items[i]) &&
                (category.len == 0) == (others == 1) && !is_seen(tools, i))
                write_category(out, site, tools, category, i);
        }
}

static void
write_head(struct mica_buffer *out, const struct mica_site *site,
           struct mica_text words, size_t count)
{
    mica_html(out, "<div class=\"head\">\n<h1>");
    mica_html_text(out, mica_text(site->titlez));
    mica_html(out, "</h1>\n<p>");
    mica_html_text(out, words);
    mica_buffer_format(out,
                       "</p>\n<p id=\"found\" class=\"crumb\" role=\"status\">"
                       "%zu %s</p>\n</div>\n",
                       count, count == 1 ? "tool" : "tools");
}

// What is there when a search finds nothing, or when there are no tools at all.
static void
write_empty(struct mica_buffer *out, size_t count)
{
    mica_html(out, count > 0 ? "<div id=\"nothing\" class=\"card\" hidden>"
                             : "<div class=\"card\">");
    mica_html(out, "<div class=\"body\">\n");
    if (count > 0)
        mica_html(
            out,
            "<p>No tool has all of these words: <b id=\"sought\"></b>. Try "
            "fewer or other ones.</p>\n<p id=\"near\" hidden></p>\n"
            "<p class=\"actions\"><button type=\"button\" id=\"all\">Show "
            "all tools</button></p>\n");
    else
        mica_html(
            out,
            "<p>This server has no tools yet. <code>mica new my-tool</code> "
            "writes the first one, and <code>mica dev</code> serves it while "
            "you change it.</p>\n");
    mica_html(out, "</div></div>\n");
}

void
mica_page_catalog(const struct mica_site *site,
                  const struct mica_catalog *catalog, struct mica_buffer *out)
{
    static const char *const modules[] = {
        "web/ask.js", "web/press.js", "web/catalog.js", "web/copy.js", NULL};
    const struct mica_definition_list *tools =
        &catalog->lists[MICA_DEFINITION_TOOL];
    struct mica_text words = mica_text(
        site->descriptionz != NULL ? site->descriptionz
                                   : "Tools for people, agents and programs.");
    mica_site_layout_open(site, mica_text(""), words, out);
    mica_site_layout_preload(site, modules, out);
    mica_site_layout_body(site, out);
    write_head(out, site, words, mica_definitions_for_models(tools));
    mica_html(out, "<div class=\"shelf\">\n<div class=\"stack\">\n");
    write_empty(out, mica_definitions_for_models(tools));
    write_categories(out, site, tools);
    mica_html(out, "</div>\n");
    mica_connect_write(site, out);
    mica_html(out, "</div>\n");
    mica_site_layout_close(site, out);
}
