// SPDX-License-Identifier: Apache-2.0
//
// mica list: which tools there are, one on each line; or which prompts, or resources.
// What a terminal is too narrow for is cut there; a pipe gets whole lines.
#include <string.h>

#include "cli/cli_catalog.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/near.h"
#include "cli/project_files.h"
#include "cli/settings.h"

enum {
    NAME_COLUMNS = 32,  // of the names, at most
    LEAST_COLUMNS = 20, // of a description
    LINE_BYTES = 1 << 20
};

// What can be listed, by the word behind the command.
struct listed {
    const char *word, *noun;
    enum mica_definition_kind kind;
};

static const struct listed kinds[] = {
    {"tools", "tool", MICA_DEFINITION_TOOL},
    {"prompts", "prompt", MICA_DEFINITION_PROMPT},
    {"resources", "resource", MICA_DEFINITION_RESOURCE}};

static void
write_tool(struct mica_json_writer *writer, const struct mica_definition *tool)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "name", tool->name);
    mica_json_field(writer, "title", tool->title);
    mica_json_field(writer, "category", tool->category);
    mica_json_field(writer, "description", tool->description);
    mica_json_close_object(writer);
}

static void
write_json(struct mica_cli *cli, const struct mica_definition_list *list)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, SIZE_MAX / 2);
    mica_json_writer_init(&writer, &text);
    mica_json_open_array(&writer);
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i]->kind == MICA_DEFINITION_TOOL)
            write_tool(&writer, list->items[i]);
        else
            mica_project_files_write(&writer, list->items[i]);
    }
    mica_json_close_array(&writer);
    mica_cli_json_buffer(cli, &text);
}

// ---- One line each -------------------------------------------------------------

static size_t
name_columns(const struct mica_definition_list *list)
{
    size_t width = 0;

    for (size_t i = 0; i < list->count; i++)
        if (list->items[i]->key.len > width)
            width = list->items[i]->key.len;
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
write_line(struct mica_cli *cli, const struct mica_definition *definition,
           size_t width)
{
    struct mica_text key = definition->key;
    struct mica_text words = definition->kind == MICA_DEFINITION_TOOL
                                 ? definition->description
                                 : mica_project_files_words(cli, definition);
    size_t name = key.len > width ? key.len : width;
    size_t room = room_behind(cli, name + 2);
    struct mica_buffer line, shown;

    mica_buffer_init(&line, &cli->arena, LINE_BYTES);
    mica_buffer_init(&shown, &cli->arena, LINE_BYTES);
    mica_columns_line(&line, words);
    if (room > 0)
        mica_columns_cut(&shown, mica_buffer_as_text(&line), room);
    else
        mica_buffer_text(&shown, mica_buffer_as_text(&line));
    mica_cli_print(cli, "%s%.*s%s", mica_cli_bold(cli), MICA_ARG(key),
                   mica_cli_plain(cli));
    for (size_t i = key.len; i < name + 2; i++)
        mica_cli_print(cli, " ");
    mica_cli_print(cli, "%.*s\n", MICA_ARG(shown));
}

static void
write_lines(struct mica_cli *cli, const struct mica_definition_list *list)
{
    size_t width = name_columns(list);

    for (size_t i = 0; i < list->count; i++)
        write_line(cli, list->items[i], width);
}

// ---- With all that they say ----------------------------------------------------

static void
write_long_tool(struct mica_cli *cli, const struct mica_definition *tool)
{
    mica_cli_print_heading(cli, tool);
    mica_cli_fill(cli, 4, tool->description);
}

static void
write_long(struct mica_cli *cli, const struct mica_definition_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i]->kind == MICA_DEFINITION_TOOL)
            write_long_tool(cli, list->items[i]);
        else
            mica_project_files_print(cli, list->items[i]);
    }
}

