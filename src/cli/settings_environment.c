// SPDX-License-Identifier: Apache-2.0
//
// Finds variables of the environment whose names begin as those of settings do, but that
// no setting has. Another version of mica may have them, so a line on stderr names them,
// and the command continues.
#include <string.h>
#include <unistd.h>

#include "cli/cli_file.h"
#include "cli/settings.h"

enum {
    NEAR = 3,      // edits between a variable and the one that was meant
    LONG_NAME = 7, // letters of a key that no table has, such as MICA_TITLE
    NEAR_SHORT = 1 // edits of a shorter one
};

// Does the name begin as the variables of a table do: MICA_HTTP_?
static bool
is_of_table(struct mica_text name, const char *variable)
{
    const char *end = strchr(variable + sizeof "MICA_" - 1, '_');
    size_t length = end != NULL ? (size_t)(end - variable) + 1 : 0;

    return length > 0 && name.len > length &&
           memcmp(name.ptr, variable, length) == 0;
}

// Is the name that of a setting without a table, but for an edit or two? Other programs
// have variables that begin with MICA_, so no more is asked.
static bool
is_typo(const struct mica_setting *setting, size_t distance)
{
    size_t most =
        strlen(setting->key) < LONG_NAME ? NEAR_SHORT : NEAR_SHORT + 1;

    return strchr(setting->key, '.') == NULL && distance <= most;
}

// Prints the variable unless a setting has it.
static void
tell_variable(struct mica_cli *cli, struct mica_text name)
{
    const char *nearest = NULL;
    size_t best = NEAR + 1;
    bool looks = false;

    for (const struct mica_setting *setting = mica_settings;
         setting->key != NULL; setting++) {
        const char *variable = mica_setting_variable(cli, setting);
        size_t distance = mica_text_distance(name, mica_text(variable), NEAR);
        if (mica_text_is(name, variable))
            return;
        looks =
            looks || is_typo(setting, distance) ||
            (strchr(setting->key, '.') != NULL && is_of_table(name, variable));
        if (distance < best) {
            best = distance;
            nearest = variable;
        }
    }
    if (looks)
        mica_cli_note(cli, "mica: no setting has the variable %.*s%s%s\n",
                      MICA_ARG(name), nearest != NULL ? "; did you mean " : "",
                      nearest != NULL ? nearest : "");
}

void
mica_settings_tell_variables(struct mica_cli *cli)
{
    for (char **variable = environ; variable != NULL && *variable != NULL;
         variable++) {
        struct mica_text name = {*variable, strcspn(*variable, "=")};
        if (mica_text_starts(name, "MICA_"))
            tell_variable(cli, name);
    }
}
