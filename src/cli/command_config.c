// SPDX-License-Identifier: Apache-2.0
//
// mica config: what holds for the commands that serve here, and where each value came
// from.
#include <stdlib.h>
#include <string.h>

#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/commands.h"
#include "cli/settings.h"
#include "cli/settings_endpoints.h"
#include "cli/settings_fetch.h"
#include "cli/settings_providers.h"

enum {
    TEXT_BYTES = 1 << 20
};

// One run of the command.
struct listing {
    struct mica_cli *cli;
    const struct mica_options *options;
    const struct mica_settings_file *file;
    struct mica_json_writer json;
};

// The value that holds as a word: of a switch true or false, of a list with blanks
// between; NULL: the setting has no value.
static const char *
listing_value(const struct listing *list, const struct mica_setting *setting)
{
    const struct mica_given *last =
        mica_options_last(list->options, setting->flag.name);
    struct mica_buffer words;

    if (last == NULL)
        return mica_setting_fallback(setting, list->options);
    if (setting->kind == MICA_SETTING_SWITCH)
        return last->off ? "false" : "true";
    if (setting->kind == MICA_SETTING_REVERSED)
        return last->off ? "true" : "false";
    if (setting->kind == MICA_SETTING_ON_OFF)
        return strcmp(last->value, "off") == 0 ? "false" : "true";
    if (setting->flag.kind != MICA_OPTION_REPEAT)
        return last->value;
    mica_buffer_init(&words, &list->cli->arena, TEXT_BYTES);
    for (const char *const *all = mica_options_all(
             list->options, &list->cli->arena, setting->flag.name);
         *all != NULL; all++)
        mica_buffer_format(&words, "%s%s", words.len > 0 ? " " : "", *all);
    mica_buffer_char(&words, '\0');
    return words.overflow || words.len == 1 ? NULL : words.ptr;
}

static const char *
listing_source(const struct listing *list, const struct mica_setting *setting)
{
    const struct mica_given *last =
        mica_options_last(list->options, setting->flag.name);

    switch (last != NULL ? last->by : MICA_BY_DEFAULT) {
    case MICA_BY_DEFAULT:
        return "default";
    case MICA_BY_FILE:
        return mica_cli_format(list->cli, "%s:%zu", list->file->path,
                               last->line);
    case MICA_BY_ENVIRONMENT:
        return mica_setting_variable(list->cli, setting);
    case MICA_BY_FLAG:
        return mica_cli_format(list->cli, "--%s", setting->flag.name);
    }
    return "";
}

// ---- For people --------------------------------------------------------------------

static void
print_setting(const struct listing *list, const struct mica_setting *setting)
{
    const char *value = listing_value(list, setting);
    const char *source = listing_source(list, setting);
    bool given = strcmp(source, "default") != 0;

    if (value == NULL && strcmp(setting->key, "title") == 0)
        value = listing_value(list, mica_settings); // the name
    mica_cli_print(list->cli, "%s%-22s%s %s  %s(%s)%s\n",
                   given ? mica_cli_bold(list->cli) : "", setting->key,
                   given ? mica_cli_plain(list->cli) : "",
                   value != NULL ? value : "-", mica_cli_dim(list->cli), source,
                   mica_cli_plain(list->cli));
}

static void
print_origins(const struct listing *list, const char *key,
              const char *const *origins)
{
    const struct mica_fetch_settings *fetch = list->file->fetch;

    for (; origins != NULL && *origins != NULL; origins++)
        mica_cli_print(list->cli, "%sfetch.%-16s%s %s  %s(%s:%zu)%s\n",
                       mica_cli_bold(list->cli), key, mica_cli_plain(list->cli),
                       *origins, mica_cli_dim(list->cli), list->file->path,
                       fetch->line, mica_cli_plain(list->cli));
}

static void
print_fetch(const struct listing *list)
{
    const struct mica_fetch_settings *fetch = list->file->fetch;

    if (fetch == NULL)
        return;
    print_origins(list, "allow", fetch->options.allow);
    print_origins(list, "private", fetch->options.is_private);
    for (size_t i = 0; i < fetch->options.secret_count; i++) {
        const char *const one[] = {fetch->options.secrets[i].origin, NULL};
        print_origins(list,
                      mica_cli_format(list->cli, "secrets.%s",
                                      fetch->options.secrets[i].name),
                      one);
    }
    print_origins(list, "proxy",
                  (const char *const[]){fetch->options.proxy, NULL});
}

// Where the key is, never the key.
static void
print_providers(const struct listing *list)
{
    const struct mica_provider_settings *settings = list->file->providers;

    for (size_t i = 0; settings != NULL && i < settings->options.count; i++) {
        const struct mica_model_provider_options *provider =
            &settings->options.providers[i];
        mica_cli_print(
            list->cli, "%sproviders.%-12s%s %s %s%s%s, %s%s%s  %s(%s:%zu)%s\n",
            mica_cli_bold(list->cli), provider->name, mica_cli_plain(list->cli),
            mica_provider_type_name(provider->type), provider->model,
            provider->url != NULL ? " at " : "",
            provider->url != NULL ? provider->url : "",
            mica_provider_key_place(list->cli, provider),
            settings->sampling == provider->name ? ", for sampling" : "",
            settings->drafting == provider->name ? ", drafts apps" : "",
            mica_cli_dim(list->cli), list->file->path, settings->lines[i],
            mica_cli_plain(list->cli));
    }
}

