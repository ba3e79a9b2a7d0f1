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
#include <sys/stat.h>
#include <unistd.h>

#include "platform/wall_clock.h"

#define PREFIX ".build-"

enum {
    STALE_SECONDS = 3600
}; // no build takes that long

static enum mica_status
file_error(const char *verbz, const char *path, struct mica_error *error)
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

bool
mica_folder_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
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

bool
mica_path_is_within(const char *whole, const char *folder)
{
    char place[PATH_MAX];
    if (realpath(folder, place) == NULL)
        return false;
    size_t len = strlen(place);
    return strcmp(place, "/") == 0 ||
           (strncmp(whole, place, len) == 0 &&
            (whole[len] == '/' || whole[len] == '\0'));
}

static enum mica_status
leads_out(const char *path, const char *whole, struct mica_error *error)
{
    return mica_error_set(
        error, MICA_E_TRUST, "",
        "%s is a link that leads out of the project, to %s. Remove it, or name "
        "the other place by an option, if the command has one for it.",
        path, whole);
}

// The descriptor says which file it is, so that none that takes the link's place
// meanwhile is believed.
static enum mica_status
check_opened(int file, const char *path, struct mica_error *error)
{
    const char *slash = strrchr(path, '/');
    char own[32], folder[PATH_MAX], whole[PATH_MAX];
    (void)snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    ssize_t len = readlink(own, whole, sizeof whole - 1);
    if (len < 0)
        return file_error("find out where the link leads:", path, error);
    whole[len] = '\0';
    MICA_TRY(mica_path(folder, error, "%.*s",
                       slash == NULL ? 1 : (int)(slash - path) + 1,
                       slash == NULL ? "." : path));
    return mica_path_is_within(whole, folder) || mica_path_is_within(whole, ".")
               ? MICA_OK
               : leads_out(path, whole, error);
}

static enum mica_status
open_inside(const char *path, struct mica_error *error, int *file_out)
{
    const int how = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    struct stat st;
    int file = open(path, how | O_NOFOLLOW);
    bool link = file < 0 && errno == ELOOP;
    if (link)
        file = open(path, how);
    if (file < 0 && errno == ENXIO && stat(path, &st) == 0 &&
        !S_ISREG(st.st_mode)) // a socket
        return mica_file_is_regular(path, &st, error);
    if (file < 0)
        return file_error("read", path, error);
    enum mica_status status = link ? check_opened(file, path, error) : MICA_OK;
    if (status == MICA_OK && fstat(file, &st) != 0)
        status = file_error("read", path, error);
    if (status == MICA_OK)
        status = mica_file_is_regular(path, &st, error);
    if (status == MICA_OK)
        *file_out = file;
    else
        (void)close(file);
    return status;
}

enum mica_status
mica_file_read(struct mica_arena *arena, const char *path,
               struct mica_error *error, struct mica_text *bytes_out)
{
    struct mica_buffer buffer;
    char block[16 * 1024];
    ssize_t got;
    int file = -1;
    MICA_TRY(open_inside(path, error, &file));
    mica_buffer_init(&buffer, arena, arena->cap);
    while ((got = read(file, block, sizeof block)) > 0)
        mica_buffer_add(&buffer, block, (size_t)got);
    enum mica_status status =
        got == 0 ? MICA_OK : file_error("read", path, error);
    (void)close(file);
    if (status == MICA_OK && buffer.overflow)
        status = mica_error_set(error, MICA_E_LIMIT, "",
                                "%s is too large to be part of a build.", path);
    if (status == MICA_OK)
        *bytes_out = mica_buffer_as_text(&buffer);
    return status;
}

// ---- Writing ---------------------------------------------------------------------

bool
mica_file_write_all(int file, struct mica_text bytes)
{
    while (bytes.len > 0) {
        ssize_t put = write(file, bytes.ptr, bytes.len);
        if (put < 0 && errno != EINTR)
            return false;
        if (put > 0)
            bytes = mica_text_slice(bytes, (size_t)put, bytes.len);
    }
    return true;
}

