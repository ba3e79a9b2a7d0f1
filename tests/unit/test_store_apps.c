// SPDX-License-Identifier: Apache-2.0
//
// What the store promises about published apps, once for each back end: slugs, revisions,
// versions and limits.
#include "test_store_apps.h"
#include "apps/app_slug.h"

// ---- Slugs -----------------------------------------------------------------------

START_TEST(a_new_app_is_a_draft_that_can_be_read)
{
    struct mica_store_app app;

    open_with(NULL);
    create_as("a1", "my-app", "ann", "my-app");
    ck_assert_int_eq(outcome.revision, 1);
    ck_assert_int_eq(outcome.status, MICA_STORE_APP_DRAFT);
    app = read_app("a1");
    UNIT_TEXT_EQ(app.id, "a1");
    UNIT_TEXT_EQ(app.slug, "my-app");
    UNIT_TEXT_EQ(app.owner, "ann");
    UNIT_TEXT_EQ(app.draft, "{\"name\":\"x\"}");
    UNIT_TEXT_EQ(app.summary, "{}");
    ck_assert_int_eq(app.status, MICA_STORE_APP_DRAFT);
    ck_assert_int_eq(app.publish_version, 0);
    ck_assert_int_eq(app.published_at, 0);
    ck_assert_int_eq(app.created, 10);
    MUST(mica_store_app_find(store, mica_text("my-app"), &arena, &error, &app));
    UNIT_TEXT_EQ(app.id, "a1");
    REFUSED(
        mica_store_app_read(store, mica_text("my-app"), &arena, &error, &app),
        MICA_E_NOT_FOUND);
    REFUSED(try_published("my-app"), MICA_E_NOT_FOUND);
    ck_assert_int_eq(store_count(store).apps, 1);
    end_apps();
}
END_TEST

START_TEST(a_taken_slug_gets_a_number)
{
    struct mica_store_app_content content = content_of("{}");

    open_with(NULL);
    create_as("a1", "app", "ann", "app");
    create_as("a2", "app", "ben", "app-2");
    create_as("a3", "app", "ann", "app-3");
    create_as("a4", "app-4", "ann", "app-4");
    create_as("a5", "app", "ann", "app-5"); // app-4 is taken by its name
    create_as("a6", "app-4", "ann", "app-4-2");
    REFUSED(mica_store_app_create(store, mica_text("a1"), mica_text("other"),
                                  mica_text("ann"), &content, 10, &error,
                                  &outcome),
            MICA_E_EXISTS);
    create_as("a7", "other", "ann", "other"); // the refused one took no slug
    end_apps();
}
END_TEST

START_TEST(a_long_slug_is_cut_for_its_number)
{
    char slug[65], second[65];

    open_with(NULL);
    memset(slug, 'a', 64);
    slug[61] = '-';
    slug[64] = '\0';
    create_as("a1", slug, "ann", slug);
    memset(second, 'a', 61);
    memcpy(second + 61, "-2", 3); // no two hyphens in a row
    create_as("a2", slug, "ann", second);
    end_apps();
}
END_TEST

// The numbers behind slugs are those of the core, which the other adapters use.
START_TEST(numbers_are_cut_as_in_the_core)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl";
    char slug[65], expected[MICA_APP_SLUG_SIZE], id[16];
    struct mica_store_app_content content = content_of("{}");

    ck_assert_uint_eq(MICA_STORE_APP_SLUG_BYTES, MICA_APP_SLUG_LENGTH);
    for (unsigned hyphen = 58; hyphen < 63; hyphen++) {
        open_with(NULL);
        memcpy(slug, letters, sizeof slug);
        slug[hyphen] = '-';
        for (unsigned number = 1; number <= 101; number++) {
            (void)snprintf(id, sizeof id, "a%u", number);
            MUST(mica_store_app_create(store, mica_text(id), mica_text(slug),
                                       MICA_LITERAL("ann"), &content, 10,
                                       &error, &outcome));
            (void)mica_app_slug_numbered(mica_text(slug), number, expected);
            ck_assert_str_eq(outcome.slug, expected);
        }
        end_apps();
    }
}
END_TEST

