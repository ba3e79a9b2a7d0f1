// SPDX-License-Identifier: Apache-2.0
//
// Where the tools of a command come from, and the small make that keeps the
// engines of this folder built. A folder may have come with built engines: those
// that this user has not built are built again, never loaded.
#include "cli/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/builder.h"
#include "cli/builtin.h"
#include "sandbox/catalogue.h"
#include "sandbox/seal.h"

enum {
    PATH_BYTES = 512,
    SOURCES = 4096
};

#define TAKE_IT_AS_IT_IS \
    "To use what is built as it is, name it: --engines " MICA_BUILT_DIR

// ---- The sources of this folder ------------------------------------------------

static int
compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
is_source(const char *name)
{
    size_t length = strlen(name);

    return length > 2 && length < 128 && name[0] != '.' &&
           strcmp(name + length - 2, ".c") == 0;
}

enum mica_status
mica_catalogue_sources(struct mica_cli *cli, struct mica_error *error,
                       const char *const **slugs_out)
{
    DIR *folder = opendir(MICA_ENGINES_DIR);
    const char **slugs =
        mica_arena_zero(&cli->arena, SOURCES + 1, sizeof *slugs);
    const struct dirent *file;
    size_t count = 0;

    if (folder == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is no folder %s here (%s); \"mica new "
                              "SLUG\" begins one",
                              MICA_ENGINES_DIR, strerror(errno));
    while (slugs != NULL && count < SOURCES &&
           (file = readdir(folder)) != NULL) {
        struct mica_text name = mica_text(file->d_name);
        if (!is_source(file->d_name))
            continue;
        name = mica_arena_text(&cli->arena,
                               mica_text_slice(name, 0, name.len - 2));
        if (name.ptr != NULL)
            slugs[count++] = name.ptr;
    }
    (void)closedir(folder);
    if (count == 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "the folder %s has no engine; \"mica new SLUG\" "
                              "writes one",
                              MICA_ENGINES_DIR);
    qsort(slugs, count, sizeof *slugs, compare);
    *slugs_out = slugs;
    return MICA_OK;
}

// ---- Building ------------------------------------------------------------------

static bool
is_newer(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec
               ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
               : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

struct source {
    const char *slug;
    char path[PATH_BYTES];
    bool built, own, stale;
};

static enum mica_status
look(const char *slug, const struct mica_seal_key *key,
     struct mica_error *error, struct source *source_out)
{
    struct stat source, manifest;
    char built[PATH_BYTES], sha256[MICA_SHA256_SIZE];

    source_out->slug = slug;
    (void)snprintf(source_out->path, sizeof source_out->path, "%s/%s.c",
                   MICA_ENGINES_DIR, slug);
    (void)snprintf(built, sizeof built, "%s/%s.json", MICA_BUILT_DIR, slug);
    if (stat(source_out->path, &source) != 0)
        return mica_error_set(error, MICA_E_IO, "", "cannot read %s: %s",
                              source_out->path, strerror(errno));
    source_out->built = stat(built, &manifest) == 0;
    source_out->own =
        source_out->built && mica_seal_read(key, MICA_BUILT_DIR, slug, sha256);
    source_out->stale = !source_out->own || is_newer(&source, &manifest);
    return MICA_OK;
}

static void
report(struct mica_cli *cli, const struct mica_built *built)
{
    if (built->status != MICA_OK)
        mica_cli_note(cli, "%.*s", MICA_ARG(built->diagnostics));
    else
        mica_cli_note(cli, "mica: built %s\n", built->source);
}

enum mica_status
mica_catalogue_make_folder(const char *name, struct mica_error *error)
{
    if (mkdir(name, 0755) == 0 || errno == EEXIST)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "", "cannot make the folder %s: %s",
                          name, strerror(errno));
}

