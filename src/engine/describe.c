// SPDX-License-Identifier: Apache-2.0
//
// The manifest: everything that a server, a page or an agent may know of an
// engine without running it. Made of the tables in the module, so that what is
// described is what runs.
#include <string.h>

#include "engine/limits.h"
#include "engine/run.h"
#include "schema/record.h"

// What one description carries along.
struct describer {
    const struct mica_engine *engine;
    struct mica_arena *arena;
    struct mica_error *error;
};

// ---- Checking --------------------------------------------------------------

static enum mica_status
describer_wrong(const struct describer *d, const char *wordsz)
{
    return mica_error_set(d->error, MICA_E_USAGE, "", "the engine %s %s",
                          d->engine->identifier, wordsz);
}

static enum mica_status
check_head(const struct describer *d)
{
    const struct mica_engine *engine = d->engine;
    if (engine->abi != MICA_ENGINE_ABI)
        return describer_wrong(
            d, "was compiled for another version of mica/engine.h");
    if (engine->title == NULL || *engine->title == '\0')
        return describer_wrong(d, "has no .title");
    if (engine->description == NULL || *engine->description == '\0')
        return describer_wrong(d, "has no .description");
    if (engine->category == NULL || *engine->category == '\0')
        return describer_wrong(d, "has no .category");
    if (engine->memory_bytes > MICA_LARGEST_MEMORY_BYTES)
        return describer_wrong(d, "asks for more than 64 MiB of .memory_bytes");
    return MICA_OK;
}

static enum mica_status
check_records(const struct describer *d)
{
    enum mica_status status =
        mica_record_check(d->engine->input, d->arena, d->error);
    if (status != MICA_OK) {
        mica_error_prefix(d->error, "input");
        return status;
    }
    status = mica_record_check(d->engine->output, d->arena, d->error);
    if (status != MICA_OK)
        mica_error_prefix(d->error, "output");
    return status;
}

// ---- Examples --------------------------------------------------------------

static enum mica_status
wrong_example(const struct describer *d, size_t index, const char *partz,
              const char *wordsz)
{
    const char *titlez = d->engine->examples[index].title;
    return mica_error_set(d->error, MICA_E_USAGE, "",
                          "example %zu (\"%s\")%s%s: %s", index,
                          titlez != NULL ? titlez : "",
                          *partz != '\0' ? ", " : "", partz, wordsz);
}

static bool
is_stable_code(const char *codez)
{
    for (const char *c = codez; *c != '\0'; c++)
        if (!(*c >= 'A' && *c <= 'Z') && *c != '_' &&
            !(*c >= '0' && *c <= '9' && c > codez))
            return false;
    return *codez != '\0';
}

// Whether `json` is a whole value of `record`; MICA_E_USAGE when it is no JSON.
static enum mica_status
try_json(const struct describer *d, const struct mica_record *record,
         const char *jsonz, struct mica_error *why, bool *fits_out)
{
    struct mica_json value;
    *fits_out = false;
    if (mica_json_read(d->arena, mica_text(jsonz), NULL, why, &value) !=
        MICA_OK)
        return MICA_E_USAGE;
    void *room = mica_arena_zero(d->arena, 1, record->size);
    if (room == NULL)
        return mica_error_set(why, MICA_E_LIMIT, "", "out of memory");
    *fits_out =
        mica_record_decode(record, &value, d->arena, why, room) == MICA_OK;
    return MICA_OK;
}

