// SPDX-License-Identifier: Apache-2.0
//
// mica host: mica serve with the page that hosts views, whose address it prints.
#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/cli_keep.h"
#include "cli/commands.h"
#include "cli/identity.h"
#include "cli/server_identity.h"
#include "cli/settings_providers.h"
#include "cli/settings_rules.h"

// Its options are those of serve, and one more.
static enum mica_status
host_run(struct mica_cli *cli, const struct mica_options *options,
         struct mica_error *error)
{
    static const struct mica_option page = {.name = "host-page",
                                            .kind = MICA_OPTION_TOGGLE};
    struct mica_options all = *options;
    struct mica_given *given =
        mica_arena_zero(&cli->arena, options->given_count + 1, sizeof *given);

    if (given == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < options->given_count; i++)
        given[i] = options->given[i];
    given[all.given_count++] =
        (struct mica_given){.option = &page, .by = MICA_BY_FLAG};
    all.given = given;
    // By the table: serve looks in turn whether it is this command that runs.
    return mica_command_find(cli, mica_text("serve"))->run(cli, &all, error);
}

static const struct mica_option options[] = {
    {"listen", MICA_OPTION_VALUE, "HOST:PORT",
     "where to listen (default 127.0.0.1:8080); port 0 takes a free one, which "
     "is printed"},
    MICA_IDENTITY_OPTIONS,
    MICA_FORM_VIEWS_OPTION,
    {"auth", MICA_OPTION_VALUE, "FILE",
     "let in only callers that have an access token of an issuer that FILE "
     "names; the page calls as the person who is signed in"},
    MICA_RULES_OPTIONS,
    {"store", MICA_OPTION_VALUE, "memory|sqlite[:PATH]",
     "where sessions and calls are kept (default: a file of the project in "
     "the user's state folder, opened when it is first needed)"},
    MICA_KEEP_CLI_OPTIONS,
    MICA_LOG_OPTIONS,
    MICA_ENGINES_OPTION,
    MICA_PLACE_OPTIONS,
    MICA_RESOURCES_OPTION,
    MICA_SAMPLING_OPTION,
    MICA_MODELS_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_host = {
    .name = "host",
    .group = MICA_GROUP_SERVING,
    .summary = "Serve the tools, and a page that shows their views",
    .usage = "[--listen HOST:PORT] [options]",
    .example = "mica host",
    .more =
        "Prints the address of the page on stdout once it listens. The page "
        "calls tools by hand, shows views (MCP Apps) side by side and asks "
        "before a view does something; it opens in browsers on this machine "
        "alone. \"mica serve --host-page\" has the page beside all else, "
        "and \"mica dev\" always has it.",
    .options = options,
    .settings = true,
    .run = host_run};
