// SPDX-License-Identifier: Apache-2.0
//
// See server_identity.h. What a flag says is checked here; the file and the
// environment were checked where they were read.
#include "cli/server_identity.h"

#include <string.h>

#include "cli/cli_file.h"
#include "cli/server_icons.h"
#include "cli/settings.h"

static enum mica_status
identity_value(const struct mica_options *options, const char *name,
               struct mica_error *error, const char **value_out)
{
    const struct mica_given *given = mica_options_last(options, name);
    const struct mica_setting *setting = mica_settings;
    enum mica_status status;

    while (strcmp(setting->flag.name, name) != 0)
        setting++;
    *value_out =
        given != NULL ? given->value : mica_setting_fallback(setting, options);
    if (given == NULL || given->by != MICA_BY_FLAG)
        return MICA_OK;
    status = setting->check(given->value, error);
    if (status != MICA_OK)
        mica_error_prefix(error, "--%s", name);
    return status;
}

enum mica_status
mica_server_identity(struct mica_cli *cli, const struct mica_options *options,
                     struct mica_error *error,
                     struct mica_server_options *server_out)
{
    struct mica_server_options server = {.name = NULL};
    const char *icons = mica_options_value(options, "icons");
    const struct {
        const char *name, **value;
    } texts[] = {{"name", &server.name},
                 {"title", &server.title},
                 {"version", &server.version},
                 {"description", &server.description},
                 {"instructions", &server.instructions},
                 {"website", &server.website_url}};

    for (size_t i = 0; i < MICA_COUNT(texts); i++)
        MICA_TRY(identity_value(options, texts[i].name, error, texts[i].value));
    if (server.title == NULL)
        server.title = server.name;
    if (icons != NULL) {
        enum mica_status status = mica_server_icons_load(
            cli, icons, error, &server.icons, &server.icon_count);
        if (status != MICA_OK) {
            mica_error_prefix(error, "icons");
            return status;
        }
    }
    server.form_views = mica_options_has(options, "form-views");
    *server_out = server;
    return MICA_OK;
}

const char *
mica_server_slug(struct mica_cli *cli, const char *name)
{
    struct mica_buffer slug;

    mica_buffer_init(&slug, &cli->arena, strlen(name) + 1);
    for (const char *at = name; *at != '\0'; at++) {
        char low = (char)(*at | 0x20);
        bool plain = (low >= 'a' && low <= 'z') || (*at >= '0' && *at <= '9') ||
                     *at == '-' || *at == '_';
        mica_buffer_char(&slug, plain ? *at : '-');
    }
    mica_buffer_char(&slug, '\0');
    return slug.overflow ? name : slug.ptr;
}
