// SPDX-License-Identifier: Apache-2.0
//
// mica app new, edit, publish, unpublish, rollback, owner, delete: acts that change an app.
//
// stdout has what a script uses (a slug, an address, a line), stderr what a person may do
// next.
#include <string.h>
#include <unistd.h>

#include "cli/app_folder.h"
#include "cli/cli_file.h"
#include "cli/command_app.h"

enum {
    ATTEMPTS = 16 // of an edit on what others change meanwhile
};

static const struct mica_text nothing = {NULL, 0};

// ---- Answers ---------------------------------------------------------------------

// Prints the answer for a program. True with --json.
static bool
answer_print(struct mica_cli_app *work)
{
    if (work->json)
        mica_cli_app_print_json(work);
    return work->json;
}

static bool
app_is_published(const struct mica_json *app)
{
    return mica_text_is(mica_json_get_text(app, "status"), "published");
}

static bool
findings_have_error(const struct mica_json *findings)
{
    for (size_t i = 0; findings != NULL && i < findings->count; i++)
        if (mica_text_is(mica_json_get_text(&findings->items[i], "severity"),
                         "error"))
            return true;
    return false;
}

// The number of a member as its text.
static struct mica_text
member_number(const struct mica_json *app, const char *namez)
{
    const struct mica_json *value = mica_json_get(app, namez);

    return value != NULL ? value->text : MICA_LITERAL("0");
}

// The file of a project's app has the last word.
static void
say_file(struct mica_cli_app *work, const struct mica_json *app)
{
    if (!work->json &&
        mica_text_is(mica_json_get_text(app, "owner"), MICA_PROJECT_OWNER))
        mica_cli_note(work->cli,
                      "mica: the app comes from " MICA_APPS_DIR
                      "/%.*s.json: the next start of the server brings back "
                      "what the file says\n",
                      MICA_ARG(mica_json_get_text(app, "mcpSlug")));
}

// ---- new -------------------------------------------------------------------------

// What is missing until the app can be published, and the next commands.
static void
new_say_next(struct mica_cli_app *work, const struct mica_json *app)
{
    struct mica_text slug = mica_json_get_text(app, "mcpSlug");
    struct mica_cli *cli = work->cli;
    bool named = mica_json_get_text(app, "toolName").len > 0 &&
                 mica_json_get_text(app, "toolDescription").len > 0;

    mica_cli_flush(cli);
    mica_cli_note(cli,
                  "mica: the app is a draft, and its slug is reserved. It will "
                  "be at\n  %.*s\nof \"mica serve\".%s Next:\n",
                  MICA_ARG(mica_json_get_text(app, "url")),
                  mica_cli_app_address_source(work));
    if (!named)
        mica_cli_note(cli,
                      "  mica app edit %.*s toolName=get_something "
                      "toolDescription='What it does, and when to use it.'\n",
                      MICA_ARG(slug));
    mica_cli_note(cli,
                  "  mica app preview %.*s -o preview.html\n"
                  "  mica app publish %.*s\n",
                  MICA_ARG(slug), MICA_ARG(slug));
}

// Writes what was drafted (NULL: nothing) and is not said by a flag or a word.
static void
write_drafted(struct mica_cli_app *work, const struct mica_json *drafted,
              const struct mica_json *members, struct mica_json_writer *writer)
{
    for (size_t i = 0; drafted != NULL && i < drafted->count; i++) {
        struct mica_text name = drafted->members[i].name;
        const char *namez = mica_cli_format(work->cli, "%.*s", MICA_ARG(name));
        if (mica_text_is(name, "name") ||
            mica_json_get(members, namez) != NULL ||
            (mica_text_is(name, "layoutTemplate") &&
             mica_cli_app_flag(work, "layout") != NULL) ||
            (mica_text_is(name, "description") &&
             mica_cli_app_flag(work, "description") != NULL))
            continue;
        mica_json_name_text(writer, name);
        mica_json_value(writer, &drafted->members[i].value);
    }
}

// The body of CREATE: the name and what flags say, as texts, then what was drafted, then the
// members of the words.
static enum mica_status
new_body(struct mica_cli_app *work, struct mica_text *body_out)
{
    const char *layout = mica_cli_app_flag(work, "layout");
    const char *description = mica_cli_app_flag(work, "description");
    const char *sentence = mica_cli_app_flag(work, "describe");
    struct mica_json_writer writer;
    struct mica_buffer body;
    struct mica_text patch;
    struct mica_json members, drafted;

    MICA_TRY(mica_cli_app_words_patch(work->cli, work->words + 1,
                                      work->count - 1, NULL, work->error,
                                      &patch));
    MICA_TRY(
        mica_json_read(&work->cli->arena, patch, NULL, work->error, &members));
    if (sentence != NULL)
        MICA_TRY(mica_cli_app_describe(work, sentence, &drafted));
    mica_buffer_init(&body, &work->cli->arena, MICA_CLI_APP_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "name", mica_text(work->words[0]));
    if (layout != NULL)
        mica_json_field(&writer, "layoutTemplate", mica_text(layout));
    if (description != NULL)
        mica_json_field(&writer, "description", mica_text(description));
    if (mica_options_has(work->options, "propose")) {
        mica_json_name(&writer, "propose");
        mica_json_boolean(&writer, true);
    }
    write_drafted(work, sentence != NULL ? &drafted : NULL, &members, &writer);
    for (size_t i = 0; i < members.count; i++) {
        mica_json_name_text(&writer, members.members[i].name);
        mica_json_value(&writer, &members.members[i].value);
    }
    mica_json_close_object(&writer);
    *body_out = mica_buffer_as_text(&body);
    return body.overflow ? mica_error_set(work->error, MICA_E_LIMIT, "",
                                          "the app has more than %d bytes",
                                          MICA_CLI_APP_BYTES)
                         : MICA_OK;
}

