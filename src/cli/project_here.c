// SPDX-License-Identifier: Apache-2.0
//
// A folder with apps/ and no sources is a project, too. Other programs also have a folder of
// that name with files of JSON inside (apps/package.json), so one of the files has to name
// a tool, as each app does that can be published.
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "build/files.h"
#include "cli/app_folder.h"
#include "cli/project.h"

enum {
    APP_FILE_BYTES = 1 << 20, // of a file that is looked at
    PATH_BYTES = 512
};

static bool
file_names_tool(const char *namez)
{
    static const char key[] = "\"toolName\"";
    char path[PATH_BYTES];
    struct mica_arena arena;
    struct mica_text text;
    bool names;

    if (snprintf(path, sizeof path, MICA_APPS_DIR "/%s", namez) >=
        (int)sizeof path)
        return false;
    mica_arena_init(&arena, APP_FILE_BYTES);
    names = mica_file_read(&arena, path, NULL, &text) == MICA_OK &&
            memmem(text.ptr, text.len, key, sizeof key - 1) != NULL;
    mica_arena_fini(&arena);
    return names;
}

static bool
has_app(void)
{
    DIR *folder = opendir(MICA_APPS_DIR);
    const struct dirent *file;
    bool found = false;

    while (folder != NULL && !found && (file = readdir(folder)) != NULL) {
        size_t length = strlen(file->d_name);
        found = length > 5 && file->d_name[0] != '.' &&
                strcmp(file->d_name + length - 5, ".json") == 0 &&
                file_names_tool(file->d_name);
    }
    if (folder != NULL)
        (void)closedir(folder);
    return found;
}

// A project whose last app was removed stays one, so that the app is withdrawn.
static bool
has_identity(void)
{
    return mica_folder_exists(MICA_APPS_DIR) &&
           mica_file_exists(".mica/project");
}

bool
mica_project_is_here(const struct mica_options *options)
{
    return mica_project_is_chosen(options) ||
           (mica_options_value(options, "engines") == NULL &&
            mica_options_value(options, "tools") == NULL &&
            !mica_options_has(options, "built-in") &&
            (has_identity() || has_app()));
}
