// SPDX-License-Identifier: Apache-2.0
//
// What a project offers beside its engines and tools: the files of resources/ and the
// prompts of prompts/. For the commands that serve them and for those that show them.
#ifndef MICA_CLI_PROJECT_FILES_H
#define MICA_CLI_PROJECT_FILES_H

#include "cli/cli.h"
#include "server/server.h"

#define MICA_RESOURCES_DIR "resources"
#define MICA_PROMPTS_DIR   "prompts"

// Adds the folders of --resources and of the project. Before serving only. Errors: those
// of mica_server_add_folder and mica_server_add_prompts; MICA_E_TRUST (a folder of the
// project is a link that leads out of it).
enum mica_status mica_project_files_add(struct mica_cli *cli,
                                        const struct mica_options *options,
                                        struct mica_server *server,
                                        struct mica_error *error) MICA_MUST_USE;

// A server that offers these files alone, to be looked at. `options` have the settings
// (mica_settings_apply), so that the folders are those of `mica serve`. Builds nothing.
// Owner: mica_server_close. Errors: as above.
enum mica_status mica_project_files_open(struct mica_cli *cli,
                                         const struct mica_options *options,
                                         struct mica_error *error,
                                         struct mica_server **server_out)
    MICA_MUST_USE;

// The prompt or resource that `word` means: the name of a prompt or its file
// (prompts/review.md), the URI of a resource or its file (resources/style.md). NULL: none
// of `server`. It lives as long as the server.
const struct mica_definition *
mica_project_files_find(struct mica_cli *cli, struct mica_server *server,
                        const char *word);

// Does a word look like such a file or URI, which no tool has as its name?
bool mica_project_files_means(const char *word);

// ---- Showing (print_files.c) -----------------------------------------------------

// One prompt or resource as lists of MCP have it.
void mica_project_files_write(struct mica_json_writer *writer,
                              const struct mica_definition *definition);

// In a few words: the description of a prompt, the type and size of a resource.
struct mica_text
mica_project_files_words(struct mica_cli *cli,
                         const struct mica_definition *definition);

// All that is known of it, in lines.
void mica_project_files_print(struct mica_cli *cli,
                              const struct mica_definition *definition);

#endif
