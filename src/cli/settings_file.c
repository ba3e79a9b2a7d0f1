// SPDX-License-Identifier: Apache-2.0
//
// Reads mica.toml. It opens the file only if this user and root alone can write it. It
// refuses an unknown key, a value of another kind and a value outside its range, with
// line and column; a file with such a fault has no effect at all.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/files.h"
#include "cli/cli_file.h"
#include "cli/server_icons.h"
#include "cli/settings.h"
#include "cli/settings_app_hosts.h"
#include "cli/settings_endpoints.h"
#include "cli/settings_fetch.h"
#include "cli/settings_providers.h"
#include "cli/settings_rules.h"
#include "sandbox/trust.h"

// The tables that are no groups of settings.
#define ENDPOINTS "endpoints"
#define FETCH     "fetch"
#define PROVIDERS "providers"

// One reading.
struct look {
    struct mica_cli *cli;
    struct mica_error *error;
    struct mica_settings_file *file;
};

// ---- Opening -----------------------------------------------------------------------

static enum mica_status
open_file(const char *path, struct mica_error *error, int *fd_out)
{
    char whole[PATH_MAX];
    struct stat st;

    *fd_out = -1;
    if (lstat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return MICA_OK;
    MICA_TRY(mica_file_inside(path, error));
    if (realpath(path, whole) == NULL)
        return mica_error_set(error, MICA_E_IO, "", "cannot read %s: %s", path,
                              strerror(errno));
    MICA_TRY(mica_trust_open_settings(whole, error, fd_out, &st));
    if (st.st_size <= MICA_SETTINGS_BYTES)
        return MICA_OK;
    (void)close(*fd_out);
    return mica_error_set(error, MICA_E_LIMIT, "", "%s is larger than %d KiB",
                          path, MICA_SETTINGS_BYTES >> 10);
}

// ---- Keys ------------------------------------------------------------------------

// Is `key` that of a setting in `table` ("" of the top level) with that name?
static bool
is_key(const char *key, struct mica_text table, struct mica_text name)
{
    const char *dot = strchr(key, '.');
    struct mica_text own = {key, dot != NULL ? (size_t)(dot - key) : 0};

    return mica_text_equal(own, table) &&
           mica_text_is(name, dot != NULL ? dot + 1 : key);
}

static bool
is_table(struct mica_text name)
{
    for (const struct mica_setting *setting = mica_settings;
         setting->key != NULL; setting++)
        if (mica_text_starts(mica_text(setting->key), "") &&
            strchr(setting->key, '.') != NULL &&
            mica_text_equal(
                name,
                (struct mica_text){setting->key, strcspn(setting->key, ".")}))
            return true;
    return false;
}

// The key that was meant: the same name in another table, else the nearest whole key or
// table.
static const char *
key_nearest(struct look *look, struct mica_text table, struct mica_text name)
{
    const char *whole =
        mica_cli_format(look->cli, "%.*s%s%.*s", MICA_ARG(table),
                        table.len > 0 ? "." : "", MICA_ARG(name));
    const char *nearest = NULL;
    size_t best = 4;

    if (table.len == 0 &&
        mica_text_distance(name, mica_text(ENDPOINTS), 2) <= 2)
        return "[" ENDPOINTS ".NAME]";
    if (table.len == 0 && mica_text_distance(name, mica_text(FETCH), 1) <= 1)
        return "[" FETCH "]";
    if (table.len == 0 &&
        mica_text_distance(name, mica_text(PROVIDERS), 2) <= 2)
        return "[" PROVIDERS ".NAME]";

    for (const struct mica_setting *setting = mica_settings;
         setting->key != NULL; setting++) {
        const char *dot = strchr(setting->key, '.');
        const char *last = dot != NULL ? dot + 1 : setting->key;
        size_t distance =
            mica_text_distance(mica_text(whole), mica_text(setting->key), 3);
        if (distance > 3 && mica_text_distance(name, mica_text(last), 2) <= 1)
            distance = 3; // at another place
        if (distance > 3 && dot != NULL && table.len == 0 &&
            mica_text_distance(
                name,
                (struct mica_text){setting->key, (size_t)(dot - setting->key)},
                2) <= 2)
            return mica_cli_format(look->cli, "[%.*s]",
                                   (int)(dot - setting->key), setting->key);
        if (distance < best) {
            best = distance;
            nearest = setting->key;
        }
    }
    return nearest;
}

static bool
holds_secret(struct mica_text name)
{
    static const char *const words[] = {"secret", "password",   "token",
                                        "passwd", "credential", "private_key"};

    for (size_t i = 0; i < MICA_COUNT(words); i++)
        if (memmem(name.ptr, name.len, words[i], strlen(words[i])) != NULL)
            return true;
    return false;
}

static enum mica_status
key_unknown(struct look *look, struct mica_text table,
            const struct mica_toml *value)
{
    struct mica_text name = mica_utf8_cut(value->name, 64);
    const char *nearest = key_nearest(look, table, name);
    const char *dot = table.len > 0 ? "." : "";

    if (nearest != NULL)
        return mica_toml_fault(look->error, MICA_E_UNKNOWN, look->file->text,
                               value->name_offset,
                               "there is no key %.*s%s%.*s; did you mean %s?",
                               MICA_ARG(table), dot, MICA_ARG(name), nearest);
    return mica_toml_fault(
        look->error, MICA_E_UNKNOWN, look->file->text, value->name_offset,
        "there is no key %.*s%s%.*s; %s", MICA_ARG(table), dot, MICA_ARG(name),
        holds_secret(name)
            ? "secrets do not belong into this file, which is read by others"
            : "\"mica config\" lists those there are");
}

// ---- Values ----------------------------------------------------------------------

static enum mica_status
value_wrong(struct look *look, const struct mica_setting *setting,
            const struct mica_toml *value, const char *wanted)
{
    return mica_toml_fault(look->error, MICA_E_TYPE, look->file->text,
                           value->offset, "%s takes %s, not %s", setting->key,
                           wanted, mica_toml_kind_name(value->kind));
}

// A text of the file, as a flag would have it: without NUL, and inside of the folder
// where it is a path.
static enum mica_status
check_text(struct look *look, const struct mica_setting *setting,
           const struct mica_toml *value)
{
    const char *text;
    enum mica_status status = MICA_OK;

    if (memchr(value->text.ptr, '\0', value->text.len) != NULL)
        return mica_toml_fault(look->error, MICA_E_FORMAT, look->file->text,
                               value->offset, "%s takes no U+0000",
                               setting->key);
    text = mica_cli_format(look->cli, "%.*s", MICA_ARG(value->text));
    if (setting->kind == MICA_SETTING_PATH ||
        setting->kind == MICA_SETTING_PATHS)
        status = mica_check_inside(text, look->error);
    if (status == MICA_OK && setting->check != NULL)
        status = setting->check(text, look->error);
    if (status == MICA_OK && setting->kind == MICA_SETTING_STORE &&
        strncmp(text, "sqlite:", 7) == 0)
        status = mica_check_inside(text + 7, look->error);
    if (status == MICA_OK)
        return MICA_OK;
    mica_error_prefix(look->error, "%s", setting->key);
    mica_toml_locate(look->error, look->file->text, value->offset);
    return status;
}

static enum mica_status
check_list(struct look *look, const struct mica_setting *setting,
           const struct mica_toml *value)
{
    if (value->kind != MICA_TOML_ARRAY)
        return value_wrong(look, setting, value, "a list of texts");
    for (const struct mica_toml *item = value->items; item != NULL;
         item = item->next) {
        if (item->kind != MICA_TOML_STRING)
            return value_wrong(look, setting, item, "a list of texts");
        MICA_TRY(check_text(look, setting, item));
    }
    return MICA_OK;
}

static enum mica_status
check_number(struct look *look, const struct mica_setting *setting,
             const struct mica_toml *value)
{
    if (value->kind != MICA_TOML_INTEGER)
        return value_wrong(look, setting, value, "a whole number");
    if (value->integer >= 0 && value->integer <= (int64_t)setting->most)
        return MICA_OK;
    return mica_toml_fault(look->error, MICA_E_RANGE, look->file->text,
                           value->offset, "%s takes 0 to %u, not %lld",
                           setting->key, setting->most,
                           (long long)value->integer);
}

static enum mica_status
check_rules(struct look *look, const struct mica_setting *setting,
            const struct mica_toml *value)
{
    enum mica_status status =
        mica_settings_rules_check(look->cli, setting, value, look->error);

    if (status == MICA_OK)
        return MICA_OK;
    mica_error_prefix(look->error, "%s", setting->key);
    mica_toml_locate(look->error, look->file->text, value->offset);
    return status;
}

static enum mica_status
check_value(struct look *look, const struct mica_setting *setting,
            const struct mica_toml *value)
{
    switch (setting->kind) {
    case MICA_SETTING_TEXT:
    case MICA_SETTING_PATH:
    case MICA_SETTING_STORE:
        return value->kind == MICA_TOML_STRING
                   ? check_text(look, setting, value)
                   : value_wrong(look, setting, value, "a text in quotes");
    case MICA_SETTING_NUMBER:
        return check_number(look, setting, value);
    case MICA_SETTING_SWITCH:
    case MICA_SETTING_REVERSED:
    case MICA_SETTING_ON_OFF:
        return value->kind == MICA_TOML_BOOLEAN
                   ? MICA_OK
                   : value_wrong(look, setting, value, "true or false");
    case MICA_SETTING_LIST:
    case MICA_SETTING_PATHS:
        return check_list(look, setting, value);
    case MICA_SETTING_APP_HOSTS:
        return mica_settings_app_hosts_check(look->cli, setting, value,
                                             look->file->text, look->error);
    case MICA_SETTING_ICONS:
        return mica_server_icons_check(value, look->file->text, look->error);
    case MICA_SETTING_JSON:
        return check_rules(look, setting, value);
    }
    return MICA_OK;
}

// A key of the top level (an empty table) or of a table.
static enum mica_status
take_value(struct look *look, struct mica_text table,
           const struct mica_toml *value)
{
    for (const struct mica_setting *setting = mica_settings;
         setting->key != NULL; setting++) {
        if (!is_key(setting->key, table, value->name))
            continue;
        look->file->values[setting - mica_settings] = value;
        return check_value(look, setting, value);
    }
    return key_unknown(look, table, value);
}

// A table that is no group of settings.
static enum mica_status
take_special(struct look *look, const struct mica_toml *value)
{
    struct mica_settings_file *file = look->file;

    if (mica_text_is(value->name, FETCH))
        return mica_fetch_settings_read(look->cli, value, file->text,
                                        look->error, &file->fetch);
    if (mica_text_is(value->name, PROVIDERS))
        return mica_provider_settings_read(look->cli, value, file->text,
                                           look->error, &file->providers);
    return mica_endpoint_settings_read(look->cli, value, file->text,
                                       look->error, &file->endpoints);
}

static enum mica_status
take_file(struct look *look, const struct mica_toml *root)
{
    const struct mica_text top = {"", 0};

    for (const struct mica_toml *value = root->items; value != NULL;
         value = value->next) {
        bool special = mica_text_is(value->name, ENDPOINTS) ||
                       mica_text_is(value->name, FETCH) ||
                       mica_text_is(value->name, PROVIDERS);
        if (!special && !is_table(value->name)) {
            MICA_TRY(take_value(look, top, value));
            continue;
        }
        if (value->kind != MICA_TOML_TABLE)
            return mica_toml_fault(look->error, MICA_E_TYPE, look->file->text,
                                   value->offset, "%.*s is a table, not %s",
                                   MICA_ARG(value->name),
                                   mica_toml_kind_name(value->kind));
        if (special) {
            MICA_TRY(take_special(look, value));
            continue;
        }
        for (const struct mica_toml *inner = value->items; inner != NULL;
             inner = inner->next)
            MICA_TRY(take_value(look, value->name, inner));
    }
    return MICA_OK;
}

static size_t
setting_count(void)
{
    size_t count = 0;

    while (mica_settings[count].key != NULL)
        count++;
    return count;
}

enum mica_status
mica_settings_read(struct mica_cli *cli, const char *path,
                   struct mica_error *error,
                   struct mica_settings_file *file_out)
{
    struct look look = {.cli = cli, .error = error, .file = file_out};
    struct mica_toml *root;
    enum mica_status status;
    int fd;

    *file_out = (struct mica_settings_file){.path = NULL};
    MICA_TRY(open_file(path, error, &fd));
    if (fd < 0)
        return MICA_OK;
    file_out->path = path;
    file_out->values =
        mica_arena_zero(&cli->arena, setting_count(), sizeof(void *));
    status = mica_trust_read(fd, path, MICA_SETTINGS_BYTES, &cli->arena, error,
                             &file_out->text);
    (void)close(fd);
    if (status != MICA_OK)
        return status;
    if (file_out->values == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    status = mica_toml_read(&cli->arena, file_out->text, error, &root);
    if (status == MICA_OK)
        status = take_file(&look, root);
    if (status != MICA_OK)
        mica_error_prefix(error, "%s", path);
    return status;
}

// ---- Words -------------------------------------------------------------------------

static const char *
word_of(struct mica_cli *cli, const struct mica_toml *value)
{
    switch (value->kind) {
    case MICA_TOML_STRING:
        return mica_cli_format(cli, "%.*s", MICA_ARG(value->text));
    case MICA_TOML_INTEGER:
        return mica_cli_format(cli, "%lld", (long long)value->integer);
    case MICA_TOML_BOOLEAN:
        return value->boolean ? "true" : "false";
    case MICA_TOML_FLOAT:
    case MICA_TOML_ARRAY:
    case MICA_TOML_TABLE:
        break; // no setting takes one
    }
    return "";
}

const char *const *
mica_settings_words(struct mica_cli *cli, const struct mica_setting *setting,
                    const struct mica_toml *value)
{
    static const char *const none[] = {NULL};
    size_t room = value->count + 2;
    const char **words = mica_arena_zero(&cli->arena, room, sizeof *words);
    size_t count = 0;

    if (words == NULL)
        return none;
    if (setting->kind == MICA_SETTING_APP_HOSTS)
        return mica_settings_app_hosts_words(cli, value);
    if (setting->kind == MICA_SETTING_ICONS) {
        words[0] = mica_server_icons_words(cli, value);
        return words;
    }
    if (setting->kind == MICA_SETTING_JSON) {
        words[0] = mica_settings_json(cli, value);
        return words;
    }
    if (value->kind != MICA_TOML_ARRAY) {
        words[0] = word_of(cli, value);
        return words;
    }
    for (const struct mica_toml *item = value->items; item != NULL;
         item = item->next)
        words[count++] = word_of(cli, item);
    return words;
}
