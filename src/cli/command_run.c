// SPDX-License-Identifier: Apache-2.0
//
// mica run: files from anywhere, built and served. What is built goes into a folder of
// the user's caches, so that nothing is left beside the sources.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/digest.h"
#include "build/files.h"
#include "cli/builder.h"
#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/commands.h"

enum {
    GIVEN = 64,
    SOURCE_BYTES = 1 << 20
};

// The sources of one kind, and where they are built to.
struct sources {
    const struct mica_source_kind *kind;
    const char **paths; // NULL-ended
    size_t count;
    const char *built;
};

// Declares the source a tool?
static bool
declares_tool(struct mica_text source)
{
    static const char *const macros[] = {"MICA_TOOL", "MICA_HANDOFF",
                                         "MICA_FETCH_TOOL"};

    for (size_t i = 0; i < MICA_COUNT(macros); i++)
        if (memmem(source.ptr, source.len, macros[i], strlen(macros[i])) !=
            NULL)
            return true;
    return false;
}

// A source says by its macros what it is, wherever it lies.
static enum mica_status
find_kind(struct mica_cli *cli, const char *path, struct mica_error *error,
          const struct mica_source_kind **kind_out)
{
    struct mica_cli_file file;

    MICA_TRY(mica_cli_file_look(cli, path, error, &file));
    if (!file.there)
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "there is no %s",
                              path);
    if (file.text.len > SOURCE_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s is larger than a source may be", path);
    *kind_out = declares_tool(file.text) ? &mica_kind_tool : &mica_kind_engine;
    return MICA_OK;
}

static enum mica_status
sort_words(struct mica_cli *cli, const struct mica_options *options,
           struct sources *engines, struct sources *tools,
           struct mica_error *error)
{
    for (size_t i = 0; i < options->word_count; i++) {
        const struct mica_source_kind *kind;
        char whole[PATH_MAX];
        MICA_TRY(find_kind(cli, options->words[i], error, &kind));
        if (realpath(options->words[i], whole) == NULL)
            return mica_error_set(error, MICA_E_IO, "", "cannot find %s: %s",
                                  options->words[i], strerror(errno));
        struct sources *sources = kind == &mica_kind_tool ? tools : engines;
        sources->paths[sources->count++] = mica_cli_format(cli, "%s", whole);
    }
    return MICA_OK;
}

// The same files are built to the same place, so that the next time is quick.
static enum mica_status
find_place(struct mica_cli *cli, const struct sources *engines,
           const struct sources *tools, struct mica_error *error,
           const char **place_out)
{
    const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char name[MICA_SHA256_SIZE];
    struct mica_digest digest;

    mica_digest_begin(&digest);
    for (size_t i = 0; i < engines->count; i++)
        mica_digest_text(&digest, mica_text(engines->paths[i]));
    for (size_t i = 0; i < tools->count; i++)
        mica_digest_text(&digest, mica_text(tools->paths[i]));
    mica_digest_end(&digest, name);
    if (caches == NULL || caches[0] != '/') {
        if (home == NULL || home[0] != '/')
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "$HOME does not say where your files are");
        caches = mica_cli_format(cli, "%s/.cache", home);
    }
    *place_out = mica_cli_format(cli, "%s/mica/run/%.16s", caches, name);
    return mica_cli_make_folders(*place_out, 0700, error);
}

static void
run_report(void *data, const struct mica_built *built)
{
    struct mica_cli *cli = data;

    if (built->status != MICA_OK)
        mica_cli_tell_lines(mica_buffer_as_text(&built->diagnostics));
    else if (built->outcome == MICA_BUILT)
        mica_cli_note(cli, "mica: built %s\n", built->source);
}

static enum mica_status
run_build(struct mica_cli *cli, const struct sources *sources,
          struct mica_error *error)
{
    struct mica_toolchain toolchain;
    const struct mica_build_options options = {.toolchain = &toolchain,
                                               .out_dir = sources->built};

