// SPDX-License-Identifier: Apache-2.0
//
// mica test: the tests of interactive tools (mica/test.h), each a file
// tests/tools/NAME.c. One is compiled with its tool and the code of tools/lib into
// a shared object, which runs inside mica: so there is nothing to link with.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/compiler_words.h"
#include "build/files.h"
#include "build/format_words.h"
#include "build/tool_build.h"
#include "call/call.h"
#include "cli/commands.h"
#include "cli/find.h"
#include "kit/load.h"

enum {
    WORDS_BYTES = 1 << 20,
    JSON_BYTES = 64 << 20
};

// What is said of all tools, in JSON. When a test crashes nothing has been.
struct output {
    struct mica_cli *cli;
    bool json;
    // Of all tools, of a tool, of a test.
    struct mica_buffer text, tests, failures;
    struct mica_json_writer writer, tests_writer, failures_writer;
    struct mica_text printed; // by the compiler, of a tool
};

struct test {
    struct mica_cli *cli;
    struct output *output;
    const char *name;                      // of the tool
    char tool[PATH_MAX], source[PATH_MAX]; // its source, that of its tests
    char folder[PATH_MAX], object[PATH_MAX];
    int folder_lock;                     // of mica_folder_temporary
    struct mica_confinement confinement; // of the command
    struct mica_process command;
    struct mica_tool_job job; // what libraries ask for
};

// As a build of the tool has it.
static enum mica_status
check_formats(struct test *test, const char *path)
{
    struct mica_arena *arena = &test->cli->arena;
    struct mica_buffer words;
    struct mica_text text;
    enum mica_status status;

    mica_buffer_init(&words, arena, WORDS_BYTES);
    MICA_TRY(mica_file_read(arena, path, test->job.error, &text));
    status = mica_formats_check(text, path, &words, test->job.error);
    if (words.len > 0)
        mica_cli_tell_lines(mica_buffer_as_text(&words));
    return status;
}

static enum mica_status
add_source(struct test *test, const char *path)
{
    MICA_TRY(check_formats(test, path));
    mica_process_add(&test->command, path);
    return mica_tool_libraries(&test->job, path);
}

// The code that the tools share.
static enum mica_status
add_shared(struct test *test, struct mica_error *error)
{
    DIR *folder = opendir(MICA_SHARED_DIR);
    const struct dirent *file;
    enum mica_status status = MICA_OK;

    while (folder != NULL && status == MICA_OK &&
           (file = readdir(folder)) != NULL) {
        size_t length = strlen(file->d_name);
        char path[PATH_MAX];
        if (file->d_name[0] == '.' || length < 3 ||
            strcmp(file->d_name + length - 2, ".c") != 0)
            continue;
        status = mica_path(path, error, MICA_SHARED_DIR "/%s", file->d_name);
        if (status == MICA_OK)
            status = add_source(
                test, mica_arena_text(&test->cli->arena, mica_text(path)).ptr);
    }
    if (folder != NULL)
        (void)closedir(folder);
    return status;
}

static enum mica_status
test_compile(struct test *test, const struct mica_toolchain *toolchain,
             struct mica_error *error)
{
    static const char *const words[] = {
        "-g", "-O1", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-Wl,--as-needed",
        NULL};
    struct mica_buffer printed, shown;
    int exit_status = 0;

    test->confinement =
        (struct mica_confinement){MICA_CONFINE_TOOL, test->folder, NULL};
    test->command.confinement = &test->confinement;
    mica_buffer_init(&printed, &test->cli->arena, WORDS_BYTES);
    test->job.arena = &test->cli->arena;
    test->job.error = error;
    test->job.source = test->source;
    mica_process_add(&test->command, toolchain->cc);
    mica_process_add_all(&test->command, words);
    mica_process_add_all(&test->command, mica_tool_words);
    mica_process_add_all(&test->command, mica_tool_errors);
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
        mica_process_run(&test->command, NULL, &printed, error, &exit_status));
    mica_buffer_init(&shown, &test->cli->arena, WORDS_BYTES);
    mica_compiler_words(mica_buffer_as_text(&printed), &shown);
    if (shown.len > 0)
        mica_cli_tell_lines(mica_buffer_as_text(&shown));
    test->output->printed = mica_buffer_as_text(&shown);
    if (exit_status == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_BUILD, "",
                          "%s does not compile with its tool; the compiler "
                          "says why.",
                          test->source);
}

