// SPDX-License-Identifier: Apache-2.0
//
// Published apps: what is loaded when, what is dropped, and what it costs.
#include "test_published_apps.h"

// ---- Slugs that are absent -------------------------------------------------------------

START_TEST(absent_slugs_are_few_and_compared_whole)
{
    struct mica_absent_slugs absent;
    char room[32];

    ck_assert(mica_absent_slugs_open(&absent, 64));
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(room, sizeof room, "slug-%d", i);
        mica_absent_slugs_add(&absent, mica_text(room));
        mica_absent_slugs_add(&absent, mica_text(room));
        ck_assert(mica_absent_slugs_has(&absent, mica_text(room)));
        ck_assert_uint_le(absent.count, 64);
    }
    ck_assert_uint_gt(absent.count, 32);
    ck_assert(!mica_absent_slugs_has(&absent, mica_text("slug-9999")));
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(room, sizeof room, "slug-%d", i);
        mica_absent_slugs_remove(&absent, mica_text(room));
        ck_assert(!mica_absent_slugs_has(&absent, mica_text(room)));
    }
    ck_assert_uint_eq(absent.count, 0);
    mica_absent_slugs_close(&absent);
}
END_TEST

START_TEST(a_path_is_an_app_unknown_or_of_another)
{
    start(0, SLOW_MS);
    ck_assert_int_eq(look("/servers"), MICA_SOURCE_OTHER);
    ck_assert_int_eq(look("/servers/"), MICA_SOURCE_OTHER);
    ck_assert_int_eq(look("/server/a"), MICA_SOURCE_OTHER);
    ck_assert_int_eq(look("/servers/A"), MICA_SOURCE_ABSENT);
    ck_assert_int_eq(look("/servers/a_b/mcp"), MICA_SOURCE_ABSENT);
    ck_assert_int_eq(look("/servers/a"), MICA_SOURCE_UNLOADED);
    ck_assert_int_eq(look("/servers/a/mcp"), MICA_SOURCE_UNLOADED);
    ck_assert_uint_eq(mica_published_apps_counts(apps).looked, 0);
    stop();
}
END_TEST

START_TEST(what_is_absent_is_looked_for_once)
{
    struct mica_endpoint *endpoint = NULL;

    start(0, SLOW_MS);
    create("id", "a");
    ck_assert_int_eq(load("/servers/a", &endpoint), MICA_E_NOT_FOUND);
    ck_assert_int_eq(look("/servers/a/mcp"), MICA_SOURCE_ABSENT);
    ck_assert_uint_eq(mica_published_apps_counts(apps).absent, 1);
    publish("id", "get_order");
    ck_assert_int_eq(look("/servers/a/mcp"), MICA_SOURCE_ABSENT);
    mica_published_apps_follow(apps);
    ck_assert_int_eq(look("/servers/a/mcp"), MICA_SOURCE_UNLOADED);
    mica_endpoint_drop(loaded("/servers/a"));
    ck_assert_uint_eq(mica_published_apps_counts(apps).looked, 2);
    stop();
}
END_TEST

// ---- Loading ---------------------------------------------------------------------------

START_TEST(an_app_is_loaded_once)
{
    struct mica_endpoint *one, *two;
    struct mica_published_app shown;

    start(0, SLOW_MS);
    create("id", "a");
    publish("id", "get_order");
    one = loaded("/servers/a");
    two = loaded("/servers/a");
    ck_assert_ptr_eq(one, two);
    ck_assert_uint_eq(mica_published_apps_counts(apps).looked, 1);
    UNIT_TEXT_EQ(one->key, "app/id");
    UNIT_TEXT_EQ(one->path, "/servers/a");
    ck_assert_int_eq(one->version, 1);
    ck_assert(mica_published_app_is(one));
    mica_published_app_of(one, &shown);
    UNIT_TEXT_EQ(shown.name, "My Bot");
    UNIT_TEXT_EQ(shown.tool->name, "get_order");
    ck_assert_str_eq(shown.layoutz, "card");
    mica_endpoint_drop(one);
    mica_endpoint_drop(two);
    stop();
}
END_TEST

