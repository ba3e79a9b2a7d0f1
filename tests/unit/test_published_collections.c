// SPDX-License-Identifier: Apache-2.0
//
// Collections of published apps of a store in memory: what each caller sees of one, how changes
// of its members are followed, and which tool a call that has begun ends on.
#include <stdio.h>
#include <string.h>

#include "publish/app_endpoint.h"
#include "publish/published_apps.h"
#include "store/store_collections.h"
#include "unit.h"

enum {
    SLOW_MS = 3600 * 1000 // the thread follows nothing by itself
};

static const char text[] =
    "{\"name\":\"My Bot\",\"description\":\"Helps.\",\"toolName\":\"%s\","
    "\"toolDescription\":\"Gets the order.\",\"layoutTemplate\":\"card\","
    "\"mockData\":{\"title\":\"%s\"},\"behavior\":{\"type\":\"data\"},"
    "\"visibility\":\"%s\"%s}";

static struct mica_error error;

#define MUST(call_) UNIT_MUST((call_) == MICA_OK, "%s", error.message)

static struct mica_server *server;
static struct mica_session_store *session_store;
static struct mica_store *store;
static struct mica_published_apps *apps;
static char ended[256]; // the keys that have ended, each with a ';' behind it
static char narrowed[512];

static const struct mica_principal anonymous = {.issuer = {NULL, 0}},
                                   olga = {.issuer = {"i", 1},
                                           .subject = {"olga", 4}},
                                   scoped = {.issuer = {"i", 1},
                                             .subject = {"sam", 3},
                                             .scopes = {"a secret b", 10}};

static void
note_end(void *data, struct mica_text key)
{
    size_t length = strlen(ended);

    (void)data;
    (void)snprintf(ended + length, sizeof ended - length, "%.*s;",
                   MICA_ARG(key));
}

// "key:public;", "key:token;" or "key:scope=WORDS;".
static void
note_narrowed(void *data, struct mica_text key,
              const struct mica_app_exposure *now)
{
    size_t length = strlen(narrowed);

    (void)data;
    (void)snprintf(narrowed + length, sizeof narrowed - length,
                   "%.*s:%s%s%.*s;", MICA_ARG(key),
                   mica_app_visibility_name(now->visibility),
                   now->visibility == MICA_APP_SCOPE ? "=" : "",
                   now->visibility == MICA_APP_SCOPE ? (int)now->scope.len : 0,
                   now->scope.len > 0 ? now->scope.ptr : "");
}

static void
start(void)
{
    const struct mica_server_options options = {.name = "x", .version = "1"};
    const struct mica_session_store_options kept = {.store = "memory"};

    ended[0] = narrowed[0] = '\0';
    MUST(mica_server_open(&options, &error, &server));
    MUST(mica_session_store_open(&kept, &error, &session_store));
    MUST(mica_session_store_need(session_store, &error, &store));
    const struct mica_published_apps_options apps_options = {
        .server = server,
        .session_store = session_store,
        .poll_ms = SLOW_MS,
        .ended = note_end,
        .narrowed = note_narrowed};
    MUST(mica_published_apps_open(&apps_options, &error, &apps));
}

static void
stop(void)
{
    mica_published_apps_close(&apps);
    ck_assert_uint_eq(mica_registry_endpoints(&server->registry), 0);
    mica_session_store_close(&session_store);
    mica_server_close(&server);
}

// ---- The store ---------------------------------------------------------------------

static struct mica_store_app_outcome outcome;

static struct mica_store_app_target
target_of(const char *id)
{
    return (struct mica_store_app_target){.id = mica_text(id), .now = 1000};
}

static void
publish_with(const char *id, const char *tool, const char *visibility,
             const char *more)
{
    const struct mica_store_app_target target = target_of(id);
    char room[512];

    (void)snprintf(room, sizeof room, text, tool, id, visibility, more);
    const struct mica_store_app_release release = {
        .text = mica_text(room),
        .widget = mica_text("0123456789abcdef"),
        .html = mica_text("<p>"),
        .tool = mica_text(tool)};
    MUST(mica_store_app_publish(store, &target, &release, &error, &outcome));
}

static void
publish(const char *id, const char *tool)
{
    publish_with(id, tool, "public", "");
}

static void
create(const char *id, const char *slug)
{
    const struct mica_store_app_content content = {.draft = mica_text("{}")};

    MUST(mica_store_app_create(store, mica_text(id), mica_text(slug),
                               mica_text("local"), &content, 1000, &error,
                               &outcome));
}

static void
unpublish(const char *id)
{
    const struct mica_store_app_target target = target_of(id);

    MUST(mica_store_app_unpublish(store, &target, &error, &outcome));
}

