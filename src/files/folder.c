// SPDX-License-Identifier: Apache-2.0
//
// A folder as resources: what was walked becomes definitions; when the watcher
// says that something has changed, it is walked again and the difference applied.
// So lost events, moves and new directories need no rules of their own.
#include "files/folder.h"
#include "files/awaited_root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/bus.h"

enum {
    DEFAULT_FILE_BYTES = 4 << 20,
    DEFAULT_STREAM_BYTES = 64 << 20,
    QUIET_MS = 20, // after an event, before walking again
    BUSY_MS = 250, // but not later than that
    PREFIX_BYTES = 8192
};

static void
folder_note(const struct mica_folder *folder, const char *textz)
{
    if (folder->options.note != NULL)
        folder->options.note(folder->options.user, textz);
}

// ---- Applying --------------------------------------------------------------------

static void
folder_offer(struct mica_folder *folder, const struct mica_walk_file *file,
             bool replaces)
{
    struct mica_definition *definition = mica_file_definition(folder, file);
    struct mica_error error = {.message = "no memory for one more file"};
    enum mica_status status = MICA_E_LIMIT;

    if (definition != NULL) {
        mica_definition_hold(definition); // its key is still needed
        status = replaces ? mica_registry_redefine(&folder->server->registry,
                                                   definition, &error)
                          : mica_registry_define(&folder->server->registry,
                                                 definition, &error);
        if (status == MICA_OK && replaces)
            mica_server_resource_changed(folder->server, definition->key.ptr);
        mica_definition_drop(definition);
    }
    if (status != MICA_OK)
        folder_note(folder, error.message);
}

static void
take_back(struct mica_folder *folder, const struct mica_walk_file *file)
{
    struct mica_definition *definition = mica_file_definition(folder, file);

    if (definition == NULL) {
        folder_note(folder, "no memory to take a file back");
        return;
    }
    // Gone already is as good.
    if (mica_server_remove(folder->server, MICA_DEFINITION_RESOURCE,
                           definition->key.ptr, NULL) == MICA_OK)
        mica_server_resource_changed(folder->server, definition->key.ptr);
    mica_definition_drop(definition);
}

static bool
same_file(const struct mica_walk_file *a, const struct mica_walk_file *b)
{
    return a->size == b->size && a->inode == b->inode &&
           a->modified_ns == b->modified_ns;
}

// Both lists are sorted. `walk` becomes what is known.
static void
folder_apply(struct mica_folder *folder, struct mica_walk *walk)
{
    struct mica_walk *known = &folder->known;
    size_t old = 0, new = 0;

    while (old < known->count || new < walk->count) {
        int order = old == known->count ? 1
                    : new == walk->count
                        ? -1
                        : strcmp(known->files[old].path, walk->files[new].path);
        if (order < 0) {
            take_back(folder, &known->files[old++]);
        } else if (order > 0) {
            folder_offer(folder, &walk->files[new ++], false);
        } else {
            if (!same_file(&known->files[old], &walk->files[new]))
                folder_offer(folder, &walk->files[new], true);
            old++;
            new ++;
        }
    }
    mica_walk_fini(known);
    *known = *walk;
}

// Says each limit once, when more than before meets it.
static void
note_limits(struct mica_folder *folder, const struct mica_walk *walk)
{
    struct mica_walk *noted = &folder->noted;

    if (walk->left_out > 0 && noted->left_out == 0)
        folder_note(folder,
                    "the folder of resources has more files than are served; "
                    "the others are left out");
    if (walk->unreadable > 0 && noted->unreadable == 0)
        folder_note(folder,
                    "the folder of resources has folders that cannot be read; "
                    "they are left out");
    if (walk->unwatched > 0 && noted->unwatched == 0)
        folder_note(folder,
                    "the folder of resources is not watched as a whole; raise "
                    "fs.inotify.max_user_watches");
    noted->left_out = walk->left_out;
    noted->unreadable = walk->unreadable;
    noted->unwatched = walk->unwatched;
}

// A folder that is awaited and is not there has no files.
static enum mica_status
folder_walk(struct mica_folder *folder, struct mica_error *error)
{
    struct mica_walk walk = {.most = folder->options.files,
                             .watcher = folder->watcher};
    enum mica_status status = MICA_OK;
    bool here = true;

    if (folder->awaited != NULL)
        status =
            mica_awaited_root(folder->awaited, &folder->root, error, &here);
    if (status == MICA_OK && here)
        status = mica_walk_run(&walk, folder->root, error);
    if (status != MICA_OK) {
        mica_walk_fini(&walk);
        return status;
    }
    note_limits(folder, &walk);
    folder_apply(folder, &walk);
    return MICA_OK;
}

// On the thread of the watcher. A failure is noted once, and tried again.
static bool
folder_look(void *data, unsigned changed)
{
    struct mica_folder *folder = data;
    struct mica_error error;
    bool failed = folder_walk(folder, &error) != MICA_OK;

    (void)changed;
    if (failed && !folder->failing)
        folder_note(folder, error.message);
    folder->failing = failed;
    return failed;
}

// ---- Opening and closing -----------------------------------------------------------

