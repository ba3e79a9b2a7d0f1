// SPDX-License-Identifier: Apache-2.0
//
// The file of a prompt in a stranger's folder. What is read lies inside of the limits,
// each argument stands in the text, and a fault names its line.
#include <string.h>

#include "files/prompt_file.h"
#include "target.h"

enum {
    MEMORY_BYTES = 4 << 20,
    WRITTEN_BYTES = 4 << 20
};

static void
check_written(const struct mica_prompt_file *file)
{
    struct mica_text values[MICA_PROMPT_ARGUMENTS];
    struct mica_buffer once, again;

    for (size_t i = 0; i < file->count; i++)
        values[i] = MICA_LITERAL("{{a}} \\{{");
    mica_buffer_init(&once, NULL, WRITTEN_BYTES);
    mica_buffer_init(&again, NULL, WRITTEN_BYTES);
    mica_prompt_file_write(file, values, &once);
    for (size_t i = 0; i < file->count; i++)
        values[i] = (struct mica_text){NULL, 0};
    mica_prompt_file_write(file, values, &again);
    FUZZ_MUST(!once.overflow && again.len <= file->text.len);
    FUZZ_MUST(file->count > 0 ? once.len > again.len : once.len == again.len);
    FUZZ_MUST(mica_utf8_valid(mica_buffer_as_text(&again)) == again.len);
    mica_buffer_fini(&once);
    mica_buffer_fini(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct mica_text text = {(const char *)bytes, size};
    struct mica_error error = {.status = MICA_OK};
    struct mica_prompt_file file;
    struct mica_arena arena;

    mica_arena_init(&arena, MEMORY_BYTES);
    if (mica_prompt_file_read(&arena, text, &error, &file) == MICA_OK) {
        FUZZ_MUST(size <= MICA_PROMPT_BYTES);
        FUZZ_MUST(file.count <= MICA_PROMPT_ARGUMENTS);
        FUZZ_MUST(file.description.len > 0 && file.text.len > 0);
        for (size_t i = 0; i < file.count; i++)
            FUZZ_MUST(file.arguments[i].name.len > 0 && file.arguments[i].used);
        check_written(&file);
    } else {
        FUZZ_MUST(error.message[0] != '\0');
        FUZZ_MUST(strncmp(error.message, "line ", 5) == 0 ||
                  strncmp(error.message, "the file ", 9) == 0);
    }
    mica_arena_fini(&arena);
    return 0;
}
