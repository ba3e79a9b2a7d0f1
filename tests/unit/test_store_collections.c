// SPDX-License-Identifier: Apache-2.0
//
// What the store promises about collections of published apps, once for each back end: slugs,
// members, tool names, and who learns of their changes.
#include "store/store_collections.h"

#include "test_store_apps.h"

// ---- Short forms -----------------------------------------------------------------

static void
release_as(const char *id, const char *tool)
{
    struct mica_store_app_target app = target(id, 0);
    const struct mica_store_app_release made = {.text = MICA_LITERAL("text"),
                                                .widget = MICA_LITERAL("h"),
                                                .html = MICA_LITERAL("html"),
                                                .tool = mica_text(tool)};

    MUST(mica_store_app_publish(store, &app, &made, &error, &outcome));
}

static enum mica_status
try_release(const char *id, const char *tool)
{
    struct mica_store_app_target app = target(id, 0);
    const struct mica_store_app_release made = {.text = MICA_LITERAL("text"),
                                                .widget = MICA_LITERAL("h"),
                                                .html = MICA_LITERAL("html"),
                                                .tool = mica_text(tool)};

    return mica_store_app_publish(store, &app, &made, &error, &outcome);
}

enum {
    MOST = MICA_STORE_COLLECTION_MEMBERS + 1
};

// Ids with spaces between them.
static size_t
split_ids(const char *idsz, struct mica_text ids_out[MOST])
{
    struct mica_text rest = mica_text(idsz), word;
    size_t count = 0;

    while (rest.len > 0) {
        const char *end = memchr(rest.ptr, ' ', rest.len);
        size_t length = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
        word = mica_text_slice(rest, 0, length);
        rest = mica_text_slice(rest, length + (end != NULL), rest.len);
        if (word.len > 0)
            ids_out[count++] = word;
    }
    return count;
}

static enum mica_status
try_collect(const char *id, const char *slug, const char *owner,
            const char *members)
{
    struct mica_text ids[MOST];
    const struct mica_store_collection_content content = {
        .text = MICA_LITERAL("{}"),
        .members = ids,
        .member_count = split_ids(members, ids)};

    return mica_store_collection_create(store, mica_text(id), mica_text(slug),
                                        mica_text(owner), &content, 10, &error,
                                        &outcome);
}

static void
collect(const char *id, const char *slug, const char *owner,
        const char *members)
{
    MUST(try_collect(id, slug, owner, members));
}

static enum mica_status
edit_members(const char *id, int64_t revision, const char *members)
{
    struct mica_text ids[MOST];
    struct mica_store_app_target of = target(id, revision);
    const struct mica_store_collection_content content = {
        .text = MICA_LITERAL("{\"x\":1}"),
        .members = ids,
        .member_count = split_ids(members, ids)};

    return mica_store_collection_edit(store, &of, &content, &error, &outcome);
}

static struct mica_store_collection
collection(const char *id)
{
    struct mica_store_collection found;

    MUST(mica_store_collection_read(store, mica_text(id), &arena, &error,
                                    &found));
    return found;
}

// "a1:one a2:- a3!": the members, with the tool of a published one, and ! if it does not
// count.
static void
members_are(const char *id, const char *expected)
{
    struct mica_store_collection found = collection(id);
    char text[512];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < found.member_count; i++) {
        const struct mica_store_member *member = &found.members[i];
        length += (size_t)snprintf(
            text + length, sizeof text - length, "%s%.*s:%.*s%s",
            i > 0 ? " " : "", MICA_ARG(member->id),
            member->status == MICA_STORE_APP_PUBLISHED ? (int)member->tool.len
                                                       : 1,
            member->status == MICA_STORE_APP_PUBLISHED ? member->tool.ptr : "-",
            member->counts ? "" : "!");
    }
    ck_assert_str_eq(text, expected);
}

static void
three_apps(void)
{
    open_with(NULL);
    create("a1", "one", "ann");
    create("a2", "two", "ann");
    create("a3", "three", "ann");
}

// The ids of what has changed since then, in their order, each with a space behind it.
static void
changed_ids_are(int64_t since, const char *expected)
{
    struct mica_store_app_changes changes = changed_since(since);
    char text[512];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < changes.count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%.*s ",
                                   MICA_ARG(changes.items[i].id));
    ck_assert_str_eq(text, expected);
}

