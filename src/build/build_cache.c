// SPDX-License-Identifier: Apache-2.0
//
// An entry is a file: a seal, and behind it the content. The seal has the hash of the
// content in the place of an object's and the key in the place of a manifest's. Its
// name is no slug, so that it is never taken for the seal of an engine.
#include "build/build_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/files.h"
#include "sandbox/seal.h"
#include "sandbox/trust.h"

enum {
    SEAL_BYTES = MICA_SEAL_SIZE - 1, // in a file, without the NUL
    KEY_DIGITS = MICA_SHA256_SIZE - 1,
    DRAFT_ENDING = 7, // ".XXXXXX" of mkostemp
    LIST_ROOM = 1024  // places that the list of entries begins with
};

static const char sealed_as[] = ".cache";

// ---- The folder ------------------------------------------------------------------

enum mica_status
mica_cache_folder(struct mica_error *error, char out[MICA_CACHE_PATH_SIZE])
{
    const char *given = getenv("MICA_CACHE"),
               *caches = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME"), *base = caches, *below = "/mica/built";

    out[0] = '\0';
    if (given != NULL && strcmp(given, "off") == 0)
        return MICA_OK;
    if (given != NULL && given[0] != '\0' && given[0] != '/')
        return mica_error_set(error, MICA_E_USAGE, "",
                              "MICA_CACHE is set to %s. It is \"off\" or the "
                              "absolute path of a folder.",
                              given);
    if (given != NULL && given[0] != '\0') {
        base = given;
        below = "";
    } else if (caches == NULL || caches[0] != '/') {
        base = home;
        below = "/.cache/mica/built";
    }
    if (base == NULL || base[0] != '/')
        return MICA_OK;
    int len = snprintf(out, MICA_CACHE_PATH_SIZE, "%s%s", base, below);
    if (len < 0 || len >= MICA_CACHE_PATH_SIZE)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "The path of the cache, %s%s, is too long. Set "
                              "MICA_CACHE to \"off\" or to a shorter one.",
                              base, below);
    return MICA_OK;
}

static bool
make_folders(const char *folder)
{
    char path[MICA_CACHE_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s", folder);
    for (char *at = path + 1;; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char end = *at;
        *at = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST && errno != EROFS)
            return false;
        *at = end;
        if (end == '\0')
            return access(path, F_OK) == 0;
    }
}

enum mica_status
mica_cache_open(const char *folder, struct mica_error *error)
{
    char whole[PATH_MAX];
    struct stat st;
    if (!make_folders(folder) || realpath(folder, whole) == NULL ||
        stat(whole, &st) != 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot make the folder %s: %s", folder,
                              strerror(errno));
    MICA_TRY(mica_trust_store(whole, error));
    if (S_ISDIR(st.st_mode) && st.st_uid == geteuid())
        return MICA_OK;
    return mica_error_set(error, MICA_E_TRUST, "",
                          "%s is not a folder of yours. Remove it, or set "
                          "MICA_CACHE to another folder.",
                          folder);
}

// ---- Reading ---------------------------------------------------------------------

