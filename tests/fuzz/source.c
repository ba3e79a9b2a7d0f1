// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the source of an engine, before a compiler reads it: taken, or
// refused with a line that it has.
#include "build/engine_source.h"
#include "target.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text text = {(const char *)bytes, size};
    struct mica_error error = {0};
    struct mica_buffer words;

    mica_buffer_init(&words, NULL, 1 << 16);
    if (mica_source_words("engines/fuzz.c", text, &words, &error) != MICA_OK) {
        FUZZ_MUST(error.message[0] != '\0');
        FUZZ_MUST(words.len > 0);
    }
    mica_buffer_fini(&words);
    return 0;
}
