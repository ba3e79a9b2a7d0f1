// SPDX-License-Identifier: Apache-2.0
//
// A tool has changed when the hash in its manifest, which a build writes last, is
// not the version that is served. So nothing has to be remembered but why
// something could not be loaded.
#include "watch/tools.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/files.h"
#include "tools/tool_catalog.h"

enum {
    MANIFEST_BYTES = 16 << 20,
    FAILED = 64,
    NOTE_BYTES = 200
};

// One that could not be loaded, and why.
struct failed {
    char name[MICA_TOOL_NAME_LENGTH + 1];
    char noted[NOTE_BYTES];
};

struct mica_tools_watch {
    struct mica_tools_options options;
    struct failed failed[FAILED];
    size_t failed_count;
};

static void tools_note(const struct mica_tools_watch *watch,
                       const char *formatz, ...) MICA_PRINTF(2, 3);

static void
tools_note(const struct mica_tools_watch *watch, const char *formatz, ...)
{
    char line[2048];
    va_list arguments;

    va_start(arguments, formatz);
    (void)vsnprintf(line, sizeof line, formatz, arguments);
    va_end(arguments);
    if (watch->options.note != NULL)
        watch->options.note(watch->options.data, line);
}

// ---- What could not be loaded ----------------------------------------------------

static struct failed *
find_failed(struct mica_tools_watch *watch, const char *name)
{
    for (size_t i = 0; i < watch->failed_count; i++) {
        if (strcmp(watch->failed[i].name, name) == 0)
            return &watch->failed[i];
    }
    return NULL;
}

static void
forget_failed(struct mica_tools_watch *watch, const char *name)
{
    struct failed *failed = find_failed(watch, name);

    if (failed != NULL)
        *failed = watch->failed[--watch->failed_count];
}

// Says why, unless that was said before.
static void
note_failed(struct mica_tools_watch *watch, const char *name, bool offered,
            const struct mica_error *error)
{
    struct failed *failed = find_failed(watch, name);
    char noted[NOTE_BYTES];

    (void)snprintf(noted, sizeof noted, "%.*s", NOTE_BYTES - 1, error->message);
    if (failed != NULL && strcmp(failed->noted, noted) == 0)
        return;
    if (failed == NULL && watch->failed_count < FAILED) {
        failed = &watch->failed[watch->failed_count++];
        (void)snprintf(failed->name, sizeof failed->name, "%s", name);
    }
    if (failed != NULL)
        memcpy(failed->noted, noted, sizeof noted);
    tools_note(watch, "%s %s: %s", name,
               offered ? "stays as it was" : "is not served", error->message);
}

// ---- Bringing the server in step -------------------------------------------------

// The hash in the manifest of a tool; false when it cannot be read.
static bool
read_version(const struct mica_tools_watch *watch, const char *name,
             char sha256_out[MICA_SHA256_SIZE])
{
    struct mica_json manifest;
    struct mica_arena arena;
    struct mica_text text, sha256 = {NULL, 0};
    char path[PATH_MAX];
    bool read;

    mica_arena_init(&arena, MANIFEST_BYTES);
    read = mica_path(path, NULL, "%s/%s.json", watch->options.folder, name) ==
               MICA_OK &&
           mica_file_read(&arena, path, NULL, &text) == MICA_OK &&
           mica_json_read(&arena, text, NULL, NULL, &manifest) == MICA_OK;
    if (read)
        sha256 = mica_json_get_text(&manifest, "sha256");
    read = read && sha256.len == MICA_SHA256_SIZE - 1;
    if (read)
        (void)snprintf(sha256_out, MICA_SHA256_SIZE, "%.*s", MICA_ARG(sha256));
    mica_arena_fini(&arena);
    return read;
}

static bool
is_wanted(const struct mica_tools_watch *watch, const char *name)
{
    const struct mica_tools_options *options = &watch->options;

    return options->wanted == NULL || options->wanted(options->data, name);
}

static void
look_at(struct mica_tools_watch *watch, const struct mica_catalog *catalog,
        const char *name)
{
    const struct mica_tools_options *options = &watch->options;
    const struct mica_definition *served =
        mica_catalog_find(catalog, MICA_DEFINITION_TOOL, mica_text(name));
    const struct mica_tool_source source = {
        .folder = options->folder, .own = options->own, .replace = true};
    char sha256[MICA_SHA256_SIZE];
    struct mica_error error;

    if (!is_wanted(watch, name) || !read_version(watch, name, sha256) ||
        (served != NULL && mica_text_is(served->version, sha256))) {
        forget_failed(watch, name);
        return;
    }
    if (mica_server_load_tool(options->server, &source, name, &error) !=
        MICA_OK) {
        note_failed(watch, name, served != NULL, &error);
        return;
    }
    forget_failed(watch, name);
    tools_note(watch, served != NULL ? "%s has changed" : "%s is new", name);
}

static bool
is_among(char (*names)[MICA_TOOL_NAME_LENGTH + 1], size_t count,
         struct mica_text name)
{
    for (size_t i = 0; i < count; i++) {
        if (mica_text_is(name, names[i]))
            return true;
    }
    return false;
}

// A tool that was built has a version of its own; others are not of the folder.
static void
take_back(struct mica_tools_watch *watch, const struct mica_catalog *catalog,
          char (*names)[MICA_TOOL_NAME_LENGTH + 1], size_t count)
{
    const struct mica_definition_list *tools =
        &catalog->lists[MICA_DEFINITION_TOOL];
    struct mica_error error;

    for (size_t i = 0; i < tools->count; i++) {
        const struct mica_definition *tool = tools->items[i];
        char name[MICA_TOOL_NAME_LENGTH + 1];
        if (tool->version.len == 0)
            continue;
        (void)snprintf(name, sizeof name, "%.*s", MICA_ARG(tool->name));
        if (is_among(names, count, tool->name) && is_wanted(watch, name))
            continue;
        forget_failed(watch, name);
        if (mica_server_remove(watch->options.server, MICA_DEFINITION_TOOL,
                               name, &error) == MICA_OK)
            tools_note(watch, "%s is gone", name);
    }
}

bool
mica_tools_watch_look(struct mica_tools_watch *watch)
{
    char(*names)[MICA_TOOL_NAME_LENGTH + 1] = NULL;
    struct mica_catalog *catalog;
    struct mica_error error;
    size_t count = 0;

    // A folder that is away for a moment takes nothing with it, and its coming is
    // an event.
    if (mica_tool_names(watch->options.folder, &error, &names, &count) !=
        MICA_OK)
        return mica_file_exists(watch->options.folder);
    catalog = mica_registry_catalog(&watch->options.server->registry);
    for (size_t i = 0; i < count; i++)
        look_at(watch, catalog, names[i]);
    take_back(watch, catalog, names, count);
    mica_catalog_drop(catalog);
    free(names);
    return watch->failed_count > 0;
}

enum mica_status
mica_tools_watch_open(const struct mica_tools_options *options,
                      struct mica_error *error,
                      struct mica_tools_watch **watch_out)
{
    struct mica_tools_watch *watch = calloc(1, sizeof *watch);

    if (watch == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    watch->options = *options;
    *watch_out = watch;
    return MICA_OK;
}

void
mica_tools_watch_close(struct mica_tools_watch **watch)
{
    free(*watch);
    *watch = NULL;
}
