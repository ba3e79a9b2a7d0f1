// SPDX-License-Identifier: Apache-2.0
//
// Finds the subcommand of mica app and of mica collection, and runs it.
#include <string.h>

#include "cli/command_app.h"
#include "cli/near.h"

static void
row_unknown(const struct mica_cli_app_table *table, const char *word,
            struct mica_error *error)
{
    const char *names[MICA_CLI_APP_ROWS], *near;

    for (size_t i = 0; i < table->count; i++)
        names[i] = table->rows[i].name;
    near = mica_near(mica_text(word), names, table->count, table->synonyms);
    if (near != NULL)
        (void)mica_error_set(error, MICA_E_USAGE, "",
                             "there is no \"mica %s %.40s\"; did you mean "
                             "\"mica %s %s\"?",
                             table->command, word, table->command, near);
    else
        (void)mica_error_set(
            error, MICA_E_USAGE, "",
            "there is no \"mica %s %.40s\"; \"mica %s --help\" "
            "lists what there is",
            table->command, word, table->command);
}

static void
row_misused(const struct mica_cli_app_table *table,
            const struct mica_cli_app_row *row, struct mica_error *error)
{
    const struct mica_subcommand *words = table->subcommands;

    while (strcmp(words->name, row->name) != 0)
        words++;
    (void)mica_error_set(error, MICA_E_USAGE, "", "write mica %s %s%s%s",
                         table->command, words->name,
                         words->usage[0] != '\0' ? " " : "", words->usage);
}

// NULL: `error` says what is wrong.
static const struct mica_cli_app_row *
row_find(const struct mica_cli_app_table *table,
         const struct mica_options *options, struct mica_error *error)
{
    size_t count = options->word_count - 1;

    for (size_t i = 0; i < table->count; i++) {
        const struct mica_cli_app_row *row = &table->rows[i];
        if (strcmp(options->words[0], row->name) != 0)
            continue;
        if (count >= row->least && count <= row->most)
            return row;
        row_misused(table, row, error);
        return NULL;
    }
    row_unknown(table, options->words[0], error);
    return NULL;
}

enum mica_status
mica_cli_app_command(const struct mica_cli_app_table *table,
                     struct mica_cli *cli, const struct mica_options *options,
                     struct mica_error *error)
{
    struct mica_cli_app work = {.cli = cli,
                                .options = options,
                                .json = mica_cli_wants_json(options),
                                .error = error};
    const struct mica_cli_app_row *row;
    enum mica_status status;

    if (options->word_count == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "write mica %s %s, or another word of \"mica %s "
                              "--help\"",
                              table->command, table->usual, table->command);
    row = row_find(table, options, error);
    if (row == NULL)
        return error->status;
    work.words = options->words + 1;
    work.count = options->word_count - 1;
    status = mica_cli_app_open(&work, row->store);
    if (status == MICA_OK)
        status = row->run(&work);
    mica_cli_app_close(&work);
    return status;
}
