// SPDX-License-Identifier: Apache-2.0
//
// URI templates: the first line of the input is the template, the rest is the
// URI. Any template compiles or is refused with a reason; a value that comes out
// never climbs, and holds a slash only where its variable may.
#include <string.h>

#include "registry/uri_template.h"
#include "target.h"

static void
check_value(char mark, struct mica_text value)
{
    struct mica_text rest = value;
    bool one = mark == 0 || mark == '/' || mark == '.' || mark == ';';

    FUZZ_MUST(mica_utf8_valid(value) == value.len);
    FUZZ_MUST(value.len == 0 || memchr(value.ptr, '\0', value.len) == NULL);
    if (one)
        FUZZ_MUST(value.len == 0 || memchr(value.ptr, '/', value.len) == NULL);
    FUZZ_MUST(mark != '+' || value.ptr[0] != '/');
    for (;;) {
        const char *slash =
            rest.len > 0 ? memchr(rest.ptr, '/', rest.len) : NULL;
        size_t size = slash != NULL ? (size_t)(slash - rest.ptr) : rest.len;
        FUZZ_MUST(!mica_text_is(mica_text_slice(rest, 0, size), ".."));
        if (slash == NULL)
            break;
        rest = mica_text_slice(rest, size + 1, rest.len);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text all = {(const char *)bytes, size}, text, uri;
    const char *line_end = size > 0 ? memchr(bytes, '\n', size) : NULL;
    struct mica_template template;
    struct mica_text values[48];
    struct mica_error error = {.status = MICA_OK};
    struct mica_arena arena;

    if (line_end == NULL)
        return 0;
    text = (struct mica_text){all.ptr, (size_t)(line_end - all.ptr)};
    uri = mica_text_slice(all, text.len + 1, size);
    mica_arena_init(&arena, 1 << 20);
    if (mica_template_compile(&arena, text, &error, &template) != MICA_OK) {
        FUZZ_MUST(error.status == MICA_E_USAGE && error.message[0] != '\0');
    } else if (mica_template_match(&template, uri, &arena, values)) {
        for (size_t i = 0; i < template.variable_count; i++) {
            const struct mica_variable *variable = &template.variables[i];
            FUZZ_MUST(values[i].ptr != NULL || variable->optional);
            if (values[i].ptr != NULL)
                check_value(variable->mark, values[i]);
        }
    }
    mica_arena_fini(&arena);
    return 0;
}
