// SPDX-License-Identifier: Apache-2.0
//
// See cli_keep.h.
#include "cli/cli_keep.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_MEGABYTES = 65536
};

enum mica_status
mica_cli_keep_folder(const struct mica_options *options,
                     const struct mica_identity *identity,
                     struct mica_error *error, char out[PATH_MAX])
{
    const char *given = mica_options_value(options, "keep");
    char here[PATH_MAX] = "";
    int length;

    out[0] = '\0';
    if (given == NULL && identity->home[0] == '\0')
        return MICA_OK;
    if (given != NULL && given[0] != '/' && getcwd(here, sizeof here) == NULL)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot find out where this folder is");
    length = given == NULL ? snprintf(out, PATH_MAX, "%s/keep", identity->home)
             : given[0] == '/' ? snprintf(out, PATH_MAX, "%s", given)
                               : snprintf(out, PATH_MAX, "%s/%s", here, given);
    if (length >= 0 && length < PATH_MAX)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "", "keep.path is too long");
}

enum mica_status
mica_cli_project_keep_folder(const struct mica_options *options,
                             struct mica_error *error, char out[PATH_MAX])
{
    struct mica_identity identity;

    MICA_TRY(mica_identity_find(options, false, error, &identity));
    return mica_cli_keep_folder(options, &identity, error, out);
}

enum mica_status
mica_cli_use_keep(const struct mica_options *options,
                  const struct mica_identity *identity,
                  struct mica_server *server, struct mica_error *error)
{
    char folder[PATH_MAX] = "";
    struct mica_keep_options keep = {.folder = folder};
    unsigned megabytes;

    MICA_TRY(mica_options_number(options, "keep-megabytes", 0, MOST_MEGABYTES,
                                 error, &megabytes));
    MICA_TRY(mica_cli_keep_folder(options, identity, error, folder));
    keep.megabytes = megabytes;
    return folder[0] != '\0' ? mica_server_use_keep(server, &keep, error)
                             : MICA_OK;
}
