// SPDX-License-Identifier: Apache-2.0
//
// What a server knows of its folders of tools: where they are, where services
// keep files, and the old versions that were asked for. Old versions are kept once
// they are loaded, a few at most, as calls come back to them again and again.
#include "tools/tool_catalog.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/seal.h"

enum {
    FOLDERS = 8,
    NAMES = 4096,
    OLDER = 32
};

struct folder {
    char path[PATH_MAX];
    bool own;
};

// One a server, until it closes.
struct tools {
    struct mica_server *server;
    char state[PATH_MAX];     // of services; "": not known yet
    char inherited[PATH_MAX]; // where they kept files before, or ""
    pthread_mutex_t lock;     // of what follows
    struct folder folders[FOLDERS];
    size_t folder_count;
    struct mica_definition *older[OLDER]; // held, the newest look last
    size_t older_count;
};

static struct mica_definition *find_older(void *data, struct mica_text name,
                                          struct mica_text version);

static void
tool_end(void *data)
{
    struct tools *tools = data;

    tools->server->registry.older = NULL;
    tools->server->registry.folder = NULL;
    for (size_t i = 0; i < tools->older_count; i++)
        mica_definition_drop(tools->older[i]);
    pthread_mutex_destroy(&tools->lock);
    free(tools);
}

// NULL for want of memory.
static struct tools *
find_tools(struct mica_server *server, struct mica_error *error)
{
    struct tools *tools = server->registry.older_data;

    if (tools != NULL)
        return tools;
    tools = calloc(1, sizeof *tools);
    if (tools == NULL) {
        (void)mica_error_set(error, MICA_E_LIMIT, "", "no memory");
        return NULL;
    }
    tools->server = server;
    pthread_mutex_init(&tools->lock, NULL);
    server->registry.older = find_older;
    server->registry.older_data = tools;
    mica_server_at_close(server, tool_end, tools);
    return tools;
}

// ---- Where services keep files ---------------------------------------------------

static enum mica_status
tool_cannot(const char *verbz, const char *path, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "", "Cannot %s %s (%s).", verbz,
                          path, strerror(errno));
}

// For this user alone.
static enum mica_status
make_private(const char *path, struct mica_error *error)
{
    struct stat st;

    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return tool_cannot("make the folder", path, error);
    if (lstat(path, &st) != 0)
        return tool_cannot("look at", path, error);
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
        return mica_error_set(error, MICA_E_TRUST, "",
                              "%s is no folder of yours, so no tool keeps "
                              "files there",
                              path);
    if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return mica_error_set(error, MICA_E_TRUST, "",
                              "Others may look into %s, where tools keep "
                              "files. Take that right away: chmod 700 %s",
                              path, path);
    return MICA_OK;
}

static enum mica_status make_folder(void *data, const char *namez,
                                    struct mica_error *error,
                                    char path_out[MICA_FOLDER_SIZE]);

// Moves what the service has kept so far, once; a folder that is there stays.
static void
inherit_files(const struct tools *tools, const char *namez, const char *path)
{
    char before[MICA_FOLDER_SIZE];
    struct stat st;
    int length = snprintf(before, sizeof before, "%s/services/%s",
                          tools->inherited, namez);

    if (tools->inherited[0] == '\0' || length < 0 ||
        (size_t)length >= sizeof before || lstat(path, &st) == 0 ||
        lstat(before, &st) != 0 || !S_ISDIR(st.st_mode) ||
        st.st_uid != geteuid())
        return;
    (void)rename(before, path); // across file systems it stays where it is
}

void
mica_server_inherit_services(struct mica_server *server, const char *folder)
{
    struct tools *tools = server->registry.folder_data;

    if (server->registry.folder == make_folder &&
        snprintf(tools->inherited, PATH_MAX, "%s", folder) >= PATH_MAX)
        tools->inherited[0] = '\0';
}

static enum mica_status
make_folder(void *data, const char *namez, struct mica_error *error,
            char path_out[MICA_FOLDER_SIZE])
{
    struct tools *tools = data;
    int length;

    if (tools->state[0] == '\0')
        MICA_TRY(mica_state_folder(error, tools->state));
    length = snprintf(path_out, MICA_FOLDER_SIZE, "%s/services", tools->state);
    if (length > 0 && (size_t)length + strlen(namez) + 2 < MICA_FOLDER_SIZE) {
        MICA_TRY(make_private(path_out, error));
        (void)snprintf(path_out + length, (size_t)(MICA_FOLDER_SIZE - length),
                       "/%s", namez);
        inherit_files(tools, namez, path_out);
        return make_private(path_out, error);
    }
    return mica_error_set(error, MICA_E_USAGE, "",
                          "the path of the folder for the service '%s' is too "
                          "long",
                          namez);
}

