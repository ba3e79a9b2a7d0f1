// SPDX-License-Identifier: Apache-2.0
//
// A shared object that is loaded can do anything this user can. So nobody but
// this user and root may be able to put one in its place: not by writing the
// file, and not by renaming a folder above it.
#include "sandbox/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum mica_status
cannot(const char *path, struct mica_error *error)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "There is no %s.",
                              path);
    return mica_error_set(error, MICA_E_IO, "", "Cannot read %s (%s).", path,
                          strerror(errno));
}

enum place {
    FILE_ITSELF,
    ITS_FOLDER,
    FURTHER_UP
};

static enum mica_status
check_one(const char *path, enum place place, struct mica_error *error,
          bool *is_folder_out)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return cannot(path, error);
    *is_folder_out = S_ISDIR(st.st_mode);
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return mica_error_set(error, MICA_E_TRUST, "",
                              "%s is neither a file nor a folder.", path);
    if (st.st_uid != 0 && st.st_uid != geteuid())
        return mica_error_set(error, MICA_E_TRUST, "",
                              "%s belongs to user %u, who could change what is "
                              "loaded. Build the engines as the user that runs "
                              "them, or as root.",
                              path, (unsigned)st.st_uid);
    bool sticky = place == FURTHER_UP && (st.st_mode & S_ISVTX) != 0;
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky)
        return mica_error_set(error, MICA_E_TRUST, "",
                              "Others may write %s, and so change what is "
                              "loaded. Take that right away: chmod go-w %s",
                              path, path);
    return MICA_OK;
}

enum mica_status
mica_trust_path(const char *path, struct mica_error *error)
{
    char above[4096];
    bool is_folder = false;
    size_t len = strlen(path);
    if (len == 0 || path[0] != '/' || len >= sizeof above)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s is no absolute path below 4096 bytes.", path);
    memcpy(above, path, len + 1);
    MICA_TRY(check_one(path, FILE_ITSELF, error, &is_folder));
    enum place place = is_folder ? FURTHER_UP : ITS_FOLDER;
    while (len > 1) {
        while (len > 1 && above[len - 1] != '/')
            len--;
        if (len > 1)
            len--; // the slash itself, but for the root's
        above[len] = '\0';
        MICA_TRY(check_one(above, place, error, &is_folder));
        place = FURTHER_UP;
    }
    return MICA_OK;
}

enum mica_status
mica_trust_folder(const char *folder, struct mica_error *error,
                  char path_out[PATH_MAX])
{
    if (realpath(folder, path_out) == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no folder %s; mica build makes one.",
                              folder);
    return mica_trust_path(path_out, error);
}

static void
hexadecimal(const unsigned char *bytes, size_t size, char *out)
{
    for (size_t i = 0; i < size; i++) {
        *out++ = "0123456789abcdef"[bytes[i] >> 4];
        *out++ = "0123456789abcdef"[bytes[i] & 15];
    }
    *out = '\0';
}

enum mica_status
mica_trust_hash(const char *path, struct mica_error *error,
                char sha256_out[MICA_SHA256_SIZE])
{
    crypto_hash_sha256_state state;
    unsigned char block[16 * 1024], digest[crypto_hash_sha256_BYTES];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return cannot(path, error);
    (void)crypto_hash_sha256_init(&state);
    ssize_t got;
    while ((got = read(file, block, sizeof block)) > 0)
        (void)crypto_hash_sha256_update(&state, block, (unsigned long long)got);
    enum mica_status status = got == 0 ? MICA_OK : cannot(path, error);
    (void)close(file);
    (void)crypto_hash_sha256_final(&state, digest);
    if (status == MICA_OK)
        hexadecimal(digest, sizeof digest, sha256_out);
    return status;
}
