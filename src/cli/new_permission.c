// SPDX-License-Identifier: Apache-2.0
//
// See new_permission.h.
#include "cli/new_permission.h"

#include <string.h>

#include "build/files.h"
#include "cli/new_file.h"
#include "cli/settings.h"
#include "cli/settings_fetch.h"
#include "cli/templates.h"

static bool
is_listed(const char *const *origins, const char *origin)
{
    for (; origins != NULL && *origins != NULL; origins++)
        if (strcmp(*origins, origin) == 0)
            return true;
    return false;
}

// A file with a fault allows nothing yet.
static bool
is_allowed(struct mica_cli *cli, const char *origin, bool *has_table_out)
{
    struct mica_settings_file file;
    struct mica_error error;

    *has_table_out = false;
    if (mica_settings_read(cli, MICA_SETTINGS_FILE, &error, &file) != MICA_OK ||
        file.fetch == NULL)
        return false;
    *has_table_out = true;
    return is_listed(file.fetch->options.allow, origin) ||
           is_listed(file.fetch->options.is_private, origin);
}

enum mica_status
mica_new_permission(struct mica_cli *cli, const char *origin,
                    struct mica_error *error, const char **made_out)
{
    bool has_table;

    *made_out = NULL;
    if (!mica_file_exists(MICA_SETTINGS_FILE)) {
        *made_out = MICA_SETTINGS_FILE;
        return mica_new_write(MICA_SETTINGS_FILE,
                              mica_text(mica_template_text("fetch.toml")),
                              error);
    }
    if (is_allowed(cli, origin, &has_table))
        return MICA_OK;
    mica_cli_flush(cli);
    if (has_table)
        mica_cli_note(cli,
                      "To let it fetch, add \"%s\" to allow in the table "
                      "[fetch] of " MICA_SETTINGS_FILE ".\n",
                      origin);
    else
        mica_cli_note(cli,
                      "To let it fetch, add to " MICA_SETTINGS_FILE ":\n"
                      "  [fetch]\n  allow = [\"%s\"]\n",
                      origin);
    return MICA_OK;
}
