// SPDX-License-Identifier: Apache-2.0
//
// mica types: what tools take and give, for programs in TypeScript and for whatever
// reads JSON Schema.
#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/commands.h"
#include "engine/typescript.h"

enum {
    TEXT_BYTES = 64 << 20
};

// An engine has a module that pages import; a tool is only called.
static bool
is_engine(const struct mica_definition *tool)
{
    return tool->sha256.len > 0;
}

static enum mica_status
add_types(struct mica_cli *cli, const struct mica_definition *tool, bool module,
          struct mica_error *error, struct mica_buffer *out)
{
    const struct mica_typescript types = {.name = tool->name,
                                          .description = tool->description,
                                          .input_schema = tool->input_schema,
                                          .output_schema = tool->output_schema,
                                          .module = module && is_engine(tool)};

    return mica_typescript_write(&types, &cli->arena, error, out);
}

// Every tool by its name, for a program that calls any of them.
static void
add_index(const struct mica_definition_list *tools, bool import,
          struct mica_buffer *out)
{
    for (size_t i = 0; import && i < tools->count; i++) {
        mica_buffer_text(out, mica_text("import type { "));
        mica_typescript_name(tools->items[i]->name, false, out);
        mica_buffer_text(out, mica_text("Input, "));
        mica_typescript_name(tools->items[i]->name, false, out);
        mica_buffer_format(out, "Output } from \"./%.*s.js\";\n",
                           MICA_ARG(tools->items[i]->name));
    }
    mica_buffer_text(out, mica_text("\n/** Every tool by its name. */\n"
                                    "export interface Tools {\n"));
    for (size_t i = 0; i < tools->count; i++) {
        mica_buffer_format(
            out, "    \"%.*s\": { input: ", MICA_ARG(tools->items[i]->name));
        mica_typescript_name(tools->items[i]->name, false, out);
        mica_buffer_text(out, mica_text("Input; output: "));
        mica_typescript_name(tools->items[i]->name, false, out);
        mica_buffer_text(out, mica_text("Output };\n"));
    }
    mica_buffer_text(out, mica_text("}\n"));
}

static enum mica_status
no_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "no memory for so many types; ask for one tool after "
                          "another");
}

// ---- To stdout -----------------------------------------------------------------

static enum mica_status
types_print(struct mica_cli *cli, const struct mica_buffer *text,
            struct mica_error *error)
{
    if (text->overflow)
        return no_memory(error);
    mica_cli_file(cli, mica_buffer_as_text(text));
    return MICA_OK;
}

static enum mica_status
print_all(struct mica_cli *cli, const struct mica_definition_list *tools,
          struct mica_error *error)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    for (size_t i = 0; i < tools->count; i++) {
        MICA_TRY(add_types(cli, tools->items[i], false, error, &text));
        mica_buffer_char(&text, '\n');
    }
    add_index(tools, false, &text);
    return types_print(cli, &text, error);
}

static enum mica_status
print_one(struct mica_cli *cli, const struct mica_definition *tool,
          struct mica_error *error)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    MICA_TRY(add_types(cli, tool, true, error, &text));
    return types_print(cli, &text, error);
}

// For a program: the types and schemas of a tool.
static enum mica_status
add_json(struct mica_cli *cli, const struct mica_definition *tool,
         struct mica_json_writer *writer, struct mica_error *error)
{
    struct mica_buffer types;

    mica_buffer_init(&types, &cli->arena, TEXT_BYTES);
    MICA_TRY(add_types(cli, tool, true, error, &types));
    mica_json_open_object(writer);
    mica_json_field(writer, "name", tool->name);
    mica_json_field(writer, "types", mica_buffer_as_text(&types));
    mica_json_name(writer, "inputSchema");
    mica_json_raw(writer, tool->input_schema);
    if (tool->output_schema.len > 0) {
        mica_json_name(writer, "outputSchema");
        mica_json_raw(writer, tool->output_schema);
    }
    mica_json_close_object(writer);
    return MICA_OK;
}

// Of one tool, or of all.
static enum mica_status
print_json(struct mica_cli *cli, const struct mica_definition_list *tools,
           const struct mica_definition *tool, struct mica_error *error)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_array(&writer);
    if (tool != NULL)
        MICA_TRY(add_json(cli, tool, &writer, error));
    for (size_t i = 0; tool == NULL && i < tools->count; i++)
        MICA_TRY(add_json(cli, tools->items[i], &writer, error));
    mica_json_close_array(&writer);
    mica_cli_json_buffer(cli, &text);
    return MICA_OK;
}

// ---- To a folder -----------------------------------------------------------------

// What is written; the paths are printed, or go to `json`.
struct folder {
    struct mica_cli *cli;
    const char *path;
    struct mica_json_writer *json; // or NULL
};

