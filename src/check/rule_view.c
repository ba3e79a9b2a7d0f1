// SPDX-License-Identifier: Apache-2.0
//
// The documents of a tool's views, as they lie beside the source. What it loads from elsewhere
// and does not declare, no host lets through: the view then stays blank.
#include <string.h>

#include "build/files.h"
#include "check/subject.h"
#include "view/view_document.h"

enum {
    DOMAINS = MICA_VIEW_DOMAINS + 1
};

static void
take_domains(const struct mica_subject *subject,
             const struct mica_json *domains, const char *out[DOMAINS])
{
    size_t count = 0;

    for (size_t i = 0; domains != NULL && i < domains->count; i++) {
        struct mica_buffer text;
        mica_buffer_init(&text, subject->report->arena, PATH_MAX);
        mica_buffer_format(&text, "%.*s%c", MICA_ARG(domains->items[i].text),
                           '\0');
        if (count + 1 < DOMAINS && !text.overflow)
            out[count++] = text.ptr;
    }
    out[count] = NULL;
}

// The path of a file in the folder of the source.
static enum mica_status
path_beside(struct mica_text source, struct mica_text file, char out[PATH_MAX],
            struct mica_error *error)
{
    size_t folder = source.len;

    while (folder > 0 && source.ptr[folder - 1] != '/')
        folder--;
    return mica_path(out, error, "%.*s%.*s", (int)folder, source.ptr,
                     MICA_ARG(file));
}

// `member`: where the view stands in the manifest of the tool.
static void
check_view(const struct mica_subject *subject, const struct mica_json *manifest,
           const char *member)
{
    struct mica_text file = mica_json_get_text(manifest, "file");
    const char *domains[DOMAINS];
    const struct mica_view view = {.resource_domains = domains};
    struct mica_text document, address;
    struct mica_error error;
    char path[PATH_MAX];

    if (file.len == 0)
        return;
    take_domains(subject, mica_json_get(manifest, "resourceDomains"), domains);
    if (path_beside(subject->report->source, file, path, &error) != MICA_OK ||
        mica_file_read(subject->report->arena, path, &error, &document) !=
            MICA_OK) {
        mica_report_add(subject->report, MICA_RULE_VIEW_INVALID, 0, member,
                        "%s", error.message);
        return;
    }
    address = mica_view_undeclared(&view, document);
    if (address.len > 0)
        mica_report_add(subject->report, MICA_RULE_VIEW_LOADS, 0, member,
                        "The view loads \"%.*s\", and hosts let nothing "
                        "through that is not declared. Write it into the "
                        "document, or name its origin in .resource_domains.",
                        MICA_ARG(address));
}

void
mica_rule_view(const struct mica_subject *subject)
{
    const struct mica_json *forms =
        mica_json_get(subject->manifest, "formViews");

    check_view(subject, mica_json_get(subject->manifest, "view"), "view");
    for (size_t i = 0; forms != NULL && i < forms->count; i++)
        check_view(subject, &forms->items[i], "form_views");
}
