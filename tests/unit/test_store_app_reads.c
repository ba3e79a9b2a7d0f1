// SPDX-License-Identifier: Apache-2.0
//
// What other readers see of published apps, once for each back end: changes, lists and usage.
#include "test_store_apps.h"

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

// Does the person find the app, by its id and by its slug?
static bool
is_found_by(const char *person)
{
    struct mica_store_app by_id, by_slug;
    enum mica_status status = mica_store_app_read_by(
        store, mica_text(person), mica_text("a1"), &arena, &error, &by_id);

    ck_assert_int_eq(mica_store_app_find_by(store, mica_text(person),
                                            mica_text("app"), &arena, &error,
                                            &by_slug),
                     status);
    if (status != MICA_OK) {
        ck_assert_int_eq(status, MICA_E_NOT_FOUND);
        return false;
    }
    UNIT_TEXT_EQ(by_id.draft, "{\"a\":1}");
    UNIT_TEXT_EQ(by_slug.draft, "{\"a\":1}");
    return true;
}

START_TEST(an_app_is_found_by_its_people_alone)
{
    const struct mica_store_app_person people[] = {
        {MICA_LITERAL("ben"), MICA_STORE_APP_EDITOR},
        {MICA_LITERAL("cay"), MICA_STORE_APP_VIEWER}};
    struct mica_store_app_content content = content_of("{\"a\":1}");
    struct mica_store_app_target app = target("a1", 0);

    open_with(NULL);
    create("a1", "app", "ann");
    create("a2", "other", "dee");
    content.people = people;
    content.people_count = MICA_COUNT(people);
    MUST(mica_store_app_edit(store, &app, &content, &error, &outcome));
    ck_assert(is_found_by("ann") && is_found_by("ben") && is_found_by("cay"));
    ck_assert(!is_found_by("dee") && !is_found_by("an") && !is_found_by(""));
    hand_over("a1", "dee");
    ck_assert(is_found_by("dee") && !is_found_by("ann") && is_found_by("ben"));
    content.people_count = 1;
    MUST(mica_store_app_edit(store, &app, &content, &error, &outcome));
    ck_assert(is_found_by("ben") && !is_found_by("cay"));
    delete ("a1");
    ck_assert(!is_found_by("dee") && !is_found_by("ben"));
    end_apps();
}
END_TEST

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

UNIT_MAIN("store app reads " MICA_TEST_STORE, every_change_raises_the_serial,
          a_reader_learns_what_has_changed, an_app_is_found_by_its_people_alone,
          lists_have_pages, usage_adds_up, a_sweep_removes_old_usage)