// ---- What is said of them --------------------------------------------------------

static void
begin_failures(struct output *output)
{
    output->failures.len = 0;
    mica_json_writer_init(&output->failures_writer, &output->failures);
    mica_json_open_array(&output->failures_writer);
}

static void
take_failure(void *data, const char *file, int line, const char *messagez)
{
    struct output *output = data;
    struct mica_json_writer *writer = &output->failures_writer;

    mica_cli_note(output->cli, "%s:%d: %s\n", file, line, messagez);
    mica_json_open_object(writer);
    mica_json_field(writer, "file", mica_text(file));
    mica_json_name(writer, "line");
    mica_json_integer(writer, line);
    mica_json_field(writer, "message",
                    mica_call_clean(&output->cli->arena, mica_text(messagez)));
    mica_json_close_object(writer);
}

static void
take_end(void *data, const char *namez, bool passed)
{
    struct output *output = data;
    struct mica_json_writer *writer = &output->tests_writer;

    mica_json_open_object(writer);
    mica_json_field(writer, "name", mica_text(namez));
    mica_json_name(writer, "ok");
    mica_json_boolean(writer, passed);
    if (!passed) {
        mica_json_close_array(&output->failures_writer);
        mica_json_name(writer, "failures");
        mica_json_raw(writer, mica_buffer_as_text(&output->failures));
    }
    mica_json_close_object(writer);
    begin_failures(output);
}

static void
begin_tool(struct output *output)
{
    output->printed = (struct mica_text){NULL, 0};
    output->tests.len = 0;
    mica_json_writer_init(&output->tests_writer, &output->tests);
    mica_json_open_array(&output->tests_writer);
    begin_failures(output);
}

// `error` is of another status than MICA_OK and MICA_FAILED.
static void
end_tool(struct output *output, const char *name, enum mica_status status,
         const struct mica_error *error)
{
    struct mica_json_writer *writer = &output->writer;
    struct mica_buffer source;

    mica_buffer_init(&source, &output->cli->arena, PATH_MAX);
    mica_buffer_format(&source, MICA_TESTS_DIR "/%s.c", name);
    mica_json_close_array(&output->tests_writer);
    mica_json_open_object(writer);
    mica_json_field(writer, "tool", mica_text(name));
    mica_json_field(writer, "source", mica_buffer_as_text(&source));
    mica_json_name(writer, "ok");
    mica_json_boolean(writer, status == MICA_OK);
    mica_json_name(writer, "tests");
    mica_json_raw(writer, mica_buffer_as_text(&output->tests));
    if (status != MICA_OK && status != MICA_FAILED) {
        mica_json_name(writer, "error");
        mica_error_json(writer, error);
    }
    if (output->printed.len > 0)
        mica_json_field(writer, "said",
                        mica_call_clean(&output->cli->arena, output->printed));
    mica_json_close_object(writer);
}

static void
test_begin(struct output *output, struct mica_cli *cli,
           const struct mica_options *options)
{
    output->cli = cli;
    output->json =
        mica_cli_wants_json(options) && !mica_options_has(options, "tap");
    mica_buffer_init(&output->text, &cli->arena, JSON_BYTES);
    mica_buffer_init(&output->tests, &cli->arena, JSON_BYTES);
    mica_buffer_init(&output->failures, &cli->arena, JSON_BYTES);
    mica_json_writer_init(&output->writer, &output->text);
    mica_json_open_array(&output->writer);
}

static enum mica_status
test_end(struct output *output, struct mica_error *error)
{
    if (!output->json)
        return MICA_OK;
    mica_json_close_array(&output->writer);
    if (output->text.overflow || output->tests.overflow ||
        output->failures.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the tests have more to say than %d bytes",
                              JSON_BYTES);
    mica_cli_json_buffer(output->cli, &output->text);
    return MICA_OK;
}

// ---- Running -----------------------------------------------------------------------

static enum mica_status
run_tests(struct test *test, struct mica_error *error)
{
    const struct mica_kit_listener listener = {
        .failed = take_failure, .ended = take_end, .data = test->output};
    char *words[] = {test->object, NULL};
    int exit_status = 0;

    if (!test->output->json)
        mica_cli_print(test->cli, "# %s\n", test->name);
    mica_cli_flush(test->cli);
    MICA_TRY(mica_kit_load(test->object, words,
                           test->output->json ? &listener : NULL, error,
                           &exit_status));
    if (exit_status == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_FAILED, "", "tests of %s have failed: %s",
                          test->name, test->source);
}