static void
close_folder(struct mica_folder *folder)
{
    mica_watcher_close(&folder->watcher);
    mica_walk_fini(&folder->known);
    if (folder->root >= 0)
        close(folder->root);
    free(folder->awaited);
    free(folder->prefix);
    free(folder);
}

static void
close_all(void *data)
{
    struct mica_folder *folder = data, *next;

    for (; folder != NULL; folder = next) {
        next = folder->next;
        close_folder(folder);
    }
}

// One hook for all folders of a server.
static void
close_with(struct mica_server *server, struct mica_folder *folder)
{
    for (size_t i = 0; i < server->close_count; i++) {
        if (server->close_hooks[i] == close_all) {
            folder->next = server->close_data[i];
            server->close_data[i] = folder;
            return;
        }
    }
    mica_server_at_close(server, close_all, folder);
}

// file:// and the folder's own path, or what the program says.
static enum mica_status
make_prefix(struct mica_folder *folder, const char *path, const char *prefixz,
            struct mica_error *error)
{
    char *real = prefixz == NULL ? realpath(path, NULL) : NULL;
    struct mica_buffer uri;

    mica_buffer_init(&uri, NULL, PREFIX_BYTES);
    if (prefixz != NULL) {
        mica_buffer_text(&uri, mica_text(prefixz));
    } else if (real != NULL) {
        mica_buffer_text(&uri, MICA_LITERAL("file://"));
        mica_file_write_path(&uri, real);
        if (strcmp(real, "/") != 0)
            mica_buffer_char(&uri, '/');
    }
    free(real);
    folder->prefix =
        uri.overflow ? NULL : strndup(uri.ptr != NULL ? uri.ptr : "", uri.len);
    mica_buffer_fini(&uri);
    if (folder->prefix == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for the URIs of a folder");
    if (!mica_format_uri.matches(mica_text(folder->prefix)) ||
        folder->prefix[strlen(folder->prefix) - 1] != '/')
        return mica_error_set(error, MICA_E_USAGE, "",
                              "'%.200s' cannot begin the URIs of a folder; "
                              "give one that ends with '/', as docs://guide/",
                              folder->prefix);
    return MICA_OK;
}

static enum mica_status
open_root(struct mica_folder *folder, const char *path,
          struct mica_error *error)
{
    folder->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->root < 0 && folder->options.awaited && errno == ENOENT)
        return MICA_OK;
    if (folder->root < 0)
        return mica_error_set(
            error,
            errno == ENOENT || errno == ENOTDIR ? MICA_E_NOT_FOUND : MICA_E_IO,
            "", "the folder '%.200s' cannot be served: %s", path,
            strerror(errno));
    return MICA_OK;
}

static enum mica_status
open_parts(struct mica_folder *folder, const char *path, const char *prefix,
           struct mica_error *error)
{
    char parent[PATH_MAX];
    const char *const awaited[] = {path, parent};
    // All other directories are added while they are walked.
    const struct mica_watch_options watching = {
        .folders = awaited,
        .count = folder->options.awaited ? MICA_COUNT(awaited) : 0,
        .quiet_ms = QUIET_MS,
        .longest_ms = BUSY_MS,
        .look = folder_look,
        .data = folder};

    if (folder->options.awaited && prefix == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "a folder that is awaited needs a prefix for its "
                              "URIs");
    if (!mica_awaited_parent(path, parent))
        return mica_error_set(error, MICA_E_IO, "", "the path is too long");
    if (folder->options.awaited && (folder->awaited = strdup(path)) == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for a folder of resources");
    MICA_TRY(open_root(folder, path, error));
    MICA_TRY(make_prefix(folder, path, prefix, error));
    MICA_TRY(mica_watcher_open(&watching, error, &folder->watcher));
    MICA_TRY(mica_registry_declare(&folder->server->registry,
                                   MICA_DECLARED_RESOURCES, error));
    MICA_TRY(folder_walk(folder, error));
    // From here on the catalog is changed only by copies.
    atomic_store(&folder->server->registry.seen, true);
    return mica_watcher_start(folder->watcher, error);
}

enum mica_status
mica_server_add_folder(struct mica_server *server, const char *path,
                       const char *uri_prefix,
                       const struct mica_folder_options *options,
                       struct mica_error *error)
{
    struct mica_folder *folder = calloc(1, sizeof *folder);
    enum mica_status status;
    struct mica_bus *bus;

    if (folder == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for a folder of resources");
    folder->server = server;
    folder->root = -1;
    if (options != NULL)
        folder->options = *options;
    if (folder->options.files == 0)
        folder->options.files = MICA_FOLDER_FILES;
    if (folder->options.stream_bytes == 0)
        folder->options.stream_bytes = folder->options.file_bytes != 0
                                           ? folder->options.file_bytes
                                           : DEFAULT_STREAM_BYTES;
    if (folder->options.file_bytes == 0)
        folder->options.file_bytes = DEFAULT_FILE_BYTES;
    // The bus first, before the first change can come from another thread: what is
    // made later closes earlier, and the watcher must not outlive the bus.
    status = mica_bus_of(server, error, &bus);
    if (status != MICA_OK) {
        free(folder);
        return status;
    }
    // Also after a failure: what is offered already points to it.
    close_with(server, folder);
    return open_parts(folder, path, uri_prefix, error);
}