// ---- Slugs -----------------------------------------------------------------------

START_TEST(a_collection_has_members_in_their_order)
{
    struct mica_store_collection found;

    three_apps();
    release_as("a2", "two");
    collect("c1", "desk", "ann", "a3 a2 a1");
    ck_assert_str_eq(outcome.slug, "desk");
    ck_assert_int_eq(outcome.revision, 1);
    members_are("c1", "a3:- a2:two a1:-");
    MUST(mica_store_collection_find(store, mica_text("desk"), &arena, &error,
                                    &found));
    UNIT_TEXT_EQ(found.id, "c1");
    UNIT_TEXT_EQ(found.owner, "ann");
    UNIT_TEXT_EQ(found.members[1].slug, "two");
    ck_assert_int_eq(found.members[1].publish_version, 1);
    MUST(edit_members("c1", 1, "a1"));
    members_are("c1", "a1:-");
    ck_assert_int_eq(collection("c1").revision, 2);
    UNIT_TEXT_EQ(collection("c1").text, "{\"x\":1}");
    REFUSED(edit_members("c1", 1, "a2"), MICA_E_REVISION);
    members_are("c1", "a1:-");
    REFUSED(edit_members("c1", 0, "a1 a9"), MICA_E_NOT_FOUND);
    members_are("c1", "a1:-");
    REFUSED(edit_members("c9", 0, "a1"), MICA_E_NOT_FOUND);
    end_apps();
}
END_TEST

START_TEST(apps_and_collections_share_their_slugs)
{
    struct mica_store_app app;
    struct mica_store_collection found;
    struct mica_store_app_target of = target("c1", 0);

    open_with(NULL);
    create_as("a1", "desk", "ann", "desk");
    collect("c1", "desk", "ann", "");
    ck_assert_str_eq(outcome.slug, "desk-2");
    create_as("a2", "desk", "ann", "desk-3");
    create_as("a3", "desk-2", "ann", "desk-2-2");
    REFUSED(
        mica_store_app_find(store, mica_text("desk-2"), &arena, &error, &app),
        MICA_E_NOT_FOUND);
    REFUSED(mica_store_collection_find(store, mica_text("desk"), &arena, &error,
                                       &found),
            MICA_E_NOT_FOUND);
    REFUSED(try_collect("c1", "other", "ann", ""), MICA_E_EXISTS);
    ck_assert_int_eq(store_count(store).apps, 4);
    // The slug of a deleted one stays its owner's, for a collection.
    MUST(mica_store_collection_delete(store, &of, &error, &outcome));
    ck_assert_int_eq(store_count(store).apps, 3);
    create_as("a4", "desk-2", "ann", "desk-2-3");
    collect("c2", "desk-2", "ben", "");
    ck_assert_str_eq(outcome.slug, "desk-2-4");
    collect("c3", "desk-2", "ann", "");
    ck_assert_str_eq(outcome.slug, "desk-2");
    MUST(delete ("a1"));
    collect("c4", "desk", "ann", "");
    ck_assert_str_eq(outcome.slug, "desk-4");
    end_apps();
}
END_TEST

START_TEST(a_collection_that_is_handed_over_takes_its_slug_along)
{
    struct mica_store_app_target of = target("c1", 1);

    three_apps();
    release_as("a1", "one");
    collect("c1", "desk", "ann", "a1");
    MUST(mica_store_collection_hand_over(store, &of, mica_text("ben"), &error,
                                         &outcome));
    ck_assert_int_eq(outcome.revision, 2);
    UNIT_TEXT_EQ(collection("c1").owner, "ben");
    members_are("c1", "a1:one!"); // ben may not edit it
    REFUSED(mica_store_collection_hand_over(store, &of, mica_text("cat"),
                                            &error, &outcome),
            MICA_E_REVISION);
    MUST(hand_over("a1", "ben"));
    members_are("c1", "a1:one");
    end_apps();
}
END_TEST

// ---- Who may -----------------------------------------------------------------------

