// SPDX-License-Identifier: Apache-2.0
//
// mica openapi: what "mica serve" has at /openapi.json, without a server.
#include "build/files.h"
#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/commands.h"
#include "cli/server_identity.h"
#include "rest/rest.h"

// In one step, and through no link that leads out of the project.
static enum mica_status
write_file(struct mica_cli *cli, const char *path, struct mica_text text,
           struct mica_error *error)
{
    struct mica_cli_file file;

    MICA_TRY(mica_path_inside(path, error));
    MICA_TRY(mica_cli_file_look(cli, path, error, &file));
    return mica_cli_file_replace(cli, &file, text, false, error);
}

// For people, one thing on each line.
static enum mica_status
openapi_indent(struct mica_cli *cli, struct mica_text document,
               struct mica_error *error, struct mica_buffer *pretty)
{
    struct mica_json_limits limits = {.bytes = SIZE_MAX / 2, .depth = 512};
    struct mica_json value;

    MICA_TRY(mica_json_read(&cli->arena, document, &limits, error, &value));
    mica_json_pretty(pretty, &value);
    mica_buffer_char(pretty, '\n');
    return pretty->overflow
               ? mica_error_set(error, MICA_E_LIMIT, "", "no memory")
               : MICA_OK;
}

static enum mica_status
openapi_run(struct mica_cli *cli, const struct mica_options *options,
            struct mica_error *error)
{
    const struct mica_openapi how = {.url = mica_options_value(options, "url"),
                                     .secured =
                                         mica_options_has(options, "secured")};
    const char *output = mica_options_value(options, "output");
    struct mica_buffer document, pretty;
    struct mica_server *server;
    enum mica_status status;

    if (options->word_count > 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "openapi takes no \"%s\"; a file goes behind "
                              "--output",
                              options->words[0]);
    MICA_TRY(mica_cli_catalog_open(cli, options, error, &server));
    mica_buffer_init(&document, &cli->arena, SIZE_MAX / 2);
    mica_buffer_init(&pretty, &cli->arena, SIZE_MAX / 2);
    mica_openapi_write(server->registry.main, &how, &document);
    status =
        openapi_indent(cli, mica_buffer_as_text(&document), error, &pretty);
    mica_server_close(&server);
    if (status == MICA_OK && output != NULL)
        status = write_file(cli, output, mica_buffer_as_text(&pretty), error);
    else if (status == MICA_OK)
        mica_cli_json(cli, mica_buffer_as_text(&pretty));
    return status;
}

static const struct mica_option options[] = {
    {"output", MICA_OPTION_VALUE, "FILE", "write it there, not to stdout"},
    {"url", MICA_OPTION_VALUE, "URL",
     "where the server is (default: where the document was found)"},
    {"secured", MICA_OPTION_SWITCH, NULL,
     "the server asks for access tokens (serve --auth)"},
    MICA_JSON_ANYWAY_OPTION,
    MICA_IDENTITY_OPTIONS,
    MICA_ENGINES_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_openapi = {
    .name = "openapi",
    .group = MICA_GROUP_PUBLISHING,
    .summary = "Write the OpenAPI document of the tools",
    .usage = "[--output FILE] [--url URL] [--engines DIR]",
    .example = "mica openapi --output openapi.json",
    .more = "The document describes what \"mica serve\" answers below /api; "
            "a server has its own at /openapi.json.",
    .options = options,
    .settings = true,
    .run = openapi_run};
