// SPDX-License-Identifier: Apache-2.0
//
// The app is a card with its layout's mock data; its tool is named by rule.
#include "cli/new_app.h"

#include "apps/app_propose.h"
#include "apps/app_slug.h"
#include "cli/app_folder.h"
#include "cli/new_file.h"
#include "cli/project.h"

enum {
    TEXT_BYTES = 256 << 10
};

// "order-status" as "Order status".
static struct mica_text
app_title(struct mica_cli *cli, const char *slug)
{
    struct mica_buffer title;

    mica_buffer_init(&title, &cli->arena, TEXT_BYTES);
    for (const char *c = slug; *c != '\0'; c++)
        mica_buffer_char(&title, *c == '-' ? ' '
                                 : c == slug && *c >= 'a' && *c <= 'z'
                                     ? (char)(*c - 'a' + 'A')
                                     : *c);
    return mica_buffer_as_text(&title);
}

static enum mica_status
app_text(struct mica_cli *cli, const char *slug, struct mica_error *error,
         struct mica_buffer *out)
{
    const struct mica_app_layout_row *layout =
        &mica_app_layouts[MICA_LAYOUT_CARD];
    char tool[MICA_APP_PROPOSED_NAME_SIZE];
    struct mica_app_draft draft;
    struct mica_buffer description;
    struct mica_json mock, whole;
    struct mica_text json;

    MICA_TRY(mica_json_read(&cli->arena, layout->mock, NULL, error, &mock));
    mica_app_draft_new(app_title(cli, slug), layout->layout, &mock, &draft);
    draft.tool_name =
        (struct mica_text){tool, mica_app_propose_name(&draft, tool)};
    mica_buffer_init(&description, &cli->arena, TEXT_BYTES);
    mica_app_propose_description(&draft, draft.tool_name, &description);
    draft.tool_description = mica_buffer_as_text(&description);
    MICA_TRY(mica_app_draft_text(&draft, &cli->arena, error, &json));
    MICA_TRY(mica_json_read(&cli->arena, json, NULL, error, &whole));
    mica_buffer_init(out, &cli->arena, TEXT_BYTES);
    mica_json_pretty(out, &whole);
    mica_buffer_char(out, '\n');
    return out->overflow ? mica_error_set(error, MICA_E_LIMIT, "", "no memory")
                         : MICA_OK;
}

static void
print_app(struct mica_cli *cli, const struct mica_options *options,
          const char *slug, const char *path)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    if (!mica_cli_wants_json(options)) {
        mica_cli_print(cli, "%s\n", path);
        return;
    }
    mica_buffer_init(&text, &cli->arena, TEXT_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "name", mica_text(slug));
    mica_json_name(&writer, "files");
    mica_json_open_array(&writer);
    mica_json_stringz(&writer, path);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    mica_cli_json_buffer(cli, &text);
}

enum mica_status
mica_new_app(struct mica_cli *cli, const struct mica_options *options,
             const char *slug, struct mica_error *error)
{
    const char *wrong = mica_app_slug_wrong(mica_text(slug));
    const char *path = mica_app_folder_path(cli, slug);
    struct mica_buffer text;

    if (wrong != NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the name of an app is its slug, and \"%.64s\" "
                              "%s: use 1 to 64 of a-z, 0-9 and \"-\"",
                              slug, wrong);
    MICA_TRY(app_text(cli, slug, error, &text));
    MICA_TRY(mica_project_make_folder(MICA_APPS_DIR, error));
    MICA_TRY(mica_new_write(path, mica_buffer_as_text(&text), error));
    print_app(cli, options, slug, path);
    return MICA_OK;
}