static void
print_settings(const struct listing *list)
{
    for (const struct mica_setting *setting = mica_settings;
         setting->key != NULL; setting++)
        print_setting(list, setting);
    for (size_t i = 0;
         list->file->endpoints != NULL && i < list->file->endpoints->count;
         i++) {
        const struct mica_endpoint_setting *endpoint =
            &list->file->endpoints->items[i];
        mica_cli_print(list->cli, "%sendpoints.%-12s%s %s  %s(%s:%zu)%s\n",
                       mica_cli_bold(list->cli), endpoint->name,
                       mica_cli_plain(list->cli), endpoint->path,
                       mica_cli_dim(list->cli), list->file->path,
                       endpoint->line, mica_cli_plain(list->cli));
    }
    print_fetch(list);
    print_providers(list);
}

// ---- For programs ------------------------------------------------------------------

static void
write_list(struct listing *list, const struct mica_setting *setting)
{
    mica_json_open_array(&list->json);
    for (const char *const *all = mica_options_all(
             list->options, &list->cli->arena, setting->flag.name);
         *all != NULL; all++)
        mica_json_stringz(&list->json, *all);
    mica_json_close_array(&list->json);
}

static void
write_value(struct listing *list, const struct mica_setting *setting)
{
    const char *value = listing_value(list, setting);
    int64_t number;

    mica_json_name(&list->json, "value");
    if (setting->flag.kind == MICA_OPTION_REPEAT)
        write_list(list, setting);
    else if (value == NULL)
        mica_json_null(&list->json);
    else if (setting->kind == MICA_SETTING_JSON)
        mica_json_raw(&list->json, mica_text(value));
    else if (setting->kind == MICA_SETTING_NUMBER &&
             mica_integer_read(mica_text(value), &number))
        mica_json_integer(&list->json, number);
    else if (setting->kind == MICA_SETTING_SWITCH ||
             setting->kind == MICA_SETTING_REVERSED ||
             setting->kind == MICA_SETTING_ON_OFF)
        mica_json_boolean(&list->json, strcmp(value, "true") == 0);
    else
        mica_json_stringz(&list->json, value);
}

static void
write_setting(struct listing *list, const struct mica_setting *setting)
{
    static const char *const sources[] = {[MICA_BY_DEFAULT] = "default",
                                          [MICA_BY_FILE] = "file",
                                          [MICA_BY_ENVIRONMENT] = "environment",
                                          [MICA_BY_FLAG] = "flag"};
    const struct mica_given *last =
        mica_options_last(list->options, setting->flag.name);

    mica_json_open_object(&list->json);
    mica_json_field(&list->json, "key", mica_text(setting->key));
    write_value(list, setting);
    mica_json_field(
        &list->json, "source",
        mica_text(sources[last != NULL ? last->by : MICA_BY_DEFAULT]));
    if (last != NULL && last->by == MICA_BY_FILE) {
        mica_json_name(&list->json, "line");
        mica_json_integer(&list->json, (int64_t)last->line);
    }
    mica_json_field(
        &list->json, "flag",
        mica_text(mica_cli_format(list->cli, "--%s", setting->flag.name)));
    mica_json_field(&list->json, "variable",
                    mica_text(mica_setting_variable(list->cli, setting)));
    mica_json_close_object(&list->json);
}

static void
write_endpoints(struct listing *list)
{
    const struct mica_endpoint_settings *endpoints = list->file->endpoints;

    mica_json_name(&list->json, "endpoints");
    mica_json_open_array(&list->json);
    for (size_t i = 0; endpoints != NULL && i < endpoints->count; i++) {
        const struct mica_endpoint_setting *endpoint = &endpoints->items[i];
        mica_json_open_object(&list->json);
        mica_json_field(&list->json, "name", mica_text(endpoint->name));
        mica_json_field(&list->json, "path", mica_text(endpoint->path));
        mica_json_name(&list->json, "tools");
        mica_json_open_array(&list->json);
        for (const char *const *tool = endpoint->tools; *tool != NULL; tool++)
            mica_json_stringz(&list->json, *tool);
        mica_json_close_array(&list->json);
        mica_json_name(&list->json, "line");
        mica_json_integer(&list->json, (int64_t)endpoint->line);
        mica_json_close_object(&list->json);
    }
    mica_json_close_array(&list->json);
}

static void
write_origins(struct listing *list, const char *namez,
              const char *const *origins)
{
    mica_json_name(&list->json, namez);
    mica_json_open_array(&list->json);
    for (; origins != NULL && *origins != NULL; origins++)
        mica_json_stringz(&list->json, *origins);
    mica_json_close_array(&list->json);
}

