// SPDX-License-Identifier: Apache-2.0
//
// Base64: any bytes are written and read back as they were. Any text is refused,
// with nothing written, or is the one text of the bytes that it stands for.
#include <string.h>

#include <mica/base.h>

#include "target.h"

// What stands in the buffer already, and has to stay.
#define BEFORE MICA_LITERAL("before ")

static struct mica_buffer
start(struct mica_arena *arena)
{
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, 1 << 20);
    mica_buffer_text(&buffer, BEFORE);
    return buffer;
}

static struct mica_text
behind(const struct mica_buffer *buffer)
{
    struct mica_text all = mica_buffer_as_text(buffer);

    FUZZ_MUST(!buffer->overflow && mica_text_starts(all, BEFORE.ptr));
    return mica_text_slice(all, BEFORE.len, all.len);
}

static struct mica_text
written(struct mica_arena *arena, struct mica_text bytes)
{
    struct mica_buffer buffer = start(arena);

    mica_base64_write(&buffer, bytes.ptr, bytes.len);
    return behind(&buffer);
}

static void
as_bytes(struct mica_arena *arena, struct mica_text bytes)
{
    struct mica_text text = written(arena, bytes);
    struct mica_buffer buffer = start(arena);

    FUZZ_MUST(text.len == (bytes.len + 2) / 3 * 4);
    FUZZ_MUST(mica_base64_read(&buffer, text));
    FUZZ_MUST(mica_text_equal(behind(&buffer), bytes));
}

static void
as_text(struct mica_arena *arena, struct mica_text text)
{
    struct mica_buffer buffer = start(arena);

    if (mica_base64_read(&buffer, text))
        FUZZ_MUST(mica_text_equal(written(arena, behind(&buffer)), text));
    else
        FUZZ_MUST(behind(&buffer).len == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text input = {(const char *)bytes, size};
    struct mica_arena arena;

    if (size > 16 * 1024)
        return 0;
    mica_arena_init(&arena, 8 << 20);
    as_bytes(&arena, input);
    as_text(&arena, input);
    mica_arena_fini(&arena);
    return 0;
}
