// SPDX-License-Identifier: Apache-2.0
//
// By the times of files: a source is built again when it, or for a tool anything
// beside it that it may include, is newer than what was built of it. A folder may
// have come with built files: those that this user has not built are built again,
// never loaded.
#include "cli/project.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build/files.h"
#include "cli/builder.h"
#include "sandbox/trust.h"
#include "tools/library.h"

enum {
    PATH_BYTES = 512,
    SOURCES = 4096,
    MANIFEST_BYTES = 16 << 20
};

const struct mica_source_kind mica_kind_engine = {.noun = "engine",
                                                  .dir = "engines",
                                                  .built = "build/engines",
                                                  .option = "--engines",
                                                  .build = mica_build_engine,
                                                  .find = mica_toolchain_find};
const struct mica_source_kind mica_kind_tool = {.noun = "tool",
                                                .dir = "tools",
                                                .built = "build/tools",
                                                .option = "--tools",
                                                .build = mica_build_tool,
                                                .find =
                                                    mica_toolchain_find_native};

bool
mica_project_is_chosen(const struct mica_options *options)
{
    return mica_options_value(options, "engines") == NULL &&
           mica_options_value(options, "tools") == NULL &&
           !mica_options_has(options, "built-in") &&
           (mica_folder_exists(mica_kind_engine.dir) ||
            mica_folder_exists(mica_kind_tool.dir));
}

// ---- The sources -----------------------------------------------------------------

static int
project_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
is_source(const char *name)
{
    size_t length = strlen(name);

    return length > 2 && length < MICA_TOOL_NAME_LENGTH && name[0] != '.' &&
           strcmp(name + length - 2, ".c") == 0;
}

enum mica_status
mica_project_built(const struct mica_source_kind *kind,
                   struct mica_error *error)
{
    return mica_path_inside(kind->built, error);
}

enum mica_status
mica_project_trust(const struct mica_source_kind *kind,
                   struct mica_error *error)
{
    char folder[PATH_MAX];

    MICA_TRY(mica_path_inside(kind->dir, error));
    MICA_TRY(mica_project_built(kind, error));
    return realpath(kind->built, folder) != NULL
               ? mica_trust_path(folder, error)
               : MICA_OK;
}

enum mica_status
mica_project_sources(struct mica_cli *cli, const struct mica_source_kind *kind,
                     struct mica_error *error, const char *const **names_out)
{
    const char **names;
    const struct dirent *file;
    DIR *folder;
    size_t count = 0;

    MICA_TRY(mica_path_inside(kind->dir, error));
    names = mica_arena_zero(&cli->arena, SOURCES + 1, sizeof *names);
    folder = opendir(kind->dir);
    if (folder == NULL && errno != ENOENT)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot read the folder %s: %s", kind->dir,
                              strerror(errno));
    while (folder != NULL && names != NULL && count < SOURCES &&
           (file = readdir(folder)) != NULL) {
        struct mica_text name = mica_text(file->d_name);
        if (!is_source(file->d_name))
            continue;
        name = mica_arena_text(&cli->arena,
                               mica_text_slice(name, 0, name.len - 2));
        if (name.ptr != NULL)
            names[count++] = name.ptr;
    }
    if (folder != NULL)
        (void)closedir(folder);
    if (names == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    qsort(names, count, sizeof *names, project_compare);
    *names_out = names;
    return MICA_OK;
}

const char *
mica_project_path(struct mica_cli *cli, const struct mica_source_kind *kind,
                  const char *name)
{
    char path[PATH_BYTES];

    (void)snprintf(path, sizeof path, "%s/%s.c", kind->dir, name);
    return mica_arena_text(&cli->arena, mica_text(path)).ptr;
}

enum mica_status
mica_project_empty(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "there is no engine in a folder engines here, and no "
                          "tool in a folder tools; \"mica new SLUG\" writes an "
                          "engine, \"mica new --interactive NAME\" a tool");
}

enum mica_status
mica_project_make_folder(const char *name, struct mica_error *error)
{
    MICA_TRY(mica_path_inside(name, error));
    if (mkdir(name, 0755) == 0 || errno == EEXIST)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "", "cannot make the folder %s: %s",
                          name, strerror(errno));
}

// ---- Building --------------------------------------------------------------------

