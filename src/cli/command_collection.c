// SPDX-License-Identifier: Apache-2.0
//
// mica collection: several apps as the tools of one slug. It works on the store that mica app
// works on, by the same acts (command_app.h).
//
// stdout has what a script uses (a slug, a line), stderr what a person may do next.
#include <string.h>

#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/command_app.h"
#include "cli/commands.h"
#include "cli/near.h"

enum {
    ANY = 4096, // words, at most
    LABEL_COLUMNS = 8
};

static const struct mica_text nothing = {NULL, 0};

// ---- Answers ---------------------------------------------------------------------

static void
print_members(struct mica_cli *cli, const struct mica_json *collection)
{
    const struct mica_json *members = mica_json_get(collection, "members");

    for (size_t i = 0; members != NULL && i < members->count; i++) {
        const struct mica_json *member = &members->items[i];
        struct mica_text why = mica_json_get_text(member, "reason");
        const char *whyz = "";
        if (mica_text_is(why, "unpublished"))
            whyz = "  not served: the app is not published";
        else if (mica_text_is(why, "owner"))
            whyz = "  not served: the owner of the collection may not edit it";
        else if (why.len > 0)
            whyz = "  not served: an app before it has the same tool name";
        mica_cli_print(cli, "  %zu. %.*s  %s%.*s%s%s\n", i + 1,
                       MICA_ARG(mica_json_get_text(member, "mcpSlug")),
                       mica_cli_dim(cli),
                       MICA_ARG(mica_json_get_text(member, "toolName")),
                       mica_cli_plain(cli), whyz);
    }
}

static void
print_row(struct mica_cli *cli, const char *labelz, struct mica_text value)
{
    if (value.len == 0)
        return;
    mica_cli_print(cli, "  %s%s%s", mica_cli_dim(cli), labelz,
                   mica_cli_plain(cli));
    for (size_t i = strlen(labelz); i < LABEL_COLUMNS; i++)
        mica_cli_print(cli, " ");
    mica_cli_print(cli, "%.*s\n", MICA_ARG(value));
}

static void
print_head(struct mica_cli *cli, const struct mica_json *collection)
{
    mica_cli_print(cli, "%s%.*s%s  %.*s\n", mica_cli_bold(cli),
                   MICA_ARG(mica_json_get_text(collection, "mcpSlug")),
                   mica_cli_plain(cli),
                   MICA_ARG(mica_json_get_text(collection, "name")));
}

// Prints the answer of an act on one collection.
static enum mica_status
collection_print(struct mica_cli_app *work)
{
    struct mica_json collection;

    if (work->json) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_app_answer(work, &collection));
    print_head(work->cli, &collection);
    print_row(work->cli, "about",
              mica_json_get_text(&collection, "description"));
    print_row(work->cli, "url", mica_json_get_text(&collection, "url"));
    print_row(work->cli, "owner", mica_json_get_text(&collection, "owner"));
    print_members(work->cli, &collection);
    return MICA_OK;
}

// ---- Bodies ----------------------------------------------------------------------

struct body {
    struct mica_buffer text;
    struct mica_json_writer writer;
};

static void
body_open(struct mica_cli_app *work, struct body *body)
{
    mica_buffer_init(&body->text, &work->cli->arena, MICA_CLI_APP_BYTES);
    mica_json_writer_init(&body->writer, &body->text);
    mica_json_open_object(&body->writer);
}

static struct mica_text
body_close(struct body *body)
{
    mica_json_close_object(&body->writer);
    return mica_buffer_as_text(&body->text);
}

// "members": the words from `first` on.
static void
body_members(struct mica_cli_app *work, size_t first, struct body *body)
{
    mica_json_name(&body->writer, "members");
    mica_json_open_array(&body->writer);
    for (size_t i = first; i < work->count; i++)
        mica_json_stringz(&body->writer, work->words[i]);
    mica_json_close_array(&body->writer);
}

// An act on the collection of the first word, for the revision of --if-revision.
static enum mica_status
collection_act(struct mica_cli_app *work, enum mica_act act,
               struct mica_text body)
{
    int64_t revision;

    MICA_TRY(mica_cli_app_revision(work, &revision));
    MICA_TRY(mica_cli_app_act_at(work, act, work->words[0], revision, body));
    return collection_print(work);
}

// ---- Subcommands -----------------------------------------------------------------

