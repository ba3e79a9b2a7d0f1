// SPDX-License-Identifier: Apache-2.0
//
// From the translation in C to an object: by the C compiler, or from the cache
// (build_cache.h). The key has what the compiler reads and what it is. The compiler
// works in a folder that no other program has written to, so that what was built
// before in this build cannot change what is kept for the next one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/build_cache.h"
#include "build/digest.h"
#include "build/steps.h"

// ---- The compiler -----------------------------------------------------------------

static const char *
unit_compiler(const struct mica_job *job)
{
    // clang, which made the module, takes half as long for code that is thrown
    // away soon.
    return job->options->fast ? job->tools->clang : job->tools->cc;
}

// How both ways to read unit.c are called: what is preprocessed is what is compiled.
static void
add_words(struct mica_job *job, struct mica_process *command)
{
    const char *const words[] = {
        unit_compiler(job), job->options->fast ? "-O0" : "-O2", "-std=gnu11",
        "-w", "-DNDEBUG", "-ffp-contract=off", "-fno-math-errno",
        "-fno-strict-aliasing",
        // Endless recursion stays one, not a loop.
        "-fno-optimize-sibling-calls", "-fPIC", "-fvisibility=hidden",
        "-fstack-usage", "-I", job->tools->runtime_dir, NULL};
    mica_process_add_all(command, words);
}

static enum mica_status
run_cc(struct mica_job *job)
{
    static const char *const last[] = {"-c", "-o", "unit.o", "unit.c", NULL};
    struct mica_process command = {0};
    add_words(job, &command);
    mica_process_add_all(&command, last);
    return mica_job_run(job, &command,
                        "the C compiler cannot compile the translation.");
}

// ---- The key ----------------------------------------------------------------------

// What a confined program prints. False when it fails: there is no key then, and the
// compiler says itself what is wrong. `stopped_out` is MICA_E_CANCELLED when the
// build was given up.
static bool
read_output(struct mica_job *job, struct mica_process *command,
            struct mica_text *printed_out, enum mica_status *stopped_out)
{
    struct mica_buffer printed;
    struct mica_error ignored;
    int exit_status = 1;
    mica_buffer_init(&printed, job->arena, job->arena->cap);
    enum mica_status status = mica_job_process(
        job, command, job->folder, &printed, &ignored, &exit_status);
    if (status == MICA_E_CANCELLED)
        *stopped_out = status;
    *printed_out = mica_buffer_as_text(&printed);
    return status == MICA_OK && exit_status == 0 && !printed.overflow;
}

// The file of a program: its path, and by size and time which version of it.
static bool
mix_program(struct mica_digest *digest, struct mica_text program)
{
    const char *folders = getenv("PATH");
    struct stat st;
    char path[PATH_MAX];
    bool found = false;
    if (program.len == 0 || folders == NULL)
        return false;
    if (memchr(program.ptr, '/', program.len) != NULL) {
        found = mica_path(path, NULL, "%.*s", MICA_ARG(program)) == MICA_OK &&
                stat(path, &st) == 0;
        folders = "";
    }
    for (const char *at = folders; !found && *at != '\0';) {
        size_t len = strcspn(at, ":");
        found = mica_path(path, NULL, "%.*s/%.*s", (int)len, at,
                          MICA_ARG(program)) == MICA_OK &&
                access(path, X_OK) == 0 && stat(path, &st) == 0;
        at += len + (at[len] == ':');
    }
    if (!found)
        return false;
    const uint64_t version[] = {(uint64_t)st.st_size,
                                (uint64_t)st.st_mtim.tv_sec,
                                (uint64_t)st.st_mtim.tv_nsec};
    mica_digest_text(digest, mica_text(path));
    mica_digest_text(digest,
                     (struct mica_text){(const char *)version, sizeof version});
    return true;
}

// The driver, and for gcc the programs that it starts.
static bool
mix_compiler(struct mica_job *job, struct mica_digest *digest,
             enum mica_status *stopped_out)
{
    static const char *const parts[] = {"-print-prog-name=cc1",
                                        "-print-prog-name=as"};
    if (!mix_program(digest, mica_text(unit_compiler(job))))
        return false;
    for (size_t i = 0; i < MICA_COUNT(parts); i++) {
        struct mica_process command = {0};
        struct mica_text printed;
        mica_process_add(&command, unit_compiler(job));
        mica_process_add(&command, parts[i]);
        if (!read_output(job, &command, &printed, stopped_out))
            return false;
        while (printed.len > 0 && printed.ptr[printed.len - 1] == '\n')
            printed.len--;
        mica_digest_text(digest, printed);
        // clang has no cc1 of its own and prints the bare name.
        if (!mix_program(digest, printed))
            mica_digest_text(digest, MICA_LITERAL("none"));
    }
    return true;
}

// What wasm2c wrote, with mica's additions: unit.c, and the module.h that it includes.
struct source {
    struct mica_text code, header;
};

// All that the compiler reads is in what the preprocessor prints; the unit beside it,
// so that a unit that deceives the preprocessor has a key of its own all the same.
static bool
make_key(struct mica_job *job, const struct source *source,
         char key[MICA_SHA256_SIZE], enum mica_status *stopped_out)
{
    static const char *const last[] = {"-E", "-P", "unit.c", NULL};
    struct mica_process command = {0};
    struct mica_digest digest;
    struct mica_text printed;
    add_words(job, &command);
    mica_digest_begin(&digest);
    mica_digest_text(&digest, MICA_LITERAL("mica-unit-1"));
    for (size_t i = 0; i + 1 < command.count; i++) // the last is a folder
        mica_digest_text(&digest, mica_text(command.words[i]));
    mica_digest_text(&digest, source->code);
    mica_digest_text(&digest, source->header);
    mica_process_add_all(&command, last);
    if (!mix_compiler(job, &digest, stopped_out) ||
        !read_output(job, &command, &printed, stopped_out))
        return false;
    mica_digest_text(&digest, printed);
    mica_digest_end(&digest, key);
    return true;
}

