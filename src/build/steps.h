// SPDX-License-Identifier: Apache-2.0
//
// The steps of a build, in the order they are taken. All work in job->folder, a
// folder of this build alone, under fixed names, so that no path gets into what
// they make.
#ifndef MICA_BUILD_STEPS_H
#define MICA_BUILD_STEPS_H

#include <mica/engine.h>

#include "build/build.h"
#include "build/files.h"
#include "build/process.h"
#include "build/purity.h"

enum {
    MICA_WASM_PAGE = 65536,
    MICA_SLUG_MAX = 64,
    MICA_HASH_SIZE = 65,
    MICA_BUILD_TRIES = 3 // of one whose files change meanwhile
};

struct mica_job {
    // What its compilers may reach: the source, mica's parts, and the folder.
    struct mica_confinement confinement;
    const char *reads[8];
    const struct mica_build_options *options;
    const struct mica_toolchain *tools;
    const char *source; // as the user wrote it; for messages
    char slug[MICA_SLUG_MAX + 1], identifier[MICA_SLUG_MAX + 1];
    char folder[PATH_MAX];            // of this build, "" before it is made
    int folder_lock;                  // of mica_folder_temporary
    char fingerprint[MICA_HASH_SIZE]; // of all that goes in
    char sha256[MICA_HASH_SIZE];      // of the module
    // Of its JavaScript fallback, of the page it brings, and of that as a view; "" for none.
    char fallback_sha256[MICA_HASH_SIZE], page_sha256[MICA_HASH_SIZE];
    char view_sha256[MICA_HASH_SIZE];
    struct mica_text page_policy;       // what a policy has to allow on that
    char native_sha256[MICA_HASH_SIZE]; // of the shared object, as inspected
    // As they were checked and made; a compiler may have changed their files since.
    struct mica_text module, fallback, page, view;
    size_t wasm_size;
    bool patterns;         // its tables have some: there is patterns.o
    uint32_t memory_pages; // that the module starts with
    uint32_t stack_bytes;  // of the native stack, that a call may use
    uint32_t time_ms, memory_bytes, output_bytes;
    struct mica_text described;            // what its tables say of the engine
    const struct mica_view *view_declared; // by its author; or NULL
    struct mica_text manifest;
    bool is_stale; // a file has changed since: nothing was published
    struct mica_arena *arena;
    struct mica_buffer *diagnostics;
    struct mica_error *error;
};

// The error of a build whose files have changed in each of MICA_BUILD_TRIES.
enum mica_status mica_build_stale(const char *source, struct mica_error *error);

// How a program of the toolchain ended: one that was stopped at a limit is a
// source that cannot be built, MICA_E_BUILD. `error` may be NULL.
enum mica_status mica_job_limited(enum mica_status status, const char *source,
                                  struct mica_error *error);

// Runs a program of the toolchain, confined. `folder` may be NULL, and `error`.
// Errors: MICA_E_BUILD (stopped at a limit), MICA_E_NOT_FOUND, MICA_E_CANCELLED,
// MICA_E_IO.
enum mica_status
mica_job_process(struct mica_job *job, struct mica_process *command,
                 const char *folder, struct mica_buffer *printed,
                 struct mica_error *error, int *exit_out) MICA_MUST_USE;

// Runs one in job->folder; anything but success becomes `message` with
// MICA_E_BUILD.
enum mica_status mica_job_run(struct mica_job *job,
                              struct mica_process *command, const char *message)
    MICA_MUST_USE;

// path = job->folder/name
enum mica_status mica_job_path(struct mica_job *job, char out[PATH_MAX],
                               const char *name) MICA_MUST_USE;

// Writes the text as a C string, in lines of bounded length.
void mica_job_literal(struct mica_buffer *out, struct mica_text text);

// Reads a module or an object of job->folder; its size is known then.
enum mica_status mica_job_wasm(struct mica_job *job, const char *name,
                               struct mica_wasm *wasm_out) MICA_MUST_USE;

// source -> engine.o, checked for purity
enum mica_status mica_step_compile(struct mica_job *job) MICA_MUST_USE;

// An object of job->folder, or the shared one, has the form of a translation
// (native_object.h); of the shared one the hash is known then.
enum mica_status mica_job_native(struct mica_job *job, const char *name,
                                 bool is_shared) MICA_MUST_USE;

// engine.su: whether the author's functions fit the stack in the module.
enum mica_status mica_stack_locals(struct mica_job *job) MICA_MUST_USE;

// The patterns of the tables -> patterns.o, when there are any
enum mica_status mica_job_patterns(struct mica_job *job,
                                   const struct mica_engine *engine)
    MICA_MUST_USE;

// engine.o -> job->described and patterns.o, from its tables
enum mica_status mica_step_describe(struct mica_job *job) MICA_MUST_USE;

// job->module -> module.wasm, for a program that reads it, or for all.
enum mica_status mica_job_module(struct mica_job *job) MICA_MUST_USE;

// engine.o -> module.wasm
enum mica_status mica_step_link(struct mica_job *job) MICA_MUST_USE;

// module.wasm -> job->module, checked; its hash, size and memory are known
enum mica_status mica_step_check(struct mica_job *job) MICA_MUST_USE;

// module.wasm -> unit.o; its need of stack is known
enum mica_status mica_step_translate(struct mica_job *job) MICA_MUST_USE;

// The translation in C -> unit.o, inspected, by the C compiler or from the cache
// (build_cache.h); its need of stack is known
enum mica_status mica_step_native(struct mica_job *job, struct mica_text code)
    MICA_MUST_USE;

// module.wasm -> twin.js; nothing without wasm2js
enum mica_status mica_step_fallback(struct mica_job *job) MICA_MUST_USE;

// <slug>.html beside the source -> page.html, view.html; nothing without a page
enum mica_status mica_step_page(struct mica_job *job) MICA_MUST_USE;

// Where that page is, or would be.
// The design system that the build puts into a page, beside the runtime's headers.
enum mica_status mica_design_path(char out[PATH_MAX],
                                  const struct mica_job *job) MICA_MUST_USE;
enum mica_status mica_page_path(char out[PATH_MAX], const char *source,
                                struct mica_error *error) MICA_MUST_USE;

// The same, and whether it is there. A page is published for all to read, so it is
// held to what a source is (mica_source_file). Errors: MICA_E_BUILD.
enum mica_status mica_page_find(char out[PATH_MAX], const char *source,
                                struct mica_error *error, bool *found_out)
    MICA_MUST_USE;

// unit.su: how much native stack calls may use.
enum mica_status mica_stack_native(struct mica_job *job) MICA_MUST_USE;

// unit.o, manifest -> engine-linked.o and engine.so
enum mica_status mica_step_assemble(struct mica_job *job) MICA_MUST_USE;

// Puts what browsers load beside the module in the out folder.
enum mica_status mica_job_publish_web(struct mica_job *job) MICA_MUST_USE;

// The limits that were described.
enum mica_status mica_job_limits(struct mica_job *job) MICA_MUST_USE;

// The manifest's text from what was described, and the limits in it.
enum mica_status mica_job_manifest(struct mica_job *job) MICA_MUST_USE;

// Fills job->fingerprint.
enum mica_status mica_job_fingerprint(struct mica_job *job) MICA_MUST_USE;

// Whether the files in the out folder were made from the same fingerprint, and
// by this user.
bool mica_job_is_current(struct mica_job *job);

#endif
