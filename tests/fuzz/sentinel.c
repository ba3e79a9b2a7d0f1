// SPDX-License-Identifier: Apache-2.0
//
// Values of Mcp-Name and Mcp-Param headers: any is refused, or stands for itself,
// or is the one encoded form of what it stands for; and every text that a client
// encodes arrives. The input is such a value, the inside of an encoded one, and a
// text to encode.
#include <string.h>

#include "server/message.h"
#include "target.h"

#define OPENING "=?base64?"
#define CLOSING "?="

static struct mica_text
wrap(struct mica_arena *arena, struct mica_text inside)
{
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, 1 << 20);
    mica_buffer_text(&buffer, MICA_LITERAL(OPENING));
    mica_buffer_text(&buffer, inside);
    mica_buffer_text(&buffer, MICA_LITERAL(CLOSING));
    return mica_buffer_as_text(&buffer);
}

static struct mica_text
encode(struct mica_arena *arena, struct mica_text text)
{
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, 1 << 20);
    mica_base64_write(&buffer, text.ptr, text.len);
    return wrap(arena, mica_buffer_as_text(&buffer));
}

static bool
is_encoded(struct mica_text value)
{
    return value.len >= strlen(OPENING CLOSING) &&
           mica_text_starts(value, OPENING) &&
           mica_text_is(mica_text_slice(value, value.len - 2, value.len),
                        CLOSING);
}

static bool
is_plain(struct mica_text value)
{
    for (size_t i = 0; i < value.len; i++) {
        if ((value.ptr[i] < ' ' || value.ptr[i] > '~') && value.ptr[i] != '\t')
            return false;
    }
    return true;
}

static void
decode(struct mica_arena *arena, struct mica_text value)
{
    struct mica_text trimmed = mica_header_trim(value), decoded;
    bool encoded = is_encoded(trimmed);

    if (!mica_header_decode(arena, value, &decoded)) {
        FUZZ_MUST(encoded || !is_plain(trimmed));
        return;
    }
    FUZZ_MUST(is_plain(trimmed) && mica_utf8_valid(decoded) == decoded.len);
    if (encoded)
        FUZZ_MUST(mica_text_equal(encode(arena, decoded), trimmed));
    else
        FUZZ_MUST(mica_text_equal(decoded, trimmed));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text input = {(const char *)bytes, size}, decoded;
    struct mica_arena arena;

    if (size > 16 * 1024)
        return 0;
    mica_arena_init(&arena, 8 << 20);
    decode(&arena, input);
    decode(&arena, wrap(&arena, input));
    if (mica_utf8_valid(input) == size)
        FUZZ_MUST(mica_header_decode(&arena, encode(&arena, input), &decoded) &&
                  mica_text_equal(decoded, input));
    mica_arena_fini(&arena);
    return 0;
}
