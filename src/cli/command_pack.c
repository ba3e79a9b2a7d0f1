// SPDX-License-Identifier: Apache-2.0
//
// mica pack: the tools of this folder with mica itself in one file that a client
// installs (MCPB), and its entry for a registry.
#include "cli/command_pack.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/files.h"
#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/commands.h"
#include "cli/project.h"
#include "sandbox/trust.h"

enum {
    FILES = 8192,
    TEXT_BYTES = 16 << 20,
    NAME_LENGTH = 64
};

// ---- Words -----------------------------------------------------------------------------

static bool
is_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    size_t length = strlen(name);

    return length >= 1 && length <= NAME_LENGTH &&
           strspn(name, allowed) == length && name[0] != '-';
}

// The folder's name as far as it can be one, else "mica-tools".
static const char *
name_of_folder(struct mica_cli *cli)
{
    char here[PATH_MAX];
    const char *name = getcwd(here, sizeof here) != NULL
                           ? mica_cli_format(cli, "%s", strrchr(here, '/') + 1)
                           : "";

    return is_name(name) ? name : "mica-tools";
}

static const char *
name_of_user(struct mica_cli *cli)
{
    const struct passwd *user = getpwuid(geteuid());
    const char *real = user != NULL ? user->pw_gecos : NULL;
    size_t length = real != NULL ? strcspn(real, ",") : 0;

    if (length > 0)
        return mica_cli_format(cli, "%.*s", (int)length, real);
    return user != NULL ? mica_cli_format(cli, "%s", user->pw_name) : "unknown";
}

static const char *
value_or(const struct mica_options *options, const char *name,
         const char *fallback)
{
    const char *value = mica_options_value(options, name);

    return value != NULL && value[0] != '\0' ? value : fallback;
}

// MAJOR.MINOR.PATCH, and what may stand behind.
static bool
is_version(const char *version)
{
    for (int i = 0; i < 3; i++) {
        size_t digits = strspn(version, "0123456789");
        if (digits == 0 || (digits > 1 && version[0] == '0') ||
            (i < 2 && version[digits] != '.'))
            return false;
        version += digits + (i < 2);
    }
    return version[0] == '\0' ||
           ((version[0] == '-' || version[0] == '+') &&
            strspn(version + 1,
                   "0123456789abcdefghijklmnopqrstuvwxyz"
                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ.-+") == strlen(version + 1));
}

static bool
is_registry_name(const char *name)
{
    // Behind the slash "_" is one of them, too.
    static const char allowed[] = "_abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    size_t space = strspn(name, allowed + 1);
    const char *rest = name + space + (name[space] == '/');
    size_t own = strspn(rest, allowed);

    return space > 0 && name[space] == '/' && own > 0 && rest[own] == '\0' &&
           strlen(name) <= 200;
}

static enum mica_status
check_registry(const struct mica_pack *pack, struct mica_error *error)
{
    if ((pack->url == NULL) != (pack->registry_name == NULL))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "server.json needs both --registry-name and "
                              "--url, where the bundle will be");
    if (pack->url == NULL)
        return MICA_OK;
    if (!is_registry_name(pack->registry_name))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "\"%s\" is no name of a registry, like "
                              "io.github.you/tools",
                              pack->registry_name);
    if (strncmp(pack->url, "https://", 8) != 0 ||
        strstr(pack->url, "mcp") == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "registries take an https:// address with "
                              "\"mcp\" in it, like …/%s.mcpb",
                              pack->name);
    return MICA_OK;
}

static enum mica_status
read_words(struct mica_cli *cli, const struct mica_options *options,
           struct mica_error *error, struct mica_pack *pack)
{
    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "pack takes the tools of this folder and no "
                              "\"%s\"",
                              options->words[0]);
    *pack = (struct mica_pack){
        .cli = cli,
        .name = value_or(options, "name", name_of_folder(cli)),
        .version = value_or(options, "version", "1.0.0"),
        .author = value_or(options, "author", name_of_user(cli)),
        .summary = mica_options_value(options, "description"),
        .instructions = mica_options_value(options, "instructions"),
        .website = mica_options_value(options, "website"),
        .registry_name = mica_options_value(options, "registry-name"),
        .url = mica_options_value(options, "url"),
        .built_in = !mica_project_is_chosen(options),
        .room = FILES};
    pack->title = value_or(options, "title", pack->name);
    if (!is_name(pack->name))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "\"%s\" cannot be the name of a bundle: use 1 to "
                              "%d of a-z, 0-9 and \"-\"",
                              pack->name, NAME_LENGTH);
    if (!is_version(pack->version))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "\"%s\" is no version like 1.0.0", pack->version);
    return check_registry(pack, error);
}

// "Tools: A; B; C" where the author has no better words.
static const char *
pack_describe(const struct mica_pack *pack)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &pack->cli->arena, TEXT_BYTES);
    mica_buffer_format(&text, "%zu tool%s: ", pack->tools->count,
                       mica_cli_s(pack->tools->count));
    for (size_t i = 0; i < pack->tools->count; i++)
        mica_buffer_format(&text, "%s%.*s", i > 0 ? ", " : "",
                           MICA_ARG(pack->tools->items[i]->name));
    mica_buffer_char(&text, '\0');
    return text.overflow ? "Tools." : text.ptr;
}

// ---- Making ----------------------------------------------------------------------------

static enum mica_status
pack_pretty(struct mica_pack *pack, const struct mica_buffer *json,
            struct mica_error *error, struct mica_text *text_out)
{
    struct mica_buffer text;
    struct mica_json value;