// Without a tool chain what was built before is used as it is, and said to be
// old; what was never built, or by somebody else, cannot be served.
static enum mica_status
use_old(struct mica_cli *cli, const struct source *sources, size_t count,
        struct mica_error *error)
{
    const struct mica_error reason = *error;

    for (size_t i = 0; i < count; i++) {
        if (!sources[i].built)
            return error->status;
        if (!sources[i].own)
            return mica_error_set(error, MICA_E_TRUST, "",
                                  "%s is built, but not by you, and cannot be "
                                  "built now. %s " TAKE_IT_AS_IT_IS,
                                  sources[i].path, reason.message);
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

// What has changed is built.
static enum mica_status
refresh(struct mica_cli *cli, const char *const *slugs,
        const struct mica_seal_key *key, struct mica_error *error)
{
    struct mica_toolchain toolchain;
    struct mica_build_options options = {.toolchain = &toolchain,
                                         .out_dir = MICA_BUILT_DIR};
    size_t count = 0, stale = 0;

    while (slugs[count] != NULL)
        count++;
    struct source *sources =
        mica_arena_zero(&cli->arena, count, sizeof *sources);
    const char **paths = mica_arena_zero(&cli->arena, count + 1, sizeof *paths);
    if (sources == NULL || paths == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < count; i++) {
        MICA_TRY(look(slugs[i], key, error, &sources[i]));
        if (sources[i].stale)
            paths[stale++] = sources[i].path;
    }
    if (stale == 0)
        return MICA_OK;
    if (mica_toolchain_find(&toolchain, error) != MICA_OK)
        return use_old(cli, sources, count, error);
    MICA_TRY(mica_catalogue_make_folder("build", error));
    mica_cli_note(cli, "mica: building %zu engine%s\n", stale,
                  mica_cli_s(stale));
    return mica_builder_run(cli, &options, paths, error, report);
}

// ---- Opening -------------------------------------------------------------------

// The key by which own builds are known. Before anything is built, so that
// nothing is built into a folder from which nothing could be loaded.
static enum mica_status
find_key(struct mica_error *error, struct mica_seal_key *key_out)
{
    char folder[PATH_MAX];

    if (realpath(MICA_BUILT_DIR, folder) != NULL)
        MICA_TRY(mica_trust_path(folder, error));
    enum mica_status status = mica_seal_key(error, key_out);
    if (status == MICA_OK)
        return MICA_OK;
    const struct mica_error reason = *error;
    return mica_error_set(error, status, "", "%s " TAKE_IT_AS_IT_IS,
                          reason.message);
}

static enum mica_status
no_tool(const char *name, struct mica_text nearest, struct mica_error *error)
{
    if (nearest.len > 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is no tool \"%s\"; did you mean "
                              "\"%.*s\"?",
                              name, MICA_ARG(nearest));
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "there is no tool \"%s\"; \"mica list\" names all",
                          name);
}

// Whether an engine of that name can be built.
static enum mica_status
check_name(const char *const *slugs, const char *name, struct mica_error *error)
{
    struct mica_text nearest = {NULL, 0};
    size_t limit = strlen(name) / 3 + 1;

    for (; *slugs != NULL && limit < 64; slugs++) {
        size_t distance =
            mica_text_distance(mica_text(*slugs), mica_text(name), limit);
        if (strcmp(*slugs, name) == 0)
            return MICA_OK;
        if (distance <= limit) {
            limit = distance;
            nearest = mica_text(*slugs);
        }
    }
    return no_tool(name, nearest, error);
}

static enum mica_status
load_here(struct mica_cli *cli, const char *only, struct mica_server *server,
          struct mica_error *error)
{
    const char *const one[] = {only, NULL};
    const char *const *slugs = one;
    struct mica_seal_key key;

