// SPDX-License-Identifier: Apache-2.0
//
// mica manifest: every tool with a hash of what it says and of what it runs: to
// notice later that either has changed since it was looked at.
#include <string.h>

#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/commands.h"
#include "sandbox/trust.h"
#include "json/optional_writer.h"

enum {
    TEXT_BYTES = 64 << 20
};

// One tool's hashes.
struct print {
    const struct mica_definition *tool;
    char face[MICA_SHA256_SIZE]; // of what clients are told of it
    char both[MICA_SHA256_SIZE]; // of that and of its code
};

// ---- Hashes ------------------------------------------------------------------------

// The SHA-256 of JSON in its canonical form (RFC 8785).
static enum mica_status
hash_json(struct mica_cli *cli, const struct mica_buffer *json,
          struct mica_error *error, char out[MICA_SHA256_SIZE])
{
    struct mica_buffer canonical;
    struct mica_json value;

    MICA_TRY(mica_json_read(&cli->arena, mica_buffer_as_text(json), NULL, error,
                            &value));
    mica_buffer_init(&canonical, &cli->arena, TEXT_BYTES);
    MICA_TRY(mica_json_canonical(&cli->arena, &canonical, &value));
    mica_trust_hash_bytes(mica_buffer_as_text(&canonical), out);
    return MICA_OK;
}

static struct mica_text
code_of(const struct mica_definition *tool)
{
    return tool->version.len > 0 ? tool->version : tool->sha256;
}

static void
write_face(struct mica_json_writer *writer, const struct mica_definition *tool)
{
    static const struct {
        const char *name;
        unsigned bit;
    } hints[] = {{"readOnlyHint", MICA_READ_ONLY},
                 {"destructiveHint", MICA_DESTRUCTIVE},
                 {"idempotentHint", MICA_IDEMPOTENT},
                 {"openWorldHint", MICA_OPEN_WORLD}};

    mica_json_open_object(writer);
    mica_json_field(writer, "name", tool->name);
    mica_json_optional_text(writer, "title", tool->title);
    mica_json_field(writer, "description", tool->description);
    mica_json_optional_raw(writer, "inputSchema", tool->input_schema);
    mica_json_optional_raw(writer, "outputSchema", tool->output_schema);
    mica_json_name(writer, "annotations");
    mica_json_open_object(writer);
    for (size_t i = 0; i < MICA_COUNT(hints); i++) {
        mica_json_name(writer, hints[i].name);
        mica_json_boolean(writer, (tool->hints & hints[i].bit) != 0);
    }
    mica_json_close_object(writer);
    mica_json_close_object(writer);
}

static enum mica_status
take_print(struct mica_cli *cli, const struct mica_definition *tool,
           struct mica_error *error, struct print *print_out)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    print_out->tool = tool;
    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    write_face(&writer, tool);
    MICA_TRY(hash_json(cli, &text, error, print_out->face));
    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "code", code_of(tool));
    mica_json_field(&writer, "interface", mica_text(print_out->face));
    mica_json_close_object(&writer);
    return hash_json(cli, &text, error, print_out->both);
}

// ---- Printing ----------------------------------------------------------------------

static void
write_tool(struct mica_json_writer *writer, const struct print *print)
{
    const struct mica_definition *tool = print->tool;

    mica_json_open_object(writer);
    mica_json_field(writer, "name", tool->name);
    mica_json_optional_text(writer, "title", tool->title);
    mica_json_field(writer, "description", tool->description);
    mica_json_field(writer, "sha256", mica_text(print->both));
    mica_json_field(writer, "interface", mica_text(print->face));
    mica_json_field(writer, "code", code_of(tool));
    mica_json_close_object(writer);
}

static enum mica_status
print_manifest(struct mica_cli *cli, const struct print *prints, size_t count,
               struct mica_error *error)
{
    struct mica_buffer list, text, pretty;
    char all[MICA_SHA256_SIZE];
    struct mica_json_writer writer;
    struct mica_json value;

    mica_buffer_init(&list, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &list);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < count; i++) {
        mica_json_name_text(&writer, prints[i].tool->name);
        mica_json_stringz(&writer, prints[i].both);
    }
    mica_json_close_object(&writer);
    MICA_TRY(hash_json(cli, &list, error, all));
    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "mica", mica_text(MICA_VERSION));
    mica_json_field(&writer, "sha256", mica_text(all));
    mica_json_name(&writer, "tools");
    mica_json_open_array(&writer);
    for (size_t i = 0; i < count; i++)
        write_tool(&writer, &prints[i]);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    MICA_TRY(mica_json_read(&cli->arena, mica_buffer_as_text(&text), NULL,
                            error, &value));
    mica_buffer_init(&pretty, &cli->arena, TEXT_BYTES);
    mica_json_pretty(&pretty, &value);
    mica_cli_json_buffer(cli, &pretty);
    return MICA_OK;
}

// ---- Comparing ---------------------------------------------------------------------

static const struct mica_json *
find_tool(const struct mica_json *tools, struct mica_text name)
{
    for (size_t i = 0; i < tools->count; i++)
        if (mica_text_equal(mica_json_get_text(&tools->items[i], "name"), name))
            return &tools->items[i];
    return NULL;
}

static bool
is_new(const struct print *prints, size_t count, struct mica_text name)
{
    for (size_t i = 0; i < count; i++)
        if (mica_text_equal(prints[i].tool->name, name))
            return false;
    return true;
}

