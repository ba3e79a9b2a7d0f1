// SPDX-License-Identifier: Apache-2.0
//
// Scripts with which a shell completes the words of mica, written from the table of
// commands.
#ifndef MICA_CLI_COMMAND_COMPLETIONS_H
#define MICA_CLI_COMMAND_COMPLETIONS_H

#include "cli/cli.h"

// Each adds the script of one shell, for all of `commands` (NULL-ended).
void mica_completions_bash(struct mica_buffer *out,
                           const struct mica_command *const *commands);
void mica_completions_zsh(struct mica_buffer *out,
                          const struct mica_command *const *commands);
void mica_completions_fish(struct mica_buffer *out,
                           const struct mica_command *const *commands);

// Prints what the argument `word` of the tool may become, a line each: a key with "=", or a
// key and a choice. Nothing is built for it. Errors: those of finding the tool.
enum mica_status mica_completions_fields(struct mica_cli *cli, const char *tool,
                                         const char *word,
                                         struct mica_error *error)
    MICA_MUST_USE;

#endif
