// SPDX-License-Identifier: Apache-2.0
//
// What the store promises about published apps, once for each back end.
#include "apps/app_slug.h"
#include "store/store_apps.h"
#include "store_plans.h"
#include "test_store_both.h"

// ---- Short forms -----------------------------------------------------------------

static struct mica_store_app_outcome outcome;

// No statement reads a table from end to end.
static void
end_apps(void)
{
    ck_assert_uint_gt(plans_check(store), 0);
    end_test();
}

static struct mica_store_app_content
content_of(const char *draft)
{
    return (struct mica_store_app_content){.draft = mica_text(draft),
                                           .summary = mica_text("{}")};
}

static void
create(const char *id, const char *slug, const char *owner)
{
    struct mica_store_app_content content = content_of("{\"name\":\"x\"}");

    MUST(mica_store_app_create(store, mica_text(id), mica_text(slug),
                               mica_text(owner), &content, 10, &error,
                               &outcome));
}

// Creates an app that must get the slug `expected`.
static void
create_as(const char *id, const char *slug, const char *owner,
          const char *expected)
{
    create(id, slug, owner);
    ck_assert_str_eq(outcome.slug, expected);
}

static struct mica_store_app_target
target(const char *id, int64_t revision)
{
    return (struct mica_store_app_target){
        .id = mica_text(id), .revision = revision, .now = 20};
}

static enum mica_status
publish(const char *id, int64_t revision, const char *text, const char *hash,
        const char *html)
{
    struct mica_store_app_target app = target(id, revision);
    const struct mica_store_app_release release = {
        mica_text(text), mica_text(hash), mica_text(html)};

    return mica_store_app_publish(store, &app, &release, &error, &outcome);
}

static enum mica_status delete (const char *id) {
    struct mica_store_app_target app = target(id, 0);

        return mica_store_app_delete(store, &app, &error, &outcome);
}

static enum mica_status
hand_over(const char *id, const char *owner)
{
    struct mica_store_app_target app = target(id, 0);

    return mica_store_app_hand_over(store, &app, mica_text(owner), &error,
                                    &outcome);
}

static enum mica_status
unpublish(const char *id)
{
    struct mica_store_app_target app = target(id, 0);

    return mica_store_app_unpublish(store, &app, &error, &outcome);
}

static enum mica_status
rollback(const char *id, int64_t version)
{
    struct mica_store_app_target app = target(id, 0);

    return mica_store_app_rollback(store, &app, version, &error, &outcome);
}

static struct mica_store_app
read_app(const char *id)
{
    struct mica_store_app app;

    MUST(mica_store_app_read(store, mica_text(id), &arena, &error, &app));
    return app;
}

static struct mica_store_published_app
published(const char *slug)
{
    struct mica_store_published_app app;

    MUST(
        mica_store_app_published(store, mica_text(slug), &arena, &error, &app));
    return app;
}

static enum mica_status
try_published(const char *slug)
{
    struct mica_store_published_app app;

    return mica_store_app_published(store, mica_text(slug), &arena, &error,
                                    &app);
}

static enum mica_status
widget(const char *slug, const char *hash, struct mica_text *html_out)
{
    return mica_store_app_widget(store, mica_text(slug), mica_text(hash),
                                 &arena, &error, html_out);
}

static int64_t
serial(void)
{
    int64_t number = -1;

    MUST(mica_store_app_serial(store, &error, &number));
    return number;
}

static struct mica_store_app_changes
changed_since(int64_t since)
{
    struct mica_store_app_changes changes;

    MUST(mica_store_app_changed_since(store, since, 100, &arena, &error,
                                      &changes));
    return changes;
}

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
    const struct mica_store_app_release release = {
        MICA_LITERAL("t"), MICA_LITERAL("h"), MICA_LITERAL("w")};

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

// ---- Changes ---------------------------------------------------------------------

