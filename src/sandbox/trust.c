// SPDX-License-Identifier: Apache-2.0
//
// A shared object that is loaded can do anything this user can. So only
// this user and root may be able to put one in its place: not by writing the
// file, and not by renaming a folder above it. What is believed is opened once:
// the descriptor is asked whose it is, is hashed, and is what is read or loaded.
#include "sandbox/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum mica_status
file_error(const char *path, struct mica_error *error)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "There is no %s.",
                              path);
    return mica_error_set(error, MICA_E_IO, "", "Cannot read %s (%s).", path,
                          strerror(errno));
}

// What could be changed, and what to do about an owner.
struct purpose {
    const char *what, *mend;
};

static const struct purpose loading = {
    "what is loaded", "Build the engines as the user that runs them, or as "
                      "root, in a folder that others cannot write."};
static const struct purpose configuring = {
    "how mica serves",
    "Make it a file of yours: copy it, and put the copy in its place."};
static const struct purpose storing = {
    "the store",
    "Keep it in a folder of your own: --store sqlite:FOLDER/mica.db"};

enum place {
    FILE_ITSELF,
    ITS_FOLDER,
    FURTHER_UP
};

static enum mica_status
check_status(const char *path, const struct stat *st, enum place place,
             const struct purpose *purpose, struct mica_error *error)
{
    if (!S_ISDIR(st->st_mode) && !S_ISREG(st->st_mode))
        return mica_error_set(error, MICA_E_TRUST, "",
                              "%s is neither a file nor a folder.", path);
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return mica_error_set(error, MICA_E_TRUST, "",
                              "%s belongs to user %u, who could change %s. %s",
                              path, (unsigned)st->st_uid, purpose->what,
                              purpose->mend);
    bool sticky = place == FURTHER_UP && (st->st_mode & S_ISVTX) != 0;
    if ((st->st_mode & (S_IWGRP | S_IWOTH)) == 0 || sticky)
        return MICA_OK;
    // A folder such as /tmp is meant to be written by all.
    if ((st->st_mode & S_ISVTX) != 0)
        return mica_error_set(error, MICA_E_TRUST, "",
                              "Others may write %s, and so change %s. %s", path,
                              purpose->what, purpose->mend);
    return mica_error_set(error, MICA_E_TRUST, "",
                          "Others may write %s, and so change %s. Take that "
                          "right away: chmod go-w %s",
                          path, purpose->what, path);
}

static enum mica_status
check_one(const char *path, enum place place, const struct purpose *purpose,
          struct mica_error *error, bool *is_folder_out)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return file_error(path, error);
    *is_folder_out = S_ISDIR(st.st_mode);
    return check_status(path, &st, place, purpose, error);
}

static enum mica_status
check_path(const char *path, const struct purpose *purpose,
           struct mica_error *error)
{
    char above[4096];
    bool is_folder = false;
    size_t len = strlen(path);
    if (len == 0 || path[0] != '/' || len >= sizeof above)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s is no absolute path below 4096 bytes.", path);
    memcpy(above, path, len + 1);
    MICA_TRY(check_one(path, FILE_ITSELF, purpose, error, &is_folder));
    enum place place = is_folder ? FURTHER_UP : ITS_FOLDER;
    while (len > 1) {
        while (len > 1 && above[len - 1] != '/')
            len--;
        if (len > 1)
            len--; // the slash itself, but for the root's
        above[len] = '\0';
        MICA_TRY(check_one(above, place, purpose, error, &is_folder));
        place = FURTHER_UP;
    }
    return MICA_OK;
}

enum mica_status
mica_trust_path(const char *path, struct mica_error *error)
{
    return check_path(path, &loading, error);
}

