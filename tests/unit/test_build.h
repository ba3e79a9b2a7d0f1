// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the build driver share: a folder of their own, sources
// written into it, and one build.
#ifndef MICA_TEST_BUILD_H
#define MICA_TEST_BUILD_H

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/build.h"

// Before and after a function body, a whole engine named <name>.
#define BEFORE                                                            \
    "#include <mica/engine.h>\n"                                          \
    "struct input { double a; struct mica_text t; };\n"                   \
    "MICA_RECORD(input, MICA_NUMBER(a, \"A.\"), MICA_TEXT(t, \"T.\"));\n" \
    "struct output { double b; };\n"                                      \
    "MICA_RECORD(output, MICA_NUMBER(b, \"B.\"));\n"
#define HANDLER                                               \
    "static enum mica_status handle(struct mica_call *call, " \
    "const struct input *in, struct output *out)\n{\n(void)call;\n"
#define AFTER(name)                                                 \
    "\nreturn MICA_OK;\n}\n"                                        \
    "MICA_ENGINE(" name ", input, output, handle, .title = \"T\", " \
    ".description = \"For a test.\", .category = \"test\")\n;\n"

// A test's folder and the outcome of its last build.
struct bench {
    char folder[32], out[PATH_MAX];
    struct mica_toolchain toolchain;
    struct mica_build_options options;
    struct mica_buffer diagnostics;
    struct mica_error error;
    enum mica_build_outcome outcome;
};

static inline void
open_bench(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    strcpy(bench->folder, "/tmp/mica-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(bench->folder));
    (void)snprintf(bench->out, sizeof bench->out, "%s/state", bench->folder);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", bench->out, 1), 0);
    (void)snprintf(bench->out, sizeof bench->out, "%s/out", bench->folder);
    enum mica_status status =
        mica_toolchain_find(&bench->toolchain, &bench->error);
    ck_assert_msg(status == MICA_OK, "%s", bench->error.message);
    bench->toolchain.cache[0] = '\0'; // but for the tests of the cache
    bench->options = (struct mica_build_options){
        .toolchain = &bench->toolchain, .out_dir = bench->out, .fast = true};
    mica_buffer_init(&bench->diagnostics, NULL, 1 << 20);
}

// Runs a shell command in the test's folder; false when it fails.
static inline bool
shell(const struct bench *bench, const char *command)
{
    char line[2 * PATH_MAX];
    (void)snprintf(line, sizeof line, "cd %s && %s", bench->folder, command);
    return system(line) == 0;
}

static inline void
close_bench(struct bench *bench)
{
    // A build leaves no folder of its own behind.
    ck_assert(shell(bench, "test -z \"$(ls -d out/.b* 2>/dev/null)\""));
    ck_assert(shell(bench, "rm -r ../$(basename $PWD)"));
    mica_buffer_fini(&bench->diagnostics);
}

static inline void
write_source(const struct bench *bench, const char *name, const char *text)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", bench->folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

// Builds <folder>/<name>, a source or a module.
static inline enum mica_status
build(struct bench *bench, const char *name)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", bench->folder, name);
    mica_buffer_fini(&bench->diagnostics);
    mica_buffer_init(&bench->diagnostics, NULL, 1 << 20);
    bench->error = (struct mica_error){0};
    enum mica_status status =
        strstr(name, ".wasm") != NULL
            ? mica_build_module(&bench->options, path, &bench->diagnostics,
                                &bench->error)
            : mica_build_engine(&bench->options, path, &bench->diagnostics,
                                &bench->error, &bench->outcome);
    mica_buffer_char(&bench->diagnostics, '\0');
    return status;
}

// The build has to end so, with `words` in its message.
static inline void
builds_to(struct bench *bench, const char *name, enum mica_status expected,
          const char *words)
{
    enum mica_status status = build(bench, name);
    ck_assert_msg(status == expected, "%s: %s %s\n%s", name,
                  mica_status_code(status), bench->error.message,
                  bench->diagnostics.ptr);
    ck_assert_msg(strstr(bench->error.message, words) != NULL, "%s: %s", name,
                  bench->error.message);
}

#endif
