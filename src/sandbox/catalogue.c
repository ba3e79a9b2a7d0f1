// SPDX-License-Identifier: Apache-2.0
//
// Manifests are read when the server starts, modules when they are first
// called. What a manifest says is only believed from a file that nobody else
// can write; what a module does is bounded by the sandbox.
#include "sandbox/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/sandbox.h"
#include "sandbox/trust.h"

enum {
    MANIFEST_BYTES = 4 * 1024 * 1024,
    MANIFEST_COUNT = 4096,
    SLUG_LENGTH = 64
};

// One engine that may not be open yet. In the server's arena.
struct entry {
    struct entry *next;
    _Atomic(struct mica_module *) module;
    const struct mica_translated *translated; // NULL: from a folder
    const char *folder, *slug;
};

// All engines of a server.
struct catalogue {
    pthread_mutex_t lock; // held while a module is opened
    struct entry *entries;
    struct mica_server *server;
};

struct engine {
    struct entry entry;
    struct catalogue *catalogue;
};

// ---- Calling -------------------------------------------------------------------

static struct mica_module *
open_module(struct engine *engine, struct mica_error *error)
{
    struct entry *entry = &engine->entry;
    struct mica_module *module;
    enum mica_status status = MICA_OK;

    // Whoever comes meanwhile waits, and finds it open.
    pthread_mutex_lock(&engine->catalogue->lock);
    module = atomic_load(&entry->module);
    if (module == NULL) {
        status =
            entry->translated != NULL
                ? mica_module_builtin(entry->translated, error, &module)
                : mica_module_open(entry->folder, entry->slug, error, &module);
        if (status == MICA_OK)
            atomic_store(&entry->module, module);
    }
    pthread_mutex_unlock(&engine->catalogue->lock);
    return status == MICA_OK ? module : NULL;
}

static void
run(const struct mica_runnable *self, struct mica_call *call,
    struct mica_text arguments)
{
    struct engine *engine = self->data;
    struct mica_module *module =
        atomic_load_explicit(&engine->entry.module, memory_order_acquire);

    // An engine that cannot be opened is tried again at the next call: it may
    // have been built in the meantime.
    if (module == NULL)
        module = open_module(engine, &call->error);
    if (module == NULL)
        mica_call_fail_error(call);
    else
        mica_sandbox_run(module, call, arguments);
}

// ---- The catalogue of a server ---------------------------------------------------

static void
close_all(void *data)
{
    struct catalogue *catalogue = data;

    for (struct entry *entry = catalogue->entries; entry != NULL;
         entry = entry->next) {
        struct mica_module *module = atomic_load(&entry->module);
        mica_module_release(&module);
    }
    pthread_mutex_destroy(&catalogue->lock);
}

// One for each server: a second folder adds to it.
static struct catalogue *
catalogue_of(struct mica_server *server)
{
    for (size_t i = 0; i < server->close_count; i++) {
        if (server->close_hooks[i] == close_all)
            return server->close_data[i];
    }
    struct catalogue *catalogue =
        mica_arena_zero(&server->arena, 1, sizeof *catalogue);
    if (catalogue != NULL) {
        pthread_mutex_init(&catalogue->lock, NULL);
        mica_server_at_close(server, close_all, catalogue);
    }
    return catalogue;
}

static enum mica_status
add(struct mica_server *server, const struct entry *entry,
    struct mica_text manifest, struct mica_error *error)
{
    struct catalogue *catalogue = catalogue_of(server);
    struct engine *engine = mica_arena_zero(&server->arena, 1, sizeof *engine);

    if (catalogue == NULL || engine == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for another engine");
    engine->entry = *entry;
    engine->catalogue = catalogue;
    struct mica_runnable runnable = {
        .run = run, .data = engine, .inline_first = true};
    MICA_TRY(mica_server_define_engine(server, manifest, &runnable, error));
    engine->entry.next = catalogue->entries;
    catalogue->entries = &engine->entry;
    return MICA_OK;
}

enum mica_status
mica_server_load_translated(struct mica_server *server,
                            const struct mica_translated *const *engines,
                            size_t count, struct mica_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct entry entry = {.translated = engines[i]};
        struct mica_text manifest = {engines[i]->manifest,
                                     engines[i]->manifest_size};
        MICA_TRY(add(server, &entry, manifest, error));
    }
    return MICA_OK;
}

// ---- A folder --------------------------------------------------------------------

