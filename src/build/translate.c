// SPDX-License-Identifier: Apache-2.0
//
// From the module to C: wasm2c, and the polls on loops. native_unit.c compiles it.
#include <string.h>

#include "build/steps.h"

// ---- Polls ---------------------------------------------------------------------

// The only backward jumps in what wasm2c writes are its gotos to w2c_L labels;
// w2c_B labels end blocks and lie ahead. Each backward one gets a poll of the
// fuse before it. Anything else is a wasm2c that this was not written for.
static enum mica_status
add_polls(struct mica_job *job, struct mica_text code, struct mica_buffer *out)
{
    static const char word[] = "goto ";
    size_t from = 0;
    for (size_t at = 0; at + 11 < code.len; at++) {
        if (code.ptr[at] != 'g' ||
            memcmp(code.ptr + at, word, sizeof word - 1) != 0)
            continue;
        const char *label = code.ptr + at + sizeof word - 1;
        if (memcmp(label, "w2c_L", 5) == 0) {
            mica_buffer_text(out, mica_text_slice(code, from, at));
            mica_buffer_text(out, mica_text("MICA_LOOP "));
            from = at;
        } else if (memcmp(label, "w2c_B", 5) != 0) {
            return mica_error_set(job->error, MICA_E_BUILD, "",
                                  "wasm2c writes a jump to \"%.*s\" that mica "
                                  "does not know; use wabt 1.0.32.",
                                  8, label);
        }
    }
    mica_buffer_text(out, mica_text_slice(code, from, code.len));
    return MICA_OK;
}

// ---- Checks ----------------------------------------------------------------------

// wasm2c defines what it checks with macros, and this is where it uses the first.
// checks.h replaces them there.
static enum mica_status
add_checks(struct mica_job *job, struct mica_text code, struct mica_buffer *out,
           struct mica_text *rest_out)
{
    static const char first[] = "\nDEFINE_LOAD(i32_load, ";
    const char *at = memmem(code.ptr, code.len, first, sizeof first - 1);
    if (at == NULL)
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "wasm2c defines its accesses to memory in a way "
                              "that mica does not know; use wabt 1.0.32.");
    size_t before = (size_t)(at - code.ptr);
    mica_buffer_text(out, mica_text_slice(code, 0, before));
    mica_buffer_text(out, mica_text("\n#include \"checks.h\"\n"));
    *rest_out = mica_text_slice(code, before, code.len);
    return MICA_OK;
}

// ---- The memory at the start ---------------------------------------------------

// What the memory begins with lies in the module as segments, and between them are
// the zeros that would make a file larger. Each call begins with these bytes, and one
// copy costs less than 60: what is at most half zeros becomes one image.
static bool
is_dense(const struct mica_wasm *wasm, size_t *from_out, size_t *to_out)
{
    size_t from = SIZE_MAX, to = 0, bytes = 0;
    for (size_t i = 0; i < wasm->data_count; i++) {
        const struct mica_wasm_data *data = &wasm->data[i];
        size_t end = data->address + data->bytes.len;
        bytes += data->bytes.len;
        if (data->address < from)
            from = data->address;
        if (end > to)
            to = end;
    }
    *from_out = from;
    *to_out = to;
    return bytes > 0 && to - from <= 2 * bytes;
}

static void
write_image(struct mica_buffer *out, struct mica_text image, size_t address)
{
    mica_buffer_text(out, mica_text("\nstatic const uint8_t mica_image[] = {"));
    for (size_t i = 0; i < image.len; i++)
        mica_buffer_format(out, i % 16 == 0 ? "\n%u," : "%u,",
                           (unsigned)(unsigned char)image.ptr[i]);
    mica_buffer_format(
        out,
        "\n};\n"
        "#undef LOAD_DATA\n"
        "#define LOAD_DATA(memory, at, segment, size)\n"
        "#define wasm_rt_allocate_memory(memory, pages, max_pages) \\\n"
        "    mica_memory_begin(memory, pages, max_pages, %zu, mica_image, \\\n"
        "                      sizeof mica_image)\n",
        address);
}

