// SPDX-License-Identifier: Apache-2.0
//
// A new file beside the old one takes its name when all of it is on the disk.
#include "cli/cli_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/files.h"

static enum mica_status
file_cannot(const char *verb, const char *path, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "", "cannot %s %s: %s", verb, path,
                          strerror(errno));
}

const char *
mica_cli_format(struct mica_cli *cli, const char *formatz, ...)
{
    struct mica_buffer text;
    va_list arguments;

    mica_buffer_init(&text, &cli->arena, SIZE_MAX / 2);
    va_start(arguments, formatz);
    mica_buffer_vformat(&text, formatz, arguments);
    va_end(arguments);
    mica_buffer_char(&text, '\0');
    return text.overflow ? "" : text.ptr;
}

// ---- Looking -------------------------------------------------------------------

static enum mica_status
read_all(struct mica_cli *cli, int fd, const char *path,
         struct mica_error *error, struct mica_text *text_out)
{
    struct mica_buffer text;
    ssize_t got;

    mica_buffer_init(&text, &cli->arena, MICA_CLI_FILE_BYTES);
    for (;;) {
        char *room = mica_buffer_reserve(&text, 64 << 10);
        if (room == NULL)
            return mica_error_set(error, MICA_E_LIMIT, "",
                                  "%s is larger than %d MiB", path,
                                  MICA_CLI_FILE_BYTES >> 20);
        got = read(fd, room, 64 << 10);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return file_cannot("read", path, error);
        if (got > 0)
            text.len += (size_t)got;
    }
    *text_out = mica_buffer_as_text(&text);
    return MICA_OK;
}

// Behind links, so that the file is replaced and not a link to it.
static enum mica_status
find_place(struct mica_cli *cli, const char *path, struct mica_error *error,
           const char **place_out)
{
    char place[PATH_MAX];
    struct stat st;

    *place_out = path;
    if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
        return MICA_OK;
    if (realpath(path, place) == NULL)
        return mica_error_set(error, MICA_E_IO, "",
                              "%s is a link that leads nowhere: %s", path,
                              strerror(errno));
    MICA_TRY(mica_file_inside(path, error));
    *place_out = mica_cli_format(cli, "%s", place);
    return MICA_OK;
}

enum mica_status
mica_cli_file_look(struct mica_cli *cli, const char *path,
                   struct mica_error *error, struct mica_cli_file *file_out)
{
    struct mica_cli_file file = {.there = false};
    enum mica_status status;
    struct stat st;
    int fd;

    MICA_TRY(find_place(cli, path, error, &file.path));
    fd = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        *file_out = file;
        return MICA_OK;
    }
    if (fd < 0)
        return file_cannot("read", file.path, error);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        (void)close(fd);
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s is no regular file; move it away first",
                              file.path);
    }
    file.there = true;
    file.mode = st.st_mode & 07777;
    file.owner = st.st_uid;
    file.group = st.st_gid;
    status = read_all(cli, fd, file.path, error, &file.text);
    (void)close(fd);
    *file_out = file;
    return status;
}

// ---- Replacing -----------------------------------------------------------------

enum mica_status
mica_cli_make_folders(const char *path, mode_t mode, struct mica_error *error)
{
    char part[PATH_MAX];
    size_t length = strlen(path);

    if (length >= sizeof part)
        return mica_error_set(error, MICA_E_USAGE, "", "the path is too long");
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, mode) != 0 && errno != EEXIST && errno != EISDIR)
            return file_cannot("make the folder", part, error);
    }
    return MICA_OK;
}

static enum mica_status
write_new(int fd, const struct mica_cli_file *file, struct mica_text text,
          bool secret, struct mica_error *error)
{
    mode_t fresh = secret ? 0600 : 0644;

    while (text.len > 0) {
        ssize_t put = write(fd, text.ptr, text.len);
        if (put < 0 && errno != EINTR)
            return file_cannot("write", file->path, error);
        if (put > 0)
            text = mica_text_slice(text, (size_t)put, text.len);
    }
    // Before the rights: a change of the owner takes some of them away. A user
    // that may not give a file away owns it, and could have kept it.
    if (file->there && fchown(fd, file->owner, file->group) != 0 &&
        errno != EPERM)
        return file_cannot("give to its owner", file->path, error);
    if (fchmod(fd, file->there ? file->mode : fresh) != 0 || fsync(fd) != 0)
        return file_cannot("write", file->path, error);
    return MICA_OK;
}

// Is it as it was when it was looked at?
static enum mica_status
check_same(struct mica_cli *cli, const struct mica_cli_file *file,
           struct mica_error *error)
{
    struct mica_cli_file now;

    MICA_TRY(mica_cli_file_look(cli, file->path, error, &now));
    if (now.there == file->there && mica_text_equal(now.text, file->text))
        return MICA_OK;
    return mica_error_set(
        error, MICA_E_EXISTS, "",
        "%s was changed by another program meanwhile; nothing "
        "is written; try again",
        file->path);
}

enum mica_status
mica_cli_file_replace(struct mica_cli *cli, const struct mica_cli_file *file,
                      struct mica_text text, bool secret,
                      struct mica_error *error)
{
    const char *slash = strrchr(file->path, '/');
    char fresh[PATH_MAX], folder[PATH_MAX];
    enum mica_status status;
    int length, fd;

    length = snprintf(folder, sizeof folder, "%.*s",
                      slash != NULL ? (int)(slash - file->path) : 1,
                      slash != NULL ? file->path : ".");
    if (slash == file->path)
        length = snprintf(folder, sizeof folder, "/");
    if (length < 0 || (size_t)length >= sizeof folder ||
        snprintf(fresh, sizeof fresh, "%s/.mica-XXXXXX", folder) >=
            (int)sizeof fresh)
        return mica_error_set(error, MICA_E_USAGE, "", "the path is too long");
    MICA_TRY(mica_cli_make_folders(folder, secret ? 0700 : 0755, error));
    fd = mkostemp(fresh, O_CLOEXEC);
    if (fd < 0)
        return file_cannot("write beside", file->path, error);
    status = write_new(fd, file, text, secret, error);
    if (close(fd) != 0 && status == MICA_OK)
        status = file_cannot("write", file->path, error);
    if (status == MICA_OK)
        status = check_same(cli, file, error);
    if (status == MICA_OK && rename(fresh, file->path) != 0)
        status = file_cannot("write", file->path, error);
    if (status != MICA_OK)
        (void)unlink(fresh);
    return status;
}
