// SPDX-License-Identifier: Apache-2.0
//
// The keys of a table in TOML differ by their bytes. Two of them may be one host name, so the
// table is read as the server reads it, and a fault is placed at its key.
#include "cli/settings_app_hosts.h"

#include <string.h>

#include "apps/app_hosts.h"
#include "cli/cli_file.h"

const char *const *
mica_settings_app_hosts_words(struct mica_cli *cli,
                              const struct mica_toml *value)
{
    static const char *const none[] = {NULL};
    const char **words =
        mica_arena_zero(&cli->arena, value->count + 1, sizeof *words);
    size_t count = 0;

    if (words == NULL)
        return none;
    for (const struct mica_toml *item = value->items; item != NULL;
         item = item->next)
        words[count++] = mica_cli_format(cli, "%.*s=%.*s", MICA_ARG(item->name),
                                         MICA_ARG(item->text));
    return words;
}

// As a word it would be read differently.
static bool
name_misleads(struct mica_text name)
{
    return memchr(name.ptr, '=', name.len) != NULL ||
           memchr(name.ptr, '\0', name.len) != NULL;
}

static enum mica_status
check_items(const struct mica_setting *setting, const struct mica_toml *value,
            struct mica_text text, struct mica_error *error)
{
    for (const struct mica_toml *item = value->items; item != NULL;
         item = item->next) {
        if (item->kind != MICA_TOML_STRING)
            return mica_toml_fault(error, MICA_E_TYPE, text, item->offset,
                                   "%s takes the slug of an app in quotes, not "
                                   "%s",
                                   setting->key,
                                   mica_toml_kind_name(item->kind));
        if (name_misleads(item->name) ||
            memchr(item->text.ptr, '\0', item->text.len) != NULL)
            return mica_toml_fault(
                error, MICA_E_FORMAT, text, item->name_offset,
                "%s takes no U+0000, and no \"=\" in a name", setting->key);
    }
    return MICA_OK;
}

enum mica_status
mica_settings_app_hosts_check(struct mica_cli *cli,
                              const struct mica_setting *setting,
                              const struct mica_toml *value,
                              struct mica_text text, struct mica_error *error)
{
    const struct mica_toml *item = value->items;
    struct mica_app_hosts hosts;
    enum mica_status status;
    size_t wrong = 0;

    if (value->kind != MICA_TOML_TABLE)
        return mica_toml_fault(error, MICA_E_TYPE, text, value->offset,
                               "%s takes a table of host names and slugs, not "
                               "%s",
                               setting->key, mica_toml_kind_name(value->kind));
    MICA_TRY(check_items(setting, value, text, error));
    status = mica_app_hosts_read(mica_settings_app_hosts_words(cli, value),
                                 &cli->arena, error, &hosts, &wrong);
    if (status == MICA_OK)
        return MICA_OK;
    for (; item != NULL && item->next != NULL && wrong > 0; wrong--)
        item = item->next;
    mica_error_prefix(error, "%s", setting->key);
    mica_toml_locate(error, text,
                     item != NULL ? item->name_offset : value->offset);
    return status;
}

enum mica_status
mica_check_app_host(const char *value, struct mica_error *error)
{
    struct mica_app_host host;
    struct mica_arena arena;
    enum mica_status status;

    mica_arena_init(&arena, MICA_APP_HOSTS_BYTES);
    status = mica_app_host_read(value, &arena, error, &host);
    mica_arena_fini(&arena);
    return status;
}
