// SPDX-License-Identifier: Apache-2.0
//
// mica build: engines to modules and tools to shared objects, with the compilers
// of this machine.
#include <string.h>

#include "call/call.h"
#include "cli/builder.h"
#include "cli/commands.h"
#include "cli/find.h"
#include "cli/new_project.h"

enum {
    TEXT_BYTES = 8 << 20 // of a file: a MiB of what compilers say, as JSON
};

// What is printed of all that is built.
struct output {
    struct mica_cli *cli;
    const struct mica_source_kind *kind; // of what is built now
    bool json;
    size_t count;
};

static const char *
state_of(const struct mica_built *built)
{
    if (built->status != MICA_OK)
        return "failed";
    return built->outcome == MICA_BUILT ? "built" : "current";
}

static void
print_json(struct output *output, const struct mica_built *built)
{
    struct mica_arena *arena = &output->cli->arena;
    struct mica_text printed = mica_buffer_as_text(&built->diagnostics);
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "source", mica_text(built->source));
    mica_json_field(&writer, "kind", mica_text(output->kind->noun));
    mica_json_field(&writer, "state", mica_text(state_of(built)));
    if (built->status != MICA_OK) {
        mica_json_name(&writer, "error");
        mica_error_json(&writer, &built->error);
    }
    if (printed.len > 0)
        mica_json_field(&writer, "said", mica_call_clean(arena, printed));
    mica_json_close_object(&writer);
    mica_cli_print(output->cli, output->count > 0 ? ",\n" : "[\n");
    mica_cli_json(output->cli, mica_cli_whole(&text));
}

static void
build_report(void *data, const struct mica_built *built)
{
    struct output *output = data;
    struct mica_cli *cli = output->cli;

    if (built->diagnostics.len > 0)
        mica_cli_tell_lines(mica_buffer_as_text(&built->diagnostics));
    if (output->json)
        print_json(output, built);
    else if (built->status == MICA_OK)
        mica_cli_print(cli, "%s %s\n",
                       built->outcome == MICA_BUILT ? "built" : "up to date",
                       built->source);
    output->count++;
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
    struct mica_found found;

    files->paths = mica_arena_zero(&cli->arena, most, sizeof *files->paths);
    if (files->paths == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < options->word_count; i++) {
        MICA_TRY(mica_find_source(cli, options->words[i], error, &found));
        if (found.kind == files->kind)
            files->paths[files->count++] = found.path;
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
build_source(struct output *output, const struct mica_options *options,
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
    if (out == NULL) {
        MICA_TRY(mica_project_built(files->kind, error));
        MICA_TRY(mica_project_make_folder("build", error));
    }
    output->kind = files->kind;
    return mica_builder_run(output->cli, files->kind, &how, files->paths,
                            (struct mica_build_report){build_report, output},
                            error);
}

static enum mica_status
build_run(struct mica_cli *cli, const struct mica_options *options,
          struct mica_error *error)
{
    struct files kinds[] = {{.kind = &mica_kind_engine},
                            {.kind = &mica_kind_tool}};
    struct output output = {.cli = cli, .json = mica_cli_wants_json(options)};
    enum mica_status first = MICA_OK;
    size_t count = 0;

    if (mica_options_has(options, "all") && options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "give names, or --all, not both");
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        MICA_TRY(options->word_count > 0
                     ? take_words(cli, options, &kinds[i], error)
                     : take_all(cli, &kinds[i], error));
        count += kinds[i].count;
    }
    if (count == 0)
        return mica_project_empty(error);
    mica_new_compile_flags(cli);
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        struct mica_error failure;
        enum mica_status status =
            build_source(&output, options, &kinds[i], &failure);
        if (status == MICA_OK)
            continue;
        if (first != MICA_OK)
            mica_cli_complain(cli, error); // the last comes last
        first = status;
        *error = failure;
    }
    if (output.json && output.count > 0)
        mica_cli_print(cli, "\n]\n");
    return first;
}

static const struct mica_option options[] = {
    {"all", MICA_OPTION_SWITCH, NULL,
     "everything of ./engines and ./tools (the default without names)"},
    {"out", MICA_OPTION_VALUE, "DIR",
     "where the built files go (default build/engines and build/tools)"},
    {"fast", MICA_OPTION_SWITCH, NULL,
     "quick to build, slow to run: for trying things out"},
    {"force", MICA_OPTION_SWITCH, NULL, "build even when nothing has changed"},
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_build = {
    .name = "build",
    .group = MICA_GROUP_WRITING,
    .summary = "Build engines and interactive tools",
    .usage = "[NAME… | --all]",
    .example = "mica build greet-person\n  mica build tools/greet.c",
    .more =
        "Each engine becomes a WebAssembly module that imports nothing, its "
        "translation to native code, a manifest, and a seal by which mica "
        "knows that you have built it. A file in a folder tools is an "
        "interactive tool and becomes native code that is loaded as it is. A "
        "failed build leaves what was built before. \"mica serve\" and the "
        "other commands build what has changed by themselves.",
    .words = MICA_WORDS_FILES,
    .options = options,
    .run = build_run};
