// SPDX-License-Identifier: Apache-2.0
//
// The JSON reader on any bytes. What it accepts must come back the same after
// being written, compact, pretty and canonical; what it refuses must say why.
#include <mica/json.h>

#include "target.h"

static enum mica_status
read(struct mica_arena *arena, struct mica_text text, struct mica_error *error,
     struct mica_json *value_out)
{
    return mica_json_read(arena, text, NULL, error, value_out);
}

// The text reads as a value equal to `value`.
static void
must_be(struct mica_arena *arena, const struct mica_buffer *buffer,
        const struct mica_json *value)
{
    struct mica_json again;

    FUZZ_MUST(!buffer->overflow);
    FUZZ_MUST(read(arena, mica_buffer_as_text(buffer), NULL, &again) ==
              MICA_OK);
    FUZZ_MUST(mica_json_equal(value, &again));
}

// Compact text, read and written again, is the same bytes.
static void
must_repeat(struct mica_arena *arena, const struct mica_buffer *buffer)
{
    struct mica_buffer twice;
    struct mica_json_writer writer;
    struct mica_json value;

    FUZZ_MUST(read(arena, mica_buffer_as_text(buffer), NULL, &value) ==
              MICA_OK);
    mica_buffer_init(&twice, arena, 16 << 20);
    mica_json_writer_init(&writer, &twice);
    mica_json_value(&writer, &value);
    FUZZ_MUST(mica_text_equal(mica_buffer_as_text(buffer),
                              mica_buffer_as_text(&twice)));
}

static void
write_all(struct mica_arena *arena, const struct mica_json *value)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;

    mica_buffer_init(&buffer, arena, 16 << 20);
    mica_json_writer_init(&writer, &buffer);
    mica_json_value(&writer, value);
    must_be(arena, &buffer, value);
    must_repeat(arena, &buffer);

    mica_buffer_init(&buffer, arena, 16 << 20);
    mica_json_pretty(&buffer, value);
    must_be(arena, &buffer, value);

    // Canonical numbers are doubles, so only a second pass must agree.
    mica_buffer_init(&buffer, arena, 16 << 20);
    if (mica_json_canonical(arena, &buffer, value) == MICA_OK) {
        struct mica_json canonical;
        struct mica_buffer twice;
        FUZZ_MUST(read(arena, mica_buffer_as_text(&buffer), NULL, &canonical) ==
                  MICA_OK);
        mica_buffer_init(&twice, arena, 16 << 20);
        FUZZ_MUST(mica_json_canonical(arena, &twice, &canonical) == MICA_OK);
        FUZZ_MUST(mica_text_equal(mica_buffer_as_text(&buffer),
                                  mica_buffer_as_text(&twice)));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text text = {(const char *)bytes, size};
    struct mica_arena arena;
    struct mica_error error = {.status = MICA_OK};
    struct mica_json value;

    if (size > 64 * 1024)
        return 0;
    mica_arena_init(&arena, 256 << 20);
    if (read(&arena, text, &error, &value) == MICA_OK) {
        FUZZ_MUST(mica_utf8_valid(text) == size);
        FUZZ_MUST(value.raw.ptr >= text.ptr &&
                  value.raw.ptr + value.raw.len <= text.ptr + text.len);
        write_all(&arena, &value);
    } else {
        FUZZ_MUST(error.status != MICA_OK && error.code[0] != '\0' &&
                  error.message[0] != '\0');
        FUZZ_MUST(mica_utf8_valid(mica_text(error.message)) ==
                  mica_text(error.message).len);
    }
    mica_arena_fini(&arena);
    return 0;
}
