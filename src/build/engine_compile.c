// SPDX-License-Identifier: Apache-2.0
//
// From the author's source to an object, and the checks on both. The
// engine compiles with trapping sanitizers: what C leaves undefined and
// WebAssembly would answer somehow (an integer overflow, an index outside its
// array) ends the call instead, everywhere alike.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/compiler_words.h"
#include "build/purity.h"
#include "build/steps.h"
#include "build/typo_hint.h"

// ---- Compile ---------------------------------------------------------------------

// _GNU_SOURCE declares all that libc has, so that the purity check can name it.
static const char *const language[] = {
    "-std=c11", "-D_GNU_SOURCE", "-DMICA_MODULE", "-Wall", "-Wextra",
    "-Wno-missing-field-initializers", "-Werror=implicit-function-declaration",
    "-Werror=return-type",
    // What mica's formats cannot print.
    "-Werror=format", NULL};

// Functions of libm whose last bits differ between libraries. The compiler must
// not fold them: its own libm would answer for a constant, the module's for the
// same value in a variable.
static const char *const libm[] = {"-fno-builtin-acos",   "-fno-builtin-acosh",
                                   "-fno-builtin-asin",   "-fno-builtin-asinh",
                                   "-fno-builtin-atan",   "-fno-builtin-atan2",
                                   "-fno-builtin-atanh",  "-fno-builtin-cbrt",
                                   "-fno-builtin-cos",    "-fno-builtin-cosh",
                                   "-fno-builtin-erf",    "-fno-builtin-erfc",
                                   "-fno-builtin-exp",    "-fno-builtin-exp2",
                                   "-fno-builtin-expm1",  "-fno-builtin-hypot",
                                   "-fno-builtin-log",    "-fno-builtin-log10",
                                   "-fno-builtin-log1p",  "-fno-builtin-log2",
                                   "-fno-builtin-pow",    "-fno-builtin-sin",
                                   "-fno-builtin-sincos", "-fno-builtin-sinh",
                                   "-fno-builtin-tan",    "-fno-builtin-tanh",
                                   "-fno-builtin-tgamma", NULL};

// The rest is clang's: what the module is made with.
static const char *const clang_only[] = {
    "--target=wasm32-wasi", "-O2", "-ffp-contract=off",
    "-fsanitize=integer-divide-by-zero,signed-integer-overflow",
    "-fsanitize=bounds,float-cast-overflow", "-fsanitize-trap=all",
    "-fvisibility=hidden",
    // However it is spelt or put together: no assembly, and no file is found.
    "-fno-gnu-inline-asm", "-D__has_include(x)=0",
    "-Wno-builtin-macro-redefined", "-Werror=include-next-outside-header",
    "-Werror=incompatible-pointer-types",
    "-Werror=incompatible-function-pointer-types", "-Werror=int-conversion",
    "-fstack-usage", "-fmacro-backtrace-limit=1", "-fno-color-diagnostics",
    NULL};

// What a failed compile says. gcc's words for a slip in a field table are the
// shorter and clearer ones; where gcc finds nothing wrong, clang's stand.
static void
compile_explain(struct mica_job *job, const char *source,
                struct mica_text clang_words)
{
    struct mica_process command = {0};
    struct mica_buffer words;
    int exit_status = 0;
    const char *const gcc_only[] = {"-fsyntax-only",
                                    "-ftrack-macro-expansion=0",
                                    "-Werror=incompatible-pointer-types",
                                    "-Werror=int-conversion",
                                    "-fdiagnostics-color=never",
                                    "-I",
                                    job->tools->include_dir,
                                    NULL};
    mica_buffer_init(&words, job->arena, job->arena->cap);
    mica_process_add(&command, job->tools->cc);
    mica_process_add_all(&command, language);
    mica_process_add_all(&command, gcc_only);
    mica_process_add(&command, source);
    enum mica_status status =
        mica_job_process(job, &command, NULL, &words, NULL, &exit_status);
    bool explained = status == MICA_OK && exit_status != 0 && !words.overflow;
    mica_compiler_words(explained ? mica_buffer_as_text(&words) : clang_words,
                        job->diagnostics);
}

