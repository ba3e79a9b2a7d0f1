// SPDX-License-Identifier: Apache-2.0
//
// Makes one list of options of what flags, the environment and the settings file give.
#include "cli/settings.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "http/address.h"

// ---- One list --------------------------------------------------------------------

// The list as it grows, and where the value that is added stands.
struct merge {
    struct mica_cli *cli;
    struct mica_error *error;
    struct mica_given *given;
    size_t count, room;
    enum mica_given_by by;
    size_t line;
};

static bool
is_switch(const struct mica_setting *setting)
{
    return setting->kind == MICA_SETTING_SWITCH ||
           setting->kind == MICA_SETTING_REVERSED ||
           setting->kind == MICA_SETTING_ON_OFF;
}

static enum mica_status
merge_add(struct merge *merge, const struct mica_setting *setting,
          const char *value, bool off)
{
    if (merge->count == merge->room) {
        size_t room = merge->room * 2 + 64;
        struct mica_given *given =
            mica_arena_zero(&merge->cli->arena, room, sizeof *given);
        if (given == NULL)
            return mica_error_set(merge->error, MICA_E_LIMIT, "", "no memory");
        if (merge->count > 0)
            memcpy(given, merge->given, merge->count * sizeof *given);
        merge->given = given;
        merge->room = room;
    }
    merge->given[merge->count++] = (struct mica_given){.option = &setting->flag,
                                                       .value = value,
                                                       .off = off,
                                                       .by = merge->by,
                                                       .line = merge->line};
    return MICA_OK;
}

// `words` as the flag would have them.
static enum mica_status
merge_words(struct merge *merge, const struct mica_setting *setting,
            const char *const *words)
{
    if (is_switch(setting)) {
        bool on = words[0] != NULL && strcmp(words[0], "true") == 0;
        if (setting->kind == MICA_SETTING_ON_OFF)
            return merge_add(merge, setting, on ? "on" : "off", false);
        return merge_add(merge, setting, NULL,
                         on == (setting->kind == MICA_SETTING_REVERSED));
    }
    if (words[0] == NULL)
        return merge_add(merge, setting, NULL, true);
    for (; *words != NULL; words++)
        MICA_TRY(merge_add(merge, setting, *words, false));
    return MICA_OK;
}

// ---- The environment -------------------------------------------------------------

// One word, or of a list those between blanks.
static const char *const *
split_words(struct mica_cli *cli, const struct mica_setting *setting,
            const char *value)
{
    size_t room = strlen(value) / 2 + 2, count = 0;
    const char **words = mica_arena_zero(&cli->arena, room, sizeof *words);

    if (words == NULL)
        return NULL;
    if (setting->flag.kind != MICA_OPTION_REPEAT) {
        words[0] = value;
        return words;
    }
    for (value += strspn(value, " "); *value != '\0';
         value += strspn(value, " ")) {
        size_t length = strcspn(value, " ");
        words[count++] = mica_cli_format(cli, "%.*s", (int)length, value);
        value += length;
    }
    return words;
}

static enum mica_status
check_word(const struct mica_setting *setting, const char *word,
           struct mica_error *error)
{
    struct mica_text text = mica_text(word);
    int64_t number;

    if (is_switch(setting) && strcmp(word, "true") != 0 &&
        strcmp(word, "false") != 0)
        return mica_error_set(error, MICA_E_TYPE, "",
                              "it takes true or false, not \"%s\"", word);
    if (setting->kind == MICA_SETTING_NUMBER &&
        (strspn(word, "0123456789") != text.len ||
         !mica_integer_read(text, &number) || number > setting->most))
        return mica_error_set(error, MICA_E_RANGE, "",
                              "it takes a number from 0 to %u, not \"%s\"",
                              setting->most, word);
    return setting->check != NULL ? setting->check(word, error) : MICA_OK;
}

