// SPDX-License-Identifier: Apache-2.0
//
// The table, and what is written by it. Each row was taken from the documentation of
// its client.
#include "cli/clients.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli_file.h"

#ifdef __APPLE__
#    define CONFIGURATIONS "Library/Application Support"
#else
#    define CONFIGURATIONS ".config"
#endif

const struct mica_client_kind mica_client_kinds[] = {
    {.name = "claude-desktop",
     .title = "Claude Desktop",
     .section = "mcpServers",
     .format = &mica_edit_json,
     .user = "@/Claude/claude_desktop_config.json"},
    {.name = "claude-code",
     .title = "Claude Code",
     .section = "mcpServers",
     .format = &mica_edit_json,
     .user = "~/.claude.json",
     .project = ".mcp.json",
     .folder_variable = "CLAUDE_CONFIG_DIR",
     .folder_file = ".claude.json",
     .url = "url",
     .type = "http",
     .typed = true},
    {.name = "vscode",
     .title = "VS Code",
     .section = "servers",
     .format = &mica_edit_jsonc,
     .user = "@/Code/User/mcp.json",
     .project = ".vscode/mcp.json",
     .url = "url",
     .type = "http",
     .typed = true,
     .here = "${workspaceFolder}"},
    {.name = "cursor",
     .title = "Cursor",
     .section = "mcpServers",
     .format = &mica_edit_json,
     .user = "~/.cursor/mcp.json",
     .project = ".cursor/mcp.json",
     .url = "url",
     .type = "http",
     .here = "${workspaceFolder}"},
    {.name = "codex",
     .title = "Codex",
     .section = "mcp_servers",
     .format = &mica_edit_toml,
     .user = "~/.codex/config.toml",
     .project = ".codex/config.toml",
     .folder_variable = "CODEX_HOME",
     .folder_file = "config.toml",
     .url = "url"},
    {.name = "gemini",
     .title = "Gemini CLI",
     .section = "mcpServers",
     .format = &mica_edit_json_comments,
     .user = "~/.gemini/settings.json",
     .project = ".gemini/settings.json",
     .url = "httpUrl"},
    {.name = NULL}};

const struct mica_client_kind *
mica_client_find(const char *namez)
{
    for (size_t i = 0; mica_client_kinds[i].name != NULL; i++)
        if (strcmp(mica_client_kinds[i].name, namez) == 0)
            return &mica_client_kinds[i];
    return NULL;
}

// ---- Where -------------------------------------------------------------------------

static const char *
client_variable(const char *namez)
{
    const char *value = getenv(namez);

    return value != NULL && value[0] == '/' ? value : NULL;
}

enum mica_status
mica_client_path(struct mica_cli *cli, const struct mica_client_kind *client,
                 bool project, struct mica_error *error, const char **path_out)
{
    const char *home = client_variable("HOME"), *folder = NULL;

    *path_out = client->project;
    if (project && client->project == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s knows no servers of a folder; leave --scope "
                              "project out",
                              client->title);
    if (project)
        return MICA_OK;
    if (client->folder_variable != NULL)
        folder = client_variable(client->folder_variable);
    if (folder != NULL) {
        *path_out = mica_cli_format(cli, "%s/%s", folder, client->folder_file);
        return MICA_OK;
    }
    if (client->user[0] == '@')
        folder = client_variable("XDG_CONFIG_HOME");
    if (folder == NULL && home == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "$HOME does not say where your files are");
    if (folder != NULL)
        *path_out = mica_cli_format(cli, "%s%s", folder, client->user + 1);
    else if (client->user[0] == '@')
        *path_out = mica_cli_format(cli, "%s/" CONFIGURATIONS "%s", home,
                                    client->user + 1);
    else
        *path_out = mica_cli_format(cli, "%s%s", home, client->user + 1);
    return MICA_OK;
}

// ---- What --------------------------------------------------------------------------

