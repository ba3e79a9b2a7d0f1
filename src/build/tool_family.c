// SPDX-License-Identifier: Apache-2.0
//
// What all tools of a folder are compiled with: one digest of it.
#include "build/tool_build.h"

#include "build/digest.h"

#ifndef MICA_VERSION // meson sets it; this serves the checkers
#    define MICA_VERSION "0.0.0"
#endif

enum mica_status
mica_tool_family(struct mica_tool_job *job, char out[MICA_SHA256_SIZE])
{
    static const char *const headers[] = {".h", NULL};
    static const char *const both[] = {".c", ".h", NULL};
    struct mica_digest digest;
    char include[PATH_MAX];

    MICA_TRY(mica_path(include, job->error, "%s/mica",
                       job->options->toolchain->include_dir));
    mica_digest_begin(&digest);
    mica_digest_text(&digest, mica_text(MICA_VERSION));
    mica_digest_text(&digest, mica_text(job->options->fast ? "fast" : "full"));
    MICA_TRY(mica_digest_folder(&digest, include, headers, job->error));
    MICA_TRY(mica_digest_folder(&digest, job->tools_dir, headers, job->error));
    if (job->has_lib)
        MICA_TRY(mica_digest_folder(&digest, job->lib_dir, both, job->error));
    mica_digest_end(&digest, out);
    return MICA_OK;
}
