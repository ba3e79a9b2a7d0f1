// SPDX-License-Identifier: Apache-2.0
//
// The catalog: every tool by its category, a field to search them, and how a
// client of the Model Context Protocol gets at them.
#include "page/html.h"
#include "page/shell.h"
#include "page/site.h"

static struct mica_text
category_of(const struct mica_definition *tool)
{
    return tool->category.len > 0 ? tool->category : mica_text("tools");
}

static void
write_tool(struct mica_buffer *out, const struct mica_site *site,
           const struct mica_definition *tool)
{
    mica_html(out, "<li class=\"card\"><a");
    mica_shell_href(site, "tools/", out);
    mica_html_text(out, tool->name);
    mica_html(out, "\">");
    mica_html_text(out, tool->title.len > 0 ? tool->title : tool->name);
    mica_html(out, "</a> <code>");
    mica_html_text(out, tool->name);
    mica_html(out, "</code>\n<p>");
    mica_html_text(out, tool->description);
    mica_html(out, "</p></li>\n");
}

// Whether a tool before this one has its category.
static bool
is_seen(const struct mica_definition_list *tools, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (mica_text_equal(category_of(tools->items[i]),
                            category_of(tools->items[at])))
            return true;
    return false;
}

static void
write_category(struct mica_buffer *out, const struct mica_site *site,
               const struct mica_definition_list *tools, size_t first)
{
    struct mica_text category = category_of(tools->items[first]);
    mica_buffer_format(out,
                       "<section class=\"category\" "
                       "aria-labelledby=\"c%zu\">\n<h2 id=\"c%zu\">",
                       first, first);
    mica_html_text(out, category);
    mica_html(out, "</h2>\n<ul class=\"cards\">\n");
    for (size_t i = first; i < tools->count; i++)
        if (mica_text_equal(category_of(tools->items[i]), category))
            write_tool(out, site, tools->items[i]);
    mica_html(out, "</ul>\n</section>\n");
}

// A key of a configuration file: letters that no program stumbles over.
static void
write_key(struct mica_buffer *out, const char *namez)
{
    for (const char *at = namez; *at != '\0'; at++) {
        char low = (char)(*at | 0x20);
        bool plain = (low >= 'a' && low <= 'z') || (*at >= '0' && *at <= '9') ||
                     *at == '-' || *at == '_';
        mica_buffer_char(out, plain ? *at : '-');
    }
}

// A path of the server as clients have it.
static void
write_address(struct mica_buffer *out, const struct mica_site *site,
              const char *pathz)
{
    mica_html_text(out, site->base);
    mica_html(out, pathz);
}

static void
write_client(struct mica_buffer *out, const struct mica_site *site)
{
    mica_html(out,
              "<section aria-labelledby=\"mcp\">\n<h2 id=\"mcp\">For agents "
              "and programs</h2>\n<p>This is a server of the Model Context "
              "Protocol (MCP). Its endpoint is <code>");
    write_address(out, site, "/mcp");
    mica_html(out, "</code>; <code>");
    write_address(out, site, "/healthz");
    mica_html(out, "</code> says how it is.");
    if (site->rest) {
        mica_html(out, " Programs without MCP call <code>");
        write_address(out, site, "/api");
        mica_html(out, "</code>, which <a");
        mica_shell_href(site, "openapi.json", out);
        mica_html(out, "\">OpenAPI</a> describes.");
    }
    mica_html(out,
              " A client is configured like this:</p>\n<pre tabindex=\"0\" "
              "aria-label=\"Configuration of a client\">{\n  "
              "&quot;mcpServers&quot;: {\n    &quot;");
    write_key(out, site->namez);
    mica_html(out,
              "&quot;: {\n      &quot;type&quot;: &quot;http&quot;,\n      "
              "&quot;url&quot;: &quot;<span id=\"endpoint\"");
    if (site->endpoint.len > 0) {
        mica_html(out, " data-known>");
        mica_html_text(out, site->endpoint);
    } else {
        mica_html(out, ">http://");
        mica_html_text(out, site->host);
        write_address(out, site, "/mcp");
    }
    mica_html(out, "</span>&quot;\n    }\n  }\n}</pre>\n</section>\n");
}

void
mica_page_catalog(const struct mica_site *site,
                  const struct mica_catalog *catalog, struct mica_buffer *out)
{
    const struct mica_definition_list *tools =
        &catalog->lists[MICA_DEFINITION_TOOL];
    struct mica_text words = mica_text(
        site->descriptionz != NULL ? site->descriptionz
                                   : "Tools for people, agents and programs.");
    mica_shell_open(site, mica_text(""), words, out);
    mica_shell_body(site, out);
    mica_html(out, "<h1>");
    mica_html_text(out, mica_text(site->titlez));
    mica_html(out, "</h1>\n<p>");
    mica_html_text(out, words);
    mica_html(out,
              "</p>\n<form class=\"search\" role=\"search\" id=\"search\">\n"
              "<label for=\"query\">Search the tools</label>\n"
              "<input type=\"search\" id=\"query\" name=\"q\" "
              "autocomplete=\"off\">\n<p id=\"found\" role=\"status\">");
    mica_buffer_format(out, "%zu tools</p>\n</form>\n", tools->count);
    for (size_t i = 0; i < tools->count; i++)
        if (!is_seen(tools, i))
            write_category(out, site, tools, i);
    write_client(out, site);
    mica_shell_close(out);
}

void
mica_page_missing(const struct mica_site *site, struct mica_text path,
                  struct mica_buffer *out)
{
    mica_shell_open(site, mica_text("Not found"), mica_text("Not found"), out);
    mica_shell_body(site, out);
    mica_html(out, "<h1>There is no such page</h1>\n<p>Nothing is at <code>");
    mica_html_text(out, path);
    mica_html(out, "</code>. <a");
    mica_shell_href(site, "", out);
    mica_html(out, "\">All tools</a> are on the front page.</p>\n");
    mica_shell_close(out);
}
