// SPDX-License-Identifier: Apache-2.0
//
// Writes the ES module of an engine and its types.
#include "page/engine.h"

#include "engine/typescript.h"
#include "page/assets.h"

void
mica_page_engine_read(const struct mica_json *manifest,
                      struct mica_page_engine *engine_out)
{
    const struct {
        const char *namez;
        struct mica_text *text;
    } parts[] = {{"inputSchema", &engine_out->input_schema},
                 {"outputSchema", &engine_out->output_schema},
                 {"examples", &engine_out->examples}};
    const struct mica_json *limits = mica_json_get(manifest, "limits");
    const struct mica_json *memory = mica_json_get(limits, "memory_bytes");
    int64_t bytes = 0;
    *engine_out = (struct mica_page_engine){
        .slug = mica_json_get_text(manifest, "slug"),
        .title = mica_json_get_text(manifest, "title"),
        .description = mica_json_get_text(manifest, "description"),
        .sha256 = mica_json_get_text(manifest, "sha256"),
        .fallback_sha256 = mica_json_get_text(manifest, "twin")};
    for (size_t i = 0; i < MICA_COUNT(parts); i++) {
        const struct mica_json *part = mica_json_get(manifest, parts[i].namez);
        if (part != NULL)
            *parts[i].text = part->raw;
    }
    if (memory != NULL && mica_integer_read(memory->text, &bytes))
        engine_out->memory_bytes = (uint32_t)bytes;
}

static void
html_raw(struct mica_buffer *out, const char *textz)
{
    mica_buffer_text(out, mica_text(textz));
}

// A name of a file that changes with what is in it, so that it can be kept for
// ever.
static void
write_file(struct mica_buffer *out, struct mica_text slug, const char *endingz,
           struct mica_text sha256)
{
    mica_buffer_format(out, "\"%.*s%s?v=%.*s\"", MICA_ARG(slug), endingz,
                       MICA_ARG(mica_text_slice(sha256, 0, MICA_PAGE_TAG)));
}

// A foreign module may say nothing of itself.
static struct mica_text
or_empty(struct mica_text json, const char *emptyz)
{
    return json.len > 0 ? json : mica_text(emptyz);
}

// The description as JSON in a string: unlike a literal of the language, JSON
// has no names with a meaning, such as __proto__.
static void
write_facts(struct mica_buffer *out, const struct mica_page_engine *engine)
{
    struct mica_buffer json;
    struct mica_json_writer writer;
    mica_buffer_init(&json, out->arena, out->max);
    mica_json_writer_init(&writer, &json);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "name", engine->slug);
    mica_json_field(&writer, "description", engine->description);
    mica_json_name(&writer, "inputSchema");
    mica_json_raw(&writer, or_empty(engine->input_schema, "{}"));
    mica_json_name(&writer, "examples");
    mica_json_raw(&writer, or_empty(engine->examples, "[]"));
    mica_json_close_object(&writer);
    mica_buffer_char(out, '"');
    mica_json_escape(out, mica_buffer_as_text(&json));
    mica_buffer_char(out, '"');
    if (json.overflow)
        out->overflow = true;
    mica_buffer_fini(&json);
}

void
mica_page_engine_limits(const struct mica_page_engine *engine,
                        struct mica_buffer *out)
{
    mica_buffer_format(out,
                       ",\n  memoryBytes: %u,\n  limitStatus: %d,\n  facts: ",
                       engine->memory_bytes, (int)MICA_E_LIMIT);
    write_facts(out, engine);
    html_raw(out, "\n});\n");
}

void
mica_page_engine_module(const struct mica_page_engine *engine,
                        struct mica_buffer *out)
{
    html_raw(
        out,
        "// Written by mica, with the module that it loads. See docs/browser"
        ".md.\nimport { defineEngine } from \"./_engine.js\";\n\n"
        "export default await defineEngine(import.meta.url, {\n  module: ");
    write_file(out, engine->slug, ".wasm", engine->sha256);
    if (engine->fallback_sha256.len > 0) {
        html_raw(out, ",\n  twin: ");
        write_file(out, engine->slug, ".twin.js", engine->fallback_sha256);
    }
    mica_page_engine_limits(engine, out);
}

enum mica_status
mica_page_engine_types(const struct mica_page_engine *engine,
                       struct mica_arena *arena, struct mica_error *error,
                       struct mica_buffer *out)
{
    const struct mica_typescript types = {
        .input_schema = or_empty(engine->input_schema, "{}"),
        .output_schema = engine->output_schema,
        .exact = true};

    mica_buffer_format(out,
                       "// Written by mica: the types of %.*s.js.\n"
                       "import type { Engine } from \"./_engine.js\";\n\n",
                       MICA_ARG(engine->slug));
    MICA_TRY(mica_typescript_write(&types, arena, error, out));
    html_raw(out, "\ndeclare const engine: Engine<Input, Output>;\n"
                  "export default engine;\n");
    return MICA_OK;
}