static enum mica_status
types_put(const struct folder *folder, const char *path,
          const struct mica_buffer *written, struct mica_error *error)
{
    struct mica_cli *cli = folder->cli;
    struct mica_text text = mica_buffer_as_text(written);
    struct mica_cli_file file;

    if (written->overflow)
        return no_memory(error);
    MICA_TRY(mica_cli_file_look(cli, path, error, &file));
    if (!file.there || !mica_text_equal(file.text, text))
        MICA_TRY(mica_cli_file_replace(cli, &file, text, false, error));
    if (folder->json != NULL)
        mica_json_stringz(folder->json, path);
    else
        mica_cli_print(cli, "%s\n", path);
    return MICA_OK;
}

static enum mica_status
put_schema(const struct folder *folder, const char *path, struct mica_text json,
           struct mica_error *error)
{
    struct mica_cli *cli = folder->cli;
    struct mica_buffer text;
    struct mica_json schema;

    if (json.len == 0)
        return MICA_OK;
    MICA_TRY(mica_json_read(&cli->arena, json, NULL, error, &schema));
    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_pretty(&text, &schema);
    mica_buffer_char(&text, '\n');
    return types_put(folder, path, &text, error);
}

static enum mica_status
put_tool(const struct folder *folder, const struct mica_definition *tool,
         struct mica_error *error)
{
    struct mica_cli *cli = folder->cli;
    const char *base =
        mica_cli_format(cli, "%s/%.*s", folder->path, MICA_ARG(tool->name));
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    MICA_TRY(add_types(cli, tool, true, error, &text));
    MICA_TRY(
        types_put(folder, mica_cli_format(cli, "%s.d.ts", base), &text, error));
    MICA_TRY(put_schema(folder, mica_cli_format(cli, "%s.input.json", base),
                        tool->input_schema, error));
    return put_schema(folder, mica_cli_format(cli, "%s.output.json", base),
                      tool->output_schema, error);
}

static enum mica_status
put_all(const struct folder *folder, const struct mica_definition_list *tools,
        struct mica_error *error)
{
    struct mica_cli *cli = folder->cli;
    struct mica_buffer text;

    for (size_t i = 0; i < tools->count; i++)
        MICA_TRY(put_tool(folder, tools->items[i], error));
    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    add_index(tools, true, &text);
    return types_put(folder,
                     mica_cli_format(cli, "%s/index.d.ts", folder->path), &text,
                     error);
}

// ---- The command -----------------------------------------------------------------

// To stdout.
static enum mica_status
types_show(struct mica_cli *cli, const struct mica_options *options,
           const struct mica_definition_list *tools,
           const struct mica_definition *tool, struct mica_error *error)
{
    if (mica_cli_wants_json(options))
        return print_json(cli, tools, tool, error);
    return tool != NULL ? print_one(cli, tool, error)
                        : print_all(cli, tools, error);
}

// To the folder of --out.
static enum mica_status
types_write(struct mica_cli *cli, const struct mica_options *options,
            const struct mica_definition_list *tools,
            const struct mica_definition *tool, struct mica_error *error)
{
    struct mica_json_writer writer;
    struct mica_buffer text;
    struct folder folder = {.cli = cli,
                            .path = mica_options_value(options, "out")};

    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    if (mica_cli_wants_json(options))
        folder.json = &writer;
    mica_json_open_array(&writer);
    MICA_TRY(tool != NULL ? put_tool(&folder, tool, error)
                          : put_all(&folder, tools, error));
    mica_json_close_array(&writer);
    if (folder.json == NULL)
        return MICA_OK;
    mica_cli_json_buffer(cli, &text);
    return MICA_OK;
}

static enum mica_status
types_run(struct mica_cli *cli, const struct mica_options *options,
          struct mica_error *error)
{
    const struct mica_definition_list *tools;
    const struct mica_definition *tool = NULL;
    struct mica_server *server;
    enum mica_status status;

    if (options->word_count > 1)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "types takes one name, or none for all tools");
    MICA_TRY(options->word_count == 1
                 ? mica_cli_catalog_open_tool(cli, options, options->words[0],
                                              error, &server, &tool)
                 : mica_cli_catalog_open(cli, options, error, &server));
    tools = &server->registry.main->catalog->lists[MICA_DEFINITION_TOOL];
    status = mica_options_value(options, "out") != NULL
                 ? types_write(cli, options, tools, tool, error)
                 : types_show(cli, options, tools, tool, error);
    mica_server_close(&server);
    return status;
}

static const struct mica_option options[] = {
    {"out", MICA_OPTION_VALUE, "DIR",
     "write files: NAME.d.ts, NAME.input.json and NAME.output.json of each "
     "tool, and index.d.ts"},
    {"json", MICA_OPTION_SWITCH, NULL,
     "print {name, types, inputSchema, outputSchema} of each, or with --out the "
     "files, as JSON"},
    MICA_ENGINES_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_types = {
    .name = "types",
    .group = MICA_GROUP_PUBLISHING,
    .summary = "Write TypeScript types and JSON Schemas of the tools",
    .usage = "[NAME] [--out DIR]",
    .example = "mica types --out web/types",
    .more = "Of one engine, the types are also those of the module that pages "
            "import, /engines/NAME.js.",
    .words = MICA_WORDS_TOOLS,
    .options = options,
    .run = types_run};