enum mica_status
mica_file_write(const char *path, struct mica_text bytes,
                struct mica_error *error)
{
    char draft[PATH_MAX];
    MICA_TRY(mica_path(draft, error, "%s.XXXXXX", path));
    int file = mkostemp(draft, O_CLOEXEC); // O_EXCL: a link is not followed
    if (file < 0)
        return file_error("write", path, error);
    bool written = mica_file_write_all(file, bytes) && fchmod(file, 0644) == 0;
    written = close(file) == 0 && written;
    if (written && rename(draft, path) == 0)
        return MICA_OK;
    (void)file_error("write", path, error);
    (void)unlink(draft);
    return MICA_E_IO;
}

enum mica_status
mica_file_publish(const char *from, const char *to, struct mica_error *error)
{
    struct stat st;
    int file = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return file_error("open", from, error);
    enum mica_status status = MICA_OK;
    if (fstat(file, &st) != 0 || (S_ISREG(st.st_mode) && fchmod(file, 0644)))
        status = file_error("change the rights of", from, error);
    else
        status = mica_file_is_regular(from, &st, error);
    (void)close(file);
    if (status == MICA_OK && rename(from, to) != 0)
        status = file_error("write", to, error);
    return status;
}

// ---- Folders ---------------------------------------------------------------------

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
            S_ISDIR(st.st_mode) &&
            mica_wall_clock_ms() / 1000 - st.st_mtime > STALE_SECONDS &&
            mica_path(path, NULL, "%s/%s", parent, entry->d_name) == MICA_OK)
            mica_folder_remove(path);
    }
    (void)closedir(list);
}

enum mica_status
mica_folder_make(const char *folder, struct mica_error *error)
{
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return file_error("make the folder", folder, error);
    return MICA_OK;
}

enum mica_status
mica_folder_make_inner(const char *folder, struct mica_error *error)
{
    struct stat st;
    MICA_TRY(mica_folder_make(folder, error));
    if (lstat(folder, &st) != 0)
        return file_error("look at", folder, error);
    if (S_ISDIR(st.st_mode))
        return MICA_OK;
    return mica_error_set(error, MICA_E_TRUST, "",
                          "%s is a link or a file where mica keeps a folder of "
                          "its own. Remove it.",
                          folder);
}

static const char *
real_or_nothing(const char *path, char whole[PATH_MAX])
{
    return realpath(path, whole) != NULL ? whole : "nothing";
}

enum mica_status
mica_path_inside(const char *path, struct mica_error *error)
{
    char part[PATH_MAX], whole[PATH_MAX];
    struct stat st;
    size_t len = strlen(path);
    if (path[0] == '/')
        return MICA_OK;
    MICA_TRY(mica_path(part, error, "%s", path));
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        part[i] = '\0';
        if (lstat(part, &st) == 0 && S_ISLNK(st.st_mode) &&
            (realpath(part, whole) == NULL || !mica_path_is_within(whole, ".")))
            return leads_out(part, real_or_nothing(part, whole), error);
        part[i] = path[i];
    }
    return MICA_OK;
}

enum mica_status
mica_file_inside(const char *path, struct mica_error *error)
{
    char folder[PATH_MAX], whole[PATH_MAX];
    const char *slash = strrchr(path, '/');
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
        return MICA_OK;
    MICA_TRY(mica_path(whole, error, "%.*s",
                       slash == NULL ? 1 : (int)(slash - path) + 1,
                       slash == NULL ? "." : path));
    if (realpath(whole, folder) == NULL)
        return file_error("find the folder of", path, error);
    if (!mica_path_is_within(folder, ".") ||
        (realpath(path, whole) != NULL && (mica_path_is_within(whole, folder) ||
                                           mica_path_is_within(whole, "."))))
        return MICA_OK;
    return leads_out(path, real_or_nothing(path, whole), error);
}

enum mica_status
mica_folder_temporary(const char *parent, char out[PATH_MAX],
                      struct mica_error *error)
{
    MICA_TRY(mica_folder_make(parent, error));
    MICA_TRY(mica_path(out, error, "%s/" PREFIX "XXXXXX", parent));
    remove_stale(parent);
    if (mkdtemp(out) == NULL)
        return file_error("make a folder in", parent, error);
    return MICA_OK;
}

void
mica_folder_remove(const char *folder)
{
    int place = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = place >= 0 ? fdopendir(place) : NULL;
    if (list == NULL) {
        if (place >= 0)
            (void)close(place);
        return;
    }
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
