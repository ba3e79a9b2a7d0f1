// SPDX-License-Identifier: Apache-2.0
//
// See project_files.h.
#include "cli/project_files.h"

#include <string.h>

#include "build/files.h"
#include "cli/cli_file.h"
#include "cli/project.h"
#include "cli/served_folder.h"
#include "cli/server_identity.h"
#include "files/folder.h"
#include "files/prompt_file.h"
#include "files/prompt_folder.h"

enum {
    URI_BYTES = 32768
};

#define PREFIX MICA_RESOURCES_DIR ":///"

// ---- Adding ----------------------------------------------------------------------

// From the thread that watches the folder.
static void
note_folder(void *user, const char *text)
{
    mica_cli_note(user, "mica: %s\n", text);
}

static void
note_prompts(void *data, const char *line)
{
    (void)data;
    mica_cli_tell("mica: %s\n", line);
}

static enum mica_status
add_project(struct mica_cli *cli, const struct mica_options *options,
            struct mica_server *server, struct mica_error *error)
{
    // Under mica dev a folder may be made later.
    bool awaited = cli->developer != NULL;
    const struct mica_folder_options resources = {
        .note = note_folder, .user = cli, .awaited = awaited};
    const struct mica_prompts_options prompts = {
        .awaited = awaited, .lenient = awaited, .note = note_prompts};

    if (!mica_project_is_chosen(options))
        return MICA_OK;
    if (awaited || mica_folder_exists(MICA_RESOURCES_DIR)) {
        MICA_TRY(mica_path_inside(MICA_RESOURCES_DIR, error));
        MICA_TRY(mica_served_folder_check(options, MICA_RESOURCES_DIR, error));
        MICA_TRY(mica_server_add_folder(server, MICA_RESOURCES_DIR, PREFIX,
                                        &resources, error));
    }
    if (!awaited && !mica_folder_exists(MICA_PROMPTS_DIR))
        return MICA_OK;
    MICA_TRY(mica_path_inside(MICA_PROMPTS_DIR, error));
    return mica_server_add_prompts(server, MICA_PROMPTS_DIR, &prompts, error);
}

enum mica_status
mica_project_files_add(struct mica_cli *cli, const struct mica_options *options,
                       struct mica_server *server, struct mica_error *error)
{
    const struct mica_folder_options how = {.note = note_folder, .user = cli};
    const char *const *folders =
        mica_options_all(options, &cli->arena, "resources");

    for (; folders != NULL && *folders != NULL; folders++) {
        MICA_TRY(mica_served_folder_check(options, *folders, error));
        MICA_TRY(mica_server_add_folder(server, *folders, NULL, &how, error));
    }
    return add_project(cli, options, server, error);
}

// ---- Looking at them -------------------------------------------------------------

enum mica_status
mica_project_files_open(struct mica_cli *cli,
                        const struct mica_options *options,
                        struct mica_error *error,
                        struct mica_server **server_out)
{
    struct mica_server_options described;
    struct mica_server *server;
    enum mica_status status;

    MICA_TRY(mica_server_identity(cli, options, error, &described));
    MICA_TRY(mica_server_open(&described, error, &server));
    status = mica_project_files_add(cli, options, server, error);
    if (status != MICA_OK)
        mica_server_close(&server);
    else
        *server_out = server;
    return status;
}

// What stands behind "prompts/" or "resources/" in a word, also behind "./"; or NULL.
static const char *
file_below(const char *word, const char *folder)
{
    size_t length = strlen(folder);

    if (strncmp(word, "./", 2) == 0)
        word += 2;
    return strncmp(word, folder, length) == 0 && word[length] == '/'
               ? word + length + 1
               : NULL;
}

bool
mica_project_files_means(const char *word)
{
    return file_below(word, MICA_PROMPTS_DIR) != NULL ||
           file_below(word, MICA_RESOURCES_DIR) != NULL ||
           strstr(word, "://") != NULL;
}

// The prompt of a file, which front matter may give another name. Empty: none.
static struct mica_text
prompt_name(struct mica_cli *cli, const char *file)
{
    const char *path = mica_cli_format(cli, MICA_PROMPTS_DIR "/%s", file);
    struct mica_text bytes, stem = mica_text(file);
    struct mica_prompt_file prompt;
    struct mica_error error;

    if (mica_file_read(&cli->arena, path, &error, &bytes) != MICA_OK ||
        mica_prompt_file_read(&cli->arena, bytes, &error, &prompt) != MICA_OK)
        return (struct mica_text){NULL, 0};
    return prompt.name.len > 0 ? prompt.name
                               : mica_text_slice(stem, 0, stem.len - 3);
}

static const struct mica_definition *
find_resource(struct mica_cli *cli, struct mica_server *server,
              const char *word)
{
    const char *path = file_below(word, MICA_RESOURCES_DIR);
    struct mica_text key = mica_text(word);
    struct mica_buffer uri;

    if (path != NULL) {
        mica_buffer_init(&uri, &cli->arena, URI_BYTES);
        mica_buffer_text(&uri, MICA_LITERAL(PREFIX));
        mica_file_write_path(&uri, path);
        key = mica_buffer_as_text(&uri);
    }
    return mica_catalog_find(server->registry.main->catalog,
                             MICA_DEFINITION_RESOURCE, key);
}

const struct mica_definition *
mica_project_files_find(struct mica_cli *cli, struct mica_server *server,
                        const char *word)
{
    const char *file = file_below(word, MICA_PROMPTS_DIR);
    struct mica_text name = mica_text(word);

    if (file != NULL)
        name = prompt_name(cli, file);
    const struct mica_definition *prompt =
        name.len > 0 ? mica_catalog_find(server->registry.main->catalog,
                                         MICA_DEFINITION_PROMPT, name)
                     : NULL;
    return prompt != NULL ? prompt : find_resource(cli, server, word);
}
