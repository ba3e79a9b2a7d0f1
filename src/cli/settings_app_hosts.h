// SPDX-License-Identifier: Apache-2.0
//
// Host names of apps (apps.hosts) as a setting: a table in the file, words elsewhere.
#ifndef MICA_CLI_SETTINGS_APP_HOSTS_H
#define MICA_CLI_SETTINGS_APP_HOSTS_H

#include "cli/settings.h"

// Checks the value of the file whose text is `text`. Errors: those of mica_app_hosts_read and
// MICA_E_TYPE, with line and column of the name or the value that is wrong.
enum mica_status mica_settings_app_hosts_check(
    struct mica_cli *cli, const struct mica_setting *setting,
    const struct mica_toml *value, struct mica_text text,
    struct mica_error *error) MICA_MUST_USE;

// The same value as words NAME=SLUG, NULL-ended; in the arena.
const char *const *mica_settings_app_hosts_words(struct mica_cli *cli,
                                                 const struct mica_toml *value);

#endif
