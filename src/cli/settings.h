// SPDX-License-Identifier: Apache-2.0
//
// What can be set for the commands that serve: each setting is a key of mica.toml, a
// flag and a variable of the environment. A flag counts before the environment, that
// before the file, and the file before the default. The commands see one list of
// options, in which each value knows where it came from.
#ifndef MICA_CLI_SETTINGS_H
#define MICA_CLI_SETTINGS_H

#include "cli/cli.h"
#include "toml/toml.h"

#define MICA_SETTINGS_FILE "mica.toml"

enum {
    MICA_SETTINGS_BYTES = 64 << 10 // of that file
};

// What a value is. In the file it is a text, a number, true or false, or a list; a flag
// and a variable write it as words.
enum mica_setting_kind {
    MICA_SETTING_TEXT,
    MICA_SETTING_PATH, // of a file, which the settings file names only inside its folder
    MICA_SETTING_STORE,  // "memory", "sqlite" or "sqlite:PATH"; PATH as above
    MICA_SETTING_NUMBER, // 0 to `most`
    MICA_SETTING_SWITCH,
    MICA_SETTING_REVERSED, // a switch whose flag says that it is off: --no-pages
    MICA_SETTING_ON_OFF,   // a switch whose flag takes "on" or "off"
    MICA_SETTING_LIST,     // of texts; in a variable with blanks between them
    MICA_SETTING_PATHS,    // the same of folders, as MICA_SETTING_PATH
    // Host names and the slugs of their apps: a table; each a word NAME=SLUG elsewhere.
    MICA_SETTING_APP_HOSTS,
    MICA_SETTING_ICONS, // texts or tables (cli/server_icons.h)
    MICA_SETTING_JSON // a list or a table; a flag and a variable have it as JSON
};

struct mica_setting {
    const char *key; // "title", "http.listen": the variable is MICA_HTTP_LISTEN
    enum mica_setting_kind kind;
    struct mica_option flag;
    // What holds without a value, as a word; NULL: nothing. Ask mica_setting_fallback.
    const char *fallback;
    unsigned most; // NUMBER
    // Is it a value that the setting takes? NULL: any is. Errors: its own.
    enum mica_status (*check)(const char *value, struct mica_error *error);
};

// All of them in the order of the documents; a key of NULL ends the table.
extern const struct mica_setting mica_settings[];

// The options of `mica config`: every flag, and its own.
extern const struct mica_option mica_settings_flags[];

// What models are told of a server whose settings say nothing.
#define MICA_DEFAULT_INSTRUCTIONS                                             \
    "Most tools are pure functions: the same arguments always give the same " \
    "result, and nothing else is read or changed. A tool that is not "        \
    "read-only says so, and some ask before they do something."

// "MICA_HTTP_LISTEN", in the arena.
const char *mica_setting_variable(struct mica_cli *cli,
                                  const struct mica_setting *setting);

// What holds where a setting has no value, as a word; NULL: nothing. What mica says of its
// own tools does not hold for those of a project.
const char *mica_setting_fallback(const struct mica_setting *setting,
                                  const struct mica_options *options);

// The settings file as it was read: `values` has one for each setting, or NULL.
struct mica_settings_file {
    const char *path; // NULL: the folder has no such file
    struct mica_text text;
    const struct mica_toml **values;
    const struct mica_endpoint_settings *endpoints; // or NULL
    const struct mica_fetch_settings *fetch;        // or NULL
    const struct mica_provider_settings *providers; // or NULL
};

// Reads and checks a settings file. A file that is not there has no values. Errors:
// MICA_E_TRUST (others may write it, or it is a link that leads out), MICA_E_IO,
// MICA_E_LIMIT, those of mica_toml_read, MICA_E_UNKNOWN, MICA_E_TYPE, MICA_E_RANGE and
// those of a value's check; with the file, line and column.
enum mica_status mica_settings_read(struct mica_cli *cli, const char *path,
                                    struct mica_error *error,
                                    struct mica_settings_file *file_out)
    MICA_MUST_USE;

// The value of a setting in the file as words: NULL-ended, none for an empty list.
// In the arena.
const char *const *mica_settings_words(struct mica_cli *cli,
                                       const struct mica_setting *setting,
                                       const struct mica_toml *value);

// Changes to the folder of --project, and adds to `options` what no flag gives and the
// environment or the settings file there does. With --built-in the file is not read.
// Errors: as mica_settings_read and mica_cli_catalog_place.
enum mica_status mica_settings_apply(struct mica_cli *cli,
                                     struct mica_options *options,
                                     struct mica_error *error) MICA_MUST_USE;

// The same with a file that was read elsewhere.
enum mica_status mica_settings_merge(struct mica_cli *cli,
                                     const struct mica_settings_file *file,
                                     struct mica_options *options,
                                     struct mica_error *error) MICA_MUST_USE;

// Fails when a file that the settings file names (auth.file, rules.file) names something
// outside of the folder: another file, or a variable of the environment. Error:
// MICA_E_TRUST.
enum mica_status mica_settings_check_named(struct mica_cli *cli,
                                           const struct mica_options *options,
                                           struct mica_error *error)
    MICA_MUST_USE;

// Says on stderr which variables of the environment begin as those of a table do
// (MICA_HTTP_…) and belong to no setting.
void mica_settings_tell_variables(struct mica_cli *cli);

// Says on stderr by which keys of the file a server can be reached, or called, by
// others than the programs and pages of this machine.
void mica_settings_tell(struct mica_cli *cli,
                        const struct mica_options *options);

// ---- Checks of values (settings_check.c) -----------------------------------------

enum mica_status mica_check_name(const char *value, struct mica_error *error);
enum mica_status mica_check_title(const char *value, struct mica_error *error);
enum mica_status mica_check_version(const char *value,
                                    struct mica_error *error);
enum mica_status mica_check_words(const char *value, struct mica_error *error);
enum mica_status mica_check_instructions(const char *value,
                                         struct mica_error *error);
enum mica_status mica_check_website(const char *value,
                                    struct mica_error *error);
enum mica_status mica_check_listen(const char *value, struct mica_error *error);
enum mica_status mica_check_metrics(const char *value,
                                    struct mica_error *error);
enum mica_status mica_check_base_path(const char *value,
                                      struct mica_error *error);
enum mica_status mica_check_public_url(const char *value,
                                       struct mica_error *error);
enum mica_status mica_check_proxy(const char *value, struct mica_error *error);
enum mica_status mica_check_app_host(const char *value,
                                     struct mica_error *error);
enum mica_status mica_check_log(const char *value, struct mica_error *error);
enum mica_status mica_check_store(const char *value, struct mica_error *error);

// Fails unless the path stays inside the current folder, as one in the file must.
enum mica_status mica_check_inside(const char *path, struct mica_error *error)
    MICA_MUST_USE;

#endif
