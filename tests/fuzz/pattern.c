// SPDX-License-Identifier: Apache-2.0
//
// Patterns: the first line of the input is the pattern, the rest is the text.
// Any pattern compiles or is refused with a reason; matching looks at no more
// states than pattern times text; a table of states gives the same answer.
#include <string.h>

#include "schema/pattern.h"
#include "target.h"

static void
must_agree(struct mica_arena *arena, struct mica_text source,
           struct mica_text text)
{
    struct mica_schema_pattern pattern;
    uint64_t budget = 1 << 20;

    if (mica_schema_pattern(arena, source, &budget, NULL, &pattern) ==
            MICA_OK &&
        pattern.automaton != NULL)
        FUZZ_MUST(mica_schema_automaton_match(pattern.automaton, text) ==
                  mica_regex_match(&pattern.regex, text, NULL));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text all = {(const char *)bytes, size}, pattern, text;
    const char *line_end = size > 0 ? memchr(bytes, '\n', size) : NULL;
    struct mica_arena arena;
    struct mica_error error = {.status = MICA_OK};
    struct mica_regex regex;
    uint64_t work = 0;

    if (line_end == NULL || mica_utf8_valid(all) != size || size > 4096)
        return 0;
    pattern = (struct mica_text){all.ptr, (size_t)(line_end - all.ptr)};
    text = mica_text_slice(all, pattern.len + 1, size);
    mica_arena_init(&arena, 64 << 20);
    if (mica_regex_compile(&arena, pattern, &error, &regex) == MICA_OK) {
        (void)mica_regex_match(&regex, text, &work);
        FUZZ_MUST(work <=
                  mica_regex_cost(&regex) * (mica_text_length(text) + 1));
    } else {
        FUZZ_MUST(error.status != MICA_OK && error.message[0] != '\0');
    }
    must_agree(&arena, pattern, text);
    mica_arena_fini(&arena);
    return 0;
}