enum mica_status
mica_server_use_folder(struct mica_server *server, const char *path,
                       struct mica_error *error)
{
    struct tools *tools = find_tools(server, error);

    if (tools == NULL)
        return MICA_E_LIMIT;
    if (tools->state[0] != '\0')
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the folder of services is %s already; name it "
                              "once, before the first tool",
                              tools->state);
    if (path == NULL)
        MICA_TRY(mica_state_folder(error, tools->state));
    else if ((mkdir(path, 0700) != 0 && errno != EEXIST) ||
             realpath(path, tools->state) == NULL)
        return tool_cannot("make the folder", path, error);
    server->registry.folder = make_folder;
    server->registry.folder_data = tools;
    return MICA_OK;
}

// ---- Loading ---------------------------------------------------------------------

static enum mica_status
open_library(const char *path, const char *name,
             const struct mica_tool_seal *seal, struct mica_error *error,
             struct mica_tool_library **library_out)
{
    enum mica_status status;
    int file;

    MICA_TRY(mica_trust_open(path, error, &file));
    status = mica_tool_library_open(file, path, name, seal, error, library_out);
    (void)close(file);
    return status;
}

// Opens <folder>/<file>.so, whose tool is called `name`. A build puts an object in
// its place before its seal, so what does not fit is looked at again when the build
// has ended.
static enum mica_status
open_file(const char *folder, const char *file, const char *name, bool own,
          struct mica_error *error, struct mica_definition **definition_out)
{
    const struct mica_tool_seal seal = {.folder = folder, .file = file};
    struct mica_tool_library *library;
    char path[PATH_MAX];
    enum mica_status status;
    int length = snprintf(path, sizeof path, "%s/%s.so", folder, file);

    if (length < 0 || (size_t)length >= sizeof path)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the path of the tool %s is too long", name);
    status = open_library(path, name, own ? &seal : NULL, error, &library);
    if (status == MICA_E_TRUST && own) {
        mica_seal_settle(folder);
        status = open_library(path, name, &seal, error, &library);
    }
    MICA_TRY(status);
    status = mica_tool_library_define(library, error, definition_out);
    mica_tool_library_drop(library);
    return status;
}

static void
remember_folder(struct tools *tools, const char *path, bool own)
{
    size_t i = 0;

    pthread_mutex_lock(&tools->lock);
    while (i < tools->folder_count && strcmp(tools->folders[i].path, path) != 0)
        i++;
    if (i == tools->folder_count && i < FOLDERS) {
        (void)snprintf(tools->folders[i].path, PATH_MAX, "%s", path);
        tools->folders[i].own = own;
        tools->folder_count++;
    }
    pthread_mutex_unlock(&tools->lock);
}

enum mica_status
mica_server_load_tool(struct mica_server *server,
                      const struct mica_tool_source *source, const char *name,
                      struct mica_error *error)
{
    struct tools *tools = find_tools(server, error);
    struct mica_definition *definition;
    enum mica_status status;
    char path[PATH_MAX];

    if (tools == NULL)
        return MICA_E_LIMIT;
    if (server->registry.folder == NULL) {
        server->registry.folder = make_folder;
        server->registry.folder_data = tools;
    }
    MICA_TRY(mica_trust_folder(source->folder, error, path));
    remember_folder(tools, path, source->own);
    MICA_TRY(open_file(path, name, name, source->own, error, &definition));
    status = source->look ? MICA_OK
                          : mica_registry_open_services(&server->registry,
                                                        definition, error);
    if (status != MICA_OK) {
        mica_definition_drop(definition);
        return status;
    }
    return source->replace
               ? mica_registry_redefine(&server->registry, definition, error)
               : mica_registry_define(&server->registry, definition, error);
}

// ---- As they were ----------------------------------------------------------------

static bool
is_hash(struct mica_text version)
{
    if (version.len != MICA_SHA256_SIZE - 1)
        return false;
    for (size_t i = 0; i < version.len; i++) {
        char c = version.ptr[i];
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f'))
            return false;
    }
    return true;
}

// One that was loaded before; it becomes the newest.
static struct mica_definition *
find_loaded(struct tools *tools, struct mica_text name,
            struct mica_text version)
{
    for (size_t i = tools->older_count; i > 0; i--) {
        struct mica_definition *found = tools->older[i - 1];
        if (!mica_text_equal(found->name, name) ||
            !mica_text_equal(found->version, version))
            continue;
        memmove(&tools->older[i - 1], &tools->older[i],
                (tools->older_count - i) * sizeof(void *));
        tools->older[tools->older_count - 1] = found;
        return found;
    }
    return NULL;
}