enum mica_status
mica_cli_app_new(struct mica_cli_app *work)
{
    struct mica_json app;
    struct mica_text body;

    MICA_TRY(new_body(work, &body));
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_CREATE, "", body));
    if (answer_print(work))
        return MICA_OK;
    MICA_TRY(mica_cli_app_answer(work, &app));
    mica_cli_print(work->cli, "%.*s\n",
                   MICA_ARG(mica_json_get_text(&app, "mcpSlug")));
    new_say_next(work, &app);
    return MICA_OK;
}

// ---- edit ------------------------------------------------------------------------

// A word for a part of a member that can only be replaced as a whole is for the draft that
// was read: if another one has changed it meanwhile, it is read again.
static enum mica_status
edit_once(struct mica_cli_app *work, int64_t revision)
{
    const char *app = work->words[0];
    bool partial =
        mica_cli_app_words_are_partial(work->words + 1, work->count - 1);
    struct mica_json draft;
    struct mica_text body;

    if (partial) {
        MICA_TRY(mica_cli_app_act(work, MICA_ACT_READ, app, nothing));
        MICA_TRY(mica_cli_app_answer(work, &draft));
        revision = revision > 0 ? revision : work->answer.revision;
    }
    MICA_TRY(mica_cli_app_words_patch(work->cli, work->words + 1,
                                      work->count - 1, partial ? &draft : NULL,
                                      work->error, &body));
    return mica_cli_app_act_at(work, MICA_ACT_EDIT, app, revision, body);
}

static enum mica_status
edit_words(struct mica_cli_app *work)
{
    enum mica_status status;
    int64_t revision;
    unsigned attempt = 0;

    MICA_TRY(mica_cli_app_revision(work, &revision));
    do {
        status = edit_once(work, revision);
    } while (status == MICA_E_REVISION && revision == 0 &&
             ++attempt < ATTEMPTS);
    if (status == MICA_OK)
        work->cli->app_error = NULL;
    return status;
}

static void
edit_say(struct mica_cli_app *work, const struct mica_json *app)
{
    const struct mica_json *findings = mica_json_get(app, "findings");
    struct mica_text slug = mica_json_get_text(app, "mcpSlug");

    mica_cli_print(work->cli, "%.*s has revision %.*s\n", MICA_ARG(slug),
                   MICA_ARG(member_number(app, "revision")));
    mica_cli_app_print_findings(work->cli, findings, false);
    mica_cli_flush(work->cli);
    if (findings_have_error(findings))
        mica_cli_note(work->cli,
                      "mica: the draft is kept; the errors above forbid "
                      "publishing it\n");
    else
        mica_cli_note(work->cli, "mica: \"mica app publish %.*s\" %s\n",
                      MICA_ARG(slug),
                      app_is_published(app) ? "shows the change to clients"
                                            : "publishes it");
}

enum mica_status
mica_cli_app_edit(struct mica_cli_app *work)
{
    struct mica_json app;

    MICA_TRY(edit_words(work));
    if (answer_print(work))
        return MICA_OK;
    MICA_TRY(mica_cli_app_answer(work, &app));
    edit_say(work, &app);
    say_file(work, &app);
    return MICA_OK;
}

// ---- publish, unpublish, rollback, owner -----------------------------------------

// An act that takes --if-revision, and the app that it leaves.
static enum mica_status
app_act(struct mica_cli_app *work, enum mica_act act, struct mica_text body,
        struct mica_json *app_out)
{
    int64_t revision;

    MICA_TRY(mica_cli_app_revision(work, &revision));
    MICA_TRY(mica_cli_app_act_at(work, act, work->words[0], revision, body));
    MICA_TRY(mica_cli_app_answer(work, app_out));
    say_file(work, app_out);
    return MICA_OK;
}

