// SPDX-License-Identifier: Apache-2.0
//
// The life of an app by acts: publishing, its history, rolling back, lists, export and
// import, usage, and apps that map a tool of the server.
#include "apps/widget.h"
#include "server/server.h"
#include "test_app_acts.h"

// ---- Publishing ------------------------------------------------------------------

static struct mica_store_published_app
published(const char *slug)
{
    struct mica_store_published_app app;
    struct mica_error error;

    ck_assert_int_eq(mica_store_app_published(acts_store, mica_text(slug),
                                              &acts_arena, &error, &app),
                     MICA_OK);
    return app;
}

START_TEST(a_first_publish_needs_a_tool_name_and_a_description)
{
    acts_open();
    ACT_OK(olga, MICA_ACT_CREATE, "", "{\"name\":\"Support\"}");
    const char *slug = mica_arena_text(&acts_arena, answer.slug).ptr;
    ck_assert_int_eq(act(&olga, MICA_ACT_PUBLISH, slug, ""), MICA_E_CONFIG);
    const char *details =
        mica_arena_text(&acts_arena, answer.error.details).ptr;
    ck_assert_ptr_nonnull(strstr(details, "\"path\":\"/toolName\""));
    ck_assert_ptr_nonnull(strstr(details, "\"path\":\"/toolDescription\""));
    ck_assert_int_eq(
        act(&olga, MICA_ACT_PUBLISH, slug, "{\"toolName\":\"get_help\"}"),
        MICA_E_CONFIG);
    ACT_OK(olga, MICA_ACT_READ, slug, "");
    ck_assert_int_eq(number_at("/revision"), 1); // nothing was saved
    // As the contract has it: names come with the publish, and are saved.
    ACT_OK(olga, MICA_ACT_PUBLISH, slug,
           "{\"toolName\":\"get_help\",\"toolDescription\":\"Help customers "
           "with questions about orders. Use when a customer asks for help. "
           "Requires the question.\"}");
    ck_assert_str_eq(text_at("/toolName"), "get_help");
    ck_assert_str_eq(text_at("/status"), "published");
    ck_assert_int_eq(number_at("/publishVersion"), 1);
    ck_assert_int_eq(json_at(answer.json, "/publishedAt").kind,
                     MICA_JSON_STRING);
    ck_assert_int_eq(number_at("/revision"), 3);
    ck_assert_int_eq(answer.revision, 3);
    acts_close();
}
END_TEST

START_TEST(a_version_has_the_draft_and_the_widget_of_its_publish)
{
    struct mica_store_published_app app;
    struct mica_text html;
    struct mica_error error;

    acts_open();
    const char *slug = app_of("Versions");
    ACT_OK(olga, MICA_ACT_PUBLISH, slug, "");
    app = published(slug);
    ck_assert_uint_eq(app.version.widget.len, MICA_WIDGET_TAG);
    ck_assert_int_eq(mica_store_app_widget(acts_store, mica_text(slug),
                                           app.version.widget, &acts_arena,
                                           &error, &html),
                     MICA_OK);
    ck_assert(mica_text_starts(html, "<!"));
    // An edit of the draft changes nothing of it; a publish of the same draft neither.
    struct mica_text first = app.version.text;
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"description\":\"changed\"}");
    ck_assert(mica_text_equal(published(slug).version.text, first));
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"description\":null}");
    ACT_OK(olga, MICA_ACT_PUBLISH, slug, "");
    app = published(slug);
    ck_assert(mica_text_equal(app.version.text, first));
    ck_assert_int_eq(app.version.version, 2);
    ck_assert_str_eq(text_at("/url"),
                     "http://127.0.0.1:8080/servers/versions/mcp");
    ACT_OK(olga, MICA_ACT_UNPUBLISH, slug, "");
    ck_assert_str_eq(text_at("/status"), "draft");
    ck_assert_int_eq(number_at("/publishVersion"), 2);
    ck_assert_int_eq(mica_store_app_published(acts_store, mica_text(slug),
                                              &acts_arena, &error, &app),
                     MICA_E_NOT_FOUND);
    acts_close();
}
END_TEST