static enum mica_status
merge_variable(struct merge *merge, const struct mica_setting *setting,
               const char *name, const char *value)
{
    const char *const *words = split_words(merge->cli, setting, value);

    if (words == NULL)
        return mica_error_set(merge->error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; words[i] != NULL; i++) {
        enum mica_status status = check_word(setting, words[i], merge->error);
        if (status != MICA_OK) {
            mica_error_prefix(merge->error, "the variable %s", name);
            return status;
        }
    }
    merge->by = MICA_BY_ENVIRONMENT;
    merge->line = 0;
    return merge_words(merge, setting, words);
}

static enum mica_status
merge_setting(struct merge *merge, const struct mica_setting *setting,
              const struct mica_settings_file *file)
{
    const struct mica_toml *value =
        file->values != NULL ? file->values[setting - mica_settings] : NULL;
    const char *name = mica_setting_variable(merge->cli, setting);
    const char *variable = getenv(name);

    if (variable != NULL)
        return merge_variable(merge, setting, name, variable);
    if (value == NULL)
        return MICA_OK;
    merge->by = MICA_BY_FILE;
    merge->line = mica_toml_line(file->text, value->name_offset);
    return merge_words(merge, setting,
                       mica_settings_words(merge->cli, setting, value));
}

enum mica_status
mica_settings_merge(struct mica_cli *cli, const struct mica_settings_file *file,
                    struct mica_options *options, struct mica_error *error)
{
    struct merge merge = {
        .cli = cli, .error = error, .room = options->given_count + 64};

    merge.given = mica_arena_zero(&cli->arena, merge.room, sizeof *merge.given);
    if (merge.given == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    merge.count = options->given_count;
    mica_settings_tell_variables(cli);
    if (merge.count > 0)
        memcpy(merge.given, options->given, merge.count * sizeof *merge.given);
    for (const struct mica_setting *setting = mica_settings;
         setting->key != NULL; setting++)
        if (mica_options_last(options, setting->flag.name) == NULL)
            MICA_TRY(merge_setting(&merge, setting, file));
    options->endpoints = file->endpoints;
    options->given = merge.given;
    options->given_count = merge.count;
    return mica_settings_check_named(cli, options, error);
}

enum mica_status
mica_settings_apply(struct mica_cli *cli, struct mica_options *options,
                    struct mica_error *error)
{
    struct mica_settings_file file = {.path = NULL};

    MICA_TRY(mica_cli_catalog_place(options, error));
    if (!mica_options_has(options, "built-in"))
        MICA_TRY(mica_settings_read(cli, MICA_SETTINGS_FILE, error, &file));
    return mica_settings_merge(cli, &file, options, error);
}

// ---- What the file opens -----------------------------------------------------------

static bool
given_opens(const struct mica_given *given)
{
    static const char *const flags[] = {"allow-host", "app-host",
                                        "allow-origin", "public"};
    struct mica_address address;
    struct mica_error ignored;

    if (given->by != MICA_BY_FILE || given->off)
        return false;
    for (size_t i = 0; i < MICA_COUNT(flags); i++)
        if (strcmp(given->option->name, flags[i]) == 0)
            return true;
    return strcmp(given->option->name, "listen") == 0 &&
           mica_address_read(given->value, &ignored, &address) == MICA_OK &&
           !address.loopback;
}

void
mica_settings_tell(struct mica_cli *cli, const struct mica_options *options)
{
    struct mica_buffer keys;

    mica_buffer_init(&keys, &cli->arena, MICA_SETTINGS_BYTES);
    for (size_t i = 0; i < options->given_count; i++) {
        const struct mica_given *given = &options->given[i];
        const struct mica_setting *setting = mica_settings;
        if (!given_opens(given))
            continue;
        while (&setting->flag != given->option)
            setting++;
        mica_buffer_format(&keys, "%s%s = %s (line %zu)",
                           keys.len > 0 ? ", " : "", setting->key,
                           given->value != NULL ? given->value : "true",
                           given->line);
    }
    if (keys.len > 0)
        mica_cli_note(cli,
                      "mica: " MICA_SETTINGS_FILE
                      " opens this server to others than this machine: %.*s\n",
                      MICA_ARG(mica_buffer_as_text(&keys)));
}
