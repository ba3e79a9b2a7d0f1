// SPDX-License-Identifier: Apache-2.0
//
// Each look lists the folder and compares it with what is known of each file, by size,
// inode and time. So lost events need no rules of their own.
#include "files/prompt_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/awaited_root.h"
#include "files/file_prompt.h"
#include "files/prompt_file.h"
#include "files/walk.h"
#include "serve/bus.h"

enum {
    QUIET_MS = 20, // after an event, before the next look
    BUSY_MS = 250  // but not later than that
};

// A file that was read, and the prompt that was made of it.
struct known {
    struct known *next;
    struct mica_walk_file file; // `path` is `name`
    bool seen;                  // in this look
    char *key;                  // of the prompt; NULL: the file is wrong
    char name[];                // of the file
};

struct prompts {
    struct mica_server *server;
    struct mica_prompts_options options;
    char *path; // of the folder, for messages
    int root;
    struct mica_watcher *watcher;
    struct known *first;
    bool left_out, failing; // noted already
};

static void
prompts_note(const struct prompts *prompts, const char *line)
{
    if (prompts->options.note != NULL)
        prompts->options.note(prompts->options.data, line);
}

// ---- One file ------------------------------------------------------------------------

// Up to one byte more than a prompt may have. False with errno.
static bool
read_bytes(int fd, char bytes[MICA_PROMPT_BYTES + 1], size_t *size_out)
{
    *size_out = 0;
    while (*size_out <= MICA_PROMPT_BYTES) {
        ssize_t got =
            read(fd, bytes + *size_out, MICA_PROMPT_BYTES + 1 - *size_out);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        *size_out += (size_t)got;
    }
    return true;
}

static enum mica_status
read_prompt(const struct prompts *prompts, const char *name,
            struct mica_error *error, struct mica_definition **definition_out)
{
    int fd = mica_walk_open(prompts->root, name), why = errno;
    char *bytes = malloc(MICA_PROMPT_BYTES + 1);
    enum mica_status status = MICA_E_LIMIT;
    size_t size;

    if (bytes == NULL)
        (void)mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    else if (fd < 0 || !read_bytes(fd, bytes, &size))
        status = mica_error_set(error, MICA_E_IO, "", "cannot be read: %s",
                                strerror(fd < 0 ? why : errno));
    else
        status = mica_prompt_definition(mica_text(name),
                                        (struct mica_text){bytes, size}, error,
                                        definition_out);
    if (fd >= 0)
        (void)close(fd);
    free(bytes);
    return status;
}

static void
take_back(struct prompts *prompts, struct known *known)
{
    struct mica_error error;

    if (known->key != NULL &&
        mica_server_remove(prompts->server, MICA_DEFINITION_PROMPT, known->key,
                           &error) != MICA_OK)
        prompts_note(prompts, error.message);
    free(known->key);
    known->key = NULL;
}

// Puts the definition, which is then the registry's, in the place of what the file
// was before.
static enum mica_status
prompts_define(struct prompts *prompts, struct known *known,
               struct mica_definition *definition, struct mica_error *error)
{
    struct mica_registry *registry = &prompts->server->registry;
    char *key = strndup(definition->key.ptr, definition->key.len);
    enum mica_status status;

    if (key == NULL) {
        mica_definition_drop(definition);
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    }
    if (known->key != NULL && strcmp(known->key, key) == 0) {
        status = mica_registry_redefine(registry, definition, error);
    } else {
        status = mica_registry_define(registry, definition, error);
        if (status == MICA_OK)
            take_back(prompts, known);
    }
    if (status != MICA_OK || known->key != NULL) {
        free(key);
        return status;
    }
    known->key = key;
    return MICA_OK;
}

// A file that has become invalid leaves its prompt as it was.
static enum mica_status
prompts_load(struct prompts *prompts, struct known *known,
             struct mica_error *error)
{
    struct mica_definition *definition = NULL;
    enum mica_status status =
        read_prompt(prompts, known->name, error, &definition);

    if (status == MICA_OK)
        status = prompts_define(prompts, known, definition, error);
    if (status != MICA_OK)
        mica_error_prefix(error, "%s/%s", prompts->path, known->name);
    return status;
}

// ---- The folder ----------------------------------------------------------------------

bool
mica_prompt_file_is(const char *path)
{
    size_t length = strlen(path);

    return length > 3 && strchr(path, '/') == NULL &&
           strcmp(path + length - 3, ".md") == 0;
}

static struct known *
find_known(struct prompts *prompts, const char *name)
{
    struct known *known = prompts->first;

    while (known != NULL && strcmp(known->name, name) != 0)
        known = known->next;
    return known;
}

static struct known *
add_known(struct prompts *prompts, const char *name)
{
    struct known *known = calloc(1, sizeof *known + strlen(name) + 1);

    if (known == NULL)
        return NULL;
    memcpy(known->name, name, strlen(name));
    known->next = prompts->first;
    prompts->first = known;
    return known;
}

static bool
is_same(const struct mica_walk_file *a, const struct mica_walk_file *b)
{
    return a->size == b->size && a->inode == b->inode &&
           a->modified_ns == b->modified_ns;
}

// Reads the file if it is another than before.
static enum mica_status
look_at(struct prompts *prompts, const struct mica_walk_file *file,
        struct mica_error *error)
{
    struct known *known = find_known(prompts, file->path);
    bool is_new = known == NULL;

