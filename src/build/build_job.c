// SPDX-License-Identifier: Apache-2.0
//
// What every step of a build does with its job: run a program, name a file, write a
// text into C.
#include <string.h>

#include "build/native_object.h"
#include "build/steps.h"
#include "sandbox/trust.h"

enum mica_status
mica_job_limited(enum mica_status status, const char *source,
                 struct mica_error *error)
{
    if (status != MICA_E_TIMEOUT && status != MICA_E_LIMIT)
        return status;
    return mica_error_set(error, MICA_E_BUILD, "", "%s: %s", source,
                          error == NULL ? "" : error->message);
}

enum mica_status
mica_job_process(struct mica_job *job, struct mica_process *command,
                 const char *folder, struct mica_buffer *printed,
                 struct mica_error *error, int *exit_out)
{
    const struct mica_toolchain *tools = job->tools;
    const char *const reads[] = {job->source,           tools->include_dir,
                                 tools->module_archive, tools->runtime_dir,
                                 tools->libc_include,   tools->libc_lib,
                                 tools->builtins,       NULL};
    _Static_assert(sizeof reads == sizeof job->reads, "one list");
    memcpy(job->reads, reads, sizeof reads);
    job->confinement =
        (struct mica_confinement){MICA_CONFINE_ENGINE, job->folder, job->reads};
    command->confinement = &job->confinement;
    return mica_job_limited(
        mica_process_run(command, folder, printed, error, exit_out),
        job->source, error);
}

enum mica_status
mica_job_run(struct mica_job *job, struct mica_process *command,
             const char *message)
{
    int exit_status = 0;
    MICA_TRY(mica_job_process(job, command, job->folder, job->diagnostics,
                              job->error, &exit_status));
    if (exit_status == 0)
        return MICA_OK;
    return mica_error_set(job->error, MICA_E_BUILD, "", "%s: %s", job->source,
                          message);
}

enum mica_status
mica_job_path(struct mica_job *job, char out[PATH_MAX], const char *name)
{
    return mica_path(out, job->error, "%s/%s", job->folder, name);
}

void
mica_job_literal(struct mica_buffer *out, struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (i % 64 == 0)
            mica_buffer_text(out, mica_text(i == 0 ? "    \"" : "\"\n    \""));
        if (c == '"' || c == '\\')
            mica_buffer_format(out, "\\%c", c);
        else if (c >= 0x20 && c < 0x7F && c != '?')
            mica_buffer_char(out, (char)c);
        else // three octal digits end by themselves
            mica_buffer_format(out, "\\%c%c%c", '0' + (c >> 6),
                               '0' + (c >> 3 & 7), '0' + (c & 7));
    }
    mica_buffer_text(out, mica_text(text.len == 0 ? "    \"\"" : "\""));
}

enum mica_status
mica_job_native(struct mica_job *job, const char *name, bool is_shared)
{
    char path[PATH_MAX];
    struct mica_text bytes;
    MICA_TRY(mica_job_path(job, path, name));
    MICA_TRY(mica_file_read(job->arena, path, job->error, &bytes));
    enum mica_status status =
        is_shared ? mica_native_shared(bytes, job->error)
                  : mica_native_object(bytes, job->identifier, job->error);
    if (status != MICA_OK)
        mica_error_prefix(job->error, "%s", job->source);
    else if (is_shared)
        mica_trust_hash_bytes(bytes, job->native_sha256);
    return status;
}