// What can become of a tool, as a word for programs and one for people.
struct change {
    const char *word, *printed;
};

static void
print_change(struct mica_cli *cli, struct mica_json_writer *json,
             struct mica_text name, struct change change)
{
    if (json == NULL) {
        mica_cli_print(cli, "%.*s: %s\n", MICA_ARG(name), change.printed);
        return;
    }
    mica_json_open_object(json);
    mica_json_field(json, "name", name);
    mica_json_field(json, "change", mica_text(change.word));
    mica_json_close_object(json);
}

// Says of each tool what has become of it, on `json` if there is one; how many are not as
// they were.
static size_t
manifest_compare(struct mica_cli *cli, struct mica_json_writer *json,
                 const struct mica_json *tools, const struct print *prints,
                 size_t count)
{
    static const struct change is_gone = {"gone", "is gone"},
                               is_added = {"new", "is new"},
                               has_code = {"code", "its code has changed"},
                               has_face = {"interface",
                                           "what clients are told of it has "
                                           "changed"},
                               has_both = {"both",
                                           "its code and what clients are told "
                                           "of it have changed"};
    size_t changed = 0;

    for (size_t i = 0; i < count; i++) {
        const struct mica_json *old = find_tool(tools, prints[i].tool->name);
        struct mica_text name = prints[i].tool->name;
        bool face =
            old != NULL &&
            mica_text_is(mica_json_get_text(old, "interface"), prints[i].face);
        bool code =
            old != NULL && mica_text_equal(mica_json_get_text(old, "code"),
                                           code_of(prints[i].tool));
        if (face && code)
            continue;
        changed++;
        print_change(cli, json, name,
                     old == NULL ? is_added
                     : face      ? has_code
                     : code      ? has_face
                                 : has_both);
    }
    for (size_t i = 0; i < tools->count; i++) {
        struct mica_text name = mica_json_get_text(&tools->items[i], "name");
        if (!is_new(prints, count, name))
            continue;
        changed++;
        print_change(cli, json, name, is_gone);
    }
    return changed;
}

static enum mica_status
manifest_check(struct mica_cli *cli, const char *path, bool json,
               const struct print *prints, size_t count,
               struct mica_error *error)
{
    const struct mica_json *tools;
    struct mica_json_writer writer;
    struct mica_buffer text;
    struct mica_cli_file file;
    struct mica_json value;
    size_t changed;

    MICA_TRY(mica_cli_file_look(cli, path, error, &file));
    if (!file.there)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is no %s; \"mica manifest > %s\" makes it",
                              path, path);
    MICA_TRY(mica_json_read(&cli->arena, file.text, NULL, error, &value));
    tools = mica_json_get(&value, "tools");
    if (tools == NULL || tools->kind != MICA_JSON_ARRAY)
        return mica_error_set(error, MICA_E_TYPE, "/tools",
                              "%s is no manifest of mica", path);
    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_array(&writer);
    changed =
        manifest_compare(cli, json ? &writer : NULL, tools, prints, count);
    mica_json_close_array(&writer);
    if (json)
        mica_cli_json_buffer(cli, &text);
    if (changed == 0)
        return MICA_OK;
    return mica_error_set(
        error, MICA_E_EXISTS, "", "%zu tool%s not as %s has %s", changed,
        changed == 1 ? " is" : "s are", path, changed == 1 ? "it" : "them");
}

// ---- The command -------------------------------------------------------------------

static enum mica_status
take_prints(struct mica_cli *cli, const struct mica_definition_list *tools,
            const struct mica_options *options, struct mica_error *error)
{
    const char *path = mica_options_value(options, "check");
    struct print *prints =
        mica_arena_zero(&cli->arena, tools->count + 1, sizeof *prints);

    if (prints == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < tools->count; i++)
        MICA_TRY(take_print(cli, tools->items[i], error, &prints[i]));
    return path != NULL
               ? manifest_check(cli, path, mica_cli_wants_json(options), prints,
                                tools->count, error)
               : print_manifest(cli, prints, tools->count, error);
}

static enum mica_status
manifest_run(struct mica_cli *cli, const struct mica_options *options,
             struct mica_error *error)
{
    struct mica_server *server;
    enum mica_status status;

    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "manifest is about all tools and takes no \"%s\"",
                              options->words[0]);
    MICA_TRY(mica_cli_catalog_open(cli, options, error, &server));
    status = take_prints(
        cli, &server->registry.main->catalog->lists[MICA_DEFINITION_TOOL],
        options, error);
    mica_server_close(&server);
    return status;
}

static const struct mica_option options[] = {
    {"check", MICA_OPTION_VALUE, "FILE",
     "compare with a manifest that was printed before; say what has changed"},
    {"json", MICA_OPTION_SWITCH, NULL,
     "say what has changed in JSON, too; a manifest is JSON anyway"},
    MICA_ENGINES_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_manifest = {
    .name = "manifest",
    .group = MICA_GROUP_PUBLISHING,
    .summary = "Print every tool with a hash, or compare with an earlier print",
    .usage = "[--check FILE]",
    .example = "mica manifest > tools.json\n  mica manifest --check tools.json",
    .more = "Of each tool: `code`, the SHA-256 of what runs; `interface`, that "
            "of what clients are told (name, title, description, schemas and "
            "annotations as canonical JSON, RFC 8785); and `sha256` of both. "
            "With --check the exit status is 7 when anything differs.",
    .options = options,
    .run = manifest_run};
