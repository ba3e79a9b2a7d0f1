// SPDX-License-Identifier: Apache-2.0
//
// Drives the steps of a build (steps.h) and puts their results in place: seal and
// translation first, then the module and what browsers load, the manifest last. So
// a new manifest speaks of nothing that is not there, and each module has its
// translation.
#include "build/build.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build/engine_source.h"
#include "build/folder_lock.h"
#include "build/format_words.h"
#include "build/steps.h"
#include "sandbox/seal.h"

enum {
    ARENA_BYTES = 256 * 1024 * 1024
};

// ---- The name --------------------------------------------------------------------

static bool
is_slug(struct mica_text slug)
{
    if (slug.len == 0 || slug.len > MICA_SLUG_MAX)
        return false;
    for (size_t i = 0; i < slug.len; i++) {
        char c = slug.ptr[i];
        bool inner = i > 0 && i + 1 < slug.len && slug.ptr[i - 1] != '-';
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') &&
            !(c == '-' && inner))
            return false;
    }
    return true;
}

static enum mica_status
take_name(struct mica_job *job, const char *ending)
{
    const char *slash = strrchr(job->source, '/');
    struct mica_text name = mica_text(slash == NULL ? job->source : slash + 1);
    size_t len = strlen(ending);
    bool ends =
        name.len > len && memcmp(name.ptr + name.len - len, ending, len) == 0;
    struct mica_text slug = mica_text_slice(name, 0, name.len - len);
    if (!ends || !is_slug(slug))
        return mica_error_set(job->error, MICA_E_USAGE, "",
                              "\"%.*s\" is no file name of an engine: it is "
                              "lower-case letters, digits and single '-' "
                              "between them, at most %d, and then %s.",
                              MICA_ARG(name), MICA_SLUG_MAX, ending);
    memcpy(job->slug, slug.ptr, slug.len);
    memcpy(job->identifier, slug.ptr, slug.len);
    for (size_t i = 0; i < slug.len; i++)
        if (job->identifier[i] == '-')
            job->identifier[i] = '_';
    return mica_source_file(job->source, job->error);
}

// ---- Results in place ----------------------------------------------------------------

// Says that this user has built it. What is sealed are the hashes of the bytes that
// were inspected. A build that cannot say so is good all the same: it is loaded from
// a folder that is named.
static enum mica_status
engine_seal(struct mica_job *job)
{
    char from[PATH_MAX], to[PATH_MAX], text[MICA_SEAL_SIZE];
    struct mica_sealed sealed;
    struct mica_seal_key key;
    struct mica_error error;
    if (mica_seal_key(&error, &key) != MICA_OK) {
        mica_buffer_format(job->diagnostics, "%s: warning: not sealed: %s\n",
                           job->source, error.message);
        return MICA_OK;
    }
    memcpy(sealed.object, job->native_sha256, sizeof sealed.object);
    mica_trust_hash_bytes(job->manifest, sealed.manifest);
    if (!mica_seal_write(&key, job->slug, &sealed, text))
        return mica_error_set(job->error, MICA_E_INTERNAL, "",
                              "%s has no hash.", job->source);
    MICA_TRY(mica_job_path(job, from, "engine.seal"));
    MICA_TRY(mica_file_write(from, mica_text(text), job->error));
    MICA_TRY(mica_path(to, job->error, "%s/%s.seal", job->options->out_dir,
                       job->slug));
    return mica_file_publish(from, to, job->error);
}

static enum mica_status
publish_files(struct mica_job *job)
{
    char from[PATH_MAX], to[PATH_MAX];
    const char *folder = job->options->out_dir;
    MICA_TRY(engine_seal(job));
    MICA_TRY(mica_job_path(job, from, "engine.so"));
    MICA_TRY(mica_path(to, job->error, "%s/%s-%s.so", folder, job->slug,
                       job->sha256));
    MICA_TRY(mica_file_publish(from, to, job->error));
    if (job->options->object) {
        MICA_TRY(mica_job_path(job, from, "carrying.o"));
        MICA_TRY(mica_path(to, job->error, "%s/%s.o", folder, job->slug));
        MICA_TRY(mica_file_publish(from, to, job->error));
    }
    MICA_TRY(mica_job_module(job));
    MICA_TRY(mica_job_path(job, from, "module.wasm"));
    MICA_TRY(mica_path(to, job->error, "%s/%s.wasm", folder, job->slug));
    MICA_TRY(mica_file_publish(from, to, job->error));
    MICA_TRY(mica_job_publish_web(job));
    MICA_TRY(mica_job_path(job, from, "manifest.json"));
    MICA_TRY(mica_path(to, job->error, "%s/%s.json", folder, job->slug));
    MICA_TRY(mica_file_publish(from, to, job->error));
    mica_folder_sweep(folder, job->slug, job->sha256);
    return MICA_OK;
}

// With the lock: what is published next was built of files that are as new at least. The
// manifest is written before the files are looked at, so that one that is saved later is
// newer.
static enum mica_status
publish_unless_stale(struct mica_job *job)
{
    char built[MICA_SHA256_SIZE], manifest[PATH_MAX];
    memcpy(built, job->fingerprint, sizeof built);
    MICA_TRY(mica_job_path(job, manifest, "manifest.json"));
    MICA_TRY(mica_file_write(manifest, job->manifest, job->error));
    MICA_TRY(mica_job_fingerprint(job));
    job->is_stale = strcmp(built, job->fingerprint) != 0;
    return job->is_stale ? MICA_OK : publish_files(job);
}

// One build at a time: of two of the same engine, the files of one are there, and of the
// one that has read the newer files.
static enum mica_status
engine_publish(struct mica_job *job)
{
    int lock;
    MICA_TRY(mica_folder_lock(job->options->out_dir, MICA_LOCK_MS, job->error,
                              &lock));
    enum mica_status status = publish_unless_stale(job);
    (void)close(lock);
    return status;
}

