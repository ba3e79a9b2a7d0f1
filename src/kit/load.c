// SPDX-License-Identifier: Apache-2.0
//
// Loads a program of tests, runs it, and lets it go.
#include "kit/load.h"

#include <dlfcn.h>

enum mica_status
mica_kit_load(const char *path, char **words, struct mica_error *error,
              int *exit_out)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    union {
        void *symbol;
        int (*main)(int count, char **words);
    } entry;
    int count = 0;

    if (handle == NULL)
        return mica_error_set(error, MICA_E_IO, "", "the tests do not load: %s",
                              dlerror());
    entry.symbol = dlsym(handle, "main");
    if (entry.symbol == NULL) {
        (void)dlclose(handle);
        return mica_error_set(error, MICA_E_IO, "",
                              "the tests have no main: the file ends with "
                              "MICA_TEST_MAIN");
    }
    while (words[count] != NULL)
        count++;
    *exit_out = entry.main(count, words);
    (void)dlclose(handle);
    return MICA_OK;
}
