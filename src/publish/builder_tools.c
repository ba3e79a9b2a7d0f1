// SPDX-License-Identifier: Apache-2.0
//
// What agents read. A description says what a tool does, when to use it and what it needs,
// as the rules for apps want it of their owners.
#include "publish/builder_tools.h"

#include <mica/server.h>

const char mica_builder_instructions[] =
    "Here you build apps: each app is one tool with a widget that shows its "
    "result, and becomes an MCP server at an address of its own. To build one "
    "from a sentence:\n"
    "1. list_layouts, and choose the layout whose data fit what the app shows.\n"
    "2. draft_app makes a start of one sentence; then create_app with name, description, layoutTemplate, toolName (an action "
    "and an object, get_order_status) and toolDescription (what the tool does, "
    "when to use it, which information it needs); mockData by the schema of the "
    "layout, or leave it out for sample data. The answer has findings: mend "
    "those with severity error by edit_app.\n"
    "3. test_app shows what a call answers; preview_app gives an address at "
    "which a person sees the widget.\n"
    "4. publish_app. Its answer has \"url\", the MCP endpoint for clients. Tell "
    "the person that address.\n"
    "After a change with edit_app, publish_app again: the address stays. "
    "rollback_app brings an earlier version back, unpublish_app takes the app "
    "offline. A person who wants several apps at one address gets a collection: "
    "create_collection with their slugs. An answer with isError says what to change; findings name the "
    "member by its JSON Pointer. Ask the person before you delete something or "
    "hand it over.";

// ---- Parts of schemas ------------------------------------------------------------

#define OBJECT(properties_, required_)                  \
    "{\"type\":\"object\",\"properties\":{" properties_ \
    "},\"required\":[" required_ "],\"additionalProperties\":false}"
#define ANSWER(properties_, required_)                  \
    "{\"type\":\"object\",\"properties\":{" properties_ \
    "},\"required\":[" required_ "]}"
#define TEXT(name_, description_) \
    "\"" name_ "\":{\"type\":\"string\",\"description\":\"" description_ "\"}"
#define NUMBER(name_, description_)                                          \
    "\"" name_                                                               \
    "\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"" description_ \
    "\"}"

#define APP TEXT("app", "The app: its mcpSlug or its id")
#define REVISION                                                              \
    NUMBER("revision", "The revision that you have read; the act is refused " \
                       "if the app was changed since. Leave it out to act "   \
                       "on whatever there is")

