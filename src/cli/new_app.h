// SPDX-License-Identifier: Apache-2.0
//
// A published app of a project, for `mica new --template app NAME`.
#ifndef MICA_CLI_NEW_APP_H
#define MICA_CLI_NEW_APP_H

#include "cli/cli.h"
#include "cli/options.h"

// Writes apps/SLUG.json, an app that can be published as it is, and prints its path.
// Errors: MICA_E_USAGE (the name is no slug), MICA_E_EXISTS, MICA_E_IO, MICA_E_LIMIT.
enum mica_status mica_new_app(struct mica_cli *cli,
                              const struct mica_options *options,
                              const char *slug, struct mica_error *error)
    MICA_MUST_USE;

#endif