static enum mica_status
collection_new(struct mica_cli_app *work)
{
    const char *description = mica_cli_app_flag(work, "description");
    struct mica_json collection;
    struct body body;

    body_open(work, &body);
    mica_json_field(&body.writer, "name", mica_text(work->words[0]));
    if (description != NULL)
        mica_json_field(&body.writer, "description", mica_text(description));
    body_members(work, 1, &body);
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_CREATE_COLLECTION, "",
                              body_close(&body)));
    if (work->json)
        return collection_print(work);
    MICA_TRY(mica_cli_app_answer(work, &collection));
    mica_cli_print(work->cli, "%.*s\n",
                   MICA_ARG(mica_json_get_text(&collection, "mcpSlug")));
    mica_cli_flush(work->cli);
    mica_cli_note(work->cli,
                  "mica: clients find its published apps at\n  %.*s\n",
                  MICA_ARG(mica_json_get_text(&collection, "url")));
    return MICA_OK;
}

static enum mica_status
collection_list(struct mica_cli_app *work)
{
    const char *after = mica_cli_app_flag(work, "after");
    const struct mica_json *list;
    struct mica_json answer;
    unsigned limit;
    int64_t number = 0;
    bool done;

    MICA_TRY(mica_cli_app_print_slugs(work, MICA_ACT_LIST_COLLECTIONS,
                                      "collections", &done));
    if (done)
        return MICA_OK;
    MICA_TRY(mica_options_number(work->options, "limit", MICA_ACT_LIST_DEFAULT,
                                 MICA_ACT_LIST, work->error, &limit));
    if (after != NULL)
        MICA_TRY(mica_cli_app_number(work, after, "--after", &number));
    MICA_TRY(mica_cli_app_act(
        work, MICA_ACT_LIST_COLLECTIONS, "",
        mica_text(mica_cli_format(work->cli, "{\"limit\":%u,\"after\":%lld}",
                                  limit, (long long)number))));
    if (work->json)
        return collection_print(work);
    MICA_TRY(mica_cli_app_answer(work, &answer));
    list = mica_json_get(&answer, "collections");
    for (size_t i = 0; i < list->count; i++)
        print_head(work->cli, &list->items[i]);
    if (list->count == 0)
        mica_cli_note(work->cli, "There are no collections here. \"mica "
                                 "collection new NAME APP…\" makes one.\n");
    if (mica_json_get(&answer, "next")->kind == MICA_JSON_NUMBER)
        mica_cli_note(work->cli, "The next page: --after %.*s\n",
                      MICA_ARG(mica_json_get(&answer, "next")->text));
    return MICA_OK;
}

static enum mica_status
collection_show(struct mica_cli_app *work)
{
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_READ_COLLECTION, work->words[0],
                              nothing));
    return collection_print(work);
}

static enum mica_status
collection_edit(struct mica_cli_app *work)
{
    struct mica_text patch;

    MICA_TRY(mica_cli_app_words_patch(work->cli, work->words + 1,
                                      work->count - 1, NULL, work->error,
                                      &patch));
    return collection_act(work, MICA_ACT_EDIT_COLLECTION, patch);
}

static enum mica_status
collection_set(struct mica_cli_app *work)
{
    struct body body;

    body_open(work, &body);
    body_members(work, 1, &body);
    return collection_act(work, MICA_ACT_EDIT_COLLECTION, body_close(&body));
}

// One act on one app.
static enum mica_status
member_act(struct mica_cli_app *work, enum mica_act act)
{
    struct body body;

    body_open(work, &body);
    mica_json_field(&body.writer, "app", mica_text(work->words[1]));
    return collection_act(work, act, body_close(&body));
}

static enum mica_status
collection_add(struct mica_cli_app *work)
{
    return member_act(work, MICA_ACT_ADD_MEMBER);
}

static enum mica_status
collection_remove(struct mica_cli_app *work)
{
    return member_act(work, MICA_ACT_REMOVE_MEMBER);
}

static enum mica_status
collection_owner(struct mica_cli_app *work)
{
    struct body body;

    body_open(work, &body);
    mica_json_field(&body.writer, "owner", mica_text(work->words[1]));
    return collection_act(work, MICA_ACT_OWN_COLLECTION, body_close(&body));
}

// A collection is made anew with two words, so no person is asked.
static enum mica_status
collection_delete(struct mica_cli_app *work)
{
    int64_t revision;

    MICA_TRY(mica_cli_app_revision(work, &revision));
    MICA_TRY(mica_cli_app_act_at(work, MICA_ACT_DELETE_COLLECTION,
                                 work->words[0], revision, nothing));
    if (work->json)
        return collection_print(work);
    mica_cli_print(work->cli, "%s is deleted; its apps stay\n", work->words[0]);
    return MICA_OK;
}

// ---- The table -------------------------------------------------------------------