// The first name that clang does not know and mica has advice about, or
// empty. clang quotes names in '…'.
static struct mica_text
unknown_name(struct mica_text words)
{
    static const char *const phrases[] = {"call to undeclared function '",
                                          "implicit declaration of function '",
                                          "use of undeclared identifier '"};
    for (size_t at = 0; at < words.len; at++)
        for (size_t i = 0; i < MICA_COUNT(phrases); i++) {
            struct mica_text rest = mica_text_slice(words, at, words.len);
            if (!mica_text_starts(rest, phrases[i]))
                continue;
            rest = mica_text_slice(rest, strlen(phrases[i]), rest.len);
            const char *end = memchr(rest.ptr, '\'', rest.len);
            rest.len = end == NULL ? 0 : (size_t)(end - rest.ptr);
            if (mica_purity_advice(rest) != NULL)
                return rest;
        }
    return (struct mica_text){NULL, 0};
}

// Where clang found assembly ("file:line:column"), which it is told to refuse;
// empty when it found none.
static struct mica_text
assembly_place(struct mica_text words)
{
    static const char phrase[] = ": error: GNU-style inline assembly";
    const char *at = memmem(words.ptr, words.len, phrase, sizeof phrase - 1);
    if (at == NULL)
        return (struct mica_text){NULL, 0};
    size_t end = (size_t)(at - words.ptr), from = end;
    while (from > 0 && words.ptr[from - 1] != '\n')
        from--;
    return mica_text_slice(words, from, end);
}

static enum mica_status
did_not_compile(struct mica_job *job, struct mica_text clang_words)
{
    struct mica_text name = unknown_name(clang_words);
    struct mica_text place = assembly_place(clang_words);
    struct mica_text text;
    if (place.len > 0)
        return mica_error_set(job->error, MICA_E_IMPURE, "",
                              "%.*s: an engine cannot use asm: it is to mean "
                              "the same on every machine. Write it in C.",
                              MICA_ARG(place));
    // What compilers say of that name, as to include its header, is no help.
    if (name.len > 0) {
        MICA_TRY(mica_file_read(job->arena, job->source, job->error, &text));
        return mica_error_set(job->error, MICA_E_IMPURE, "",
                              "%s:%u: an engine cannot use %.*s: %s",
                              job->source, mica_purity_line(text, name),
                              MICA_ARG(name), mica_purity_advice(name));
    }
    compile_explain(job, job->source, clang_words);
    return mica_typo_tell(job->tools, job->source, job->arena, job->error);
}

static enum mica_status
run_clang(struct mica_job *job, const char *object, const char *dependencies)
{
    const struct mica_toolchain *tools = job->tools;
    struct mica_process command = {0};
    struct mica_buffer words;
    int exit_status = 0;
    const char *const paths[] = {"-nostdlibinc",
                                 "-isystem",
                                 tools->libc_include,
                                 "-I",
                                 tools->include_dir,
                                 "-MD",
                                 "-MF",
                                 dependencies,
                                 "-c",
                                 "-o",
                                 object,
                                 job->source,
                                 NULL};
    mica_process_add(&command, tools->clang);
    mica_process_add_all(&command, clang_only);
    mica_process_add_all(&command, libm);
    mica_process_add_all(&command, language);
    mica_process_add_all(&command, paths);
    mica_buffer_init(&words, job->arena, job->arena->cap);
    enum mica_status status =
        mica_job_process(job, &command, NULL, &words, job->error, &exit_status);
    if (status == MICA_E_BUILD)
        mica_buffer_text(job->diagnostics, mica_buffer_as_text(&words));
    MICA_TRY(status);
    if (exit_status != 0)
        return did_not_compile(job, mica_buffer_as_text(&words));
    mica_compiler_words(mica_buffer_as_text(&words), job->diagnostics);
    return MICA_OK;
}

