// SPDX-License-Identifier: Apache-2.0
//
// An object is opened once, hashed, compared with its seal, and loaded through that
// descriptor under a name of its own (mica_trust_name): no other can take
// its place meanwhile, and one that was replaced under the same path is not taken
// for the old one.
#include "tools/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/seal.h"
#include "server/server.h"

bool
mica_tool_name_valid(struct mica_text name)
{
    return mica_name_valid(name) && name.ptr[0] != '.';
}

// ---- Opening ---------------------------------------------------------------------

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

// Of a tool as that ABI has it.
static size_t
tool_size(uint32_t abi)
{
    return abi < 5   ? offsetof(struct mica_tool, fetches)
           : abi < 6 ? offsetof(struct mica_tool, keeps)
           : abi < 7 ? offsetof(struct mica_tool, view)
           : abi < 8 ? offsetof(struct mica_tool, form_views)
                     : sizeof(struct mica_tool);
}

static enum mica_status
check_module(const struct mica_tool_module *module, const char *path,
             const char *name, struct mica_error *error)
{
    if (module == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s.c has no tool: it needs one MICA_TOOL, "
                              "MICA_HANDOFF or MICA_FETCH_TOOL",
                              name);
    if (module->abi < MICA_TOOL_ABI_OLDEST || module->abi > MICA_TOOL_ABI ||
        module->size != tool_size(module->abi))
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

static enum mica_status
tool_library_load(struct mica_tool_library *library, int file, const char *path,
                  const char *name, const struct mica_tool_seal *seal,
                  struct mica_error *error)
{
    char opened[MICA_TRUST_NAME_SIZE];

    MICA_TRY(mica_trust_hash_file(file, path, error, library->sha256));
    if (seal != NULL)
        MICA_TRY(mica_seal_check(seal->folder, seal->file, library->sha256,
                                 NULL, error));
    MICA_TRY(mica_trust_name(file, error, opened));
    library->handle = dlopen(opened, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL)
        return cannot_load(path, error);
    library->module = dlsym(library->handle, "mica_tool_module");
    MICA_TRY(check_module(library->module, path, name, error));
    memcpy(&library->tool, library->module->tool, library->module->size);
    return MICA_OK;
}

enum mica_status
mica_tool_library_open(int file, const char *path, const char *name,
                       const struct mica_tool_seal *seal,
                       struct mica_error *error,
                       struct mica_tool_library **library_out)
{
    struct mica_tool_library *library = calloc(1, sizeof *library);
    enum mica_status status;

    if (library == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory for a tool");
    atomic_init(&library->references, 1);
    status = tool_library_load(library, file, path, name, seal, error);
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

void
mica_tool_library_drop(struct mica_tool_library *library)
{
    if (library == NULL || atomic_fetch_sub_explicit(&library->references, 1,
                                                     memory_order_acq_rel) != 1)
        return;
    if (library->handle != NULL)
        (void)dlclose(library->handle);
    free(library);
}

// ---- Defining --------------------------------------------------------------------

static void
library_release(struct mica_definition *definition)
{
    mica_tool_library_drop(definition->held);
}

static void
find_form_documents(struct mica_tool_library *library)
{
    char symbol[sizeof MICA_TOOL_DOCUMENT + 16];

    for (unsigned i = 0;
         library->tool.form_views != NULL && i < MICA_FORM_VIEWS_MOST &&
         library->tool.form_views[i] != NULL;
         i++) {
        (void)snprintf(symbol, sizeof symbol, MICA_TOOL_DOCUMENT "_%u", i + 1);
        library->form_documents[i] = dlsym(library->handle, symbol);
    }
}

enum mica_status
mica_tool_library_define(struct mica_tool_library *library,
                         struct mica_error *error,
                         struct mica_definition **definition_out)
{
    const struct mica_tool_module *module = library->module;
    const struct mica_origin origin = {
        .version = mica_text(library->sha256),
        .family = mica_text(module->family),
        .document = dlsym(library->handle, MICA_TOOL_DOCUMENT),
        .form_documents = library->form_documents,
        .abi = module->abi};

    find_form_documents(library);
    MICA_TRY(mica_definition_of_tool(&library->tool, NULL, &origin, error,
                                     definition_out));
    mica_tool_library_hold(library);
    (*definition_out)->held = library;
    (*definition_out)->release = library_release;
    return MICA_OK;
}
