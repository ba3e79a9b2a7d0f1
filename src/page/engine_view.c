// SPDX-License-Identifier: Apache-2.0
//
// Writes the document of an engine's view (MCP Apps), which hosts show in a frame that may
// load nothing. So all is inside: web/engine_view.js with what it imports, its styles, the
// form, and the module of the engine. A page that the tool brings takes its place.
#include "base/assert.h"
#include "page/assets.h"
#include "page/engine.h"
#include "page/html.h"
#include "page/page_form.h"
#include "page/site.h"

static struct mica_text
view_asset(const char *namez)
{
    const struct mica_asset *asset =
        mica_asset_find(&mica_engine_view_assets, mica_text(namez));

    MICA_ASSERT(asset != NULL);
    return asset->bytes;
}

static enum mica_status
write_module(const struct mica_definition *engine, struct mica_arena *arena,
             struct mica_error *error, struct mica_buffer *out)
{
    struct mica_carried carried;

    MICA_TRY(engine->carried(engine, MICA_CARRIED_MODULE, true, arena, error,
                             &carried));
    mica_page_engine_bytes(carried.bytes, carried.gzip, out);
    return MICA_OK;
}

static void
write_head(struct mica_buffer *out, struct mica_text title)
{
    mica_html(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
                   "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                   "content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<title>");
    mica_html_text(out, title);
    mica_html(out, "</title>\n<style>");
    mica_buffer_text(out, view_asset("view.css"));
    mica_html(out, "</style>\n</head>\n<body>\n<main>\n<div class=\"top\">"
                   "<h1>");
    mica_html_text(out, title);
    mica_html(out, "</h1><p id=\"runs\" class=\"runs\"></p></div>\n");
}

// The page that the tool brings, as the build has made it a view.
static enum mica_status
write_own(const struct mica_definition *engine, struct mica_arena *arena,
          struct mica_error *error, struct mica_buffer *out)
{
    struct mica_carried carried;

    MICA_TRY(engine->carried(engine, MICA_CARRIED_VIEW, false, arena, error,
                             &carried));
    mica_buffer_text(out, carried.bytes);
    return MICA_OK;
}

enum mica_status
mica_page_engine_view(const struct mica_definition *engine,
                      struct mica_arena *arena, struct mica_error *error,
                      struct mica_buffer *out)
{
    struct mica_page_engine parts;
    struct mica_json schema;

    if (engine->carried_sha256[MICA_CARRIED_VIEW].len > 0)
        return write_own(engine, arena, error, out);
    mica_page_engine_of(engine, &parts);
    MICA_TRY(mica_json_read(arena, parts.input_schema, NULL, error, &schema));
    write_head(out, parts.title);
    mica_html(out, "<div class=\"columns\">\n<form id=\"tool\" tabindex=\"-1\" "
                   "autocomplete=\"off\" aria-label=\"Input\" novalidate>\n"
                   "<div id=\"fields\">\n");
    mica_form_write(out, &schema, "f", false);
    mica_html(out,
              "</div>\n<p id=\"failure\" class=\"note bad\" role=\"alert\" "
              "hidden></p>\n<div><button type=\"reset\" class=\"small\">Clear"
              "</button></div>\n</form>\n<section aria-label=\"Result\">\n"
              "<p id=\"state\" class=\"state\" role=\"status\">Loading…</p>\n"
              "<div id=\"result\" class=\"parts\"></div>\n<details "
              "id=\"as-json\" hidden>\n<summary class=\"help\">JSON</summary>\n"
              "<pre id=\"result-json\" tabindex=\"0\" role=\"group\" "
              "aria-label=\"JSON\"></pre>\n</details>\n</section>\n</div>\n"
              "</main>\n");
    mica_page_engine_facts(&parts, false, out);
    mica_page_engine_json("output", parts.output_schema, out);
    MICA_TRY(write_module(engine, arena, error, out));
    mica_html(out, "<script type=\"module\">");
    mica_buffer_text(out, view_asset("view.js"));
    mica_html(out, "</script>\n</body>\n</html>\n");
    return MICA_OK;
}
