// SPDX-License-Identifier: Apache-2.0
//
// See program_module.h.
#include "build/program_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/installed.h"
#include "sandbox/trust.h"

// meson sets it; this serves the checkers.
#ifndef MICA_VERSION
#    define MICA_VERSION "unknown"
#endif

enum {
    FOLDERS_UP = 4 // of the program in which a module is looked for
};

// ---- Finding -----------------------------------------------------------------

static bool
module_take(const char *file, char out[PATH_MAX], const char *root,
            const char *between)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof path, "%s/%s/%s", root, between, file);

    return len > 0 && (size_t)len < sizeof path && access(path, R_OK) == 0 &&
           realpath(path, out) != NULL;
}

static bool
in_root(const char *file, char out[PATH_MAX], const char *root)
{
    return module_take(file, out, root, ".") ||
           module_take(file, out, root, mica_installed_folder);
}

// Beside the program or in a folder above it (a build folder, an installation
// that was moved), then where this build installs.
static bool
module_find(const char *file, char out[PATH_MAX])
{
    char root[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", root, sizeof root - 1);

    root[len > 0 ? len : 0] = '\0';
    for (int up = 0; up < FOLDERS_UP; up++) {
        char *slash = strrchr(root, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
        if (in_root(file, out, root))
            return true;
    }
    return in_root(file, out, mica_installed_prefix);
}

static enum mica_status
module_locate(const struct mica_program_module *wanted,
              struct mica_error *error, char out[PATH_MAX])
{
    struct mica_text given = wanted->path;
    char path[PATH_MAX];

    if (given.len > 0 && given.len < sizeof path) {
        memcpy(path, given.ptr, given.len);
        path[given.len] = '\0';
        if (realpath(path, out) != NULL)
            return MICA_OK;
    } else if (given.len == 0 && module_find(wanted->file, out)) {
        return MICA_OK;
    } else {
        given = mica_text(wanted->file);
    }
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "There is no module %.*s, which %s. It is built and "
                          "installed with mica, in %s/%s.",
                          MICA_ARG(given), wanted->user, mica_installed_prefix,
                          mica_installed_folder);
}

// ---- Loading -----------------------------------------------------------------

enum mica_status
mica_program_module_load(const struct mica_program_module *wanted,
                         struct mica_error *error, const void **symbol_out)
{
    char path[PATH_MAX];
    const char *const *version;
    void *handle;

    MICA_TRY(module_locate(wanted, error, path));
    MICA_TRY(mica_trust_path(path, error));
    // It stays: its libraries keep thread-local data and are never unloaded.
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL)
        return mica_error_set(error, MICA_E_IO, "",
                              "The module does not load: %s. Install the "
                              "packages %s.",
                              dlerror(), wanted->packages);
    version = dlsym(handle, wanted->symbol);
    if (version == NULL || strcmp(*version, MICA_VERSION) != 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s is not of mica " MICA_VERSION
                              ". Install both from one build.",
                              path);
    *symbol_out = version;
    return MICA_OK;
}
