// SPDX-License-Identifier: Apache-2.0
//
// Opening sealed texts. No one can make them without the key, so whatever comes
// is refused, with nothing written; and what is sealed here, with the input as
// plain text, opens again, but not when one character of it is another or one
// more follows.
#include <string.h>

#include "store/store_sealer.h"
#include "target.h"

static struct mica_sealer
make_sealer(void)
{
    static struct mica_store *store;
    static struct mica_store_sealer *sealer;

    if (sealer == NULL) {
        FUZZ_MUST(mica_store_open("memory", NULL, NULL, &store) == MICA_OK);
        FUZZ_MUST(mica_store_sealer_open(store, NULL, &sealer) == MICA_OK);
    }
    return mica_store_sealer(sealer);
}

static void
must_refuse(const struct mica_sealer *sealer, struct mica_arena *arena,
            struct mica_text text, struct mica_text bound)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_buffer plain;

    mica_buffer_init(&plain, arena, 1 << 20);
    FUZZ_MUST(sealer->open(sealer->user, 1, text, bound, &error, &plain) ==
              MICA_E_FORMAT);
    FUZZ_MUST(plain.len == 0 && error.message[0] != '\0');
}

// The first byte of the input says where the sealed text is changed.
static void
must_notice(const struct mica_sealer *sealer, struct mica_arena *arena,
            struct mica_text sealed, struct mica_text bound, unsigned where)
{
    char *copy = mica_arena_alloc(arena, sealed.len + 9);
    size_t at = where * sealed.len / 256;

    FUZZ_MUST(copy != NULL);
    memcpy(copy, sealed.ptr, sealed.len);
    memcpy(copy + sealed.len, "-TAMPERED", 9);
    for (size_t more = 1; more <= 9; more++)
        must_refuse(sealer, arena, (struct mica_text){copy, sealed.len + more},
                    bound);
    for (size_t i = 0; i < sealed.len; i++) {
        if (copy[i] != '_')
            continue;
        copy[i] = (char)(0x80 | where); // no other character stands for one
        must_refuse(sealer, arena, (struct mica_text){copy, sealed.len}, bound);
        copy[i] = '_';
    }
    copy[at] = copy[at] == 'A' ? 'B' : 'A';
    must_refuse(sealer, arena, (struct mica_text){copy, sealed.len}, bound);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text input = {(const char *)bytes, size};
    struct mica_sealer sealer = make_sealer();
    struct mica_buffer sealed, plain;
    struct mica_arena arena;

    if (size == 0 || size > 4096)
        return 0;
    mica_arena_init(&arena, 16 << 20);
    must_refuse(&sealer, &arena, input, MICA_LITERAL("x"));
    mica_buffer_init(&sealed, &arena, 1 << 20);
    mica_buffer_init(&plain, &arena, 1 << 20);
    FUZZ_MUST(sealer.seal(sealer.user, 1, input, input, NULL, &sealed) ==
              MICA_OK);
    FUZZ_MUST(sealer.open(sealer.user, 1, mica_buffer_as_text(&sealed), input,
                          NULL, &plain) == MICA_OK);
    FUZZ_MUST(mica_text_equal(mica_buffer_as_text(&plain), input));
    must_notice(&sealer, &arena, mica_buffer_as_text(&sealed), input, bytes[0]);
    mica_arena_fini(&arena);
    return 0;
}
