// SPDX-License-Identifier: Apache-2.0
//
// A seal is the SHA-256 of a shared object and an HMAC of it and of the engine's
// name. The key is random, made once and never leaves its file, which has to be
// as far out of reach of others as what it vouches for.
#include "sandbox/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(crypto_auth_hmacsha256_KEYBYTES == MICA_SEAL_KEY_SIZE, "");

enum {
    ENTRY_BYTES = 4096, // of a user in the table of users
    HASH_DIGITS = MICA_SHA256_SIZE - 1
};

// ---- Where the key is ------------------------------------------------------------

static enum mica_status
no_place(const char *path, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "",
                          "There is no place for the key that tells what you "
                          "have built, and for what tools keep: cannot write "
                          "%s (%s). Set XDG_STATE_HOME to a folder of yours.",
                          path, strerror(errno));
}

// $HOME, or what the table of users says. False when neither knows.
static bool
find_home(char home[PATH_MAX])
{
    const char *found = getenv("HOME");
    struct passwd entry, *user = NULL;
    char room[ENTRY_BYTES];

    if (found == NULL || found[0] != '/') {
        (void)getpwuid_r(geteuid(), &entry, room, sizeof room, &user);
        found = user != NULL ? user->pw_dir : "";
    }
    int len = snprintf(home, PATH_MAX, "%s", found);
    errno = ENOENT;
    return home[0] == '/' && len < PATH_MAX && access(home, F_OK) == 0;
}

// Makes every folder of `path` from byte `from` on that is not there.
static bool
make_folders(char *path, size_t from)
{
    for (char *at = path + from;; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char end = *at;
        *at = '\0';
        bool there = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = end;
        if (!there || end == '\0')
            return there;
    }
}

enum mica_status
mica_state_folder(struct mica_error *error, char *out)
{
    const char *state = getenv("XDG_STATE_HOME");
    char path[PATH_MAX], home[PATH_MAX];
    size_t from = 1;
    int len;

    if (state != NULL && state[0] == '/') {
        len = snprintf(path, sizeof path, "%s/mica", state);
    } else {
        if (!find_home(home))
            return no_place("a home folder", error);
        from = strlen(home) + 1;
        len = snprintf(path, sizeof path, "%s/.local/state/mica", home);
    }
    errno = ENAMETOOLONG;
    if (len < 0 || (size_t)len >= sizeof path || !make_folders(path, from) ||
        realpath(path, out) == NULL)
        return no_place(path, error);
    return MICA_OK;
}

// ---- The key -----------------------------------------------------------------------

static enum mica_status
read_key(const char *path, struct mica_error *error,
         struct mica_seal_key *key_out)
{
    struct stat st;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return no_place(path, error);
    bool known = fstat(file, &st) == 0;
    ssize_t got = read(file, key_out->bytes, sizeof key_out->bytes);
    (void)close(file);
    if (!known || got != (ssize_t)sizeof key_out->bytes ||
        st.st_size != (off_t)sizeof key_out->bytes)
        return mica_error_set(error, MICA_E_TRUST, "",
                              "%s is no key. Remove it; the next build makes "
                              "one.",
                              path);
    if (st.st_uid != geteuid() || (st.st_mode & 077) != 0)
        return mica_error_set(error, MICA_E_TRUST, "",
                              "Others can read %s, and so pretend that you "
                              "built what they did. Remove it, or if you know "
                              "that nobody has: chmod 600 %s",
                              path, path);
    return MICA_OK;
}

static bool
write_key(int file)
{
    struct mica_seal_key key;
    randombytes_buf(key.bytes, sizeof key.bytes);
    bool whole =
        write(file, key.bytes, sizeof key.bytes) == (ssize_t)sizeof key.bytes &&
        fsync(file) == 0;
    sodium_memzero(&key, sizeof key);
    return close(file) == 0 && whole;
}