START_TEST(a_history_is_listed_read_compared_and_rolled_back)
{
    acts_open();
    const char *slug = app_of("History");
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"description\":\"one\"}");
    ACT_OK(olga, MICA_ACT_PUBLISH, slug, "");
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"description\":\"two\"}");
    ACT_OK(olga, MICA_ACT_PUBLISH, slug, "");
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"description\":\"three\"}");
    ACT_OK(olga, MICA_ACT_VERSIONS, slug, "");
    ck_assert_uint_eq(json_at(answer.json, "/versions").count, 2);
    ck_assert_int_eq(number_at("/versions/0/version"), 2);
    ck_assert_str_eq(text_at("/versions/0/current"), "true");
    ck_assert_str_eq(text_at("/versions/1/current"), "false");
    ACT_OK(olga, MICA_ACT_VERSION, slug, "{\"version\":1}");
    ck_assert_str_eq(text_at("/description"), "one");
    ck_assert_int_eq(number_at("/version"), 1);
    ck_assert_int_eq(json_at(answer.json, "/publishedAt").kind,
                     MICA_JSON_STRING);
    ck_assert_int_eq(act(&olga, MICA_ACT_VERSION, slug, "{\"version\":3}"),
                     MICA_E_APP);
    ck_assert_str_eq(details_at("/path"), "/version");
    ACT_OK(olga, MICA_ACT_DIFFERENCE, slug, "");
    ck_assert_int_eq(number_at("/from"), 2);
    ck_assert_int_eq(number_at("/to"), 0);
    ck_assert_str_eq(text_at("/changes"),
                     "[{\"path\":\"/description\",\"before\":\"two\","
                     "\"after\":\"three\"}]");
    ACT_OK(olga, MICA_ACT_DIFFERENCE, slug, "{\"from\":1,\"to\":2}");
    ck_assert_str_eq(text_at("/changes/0/after"), "two");
    ACT_OK(olga, MICA_ACT_ROLLBACK, slug, "{\"version\":1}");
    ck_assert_int_eq(number_at("/publishVersion"), 3);
    ck_assert_str_eq(text_at("/description"), "three"); // the draft stays
    ACT_OK(olga, MICA_ACT_VERSION, slug, "{\"version\":3}");
    ck_assert_str_eq(text_at("/description"), "one");
    ck_assert_int_eq(number_at("/version"), 3);
    ck_assert_int_eq(published(slug).version.version, 3);
    // A page of two, and the next one.
    ACT_OK(olga, MICA_ACT_VERSIONS, slug, "{\"limit\":2}");
    ck_assert_int_eq(number_at("/next"), 2);
    ACT_OK(olga, MICA_ACT_VERSIONS, slug, "{\"limit\":2,\"before\":2}");
    ck_assert_uint_eq(json_at(answer.json, "/versions").count, 1);
    ck_assert_str_eq(text_at("/next"), "null");
    acts_close();
}
END_TEST

// ---- Owners ----------------------------------------------------------------------

START_TEST(an_app_is_handed_over_with_its_slug)
{
    acts_open();
    const char *slug = app_of("Handed over");
    ACT_OK(olga, MICA_ACT_HAND_OVER, slug, "{\"owner\":\"mallory\"}");
    ck_assert_str_eq(text_at("/owner"), "mallory");
    ck_assert_int_eq(act(&olga, MICA_ACT_READ, slug, ""), MICA_E_APP);
    ACT_OK(mallory, MICA_ACT_DELETE, slug, "");
    ck_assert_str_eq(text_at("/mcpSlug"), "handed-over");
    // The slug of a deleted app is not another owner's.
    ACT_OK(olga, MICA_ACT_CREATE, "", "{\"name\":\"Handed over\"}");
    ck_assert_str_eq(text_at("/mcpSlug"), "handed-over-2");
    acts_close();
}
END_TEST

START_TEST(a_list_has_own_and_shared_apps_in_pages)
{
    acts_open();
    for (int i = 0; i < 5; i++)
        (void)app_of("Listed");
    ACT_OK(mallory, MICA_ACT_CREATE, "", "{\"name\":\"Hers\"}");
    ACT_OK(olga, MICA_ACT_LIST_APPS, "", "{\"limit\":3}");
    ck_assert_uint_eq(json_at(answer.json, "/apps").count, 3);
    ck_assert_str_eq(text_at("/apps/0/name"), "Listed");
    ck_assert_str_eq(text_at("/apps/1/mcpSlug"), "listed-2");
    ck_assert_str_eq(text_at("/apps/1/status"), "draft");
    char body[64];
    (void)snprintf(body, sizeof body, "{\"after\":%lld,\"limit\":3}",
                   (long long)number_at("/next"));
    ACT_OK(olga, MICA_ACT_LIST_APPS, "", body);
    ck_assert_uint_eq(json_at(answer.json, "/apps").count, 2);
    ck_assert_str_eq(text_at("/next"), "null");
    ACT_OK(vic, MICA_ACT_LIST_APPS, "", "");
    ck_assert_uint_eq(json_at(answer.json, "/apps").count, 5);
    ACT_OK(mallory, MICA_ACT_LIST_APPS, "", "");
    ck_assert_uint_eq(json_at(answer.json, "/apps").count, 1);
    ACT_OK(operator, MICA_ACT_LIST_APPS, "", "");
    ck_assert_uint_eq(json_at(answer.json, "/apps").count, 6);
    acts_close();
}
END_TEST