static struct mica_definition *
load_older(const struct tools *tools, const char *name, const char *file)
{
    for (size_t i = 0; i < tools->folder_count; i++) {
        const struct folder *folder = &tools->folders[i];
        struct mica_definition *definition;
        char path[PATH_MAX];
        int length =
            snprintf(path, sizeof path, "%s/" MICA_VERSIONS_DIR, folder->path);
        if (length < 0 || (size_t)length >= sizeof path ||
            open_file(path, file, name, folder->own, NULL, &definition) !=
                MICA_OK)
            continue;
        if (mica_text_is(definition->version, strrchr(file, '-') + 1) &&
            mica_registry_open_services(&tools->server->registry, definition,
                                        NULL) == MICA_OK)
            return definition;
        mica_definition_drop(definition);
    }
    return NULL;
}

static void
tool_keep(struct tools *tools, struct mica_definition *definition)
{
    if (tools->older_count == OLDER) {
        mica_definition_drop(tools->older[0]);
        tools->older_count--;
        memmove(&tools->older[0], &tools->older[1],
                tools->older_count * sizeof(void *));
    }
    tools->older[tools->older_count++] = definition;
}

static struct mica_definition *
find_older(void *data, struct mica_text name, struct mica_text version)
{
    char namez[MICA_TOOL_NAME_LENGTH + 1];
    char file[sizeof namez + MICA_SHA256_SIZE];
    struct mica_definition *found;
    struct tools *tools = data;

    if (!is_hash(version) || !mica_tool_name_valid(name))
        return NULL;
    (void)snprintf(namez, sizeof namez, "%.*s", MICA_ARG(name));
    (void)snprintf(file, sizeof file, "%s-%.*s", namez, MICA_ARG(version));
    pthread_mutex_lock(&tools->lock);
    found = find_loaded(tools, name, version);
    if (found == NULL) {
        found = load_older(tools, namez, file);
        if (found != NULL)
            tool_keep(tools, found);
    }
    if (found != NULL)
        mica_definition_hold(found);
    pthread_mutex_unlock(&tools->lock);
    return found;
}

// ---- A folder --------------------------------------------------------------------

static bool
name_of(const char *file, char name[MICA_TOOL_NAME_LENGTH + 1])
{
    size_t length = strlen(file);
    struct mica_text stem = {file, length > 3 ? length - 3 : 0};

    if (length <= 3 || strcmp(file + length - 3, ".so") != 0 ||
        !mica_tool_name_valid(stem))
        return false;
    memcpy(name, file, stem.len);
    name[stem.len] = '\0';
    return true;
}

static int
tool_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum mica_status
mica_tool_names(const char *folder, struct mica_error *error,
                char (**names_out)[MICA_TOOL_NAME_LENGTH + 1],
                size_t *count_out)
{
    DIR *directory = opendir(folder);
    char(*names)[MICA_TOOL_NAME_LENGTH + 1] = malloc(sizeof *names * NAMES);
    const struct dirent *file;
    size_t count = 0;

    if (directory == NULL || names == NULL) {
        enum mica_status status = tool_cannot("read the folder", folder, error);
        if (directory != NULL)
            (void)closedir(directory);
        free(names);
        return status;
    }
    while (count < NAMES && (file = readdir(directory)) != NULL) {
        if (name_of(file->d_name, names[count]))
            count++;
    }
    (void)closedir(directory);
    qsort(names, count, sizeof *names, tool_compare);
    *names_out = names;
    *count_out = count;
    return MICA_OK;
}

enum mica_status
mica_server_load_tools(struct mica_server *server, const char *folder,
                       struct mica_error *error)
{
    const struct mica_tool_source source = {.folder = folder};
    char(*names)[MICA_TOOL_NAME_LENGTH + 1] = NULL;
    enum mica_status status = MICA_OK;
    char path[PATH_MAX];
    size_t count = 0;

    MICA_TRY(mica_trust_folder(folder, error, path));
    MICA_TRY(mica_tool_names(path, error, &names, &count));
    if (count == 0)
        status = mica_error_set(error, MICA_E_NOT_FOUND, "",
                                "The folder %s has no built tool; mica build "
                                "makes them.",
                                folder);
    for (size_t i = 0; i < count && status == MICA_OK; i++)
        status = mica_server_load_tool(server, &source, names[i], error);
    free(names);
    return status;
}
