// SPDX-License-Identifier: Apache-2.0
//
// The page that a tool brings computes with its engine, or it is no page of it.
#include <string.h>

#include "build/files.h"
#include "build/steps.h"
#include "check/subject.h"

void
mica_rule_page(const struct mica_subject *subject)
{
    struct mica_report *report = subject->report;
    struct mica_text page;
    struct mica_buffer module;
    char path[PATH_MAX];
    bool found;

    if (mica_page_find(path, report->source.ptr, NULL, &found) != MICA_OK ||
        !found || mica_file_read(report->arena, path, NULL, &page) != MICA_OK) {
        return;
    }
    mica_buffer_init(&module, report->arena, PATH_MAX);
    mica_buffer_format(&module, "/engines/%.*s.js", MICA_ARG(report->slug));
    if (memmem(page.ptr, page.len, module.ptr, module.len) == NULL) {
        mica_report_add(
            report, MICA_RULE_PAGE_APART, 0, "",
            "%s does not import its engine, so it could give another answer. "
            "Write: import engine from \"%.*s\"; and call engine.handler(input), "
            "or with money callText(engine, text) of \"/engines/_engine.js\".",
            path, MICA_ARG(mica_buffer_as_text(&module)));
    }
}