// The collection "desk" of the apps with those ids.
static void
collect(const char *one, const char *two, const char *three)
{
    const struct mica_text ids[] = {mica_text(one), mica_text(two),
                                    mica_text(three)};
    const struct mica_store_collection_content content = {
        .text = mica_text("{\"name\":\"Front desk\",\"description\":\"All.\"}"),
        .members = ids,
        .member_count = 3};

    MUST(mica_store_collection_create(store, mica_text("c"), mica_text("desk"),
                                      mica_text("local"), &content, 1000,
                                      &error, &outcome));
}

static void
start_with_three(void)
{
    start();
    create("a", "one");
    create("b", "two");
    create("d", "three");
    publish("a", "get_one");
    publish_with("b", "get_two", "token", "");
    publish_with("d", "get_three", "scope", ",\"scope\":\"secret\"");
    collect("a", "b", "d");
}

// ---- The source, as an adapter asks it -------------------------------------------------

static enum mica_status
try_load(struct mica_endpoint **endpoint_out)
{
    return server->registry.source->load(server->registry.source_data,
                                         mica_text("/servers/desk"), &error,
                                         endpoint_out);
}

static struct mica_endpoint *
desk(void)
{
    struct mica_endpoint *endpoint = NULL;

    MUST(try_load(&endpoint));
    return endpoint;
}

// The names of a list with a space behind each.
static void
names_are(const struct mica_catalog *catalog, enum mica_definition_kind kind,
          const char *expected)
{
    const struct mica_definition_list *list = &catalog->lists[kind];
    char names[1024];
    size_t length = 0;

    names[0] = '\0';
    for (size_t i = 0; i < list->count; i++)
        length += (size_t)snprintf(names + length, sizeof names - length,
                                   "%.*s ", MICA_ARG(list->items[i]->key));
    ck_assert_str_eq(names, expected);
}

static void
tools_of_are(const struct mica_principal *principal, const char *expected)
{
    struct mica_endpoint *endpoint = desk();
    struct mica_catalog *view = endpoint->source->view(endpoint, principal);

    names_are(view, MICA_DEFINITION_TOOL, expected);
    mica_catalog_drop(view);
    mica_endpoint_drop(endpoint);
}

static enum mica_status
admitted(bool has_token, const char *scopes)
{
    const struct mica_app_caller caller = {has_token, mica_text(scopes)};
    struct mica_endpoint *endpoint = desk();
    enum mica_status status = mica_published_admits(endpoint, &caller);

    mica_endpoint_drop(endpoint);
    return status;
}

// ---- Tests -----------------------------------------------------------------------------

START_TEST(a_caller_sees_the_tools_that_it_may_call)
{
    struct mica_endpoint *endpoint;
    struct mica_published_collection shown;

    start_with_three();
    endpoint = desk();
    UNIT_TEXT_EQ(endpoint->key, "collection/c");
    UNIT_TEXT_EQ(endpoint->path, "/servers/desk");
    ck_assert(mica_published_collection_is(endpoint));
    ck_assert(!mica_published_app_is(endpoint));
    mica_published_collection_of(endpoint, &shown);
    UNIT_TEXT_EQ(shown.name, "Front desk");
    mica_endpoint_drop(endpoint);
    tools_of_are(NULL, "get_one ");
    tools_of_are(&anonymous, "get_one ");
    tools_of_are(&olga, "get_one get_two ");
    tools_of_are(&scoped, "get_one get_two get_three ");
    stop();
}
END_TEST

START_TEST(who_may_call_no_member_finds_nothing)
{
    start_with_three();
    ck_assert_int_eq(admitted(false, ""), MICA_OK);
    unpublish("a");
    mica_published_apps_follow(apps);
    ck_assert_int_eq(admitted(false, ""), MICA_E_UNAUTHORIZED);
    ck_assert_int_eq(admitted(true, ""), MICA_OK);
    unpublish("b");
    mica_published_apps_follow(apps);
    ck_assert_int_eq(admitted(false, ""), MICA_E_APP);
    ck_assert_int_eq(admitted(true, "other"), MICA_E_APP);
    ck_assert_int_eq(admitted(true, "x secret"), MICA_OK);
    stop();
}
END_TEST

