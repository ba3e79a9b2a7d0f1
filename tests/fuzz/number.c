// SPDX-License-Identifier: Apache-2.0
//
// Numbers: reading agrees with the C library's strtod, which rounds correctly,
// and the shortest text of a double reads back as the same double.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mica/base.h>

#include "target.h"

static void
read_like_strtod(const uint8_t *bytes, size_t size)
{
    char textz[1024];
    double value, expected;

    if (size >= sizeof textz)
        return;
    memcpy(textz, bytes, size);
    textz[size] = '\0';
    if (!mica_number_read((struct mica_text){textz, size}, &value))
        return;
    expected = strtod(textz, NULL);
    FUZZ_MUST(memcmp(&value, &expected, sizeof value) == 0);
}

static void
write_and_read(double value)
{
    char textz[MICA_NUMBER_SIZE];
    double again;
    size_t length = mica_number_write(value, textz);

    FUZZ_MUST(length == strlen(textz) && length < sizeof textz);
    if (!isfinite(value))
        return;
    FUZZ_MUST(mica_number_read((struct mica_text){textz, length}, &again));
    // By value, so that -0, which is written as 0, passes.
    FUZZ_MUST(again >= value && again <= value);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    double value;

    read_like_strtod(bytes, size);
    if (size == sizeof value) {
        memcpy(&value, bytes, sizeof value);
        write_and_read(value);
    }
    return 0;
}
