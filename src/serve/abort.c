// SPDX-License-Identifier: Apache-2.0
//
// The last words of a program that stops itself.
#include "serve/abort.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void
mica_abort_with(const char *linez)
{
    (void)fprintf(stderr, "mica: %s\n", linez);
    abort();
}