START_TEST(widgets_are_read_by_who_may_call_their_app)
{
    struct mica_endpoint *endpoint;
    struct mica_catalog *view;

    start_with_three();
    endpoint = desk();
    view = endpoint->source->resources(endpoint, &olga, mica_text(""));
    names_are(view, MICA_DEFINITION_RESOURCE,
              "ui://widget/one.html ui://widget/one.html?v=0123456789abcdef "
              "ui://widget/two.html ui://widget/two.html?v=0123456789abcdef ");
    mica_catalog_drop(view);
    view = endpoint->source->resources(
        endpoint, &olga, mica_text("ui://widget/two.html?v=fedcba9876543210"));
    names_are(view, MICA_DEFINITION_RESOURCE,
              "ui://widget/two.html ui://widget/two.html?v=0123456789abcdef "
              "ui://widget/two.html?v=fedcba9876543210 ");
    mica_catalog_drop(view);
    view = endpoint->source->resources(endpoint, &anonymous,
                                       mica_text("ui://widget/two.html"));
    names_are(view, MICA_DEFINITION_RESOURCE, "");
    mica_catalog_drop(view);
    mica_endpoint_drop(endpoint);
    stop();
}
END_TEST

START_TEST(a_collection_without_a_published_app_is_absent)
{
    struct mica_endpoint *endpoint = NULL;
    struct mica_text own;

    start_with_three();
    mica_endpoint_drop(desk());
    unpublish("a");
    unpublish("b");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(ended, "app/a;app/b;");
    unpublish("d");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(ended, "app/a;app/b;app/d;collection/c;");
    ck_assert_int_eq(try_load(&endpoint), MICA_E_NOT_FOUND);
    ck_assert_int_eq(
        server->registry.source->look(server->registry.source_data,
                                      mica_text("/servers/desk/mcp"), &own),
        MICA_SOURCE_ABSENT);
    publish("b", "get_two");
    mica_published_apps_follow(apps);
    tools_of_are(NULL, "get_two ");
    stop();
}
END_TEST

START_TEST(a_change_of_a_member_is_followed)
{
    struct mica_store_app_target target = target_of("c");
    struct mica_store_collection_content content = {
        .text = mica_text("{\"name\":\"Back office\"}")};
    const struct mica_text ids[] = {MICA_LITERAL("d"), MICA_LITERAL("a")};
    struct mica_published_collection shown;
    struct mica_endpoint *before, *endpoint;

    start_with_three();
    before = desk();
    publish("a", "find_one");
    mica_published_apps_follow(apps);
    tools_of_are(&scoped, "find_one get_two get_three ");
    endpoint = desk(); // what has not changed was not read again
    for (size_t i = 0; i < 3; i++)
        ck_assert((before->catalog->lists[MICA_DEFINITION_TOOL].items[i] ==
                   endpoint->catalog->lists[MICA_DEFINITION_TOOL].items[i]) ==
                  (i > 0));
    mica_endpoint_drop(endpoint);
    names_are(before->catalog, MICA_DEFINITION_TOOL,
              "get_one get_two get_three "); // its holder keeps it
    mica_endpoint_drop(before);
    // An edit of a draft is no change for clients.
    before = desk();
    target = target_of("a");
    const struct mica_store_app_content draft = {.draft = mica_text("{}")};
    MUST(mica_store_app_edit(store, &target, &draft, &error, &outcome));
    mica_published_apps_follow(apps);
    endpoint = desk();
    ck_assert_ptr_eq(endpoint, before);
    mica_endpoint_drop(endpoint);
    mica_endpoint_drop(before);
    target = target_of("c");
    content.members = ids;
    content.member_count = 2;
    MUST(
        mica_store_collection_edit(store, &target, &content, &error, &outcome));
    mica_published_apps_follow(apps);
    tools_of_are(&scoped, "get_three find_one ");
    endpoint = desk();
    mica_published_collection_of(endpoint, &shown);
    UNIT_TEXT_EQ(shown.name, "Back office");
    ck_assert_uint_eq(shown.description.len, 0);
    mica_endpoint_drop(endpoint);
    ended[0] = '\0';
    MUST(mica_store_collection_delete(store, &target, &error, &outcome));
    mica_published_apps_follow(apps);
    ck_assert_str_eq(ended, "collection/c;");
    ck_assert_int_eq(try_load(&endpoint), MICA_E_NOT_FOUND);
    stop();
}
END_TEST

START_TEST(two_that_have_come_to_one_name_leave_it_to_the_first)
{
    const struct mica_store_app_person people[] = {
        {MICA_LITERAL("local"), MICA_STORE_APP_EDITOR}};
    const struct mica_store_app_content shared = {
        .draft = mica_text("{}"), .people = people, .people_count = 1};
    struct mica_store_app_target target = target_of("b");

    start_with_three();
    MUST(mica_store_app_hand_over(store, &target, mica_text("ann"), &error,
                                  &outcome));
    mica_published_apps_follow(apps);
    tools_of_are(&olga, "get_one ");
    publish("b", "get_one"); // it does not count in "desk"
    MUST(mica_store_app_edit(store, &target, &shared, &error, &outcome));
    mica_published_apps_follow(apps);
    tools_of_are(&olga, "get_one ");
    publish("b", "get_two");
    mica_published_apps_follow(apps);
    tools_of_are(&olga, "get_one get_two ");
    stop();
}
END_TEST