enum mica_status
mica_trust_store(const char *folder, struct mica_error *error)
{
    return check_path(folder, &storing, error);
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
trust_hexadecimal(const unsigned char *bytes, size_t size, char *out)
{
    for (size_t i = 0; i < size; i++) {
        *out++ = "0123456789abcdef"[bytes[i] >> 4];
        *out++ = "0123456789abcdef"[bytes[i] & 15];
    }
    *out = '\0';
}

static enum mica_status
trust_open_for(const char *path, const struct purpose *purpose,
               struct mica_error *error, int *file_out, struct stat *st_out)
{
    // A name proves nothing of what is opened by it, so the descriptor is asked.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return file_error(path, error);
    enum mica_status status =
        fstat(file, st_out) == 0
            ? check_status(path, st_out, FILE_ITSELF, purpose, error)
            : file_error(path, error);
    if (status == MICA_OK && !S_ISREG(st_out->st_mode))
        status =
            mica_error_set(error, MICA_E_TRUST, "", "%s is no file.", path);
    if (status == MICA_OK)
        *file_out = file;
    else
        (void)close(file);
    return status;
}

enum mica_status
mica_trust_open(const char *path, struct mica_error *error, int *file_out)
{
    struct stat st;
    MICA_TRY(mica_trust_path(path, error));
    return mica_trust_open_within(path, error, file_out, &st);
}

enum mica_status
mica_trust_open_within(const char *path, struct mica_error *error,
                       int *file_out, struct stat *st_out)
{
    return trust_open_for(path, &loading, error, file_out, st_out);
}

enum mica_status
mica_trust_open_settings(const char *path, struct mica_error *error,
                         int *file_out, struct stat *st_out)
{
    MICA_TRY(check_path(path, &configuring, error));
    return trust_open_for(path, &configuring, error, file_out, st_out);
}

enum mica_status
mica_trust_hash_file(int file, const char *path, struct mica_error *error,
                     char sha256_out[MICA_SHA256_SIZE])
{
    struct sha256_ctx state;
    unsigned char block[64 * 1024], digest[SHA256_DIGEST_SIZE];
    off_t at = 0;
    ssize_t got;
    sha256_init(&state);
    while ((got = pread(file, block, sizeof block, at)) > 0) {
        sha256_update(&state, (size_t)got, block);
        at += got;
    }
    sha256_digest(&state, sizeof digest, digest);
    if (got != 0)
        return file_error(path, error);
    trust_hexadecimal(digest, sizeof digest, sha256_out);
    return MICA_OK;
}

void
mica_trust_hash_bytes(struct mica_text bytes, char sha256_out[MICA_SHA256_SIZE])
{
    struct sha256_ctx state;
    unsigned char digest[SHA256_DIGEST_SIZE];
    sha256_init(&state);
    sha256_update(&state, bytes.len, (const unsigned char *)bytes.ptr);
    sha256_digest(&state, sizeof digest, digest);
    trust_hexadecimal(digest, sizeof digest, sha256_out);
}

enum mica_status
mica_trust_hash(const char *path, struct mica_error *error,
                char sha256_out[MICA_SHA256_SIZE])
{
    struct stat st;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return file_error(path, error);
    enum mica_status status =
        fstat(file, &st) == 0 ? MICA_OK : file_error(path, error);
    if (status == MICA_OK && !S_ISREG(st.st_mode))
        status =
            mica_error_set(error, MICA_E_TRUST, "", "%s is no file.", path);
    if (status == MICA_OK)
        status = mica_trust_hash_file(file, path, error, sha256_out);
    (void)close(file);
    return status;
}

// ---- Reading ---------------------------------------------------------------------

enum mica_status
mica_trust_read(int file, const char *path, size_t most,
                struct mica_arena *arena, struct mica_error *error,
                struct mica_text *bytes_out)
{
    struct stat st;
    if (fstat(file, &st) != 0)
        return file_error(path, error);
    if (st.st_size < 0 || (uint64_t)st.st_size > most)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s is larger than %zu MiB", path, most >> 20);
    size_t size = (size_t)st.st_size, have = 0;
    char *bytes = mica_arena_alloc(arena, size + 1);
    ssize_t got = 1;
    while (bytes != NULL && have < size && got > 0) {
        got = pread(file, bytes + have, size - have, (off_t)have);
        have += got > 0 ? (size_t)got : 0;
    }
    if (bytes == NULL || have != size)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot read the whole of %s", path);
    *bytes_out = (struct mica_text){bytes, size};
    return MICA_OK;
}

struct mica_file_version
mica_file_version_of(const struct stat *st)
{
    return (struct mica_file_version){st->st_mtim, st->st_size, st->st_ino};
}

bool
mica_file_version_is(const struct mica_file_version *a,
                     const struct mica_file_version *b)
{
    return a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

// ---- Loading ---------------------------------------------------------------------

// dlopen takes an object that is loaded for another one when both were opened by
// the same name, and a number of a descriptor comes again. So each name is new:
// the bits of a counter are written as "./" and "/", which change nothing.
enum mica_status
mica_trust_name(int file, struct mica_error *error,
                char out[MICA_TRUST_NAME_SIZE])
{
    static _Atomic(uint64_t) counter;
    struct mica_buffer name = {.ptr = out,
                               .capacity = MICA_TRUST_NAME_SIZE - 1,
                               .max = MICA_TRUST_NAME_SIZE - 1};
    struct stat given, found;

    mica_buffer_text(&name, MICA_LITERAL("/proc/self/fd/"));
    for (uint64_t bits = atomic_fetch_add(&counter, 1) + 1; bits > 0;
         bits >>= 1)
        mica_buffer_text(&name, mica_text((bits & 1) != 0 ? "./" : "/"));
    mica_buffer_format(&name, "%d", file);
    out[name.len] = '\0';
    if (fstat(file, &given) == 0 && stat(out, &found) == 0 &&
        given.st_dev == found.st_dev && given.st_ino == found.st_ino)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "There is no %s, so what was hashed cannot be what "
                          "is loaded. Mount /proc.",
                          out);
}
