// SPDX-License-Identifier: Apache-2.0
//
// Compares manifests with what they were at the last look. The build driver
// renames a manifest into its place last, but a folder may also be filled by hand
// or come from elsewhere: what is to take the place of an engine that serves
// is opened first, as a call would open it.
#include "watch/engine_reload.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/files.h"
#include "sandbox/engine_catalog.h"
#include "sandbox/sandbox.h"
#include "sandbox/trust.h"

enum {
    MANIFEST_ROOM = 8 << 20, // for reading one; it may have half of that
    NOTE_BYTES = 200
};

struct known {
    char slug[MICA_SLUG_LENGTH + 1];
    struct mica_file_version version;
    bool seen;              // in this look
    bool offered;           // by the server
    bool failed;            // to be loaded: tried again at each look
    char noted[NOTE_BYTES]; // why, as it was noted
};

struct mica_reload {
    struct mica_reload_options options;
    struct known *known;
    size_t count, capacity;
};

static void reload_note(const struct mica_reload *reload, const char *formatz,
                        ...) MICA_PRINTF(2, 3);

static void
reload_note(const struct mica_reload *reload, const char *formatz, ...)
{
    char line[2048];
    va_list arguments;

    va_start(arguments, formatz);
    (void)vsnprintf(line, sizeof line, formatz, arguments);
    va_end(arguments);
    if (reload->options.note != NULL)
        reload->options.note(reload->options.data, line);
}

static bool
read_version(const struct mica_reload *reload, const char *slug,
             struct mica_file_version *version_out)
{
    char path[PATH_MAX];
    struct stat file;

    (void)snprintf(path, sizeof path, "%s/%s.json", reload->options.folder,
                   slug);
    if (stat(path, &file) != 0)
        return false;
    *version_out = mica_file_version_of(&file);
    return true;
}

static struct known *
reload_find(const struct mica_reload *reload, const char *slug)
{
    for (size_t i = 0; i < reload->count; i++) {
        if (strcmp(reload->known[i].slug, slug) == 0)
            return &reload->known[i];
    }
    return NULL;
}

static struct known *
reload_add(struct mica_reload *reload, const char *slug)
{
    struct known *known;

    if (reload->count == reload->capacity) {
        size_t capacity = reload->capacity > 0 ? reload->capacity * 2 : 64;
        known = realloc(reload->known, capacity * sizeof *known);
        if (known == NULL)
            return NULL;
        reload->known = known;
        reload->capacity = capacity;
    }
    known = &reload->known[reload->count++];
    memset(known, 0, sizeof *known);
    (void)snprintf(known->slug, sizeof known->slug, "%s", slug);
    return known;
}

// ---- What is on the disk -----------------------------------------------------------

static enum mica_status
read_manifest(const struct mica_reload *reload, const char *slug,
              struct mica_arena *arena, struct mica_error *error,
              struct mica_text *text_out)
{
    char folder[PATH_MAX], path[PATH_MAX];
    int file;

    if (realpath(reload->options.folder, folder) == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no folder %s.", reload->options.folder);
    MICA_TRY(mica_path(path, error, "%s/%s.json", folder, slug));
    MICA_TRY(mica_trust_open(path, error, &file));
    enum mica_status status =
        mica_trust_read(file, path, MANIFEST_ROOM / 2, arena, error, text_out);
    (void)close(file);
    return status;
}

// What a manifest offers, if no other user can have written it; else NULL. Owner:
// mica_definition_drop.
static struct mica_definition *
read_definition(const struct mica_reload *reload, const char *slug,
                struct mica_error *error)
{
    const struct mica_runnable none = {.run = NULL};
    struct mica_definition *definition = NULL;
    struct mica_arena arena;
    struct mica_text text = {NULL, 0};
    bool good;

    mica_arena_init(&arena, MANIFEST_ROOM);
    good =
        read_manifest(reload, slug, &arena, error, &text) == MICA_OK &&
        mica_definition_of_engine(text, &none, error, &definition) == MICA_OK;
    mica_arena_fini(&arena);
    return good ? definition : NULL;
}

// That the module is the manifest's, whole, of this version of mica and, if it
// has to be, this user's own.
static enum mica_status
reload_prove(const struct mica_reload *reload, const char *slug,
             struct mica_error *error)
{
    const char *folder = reload->options.folder;
    char path[PATH_MAX], sha256[MICA_SHA256_SIZE];
    struct mica_definition *definition;
    struct mica_module *module;

    MICA_TRY(mica_path(path, error, "%s/%s.wasm", folder, slug));
    MICA_TRY(mica_trust_hash(path, error, sha256));
    definition = read_definition(reload, slug, error);
    if (definition == NULL)
        return error->status;
    bool fits = mica_text_is(definition->sha256, sha256);
    mica_definition_drop(definition);
    if (!fits)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s is of another build than the manifest beside "
                              "it. Build it again: mica build",
                              path);
    if (reload->options.own)
        MICA_TRY(mica_module_open_own(folder, slug, error, &module));
    else
        MICA_TRY(mica_module_open(folder, slug, error, &module));
    mica_module_release(&module);
    return MICA_OK;
}

