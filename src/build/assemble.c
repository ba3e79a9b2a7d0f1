// SPDX-License-Identifier: Apache-2.0
//
// Puts the translation and what is known about the engine into one object, and
// that into the shared object that the sandbox loads.
#include "build/steps.h"
#include "sandbox/translated.h"

// The text as the inside of a C string, in lines of bounded length.
static void
write_literal(struct mica_buffer *out, struct mica_text text)
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

static enum mica_status
write_facts(struct mica_job *job)
{
    char path[PATH_MAX];
    struct mica_buffer out;
    mica_buffer_init(&out, job->arena, job->arena->cap);
    mica_buffer_format(
        &out,
        "#include \"translated.h\"\n"
        "extern const struct mica_translated_code mica_code_%s;\n"
        "__attribute__((visibility(\"default\")))\n"
        "const struct mica_translated " MICA_TRANSLATED_SYMBOL "%s = {\n"
        "    .abi = %d,\n"
        "    .slug = \"%s\",\n"
        "    .sha256 = \"%s\",\n"
        "    .manifest_size = %zu,\n"
        "    .stack_bytes = %u,\n"
        "    .time_ms = %u,\n"
        "    .memory_bytes = %u,\n"
        "    .output_bytes = %u,\n"
        "    .code = &mica_code_%s,\n"
        "    .manifest =\n",
        job->identifier, job->identifier, MICA_TRANSLATED_ABI, job->slug,
        job->sha256, job->manifest.len, job->stack_bytes, job->time_ms,
        job->memory_bytes, job->output_bytes, job->identifier);
    write_literal(&out, job->manifest);
    mica_buffer_text(&out, mica_text("};\n"));
    if (out.overflow)
        return mica_error_set(job->error, MICA_E_LIMIT, "",
                              "%s: the manifest is too large.", job->source);
    MICA_TRY(mica_job_path(job, path, "facts.c"));
    return mica_file_write(path, mica_buffer_as_text(&out), job->error);
}

static enum mica_status
compile_facts(struct mica_job *job)
{
    struct mica_process command = {0};
    const char *const words[] = {job->tools->cc,
                                 "-std=c11",
                                 "-w",
                                 "-fPIC",
                                 "-fvisibility=hidden",
                                 "-I",
                                 job->tools->runtime_dir,
                                 "-c",
                                 "-o",
                                 "facts.o",
                                 "facts.c",
                                 NULL};
    mica_process_add_all(&command, words);
    return mica_job_run(job, &command, "its manifest does not compile.");
}

static enum mica_status
join_objects(struct mica_job *job)
{
    struct mica_process command = {0};
    const char *const words[] = {job->tools->cc, "-r",     "-nostdlib", "-o",
                                 "whole.o",      "unit.o", "facts.o",   NULL};
    mica_process_add_all(&command, words);
    return mica_job_run(job, &command, "its objects do not join.");
}

static enum mica_status
link_shared(struct mica_job *job)
{
    struct mica_process command = {0};
    const char *const words[] = {job->tools->cc,
                                 "-shared",
                                 "-Wl,-z,defs",
                                 "-Wl,-z,relro,-z,now",
                                 "-Wl,--strip-all",
                                 "-o",
                                 "engine.so",
                                 "whole.o",
                                 "-lm",
                                 NULL};
    mica_process_add_all(&command, words);
    return mica_job_run(job, &command, "its translation does not link.");
}

enum mica_status
mica_step_assemble(struct mica_job *job)
{
    MICA_TRY(write_facts(job));
    MICA_TRY(compile_facts(job));
    MICA_TRY(join_objects(job));
    return link_shared(job);
}
