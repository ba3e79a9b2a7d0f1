// SPDX-License-Identifier: Apache-2.0
//
// See served_folder.h.
#include "cli/served_folder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli_keep.h"
#include "cli/identity.h"

// The real path of what may not be there yet: that of its nearest folder, and the rest as
// it is. False: it is too long.
static bool
path_resolve(const char *path, char out[PATH_MAX])
{
    char part[PATH_MAX];
    size_t length = strlen(path), end = length;

    if (length == 0 || length >= PATH_MAX)
        return false;
    while (end > 0) {
        memcpy(part, path, end);
        part[end] = '\0';
        if (realpath(part, out) != NULL)
            break;
        while (end > 0 && path[end - 1] != '/')
            end--;
        while (end > 1 && path[end - 1] == '/')
            end--;
    }
    if (end == 0 && realpath(".", out) == NULL)
        return false;
    if (end == length)
        return true;
    while (path[end] == '/')
        end++;
    return snprintf(out + strlen(out), PATH_MAX - strlen(out), "/%s",
                    path + end) < (int)(PATH_MAX - strlen(out));
}

// Is `path` the folder, or below it on a way without names that begin with '.'?
static bool
is_served(const char *folder, const char *path)
{
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

    return strncmp(path, folder, length) == 0 &&
           (path[length] == '\0' || path[length] == '/') &&
           strstr(path + length, "/.") == NULL;
}

struct private_place {
    const char *path; // NULL or empty: it does not exist
    const char *key;  // of the setting, or what it is
    bool has_files;   // a folder: what lies in it is private, too
};

static enum mica_status
refuse_place(const char *given, const char *folder,
             const struct private_place *place, struct mica_error *error)
{
    char path[PATH_MAX];

    if (place->path == NULL || place->path[0] == '\0' ||
        !path_resolve(place->path, path))
        return MICA_OK;
    if (!is_served(folder, path) &&
        !(place->has_files && is_served(path, folder)))
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "resources.folders has %s, and every client could "
                          "read %s in it (%s); move one of the two",
                          given, place->path, place->key);
}

enum mica_status
mica_served_folder_check(const struct mica_options *options, const char *folder,
                         struct mica_error *error)
{
    const char *store = mica_options_value(options, "store");
    struct mica_identity identity;
    char keep[PATH_MAX], real[PATH_MAX];

    MICA_TRY(mica_identity_find(options, false, error, &identity));
    MICA_TRY(mica_cli_keep_folder(options, &identity, error, keep));
    if (!path_resolve(folder, real))
        return MICA_OK; // mica_server_add_folder says what is wrong with it
    const struct private_place places[] = {
        {store != NULL && strncmp(store, "sqlite:", 7) == 0 ? store + 7 : NULL,
         "store.location", false},
        {keep, "keep.path", true},
        {identity.home, "the files of the project", true},
        {mica_options_value(options, "auth"), "auth.file", false},
        {mica_options_value(options, "rules"), "rules.file", false},
    };
    for (size_t i = 0; i < MICA_COUNT(places); i++)
        MICA_TRY(refuse_place(folder, real, &places[i], error));
    return MICA_OK;
}
