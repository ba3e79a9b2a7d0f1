// SPDX-License-Identifier: Apache-2.0
//
// See awaited_root.h. A folder that has gone is not held open: its inode would stay, and its
// watch with it. In its place the descriptor has a file in which nothing is found.
#include "files/awaited_root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
mica_awaited_parent(const char *path, char parent[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int length = slash != NULL ? (int)(slash - path) : 0;

    return snprintf(parent, PATH_MAX, "%.*s", length > 0 ? length : 1,
                    slash == NULL ? "." : path) < PATH_MAX;
}

static bool
is_open(int root, const struct stat *folder)
{
    struct stat opened;

    return root >= 0 && fstat(root, &opened) == 0 &&
           opened.st_dev == folder->st_dev && opened.st_ino == folder->st_ino;
}

static enum mica_status
root_failed(const char *path, int why, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "",
                          "the folder '%.200s' that has come cannot be served: "
                          "%s",
                          path,
                          why == ELOOP || why == ENOTDIR
                              ? "it is a link; start mica again to follow it"
                              : strerror(why));
}

// Puts what is open as `opened` behind the number of *root.
static bool
root_place(int opened, int *root)
{
    bool placed = true;

    if (*root < 0) {
        *root = opened;
        return true;
    }
    placed = dup3(opened, *root, O_CLOEXEC) >= 0;
    (void)close(opened);
    return placed;
}

static enum mica_status
root_release(const char *path, int *root, struct mica_error *error)
{
    struct stat opened;
    int nothing;

    if (*root < 0 || fstat(*root, &opened) != 0 || !S_ISDIR(opened.st_mode))
        return MICA_OK;
    nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return nothing >= 0 && root_place(nothing, root)
               ? MICA_OK
               : root_failed(path, errno, error);
}

enum mica_status
mica_awaited_root(const char *path, int *root, struct mica_error *error,
                  bool *here_out)
{
    struct stat folder;
    int opened;

    *here_out = stat(path, &folder) == 0 && S_ISDIR(folder.st_mode);
    if (!*here_out)
        return root_release(path, root, error);
    if (is_open(*root, &folder))
        return MICA_OK;
    *here_out = false;
    opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0 || !root_place(opened, root))
        return root_failed(path, errno, error);
    *here_out = true;
    return MICA_OK;
}
