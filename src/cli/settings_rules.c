// SPDX-License-Identifier: Apache-2.0
//
// Turns [rules] of mica.toml, or its flags, into the JSON that the server reads.
#include "cli/settings_rules.h"

#include <math.h>
#include <string.h>

#include <mica/server.h>

#include "cli/cli_file.h"
#include "serve/rules_file.h"

enum {
    JSON_BYTES = 1 << 20 // of one setting
};

// ---- JSON of TOML ------------------------------------------------------------------

static void
write_toml(struct mica_json_writer *writer, const struct mica_toml *value)
{
    switch (value->kind) {
    case MICA_TOML_STRING:
        mica_json_string(writer, value->text);
        return;
    case MICA_TOML_INTEGER:
        mica_json_integer(writer, value->integer);
        return;
    case MICA_TOML_FLOAT:
        mica_json_number(writer, value->number);
        return;
    case MICA_TOML_BOOLEAN:
        mica_json_boolean(writer, value->boolean);
        return;
    case MICA_TOML_ARRAY:
        mica_json_open_array(writer);
        for (const struct mica_toml *item = value->items; item != NULL;
             item = item->next)
            write_toml(writer, item);
        mica_json_close_array(writer);
        return;
    case MICA_TOML_TABLE:
        mica_json_open_object(writer);
        for (const struct mica_toml *item = value->items; item != NULL;
             item = item->next) {
            mica_json_name_text(writer, item->name);
            write_toml(writer, item);
        }
        mica_json_close_object(writer);
        return;
    }
}

const char *
mica_settings_json(struct mica_cli *cli, const struct mica_toml *value)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, JSON_BYTES);
    mica_json_writer_init(&writer, &text);
    write_toml(&writer, value);
    mica_buffer_char(&text, '\0');
    return text.overflow ? NULL : text.ptr;
}

// ---- Checking ----------------------------------------------------------------------

// TOML has numbers that JSON has not: nan and inf.
static bool
toml_is_finite(const struct mica_toml *value)
{
    if (value->kind == MICA_TOML_FLOAT)
        return isfinite(value->number) != 0;
    if (value->kind != MICA_TOML_ARRAY && value->kind != MICA_TOML_TABLE)
        return true;
    for (const struct mica_toml *item = value->items; item != NULL;
         item = item->next)
        if (!toml_is_finite(item))
            return false;
    return true;
}

// "limits" of "rules.limits".
static const char *
member_of(const struct mica_setting *setting)
{
    return strchr(setting->key, '.') + 1;
}

enum mica_status
mica_settings_rules_check(struct mica_cli *cli,
                          const struct mica_setting *setting,
                          const struct mica_toml *value,
                          struct mica_error *error)
{
    const char *json, *whole;
    struct mica_rules_file file;

    if (!toml_is_finite(value))
        return mica_error_set(error, MICA_E_RANGE, "",
                              "nan and inf are no numbers of a rule");
    json = mica_settings_json(cli, value);
    if (json == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "it is too large");
    whole = mica_cli_format(cli, "{\"%s\":%s}", member_of(setting), json);
    MICA_TRY(
        mica_rules_file_decode(mica_text(whole), &cli->arena, error, &file));
    return file.has_audit
               ? mica_check_inside(
                     mica_cli_format(cli, "%.*s", MICA_ARG(file.audit.file)),
                     error)
               : MICA_OK;
}

// ---- Use ---------------------------------------------------------------------------

// From any thread of the server, so not by way of the command's buffers.
static void
rules_warn(void *user, const char *text)
{
    (void)user;
    mica_cli_tell("mica: %s\n", text);
}

// The rules that are settings of their own, as one JSON object; empty without any.
static struct mica_text
rules_of(struct mica_cli *cli, const struct mica_options *options)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &cli->arena, JSON_BYTES);
    for (const struct mica_setting *setting = mica_settings;
         setting->key != NULL; setting++) {
        const char *json = setting->kind == MICA_SETTING_JSON
                               ? mica_options_value(options, setting->flag.name)
                               : NULL;
        if (json != NULL)
            mica_buffer_format(&text, "%s\"%s\":%s", text.len == 0 ? "{" : ",",
                               member_of(setting), json);
    }
    if (text.len > 0)
        mica_buffer_char(&text, '}');
    return mica_buffer_as_text(&text);
}

enum mica_status
mica_cli_use_rules(struct mica_cli *cli, const struct mica_options *options,
                   struct mica_server *server, struct mica_error *error)
{
    const char *path = mica_options_value(options, "rules");
    struct mica_text rules = rules_of(cli, options);

    if (path != NULL && rules.len > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "rules.file names a file that holds all rules; "
                              "leave it out, or the other keys of [rules]");
    if (path != NULL)
        return mica_server_use_rules(server, path, rules_warn, NULL, error);
    return rules.len == 0 ? MICA_OK
                          : mica_server_use_rules_text(server, rules, "[rules]",
                                                       rules_warn, NULL, error);
}
