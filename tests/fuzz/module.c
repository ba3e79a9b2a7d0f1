// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a module: its tables are read and described and its form is taken, or
// it is refused with a reason.
#include "build/module_form.h"
#include "build/module_tables.h"
#include "build/wasm.h"
#include "engine/run.h"
#include "target.h"

static void
describe(struct mica_arena *arena, const struct mica_engine *engine)
{
    struct mica_error error = {0};
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    struct mica_json manifest;

    mica_buffer_init(&buffer, arena, 1 << 20);
    mica_json_writer_init(&writer, &buffer);
    if (mica_engine_describe(engine, arena, &error, &writer) == MICA_OK)
        FUZZ_MUST(mica_json_read(arena, mica_buffer_as_text(&buffer), NULL,
                                 NULL, &manifest) == MICA_OK);
    else
        FUZZ_MUST(error.message[0] != '\0');
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text text = {(const char *)bytes, size};
    struct mica_error error = {0};
    struct mica_engine engine;
    struct mica_text clean, again;
    struct mica_arena arena;
    struct mica_wasm module;

    mica_arena_init(&arena, 16 << 20);
    if (mica_wasm_read(&arena, text, &error, &module) != MICA_OK ||
        mica_tables_read(&arena, &module, &error, &engine) != MICA_OK)
        FUZZ_MUST(error.message[0] != '\0');
    else
        describe(&arena, &engine);
    error = (struct mica_error){0};
    if (mica_module_form(&arena, text, &error, &clean) != MICA_OK) {
        FUZZ_MUST(error.message[0] != '\0');
    } else {
        // What is taken is what a second look takes, byte for byte.
        FUZZ_MUST(mica_module_form(&arena, clean, &error, &again) == MICA_OK);
        FUZZ_MUST(mica_text_equal(clean, again));
    }
    mica_arena_fini(&arena);
    return 0;
}
