// SPDX-License-Identifier: Apache-2.0
//
// Each finding of an app keeps its code (docs/app-findings.md) and its pointer; what it
// forbids decides the rule of mica check.
#include "cli/check_app.h"

#include <string.h>

#include "cli/app_folder.h"
#include "cli/cli_file.h"
#include "publish/project_collections.h"

enum {
    PATH_BYTES = 32 // of a pointer, "/members/63"
};

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

// ---- Collections -----------------------------------------------------------------

static const char *
member_path(char room[PATH_BYTES], size_t index)
{
    struct mica_buffer path = {
        .ptr = room, .capacity = PATH_BYTES - 1, .max = PATH_BYTES - 1};

    mica_buffer_format(&path, "/members/%zu", index);
    room[path.len] = '\0';
    return room;
}

// The tool name in the file of an app; empty: the file is wrong, which its own check says.
static struct mica_text
tool_name_of(struct mica_cli *cli, const char *slug, struct mica_arena *arena)
{
    struct mica_error ignored;
    struct mica_json file;
    const struct mica_json *draft;
    struct mica_text text;

    if (mica_app_folder_read(cli, slug, &ignored, &text) != MICA_OK ||
        mica_json_read(arena, text, NULL, &ignored, &file) != MICA_OK ||
        file.kind != MICA_JSON_OBJECT)
        return (struct mica_text){NULL, 0};
    draft = mica_json_get(&file, "draft");
    return mica_json_get_text(
        draft != NULL && draft->kind == MICA_JSON_OBJECT ? draft : &file,
        "toolName");
}

static const char *
slug_find(const char *const *slugs, struct mica_text slug)
{
    for (; *slugs != NULL; slugs++)
        if (mica_text_is(slug, *slugs))
            return *slugs;
    return NULL;
}

// Each member has a file, and no two of them one tool name.
static enum mica_status
members_check(struct mica_cli *cli, const struct mica_json *members,
              struct mica_report *report, struct mica_error *error)
{
    struct mica_text *tools =
        mica_arena_zero(report->arena, members->count + 1, sizeof *tools);
    const char *const *slugs;
    char path[PATH_BYTES];

    if (tools == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    MICA_TRY(mica_app_folder_slugs(cli, error, &slugs));
    for (size_t i = 0; i < members->count; i++) {
        const char *file = slug_find(slugs, members->items[i].text);
        if (file == NULL) {
            mica_report_add(report, MICA_RULE_APP_INVALID, 0,
                            member_path(path, i),
                            "NOT_FOUND: " MICA_APPS_DIR
                            "/ has no app \"%.*s\"; write its file, or leave "
                            "it out",
                            MICA_ARG(members->items[i].text));
            continue;
        }
        tools[i] = tool_name_of(cli, file, report->arena);
        for (size_t j = 0; tools[i].len > 0 && j < i; j++)
            if (mica_text_equal(tools[i], tools[j]))
                mica_report_add(report, MICA_RULE_APP_INVALID, 0,
                                member_path(path, i),
                                "ALREADY_EXISTS: the apps \"%.*s\" and "
                                "\"%.*s\" have the same toolName; give one of "
                                "them another",
                                MICA_ARG(members->items[j].text),
                                MICA_ARG(members->items[i].text));
    }
    return MICA_OK;
}

static enum mica_status
collection_check(struct mica_cli *cli, const char *slug, struct mica_text text,
                 struct mica_report *report, struct mica_error *error)
{
    const struct mica_json *members;
    struct mica_text body;

    MICA_TRY(mica_project_collection_read(mica_text(slug), text, report->arena,
                                          error, &body, &members));
    return members_check(cli, members, report, error);
}

// ---- Apps ------------------------------------------------------------------------

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
    if (status == MICA_OK && mica_project_is_collection(text, report->arena))
        status = collection_check(cli, slug, text, report, &error);
    else if (status == MICA_OK)
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