// The members of a draft.
#define DRAFT                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
    TEXT("name", "The name of the app, for people")                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             \
    "," TEXT(                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
        "description",                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          \
        "What the app is for, in a sentence or two") "," TEXT("toolName",                                                                                                                                                                                                                                                                                                                                                                                                                                                                       \
                                                              "The tool's name for models: an action and an object in "                                                                                                                                                                                                                                                                                                                                                                                                                         \
                                                              "snake_case, like get_order_status") "," TEXT("toolDescription",                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                                            "For models: what the tool does, when to use it, "                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                                            "and which information it needs") ","                                                                                                                                                                                                                                                                                                                                                                                               \
                                                                                                                                              "\"layoutTemplate\":{\"enum\":[\"message\",\"card\",\"list\","                                                                                                                                                                                                                                                                                                                                    \
                                                                                                                                              "\"carousel\",\"table\",\"chart\",\"detail\",\"form\"],\"description\":"                                                                                                                                                                                                                                                                                                                          \
                                                                                                                                              "\"The shape of the data that the widget shows; see list_layouts\"},"                                                                                                                                                                                                                                                                                                                             \
                                                                                                                                              "\"mockData\":{\"type\":\"object\",\"description\":\"The data that the "                                                                                                                                                                                                                                                                                                                          \
                                                                                                                                              "tool answers with while behavior is data, and that previews show; by the "                                                                                                                                                                                                                                                                                                                       \
                                                                                                                                              "schema of the layout. It replaces what was there\"},"                                                                                                                                                                                                                                                                                                                                            \
                                                                                                                                              "\"themeVariables\":{\"type\":\"object\",\"additionalProperties\":{"                                                                                                                                                                                                                                                                                                                              \
                                                                                                                                              "\"type\":\"string\"},\"description\":\"CSS variables of MCP Apps, like "                                                                                                                                                                                                                                                                                                                         \
                                                                                                                                              "--color-background-primary. It replaces what was there\"},"                                                                                                                                                                                                                                                                                                                                      \
                                                                                                                                              "\"behavior\":{\"type\":\"object\",\"description\":\"How a result is "                                                                                                                                                                                                                                                                                                                            \
                                                                                                                                              "made: {\\\"type\\\":\\\"data\\\",\\\"message\\\":text for the model}; "                                                                                                                                                                                                                                                                                                                          \
                                                                                                                                              "{\\\"type\\\":\\\"tool\\\",\\\"tool\\\":name of a tool of this server,"                                                                                                                                                                                                                                                                                                                          \
                                                                                                                                              "\\\"arguments\\\":{\\\"/amount\\\":{\\\"pointer\\\":"                                                                                                                                                                                                                                                                                                                                            \
                                                                                                                                              "\\\"/context/amount\\\"}},\\\"data\\\":{\\\"/title\\\":{\\\"value\\\":"                                                                                                                                                                                                                                                                                                                          \
                                                                                                                                              "\\\"Tip\\\"}}} with JSON Pointers into {message, context} and into the "                                                                                                                                                                                                                                                                                                                         \
                                                                                                                                              "tool's result; {\\\"type\\\":\\\"prompt\\\",\\\"systemPrompt\\\":text,"                                                                                                                                                                                                                                                                                                                          \
                                                                                                                                              "\\\"by\\\":\\\"provider\\\"|\\\"client\\\"|\\\"any\\\"}\"},"                                                                                                                                                                                                                                                                                                                                     \
                                                                                                                                              "\"visibility\":{\"enum\":[\"public\",\"token\",\"scope\"],"                                                                                                                                                                                                                                                                                                                                      \
                                                                                                                                              "\"description\":\"Who may call the published app\"}," TEXT("scope", "The scope that callers need, if visibility is scope") ","                                                                                                                                                                                                                                                                   \
                                                                                                                                                                                                                                                                          "\"budget\":{\"type\":\"object\",\"properties\":{" NUMBER("callsPerDay", "Calls a day") "," NUMBER("tokensPerDay",                                                                                                                                                    \
                                                                                                                                                                                                                                                                                                                                                                             "Tokens of language models a day") "," NUMBER("seconds",                                                                                                           \
                                                                                                                                                                                                                                                                                                                                                                                                                           "Seconds of one call") "," NUMBER("concurrent",                                                                      \
                                                                                                                                                                                                                                                                                                                                                                                                                                                             "Calls at once") "},\"description\":\"Limits; a "                                  \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "public app with a prompt needs them\"},"                         \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "\"roles\":{\"type\":\"object\",\"description\":\"Other people: " \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "{\\\"editors\\\":[names],\\\"viewers\\\":[names]}\"}"

#define CHANGES(name_, description_)                            \
    "\"" name_ "\":{\"type\":\"object\",\"properties\":{" DRAFT \
    "},\"additionalProperties\":false,\"description\":\"" description_ "\"}"

#define FINDINGS                                                       \
    "\"findings\":{\"type\":\"array\",\"items\":{\"type\":\"object\"," \
    "\"properties\":{\"code\":{\"type\":\"string\"},\"severity\":{"    \
    "\"enum\":[\"error\",\"warning\"]},\"forbids\":{\"enum\":["        \
    "\"saving\",\"publishing\"]},\"path\":{\"type\":\"string\"},"      \
    "\"message\":{\"type\":\"string\"}},\"required\":[\"code\","       \
    "\"severity\",\"path\",\"message\"]}}"
