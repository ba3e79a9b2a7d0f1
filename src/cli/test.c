// SPDX-License-Identifier: Apache-2.0
//
// mica test: the tests of interactive tools (mica/test.h), each a file
// tests/tools/NAME.c. One is compiled with its tool and the code of tools/lib into
// a shared object, which runs inside mica: so there is nothing to link with.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/tool.h"
#include "cli/commands.h"
#include "cli/project.h"
#include "kit/load.h"

enum {
    WORDS_BYTES = 1 << 20
};

#define TESTS_DIR "tests/tools"

struct test {
    struct mica_cli *cli;
    const char *name;                      // of the tool
    char tool[PATH_MAX], source[PATH_MAX]; // its source, that of its tests
    char folder[PATH_MAX], object[PATH_MAX];
    struct mica_process command;
    struct mica_tool_job job; // what libraries ask for
};

static enum mica_status
add_source(struct test *test, const char *path)
{
    mica_process_add(&test->command, path);
    return mica_tool_libraries(&test->job, path);
}

// The code that the tools share.
static enum mica_status
add_shared(struct test *test, struct mica_error *error)
{
    DIR *folder = opendir("tools/lib");
    const struct dirent *file;
    enum mica_status status = MICA_OK;

    while (folder != NULL && status == MICA_OK &&
           (file = readdir(folder)) != NULL) {
        size_t length = strlen(file->d_name);
        char path[PATH_MAX];
        if (file->d_name[0] == '.' || length < 3 ||
            strcmp(file->d_name + length - 2, ".c") != 0)
            continue;
        status = mica_path(path, error, "tools/lib/%s", file->d_name);
        if (status == MICA_OK)
            status = add_source(
                test, mica_arena_text(&test->cli->arena, mica_text(path)).ptr);
    }
    if (folder != NULL)
        (void)closedir(folder);
    return status;
}

static enum mica_status
compile(struct test *test, const struct mica_toolchain *toolchain,
        struct mica_error *error)
{
    static const char *const words[] = {"-std=c11",
                                        "-D_GNU_SOURCE",
                                        "-g",
                                        "-O1",
                                        "-fPIC",
                                        "-shared",
                                        "-Wall",
                                        "-Wextra",
                                        "-Wno-missing-field-initializers",
                                        "-Wl,-Bsymbolic",
                                        "-Wl,--as-needed",
                                        "-ftrack-macro-expansion=0",
                                        "-fdiagnostics-color=never",
                                        NULL};
    struct mica_buffer said;
    int exit_status = 0;

    mica_buffer_init(&said, &test->cli->arena, WORDS_BYTES);
    test->job.arena = &test->cli->arena;
    test->job.error = error;
    test->job.source = test->source;
    mica_process_add(&test->command, toolchain->cc);
    mica_process_add_all(&test->command, words);
    mica_process_add(&test->command, "-I");
    mica_process_add(&test->command, toolchain->include_dir);
    mica_process_add(&test->command, "-o");
    mica_process_add(&test->command, test->object);
    MICA_TRY(add_source(test, test->source));
    MICA_TRY(add_source(test, test->tool));
    MICA_TRY(add_shared(test, error));
    mica_process_add_all(&test->command, test->job.flags.compile);
    mica_process_add_all(&test->command, test->job.flags.link);
    mica_process_add(&test->command, "-lm");
    MICA_TRY(
        mica_process_run(&test->command, NULL, &said, error, &exit_status));
    if (said.len > 0)
        mica_cli_note(test->cli, "%.*s", MICA_ARG(said));
    if (exit_status == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_BUILD, "",
                          "%s does not compile with its tool; the compiler "
                          "says why.",
                          test->source);
}

