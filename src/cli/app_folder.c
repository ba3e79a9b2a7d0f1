// SPDX-License-Identifier: Apache-2.0
//
// Reads the files of apps/, and publishes them while a command serves.
#include "cli/app_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build/files.h"
#include "cli/cli_file.h"
#include "cli/command_app.h"
#include "cli/project.h"
#include "watch/watch.h"

enum {
    NAME_BYTES = 255,      // of a file
    WORK_BYTES = 256 << 20 // memory of one look at all files
};

static const char ending[] = ".json";

struct mica_app_folder {
    const char *spec; // of the store; in memory of the command
    struct mica_acts acts;
    struct mica_watcher *watcher;
    bool lenient; // mica dev: what is wrong is told, the rest is published
};

// ---- Files -----------------------------------------------------------------------

static int
slugs_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Hidden files are left out: editors keep theirs so.
static bool
file_is_app(const char *name)
{
    size_t length = strlen(name), end = sizeof ending - 1;

    return name[0] != '.' && length > end && length <= NAME_BYTES &&
           strcmp(name + length - end, ending) == 0;
}

static enum mica_status
folder_read(struct mica_cli *cli, DIR *folder, struct mica_error *error,
            const char **slugs, size_t *count_out)
{
    const struct dirent *file;

    *count_out = 0;
    while ((file = readdir(folder)) != NULL) {
        if (!file_is_app(file->d_name))
            continue;
        if (*count_out == MICA_PROJECT_APPS)
            return mica_error_set(error, MICA_E_LIMIT, "",
                                  MICA_APPS_DIR "/ has more than %d apps",
                                  MICA_PROJECT_APPS);
        slugs[(*count_out)++] = mica_cli_format(
            cli, "%.*s", (int)(strlen(file->d_name) - sizeof ending + 1),
            file->d_name);
    }
    return MICA_OK;
}

enum mica_status
mica_app_folder_slugs(struct mica_cli *cli, struct mica_error *error,
                      const char *const **slugs_out)
{
    const char **slugs =
        mica_arena_zero(&cli->arena, MICA_PROJECT_APPS + 1, sizeof *slugs);
    enum mica_status status = MICA_OK;
    size_t count = 0;
    DIR *folder;

    if (slugs == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    *slugs_out = slugs;
    MICA_TRY(mica_path_inside(MICA_APPS_DIR, error));
    folder = opendir(MICA_APPS_DIR);
    if (folder == NULL && errno == ENOENT)
        return MICA_OK;
    if (folder == NULL)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot read the folder " MICA_APPS_DIR ": %s",
                              strerror(errno));
    status = folder_read(cli, folder, error, slugs, &count);
    (void)closedir(folder);
    qsort(slugs, count, sizeof *slugs, slugs_compare);
    return status;
}

const char *
mica_app_folder_path(struct mica_cli *cli, const char *slug)
{
    return mica_cli_format(cli, MICA_APPS_DIR "/%s%s", slug, ending);
}

enum mica_status
mica_app_folder_read(struct mica_cli *cli, const char *slug,
                     struct mica_error *error, struct mica_text *text_out)
{
    const char *path = mica_app_folder_path(cli, slug);
    struct mica_cli_file file;

    MICA_TRY(mica_path_inside(path, error));
    MICA_TRY(mica_cli_file_look(cli, path, error, &file));
    *text_out = file.text;
    return MICA_OK;
}

// ---- Publishing ------------------------------------------------------------------

// One app in memory of its own. The error names the file.
static enum mica_status
app_publish(struct mica_app_folder *folder, struct mica_cli *cli,
            const char *slug, struct mica_error *error)
{
    struct mica_error why = {.status = MICA_OK};
    struct mica_arena arena;
    struct mica_text text;
    enum mica_status status;
    int64_t version = 0;
    bool changed = false;

    mica_arena_init(&arena, WORK_BYTES);
    status = mica_app_folder_read(cli, slug, &why, &text);
    if (status == MICA_OK)
        status = mica_project_app_publish(&folder->acts, mica_text(slug), text,
                                          &arena, &why, &version, &changed);
    mica_arena_fini(&arena);
    if (status != MICA_OK)
        return mica_error_set(error, status, why.path, "%s: %s",
                              mica_app_folder_path(cli, slug), why.message);
    if (changed)
        mica_cli_tell("mica: %s is version %lld of %.*s/servers/%s/mcp\n",
                      mica_app_folder_path(cli, slug), (long long)version,
                      MICA_ARG(folder->acts.address), slug);
    return MICA_OK;
}