static void
write_fetch(struct listing *list)
{
    const struct mica_fetch_settings *fetch = list->file->fetch;

    if (fetch == NULL)
        return;
    mica_json_name(&list->json, "fetch");
    mica_json_open_object(&list->json);
    write_origins(list, "allow", fetch->options.allow);
    write_origins(list, "private", fetch->options.is_private);
    mica_json_name(&list->json, "secrets");
    mica_json_open_object(&list->json);
    for (size_t i = 0; i < fetch->options.secret_count; i++)
        mica_json_field(&list->json, fetch->options.secrets[i].name,
                        mica_text(fetch->options.secrets[i].origin));
    mica_json_close_object(&list->json);
    if (fetch->options.proxy != NULL)
        mica_json_field(&list->json, "proxy", mica_text(fetch->options.proxy));
    mica_json_name(&list->json, "line");
    mica_json_integer(&list->json, (int64_t)fetch->line);
    mica_json_close_object(&list->json);
}

static void
write_provider(struct listing *list,
               const struct mica_model_provider_options *provider, size_t line)
{
    const char *sampling = list->file->providers->sampling;

    mica_json_open_object(&list->json);
    mica_json_field(&list->json, "name", mica_text(provider->name));
    mica_json_field(&list->json, "type",
                    mica_text(mica_provider_type_name(provider->type)));
    if (provider->url != NULL)
        mica_json_field(&list->json, "url", mica_text(provider->url));
    mica_json_field(&list->json, "model", mica_text(provider->model));
    mica_json_field(&list->json, "key",
                    mica_text(mica_provider_key_place(list->cli, provider)));
    mica_json_field(
        &list->json, "structure",
        mica_text(mica_provider_structure_name(provider->structure)));
    mica_json_name(&list->json, "sampling");
    mica_json_boolean(&list->json, sampling == provider->name);
    mica_json_name(&list->json, "drafting");
    mica_json_boolean(&list->json,
                      list->file->providers->drafting == provider->name);
    mica_json_name(&list->json, "line");
    mica_json_integer(&list->json, (int64_t)line);
    mica_json_close_object(&list->json);
}

static void
write_providers(struct listing *list)
{
    const struct mica_provider_settings *settings = list->file->providers;

    if (settings == NULL)
        return;
    mica_json_name(&list->json, "providers");
    mica_json_open_array(&list->json);
    for (size_t i = 0; i < settings->options.count; i++)
        write_provider(list, &settings->options.providers[i],
                       settings->lines[i]);
    mica_json_close_array(&list->json);
}

static enum mica_status
write_settings(struct listing *list, struct mica_error *error)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &list->cli->arena, TEXT_BYTES);
    mica_json_writer_init(&list->json, &text);
    mica_json_open_object(&list->json);
    mica_json_name(&list->json, "file");
    if (list->file->path != NULL)
        mica_json_stringz(&list->json, list->file->path);
    else
        mica_json_null(&list->json);
    mica_json_name(&list->json, "settings");
    mica_json_open_array(&list->json);
    for (const struct mica_setting *setting = mica_settings;
         setting->key != NULL; setting++)
        write_setting(list, setting);
    mica_json_close_array(&list->json);
    write_endpoints(list);
    write_fetch(list);
    write_providers(list);
    mica_json_close_object(&list->json);
    mica_buffer_char(&text, '\n');
    if (text.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_cli_json(list->cli, mica_buffer_as_text(&text));
    return MICA_OK;
}

// ---- The command -------------------------------------------------------------------

static enum mica_status
config_run(struct mica_cli *cli, const struct mica_options *options,
           struct mica_error *error)
{
    const char *path =
        options->word_count > 0 ? options->words[0] : MICA_SETTINGS_FILE;
    struct mica_options merged = *options;
    struct mica_settings_file file;
    struct listing list = {.cli = cli, .options = &merged, .file = &file};

    if (options->word_count > 1)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "config looks at one file, not at \"%s\", too",
                              options->words[1]);
    MICA_TRY(mica_cli_catalog_place(options, error));
    MICA_TRY(mica_settings_read(cli, path, error, &file));
    if (file.path == NULL && options->word_count > 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "there is no %s",
                              path);
    MICA_TRY(mica_settings_merge(cli, &file, &merged, error));
    if (mica_options_has(options, "json"))
        return write_settings(&list, error);
    print_settings(&list);
    return MICA_OK;
}

const struct mica_command mica_command_config = {
    .name = "config",
    .summary = "Show what is set for the server here, and where",
    .usage = "[FILE] [--project DIR] [--json] [options]",
    .example = "mica config\n  mica config --listen 127.0.0.1:9000",
    .more =
        "Prints each setting with its value and where that came from: a flag, "
        "a variable of the environment, mica.toml in this folder, or the "
        "default; an earlier one of these counts before a later one. A file "
        "with a fault is refused, as by the commands that serve. FILE is read "
        "in place of mica.toml.",
    .words = MICA_WORDS_FILES,
    .options = mica_settings_flags,
    .run = config_run};