static const struct mica_cli_app_row collection_rows[] = {
    {"new", 1, ANY, MICA_CLI_APP_STORE_MADE, collection_new},
    {"list", 0, 0, MICA_CLI_APP_STORE_THERE, collection_list},
    {"show", 1, 1, MICA_CLI_APP_STORE_THERE, collection_show},
    {"add", 2, 2, MICA_CLI_APP_STORE_THERE, collection_add},
    {"remove", 2, 2, MICA_CLI_APP_STORE_THERE, collection_remove},
    {"set", 1, ANY, MICA_CLI_APP_STORE_THERE, collection_set},
    {"edit", 2, ANY, MICA_CLI_APP_STORE_THERE, collection_edit},
    {"owner", 2, 2, MICA_CLI_APP_STORE_THERE, collection_owner},
    {"delete", 1, 1, MICA_CLI_APP_STORE_THERE, collection_delete}};

static const struct mica_subcommand subcommands[] = {
    {"new", "NAME [APP…] [--description TEXT]",
     "Create a collection of apps, and reserve its slug",
     "mica collection new 'Front Desk' order-status stock"},
    {"list", "[--limit N] [--after N] | --slugs",
     "List the collections of the store", "mica collection list --json"},
    {"show", "SLUG", "Show a collection, its address and its apps",
     "mica collection show front-desk"},
    {"add", "SLUG APP", "Add an app at its end",
     "mica collection add front-desk my-support-bot"},
    {"remove", "SLUG APP", "Take an app out; the app itself stays",
     "mica collection remove front-desk stock"},
    {"set", "SLUG [APP…]", "Give it these apps, in this order",
     "mica collection set front-desk stock order-status"},
    {"edit", "SLUG NAME=VALUE… [--if-revision N]",
     "Change its name, description or roles",
     "mica collection edit front-desk description='What the desk needs.' "
     "roles.editors=ada"},
    {"owner", "SLUG NAME", "Hand it over to another owner",
     "mica collection owner front-desk ada@example.org"},
    {"delete", "SLUG", "Delete it, and none of its apps",
     "mica collection delete front-desk"},
    {NULL, NULL, NULL, NULL}};

static const struct mica_synonym synonyms[] = {
    {"create", "new"}, {"ls", "list"},     {"get", "show"},
    {"info", "show"},  {"put", "add"},     {"take", "remove"},
    {"order", "set"},  {"update", "edit"}, {"transfer", "owner"},
    {"rm", "delete"},  {NULL, NULL}};

_Static_assert(MICA_COUNT(collection_rows) <= MICA_CLI_APP_ROWS,
               "MICA_CLI_APP_ROWS");

static const struct mica_cli_app_table table = {
    .command = "collection",
    .usual = "new NAME APP…, list, show SLUG",
    .rows = collection_rows,
    .count = MICA_COUNT(collection_rows),
    .subcommands = subcommands,
    .synonyms = synonyms};

static enum mica_status
collection_run(struct mica_cli *cli, const struct mica_options *options,
               struct mica_error *error)
{
    return mica_cli_app_command(&table, cli, options, error);
}

static const struct mica_option options[] = {
    {"description", MICA_OPTION_VALUE, "TEXT",
     "what a new collection is for, for people"},
    {"if-revision", MICA_OPTION_VALUE, "N",
     "change the collection only if it has that revision, which --json says"},
    {"slugs", MICA_OPTION_SWITCH, NULL,
     "list the slugs of all collections and nothing else, one a line"},
    {"limit", MICA_OPTION_VALUE, "N",
     "collections of one page, at most 100 (default 50)"},
    {"after", MICA_OPTION_VALUE, "N",
     "begin behind that page: the page before says where, as \"next\" in JSON"},
    {"store", MICA_OPTION_VALUE, "SPEC",
     "sqlite:PATH; without it the store of the project in this folder, and "
     "elsewhere $XDG_STATE_HOME/mica/mica.db"},
    MICA_PLACE_OPTIONS,
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_collection = {
    .name = "collection",
    .group = MICA_GROUP_PUBLISHING,
    .summary = "Serve several apps as the tools of one slug",
    .usage =
        "new NAME [APP…] | list | show SLUG | add|remove SLUG APP |\n"
        "    set SLUG [APP…] | edit SLUG NAME=VALUE… | owner|delete SLUG …",
    .example = "mica collection new 'Front Desk' order-status stock\n"
               "  mica collection add front-desk my-support-bot\n"
               "  mica collection show front-desk",
    .more =
        "A collection is an MCP server at /servers/SLUG/mcp with one tool for "
        "each of its published apps; an app is named by its slug or its id. "
        "Each keeps its own address, visibility, budget and usage. The command "
        "works on the store that \"mica serve\" uses here, as \"mica app\" "
        "does; a server of that store serves each change within a second.",
    .words = "new|list|show|add|remove|set|edit|owner|delete",
    .options = options,
    .subcommands = subcommands,
    .error_body = true,
    .settings = true,
    .run = collection_run};
