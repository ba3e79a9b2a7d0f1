// SPDX-License-Identifier: Apache-2.0
//
// What a tool is built of, as one digest.
#include "build/digest.h"
#include "build/tool_build.h"

// Another one when a manifest has something else in it than before.
#define MANIFEST "manifest 3"

// A file that cannot be read is no part: the build says why.
static void
add_documents(struct mica_tool_job *job, bool now, struct mica_digest *digest)
{
    struct mica_error unused;

    for (size_t i = 0; i < MICA_TOOL_DOCUMENTS; i++) {
        const struct mica_tool_document *document = &job->documents[i];
        struct mica_text text = document->text;
        if (document->file[0] == '\0' ||
            ((now || text.len == 0) &&
             mica_tool_document(job, document->file, &unused, &text) !=
                 MICA_OK))
            continue;
        mica_digest_text(digest, mica_text(document->file));
        mica_digest_text(digest, text);
    }
}

enum mica_status
mica_tool_fingerprint(struct mica_tool_job *job, bool now,
                      char out[MICA_SHA256_SIZE])
{
    struct mica_digest digest;

    MICA_TRY(mica_tool_family(job, job->family));
    mica_digest_begin(&digest);
    mica_digest_text(&digest, mica_text(MANIFEST));
    mica_digest_text(&digest, mica_text(job->family));
    mica_digest_text(&digest, mica_text(job->name));
    mica_digest_text(&digest, mica_text(job->options->toolchain->cc));
    MICA_TRY(mica_digest_file(&digest, job->source, job->error));
    add_documents(job, now, &digest);
    mica_digest_end(&digest, out);
    return MICA_OK;
}