// ---- Bringing the server in step ---------------------------------------------------

// Says why, unless that was said before.
static void
note_failure(const struct mica_reload *reload, struct known *known,
             const struct mica_error *error)
{
    char noted[NOTE_BYTES];

    (void)snprintf(noted, sizeof noted, "%.*s", NOTE_BYTES - 1, error->message);
    if (known->failed && strcmp(noted, known->noted) == 0)
        return;
    memcpy(known->noted, noted, sizeof noted);
    reload_note(reload, "%s %s: %s", known->slug,
                known->offered ? "stays as it was" : "is not served",
                error->message);
}

static void
reload_load(struct mica_reload *reload, struct known *known)
{
    const struct mica_reload_options *options = &reload->options;
    struct mica_error error;
    enum mica_status status = reload_prove(reload, known->slug, &error);

    if (status == MICA_OK)
        status = mica_server_reload_engine(options->server, options->folder,
                                           known->slug, options->own, &error);
    if (status != MICA_OK) {
        note_failure(reload, known, &error);
    } else {
        reload_note(reload, known->offered ? "%s has changed" : "%s is new",
                    known->slug);
        known->offered = true;
    }
    known->failed = status != MICA_OK;
}

static void
look_at(struct mica_reload *reload, const char *slug)
{
    const struct mica_reload_options *options = &reload->options;
    struct known *known = reload_find(reload, slug);
    struct mica_file_version version;

    if ((options->wanted != NULL && !options->wanted(options->data, slug)) ||
        !read_version(reload, slug, &version))
        return;
    if (known == NULL)
        known = reload_add(reload, slug);
    else if (!known->failed &&
             mica_file_version_is(&known->version, &version)) {
        known->seen = true;
        return;
    }
    if (known == NULL)
        return; // no memory: at the next look
    known->seen = true;
    known->version = version;
    reload_load(reload, known);
}

static void
take_back(struct mica_reload *reload, size_t index)
{
    struct known *known = &reload->known[index];
    struct mica_error error;

    if (known->offered &&
        mica_server_remove(reload->options.server, MICA_DEFINITION_TOOL,
                           known->slug, &error) == MICA_OK)
        reload_note(reload, "%s is gone", known->slug);
    *known = reload->known[--reload->count];
}

// Whether everything that is there is served.
static bool
is_in_step(const struct mica_reload *reload)
{
    for (size_t i = 0; i < reload->count; i++) {
        if (reload->known[i].failed)
            return false;
    }
    return true;
}

bool
mica_reload_look(struct mica_reload *reload)
{
    char(*slugs)[MICA_SLUG_LENGTH + 1] = NULL;
    struct mica_error error;
    size_t count = 0;

    // A folder that is away for a moment takes nothing with it.
    if (mica_engine_slugs(reload->options.folder, &error, &slugs, &count) !=
        MICA_OK)
        return true;
    for (size_t i = 0; i < reload->count; i++)
        reload->known[i].seen = false;
    for (size_t i = 0; i < count; i++)
        look_at(reload, slugs[i]);
    free(slugs);
    for (size_t i = reload->count; i > 0; i--) {
        if (!reload->known[i - 1].seen)
            take_back(reload, i - 1);
    }
    return !is_in_step(reload);
}

// ---- What is served at the beginning -----------------------------------------------

// An engine that is served. It was loaded some time ago, and may have been built
// again since: one whose manifest is still the one that was read needs no look.
static bool
add_served(struct mica_reload *reload, const struct mica_definition *served)
{
    char slug[MICA_SLUG_LENGTH + 1];

    if (served->sha256.len == 0 || served->key.len > MICA_SLUG_LENGTH)
        return true; // no engine
    (void)snprintf(slug, sizeof slug, "%.*s", MICA_ARG(served->key));
    struct known *known = reload_add(reload, slug);
    if (known == NULL)
        return false;
    known->offered = true;
    (void)mica_engine_version(served, &known->version);
    return true;
}

enum mica_status
mica_reload_open(const struct mica_reload_options *options,
                 struct mica_error *error, struct mica_reload **reload_out)
{
    struct mica_reload *reload = calloc(1, sizeof *reload);
    struct mica_catalog *catalog;
    const struct mica_definition_list *tools;
    bool room = reload != NULL;

    if (reload != NULL)
        reload->options = *options;
    catalog = mica_registry_catalog(&options->server->registry);
    tools = &catalog->lists[MICA_DEFINITION_TOOL];
    for (size_t i = 0; room && i < tools->count; i++)
        room = add_served(reload, tools->items[i]);
    mica_catalog_drop(catalog);
    if (!room) {
        mica_reload_close(&reload);
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    }
    *reload_out = reload;
    return MICA_OK;
}

void
mica_reload_close(struct mica_reload **reload)
{
    if (*reload == NULL)
        return;
    free((*reload)->known);
    free(*reload);
    *reload = NULL;
}
