// SPDX-License-Identifier: Apache-2.0
//
// The text of .mica/project, which may come with a foreign folder.
#ifndef MICA_CLI_IDENTITY_TEXT_H
#define MICA_CLI_IDENTITY_TEXT_H

#include <stdbool.h>

#include "build/digest.h"
#include "cli/identity.h"

struct mica_identity_text {
    char id[MICA_IDENTITY_SIZE];
    char seal[MICA_SHA256_SIZE]; // of the user who has made it
};

// False: it has no id or no seal of their lengths.
bool mica_identity_text_read(const char *textz,
                             struct mica_identity_text *text_out);

#endif
