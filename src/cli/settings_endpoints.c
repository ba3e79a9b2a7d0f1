// SPDX-License-Identifier: Apache-2.0
//
// See settings_endpoints.h.
#include "cli/settings_endpoints.h"

#include <string.h>

#include <mica/endpoint.h>

#include "cli/cli_file.h"
#include "cli/settings.h"
#include "server/server.h"

#define KEY_PREFIX "config/"

// One reading.
struct endpoint_look {
    struct mica_cli *cli;
    struct mica_text text;
    struct mica_error *error;
};

// ---- Reading -----------------------------------------------------------------------

static enum mica_status
member_wrong(const struct endpoint_look *look, const struct mica_toml *member,
             const char *wanted)
{
    return mica_toml_fault(look->error, MICA_E_TYPE, look->text, member->offset,
                           "%.*s of an endpoint takes %s, not %s",
                           MICA_ARG(member->name), wanted,
                           mica_toml_kind_name(member->kind));
}

// A text, checked like the setting of the server that has its kind.
static enum mica_status
take_text(const struct endpoint_look *look, const struct mica_toml *member,
          enum mica_status (*check)(const char *value,
                                    struct mica_error *error),
          const char **text_out)
{
    enum mica_status status;

    if (member->kind != MICA_TOML_STRING)
        return member_wrong(look, member, "a text in quotes");
    if (memchr(member->text.ptr, '\0', member->text.len) != NULL)
        return mica_toml_fault(look->error, MICA_E_FORMAT, look->text,
                               member->offset, "an endpoint takes no U+0000");
    *text_out = mica_cli_format(look->cli, "%.*s", MICA_ARG(member->text));
    status = check != NULL ? check(*text_out, look->error) : MICA_OK;
    if (status != MICA_OK)
        mica_toml_locate(look->error, look->text, member->offset);
    return status;
}

static enum mica_status
take_tools(const struct endpoint_look *look, const struct mica_toml *member,
           const char *const **tools_out)
{
    const char **tools =
        mica_arena_zero(&look->cli->arena, member->count + 1, sizeof *tools);
    size_t count = 0;

    if (tools == NULL)
        return mica_error_set(look->error, MICA_E_LIMIT, "", "no memory");
    if (member->kind != MICA_TOML_ARRAY)
        return member_wrong(look, member, "a list of names");
    for (const struct mica_toml *item = member->items; item != NULL;
         item = item->next)
        MICA_TRY(take_text(look, item, mica_check_title, &tools[count++]));
    *tools_out = tools;
    return MICA_OK;
}

static enum mica_status
take_member(const struct endpoint_look *look, const struct mica_toml *member,
            struct mica_endpoint_setting *endpoint)
{
    if (mica_text_is(member->name, "path"))
        return take_text(look, member, NULL, &endpoint->path);
    if (mica_text_is(member->name, "title"))
        return take_text(look, member, mica_check_title, &endpoint->title);
    if (mica_text_is(member->name, "description"))
        return take_text(look, member, mica_check_words,
                         &endpoint->description);
    if (mica_text_is(member->name, "instructions"))
        return take_text(look, member, mica_check_instructions,
                         &endpoint->instructions);
    if (mica_text_is(member->name, "tools"))
        return take_tools(look, member, &endpoint->tools);
    return mica_toml_fault(look->error, MICA_E_UNKNOWN, look->text,
                           member->name_offset,
                           "an endpoint has no key %.*s, but path, title, "
                           "description, instructions and tools",
                           MICA_ARG(member->name));
}

static enum mica_status
take_endpoint(const struct endpoint_look *look, const struct mica_toml *table,
              struct mica_endpoint_setting *endpoint)
{
    struct mica_toml name = {.kind = MICA_TOML_STRING,
                             .name = table->name,
                             .offset = table->name_offset,
                             .text = table->name};

