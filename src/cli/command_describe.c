// SPDX-License-Identifier: Apache-2.0
//
// mica describe: what one tool takes and gives, with its examples.
#include <string.h>

#include "call/turn.h"
#include "cli/cli_catalog.h"
#include "cli/commands.h"
#include "cli/project_files.h"
#include "cli/settings.h"
#include "protocol/capability.h"
#include "json/optional_writer.h"

enum {
    TEXT_BYTES = 16 << 20,
    DEPTH = 16
};

// ---- For programs --------------------------------------------------------------

static void
write_words(struct mica_json_writer *writer, const char *namez,
            const char *const *words)
{
    if (words == NULL)
        return;
    mica_json_name(writer, namez);
    mica_json_open_array(writer);
    for (; *words != NULL; words++)
        mica_json_string(writer, mica_text(*words));
    mica_json_close_array(writer);
}

static void
write_json(struct mica_cli *cli, const struct mica_definition *tool)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_optional_text(&writer, "name", tool->name);
    mica_json_optional_text(&writer, "title", tool->title);
    mica_json_optional_text(&writer, "category", tool->category);
    mica_json_optional_text(&writer, "description", tool->description);
    mica_json_optional_raw(&writer, "inputSchema", tool->input_schema);
    mica_json_optional_raw(&writer, "outputSchema", tool->output_schema);
    mica_json_optional_raw(&writer, "examples", tool->examples);
    mica_json_optional_text(&writer, "sha256",
                            tool->version.len > 0 ? tool->version
                                                  : tool->sha256);
    if (tool->requires != 0) {
        mica_json_name(&writer, "requires");
        mica_client_write_names(&writer, tool->requires);
    }
    write_words(&writer, "steps", tool->steps);
    write_words(&writer, "fetches", tool->fetches);
    if (tool->keeps != NULL)
        mica_json_field(&writer, "keeps", mica_text(tool->keeps->name));
    mica_json_close_object(&writer);
    mica_cli_json_buffer(cli, &text);
}

// ---- For people ----------------------------------------------------------------

static void
add_bounds(struct mica_buffer *text, const struct mica_json *schema)
{
    static const struct {
        const char *keyword, *words;
    } bounds[] = {
        {"minimum", "≥ "},          {"maximum", "≤ "},
        {"exclusiveMinimum", "> "}, {"exclusiveMaximum", "< "},
        {"minLength", "length ≥ "}, {"maxLength", "length ≤ "},
        {"minItems", "at least "},  {"maxItems", "at most "},
        {"pattern", "pattern "},    {"default", "default "},
        {"x-unit", "unit in "},
    };
    struct mica_text most = MICA_LITERAL("9007199254740991");

    for (size_t i = 0; i < MICA_COUNT(bounds); i++) {
        const struct mica_json *value =
            mica_json_get(schema, bounds[i].keyword);
        // Every integer has the bounds of what a double holds exactly.
        if (value == NULL ||
            (value->raw.len >= most.len &&
             mica_text_equal(mica_text_slice(value->raw,
                                             value->raw.len - most.len,
                                             value->raw.len),
                             most)))
            continue;
        mica_buffer_format(text, ", %s%.*s", bounds[i].words,
                           MICA_ARG(value->raw));
    }
}

static void print_fields(struct mica_cli *cli, const struct mica_json *schema,
                         size_t indent, bool input);

static const struct mica_json *
record_inside(const struct mica_json *schema)
{
    const struct mica_json *any_of = mica_json_get(schema, "anyOf");
    const struct mica_json *items = mica_json_get(schema, "items");
    const struct mica_json *values =
        mica_json_get(schema, "additionalProperties");

    if (schema == NULL || mica_json_get(schema, "properties") != NULL)
        return schema;
    if (any_of != NULL && any_of->kind == MICA_JSON_ARRAY && any_of->count > 0)
        return record_inside(&any_of->items[0]);
    if (items != NULL)
        return record_inside(items);
    if (values != NULL && values->kind == MICA_JSON_OBJECT)
        return record_inside(values);
    return NULL;
}

static void
print_field(struct mica_cli *cli, const struct mica_json *schema,
            const struct mica_json_member *field, size_t indent, bool input)
{
    static const char blanks[] = "                                ";
    const struct mica_json *inside = record_inside(&field->value);
    struct mica_buffer facts;

    mica_buffer_init(&facts, &cli->arena, TEXT_BYTES);
    mica_cli_add_type(&facts, &field->value);
    if (input && !mica_cli_is_required(schema, field->name) &&
        mica_json_get(&field->value, "default") == NULL)
        mica_buffer_text(&facts, MICA_LITERAL(", optional"));
    add_bounds(&facts, &field->value);
    mica_cli_print(cli, "%.*s%s%.*s%s  %s%.*s%s\n", (int)indent, blanks,
                   mica_cli_bold(cli), MICA_ARG(field->name),
                   mica_cli_plain(cli), mica_cli_dim(cli), MICA_ARG(facts),
                   mica_cli_plain(cli));
    struct mica_text description =
        mica_json_get_text(&field->value, "description");
    if (description.len > 0)
        mica_cli_fill(cli, indent + 4, description);
    if (inside != NULL && indent < 2 * DEPTH - 4)
        print_fields(cli, inside, indent + 4, input);
}

