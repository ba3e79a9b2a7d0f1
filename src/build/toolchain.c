// SPDX-License-Identifier: Apache-2.0
//
// Finds the compilers and mica's own parts. Each thing has one environment
// variable that decides, and a list of places otherwise.
#include "build/build.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/build_cache.h"
#include "build/files.h"
#include "build/installed.h"

// ---- Programs ----------------------------------------------------------------

static bool
in_path(const char *program)
{
    const char *folders = getenv("PATH");
    if (strchr(program, '/') != NULL)
        return access(program, X_OK) == 0;
    for (const char *at = folders; at != NULL && *at != '\0';) {
        char path[PATH_MAX];
        size_t len = strcspn(at, ":");
        int size =
            snprintf(path, sizeof path, "%.*s/%s", (int)len, at, program);
        if (size > 0 && (size_t)size < sizeof path && access(path, X_OK) == 0)
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

// The compilers run in another folder, so "./cc" has to be made absolute. A link
// is not followed: compilers look at the name they are called by.
static bool
path_make_absolute(char out[256], const char *program)
{
    char here[PATH_MAX];
    bool relative = program[0] != '/' && strchr(program, '/') != NULL;
    if (!relative || getcwd(here, sizeof here) == NULL)
        here[0] = '\0';
    int len = snprintf(out, 256, "%s%s%s", here, relative ? "/" : "", program);
    return len > 0 && len < 256;
}

static enum mica_status
find_program(char out[256], struct mica_error *error, const char *variable,
             const char *const *names, const char *package)
{
    const char *given = getenv(variable);
    const char *only[] = {given, NULL};
    if (given != NULL && given[0] != '\0')
        names = only;
    for (const char *const *name = names; *name != NULL; name++)
        if (in_path(*name) && path_make_absolute(out, *name))
            return MICA_OK;
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "There is no program %s. Install the package %s, or "
                          "set %s to its path.",
                          names[0], package, variable);
}

// ---- Files ---------------------------------------------------------------------

// A place where something may be: a root from the list below and a path in it.
struct search {
    const char *variable;
    const char *const *paths; // below each root
    const char *proof;        // a file in it; "" for the thing itself
    const char *what;         // for the message
};

static bool
path_take(char out[512], const char *path, const char *proof)
{
    char file[PATH_MAX], whole[PATH_MAX];
    int len = snprintf(file, sizeof file, "%s%s", path, proof);
    if (len < 0 || (size_t)len >= sizeof file || !mica_file_exists(file) ||
        realpath(path, whole) == NULL || strlen(whole) >= 512)
        return false;
    memcpy(out, whole, strlen(whole) + 1);
    return true;
}

// The folder of the running program, cut by `up` names; "" when unknown.
static void
program_root(char out[PATH_MAX], int up)
{
    ssize_t len = readlink("/proc/self/exe", out, PATH_MAX - 1);
    out[len > 0 ? len : 0] = '\0';
    for (int i = 0; i <= up; i++) {
        char *slash = strrchr(out, '/');
        if (slash != NULL)
            *slash = '\0';
    }
}

static bool
in_root(char out[512], const struct search *search, const char *root)
{
    for (const char *const *path = search->paths; *path != NULL; path++) {
        char full[PATH_MAX];
        int len = snprintf(full, sizeof full, "%s/%s", root, *path);
        if (len > 0 && (size_t)len < sizeof full &&
            path_take(out, full, search->proof))
            return true;
    }
    return false;
}

static enum mica_status
find_file(char out[512], const struct search *search, struct mica_error *error)
{
    char root[PATH_MAX];
    const char *given = getenv(search->variable);
    if (given != NULL && given[0] != '\0') {
        if (path_take(out, given, search->proof))
            return MICA_OK;
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "%s is set to %s, but %s is not there.",
                              search->variable, given, search->what);
    }
    for (int up = 0; up < 4; up++) {
        program_root(root, up);
        if (in_root(out, search, root))
            return MICA_OK;
    }
    if (in_root(out, search, mica_installed_prefix) ||
        in_root(out, search, "/usr"))
        return MICA_OK;
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "Cannot find %s. Set %s to where it is.",
                          search->what, search->variable);
}

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

