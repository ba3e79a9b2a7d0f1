// SPDX-License-Identifier: Apache-2.0
//
// Loads a built engine from a folder. The .wasm is what was checked to be pure;
// the shared object is a cache of its translation, found by the module's hash.
// Both, and the folder, must be out of reach of other users; and unless an option
// names the folder, this user must have built the object.
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/loaded_module.h"
#include "sandbox/seal.h"

enum {
    SLUG_MAX = 64
};

static enum mica_status
engine_join(char path[PATH_MAX], struct mica_error *error, const char *folder,
            const char *slug, const char *sha256)
{
    const char *dash = sha256 == NULL ? "" : "-";
    int len = snprintf(path, PATH_MAX, "%s/%s%s%s%s", folder, slug, dash,
                       sha256 == NULL ? "" : sha256,
                       sha256 == NULL ? ".wasm" : ".so");
    if (len < 0 || len >= PATH_MAX)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The path of the engine %s in %s is too long.",
                              slug, folder);
    return MICA_OK;
}

// A name that stays in its folder.
static enum mica_status
check_slug(const char *slug, struct mica_error *error)
{
    if (slug[0] != '\0' && strlen(slug) <= SLUG_MAX &&
        strchr(slug, '/') == NULL && slug[0] != '.')
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "\"%s\" is no name of an engine.", slug);
}

// The engine's description in a loaded library, or NULL.
static const struct mica_translated *
engine_find(void *library, const char *slug)
{
    char symbol[sizeof MICA_TRANSLATED_SYMBOL + SLUG_MAX];
    (void)snprintf(symbol, sizeof symbol, "%s%s", MICA_TRANSLATED_SYMBOL, slug);
    for (char *at = symbol; *at != '\0'; at++)
        if (*at == '-')
            *at = '_';
    return dlsym(library, symbol);
}

static enum mica_status
engine_load(int file, const char *path, const char *slug, const char *sha256,
            struct mica_error *error, struct mica_module **module_out)
{
    char name[MICA_TRUST_NAME_SIZE];
    MICA_TRY(mica_trust_name(file, error, name));
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return mica_error_set(error, MICA_E_IO, "", "Cannot load %s: %s", path,
                              dlerror());
    const struct mica_translated *translated = engine_find(library, slug);
    if (translated == NULL || translated->abi != MICA_TRANSLATED_ABI ||
        strcmp(translated->slug, slug) != 0 ||
        strcmp(translated->sha256, sha256) != 0) {
        (void)dlclose(library);
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s was built for another engine or by another "
                              "version of mica. Build it again: mica build",
                              path);
    }
    return mica_module_make(translated, library, error, module_out);
}

// Opened once: what is hashed is what is loaded.
static enum mica_status
load_object(const char *folder, const char *slug, const char *sha256, bool own,
            struct mica_error *error, struct mica_module **module_out)
{
    char path[PATH_MAX], object[MICA_SHA256_SIZE];
    int file;
    MICA_TRY(engine_join(path, error, folder, slug, sha256));
    enum mica_status status = mica_trust_open(path, error, &file);
    if (status == MICA_E_NOT_FOUND)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "%s/%s.wasm has no translation beside it. Build "
                              "it again: mica build",
                              folder, slug);
    MICA_TRY(status);
    if (own)
        status = mica_trust_hash_file(file, path, error, object);
    if (own && status == MICA_OK)
        status = mica_seal_check(folder, slug, object, NULL, error);
    if (status == MICA_OK)
        status = engine_load(file, path, slug, sha256, error, module_out);
    (void)close(file);
    return status;
}

static enum mica_status
hash_module(const char *folder, const char *slug, struct mica_error *error,
            char sha256_out[MICA_SHA256_SIZE])
{
    char path[PATH_MAX];
    int file;
    MICA_TRY(engine_join(path, error, folder, slug, NULL));
    MICA_TRY(mica_trust_open(path, error, &file));
    enum mica_status status =
        mica_trust_hash_file(file, path, error, sha256_out);
    (void)close(file);
    return status;
}

static enum mica_status
open_module(const char *folder, const char *slug, bool own,
            struct mica_error *error, struct mica_module **module_out)
{
    char real[PATH_MAX], sha256[MICA_SHA256_SIZE];
    MICA_TRY(check_slug(slug, error));
    if (realpath(folder, real) == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no folder %s.", folder);
    MICA_TRY(mica_sandbox_start(error));
    MICA_TRY(hash_module(real, slug, error, sha256));
    enum mica_status status =
        load_object(real, slug, sha256, own, error, module_out);
    if (status != MICA_E_TRUST || !own)
        return status;
    mica_seal_settle(real);
    MICA_TRY(hash_module(real, slug, error, sha256));
    return load_object(real, slug, sha256, own, error, module_out);
}

enum mica_status
mica_module_open(const char *folder, const char *slug, struct mica_error *error,
                 struct mica_module **module_out)
{
    return open_module(folder, slug, false, error, module_out);
}

enum mica_status
mica_module_open_own(const char *folder, const char *slug,
                     struct mica_error *error, struct mica_module **module_out)
{
    return open_module(folder, slug, true, error, module_out);
}
