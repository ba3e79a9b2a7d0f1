// SPDX-License-Identifier: Apache-2.0
//
// Puts the translation and what is known about the engine into one object, and
// that into the shared object that the sandbox loads.
#include "build/steps.h"
#include "sandbox/translated.h"

static enum mica_status
write_facts(struct mica_job *job)
{
    char path[PATH_MAX];
    struct mica_buffer out;
    mica_buffer_init(&out, job->arena, job->arena->cap);
    mica_buffer_format(
        &out,
        "#include \"translated.h\"\n"
        "#ifdef MICA_CARRIES\n"
        "extern const struct mica_translated_files mica_files_%s;\n"
        "#define MICA_FILES &mica_files_%s\n"
        "#else\n"
        "#define MICA_FILES NULL\n"
        "#endif\n"
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
        "    .files = MICA_FILES,\n"
        "    .manifest =\n",
        job->identifier, job->identifier, job->identifier, job->identifier,
        MICA_TRANSLATED_ABI, job->slug, job->sha256, job->manifest.len,
        job->stack_bytes, job->time_ms, job->memory_bytes, job->output_bytes,
        job->identifier);
    mica_job_literal(&out, job->manifest);
    mica_buffer_text(&out, mica_text("};\n"));
    if (out.overflow)
        return mica_error_set(job->error, MICA_E_LIMIT, "",
                              "%s: the manifest is too large.", job->source);
    MICA_TRY(mica_job_path(job, path, "facts.c"));
    return mica_file_write(path, mica_buffer_as_text(&out), job->error);
}

static enum mica_status
object_compile(struct mica_job *job, const char *source, const char *object,
               const char *option)
{
    struct mica_process command = {0};
    const char *const words[] = {job->tools->cc,
                                 "-std=gnu11",
                                 "-w",
                                 "-fPIC",
                                 "-fvisibility=hidden",
                                 "-I",
                                 job->tools->runtime_dir,
                                 "-c",
                                 "-o",
                                 object,
                                 source,
                                 option,
                                 NULL};
    mica_process_add_all(&command, words);
    return mica_job_run(job, &command, "its manifest does not compile.");
}

// ---- What a program carries ----------------------------------------------------

// Writes <file>.gz, the same bytes every time, and says how large it is.
static enum mica_status
object_compress(struct mica_job *job, const char *file, size_t *size_out)
{
    char name[PATH_MAX], path[PATH_MAX];
    struct mica_buffer bytes;
    struct mica_process command = {0};
    int exit_status = 1;
    // To its output: it may not give a file the times of another.
    const char *const words[] = {"gzip", "-9nc", file, NULL};
    mica_process_add_all(&command, words);
    mica_buffer_init(&bytes, job->arena, job->arena->cap);
    MICA_TRY(mica_job_process(job, &command, job->folder, &bytes, job->error,
                              &exit_status));
    if (exit_status != 0 || bytes.overflow)
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "%s: gzip cannot compress it.", job->source);
    MICA_TRY(mica_path(name, job->error, "%s.gz", file));
    MICA_TRY(mica_job_path(job, path, name));
    *size_out = bytes.len;
    return mica_file_write(path, mica_buffer_as_text(&bytes), job->error);
}

// The bytes of a file of the job's folder, by the assembler. In a section of their
// own: among what every start reads, the system would map them along.
static void
write_bytes(struct mica_buffer *out, const char *name, const char *file)
{
    mica_buffer_format(
        out,
        "extern const unsigned char %s[];\n"
        "__asm__(\".pushsection .mica_web,\\\"a\\\",@progbits\\n%s:\\n\"\n"
        "        \".incbin \\\"%s\\\"\\n.popsection\");\n",
        name, name, file);
}

// The files in the order of enum mica_web_file; those that have no hash are not
// there.
static enum mica_status
write_carried(struct mica_job *job)
{
    const struct {
        const char *name, *file, *gzip, *sha256; // gzip NULL: as it is
    } files[] = {{"module", "module.wasm", "module.wasm.gz", job->sha256},
                 {"twin", "twin.js", "twin.js.gz", job->fallback_sha256},
                 {"page", "page.html", "page.html.gz", job->page_sha256},
                 {"view", "view.html", NULL, job->view_sha256}};
    char path[PATH_MAX];
    size_t sizes[MICA_COUNT(files)] = {0};
    struct mica_buffer out;
    mica_buffer_init(&out, job->arena, job->arena->cap);
    mica_buffer_text(&out, mica_text("#include \"translated.h\"\n"));
    for (size_t i = 0; i < MICA_COUNT(files); i++) {
        if (files[i].sha256[0] == '\0')
            continue;
        sizes[i] = job->view.len;
        if (files[i].gzip != NULL)
            MICA_TRY(object_compress(job, files[i].file, &sizes[i]));
        write_bytes(&out, files[i].name,
                    files[i].gzip != NULL ? files[i].gzip : files[i].file);
    }
    mica_buffer_format(
        &out, "const struct mica_translated_files mica_files_%s = {\n    {",
        job->identifier);
    for (size_t i = 0; i < MICA_COUNT(files); i++)
        mica_buffer_format(&out, "%s, ", sizes[i] > 0 ? files[i].name : "NULL");
    mica_buffer_format(&out, "},\n    {%zu, %zu, %zu, %zu}};\n", sizes[0],
                       sizes[1], sizes[2], sizes[3]);
    MICA_TRY(mica_job_path(job, path, "carried.c"));
    return mica_file_write(path, mica_buffer_as_text(&out), job->error);
}

// ---- Joining -------------------------------------------------------------------

static enum mica_status
join_objects(struct mica_job *job, const char *whole, const char *facts,
             const char *carried)
{
    struct mica_process command = {0};
    const char *const words[] = {job->tools->cc, "-r",    "-nostdlib",
                                 "-o",           whole,   "unit.o",
                                 facts,          carried, NULL};
    mica_process_add_all(&command, words);
    return mica_job_run(job, &command, "its objects do not join.");
}

// The object for a program: with what browsers load, so that the program serves
// it wherever it is copied to.
static enum mica_status
assemble_carrying(struct mica_job *job)
{
    MICA_TRY(write_carried(job));
    MICA_TRY(object_compile(job, "carried.c", "carried.o", NULL));
    MICA_TRY(
        object_compile(job, "facts.c", "facts-carrying.o", "-DMICA_CARRIES"));
    MICA_TRY(join_objects(job, "carrying.o", "facts-carrying.o", "carried.o"));
    return mica_job_native(job, "carrying.o", false);
}

// Its names are its own (-Bsymbolic): the program that loads it may have an engine
// inside of the same name. Without the compiler's start files nothing runs when it
// is loaded.
static enum mica_status
link_shared(struct mica_job *job)
{
    struct mica_process command = {0};
    const char *const words[] = {
        job->tools->cc,    "-shared",     "-nostartfiles",
        "-Wl,-Bsymbolic",  "-Wl,-z,defs", "-Wl,-z,relro,-z,now",
        "-Wl,--strip-all", "-o",          "engine.so",
        "whole.o",         "-lm",         NULL};
    mica_process_add_all(&command, words);
    return mica_job_run(job, &command, "its translation does not link.");
}

enum mica_status
mica_step_assemble(struct mica_job *job)
{
    MICA_TRY(write_facts(job));
    MICA_TRY(object_compile(job, "facts.c", "facts.o", NULL));
    MICA_TRY(join_objects(job, "whole.o", "facts.o", NULL));
    MICA_TRY(link_shared(job));
    MICA_TRY(mica_job_native(job, "engine.so", true));
    return job->options->object ? assemble_carrying(job) : MICA_OK;
}
