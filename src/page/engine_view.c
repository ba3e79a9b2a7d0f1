// SPDX-License-Identifier: Apache-2.0
//
// Writes the document of an engine's view (MCP Apps), which hosts show in a frame that may
// load nothing. So all is inside: web/engine_view.js with what it imports, its styles, the
// form, and the module of the engine. A program has its modules compressed, a folder has
// them as they are; the document says which.
#include <string.h>

#include "base/assert.h"
#include "page/assets.h"
#include "page/engine.h"
#include "page/html.h"
#include "page/page_form.h"
#include "page/site.h"

enum {
    BYTES = 256,
    WIDE_LETTERS = 0x100 // those of bytes that have no letter of ASCII
};

static struct mica_text
view_asset(const char *namez)
{
    const struct mica_asset *asset =
        mica_asset_find(&mica_engine_view_assets, mica_text(namez));

    MICA_ASSERT(asset != NULL);
    return asset->bytes;
}

// JSON inside of <script>: '<' is only in its strings, where it can be written otherwise.
static void
write_json(struct mica_buffer *out, const char *idz, struct mica_text json)
{
    mica_buffer_format(out, "<script type=\"application/json\" id=\"%s\">",
                       idz);
    for (size_t i = 0; i < json.len; i++) {
        if (json.ptr[i] == '<')
            mica_html(out, "\\u003c");
        else
            mica_buffer_char(out, json.ptr[i]);
    }
    mica_html(out, "</script>\n");
}

// What the script has to know of the engine.
static void
write_facts(struct mica_buffer *out, const struct mica_page_engine *engine)
{
    struct mica_json_writer writer;
    struct mica_buffer json;

    mica_buffer_init(&json, out->arena, out->max);
    mica_json_writer_init(&writer, &json);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "name", engine->slug);
    mica_json_field(&writer, "title", engine->title);
    mica_json_field(&writer, "description", engine->description);
    mica_json_field(&writer, "version",
                    mica_text_slice(engine->sha256, 0, MICA_PAGE_TAG));
    mica_json_name(&writer, "memoryBytes");
    mica_json_integer(&writer, engine->memory_bytes);
    mica_json_name(&writer, "limitStatus");
    mica_json_integer(&writer, MICA_E_LIMIT);
    mica_json_name(&writer, "inputSchema");
    mica_json_raw(&writer, engine->input_schema);
    mica_json_close_object(&writer);
    write_json(out, "facts", mica_buffer_as_text(&json));
    if (json.overflow)
        out->overflow = true;
    mica_buffer_fini(&json);
}

// The letters of ASCII that stand for themselves in HTML, and in the JSON of a reply.
static bool
is_letter(unsigned c)
{
    return c >= ' ' && c < 0x7F && c != '<' && c != '"' && c != '\\';
}

// The byte that is most frequent among those without a letter.
static unsigned
most_frequent(const size_t counts[BYTES], const char letters[BYTES])
{
    unsigned most = BYTES;

    for (unsigned c = 0; c < BYTES; c++) {
        if (letters[c] == 0 && (most == BYTES || counts[c] > counts[most]))
            most = c;
    }
    return most;
}

// Gives each letter to one of the most frequent bytes. `bytes_out` has the byte of each
// letter, in the order of the letters.
static size_t
choose_letters(struct mica_text bytes, char letters[BYTES],
               char bytes_out[BYTES])
{
    size_t counts[BYTES] = {0}, count = 0;

    memset(letters, 0, BYTES);
    for (size_t i = 0; i < bytes.len; i++)
        counts[(unsigned char)bytes.ptr[i]]++;
    for (unsigned c = 0; c < BYTES; c++) {
        if (is_letter(c)) {
            unsigned byte = most_frequent(counts, letters);
            letters[byte] = (char)c;
            bytes_out[count++] = (char)byte;
        }
    }
    return count;
}

// Writes a character for each byte, so that what compresses the document sees the module:
// frequent bytes are letters of ASCII, the others are letters from U+0100 on.
static void
write_bytes(struct mica_buffer *out, struct mica_text bytes)
{
    char letters[BYTES], table[BYTES];
    size_t count = choose_letters(bytes, letters, table);

    mica_html(out, " data-letters=\"");
    mica_base64_write(out, table, count);
    mica_html(out, "\">");
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.ptr[i];
        unsigned wide = WIDE_LETTERS + c;
        if (letters[c] != 0) {
            mica_buffer_char(out, letters[c]);
            continue;
        }
        mica_buffer_char(out, (char)(0xC0 | wide >> 6));
        mica_buffer_char(out, (char)(0x80 | (wide & 0x3F)));
    }
}

static enum mica_status
write_module(const struct mica_definition *engine, struct mica_arena *arena,
             struct mica_error *error, struct mica_buffer *out)
{
    struct mica_carried carried;

    MICA_TRY(engine->carried(engine, MICA_CARRIED_MODULE, true, arena, error,
                             &carried));
    mica_html(out, "<script type=\"text/plain\" id=\"module\"");
    if (carried.gzip) {
        mica_html(out, " data-coding=\"gzip\">");
        mica_base64_write(out, carried.bytes.ptr, carried.bytes.len);
    } else {
        write_bytes(out, carried.bytes);
    }
    mica_html(out, "</script>\n");
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

enum mica_status
mica_page_engine_view(const struct mica_definition *engine,
                      struct mica_arena *arena, struct mica_error *error,
                      struct mica_buffer *out)
{
    struct mica_page_engine parts;
    struct mica_json schema;

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
    write_facts(out, &parts);
    write_json(out, "output", parts.output_schema);
    MICA_TRY(write_module(engine, arena, error, out));
    mica_html(out, "<script type=\"module\">");
    mica_buffer_text(out, view_asset("view.js"));
    mica_html(out, "</script>\n</body>\n</html>\n");
    return MICA_OK;
}
