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
#include "publish/project_collections.h"
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

// One file of a look. A file that is wrong is told once, and left out from then on.
struct app_file {
    const char *slug;
    struct mica_text text;
    enum {
        FILE_WRONG,
        FILE_APP,
        FILE_COLLECTION
    } kind;
};

struct look {
    struct mica_app_folder *folder;
    struct mica_cli *cli;
    bool starting;
    struct app_file *files;
    const char *const *slugs; // of the files
    size_t count;
    const char **collections; // slugs of those that are collections, or wrong
    size_t collection_count;
    struct mica_error *error;
};

// What is done with one file, in memory of its own.
typedef enum mica_status file_step(struct look *look,
                                   const struct app_file *file,
                                   struct mica_arena *arena,
                                   struct mica_error *error);

static enum mica_status
file_read(struct look *look, const struct app_file *file,
          struct mica_arena *arena, struct mica_error *error)
{
    struct app_file *read = &look->files[file - look->files];

    MICA_TRY(mica_app_folder_read(look->cli, file->slug, error, &read->text));
    read->kind = mica_project_is_collection(read->text, arena) ? FILE_COLLECTION
                                                               : FILE_APP;
    return MICA_OK;
}

static enum mica_status
file_release(struct look *look, const struct app_file *file,
             struct mica_arena *arena, struct mica_error *error)
{
    return mica_project_collection_release(
        &look->folder->acts, mica_text(file->slug), file->text, arena, error);
}

static enum mica_status
file_publish_app(struct look *look, const struct app_file *file,
                 struct mica_arena *arena, struct mica_error *error)
{
    int64_t version = 0;
    bool changed = false;

    MICA_TRY(mica_project_app_publish(&look->folder->acts,
                                      mica_text(file->slug), file->text, arena,
                                      error, &version, &changed));
    if (changed)
        mica_cli_tell("mica: %s is version %lld of %.*s/servers/%s/mcp\n",
                      mica_app_folder_path(look->cli, file->slug),
                      (long long)version, MICA_ARG(look->folder->acts.address),
                      file->slug);
    return MICA_OK;
}

static enum mica_status
file_publish_collection(struct look *look, const struct app_file *file,
                        struct mica_arena *arena, struct mica_error *error)
{
    bool changed = false;

    MICA_TRY(mica_project_collection_publish(&look->folder->acts,
                                             mica_text(file->slug), file->text,
                                             arena, error, &changed));
    if (changed)
        mica_cli_tell("mica: %s is the collection %.*s/servers/%s/mcp\n",
                      mica_app_folder_path(look->cli, file->slug),
                      MICA_ARG(look->folder->acts.address), file->slug);
    return MICA_OK;
}

// Does a step with each file of that kind. The error names the file.
static enum mica_status
files_do(struct look *look, int kind, file_step *step)
{
    for (size_t i = 0; i < look->count; i++) {
        struct mica_error why = {.status = MICA_OK};
        struct app_file *file = &look->files[i];
        struct mica_arena arena;
        enum mica_status status;
        if ((int)file->kind != kind)
            continue;
        mica_arena_init(&arena, WORK_BYTES);
        status = step(look, file, &arena, &why);
        mica_arena_fini(&arena);
        if (status == MICA_OK)
            continue;
        (void)mica_error_set(look->error, status, why.path, "%s: %s",
                             mica_app_folder_path(look->cli, file->slug),
                             why.message);
        if (!look->folder->lenient ||
            (look->starting && status == MICA_E_EXISTS))
            return status;
        mica_cli_tell("mica: %s: %s%s%s\n", look->error->code,
                      look->error->message,
                      why.path[0] != '\0' ? "\n  at " : "", why.path);
        file->kind = FILE_WRONG;
    }
    return MICA_OK;
}

static enum mica_status
look_open(struct look *look)
{
    MICA_TRY(mica_app_folder_slugs(look->cli, look->error, &look->slugs));
    while (look->slugs[look->count] != NULL)
        look->count++;
    look->files = mica_arena_zero(&look->cli->arena, look->count + 1,
                                  sizeof *look->files);
    look->collections = mica_arena_zero(&look->cli->arena, look->count + 1,
                                        sizeof *look->collections);
    if (look->files == NULL || look->collections == NULL)
        return mica_error_set(look->error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < look->count; i++)
        look->files[i].slug = look->slugs[i];
    MICA_TRY(files_do(look, FILE_WRONG, file_read));
    for (size_t i = 0; i < look->count; i++)
        if (look->files[i].kind != FILE_APP)
            look->collections[look->collection_count++] = look->slugs[i];
    return MICA_OK;
}

static void
tell_gone(size_t gone, const char *whatz, const char *donez)
{
    if (gone > 0)
        mica_cli_tell("mica: %zu %s%s of " MICA_APPS_DIR
                      "/ %s no file any more, and %s %s\n",
                      gone, whatz, mica_cli_s(gone), gone == 1 ? "has" : "have",
                      gone == 1 ? "is" : "are", donez);
}

// Collections give up apps first, and get them last: so each app and each tool name may move
// from one file to another between two looks.
static enum mica_status
apps_publish(struct mica_app_folder *folder, struct mica_cli *cli,
             bool starting, struct mica_error *error)
{
    struct look look = {
        .folder = folder, .cli = cli, .starting = starting, .error = error};
    size_t gone = 0;

    MICA_TRY(look_open(&look));
    MICA_TRY(mica_project_collections_withdraw(&folder->acts, look.collections,
                                               look.collection_count,
                                               &cli->arena, error, &gone));
    tell_gone(gone, "collection", "deleted");
    MICA_TRY(files_do(&look, FILE_COLLECTION, file_release));
    MICA_TRY(files_do(&look, FILE_APP, file_publish_app));
    MICA_TRY(files_do(&look, FILE_COLLECTION, file_publish_collection));
    MICA_TRY(mica_project_apps_withdraw(&folder->acts, look.slugs, look.count,
                                        &cli->arena, error, &gone));
    tell_gone(gone, "app", "unpublished");
    return MICA_OK;
}

// Opens the store for this look alone: servers have their own.
static enum mica_status
folder_publish(struct mica_app_folder *folder, struct mica_cli *cli,
               bool starting, struct mica_error *error)
{
    const struct mica_store_options beside = {.pages_trusted = !starting};
    struct mica_store *store;
    enum mica_status status;

    MICA_TRY(mica_store_open(folder->spec, &beside, error, &store));
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