    if (sources->count == 0)
        return MICA_OK;
    MICA_TRY(sources->kind->find(&toolchain, error));
    return mica_builder_run(cli, sources->kind, &options, sources->paths,
                            (struct mica_build_report){run_report, cli}, error);
}

// The options that were given, with the folders; those of run are serve's, too.
static enum mica_status
run_serve(struct mica_cli *cli, const struct mica_options *options,
          const struct sources *engines, const struct sources *tools,
          struct mica_error *error)
{
    static const struct mica_option folders[] = {
        {"engines", MICA_OPTION_VALUE, NULL, NULL},
        {"tools", MICA_OPTION_VALUE, NULL, NULL}};
    bool stdio = mica_options_has(options, "stdio");
    const struct mica_command *command =
        stdio ? &mica_command_stdio : &mica_command_serve;
    struct mica_given given[GIVEN];
    struct mica_options all = {.given = given, .words = options->words};

    for (size_t i = 0; i < options->given_count; i++) {
        if (all.given_count + 2 >= GIVEN)
            return mica_error_set(error, MICA_E_LIMIT, "",
                                  "more than %d options are given", GIVEN - 2);
        if (strcmp(options->given[i].option->name, "stdio") != 0)
            given[all.given_count++] = options->given[i];
    }
    if (engines->count > 0)
        given[all.given_count++] =
            (struct mica_given){.option = &folders[0], .value = engines->built};
    if (tools->count > 0)
        given[all.given_count++] =
            (struct mica_given){.option = &folders[1], .value = tools->built};
    cli->command = command;
    return command->run(cli, &all, error);
}

static enum mica_status
run_command(struct mica_cli *cli, const struct mica_options *options,
            struct mica_error *error)
{
    struct sources engines = {.kind = &mica_kind_engine},
                   tools = {.kind = &mica_kind_tool};
    const char *place = "";

    if (options->word_count == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "run which file? mica run FILE.c");
    if (mica_options_has(options, "stdio") && options->given_count > 1)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--stdio listens nowhere; leave other options "
                              "out");
    engines.paths = mica_arena_zero(&cli->arena, options->word_count + 1,
                                    sizeof *engines.paths);
    tools.paths = mica_arena_zero(&cli->arena, options->word_count + 1,
                                  sizeof *tools.paths);
    if (engines.paths == NULL || tools.paths == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    MICA_TRY(sort_words(cli, options, &engines, &tools, error));
    MICA_TRY(find_place(cli, &engines, &tools, error, &place));
    engines.built = mica_cli_format(cli, "%s/engines", place);
    tools.built = mica_cli_format(cli, "%s/tools", place);
    MICA_TRY(run_build(cli, &engines, error));
    MICA_TRY(run_build(cli, &tools, error));
    return run_serve(cli, options, &engines, &tools, error);
}

static const struct mica_option options[] = {
    {"stdio", MICA_OPTION_SWITCH, NULL,
     "serve over stdin and stdout, for a client that starts it"},
    {"listen", MICA_OPTION_VALUE, "HOST:PORT",
     "where to listen (default 127.0.0.1:8080); port 0 takes a free one, which "
     "is printed"},
    MICA_SAMPLING_OPTION,
    MICA_LOG_OPTIONS,
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_run = {
    .name = "run",
    .group = MICA_GROUP_WRITING,
    .summary = "Build files from anywhere and serve them",
    .usage = "FILE.c… [--listen HOST:PORT | --stdio]",
    .example = "mica run floor-area.c\n  mica run floor-area.c --stdio",
    .more = "A file is an engine, or an interactive tool if it has MICA_TOOL, "
            "MICA_HANDOFF or MICA_FETCH_TOOL. "
            "What is built goes below ~/.cache/mica/run. For a folder of tools "
            "use \"mica serve\", and while you write them \"mica dev\".",
    .words = MICA_WORDS_FILES,
    .options = options,
    .run = run_command};
