// SPDX-License-Identifier: Apache-2.0
//
// On the thread of the watcher: sources that changed are built, then the server
// is brought in step with the built folder. A source that does not build leaves
// its engine as it was, and says why once.
#include "cli/reload.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/build.h"
#include "cli/catalogue.h"
#include "sandbox/catalogue.h"
#include "watch/reload.h"
#include "watch/watch.h"

enum {
    PATH_BYTES = 512,
    SOURCES = 4096,
    DIAGNOSTICS_BYTES = 1 << 20,
    SOURCES_CHANGED = 1 << 1 // the second of the folders
};

// A source, as it was when it was last built, or could not be.
struct tried {
    char slug[MICA_SLUG_LENGTH + 1];
    struct timespec changed;
};

struct mica_reloader {
    struct mica_watcher *watcher;
    struct mica_reload *reload;
    bool builds; // from the sources of this folder
    struct tried *tried;
    size_t count;
};

static void
note(void *data, const char *line)
{
    (void)data;
    (void)dprintf(STDERR_FILENO, "mica: %s\n", line);
}

// ---- Building --------------------------------------------------------------------

static bool
is_newer(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static struct tried *
find(const struct mica_reloader *reloader, const char *slug)
{
    for (size_t i = 0; i < reloader->count; i++) {
        if (strcmp(reloader->tried[i].slug, slug) == 0)
            return &reloader->tried[i];
    }
    return NULL;
}

// Is it another source than the one that was tried last? One that is new here
// is compared with what was built of it; from then on its own time counts, for a
// source may be saved again while it is built.
static bool
has_changed(struct mica_reloader *reloader, const char *slug,
            const struct stat *source, const struct stat *manifest)
{
    struct tried *tried = find(reloader, slug);
    bool changed;

    if (tried == NULL) {
        changed =
            manifest == NULL || is_newer(source->st_mtim, manifest->st_mtim);
        if (reloader->count == SOURCES)
            return changed;
        tried = &reloader->tried[reloader->count++];
        (void)snprintf(tried->slug, sizeof tried->slug, "%s", slug);
    } else {
        changed = is_newer(source->st_mtim, tried->changed) ||
                  is_newer(tried->changed, source->st_mtim);
    }
    tried->changed = source->st_mtim;
    return changed;
}

static void
build(const char *source)
{
    struct mica_toolchain toolchain;
    struct mica_build_options options = {.toolchain = &toolchain,
                                         .out_dir = MICA_BUILT_DIR};
    enum mica_build_outcome outcome;
    struct mica_buffer diagnostics;
    struct mica_error error;
    enum mica_status status = mica_toolchain_find(&toolchain, &error);

    mica_buffer_init(&diagnostics, NULL, DIAGNOSTICS_BYTES);
    if (status == MICA_OK)
        status =
            mica_build_engine(&options, source, &diagnostics, &error, &outcome);
    if (diagnostics.len > 0)
        (void)dprintf(STDERR_FILENO, "%.*s\n",
                      MICA_ARG(mica_buffer_as_text(&diagnostics)));
    if (status != MICA_OK)
        (void)dprintf(STDERR_FILENO,
                      "mica: %s was not built, and its engine stays as it was: "
                      "%s: %s\n",
                      source, error.code, error.message);
    mica_buffer_fini(&diagnostics);
}

// The slug of "<slug>.c"; false for another file.
static bool
slug_of(const char *name, char slug[MICA_SLUG_LENGTH + 1])
{
    size_t length = strlen(name);

    if (length <= 2 || length > MICA_SLUG_LENGTH + 2 || name[0] == '.' ||
        strcmp(name + length - 2, ".c") != 0)
        return false;
    memcpy(slug, name, length - 2);
    slug[length - 2] = '\0';
    return true;
}

static void
build_if_changed(struct mica_reloader *reloader, const char *slug)
{
    char source[PATH_BYTES], manifest[PATH_BYTES];
    struct stat from, to;

    (void)snprintf(source, sizeof source, "%s/%s.c", MICA_ENGINES_DIR, slug);
    (void)snprintf(manifest, sizeof manifest, "%s/%s.json", MICA_BUILT_DIR,
                   slug);
    if (stat(source, &from) == 0 &&
        has_changed(reloader, slug, &from,
                    stat(manifest, &to) == 0 ? &to : NULL))
        build(source);
}

static void
build_changed(struct mica_reloader *reloader)
{
    DIR *folder = opendir(MICA_ENGINES_DIR);
    char slug[MICA_SLUG_LENGTH + 1];
    const struct dirent *file;

    if (folder == NULL)
        return;
    while ((file = readdir(folder)) != NULL) {
        if (slug_of(file->d_name, slug))
            build_if_changed(reloader, slug);
    }
    (void)closedir(folder);
}

// ---- Looking ---------------------------------------------------------------------

// What a build writes changes the built folder, which is looked at in any case.
static bool
look(void *data, unsigned changed)
{
    struct mica_reloader *reloader = data;

    if (reloader->builds && (changed & SOURCES_CHANGED) != 0)
        build_changed(reloader);
    return mica_reload_look(reloader->reload);
}

// By the sources, so that an engine whose source is gone is gone, too.
static bool
has_source(void *data, const char *slug)
{
    char source[PATH_BYTES];

    (void)data;
    (void)snprintf(source, sizeof source, "%s/%s.c", MICA_ENGINES_DIR, slug);
    return access(source, R_OK) == 0;
}

static enum mica_status
open_parts(struct mica_reloader *reloader,
           const struct mica_reload_options *options, struct mica_error *error)
{
    const char *const folders[] = {options->folder, MICA_ENGINES_DIR};
    const struct mica_watch_options watching = {.folders = folders,
                                                .count =
                                                    reloader->builds ? 2 : 1,
                                                .look = look,
                                                .data = reloader};

    reloader->tried = calloc(SOURCES, sizeof *reloader->tried);
    if (reloader->tried == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    MICA_TRY(mica_reload_open(options, error, &reloader->reload));
    MICA_TRY(mica_watcher_open(&watching, error, &reloader->watcher));
    return mica_watcher_start(reloader->watcher, error);
}

enum mica_status
mica_reloader_start(const struct mica_options *options,
                    struct mica_server *server, struct mica_error *error,
                    struct mica_reloader **reloader_out)
{
    const char *named = mica_options_value(options, "engines");
    struct mica_reload_options reload = {
        .server = server, .folder = named, .note = note};
    struct mica_reloader *reloader;
    enum mica_status status;
    struct stat here;

    *reloader_out = NULL;
    if (named == NULL) {
        if (stat(MICA_ENGINES_DIR, &here) != 0 || !S_ISDIR(here.st_mode))
            return MICA_OK; // those inside mica do not change
        reload.folder = MICA_BUILT_DIR;
        reload.own = true;
        reload.wanted = has_source;
    }
    reloader = calloc(1, sizeof *reloader);
    if (reloader == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    reloader->builds = named == NULL;
    status = open_parts(reloader, &reload, error);
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
    mica_reload_close(&self->reload);
    free(self->tried);
    free(self);
    *reloader = NULL;
}
