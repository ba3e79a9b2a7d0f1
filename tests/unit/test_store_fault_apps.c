// SPDX-License-Identifier: Apache-2.0
//
// Storage that fails (store_fault.h) under published apps.
#include "store/store_apps.h"
#include "store_fault.h"

enum {
    APPS = 5,
    FIRST_CALL = 1,
    LAST_CALL = 18
};

static char large[20000];

static struct mica_text
app_id(unsigned number)
{
    static const char *const ids[] = {"drafted", "published", "unpublished",
                                      "given",   "deleted",   "new"};

    return mica_text(ids[number]);
}

static struct mica_store_app_target
app_target(unsigned number)
{
    return (struct mica_store_app_target){.id = app_id(number), .now = 6};
}

static enum mica_status
create_app(struct mica_store *store, unsigned number)
{
    const struct mica_store_app_content content = {.draft = MICA_LITERAL("{}")};
    struct mica_store_app_outcome outcome;

    return mica_store_app_create(store, app_id(number), MICA_LITERAL("app"),
                                 MICA_LITERAL("ann"), &content, 5, &error,
                                 &outcome);
}

static enum mica_status
edit_app(struct mica_store *store, unsigned number)
{
    const struct mica_store_app_target target = app_target(number);
    const struct mica_store_app_person people[] = {
        {MICA_LITERAL("ben"), MICA_STORE_APP_EDITOR},
        {MICA_LITERAL("cid"), MICA_STORE_APP_VIEWER}};
    const struct mica_store_app_content content = {
        .draft = {large, sizeof large},
        .people = people,
        .people_count = MICA_COUNT(people)};
    struct mica_store_app_outcome outcome;

    return mica_store_app_edit(store, &target, &content, &error, &outcome);
}

static enum mica_status
publish_app(struct mica_store *store, unsigned number, const char *hash)
{
    const struct mica_store_app_target target = app_target(number);
    const struct mica_store_app_release release = {
        .text = {large, 500},
        .widget = mica_text(hash),
        .html = {large, sizeof large}};
    struct mica_store_app_outcome outcome;

    return mica_store_app_publish(store, &target, &release, &error, &outcome);
}

static enum mica_status
other_act(struct mica_store *store, unsigned number)
{
    struct mica_store_app_target target = app_target(number);
    struct mica_store_app_outcome outcome;

    switch (number) {
    case 1:
        return mica_store_app_rollback(store, &target, 1, &error, &outcome);
    case 2:
        return mica_store_app_unpublish(store, &target, &error, &outcome);
    case 3:
        return mica_store_app_hand_over(store, &target, MICA_LITERAL("ben"),
                                        &error, &outcome);
    default:
        return mica_store_app_delete(store, &target, &error, &outcome);
    }
}

static enum mica_status
add_usage(struct mica_store *store)
{
    const struct mica_store_app_usage items[] = {{app_id(0), 3, 1, 0, 9},
                                                 {app_id(1), 3, 2, 1, 8},
                                                 {app_id(1), 4, 3, 0, 7}};

    return mica_store_app_usage_add(store, items, MICA_COUNT(items), &error);
}

static enum mica_status
do_call(struct mica_store *store, unsigned number)
{
    struct mica_store_published_app published;
    struct mica_store_app_versions versions;
    struct mica_store_app_changes changes;
    struct mica_store_app_version version;
    struct mica_store_app_days days;
    struct mica_store_apps apps;
    struct mica_store_app app;
    struct mica_text html;
    int64_t serial;

    memset(&error, 0, sizeof error);
    switch (number) {
    case 1:
        return create_app(store, 5);
    case 2:
        return edit_app(store, 0);
    case 3:
        return publish_app(store, 0, "h1");
    case 4:
        return publish_app(store, 1, "h2");
    case 5:
    case 6:
    case 7:
    case 8:
        return other_act(store, number - 4);
    case 9:
        return add_usage(store);
    case 10:
        return mica_store_app_read(store, app_id(1), &arena, &error, &app);
    case 11:
        return mica_store_app_find(store, MICA_LITERAL("app"), &arena, &error,
                                   &app);
    case 12:
        return mica_store_app_published(store, MICA_LITERAL("app-2"), &arena,
                                        &error, &published);
    case 13:
        return mica_store_app_widget(store, MICA_LITERAL("app-2"),
                                     MICA_LITERAL("h1"), &arena, &error, &html);
    case 14:
        return mica_store_app_list(store, MICA_LITERAL("ben"), true, 0, 10,
                                   &arena, &error, &apps);
    case 15:
        return mica_store_app_version(store, app_id(1), 1, &arena, &error,
                                      &version);
    case 16:
        return mica_store_app_versions(store, app_id(1), 0, 9, &arena, &error,
                                       &versions);
    case 17:
        if (mica_store_app_serial(store, &error, &serial) != MICA_OK)
            return error.status;
        return mica_store_app_changed_since(store, 0, 10, &arena, &error,
                                            &changes);
    default:
        return mica_store_app_usage(store, app_id(1), 0, 9, &arena, &error,
                                    &days);
    }
}

static void
fill(struct mica_store *store)
{
    memset(large, 'd', sizeof large);
    for (unsigned i = 0; i < APPS; i++)
        MUST(create_app(store, i));
    for (unsigned i = 1; i < APPS; i++)
        MUST(publish_app(store, i, "h1"));
    MUST(edit_app(store, 4));
    MUST(add_usage(store));
}

// ---- Compare ---------------------------------------------------------------------

