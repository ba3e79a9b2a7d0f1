// SPDX-License-Identifier: Apache-2.0
//
// Loads libcurl once; it stays, as its libraries keep data of threads.
#include "fetch/fetch_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct mica_fetch_library library;
static bool library_loaded;
static char library_fault[256];

static bool
symbol_find(void *handle, const char *namez, void *function_out)
{
    void *found = dlsym(handle, namez);

    memcpy(function_out, &found, sizeof found); // POSIX: of one size
    return found != NULL;
}

static void
fetch_library_load(void)
{
    void *handle =
        dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool found = handle != NULL;
    const char *fault;

#define FIND(name) \
    found = found && symbol_find(handle, "curl_" #name, &library.name);
    MICA_FETCH_FUNCTIONS(FIND)
    if (found && library.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) {
        library_loaded = true;
        return;
    }
    fault = dlerror();
    (void)snprintf(library_fault, sizeof library_fault, "%s",
                   fault != NULL ? fault : "it cannot be initialized");
}

enum mica_status
mica_fetch_library(struct mica_error *error,
                   const struct mica_fetch_library **library_out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, fetch_library_load);
    *library_out = &library;
    if (library_loaded)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FETCH, "",
                          "the library libcurl.so.4 does not load: %s. "
                          "Install it: apt install libcurl4",
                          library_fault);
}
