// SPDX-License-Identifier: Apache-2.0
//
// Published apps in a file: what stays when it is closed, a file of an older version, a copy, a
// takeover, and what a check finds.
#include <sqlite3.h>

#include "test_store_file.h"

#include "store/store_collections.h"

static struct mica_store_app_outcome outcome;
static struct mica_arena arena;

static void
publish_app(struct mica_store *into, const char *id, const char *slug)
{
    const struct mica_store_app_content content = {.draft = MICA_LITERAL("{}")};
    const struct mica_store_app_target target = {.id = mica_text(id), .now = 5};
    const struct mica_store_app_release release = {.text = MICA_LITERAL("text"),
                                                   .widget = MICA_LITERAL("h"),
                                                   .html =
                                                       MICA_LITERAL("html")};

    MUST(mica_store_app_create(into, mica_text(id), mica_text(slug),
                               MICA_LITERAL("ann"), &content, 4, &error,
                               &outcome));
    MUST(mica_store_app_publish(into, &target, &release, &error, &outcome));
}

// The slug serves that app.
static void
must_serve(struct mica_store *from, const char *slug, const char *id)
{
    struct mica_store_published_app app;
    struct mica_text html;

    MUST(mica_store_app_published(from, mica_text(slug), &arena, &error, &app));
    UNIT_TEXT_EQ(app.id, id);
    UNIT_TEXT_EQ(app.version.text, "text");
    MUST(mica_store_app_widget(from, mica_text(slug), MICA_LITERAL("h"), &arena,
                               &error, &html));
    UNIT_TEXT_EQ(html, "html");
}

static void
begin_test(void)
{
    mica_arena_init(&arena, 1 << 20);
    MUST(try_open("mica.db", NULL));
}

static void
end_apps(void)
{
    end_test();
    mica_arena_fini(&arena);
}

START_TEST(slugs_and_serials_outlive_the_process)
{
    const struct mica_store_app_target target = {.id = MICA_LITERAL("a1")};
    int64_t before, after;

    begin_test();
    publish_app(store, "a1", "app");
    publish_app(store, "a2", "kept");
    MUST(mica_store_app_delete(store, &target, &error, &outcome));
    MUST(mica_store_app_serial(store, &error, &before));
    mica_store_close(&store);
    MUST(try_open("mica.db", NULL));
    MUST(mica_store_app_serial(store, &error, &after));
    ck_assert_int_eq(after, before);
    must_serve(store, "kept", "a2");
    ck_assert_int_eq(store_count(store).published_apps, 1);
    const struct mica_store_app_content content = {.draft = MICA_LITERAL("{}")};
    MUST(mica_store_app_create(store, MICA_LITERAL("b1"), MICA_LITERAL("app"),
                               MICA_LITERAL("ben"), &content, 9, &error,
                               &outcome));
    ck_assert_str_eq(outcome.slug, "app-2"); // it stays ann's
    end_apps();
}
END_TEST

START_TEST(a_file_of_version_10_gets_apps_and_keeps_the_rest)
{
    struct mica_sqlite old = {.db = NULL};
    struct mica_store_changes changes;

    mica_arena_init(&arena, 1 << 20);
    write_file("mica.db", "", 0);
    MUST(mica_sqlite_connect(&old, store_file("mica.db"), 100, &error));
    MUST(mica_sqlite_migrate(&old, 10, &error));
    mica_sqlite_disconnect(&old);
    run_sql("mica.db", "INSERT INTO changes VALUES (7, 1, 1, 't', '', 0);"
                       "UPDATE counters SET value = 1 WHERE name = 'changes'");
    MUST(try_open("mica.db", NULL));
    ck_assert_int_eq(store_count(store).apps, 0);
    publish_app(store, "a1", "app");
    must_serve(store, "app", "a1");
    MUST(mica_store_change_read(store, 6, 10, &arena, &error, &changes));
    ck_assert_uint_eq(changes.count, 3); // each act has one in the feed, too
    UNIT_TEXT_EQ(changes.items[0].name, "t");
    ck_assert_int_eq(changes.items[2].kind, MICA_CHANGE_APP);
    UNIT_TEXT_EQ(changes.items[2].name, "a1");
    ck_assert(!changes.missed);
    end_apps();
}
END_TEST

// The text of a version has its tool name; from version 12 on it is a column, too.
START_TEST(a_file_of_version_11_learns_the_names_of_tools)
{
    const struct mica_text members[] = {MICA_LITERAL("a1"), MICA_LITERAL("a2")};
    const struct mica_store_collection_content content = {
        .text = MICA_LITERAL("{}"), .members = members, .member_count = 2};
    struct mica_store_collection found;
    struct mica_sqlite old = {.db = NULL};

    mica_arena_init(&arena, 1 << 20);
    write_file("mica.db", "", 0);
    MUST(mica_sqlite_connect(&old, store_file("mica.db"), 100, &error));
    MUST(mica_sqlite_migrate(&old, 11, &error));
    mica_sqlite_disconnect(&old);
    run_sql("mica.db",
            "INSERT INTO app_slugs VALUES ('one', 1, 1, 'ann', 1, 1),"
            "  ('two', 1, 2, 'ann', 1, 2);"
            "INSERT INTO apps VALUES"
            "  (1, 'a1', 'one', 'ann', 2, 2, 1, 5, 4, 5, '{}', '{}'),"
            "  (2, 'a2', 'two', 'ann', 2, 2, 1, 5, 4, 5, '{}', '{}');"
            "INSERT INTO app_versions VALUES (1, 1, 5, 'h',"
            "  '{\"toolName\":\"look\"}'), (2, 1, 5, 'h', 'no json');"
            "INSERT INTO app_widgets VALUES (1, 'h', 'w'), (2, 'h', 'w');"
            "UPDATE counters SET value = 2 WHERE name IN ('apps',"
            "  'published_apps', 'app_versions', 'app_widgets')");
    MUST(try_open("mica.db", NULL));
    MUST(mica_store_collection_create(store, MICA_LITERAL("c1"),
                                      MICA_LITERAL("desk"), MICA_LITERAL("ann"),
                                      &content, 9, &error, &outcome));
    MUST(mica_store_collection_read(store, MICA_LITERAL("c1"), &arena, &error,
                                    &found));
    UNIT_TEXT_EQ(found.members[0].tool, "look");
    UNIT_TEXT_EQ(found.members[1].tool, "");
    end_apps();
}
END_TEST

