// SPDX-License-Identifier: Apache-2.0
//
// SHA-256, part by part.
#include "build/digest.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "build/files.h"

void
mica_digest_begin(struct mica_digest *digest)
{
    (void)crypto_hash_sha256_init(&digest->state);
}

void
mica_digest_text(struct mica_digest *digest, struct mica_text part)
{
    unsigned char length[8];
    for (size_t i = 0; i < sizeof length; i++)
        length[i] = (unsigned char)((uint64_t)part.len >> 8 * i);
    (void)crypto_hash_sha256_update(&digest->state, length, sizeof length);
    (void)crypto_hash_sha256_update(&digest->state,
                                    (const unsigned char *)part.ptr, part.len);
}

enum mica_status
mica_digest_file(struct mica_digest *digest, const char *path,
                 struct mica_error *error)
{
    char sha256[MICA_SHA256_SIZE];
    struct stat st;
    if (stat(path, &st) == 0)
        MICA_TRY(mica_file_is_regular(path, &st, error));
    MICA_TRY(mica_trust_hash(path, error, sha256));
    mica_digest_text(digest, mica_text(sha256));
    return MICA_OK;
}

static bool
digest_ends(const char *name, const char *const *endings)
{
    size_t len = strlen(name);
    for (; *endings != NULL; endings++) {
        size_t end = strlen(*endings);
        if (len > end && name[0] != '.' &&
            strcmp(name + len - end, *endings) == 0)
            return true;
    }
    return false;
}

static enum mica_status
add_entry(struct mica_digest *digest, const char *folder, const char *name,
          struct mica_error *error)
{
    char path[PATH_MAX];
    MICA_TRY(mica_path(path, error, "%s/%s", folder, name));
    MICA_TRY(mica_digest_file(digest, path, error));
    mica_digest_text(digest, mica_text(name));
    return MICA_OK;
}

enum mica_status
mica_digest_folder(struct mica_digest *digest, const char *folder,
                   const char *const *endings, struct mica_error *error)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    enum mica_status status =
        count >= 0 ? MICA_OK
                   : mica_error_set(error, MICA_E_NOT_FOUND, "",
                                    "There is no folder %s.", folder);
    for (int i = 0; i < count; i++) {
        if (status == MICA_OK && digest_ends(entries[i]->d_name, endings))
            status = add_entry(digest, folder, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return status;
}

void
mica_digest_end(struct mica_digest *digest, char out[MICA_SHA256_SIZE])
{
    unsigned char bytes[crypto_hash_sha256_BYTES];
    (void)crypto_hash_sha256_final(&digest->state, bytes);
    (void)sodium_bin2hex(out, MICA_SHA256_SIZE, bytes, sizeof bytes);
}