    MICA_TRY(mica_json_read(&pack->cli->arena, mica_buffer_as_text(json), NULL,
                            error, &value));
    mica_buffer_init(&text, &pack->cli->arena, TEXT_BYTES);
    mica_json_pretty(&text, &value);
    mica_buffer_char(&text, '\n');
    if (text.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory to describe so many tools");
    *text_out = mica_buffer_as_text(&text);
    return MICA_OK;
}

static enum mica_status
write_entry(struct mica_pack *pack, const char *bundle, const char *out,
            struct mica_error *error)
{
    const char *path = mica_cli_format(pack->cli, "%s/server.json", out);
    char sha256[MICA_SHA256_SIZE];
    struct mica_buffer json;
    struct mica_cli_file file;
    struct mica_text text;

    if (pack->url == NULL)
        return MICA_OK;
    MICA_TRY(mica_trust_hash(bundle, error, sha256));
    mica_buffer_init(&json, &pack->cli->arena, TEXT_BYTES);
    mica_pack_server(pack, sha256, &json);
    MICA_TRY(pack_pretty(pack, &json, error, &text));
    MICA_TRY(mica_cli_file_look(pack->cli, path, error, &file));
    MICA_TRY(mica_cli_file_replace(pack->cli, &file, text, false, error));
    pack->made[pack->made_count++] = path;
    return MICA_OK;
}

static void
print_made(const struct mica_pack *pack, bool json)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    for (size_t i = 0; i < pack->made_count && !json; i++)
        mica_cli_print(pack->cli, "%s\n", pack->made[i]);
    if (!json)
        return;
    mica_buffer_init(&text, &pack->cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "files");
    mica_json_open_array(&writer);
    for (size_t i = 0; i < pack->made_count; i++)
        mica_json_stringz(&writer, pack->made[i]);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    mica_cli_json_buffer(pack->cli, &text);
}

static enum mica_status
make_bundle(struct mica_pack *pack, const char *out, struct mica_error *error)
{
    const char *bundle =
        mica_cli_format(pack->cli, "%s/%s.mcpb", out, pack->name);
    struct mica_buffer json;
    struct mica_text text;

    MICA_TRY(mica_pack_collect(pack, error));
    mica_buffer_init(&json, &pack->cli->arena, TEXT_BYTES);
    mica_pack_manifest(pack, &json);
    MICA_TRY(pack_pretty(pack, &json, error, &text));
    MICA_TRY(mica_pack_add_text(pack, "manifest.json", text, error));
    MICA_TRY(mica_pack_zip(pack, bundle, error));
    pack->made[pack->made_count++] = bundle;
    return write_entry(pack, bundle, out, error);
}

static enum mica_status
pack_tools(struct mica_pack *pack, const struct mica_options *options,
           struct mica_error *error)
{
    const char *out = value_or(options, "out", "build");
    enum mica_status status;
    char staging[PATH_MAX];

    pack->description = value_or(options, "description", pack_describe(pack));
    pack->files =
        mica_arena_zero(&pack->cli->arena, FILES, sizeof *pack->files);
    if (mica_options_value(options, "out") == NULL)
        MICA_TRY(mica_path_inside(out, error));
    MICA_TRY(mica_cli_make_folders(out, 0755, error));
    MICA_TRY(mica_path(staging, error, "%s/.mica-pack-XXXXXX", out));
    if (pack->files == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    if (mkdtemp(staging) == NULL)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot make a folder in %s: %s", out,
                              strerror(errno));
    pack->staging = staging;
    status = make_bundle(pack, out, error);
    mica_pack_clean(pack);
    return status;
}

static enum mica_status
pack_run(struct mica_cli *cli, const struct mica_options *options,
         struct mica_error *error)
{
    struct mica_server *server;
    struct mica_pack pack;
    enum mica_status status;

    MICA_TRY(read_words(cli, options, error, &pack));
    MICA_TRY(mica_cli_catalog_open(cli, options, error, &server));
    pack.tools = &server->registry.main->catalog->lists[MICA_DEFINITION_TOOL];
    status = pack_tools(&pack, options, error);
    if (status == MICA_OK)
        print_made(&pack, mica_cli_wants_json(options));
    mica_server_close(&server);
    return status;
}

static const struct mica_option options[] = {
    {"out", MICA_OPTION_VALUE, "DIR", "where the files go (default build)"},
    {"name", MICA_OPTION_VALUE, "NAME",
     "of the bundle (default that of this folder)"},
    {"title", MICA_OPTION_VALUE, "TEXT", "the same for people"},
    {"version", MICA_OPTION_VALUE, "VERSION", "of the bundle (default 1.0.0)"},
    {"description", MICA_OPTION_VALUE, "TEXT",
     "what it is for (default the names of its tools)"},
    {"author", MICA_OPTION_VALUE, "NAME", "who made it (default you)"},
    {"registry-name", MICA_OPTION_VALUE, "SPACE/NAME",
     "write server.json, too: its name in a registry, like "
     "io.github.you/tools"},
    {"url", MICA_OPTION_VALUE, "URL",
     "for server.json: where the bundle will be fetched from"},
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_pack = {
    .name = "pack",
    .group = MICA_GROUP_PUBLISHING,
    .summary = "Make one file of the tools here that clients install",
    .usage = "[--name NAME] [--version VERSION] [options]",
    .example = "mica pack --name unit-tools --version 1.2.0\n  mica pack "
               "--registry-name io.github.you/unit-tools --url "
               "https://example.org/unit-tools.mcpb",
    .more = "Writes NAME.mcpb, a bundle that Claude Desktop and others install "
            "by opening it: mica, the libraries it needs, and what is built of "
            "./engines and ./tools (where it is missing, the engines inside "
            "mica). It runs on machines of this kind with the same C library "
            "or a newer one. The program zip makes it.",
    .options = options,
    .settings = true,
    .run = pack_run};
