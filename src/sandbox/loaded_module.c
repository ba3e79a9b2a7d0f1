// SPDX-License-Identifier: Apache-2.0
//
// Modules: checked once when they are made, counted while they are used. A
// running call holds a reference, so a module that was replaced stays in memory
// until its last call has ended.
#include "sandbox/loaded_module.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/assert.h"
#include "sandbox/slot.h"

// Binding writes two variables of the translated code; a module that is linked
// in may be made by several threads.
static pthread_mutex_t binding = PTHREAD_MUTEX_INITIALIZER;

static enum mica_status
module_check(const struct mica_translated *translated, struct mica_error *error)
{
    if (translated->abi != MICA_TRANSLATED_ABI)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The engine was built for another version of "
                              "mica (its interface is %u, this one's is %u). "
                              "Build it again: mica build",
                              translated->abi, MICA_TRANSLATED_ABI);
    if (translated->code->instance_size > MICA_INSTANCE_MAX)
        return mica_error_set(
            error, MICA_E_USAGE, "",
            "The engine %s has %zu bytes of globals; %d are allowed.",
            translated->slug, translated->code->instance_size,
            MICA_INSTANCE_MAX);
    return MICA_OK;
}

static void
module_fill(struct mica_module *module,
            const struct mica_translated *translated, void *library)
{
    (void)pthread_mutex_lock(&binding);
    translated->code->bind(&mica_slot_runtime);
    (void)pthread_mutex_unlock(&binding);
    module->translated = translated;
    module->library = library;
    atomic_init(&module->references, 1);
}

enum mica_status
mica_module_make(const struct mica_translated *translated, void *library,
                 struct mica_error *error, struct mica_module **module_out)
{
    enum mica_status status = module_check(translated, error);
    struct mica_module *module = NULL;
    if (status == MICA_OK)
        module = malloc(sizeof *module);
    if (module != NULL) {
        module_fill(module, translated, library);
        *module_out = module;
        return MICA_OK;
    }
    if (library != NULL)
        (void)dlclose(library);
    if (status != MICA_OK)
        return status;
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "Out of memory for an engine.");
}

enum mica_status
mica_module_builtin(const struct mica_translated *translated,
                    struct mica_error *error, struct mica_module **module_out)
{
    MICA_TRY(mica_sandbox_start(error));
    return mica_module_make(translated, NULL, error, module_out);
}

void
mica_module_retain(struct mica_module *module)
{
    uint32_t before =
        atomic_fetch_add_explicit(&module->references, 1, memory_order_relaxed);
    MICA_ASSERT(before > 0 && before < UINT32_MAX);
}

void
mica_module_release(struct mica_module **module)
{
    struct mica_module *gone = *module;
    *module = NULL;
    if (gone == NULL || atomic_fetch_sub(&gone->references, 1) > 1)
        return;
    if (gone->library != NULL)
        (void)dlclose(gone->library);
    free(gone);
}

const struct mica_translated *
mica_module_translated(const struct mica_module *module)
{
    return module->translated;
}
