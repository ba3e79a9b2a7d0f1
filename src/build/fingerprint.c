// SPDX-License-Identifier: Apache-2.0
//
// Whether a build would give what is there already, and this user made that. The
// fingerprint covers all that goes in: the source (one file, the compile step
// sees to that) and its page, mica's headers, the module archive, the runtime headers, mica's
// version, the options, what pages share, and whether there is a wasm2js. It is
// kept in the manifest.
#include <mica/json.h>

#include "build/digest.h"
#include "build/steps.h"
#include "build/view_inline.h"
#include "sandbox/seal.h"

#ifndef MICA_VERSION // meson sets it; this serves the checkers
#    define MICA_VERSION "0.0.0"
#endif

static enum mica_status
mix_headers(struct mica_job *job, struct mica_digest *digest,
            const char *folder, const char *below)
{
    static const char *const headers[] = {".h", NULL};
    char path[PATH_MAX];
    MICA_TRY(mica_path(path, job->error, "%s%s", folder, below));
    return mica_digest_folder(digest, path, headers, job->error);
}

// The page beside the source, or its absence.
static enum mica_status
mix_page(struct mica_job *job, struct mica_digest *digest)
{
    char path[PATH_MAX];
    bool found;
    MICA_TRY(mica_page_find(path, job->source, job->error, &found));
    if (found) {
        mica_digest_text(digest, mica_text("a page with its engine inside"));
        MICA_TRY(mica_digest_file(digest, path, job->error));
        MICA_TRY(mica_design_path(path, job));
        // Scripts that the build writes into the page.
        mica_digest_text(digest,
                         mica_text(mica_asset_find(&mica_view_assets,
                                                   MICA_LITERAL("view.js"))
                                       ->sha256));
        mica_digest_text(digest,
                         mica_text(mica_asset_find(&mica_engine_page_assets,
                                                   MICA_LITERAL("page.js"))
                                       ->sha256));
        return mica_digest_file(digest, path, job->error);
    }
    mica_digest_text(digest, mica_text("no page"));
    return MICA_OK;
}

enum mica_status
mica_job_fingerprint(struct mica_job *job)
{
    struct mica_digest digest;
    const char *archive = job->tools->module_archive;
    mica_digest_begin(&digest);
    mica_digest_text(&digest, mica_text(MICA_VERSION));
    mica_digest_text(&digest, mica_text(job->slug));
    mica_digest_text(&digest, mica_text(job->options->fast ? "fast" : "full"));
    mica_digest_text(&digest, mica_text(job->tools->wasm2js[0] != '\0'
                                            ? "with twin"
                                            : "without twin"));
    mica_digest_text(&digest,
                     mica_text(job->tools->wasm_opt[0] != '\0' ? "made small"
                                                               : "as linked"));
    mica_digest_text(&digest,
                     mica_text(mica_asset_find(&mica_engine_assets,
                                               MICA_LITERAL("_engine.js"))
                                   ->sha256));
    MICA_TRY(mica_digest_file(&digest, job->source, job->error));
    MICA_TRY(mix_page(job, &digest));
    MICA_TRY(mica_digest_file(&digest, archive, job->error));
    MICA_TRY(mix_headers(job, &digest, job->tools->include_dir, "/mica"));
    MICA_TRY(mix_headers(job, &digest, job->tools->runtime_dir, ""));
    mica_digest_end(&digest, job->fingerprint);
    return MICA_OK;
}

// Whether the file is there that the manifest names by its hash.
static bool
is_as_built(const struct mica_job *job, const struct mica_json *manifest,
            const char *member, const char *ending)
{
    char path[PATH_MAX], sha256[MICA_SHA256_SIZE];
    struct mica_text named = mica_json_get_text(manifest, member);
    return named.len == 0 ||
           (mica_path(path, NULL, "%s/%s%s", job->options->out_dir, job->slug,
                      ending) == MICA_OK &&
            mica_trust_hash(path, NULL, sha256) == MICA_OK &&
            mica_text_is(named, sha256));
}

bool
mica_job_is_current(struct mica_job *job)
{
    const char *folder = job->options->out_dir, *slug = job->slug;
    char json[PATH_MAX], wasm[PATH_MAX], so[PATH_MAX], object[PATH_MAX];
    char web[PATH_MAX];
    char sha256[MICA_SHA256_SIZE], made[MICA_SHA256_SIZE];
    char described[MICA_SHA256_SIZE];
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
        mica_path(object, NULL, "%s/%s.o", folder, slug) != MICA_OK ||
        mica_path(web, NULL, "%s/%s.js", folder, slug) != MICA_OK)
        return false;
    mica_trust_hash_bytes(text, described);
    return mica_trust_hash(so, NULL, made) == MICA_OK &&
           mica_seal_check(folder, slug, made, described, NULL) == MICA_OK &&
           is_as_built(job, &manifest, "twin", ".twin.js") &&
           is_as_built(job, &manifest, "page", ".html") &&
           is_as_built(job, &manifest, "view", ".view.html") &&
           mica_file_exists(web) &&
           (!job->options->object || mica_file_exists(object));
}
