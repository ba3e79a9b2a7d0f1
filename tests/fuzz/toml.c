// SPDX-License-Identifier: Apache-2.0
//
// A settings file of a stranger's folder. Each value lies inside of the text, lists
// are as long as they say, no table has a name twice, and a fault names its line.
#include <string.h>

#include "target.h"
#include "toml/toml.h"

enum {
    MEMORY_BYTES = 32 << 20
};

static size_t
count_values(const struct mica_toml *value, size_t size)
{
    size_t count = 0, all = 1;

    FUZZ_MUST(value->offset <= size && value->name_offset <= size);
    FUZZ_MUST(mica_utf8_valid(value->text) == value->text.len);
    for (const struct mica_toml *item = value->items; item != NULL;
         item = item->next) {
        all += count_values(item, size);
        count++;
        if (value->kind == MICA_TOML_TABLE)
            FUZZ_MUST(mica_toml_member(value, item->name) == item);
        if (item->next == NULL)
            FUZZ_MUST(value->last == item);
    }
    FUZZ_MUST(count == value->count);
    FUZZ_MUST(count == 0 || value->kind == MICA_TOML_ARRAY ||
              value->kind == MICA_TOML_TABLE);
    return all;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct mica_text text = {(const char *)bytes, size};
    struct mica_error error = {.status = MICA_OK};
    struct mica_arena arena;
    struct mica_toml *root;

    mica_arena_init(&arena, MEMORY_BYTES);
    if (mica_toml_read(&arena, text, &error, &root) == MICA_OK) {
        FUZZ_MUST(root->kind == MICA_TOML_TABLE);
        FUZZ_MUST(count_values(root, size) <= MICA_TOML_VALUES);
    } else {
        FUZZ_MUST(error.message[0] != '\0');
        FUZZ_MUST(size > MICA_TOML_BYTES ||
                  strncmp(error.message, "line ", 5) == 0);
    }
    mica_arena_fini(&arena);
    return 0;
}
