// SPDX-License-Identifier: Apache-2.0
//
// A schema as providers take it: what is written is JSON, closed wherever an object may be,
// and the same when it is written again.
#include "model/model_wire.h"

#include "target.h"

enum {
    ROOM = 1 << 20
};

static struct mica_text
rewrite(struct mica_text text, struct mica_arena *arena, bool *is_object)
{
    struct mica_json_writer writer;
    struct mica_buffer out;
    struct mica_json schema;

    *is_object = mica_json_read(arena, text, NULL, NULL, &schema) == MICA_OK &&
                 schema.kind == MICA_JSON_OBJECT;
    if (!*is_object)
        return text;
    (void)mica_model_schema_is_strict(&schema);
    mica_buffer_init(&out, arena, ROOM);
    mica_json_writer_init(&writer, &out);
    mica_model_schema_write(&writer, &schema);
    *is_object = !out.overflow;
    return mica_buffer_as_text(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text text = {(const char *)bytes, size}, again;
    struct mica_arena arena;
    bool is_object;

    mica_arena_init(&arena, 64 * ROOM);
    text = rewrite(text, &arena, &is_object);
    if (is_object && text.len < ROOM / 8) {
        again = rewrite(text, &arena, &is_object);
        FUZZ_MUST(is_object && mica_text_equal(text, again));
    }
    mica_arena_fini(&arena);
    return 0;
}
