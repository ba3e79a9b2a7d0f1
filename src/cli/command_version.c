// SPDX-License-Identifier: Apache-2.0
//
// mica version: which mica this is, and what it speaks.
#include "cli/commands.h"
#include "protocol/revision.h"

static enum mica_status
version_run(struct mica_cli *cli, const struct mica_options *options,
            struct mica_error *error)
{
    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "", "version takes no name");
    if (!mica_cli_wants_json(options)) {
        mica_cli_print(cli, "mica %s\nModel Context Protocol", MICA_VERSION);
        for (unsigned i = MICA_REVISION_COUNT; i > 0; i--)
            mica_cli_print(
                cli, "%s %s", i < MICA_REVISION_COUNT ? "," : "",
                mica_revision_features((enum mica_revision)(i - 1))->version);
        mica_cli_print(cli, "\n");
        return MICA_OK;
    }
    mica_cli_print(cli, "{\"version\":\"%s\",\"protocolVersions\":[",
                   MICA_VERSION);
    for (unsigned i = MICA_REVISION_COUNT; i > 0; i--)
        mica_cli_print(
            cli, "%s\"%s\"", i < MICA_REVISION_COUNT ? "," : "",
            mica_revision_features((enum mica_revision)(i - 1))->version);
    mica_cli_print(cli, "]}\n");
    return MICA_OK;
}

static const struct mica_option options[] = {
    MICA_JSON_OPTION, {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_version = {.name = "version",
                                                  .summary =
                                                      "Say which mica this is",
                                                  .usage = "[--json]",
                                                  .example = "mica version",
                                                  .options = options,
                                                  .run = version_run};