START_TEST(only_slugs_are_taken)
{
    static const char *const bad[] = {"",         "Caps", "a b", "a/b",
                                      "\xc3\xa9", "a.b",  "%41", "a_b"};
    struct mica_store_app_content content = content_of("{}");
    char longer[66];

    open_with(NULL);
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        REFUSED(mica_store_app_create(store, mica_text("a1"), mica_text(bad[i]),
                                      mica_text("ann"), &content, 10, &error,
                                      &outcome),
                MICA_E_FORMAT);
    memset(longer, 'a', 65);
    longer[65] = '\0';
    REFUSED(mica_store_app_create(store, mica_text("a1"), mica_text(longer),
                                  mica_text("ann"), &content, 10, &error,
                                  &outcome),
            MICA_E_FORMAT);
    REFUSED(mica_store_app_create(
                store, mica_text("a1"), (struct mica_text){"a\0b", 3},
                mica_text("ann"), &content, 10, &error, &outcome),
            MICA_E_FORMAT);
    REFUSED(mica_store_app_create(store, mica_text("a1"), mica_text("a"),
                                  mica_text(""), &content, 10, &error,
                                  &outcome),
            MICA_E_USAGE);
    ck_assert_int_eq(serial(), 0);
    end_apps();
}
END_TEST

START_TEST(a_slug_is_never_that_of_another_owner)
{
    struct mica_store_app app;

    open_with(NULL);
    create_as("a1", "app", "ann", "app");
    MUST(delete ("a1"));
    create_as("b1", "app", "ben", "app-2"); // also after the delete
    create_as("a2", "app", "ann", "app");   // its owner gets it back
    MUST(hand_over("a2", "cid"));
    MUST(delete ("a2"));
    create_as("a3", "app", "ann", "app-3"); // it is no longer hers
    create_as("c1", "app", "cid", "app");
    MUST(mica_store_app_find(store, mica_text("app"), &arena, &error, &app));
    UNIT_TEXT_EQ(app.id, "c1");
    end_apps();
}
END_TEST

// ---- Revisions -------------------------------------------------------------------

START_TEST(an_edit_of_what_has_changed_is_refused)
{
    struct mica_store_app_content content = content_of("{\"name\":\"y\"}");
    struct mica_store_app_target app = target("a1", 1);

    open_with(NULL);
    create("a1", "app", "ann");
    MUST(mica_store_app_edit(store, &app, &content, &error, &outcome));
    ck_assert_int_eq(outcome.revision, 2);
    content = content_of("{\"name\":\"z\"}");
    REFUSED(mica_store_app_edit(store, &app, &content, &error, &outcome),
            MICA_E_REVISION);
    ck_assert_int_eq(outcome.revision, 2); // the present one
    ck_assert_int_eq(mica_status_http(MICA_E_REVISION), 412);
    UNIT_TEXT_EQ(read_app("a1").draft, "{\"name\":\"y\"}");
    app.revision = 0; // any
    MUST(mica_store_app_edit(store, &app, &content, &error, &outcome));
    UNIT_TEXT_EQ(read_app("a1").draft, "{\"name\":\"z\"}");
    ck_assert_int_eq(read_app("a1").revision, 3);
    ck_assert_int_eq(read_app("a1").changed, 20);
    end_apps();
}
END_TEST

START_TEST(every_act_names_its_revision)
{
    struct mica_store_app_target app = target("a1", 9);

    open_with(NULL);
    create("a1", "app", "ann");
    REFUSED(publish("a1", 9, "{}", "h1", "w1"), MICA_E_REVISION);
    ck_assert_int_eq(outcome.revision, 1);
    MUST(publish("a1", 1, "{}", "h1", "w1"));
    ck_assert_int_eq(outcome.revision, 2);
    REFUSED(mica_store_app_rollback(store, &app, 1, &error, &outcome),
            MICA_E_REVISION);
    REFUSED(mica_store_app_unpublish(store, &app, &error, &outcome),
            MICA_E_REVISION);
    REFUSED(mica_store_app_hand_over(store, &app, mica_text("ben"), &error,
                                     &outcome),
            MICA_E_REVISION);
    REFUSED(mica_store_app_delete(store, &app, &error, &outcome),
            MICA_E_REVISION);
    ck_assert_int_eq(outcome.revision, 2);
    UNIT_TEXT_EQ(read_app("a1").owner, "ann");
    UNIT_TEXT_EQ(published("app").version.text, "{}");
    app.revision = 2;
    MUST(mica_store_app_delete(store, &app, &error, &outcome));
    REFUSED(mica_store_app_delete(store, &app, &error, &outcome),
            MICA_E_NOT_FOUND);
    end_apps();
}
END_TEST

