// SPDX-License-Identifier: Apache-2.0
//
// dlopen knows an object that is loaded by its path first: one that was replaced
// under the same name would be the old one again. So an object is opened under its
// name among the versions, which has its hash in it, or where that is missing
// through its descriptor, which stays open as long as it is loaded.
#include "tools/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcp/server.h"

enum {
    DESCRIPTOR_PATH = 64
};

bool
mica_tool_name_valid(struct mica_text name)
{
    return mica_name_valid(name) && name.ptr[0] != '.';
}

// ---- Opening ---------------------------------------------------------------------

// The same file under the name that only it has; false when there is none.
static bool
find_version(const struct mica_tool_library *library, const char *path,
             const char *name, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    struct stat given, found;
    int length;

    if (slash == NULL)
        return false;
    length = snprintf(out, PATH_MAX, "%.*s/" MICA_VERSIONS_DIR "/%s-%s.so",
                      (int)(slash - path), path, name, library->sha256);
    return length > 0 && length < PATH_MAX && lstat(out, &found) == 0 &&
           fstat(library->file, &given) == 0 && found.st_ino == given.st_ino &&
           found.st_dev == given.st_dev &&
           mica_trust_path(out, NULL) == MICA_OK;
}

static enum mica_status
cannot_load(const char *path, struct mica_error *error)
{
    const char *words = dlerror();
    const char *symbol;

    if (words == NULL)
        words = "";
    symbol = strstr(words, "undefined symbol: ");
    if (symbol != NULL && strncmp(symbol + 18, "mica_", 5) == 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "%s calls %s, which this program does not have "
                              "or does not show. Build the tool again; link a "
                              "program of yours with libmica.so, or with "
                              "-rdynamic and all of libmica.a.",
                              path, symbol + 18);
    if (symbol != NULL)
        return mica_error_set(error, MICA_E_IO, "",
                              "%s calls %s, which is not in it. If it is of a "
                              "library, name that at the top of the source: // "
                              "mica: libraries NAME",
                              path, symbol + 18);
    return mica_error_set(error, MICA_E_IO, "", "Cannot load %s: %s", path,
                          words);
}

static enum mica_status
check_module(const struct mica_tool_module *module, const char *path,
             const char *name, struct mica_error *error)
{
    if (module == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s.c has no tool: it needs one MICA_TOOL or "
                              "MICA_HANDOFF",
                              name);
    if (module->abi != MICA_TOOL_ABI ||
        module->size != sizeof(struct mica_tool))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s was built for another version of mica. Build "
                              "it again: mica build",
                              path);
    if (module->tool->name == NULL || strcmp(module->tool->name, name) != 0)
        return mica_error_set(
            error, MICA_E_USAGE, "",
            "%s.c calls its tool '%s'. The file has to be "
            "named as the tool is: rename one of the two",
            name, module->tool->name != NULL ? module->tool->name : "");
    return MICA_OK;
}

// How the object is opened by its descriptor.
static void
descriptor_path(const struct mica_tool_library *library,
                char out[DESCRIPTOR_PATH])
{
    (void)snprintf(out, DESCRIPTOR_PATH, "/proc/self/fd/%d", library->file);
}

static enum mica_status
load(struct mica_tool_library *library, const char *path, const char *name,
     struct mica_error *error)
{
    char descriptor[DESCRIPTOR_PATH], version[PATH_MAX];

    library->file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (library->file < 0)
        return mica_error_set(
            error, errno == ENOENT ? MICA_E_NOT_FOUND : MICA_E_IO, "",
            "Cannot read %s (%s).", path, strerror(errno));
    descriptor_path(library, descriptor);
    MICA_TRY(mica_trust_hash(descriptor, error, library->sha256));
    library->handle = dlopen(
        find_version(library, path, name, version) ? version : descriptor,
        RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL)
        return cannot_load(path, error);
    library->module = dlsym(library->handle, "mica_tool_module");
    return check_module(library->module, path, name, error);
}

enum mica_status
mica_tool_library_open(const char *path, const char *name,
                       struct mica_error *error,
                       struct mica_tool_library **library_out)
{
    struct mica_tool_library *library = calloc(1, sizeof *library);
    enum mica_status status;

    if (library == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory for a tool");
    atomic_init(&library->references, 1);
    status = load(library, path, name, error);
    if (status != MICA_OK)
        mica_tool_library_drop(library);
    else
        *library_out = library;
    return status;
}

void
mica_tool_library_hold(struct mica_tool_library *library)
{
    atomic_fetch_add_explicit(&library->references, 1, memory_order_relaxed);
}

// An object may refuse to go. One that has its descriptor for a name keeps that: a
// later one with the same number would be taken for it.
static bool
is_still_loaded(const struct mica_tool_library *library)
{
    char descriptor[DESCRIPTOR_PATH];
    void *handle;

    descriptor_path(library, descriptor);
    handle = dlopen(descriptor, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != NULL)
        (void)dlclose(handle);
    return handle != NULL;
}

void
mica_tool_library_drop(struct mica_tool_library *library)
{
    if (library == NULL || atomic_fetch_sub_explicit(&library->references, 1,
                                                     memory_order_acq_rel) != 1)
        return;
    if (library->handle != NULL)
        (void)dlclose(library->handle);
    if (library->file >= 0 && !is_still_loaded(library))
        (void)close(library->file);
    free(library);
}

// ---- Defining --------------------------------------------------------------------

static void
release(struct mica_definition *definition)
{
    mica_tool_library_drop(definition->held);
}

enum mica_status
mica_tool_library_define(struct mica_tool_library *library,
                         struct mica_error *error,
                         struct mica_definition **definition_out)
{
    const struct mica_tool_module *module = library->module;
    const struct mica_origin origin = {.version = mica_text(library->sha256),
                                       .family = mica_text(module->family)};

    MICA_TRY(mica_definition_of_tool(module->tool, NULL, &origin, error,
                                     definition_out));
    mica_tool_library_hold(library);
    (*definition_out)->held = library;
    (*definition_out)->release = release;
    return MICA_OK;
}
