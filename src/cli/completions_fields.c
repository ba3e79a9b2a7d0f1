// SPDX-License-Identifier: Apache-2.0
//
// The arguments of a tool as a shell suggests them: "mode=" for a field, "mode=of" for what
// there is to choose from, "price.amount=" for a field of a record.
#include "cli/command_completions.h"

#include "cli/cli_catalog.h"

enum {
    DEPTH = 4, // of records within records
    WORD_BYTES = 64 << 10
};

struct suggestions {
    struct mica_cli *cli;
    struct mica_text typed; // what the word begins with
    struct mica_buffer
        key; // of the field, with the keys of the records around it
};

static void suggest_fields(struct suggestions *suggestions,
                           const struct mica_json *schema, unsigned depth);

// A word of one line that begins with what was typed; others are no words of a shell.
static void
suggest_word(struct suggestions *suggestions, struct mica_text value)
{
    struct mica_buffer word;

    mica_buffer_init(&word, &suggestions->cli->arena, WORD_BYTES);
    mica_buffer_text(&word, mica_buffer_as_text(&suggestions->key));
    mica_buffer_char(&word, '=');
    mica_buffer_text(&word, value);
    struct mica_text text = mica_buffer_as_text(&word);
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ')
            return;
    if (!word.overflow && text.len >= suggestions->typed.len &&
        mica_text_equal(mica_text_slice(text, 0, suggestions->typed.len),
                        suggestions->typed))
        mica_cli_print(suggestions->cli, "%.*s\n", MICA_ARG(text));
}

static const struct mica_json *
array_named(const struct mica_json *schema, const char *namez)
{
    const struct mica_json *found = mica_json_get(schema, namez);

    return found != NULL && found->kind == MICA_JSON_ARRAY ? found : NULL;
}

// A nullable is anyOf of the real schema and of null.
static const struct mica_json *
schema_proper(const struct mica_json *schema)
{
    const struct mica_json *any_of = array_named(schema, "anyOf");

    return any_of != NULL && any_of->count > 0 ? &any_of->items[0] : schema;
}

static void
suggest_choice(struct suggestions *suggestions, const struct mica_json *choice)
{
    const struct mica_json *constant = mica_json_get(choice, "const");

    if (constant != NULL)
        choice = constant;
    suggest_word(suggestions,
                 choice->kind == MICA_JSON_STRING ? choice->text : choice->raw);
}

// What there is to choose from. Of a list each item is one choice.
static void
suggest_choices(struct suggestions *suggestions, const struct mica_json *schema)
{
    const struct mica_json *items = mica_json_get(schema, "items");
    const struct mica_json *proper =
        schema_proper(items != NULL ? items : schema);
    const struct mica_json *choices = array_named(proper, "enum");

    if (choices == NULL)
        choices = array_named(proper, "oneOf");
    for (size_t i = 0; choices != NULL && i < choices->count; i++)
        suggest_choice(suggestions, &choices->items[i]);
    if (mica_text_is(mica_json_get_text(proper, "type"), "boolean")) {
        suggest_word(suggestions, MICA_LITERAL("true"));
        suggest_word(suggestions, MICA_LITERAL("false"));
    }
}

static void
suggest_field(struct suggestions *suggestions, const struct mica_json *schema,
              unsigned depth)
{
    const struct mica_json *proper = schema_proper(schema);
    struct mica_text key = mica_buffer_as_text(&suggestions->key);
    bool whole = suggestions->typed.len > key.len &&
                 suggestions->typed.ptr[key.len] == '=';

    if (mica_json_get(proper, "properties") != NULL && depth < DEPTH) {
        mica_buffer_char(&suggestions->key, '.');
        suggest_fields(suggestions, proper, depth + 1);
    } else if (whole) {
        suggest_choices(suggestions, proper);
    } else {
        suggest_word(suggestions, (struct mica_text){NULL, 0});
    }
}

static void
suggest_fields(struct suggestions *suggestions, const struct mica_json *schema,
               unsigned depth)
{
    const struct mica_json *properties = mica_json_get(schema, "properties");
    size_t length = suggestions->key.len;

    for (size_t i = 0; properties != NULL && i < properties->count; i++) {
        mica_buffer_text(&suggestions->key, properties->members[i].name);
        suggest_field(suggestions, &properties->members[i].value, depth);
        suggestions->key.len = length;
    }
}

enum mica_status
mica_completions_fields(struct mica_cli *cli, const char *tool,
                        const char *word, struct mica_error *error)
{
    const struct mica_definition *definition;
    struct suggestions suggestions = {.cli = cli, .typed = mica_text(word)};
    struct mica_server *server;
    struct mica_json schema;
    enum mica_status status;

    MICA_TRY(
        mica_cli_catalog_open_built(cli, tool, error, &server, &definition));
    mica_buffer_init(&suggestions.key, &cli->arena, WORD_BYTES);
    status = mica_json_read(&cli->arena, definition->input_schema, NULL, error,
                            &schema);
    if (status == MICA_OK)
        suggest_fields(&suggestions, &schema, 0);
    mica_server_close(&server);
    return status;
}
