// SPDX-License-Identifier: Apache-2.0
//
// The engines that are linked into the mica program. The build writes the table
// from the engines of the repository.
#ifndef MICA_CLI_BUILTIN_H
#define MICA_CLI_BUILTIN_H

#include "sandbox/translated.h"

extern const struct mica_translated *const mica_builtin_engines[];
extern const size_t mica_builtin_count;

#endif