static void
print_fields(struct mica_cli *cli, const struct mica_json *schema,
             size_t indent, bool input)
{
    const struct mica_json *properties = mica_json_get(schema, "properties");

    for (size_t i = 0; properties != NULL && i < properties->count; i++)
        print_field(cli, schema, &properties->members[i], indent, input);
}

static void
print_schema(struct mica_cli *cli, const char *title, struct mica_text json,
             bool input)
{
    struct mica_json schema;

    if (json.len == 0 ||
        mica_json_read(&cli->arena, json, NULL, NULL, &schema) != MICA_OK)
        return;
    mica_cli_print(cli, "\n%s%s%s\n", mica_cli_bold(cli), title,
                   mica_cli_plain(cli));
    print_fields(cli, &schema, 2, input);
}

// A line for a shell: mica call NAME '{…}'.
// JSON as a shell wants it inside single quotes.
static void
print_quoted(struct mica_cli *cli, struct mica_text json)
{
    while (json.len > 0) {
        const char *quote = memchr(json.ptr, '\'', json.len);
        size_t len = quote != NULL ? (size_t)(quote - json.ptr) : json.len;
        mica_cli_shown_json(cli, mica_text_slice(json, 0, len));
        if (quote != NULL)
            mica_cli_print(cli, "'\\''");
        json = mica_text_slice(json, len + 1, json.len);
    }
}

static void
print_example(struct mica_cli *cli, const struct mica_definition *tool,
              const struct mica_json *example)
{
    const struct mica_json *input = mica_json_get(example, "input");
    const struct mica_json *output = mica_json_get(example, "output");
    struct mica_text error = mica_json_get_text(example, "error");
    struct mica_text title = mica_json_get_text(example, "title");

    mica_cli_print(cli, "  %s%.*s%s\n", mica_cli_dim(cli), MICA_ARG(title),
                   mica_cli_plain(cli));
    mica_cli_print(cli, "    mica call %.*s --json '", MICA_ARG(tool->name));
    if (input != NULL)
        print_quoted(cli, input->raw);
    mica_cli_print(cli, "'\n");
    if (output != NULL) {
        mica_cli_print(cli, "    → ");
        mica_cli_shown_json(cli, output->raw);
        mica_cli_print(cli, "\n");
    }
    if (output == NULL && error.len > 0)
        mica_cli_print(cli, "    → error %.*s\n", MICA_ARG(error));
}

static void
print_requires(struct mica_cli *cli, unsigned requires)
{
    const char *before = "\n  Needs a client that can be asked for ";

    requires &= ~(unsigned)MICA_VIEWS; // nothing is asked of the client
    for (size_t i = 0; mica_client_asks[i].name != NULL; i++) {
        if ((requires & mica_client_asks[i].bit) == 0)
            continue;
        mica_cli_print(cli, "%s%s", before, mica_client_asks[i].name);
        before = ", ";
    }
    if (requires != 0)
        mica_cli_print(cli, ".\n");
}

static void
print_fetches(struct mica_cli *cli, const char *const *fetches)
{
    const char *before = "Fetches from ";

    if (fetches == NULL || *fetches == NULL)
        return;
    mica_cli_print(cli, "\n  ");
    for (; *fetches != NULL; fetches++) {
        mica_cli_print(cli, "%s%s", before,
                       strcmp(*fetches, "*") == 0
                           ? "every server that the project allows"
                           : *fetches);
        before = ", ";
    }
    mica_cli_print(cli, ".\n");
}

static void
print_keeps(struct mica_cli *cli, const struct mica_keep_place *keeps)
{
    if (keeps == NULL)
        return;
    if (strncmp(keeps->name, "shared.", 7) == 0)
        mica_cli_print(cli,
                       "\n  Keeps data in the database \"%s\", which other "
                       "tools may share.\n",
                       keeps->name + 7);
    else
        mica_cli_print(cli, "\n  Keeps data in a database of its own.\n");
}