static void
write_args(struct mica_json_writer *writer, const char *const *args)
{
    mica_json_name(writer, "args");
    mica_json_open_array(writer);
    for (; *args != NULL; args++)
        mica_json_stringz(writer, *args);
    mica_json_close_array(writer);
}

// Members that mica writes for some client; all others are the user's.
static bool
is_own(struct mica_text name)
{
    static const char *const own[] = {"type", "command", "args", "url",
                                      "httpUrl"};

    for (size_t i = 0; i < MICA_COUNT(own); i++)
        if (mica_text_is(name, own[i]))
            return true;
    return false;
}

static enum mica_status
write_rest(struct mica_cli *cli, struct mica_text old, struct mica_error *error,
           struct mica_json_writer *writer)
{
    struct mica_json value;

    if (old.len == 0)
        return MICA_OK;
    MICA_TRY(mica_json_read(&cli->arena, old, NULL, error, &value));
    for (size_t i = 0; value.kind == MICA_JSON_OBJECT && i < value.count; i++) {
        if (is_own(value.members[i].name))
            continue;
        mica_json_name_text(writer, value.members[i].name);
        mica_json_value(writer, &value.members[i].value);
    }
    return MICA_OK;
}

static enum mica_status
write_json(struct mica_cli *cli, const struct mica_client_kind *client,
           const struct mica_client_server *server, struct mica_text old,
           struct mica_error *error, struct mica_buffer *out)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, out);
    mica_json_open_object(&writer);
    if (server->url != NULL) {
        if (client->type != NULL)
            mica_json_field(&writer, "type", mica_text(client->type));
        mica_json_field(&writer, client->url, mica_text(server->url));
    } else {
        if (client->typed)
            mica_json_field(&writer, "type", mica_text("stdio"));
        mica_json_field(&writer, "command", mica_text(server->command));
        write_args(&writer, server->args);
    }
    MICA_TRY(write_rest(cli, old, error, &writer));
    mica_json_close_object(&writer);
    return MICA_OK;
}

// A basic string of TOML is one of JSON, but for DEL.
static void
add_string(struct mica_buffer *out, const char *textz)
{
    mica_buffer_char(out, '"');
    for (const char *c = textz; *c != '\0'; c++) {
        if (*c == 0x7f)
            mica_buffer_text(out, MICA_LITERAL("\\u007F"));
        else
            mica_json_escape(out, (struct mica_text){c, 1});
    }
    mica_buffer_char(out, '"');
}

static void
write_toml(const struct mica_client_server *server, struct mica_buffer *out)
{
    if (server->url != NULL) {
        mica_buffer_text(out, MICA_LITERAL("url = "));
        add_string(out, server->url);
    } else {
        mica_buffer_text(out, MICA_LITERAL("command = "));
        add_string(out, server->command);
        mica_buffer_text(out, MICA_LITERAL("\nargs = ["));
        for (size_t i = 0; server->args[i] != NULL; i++) {
            mica_buffer_text(out, mica_text(i > 0 ? ", " : ""));
            add_string(out, server->args[i]);
        }
        mica_buffer_char(out, ']');
    }
    mica_buffer_char(out, '\n');
}

enum mica_status
mica_client_entry(struct mica_cli *cli, const struct mica_client_kind *client,
                  const struct mica_client_server *server, struct mica_text old,
                  struct mica_error *error, struct mica_text *entry_out)
{
    struct mica_buffer out;

    if (server->url != NULL && client->url == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s starts its servers itself and takes no "
                              "address from this file: add a custom connector "
                              "in its settings, or leave --url out",
                              client->title);
    mica_buffer_init(&out, &cli->arena, SIZE_MAX / 2);
    if (client->format == &mica_edit_toml)
        write_toml(server, &out);
    else
        MICA_TRY(write_json(cli, client, server, old, error, &out));
    if (out.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    *entry_out = mica_buffer_as_text(&out);
    return MICA_OK;
}
