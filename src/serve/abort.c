// SPDX-License-Identifier: Apache-2.0
//
// Writes the last line of a program that aborts.
#include "serve/abort.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void
mica_abort_with(const char *linez)
{
    (void)fprintf(stderr, "mica: %s\n", linez);
    abort();
}