// A whole key appears under its name or none, and of several at once the first
// stays: that is what link() does and rename() does not.
static enum mica_status
make_key(const char *path, struct mica_error *error)
{
    char draft[PATH_MAX];
    int len = snprintf(draft, sizeof draft, "%s.XXXXXX", path);
    errno = ENAMETOOLONG;
    if (sodium_init() < 0 || len < 0 || (size_t)len >= sizeof draft)
        return no_place(path, error);
    int file = mkostemp(draft, O_CLOEXEC); // for this user alone: 0600
    if (file < 0)
        return no_place(path, error);
    bool made = write_key(file) && (link(draft, path) == 0 || errno == EEXIST);
    enum mica_status status = made ? MICA_OK : no_place(path, error);
    (void)unlink(draft);
    return status;
}

enum mica_status
mica_seal_key(struct mica_error *error, struct mica_seal_key *key_out)
{
    char folder[PATH_MAX], path[PATH_MAX];
    MICA_TRY(mica_state_folder(error, folder));
    int len = snprintf(path, sizeof path, "%s/key", folder);
    if (len < 0 || (size_t)len >= sizeof path) {
        errno = ENAMETOOLONG;
        return no_place(folder, error);
    }
    if (access(path, F_OK) != 0)
        MICA_TRY(make_key(path, error));
    MICA_TRY(mica_trust_path(path, error));
    return read_key(path, error, key_out);
}

// ---- The seal -----------------------------------------------------------------------

void
mica_seal_write(const struct mica_seal_key *key, const char *slug,
                const char *sha256, char out[MICA_SEAL_SIZE])
{
    crypto_auth_hmacsha256_state state;
    unsigned char code[crypto_auth_hmacsha256_BYTES];
    char code_text[MICA_SHA256_SIZE];

    // The hash has a fixed length, so name and hash cannot run into each other.
    (void)crypto_auth_hmacsha256_init(&state, key->bytes, sizeof key->bytes);
    (void)crypto_auth_hmacsha256_update(&state, (const unsigned char *)sha256,
                                        HASH_DIGITS);
    (void)crypto_auth_hmacsha256_update(&state, (const unsigned char *)slug,
                                        strlen(slug));
    (void)crypto_auth_hmacsha256_final(&state, code);
    (void)sodium_bin2hex(code_text, sizeof code_text, code, sizeof code);
    (void)snprintf(out, MICA_SEAL_SIZE, "%s %s\n", sha256, code_text);
}

bool
mica_seal_read(const struct mica_seal_key *key, const char *folder,
               const char *slug, char sha256_out[MICA_SHA256_SIZE])
{
    char path[PATH_MAX], found[MICA_SEAL_SIZE], made[MICA_SEAL_SIZE];
    int len = snprintf(path, sizeof path, "%s/%s.seal", folder, slug);
    int file = len > 0 && (size_t)len < sizeof path
                   ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                   : -1;
    if (file < 0)
        return false;
    ssize_t got = read(file, found, sizeof found);
    (void)close(file);
    if (got != (ssize_t)sizeof found - 1)
        return false;
    memcpy(sha256_out, found, HASH_DIGITS);
    sha256_out[HASH_DIGITS] = '\0';
    mica_seal_write(key, slug, sha256_out, made);
    return sodium_memcmp(found, made, sizeof found - 1) == 0;
}

enum mica_status
mica_seal_check(const char *folder, const char *slug, const char *object,
                struct mica_error *error)
{
    struct mica_seal_key key;
    char sealed[MICA_SHA256_SIZE], sha256[MICA_SHA256_SIZE];
    MICA_TRY(mica_seal_key(error, &key));
    MICA_TRY(mica_trust_hash(object, error, sha256));
    bool own = mica_seal_read(&key, folder, slug, sealed);
    sodium_memzero(&key, sizeof key);
    if (own && strcmp(sealed, sha256) == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_TRUST, "",
                          "%s is not what you have built, so it is not loaded. "
                          "Build it again: mica build",
                          object);
}
