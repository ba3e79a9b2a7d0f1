// SPDX-License-Identifier: Apache-2.0
//
// How long a program takes from its start to its first answer: posix_spawn, one
// request, one whole reply. Prints for every run the microseconds that this took
// and those of the processor that the program used in all, one run a line.
//
// With "-" for the file nothing is asked, and the time is that to the program's end.
//
//     bench-start RUNS REQUEST-FILE COMMAND…
#include <string.h>

#include "child.h"

enum {
    BYTES = 1 << 16
};

static void
measure(char **command, const char *request, size_t size)
{
    static char reply[BYTES];
    double started = seconds(), took;
    struct child child = start_child(command);

    if (size > 0 && write(child.in, request, size) != (ssize_t)size)
        fail("write");
    for (;;) {
        ssize_t got = read(child.out, reply, sizeof reply);
        if (got == 0 && size == 0)
            break;
        if (got <= 0)
            fail("the server ended without an answer");
        if (memchr(reply, '\n', (size_t)got) != NULL)
            break;
    }
    took = seconds() - started;
    printf("%.0f %.0f\n", took * 1e6, end_child(&child) * 1e6);
}

int
main(int argc, char **argv)
{
    static char request[BYTES];
    FILE *file;
    size_t size;

    if (argc < 4) {
        fprintf(stderr, "usage: %s RUNS REQUEST-FILE COMMAND…\n", argv[0]);
        return 2;
    }
    size = 0;
    if (strcmp(argv[2], "-") != 0) {
        file = fopen(argv[2], "r");
        if (file == NULL)
            fail(argv[2]);
        size = fread(request, 1, sizeof request, file);
        fclose(file);
    }
    for (long run = strtol(argv[1], NULL, 10); run > 0; run--)
        measure(argv + 3, request, size);
    return 0;
}
