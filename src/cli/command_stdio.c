// SPDX-License-Identifier: Apache-2.0
//
// mica stdio: the tools over stdin and stdout, for a client that starts it.
#include "cli/cli_catalog.h"
#include "cli/cli_keep.h"
#include "cli/commands.h"
#include "cli/fetch_notice.h"
#include "cli/prepare.h"
#include "cli/reloader.h"
#include "cli/server_identity.h"
#include "cli/settings_providers.h"
#include "cli/settings_rules.h"

// What has to be built is built meanwhile, and swapped in by the reloader.
static enum mica_status
stdio_serve(struct mica_cli *cli, const struct mica_options *options,
            const struct mica_stdio_options *stdio, struct mica_server *server,
            struct mica_error *error)
{
    struct mica_reloader *reloader = NULL;
    enum mica_status status = mica_cli_use_rules(cli, options, server, error);

    if (status == MICA_OK)
        mica_fetch_notice(cli, server);
    if (status == MICA_OK)
        status = mica_reloader_start(cli, options, server, error, &reloader);
    if (status == MICA_OK)
        status = mica_server_serve_stdio(server, stdio, error);
    mica_preparation_end(cli->preparation); // it uses the reloader
    mica_reloader_stop(&reloader);
    // A handler that did not end still uses the server: the process goes first.
    if (status != MICA_E_TIMEOUT)
        mica_server_close(&server);
    return status;
}

static enum mica_status
stdio_run(struct mica_cli *cli, const struct mica_options *options,
          struct mica_error *error)
{
    const struct mica_stdio_options stdio = {
        .metrics = mica_options_value(options, "metrics")};
    struct mica_options piped = *options;
    struct mica_server *server;
    enum mica_status status;

    piped.endpoints = NULL; // a pipe has the one of /mcp
    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "stdio takes no \"%s\"; messages come on stdin",
                              options->words[0]);
    MICA_TRY(mica_preparation_open(&cli->preparation, error));
    status = mica_cli_catalog_open_served(cli, options, error, &server);
    if (status == MICA_OK)
        status = stdio_serve(cli, &piped, &stdio, server, error);
    mica_preparation_close(&cli->preparation);
    return status;
}

static const struct mica_option options[] = {
    MICA_ENGINES_OPTION,
    MICA_PLACE_OPTIONS,
    MICA_IDENTITY_OPTIONS,
    MICA_FORM_VIEWS_OPTION,
    MICA_RESOURCES_OPTION,
    MICA_RULES_OPTIONS,
    MICA_KEEP_CLI_OPTIONS,
    MICA_MODELS_OPTION,
    {"metrics", MICA_OPTION_VALUE, "HOST:PORT",
     "serve /metrics for Prometheus there, on the loopback only; one process at "
     "an address"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_stdio = {
    .name = "stdio",
    .group = MICA_GROUP_SERVING,
    .summary = "Serve the tools over stdin and stdout",
    .usage = "[--project DIR | --built-in] [--resources DIR] [options]",
    .example = "{\"mcpServers\": {\"mica\": {\"command\": \"mica\", \"args\": "
               "[\"stdio\"]}}}",
    .more =
        "For a client that starts its servers itself; \"mica install\" puts it into "
        "a client's configuration, or copy the example. One JSON-RPC message a line; it ends when "
        "stdin does, or the client.",
    .options = options,
    .settings = true,
    .run = stdio_run};
