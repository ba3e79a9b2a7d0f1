// SPDX-License-Identifier: Apache-2.0
//
// Whether a descriptor leads to a person's terminal, and whether colors are wanted there.
#ifndef MICA_PLATFORM_TERMINAL_H
#define MICA_PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// NO_COLOR (no-color.org) and TERM=dumb turn colors off.
static inline bool
mica_terminal_wants_color(int fd)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(fd) != 0 && (no_color == NULL || no_color[0] == '\0') &&
           term != NULL && strcmp(term, "dumb") != 0;
}

#endif