START_TEST(a_member_counts_while_the_owner_may_edit_it)
{
    const struct mica_store_app_person people[] = {
        {MICA_LITERAL("ben"), MICA_STORE_APP_EDITOR},
        {MICA_LITERAL("cat"), MICA_STORE_APP_VIEWER}};
    struct mica_store_app_target app = target("a1", 0);
    struct mica_store_app_content content = content_of("{}");

    three_apps();
    release_as("a1", "one");
    collect("c1", "desk", "ben", "a1");
    collect("c2", "desk", "cat", "a1");
    members_are("c1", "a1:one!");
    content.people = people;
    content.people_count = 2;
    MUST(mica_store_app_edit(store, &app, &content, &error, &outcome));
    members_are("c1", "a1:one");
    members_are("c2", "a1:one!");
    content.people_count = 0;
    MUST(mica_store_app_edit(store, &app, &content, &error, &outcome));
    members_are("c1", "a1:one!");
    end_apps();
}
END_TEST

START_TEST(a_person_lists_own_and_shared_collections)
{
    const struct mica_store_app_person people[] = {
        {MICA_LITERAL("ben"), MICA_STORE_APP_VIEWER}};
    const struct mica_store_collection_content content = {
        .text = MICA_LITERAL("{}"), .people = people, .people_count = 1};
    struct mica_store_collections list;

    open_with(NULL);
    collect("c1", "one", "ann", "");
    MUST(mica_store_collection_create(store, mica_text("c2"), mica_text("two"),
                                      mica_text("ann"), &content, 10, &error,
                                      &outcome));
    collect("c3", "three", "ben", "");
    MUST(mica_store_collection_list(store, mica_text("ben"), 0, 10, &arena,
                                    &error, &list));
    ck_assert_uint_eq(list.count, 2);
    UNIT_TEXT_EQ(list.items[0].id, "c2");
    UNIT_TEXT_EQ(list.items[1].id, "c3");
    MUST(mica_store_collection_list(store, mica_text(""), 0, 2, &arena, &error,
                                    &list));
    ck_assert_uint_eq(list.count, 2);
    MUST(mica_store_collection_list(store, mica_text(""), list.items[1].number,
                                    2, &arena, &error, &list));
    ck_assert_uint_eq(list.count, 1);
    UNIT_TEXT_EQ(list.items[0].id, "c3");
    REFUSED(mica_store_collection_list(store, mica_text(""), 0, 0, &arena,
                                       &error, &list),
            MICA_E_USAGE);
    end_apps();
}
END_TEST

// ---- Tool names --------------------------------------------------------------------

START_TEST(two_published_members_have_different_tool_names)
{
    struct mica_store_clash clash;

    three_apps();
    release_as("a1", "look");
    release_as("a2", "look");
    REFUSED(try_collect("c1", "desk", "ann", "a1 a2"), MICA_E_EXISTS);
    ck_assert_int_eq(store_count(store).apps, 3);
    collect("c1", "desk", "ann", "a1 a3");
    REFUSED(edit_members("c1", 0, "a1 a2 a3"), MICA_E_EXISTS);
    REFUSED(try_release("a3", "look"), MICA_E_EXISTS);
    members_are("c1", "a1:look a3:-");
    ck_assert_int_eq(read_app("a3").publish_version, 0);
    MUST(mica_store_collection_clash(store, mica_text("a3"), mica_text("look"),
                                     &arena, &error, &clash));
    UNIT_TEXT_EQ(clash.collection, "desk");
    UNIT_TEXT_EQ(clash.other, "one");
    release_as("a3", "see");
    MUST(mica_store_collection_clash(store, mica_text("a3"), mica_text("see"),
                                     &arena, &error, &clash));
    ck_assert_uint_eq(clash.collection.len, 0);
    // A member that is withdrawn leaves its name to others, until it comes back.
    MUST(unpublish("a1"));
    release_as("a3", "look");
    REFUSED(rollback("a1", 1), MICA_E_EXISTS);
    REFUSED(try_release("a1", "look"), MICA_E_EXISTS);
    release_as("a3", "see");
    MUST(rollback("a1", 1));
    members_are("c1", "a1:look a3:see");
    REFUSED(rollback("a3", 2), MICA_E_EXISTS);
    // Outside of the collection the name is anyone's, as before.
    release_as("a2", "look");
    end_apps();
}
END_TEST

