// SPDX-License-Identifier: Apache-2.0
//
// What a change does to a text, shown to a person before it is made.
#ifndef MICA_CLI_DIFFERENCE_H
#define MICA_CLI_DIFFERENCE_H

#include "cli/cli.h"

// The lines that differ on stderr, with a few around them; as diff -u shows one
// place. Texts may be empty.
void mica_cli_difference(struct mica_cli *cli, const char *pathz,
                         struct mica_text before, struct mica_text after);

#endif
