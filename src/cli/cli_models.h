// SPDX-License-Identifier: Apache-2.0
//
// The language models of a server that a command starts.
#ifndef MICA_CLI_CLI_MODELS_H
#define MICA_CLI_CLI_MODELS_H

#include "cli/cli.h"

struct mica_server;

// With --models: lets the server call the providers of mica.toml. Without: says that it
// does not, if the file names some. Errors: MICA_E_USAGE (--models without a provider),
// those of mica_settings_read and mica_models_open.
enum mica_status mica_cli_use_models(struct mica_cli *cli,
                                     const struct mica_options *options,
                                     struct mica_server *server,
                                     struct mica_error *error) MICA_MUST_USE;

#endif
