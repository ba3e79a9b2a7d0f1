// SPDX-License-Identifier: Apache-2.0
//
// Scripts with which a shell completes the words of mica, written from the table of
// commands.
#ifndef MICA_CLI_COMPLETIONS_H
#define MICA_CLI_COMPLETIONS_H

#include "cli/cli.h"

void mica_completions_bash(struct mica_buffer *out);
void mica_completions_zsh(struct mica_buffer *out);
void mica_completions_fish(struct mica_buffer *out);

// What the value of an option is, by its placeholder.
enum mica_completed {
    MICA_COMPLETED_NOTHING, // no value, or one that only its user knows
    MICA_COMPLETED_FILE,
    MICA_COMPLETED_FOLDER,
    MICA_COMPLETED_CHOICES // "a|b|c": the placeholder
};

enum mica_completed mica_completes(const struct mica_option *option);

// Adds "a|b|c" with `between` instead of each bar.
void mica_completions_choices(struct mica_buffer *out, const char *choicesz,
                              char between);

#endif