START_TEST(a_text_that_cannot_be_read_is_an_error)
{
    const struct mica_store_app_target target = target_of("id");
    const struct mica_store_app_release release = {
        .text = mica_text("{\"name\":1}"),
        .widget = mica_text("0123456789abcdef"),
        .html = mica_text("<p>")};
    struct mica_store_app_outcome outcome;
    struct mica_endpoint *endpoint = NULL;

    start(0, SLOW_MS);
    create("id", "a");
    MUST(mica_store_app_publish(store, &target, &release, &error, &outcome));
    ck_assert_int_eq(load("/servers/a", &endpoint), MICA_E_CONFIG);
    ck_assert_int_eq(look("/servers/a"), MICA_SOURCE_UNLOADED);
    stop();
}
END_TEST

START_TEST(a_key_finds_its_app_and_older_tools)
{
    struct mica_registry *registry;
    struct mica_endpoint *endpoint;
    struct mica_definition *tool;

    start(0, SLOW_MS);
    registry = &server->registry;
    create("id", "a");
    publish("id", "first");
    publish("id", "second");
    mica_serving_thread_set(true);
    ck_assert_ptr_null(
        mica_registry_endpoint_load(registry, mica_text("app/id")));
    mica_serving_thread_set(false);
    endpoint = mica_registry_endpoint_load(registry, mica_text("app/id"));
    ck_assert_ptr_nonnull(endpoint);
    UNIT_TEXT_EQ(tool_of(endpoint)->name, "second");
    mica_endpoint_drop(endpoint);
    tool = mica_registry_version(registry, mica_text("app/id"),
                                 mica_text("first"), mica_text("1"));
    ck_assert_ptr_nonnull(tool);
    UNIT_TEXT_EQ(tool->version, "1");
    mica_definition_drop(tool);
    ck_assert_ptr_null(mica_registry_version(
        registry, mica_text("app/id"), mica_text("first"), mica_text("2")));
    ck_assert_ptr_null(
        mica_registry_endpoint_load(registry, mica_text("app/other")));
    ck_assert_ptr_null(
        mica_registry_endpoint_load(registry, mica_text("other")));
    unpublish("id");
    mica_published_apps_follow(apps);
    ck_assert_ptr_null(
        mica_registry_endpoint_load(registry, mica_text("app/id")));
    stop();
}
END_TEST

// ---- Memory ----------------------------------------------------------------------------

START_TEST(few_fit_and_those_in_use_stay)
{
    struct mica_endpoint *held;
    size_t each, most;

    start(0, SLOW_MS);
    create_many(1);
    mica_endpoint_drop(load_number(0));
    each = mica_published_apps_counts(apps).bytes;
    stop();

    most = 4 * each + each / 2;
    start(most, SLOW_MS);
    create_many(40);
    held = load_number(0);
    for (int i = 1; i < 40; i++) {
        mica_endpoint_drop(load_number(i));
        ck_assert(is_in_memory("/servers/a-1")); // so it is always in use
        ck_assert_uint_le(mica_published_apps_counts(apps).bytes, most);
        ck_assert_uint_le(mica_registry_endpoints(&server->registry), 4);
    }
    ck_assert_uint_eq(mica_published_apps_counts(apps).dropped, 36);
    ck_assert(is_in_memory("/servers/a-0"));
    ck_assert(is_in_memory("/servers/a-39"));
    ck_assert(!is_in_memory("/servers/a-20"));
    UNIT_TEXT_EQ(tool_of(held)->name, "get_order");
    mica_endpoint_drop(held);
    for (int i = 10; i < 20; i++)
        mica_endpoint_drop(load_number(i));
    ck_assert(!is_in_memory("/servers/a-0"));
    stop();
}
END_TEST