// Reads a whole file that nobody else may have written.
static enum mica_status
read_manifest(struct mica_arena *arena, const char *path,
              struct mica_error *error, struct mica_text *text_out)
{
    MICA_TRY(mica_trust_path(path, error));
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return mica_error_set(error, MICA_E_IO, "", "Cannot read %s (%s).",
                              path, strerror(errno));
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *bytes = NULL;
    if (size >= 0 && size <= MANIFEST_BYTES && fseek(file, 0, SEEK_SET) == 0)
        bytes = mica_arena_alloc(arena, (size_t)size);
    bool whole =
        bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    (void)fclose(file);
    if (!whole)
        return mica_error_set(error, MICA_E_IO, "",
                              "Cannot read the whole of %s, or it is larger "
                              "than %d MiB.",
                              path, MANIFEST_BYTES >> 20);
    *text_out = (struct mica_text){bytes, (size_t)size};
    return MICA_OK;
}

static enum mica_status
load_one(struct mica_server *server, struct mica_text folder, const char *slug,
         struct mica_error *error)
{
    struct entry entry = {
        .folder = folder.ptr,
        .slug = mica_arena_text(&server->arena, mica_text(slug)).ptr};
    char path[PATH_MAX];
    struct mica_text manifest = {NULL, 0};
    int length = snprintf(path, sizeof path, "%s/%s.json", folder.ptr, slug);

    if (entry.slug == NULL || length < 0 || (size_t)length >= sizeof path)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The path of the engine %s is too long.", slug);
    MICA_TRY(read_manifest(&server->arena, path, error, &manifest));
    enum mica_status status = add(server, &entry, manifest, error);
    if (status != MICA_OK)
        mica_error_prefix(error, "%s", path);
    return status;
}

// The slug of "<slug>.json"; false for another file.
static bool
slug_of(const char *name, char slug[SLUG_LENGTH + 1])
{
    size_t length = strlen(name);

    if (length <= 5 || length > SLUG_LENGTH + 5 || name[0] == '.' ||
        strcmp(name + length - 5, ".json") != 0)
        return false;
    memcpy(slug, name, length - 5);
    slug[length - 5] = '\0';
    return true;
}

static int
compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

// The slugs of a folder in the order of the alphabet. Owner: free().
static enum mica_status
find_slugs(const char *folder, struct mica_error *error,
           char (**slugs_out)[SLUG_LENGTH + 1], size_t *count_out)
{
    DIR *directory = opendir(folder);
    char(*slugs)[SLUG_LENGTH + 1] = malloc(sizeof *slugs * MANIFEST_COUNT);
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
    qsort(slugs, count, sizeof *slugs, compare);
    *slugs_out = slugs;
    *count_out = count;
    return MICA_OK;
}

// The absolute path, without links, of a folder nobody else can write.
static enum mica_status
trusted_folder(struct mica_server *server, const char *folder,
               struct mica_error *error, struct mica_text *path_out)
{
    char real[PATH_MAX];

    if (realpath(folder, real) == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no folder %s; mica build makes one.",
                              folder);
    MICA_TRY(mica_trust_path(real, error));
    *path_out = mica_arena_text(&server->arena, mica_text(real));
    if (path_out->ptr == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for another folder");
    return MICA_OK;
}

enum mica_status
mica_server_load_engine(struct mica_server *server, const char *folder,
                        const char *slug, struct mica_error *error)
{
    struct mica_text path = MICA_LITERAL("");

    MICA_TRY(trusted_folder(server, folder, error, &path));
    return load_one(server, path, slug, error);
}

enum mica_status
mica_server_load_engines(struct mica_server *server, const char *folder,
                         struct mica_error *error)
{
    char(*slugs)[SLUG_LENGTH + 1] = NULL;
    enum mica_status status = MICA_OK;
    struct mica_text path = MICA_LITERAL("");
    size_t count = 0;

    MICA_TRY(trusted_folder(server, folder, error, &path));
    MICA_TRY(find_slugs(path.ptr, error, &slugs, &count));
    if (count == 0)
        status = mica_error_set(error, MICA_E_NOT_FOUND, "",
                                "The folder %s has no built engine; mica build "
                                "makes them.",
                                folder);
    for (size_t i = 0; i < count && status == MICA_OK; i++)
        status = load_one(server, path, slugs[i], error);
    free(slugs);
    return status;
}
