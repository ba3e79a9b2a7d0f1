// SPDX-License-Identifier: Apache-2.0
//
// Files for the build driver. Everything is made in a folder of its own and
// renamed when it is right, so that a build that fails or is killed leaves the
// files of the last good one.
#include "build/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX ".build-"

enum {
    STALE_SECONDS = 3600
}; // no build takes that long

static enum mica_status
cannot(const char *verbz, const char *path, struct mica_error *error)
{
    if (errno == ENOENT)
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "There is no %s.",
                              path);
    return mica_error_set(error, MICA_E_IO, "", "Cannot %s %s: %s", verbz, path,
                          strerror(errno));
}

enum mica_status
mica_path(char out[PATH_MAX], struct mica_error *error, const char *formatz,
          ...)
{
    va_list arguments;
    va_start(arguments, formatz);
    int len = vsnprintf(out, PATH_MAX, formatz, arguments);
    va_end(arguments);
    if (len >= 0 && len < PATH_MAX)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "The path %s is longer than %d bytes.", out,
                          PATH_MAX);
}

bool
mica_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

enum mica_status
mica_file_is_regular(const char *path, const struct stat *st,
                     struct mica_error *error)
{
    if (S_ISREG(st->st_mode))
        return MICA_OK;
    const char *what = S_ISDIR(st->st_mode)    ? "a folder"
                       : S_ISFIFO(st->st_mode) ? "a FIFO"
                       : S_ISSOCK(st->st_mode) ? "a socket"
                                               : "a device";
    return mica_error_set(error, MICA_E_BUILD, "",
                          "%s is %s; mica builds from files alone. Put a file "
                          "in its place.",
                          path, what);
}

enum mica_status
mica_file_read(struct mica_arena *arena, const char *path,
               struct mica_error *error, struct mica_text *bytes_out)
{
    struct mica_buffer buffer;
    char block[16 * 1024];
    ssize_t got;
    struct stat st;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &st) != 0) {
        if (file >= 0)
            (void)close(file);
        else if (errno == ENXIO && stat(path, &st) == 0) // a socket
            return mica_file_is_regular(path, &st, error);
        return cannot("read", path, error);
    }
    if (!S_ISREG(st.st_mode)) {
        (void)close(file);
        return mica_file_is_regular(path, &st, error);
    }
    mica_buffer_init(&buffer, arena, arena->cap);
    while ((got = read(file, block, sizeof block)) > 0)
        mica_buffer_add(&buffer, block, (size_t)got);
    enum mica_status status = got == 0 ? MICA_OK : cannot("read", path, error);
    (void)close(file);
    if (status == MICA_OK && buffer.overflow)
        status = mica_error_set(error, MICA_E_LIMIT, "",
                                "%s is too large to be part of a build.", path);
    if (status == MICA_OK)
        *bytes_out = mica_buffer_as_text(&buffer);
    return status;
}

enum mica_status
mica_file_write(const char *path, struct mica_text bytes,
                struct mica_error *error)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0)
        return cannot("write", path, error);
    size_t done = 0;
    while (done < bytes.len) {
        ssize_t put = write(file, bytes.ptr + done, bytes.len - done);
        if (put < 0 && errno != EINTR)
            break;
        if (put > 0)
            done += (size_t)put;
    }
    enum mica_status status =
        done == bytes.len ? MICA_OK : cannot("write", path, error);
    if (close(file) != 0 && status == MICA_OK)
        status = cannot("write", path, error);
    return status;
}

enum mica_status
mica_file_publish(const char *from, const char *to, struct mica_error *error)
{
    if (chmod(from, 0644) != 0)
        return cannot("change the rights of", from, error);
    if (rename(from, to) != 0)
        return cannot("write", to, error);
    return MICA_OK;
}

// Folders that builds of long ago left behind when they were killed.
static void
remove_stale(const char *parent)
{
    DIR *list = opendir(parent);
    if (list == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        struct stat st;
        char path[PATH_MAX];
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0 &&
            fstatat(dirfd(list), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ==
                0 &&
            S_ISDIR(st.st_mode) && time(NULL) - st.st_mtime > STALE_SECONDS &&
            mica_path(path, NULL, "%s/%s", parent, entry->d_name) == MICA_OK)
            mica_folder_remove(path);
    }
    (void)closedir(list);
}

enum mica_status
mica_folder_make(const char *folder, struct mica_error *error)
{
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return cannot("make the folder", folder, error);
    return MICA_OK;
}

enum mica_status
mica_folder_temporary(const char *parent, char out[PATH_MAX],
                      struct mica_error *error)
{
    MICA_TRY(mica_folder_make(parent, error));
    MICA_TRY(mica_path(out, error, "%s/" PREFIX "XXXXXX", parent));
    remove_stale(parent);
    if (mkdtemp(out) == NULL)
        return cannot("make a folder in", parent, error);
    return MICA_OK;
}

enum mica_status
mica_folder_lock(const char *folder, struct mica_error *error, int *lock_out)
{
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return cannot("open the folder", folder, error);
    while (flock(lock, LOCK_EX) != 0) {
        if (errno == EINTR)
            continue;
        (void)cannot("lock the folder", folder, error);
        (void)close(lock);
        return MICA_E_IO;
    }
    *lock_out = lock;
    return MICA_OK;
}

void
mica_folder_remove(const char *folder)
{
    DIR *list = opendir(folder);
    if (list == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(list)) != NULL;)
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(list), entry->d_name, 0);
    (void)closedir(list);
    (void)rmdir(folder);
}

void
mica_folder_sweep(const char *folder, const char *slug, const char *sha256)
{
    size_t len = strlen(slug);
    DIR *list = opendir(folder);
    if (list == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        const char *name = entry->d_name, *hash = name + len + 1;
        if (strncmp(name, slug, len) == 0 && name[len] == '-' &&
            strspn(hash, "0123456789abcdef") == 64 &&
            strcmp(hash + 64, ".so") == 0 && strncmp(hash, sha256, 64) != 0)
            (void)unlinkat(dirfd(list), name, 0);
    }
    (void)closedir(list);
}
