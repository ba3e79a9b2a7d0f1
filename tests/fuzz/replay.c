// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target over its kept corpus, without libFuzzer: an input that once
// broke something stays a test in every build. The one argument is the folder.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "target.h"

enum {
    LARGEST = 1 << 20
};

static int
replay(const char *folder, const char *name)
{
    char path[4096];
    static unsigned char input[LARGEST];
    FILE *file;
    size_t size;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    size = fread(input, 1, sizeof input, file);
    (void)fclose(file);
    // An own allocation of the exact size lets the sanitizers see a read past it.
    unsigned char *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL)
        return 1;
    for (size_t i = 0; i < size; i++)
        exact[i] = input[i];
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

int
main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    int count = 0, failed = 0;

    if (folder == NULL) {
        (void)fprintf(stderr, "usage: replay FOLDER (with inputs)\n");
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        failed |= replay(argv[1], entry->d_name);
        count++;
    }
    (void)closedir(folder);
    (void)printf("%d inputs\n", count);
    return failed != 0 || count == 0 ? 1 : 0;
}
