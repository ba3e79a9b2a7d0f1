// SPDX-License-Identifier: Apache-2.0
//
// From the module to its JavaScript fallback, for browsers that are told to run
// no WebAssembly. wasm2js writes a program that runs once; what is published is
// a function that makes a fresh instance for each call, as mica does elsewhere,
// and whose memory ends where the module's does.
#include <string.h>

#include "build/steps.h"
#include "sandbox/trust.h"

// Copies `code` up to `wordsz` to the output and returns what follows the words.
static enum mica_status
copy_to(struct mica_job *job, struct mica_text *code, const char *wordsz,
        struct mica_buffer *out)
{
    const char *at = memmem(code->ptr, code->len, wordsz, strlen(wordsz));
    if (at == NULL)
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "wasm2js writes a program that mica does not "
                              "know (it has no \"%s\"); use binaryen 108.",
                              wordsz);
    size_t before = (size_t)(at - code->ptr);
    mica_buffer_text(out, mica_text_slice(*code, 0, before));
    *code = mica_text_slice(*code, before + strlen(wordsz), code->len);
    return MICA_OK;
}

// A module without growing memory has no function for it.
static enum mica_status
bound_memory(struct mica_job *job, struct mica_text *code,
             struct mica_buffer *out)
{
    static const char grow[] = "function __wasm_memory_grow(";
    if (memmem(code->ptr, code->len, grow, sizeof grow - 1) == NULL)
        return MICA_OK;
    MICA_TRY(copy_to(
        job, code, "if ((oldPages < newPages) && (newPages < 65536)) {", out));
    mica_buffer_format(out,
                       "if (newPages > %u) return -1;\n"
                       "  if (oldPages < newPages) {",
                       job->memory_bytes / MICA_WASM_PAGE);
    return MICA_OK;
}

static enum mica_status
fallback_rewrite(struct mica_job *job, struct mica_text code)
{
    char path[PATH_MAX];
    struct mica_buffer out;
    mica_buffer_init(&out, job->arena, job->arena->cap);
    mica_buffer_format(
        &out, "// Written by mica: what %s.wasm does, in JavaScript.\n",
        job->slug);
    MICA_TRY(bound_memory(job, &code, &out));
    MICA_TRY(copy_to(job, &code, "\nvar retasmFunc = asmFunc(", &out));
    mica_buffer_text(&out,
                     mica_text("\nexport default () => asmFunc({\n"
                               "  abort() { throw new Error(\"unreachable\"); "
                               "}\n});\n"));
    if (out.overflow)
        return mica_error_set(job->error, MICA_E_LIMIT, "",
                              "%s: its JavaScript fallback is too large.",
                              job->source);
    MICA_TRY(mica_job_path(job, path, "twin.js"));
    job->fallback = mica_buffer_as_text(&out);
    mica_trust_hash_bytes(job->fallback, job->fallback_sha256);
    return mica_file_write(path, job->fallback, job->error);
}

// ---- wasm2js -------------------------------------------------------------------

// False when that program is not there or fails.
static bool
fallback_runs(struct mica_job *job, const char *const *words)
{
    struct mica_process command = {0};
    struct mica_buffer printed;
    int exit_status = 1;
    mica_process_add_all(&command, words);
    mica_buffer_init(&printed, job->arena, job->arena->cap);
    return mica_job_process(job, &command, job->folder, &printed, NULL,
                            &exit_status) == MICA_OK &&
           exit_status == 0;
}

// The small one. wasm2js stops at an access that is not aligned, which its own
// optimizer makes of a small memory.copy; so that is done first, and lowered. It
// may find another all the same.
static bool
translate_small(struct mica_job *job)
{
    const char *const lower[] = {job->tools->wasm_opt,
                                 "--enable-bulk-memory",
                                 "-O",
                                 "--alignment-lowering",
                                 "module.wasm",
                                 "-o",
                                 "lowered.wasm",
                                 NULL};
    const char *const translate[] = {job->tools->wasm2js,
                                     "--enable-bulk-memory",
                                     "-O",
                                     "lowered.wasm",
                                     "-o",
                                     "wasm2js.js",
                                     NULL};
    return fallback_runs(job, lower) && fallback_runs(job, translate);
}

static bool
job_translate(struct mica_job *job)
{
    const char *const words[] = {job->tools->wasm2js, "--enable-bulk-memory",
                                 "module.wasm",       "-o",
                                 "wasm2js.js",        NULL};
    return (!job->options->fast && translate_small(job)) ||
           fallback_runs(job, words);
}

static enum mica_status
fallback_make(struct mica_job *job)
{
    char path[PATH_MAX];
    struct mica_text code;
    MICA_TRY(mica_job_module(job));
    if (!job_translate(job))
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "wasm2js cannot translate the module.");
    MICA_TRY(mica_job_path(job, path, "wasm2js.js"));
    MICA_TRY(mica_file_read(job->arena, path, job->error, &code));
    return fallback_rewrite(job, code);
}

// Without a fallback an engine still runs, where WebAssembly is refused on the server.
// So a module that no compiler of ours has made, or another wasm2js, is no reason
// to have no engine.
enum mica_status
mica_step_fallback(struct mica_job *job)
{
    if (job->tools->wasm2js[0] == '\0' || fallback_make(job) == MICA_OK)
        return MICA_OK;
    job->fallback_sha256[0] = '\0';
    mica_buffer_format(job->diagnostics,
                       "%s: warning: no JavaScript fallback: %s\n", job->source,
                       job->error->message);
    return MICA_OK;
}
