// SPDX-License-Identifier: Apache-2.0
//
// inputs FOLDER SLUG COUNT SEED [SOURCE SCRATCH]: random inputs of a built engine,
// and what the sandbox answers to each: lines of {"input":…,"ok":…,"text":…}, all
// three texts to the byte. The inputs of its examples come first. What the tests of
// browsers compare with. Inputs that are no UTF-8 are left out, as no JavaScript
// string is one of them, and calls that ran out of time. With SOURCE the engine is
// built natively, too, in the folder SCRATCH, and has to give the same bytes; only
// what stops it otherwise, a fault or a lack of memory, is not compared.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/native.h"
#include "check/random_inputs.h"
#include "sandbox/engine_catalog.h"
#include "sandbox/sandbox.h"

enum {
    INPUT_BYTES = 8 << 20,
    LINE_BYTES = 64 << 20,
    MANIFEST_BYTES = 4 << 20,
    WORDS_BYTES = 1 << 20, // of a compiler
    NATIVE_MS = 10000
};

struct engine {
    struct mica_module *module;
    struct mica_native *native; // or NULL
    size_t compared;
};

static void
end_with(const struct mica_error *error)
{
    (void)fprintf(stderr, "%s\n", error->message);
    exit(1);
}

// ---- Natively --------------------------------------------------------------------

static void
build_native(struct mica_native *native, const char *source,
             const char *scratch, struct mica_arena *arena)
{
    struct mica_toolchain toolchain;
    struct mica_buffer words;
    struct mica_error error;

    mica_buffer_init(&words, arena, WORDS_BYTES);
    native->time_ms = NATIVE_MS;
    native->memory_bytes = (size_t)4 << 30;
    if (mica_toolchain_find(&toolchain, &error) != MICA_OK ||
        mica_native_build(native, &toolchain, source, scratch, &words,
                          &error) != MICA_OK)
        end_with(&error);
}

static void
compare(struct engine *engine, const struct mica_call *call,
        struct mica_text input)
{
    const struct mica_result *result = &call->result;
    struct mica_text text =
        result->status == MICA_OK ? result->structured : result->error;
    struct mica_native_result native;
    struct mica_arena arena;
    struct mica_error error;

    if (engine->native == NULL || result->status == MICA_E_LIMIT ||
        result->status == MICA_E_TIMEOUT ||
        memchr(input.ptr, '\n', input.len) != NULL)
        return;
    mica_arena_init(&arena, 4 * (size_t)LINE_BYTES);
    if (mica_native_run(engine->native, &arena, &input, 1, &error, &native) !=
        MICA_OK)
        end_with(&error);
    if (native.ending == MICA_NATIVE_ANSWERED) {
        engine->compared++;
        if (!mica_text_equal(native.json, text)) {
            (void)fprintf(stderr,
                          "natively %.*s\n  gives %.*s\n  and in the "
                          "sandbox %.*s\n",
                          MICA_ARG(input), MICA_ARG(native.json),
                          MICA_ARG(text));
            exit(1);
        }
    }
    mica_arena_fini(&arena);
}

// ---- In the sandbox --------------------------------------------------------------

static struct mica_json
read_manifest(struct mica_arena *arena, const char *folder, const char *slug)
{
    char path[4096], *bytes = mica_arena_alloc(arena, MANIFEST_BYTES);
    struct mica_json manifest = {.kind = MICA_JSON_NULL};
    struct mica_error error;
    (void)snprintf(path, sizeof path, "%s/%s.json", folder, slug);
    FILE *file = fopen(path, "rb");
    size_t size = file != NULL ? fread(bytes, 1, MANIFEST_BYTES, file) : 0;
    if (file != NULL)
        (void)fclose(file);
    if (mica_json_read(arena, (struct mica_text){bytes, size}, NULL, &error,
                       &manifest) != MICA_OK) {
        (void)fprintf(stderr, "%s: %s\n", path, error.message);
        exit(1);
    }
    return manifest;
}

static void
print_call(struct engine *engine, struct mica_text input)
{
    struct mica_arena arena;
    struct mica_call call;
    struct mica_buffer line;
    struct mica_json_writer writer;
    mica_arena_init(&arena, 4 * (size_t)LINE_BYTES);
    mica_call_init(&call, &arena);
    mica_sandbox_run(engine->module, &call, input);
    compare(engine, &call, input);
    mica_buffer_init(&line, &arena, LINE_BYTES);
    mica_json_writer_init(&writer, &line);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "input", input);
    mica_json_name(&writer, "ok");
    mica_json_boolean(&writer, call.result.status == MICA_OK);
    mica_json_field(&writer, "text",
                    call.result.status == MICA_OK ? call.result.structured
                                                  : call.result.error);
    mica_json_close_object(&writer);
    if (call.result.status != MICA_E_TIMEOUT && !line.overflow &&
        mica_utf8_valid(input) == input.len)
        (void)printf("%.*s\n", MICA_ARG(mica_buffer_as_text(&line)));
    mica_arena_fini(&arena);
}

static void
print_examples(struct engine *engine, const struct mica_json *examples)
{
    for (size_t i = 0; i < examples->count; i++)
        print_call(engine, mica_json_get(&examples->items[i], "input")->raw);
}

int
main(int argc, char **argv)
{
    struct mica_arena kept, passing;
    struct mica_native native = {.running = false};
    struct engine engine = {.native = argc == 7 ? &native : NULL};
    struct mica_error error;
    if (argc != 5 && argc != 7) {
        (void)fputs("usage: inputs FOLDER SLUG COUNT SEED [SOURCE SCRATCH]\n",
                    stderr);
        return 2;
    }
    if (mica_module_open(argv[1], argv[2], &error, &engine.module) != MICA_OK)
        end_with(&error);
    mica_arena_init(&kept, 64 << 20);
    mica_arena_init(&passing, 64 << 20);
    if (engine.native != NULL)
        build_native(engine.native, argv[5], argv[6], &kept);
    struct mica_json manifest = read_manifest(&kept, argv[1], argv[2]);
    const struct mica_json *examples = mica_json_get(&manifest, "examples");
    struct mica_random random = {strtoull(argv[4], NULL, 10)};
    print_examples(&engine, examples);
    for (long i = strtol(argv[3], NULL, 10); i > 0; i--) {
        struct mica_buffer input;
        mica_buffer_init(&input, &passing, INPUT_BYTES);
        mica_random_input(&random, &passing,
                          mica_json_get(&manifest, "inputSchema"), examples,
                          &input);
        print_call(&engine, mica_buffer_as_text(&input));
        mica_arena_reset(&passing);
    }
    mica_native_stop(&native);
    if (engine.native != NULL)
        (void)fprintf(stderr, "%zu natively\n", engine.compared);
    mica_module_release(&engine.module);
    mica_arena_fini(&kept);
    mica_arena_fini(&passing);
    return 0;
}
