// SPDX-License-Identifier: Apache-2.0
//
// inputs FOLDER SLUG COUNT SEED: random inputs of a built engine, and what the
// sandbox answers to each: lines of {"input":…,"ok":…,"text":…}, all three texts
// to the byte. The inputs of its examples come first. What the tests of browsers
// compare with. Inputs that are no UTF-8 are left out, as no JavaScript
// string is one of them, and calls that ran out of time.
#include <stdio.h>
#include <stdlib.h>

#include "check/random.h"
#include "sandbox/catalogue.h"
#include "sandbox/sandbox.h"

enum {
    INPUT_BYTES = 8 << 20,
    LINE_BYTES = 64 << 20,
    MANIFEST_BYTES = 4 << 20
};

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
print_call(struct mica_module *module, struct mica_text input)
{
    struct mica_arena arena;
    struct mica_call call;
    struct mica_buffer line;
    struct mica_json_writer writer;
    mica_arena_init(&arena, 4 * (size_t)LINE_BYTES);
    mica_call_init(&call, &arena);
    mica_sandbox_run(module, &call, input);
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
print_examples(struct mica_module *module, const struct mica_json *examples)
{
    for (size_t i = 0; i < examples->count; i++)
        print_call(module, mica_json_get(&examples->items[i], "input")->raw);
}

int
main(int argc, char **argv)
{
    struct mica_arena kept, passing;
    struct mica_module *module;
    struct mica_error error;
    if (argc != 5) {
        (void)fputs("usage: inputs FOLDER SLUG COUNT SEED\n", stderr);
        return 2;
    }
    if (mica_module_open(argv[1], argv[2], &error, &module) != MICA_OK) {
        (void)fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    mica_arena_init(&kept, 64 << 20);
    mica_arena_init(&passing, 64 << 20);
    struct mica_json manifest = read_manifest(&kept, argv[1], argv[2]);
    const struct mica_json *examples = mica_json_get(&manifest, "examples");
    struct mica_random random = {strtoull(argv[4], NULL, 10)};
    print_examples(module, examples);
    for (long i = strtol(argv[3], NULL, 10); i > 0; i--) {
        struct mica_buffer input;
        mica_buffer_init(&input, &passing, INPUT_BYTES);
        mica_random_input(&random, &passing,
                          mica_json_get(&manifest, "inputSchema"), examples,
                          &input);
        print_call(module, mica_buffer_as_text(&input));
        mica_arena_reset(&passing);
    }
    mica_module_release(&module);
    mica_arena_fini(&kept);
    mica_arena_fini(&passing);
    return 0;
}