static enum mica_status
apps_publish(struct mica_app_folder *folder, struct mica_cli *cli,
             bool starting, struct mica_error *error)
{
    const char *const *slugs;
    size_t count = 0, gone = 0;

    MICA_TRY(mica_app_folder_slugs(cli, error, &slugs));
    for (; slugs[count] != NULL; count++) {
        enum mica_status status = app_publish(folder, cli, slugs[count], error);
        if (status == MICA_OK)
            continue;
        if (!folder->lenient || (starting && status == MICA_E_EXISTS))
            return status;
        mica_cli_tell("mica: %s: %s%s%s\n", error->code, error->message,
                      error->path[0] != '\0' ? "\n  at " : "", error->path);
    }
    MICA_TRY(mica_project_apps_withdraw(&folder->acts, slugs, count,
                                        &cli->arena, error, &gone));
    if (gone > 0)
        mica_cli_tell("mica: %zu app%s of " MICA_APPS_DIR
                      "/ %s no file any more, and %s unpublished\n",
                      gone, mica_cli_s(gone), gone == 1 ? "has" : "have",
                      gone == 1 ? "is" : "are");
    return MICA_OK;
}

// Opens the store for this look alone: servers have their own.
static enum mica_status
folder_publish(struct mica_app_folder *folder, struct mica_cli *cli,
               bool starting, struct mica_error *error)
{
    struct mica_store *store;
    enum mica_status status;

    MICA_TRY(mica_store_open(folder->spec, NULL, error, &store));
    folder->acts.store = store;
    status = apps_publish(folder, cli, starting, error);
    folder->acts.store = NULL;
    mica_store_close(&store);
    return status;
}

// ---- Following -------------------------------------------------------------------

// On the watcher's thread, with memory of its own.
static bool
folder_look(void *data, unsigned changed)
{
    struct mica_app_folder *folder = data;
    struct mica_error error = {.status = MICA_OK};
    struct mica_cli cli = {.terminal = false};

    (void)changed;
    mica_arena_init(&cli.arena, WORK_BYTES);
    if (folder_publish(folder, &cli, false, &error) != MICA_OK)
        mica_cli_tell("mica: %s: %s\n", error.code, error.message);
    mica_arena_fini(&cli.arena);
    return false;
}

static enum mica_status
folder_follow(struct mica_app_folder *folder, struct mica_error *error)
{
    static const char *const watched[] = {MICA_APPS_DIR};
    const struct mica_watch_options options = {
        .folders = watched, .count = 1, .look = folder_look, .data = folder};

    MICA_TRY(mica_watcher_open(&options, error, &folder->watcher));
    return mica_watcher_start(folder->watcher, error);
}

// ---- Serving ---------------------------------------------------------------------

void
mica_app_folder_close(struct mica_app_folder **folder)
{
    if (*folder == NULL)
        return;
    mica_watcher_close(&(*folder)->watcher);
    free(*folder);
    *folder = NULL;
}

// Files of apps/ that name no tool are another program's, or are expected to be served.
static enum mica_status
folder_tell(struct mica_cli *cli, const struct mica_options *options,
            struct mica_error *error)
{
    const char *const *slugs;

    if (mica_options_has(options, "built-in") ||
        mica_options_value(options, "engines") != NULL ||
        mica_options_value(options, "tools") != NULL ||
        !mica_folder_exists(MICA_APPS_DIR))
        return MICA_OK;
    MICA_TRY(mica_app_folder_slugs(cli, error, &slugs));
    if (slugs[0] != NULL)
        mica_cli_note(cli, "mica: no file of " MICA_APPS_DIR
                           "/ has a toolName, so none is published\n");
    return MICA_OK;
}

static enum mica_status
folder_begin(struct mica_app_folder *folder, struct mica_cli *cli,
             struct mica_error *error)
{
    if (mica_folder_exists(MICA_APPS_DIR)) {
        if (strcmp(folder->spec, "memory") == 0)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "the apps of " MICA_APPS_DIR
                                  "/ are published in the store, and that is "
                                  "in memory; name a file: --store "
                                  "sqlite:PATH");
        MICA_TRY(folder_publish(folder, cli, true, error));
    }
    return folder->lenient && strcmp(folder->spec, "memory") != 0
               ? folder_follow(folder, error)
               : MICA_OK;
}

enum mica_status
mica_app_folder_serve(struct mica_cli *cli, const struct mica_options *options,
                      struct mica_server *server, const char *spec,
                      struct mica_error *error,
                      struct mica_app_folder **folder_out)
{
    struct mica_app_folder *folder;
    enum mica_status status;

    *folder_out = NULL;
    if (!mica_project_is_here(options))
        return folder_tell(cli, options, error);
    if (cli->developer == NULL && !mica_folder_exists(MICA_APPS_DIR))
        return MICA_OK;
    folder = calloc(1, sizeof *folder);
    if (folder == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    folder->spec = spec;
    folder->lenient = cli->developer != NULL;
    folder->acts =
        (struct mica_acts){.server = server, .now = mica_cli_app_now};
    status = mica_cli_app_address(cli, options, error, &folder->acts.address);
    if (status == MICA_OK)
        status = folder_begin(folder, cli, error);
    if (status != MICA_OK)
        mica_app_folder_close(&folder);
    else
        *folder_out = folder;
    return status;
}