// ---- Export and import -----------------------------------------------------------

START_TEST(an_export_is_imported_as_the_same_app)
{
    struct mica_text export, again;

    acts_open();
    const char *slug = app_of("Exported");
    ACT_OK(olga, MICA_ACT_EDIT, slug,
           "{\"description\":\"d\",\"layoutTemplate\":\"list\","
           "\"themeVariables\":{\"--color-background-primary\":\"#fff\"},"
           "\"visibility\":\"scope\",\"scope\":\"orders\"}");
    ACT_OK(olga, MICA_ACT_EXPORT, slug, "");
    export = answer.json;
    ck_assert(!answer_has("erin"));
    ACT_OK(mallory, MICA_ACT_IMPORT, "",
           mica_arena_text(&acts_arena, export).ptr);
    ck_assert_str_eq(text_at("/mcpSlug"), "exported-2");
    ck_assert_str_eq(text_at("/owner"), "mallory");
    ck_assert_str_eq(text_at("/status"), "draft");
    ACT_OK(mallory, MICA_ACT_EXPORT, "exported-2", "");
    again = json_at(answer.json, "/draft").raw;
    ck_assert(mica_text_equal(again, json_at(export, "/draft").raw));
    // Its slug, where it is free; and a draft by itself.
    ACT_OK(
        mallory, MICA_ACT_IMPORT, "",
        "{\"micaApp\":1,\"mcpSlug\":\"free-slug\",\"draft\":{\"name\":\"X\"}}");
    ck_assert_str_eq(text_at("/mcpSlug"), "free-slug");
    ACT_OK(mallory, MICA_ACT_IMPORT, "",
           "{\"micaApp\":1,\"mcpSlug\":\"api\",\"draft\":{\"name\":\"Y\"}}");
    ck_assert_str_eq(text_at("/mcpSlug"), "y");
    ACT_OK(mallory, MICA_ACT_IMPORT, "", "{\"name\":\"Z\"}");
    ck_assert_str_eq(text_at("/mcpSlug"), "z");
    ck_assert_int_eq(
        act(&mallory, MICA_ACT_IMPORT, "",
            "{\"micaApp\":1,\"draft\":{\"name\":\"Z\",\"nam\":1}}"),
        MICA_E_CONFIG);
    acts_close();
}
END_TEST

