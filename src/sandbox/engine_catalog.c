// SPDX-License-Identifier: Apache-2.0
//
// Manifests are read when the server starts, modules when they are first
// called. What a manifest says is only believed from a file that no other user
// can write; what a module does is bounded by the sandbox.
#include "sandbox/engine_catalog.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page/site.h"
#include "sandbox/carried.h"
#include "sandbox/sandbox.h"
#include "sandbox/seal.h"
#include "sandbox/trust.h"

enum {
    MANIFEST_BYTES = 4 * 1024 * 1024,
    MANIFEST_COUNT = 4096
};

// Where an engine comes from.
struct source {
    const struct mica_translated *translated; // NULL: from a folder
    const char *folder, *slug;
    bool own;     // loaded only if this user has built it
    bool replace; // the tool of that name, if there is one
};

// One engine that may not be open yet. In the arena of its definition.
struct engine {
    struct source source;
    struct mica_file_version version; // of its manifest, in a folder
    struct mica_text sha256; // of the module that the definition describes
    _Atomic(struct mica_module *) module;
    pthread_mutex_t lock; // held while the module is opened
};

// ---- Calling -------------------------------------------------------------------

static enum mica_status
open_source(const struct source *source, struct mica_error *error,
            struct mica_module **module_out)
{
    if (source->translated != NULL)
        return mica_module_builtin(source->translated, error, module_out);
    if (source->own)
        return mica_module_open_own(source->folder, source->slug, error,
                                    module_out);
    return mica_module_open(source->folder, source->slug, error, module_out);
}

// What was built again since the manifest was read has other schemas than those
// that clients were told, and its answers are not those of that hash.
static enum mica_status
open_described(const struct engine *engine, struct mica_error *error,
               struct mica_module **module_out)
{
    const struct source *source = &engine->source;

    MICA_TRY(open_source(source, error, module_out));
    if (source->translated != NULL ||
        mica_text_is(engine->sha256,
                     mica_module_translated(*module_out)->sha256))
        return MICA_OK;
    mica_module_release(module_out);
    return mica_error_set(error, MICA_E_STRANDED, "",
                          "%s was built again after this server had read its "
                          "manifest. A server that watches its engines takes "
                          "the new build by itself; call it again, or start "
                          "the server again.",
                          source->slug);
}

static struct mica_module *
open_module(struct engine *engine, struct mica_error *error)
{
    struct mica_module *module;
    enum mica_status status = MICA_OK;

    // A thread that comes meanwhile waits, and finds it open.
    pthread_mutex_lock(&engine->lock);
    module = atomic_load(&engine->module);
    if (module == NULL) {
        status = open_described(engine, error, &module);
        if (status == MICA_OK)
            atomic_store(&engine->module, module);
    }
    pthread_mutex_unlock(&engine->lock);
    return status == MICA_OK ? module : NULL;
}

static void
engine_run(const struct mica_runnable *self, struct mica_call *call,
           struct mica_text arguments)
{
    struct engine *engine = self->data;
    struct mica_module *module =
        atomic_load_explicit(&engine->module, memory_order_acquire);

    // An engine that cannot be opened is tried again at the next call: it may
    // have been built in the meantime.
    if (module == NULL)
        module = open_module(engine, &call->error);
    if (module == NULL)
        mica_call_fail_error(call);
    else
        mica_sandbox_run(module, call, arguments);
}

// ---- What browsers load -------------------------------------------------------------

static enum mica_status
engine_carry(const struct mica_definition *self, enum mica_carried_file file,
             bool gzip, struct mica_arena *arena, struct mica_error *error,
             struct mica_carried *carried_out)
{
    static const char *const endings[] = {[MICA_CARRIED_MODULE] = ".wasm",
                                          [MICA_CARRIED_FALLBACK] = ".twin.js",
                                          [MICA_CARRIED_PAGE] = ".html",
                                          [MICA_CARRIED_VIEW] = ".view.html"};
    const struct engine *engine = self->runnable.data;
    const struct source *source = &engine->source;
    char path[PATH_MAX];
    int length;

    if (source->translated != NULL)
        return mica_carried_linked(source->translated->files, file, gzip, error,
                                   carried_out);
    length = snprintf(path, sizeof path, "%s/%s%s", source->folder,
                      source->slug, endings[file]);
    if (length < 0 || (size_t)length >= sizeof path)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the path of the engine %s is too long",
                              source->slug);
    return mica_carried_read(path, self->carried_sha256[file], arena, error,
                             carried_out);
}