static void
versions_must_match(struct mica_store *a, struct mica_store *b,
                    struct mica_text id)
{
    struct mica_store_app_versions in_a, in_b;

    MUST(mica_store_app_versions(a, id, 0, 9, &arena, &error, &in_a));
    MUST(mica_store_app_versions(b, id, 0, 9, &arena, &error, &in_b));
    ck_assert_uint_eq(in_a.count, in_b.count);
    for (size_t i = 0; i < in_a.count; i++) {
        struct mica_store_app_version of_a, of_b;
        int64_t number = in_a.items[i].version;
        MUST(mica_store_app_version(a, id, number, &arena, &error, &of_a));
        MUST(mica_store_app_version(b, id, number, &arena, &error, &of_b));
        UNIT_MUST(of_a.published_at == of_b.published_at &&
                      mica_text_equal(of_a.text, of_b.text) &&
                      mica_text_equal(of_a.widget, of_b.widget),
                  "version %lld of %.*s", (long long)number, MICA_ARG(id));
    }
}

static void
usage_must_match(struct mica_store *a, struct mica_store *b,
                 struct mica_text id)
{
    struct mica_store_app_days in_a, in_b;

    MUST(mica_store_app_usage(a, id, 0, 9, &arena, &error, &in_a));
    MUST(mica_store_app_usage(b, id, 0, 9, &arena, &error, &in_b));
    ck_assert_uint_eq(in_a.count, in_b.count);
    for (size_t i = 0; i < in_a.count; i++)
        UNIT_MUST(in_a.items[i].calls == in_b.items[i].calls &&
                      in_a.items[i].tokens == in_b.items[i].tokens,
                  "usage of %.*s", MICA_ARG(id));
}

static void
app_must_match(struct mica_store *a, struct mica_store *b, struct mica_text id)
{
    struct mica_store_app in_a, in_b;
    enum mica_status of_a = mica_store_app_read(a, id, &arena, &error, &in_a);
    enum mica_status of_b = mica_store_app_read(b, id, &arena, &error, &in_b);

    UNIT_MUST(of_a == of_b, "app %.*s: %s and %s", MICA_ARG(id),
              mica_status_code(of_a), mica_status_code(of_b));
    if (of_a != MICA_OK)
        return;
    UNIT_MUST(in_a.number == in_b.number && in_a.status == in_b.status &&
                  in_a.revision == in_b.revision &&
                  in_a.publish_version == in_b.publish_version &&
                  in_a.changed == in_b.changed &&
                  mica_text_equal(in_a.slug, in_b.slug) &&
                  mica_text_equal(in_a.owner, in_b.owner) &&
                  mica_text_equal(in_a.draft, in_b.draft),
              "app %.*s", MICA_ARG(id));
    versions_must_match(a, b, id);
    usage_must_match(a, b, id);
}

static void
must_match(struct mica_store *a, struct mica_store *b)
{
    struct mica_store_statistics of_a = store_count(a), of_b = store_count(b);
    struct mica_store_apps list_a, list_b;
    int64_t serial_a, serial_b;

    ck_assert_mem_eq(&of_a, &of_b, sizeof of_a);
    MUST(mica_store_app_serial(a, &error, &serial_a));
    MUST(mica_store_app_serial(b, &error, &serial_b));
    ck_assert_int_eq(serial_a, serial_b);
    for (unsigned i = 0; i <= APPS; i++)
        app_must_match(a, b, app_id(i));
    MUST(mica_store_app_list(a, MICA_LITERAL("ben"), true, 0, 9, &arena, &error,
                             &list_a));
    MUST(mica_store_app_list(b, MICA_LITERAL("ben"), true, 0, 9, &arena, &error,
                             &list_b));
    ck_assert_uint_eq(list_a.count, list_b.count);
    mica_arena_reset(&arena);
}

static bool
is_sweep(unsigned number)
{
    (void)number;
    return false;
}

static void
begin(const struct mica_store *a, const struct mica_store *b)
{
    (void)a, (void)b;
}

static const struct fault_subject subject = {.first = FIRST_CALL,
                                             .last = LAST_CALL,
                                             .call = do_call,
                                             .is_sweep = is_sweep,
                                             .fill = fill,
                                             .must_match = must_match,
                                             .begin = begin};

START_TEST(a_read_that_fails_at_any_point)
{
    install_files();
    run_all(&subject, "sqlite", READS, false, 30);
}
END_TEST

START_TEST(a_write_that_fails_at_any_point)
{
    install_files();
    fault.write_code = SQLITE_IOERR_WRITE;
    run_all(&subject, "sqlite", WRITES, false, 50);
}
END_TEST

START_TEST(a_disk_that_is_full_from_any_point_on)
{
    install_files();
    fault.write_code = SQLITE_FULL;
    run_all(&subject, "sqlite", WRITES, true, 50);
}
END_TEST

START_TEST(memory_of_sqlite_that_ends_at_any_point)
{
    install_memory();
    install_files();
    run_all(&subject, "sqlite", SQL_MEMORY, false, 100);
}
END_TEST

START_TEST(our_memory_that_ends_at_any_point)
{
    install_files();
    run_all(&subject, "sqlite", OUR_MEMORY, false, 10);
    run_all(&subject, "memory", OUR_MEMORY, true, 10);
}
END_TEST

UNIT_MAIN("store fault apps", a_read_that_fails_at_any_point,
          a_write_that_fails_at_any_point,
          a_disk_that_is_full_from_any_point_on,
          memory_of_sqlite_that_ends_at_any_point,
          our_memory_that_ends_at_any_point)
