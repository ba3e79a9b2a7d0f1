// SPDX-License-Identifier: Apache-2.0
//
// Drives the build of a tool (tool_build.h), and says when there is nothing to do.
#include "build/tool_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build/engine_source.h"

enum {
    ARENA_BYTES = 64 << 20
};

static enum mica_status
take_name(struct mica_tool_job *job)
{
    const char *slash = strrchr(job->source, '/');
    struct mica_text file = mica_text(slash == NULL ? job->source : slash + 1);
    bool ends = file.len > 2 && memcmp(file.ptr + file.len - 2, ".c", 2) == 0;
    struct mica_text name = mica_text_slice(file, 0, ends ? file.len - 2 : 0);

    if (!mica_tool_name_valid(name))
        return mica_error_set(job->error, MICA_E_USAGE, "",
                              "\"%.*s\" is no file name of a tool: it is the "
                              "tool's name, 1 to %d of A-Z a-z 0-9 _ . -, and "
                              "then .c",
                              MICA_ARG(file), MICA_TOOL_NAME_LENGTH);
    memcpy(job->name, name.ptr, name.len);
    MICA_TRY(mica_path(job->tools_dir, job->error, "%.*s",
                       slash == NULL ? 1 : (int)(slash - job->source),
                       slash == NULL ? "." : job->source));
    MICA_TRY(mica_path(job->lib_dir, job->error, "%s/lib", job->tools_dir));
    if (strcmp(job->tools_dir, "tools") == 0) // of the project itself
        MICA_TRY(mica_path_inside(job->lib_dir, job->error));
    job->has_lib = mica_folder_exists(job->lib_dir);
    return mica_source_file(job->source, job->error);
}

static enum mica_status
find_out_dir(struct mica_tool_job *job)
{
    const char *folder = job->options->out_dir;

    if ((mkdir(folder, 0755) != 0 && errno != EEXIST) ||
        realpath(folder, job->out_dir) == NULL)
        return mica_error_set(job->error, MICA_E_IO, "",
                              "Cannot make the folder %s: %s", folder,
                              strerror(errno));
    return MICA_OK;
}

// ---- When there is nothing to do -------------------------------------------------

static enum mica_status
find_fingerprint(struct mica_tool_job *job)
{
    return mica_tool_fingerprint(job, false, job->fingerprint);
}

// ---- The course ------------------------------------------------------------------

// What was compiled is what the fingerprint says, also when the author saves a file
// meanwhile.
static enum mica_status
tool_compile(struct mica_tool_job *job)
{
    char before[MICA_SHA256_SIZE];

    for (int i = 0; i < MICA_BUILD_TRIES; i++) {
        memcpy(before, job->fingerprint, sizeof before);
        job->archive[0] = '\0';
        job->flags = (struct mica_tool_flags){0};
        MICA_TRY(mica_tool_archive(job));
        MICA_TRY(mica_tool_compile(job));
        MICA_TRY(find_fingerprint(job));
        if (strcmp(before, job->fingerprint) == 0)
            return MICA_OK;
    }
    return mica_build_stale(job->source, job->error);
}

static enum mica_status
tool_build(struct mica_tool_job *job, enum mica_build_outcome *outcome_out)
{
    MICA_TRY(take_name(job));
    MICA_TRY(find_out_dir(job));
    mica_tool_views_before(job);
    MICA_TRY(find_fingerprint(job));
    *outcome_out = MICA_UP_TO_DATE;
    if (!job->options->force && mica_tool_is_current(job))
        return MICA_OK;
    *outcome_out = MICA_BUILT;
    MICA_TRY(mica_folder_temporary(job->out_dir, job->folder, &job->folder_lock,
                                   job->error));
    job->confinement =
        (struct mica_confinement){MICA_CONFINE_TOOL, job->folder, NULL};
    MICA_TRY(tool_compile(job));
    MICA_TRY(mica_tool_views(job));
    MICA_TRY(find_fingerprint(job));
    MICA_TRY(mica_tool_describe(job));
    return mica_tool_publish(job);
}

// A job from its beginning to the end of its folder.
static enum mica_status
run_job(const struct mica_build_options *options, const char *source,
        struct mica_buffer *diagnostics, struct mica_error *error,
        enum mica_build_outcome *outcome_out, bool *stale_out)
{
    struct mica_arena arena;
    struct mica_error unused = {0};
    struct mica_tool_job *job = calloc(1, sizeof *job);
    enum mica_build_outcome outcome = MICA_BUILT;
    enum mica_status status;

    if (job == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_arena_init(&arena, ARENA_BYTES);
    job->options = options;
    job->source = source;
    job->arena = &arena;
    job->diagnostics = diagnostics;
    job->error = error != NULL ? error : &unused;
    mica_confine_warn(diagnostics);
    status = tool_build(job, &outcome);
    *stale_out = status == MICA_OK && job->is_stale;
    mica_tool_library_drop(job->library);
    if (job->folder[0] != '\0')
        mica_folder_discard(job->folder, job->folder_lock);
    mica_arena_fini(&arena);
    free(job);
    if (status == MICA_OK)
        *outcome_out = outcome;
    return status;
}

enum mica_status
mica_build_tool(const struct mica_build_options *options, const char *source,
                struct mica_buffer *diagnostics, struct mica_error *error,
                enum mica_build_outcome *outcome_out)
{
    size_t printed = diagnostics->len;
    bool is_stale;

    for (int i = 0; i < MICA_BUILD_TRIES; i++) {
        diagnostics->len = printed;
        MICA_TRY(run_job(options, source, diagnostics, error, outcome_out,
                         &is_stale));
        if (!is_stale)
            return MICA_OK;
    }
    return mica_build_stale(source, error);
}
