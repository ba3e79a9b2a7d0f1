// SPDX-License-Identifier: Apache-2.0
//
// mica list: which tools there are.
#include "cli/cli_catalog.h"
#include "cli/commands.h"

static void
write_json(struct mica_cli *cli, const struct mica_definition_list *tools)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, SIZE_MAX / 2);
    mica_json_writer_init(&writer, &text);
    mica_json_open_array(&writer);
    for (size_t i = 0; i < tools->count; i++) {
        const struct mica_definition *tool = tools->items[i];
        mica_json_open_object(&writer);
        mica_json_field(&writer, "name", tool->name);
        mica_json_field(&writer, "title", tool->title);
        mica_json_field(&writer, "category", tool->category);
        mica_json_field(&writer, "description", tool->description);
        mica_json_close_object(&writer);
    }
    mica_json_close_array(&writer);
    mica_cli_json(cli, mica_buffer_as_text(&text));
    mica_cli_print(cli, "\n");
}

static void
write_table(struct mica_cli *cli, const struct mica_definition_list *tools)
{
    for (size_t i = 0; i < tools->count; i++) {
        const struct mica_definition *tool = tools->items[i];
        mica_cli_print(cli, "%s%.*s%s", mica_cli_bold(cli),
                       MICA_ARG(tool->name), mica_cli_plain(cli));
        if (tool->category.len > 0)
            mica_cli_print(cli, "  %s%.*s%s", mica_cli_dim(cli),
                           MICA_ARG(tool->category), mica_cli_plain(cli));
        mica_cli_print(cli, "\n");
        mica_cli_fill(cli, 4, tool->description);
    }
    mica_cli_print(cli,
                   "\n%zu tool%s. \"mica describe NAME\" explains one,\n"
                   "\"mica call NAME key=value …\" calls it.\n",
                   tools->count, mica_cli_s(tools->count));
}

static enum mica_status
list_run(struct mica_cli *cli, const struct mica_options *options,
         struct mica_error *error)
{
    struct mica_server *server;

    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "list takes no name; \"mica describe %s\" "
                              "explains one tool",
                              options->words[0]);
    MICA_TRY(mica_cli_catalog_open(cli, options, error, &server));
    if (mica_cli_wants_json(cli, options))
        write_json(
            cli, &server->registry.main->catalog->lists[MICA_DEFINITION_TOOL]);
    else
        write_table(
            cli, &server->registry.main->catalog->lists[MICA_DEFINITION_TOOL]);
    mica_server_close(&server);
    return MICA_OK;
}

static const struct mica_option options[] = {
    MICA_ENGINES_OPTION,
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_list = {.name = "list",
                                               .summary = "List the tools",
                                               .usage =
                                                   "[--engines DIR] [--json]",
                                               .example = "mica list",
                                               .options = options,
                                               .run = list_run};
