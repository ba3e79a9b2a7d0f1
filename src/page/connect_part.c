// SPDX-License-Identifier: Apache-2.0
//
// The clients and what each takes: one table. web/connect.js copies a block, and
// writes the address that the browser came by where the server was told none. The
// console fills a template of the same table (web/console/connect_view.js).
#include "page/connect_part.h"

#include <string.h>

#include "page/html.h"
#include "page/site_layout.h"

// In `codez` K stands for the key and U for the address of the endpoint.
static const struct client {
    const char *titlez, *wordsz, *labelz, *codez;
} clients[] = {
    {"Claude Code", "In a terminal:", "Command for Claude Code",
     "claude mcp add --transport http K U"},
    {"VS Code", "In a terminal:", "Command for VS Code",
     "code --add-mcp '{\"name\":\"K\",\"type\":\"http\",\"url\":\"U\"}'"},
    {"Cursor", "In ~/.cursor/mcp.json:", "Configuration of Cursor",
     "{\n  \"mcpServers\": {\n    \"K\": {\n      \"url\": \"U\"\n    }\n  }\n}"},
    {"Codex", "In ~/.codex/config.toml:", "Configuration of Codex",
     "[mcp_servers.K]\nurl = \"U\""},
    {"Gemini CLI", "In a terminal:", "Command for Gemini CLI",
     "gemini mcp add --transport http K U"},
    {"Claude Desktop", "Settings, Connectors, Add custom connector:",
     "Address for Claude Desktop", "U"},
    {"Another client",
     "Most clients have a file that takes this:", "Configuration of a client",
     "{\n  \"mcpServers\": {\n    \"K\": {\n      \"type\": \"http\",\n      "
     "\"url\": \"U\"\n    }\n  }\n}"}};

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
write_endpoint(struct mica_buffer *out, const struct mica_site *site)
{
    mica_html(out, "<span data-endpoint");
    if (site->endpoint.len > 0) {
        mica_html(out, "=\"known\">");
        mica_html_text(out, site->endpoint);
    } else {
        mica_html(out, ">http://");
        mica_html_text(out, site->host);
        write_address(out, site, "/mcp");
    }
    mica_html(out, "</span>");
}

// Without a site key and address are left open.
static void
write_code(struct mica_buffer *out, const struct mica_site *site,
           const char *labelz, const char *codez)
{
    mica_buffer_format(out,
                       "<div class=\"code\"><pre tabindex=\"0\" role=\"group\" "
                       "aria-label=\"%s\">",
                       labelz);
    for (const char *at = codez; *at != '\0'; at++) {
        if (site == NULL && (*at == 'K' || *at == 'U'))
            mica_html(out, *at == 'K' ? "<span data-app-key></span>"
                                      : "<span data-app-url></span>");
        else if (*at == 'K')
            write_key(out, site->namez);
        else if (*at == 'U')
            write_endpoint(out, site);
        else
            mica_html_text(out, (struct mica_text){at, 1});
    }
    mica_buffer_format(
        out,
        "</pre><button type=\"button\" class=\"small\" "
        "data-copies aria-label=\"Copy: %s\">Copy</button></div>\n",
        labelz);
}

static void
write_clients(struct mica_buffer *out, const struct mica_site *site)
{
    for (size_t i = 0; i < MICA_COUNT(clients); i++) {
        const struct client *client = &clients[i];
        mica_buffer_format(
            out,
            "<details name=\"connect\"%s>\n<summary>%s</summary>\n"
            "<div><p>%s</p>\n",
            i == 0 ? " open" : "", client->titlez, client->wordsz);
        write_code(out, site, client->labelz, client->codez);
        mica_html(out, "</div>\n</details>\n");
    }
}

// What speaks no MCP.
static void
write_rest(struct mica_buffer *out, const struct mica_site *site)
{
    mica_html(out,
              "<details name=\"connect\">\n<summary>Without MCP</summary>\n"
              "<div><p>Programs call <code>");
    write_address(out, site, "/api");
    mica_html(out, "/TOOL</code>, which <a");
    mica_site_layout_href(site, "", out);
    mica_html_text(out, site->below);
    mica_html(out, "openapi.json\">OpenAPI</a> describes.");
    if (site->below.len == 0 && site->alonez == NULL) {
        mica_html(out, " <code>");
        write_address(out, site, "/healthz");
        mica_html(out, "</code> says how the server is.");
    }
    mica_html(out, "</p></div>\n</details>\n");
}

void
mica_connect_write(const struct mica_site *site, struct mica_buffer *out)
{
    mica_html(out, "<aside class=\"card connect\" id=\"connect\"");
    if (site->below.len > 0)
        mica_html_attribute(out, "data-below", site->below);
    mica_html(out, " aria-labelledby=\"connect-title\">\n<header><h2 "
                   "id=\"connect-title\">Connect an agent</h2></header>\n");
    write_clients(out, site);
    if (site->rest)
        write_rest(out, site);
    mica_html(out,
              "<div class=\"body\"><p>The address of the MCP endpoint:</p>\n"
              "<p><code id=\"endpoint\">");
    write_endpoint(out, site);
    mica_html(out,
              "</code></p></div>\n<p id=\"copied\" class=\"visually-hidden\" "
              "role=\"status\"></p>\n</aside>\n");
}

void
mica_connect_write_template(struct mica_buffer *out)
{
    mica_html(out, "<template id=\"connect-clients\">\n");
    write_clients(out, NULL);
    mica_html(out, "</template>\n");
}
