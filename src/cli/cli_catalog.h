// SPDX-License-Identifier: Apache-2.0
//
// The tools a command works on: built folders that were named, the engines and
// tools of this folder (built first when they have changed), or the engines
// inside mica.
#ifndef MICA_CLI_CATALOG_H
#define MICA_CLI_CATALOG_H

#include "cli/cli.h"
#include "server/server.h"

// For the options table of a command that uses the catalog.
#define MICA_ENGINES_OPTION                                           \
    {"engines", MICA_OPTION_VALUE, "DIR",                             \
     "use the built engines of DIR (default: ./engines, built when "  \
     "they have changed; else those inside mica)"},                   \
    {                                                                 \
        "tools", MICA_OPTION_VALUE, "DIR",                            \
            "use the built interactive tools of DIR (default: those " \
            "of ./tools, built when they have changed)"               \
    }

// For a command that is started by others, from wherever they are.
#define MICA_PLACE_OPTIONS                                                 \
    {"project", MICA_OPTION_VALUE, "DIR",                                  \
     "work in DIR, as if mica had been started there"},                    \
    {                                                                      \
        "built-in", MICA_OPTION_SWITCH, NULL,                              \
            "use the engines inside mica, whatever there is in the folder" \
    }

// For a command that serves over HTTP.
#define MICA_BASE_OPTIONS                                                   \
    {"base-path", MICA_OPTION_VALUE, "PATH",                                \
     "answer under PATH, too: with /tools/x at /tools/x/mcp, and in the "   \
     "addresses that are written; for a proxy"},                            \
    {                                                                       \
        "public-url", MICA_OPTION_VALUE, "URL",                             \
            "where clients reach the server through a proxy, like "         \
            "https://example.org/tools/x: the start of the addresses that " \
            "are written, and the default of --base-path"                   \
    }

// For a command that serves.
#define MICA_RESOURCES_OPTION                                             \
    {                                                                     \
        "resources", MICA_OPTION_REPEAT, "DIR",                           \
            "serve the files of DIR as resources, too, and tell clients " \
            "when they change; hidden ones and links are left out"        \
    }

// For a command that serves over HTTP.
#define MICA_LOG_OPTIONS                                                     \
    {"log", MICA_OPTION_VALUE, "text|json|off",                              \
     "how a line for each request is written to stderr (default: text on a " \
     "terminal, JSON elsewhere); off writes none"},                          \
    {                                                                        \
        "quiet", MICA_OPTION_SWITCH, NULL, "the same as --log off"           \
    }

#define MICA_RULES_OPTIONS                                                     \
    {"rules", MICA_OPTION_VALUE, "FILE",                                       \
     "limit, allow, deny, rename and record calls as FILE says it"},           \
        {"rule-limits", MICA_OPTION_VALUE, "JSON",                             \
         "how often a tool may be called"},                                    \
        {"rule-access", MICA_OPTION_VALUE, "JSON", "who may use which tools"}, \
        {"rule-names", MICA_OPTION_VALUE, "JSON",                              \
         "the names of tools that clients see"},                               \
        {"rule-audit", MICA_OPTION_VALUE, "JSON", "the log of calls"},         \
    {                                                                          \
        "rule-cache", MICA_OPTION_VALUE, "JSON",                               \
            "the engines whose results are kept"                               \
    }

// The same, of tools that ask.
#define MICA_SAMPLING_OPTION                                            \
    {                                                                   \
        "sampler", MICA_OPTION_VALUE, "'CMD'",                          \
            "a command that answers in place of the model of a caller " \
            "from a page or by REST: it reads the params of "           \
            "sampling/createMessage as JSON and prints words; without " \
            "it, and when it fails, the caller answers"                 \
    }

// Goes to the folder of --project. Errors: MICA_E_NOT_FOUND, MICA_E_USAGE (--built-in
// and a folder of tools).
enum mica_status mica_cli_catalog_place(const struct mica_options *options,
                                        struct mica_error *error) MICA_MUST_USE;

// To be looked at, not to be called. Owner: mica_server_close.
enum mica_status
mica_cli_catalog_open(struct mica_cli *cli, const struct mica_options *options,
                      struct mica_error *error, struct mica_server **server_out)
    MICA_MUST_USE;

// The same for a command that serves: with the folders of --resources.
// Owner: mica_server_close.
enum mica_status mica_cli_catalog_open_served(
    struct mica_cli *cli, const struct mica_options *options,
    struct mica_error *error, struct mica_server **server_out) MICA_MUST_USE;

// For one tool, by whatever means it (cli/find.h): of the sources of this folder no
// other is built. `tool_out` lives as long as the server. Errors: also those of
// mica_find_here and mica_find_name.
enum mica_status mica_cli_catalog_open_tool(
    struct mica_cli *cli, const struct mica_options *options, const char *word,
    struct mica_error *error, struct mica_server **server_out,
    const struct mica_definition **tool_out) MICA_MUST_USE;

// The same of what is built already, to be looked at: builds nothing and asks no person, for a
// person waits for the next letter. Errors: also those of loading.
enum mica_status mica_cli_catalog_open_built(
    struct mica_cli *cli, const char *word, struct mica_error *error,
    struct mica_server **server_out, const struct mica_definition **tool_out)
    MICA_MUST_USE;

// Another tool of the server opened by mica_cli_catalog_open_tool, which one that
// runs invokes: built and loaded now unless it is there. `tool_out` lives as long
// as the server. Errors: MICA_E_NOT_FOUND, and what comes of building and loading.
enum mica_status mica_cli_catalog_find_tool(
    struct mica_cli *cli, const struct mica_options *options,
    struct mica_text name, struct mica_server *server, struct mica_error *error,
    const struct mica_definition **tool_out) MICA_MUST_USE;

#endif