// ---- Offering ------------------------------------------------------------------

static void
engine_release(struct mica_definition *definition)
{
    struct engine *engine = definition->runnable.data;
    struct mica_module *module = atomic_load(&engine->module);

    mica_module_release(&module);
    pthread_mutex_destroy(&engine->lock);
}

bool
mica_engine_version(const struct mica_definition *definition,
                    struct mica_file_version *version_out)
{
    if (definition->carried != engine_carry)
        return false;
    const struct engine *engine = definition->runnable.data;
    *version_out = engine->version;
    return engine->source.folder != NULL;
}

// What a definition is made of: a manifest and, in a folder, which version of it.
struct manifest {
    struct mica_text text;
    struct mica_file_version version;
};

static enum mica_status
engine_add(struct mica_server *server, const struct source *source,
           const struct manifest *manifest, struct mica_error *error)
{
    struct mica_runnable runnable = {.run = engine_run, .inline_first = true};
    struct mica_definition *definition;
    enum mica_status status;
    struct engine *engine;

    MICA_TRY(mica_definition_of_engine(manifest->text, &runnable, error,
                                       &definition));
    engine = mica_arena_zero(&definition->arena, 1, sizeof *engine);
    if (engine == NULL) { // a path that finds no room fails in define
        mica_definition_drop(definition);
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for another engine");
    }
    engine->source = *source;
    engine->version = manifest->version;
    engine->sha256 = definition->sha256;
    if (source->folder != NULL) {
        engine->source.folder =
            mica_arena_text(&definition->arena, mica_text(source->folder)).ptr;
        engine->source.slug =
            mica_arena_text(&definition->arena, mica_text(source->slug)).ptr;
    }
    pthread_mutex_init(&engine->lock, NULL);
    definition->runnable.data = engine;
    definition->carried = engine_carry;
    definition->release = engine_release;
    status = mica_define_made_view(definition, mica_page_engine_view, error);
    if (status != MICA_OK) {
        mica_definition_drop(definition);
        return status;
    }
    return source->replace
               ? mica_registry_redefine(&server->registry, definition, error)
               : mica_registry_define(&server->registry, definition, error);
}

enum mica_status
mica_server_load_translated(struct mica_server *server,
                            const struct mica_translated *const *engines,
                            size_t count, struct mica_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct source source = {.translated = engines[i]};
        const struct manifest manifest = {
            .text = {engines[i]->manifest, engines[i]->manifest_size}};
        MICA_TRY(engine_add(server, &source, &manifest, error));
    }
    return MICA_OK;
}

// ---- A folder --------------------------------------------------------------------

// Reads a whole file that no other user can have written, in the folder of the engine,
// which was checked.
static enum mica_status
read_manifest(struct mica_arena *arena, const char *path,
              struct mica_error *error, struct manifest *manifest_out)
{
    struct stat st;
    int file;
    MICA_TRY(mica_trust_open_within(path, error, &file, &st));
    manifest_out->version = mica_file_version_of(&st);
    enum mica_status status = mica_trust_read(file, path, MANIFEST_BYTES, arena,
                                              error, &manifest_out->text);
    (void)close(file);
    return status;
}

// The manifest that this user has built, if it has to be: it says what the module,
// its fallback and its page have to be.
static enum mica_status
read_sealed(const struct source *source, struct mica_arena *arena,
            const char *path, struct mica_error *error,
            struct manifest *manifest_out)
{
    char sha256[MICA_SHA256_SIZE];

    for (int tries = 0;; tries++) {
        MICA_TRY(read_manifest(arena, path, error, manifest_out));
        if (!source->own)
            return MICA_OK;
        mica_trust_hash_bytes(manifest_out->text, sha256);
        enum mica_status status =
            mica_seal_check(source->folder, source->slug, NULL, sha256, error);
        if (status != MICA_E_TRUST || tries > 0)
            return status;
        mica_seal_settle(source->folder);
    }
}

static enum mica_status
load_one(struct mica_server *server, const struct source *source,
         struct mica_error *error)
{
    const char *folder = source->folder, *slug = source->slug;
    struct manifest manifest = {.text = {NULL, 0}};
    struct mica_arena arena;
    enum mica_status status;
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s.json", folder, slug);

