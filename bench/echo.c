// SPDX-License-Identifier: Apache-2.0
//
// The least that any server on a pipe must do: reads a line, and answers it by
// one write of as many bytes as the server under test answers. What mica is
// compared with.
//
//     bench-echo BYTES
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
    static char reply[1 << 20];
    char *line = NULL;
    size_t capacity = 0, size = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

    if (size < 1 || size > sizeof reply) {
        fprintf(stderr, "usage: %s BYTES, 1 to %zu\n", argv[0], sizeof reply);
        return 2;
    }
    memset(reply, 'x', size - 1);
    reply[size - 1] = '\n';
    while (getline(&line, &capacity, stdin) > 0) {
        if (write(STDOUT_FILENO, reply, size) != (ssize_t)size)
            return 1;
    }
    free(line);
    return 0;
}
