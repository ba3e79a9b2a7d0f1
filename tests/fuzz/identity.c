// SPDX-License-Identifier: Apache-2.0
//
// The file .mica/project as it may come with a folder from a stranger. What is read from
// it is written into paths and compared with a seal.
#include <stdlib.h>
#include <string.h>

#include "cli/identity_text.h"
#include "target.h"

static bool
is_hexadecimal(const char *textz, size_t digits)
{
    return strlen(textz) == digits &&
           strspn(textz, "0123456789abcdef") == digits;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_identity_text found;
    char *textz = malloc(size + 1); // so that a byte too many is seen

    FUZZ_MUST(textz != NULL);
    if (size > 0)
        memcpy(textz, bytes, size);
    textz[size] = '\0';
    if (mica_identity_text_read(textz, &found)) {
        FUZZ_MUST(is_hexadecimal(found.id, sizeof found.id - 1));
        FUZZ_MUST(is_hexadecimal(found.seal, sizeof found.seal - 1));
    }
    free(textz);
    return 0;
}
