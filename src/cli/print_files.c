// SPDX-License-Identifier: Apache-2.0
//
// Shows prompts and resources, for programs and for people.
#include "cli/project_files.h"

#include "json/optional_writer.h"

enum {
    TEXT_BYTES = 1 << 20,
    KIB = 1024
};

// ---- For programs ----------------------------------------------------------------

void
mica_project_files_write(struct mica_json_writer *writer,
                         const struct mica_definition *definition)
{
    bool resource = definition->kind == MICA_DEFINITION_RESOURCE;

    mica_json_open_object(writer);
    if (resource)
        mica_json_field(writer, "uri", definition->key);
    mica_json_field(writer, "name", definition->name);
    mica_json_optional_text(writer, "title", definition->title);
    mica_json_optional_text(writer, "description", definition->description);
    mica_json_optional_raw(writer, "arguments", definition->arguments);
    mica_json_optional_text(writer, "mimeType", definition->mime_type);
    mica_json_optional_raw(writer, "annotations", definition->annotations);
    if (resource && definition->has_size) {
        mica_json_name(writer, "size");
        mica_json_integer(writer, (int64_t)definition->size);
    }
    mica_json_close_object(writer);
}

// ---- For people ------------------------------------------------------------------

// "8 bytes", "12 KiB", "3 MiB"; rounded down.
static void
add_size(struct mica_buffer *text, uint64_t size)
{
    if (size < KIB)
        mica_buffer_format(text, "%u byte%s", (unsigned)size,
                           mica_cli_s((size_t)size));
    else if (size / KIB < KIB)
        mica_buffer_format(text, "%u KiB", (unsigned)(size / KIB));
    else
        mica_buffer_format(text, "%u MiB", (unsigned)(size / KIB / KIB));
}

struct mica_text
mica_project_files_words(struct mica_cli *cli,
                         const struct mica_definition *definition)
{
    struct mica_buffer text;

    if (definition->kind == MICA_DEFINITION_PROMPT)
        return definition->description;
    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_buffer_text(&text, definition->mime_type);
    if (definition->has_size) {
        if (text.len > 0)
            mica_buffer_text(&text, MICA_LITERAL(", "));
        add_size(&text, definition->size);
    }
    return mica_buffer_as_text(&text);
}

static void
print_argument(struct mica_cli *cli, const struct mica_json *argument)
{
    const struct mica_json *required = mica_json_get(argument, "required");
    struct mica_text description = mica_json_get_text(argument, "description");
    bool optional = required == NULL || required->kind != MICA_JSON_TRUE;

    mica_cli_print(cli, "  %s%.*s%s", mica_cli_bold(cli),
                   MICA_ARG(mica_json_get_text(argument, "name")),
                   mica_cli_plain(cli));
    if (optional)
        mica_cli_print(cli, "  %soptional%s", mica_cli_dim(cli),
                       mica_cli_plain(cli));
    mica_cli_print(cli, "\n");
    if (description.len > 0)
        mica_cli_fill(cli, 6, description);
}

static void
print_arguments(struct mica_cli *cli, const struct mica_definition *prompt)
{
    struct mica_json arguments;

    if (prompt->arguments.len == 0 ||
        mica_json_read(&cli->arena, prompt->arguments, NULL, NULL,
                       &arguments) != MICA_OK ||
        arguments.count == 0)
        return;
    mica_cli_print(cli, "\n%sTakes%s\n", mica_cli_bold(cli),
                   mica_cli_plain(cli));
    for (size_t i = 0; i < arguments.count; i++)
        print_argument(cli, &arguments.items[i]);
}

void
mica_project_files_print(struct mica_cli *cli,
                         const struct mica_definition *definition)
{
    bool prompt = definition->kind == MICA_DEFINITION_PROMPT;
    struct mica_text words = mica_project_files_words(cli, definition);

    mica_cli_print(cli, "%s%.*s%s  %s%s%s\n", mica_cli_bold(cli),
                   MICA_ARG(definition->key), mica_cli_plain(cli),
                   mica_cli_dim(cli), prompt ? "prompt" : "resource",
                   mica_cli_plain(cli));
    if (words.len > 0)
        mica_cli_fill(cli, 2, words);
    print_arguments(cli, definition);
}