    if (length < 0 || (size_t)length >= sizeof path)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The path of the engine %s is too long.", slug);
    mica_arena_init(&arena, (size_t)3 * MANIFEST_BYTES);
    status = read_sealed(source, &arena, path, error, &manifest);
    if (status == MICA_OK) {
        status = engine_add(server, source, &manifest, error);
        if (status != MICA_OK)
            mica_error_prefix(error, "%s", path);
    }
    mica_arena_fini(&arena);
    return status;
}

// The slug of "<slug>.json"; false for another file.
static bool
slug_of(const char *name, char slug[MICA_SLUG_LENGTH + 1])
{
    size_t length = strlen(name);

    if (length <= 5 || length > MICA_SLUG_LENGTH + 5 || name[0] == '.' ||
        strcmp(name + length - 5, ".json") != 0)
        return false;
    memcpy(slug, name, length - 5);
    slug[length - 5] = '\0';
    return true;
}

static int
engine_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum mica_status
mica_engine_slugs(const char *folder, struct mica_error *error,
                  char (**slugs_out)[MICA_SLUG_LENGTH + 1], size_t *count_out)
{
    DIR *directory = opendir(folder);
    char(*slugs)[MICA_SLUG_LENGTH + 1] = malloc(sizeof *slugs * MANIFEST_COUNT);
    const struct dirent *file;
    size_t count = 0;

    if (directory == NULL || slugs == NULL) {
        if (directory != NULL)
            (void)closedir(directory);
        free(slugs);
        return mica_error_set(error, MICA_E_IO, "",
                              "Cannot read the folder %s (%s).", folder,
                              strerror(errno));
    }
    while (count < MANIFEST_COUNT && (file = readdir(directory)) != NULL) {
        if (slug_of(file->d_name, slugs[count]))
            count++;
    }
    (void)closedir(directory);
    qsort(slugs, count, sizeof *slugs, engine_compare);
    *slugs_out = slugs;
    *count_out = count;
    return MICA_OK;
}

static enum mica_status
load_from(struct mica_server *server, const char *folder, const char *slug,
          bool own, bool replace, struct mica_error *error)
{
    char path[PATH_MAX];
    struct source source = {
        .folder = path, .slug = slug, .own = own, .replace = replace};

    MICA_TRY(mica_trust_folder(folder, error, path));
    return load_one(server, &source, error);
}

enum mica_status
mica_server_load_engine(struct mica_server *server, const char *folder,
                        const char *slug, struct mica_error *error)
{
    return load_from(server, folder, slug, false, false, error);
}

enum mica_status
mica_server_load_own_engine(struct mica_server *server, const char *folder,
                            const char *slug, struct mica_error *error)
{
    return load_from(server, folder, slug, true, false, error);
}

enum mica_status
mica_server_load_own_engines(struct mica_server *server, const char *folder,
                             const char *const *slugs, bool some,
                             struct mica_error *error)
{
    char path[PATH_MAX];

    enum mica_status trusted = mica_trust_folder(folder, error, path);
    if (trusted != MICA_OK)
        return some ? MICA_OK : trusted;
    for (; *slugs != NULL; slugs++) {
        const struct source source = {
            .folder = path, .slug = *slugs, .own = true};
        enum mica_status status = load_one(server, &source, error);
        if (!some)
            MICA_TRY(status);
    }
    return MICA_OK;
}

enum mica_status
mica_server_reload_engine(struct mica_server *server, const char *folder,
                          const char *slug, bool own, struct mica_error *error)
{
    return load_from(server, folder, slug, own, true, error);
}

enum mica_status
mica_server_load_engines(struct mica_server *server, const char *folder,
                         struct mica_error *error)
{
    char(*slugs)[MICA_SLUG_LENGTH + 1] = NULL;
    enum mica_status status = MICA_OK;
    char path[PATH_MAX];
    size_t count = 0;

    MICA_TRY(mica_trust_folder(folder, error, path));
    MICA_TRY(mica_engine_slugs(path, error, &slugs, &count));
    if (count == 0)
        status = mica_error_set(error, MICA_E_NOT_FOUND, "",
                                "The folder %s has no built engine; mica build "
                                "makes them.",
                                folder);
    for (size_t i = 0; i < count && status == MICA_OK; i++) {
        struct source source = {.folder = path, .slug = slugs[i]};
        status = load_one(server, &source, error);
    }
    free(slugs);
    return status;
}