// Where clang keeps headers of its own.
static enum mica_status
find_own_headers(struct mica_job *job, char out[PATH_MAX])
{
    struct mica_process command = {0};
    struct mica_buffer words;
    int exit_status = 0;
    mica_process_add(&command, job->tools->clang);
    mica_process_add(&command, "-print-resource-dir");
    mica_buffer_init(&words, job->arena, PATH_MAX);
    MICA_TRY(mica_job_process(job, &command, NULL, &words, job->error,
                              &exit_status));
    struct mica_text folder = mica_buffer_as_text(&words);
    while (folder.len > 0 && folder.ptr[folder.len - 1] == '\n')
        folder.len--;
    if (exit_status != 0 || words.overflow || folder.len == 0 ||
        folder.ptr[0] != '/')
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "%s does not say where its headers are "
                              "(-print-resource-dir). Install it again.",
                              job->tools->clang);
    return mica_path(out, job->error, "%.*s/include", MICA_ARG(folder));
}

// One file that the compiler read: the source, a header of mica or of the C
// library, or one that clang brings.
static enum mica_status
check_include(struct mica_job *job, const char *own_headers, const char *path)
{
    char whole[PATH_MAX], mica[PATH_MAX];
    if (strcmp(path, job->source) == 0)
        return MICA_OK;
    MICA_TRY(mica_path(mica, job->error, "%s/mica", job->tools->include_dir));
    if (realpath(path, whole) != NULL &&
        (mica_path_is_within(whole, mica) ||
         mica_path_is_within(whole, job->tools->libc_include) ||
         mica_path_is_within(whole, own_headers)))
        return MICA_OK;
    return mica_error_set(job->error, MICA_E_BUILD, "",
                          "%s includes %s. An engine is one file, so that it "
                          "can be read, moved and hashed as one: put what it "
                          "needs into the file itself.",
                          job->source, path);
}

// Takes a name off a make rule's list: names end at white space, and a
// backslash keeps a space in a name or ends a line.
static struct mica_text
next_name(struct mica_text list, char out[PATH_MAX])
{
    size_t at = 0, len = 0;
    for (; at < list.len; at++) {
        char c = list.ptr[at];
        bool escaped = c == '\\' && at + 1 < list.len;
        if (c == '$' && at + 1 < list.len && list.ptr[at + 1] == '$')
            at++;
        if (escaped && list.ptr[at + 1] != '\n')
            c = list.ptr[++at];
        else if (escaped || c == ' ' || c == '\n') {
            if (len > 0)
                break;
            at += escaped;
            continue;
        }
        if (len + 1 < PATH_MAX)
            out[len++] = c;
    }
    out[len] = '\0';
    return mica_text_slice(list, at, list.len);
}

static enum mica_status
check_includes(struct mica_job *job, const char *dependencies)
{
    struct mica_text list;
    char name[PATH_MAX], own_headers[PATH_MAX];
    MICA_TRY(find_own_headers(job, own_headers));
    MICA_TRY(mica_file_read(job->arena, dependencies, job->error, &list));
    list = next_name(list, name); // the target and its colon
    for (list = next_name(list, name); name[0] != '\0';
         list = next_name(list, name))
        MICA_TRY(check_include(job, own_headers, name));
    return MICA_OK;
}

enum mica_status
mica_step_compile(struct mica_job *job)
{
    char object[PATH_MAX], dependencies[PATH_MAX];
    struct mica_wasm wasm;
    struct mica_text text;
    MICA_TRY(mica_job_path(job, object, "engine.o"));
    MICA_TRY(mica_job_path(job, dependencies, "engine.d"));
    MICA_TRY(run_clang(job, object, dependencies));
    MICA_TRY(check_includes(job, dependencies));
    MICA_TRY(mica_job_wasm(job, "engine.o", &wasm));
    MICA_TRY(mica_file_read(job->arena, job->source, job->error, &text));
    MICA_TRY(mica_purity_object(&wasm, job->source, text, job->diagnostics,
                                job->error));
    return mica_stack_locals(job);
}