START_TEST(every_change_raises_the_serial)
{
    struct mica_store_app_content content = content_of("{}");
    struct mica_store_app_target app = target("a1", 0);
    struct mica_store_app_changes changes;
    int64_t last = 0;

#define RAISES(act)                       \
    do {                                  \
        MUST(act);                        \
        ck_assert_int_gt(serial(), last); \
        last = serial();                  \
    } while (0)
    open_with(NULL);
    ck_assert_int_eq(serial(), 0);
    create("a0", "other", "ann");
    RAISES((create("a1", "app", "ann"), MICA_OK));
    RAISES(mica_store_app_edit(store, &app, &content, &error, &outcome));
    RAISES(publish("a1", 0, "t", "h", "w"));
    RAISES(rollback("a1", 1));
    RAISES(hand_over("a1", "ben"));
    RAISES(unpublish("a1"));
    RAISES(delete ("a1"));
#undef RAISES
    MUST(unpublish("a0")); // changes nothing
    ck_assert_int_eq(serial(), last);
    changes = changed_since(0);
    ck_assert_uint_eq(changes.count, 2);
    UNIT_TEXT_EQ(changes.items[0].slug, "other");
    UNIT_TEXT_EQ(changes.items[0].id, "a0");
    UNIT_TEXT_EQ(changes.items[1].slug, "app");
    UNIT_TEXT_EQ(changes.items[1].id, "");
    ck_assert_int_eq(changes.items[1].serial, last);
    ck_assert_uint_eq(changed_since(last).count, 0);
    end_apps();
}
END_TEST

START_TEST(a_reader_learns_what_has_changed)
{
    struct mica_store_app_changes changes;
    int64_t before;

    open_with(NULL);
    create("a1", "one", "ann");
    create("a2", "two", "ann");
    create("a3", "three", "ann");
    before = serial();
    MUST(publish("a3", 0, "t", "h", "w"));
    MUST(publish("a1", 0, "t", "h", "w"));
    MUST(publish("a3", 0, "t", "h", "w"));
    changes = changed_since(before);
    ck_assert_uint_eq(changes.count, 2); // each once
    UNIT_TEXT_EQ(changes.items[0].slug, "one");
    ck_assert_int_eq(changes.items[0].publish_version, 1);
    UNIT_TEXT_EQ(changes.items[1].slug, "three");
    ck_assert_int_eq(changes.items[1].publish_version, 2);
    ck_assert_int_eq(changes.items[1].status, MICA_STORE_APP_PUBLISHED);
    MUST(mica_store_app_changed_since(store, before, 1, &arena, &error,
                                      &changes));
    ck_assert_uint_eq(changes.count, 1);
    REFUSED(mica_store_app_changed_since(store, before, 0, &arena, &error,
                                         &changes),
            MICA_E_USAGE);
    end_apps();
}
END_TEST

// ---- Lists -----------------------------------------------------------------------

static void
list_is(const char *person, bool shared, const char *expected)
{
    struct mica_store_apps apps = {.count = 1};
    char found[64] = "";
    int64_t after = 0;

    while (apps.count > 0) { // pages of two
        MUST(mica_store_app_list(store, mica_text(person), shared, after, 2,
                                 &arena, &error, &apps));
        for (size_t i = 0; i < apps.count; i++) {
            strncat(found, apps.items[i].id.ptr, apps.items[i].id.len);
            strcat(found, " ");
            after = apps.items[i].number;
            ck_assert_uint_eq(apps.items[i].draft.len, 0);
            UNIT_TEXT_EQ(apps.items[i].summary, "{}");
        }
    }
    ck_assert_str_eq(found, expected);
}

START_TEST(lists_have_pages)
{
    const struct mica_store_app_person people[] = {
        {MICA_LITERAL("ben"), MICA_STORE_APP_EDITOR},
        {MICA_LITERAL("cid"), MICA_STORE_APP_VIEWER},
        {MICA_LITERAL("ann"), MICA_STORE_APP_EDITOR},
        {MICA_LITERAL("ben"), MICA_STORE_APP_VIEWER}};
    struct mica_store_app_target app = target("z4", 0);
    struct mica_store_app_content content = content_of("{}");
    struct mica_store_apps apps;

    open_with(NULL);
    create("z5", "app", "ann"); // the order is that of their creation
    create("z4", "app", "ann");
    create("z3", "app", "ben");
    create("z2", "app", "ann");
    create("z1", "app", "ben");
    list_is("", false, "z5 z4 z3 z2 z1 ");
    list_is("ann", false, "z5 z4 z2 ");
    list_is("ben", true, "z3 z1 ");
    content.people = people;
    content.people_count = MICA_COUNT(people);
    MUST(mica_store_app_edit(store, &app, &content, &error, &outcome));
    list_is("ben", true, "z4 z3 z1 ");
    list_is("ben", false, "z3 z1 ");
    list_is("cid", true, "z4 ");
    list_is("ann", true, "z5 z4 z2 ");
    content.people_count = 0;
    MUST(mica_store_app_edit(store, &app, &content, &error, &outcome));
    list_is("cid", true, "");
    REFUSED(mica_store_app_list(store, mica_text(""), false, 0, 1001, &arena,
                                &error, &apps),
            MICA_E_USAGE);
    end_apps();
}
END_TEST

