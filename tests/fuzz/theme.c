// SPDX-License-Identifier: Apache-2.0
//
// Themes of published apps. A value that passes cannot leave its declaration, whatever kind
// it is of; and a theme without errors is written whole.
#include "apps/theme.h"

#include <string.h>

#include "target.h"

enum {
    MEMORY_BYTES = 16 << 20,
    CSS_BYTES = 1 << 20
};

// What CSS would take as the end of a value, or as something to load.
static bool
is_contained(struct mica_text value)
{
    int depth = 0;
    bool quoted = false;

    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c < ' ' || c > '~' || strchr(";{}<>\\@!'`$*", c) != NULL)
            return false;
        quoted ^= c == '"';
        if (quoted && (c == '(' || c == ')'))
            return false;
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth < 0 || depth > 2)
            return false;
        if (i >= 3 && (value.ptr[i - 3] | 0x20) == 'u' && c == '(')
            return false;
    }
    return depth == 0 && !quoted;
}

static void
check_values(struct mica_text value)
{
    for (int kind = MICA_THEME_COLOR; kind <= MICA_THEME_SHADOW; kind++) {
        if (mica_theme_value((enum mica_theme_kind)kind, value))
            FUZZ_MUST(value.len > 0 && is_contained(value));
    }
}

static void
check_theme(struct mica_arena *arena, const struct mica_json *theme)
{
    struct mica_theme_findings findings;
    struct mica_buffer css;
    size_t count = 0;

    if (mica_theme_check(theme, arena, &findings) != MICA_OK)
        return;
    FUZZ_MUST(findings.errors <= findings.count);
    for (size_t i = 0; i < findings.count; i++) {
        struct mica_text message = findings.items[i].message;
        FUZZ_MUST(message.len > 0 && mica_utf8_valid(message) == message.len);
    }
    mica_buffer_init(&css, arena, CSS_BYTES);
    mica_theme_write(theme, &css);
    FUZZ_MUST(!css.overflow);
    for (size_t i = 0; i < css.len; i++)
        count += css.ptr[i] == ';';
    if (theme->kind == MICA_JSON_OBJECT) {
        FUZZ_MUST(count <= theme->count);
        FUZZ_MUST(findings.errors > 0 || count == theme->count);
        // More than that are not listed.
        FUZZ_MUST(findings.errors == theme->count - count ||
                  findings.count == MICA_THEME_FINDINGS);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct mica_text text = {(const char *)bytes, size};
    struct mica_json theme;
    struct mica_arena arena;

    check_values(text);
    mica_arena_init(&arena, MEMORY_BYTES);
    if (mica_json_read(&arena, text, NULL, NULL, &theme) == MICA_OK)
        check_theme(&arena, &theme);
    mica_arena_fini(&arena);
    return 0;
}
