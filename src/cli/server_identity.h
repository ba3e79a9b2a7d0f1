// SPDX-License-Identifier: Apache-2.0
//
// Who a server says it is, from the settings (cli/settings.h).
#ifndef MICA_CLI_SERVER_IDENTITY_H
#define MICA_CLI_SERVER_IDENTITY_H

#include "cli/cli.h"

// For the options table of a command that shows a server.
#define MICA_IDENTITY_OPTIONS                                               \
    {"name", MICA_OPTION_VALUE, "NAME",                                     \
     "the server's name for programs (default mica)"},                      \
        {"title", MICA_OPTION_VALUE, "TEXT",                                \
         "its name for people (default the name)"},                         \
        {"version", MICA_OPTION_VALUE, "TEXT",                              \
         "its version (default that of mica)"},                             \
        {"description", MICA_OPTION_VALUE, "TEXT",                          \
         "what it is for, in a sentence"},                                  \
        {"instructions", MICA_OPTION_VALUE, "TEXT",                         \
         "for the model of a client, on how the tools go together"},        \
        {"website", MICA_OPTION_VALUE, "URL",                               \
         "where people read more about it"},                                \
    {                                                                       \
        "icons", MICA_OPTION_VALUE, "'SRC …'",                              \
            "its icons: files of this folder, or https:// addresses, with " \
            "blanks between them"                                           \
    }

// For the options table of a command that serves.
#define MICA_FORM_VIEWS_OPTION                                           \
    {                                                                    \
        "form-views", MICA_OPTION_TOGGLE, NULL,                          \
            "name the view of a form in its question, for clients that " \
            "answer with views (a draft of MCP Apps)"                    \
    }

// Fills in name, version, whether forms may have views, and the rest. Texts live as long as the command. Errors: those
// of the checks of settings and of icons.
enum mica_status mica_server_identity(struct mica_cli *cli,
                                      const struct mica_options *options,
                                      struct mica_error *error,
                                      struct mica_server_options *server_out)
    MICA_MUST_USE;

// A name as the configuration of a client takes it: other characters than A-Z, a-z, 0-9,
// "_" and "-" become "-". In the arena.
const char *mica_server_slug(struct mica_cli *cli, const char *name);

#endif