static void
print_view(struct mica_cli *cli, const struct mica_definition *tool)
{
    if (mica_definition_has_view(tool) && !mica_definition_view_is_made(tool))
        mica_cli_print(cli, "\n  Shows its result in the view %s.\n",
                       tool->view->view->name);
    if (mica_definition_has_form_views(tool)) {
        mica_cli_print(cli, "\n  Has views for its forms:");
        for (size_t i = 0; i < tool->forms->count; i++)
            mica_cli_print(cli, " %s", tool->forms->rows[i].name);
        mica_cli_print(cli, ".\n");
    }
    if (!mica_definition_for_models(tool))
        mica_cli_print(cli, "\n  Views alone may call it, no model.\n");
    else if ((tool->requires & MICA_VIEWS) != 0)
        mica_cli_print(cli, "\n  Needs a client that shows views.\n");
}

static void
print_for_people(struct mica_cli *cli, const struct mica_definition *tool)
{
    struct mica_json examples;

    mica_cli_print_heading(cli, tool);
    mica_cli_fill(cli, 2, tool->description);
    print_requires(cli, tool->requires);
    print_fetches(cli, tool->fetches);
    print_keeps(cli, tool->keeps);
    print_view(cli, tool);
    print_schema(cli, "Takes", tool->input_schema, true);
    print_schema(cli, "Gives", tool->output_schema, false);
    if (tool->examples.len == 0 ||
        mica_json_read(&cli->arena, tool->examples, NULL, NULL, &examples) !=
            MICA_OK)
        return;
    mica_cli_print(cli, "\n%sExamples%s\n", mica_cli_bold(cli),
                   mica_cli_plain(cli));
    for (size_t i = 0; i < examples.count; i++)
        print_example(cli, tool, &examples.items[i]);
}

// ---- The command ---------------------------------------------------------------

static void
describe_file(struct mica_cli *cli, const struct mica_options *options,
              const struct mica_definition *definition)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    if (!mica_cli_wants_json(options)) {
        mica_project_files_print(cli, definition);
        return;
    }
    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_project_files_write(&writer, definition);
    mica_cli_json_buffer(cli, &text);
}

// As a prompt or a resource. Errors: MICA_E_NOT_FOUND, those of mica_project_files_open.
static enum mica_status
describe_as_file(struct mica_cli *cli, const struct mica_options *options,
                 struct mica_error *error)
{
    const char *word = options->words[0];
    struct mica_options settled = *options;
    const struct mica_definition *found;
    struct mica_server *server;

    MICA_TRY(mica_settings_apply(cli, &settled, error));
    MICA_TRY(mica_project_files_open(cli, &settled, error, &server));
    found = mica_project_files_find(cli, server, word);
    if (found != NULL)
        describe_file(cli, options, found);
    mica_server_close(&server);
    if (found != NULL)
        return MICA_OK;
    return mica_error_set(
        error, MICA_E_NOT_FOUND, "",
        "there is no prompt or resource \"%s\" here; \"mica list prompts\" and "
        "\"mica list resources\" name all",
        word);
}

static enum mica_status
describe_tool(struct mica_cli *cli, const struct mica_options *options,
              struct mica_error *error)
{
    const struct mica_definition *tool;
    struct mica_server *server;

    MICA_TRY(mica_cli_catalog_open_tool(cli, options, options->words[0], error,
                                        &server, &tool));
    if (mica_cli_wants_json(options))
        write_json(cli, tool);
    else
        print_for_people(cli, tool);
    mica_server_close(&server);
    return MICA_OK;
}

// A tool comes before a prompt of its name. An unknown name is reported as a tool's.
static enum mica_status
describe_run(struct mica_cli *cli, const struct mica_options *options,
             struct mica_error *error)
{
    struct mica_error none;
    enum mica_status status;

    if (options->word_count != 1)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "describe which tool? give one name; \"mica "
                              "list\" names all");
    if (mica_project_files_means(options->words[0]))
        return describe_as_file(cli, options, error);
    status = describe_tool(cli, options, error);
    return status == MICA_E_NOT_FOUND &&
                   describe_as_file(cli, options, &none) == MICA_OK
               ? MICA_OK
               : status;
}

static const struct mica_option options[] = {
    MICA_JSON_OPTION,
    MICA_ENGINES_OPTION,
    MICA_RESOURCES_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_describe = {
    .name = "describe",
    .group = MICA_GROUP_USING,
    .summary = "Explain a tool, a prompt or a resource",
    .usage = "NAME|URI|FILE [--json]",
    .example = "mica describe percentage-calculator\n  mica describe "
               "prompts/review.md",
    .more = "Prints what a tool or a prompt takes, what a tool gives, and its "
            "examples; of a resource its type and size. A prompt is named by "
            "its name, unless a tool has that name, or by its file; a resource "
            "by its URI or its file.",
    .words = MICA_WORDS_TOOLS,
    .options = options,
    .run = describe_run};