// ---- Publish ---------------------------------------------------------------------

START_TEST(a_publish_makes_a_version)
{
    struct mica_store_published_app app;
    struct mica_store_app_version version;
    struct mica_text html;

    open_with(NULL);
    create("a1", "app", "ann");
    MUST(publish("a1", 0, "one", "h1", "w1"));
    ck_assert_int_eq(outcome.status, MICA_STORE_APP_PUBLISHED);
    ck_assert_int_eq(outcome.publish_version, 1);
    ck_assert_int_eq(outcome.published_at, 20);
    ck_assert_str_eq(outcome.slug, "app");
    app = published("app");
    UNIT_TEXT_EQ(app.id, "a1");
    UNIT_TEXT_EQ(app.owner, "ann");
    ck_assert_int_eq(app.version.version, 1);
    ck_assert_int_eq(app.version.published_at, 20);
    UNIT_TEXT_EQ(app.version.text, "one");
    UNIT_TEXT_EQ(app.version.widget, "h1");
    MUST(publish("a1", 0, "two", "h2", "w2"));
    UNIT_TEXT_EQ(published("app").version.text, "two");
    MUST(mica_store_app_version(store, mica_text("a1"), 1, &arena, &error,
                                &version));
    UNIT_TEXT_EQ(version.text, "one");
    MUST(widget("app", "", &html));
    UNIT_TEXT_EQ(html, "w2");
    MUST(widget("app", "h1", &html));
    UNIT_TEXT_EQ(html, "w1");
    REFUSED(widget("app", "h3", &html), MICA_E_NOT_FOUND);
    UNIT_TEXT_EQ(read_app("a1").draft, "{\"name\":\"x\"}");
    end_apps();
}
END_TEST

START_TEST(a_clock_that_was_set_back_makes_no_older_app)
{
    struct mica_store_app_target app = target("a1", 0);
    const struct mica_store_app_release release = {.text = MICA_LITERAL("t"),
                                                   .widget = MICA_LITERAL("h"),
                                                   .html = MICA_LITERAL("w")};

    open_with(NULL);
    create("a1", "app", "ann"); // at 10
    app.now = 3;
    MUST(mica_store_app_publish(store, &app, &release, &error, &outcome));
    ck_assert_int_eq(outcome.published_at, 10);
    ck_assert_int_eq(published("app").version.published_at, 10);
    ck_assert_int_eq(read_app("a1").changed, 10);
    end_apps();
}
END_TEST

START_TEST(widgets_are_those_of_their_app)
{
    struct mica_text html;

    open_with(NULL);
    create("a1", "one", "ann");
    create("a2", "two", "ann");
    MUST(publish("a1", 0, "t", "h1", "w1"));
    MUST(publish("a2", 0, "t", "h2", "w2"));
    REFUSED(widget("one", "h2", &html), MICA_E_NOT_FOUND);
    REFUSED(publish("a1", 0, "t", "h1", "other"), MICA_E_USAGE);
    ck_assert_int_eq(read_app("a1").publish_version, 1);
    MUST(publish("a1", 0, "t", "h1", "w1")); // shared by both versions
    ck_assert_int_eq(store_count(store).app_widgets, 2);
    ck_assert_int_eq(store_count(store).app_versions, 3);
    end_apps();
}
END_TEST

START_TEST(a_rollback_is_a_new_version)
{
    open_with(NULL);
    create("a1", "app", "ann");
    REFUSED(rollback("a1", 1), MICA_E_NOT_FOUND);
    MUST(publish("a1", 0, "one", "h1", "w1"));
    MUST(publish("a1", 0, "two", "h2", "w2"));
    MUST(rollback("a1", 1));
    ck_assert_int_eq(outcome.publish_version, 3);
    ck_assert_int_eq(published("app").version.version, 3);
    UNIT_TEXT_EQ(published("app").version.text, "one");
    UNIT_TEXT_EQ(published("app").version.widget, "h1");
    REFUSED(rollback("a1", 4), MICA_E_NOT_FOUND);
    ck_assert_int_eq(read_app("a1").publish_version, 3);
    end_apps();
}
END_TEST