START_TEST(usage_is_read_by_days)
{
    acts_open();
    const char *slug = app_of("Used");
    ACT_OK(olga, MICA_ACT_READ, slug, "");
    const int64_t day = 20424; // 2025-12-02
    const struct mica_store_app_usage items[] = {
        {.id = mica_text(text_at("/id")),
         .day = day,
         .calls = 3,
         .failures = 1,
         .tokens = 50},
        {.id = mica_text(text_at("/id")), .day = day - 1, .calls = 2}};
    struct mica_error error;
    ck_assert_int_eq(mica_store_app_usage_add(acts_store, items, 2, &error),
                     MICA_OK);
    ACT_OK(vic, MICA_ACT_USAGE, slug,
           "{\"from\":\"2025-12-01\",\"to\":\"2025-12-31\"}");
    ck_assert_str_eq(text_at("/days/0/day"), "2025-12-01");
    ck_assert_int_eq(number_at("/days/1/calls"), 3);
    ck_assert_int_eq(number_at("/total/calls"), 5);
    ck_assert_int_eq(number_at("/total/failures"), 1);
    ck_assert_int_eq(number_at("/total/tokens"), 50);
    ACT_OK(vic, MICA_ACT_USAGE, slug, "{\"to\":\"2025-12-01\"}");
    ck_assert_str_eq(text_at("/from"), "2025-11-02");
    ck_assert_int_eq(number_at("/total/calls"), 2);
    ACT_OK(vic, MICA_ACT_USAGE, slug, "{\"to\":\"1970-01-05\"}");
    ck_assert_str_eq(text_at("/from"), "1970-01-01");
    ck_assert_int_eq(act(&vic, MICA_ACT_USAGE, slug, "{\"to\":\"1969-12-31\"}"),
                     MICA_E_CONFIG);
    ck_assert_int_eq(act(&vic, MICA_ACT_USAGE, slug,
                         "{\"from\":\"0001-01-01\",\"to\":\"1970-01-02\"}"),
                     MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/path"), "/from");
    acts_close();
}
END_TEST

START_TEST(layouts_come_with_their_schemas_and_data)
{
    acts_open();
    ACT_OK(mallory, MICA_ACT_LAYOUTS, "", "");
    ck_assert_uint_eq(json_at(answer.json, "/layouts").count, MICA_LAYOUTS);
    ck_assert_str_eq(text_at("/layouts/1/name"), "card");
    ck_assert_str_eq(text_at("/layouts/1/schema/type"), "object");
    ck_assert_int_eq(json_at(answer.json, "/layouts/1/mockData").kind,
                     MICA_JSON_OBJECT);
    acts_close();
}
END_TEST

START_TEST(a_test_answers_as_the_published_tool_would)
{
    acts_open();
    const char *slug = app_of("Tested");
    ACT_OK(olga, MICA_ACT_EDIT, slug,
           "{\"layoutTemplate\":\"message\",\"mockData\":{\"text\":\"Hello\"},"
           "\"behavior\":{\"message\":\"Here it is:\"}}");
    ACT_OK(olga, MICA_ACT_TEST, slug,
           "{\"message\":\"hi\",\"context\":{\"a\":1}}");
    ck_assert_str_eq(text_at("/content/0/text"), "Here it is:");
    ck_assert_str_eq(text_at("/structuredContent/text"), "Hello");
    ck_assert_str_eq(text_at("/_meta/openai~1outputTemplate"),
                     "ui://widget/tested.html");
    // What is typed, and not saved.
    ACT_OK(olga, MICA_ACT_TEST, slug,
           "{\"draft\":{\"mockData\":{\"text\":\"Typed\"}}}");
    ck_assert_str_eq(text_at("/structuredContent/text"), "Typed");
    ACT_OK(olga, MICA_ACT_PREVIEW, slug,
           "{\"data\":{\"text\":\"Shown </script>\"}}");
    const char *html = mica_arena_text(&acts_arena, answer.html).ptr;
    ck_assert_ptr_nonnull(strstr(html, "Shown "));
    ck_assert_ptr_null(strstr(html, "Shown </script>"));
    acts_close();
}
END_TEST

// ---- Apps that map a tool --------------------------------------------------------

static enum mica_status
tip_handler(struct mica_call *call, const struct mica_json *in,
            struct mica_json_writer *out)
{
    (void)call;
    (void)in;
    mica_json_open_object(out);
    mica_json_field(out, "text", MICA_LITERAL("t"));
    mica_json_close_object(out);
    return MICA_OK;
}

static const struct mica_tool tip_tool = {
    .name = "tip",
    .description = "Computes a tip.",
    .input_schema = "{\"type\":\"object\",\"properties\":{\"amount\":{\"type\":"
                    "\"number\"}},\"required\":[\"amount\"]}",
    .output_schema = "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":"
                     "\"string\"}},\"required\":[\"text\"]}",
    .scope = "tips:read",
    .json_handler = tip_handler};

static const char map_tip[] =
    "{\"layoutTemplate\":\"message\",\"behavior\":{\"type\":\"tool\",\"tool\":"
    "\"tip\",\"arguments\":{\"/amount\":{\"pointer\":\"/context/amount\"}},"
    "\"data\":{\"/text\":{\"pointer\":\"/text\"}}}}";

static struct mica_server *
server_with_tip(void)
{
    struct mica_server *server;
    struct mica_error error;

    ck_assert_int_eq(
        mica_server_open(
            &(struct mica_server_options){.name = "acts", .version = "7"},
            &error, &server),
        MICA_OK);
    ck_assert_msg(mica_server_add_tool(server, &tip_tool, NULL, &error) ==
                      MICA_OK,
                  "%s", error.message);
    return server;
}

START_TEST(an_app_maps_a_tool_that_its_owner_may_call)
{
    const struct mica_principal may = {MICA_LITERAL("i"), MICA_LITERAL("olga"),
                                       MICA_LITERAL("apps:write tips:read")};
    const struct mica_principal may_not = {
        MICA_LITERAL("i"), MICA_LITERAL("olga"),
        MICA_LITERAL("apps:write tips:readx")};
    struct mica_act_person with = olga, without = olga;
    struct mica_server *server;

    acts_open();
    const char *slug = app_of("Mapped");
    // Where no tool is known the draft is kept, but not published.
    ACT_OK(olga, MICA_ACT_EDIT, slug, map_tip);
    ck_assert_int_eq(act(&olga, MICA_ACT_PUBLISH, slug, ""), MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/path"), "/behavior/tool");
    acts.server = server = server_with_tip();
    with.principal = &may;
    without.principal = &may_not;
    ck_assert_int_eq(act(&without, MICA_ACT_PUBLISH, slug, ""), MICA_E_CONFIG);
    ck_assert_ptr_nonnull(
        strstr(mica_arena_text(&acts_arena, answer.error.details).ptr,
               "/behavior/tool"));
    ACT_OK(with, MICA_ACT_PUBLISH, slug, "");
    ACT_OK(with, MICA_ACT_VERSION, slug, "");
    ck_assert_str_eq(text_at("/pin"), "7");
    ACT_OK(olga, MICA_ACT_PUBLISH, slug, ""); // no token
    ck_assert_int_eq(act(&olga, MICA_ACT_TEST, slug, ""), MICA_E_EXECUTION);
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"behavior\":{\"tool\":\"tipp\"}}");
    ck_assert(answer_has("/behavior/tool"));
    ck_assert_int_eq(act(&olga, MICA_ACT_PUBLISH, slug, ""), MICA_E_CONFIG);
    mica_server_close(&server);
    acts_close();
}
END_TEST

// What a publish refuses a rollback refuses, too: both make a version.
START_TEST(a_rollback_is_checked_as_a_publish_is)
{
    const struct mica_principal may = {MICA_LITERAL("i"), MICA_LITERAL("olga"),
                                       MICA_LITERAL("apps:write tips:read")};
    const struct mica_principal may_not = {
        MICA_LITERAL("i"), MICA_LITERAL("erin"), MICA_LITERAL("apps:write")};
    struct mica_act_person with = olga, without = erin;
    struct mica_server *server, *other;
    struct mica_error error;

    acts_open();
    const char *slug = app_of("Rolled back");
    acts.server = server = server_with_tip();
    with.principal = &may;
    without.principal = &may_not;
    ACT_OK(with, MICA_ACT_EDIT, slug, map_tip);
    ACT_OK(with, MICA_ACT_PUBLISH, slug, "");
    ACT_OK(without, MICA_ACT_EDIT, slug,
           "{\"behavior\":{\"type\":\"data\"},\"mockData\":{\"text\":\"x\"}}");
    ACT_OK(without, MICA_ACT_PUBLISH, slug, "");
    ck_assert_int_eq(act(&without, MICA_ACT_ROLLBACK, slug, "{\"version\":1}"),
                     MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/findings/0/path"), "/behavior/tool");
    ACT_OK(without, MICA_ACT_ROLLBACK, slug, "{\"version\":2}");
    ACT_OK(with, MICA_ACT_ROLLBACK, slug, "{\"version\":1}");
    ck_assert_int_eq(number_at("/publishVersion"), 4);
    // Nor does a version come back whose tool the server does not have any more.
    ck_assert_int_eq(
        mica_server_open(
            &(struct mica_server_options){.name = "acts", .version = "8"},
            &error, &other),
        MICA_OK);
    acts.server = other;
    ck_assert_int_eq(act(&with, MICA_ACT_ROLLBACK, slug, "{\"version\":1}"),
                     MICA_E_CONFIG);
    // Without a server no tool is known; the operator may.
    acts.server = NULL;
    ACT_OK(operator, MICA_ACT_ROLLBACK, slug, "{\"version\":1}");
    mica_server_close(&other);
    mica_server_close(&server);
    acts_close();
}
END_TEST

UNIT_MAIN("app_acts_life", a_first_publish_needs_a_tool_name_and_a_description,
          a_version_has_the_draft_and_the_widget_of_its_publish,
          a_history_is_listed_read_compared_and_rolled_back,
          an_app_is_handed_over_with_its_slug,
          a_list_has_own_and_shared_apps_in_pages,
          an_export_is_imported_as_the_same_app, usage_is_read_by_days,
          layouts_come_with_their_schemas_and_data,
          a_test_answers_as_the_published_tool_would,
          an_app_maps_a_tool_that_its_owner_may_call,
          a_rollback_is_checked_as_a_publish_is)