START_TEST(held_apps_may_need_more_than_there_is)
{
    struct mica_endpoint *held[10];

    start(1, SLOW_MS);
    create_many(10);
    for (int i = 0; i < 10; i++)
        held[i] = load_number(i);
    ck_assert_uint_eq(mica_published_apps_counts(apps).loaded, 10);
    for (int i = 0; i < 10; i++)
        mica_endpoint_drop(held[i]);
    mica_endpoint_drop(load_number(3)); // is loaded already
    create("last", "last");
    publish("last", "get_order");
    mica_endpoint_drop(loaded("/servers/last"));
    ck_assert_uint_eq(mica_published_apps_counts(apps).loaded, 1);
    stop();
}
END_TEST

// A stream holds the version with which it began.
START_TEST(an_app_stays_while_an_older_version_is_held)
{
    struct mica_endpoint *first, *second;

    start(1, SLOW_MS);
    create_many(2);
    first = load_number(0);
    publish("id-0", "second");
    mica_published_apps_follow(apps);
    second = load_number(0);
    ck_assert_ptr_ne(first, second);
    publish("id-0", "third");
    mica_published_apps_follow(apps);
    mica_endpoint_drop(second);
    mica_endpoint_drop(load_number(1)); // there is room for one
    ck_assert(is_in_memory("/servers/a-0"));
    // Of what is in memory the key is known when it is deleted.
    delete ("id-0");
    mica_published_apps_follow(apps);
    ck_assert_str_eq(ended, "app/id-0;");
    mica_endpoint_drop(first);
    create("id-2", "a-2");
    publish("id-2", "first");
    first = load_number(2);
    publish("id-2", "second");
    mica_published_apps_follow(apps);
    mica_endpoint_drop(first);
    mica_endpoint_drop(load_number(1));
    mica_endpoint_drop(load_number(1));
    ck_assert(!is_in_memory("/servers/a-2"));
    ck_assert_uint_eq(mica_published_apps_counts(apps).loaded, 1);
    stop();
}
END_TEST

// The memory of the program that is in use, in mapped pieces, too.
static size_t
bytes_in_use(void)
{
    struct mallinfo2 now = mallinfo2();

    return now.uordblks + now.hblkhd;
}

// Of a loaded app: what its record has, and what stands for it in replies.
static size_t
texts_of(const struct mica_endpoint *endpoint)
{
    const struct mica_loaded_version *version =
        mica_loaded_version_of(endpoint);
    const struct mica_definition *tool = tool_of(endpoint);

    return endpoint->key.len + endpoint->path.len + endpoint->server_info.len +
           version->id.len + version->slug.len + 2 * version->name.len +
           2 * version->description.len + version->tag.len + tool->name.len +
           tool->description.len + tool->meta.len + version->plan.message.len +
           version->plan.data.len + version->plan.plain.len;
}

START_TEST(a_loaded_app_costs_two_kibibytes_besides_its_texts)
{
    size_t before, each, texts;
    struct mica_endpoint *endpoint;

    start(0, SLOW_MS);
    create_many(MANY + 1);
    endpoint = load_number(MANY);
    texts = texts_of(endpoint);
    mica_endpoint_drop(endpoint);
    before = bytes_in_use();
    for (int i = 0; i < MANY; i++)
        mica_endpoint_drop(load_number(i));
    each = (bytes_in_use() - before) / MANY;
    printf("# a loaded app: %zu bytes, %zu of them texts\n", each, texts);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__) // mallinfo2 knows nothing of their memory
    ck_assert_uint_le(each, 2048 + texts);
#endif
    ck_assert_uint_eq(mica_published_apps_counts(apps).loaded, MANY + 1);
    stop();
}
END_TEST

UNIT_MAIN("published_apps", absent_slugs_are_few_and_compared_whole,
          a_path_is_an_app_unknown_or_of_another,
          what_is_absent_is_looked_for_once, an_app_is_loaded_once,
          a_text_that_cannot_be_read_is_an_error,
          a_key_finds_its_app_and_older_tools, few_fit_and_those_in_use_stay,
          held_apps_may_need_more_than_there_is,
          an_app_stays_while_an_older_version_is_held,
          a_loaded_app_costs_two_kibibytes_besides_its_texts)
