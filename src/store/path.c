// SPDX-License-Identifier: Apache-2.0
//
// Makes the file of a store before SQLite opens it, so that at no moment others can read
// it. SQLite gives the files beside it the same permissions.
#include "store/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/trust.h"

enum mica_status
mica_store_default_path(char path_out[MICA_STORE_PATH_SIZE],
                        struct mica_error *error)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length;

    // The XDG convention: ignore a relative path.
    if (state != NULL && state[0] == '/')
        length =
            snprintf(path_out, MICA_STORE_PATH_SIZE, "%s/mica/mica.db", state);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path_out, MICA_STORE_PATH_SIZE,
                          "%s/.local/state/mica/mica.db", home);
    else
        return mica_error_set(error, MICA_E_USAGE, "",
                              "Neither XDG_STATE_HOME nor HOME is an absolute "
                              "path, so there is no default place for the "
                              "store: name one with --store sqlite:PATH.");
    if (length < 0 || length >= MICA_STORE_PATH_SIZE)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The path of the store is longer than %d bytes; "
                              "name another with --store sqlite:PATH.",
                              MICA_STORE_PATH_SIZE - 1);
    return MICA_OK;
}

static enum mica_status
path_error(const char *verb, const char *path, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "", "Cannot %s %s (%s).", verb,
                          path, strerror(errno));
}

// Makes each missing folder above `path`.
static enum mica_status
make_folders(const char *path, struct mica_error *error)
{
    char folder[MICA_STORE_PATH_SIZE];

    for (size_t i = 0; path[i] != '\0'; i++) {
        folder[i] = path[i];
        if (path[i] != '/' || i == 0)
            continue;
        folder[i] = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return path_error("make the folder", folder, error);
        folder[i] = '/';
    }
    return MICA_OK;
}

static enum mica_status
check_file(const char *path, const struct stat *st, struct mica_error *error)
{
    if (!S_ISREG(st->st_mode))
        return mica_error_set(error, MICA_E_IO, "",
                              "%s is no file; name one with --store "
                              "sqlite:PATH.",
                              path);
    if (st->st_uid != geteuid())
        return mica_error_set(error, MICA_E_TRUST, "",
                              "%s belongs to user %u, not to this one. Each "
                              "user has a store of their own.",
                              path, (unsigned)st->st_uid);
    if ((st->st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return mica_error_set(error, MICA_E_TRUST, "",
                              "Others may read or write %s, which holds keys. "
                              "Take that right away: chmod 600 %s",
                              path, path);
    return MICA_OK;
}

// Checks the folder of the file, and the folder of the file to which it links: other users
// must not be able to write to them.
static enum mica_status
check_folder(const char *path, struct mica_error *error)
{
    char folder[MICA_STORE_PATH_SIZE], real[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;

    (void)snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    if (slash == NULL || length == 0)
        (void)snprintf(folder, sizeof folder, "%s", slash == NULL ? "." : "/");
    if (realpath(folder, real) == NULL)
        return path_error("look at", folder, error);
    MICA_TRY(mica_trust_store(real, error));
    if (realpath(path, real) == NULL)
        return errno == ENOENT ? MICA_OK : path_error("look at", path, error);
    *strrchr(real, '/') = '\0';
    return mica_trust_store(real[0] != '\0' ? real : "/", error);
}

static enum mica_status
make_file(const char *path, struct mica_error *error)
{
    int file;

    MICA_TRY(make_folders(path, error));
    MICA_TRY(check_folder(path, error));
    file = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST)
        return path_error("make", path, error);
    if (file >= 0)
        (void)close(file);
    return MICA_OK;
}

// Never opens a file that exists: closing it would release the locks that SQLite has on it
// in this process.
enum mica_status
mica_store_make_file(const char *path, bool must_exist,
                     struct mica_error *error)
{
    struct stat st;

    if (strlen(path) >= MICA_STORE_PATH_SIZE)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The path of the store is longer than %d bytes.",
                              MICA_STORE_PATH_SIZE - 1);
    if (stat(path, &st) == 0) {
        MICA_TRY(check_file(path, &st, error));
        return check_folder(path, error);
    }
    if (errno != ENOENT)
        return path_error("look at", path, error);
    if (must_exist)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no store %s; a server makes it when "
                              "it first needs one.",
                              path);
    return make_file(path, error);
}
