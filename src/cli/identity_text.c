// SPDX-License-Identifier: Apache-2.0
//
// Lines of a word and hexadecimal digits; others are left alone.
#include "cli/identity_text.h"

#include <string.h>

// The digits behind the first line that begins with `word`.
static bool
read_digits(const char *textz, const char *word, size_t digits, char *out)
{
    const char *at = strstr(textz, word);

    if (at == NULL)
        return false;
    at += strlen(word);
    if (strspn(at, "0123456789abcdef") != digits)
        return false;
    memcpy(out, at, digits);
    out[digits] = '\0';
    return true;
}

bool
mica_identity_text_read(const char *textz, struct mica_identity_text *text_out)
{
    return read_digits(textz, "\nid ", sizeof text_out->id - 1, text_out->id) &&
           read_digits(textz, "\nseal ", sizeof text_out->seal - 1,
                       text_out->seal);
}
