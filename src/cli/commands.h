// SPDX-License-Identifier: Apache-2.0
//
// The entries of the commands; each is in the file of its name.
#ifndef MICA_CLI_COMMANDS_H
#define MICA_CLI_COMMANDS_H

#include "cli/cli.h"

extern const struct mica_command mica_command_serve, mica_command_stdio,
    mica_command_list, mica_command_call, mica_command_describe,
    mica_command_new, mica_command_build, mica_command_check,
    mica_command_store, mica_command_calls, mica_command_test,
    mica_command_openapi, mica_command_types, mica_command_install,
    mica_command_doctor, mica_command_pack, mica_command_manifest,
    mica_command_config, mica_command_run, mica_command_dev,
    mica_command_compare, mica_command_completions, mica_command_version,
    mica_command_help, mica_command_health, mica_command_host, mica_command_app,
    mica_command_collection;

// All of them in the order in which a newcomer needs them, NULL-ended.
extern const struct mica_command *const mica_commands[];

#endif