START_TEST(a_copy_has_the_apps)
{
    struct mica_store *copy;
    char path[128], spec[160];

    begin_test();
    publish_app(store, "a1", "app");
    strcpy(path, store_file("copy.db"));
    MUST(mica_store_backup(store, path, NULL, NULL, &error));
    (void)snprintf(spec, sizeof spec, "sqlite:%s", path);
    MUST(mica_store_open(spec, NULL, &error, &copy));
    must_serve(copy, "app", "a1");
    store_must_be_sound(copy);
    mica_store_close(&copy);
    end_apps();
}
END_TEST

static bool
may_all(void *user, const struct mica_store_build *build)
{
    (void)user, (void)build;
    return true;
}

START_TEST(a_takeover_leaves_apps_where_they_are)
{
    struct mica_store_taken taken;
    struct mica_store_app app;
    struct mica_store *there;

    begin_test();
    publish_app(store, "a1", "here");
    MUST(mica_store_open(store_spec("sqlite", "there.db"), NULL, &error,
                         &there));
    publish_app(there, "a2", "there");
    MUST(mica_store_take_over(store, there, may_all, NULL, 10, &error, &taken));
    must_serve(store, "here", "a1");
    must_serve(there, "there", "a2");
    REFUSED(
        mica_store_app_find(store, MICA_LITERAL("there"), &arena, &error, &app),
        MICA_E_NOT_FOUND);
    store_must_be_sound(there);
    mica_store_close(&there);
    end_apps();
}
END_TEST

START_TEST(a_check_finds_apps_that_do_not_agree)
{
    static const struct {
        const char *sql, *finding;
    } faults[] = {
        {"UPDATE apps SET owner = 'ben'", "app a1 has the slug app, which"},
        {"UPDATE apps SET slug = 'x'", "app a1 has the slug x, which"},
        {"UPDATE app_slugs SET app = 99", "the slug app belongs to no app"},
        {"DELETE FROM app_versions", "app a1 does not have its version 1"},
        {"UPDATE apps SET published_at = 6",
         "app a1 does not have its version 1"},
        {"UPDATE apps SET publish_version = 0, published_at = 0",
         "app a1 is published without a version"},
        {"UPDATE app_versions SET version = 2", "version 2 of app a1 is newer"},
        {"DELETE FROM app_widgets", "version 1 of app a1 has no widget"},
        {"INSERT INTO app_people VALUES ('ben', 9, 1)",
         "a row of app_people belongs to no row of apps"},
        {"INSERT INTO app_usage VALUES (9, 1, 1, 1, 1, 1)",
         "a row of app_usage belongs to no row of apps"},
        {"UPDATE counters SET value = 4 WHERE name = 'published_apps'",
         "the counter of published_apps says 4 instead of 1"}};

    for (size_t i = 0; i < MICA_COUNT(faults); i++) {
        struct mica_text findings;
        begin_test();
        publish_app(store, "a1", "app");
        store_must_be_sound(store);
        mica_store_close(&store);
        run_sql("mica.db", faults[i].sql);
        MUST(try_open("mica.db", NULL));
        MUST(mica_store_check(store, &arena, &error, &findings));
        findings = mica_arena_text(&arena, findings);
        ck_assert_msg(strstr(findings.ptr, faults[i].finding) != NULL,
                      "%s: %.*s", faults[i].sql, MICA_ARG(findings));
        mica_store_close(&store);
        mica_arena_fini(&arena);
        store_remove_folder();
    }
}
END_TEST

// Ten thousand published apps cost a process that serves none of them nearly nothing.
START_TEST(a_store_of_many_widgets_opens_without_keeping_their_pages)
{
    static char html[200 * 1024];
    const int64_t room = 512 * 1024;
    int64_t before = sqlite3_memory_used();
    char id[16], hash[16];

    begin_test();
    memset(html, 'h', sizeof html);
    for (int i = 0; i < 20; i++) {
        (void)snprintf(id, sizeof id, "a%d", i);
        (void)snprintf(hash, sizeof hash, "hash%d", i);
        publish_app(store, id, id);
        const struct mica_store_app_target target = {.id = mica_text(id)};
        const struct mica_store_app_release release = {
            MICA_LITERAL("text"), mica_text(hash), {html, sizeof html},
            MICA_LITERAL("tool")};
        MUST(
            mica_store_app_publish(store, &target, &release, &error, &outcome));
    }
    ck_assert_int_gt(sqlite3_memory_used(), before + room);
    mica_store_close(&store);
    MUST(try_open("mica.db", NULL));
    ck_assert_int_lt(sqlite3_memory_used(), before + room);
    end_apps();
}
END_TEST

UNIT_MAIN("store apps file", slugs_and_serials_outlive_the_process,
          a_file_of_version_10_gets_apps_and_keeps_the_rest,
          a_file_of_version_11_learns_the_names_of_tools, a_copy_has_the_apps,
          a_takeover_leaves_apps_where_they_are,
          a_check_finds_apps_that_do_not_agree,
          a_store_of_many_widgets_opens_without_keeping_their_pages)
