// SPDX-License-Identifier: Apache-2.0
//
// What browsers load beside a module: its fallback, the ES module that runs either,
// the types of that, and what all engines of a folder share.
#include "base/assert.h"
#include "build/steps.h"
#include "page/assets.h"
#include "page/engine.h"

// Puts a text into the out folder, by way of the job's own.
static enum mica_status
web_publish(struct mica_job *job, const char *name, struct mica_text text)
{
    char from[PATH_MAX], to[PATH_MAX];
    MICA_TRY(mica_job_path(job, from, "web"));
    MICA_TRY(mica_path(to, job->error, "%s/%s", job->options->out_dir, name));
    MICA_TRY(mica_file_write(from, text, job->error));
    return mica_file_publish(from, to, job->error);
}

// Under the name of the engine.
static enum mica_status
publish_own(struct mica_job *job, const char *ending, struct mica_text text)
{
    char name[PATH_MAX];
    MICA_TRY(mica_path(name, job->error, "%s%s", job->slug, ending));
    return web_publish(job, name, text);
}

static enum mica_status
publish_text(struct mica_job *job, const char *ending,
             const struct mica_buffer *text)
{
    if (text->overflow)
        return mica_error_set(job->error, MICA_E_LIMIT, "",
                              "%s: what it says of itself is too large.",
                              job->source);
    return publish_own(job, ending, mica_buffer_as_text(text));
}

static enum mica_status
publish_shared(struct mica_job *job)
{
    static const char *const names[] = {"_engine.js", "_engine.d.ts"};
    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        const struct mica_asset *asset =
            mica_asset_find(&mica_engine_assets, mica_text(names[i]));
        MICA_ASSERT(asset != NULL);
        MICA_TRY(web_publish(job, names[i], asset->bytes));
    }
    return MICA_OK;
}

enum mica_status
mica_job_publish_web(struct mica_job *job)
{
    struct mica_json manifest;
    struct mica_page_engine engine;
    struct mica_buffer module, types;
    mica_buffer_init(&module, job->arena, job->arena->cap);
    mica_buffer_init(&types, job->arena, job->arena->cap);
    MICA_TRY(
        mica_json_read(job->arena, job->manifest, NULL, job->error, &manifest));
    mica_page_engine_read(&manifest, &engine);
    mica_page_engine_module(&engine, &module);
    MICA_TRY(mica_page_engine_types(&engine, job->arena, job->error, &types));
    if (job->fallback_sha256[0] != '\0')
        MICA_TRY(publish_own(job, ".twin.js", job->fallback));
    if (job->page_sha256[0] != '\0')
        MICA_TRY(publish_own(job, ".html", job->page));
    if (job->view_sha256[0] != '\0')
        MICA_TRY(publish_own(job, ".view.html", job->view));
    MICA_TRY(publish_shared(job));
    MICA_TRY(publish_text(job, ".d.ts", &types));
    return publish_text(job, ".js", &module);
}