START_TEST(an_unpublished_app_is_not_served)
{
    struct mica_text html;

    open_with(NULL);
    create("a1", "app", "ann");
    MUST(unpublish("a1")); // never published: it stays as it is
    ck_assert_int_eq(outcome.revision, 1);
    MUST(publish("a1", 0, "one", "h1", "w1"));
    ck_assert_int_eq(store_count(store).published_apps, 1);
    MUST(unpublish("a1"));
    ck_assert_int_eq(outcome.status, MICA_STORE_APP_DRAFT);
    ck_assert_int_eq(outcome.publish_version, 1);
    REFUSED(try_published("app"), MICA_E_NOT_FOUND);
    REFUSED(widget("app", "h1", &html), MICA_E_NOT_FOUND);
    REFUSED(widget("app", "", &html), MICA_E_NOT_FOUND);
    ck_assert_int_eq(store_count(store).published_apps, 0);
    MUST(publish("a1", 0, "two", "h2", "w2"));
    ck_assert_int_eq(published("app").version.version, 2);
    MUST(widget("app", "h1", &html)); // its version is still there
    end_apps();
}
END_TEST

START_TEST(old_versions_go_and_their_widgets_stay)
{
    static const struct mica_store_options options = {.app_versions = 3};
    struct mica_store_app_versions versions;
    struct mica_store_app_version version;
    struct mica_text html;
    char hash[16], text[16];

    open_with(&options);
    create("a1", "app", "ann");
    for (int i = 1; i <= 5; i++) {
        (void)snprintf(hash, sizeof hash, "h%d", i);
        (void)snprintf(text, sizeof text, "text %d", i);
        MUST(publish("a1", 0, text, hash, text));
    }
    MUST(mica_store_app_versions(store, mica_text("a1"), 0, 10, &arena, &error,
                                 &versions));
    ck_assert_uint_eq(versions.count, 3);
    ck_assert_int_eq(versions.items[0].version, 5);
    ck_assert_int_eq(versions.items[2].version, 3);
    UNIT_TEXT_EQ(versions.items[2].widget, "h3");
    MUST(mica_store_app_versions(store, mica_text("a1"), 5, 1, &arena, &error,
                                 &versions));
    ck_assert_uint_eq(versions.count, 1);
    ck_assert_int_eq(versions.items[0].version, 4);
    REFUSED(mica_store_app_version(store, mica_text("a1"), 2, &arena, &error,
                                   &version),
            MICA_E_NOT_FOUND);
    REFUSED(rollback("a1", 2), MICA_E_NOT_FOUND);
    MUST(widget("app", "h1", &html));
    UNIT_TEXT_EQ(html, "text 1");
    MUST(unpublish("a1"));
    MUST(publish("a1", 0, "text 6", "h6", "w"));
    REFUSED(widget("app", "h1", &html), MICA_E_NOT_FOUND);
    MUST(widget("app", "h4", &html));
    end_apps();
}
END_TEST

START_TEST(an_app_has_a_limit_of_widgets)
{
    static const struct mica_store_options options = {.app_versions = 2,
                                                      .app_widgets = 3};

    open_with(&options);
    create("a1", "app", "ann");
    MUST(publish("a1", 0, "t", "h1", "w1"));
    MUST(publish("a1", 0, "t", "h2", "w2"));
    MUST(publish("a1", 0, "t", "h3", "w3"));
    REFUSED(publish("a1", 0, "t", "h4", "w4"), MICA_E_LIMIT);
    MUST(publish("a1", 0, "t", "h1", "w1")); // one that it has
    MUST(unpublish("a1"));                   // h1 and h3 stay
    MUST(publish("a1", 0, "t", "h4", "w4"));
    end_apps();
}
END_TEST

// ---- Limits ----------------------------------------------------------------------