#define NEXT "\"next\":{\"type\":[\"integer\",\"null\"]}"

#define RECORD                                                             \
    "\"id\":{\"type\":\"string\"},\"status\":{\"enum\":[\"draft\","        \
    "\"published\"]},\"mcpSlug\":{\"type\":\"string\"},\"owner\":{"        \
    "\"type\":\"string\"},\"revision\":{\"type\":\"integer\"},"            \
    "\"publishVersion\":{\"type\":\"integer\"},\"publishedAt\":{\"type\":" \
    "[\"string\",\"null\"]},\"url\":{\"type\":\"string\"}"
#define EFFECTIVE_BUDGET                                                 \
    "\"effectiveBudget\":{\"type\":\"object\",\"description\":\"The "    \
    "budget that calls of the draft would have; what is missing has no " \
    "limit\"}"
#define RECORD_REQUIRED                                     \
    "\"id\",\"status\",\"mcpSlug\",\"owner\",\"revision\"," \
    "\"publishVersion\",\"publishedAt\",\"url\""
#define APP_ANSWER \
    ANSWER(RECORD "," EFFECTIVE_BUDGET "," FINDINGS, RECORD_REQUIRED)

#define USAGE_NUMBERS                                                       \
    "\"calls\":{\"type\":\"integer\"},\"failures\":{\"type\":\"integer\"}," \
    "\"tokens\":{\"type\":\"integer\"}"

#define COLLECTION TEXT("collection", "The collection: its mcpSlug or its id")
#define MEMBERS                                                              \
    "\"members\":{\"type\":\"array\",\"maxItems\":64,\"items\":{\"type\":"   \
    "\"string\"},\"description\":\"The apps in their order: mcpSlug or id. " \
    "Two published ones may not have the same toolName\"}"
#define COLLECTION_RECORD                                             \
    "\"id\":{\"type\":\"string\"},\"mcpSlug\":{\"type\":\"string\"}," \
    "\"owner\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"}," \
    "\"revision\":{\"type\":\"integer\"},\"url\":{\"type\":\"string\"}"
#define COLLECTION_REQUIRED \
    "\"id\",\"mcpSlug\",\"owner\",\"name\",\"revision\",\"url\""
#define COLLECTION_ANSWER                                                     \
    ANSWER(COLLECTION_RECORD                                                  \
           ",\"members\":{\"type\":\"array\",\"items\":{\"type\":\"object\"," \
           "\"properties\":{\"mcpSlug\":{\"type\":\"string\"},\"served\":{"   \
           "\"type\":\"boolean\"}},\"required\":[\"mcpSlug\",\"served\"]}}",  \
           COLLECTION_REQUIRED ",\"members\"")

// ---- The tools -------------------------------------------------------------------