// wasm2c copies the segments one by one in a function of their own.
static enum mica_status
add_image(struct mica_job *job, struct mica_text code, struct mica_buffer *out,
          struct mica_text *rest_out)
{
    static const char word[] = "\nstatic void init_memories(";
    const char *at = memmem(code.ptr, code.len, word, sizeof word - 1);
    struct mica_wasm wasm;
    struct mica_text memory;
    size_t from, to;
    // wasm2c may have written to the file since it was checked.
    MICA_TRY(mica_job_module(job));
    MICA_TRY(mica_job_wasm(job, "module.wasm", &wasm));
    if (at == NULL || !is_dense(&wasm, &from, &to))
        return MICA_OK;
    MICA_TRY(mica_wasm_memory(job->arena, &wasm, job->error, &memory));
    size_t before = (size_t)(at - code.ptr);
    MICA_TRY(add_polls(job, mica_text_slice(code, 0, before), out));
    write_image(out, mica_text_slice(memory, from, to), from);
    *rest_out = mica_text_slice(code, before, code.len);
    return MICA_OK;
}

// ---- The translation unit ----------------------------------------------------------

// wasm2c's functions in a table for the sandbox; '@' stands for the identifier.
static const char table[] =
    "\n#include \"translated.h\"\n"
    "static void mica_bind(const struct mica_runtime *runtime)\n"
    "{\n"
    "    if (mica_runtime != NULL)\n"
    "        return;\n"
    "    mica_runtime = runtime;\n"
    "    Z_@_init_module();\n"
    "}\n"
    "static void mica_instantiate(void *i)\n"
    "{\n"
    "    Z_@_instantiate(i);\n"
    "}\n"
    "static uint32_t mica_input(void *i, uint32_t size)\n"
    "{\n"
    "    return Z_@Z_mica_module_input(i, size);\n"
    "}\n"
    "static uint32_t mica_run(void *i, uint32_t size)\n"
    "{\n"
    "    return Z_@Z_mica_module_run(i, size);\n"
    "}\n"
    "static uint32_t mica_exchange(void *i)\n"
    "{\n"
    "    return Z_@Z_mica_module_exchange(i);\n"
    "}\n"
    "static void *mica_linear_memory(void *i)\n"
    "{\n"
    "    return Z_@Z_memory(i);\n"
    "}\n"
    "__attribute__((visibility(\"default\")))\n"
    "const struct mica_translated_code mica_code_@ = {\n"
    "    sizeof(Z_@_instance_t), mica_bind, mica_instantiate, mica_input,\n"
    "    mica_run, mica_exchange, mica_linear_memory};\n";

static void
write_table(struct mica_buffer *out, const char *identifier)
{
    for (const char *at = table; *at != '\0'; at++) {
        if (*at == '@')
            mica_buffer_text(out, mica_text(identifier));
        else
            mica_buffer_char(out, *at);
    }
}

static enum mica_status
write_unit(struct mica_job *job, struct mica_text *unit_out)
{
    char path[PATH_MAX];
    struct mica_text code;
    struct mica_buffer unit;
    MICA_TRY(mica_job_path(job, path, "module.c"));
    MICA_TRY(mica_file_read(job->arena, path, job->error, &code));
    mica_buffer_init(&unit, job->arena, job->arena->cap);
    MICA_TRY(add_checks(job, code, &unit, &code));
    MICA_TRY(add_image(job, code, &unit, &code));
    MICA_TRY(add_polls(job, code, &unit));
    write_table(&unit, job->identifier);
    if (unit.overflow)
        return mica_error_set(job->error, MICA_E_LIMIT, "",
                              "%s: the translation is too large.", job->source);
    *unit_out = mica_buffer_as_text(&unit);
    return MICA_OK;
}

static enum mica_status
run_wasm2c(struct mica_job *job)
{
    struct mica_process command = {0};
    const char *const words[] = {
        job->tools->wasm2c, "module.wasm", "-n", job->identifier, "-o",
        "module.c",         NULL};
    mica_process_add_all(&command, words);
    return mica_job_run(job, &command, "wasm2c cannot translate the module.");
}

enum mica_status
mica_step_translate(struct mica_job *job)
{
    struct mica_text unit;
    MICA_TRY(run_wasm2c(job));
    MICA_TRY(write_unit(job, &unit));
    return mica_step_native(job, unit);
}