static enum mica_status
run_tests(struct test *test, struct mica_error *error)
{
    char *words[] = {test->object, NULL};
    int exit_status = 0;

    mica_cli_print(test->cli, "# %s\n", test->name);
    mica_cli_flush(test->cli);
    MICA_TRY(mica_kit_load(test->object, words, error, &exit_status));
    if (exit_status == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_FAILED, "",
                          "tests of %s have failed; %s has them", test->name,
                          test->source);
}

static enum mica_status
test_one(struct mica_cli *cli, const struct mica_toolchain *toolchain,
         const char *name, struct mica_error *error)
{
    const char *place = getenv("TMPDIR");
    struct test *test = mica_arena_zero(&cli->arena, 1, sizeof *test);
    enum mica_status status;

    if (test == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    test->cli = cli;
    test->name = name;
    MICA_TRY(mica_path(test->tool, error, "%s/%s.c", mica_kind_tool.dir, name));
    MICA_TRY(mica_path(test->source, error, TESTS_DIR "/%s.c", name));
    if (!mica_file_exists(test->source))
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "%s has no tests; they are written to %s", name,
                              test->source);
    MICA_TRY(mica_folder_temporary(place != NULL && place[0] != '\0' ? place
                                                                     : "/tmp",
                                   test->folder, error));
    status = mica_path(test->object, error, "%s/test.so", test->folder);
    if (status == MICA_OK)
        status = compile(test, toolchain, error);
    if (status == MICA_OK)
        status = run_tests(test, error);
    mica_folder_remove(test->folder);
    return status;
}

// All tools of this folder that have tests. NULL-ended, in the arena.
static enum mica_status
find_names(struct mica_cli *cli, struct mica_error *error,
           const char *const **names_out)
{
    const char *const *tools;
    const char **names;
    size_t count = 0;
    char path[PATH_MAX];

    MICA_TRY(mica_project_sources(cli, &mica_kind_tool, error, &tools));
    while (tools[count] != NULL)
        count++;
    names = mica_arena_zero(&cli->arena, count + 1, sizeof *names);
    if (names == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    *names_out = names;
    for (; *tools != NULL; tools++) {
        MICA_TRY(mica_path(path, error, TESTS_DIR "/%s.c", *tools));
        if (mica_file_exists(path))
            *names++ = *tools;
        else
            mica_cli_note(cli, "%s has no tests (%s)\n", *tools, path);
    }
    if (names != *names_out)
        return MICA_OK;
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "there are no tests in " TESTS_DIR "; \"mica new "
                          "--interactive NAME\" writes a tool with some");
}

static enum mica_status
run(struct mica_cli *cli, const struct mica_options *options,
    struct mica_error *error)
{
    enum mica_status first = MICA_OK;
    struct mica_toolchain toolchain;
    static const char *const none[] = {NULL};
    const char *const *names = none;
    struct mica_error one;

    MICA_TRY(mica_toolchain_find_native(&toolchain, error));
    if (options->word_count == 0) {
        MICA_TRY(find_names(cli, error, &names));
        while (names[0] != NULL) {
            enum mica_status status = test_one(cli, &toolchain, *names++, &one);
            if (status != MICA_OK && first == MICA_OK) {
                first = status;
                *error = one;
            } else if (status != MICA_OK) {
                mica_cli_complain(cli, &one);
            }
        }
        return first;
    }
    for (size_t i = 0; i < options->word_count; i++)
        MICA_TRY(test_one(cli, &toolchain, options->words[i], error));
    return MICA_OK;
}

static const struct mica_option options[] = {
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_test = {
    .name = "test",
    .summary = "Run the tests of interactive tools",
    .usage = "[NAME …]",
    .example = "mica test greet",
    .more = "The tests of tools/NAME.c are in tests/tools/NAME.c "
            "(mica/test.h): whole calls, with a client whose answers are "
            "written down. Prints TAP. With MICA_TEST_WRITE=1 in the "
            "environment journals are saved for later versions to be compared "
            "with.",
    .words = MICA_WORDS_TOOLS,
    .options = options,
    .run = run};