static enum mica_status
find_headers(struct mica_toolchain *out, struct mica_error *error)
{
    // Where installed, a folder with mica's headers and no others: /usr/include has
    // those of the C library, which are not the ones of an engine.
    const struct search include = {
        "MICA_INCLUDE_DIR", PATHS(mica_installed_headers, "include"),
        "/mica/engine.h", "the header mica/engine.h"};
    return find_file(out->include_dir, &include, error);
}

static enum mica_status
find_parts(struct mica_toolchain *out, struct mica_error *error)
{
    const struct search archive = {
        "MICA_MODULE_ARCHIVE",
        PATHS("lib/libmica-module.a", mica_installed_archive), "",
        "libmica-module.a"};
    const struct search runtime = {
        "MICA_RUNTIME_DIR", PATHS("src/build", mica_installed_runtime),
        "/wasm-rt.h", "mica's runtime header wasm-rt.h"};
    MICA_TRY(find_headers(out, error));
    MICA_TRY(find_file(out->module_archive, &archive, error));
    return find_file(out->runtime_dir, &runtime, error);
}

static enum mica_status
find_wasi(struct mica_toolchain *out, struct mica_error *error)
{
    const struct search headers = {"MICA_WASI_INCLUDE",
                                   PATHS("include/wasm32-wasi"), "/string.h",
                                   "wasi-libc's headers (package wasi-libc)"};
    const struct search lib = {"MICA_WASI_LIB", PATHS("lib/wasm32-wasi"),
                               "/libc.a", "wasi-libc (package wasi-libc)"};
    const struct search builtins = {
        "MICA_WASM_BUILTINS",
        PATHS("lib/llvm-14/lib/clang/14.0.6/lib/wasi/"
              "libclang_rt.builtins-wasm32.a",
              "lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a"),
        "",
        "libclang_rt.builtins-wasm32.a (package libclang-rt-14-dev-wasm32)"};
    MICA_TRY(find_file(out->libc_include, &headers, error));
    MICA_TRY(find_file(out->libc_lib, &lib, error));
    return find_file(out->builtins, &builtins, error);
}

enum mica_status
mica_toolchain_find(struct mica_toolchain *toolchain_out,
                    struct mica_error *error)
{
    struct mica_toolchain found = {0};
    MICA_TRY(find_program(found.clang, error, "MICA_CLANG",
                          PATHS("clang-14", "clang"), "clang-14"));
    MICA_TRY(find_program(found.wasm_ld, error, "MICA_WASM_LD",
                          PATHS("wasm-ld-14", "wasm-ld"), "lld-14"));
    MICA_TRY(find_program(found.wasm2c, error, "MICA_WASM2C", PATHS("wasm2c"),
                          "wabt"));
    // A browser that runs modules has no need of it.
    if (find_program(found.wasm2js, NULL, "MICA_WASM2JS", PATHS("wasm2js"),
                     "binaryen") != MICA_OK)
        found.wasm2js[0] = '\0';
    if (find_program(found.wasm_opt, NULL, "MICA_WASM_OPT", PATHS("wasm-opt"),
                     "binaryen") != MICA_OK)
        found.wasm_opt[0] = '\0';
    MICA_TRY(
        find_program(found.cc, error, "MICA_CC", PATHS("cc", "gcc"), "gcc"));
    MICA_TRY(find_parts(&found, error));
    MICA_TRY(find_wasi(&found, error));
    MICA_TRY(mica_cache_folder(error, found.cache));
    *toolchain_out = found;
    return MICA_OK;
}

enum mica_status
mica_toolchain_find_native(struct mica_toolchain *toolchain_out,
                           struct mica_error *error)
{
    struct mica_toolchain found = {0};
    MICA_TRY(
        find_program(found.cc, error, "MICA_CC", PATHS("cc", "gcc"), "gcc"));
    MICA_TRY(find_headers(&found, error));
    *toolchain_out = found;
    return MICA_OK;
}
