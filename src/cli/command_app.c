// SPDX-License-Identifier: Apache-2.0
//
// mica app: its subcommands, options and help. command_app.h says which file does what.
#include "cli/command_app.h"

#include <string.h>

#include "cli/cli_catalog.h"
#include "cli/cli_keep.h"
#include "cli/commands.h"
#include "cli/converse.h"
#include "cli/near.h"
#include "cli/settings_providers.h"

enum {
    ANY = 4096 // words, at most
};

// How a subcommand is called and run.
static const struct mica_cli_app_row app_rows[] = {
    {"new", 1, ANY, MICA_CLI_APP_STORE_MADE, mica_cli_app_new},
    {"list", 0, 0, MICA_CLI_APP_STORE_THERE, mica_cli_app_list},
    {"show", 1, 1, MICA_CLI_APP_STORE_THERE, mica_cli_app_show},
    {"edit", 2, ANY, MICA_CLI_APP_STORE_THERE, mica_cli_app_edit},
    {"check", 1, ANY, MICA_CLI_APP_STORE_THERE, mica_cli_app_check},
    {"preview", 1, ANY, MICA_CLI_APP_STORE_THERE, mica_cli_app_preview},
    {"test", 1, ANY, MICA_CLI_APP_STORE_THERE, mica_cli_app_test},
    {"publish", 1, ANY, MICA_CLI_APP_STORE_THERE, mica_cli_app_publish},
    {"unpublish", 1, 1, MICA_CLI_APP_STORE_THERE, mica_cli_app_unpublish},
    {"versions", 1, 1, MICA_CLI_APP_STORE_THERE, mica_cli_app_versions},
    {"version", 1, 2, MICA_CLI_APP_STORE_THERE, mica_cli_app_version},
    {"diff", 1, 3, MICA_CLI_APP_STORE_THERE, mica_cli_app_diff},
    {"rollback", 2, 2, MICA_CLI_APP_STORE_THERE, mica_cli_app_rollback},
    {"export", 1, 1, MICA_CLI_APP_STORE_THERE, mica_cli_app_export},
    {"import", 1, 1, MICA_CLI_APP_STORE_MADE, mica_cli_app_import},
    {"owner", 2, 2, MICA_CLI_APP_STORE_THERE, mica_cli_app_owner},
    {"usage", 1, 1, MICA_CLI_APP_STORE_THERE, mica_cli_app_usage},
    {"layouts", 0, 1, MICA_CLI_APP_STORE_NONE, mica_cli_app_layouts},
    {"delete", 1, 1, MICA_CLI_APP_STORE_THERE, mica_cli_app_delete}};

static const struct mica_subcommand subcommands[] = {
    {"new", "NAME [--layout L] [--describe SENTENCE] [NAME=VALUE…]",
     "Create an app as a draft, and reserve its slug",
     "mica app new 'My Support Bot' --layout card\n  "
     "mica app new 'Order Tracker' --describe 'Shows where an order is.'"},
    {"list", "[--limit N] [--after N] | --slugs", "List the apps of the store",
     "mica app list --json"},
    {"show", "SLUG", "Show an app, its address and its findings",
     "mica app show my-support-bot"},
    {"edit", "SLUG NAME=VALUE… [--if-revision N]", "Change the draft",
     "mica app edit my-support-bot toolName=get_order_status\n  "
     "mica app edit my-support-bot toolDescription=@about.txt\n  "
     "mica app edit my-support-bot /mockData/title='Order 12345'"},
    {"check", "SLUG [NAME=VALUE…]", "Say what forbids publishing it",
     "mica app check my-support-bot"},
    {"preview", "SLUG [NAME=VALUE…] [-o FILE]",
     "Write its widget as a document",
     "mica app preview my-support-bot -o preview.html"},
    {"test", "SLUG message=TEXT [context=JSON] [draft.NAME=VALUE…]",
     "Run the draft as a call of its tool would, and count it",
     "mica app test my-support-bot message='Where is my order?'\n  "
     "mica app test my-prompt-bot message='Where is it?' --models"},
    {"publish", "SLUG [toolName=… toolDescription=…]",
     "Publish the draft as the next version",
     "mica app publish my-support-bot"},
    {"unpublish", "SLUG", "Withdraw it: its address answers 404",
     "mica app unpublish my-support-bot"},
    {"versions", "SLUG [--limit N] [--after N]", "List what was published",
     "mica app versions my-support-bot"},
    {"version", "SLUG [N]", "Show what a publish froze",
     "mica app version my-support-bot 2"},
    {"diff", "SLUG [FROM [TO]]", "Compare two versions, or one with the draft",
     "mica app diff my-support-bot 1 2\n  mica app diff my-support-bot"},
    {"rollback", "SLUG N", "Publish an earlier version again",
     "mica app rollback my-support-bot 1"},
    {"export", "SLUG [-o FILE]", "Write the draft as one JSON document",
     "mica app export my-support-bot -o my-support-bot.json"},
    {"import", "FILE", "Create an app from such a document",
     "mica app import my-support-bot.json"},
    {"owner", "SLUG NAME", "Hand it over to another owner",
     "mica app owner my-support-bot ada@example.org"},
    {"usage", "SLUG [--from DAY] [--to DAY]", "Count its calls, by day",
     "mica app usage my-support-bot --from 2026-11-01"},
    {"layouts", "[NAME]", "List the layouts, or show the data that one takes",
     "mica app layouts table"},
    {"delete", "SLUG [--yes]", "Delete it with its versions",
     "mica app delete my-support-bot --yes"},
    {NULL, NULL, NULL, NULL}};

