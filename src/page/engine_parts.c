// SPDX-License-Identifier: Apache-2.0
//
// What the document of an engine's view has for its script (web/engine_start.js): elements
// that hold the module, and what the engine says of itself.
#include <string.h>

#include "page/assets.h"
#include "page/engine.h"

enum {
    BYTES = 256,
    WIDE_LETTERS = 0x100 // those of bytes that have no letter of ASCII
};

// '<' is only in strings of JSON, where it can be written otherwise.
void
mica_page_engine_json(const char *idz, struct mica_text json,
                      struct mica_buffer *out)
{
    mica_buffer_format(out, "<script type=\"application/json\" id=\"%s\">",
                       idz);
    for (size_t i = 0; i < json.len; i++) {
        if (json.ptr[i] == '<')
            mica_buffer_text(out, MICA_LITERAL("\\u003c"));
        else
            mica_buffer_char(out, json.ptr[i]);
    }
    mica_buffer_text(out, MICA_LITERAL("</script>\n"));
}

void
mica_page_engine_facts(const struct mica_page_engine *engine, bool connects,
                       struct mica_buffer *out)
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
    mica_json_name(&writer, "connects");
    mica_json_boolean(&writer, connects);
    mica_json_name(&writer, "inputSchema");
    mica_json_raw(&writer, engine->input_schema);
    mica_json_close_object(&writer);
    mica_page_engine_json("mica-facts", mica_buffer_as_text(&json), out);
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

    mica_buffer_text(out, MICA_LITERAL(" data-letters=\""));
    mica_base64_write(out, table, count);
    mica_buffer_text(out, MICA_LITERAL("\">"));
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

void
mica_page_engine_bytes(struct mica_text bytes, bool gzip,
                       struct mica_buffer *out)
{
    mica_buffer_text(
        out, MICA_LITERAL("<script type=\"text/plain\" id=\"mica-module\""));
    if (gzip) {
        mica_buffer_char(out, '>');
        mica_base64_write(out, bytes.ptr, bytes.len);
    } else {
        write_bytes(out, bytes);
    }
    mica_buffer_text(out, MICA_LITERAL("</script>\n"));
}
