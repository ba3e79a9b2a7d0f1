// SPDX-License-Identifier: Apache-2.0
//
// mica completions: what a shell has to know, and, while a person types, the names
// of the tools there are.
#include "cli/command_completions.h"

#include <string.h>

#include "cli/builtin.h"
#include "cli/commands.h"
#include "cli/project.h"
#include "tools/library.h"

enum {
    SCRIPT_BYTES = 1 << 20
};

// bash expands the words that it is offered, so that "$(…).c" in a folder from
// elsewhere would be run: what is no name of a tool is left out.
static void
print_sources(struct mica_cli *cli, const char *const *names)
{
    for (; *names != NULL; names++)
        if (mica_tool_name_valid(mica_text(*names)))
            mica_cli_print(cli, "%s\n", *names);
}

// Nothing is built for it: a person waits for the next letter.
static enum mica_status
print_names(struct mica_cli *cli, struct mica_error *error)
{
    const char *const *engines, *const *tools;

    MICA_TRY(mica_project_sources(cli, &mica_kind_engine, error, &engines));
    MICA_TRY(mica_project_sources(cli, &mica_kind_tool, error, &tools));
    if (*engines == NULL && *tools == NULL) {
        for (size_t i = 0; i < mica_builtin_count; i++)
            mica_cli_print(cli, "%s\n", mica_builtin_engines[i]->slug);
        return MICA_OK;
    }
    print_sources(cli, engines);
    print_sources(cli, tools);
    return MICA_OK;
}

static enum mica_status
completions_run(struct mica_cli *cli, const struct mica_options *options,
                struct mica_error *error)
{
    static const struct {
        const char *name;
        void (*write)(struct mica_buffer *out,
                      const struct mica_command *const *commands);
    } shells[] = {{"bash", mica_completions_bash},
                  {"zsh", mica_completions_zsh},
                  {"fish", mica_completions_fish}};
    const char *word = options->word_count == 1 ? options->words[0] : "";
    struct mica_buffer script;

    if (options->word_count >= 2 && options->word_count <= 3 &&
        strcmp(options->words[0], "fields") == 0)
        return mica_completions_fields(
            cli, options->words[1],
            options->word_count == 3 ? options->words[2] : "", error);
    if (strcmp(word, "names") == 0)
        return print_names(cli, error);
    for (size_t i = 0; i < MICA_COUNT(shells); i++) {
        if (strcmp(word, shells[i].name) != 0)
            continue;
        mica_buffer_init(&script, &cli->arena, SCRIPT_BYTES);
        shells[i].write(&script, cli->commands);
        if (script.overflow)
            return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
        mica_cli_file(cli, mica_buffer_as_text(&script));
        return MICA_OK;
    }
    return mica_error_set(error, MICA_E_USAGE, "",
                          "completions for which shell? bash, zsh or fish");
}

static const struct mica_option options[] = {
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_completions = {
    .name = "completions",
    .summary = "Write a script that completes mica's words in a shell",
    .usage = "bash|zsh|fish|names|fields NAME [WORD]",
    .example = "source <(mica completions bash)\n  mica completions fish > "
               "~/.config/fish/completions/mica.fish",
    .more = "\"make install\" and the Debian package put all three where the "
            "shells look. The scripts ask \"mica completions names\" for the "
            "tools of the folder, and \"mica completions fields NAME\" for "
            "the fields of one that is built and their choices; and \"mica "
            "app list --slugs\" and \"mica collection list --slugs\" for what "
            "the store has.",
    .words = "bash|zsh|fish|names|fields",
    .options = options,
    .run = completions_run};