// Words of other programs, and mica's.
static const struct mica_synonym synonyms[] = {{"create", "new"},
                                               {"add", "new"},
                                               {"init", "new"},
                                               {"ls", "list"},
                                               {"get", "show"},
                                               {"info", "show"},
                                               {"describe", "show"},
                                               {"read", "show"},
                                               {"set", "edit"},
                                               {"update", "edit"},
                                               {"patch", "edit"},
                                               {"validate", "check"},
                                               {"lint", "check"},
                                               {"render", "preview"},
                                               {"html", "preview"},
                                               {"call", "test"},
                                               {"try", "test"},
                                               {"deploy", "publish"},
                                               {"release", "publish"},
                                               {"republish", "publish"},
                                               {"withdraw", "unpublish"},
                                               {"history", "versions"},
                                               {"log", "versions"},
                                               {"difference", "diff"},
                                               {"compare", "diff"},
                                               {"revert", "rollback"},
                                               {"undo", "rollback"},
                                               {"dump", "export"},
                                               {"load", "import"},
                                               {"hand-over", "owner"},
                                               {"transfer", "owner"},
                                               {"chown", "owner"},
                                               {"stats", "usage"},
                                               {"templates", "layouts"},
                                               {"rm", "delete"},
                                               {"remove", "delete"},
                                               {NULL, NULL}};

_Static_assert(MICA_COUNT(app_rows) <= MICA_CLI_APP_ROWS, "MICA_CLI_APP_ROWS");

static const struct mica_cli_app_table table = {
    .command = "app",
    .usual = "new NAME, list, show SLUG, edit SLUG NAME=VALUE, publish SLUG",
    .rows = app_rows,
    .count = MICA_COUNT(app_rows),
    .subcommands = subcommands,
    .synonyms = synonyms};

static enum mica_status
app_run(struct mica_cli *cli, const struct mica_options *options,
        struct mica_error *error)
{
    return mica_cli_app_command(&table, cli, options, error);
}

static const struct mica_option options[] = {
    {"layout", MICA_OPTION_VALUE,
     "message|card|list|carousel|table|chart|detail|form",
     "how a new app shows its results (default card)"},
    {"description", MICA_OPTION_VALUE, "TEXT",
     "what a new app is for, for people"},
    {"describe", MICA_OPTION_VALUE, "SENTENCE",
     "draft a new app from one sentence: description, layout, data, tool name "
     "and tool description; by a language model with --models, else by rule"},
    {"propose", MICA_OPTION_SWITCH, NULL,
     "give a new app a tool name and a tool description, made by rule from its "
     "name and description"},
    {"if-revision", MICA_OPTION_VALUE, "N",
     "change the app only if it has that revision, which show and --json say"},
    {"out", MICA_OPTION_VALUE, "FILE",
     "where preview and export write (default stdout)"},
    {"from", MICA_OPTION_VALUE, "DAY",
     "the first day of usage, like 2026-11-01 (default 30 days)"},
    {"to", MICA_OPTION_VALUE, "DAY", "the last day of usage (default today)"},
    {"limit", MICA_OPTION_VALUE, "N",
     "apps or versions of one page, at most 100 (default 50)"},
    {"after", MICA_OPTION_VALUE, "N",
     "begin behind that page: the page before says where, as \"next\" in JSON"},
    {"slugs", MICA_OPTION_SWITCH, NULL,
     "list the slugs of all apps and nothing else, one a line"},
    {"yes", MICA_OPTION_SWITCH, NULL, "delete without asking"},
    MICA_MODELS_OPTION,
    MICA_CONVERSE_OPTIONS,
    MICA_KEEP_CLI_OPTIONS,
    {"store", MICA_OPTION_VALUE, "SPEC",
     "sqlite:PATH; without it the store of the project in this folder, and "
     "elsewhere $XDG_STATE_HOME/mica/mica.db"},
    MICA_PLACE_OPTIONS,
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_app = {
    .name = "app",
    .group = MICA_GROUP_PUBLISHING,
    .summary = "Make apps, and publish each as an MCP server at its slug",
    .usage = "new NAME | list | show SLUG | edit SLUG NAME=VALUE… |\n"
             "    publish SLUG | check|preview|test|unpublish SLUG | …",
    .example = "mica app new 'My Support Bot' --layout card\n"
               "  mica app edit my-support-bot toolName=get_order_status "
               "toolDescription=@about.txt\n"
               "  mica app publish my-support-bot\n"
               "  mica app diff my-support-bot 1 2\n"
               "  mica app rollback my-support-bot 1",
    .more =
        "An app is a draft that is edited, and published as an MCP server with "
        "one tool at /servers/SLUG/mcp. The command works on the store that "
        "\"mica serve\" uses here, with a server or without one; a server of "
        "that store serves each change within a second. NAME=VALUE sets a "
        "member of the draft: a text as it is, @FILE for the text of a file, "
        "JSON for the others, behavior.type=… or a JSON Pointer for a member "
        "inside, null to remove it. With --json a failure is "
        "{\"error\":{\"code\",\"message\",\"details\"}} on stdout. \"mica app "
        "WORD --help\" explains one.",
    .words = "new|list|show|edit|check|preview|test|publish|unpublish|versions|"
             "version|diff|rollback|export|import|owner|usage|layouts|delete",
    .options = options,
    .subcommands = subcommands,
    .error_body = true,
    .settings = true,
    .run = app_run};
