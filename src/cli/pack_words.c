// SPDX-License-Identifier: Apache-2.0
//
// The two descriptions of a bundle, each as its readers define it: manifest.json of
// MCPB 0.3, and server.json of the registry's schema of 2025-12-11.
#include <string.h>

#include "cli/command_pack.h"

#define SERVER_SCHEMA                                                          \
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema." \
    "json"

enum {
    REGISTRY_TEXT = 100, // characters of a title or description there
    SHORT_BYTES = 512
};

static void
word_field(struct mica_json_writer *writer, const char *namez,
           const char *textz)
{
    mica_json_field(writer, namez, mica_text(textz));
}

// The server in a bundle has no mica.toml, so its words are arguments.
static void
write_identity(const struct mica_pack *pack, struct mica_json_writer *writer)
{
    const struct {
        const char *flag, *value;
    } words[] = {{"--name", pack->name},
                 {"--title", pack->title},
                 {"--version", pack->version},
                 {"--description", pack->summary},
                 {"--instructions", pack->instructions},
                 {"--website", pack->website}};

    for (size_t i = 0; i < MICA_COUNT(words); i++) {
        if (words[i].value == NULL)
            continue;
        mica_json_stringz(writer, words[i].flag);
        mica_json_stringz(writer, words[i].value);
    }
}

static void
write_args(const struct mica_pack *pack, struct mica_json_writer *writer)
{
    mica_json_name(writer, "args");
    mica_json_open_array(writer);
    mica_json_stringz(writer, "stdio");
    if (pack->built_in) {
        mica_json_stringz(writer, "--built-in");
    } else {
        bool engines = false, tools = false;
        for (size_t i = 0; i < pack->count; i++) {
            engines =
                engines || strncmp(pack->files[i], "server/engines/", 15) == 0;
            tools = tools || strncmp(pack->files[i], "server/tools/", 13) == 0;
        }
        if (engines) {
            mica_json_stringz(writer, "--engines");
            mica_json_stringz(writer, "${__dirname}/server/engines");
        }
        if (tools) {
            mica_json_stringz(writer, "--tools");
            mica_json_stringz(writer, "${__dirname}/server/tools");
        }
    }
    write_identity(pack, writer);
    mica_json_close_array(writer);
}

static void
write_server(const struct mica_pack *pack, struct mica_json_writer *writer)
{
    mica_json_name(writer, "server");
    mica_json_open_object(writer);
    word_field(writer, "type", "binary");
    word_field(writer, "entry_point", "server/mica");
    mica_json_name(writer, "mcp_config");
    mica_json_open_object(writer);
    word_field(writer, "command", "${__dirname}/server/mica");
    write_args(pack, writer);
    mica_json_name(writer, "env");
    mica_json_open_object(writer);
    word_field(writer, "LD_LIBRARY_PATH", "${__dirname}/server/lib");
    mica_json_close_object(writer);
    mica_json_close_object(writer);
    mica_json_close_object(writer);
}

static void
write_tools(const struct mica_pack *pack, struct mica_json_writer *writer)
{
    mica_json_name(writer, "tools");
    mica_json_open_array(writer);
    for (size_t i = 0; i < pack->tools->count; i++) {
        const struct mica_definition *tool = pack->tools->items[i];
        mica_json_open_object(writer);
        mica_json_field(writer, "name", tool->name);
        mica_json_field(writer, "description", tool->description);
        mica_json_close_object(writer);
    }
    mica_json_close_array(writer);
}

void
mica_pack_manifest(const struct mica_pack *pack, struct mica_buffer *out)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, out);
    mica_json_open_object(&writer);
    word_field(&writer, "manifest_version", "0.3");
    word_field(&writer, "name", pack->name);
    word_field(&writer, "display_name", pack->title);
    word_field(&writer, "version", pack->version);
    word_field(&writer, "description", pack->description);
    mica_json_name(&writer, "author");
    mica_json_open_object(&writer);
    word_field(&writer, "name", pack->author);
    mica_json_close_object(&writer);
    write_server(pack, &writer);
    write_tools(pack, &writer);
    mica_json_name(&writer, "compatibility");
    mica_json_open_object(&writer);
    mica_json_name(&writer, "platforms");
    mica_json_open_array(&writer);
#ifdef __APPLE__
    mica_json_stringz(&writer, "darwin");
#else
    mica_json_stringz(&writer, "linux");
#endif
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
}

// The registry takes less than a client does.
static void
write_short(struct mica_json_writer *writer, const char *namez,
            struct mica_text text)
{
    struct mica_text rest = text;
    struct mica_buffer cut;

    if (mica_text_length(text) <= REGISTRY_TEXT) {
        mica_json_field(writer, namez, text);
        return;
    }
    for (size_t i = 0; i + 1 < REGISTRY_TEXT; i++)
        (void)mica_text_next(&rest);
    mica_buffer_init(&cut, NULL, SHORT_BYTES);
    mica_buffer_text(&cut, mica_text_slice(text, 0, text.len - rest.len));
    mica_buffer_text(&cut, MICA_LITERAL("…"));
    mica_json_field(writer, namez, mica_buffer_as_text(&cut));
    mica_buffer_fini(&cut);
}

void
mica_pack_server(const struct mica_pack *pack, const char *sha256z,
                 struct mica_buffer *out)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, out);
    mica_json_open_object(&writer);
    word_field(&writer, "$schema", SERVER_SCHEMA);
    word_field(&writer, "name", pack->registry_name);
    write_short(&writer, "title", mica_text(pack->title));
    write_short(&writer, "description", mica_text(pack->description));
    word_field(&writer, "version", pack->version);
    mica_json_name(&writer, "packages");
    mica_json_open_array(&writer);
    mica_json_open_object(&writer);
    word_field(&writer, "registryType", "mcpb");
    word_field(&writer, "identifier", pack->url);
    word_field(&writer, "version", pack->version);
    word_field(&writer, "fileSha256", sha256z);
    mica_json_name(&writer, "transport");
    mica_json_open_object(&writer);
    word_field(&writer, "type", "stdio");
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
}
