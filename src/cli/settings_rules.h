// SPDX-License-Identifier: Apache-2.0
//
// The rules between requests and tools as settings: rules.limits, rules.access,
// rules.names, rules.audit and rules.cache of mica.toml, each as JSON in its flag and its variable;
// or all of them in the file that rules.file names (docs/rules.md).
#ifndef MICA_CLI_SETTINGS_RULES_H
#define MICA_CLI_SETTINGS_RULES_H

#include "cli/settings.h"

// The value of a setting of the kind MICA_SETTING_JSON as JSON text, in the arena; NULL
// without memory.
const char *mica_settings_json(struct mica_cli *cli,
                               const struct mica_toml *value);

// Checks a value of mica.toml; an audit log stays inside the folder of the project.
// Errors: those of mica_server_use_rules_text, MICA_E_TRUST.
enum mica_status mica_settings_rules_check(struct mica_cli *cli,
                                           const struct mica_setting *setting,
                                           const struct mica_toml *value,
                                           struct mica_error *error)
    MICA_MUST_USE;

// Applies the rules of `options` to a server that has its tools. Errors: as
// mica_server_use_rules and mica_server_use_rules_text; MICA_E_USAGE (a file, and rules
// beside it).
enum mica_status mica_cli_use_rules(struct mica_cli *cli,
                                    const struct mica_options *options,
                                    struct mica_server *server,
                                    struct mica_error *error) MICA_MUST_USE;

#endif
