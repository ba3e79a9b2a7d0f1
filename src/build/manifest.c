// SPDX-License-Identifier: Apache-2.0
//
// What was described, and what the build adds to it.
#include <string.h>

#include <mica/engine.h>
#include <mica/json.h>

#include "build/steps.h"

static enum mica_status
wrong_name(struct mica_job *job, struct mica_text named)
{
    return mica_error_set(job->error, MICA_E_BUILD, "",
                          "%s calls its engine %.*s; the name has to be that "
                          "of the file: MICA_ENGINE(%s, …), or rename the "
                          "file.",
                          job->source, MICA_ARG(named), job->identifier);
}

static uint32_t
manifest_limit(const struct mica_json *limits, const char *namez, uint32_t most)
{
    int64_t value = 0;
    const struct mica_json *member = mica_json_get(limits, namez);
    if (member == NULL || !mica_integer_read(member->text, &value) ||
        value < 1 || value > most)
        return 0;
    return (uint32_t)value;
}

static enum mica_status
read_limits(struct mica_job *job, const struct mica_json *manifest)
{
    const struct mica_json *limits = mica_json_get(manifest, "limits");
    job->time_ms = manifest_limit(limits, "time_ms", 3600 * 1000);
    job->memory_bytes = manifest_limit(limits, "memory_bytes", 64 << 20);
    job->output_bytes = manifest_limit(limits, "output_bytes", 64 << 20);
    if (job->memory_bytes > 0 &&
        job->memory_bytes / MICA_WASM_PAGE < job->memory_pages)
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "%s: memory_bytes is %u, but constants and "
                              "stack of the engine alone need %u.",
                              job->source, job->memory_bytes,
                              job->memory_pages * MICA_WASM_PAGE);
    if (job->time_ms > 0 && job->memory_bytes > 0 && job->output_bytes > 0)
        return MICA_OK;
    return mica_error_set(job->error, MICA_E_BUILD, "",
                          "%s: a limit is out of range: time_ms is at most an "
                          "hour, memory_bytes and output_bytes 64 MiB.",
                          job->source);
}

enum mica_status
mica_job_limits(struct mica_job *job)
{
    struct mica_json manifest;
    MICA_TRY(mica_json_read(job->arena, job->described, NULL, job->error,
                            &manifest));
    return read_limits(job, &manifest);
}

enum mica_status
mica_job_manifest(struct mica_job *job)
{
    struct mica_json manifest;
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    MICA_TRY(mica_json_read(job->arena, job->described, NULL, job->error,
                            &manifest));
    struct mica_text slug = mica_json_get_text(&manifest, "slug");
    if (!mica_text_is(slug, job->slug))
        return wrong_name(job, slug);
    MICA_TRY(read_limits(job, &manifest));
    mica_buffer_init(&buffer, job->arena, job->arena->cap);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < manifest.count; i++) {
        mica_json_name_text(&writer, manifest.members[i].name);
        mica_json_raw(&writer, manifest.members[i].value.raw);
    }
    mica_json_field(&writer, "sha256", mica_text(job->sha256));
    mica_json_name(&writer, "size");
    mica_json_integer(&writer, (int64_t)job->wasm_size);
    if (job->fallback_sha256[0] != '\0')
        mica_json_field(&writer, "twin", mica_text(job->fallback_sha256));
    if (job->page_sha256[0] != '\0') {
        mica_json_field(&writer, "page", mica_text(job->page_sha256));
        mica_json_field(&writer, "page_policy", job->page_policy);
    }
    if (job->view_sha256[0] != '\0')
        mica_json_field(&writer, "view", mica_text(job->view_sha256));
    mica_json_name(&writer, "abi");
    mica_json_integer(&writer, MICA_ENGINE_ABI);
    mica_json_field(&writer, "build", mica_text(job->fingerprint));
    mica_json_close_object(&writer);
    if (buffer.overflow)
        return mica_error_set(job->error, MICA_E_LIMIT, "",
                              "%s: the manifest is too large.", job->source);
    job->manifest = mica_buffer_as_text(&buffer);
    return MICA_OK;
}