static bool
is_newer(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

// The latest time of a source or header in the folder, if it is later than *latest.
static void
find_latest(const char *path, bool sources, struct timespec *latest)
{
    DIR *folder = opendir(path);
    const struct dirent *file;

    while (folder != NULL && (file = readdir(folder)) != NULL) {
        size_t length = strlen(file->d_name);
        const char *end = file->d_name + (length > 2 ? length - 2 : 0);
        struct stat st;
        if ((strcmp(end, ".h") == 0 || (sources && strcmp(end, ".c") == 0)) &&
            fstatat(dirfd(folder), file->d_name, &st, 0) == 0 &&
            is_newer(st.st_mtim, *latest))
            *latest = st.st_mtim;
    }
    if (folder != NULL)
        (void)closedir(folder);
}

static struct timespec
find_beside(const struct mica_source_kind *kind)
{
    struct timespec beside = {0, 0};

    if (kind == &mica_kind_tool) {
        find_latest(mica_kind_tool.dir, false, &beside);
        find_latest(MICA_SHARED_DIR, true, &beside);
    }
    return beside;
}

// Looks at a file in the folder of the kind, if it has a name.
static void
find_file(const struct mica_source_kind *kind, struct mica_text file,
          struct timespec *latest)
{
    char path[PATH_BYTES];
    struct stat st;

    (void)snprintf(path, sizeof path, "%s/%.*s", kind->dir, MICA_ARG(file));
    if (file.len > 0 && stat(path, &st) == 0 && is_newer(st.st_mtim, *latest))
        *latest = st.st_mtim;
}

// The documents of the tool's views: what the last build took, and the file of the tool's
// own name, for a tool that has not been built yet.
static void
find_documents(const struct mica_source_kind *kind, const char *name,
               struct timespec *latest)
{
    char path[PATH_BYTES];
    struct mica_arena arena;
    struct mica_text text, file = {NULL, 0};
    struct mica_json manifest = {.kind = MICA_JSON_NULL};
    const struct mica_json *forms;

    mica_arena_init(&arena, MANIFEST_BYTES);
    (void)snprintf(path, sizeof path, "%s/%s.json", kind->built, name);
    if (mica_file_read(&arena, path, NULL, &text) == MICA_OK &&
        mica_json_read(&arena, text, NULL, NULL, &manifest) == MICA_OK)
        file = mica_json_get_text(mica_json_get(&manifest, "view"), "file");
    (void)snprintf(path, sizeof path, "%s.html", name);
    find_file(kind, file.len > 0 ? file : mica_text(path), latest);
    forms = mica_json_get(&manifest, "formViews");
    for (size_t i = 0; forms != NULL && i < forms->count; i++)
        find_file(kind, mica_json_get_text(&forms->items[i], "file"), latest);
    mica_arena_fini(&arena);
}

bool
mica_project_changed(const struct mica_source_kind *kind, const char *name,
                     struct timespec *changed_out)
{
    struct timespec beside = find_beside(kind);
    char path[PATH_BYTES];
    struct stat source;

    (void)snprintf(path, sizeof path, "%s/%s.c", kind->dir, name);
    if (stat(path, &source) != 0)
        return false;
    *changed_out = is_newer(beside, source.st_mtim) ? beside : source.st_mtim;
    if (kind == &mica_kind_tool)
        find_documents(kind, name, changed_out);
    return true;
}

struct source {
    const char *name;
    char path[PATH_BYTES];
    bool built, own, stale;
};

static enum mica_status
source_kind_look(const struct mica_source_kind *kind, const char *name,
                 const struct mica_seal_key *key, struct mica_error *error,
                 struct source *source_out)
{
    struct timespec changed;
    struct stat manifest;
    struct mica_sealed sealed;
    char built[PATH_BYTES];

    source_out->name = name;
    (void)snprintf(source_out->path, sizeof source_out->path, "%s/%s.c",
                   kind->dir, name);
    (void)snprintf(built, sizeof built, "%s/%s.json", kind->built, name);
    if (!mica_project_changed(kind, name, &changed))
        return mica_error_set(error, MICA_E_IO, "", "cannot read %s: %s",
                              source_out->path, strerror(errno));
    source_out->built = stat(built, &manifest) == 0;
    source_out->own =
        source_out->built && mica_seal_read(key, kind->built, name, &sealed);
    source_out->stale = !source_out->own || is_newer(changed, manifest.st_mtim);
    return MICA_OK;
}

enum mica_status
mica_project_stale(const struct mica_source_kind *kind, const char *name,
                   const struct mica_seal_key *key, struct mica_error *error,
                   bool *stale_out)
{
    struct source source;

    MICA_TRY(source_kind_look(kind, name, key, error, &source));
    *stale_out = source.stale;
    return MICA_OK;
}

static void
built_report(void *data, const struct mica_built *built)
{
    struct mica_cli *cli = data;

    if (built->status != MICA_OK)
        mica_cli_tell_lines(mica_buffer_as_text(&built->diagnostics));
    else
        mica_cli_note(cli, "mica: built %s\n", built->source);
}

// What was never built, or by another user, cannot be served.
static enum mica_status
use_old(struct mica_cli *cli, const struct mica_source_kind *kind,
        const struct source *sources, size_t count, struct mica_error *error)
{
    const struct mica_error reason = *error;

    for (size_t i = 0; i < count; i++) {
        if (!sources[i].built)
            return error->status;
        if (!sources[i].own)
            return mica_error_set(error, MICA_E_TRUST, "",
                                  "%s is built, but not by you, and cannot be "
                                  "built now. %s To use what is built as it "
                                  "is, name it: %s %s",
                                  sources[i].path, reason.message, kind->option,
                                  kind->built);
    }
    for (size_t i = 0; i < count; i++) {
        if (sources[i].stale)
            mica_cli_note(cli,
                          "mica: %s has changed and is used as it was "
                          "built before: %s\n",
                          sources[i].path, reason.message);
    }
    return MICA_OK;
}

enum mica_status
mica_project_refresh(struct mica_cli *cli, const struct mica_source_kind *kind,
                     const char *const *names, const struct mica_seal_key *key,
                     struct mica_error *error)
{
    struct mica_toolchain toolchain;
    struct mica_build_options options = {.toolchain = &toolchain,
                                         .out_dir = kind->built};
    size_t count = 0, stale = 0;

    while (names[count] != NULL)
        count++;
    struct source *sources =
        mica_arena_zero(&cli->arena, count + 1, sizeof *sources);
    const char **paths = mica_arena_zero(&cli->arena, count + 1, sizeof *paths);
    if (sources == NULL || paths == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < count; i++) {
        MICA_TRY(source_kind_look(kind, names[i], key, error, &sources[i]));
        if (sources[i].stale)
            paths[stale++] = sources[i].path;
    }
    if (stale == 0)
        return MICA_OK;
    if (kind->find(&toolchain, error) != MICA_OK)
        return use_old(cli, kind, sources, count, error);
    MICA_TRY(mica_project_make_folder("build", error));
    mica_cli_note(cli, "mica: building %zu %s%s\n", stale, kind->noun,
                  mica_cli_s(stale));
    return mica_builder_run(cli, kind, &options, paths,
                            (struct mica_build_report){built_report, cli},
                            error);
}