// Streams of callers who may call no app of the collection any more are to end.
START_TEST(a_collection_demands_what_its_widest_app_does)
{
    start_with_three();
    mica_endpoint_drop(desk());
    unpublish("b");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(narrowed, "");
    unpublish("a");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(narrowed, "collection/c:scope=secret;");
    narrowed[0] = '\0';
    publish_with("a", "get_one", "scope", ",\"scope\":\"other\"");
    mica_published_apps_follow(apps); // no one scope is enough to tell: all end
    ck_assert_ptr_nonnull(strstr(narrowed, "collection/c:scope=;"));
    narrowed[0] = '\0';
    publish_with("b", "get_two", "token", "");
    mica_published_apps_follow(apps);
    ck_assert_ptr_null(strstr(narrowed, "collection/c"));
    publish("a", "get_one");
    mica_published_apps_follow(apps);
    ck_assert_ptr_null(strstr(narrowed, "collection/c"));
    publish_with("a", "get_one", "token", "");
    mica_published_apps_follow(apps);
    ck_assert_ptr_nonnull(strstr(narrowed, "collection/c:token;"));
    stop();
}
END_TEST

// A process that has not loaded the collection may have streams of its sessions.
START_TEST(a_collection_that_is_not_loaded_is_followed)
{
    struct mica_endpoint *endpoint = NULL;

    start_with_three();
    MUST(server->registry.source->load(server->registry.source_data,
                                       mica_text("/servers/one"), &error,
                                       &endpoint)); // it begins to follow
    mica_endpoint_drop(endpoint);
    unpublish("a");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(narrowed, "collection/c:token;");
    // Its apps are not brought into memory for that.
    ck_assert_uint_eq(mica_published_apps_counts(apps).loads, 1);
    stop();
}
END_TEST

START_TEST(a_call_ends_on_the_app_and_version_with_which_it_began)
{
    struct mica_registry *registry;
    struct mica_endpoint *endpoint;
    struct mica_definition *tool;

    start_with_three();
    registry = &server->registry;
    endpoint = mica_registry_endpoint_load(registry, mica_text("collection/c"));
    ck_assert_ptr_nonnull(endpoint);
    UNIT_TEXT_EQ(
        endpoint->catalog->lists[MICA_DEFINITION_TOOL].items[0]->version,
        "a.1");
    mica_endpoint_drop(endpoint);
    // Another app gets the name: calls of the first end on the first.
    publish("a", "other");
    publish("b", "get_one");
    mica_published_apps_follow(apps);
    tool = mica_registry_version(registry, mica_text("collection/c"),
                                 mica_text("get_one"), mica_text("a.1"));
    ck_assert_ptr_nonnull(tool);
    UNIT_TEXT_EQ(mica_loaded_version_of_tool(tool)->slug, "one");
    mica_definition_drop(tool);
    tool = mica_registry_version(registry, mica_text("collection/c"),
                                 mica_text("get_one"), mica_text("b.2"));
    ck_assert_ptr_nonnull(tool);
    UNIT_TEXT_EQ(mica_loaded_version_of_tool(tool)->slug, "two");
    mica_definition_drop(tool);
    static const char *const wrong[] = {"a.2", "1", ".1", "a.", "x.1", "a.9"};
    for (size_t i = 0; i < MICA_COUNT(wrong); i++)
        ck_assert_ptr_null(
            mica_registry_version(registry, mica_text("collection/c"),
                                  mica_text("get_one"), mica_text(wrong[i])));
    ck_assert_ptr_null(
        mica_registry_endpoint_load(registry, mica_text("collection/x")));
    ck_assert_ptr_null(
        mica_registry_endpoint_load(registry, mica_text("app/c")));
    stop();
}
END_TEST

UNIT_MAIN("published_collections", a_caller_sees_the_tools_that_it_may_call,
          who_may_call_no_member_finds_nothing,
          widgets_are_read_by_who_may_call_their_app,
          a_collection_without_a_published_app_is_absent,
          a_change_of_a_member_is_followed,
          two_that_have_come_to_one_name_leave_it_to_the_first,
          a_collection_demands_what_its_widest_app_does,
          a_collection_that_is_not_loaded_is_followed,
          a_call_ends_on_the_app_and_version_with_which_it_began)
