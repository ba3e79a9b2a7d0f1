// SPDX-License-Identifier: Apache-2.0
//
// mica build: engines to modules and tools to shared objects, with the compilers
// of this machine.
#include <string.h>

#include "cli/builder.h"
#include "cli/commands.h"

static void
report(struct mica_cli *cli, const struct mica_built *built)
{
    if (built->diagnostics.len > 0)
        mica_cli_note(cli, "%.*s", MICA_ARG(built->diagnostics));
    if (built->status == MICA_OK)
        mica_cli_print(cli, "%s %s\n",
                       built->outcome == MICA_BUILT ? "built" : "up to date",
                       built->source);
    mica_cli_flush(cli);
}

// Files of one kind.
struct files {
    const struct mica_source_kind *kind;
    const char **paths; // NULL-ended
    size_t count;
};

static enum mica_status
take_words(struct mica_cli *cli, const struct mica_options *options,
           struct files *files, struct mica_error *error)
{
    size_t most = options->word_count + 1;

    files->paths = mica_arena_zero(&cli->arena, most, sizeof *files->paths);
    if (files->paths == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < options->word_count; i++) {
        if (mica_source_kind_of(options->words[i]) == files->kind)
            files->paths[files->count++] = options->words[i];
    }
    return MICA_OK;
}

static enum mica_status
take_all(struct mica_cli *cli, struct files *files, struct mica_error *error)
{
    const char *const *names;
    size_t most = 1;

    MICA_TRY(mica_project_sources(cli, files->kind, error, &names));
    while (names[most - 1] != NULL)
        most++;
    files->paths = mica_arena_zero(&cli->arena, most, sizeof *files->paths);
    if (files->paths == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (; names[files->count] != NULL; files->count++)
        files->paths[files->count] =
            mica_project_path(cli, files->kind, names[files->count]);
    return MICA_OK;
}

static enum mica_status
build(struct mica_cli *cli, const struct mica_options *options,
      const struct files *files, struct mica_error *error)
{
    const char *out = mica_options_value(options, "out");
    struct mica_toolchain toolchain;
    struct mica_build_options how = {
        .toolchain = &toolchain,
        .out_dir = out != NULL ? out : files->kind->built,
        .fast = mica_options_has(options, "fast"),
        .force = mica_options_has(options, "force")};

    if (files->count == 0)
        return MICA_OK;
    MICA_TRY(files->kind->find(&toolchain, error));
    if (out == NULL)
        MICA_TRY(mica_project_make_folder("build", error));
    return mica_builder_run(cli, files->kind, &how, files->paths, error,
                            report);
}

static enum mica_status
run(struct mica_cli *cli, const struct mica_options *options,
    struct mica_error *error)
{
    struct files kinds[] = {{.kind = &mica_kind_engine},
                            {.kind = &mica_kind_tool}};
    enum mica_status first = MICA_OK;
    size_t count = 0;

    if (mica_options_has(options, "all") && options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "give files, or --all, not both");
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        MICA_TRY(options->word_count > 0
                     ? take_words(cli, options, &kinds[i], error)
                     : take_all(cli, &kinds[i], error));
        count += kinds[i].count;
    }
    if (count == 0)
        return mica_project_empty(error);
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        struct mica_error failure;
        enum mica_status status = build(cli, options, &kinds[i], &failure);
        if (status == MICA_OK)
            continue;
        if (first != MICA_OK)
            mica_cli_complain(cli, error); // the last comes last
        first = status;
        *error = failure;
    }
    return first;
}

static const struct mica_option options[] = {
    {"all", MICA_OPTION_SWITCH, NULL,
     "everything of ./engines and ./tools (the default without files)"},
    {"out", MICA_OPTION_VALUE, "DIR",
     "where the built files go (default build/engines and build/tools)"},
    {"fast", MICA_OPTION_SWITCH, NULL,
     "quick to build, slow to run: for trying things out"},
    {"force", MICA_OPTION_SWITCH, NULL, "build even when nothing has changed"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_build = {
    .name = "build",
    .summary = "Build engines and interactive tools",
    .usage = "[FILE… | --all]",
    .example = "mica build engines/greet-somebody.c",
    .more =
        "Each engine becomes a WebAssembly module that imports nothing, its "
        "translation to native code, a manifest, and a seal by which mica "
        "knows that you have built it. A file in a folder tools is an "
        "interactive tool and becomes native code that is loaded as it is. A "
        "failed build leaves what was built before. \"mica serve\" and the "
        "other commands build what has changed by themselves.",
    .words = MICA_WORDS_FILES,
    .options = options,
    .run = run};