static enum mica_status
check_example(const struct describer *d, size_t index)
{
    const struct mica_example *example = &d->engine->examples[index];
    struct mica_error why = {.status = MICA_OK};
    bool fits;
    if (example->title == NULL || *example->title == '\0')
        return wrong_example(d, index, "", "it has no title");
    if (example->input == NULL)
        return wrong_example(d, index, "", "it has no input");
    if ((example->output == NULL) == (example->error == NULL))
        return wrong_example(d, index, "",
                             "it needs either an output or an error");
    if (example->error != NULL && !is_stable_code(example->error))
        return wrong_example(d, index, "error",
                             "a code is made of A-Z, 0-9 and _");
    if (try_json(d, d->engine->input, example->input, &why, &fits) != MICA_OK ||
        (!fits && example->error == NULL))
        return wrong_example(d, index, "input", why.message);
    if (example->output == NULL)
        return MICA_OK;
    // An output may leave fields out, but not name others or other types.
    if (try_json(d, d->engine->output, example->output, &why, &fits) !=
            MICA_OK ||
        (!fits && why.status != MICA_E_REQUIRED))
        return wrong_example(d, index, "output", why.message);
    return MICA_OK;
}

// An example's text, which was checked before, without the author's spaces.
static void
write_compact(const struct describer *d, struct mica_json_writer *writer,
              const char *jsonz)
{
    struct mica_json value;
    if (mica_json_read(d->arena, mica_text(jsonz), NULL, d->error, &value) ==
        MICA_OK)
        mica_json_value(writer, &value);
}

// The JSON of each example, as "examples" of a schema: a whole and valid one,
// as schema validators expect.
static struct mica_text
schema_examples(const struct describer *d, bool input)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    size_t count = 0;
    mica_buffer_init(&buffer, d->arena, SIZE_MAX / 2);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_array(&writer);
    for (size_t i = 0; i < d->engine->example_count; i++) {
        const struct mica_example *example = &d->engine->examples[i];
        bool fits = true;
        if (example->output == NULL ||
            (!input && try_json(d, d->engine->output, example->output, NULL,
                                &fits) != MICA_OK) ||
            !fits)
            continue;
        write_compact(d, &writer, input ? example->input : example->output);
        count++;
    }
    mica_json_close_array(&writer);
    if (count == 0)
        return (struct mica_text){NULL, 0};
    return mica_buffer_as_text(&buffer);
}

// ---- Writing ---------------------------------------------------------------

static void
write_slug(struct mica_json_writer *writer, struct mica_arena *arena,
           const char *identifierz)
{
    struct mica_text slug = mica_text(identifierz);
    char *copy = mica_arena_alloc(arena, slug.len);
    if (copy == NULL)
        return;
    for (size_t i = 0; i < slug.len; i++)
        copy[i] = slug.ptr[i] == '_' ? '-' : slug.ptr[i];
    mica_json_field(writer, "slug", (struct mica_text){copy, slug.len});
}

static void
write_limits(struct mica_json_writer *writer, const struct mica_engine *engine)
{
    const struct {
        const char *namez;
        uint32_t value, fallback;
    } limits[] = {
        {"time_ms", engine->time_ms, MICA_DEFAULT_TIME_MS},
        {"memory_bytes", engine->memory_bytes, MICA_DEFAULT_MEMORY_BYTES},
        {"output_bytes", engine->output_bytes, MICA_DEFAULT_OUTPUT_BYTES}};
    mica_json_name(writer, "limits");
    mica_json_open_object(writer);
    for (size_t i = 0; i < MICA_COUNT(limits); i++) {
        mica_json_name(writer, limits[i].namez);
        mica_json_integer(writer, limits[i].value > 0 ? limits[i].value
                                                      : limits[i].fallback);
    }
    mica_json_close_object(writer);
}

static void
write_example(const struct describer *d, struct mica_json_writer *writer,
              const struct mica_example *example)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "title", mica_text(example->title));
    mica_json_name(writer, "input");
    write_compact(d, writer, example->input);
    if (example->error != NULL) {
        mica_json_field(writer, "error", mica_text(example->error));
    } else {
        mica_json_name(writer, "output");
        write_compact(d, writer, example->output);
    }
    mica_json_close_object(writer);
}

