// SPDX-License-Identifier: Apache-2.0
//
// Each finding of an app keeps its code (docs/app-findings.md) and its pointer; what it
// forbids decides the rule of mica check.
#include "cli/check_app.h"

#include <string.h>

#include "cli/app_folder.h"
#include "cli/cli_file.h"

static void
finding_add(struct mica_report *report, const struct mica_app_finding *finding)
{
    mica_report_add(report,
                    finding->severity == MICA_APP_WARNING
                        ? MICA_RULE_APP_WARNING
                        : MICA_RULE_APP_INVALID,
                    0, finding->path.len > 0 ? finding->path.ptr : "",
                    "%s: %.*s", finding->codez, MICA_ARG(finding->message));
}

void
mica_check_app(struct mica_cli *cli, const char *slug,
               struct mica_report *report)
{
    struct mica_app_findings *findings =
        mica_arena_zero(report->arena, 1, sizeof *findings);
    struct mica_error error = {.status = MICA_OK};
    struct mica_text text, draft;
    enum mica_status status;

    if (findings == NULL) {
        mica_report_add(report, MICA_RULE_APP_INVALID, 0, "", "no memory");
        return;
    }
    mica_app_findings_init(findings, report->arena);
    status = mica_app_folder_read(cli, slug, &error, &text);
    if (status == MICA_OK)
        status = mica_project_app_read(mica_text(slug), text, report->arena,
                                       findings, &error, &draft);
    for (size_t i = 0; i < findings->count; i++)
        finding_add(report, &findings->items[i]);
    if (status != MICA_OK)
        mica_report_add(report, MICA_RULE_APP_INVALID, 0, error.path, "%s: %s",
                        error.code, error.message);
}

const char *
mica_check_app_slug(struct mica_cli *cli, const char *word)
{
    static const char folder[] = MICA_APPS_DIR "/", ending[] = ".json";
    size_t length;

    if (strncmp(word, "./", 2) == 0)
        word += 2;
    length = strlen(word);
    if (strncmp(word, folder, sizeof folder - 1) != 0 ||
        length < sizeof folder + sizeof ending - 1 ||
        strcmp(word + length - sizeof ending + 1, ending) != 0)
        return NULL;
    return mica_cli_format(cli, "%.*s",
                           (int)(length - sizeof folder - sizeof ending + 2),
                           word + sizeof folder - 1);
}