    if (is_new)
        known = add_known(prompts, file->path);
    if (known == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    known->seen = true;
    if (!is_new && is_same(&known->file, file))
        return MICA_OK;
    known->file = *file;
    known->file.path = known->name;
    return prompts_load(prompts, known, error);
}

static void
drop_gone(struct prompts *prompts)
{
    for (struct known **at = &prompts->first; *at != NULL;) {
        struct known *known = *at;
        if (known->seen) {
            known->seen = false;
            at = &known->next;
            continue;
        }
        *at = known->next;
        take_back(prompts, known);
        free(known);
    }
}

// Takes back first what has gone, so that a file can be renamed.
static void
mark_seen(struct prompts *prompts, const struct mica_walk *walk)
{
    for (size_t i = 0; i < walk->count; i++) {
        struct known *known = find_known(prompts, walk->files[i].path);
        if (known != NULL)
            known->seen = true;
    }
    drop_gone(prompts);
}

// The first failure ends it when `strict`; otherwise each is noted.
static enum mica_status
look_at_all(struct prompts *prompts, const struct mica_walk *walk, bool strict,
            struct mica_error *error)
{
    size_t count = 0;

    mark_seen(prompts, walk);
    for (size_t i = 0; i < walk->count; i++) {
        if (!mica_prompt_file_is(walk->files[i].path))
            continue;
        if (count++ == MICA_PROMPT_FILES) {
            if (!prompts->left_out)
                prompts_note(prompts, "the folder of prompts has more than "
                                      "1000 files; the others are left out");
            prompts->left_out = true;
            break;
        }
        enum mica_status status = look_at(prompts, &walk->files[i], error);
        if (status != MICA_OK && strict)
            return status;
        if (status != MICA_OK)
            prompts_note(prompts, error->message);
    }
    for (struct known *known = prompts->first; known != NULL;
         known = known->next)
        known->seen = false;
    return MICA_OK;
}

static enum mica_status
prompts_walk(struct prompts *prompts, bool strict, struct mica_error *error)
{
    struct mica_walk walk = {.most = MICA_PROMPT_WALK,
                             .watcher = prompts->watcher};
    enum mica_status status = MICA_OK;
    bool here = true;

    if (prompts->options.awaited)
        status = mica_awaited_root(prompts->path, &prompts->root, error, &here);
    if (status == MICA_OK && here)
        status = mica_walk_run(&walk, prompts->root, error);
    if (status == MICA_OK)
        status = look_at_all(prompts, &walk, strict, error);
    mica_walk_fini(&walk);
    return status;
}

// On the thread of the watcher. A failure is noted once, and tried again.
static bool
prompts_look(void *data, unsigned changed)
{
    struct prompts *prompts = data;
    struct mica_error error;
    bool failed = prompts_walk(prompts, false, &error) != MICA_OK;

    (void)changed;
    if (failed && !prompts->failing)
        prompts_note(prompts, error.message);
    prompts->failing = failed;
    return failed;
}

// ---- Opening and closing ---------------------------------------------------------------

static void
prompts_close(void *data)
{
    struct prompts *prompts = data;

    mica_watcher_close(&prompts->watcher);
    while (prompts->first != NULL) {
        struct known *known = prompts->first;
        prompts->first = known->next;
        free(known->key);
        free(known);
    }
    if (prompts->root >= 0)
        (void)close(prompts->root);
    free(prompts->path);
    free(prompts);
}

static enum mica_status
open_folder(struct prompts *prompts, struct mica_error *error)
{
    char parent[PATH_MAX];
    const char *const awaited[] = {prompts->path, parent};
    const struct mica_watch_options watching = {
        .folders = awaited,
        .count = prompts->options.awaited ? MICA_COUNT(awaited) : 0,
        .quiet_ms = QUIET_MS,
        .longest_ms = BUSY_MS,
        .look = prompts_look,
        .data = prompts};

    if (!mica_awaited_parent(prompts->path, parent))
        return mica_error_set(error, MICA_E_IO, "", "the path is too long");
    prompts->root = open(prompts->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (prompts->root < 0 && !(prompts->options.awaited && errno == ENOENT))
        return mica_error_set(
            error,
            errno == ENOENT || errno == ENOTDIR ? MICA_E_NOT_FOUND : MICA_E_IO,
            "", "the folder of prompts '%.200s' cannot be served: %s",
            prompts->path, strerror(errno));
    MICA_TRY(mica_watcher_open(&watching, error, &prompts->watcher));
    MICA_TRY(mica_registry_declare(&prompts->server->registry,
                                   MICA_DECLARED_PROMPTS, error));
    MICA_TRY(prompts_walk(prompts, !prompts->options.lenient, error));
    // From here on the catalog is changed only by copies.
    atomic_store(&prompts->server->registry.seen, true);
    return mica_watcher_start(prompts->watcher, error);
}

enum mica_status
mica_server_add_prompts(struct mica_server *server, const char *path,
                        const struct mica_prompts_options *options,
                        struct mica_error *error)
{
    struct prompts *prompts = calloc(1, sizeof *prompts);
    enum mica_status status = MICA_OK;
    struct mica_bus *bus;

    if (prompts != NULL)
        prompts->path = strdup(path);
    if (prompts == NULL || prompts->path == NULL)
        status = mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    // The bus first: what is made later closes earlier, and the watcher must not
    // outlive the bus.
    if (status == MICA_OK)
        status = mica_bus_of(server, error, &bus);
    if (status != MICA_OK) {
        if (prompts != NULL)
            free(prompts->path);
        free(prompts);
        return status;
    }
    prompts->server = server;
    prompts->root = -1;
    if (options != NULL)
        prompts->options = *options;
    mica_server_at_close(server, prompts_close, prompts);
    return open_folder(prompts, error);
}
