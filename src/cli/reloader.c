// SPDX-License-Identifier: Apache-2.0
//
// On the thread of the watcher: sources that changed are built, then the server
// is brought in step with the built folders. A source that does not build leaves
// its tool as it was, and says why once.
#include "cli/reloader.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "build/files.h"
#include "cli/prepare.h"
#include "cli/project.h"
#include "cli/settings_endpoints.h"
#include "platform/clock.h"
#include "sandbox/seal.h"
#include "tools/library.h"
#include "watch/engine_reload.h"
#include "watch/tools.h"
#include "watch/watch.h"

enum {
    PATH_BYTES = 512,
    SOURCES = 4096,
    DIAGNOSTICS_BYTES = 1 << 20
};

// A source, as it was when it was last built, or could not be.
struct tried {
    char name[MICA_TOOL_NAME_LENGTH + 1];
    struct timespec changed;
};

// The engines that are served, or the interactive tools.
struct part {
    const struct mica_source_kind *kind;
    const char *folder; // of what is built; NULL: none are served from one
    bool builds;        // from the sources of this folder
    bool distrusted;    // others may write there; it was said
    unsigned sources;   // bits of the folders with these
    struct tried *tried;
    size_t count;
    struct mica_reload *engines;
    struct mica_tools_watch *tools;
};

struct mica_reloader {
    struct mica_watcher *watcher;
    const struct mica_developer *developer; // or NULL
    struct mica_preparation *preparation;   // or NULL
    pthread_mutex_t lock;                   // one look at a time
    struct mica_server *server;
    const struct mica_endpoint_settings
        *endpoints;                 // of what is served, or NULL
    struct mica_catalog *published; // that the endpoints are made of, held
    struct part engines, tools;
};

static void
reloader_note(void *data, const char *line)
{
    (void)data;
    mica_cli_tell("mica: %s\n", line);
}

// ---- Building --------------------------------------------------------------------

