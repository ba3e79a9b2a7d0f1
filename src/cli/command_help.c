// SPDX-License-Identifier: Apache-2.0
//
// mica help: what is printed from the table of commands (command_table.c).
#include <string.h>

#include "cli/commands.h"
#include "cli/manual.h"
#include "cli/near.h"

enum {
    TEXT_BYTES = 1 << 20,
    COMMANDS = 64,    // of which a nearest is looked for
    BRIEF_COLUMN = 26 // where what an option does begins, in brief
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

// Words of other programs, and mica's.
static const struct mica_synonym synonyms[] = {{"ls", "list"},
                                               {"tools", "list"},
                                               {"show", "describe"},
                                               {"info", "describe"},
                                               {"schema", "describe"},
                                               {"exec", "call"},
                                               {"invoke", "call"},
                                               {"use", "call"},
                                               {"init", "new"},
                                               {"create", "new"},
                                               {"add", "new"},
                                               {"generate", "new"},
                                               {"make", "build"},
                                               {"compile", "build"},
                                               {"lint", "check"},
                                               {"validate", "check"},
                                               {"verify", "check"},
                                               {"watch", "dev"},
                                               {"start", "serve"},
                                               {"server", "serve"},
                                               {"http", "serve"},
                                               {"up", "serve"},
                                               {"mcp", "stdio"},
                                               {"setup", "install"},
                                               {"connect", "install"},
                                               {"bundle", "pack"},
                                               {"publish", "pack"},
                                               {"diff", "compare"},
                                               {"completion", "completions"},
                                               {"man", "help"},
                                               {"apps", "app"},
                                               {"sessions", "store"},
                                               {"backup", "store"},
                                               {NULL, NULL}};

static const struct mica_command *
command_nearest(const struct mica_cli *cli, struct mica_text name)
{
    const char *names[COMMANDS];
    const char *near;
    size_t count = 0;

    for (; count < COMMANDS && cli->commands[count] != NULL; count++)
        names[count] = cli->commands[count]->name;
    near = mica_near(name, names, count, synonyms);
    return near != NULL ? mica_command_find(cli, mica_text(near)) : NULL;
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

// ---- All commands ----------------------------------------------------------------

// In the order in which a newcomer needs them.
static const struct {
    enum mica_command_group group;
    const char *title;
} headings[] = {{MICA_GROUP_USING, "Use tools"},
                {MICA_GROUP_WRITING, "Write tools"},
                {MICA_GROUP_SERVING, "Serve them"},
                {MICA_GROUP_PUBLISHING, "Hand them on"},
                {MICA_GROUP_MICA, "mica itself"}};

static void
help_groups(struct mica_cli *cli)
{
    const char *bold = mica_cli_bold(cli), *plain = mica_cli_plain(cli);

    for (size_t i = 0; i < MICA_COUNT(headings); i++) {
        mica_cli_print(cli, "\n%s%s%s\n", bold, headings[i].title, plain);
        for (size_t j = 0; cli->commands[j] != NULL; j++)
            if (cli->commands[j]->group == headings[i].group)
                mica_cli_print(cli, "  %s%-11s%s %s\n", bold,
                               cli->commands[j]->name, plain,
                               cli->commands[j]->summary);
    }
}

static void
help_all(struct mica_cli *cli, bool brief)
{
    const char *bold = mica_cli_bold(cli), *plain = mica_cli_plain(cli);
    struct mica_buffer exits;

    mica_cli_print(cli,
                   "%smica%s serves tools, each written once as a C file, "
                   "to agents and programs.\n",
                   bold, plain);
    help_groups(cli);
    if (brief) {
        mica_cli_print(cli, "\n\"mica COMMAND -h\" shows the options of a "
                            "command, \"mica --help\" explains mica.\n");
        return;
    }
    mica_cli_print(cli,
                   "\n%sBegin%s\n"
                   "  mica new greet-person   write engines/greet-person.c, a "
                   "tool to change\n"
                   "  mica serve              serve it at "
                   "http://127.0.0.1:8080/mcp\n\n",
                   bold, plain);
    mica_buffer_init(&exits, &cli->arena, TEXT_BYTES);
    mica_buffer_text(
        &exits, MICA_LITERAL("NAME is a tool's name or its file: greet, "
                             "tools/greet.c. \"mica help COMMAND\" explains a "
                             "command; \"mica COMMAND -h\" does so in brief. "
                             "Output is text for people, on a terminal and in "
                             "a pipe; --json asks for JSON. Exit status:"));
    for (size_t i = 0; mica_cli_exits[i] != NULL; i++)
        mica_buffer_format(&exits, "%s %zu %s", i > 0 ? "," : "", i,
                           mica_cli_exits[i]);
    mica_buffer_char(&exits, '.');
    mica_cli_fill(cli, 0, mica_buffer_as_text(&exits));
}

// ---- One command -----------------------------------------------------------------

// "-l, --long", "--listen HOST:PORT".
static void
option_label(const struct mica_option *option, struct mica_buffer *label)
{
    char letter = mica_option_letter(option);

    if (letter != '\0')
        mica_buffer_format(label, "-%c, ", letter);
    mica_buffer_format(label, "--%s%s%s", option->name,
                       option->placeholder != NULL ? " " : "",
                       option->placeholder != NULL ? option->placeholder : "");
}

static void
help_option(struct mica_cli *cli, const struct mica_option *option)
{
    struct mica_buffer label;

    mica_buffer_init(&label, &cli->arena, TEXT_BYTES);
    option_label(option, &label);
    mica_cli_print(cli, "  %s%.*s%s\n", mica_cli_bold(cli), MICA_ARG(label),
                   mica_cli_plain(cli));
    mica_cli_fill(cli, 6, mica_text(option->help));
}

// What an option does, without what may be said of it behind that.
static struct mica_text
first_clause(const char *helpz)
{
    static const char *const ends[] = {"; ", ". ", ": ", ", for example", " ("};
    struct mica_text help = mica_text(helpz);

    for (size_t i = 0; i < MICA_COUNT(ends); i++) {
        const char *end = strstr(helpz, ends[i]);
        if (end != NULL && (size_t)(end - helpz) < help.len)
            help.len = (size_t)(end - helpz);
    }
    return help;
}

// A line for an option; two where its name is long.
static void
help_option_brief(struct mica_cli *cli, const struct mica_option *option)
{
    struct mica_text clause = first_clause(option->help);
    struct mica_buffer label;

    mica_buffer_init(&label, &cli->arena, TEXT_BYTES);
    option_label(option, &label);
    mica_cli_print(cli, "  %s%.*s%s", mica_cli_bold(cli), MICA_ARG(label),
                   mica_cli_plain(cli));
    if (label.len + 4 > BRIEF_COLUMN) {
        mica_cli_print(cli, "\n");
        mica_cli_fill(cli, BRIEF_COLUMN, clause);
        return;
    }
    for (size_t i = label.len + 2; i < BRIEF_COLUMN; i++)
        mica_cli_print(cli, " ");
    mica_cli_fill_behind(cli, BRIEF_COLUMN, clause);
}

static void
help_list_options(struct mica_cli *cli, const struct mica_command *command,
                  bool brief)
{
    if (command->options[0].name != NULL)
        mica_cli_print(cli, "\n%sOptions%s\n", mica_cli_bold(cli),
                       mica_cli_plain(cli));
    for (const struct mica_option *option = command->options;
         option->name != NULL; option++) {
        if (brief)
            help_option_brief(cli, option);
        else
            help_option(cli, option);
    }
}

// A line for each subcommand.
static void
help_list_subcommands(struct mica_cli *cli, const struct mica_command *command)
{
    if (command->subcommands == NULL)
        return;
    mica_cli_print(cli, "\n%sCommands%s\n", mica_cli_bold(cli),
                   mica_cli_plain(cli));
    for (const struct mica_subcommand *one = command->subcommands;
         one->name != NULL; one++)
        mica_cli_print(cli, "  %s%-10s%s %s\n", mica_cli_bold(cli), one->name,
                       mica_cli_plain(cli), one->summary);
}

bool
mica_cli_help_subcommand(struct mica_cli *cli,
                         const struct mica_command *command, const char *word)
{
    const char *bold = mica_cli_bold(cli), *plain = mica_cli_plain(cli);
    const struct mica_subcommand *one = command->subcommands;

    while (one != NULL && one->name != NULL && strcmp(one->name, word) != 0)
        one++;
    if (one == NULL || one->name == NULL)
        return false;
    mica_cli_print(cli, "%s.\n\n%sUsage%s\n  mica %s %s%s%s\n", one->summary,
                   bold, plain, command->name, one->name,
                   one->usage[0] != '\0' ? " " : "", one->usage);
    mica_cli_print(cli, "\n%sExample%s\n  ", bold, plain);
    mica_cli_lines(cli, mica_text(one->example));
    mica_cli_print(cli, "\n\n\"mica %s --help\" lists all options.\n",
                   command->name);
    return true;
}

static void
help_command(struct mica_cli *cli, const struct mica_command *command,
             bool brief)
{
    const char *bold = mica_cli_bold(cli), *plain = mica_cli_plain(cli);

    mica_cli_print(cli, "%s.\n\n%sUsage%s\n  mica %s%s", command->summary, bold,
                   plain, command->name, command->usage[0] != '\0' ? " " : "");
    mica_cli_lines(cli, mica_text(command->usage));
    mica_cli_print(cli, "\n");
    if (command->more != NULL && !brief) {
        mica_cli_print(cli, "\n");
        mica_cli_fill(cli, 0, mica_text(command->more));
    }
    help_list_subcommands(cli, command);
    help_list_options(cli, command, brief);
    if (brief) {
        mica_cli_print(cli, "\n\"mica %s --help\" says more.\n", command->name);
        return;
    }
    mica_cli_print(cli, "\n%sExample%s\n  ", bold, plain);
    mica_cli_lines(cli, mica_text(command->example));
    mica_cli_print(cli, "\n");
}

void
mica_cli_help(struct mica_cli *cli, const struct mica_command *command,
              bool brief)
{
    if (command == NULL)
        help_all(cli, brief);
    else
        help_command(cli, command, brief);
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
    if (options->word_count == 2 &&
        mica_cli_help_subcommand(cli, command, options->words[1]))
        return MICA_OK;
    if (mica_options_has(options, "man"))
        return mica_manual(cli, command, mica_options_value(options, "out"),
                           error);
    if (mica_options_has(options, "out"))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--out DIR goes with --man");
    mica_cli_help(cli, command, false);
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
