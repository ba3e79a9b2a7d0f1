// SPDX-License-Identifier: Apache-2.0
//
// From the object to what its tables say, and to the module that is served.
#include <stdio.h>
#include <string.h>

#include "build/module_form.h"
#include "build/module_tables.h"
#include "build/purity.h"
#include "build/steps.h"
#include "engine/limits.h"
#include "engine/run.h"
#include "sandbox/trust.h"
#include "view/view_check.h"

enum mica_status
mica_job_wasm(struct mica_job *job, const char *name,
              struct mica_wasm *wasm_out)
{
    char path[PATH_MAX];
    struct mica_text bytes;
    MICA_TRY(mica_job_path(job, path, name));
    MICA_TRY(mica_file_read(job->arena, path, job->error, &bytes));
    job->wasm_size = bytes.len;
    return mica_wasm_read(job->arena, bytes, job->error, wasm_out);
}

// What the module says it will never exceed: the limit of its engine, so that
// every runtime keeps that. What asks for less than it begins with is refused
// later, in better words than the linker's.
static uint32_t
memory_max(const struct mica_job *job)
{
    uint32_t pages = job->memory_bytes / MICA_WASM_PAGE;
    return pages > 0 && pages >= job->memory_pages ? pages * MICA_WASM_PAGE
                                                   : MICA_LARGEST_MEMORY_BYTES;
}

// Links `out` with these exports and these words besides.
static enum mica_status
link_module(struct mica_job *job, const char *out, const char *const *exports,
            const char *const *more)
{
    static const char *const options[] = {
        "--no-entry", "--gc-sections", "--strip-all",
        // A stack that overflows runs out of the memory instead of over data.
        "--stack-first", "-z", "stack-size=32768",
        // Exported, so that the linker puts no constructor calls around the
        // others.
        "--export=__wasm_call_ctors", "engine.o", NULL};
    char memory[32];
    struct mica_process command = {0};
    (void)snprintf(memory, sizeof memory, "--max-memory=%u", memory_max(job));
    mica_process_add(&command, job->tools->wasm_ld);
    mica_process_add(&command, memory);
    mica_process_add_all(&command, options);
    mica_process_add_all(&command, exports);
    mica_process_add_all(&command, more);
    mica_process_add(&command, "-o");
    mica_process_add(&command, out);
    mica_process_add(&command, job->tools->module_archive);
    mica_process_add(&command, "-L");
    mica_process_add(&command, job->tools->libc_lib);
    mica_process_add(&command, "-lc");
    mica_process_add(&command, job->tools->builtins);
    return mica_job_run(job, &command,
                        "it does not link; the linker says why. Does it have "
                        "one MICA_ENGINE?");
}

// The tables and all they point to, as they will lie in a memory.
static enum mica_status
read_tables(struct mica_job *job, struct mica_engine *engine_out)
{
    static const char *const exports[] = {"--export=" MICA_TABLES_EXPORT, NULL};
    static const char *const none[] = {NULL};
    struct mica_wasm wasm;
    MICA_TRY(link_module(job, "tables.wasm", exports, none));
    MICA_TRY(mica_job_wasm(job, "tables.wasm", &wasm));
    job->memory_pages = wasm.memory_pages;
    if (wasm.import_count > 0) // refused, in the words of the served module
        return mica_purity_module(&wasm, job->error);
    return mica_tables_read(job->arena, &wasm, job->error, engine_out);
}

// The document of an engine's view is its page, and has the page's name.
static enum mica_status
check_view(struct mica_job *job, const struct mica_view *view)
{
    char page[PATH_MAX], file[PATH_MAX];
    bool found;

    job->view_declared = view;
    if (view == NULL)
        return MICA_OK;
    MICA_TRY(mica_path(file, job->error, "%s.html", job->slug));
    MICA_TRY(mica_page_find(page, job->source, job->error, &found));
    if (mica_view_check(view, job->error) != MICA_OK) {
        mica_error_prefix(job->error, "%s", job->source);
        return MICA_E_BUILD;
    }
    if (found && view->file != NULL && strcmp(view->file, file) == 0)
        return MICA_OK;
    return mica_error_set(job->error, MICA_E_BUILD, "",
                          "%s: the .view of an engine is the page beside it: "
                          "write .file = \"%s\", and that file",
                          job->source, file);
}

enum mica_status
mica_step_describe(struct mica_job *job)
{
    struct mica_engine engine;
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    MICA_TRY(read_tables(job, &engine));
    mica_buffer_init(&buffer, job->arena, job->arena->cap);
    mica_json_writer_init(&writer, &buffer);
    if (mica_engine_describe(&engine, job->arena, job->error, &writer) !=
        MICA_OK) {
        mica_error_prefix(job->error, "%s", job->source);
        return MICA_E_BUILD;
    }
    job->described = mica_buffer_as_text(&buffer);
    MICA_TRY(check_view(job, engine.view));
    return mica_job_patterns(job, &engine);
}

// The module as mica takes it (module_form.h), into job->module: what reads it next
// finds no name but mica's own.
static enum mica_status
take_form(struct mica_job *job)
{
    char path[PATH_MAX];
    struct mica_text bytes;
    MICA_TRY(mica_job_path(job, path, "module.wasm"));
    MICA_TRY(mica_file_read(job->arena, path, job->error, &bytes));
    MICA_TRY(mica_module_form(job->arena, bytes, job->error, &job->module));
    return mica_job_module(job);
}

enum mica_status
mica_job_module(struct mica_job *job)
{
    char path[PATH_MAX];
    MICA_TRY(mica_job_path(job, path, "module.wasm"));
    return mica_file_write(path, job->module, job->error);
}

// Browsers fetch the module, so it is to be small. What is tried out once is not
// worth the time.
static enum mica_status
make_small(struct mica_job *job)
{
    struct mica_process command = {0};
    const char *const words[] = {job->tools->wasm_opt,
                                 "-Oz",
                                 "--enable-bulk-memory",
                                 "module.wasm",
                                 "-o",
                                 "module.wasm",
                                 NULL};
    if (job->options->fast || job->tools->wasm_opt[0] == '\0')
        return MICA_OK;
    mica_process_add_all(&command, words);
    return mica_job_run(job, &command, "wasm-opt cannot make it smaller.");
}

enum mica_status
mica_step_link(struct mica_job *job)
{
    static const char *const exports[] = {
        "--export=mica_module_exchange", "--export=mica_module_input",
        "--export=mica_module_run", "--export=mica_module_parse", NULL};
    static const char *const patterns[] = {
        "patterns.o", "--undefined=mica_regex_compile",
        "--undefined=mica_regex_match", NULL};
    static const char *const none[] = {NULL};
    MICA_TRY(link_module(job, "module.wasm", exports,
                         job->patterns ? patterns : none));
    MICA_TRY(take_form(job));
    return make_small(job);
}

enum mica_status
mica_step_check(struct mica_job *job)
{
    struct mica_wasm wasm;
    MICA_TRY(take_form(job));
    MICA_TRY(mica_wasm_read(job->arena, job->module, job->error, &wasm));
    mica_trust_hash_bytes(job->module, job->sha256);
    job->wasm_size = job->module.len;
    job->memory_pages = wasm.memory_pages;
    return mica_purity_module(&wasm, job->error);
}
