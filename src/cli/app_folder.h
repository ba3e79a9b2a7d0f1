// SPDX-License-Identifier: Apache-2.0
//
// The folder apps/ of a project: one JSON file for each app, its name the slug. What a
// server does with them is in publish/project_apps.h; this is where the files come from.
#ifndef MICA_CLI_APP_FOLDER_H
#define MICA_CLI_APP_FOLDER_H

#include "cli/cli.h"
#include "publish/project_apps.h"

#define MICA_APPS_DIR "apps"

// The slugs of the files, sorted, NULL-ended; none without the folder. In the arena.
// Errors: MICA_E_IO, MICA_E_TRUST (the folder is a link that leads out of the project),
// MICA_E_LIMIT (more than MICA_PROJECT_APPS).
enum mica_status mica_app_folder_slugs(struct mica_cli *cli,
                                       struct mica_error *error,
                                       const char *const **slugs_out)
    MICA_MUST_USE;

// "apps/SLUG.json" in the arena.
const char *mica_app_folder_path(struct mica_cli *cli, const char *slug);

// The text of a file, in the arena. Errors: MICA_E_IO, MICA_E_LIMIT, MICA_E_TRUST.
enum mica_status mica_app_folder_read(struct mica_cli *cli, const char *slug,
                                      struct mica_error *error,
                                      struct mica_text *text_out) MICA_MUST_USE;

struct mica_app_folder;

// Publishes the apps of the project into the store `spec` before the server serves, and
// withdraws those that have no file any more. Nothing happens without the folder, and
// outside of a project. Under mica dev a file that is wrong is told on stderr, and the
// folder is followed from then on. NULL: there is nothing to follow.
// Errors: MICA_E_EXISTS (a slug is that of an app of the store), MICA_E_USAGE (the store is
// in memory), MICA_E_CONFIG and others of a file, with its name.
enum mica_status
mica_app_folder_serve(struct mica_cli *cli, const struct mica_options *options,
                      struct mica_server *server, const char *spec,
                      struct mica_error *error,
                      struct mica_app_folder **folder_out) MICA_MUST_USE;

// Ends following. NULL is allowed.
void mica_app_folder_close(struct mica_app_folder **folder);

#endif
