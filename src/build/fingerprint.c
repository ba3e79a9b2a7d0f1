// SPDX-License-Identifier: Apache-2.0
//
// Whether a build would give what is there already, and this user made that. The
// fingerprint covers all that goes in: the source (one file, the compile step
// sees to that), mica's headers, the module archive, the runtime headers, mica's
// version and the options. It is kept in the manifest.
#include <dirent.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include <mica/json.h>

#include "build/steps.h"
#include "sandbox/seal.h"

#ifndef MICA_VERSION // meson sets it; this serves the checkers
#    define MICA_VERSION "0.0.0"
#endif

enum {
    FILES_MAX = 64
};

// A part of the fingerprint, with its length so that two parts cannot be taken
// for others.
static void
mix(crypto_hash_sha256_state *state, struct mica_text part)
{
    unsigned char length[8];
    for (size_t i = 0; i < sizeof length; i++)
        length[i] = (unsigned char)((uint64_t)part.len >> 8 * i);
    (void)crypto_hash_sha256_update(state, length, sizeof length);
    (void)crypto_hash_sha256_update(state, (const unsigned char *)part.ptr,
                                    part.len);
}

static enum mica_status
mix_file(struct mica_job *job, crypto_hash_sha256_state *state,
         const char *path)
{
    char digest[MICA_SHA256_SIZE];
    MICA_TRY(mica_trust_hash(path, job->error, digest));
    mix(state, mica_text(digest));
    return MICA_OK;
}

static int
is_header(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 2 && strcmp(entry->d_name + len - 2, ".h") == 0;
}

// All headers of a folder, in the order of their names.
static enum mica_status
mix_headers(struct mica_job *job, crypto_hash_sha256_state *state,
            const char *folder, const char *below)
{
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    MICA_TRY(mica_path(path, job->error, "%s%s", folder, below));
    int count = scandir(path, &entries, is_header, alphasort);
    enum mica_status status =
        count >= 0 ? MICA_OK
                   : mica_error_set(job->error, MICA_E_NOT_FOUND, "",
                                    "There is no folder %s.", path);
    for (int i = 0; i < count; i++) {
        if (status == MICA_OK)
            status = mica_path(path, job->error, "%s%s/%s", folder, below,
                               entries[i]->d_name);
        if (status == MICA_OK)
            status = mix_file(job, state, path);
        mix(state, mica_text(entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return status;
}

enum mica_status
mica_job_fingerprint(struct mica_job *job)
{
    crypto_hash_sha256_state state;
    unsigned char digest[crypto_hash_sha256_BYTES];
    (void)crypto_hash_sha256_init(&state);
    mix(&state, mica_text(MICA_VERSION));
    mix(&state, mica_text(job->slug));
    mix(&state, mica_text(job->options->fast ? "fast" : "full"));
    MICA_TRY(mix_file(job, &state, job->source));
    MICA_TRY(mix_file(job, &state, job->tools->module_archive));
    MICA_TRY(mix_headers(job, &state, job->tools->include_dir, "/mica"));
    MICA_TRY(mix_headers(job, &state, job->tools->runtime_dir, ""));
    (void)crypto_hash_sha256_final(&state, digest);
    (void)sodium_bin2hex(job->fingerprint, sizeof job->fingerprint, digest,
                         sizeof digest);
    return MICA_OK;
}

bool
mica_job_is_current(struct mica_job *job)
{
    const char *folder = job->options->out_dir, *slug = job->slug;
    char json[PATH_MAX], wasm[PATH_MAX], so[PATH_MAX], object[PATH_MAX];
    char sha256[MICA_SHA256_SIZE];
    struct mica_text text;
    struct mica_json manifest;
    if (mica_path(json, NULL, "%s/%s.json", folder, slug) != MICA_OK ||
        mica_path(wasm, NULL, "%s/%s.wasm", folder, slug) != MICA_OK ||
        mica_file_read(job->arena, json, NULL, &text) != MICA_OK ||
        mica_json_read(job->arena, text, NULL, NULL, &manifest) != MICA_OK ||
        !mica_text_is(mica_json_get_text(&manifest, "build"),
                      job->fingerprint) ||
        mica_trust_hash(wasm, NULL, sha256) != MICA_OK ||
        !mica_text_is(mica_json_get_text(&manifest, "sha256"), sha256) ||
        mica_path(so, NULL, "%s/%s-%s.so", folder, slug, sha256) != MICA_OK ||
        mica_path(object, NULL, "%s/%s.o", folder, slug) != MICA_OK)
        return false;
    return mica_seal_check(folder, slug, so, NULL) == MICA_OK &&
           (!job->options->object || mica_file_exists(object));
}