    endpoint->line = mica_toml_line(look->text, table->name_offset);
    if (table->kind != MICA_TOML_TABLE)
        return mica_toml_fault(look->error, MICA_E_TYPE, look->text,
                               table->offset, "an endpoint is a table, not %s",
                               mica_toml_kind_name(table->kind));
    MICA_TRY(take_text(look, &name, mica_check_name, &endpoint->name));
    for (const struct mica_toml *member = table->items; member != NULL;
         member = member->next)
        MICA_TRY(take_member(look, member, endpoint));
    if (endpoint->path != NULL && endpoint->tools != NULL)
        return MICA_OK;
    return mica_toml_fault(look->error, MICA_E_REQUIRED, look->text,
                           table->name_offset,
                           "the endpoint %s needs a path, like "
                           "\"/servers/%s\", and tools, a list of names",
                           endpoint->name, endpoint->name);
}

enum mica_status
mica_endpoint_settings_read(struct mica_cli *cli, const struct mica_toml *table,
                            struct mica_text text, struct mica_error *error,
                            const struct mica_endpoint_settings **settings_out)
{
    const struct endpoint_look look = {
        .cli = cli, .text = text, .error = error};
    struct mica_endpoint_settings *settings =
        mica_arena_zero(&cli->arena, 1, sizeof *settings);
    struct mica_endpoint_setting *items =
        mica_arena_zero(&cli->arena, table->count + 1, sizeof *items);

    if (settings == NULL || items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    if (table->count > MICA_ENDPOINT_SETTINGS)
        return mica_toml_fault(error, MICA_E_LIMIT, text, table->offset,
                               "a file has at most %d endpoints",
                               MICA_ENDPOINT_SETTINGS);
    for (const struct mica_toml *one = table->items; one != NULL;
         one = one->next)
        MICA_TRY(take_endpoint(&look, one, &items[settings->count++]));
    settings->items = items;
    *settings_out = settings;
    return MICA_OK;
}

// ---- Publishing --------------------------------------------------------------------

static enum mica_status
add_tools(const struct mica_endpoint_setting *endpoint,
          struct mica_endpoint_draft *draft, bool all, struct mica_error *error)
{
    for (const char *const *tool = endpoint->tools; *tool != NULL; tool++) {
        enum mica_status status =
            mica_endpoint_add_offered(draft, MICA_OFFER_TOOL, *tool, error);
        if (status == MICA_E_NOT_FOUND && all)
            return mica_error_set(error, MICA_E_NOT_FOUND, "",
                                  "there is no tool %s to offer there", *tool);
        if (status != MICA_OK && status != MICA_E_NOT_FOUND)
            return status;
    }
    return MICA_OK;
}

static enum mica_status
publish_one(const struct mica_endpoint_setting *endpoint,
            struct mica_server *server, bool all, struct mica_error *error)
{
    char key[MICA_ENDPOINT_KEY_BYTES + sizeof KEY_PREFIX] = "";
    struct mica_buffer room = {
        .ptr = key, .capacity = sizeof key - 1, .max = sizeof key - 1};
    const struct mica_endpoint_options options = {
        .key = key,
        .path = endpoint->path,
        .name = endpoint->name,
        .version = server->options.version,
        .title = endpoint->title,
        .description = endpoint->description,
        .website_url = server->options.website_url,
        .instructions = endpoint->instructions,
        .icons = server->options.icons,
        .icon_count = server->options.icon_count};
    struct mica_endpoint_draft *draft;
    enum mica_status status;

    mica_buffer_format(&room, KEY_PREFIX "%s", endpoint->name);
    MICA_TRY(mica_endpoint_begin(server, &options, error, &draft));
    status = add_tools(endpoint, draft, all, error);
    if (status == MICA_OK)
        return mica_endpoint_publish(&draft, error);
    mica_endpoint_discard(&draft);
    return status;
}

enum mica_status
mica_endpoint_settings_publish(const struct mica_endpoint_settings *settings,
                               struct mica_server *server, bool all,
                               struct mica_error *error)
{
    for (size_t i = 0; settings != NULL && i < settings->count; i++) {
        const struct mica_endpoint_setting *endpoint = &settings->items[i];
        enum mica_status status = publish_one(endpoint, server, all, error);
        if (status != MICA_OK) {
            mica_error_prefix(error,
                              MICA_SETTINGS_FILE ": line %zu, endpoint %s",
                              endpoint->line, endpoint->name);
            return status;
        }
    }
    return MICA_OK;
}
