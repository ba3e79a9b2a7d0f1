// SPDX-License-Identifier: Apache-2.0
//
// What a resource declares as its policy. A policy that comes out has the directives that
// mica writes, in their order, and no word that is not of a list or of mica.
#include <string.h>

#include "target.h"
#include "view/csp.h"

enum {
    MEMORY_BYTES = 4 << 20
};

static const char *const directives[] = {
    "default-src", "script-src",  "style-src", "img-src",    "font-src",
    "media-src",   "connect-src", "frame-src", "object-src", "base-uri"};

static bool
is_word_of_mica(struct mica_text word)
{
    return mica_text_is(word, "'none'") || mica_text_is(word, "'self'") ||
           mica_text_is(word, "'unsafe-inline'") || mica_text_is(word, "data:");
}

static void
check_word(struct mica_text word)
{
    FUZZ_MUST(is_word_of_mica(word) || mica_text_starts(word, "https://") ||
              mica_text_starts(word, "wss://") ||
              mica_text_starts(word, "http://") ||
              mica_text_starts(word, "ws://"));
    for (size_t i = 0; i < word.len; i++)
        FUZZ_MUST(word.ptr[i] > ' ' && word.ptr[i] < 0x7f &&
                  word.ptr[i] != ',' && word.ptr[i] != ';');
}

static void
check_policy(struct mica_text policy)
{
    size_t directive = 0, words = 0, from = 0;

    for (size_t i = 0; i <= policy.len; i++) {
        if (i < policy.len && policy.ptr[i] != ' ' && policy.ptr[i] != ';')
            continue;
        struct mica_text word = mica_text_slice(policy, from, i);
        if (words == 0) {
            FUZZ_MUST(directive < MICA_COUNT(directives));
            FUZZ_MUST(mica_text_is(word, directives[directive]));
        } else {
            check_word(word);
        }
        words++;
        if (i < policy.len && policy.ptr[i] == ';') {
            FUZZ_MUST(policy.ptr[i + 1] == ' ');
            i++;
            directive++;
            words = 0;
        }
        from = i + 1;
    }
    FUZZ_MUST(directive == MICA_COUNT(directives) - 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct mica_text origin = {"http://127.0.0.1:8080", 21};
    const struct mica_csp_host host = {
        .origins = &origin, .origin_count = 1, .development = true};
    const struct mica_text text = {(const char *)bytes, size};
    struct mica_error error = {.status = MICA_OK};
    struct mica_arena arena;
    struct mica_csp csp;

    mica_arena_init(&arena, MEMORY_BYTES);
    if (mica_csp_read(&arena, text, &error, &csp) == MICA_OK) {
        struct mica_buffer policy;
        mica_buffer_init(&policy, &arena, MICA_CSP_BYTES);
        if (mica_csp_write(&csp, &host, &policy, &error) == MICA_OK)
            check_policy(mica_buffer_as_text(&policy));
        else
            FUZZ_MUST(error.message[0] != '\0' && policy.len == 0);
    } else {
        FUZZ_MUST(error.message[0] != '\0');
    }
    mica_arena_fini(&arena);
    return 0;
}
