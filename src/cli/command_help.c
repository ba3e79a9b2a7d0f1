// SPDX-License-Identifier: Apache-2.0
//
// mica help: what is printed from the table of commands (command_table.c).
#include <string.h>

#include "cli/commands.h"
#include "cli/manual.h"

enum {
    TEXT_BYTES = 1 << 20
};

const struct mica_command *
mica_command_find(const struct mica_cli *cli, struct mica_text name)
{
    for (size_t i = 0; cli->commands[i] != NULL; i++) {
        if (mica_text_is(name, cli->commands[i]->name))
            return cli->commands[i];
    }
    return NULL;
}

static const struct mica_command *
command_nearest(const struct mica_cli *cli, struct mica_text name)
{
    const struct mica_command *nearest = NULL;
    size_t best = name.len / 2 + 2;

    for (size_t i = 0; cli->commands[i] != NULL && best > 1; i++) {
        size_t limit = best - 1 < 63 ? best - 1 : 63;
        size_t distance =
            mica_text_distance(name, mica_text(cli->commands[i]->name), limit);
        if (distance < best && distance <= limit) {
            best = distance;
            nearest = cli->commands[i];
        }
    }
    return nearest;
}

enum mica_status
mica_command_unknown(const struct mica_cli *cli, const char *name,
                     struct mica_error *error)
{
    const struct mica_command *nearest = command_nearest(cli, mica_text(name));

    if (nearest != NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "there is no command \"%s\"; did you mean "
                              "\"mica %s\"?",
                              name, nearest->name);
    return mica_error_set(error, MICA_E_USAGE, "",
                          "there is no command \"%s\"; \"mica help\" lists "
                          "those there are",
                          name);
}

static void
help_all(struct mica_cli *cli)
{
    const char *bold = mica_cli_bold(cli), *plain = mica_cli_plain(cli);
    struct mica_buffer exits;

    mica_cli_print(cli,
                   "%smica%s serves tools, each written once as a C file, "
                   "to agents and programs.\n\n%sCommands%s\n",
                   bold, plain, bold, plain);
    for (size_t i = 0; cli->commands[i] != NULL; i++)
        mica_cli_print(cli, "  %s%-11s%s %s\n", bold, cli->commands[i]->name,
                       plain, cli->commands[i]->summary);
    mica_cli_print(cli,
                   "\n%sBegin%s\n  mica new greet-person   write engines/"
                   "greet-person.c, a tool to change\n  mica serve          "
                   "      serve it at http://127.0.0.1:8080/mcp\n\n",
                   bold, plain);
    mica_buffer_init(&exits, &cli->arena, TEXT_BYTES);
    mica_buffer_text(&exits,
                     MICA_LITERAL("NAME is a tool's name or its file: greet, "
                                  "tools/greet.c. \"mica help COMMAND\" "
                                  "explains a command. Exit status:"));
    for (size_t i = 0; mica_cli_exits[i] != NULL; i++)
        mica_buffer_format(&exits, "%s %zu %s", i > 0 ? "," : "", i,
                           mica_cli_exits[i]);
    mica_buffer_char(&exits, '.');
    mica_cli_fill(cli, 0, mica_buffer_as_text(&exits));
}

static void
help_option(struct mica_cli *cli, const struct mica_option *option)
{
    mica_cli_print(cli, "  %s--%s%s%s%s\n", mica_cli_bold(cli), option->name,
                   mica_cli_plain(cli), option->placeholder != NULL ? " " : "",
                   option->placeholder != NULL ? option->placeholder : "");
    mica_cli_fill(cli, 6, mica_text(option->help));
}

void
mica_cli_help(struct mica_cli *cli, const struct mica_command *command)
{
    const char *bold = mica_cli_bold(cli), *plain = mica_cli_plain(cli);

    if (command == NULL) {
        help_all(cli);
        return;
    }
    mica_cli_print(cli, "%s.\n\n%sUsage%s\n  mica %s%s", command->summary, bold,
                   plain, command->name, command->usage[0] != '\0' ? " " : "");
    mica_cli_lines(cli, mica_text(command->usage));
    mica_cli_print(cli, "\n");
    if (command->more != NULL) {
        mica_cli_print(cli, "\n");
        mica_cli_fill(cli, 0, mica_text(command->more));
    }
    if (command->options[0].name != NULL)
        mica_cli_print(cli, "\n%sOptions%s\n", bold, plain);
    for (const struct mica_option *option = command->options;
         option->name != NULL; option++)
        help_option(cli, option);
    mica_cli_print(cli, "\n%sExample%s\n  ", bold, plain);
    mica_cli_lines(cli, mica_text(command->example));
    mica_cli_print(cli, "\n");
}

static enum mica_status
run_help(struct mica_cli *cli, const struct mica_options *options,
         struct mica_error *error)
{
    const struct mica_command *command = NULL;

    if (options->word_count > 0) {
        command = mica_command_find(cli, mica_text(options->words[0]));
        if (command == NULL)
            return mica_command_unknown(cli, options->words[0], error);
    }
    if (mica_options_has(options, "man"))
        return mica_manual(cli, command, mica_options_value(options, "out"),
                           error);
    if (mica_options_has(options, "out"))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--out DIR goes with --man");
    mica_cli_help(cli, command);
    return MICA_OK;
}

static const struct mica_option help_options[] = {
    {"man", MICA_OPTION_SWITCH, NULL, "write a manual page, for man"},
    {"out", MICA_OPTION_VALUE, "DIR",
     "with --man: write the pages of all commands into DIR"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_help = {
    .name = "help",
    .summary = "Explain mica, or one of its commands",
    .usage = "[COMMAND] [--man [--out DIR]]",
    .example = "mica help call\n  mica help call --man | man -l -",
    .words = MICA_WORDS_COMMANDS,
    .options = help_options,
    .run = run_help};
