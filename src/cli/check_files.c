// SPDX-License-Identifier: Apache-2.0
//
// A server that starts refuses a prompt of which it cannot make a definition, two of one
// name, and a folder of resources in which private files lie. The same functions are asked
// here.
#include "cli/check_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/files.h"
#include "cli/cli_file.h"
#include "cli/project.h"
#include "cli/project_files.h"
#include "cli/served_folder.h"
#include "cli/settings.h"
#include "files/file_prompt.h"
#include "files/folder.h"
#include "files/prompt_folder.h"
#include "files/walk.h"

struct finder {
    struct mica_cli *cli;
    struct mica_checked_file *files; // room for all prompts and the folder
    struct mica_text *names;         // of the prompts, by their files
    size_t count;
};

// ---- Prompts ---------------------------------------------------------------------

// Takes "line 3: " off the message.
static void
take_line(struct mica_checked_file *file)
{
    static const char word[] = "line ";
    char *message = file->error.message, *digits, *rest;
    unsigned long line;

    if (strncmp(message, word, sizeof word - 1) != 0)
        return;
    digits = message + sizeof word - 1;
    line = strtoul(digits, &rest, 10);
    if (rest == digits || strncmp(rest, ": ", 2) != 0)
        return;
    file->line = (unsigned)line;
    memmove(message, rest + 2, strlen(rest + 2) + 1);
}

static enum mica_status
name_check(const struct finder *finder, struct mica_text name,
           struct mica_error *error)
{
    for (size_t i = 0; i < finder->count; i++)
        if (mica_text_equal(finder->names[i], name))
            return mica_error_set(
                error, MICA_E_EXISTS, "",
                "%s is the prompt '%.*s' already; give one of them another "
                "name",
                finder->files[i].path, MICA_ARG(name));
    return MICA_OK;
}

static void
prompt_check(struct finder *finder, const char *namez)
{
    struct mica_arena *arena = &finder->cli->arena;
    struct mica_checked_file *file = &finder->files[finder->count];
    struct mica_definition *definition = NULL;
    struct mica_text bytes;
    enum mica_status status;

    file->path = mica_cli_format(finder->cli, MICA_PROMPTS_DIR "/%s", namez);
    status = mica_file_read(arena, file->path, &file->error, &bytes);
    if (status == MICA_OK)
        status = mica_prompt_definition(mica_text(namez), bytes, &file->error,
                                        &definition);
    if (status == MICA_OK) {
        finder->names[finder->count] = mica_arena_text(arena, definition->key);
        status = name_check(finder, finder->names[finder->count], &file->error);
        mica_definition_drop(definition);
    }
    file->error.status = status;
    if (status != MICA_OK)
        take_line(file);
    finder->count++;
}

// `walk` is to be ended, also after a failure.
static enum mica_status
folder_walk(const char *path, struct mica_walk *walk, struct mica_error *error)
{
    int root;
    enum mica_status status;

    MICA_TRY(mica_path_inside(path, error));
    root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "the folder %s cannot be read: %s", path,
                              strerror(errno));
    status = mica_walk_run(walk, root, error);
    (void)close(root);
    return status;
}

static enum mica_status
find_prompts(struct finder *finder, struct mica_error *error)
{
    struct mica_walk walk = {.most = MICA_PROMPT_WALK};
    enum mica_status status;

    if (!mica_folder_exists(MICA_PROMPTS_DIR))
        return MICA_OK;
    status = folder_walk(MICA_PROMPTS_DIR, &walk, error);
    for (size_t i = 0; status == MICA_OK && i < walk.count; i++)
        if (mica_prompt_file_is(walk.files[i].path) &&
            finder->count < MICA_PROMPT_FILES)
            prompt_check(finder, walk.files[i].path);
    mica_walk_fini(&walk);
    return status;
}

// ---- Resources -------------------------------------------------------------------

static enum mica_status
limits_check(const struct mica_walk *walk, struct mica_error *error)
{
    if (walk->left_out > 0)
        return mica_error_set(
            error, MICA_E_LIMIT, "",
            "the folder has more than %d files, or folders deeper than %d, "
            "and a server leaves out the others; take some away",
            MICA_FOLDER_FILES, MICA_WALK_DEPTH);
    if (walk->unreadable > 0)
        return mica_error_set(
            error, MICA_E_IO, "",
            "%zu folder%s in it cannot be read, and a server leaves out what "
            "is there; change the permissions",
            walk->unreadable, mica_cli_s(walk->unreadable));
    return MICA_OK;
}

static enum mica_status
resources_check(const struct mica_options *options, struct mica_error *error)
{
    struct mica_walk walk = {.most = MICA_FOLDER_FILES};
    enum mica_status status;

    MICA_TRY(mica_served_folder_check(options, MICA_RESOURCES_DIR, error));
    status = folder_walk(MICA_RESOURCES_DIR, &walk, error);
    if (status == MICA_OK)
        status = limits_check(&walk, error);
    mica_walk_fini(&walk);
    return status;
}

// With the settings, in which the store may lie in this folder.
static enum mica_status
find_resources(struct finder *finder, const struct mica_options *options,
               struct mica_error *error)
{
    struct mica_checked_file *file = &finder->files[finder->count];
    struct mica_options settled = *options;

    if (!mica_folder_exists(MICA_RESOURCES_DIR))
        return MICA_OK;
    MICA_TRY(mica_settings_apply(finder->cli, &settled, error));
    file->path = MICA_RESOURCES_DIR;
    file->error.status = resources_check(&settled, &file->error);
    finder->count++;
    return MICA_OK;
}

// ---- Both ------------------------------------------------------------------------

enum mica_status
mica_checked_files(struct mica_cli *cli, const struct mica_options *options,
                   struct mica_error *error,
                   const struct mica_checked_file **files_out,
                   size_t *count_out)
{
    struct finder finder = {.cli = cli};

    *count_out = 0;
    if (!mica_project_is_chosen(options))
        return MICA_OK;
    finder.files = mica_arena_zero(&cli->arena, MICA_PROMPT_FILES + 1,
                                   sizeof *finder.files);
    finder.names = mica_arena_zero(&cli->arena, MICA_PROMPT_FILES + 1,
                                   sizeof *finder.names);
    if (finder.files == NULL || finder.names == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    MICA_TRY(find_prompts(&finder, error));
    MICA_TRY(find_resources(&finder, options, error));
    *files_out = finder.files;
    *count_out = finder.count;
    return MICA_OK;
}

const char *
mica_checked_file_path(struct mica_cli *cli, const char *word)
{
    static const char prompts[] = MICA_PROMPTS_DIR "/";
    static const char resources[] = MICA_RESOURCES_DIR;
    size_t length = sizeof resources - 1;

    if (strncmp(word, "./", 2) == 0)
        word += 2;
    if (strncmp(word, prompts, sizeof prompts - 1) == 0)
        return mica_cli_format(cli, "%s", word);
    if (strncmp(word, resources, length) == 0 &&
        (word[length] == '/' || word[length] == '\0'))
        return resources;
    return NULL;
}

void
mica_check_file(const struct mica_checked_file *file,
                struct mica_report *report)
{
    bool folder = strcmp(file->path, MICA_RESOURCES_DIR) == 0;

    if (file->error.status != MICA_OK)
        mica_report_add(
            report,
            folder ? MICA_RULE_RESOURCES_INVALID : MICA_RULE_PROMPT_INVALID,
            file->line, "", "%s: %s", file->error.code, file->error.message);
}
