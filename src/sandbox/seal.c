// SPDX-License-Identifier: Apache-2.0
//
// A seal is the SHA-256 of a shared object, that of the manifest beside it, and an
// HMAC of both and of the engine's name. The manifest has the hashes of the module,
// the fallback and the page, so all that is believed hangs on the seal. The key is random,
// made once and never leaves its file and the memory of the processes that ask for it.
// The file has to be as far out of reach of others as what it vouches for.
#include "sandbox/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert(crypto_auth_hmacsha256_KEYBYTES == MICA_SEAL_KEY_SIZE, "");

enum {
    ENTRY_BYTES = 4096, // of a user in the table of users
    HASH_DIGITS = MICA_SHA256_SIZE - 1,
    LOCK_MS = 2000, // that a build may take to put its files in their places
    PAUSE_MS = 10   // between two looks
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

// What mica_state_folder makes, and from which byte on. False when it has no name.
static bool
name_folder(char path[PATH_MAX], size_t *from_out)
{
    const char *state = getenv("XDG_STATE_HOME");
    char home[PATH_MAX] = "a home folder";
    int len = -1;

    *from_out = 1;
    if (state != NULL && state[0] == '/') {
        len = snprintf(path, PATH_MAX, "%s/mica", state);
    } else if (find_home(home)) {
        *from_out = strlen(home) + 1;
        len = snprintf(path, PATH_MAX, "%s/.local/state/mica", home);
    } else {
        (void)snprintf(path, PATH_MAX, "%s", home);
        return false;
    }
    errno = ENAMETOOLONG;
    return len >= 0 && len < PATH_MAX;
}

enum mica_status
mica_state_folder(struct mica_error *error, char *out)
{
    char path[PATH_MAX];
    size_t from;

    if (!name_folder(path, &from) || !make_folders(path, from) ||
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
                              "that no other user has: chmod 600 %s",
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

static enum mica_status
find_key(struct mica_error *error, struct mica_seal_key *key_out)
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

// The key that was found last, and what its file was then. A catalog asks once for
// each engine, and to see that all folders above the file are out of reach of others
// takes twenty system calls.
static struct {
    pthread_mutex_t lock;
    char folder[PATH_MAX];
    struct stat file;
    struct mica_seal_key key;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
is_unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static bool
stat_key(const char *folder, struct stat *out)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof path, "%s/key", folder);
    return len > 0 && (size_t)len < sizeof path && stat(path, out) == 0;
}

enum mica_status
mica_seal_key(struct mica_error *error, struct mica_seal_key *key_out)
{
    enum mica_status status = MICA_OK;
    char folder[PATH_MAX];
    struct stat file;
    size_t from;
    bool there = name_folder(folder, &from) && stat_key(folder, &file);

    pthread_mutex_lock(&known.lock);
    if (there && strcmp(known.folder, folder) == 0 &&
        is_unchanged(&known.file, &file)) {
        *key_out = known.key;
    } else {
        known.folder[0] = '\0';
        status = find_key(error, key_out);
        // Kept when it was the same file before and behind the reading.
        if (status == MICA_OK && there && stat_key(folder, &known.file) &&
            is_unchanged(&known.file, &file)) {
            (void)snprintf(known.folder, sizeof known.folder, "%s", folder);
            known.key = *key_out;
        }
    }
    pthread_mutex_unlock(&known.lock);
    return status;
}

// ---- The seal -----------------------------------------------------------------------

static const char seal_head[] = "mica-seal-2";

bool
mica_seal_write(const struct mica_seal_key *key, const char *slug,
                const struct mica_sealed *sealed, char out[MICA_SEAL_SIZE])
{
    crypto_auth_hmacsha256_state state;
    unsigned char code[crypto_auth_hmacsha256_BYTES];
    char code_text[MICA_SHA256_SIZE];

    if (strlen(sealed->object) != HASH_DIGITS ||
        strlen(sealed->manifest) != HASH_DIGITS)
        return false;
    // All before the name has a fixed length, so nothing can run into the other.
    (void)crypto_auth_hmacsha256_init(&state, key->bytes, sizeof key->bytes);
    (void)crypto_auth_hmacsha256_update(
        &state, (const unsigned char *)seal_head, sizeof seal_head - 1);
    (void)crypto_auth_hmacsha256_update(
        &state, (const unsigned char *)sealed->object, HASH_DIGITS);
    (void)crypto_auth_hmacsha256_update(
        &state, (const unsigned char *)sealed->manifest, HASH_DIGITS);
    (void)crypto_auth_hmacsha256_update(&state, (const unsigned char *)slug,
                                        strlen(slug));
    (void)crypto_auth_hmacsha256_final(&state, code);
    (void)sodium_bin2hex(code_text, sizeof code_text, code, sizeof code);
    (void)snprintf(out, MICA_SEAL_SIZE, "%s %s %s %s\n", seal_head,
                   sealed->object, sealed->manifest, code_text);
    return true;
}

bool
mica_seal_read(const struct mica_seal_key *key, const char *folder,
               const char *slug, struct mica_sealed *sealed_out)
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
    memcpy(sealed_out->object, found + sizeof seal_head, HASH_DIGITS);
    memcpy(sealed_out->manifest, found + sizeof seal_head + HASH_DIGITS + 1,
           HASH_DIGITS);
    sealed_out->object[HASH_DIGITS] = sealed_out->manifest[HASH_DIGITS] = '\0';
    return mica_seal_write(key, slug, sealed_out, made) &&
           sodium_memcmp(found, made, sizeof found - 1) == 0;
}

static bool
seal_fits(const char *sealed, const char *found)
{
    return found == NULL || strcmp(sealed, found) == 0;
}

enum mica_status
mica_seal_check(const char *folder, const char *slug, const char *object,
                const char *manifest, struct mica_error *error)
{
    struct mica_seal_key key;
    struct mica_sealed sealed;
    MICA_TRY(mica_seal_key(error, &key));
    bool own = mica_seal_read(&key, folder, slug, &sealed);
    sodium_memzero(&key, sizeof key);
    if (own && seal_fits(sealed.object, object) &&
        seal_fits(sealed.manifest, manifest))
        return MICA_OK;
    return mica_error_set(error, MICA_E_TRUST, "",
                          "%s/%s%s is not what you have built, so it is not "
                          "loaded. Build it again: mica build",
                          folder, slug, object != NULL ? "" : ".json");
}

void
mica_seal_settle(const char *folder)
{
    const struct timespec pause = {0, PAUSE_MS * 1000L * 1000};
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (lock < 0)
        return;
    for (int i = 0;
         i < LOCK_MS / PAUSE_MS && flock(lock, LOCK_SH | LOCK_NB) != 0; i++)
        (void)nanosleep(&pause, NULL);
    (void)close(lock);
}
