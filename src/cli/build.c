// SPDX-License-Identifier: Apache-2.0
//
// mica build: engines to modules, with the compilers of this machine.
#include <stdio.h>

#include "cli/builder.h"
#include "cli/catalogue.h"
#include "cli/commands.h"

enum {
    PATH_BYTES = 512
};

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

static enum mica_status
find_sources(struct mica_cli *cli, const struct mica_options *options,
             struct mica_error *error, const char *const **sources_out)
{
    bool all = mica_options_has(options, "all");
    const char *const *slugs;
    const char **sources;
    size_t count = 0;

    if (all && options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "give files, or --all, not both");
    if (options->word_count > 0) {
        *sources_out = options->words;
        return MICA_OK;
    }
    MICA_TRY(mica_catalogue_sources(cli, error, &slugs));
    while (slugs[count] != NULL)
        count++;
    sources = mica_arena_zero(&cli->arena, count + 1, sizeof *sources);
    for (size_t i = 0; i < count && sources != NULL; i++) {
        char path[PATH_BYTES];
        (void)snprintf(path, sizeof path, "%s/%s.c", MICA_ENGINES_DIR,
                       slugs[i]);
        sources[i] = mica_arena_text(&cli->arena, mica_text(path)).ptr;
    }
    *sources_out = sources;
    return MICA_OK;
}

static enum mica_status
run(struct mica_cli *cli, const struct mica_options *options,
    struct mica_error *error)
{
    const char *out = mica_options_value(options, "out");
    struct mica_toolchain toolchain;
    struct mica_build_options build = {
        .toolchain = &toolchain,
        .out_dir = out != NULL ? out : MICA_BUILT_DIR,
        .fast = mica_options_has(options, "fast"),
        .force = mica_options_has(options, "force")};
    const char *const *sources = NULL;

    MICA_TRY(find_sources(cli, options, error, &sources));
    MICA_TRY(mica_toolchain_find(&toolchain, error));
    if (out == NULL)
        MICA_TRY(mica_catalogue_make_folder("build", error));
    return mica_builder_run(cli, &build, sources, error, report);
}

static const struct mica_option options[] = {
    {"all", MICA_OPTION_SWITCH, NULL,
     "every engine of ./engines (the default without files)"},
    {"out", MICA_OPTION_VALUE, "DIR",
     "where the built files go (default build/engines)"},
    {"fast", MICA_OPTION_SWITCH, NULL,
     "quick to build, slow to run: for trying things out"},
    {"force", MICA_OPTION_SWITCH, NULL, "build even when nothing has changed"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_build = {
    .name = "build",
    .summary = "Build engines into sandboxed modules",
    .usage = "[FILE… | --all]",
    .example = "mica build engines/greet-somebody.c",
    .more =
        "Each engine becomes a WebAssembly module that imports nothing, its "
        "translation to native code, a manifest, and a seal by which mica "
        "knows that you have built it. A failed build leaves "
        "what was built before. \"mica serve\" and the other commands build "
        "what has changed by themselves.",
    .options = options,
    .run = run};
