// SPDX-License-Identifier: Apache-2.0
//
// The table of commands. A command is added by a file with its entry, and a line here.
// Commands reach the table by cli->commands, for it needs all of them.
#include "cli/commands.h"

const struct mica_command *const mica_commands[] = {&mica_command_serve,
                                                    &mica_command_stdio,
                                                    &mica_command_list,
                                                    &mica_command_call,
                                                    &mica_command_describe,
                                                    &mica_command_new,
                                                    &mica_command_build,
                                                    &mica_command_check,
                                                    &mica_command_test,
                                                    &mica_command_dev,
                                                    &mica_command_host,
                                                    &mica_command_run,
                                                    &mica_command_compare,
                                                    &mica_command_types,
                                                    &mica_command_openapi,
                                                    &mica_command_manifest,
                                                    &mica_command_install,
                                                    &mica_command_pack,
                                                    &mica_command_doctor,
                                                    &mica_command_health,
                                                    &mica_command_config,
                                                    &mica_command_store,
                                                    &mica_command_calls,
                                                    &mica_command_app,
                                                    &mica_command_collection,
                                                    &mica_command_completions,
                                                    &mica_command_version,
                                                    &mica_command_help,
                                                    NULL};