// From module.wasm and what was described to the files of the engine.
static enum mica_status
engine_translate(struct mica_job *job)
{
    MICA_TRY(mica_step_translate(job));
    MICA_TRY(mica_step_fallback(job));
    MICA_TRY(mica_step_page(job));
    MICA_TRY(mica_job_manifest(job));
    MICA_TRY(mica_step_assemble(job));
    return engine_publish(job);
}

// ---- From a source ---------------------------------------------------------------------

static enum mica_status
check_words(struct mica_job *job)
{
    struct mica_text text;
    MICA_TRY(mica_file_read(job->arena, job->source, job->error, &text));
    MICA_TRY(
        mica_source_words(job->source, text, job->diagnostics, job->error));
    MICA_TRY(
        mica_purity_source(text, job->source, job->diagnostics, job->error));
    return mica_formats_check(text, job->source, job->diagnostics, job->error);
}

static enum mica_status
engine_build(struct mica_job *job, enum mica_build_outcome *outcome_out)
{
    MICA_TRY(take_name(job, ".c"));
    MICA_TRY(mica_job_fingerprint(job));
    *outcome_out = MICA_UP_TO_DATE;
    if (!job->options->force && mica_job_is_current(job))
        return MICA_OK;
    *outcome_out = MICA_BUILT;
    MICA_TRY(mica_folder_temporary(job->options->out_dir, job->folder,
                                   &job->folder_lock, job->error));
    MICA_TRY(check_words(job));
    MICA_TRY(mica_step_compile(job));
    MICA_TRY(mica_step_describe(job));
    MICA_TRY(mica_job_limits(job));
    MICA_TRY(mica_step_link(job));
    MICA_TRY(mica_step_check(job));
    return engine_translate(job);
}

// ---- From a module -----------------------------------------------------------------------

static enum mica_status
build_module(struct mica_job *job, enum mica_build_outcome *outcome_out)
{
    char copy[PATH_MAX], manifest[PATH_MAX];
    struct mica_text bytes;
    *outcome_out = MICA_BUILT;
    MICA_TRY(take_name(job, ".wasm"));
    MICA_TRY(mica_job_fingerprint(job));
    MICA_TRY(mica_folder_temporary(job->options->out_dir, job->folder,
                                   &job->folder_lock, job->error));
    MICA_TRY(mica_job_path(job, copy, "module.wasm"));
    MICA_TRY(mica_file_read(job->arena, job->source, job->error, &bytes));
    MICA_TRY(mica_file_write(copy, bytes, job->error));
    MICA_TRY(mica_step_check(job));
    MICA_TRY(mica_path(manifest, job->error, "%.*s.json",
                       (int)(strlen(job->source) - strlen(".wasm")),
                       job->source));
    MICA_TRY(mica_source_file(manifest, job->error));
    MICA_TRY(mica_file_read(job->arena, manifest, job->error, &job->described));
    MICA_TRY(mica_job_limits(job));
    return engine_translate(job);
}

typedef enum mica_status build_steps(struct mica_job *job,
                                     enum mica_build_outcome *outcome_out);

// A job from its first step to the end of its folder.
static enum mica_status
run_job(const struct mica_build_options *options, const char *source,
        struct mica_buffer *diagnostics, struct mica_error *error,
        build_steps *steps, enum mica_build_outcome *outcome_out,
        bool *stale_out)
{
    struct mica_arena arena;
    struct mica_error unused = {0};
    struct mica_job job = {.options = options,
                           .tools = options->toolchain,
                           .source = source,
                           .arena = &arena,
                           .diagnostics = diagnostics,
                           .error = error == NULL ? &unused : error};
    enum mica_build_outcome outcome;
    mica_arena_init(&arena, ARENA_BYTES);
    mica_confine_warn(diagnostics);
    enum mica_status status = steps(&job, &outcome);
    *stale_out = status == MICA_OK && job.is_stale;
    if (job.folder[0] != '\0')
        mica_folder_discard(job.folder, job.folder_lock);
    mica_arena_fini(&arena);
    if (status == MICA_OK)
        *outcome_out = outcome;
    return status;
}

// Again while files change that were read.
static enum mica_status
run_jobs(const struct mica_build_options *options, const char *source,
         struct mica_buffer *diagnostics, struct mica_error *error,
         build_steps *steps, enum mica_build_outcome *outcome_out)
{
    size_t printed = diagnostics->len;
    bool is_stale;
    for (int i = 0; i < MICA_BUILD_TRIES; i++) {
        diagnostics->len = printed;
        MICA_TRY(run_job(options, source, diagnostics, error, steps,
                         outcome_out, &is_stale));
        if (!is_stale)
            return MICA_OK;
    }
    return mica_build_stale(source, error);
}

enum mica_status
mica_build_stale(const char *source, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_BUILD, "",
                          "%s, or what it includes, has changed each of %d "
                          "times while it was built; build it again when no "
                          "program changes it",
                          source, MICA_BUILD_TRIES);
}

enum mica_status
mica_build_engine(const struct mica_build_options *options, const char *source,
                  struct mica_buffer *diagnostics, struct mica_error *error,
                  enum mica_build_outcome *outcome_out)
{
    return run_jobs(options, source, diagnostics, error, engine_build,
                    outcome_out);
}

enum mica_status
mica_build_module(const struct mica_build_options *options, const char *wasm,
                  struct mica_buffer *diagnostics, struct mica_error *error)
{
    enum mica_build_outcome outcome;
    return run_jobs(options, wasm, diagnostics, error, build_module, &outcome);
}