static bool
is_newer(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static struct tried *
reloader_find(const struct part *part, const char *name)
{
    for (size_t i = 0; i < part->count; i++) {
        if (strcmp(part->tried[i].name, name) == 0)
            return &part->tried[i];
    }
    return NULL;
}

// Is it another source than the one that was tried last? One that is new here
// is compared with what was built of it; from then on its own time counts, for a
// source may be saved again while it is built.
static bool
has_changed(struct part *part, const char *name, struct timespec source,
            const struct stat *manifest)
{
    struct tried *tried = reloader_find(part, name);
    bool changed;

    if (tried == NULL) {
        changed = manifest == NULL || is_newer(source, manifest->st_mtim);
        if (part->count == SOURCES)
            return changed;
        tried = &part->tried[part->count++];
        (void)snprintf(tried->name, sizeof tried->name, "%s", name);
    } else {
        changed = is_newer(source, tried->changed) ||
                  is_newer(tried->changed, source);
    }
    tried->changed = source;
    return changed;
}

// To stderr, unless a page shows it better.
static void
reloader_tell(const struct mica_developer *developer,
              const struct mica_developed *done, const char *source)
{
    if (developer != NULL) {
        developer->built(developer->data, done);
        return;
    }
    if (done->diagnostics.len > 0)
        mica_cli_tell_lines(done->diagnostics);
    if (done->status != MICA_OK)
        mica_cli_tell("mica: %s was not built, and its %s stays as it was: "
                      "%s: %s\n",
                      source, done->noun, done->error->code,
                      done->error->message);
}

static void
reloader_build(const struct mica_developer *developer,
               const struct mica_source_kind *kind, const char *name,
               const char *source)
{
    struct mica_toolchain toolchain;
    struct mica_build_options options = {.toolchain = &toolchain,
                                         .out_dir = kind->built,
                                         .fast = developer != NULL};
    int64_t began_ms = mica_clock_ms();
    enum mica_build_outcome outcome;
    struct mica_buffer diagnostics;
    struct mica_error error;
    // The folders may have changed since the start, as a checkout changes them.
    enum mica_status status = mica_project_trust(kind, &error);

    mica_buffer_init(&diagnostics, NULL, DIAGNOSTICS_BYTES);
    if (status == MICA_OK)
        status = kind->find(&toolchain, &error);
    if (status == MICA_OK)
        status = kind->build(&options, source, &diagnostics, &error, &outcome);
    const struct mica_developed done = {.noun = kind->noun,
                                        .name = name,
                                        .status = status,
                                        .error = &error,
                                        .diagnostics =
                                            mica_buffer_as_text(&diagnostics),
                                        .took_ms = mica_clock_ms() - began_ms};
    reloader_tell(developer, &done, source);
    mica_buffer_fini(&diagnostics);
}

// The name of "<name>.c"; false for another file.
static bool
name_of(const char *file, char name[MICA_TOOL_NAME_LENGTH + 1])
{
    size_t length = strlen(file);

    if (length <= 2 || length > MICA_TOOL_NAME_LENGTH + 2 || file[0] == '.' ||
        strcmp(file + length - 2, ".c") != 0)
        return false;
    memcpy(name, file, length - 2);
    name[length - 2] = '\0';
    return true;
}

// Whether another process builds it, or has tried the source as it is now.
static bool
is_prepared(struct part *part, struct mica_preparation *preparation,
            const char *name)
{
    struct timespec source;

    if (mica_preparation_builds(preparation, part->kind, name))
        return true;
    if (reloader_find(part, name) == NULL && part->count < SOURCES &&
        mica_preparation_tried(preparation, part->kind, name, &source)) {
        struct tried *tried = &part->tried[part->count++];
        (void)snprintf(tried->name, sizeof tried->name, "%s", name);
        tried->changed = source;
    }
    return false;
}

// Has this user built it? What another one has built, as in a copy of their folder, is
// not loaded, so it counts as not built.
static bool
has_own_build(const struct mica_source_kind *kind, const char *name)
{
    struct mica_error error = {.status = MICA_OK};

    return mica_seal_check(kind->built, name, NULL, NULL, &error) !=
           MICA_E_TRUST;
}

static void
build_if_changed(struct part *part, const struct mica_reloader *reloader,
                 const char *name)
{
    const struct mica_source_kind *kind = part->kind;
    char source[PATH_BYTES], manifest[PATH_BYTES];
    struct timespec from;
    struct stat to;

    (void)snprintf(source, sizeof source, "%s/%s.c", kind->dir, name);
    (void)snprintf(manifest, sizeof manifest, "%s/%s.json", kind->built, name);
    if (!is_prepared(part, reloader->preparation, name) &&
        mica_project_changed(kind, name, &from) &&
        has_changed(
            part, name, from,
            stat(manifest, &to) == 0 && has_own_build(kind, name) ? &to : NULL))
        reloader_build(reloader->developer, kind, name, source);
}

static void
build_changed(struct part *part, const struct mica_reloader *reloader)
{
    DIR *folder = opendir(part->kind->dir);
    char name[MICA_TOOL_NAME_LENGTH + 1];
    const struct dirent *file;

    if (folder == NULL)
        return;
    while ((file = readdir(folder)) != NULL) {
        if (name_of(file->d_name, name))
            build_if_changed(part, reloader, name);
    }
    (void)closedir(folder);
}

// ---- Looking ---------------------------------------------------------------------

// What others may have put there, or taken from there, changes nothing.
static bool
is_trusted(struct part *part)
{
    struct mica_error error;
    bool trusted =
        !part->builds || mica_project_trust(part->kind, &error) == MICA_OK;

    if (!trusted && !part->distrusted)
        mica_cli_tell("mica: what is served of %s stays as it was: %s: %s\n",
                      part->folder, error.code, error.message);
    part->distrusted = !trusted;
    return trusted;
}

// With the lock held: endpoints offer tools of the server as they are now.
static void
reloader_publish(struct mica_reloader *reloader)
{
    struct mica_catalog *now;
    struct mica_error error;

    if (reloader->endpoints == NULL)
        return;
    now = mica_registry_catalog(&reloader->server->registry);
    if (now != reloader->published &&
        mica_endpoint_settings_publish(reloader->endpoints, reloader->server,
                                       false, &error) != MICA_OK)
        mica_cli_tell("mica: %s: %s\n", error.code, error.message);
    mica_catalog_drop(reloader->published);
    reloader->published = now;
}

// Brings the server in step with the built folders. True: look again soon.
static bool
reloader_swap(struct mica_reloader *reloader)
{
    bool again = false;

    pthread_mutex_lock(&reloader->lock);
    if (reloader->engines.engines != NULL)
        again = !is_trusted(&reloader->engines) ||
                mica_reload_look(reloader->engines.engines);
    if (reloader->tools.tools != NULL)
        again = !is_trusted(&reloader->tools) ||
                mica_tools_watch_look(reloader->tools.tools) || again;
    reloader_publish(reloader);
    pthread_mutex_unlock(&reloader->lock);
    return again;
}

// On a thread of the preparation.
static void
swap_prepared(void *data)
{
    (void)reloader_swap(data);
}

// What a build writes changes the built folder, which is looked at in any case.
static bool
reloader_look(void *data, unsigned changed)
{
    struct mica_reloader *reloader = data;

    if ((changed & reloader->engines.sources) != 0)
        build_changed(&reloader->engines, reloader);
    if ((changed & reloader->tools.sources) != 0)
        build_changed(&reloader->tools, reloader);
    bool again = reloader_swap(reloader);
    if (reloader->developer != NULL)
        reloader->developer->swapped(reloader->developer->data);
    return again;
}

static bool
has_source(const struct mica_source_kind *kind, const char *name)
{
    char source[PATH_BYTES];

    (void)snprintf(source, sizeof source, "%s/%s.c", kind->dir, name);
    return access(source, R_OK) == 0;
}

// By the sources, so that an engine whose source is gone is gone, too. What is
// still being built is an older build.
static bool
has_engine(void *data, const char *slug)
{
    const struct mica_reloader *reloader = data;

    return has_source(&mica_kind_engine, slug) &&
           !mica_preparation_builds(reloader->preparation, &mica_kind_engine,
                                    slug);
}

static bool
has_tool(void *data, const char *name)
{
    const struct mica_reloader *reloader = data;

    return has_source(&mica_kind_tool, name) &&
           !mica_preparation_builds(reloader->preparation, &mica_kind_tool,
                                    name);
}

// ---- Beginning -------------------------------------------------------------------

// Which folder a part is served from, as the catalog has taken it.
static void
find_folder(struct part *part, const char *named, bool anything_named)
{
    if (anything_named) {
        part->folder = named;
    } else if (mica_folder_exists(mica_kind_engine.dir) ||
               mica_folder_exists(mica_kind_tool.dir)) {
        part->folder = part->kind->built;
        part->builds = true;
    }
}

static enum mica_status
open_part(struct part *part, struct mica_reloader *reloader,
          struct mica_server *server, struct mica_error *error)
{
    const struct mica_reload_options engines = {
        .server = server,
        .folder = part->folder,
        .own = part->builds,
        .wanted = part->builds ? has_engine : NULL,
        .data = reloader,
        .note = reloader_note};
    const struct mica_tools_options tools = {.server = server,
                                             .folder = part->folder,
                                             .own = part->builds,
                                             .wanted =
                                                 part->builds ? has_tool : NULL,
                                             .data = reloader,
                                             .note = reloader_note};

    if (part->folder == NULL)
        return MICA_OK;
    part->tried = calloc(SOURCES, sizeof *part->tried);
    if (part->tried == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    return part->kind == &mica_kind_tool
               ? mica_tools_watch_open(&tools, error, &part->tools)
               : mica_reload_open(&engines, error, &part->engines);
}

// Adds what a part is to be told of.
static void
add_folders(struct part *part, const char **folders, size_t *count)
{
    if (part->folder == NULL)
        return;
    folders[(*count)++] = part->folder;
    if (!part->builds)
        return;
    part->sources |= 1U << *count;
    folders[(*count)++] = part->kind->dir;
    if (part->kind == &mica_kind_tool) {
        part->sources |= 1U << *count;
        folders[(*count)++] = "tools/lib";
    }
}

static enum mica_status
open_parts(struct mica_reloader *reloader, struct mica_server *server,
           struct mica_error *error)
{
    const char *folders[MICA_WATCHED_FOLDERS];
    struct mica_watch_options watching = {
        .folders = folders, .look = reloader_look, .data = reloader};

    MICA_TRY(open_part(&reloader->engines, reloader, server, error));
    MICA_TRY(open_part(&reloader->tools, reloader, server, error));
    add_folders(&reloader->engines, folders, &watching.count);
    add_folders(&reloader->tools, folders, &watching.count);
    MICA_TRY(mica_watcher_open(&watching, error, &reloader->watcher));
    MICA_TRY(mica_watcher_start(reloader->watcher, error));
    return reloader->preparation == NULL
               ? MICA_OK
               : mica_preparation_start(reloader->preparation, server,
                                        swap_prepared, reloader, error);
}

enum mica_status
mica_reloader_start(const struct mica_cli *cli,
                    const struct mica_options *options,
                    struct mica_server *server, struct mica_error *error,
                    struct mica_reloader **reloader_out)
{
    const char *engines = mica_options_value(options, "engines");
    const char *tools = mica_options_value(options, "tools");
    bool named = engines != NULL || tools != NULL;
    struct mica_reloader *reloader;
    enum mica_status status;

    *reloader_out = NULL;
    if (mica_options_has(options, "built-in"))
        return MICA_OK; // those inside mica do not change
    reloader = calloc(1, sizeof *reloader);
    if (reloader == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    pthread_mutex_init(&reloader->lock, NULL);
    reloader->developer = cli->developer;
    reloader->preparation = cli->preparation;
    reloader->server = server;
    reloader->endpoints = options->endpoints;
    reloader->engines.kind = &mica_kind_engine;
    reloader->tools.kind = &mica_kind_tool;
    find_folder(&reloader->engines, engines, named);
    find_folder(&reloader->tools, tools, named);
    if (reloader->engines.folder == NULL && reloader->tools.folder == NULL) {
        pthread_mutex_destroy(&reloader->lock);
        free(reloader);
        return MICA_OK; // nor here
    }
    if (reloader->endpoints != NULL)
        reloader->published = mica_registry_catalog(&server->registry);
    status = open_parts(reloader, server, error);
    if (status != MICA_OK)
        mica_reloader_stop(&reloader);
    *reloader_out = reloader;
    return status;
}

void
mica_reloader_stop(struct mica_reloader **reloader)
{
    struct mica_reloader *self = *reloader;

    if (self == NULL)
        return;
    mica_watcher_close(&self->watcher);
    mica_reload_close(&self->engines.engines);
    mica_tools_watch_close(&self->tools.tools);
    mica_catalog_drop(self->published);
    pthread_mutex_destroy(&self->lock);
    free(self->engines.tried);
    free(self->tools.tried);
    free(self);
    *reloader = NULL;
}