    MICA_TRY(mica_catalogue_sources(cli, error, &slugs));
    if (only != NULL) {
        MICA_TRY(check_name(slugs, only, error));
        slugs = one;
    }
    MICA_TRY(find_key(error, &key));
    MICA_TRY(refresh(cli, slugs, &key, error));
    // By the sources, so that an engine whose source is gone is gone, too.
    for (; *slugs != NULL; slugs++)
        MICA_TRY(
            mica_server_load_own_engine(server, MICA_BUILT_DIR, *slugs, error));
    return MICA_OK;
}

static enum mica_status
load(struct mica_cli *cli, const struct mica_options *options, const char *only,
     struct mica_server *server, struct mica_error *error)
{
    const char *folder = mica_options_value(options, "engines");
    struct stat here;

    if (folder != NULL)
        return mica_server_load_engines(server, folder, error);
    if (stat(MICA_ENGINES_DIR, &here) == 0 && S_ISDIR(here.st_mode))
        return load_here(cli, only, server, error);
    return mica_server_load_translated(server, mica_builtin_engines,
                                       mica_builtin_count, error);
}

static enum mica_status
open_server(struct mica_cli *cli, const struct mica_options *options,
            const char *only, struct mica_error *error,
            struct mica_server **server_out)
{
    static const struct mica_server_options described = {
        .name = "mica",
        .version = MICA_VERSION,
        .title = "mica",
        .description = "Typed, pure tools that run in a sandbox.",
        .website_url = NULL,
        .instructions = "Every tool is a pure function: the same arguments "
                        "always give the same result, and nothing else is "
                        "read or changed."};
    struct mica_server *server;
    enum mica_status status;

    MICA_TRY(mica_server_open(&described, error, &server));
    status = load(cli, options, only, server, error);
    if (status != MICA_OK) {
        mica_server_close(&server);
        return status;
    }
    *server_out = server;
    return MICA_OK;
}

enum mica_status
mica_catalogue_open(struct mica_cli *cli, const struct mica_options *options,
                    struct mica_error *error, struct mica_server **server_out)
{
    return open_server(cli, options, NULL, error, server_out);
}

// From the thread that watches the folder.
static void
note_folder(void *user, const char *text)
{
    mica_cli_note(user, "mica: %s\n", text);
}

static enum mica_status
add_folders(struct mica_cli *cli, const struct mica_options *options,
            struct mica_server *server, struct mica_error *error)
{
    const struct mica_folder_options how = {.note = note_folder, .user = cli};
    const char *const *folders =
        mica_options_all(options, &cli->arena, "resources");

    for (; folders != NULL && *folders != NULL; folders++)
        MICA_TRY(mica_server_add_folder(server, *folders, NULL, &how, error));
    return MICA_OK;
}

enum mica_status
mica_catalogue_open_served(struct mica_cli *cli,
                           const struct mica_options *options,
                           struct mica_error *error,
                           struct mica_server **server_out)
{
    struct mica_server *server;
    enum mica_status status;

    MICA_TRY(open_server(cli, options, NULL, error, &server));
    status = add_folders(cli, options, server, error);
    if (status != MICA_OK)
        mica_server_close(&server);
    else
        *server_out = server;
    return status;
}

enum mica_status
mica_catalogue_open_tool(struct mica_cli *cli,
                         const struct mica_options *options, const char *name,
                         struct mica_error *error,
                         struct mica_server **server_out,
                         const struct mica_definition **tool_out)
{
    struct mica_server *server;
    const struct mica_definition *nearest;

    MICA_TRY(open_server(cli, options, name, error, &server));
    *tool_out =
        mica_catalog_find(server->catalog, MICA_OFFER_TOOL, mica_text(name));
    if (*tool_out != NULL) {
        *server_out = server;
        return MICA_OK;
    }
    nearest =
        mica_catalog_nearest(server->catalog, MICA_OFFER_TOOL, mica_text(name));
    (void)no_tool(name, nearest != NULL ? nearest->name : MICA_LITERAL(""),
                  error);
    mica_server_close(&server);
    return MICA_E_NOT_FOUND;
}