START_TEST(texts_have_limits)
{
    static char large[MICA_STORE_APP_VERSION_BYTES + 1];
    struct mica_store_app_content content = content_of("{}");
    struct mica_store_app_target app = target("a1", 0);
    struct mica_store_app_release release = {.text = MICA_LITERAL("t"),
                                             .widget = MICA_LITERAL("h"),
                                             .html = MICA_LITERAL("w")};

    open_with(NULL);
    memset(large, 'a', sizeof large);
    create("a1", "app", "ann");
    content.draft = (struct mica_text){large, MICA_STORE_APP_DRAFT_BYTES};
    MUST(mica_store_app_edit(store, &app, &content, &error, &outcome));
    content.draft.len++;
    REFUSED(mica_store_app_edit(store, &app, &content, &error, &outcome),
            MICA_E_LIMIT);
    content = content_of("\xff");
    REFUSED(mica_store_app_edit(store, &app, &content, &error, &outcome),
            MICA_E_FORMAT);
    content = content_of("{}");
    content.summary =
        (struct mica_text){large, MICA_STORE_APP_SUMMARY_BYTES + 1};
    REFUSED(mica_store_app_edit(store, &app, &content, &error, &outcome),
            MICA_E_LIMIT);
    release.text = (struct mica_text){large, MICA_STORE_APP_VERSION_BYTES + 1};
    REFUSED(mica_store_app_publish(store, &app, &release, &error, &outcome),
            MICA_E_LIMIT);
    release.text.len--;
    release.html = (struct mica_text){large, MICA_STORE_APP_WIDGET_BYTES + 1};
    REFUSED(mica_store_app_publish(store, &app, &release, &error, &outcome),
            MICA_E_LIMIT);
    release.html.len--;
    MUST(mica_store_app_publish(store, &app, &release, &error, &outcome));
    REFUSED(mica_store_app_hand_over(
                store, &app,
                (struct mica_text){large, MICA_STORE_APP_OWNER_BYTES + 1},
                &error, &outcome),
            MICA_E_LIMIT);
    end_apps();
}
END_TEST

START_TEST(a_store_has_a_limit_of_apps)
{
    static const struct mica_store_options options = {.apps = 2};
    struct mica_store_app_content content = content_of("{}");

    open_with(&options);
    create("a1", "app", "ann");
    create("a2", "app", "ann");
    REFUSED(mica_store_app_create(store, mica_text("a3"), mica_text("app"),
                                  mica_text("ann"), &content, 10, &error,
                                  &outcome),
            MICA_E_LIMIT);
    MUST(delete ("a1"));
    create_as("a3", "app", "ben", "app-3");
    end_apps();
}
END_TEST

START_TEST(a_delete_leaves_only_the_slug)
{
    struct mica_store_app app;
    struct mica_store_statistics counts;

    open_with(NULL);
    create("a1", "app", "ann");
    MUST(publish("a1", 0, "t", "h", "w"));
    MUST(delete ("a1"));
    ck_assert_str_eq(outcome.slug, "app");
    REFUSED(mica_store_app_read(store, mica_text("a1"), &arena, &error, &app),
            MICA_E_NOT_FOUND);
    REFUSED(mica_store_app_find(store, mica_text("app"), &arena, &error, &app),
            MICA_E_NOT_FOUND);
    REFUSED(try_published("app"), MICA_E_NOT_FOUND);
    counts = store_count(store);
    ck_assert_int_eq(counts.apps, 0);
    ck_assert_int_eq(counts.published_apps, 0);
    ck_assert_int_eq(counts.app_versions, 0);
    ck_assert_int_eq(counts.app_widgets, 0);
    create_as("a2", "app", "ann", "app");
    ck_assert_int_eq(read_app("a2").publish_version, 0);
    REFUSED(try_published("app"), MICA_E_NOT_FOUND);
    end_apps();
}
END_TEST

UNIT_MAIN("store apps " MICA_TEST_STORE, a_new_app_is_a_draft_that_can_be_read,
          a_taken_slug_gets_a_number, a_long_slug_is_cut_for_its_number,
          numbers_are_cut_as_in_the_core, only_slugs_are_taken,
          a_slug_is_never_that_of_another_owner,
          an_edit_of_what_has_changed_is_refused, every_act_names_its_revision,
          a_publish_makes_a_version,
          a_clock_that_was_set_back_makes_no_older_app,
          widgets_are_those_of_their_app, a_rollback_is_a_new_version,
          an_unpublished_app_is_not_served,
          old_versions_go_and_their_widgets_stay, an_app_has_a_limit_of_widgets,
          texts_have_limits, a_store_has_a_limit_of_apps,
          a_delete_leaves_only_the_slug)