// The entry's file, if it is one that this user alone can have written.
static int
open_entry(const char *path)
{
    struct stat st;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return -1;
    if (fstat(file, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_uid == geteuid() && (st.st_mode & 022) == 0)
        return file;
    (void)close(file);
    return -1;
}

static bool
is_sealed(struct mica_text entry, const char *key, struct mica_text content)
{
    char made[MICA_SEAL_SIZE];
    struct mica_seal_key own;
    struct mica_sealed sealed;
    struct mica_error ignored;
    if (mica_seal_key(&ignored, &own) != MICA_OK)
        return false;
    mica_trust_hash_bytes(content, sealed.object);
    (void)snprintf(sealed.manifest, sizeof sealed.manifest, "%s", key);
    bool whole = mica_seal_write(&own, sealed_as, &sealed, made) &&
                 sodium_memcmp(entry.ptr, made, SEAL_BYTES) == 0;
    sodium_memzero(&own, sizeof own);
    return whole;
}

bool
mica_cache_find(const char *folder, const char *key, struct mica_arena *arena,
                struct mica_text *content_out)
{
    char path[PATH_MAX];
    struct mica_error ignored;
    struct mica_text entry;
    if (mica_path(path, NULL, "%s/%s", folder, key) != MICA_OK)
        return false;
    int file = open_entry(path);
    bool found = false;
    if (file >= 0 &&
        mica_trust_read(file, path, MICA_CACHE_ENTRY_BYTES + SEAL_BYTES, arena,
                        &ignored, &entry) == MICA_OK &&
        entry.len >= SEAL_BYTES) {
        *content_out = mica_text_slice(entry, SEAL_BYTES, entry.len);
        found = is_sealed(entry, key, *content_out);
    }
    // The time of its last use: the oldest go first.
    if (found)
        (void)futimens(file, NULL);
    else if (file >= 0 || errno != ENOENT)
        (void)unlink(path);
    if (file >= 0)
        (void)close(file);
    return found;
}

// ---- What lies there ---------------------------------------------------------------

struct entry {
    char name[KEY_DIGITS + DRAFT_ENDING + 1];
    struct timespec used;
    uint64_t bytes;
};

struct entries {
    struct entry *list;
    size_t count, room;
    uint64_t bytes;
};

// An entry, or the draft of one that a killed process left behind.
static bool
is_name(const char *name)
{
    size_t len = strlen(name);
    return strspn(name, "0123456789abcdef") == KEY_DIGITS &&
           (len == KEY_DIGITS ||
            (len == KEY_DIGITS + DRAFT_ENDING && name[KEY_DIGITS] == '.'));
}

static void
add_entry(struct entries *all, const char *name, const struct stat *st)
{
    if (all->count == all->room) {
        size_t room = all->room == 0 ? LIST_ROOM : 2 * all->room;
        struct entry *list = realloc(all->list, room * sizeof *list);
        if (list == NULL)
            return; // the rest is looked at another time
        all->list = list;
        all->room = room;
    }
    struct entry *entry = &all->list[all->count++];
    (void)snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->used = st->st_mtim;
    entry->bytes = (uint64_t)st->st_size;
    all->bytes += entry->bytes;
}

static struct entries
list_entries(const char *folder)
{
    struct entries all = {0};
    DIR *list = opendir(folder);
    if (list == NULL)
        return all;
    for (struct dirent *file; (file = readdir(list)) != NULL;) {
        struct stat st;
        if (is_name(file->d_name) &&
            fstatat(dirfd(list), file->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode))
            add_entry(&all, file->d_name, &st);
    }
    (void)closedir(list);
    return all;
}

struct mica_cache_size
mica_cache_measure(const char *folder)
{
    struct entries all = list_entries(folder);
    free(all.list);
    return (struct mica_cache_size){all.count, all.bytes};
}

static int
compare_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used;
    const struct timespec *y = &((const struct entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

// Another process may remove the same ones at the same time: then less is left than
// there might be.
static void
remove_oldest(const char *folder)
{
    struct entries all = list_entries(folder);
    size_t left = all.count;
    if (left > 0)
        qsort(all.list, all.count, sizeof *all.list, compare_use);
    for (size_t i = 0; i < all.count && (left > MICA_CACHE_ENTRIES ||
                                         all.bytes > MICA_CACHE_BYTES);
         i++) {
        char path[PATH_MAX];
        if (mica_path(path, NULL, "%s/%s", folder, all.list[i].name) == MICA_OK)
            (void)unlink(path);
        all.bytes -= all.list[i].bytes;
        left--;
    }
    free(all.list);
}

// ---- Writing ---------------------------------------------------------------------

static enum mica_status
write_entry(const char *path, const char *seal, struct mica_text content,
            struct mica_error *error)
{
    char draft[PATH_MAX];
    MICA_TRY(mica_path(draft, error, "%s.XXXXXX", path));
    int file = mkostemp(draft, O_CLOEXEC); // 0600
    bool written = file >= 0 && mica_file_write_all(file, mica_text(seal)) &&
                   mica_file_write_all(file, content);
    int reason = errno;
    if (file >= 0 && close(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && rename(draft, path) == 0)
        return MICA_OK;
    if (written)
        reason = errno;
    if (file >= 0)
        (void)unlink(draft);
    return mica_error_set(error, MICA_E_IO, "", "cannot write %s: %s", path,
                          strerror(reason));
}

enum mica_status
mica_cache_keep(const char *folder, const char *key, struct mica_text content,
                struct mica_error *error)
{
    char path[PATH_MAX], seal[MICA_SEAL_SIZE];
    struct mica_seal_key own;
    struct mica_sealed sealed;
    if (content.len > MICA_CACHE_ENTRY_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%zu bytes are too many for an entry of the "
                              "cache; it may have %d.",
                              content.len, MICA_CACHE_ENTRY_BYTES);
    MICA_TRY(mica_path(path, error, "%s/%s", folder, key));
    MICA_TRY(mica_seal_key(error, &own));
    mica_trust_hash_bytes(content, sealed.object);
    (void)snprintf(sealed.manifest, sizeof sealed.manifest, "%s", key);
    bool made = mica_seal_write(&own, sealed_as, &sealed, seal);
    sodium_memzero(&own, sizeof own);
    if (!made)
        return mica_error_set(error, MICA_E_INTERNAL, "",
                              "an entry of the cache has no hash");
    MICA_TRY(write_entry(path, seal, content, error));
    remove_oldest(folder);
    return MICA_OK;
}
