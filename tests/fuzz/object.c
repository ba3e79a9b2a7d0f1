// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the native object of a translation, and as the shared one: taken, or
// refused with a reason.
#include "build/native_object.h"
#include "target.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text text = {(const char *)bytes, size};
    struct mica_error error = {0};

    if (mica_native_object(text, "good", &error) != MICA_OK)
        FUZZ_MUST(error.message[0] != '\0');
    error = (struct mica_error){0};
    if (mica_native_shared(text, &error) != MICA_OK)
        FUZZ_MUST(error.message[0] != '\0');
    return 0;
}
