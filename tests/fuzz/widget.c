// SPDX-License-Identifier: Apache-2.0
//
// Data of widgets. The first byte chooses the layout. No data and no words change the
// elements of the document; the text for clients without views is bounded; an address
// that is taken apart is the same again.
#include "apps/widget.h"

#include <string.h>

#include "target.h"
#include "view/view_check.h"
#include "view/view_document.h"

enum {
    MEMORY_BYTES = 64 << 20,
    DOCUMENT_BYTES = 1 << 20
};

static size_t
tags_of(struct mica_text document)
{
    struct mica_view_tag tag;
    size_t at = 0, count = 0;

    while (mica_view_tag_next(document, &at, &tag))
        count++;
    return count;
}

static bool
has(struct mica_text text, const char *partz)
{
    size_t size = strlen(partz);

    for (size_t at = 0; at + size <= text.len; at++) {
        if (memcmp(text.ptr + at, partz, size) == 0)
            return true;
    }
    return false;
}

// The document with that data and these words has the elements that it has without harm.
static void
check_document(struct mica_arena *arena, struct mica_widget_parts parts,
               struct mica_text words)
{
    const struct mica_text plain = MICA_LITERAL("x");
    struct mica_error error = {.status = MICA_OK};
    struct mica_buffer html, calm;

    mica_buffer_init(&html, arena, DOCUMENT_BYTES);
    mica_buffer_init(&calm, arena, DOCUMENT_BYTES);
    parts.title = words;
    parts.tool = words.len > 0 ? words : plain;
    if (mica_widget_write(&parts, arena, &error, &html) != MICA_OK) {
        FUZZ_MUST(error.message[0] != '\0');
        return;
    }
    parts.title = parts.tool = plain;
    parts.data = parts.data.len > 0 ? MICA_LITERAL("{}") : parts.data;
    parts.failure = parts.failure.len > 0 ? plain : parts.failure;
    FUZZ_MUST(mica_widget_write(&parts, arena, &error, &calm) == MICA_OK);
    FUZZ_MUST(tags_of(mica_buffer_as_text(&html)) ==
              tags_of(mica_buffer_as_text(&calm)));
    FUZZ_MUST(!has(mica_buffer_as_text(&html), "<!--"));
}

static void
check_text(struct mica_arena *arena, const struct mica_app_layout_row *layout,
           const struct mica_json *data)
{
    struct mica_text origins[MICA_LAYOUT_ORIGINS];
    struct mica_buffer text;
    size_t count = mica_layout_origins(data, origins);

    mica_buffer_init(&text, arena, DOCUMENT_BYTES);
    mica_layout_text(layout, data, &text);
    FUZZ_MUST(!text.overflow && text.len <= MICA_LAYOUT_TEXT_BYTES);
    FUZZ_MUST(mica_utf8_valid(mica_buffer_as_text(&text)) == text.len);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        FUZZ_MUST((c >= ' ' && c != 0x7f) || c == '\n' || c == '\t');
    }
    FUZZ_MUST(count <= MICA_LAYOUT_ORIGINS);
    for (size_t i = 0; i < count; i++)
        FUZZ_MUST(mica_view_domain_wrong(origins[i]) == NULL);
}

static void
check_uri(struct mica_arena *arena, struct mica_text uri)
{
    struct mica_text slug, tag;
    struct mica_buffer again;

    if (!mica_widget_uri_read(uri, &slug, &tag))
        return;
    mica_buffer_init(&again, arena, DOCUMENT_BYTES);
    mica_widget_uri(&again, slug, tag);
    FUZZ_MUST(mica_text_equal(mica_buffer_as_text(&again), uri));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_widget_parts parts = {.layout = &mica_app_layouts[0]};
    struct mica_text text = {(const char *)bytes, size};
    struct mica_json data;
    struct mica_arena arena;

    mica_arena_init(&arena, MEMORY_BYTES);
    check_uri(&arena, text);
    if (size > 0) {
        parts.layout = &mica_app_layouts[bytes[0] % MICA_LAYOUTS];
        text = mica_text_slice(text, 1, size);
    }
    text = mica_text_slice(text, 0, mica_utf8_valid(text));
    if (mica_json_read(&arena, text, NULL, NULL, &data) == MICA_OK) {
        check_text(&arena, parts.layout, &data);
        parts.data = text;
    } else {
        parts.failure = text;
    }
    check_document(&arena, parts, text);
    mica_arena_fini(&arena);
    return 0;
}