const struct mica_builder_tool mica_builder_tools[] = {
    {"list_layouts", "List layouts",
     "Lists the eight layouts of widgets with the JSON Schema of their data "
     "and an example. Use it before create_app, to choose a layout and to "
     "write mockData. It needs nothing.",
     MICA_ACT_LAYOUTS, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL, OBJECT("", ""),
     ANSWER("\"layouts\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}",
            "\"layouts\"")},
    {"draft_app", "Draft an app",
     "Drafts an app from one sentence: name, description, layout, mockData, "
     "toolName and toolDescription, made by a language model of the server or "
     "by rule. Nothing is stored: pass \"draft\" of the answer on to "
     "create_app. Use it if a person says what they want and no more; write "
     "the members yourself if you can do better. It needs the sentence.",
     MICA_ACT_DRAFT, MICA_READ_ONLY | MICA_OPEN_WORLD, NULL,
     OBJECT(
         TEXT(
             "sentence",
             "What the app shows or does, at most 1000 "
             "characters") "," TEXT("name",
                                    "The name of the "
                                    "app, if it has "
                                    "one") ","
                                           "\"layoutTemplate\":{\"type\":\"string\",\"description\":\"The "
                                           "layout, if it is chosen already\"},"
                                           "\"by\":{\"enum\":[\"model\",\"rule\"],\"description\":\"Who "
                                           "drafts; without it a model, if the server has one\"}",
         "\"sentence\""),
     ANSWER("\"draft\":{\"type\":\"object\"},\"by\":{\"enum\":[\"model\","
            "\"rule\"]},\"sources\":{\"type\":\"object\"}," FINDINGS,
            "\"draft\",\"by\",\"sources\",\"findings\"")},
    {"create_app", "Create an app",
     "Creates an app as a draft, and reserves its address (mcpSlug). Use it "
     "once for each app that a person wants. It needs a name; give toolName "
     "and toolDescription too, or \"propose\": true to have them made by rule. "
     "The answer has findings that say what is missing for publish_app.",
     MICA_ACT_CREATE, 0, NULL,
     OBJECT(
         DRAFT "," TEXT(
             "mcpSlug",
             "The slug of its address, if one is wanted: 1 to "
             "64 of a-z, 0-9 and hyphens. It gets -2 behind it "
             "if it is taken") ",\"propose\":{\"type\":\"boolean\",\"description\":\"Make "
                               "a missing toolName and toolDescription by rule\"}",
         "\"name\""),
     APP_ANSWER},
    {"list_apps", "List apps",
     "Lists the apps that the caller owns or may edit or view, in the order in "
     "which they were created. Use it to find an app whose mcpSlug you do not "
     "know. It needs nothing; \"next\" of an answer is \"after\" of the next "
     "page.",
     MICA_ACT_LIST_APPS, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(NUMBER("limit", "Apps on the page, 1 to 100") "," NUMBER(
                "after", "Where the page begins: next of the page before"),
            ""),
     ANSWER("\"apps\":{\"type\":\"array\",\"items\":" ANSWER(
                RECORD, RECORD_REQUIRED) "}," NEXT,
            "\"apps\",\"next\"")},
    {"get_app", "Read an app",
     "Reads the draft of an app with its status, address, revision and "
     "findings. Use it before edit_app if you have not seen the app. It needs "
     "the app.",
     MICA_ACT_READ, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(APP, "\"app\""), APP_ANSWER},
    {"edit_app", "Edit an app",
     "Changes members of the draft of an app; what is published stays until "
     "publish_app. Use it to mend findings and to change what the app is. It "
     "needs the app and the changes (a JSON Merge Patch: null removes a "
     "member).",
     MICA_ACT_EDIT, MICA_IDEMPOTENT, "changes",
     OBJECT(APP "," CHANGES("changes", "The members to change") "," REVISION,
            "\"app\",\"changes\""),
     APP_ANSWER},
    {"check_app", "Check an app",
     "Checks a draft without changing it: findings, whether it can be "
     "published, and a proposal for toolName and toolDescription. Use it to "
     "try changes. It needs the app, or \"draft\" with all members of a draft "
     "that is not stored; both: the app with these changes.",
     MICA_ACT_CHECK, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(APP "," CHANGES("draft", "Changes to try, or a whole draft"), ""),
     ANSWER(
         "\"publishable\":{\"type\":\"boolean\"}," FINDINGS
         ",\"proposal\":{\"type\":\"object\",\"properties\":{\"toolName\":{"
         "\"type\":\"string\"},\"toolDescription\":{\"type\":\"string\"}}}," EFFECTIVE_BUDGET,
         "\"publishable\",\"findings\"")},
    {"preview_app", "Preview an app",
     "Makes the widget of the draft with its mockData, or with \"data\". Use "
     "it to show a person how the app looks: give them the address of the "
     "answer. With \"html\": true the document itself is in the answer. It "
     "needs the app.",
     MICA_ACT_PREVIEW, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(
         APP "," CHANGES(
             "draft",
             "Changes to try") ",\"data\":{\"type\":"
                               "\"object\",\"description\":"
                               "\"Data to show, by the "
                               "schema of the layout\"},"
                               "\"html\":{\"type\":\"boolean\",\"description\":\"Add the document "
                               "to the answer (20 KB)\"}",
         "\"app\""),
     ANSWER("\"address\":{\"type\":\"string\"},\"bytes\":{\"type\":"
            "\"integer\"}",
            "\"address\",\"bytes\"")},
    {"test_app", "Test an app",
     "Answers as the tool of the draft would if it were published: it runs the "
     "tool that the draft maps, or asks the language model of its prompt, and "
     "counts as a call of the app. Use it before publish_app. It needs the "
     "app and message; message and context are the arguments of the tool.",
     MICA_ACT_TEST, MICA_OPEN_WORLD, NULL,
     OBJECT(
         APP "," TEXT(
             "message",
             "What a person asks") ",\"context\":{"
                                   "\"type\":\"object\",\"description\":\"Further information\"}," CHANGES(
                                       "draft", "Changes to try"),
         "\"app\""),
     ANSWER("\"content\":{\"type\":\"array\"},\"structuredContent\":{\"type\":"
            "\"object\"},\"_meta\":{\"type\":\"object\"}",
            "\"content\"")},
    {"publish_app", "Publish an app",
     "Makes the draft the next version of the app, and serves it at \"url\" "
     "of the answer, an MCP endpoint that clients connect to. Use it when "
     "check_app says that the app is publishable, and again after each change. "
     "It needs the app.",
     MICA_ACT_PUBLISH, 0, NULL,
     OBJECT(APP "," TEXT("toolName", "Replaces that of the draft") "," TEXT(
                "toolDescription", "Replaces that of the draft") "," REVISION,
            "\"app\""),
     APP_ANSWER},
    {"unpublish_app", "Unpublish an app",
     "Takes an app offline: its address answers 404, its versions stay. Use it "
     "if a person wants the app gone for now; publish_app brings it back. It "
     "needs the app.",
     MICA_ACT_UNPUBLISH, MICA_DESTRUCTIVE, NULL,
     OBJECT(APP "," REVISION, "\"app\""), APP_ANSWER},
    {"rollback_app", "Roll an app back",
     "Publishes an earlier version again, as a new version; the draft stays. "
     "Use it if a publish was a mistake. It needs the app and the version; "
     "list_app_versions names them.",
     MICA_ACT_ROLLBACK, MICA_DESTRUCTIVE, NULL,
     OBJECT(APP
            "," NUMBER("version", "The version to publish again") "," REVISION,
            "\"app\",\"version\""),
     APP_ANSWER},
    {"list_app_versions", "List the versions of an app",
     "Lists what was published, the newest first. Use it to find the version "
     "for rollback_app, get_app_version or compare_app_versions. It needs the "
     "app.",
     MICA_ACT_VERSIONS, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(APP
            "," NUMBER("limit", "Versions on the page, 1 to 100") "," NUMBER(
                "before", "Where the page begins: next of the page "
                          "before"),
            "\"app\""),
     ANSWER("\"versions\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}"
            "}," NEXT,
            "\"versions\",\"next\"")},
    {"get_app_version", "Read a version of an app",
     "Reads what a publish froze. Use it to see an earlier version whole. It "
     "needs the app; without version it reads the newest.",
     MICA_ACT_VERSION, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(APP "," NUMBER("version", "The version"), "\"app\""),
     ANSWER("\"version\":{\"type\":\"integer\"},\"publishedAt\":{\"type\":"
            "\"string\"}",
            "\"version\",\"publishedAt\"")},
    {"compare_app_versions", "Compare versions of an app",
     "Lists what differs between two versions, or a version and the draft "
     "(0): JSON Pointers with the values before and after. Use it before "
     "publish_app, to tell a person what will change. It needs the app; without "
     "numbers it compares the newest version with the draft.",
     MICA_ACT_DIFFERENCE, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(APP "," NUMBER("from", "A version, or 0: the draft") "," NUMBER(
                "to", "A version, or 0: the draft"),
            "\"app\""),
     ANSWER("\"from\":{\"type\":\"integer\"},\"to\":{\"type\":\"integer\"},"
            "\"changes\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}",
            "\"from\",\"to\",\"changes\"")},
    {"hand_over_app", "Hand an app over",
     "Gives an app, with its address, to another owner; the caller loses it. "
     "Use it only if a person asks for it. It needs the app and the name of "
     "the new owner.",
     MICA_ACT_HAND_OVER, MICA_DESTRUCTIVE, NULL,
     OBJECT(APP "," TEXT("owner", "The new owner: the subject of their access "
                                  "token") "," REVISION,
            "\"app\",\"owner\""),
     APP_ANSWER},
    {"delete_app", "Delete an app",
     "Deletes an app with all its versions; its address stays reserved. There "
     "is no way back, so ask the person first; export_app makes a copy. It "
     "needs the app.",
     MICA_ACT_DELETE, MICA_DESTRUCTIVE, NULL,
     OBJECT(APP "," REVISION, "\"app\""),
     ANSWER("\"deleted\":{\"const\":true},\"id\":{\"type\":\"string\"},"
            "\"mcpSlug\":{\"type\":\"string\"}",
            "\"deleted\",\"id\",\"mcpSlug\"")},
    {"export_app", "Export an app",
     "Writes the draft of an app as one JSON that import_app reads, here or at "
     "another server, without people, prompts and models. Use it to copy or to "
     "keep an app. It needs the app.",
     MICA_ACT_EXPORT, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(APP, "\"app\""),
     ANSWER("\"micaApp\":{\"const\":1},\"mcpSlug\":{\"type\":\"string\"},"
            "\"draft\":{\"type\":\"object\"}",
            "\"micaApp\",\"mcpSlug\",\"draft\"")},
    {"import_app", "Import an app",
     "Creates an app from what export_app wrote, as a draft, with its address "
     "if that is free. Use it to copy an app. It needs \"exported\".",
     MICA_ACT_IMPORT, 0, "exported",
     OBJECT("\"exported\":{\"type\":\"object\",\"description\":\"The JSON that "
            "export_app wrote\"}",
            "\"exported\""),
     APP_ANSWER},
    {"get_app_usage", "Read the usage of an app",
     "Counts the calls, failures and tokens of an app by day (UTC). Use it if "
     "a person asks how much an app is used. It needs the app; without days it "
     "counts the last thirty.",
     MICA_ACT_USAGE, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(APP "," TEXT("from", "The first day, like 2026-11-26") "," TEXT(
                "to", "The last day"),
            "\"app\""),
     ANSWER("\"from\":{\"type\":\"string\"},\"to\":{\"type\":\"string\"},"
            "\"days\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
            "\"properties\":{\"day\":{\"type\":\"string\"}," USAGE_NUMBERS
            "}}},\"total\":{\"type\":\"object\",\"properties\":{" USAGE_NUMBERS
            "}}",
            "\"from\",\"to\",\"days\",\"total\"")},
    {"create_collection", "Create a collection",
     "Creates a collection: one MCP server with the tools of several published "
     "apps. Use it when a person wants a client to have them at one address. "
     "It needs a name; members may be added later. Its address answers once "
     "one of its apps is published.",
     MICA_ACT_CREATE_COLLECTION, 0, NULL,
     OBJECT(
         TEXT("name", "The name of the collection, for people") "," TEXT(
             "description", "What it is for, in a sentence or two") "," MEMBERS,
         "\"name\""),
     COLLECTION_ANSWER},
    {"list_collections", "List collections",
     "Lists the collections that the caller owns or may edit or view. Use it "
     "to find one whose mcpSlug you do not know. It needs nothing; \"next\" of "
     "an answer is \"after\" of the next page.",
     MICA_ACT_LIST_COLLECTIONS, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(NUMBER("limit", "Collections on the page, 1 to 100") "," NUMBER(
                "after", "Where the page begins: next of the page before"),
            ""),
     ANSWER("\"collections\":{\"type\":\"array\",\"items\":" ANSWER(
                COLLECTION_RECORD, COLLECTION_REQUIRED) "}," NEXT,
            "\"collections\",\"next\"")},
    {"get_collection", "Read a collection",
     "Reads a collection with its apps; \"served\" says whether clients have "
     "the tool of an app, and \"reason\" why not. Use it before you change "
     "one. It needs the collection.",
     MICA_ACT_READ_COLLECTION, MICA_READ_ONLY | MICA_IDEMPOTENT, NULL,
     OBJECT(COLLECTION, "\"collection\""), COLLECTION_ANSWER},
    {"edit_collection", "Edit a collection",
     "Changes name, description or members of a collection; clients have the "
     "change at once. Use it to rename a collection, and to give its apps "
     "another order. It needs the collection and the changes.",
     MICA_ACT_EDIT_COLLECTION, MICA_IDEMPOTENT, "changes",
     OBJECT(
         COLLECTION ",\"changes\":{\"type\":\"object\",\"properties\":{" TEXT(
             "name",
             "The name of the collection") ",\"description\":{"
                                           "\"type\":[\"string\",\"null\"]}," MEMBERS
                                           ",\"roles\":{\"type\":\"object\"}},\"additionalProperties\":false,"
                                           "\"description\":\"The members to change; a list of apps replaces "
                                           "the one before\"}," REVISION,
         "\"collection\",\"changes\""),
     COLLECTION_ANSWER},
    {"add_app_to_collection", "Add an app to a collection",
     "Adds an app to a collection; one that is there already is moved. Use it "
     "if a person wants an app at the address of the collection, too. It needs "
     "the collection and the app.",
     MICA_ACT_ADD_MEMBER, MICA_IDEMPOTENT, NULL,
     OBJECT(COLLECTION "," APP "," NUMBER(
                "place", "Its place in the list, 1 for the first; without it "
                         "the app is the last") "," REVISION,
            "\"collection\",\"app\""),
     COLLECTION_ANSWER},
    {"remove_app_from_collection", "Remove an app from a collection",
     "Takes an app out of a collection; the app itself stays as it is. Use it "
     "if clients of the collection should not have its tool. It needs the "
     "collection and the app.",
     MICA_ACT_REMOVE_MEMBER, MICA_IDEMPOTENT, NULL,
     OBJECT(COLLECTION "," APP "," REVISION, "\"collection\",\"app\""),
     COLLECTION_ANSWER},
    {"hand_over_collection", "Hand a collection over",
     "Gives a collection, with its address, to another owner; apps that the new "
     "owner may not edit are not served any more. Use it only if a person asks "
     "for it. It needs the collection and the name of the new owner.",
     MICA_ACT_OWN_COLLECTION, MICA_DESTRUCTIVE, NULL,
     OBJECT(COLLECTION
            "," TEXT("owner", "The new owner: the subject of their access "
                              "token") "," REVISION,
            "\"collection\",\"owner\""),
     COLLECTION_ANSWER},
    {"delete_collection", "Delete a collection",
     "Deletes a collection, and none of its apps; its address stays reserved. "
     "There is no way back, so ask the person first. It needs the collection.",
     MICA_ACT_DELETE_COLLECTION, MICA_DESTRUCTIVE, NULL,
     OBJECT(COLLECTION "," REVISION, "\"collection\""),
     ANSWER("\"deleted\":{\"const\":true},\"id\":{\"type\":\"string\"},"
            "\"mcpSlug\":{\"type\":\"string\"}",
            "\"deleted\",\"id\",\"mcpSlug\"")},
};

const size_t mica_builder_tool_count = MICA_COUNT(mica_builder_tools);