// ---- Limits ----------------------------------------------------------------------

START_TEST(texts_have_limits)
{
    static char large[MICA_STORE_APP_VERSION_BYTES + 1];
    struct mica_store_app_content content = content_of("{}");
    struct mica_store_app_target app = target("a1", 0);
    struct mica_store_app_release release = {
        MICA_LITERAL("t"), MICA_LITERAL("h"), MICA_LITERAL("w")};

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

// ---- Usage -----------------------------------------------------------------------

static struct mica_store_app_days
usage_of(const char *id, int64_t from, int64_t to)
{
    struct mica_store_app_days days;

    MUST(mica_store_app_usage(store, mica_text(id), from, to, &arena, &error,
                              &days));
    return days;
}

START_TEST(usage_adds_up)
{
    const struct mica_store_app_usage items[] = {
        {MICA_LITERAL("a1"), 100, 3, 1, 70},
        {MICA_LITERAL("a2"), 100, 1, 0, 0},
        {MICA_LITERAL("none"), 100, 5, 0, 0}, // deleted meanwhile
        {MICA_LITERAL("a1"), 102, 1, 0, 1},
        {MICA_LITERAL("a1"), 100, 2, 0, 5}};
    struct mica_store_app_usage bad = items[0];
    struct mica_store_app_days days;

    open_with(NULL);
    create("a1", "app", "ann");
    create("a2", "app", "ann");
    MUST(mica_store_app_usage_add(store, items, MICA_COUNT(items), &error));
    MUST(mica_store_app_usage_add(store, items, 1, &error));
    MUST(mica_store_app_usage_add(store, items, 0, &error));
    days = usage_of("a1", 100, 102);
    ck_assert_uint_eq(days.count, 2);
    ck_assert_int_eq(days.items[0].day, 100);
    ck_assert_int_eq(days.items[0].calls, 8);
    ck_assert_int_eq(days.items[0].failures, 2);
    ck_assert_int_eq(days.items[0].tokens, 145);
    ck_assert_int_eq(days.items[1].day, 102);
    ck_assert_uint_eq(usage_of("a1", 101, 101).count, 0);
    ck_assert_int_eq(usage_of("a2", 0, 999).items[0].calls, 1);
    ck_assert_uint_eq(usage_of("none", 0, 999).count, 0);
    REFUSED(mica_store_app_usage(store, mica_text("a1"), 0, 1000, &arena,
                                 &error, &days),
            MICA_E_USAGE);
    REFUSED(mica_store_app_usage_add(store, items, 257, &error), MICA_E_USAGE);
    bad.calls = -1;
    REFUSED(mica_store_app_usage_add(store, &bad, 1, &error), MICA_E_USAGE);
    MUST(delete ("a1"));
    ck_assert_uint_eq(usage_of("a1", 0, 999).count, 0);
    end_apps();
}
END_TEST

START_TEST(a_sweep_removes_old_usage)
{
    const struct mica_store_app_usage items[] = {
        {MICA_LITERAL("a1"), 100, 3, 1, 70},
        {MICA_LITERAL("a1"), 101, 1, 0, 0}};
    const int64_t day_ms = 86400000;
    size_t removed;

    open_with(NULL);
    create("a1", "app", "ann");
    MUST(mica_store_app_usage_add(store, items, MICA_COUNT(items), &error));
    MUST(mica_store_sweep(store, (100 + MICA_STORE_APP_USAGE_DAYS) * day_ms, 10,
                          &error, &removed));
    ck_assert_uint_eq(usage_of("a1", 0, 999).count, 2);
    MUST(mica_store_sweep(store, (101 + MICA_STORE_APP_USAGE_DAYS) * day_ms, 10,
                          &error, &removed));
    ck_assert_uint_ge(removed, 1);
    ck_assert_uint_eq(usage_of("a1", 0, 999).count, 1);
    ck_assert_int_eq(usage_of("a1", 0, 999).items[0].day, 101);
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
          every_change_raises_the_serial, a_reader_learns_what_has_changed,
          lists_have_pages, texts_have_limits, a_store_has_a_limit_of_apps,
          a_delete_leaves_only_the_slug, usage_adds_up,
          a_sweep_removes_old_usage)
