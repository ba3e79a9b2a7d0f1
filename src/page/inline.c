// SPDX-License-Identifier: Apache-2.0
//
// Puts an engine inside a page: an import map names the modules that the page
// imports and gives each as a data: URL. Such a page loads nothing, so it can
// run in an origin of its own, which may not read anything of the server.
#include "page/assets.h"
#include "page/engine.h"

#include "base/assert.h"

// What a data: URL, a JSON string and an element <script> all take as it is.
static bool
is_plain(char c)
{
    static const char marks[] = "-_.!~*'();/?:@&=+$,[]{}|^`";

    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
        (c >= '0' && c <= '9'))
        return true;
    for (size_t i = 0; i < sizeof marks - 1; i++) {
        if (marks[i] == c)
            return true;
    }
    return false;
}

static void
write_script(struct mica_buffer *out, struct mica_text script)
{
    static const char digits[] = "0123456789ABCDEF";

    mica_buffer_text(out, MICA_LITERAL("data:text/javascript;charset=utf-8,"));
    for (size_t i = 0; i < script.len; i++) {
        unsigned char c = (unsigned char)script.ptr[i];
        if (is_plain(script.ptr[i])) {
            mica_buffer_char(out, script.ptr[i]);
            continue;
        }
        mica_buffer_char(out, '%');
        mica_buffer_char(out, digits[c >> 4]);
        mica_buffer_char(out, digits[c & 15]);
    }
}

// One entry of the map: `slug` may be empty.
static void
write_entry(struct mica_buffer *out, const char *beforez, struct mica_text slug,
            const char *endingz, struct mica_text script)
{
    mica_buffer_format(out, "%s%.*s%s\":\"", beforez, MICA_ARG(slug), endingz);
    write_script(out, script);
    mica_buffer_char(out, '"');
}

static void
write_module(struct mica_buffer *out, const struct mica_page_engine *engine,
             struct mica_text wasm, bool fallback)
{
    mica_buffer_text(out,
                     MICA_LITERAL("import { defineEngine } from "
                                  "\"mica:_engine.js\";\n"
                                  "export default await defineEngine(\"data:,\""
                                  ", {\n  module: \"data:application/wasm;"
                                  "base64,"));
    mica_base64_write(out, wasm.ptr, wasm.len);
    mica_buffer_char(out, '"');
    if (fallback)
        mica_buffer_format(out, ",\n  twin: \"mica:%.*s.twin.js\"",
                           MICA_ARG(engine->slug));
    mica_page_engine_limits(engine, out);
}

// Agents in the browser may call the engine. An opaque page may offer it, a frame not.
static void
write_offer(struct mica_buffer *out, struct mica_text slug)
{
    mica_buffer_format(
        out,
        "<script type=\"module\">\n"
        "import engine from \"/engines/%.*s.js\";\n"
        "import { callText, offerEngine } from \"/engines/_engine.js\";\n"
        "offerEngine(engine, (text) => callText(engine, text));\n"
        "</script>\n",
        MICA_ARG(slug));
}

void
mica_page_engine_inline(const struct mica_page_engine *engine,
                        struct mica_text wasm, struct mica_text fallback,
                        struct mica_buffer *out)
{
    const struct mica_asset *shared =
        mica_asset_find(&mica_engine_assets, MICA_LITERAL("_engine.js"));
    const struct mica_text none = {NULL, 0};
    struct mica_buffer module;

    MICA_ASSERT(shared != NULL);
    mica_buffer_init(&module, out->arena, out->max);
    write_module(&module, engine, wasm, fallback.len > 0);
    mica_buffer_text(out,
                     MICA_LITERAL("<script type=\"importmap\">{\"imports\":{"));
    write_entry(out, "\"/engines/", engine->slug, ".js",
                mica_buffer_as_text(&module));
    // The same address twice is one module: an EngineError of the page is that
    // of the engine.
    write_entry(out, ",\"/engines/_engine.js", none, "", shared->bytes);
    write_entry(out, ",\"mica:_engine.js", none, "", shared->bytes);
    if (fallback.len > 0)
        write_entry(out, ",\"mica:", engine->slug, ".twin.js", fallback);
    mica_buffer_text(out, MICA_LITERAL("}}</script>\n"));
    write_offer(out, engine->slug);
    if (module.overflow)
        out->overflow = true;
    mica_buffer_fini(&module);
}