static enum mica_status
test_one(struct output *output, const struct mica_toolchain *toolchain,
         const char *name, struct mica_error *error)
{
    const char *place = getenv("TMPDIR");
    struct mica_cli *cli = output->cli;
    struct test *test = mica_arena_zero(&cli->arena, 1, sizeof *test);
    enum mica_status status;

    if (test == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    test->cli = cli;
    test->output = output;
    test->name = name;
    MICA_TRY(mica_path(test->tool, error, "%s/%s.c", mica_kind_tool.dir, name));
    MICA_TRY(mica_path(test->source, error, MICA_TESTS_DIR "/%s.c", name));
    MICA_TRY(mica_path_inside(test->source, error));
    if (!mica_file_exists(test->source))
        return mica_error_set(
            error, MICA_E_NOT_FOUND, "",
            "%s has no tests; write them into %s, as docs/testing-tools.md shows",
            name, test->source);
    MICA_TRY(mica_folder_temporary(place != NULL && place[0] != '\0' ? place
                                                                     : "/tmp",
                                   test->folder, &test->folder_lock, error));
    status = mica_path(test->object, error, "%s/test.so", test->folder);
    if (status == MICA_OK)
        status = test_compile(test, toolchain, error);
    if (status == MICA_OK)
        status = run_tests(test, error);
    mica_folder_discard(test->folder, test->folder_lock);
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
        MICA_TRY(mica_path(path, error, MICA_TESTS_DIR "/%s.c", *tools));
        if (mica_file_exists(path))
            *names++ = *tools;
        else
            mica_cli_note(cli, "%s has no tests (%s)\n", *tools, path);
    }
    if (names != *names_out)
        return MICA_OK;
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "there are no tests in " MICA_TESTS_DIR
                          "; \"mica new "
                          "--interactive NAME\" writes a tool with some");
}

// Those that were named. NULL-ended, in the arena.
static enum mica_status
take_names(struct mica_cli *cli, const struct mica_options *options,
           struct mica_error *error, const char *const **names_out)
{
    const char **names =
        mica_arena_zero(&cli->arena, options->word_count + 1, sizeof *names);
    struct mica_found found;

    if (names == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < options->word_count; i++) {
        MICA_TRY(mica_find_here(cli, options->words[i], error, &found));
        if (found.kind != &mica_kind_tool)
            return mica_error_set(
                error, MICA_E_USAGE, "",
                "%s is an engine; its examples are its tests, "
                "and \"mica check %s\" runs them",
                found.name, found.name);
        names[i] = found.name;
    }
    *names_out = names;
    return MICA_OK;
}

static enum mica_status
test_run(struct mica_cli *cli, const struct mica_options *options,
         struct mica_error *error)
{
    static const char *const none[] = {NULL};
    const char *const *names = none;
    enum mica_status first = MICA_OK;
    struct mica_toolchain toolchain;
    struct output output;
    struct mica_error one;

    MICA_TRY(options->word_count > 0 ? take_names(cli, options, error, &names)
                                     : find_names(cli, error, &names));
    MICA_TRY(mica_toolchain_find_native(&toolchain, error));
    test_begin(&output, cli, options);
    for (; *names != NULL; names++) {
        begin_tool(&output);
        enum mica_status status = test_one(&output, &toolchain, *names, &one);
        end_tool(&output, *names, status, &one);
        if (status != MICA_OK && first == MICA_OK) {
            first = status;
            *error = one;
        } else if (status != MICA_OK) {
            mica_cli_complain(cli, &one);
        }
    }
    MICA_TRY(test_end(&output, error));
    return first;
}

static const struct mica_option options[] = {
    MICA_JSON_OPTION,
    {"tap", MICA_OPTION_SWITCH, NULL,
     "print TAP, the default, also with --json"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_test = {
    .name = "test",
    .group = MICA_GROUP_WRITING,
    .summary = "Run the tests of interactive tools",
    .usage = "[NAME…]",
    .example = "mica test greet\n  mica test tests/tools/greet.c",
    .more = "The tests of tools/NAME.c are in tests/tools/NAME.c "
            "(mica/test.h): whole calls, with a client whose answers are "
            "written down. Prints TAP. With MICA_TEST_WRITE=1 in the "
            "environment journals are saved for later versions to be compared "
            "with.",
    .words = MICA_WORDS_TOOLS,
    .options = options,
    .run = test_run};
