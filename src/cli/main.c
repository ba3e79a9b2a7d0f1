// SPDX-License-Identifier: Apache-2.0
//
// Where the program starts, runs the command of its first word, and ends.
#include <signal.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/settings.h"

enum {
    COMMAND_BYTES = 512 << 20 // everything that one command may need
};

// The first "-h" or "--help" of the words; NULL without one.
static const char *
find_help(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            return words[i];
    }
    return NULL;
}

// Does the failure of the command go to stdout, for a program? The words are looked at, as
// the failure may be that they cannot be read.
static bool
wants_error_body(const struct mica_cli *cli, const char *const *words,
                 size_t count)
{
    bool found = false;

    for (size_t i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        found = found || strcmp(words[i], "--json") == 0;
    return found && cli->command != NULL && cli->command->error_body;
}

// "mica app new --help" explains `new` alone.
static void
command_explain(struct mica_cli *cli, const char *const *words, bool brief)
{
    if (!mica_cli_help_subcommand(cli, cli->command, words[0]))
        mica_cli_help(cli, cli->command, brief);
}

// The first word chooses; a few forms that people try mean a command, too.
static enum mica_status
command_run(struct mica_cli *cli, const char *const *words, size_t count,
            struct mica_error *error)
{
    const char *name = count > 0 ? words[0] : "help";
    struct mica_options options;
    const char *help;

    if (strcmp(name, "-h") == 0) {
        mica_cli_help(cli, NULL, true);
        return MICA_OK;
    }
    if (strcmp(name, "--help") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    cli->command = mica_command_find(cli, mica_text(name));
    if (cli->command == NULL)
        return mica_command_unknown(cli, name, error);
    if (count > 0) {
        words++;
        count--;
    }
    help = find_help(words, count);
    if (help != NULL) {
        command_explain(cli, words, strcmp(help, "-h") == 0);
        return MICA_OK;
    }
    MICA_TRY(mica_options_read(cli->command->options, words, count, &cli->arena,
                               error, &options));
    if (cli->command->settings)
        MICA_TRY(mica_settings_apply(cli, &options, error));
    return cli->command->run(cli, &options, error);
}

int
main(int argc, char **argv)
{
    const char *const *words = (const char *const *)argv + 1;
    size_t count = argc > 0 ? (size_t)argc - 1 : 0;
    struct mica_cli cli = {.commands = mica_commands};
    struct mica_error error, unwritten;
    enum mica_status status, closed;

    memset(&error, 0, sizeof error);
    memset(&unwritten, 0, sizeof unwritten);
    (void)signal(SIGPIPE, SIG_IGN);
    // A file that may not grow is an error of the write (EFBIG), not the end of mica.
    (void)signal(SIGXFSZ, SIG_IGN);
    mica_arena_init(&cli.arena, COMMAND_BYTES);
    mica_cli_streams_open(&cli);
    status = command_run(&cli, words, count, &error);
    if (status != MICA_OK && cli.report == MICA_CLI_REPORT_DUE &&
        wants_error_body(&cli, words, count)) {
        mica_cli_print_error(&cli, &error);
        cli.report = MICA_CLI_REPORT_MADE;
    }
    closed = mica_cli_streams_close(&cli, &unwritten);
    // A report that was made may be among what was not written.
    if (status != MICA_OK &&
        (cli.report == MICA_CLI_REPORT_DUE || closed != MICA_OK))
        mica_cli_complain(&cli, &error);
    if (closed != MICA_OK)
        mica_cli_complain(&cli, &unwritten);
    if (closed != MICA_OK &&
        (status == MICA_OK || cli.report == MICA_CLI_REPORT_MADE))
        status = closed;
    mica_arena_fini(&cli.arena);
    return mica_status_exit(status);
}
