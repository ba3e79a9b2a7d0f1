// SPDX-License-Identifier: Apache-2.0
//
// Configurations of clients: a server that is put into one is found there, once more
// changes nothing, and what is taken out is gone. The first byte chooses the format.
#include <string.h>

#include "cli/edit.h"
#include "target.h"

enum {
    MEMORY_BYTES = 32 << 20
};

static void
check(struct mica_edit edit, struct mica_text entry)
{
    const struct mica_edit_format *format = edit.format;
    struct mica_text found, text, again;
    struct mica_error error;

    if (format->put(&edit, entry, &error, &text) != MICA_OK)
        return;
    edit.text = text;
    FUZZ_MUST(format->find(&edit, &error, &found) == MICA_OK);
    FUZZ_MUST(found.len > 0);
    FUZZ_MUST(format->put(&edit, entry, &error, &again) == MICA_OK);
    FUZZ_MUST(mica_text_equal(again, text));
    FUZZ_MUST(format->drop(&edit, &error, &text) == MICA_OK);
    edit.text = text;
    FUZZ_MUST(format->find(&edit, &error, &found) == MICA_OK);
    FUZZ_MUST(found.len == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_arena arena;

    if (size == 0)
        return 0;
    mica_arena_init(&arena, MEMORY_BYTES);
    struct mica_edit edit = {.arena = &arena,
                             .text = {(const char *)bytes + 1, size - 1},
                             .section = "s",
                             .name = "m"};
    edit.format = bytes[0] == 'j'   ? &mica_edit_json
                  : bytes[0] == 'c' ? &mica_edit_json_comments
                  : bytes[0] == 'k' ? &mica_edit_jsonc
                                    : &mica_edit_toml;
    check(edit, edit.format == &mica_edit_toml
                    ? MICA_LITERAL("command = \"c\"\n")
                    : MICA_LITERAL("{\"command\":\"c\"}"));
    mica_arena_fini(&arena);
    return 0;
}