static void
write_domains(struct mica_json_writer *writer, const char *namez,
              const char *const *domains)
{
    if (domains == NULL)
        return;
    mica_json_name(writer, namez);
    mica_json_open_array(writer);
    for (; *domains != NULL; domains++)
        mica_json_string(writer, mica_text(*domains));
    mica_json_close_array(writer);
}

// What the author says of the view. (The member "view" is the hash of its document.)
static void
write_view(struct mica_json_writer *writer, const struct mica_view *view)
{
    if (view == NULL)
        return;
    mica_json_name(writer, "viewDeclared");
    mica_json_open_object(writer);
    if (view->title != NULL)
        mica_json_field(writer, "title", mica_text(view->title));
    if (view->description != NULL)
        mica_json_field(writer, "description", mica_text(view->description));
    write_domains(writer, "connectDomains", view->connect_domains);
    write_domains(writer, "resourceDomains", view->resource_domains);
    write_domains(writer, "frameDomains", view->frame_domains);
    write_domains(writer, "baseUriDomains", view->base_uri_domains);
    mica_json_name(writer, "permissions");
    mica_json_integer(writer, view->permissions);
    mica_json_name(writer, "border");
    mica_json_integer(writer, view->border);
    if (view->domain != NULL)
        mica_json_field(writer, "domain", mica_text(view->domain));
    mica_json_close_object(writer);
}

static void
write_manifest(const struct describer *d, struct mica_json_writer *writer)
{
    const struct mica_engine *engine = d->engine;
    mica_json_open_object(writer);
    write_slug(writer, d->arena, engine->identifier);
    mica_json_field(writer, "title", mica_text(engine->title));
    mica_json_field(writer, "description", mica_text(engine->description));
    mica_json_field(writer, "category", mica_text(engine->category));
    write_limits(writer, engine);
    mica_json_name(writer, "inputSchema");
    mica_record_schema(engine->input, true, schema_examples(d, true), writer);
    mica_json_name(writer, "outputSchema");
    mica_record_schema(engine->output, true, schema_examples(d, false), writer);
    mica_json_name(writer, "examples");
    mica_json_open_array(writer);
    for (size_t i = 0; i < engine->example_count; i++)
        write_example(d, writer, &engine->examples[i]);
    mica_json_close_array(writer);
    write_view(writer, engine->view);
    mica_json_close_object(writer);
}

// Every text of the author's is in the manifest: a title of an example, the name of a
// choice, a unit. The last words before the wrong byte say where it is.
static enum mica_status
check_texts(const struct describer *d, struct mica_buffer *buffer, size_t start)
{
    struct mica_text manifest =
        mica_text_slice(mica_buffer_as_text(buffer), start, buffer->len);
    size_t valid = mica_utf8_valid(manifest);
    if (valid == manifest.len)
        return MICA_OK;
    buffer->len = start;
    struct mica_text before =
        mica_text_slice(manifest, valid > 40 ? valid - 40 : 0, valid);
    while (before.len > 0 && ((unsigned char)*before.ptr & 0xC0) == 0x80)
        before = mica_text_slice(before, 1, before.len);
    return mica_error_set(d->error, MICA_E_USAGE, "",
                          "the engine %s has a text that is not UTF-8, behind "
                          "%.*s; save the source as UTF-8",
                          d->engine->identifier, MICA_ARG(before));
}

enum mica_status
mica_engine_describe(const struct mica_engine *engine, struct mica_arena *arena,
                     struct mica_error *error, struct mica_json_writer *writer)
{
    struct describer d = {engine, arena, error};
    size_t start = writer->buffer->len;
    MICA_TRY(check_head(&d));
    MICA_TRY(check_records(&d));
    for (size_t i = 0; i < engine->example_count; i++)
        MICA_TRY(check_example(&d, i));
    write_manifest(&d, writer);
    MICA_TRY(check_texts(&d, writer->buffer, start));
    if (arena->overflow || writer->buffer->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the manifest is larger than there is memory");
    return MICA_OK;
}