START_TEST(an_app_that_is_not_the_owners_blocks_no_name)
{
    three_apps();
    release_as("a1", "look");
    collect("c1", "desk", "ann", "a1 a2");
    MUST(hand_over("a1", "ben"));
    release_as("a2", "look"); // a1 does not count any more
    members_are("c1", "a1:look! a2:look");
    release_as("a1", "look"); // nor does ann's collection hinder ben
    end_apps();
}
END_TEST

// ---- Changes -----------------------------------------------------------------------

START_TEST(a_change_of_a_member_is_one_of_its_collections)
{
    int64_t since;
    struct mica_store_app_changes changes;

    three_apps();
    collect("c1", "desk", "ann", "a1 a2");
    collect("c2", "shelf", "ann", "a1");
    since = serial();
    release_as("a1", "one");
    changed_ids_are(since, "a1 c1 c2 ");
    changes = changed_since(since);
    ck_assert_int_eq(changes.items[0].kind, MICA_STORE_SLUG_APP);
    ck_assert_int_eq(changes.items[1].kind, MICA_STORE_SLUG_COLLECTION);
    UNIT_TEXT_EQ(changes.items[1].slug, "desk");
    since = serial();
    release_as("a2", "two");
    changed_ids_are(since, "a2 c1 ");
    since = serial();
    MUST(unpublish("a1"));
    changed_ids_are(since, "a1 c1 c2 ");
    since = serial();
    MUST(delete ("a2"));
    changed_ids_are(since, " c1 ");
    members_are("c1", "a1:-");
    since = serial();
    MUST(edit_members("c2", 0, "a3"));
    changed_ids_are(since, "c2 ");
    since = serial();
    release_as("a1", "one");
    changed_ids_are(since, "a1 c1 ");
    end_apps();
}
END_TEST

// ---- Limits ------------------------------------------------------------------------

START_TEST(collections_have_limits)
{
    static const struct mica_store_options few = {.apps = 66};
    char ids[MOST * 8], id[8], slug[16];
    size_t length = 0;

    open_with(&few);
    for (unsigned i = 0; i < MICA_STORE_COLLECTION_MEMBERS + 1; i++) {
        (void)snprintf(id, sizeof id, "a%u", i);
        (void)snprintf(slug, sizeof slug, "app-%u", i);
        create(id, slug, "ann");
        length +=
            (size_t)snprintf(ids + length, sizeof ids - length, "%s ", id);
    }
    REFUSED(try_collect("c1", "desk", "ann", ids), MICA_E_LIMIT);
    ids[strlen(ids) - strlen(id) - 1] = '\0';
    collect("c1", "desk", "ann", ids);
    ck_assert_uint_eq(collection("c1").member_count,
                      MICA_STORE_COLLECTION_MEMBERS);
    REFUSED(try_collect("c2", "desk", "ann", ""), MICA_E_LIMIT);
    end_apps();
}
END_TEST

START_TEST(an_app_is_in_a_bounded_number_of_collections)
{
    char id[8];

    open_with(NULL);
    create("a1", "one", "ann");
    for (unsigned i = 0; i < MICA_STORE_APP_COLLECTIONS; i++) {
        (void)snprintf(id, sizeof id, "c%u", i);
        collect(id, "desk", "ann", "a1");
    }
    REFUSED(try_collect("d1", "desk", "ann", "a1"), MICA_E_LIMIT);
    MUST(edit_members("c1", 0, "a1")); // it is in that one already
    MUST(edit_members("c1", 0, ""));
    collect("d1", "desk", "ann", "a1");
    end_apps();
}
END_TEST

UNIT_MAIN("store collections " MICA_TEST_STORE,
          a_collection_has_members_in_their_order,
          apps_and_collections_share_their_slugs,
          a_collection_that_is_handed_over_takes_its_slug_along,
          a_member_counts_while_the_owner_may_edit_it,
          a_person_lists_own_and_shared_collections,
          two_published_members_have_different_tool_names,
          an_app_that_is_not_the_owners_blocks_no_name,
          a_change_of_a_member_is_one_of_its_collections,
          collections_have_limits, an_app_is_in_a_bounded_number_of_collections)
