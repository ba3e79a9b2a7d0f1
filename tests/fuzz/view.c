// SPDX-License-Identifier: Apache-2.0
//
// The document of a view. Each tag lies inside of the text, behind the one before; and what
// the build has made self-contained stays as it is.
#include <string.h>

#include "build/view_inline.h"
#include "target.h"
#include "view/view_check.h"
#include "view/view_document.h"

enum {
    MEMORY_BYTES = 64 << 20,
    DOCUMENT_BYTES = 16 << 20
};

// Stands for the module; what ends a script must not end this one.
#define MODULE "var micaView=\"</SCRIPT <!-- \";"
static const struct mica_asset module = {
    .name = "view.js", .type = "", .bytes = {MODULE, sizeof MODULE - 1}};
const struct mica_assets mica_view_assets = {&module, 1};

static bool
lies_in(struct mica_text part, struct mica_text whole)
{
    return part.len == 0 || (part.ptr >= whole.ptr &&
                             part.ptr + part.len <= whole.ptr + whole.len);
}

static size_t
read_tags(struct mica_text document)
{
    static const char *const names[] = {"src", "type", "href"};
    struct mica_text value;
    struct mica_view_tag tag;
    size_t at = 0, before = 0, count = 0;

    for (; mica_view_tag_next(document, &at, &tag); before = tag.end, count++) {
        FUZZ_MUST(tag.begin >= before && tag.begin < tag.end);
        FUZZ_MUST(tag.end == at && at <= document.len);
        FUZZ_MUST(document.ptr[tag.begin] == '<' && tag.name.len > 0);
        FUZZ_MUST(lies_in(tag.name, document));
        FUZZ_MUST(lies_in(tag.content, document));
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (mica_view_tag_attribute(&tag, names[i], &value))
                FUZZ_MUST(lies_in(value, tag.attributes));
        }
    }
    FUZZ_MUST(at == document.len);
    return count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct mica_text document = {(const char *)bytes, size};
    const char *const domains[] = {"https://*.a.example", NULL};
    const struct mica_view view = {.resource_domains = domains};
    struct mica_buffer once, again;
    struct mica_error error = {.status = MICA_OK};
    struct mica_arena arena;
    size_t tags = read_tags(document);

    FUZZ_MUST(lies_in(mica_view_undeclared(&view, document), document));
    (void)mica_view_domain_wrong(document);
    mica_arena_init(&arena, MEMORY_BYTES);
    mica_buffer_init(&once, &arena, DOCUMENT_BYTES);
    mica_buffer_init(&again, &arena, DOCUMENT_BYTES);
    if (mica_view_inline(document, &once, &error) == MICA_OK) {
        struct mica_text whole = mica_buffer_as_text(&once);
        FUZZ_MUST(read_tags(whole) == tags);
        FUZZ_MUST(mica_view_inline(whole, &again, &error) == MICA_OK);
        FUZZ_MUST(mica_text_equal(whole, mica_buffer_as_text(&again)));
    } else {
        FUZZ_MUST(error.message[0] != '\0');
    }
    mica_arena_fini(&arena);
    return 0;
}