// Beside the list, so that lines of stdout are what is listed and nothing else.
static void
say_next(struct mica_cli *cli, const struct listed *listed, size_t count)
{
    if (!cli->terminal || !cli->note_terminal)
        return;
    mica_cli_flush(cli); // the list first
    if (listed->kind == MICA_DEFINITION_TOOL)
        mica_cli_note(cli,
                      "\n%zu tool%s. \"mica describe NAME\" explains one, "
                      "\"mica call NAME key=value …\"\ncalls it, and \"mica "
                      "list -l\" shows whole descriptions.\n",
                      count, mica_cli_s(count));
    else if (count > 0)
        mica_cli_note(cli, "\n%zu %s%s. \"mica describe %s\" explains one.\n",
                      count, listed->noun, mica_cli_s(count),
                      listed->kind == MICA_DEFINITION_PROMPT ? "NAME" : "URI");
    else
        mica_cli_note(cli,
                      "There are no %s here. In a folder with engines or tools "
                      "the files of\n%s/ are served.\n",
                      listed->word, listed->word);
}

// ---- The command ---------------------------------------------------------------

// NULL: `error` says what is wrong.
static const struct listed *
find_kind(const struct mica_options *options, struct mica_error *error)
{
    static const struct mica_synonym none = {NULL, NULL};
    const char *word = options->word_count > 0 ? options->words[0] : "tools";
    const char *words[MICA_COUNT(kinds)], *near;

    for (size_t i = 0; i < MICA_COUNT(kinds); i++)
        words[i] = kinds[i].word;
    for (size_t i = 0; i < MICA_COUNT(kinds) && options->word_count < 2; i++)
        if (strcmp(word, kinds[i].word) == 0)
            return &kinds[i];
    near = options->word_count == 1
               ? mica_near(mica_text(word), words, MICA_COUNT(words), &none)
               : NULL;
    if (near != NULL) {
        (void)mica_error_set(error, MICA_E_USAGE, "",
                             "list has no %s; do you mean \"mica list %s\"?",
                             word, near);
        return NULL;
    }
    (void)mica_error_set(error, MICA_E_USAGE, "",
                         "list takes tools, prompts or resources, and no name; "
                         "\"mica describe %s\" explains one",
                         options->words[options->word_count - 1]);
    return NULL;
}

static enum mica_status
open_listed(struct mica_cli *cli, const struct mica_options *options,
            const struct listed *listed, struct mica_error *error,
            struct mica_server **server_out)
{
    struct mica_options settled = *options;

    if (listed->kind == MICA_DEFINITION_TOOL)
        return mica_cli_catalog_open(cli, options, error, server_out);
    MICA_TRY(mica_settings_apply(cli, &settled, error));
    return mica_project_files_open(cli, &settled, error, server_out);
}

static enum mica_status
list_run(struct mica_cli *cli, const struct mica_options *options,
         struct mica_error *error)
{
    const struct listed *listed = find_kind(options, error);
    const struct mica_definition_list *list;
    struct mica_server *server;

    if (listed == NULL)
        return error->status;
    MICA_TRY(open_listed(cli, options, listed, error, &server));
    list = &server->registry.main->catalog->lists[listed->kind];
    if (mica_cli_wants_json(options)) {
        write_json(cli, list);
    } else {
        if (mica_options_has(options, "long"))
            write_long(cli, list);
        else
            write_lines(cli, list);
        say_next(cli, listed, list->count);
    }
    mica_server_close(&server);
    return MICA_OK;
}

static const struct mica_option options[] = {
    {"long", MICA_OPTION_SWITCH, NULL,
     "print all that is said of each: the category and the whole description "
     "of a tool, the arguments of a prompt"},
    MICA_ENGINES_OPTION,
    MICA_RESOURCES_OPTION,
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_list = {
    .name = "list",
    .group = MICA_GROUP_USING,
    .summary = "List the tools, prompts or resources",
    .usage = "[tools|prompts|resources] [-l] [--engines DIR] [--json]",
    .example = "mica list\n  mica list | grep -i percent\n  mica list prompts",
    .more = "Prints a line for each tool: its name and its description; of a "
            "prompt the same, of a resource its URI, type and size. A terminal "
            "shows what fits into a line, and \"…\" where it was cut; a pipe "
            "gets all of it. Prompts and resources are those that \"mica "
            "serve\" offers here: the files of prompts/ and resources/.",
    .words = "tools|prompts|resources",
    .options = options,
    .run = list_run};