// ---- An object and what it says of the stack ------------------------------------------

// In an entry a NUL stands between the two.
struct unit {
    struct mica_text usage, object;
};

static enum mica_status
read_unit(struct mica_job *job, struct unit *unit_out)
{
    char path[PATH_MAX];
    MICA_TRY(mica_job_path(job, path, "unit.o"));
    MICA_TRY(mica_file_read(job->arena, path, job->error, &unit_out->object));
    MICA_TRY(mica_job_path(job, path, "unit.su"));
    unit_out->usage = (struct mica_text){"", 0};
    // Without one the stack's check fails.
    return mica_file_exists(path)
               ? mica_file_read(job->arena, path, job->error, &unit_out->usage)
               : MICA_OK;
}

static enum mica_status
place_unit(struct mica_job *job, const struct unit *unit)
{
    char path[PATH_MAX];
    MICA_TRY(mica_job_path(job, path, "unit.o"));
    MICA_TRY(mica_file_write(path, unit->object, job->error));
    MICA_TRY(mica_job_path(job, path, "unit.su"));
    MICA_TRY(mica_file_write(path, unit->usage, job->error));
    MICA_TRY(mica_job_native(job, "unit.o", false));
    return mica_stack_native(job);
}

// Says why nothing is cached. The build continues without a cache.
static void
warn_of_cache(struct mica_job *job, const struct mica_error *error)
{
    mica_buffer_format(job->diagnostics, "%s: warning: not cached: %s\n",
                       job->source, error->message);
}

static bool
find_unit(struct mica_job *job, const char *key, struct unit *unit_out)
{
    struct mica_text entry;
    if (!mica_cache_find(job->tools->cache, key, job->arena, &entry))
        return false;
    const char *end = memchr(entry.ptr, '\0', entry.len);
    if (end == NULL)
        return false;
    size_t usage = (size_t)(end - entry.ptr);
    unit_out->usage = mica_text_slice(entry, 0, usage);
    unit_out->object = mica_text_slice(entry, usage + 1, entry.len);
    return true;
}

static void
keep_unit(struct mica_job *job, const char *key, const struct unit *unit)
{
    struct mica_error error;
    struct mica_buffer entry;
    if (memchr(unit->usage.ptr, '\0', unit->usage.len) != NULL)
        return; // no compiler writes one, so find_unit would read another object
    mica_buffer_init(&entry, job->arena, job->arena->cap);
    mica_buffer_text(&entry, unit->usage);
    mica_buffer_char(&entry, '\0');
    mica_buffer_text(&entry, unit->object);
    if (!entry.overflow &&
        mica_cache_keep(job->tools->cache, key, mica_buffer_as_text(&entry),
                        &error) != MICA_OK)
        warn_of_cache(job, &error);
}

// ---- The step ----------------------------------------------------------------------

// In a fresh folder, which is job->folder meanwhile.
static enum mica_status
compile_unit(struct mica_job *job, const struct source *source, bool cached,
             char key[MICA_SHA256_SIZE], struct unit *unit_out)
{
    char path[PATH_MAX];
    enum mica_status stopped = MICA_OK;
    key[0] = '\0';
    MICA_TRY(mica_job_path(job, path, "unit.c"));
    MICA_TRY(mica_file_write(path, source->code, job->error));
    MICA_TRY(mica_job_path(job, path, "module.h"));
    MICA_TRY(mica_file_write(path, source->header, job->error));
    if (cached && !make_key(job, source, key, &stopped))
        key[0] = '\0';
    if (stopped != MICA_OK)
        return mica_error_set(job->error, stopped, "",
                              "%s: the build was given up.", job->source);
    if (key[0] != '\0' && find_unit(job, key, unit_out)) {
        key[0] = '\0'; // it is there
        return MICA_OK;
    }
    MICA_TRY(run_cc(job));
    return read_unit(job, unit_out);
}

static bool
has_cache(struct mica_job *job)
{
    struct mica_error error;
    if (job->tools->cache[0] == '\0')
        return false;
    if (mica_cache_open(job->tools->cache, &error) == MICA_OK)
        return true;
    warn_of_cache(job, &error);
    return false;
}

enum mica_status
mica_step_native(struct mica_job *job, struct mica_text code)
{
    char own[PATH_MAX], fresh[PATH_MAX], key[MICA_SHA256_SIZE];
    struct source source = {.code = code};
    struct unit unit;
    int lock;
    MICA_TRY(mica_job_path(job, fresh, "module.h"));
    MICA_TRY(mica_file_read(job->arena, fresh, job->error, &source.header));
    MICA_TRY(
        mica_folder_temporary(job->options->out_dir, fresh, &lock, job->error));
    memcpy(own, job->folder, sizeof own);
    memcpy(job->folder, fresh, sizeof fresh);
    enum mica_status status =
        compile_unit(job, &source, has_cache(job), key, &unit);
    memcpy(job->folder, own, sizeof own);
    mica_folder_discard(fresh, lock);
    if (status == MICA_OK)
        status = place_unit(job, &unit);
    if (status == MICA_OK && key[0] != '\0')
        keep_unit(job, key, &unit);
    return status;
}
