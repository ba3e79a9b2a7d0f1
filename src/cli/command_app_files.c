// SPDX-License-Identifier: Apache-2.0
//
// mica app preview, export, import: what leaves an app as a document, and comes in.
#include <string.h>

#include "cli/argument_file.h"
#include "cli/cli_file.h"
#include "cli/command_app.h"

// Writes to the file of --out, or to stdout.
static enum mica_status
document_write(struct mica_cli_app *work, struct mica_text text)
{
    const char *out = mica_cli_app_flag(work, "out");
    struct mica_cli_file file;

    if (out == NULL || strcmp(out, "-") == 0) {
        mica_cli_file(work->cli, text);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_file_look(work->cli, out, work->error, &file));
    MICA_TRY(mica_cli_file_replace(work->cli, &file, text, false, work->error));
    if (!work->json)
        mica_cli_print(work->cli, "%s\n", out);
    return MICA_OK;
}

// {"NAME": …} with a text, for --json.
static void
print_member(struct mica_cli_app *work, const char *namez,
             struct mica_text text)
{
    struct mica_json_writer writer;
    struct mica_buffer json;

    mica_buffer_init(&json, &work->cli->arena, MICA_CLI_APP_BYTES);
    mica_json_writer_init(&writer, &json);
    mica_json_open_object(&writer);
    mica_json_field(&writer, namez, text);
    mica_json_close_object(&writer);
    mica_cli_json_buffer(work->cli, &json);
}

// ---- preview ---------------------------------------------------------------------

enum mica_status
mica_cli_app_preview(struct mica_cli_app *work)
{
    const char *out = mica_cli_app_flag(work, "out");
    struct mica_text body;

    MICA_TRY(mica_cli_app_draft_body(work, &body));
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_PREVIEW, work->words[0], body));
    if (work->json && out == NULL) {
        print_member(work, "html", work->answer.html);
        return MICA_OK;
    }
    MICA_TRY(document_write(work, work->answer.html));
    if (work->json)
        print_member(work, "file", mica_text(out));
    return MICA_OK;
}

// ---- export, import --------------------------------------------------------------

// Indented, as people keep it beside their sources and look at its differences.
enum mica_status
mica_cli_app_export(struct mica_cli_app *work)
{
    struct mica_text nothing = {NULL, 0};
    struct mica_buffer pretty;
    struct mica_json app;

    MICA_TRY(mica_cli_app_act(work, MICA_ACT_EXPORT, work->words[0], nothing));
    if (work->json && mica_cli_app_flag(work, "out") == NULL) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_app_answer(work, &app));
    mica_buffer_init(&pretty, &work->cli->arena, MICA_CLI_APP_BYTES);
    mica_json_pretty(&pretty, &app);
    mica_buffer_char(&pretty, '\n');
    MICA_TRY(document_write(work, mica_buffer_as_text(&pretty)));
    if (work->json)
        print_member(work, "file", mica_text(mica_cli_app_flag(work, "out")));
    return MICA_OK;
}

enum mica_status
mica_cli_app_import(struct mica_cli_app *work)
{
    const struct mica_argument_files files = mica_argument_files_of(work->cli);
    struct mica_text body;
    struct mica_json app;

    MICA_TRY(files.read(files.data, work->words[0], work->error, &body));
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_IMPORT, "", body));
    if (work->json) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_app_answer(work, &app));
    mica_cli_print(work->cli, "%.*s\n",
                   MICA_ARG(mica_json_get_text(&app, "mcpSlug")));
    mica_cli_app_print_findings(work->cli, mica_json_get(&app, "findings"),
                                true);
    mica_cli_note(work->cli,
                  "mica: the app is a draft; \"mica app publish %.*s\" "
                  "publishes it\n",
                  MICA_ARG(mica_json_get_text(&app, "mcpSlug")));
    return MICA_OK;
}
