// SPDX-License-Identifier: Apache-2.0
//
// Walking with openat and O_NOFOLLOW: a name that becomes a link between two
// looks is refused by the kernel, so that no path ever leaves the folder.
#include "files/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_BYTES = 256 << 20, // of all paths together
    OPEN_DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

static bool walk_directory(struct mica_walk *walk, int fd, const char *path,
                           unsigned depth);

static bool
add_file(struct mica_walk *walk, const char *path, const struct stat *info)
{
    if (walk->count == walk->capacity) {
        size_t capacity = walk->capacity > 0 ? walk->capacity * 2 : 64;
        struct mica_walk_file *files =
            realloc(walk->files, capacity * sizeof *files);
        if (files == NULL)
            return false;
        walk->files = files;
        walk->capacity = capacity;
    }
    walk->files[walk->count++] = (struct mica_walk_file){
        .path = path,
        .size = (uint64_t)info->st_size,
        .inode = info->st_ino,
        .modified_ns =
            (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec};
    return true;
}

// Something that has gone since is nothing to speak of.
static bool
add_directory(struct mica_walk *walk, int parent, const char *name,
              const char *path, unsigned depth)
{
    int fd;

    if (depth == MICA_WALK_DEPTH) {
        walk->left_out++;
        return true;
    }
    fd = openat(parent, name, OPEN_DIRECTORY);
    if (fd >= 0)
        return walk_directory(walk, fd, path, depth + 1);
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
        walk->unreadable++;
    return true;
}

static const char *
path_join(struct mica_walk *walk, const char *folder, const char *name)
{
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, &walk->arena, PATH_BYTES);
    mica_buffer_format(&buffer, "%s%s%s", folder, *folder != '\0' ? "/" : "",
                       name);
    mica_buffer_char(&buffer, '\0');
    return buffer.overflow ? NULL : buffer.ptr;
}

static bool
walk_entry(struct mica_walk *walk, int fd, const char *folder, const char *name,
           unsigned depth)
{
    const char *path;
    struct stat info;

    if (name[0] == '.' || fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
        return true;
    // No memory for what is left out anyway.
    if (S_ISREG(info.st_mode) ? walk->count == walk->most
                              : walk->directories == walk->most) {
        walk->left_out++;
        return true;
    }
    path = path_join(walk, folder, name);
    if (path == NULL)
        return false;
    return S_ISREG(info.st_mode) ? add_file(walk, path, &info)
                                 : add_directory(walk, fd, name, path, depth);
}

// Takes `fd`. False for want of memory.
static bool
walk_directory(struct mica_walk *walk, int fd, const char *path, unsigned depth)
{
    const struct dirent *entry;
    bool right = true;
    DIR *directory;

    walk->directories++;
    if (walk->watcher != NULL && !mica_watcher_add(walk->watcher, fd))
        walk->unwatched++;
    directory = fdopendir(fd);
    if (directory == NULL) {
        close(fd);
        return false;
    }
    while (right && (entry = readdir(directory)) != NULL)
        right = walk_entry(walk, fd, path, entry->d_name, depth);
    closedir(directory);
    return right;
}

static int
by_path(const void *a, const void *b)
{
    const struct mica_walk_file *x = a, *y = b;

    return strcmp(x->path, y->path);
}

enum mica_status
mica_walk_run(struct mica_walk *walk, int root, struct mica_error *error)
{
    int fd = openat(root, ".", OPEN_DIRECTORY);

    mica_arena_init(&walk->arena, PATH_BYTES);
    if (fd < 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "the folder cannot be read: %s", strerror(errno));
    if (!walk_directory(walk, fd, "", 0))
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for the names of its files");
    if (walk->count > 0)
        qsort(walk->files, walk->count, sizeof *walk->files, by_path);
    return MICA_OK;
}

void
mica_walk_fini(struct mica_walk *walk)
{
    free(walk->files);
    walk->files = NULL;
    walk->count = 0;
    mica_arena_fini(&walk->arena);
}

int
mica_walk_open(int root, const char *path)
{
    int at = root, next;
    char name[256]; // NAME_MAX, and its end

    for (;;) {
        const char *slash = strchr(path, '/');
        size_t size = slash != NULL ? (size_t)(slash - path) : strlen(path);
        if (size >= sizeof name) {
            errno = ENAMETOOLONG;
            next = -1;
        } else {
            memcpy(name, path, size);
            name[size] = '\0';
            // Not to wait at a pipe that took the file's place.
            next = openat(at, name,
                          slash != NULL ? OPEN_DIRECTORY
                                        : O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
                                              O_NOCTTY | O_CLOEXEC);
        }
        if (at != root) {
            int kept = errno;
            close(at);
            errno = kept;
        }
        if (next < 0 || slash == NULL)
            return next;
        at = next;
        path = slash + 1;
    }
}
