// SPDX-License-Identifier: Apache-2.0
//
// mica list: which tools there are, one on each line. What a terminal is too narrow for
// is cut there; a pipe gets whole lines.
#include "cli/cli_catalog.h"
#include "cli/columns.h"
#include "cli/commands.h"

enum {
    NAME_COLUMNS = 32,  // of the names, at most
    LEAST_COLUMNS = 20, // of a description
    LINE_BYTES = 1 << 20
};

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

// ---- One line a tool -----------------------------------------------------------

static size_t
name_columns(const struct mica_definition_list *tools)
{
    size_t width = 0;

    for (size_t i = 0; i < tools->count; i++)
        if (tools->items[i]->name.len > width)
            width = tools->items[i]->name.len;
    return width < NAME_COLUMNS ? width : NAME_COLUMNS;
}

// What a description has room for; 0: as much as it needs.
static size_t
room_behind(const struct mica_cli *cli, size_t name)
{
    if (cli->columns == 0)
        return 0;
    return cli->columns > name + LEAST_COLUMNS ? cli->columns - name
                                               : LEAST_COLUMNS;
}

static void
write_line(struct mica_cli *cli, const struct mica_definition *tool,
           size_t width)
{
    size_t name = tool->name.len > width ? tool->name.len : width;
    size_t room = room_behind(cli, name + 2);
    struct mica_buffer line, shown;

    mica_buffer_init(&line, &cli->arena, LINE_BYTES);
    mica_buffer_init(&shown, &cli->arena, LINE_BYTES);
    mica_columns_line(&line, tool->description);
    if (room > 0)
        mica_columns_cut(&shown, mica_buffer_as_text(&line), room);
    else
        mica_buffer_text(&shown, mica_buffer_as_text(&line));
    mica_cli_print(cli, "%s%.*s%s", mica_cli_bold(cli), MICA_ARG(tool->name),
                   mica_cli_plain(cli));
    for (size_t i = tool->name.len; i < name + 2; i++)
        mica_cli_print(cli, " ");
    mica_cli_print(cli, "%.*s\n", MICA_ARG(shown));
}

static void
write_lines(struct mica_cli *cli, const struct mica_definition_list *tools)
{
    size_t width = name_columns(tools);

    for (size_t i = 0; i < tools->count; i++)
        write_line(cli, tools->items[i], width);
}

// ---- With all that they say ----------------------------------------------------

static void
write_long(struct mica_cli *cli, const struct mica_definition_list *tools)
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
}

// Beside the list, so that lines of stdout are tools and nothing else.
static void
say_next(struct mica_cli *cli, size_t count)
{
    if (!cli->terminal || !cli->note_terminal)
        return;
    mica_cli_flush(cli); // the list first
    mica_cli_note(cli,
                  "\n%zu tool%s. \"mica describe NAME\" explains one, \"mica "
                  "call NAME key=value …\"\ncalls it, and \"mica list -l\" "
                  "shows whole descriptions.\n",
                  count, mica_cli_s(count));
}

static enum mica_status
list_run(struct mica_cli *cli, const struct mica_options *options,
         struct mica_error *error)
{
    const struct mica_definition_list *tools;
    struct mica_server *server;

    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "list takes no name; \"mica describe %s\" "
                              "explains one tool",
                              options->words[0]);
    MICA_TRY(mica_cli_catalog_open(cli, options, error, &server));
    tools = &server->registry.main->catalog->lists[MICA_DEFINITION_TOOL];
    if (mica_cli_wants_json(options)) {
        write_json(cli, tools);
    } else {
        if (mica_options_has(options, "long"))
            write_long(cli, tools);
        else
            write_lines(cli, tools);
        say_next(cli, tools->count);
    }
    mica_server_close(&server);
    return MICA_OK;
}

static const struct mica_option options[] = {
    {"long", MICA_OPTION_SWITCH, NULL,
     "print the category and the whole description of each tool"},
    MICA_ENGINES_OPTION,
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_list = {
    .name = "list",
    .group = MICA_GROUP_USING,
    .summary = "List the tools",
    .usage = "[-l] [--engines DIR] [--json]",
    .example = "mica list\n  mica list | grep -i percent",
    .more = "Prints a line for each tool: its name and its description. A "
            "terminal shows what fits into a line, and \"…\" where it was cut; "
            "a pipe gets all of it.",
    .options = options,
    .run = list_run};