enum mica_status
mica_cli_app_publish(struct mica_cli_app *work)
{
    struct mica_text body;
    struct mica_json app;

    MICA_TRY(mica_cli_app_words_patch(
        work->cli, work->words + 1, work->count - 1, NULL, work->error, &body));
    MICA_TRY(mica_cli_app_load_tools(work, work->words[0]));
    MICA_TRY(app_act(work, MICA_ACT_PUBLISH, body, &app));
    if (answer_print(work))
        return MICA_OK;
    mica_cli_print(work->cli, "%.*s\n",
                   MICA_ARG(mica_json_get_text(&app, "url")));
    mica_cli_flush(work->cli);
    mica_cli_note(work->cli,
                  "mica: version %.*s of %.*s is published. A server of this "
                  "store serves it within a second; \"mica serve\" starts "
                  "one.%s\nTry it in a browser:\n  %.*s/servers/%.*s/host\n",
                  MICA_ARG(member_number(&app, "publishVersion")),
                  MICA_ARG(mica_json_get_text(&app, "mcpSlug")),
                  mica_cli_app_address_source(work),
                  MICA_ARG(work->acts.address),
                  MICA_ARG(mica_json_get_text(&app, "mcpSlug")));
    return MICA_OK;
}

enum mica_status
mica_cli_app_unpublish(struct mica_cli_app *work)
{
    struct mica_json app;

    MICA_TRY(app_act(work, MICA_ACT_UNPUBLISH, nothing, &app));
    if (!answer_print(work))
        mica_cli_print(work->cli,
                       "%.*s is a draft again; its address answers 404\n",
                       MICA_ARG(mica_json_get_text(&app, "mcpSlug")));
    return MICA_OK;
}

enum mica_status
mica_cli_app_rollback(struct mica_cli_app *work)
{
    struct mica_json app;
    int64_t version;
    const char *body;

    MICA_TRY(
        mica_cli_app_number(work, work->words[1], "the version", &version));
    body = mica_cli_format(work->cli, "{\"version\":%lld}", (long long)version);
    MICA_TRY(app_act(work, MICA_ACT_ROLLBACK, mica_text(body), &app));
    if (!answer_print(work))
        mica_cli_print(work->cli,
                       "version %.*s of %.*s is published, with what version "
                       "%lld had\n",
                       MICA_ARG(member_number(&app, "publishVersion")),
                       MICA_ARG(mica_json_get_text(&app, "mcpSlug")),
                       (long long)version);
    return MICA_OK;
}

// {"owner": "…"}
static struct mica_text
owner_body(struct mica_cli_app *work, const char *ownerz)
{
    struct mica_json_writer writer;
    struct mica_buffer body;

    mica_buffer_init(&body, &work->cli->arena, MICA_CLI_APP_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "owner", mica_text(ownerz));
    mica_json_close_object(&writer);
    return mica_buffer_as_text(&body);
}

enum mica_status
mica_cli_app_owner(struct mica_cli_app *work)
{
    struct mica_json app;

    MICA_TRY(app_act(work, MICA_ACT_HAND_OVER, owner_body(work, work->words[1]),
                     &app));
    if (!answer_print(work))
        mica_cli_print(work->cli, "%.*s belongs to %.*s\n",
                       MICA_ARG(mica_json_get_text(&app, "mcpSlug")),
                       MICA_ARG(mica_json_get_text(&app, "owner")));
    return MICA_OK;
}

// ---- delete ----------------------------------------------------------------------

// Asks a person at the terminal; elsewhere --yes must say it.
static enum mica_status
delete_confirm(struct mica_cli_app *work)
{
    struct mica_text line, slug;
    struct mica_json app;

    if (mica_options_has(work->options, "yes"))
        return MICA_OK;
    if (isatty(STDIN_FILENO) == 0 || !work->cli->note_terminal)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "delete asks a person at a terminal, and there "
                              "is no terminal; --yes answers it");
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_READ, work->words[0], nothing));
    MICA_TRY(mica_cli_app_answer(work, &app));
    slug = mica_json_get_text(&app, "mcpSlug");
    mica_cli_note(
        work->cli,
        "Delete \"%.*s\" (%.*s), its draft, versions and usage? %s"
        "This cannot be undone. [y/N] ",
        MICA_ARG(mica_json_get_text(&app, "name")), MICA_ARG(slug),
        app_is_published(&app) ? "It is published: its clients get 404. " : "");
    if (mica_cli_read_line(work->cli, &line) &&
        (mica_text_is(line, "y") || mica_text_is(line, "yes")))
        return MICA_OK;
    return mica_error_set(work->error, MICA_E_CANCELLED, "",
                          "nothing was deleted");
}

enum mica_status
mica_cli_app_delete(struct mica_cli_app *work)
{
    struct mica_json deleted;

    MICA_TRY(delete_confirm(work));
    MICA_TRY(app_act(work, MICA_ACT_DELETE, nothing, &deleted));
    if (!answer_print(work))
        mica_cli_print(work->cli, "%.*s is deleted\n",
                       MICA_ARG(mica_json_get_text(&deleted, "mcpSlug")));
    return MICA_OK;
}
