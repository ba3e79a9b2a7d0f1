// SPDX-License-Identifier: Apache-2.0
//
// mica check of one file of apps/: the findings of the app become those of a report.
#ifndef MICA_CLI_CHECK_APP_H
#define MICA_CLI_CHECK_APP_H

#include "check/check_report.h"
#include "cli/cli.h"

// Checks apps/SLUG.json. `report` has been initialized with the slug and the path. Never
// fails: what keeps the file from being read is a finding. Whether a tool that the app runs
// exists is known when a server publishes it.
void mica_check_app(struct mica_cli *cli, const char *slug,
                    struct mica_report *report);

// The slug of a word that names a file of apps/, "apps/orders.json" or "./apps/…"; in the
// arena. NULL: it names something else.
const char *mica_check_app_slug(struct mica_cli *cli, const char *word);

#endif
