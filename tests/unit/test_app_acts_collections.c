// SPDX-License-Identifier: Apache-2.0
//
// Acts on collections: what a collection takes, who may do what with it, two apps with one tool
// name, and what readers see.
#include "test_app_acts.h"

#include "apps/app_slug.h"

// ---- Short forms -----------------------------------------------------------------

#define REFUSED(person_, act_, app_, body_, status_)                           \
    do {                                                                       \
        ck_assert_int_eq(act(&(person_), (act_), (app_), (body_)), (status_)); \
        ck_assert_uint_eq(answer.json.len, 0);                                 \
    } while (0)

// An app of that person, published with that tool name.
static void
published(const struct mica_act_person *person, const char *name,
          const char *tool)
{
    char body[512];

    (void)snprintf(body, sizeof body,
                   "{\"name\":\"%s\",\"toolName\":\"%s\",\"toolDescription\":"
                   "\"Looks up what is there. Use when a person asks for it. "
                   "Requires its number.\"}",
                   name, tool);
    ACT_OK(*person, MICA_ACT_CREATE, "", body);
    ACT_OK(*person, MICA_ACT_PUBLISH, name, "{}");
}

static void
members_are(const char *expected)
{
    struct mica_json members = json_at(answer.json, "/members");
    char text[512];
    size_t length = 0;

    text[0] = '\0';
    ck_assert_int_eq(members.kind, MICA_JSON_ARRAY);
    for (size_t i = 0; i < members.count; i++) {
        struct mica_text why = mica_json_get_text(&members.items[i], "reason");
        length += (size_t)snprintf(
            text + length, sizeof text - length, "%.*s%s%.*s ",
            MICA_ARG(mica_json_get_text(&members.items[i], "mcpSlug")),
            why.len > 0 ? ":" : "", MICA_ARG(why));
    }
    ck_assert_str_eq(text, expected);
}

static void
open_with_apps(void)
{
    acts_open();
    published(&olga, "one", "get_one");
    published(&olga, "two", "get_two");
    ACT_OK(olga, MICA_ACT_CREATE, "", "{\"name\":\"three\"}");
    ACT_OK(olga, MICA_ACT_CREATE_COLLECTION, "",
           "{\"name\":\"Front Desk\",\"members\":[\"two\",\"three\",\"one\"],"
           "\"roles\":{\"editors\":[\"erin\"],\"viewers\":[\"vic\"]}}");
}

// ---- Tests -----------------------------------------------------------------------

START_TEST(a_collection_is_made_with_a_name_and_apps)
{
    open_with_apps();
    ck_assert_str_eq(text_at("/mcpSlug"), "front-desk");
    UNIT_TEXT_EQ(answer.slug, "front-desk");
    ck_assert_str_eq(text_at("/owner"), "olga");
    ck_assert_str_eq(text_at("/role"), "owner");
    ck_assert_str_eq(text_at("/roles/editors/0"), "erin");
    ck_assert_str_eq(text_at("/url"),
                     "http://127.0.0.1:8080/servers/front-desk/mcp");
    ck_assert_int_eq(number_at("/revision"), 1);
    members_are("two three:unpublished one ");
    ck_assert_str_eq(text_at("/members/0/toolName"), "get_two");
    ck_assert_str_eq(text_at("/members/0/name"), "two");
    ck_assert_str_eq(text_at("/members/1/status"), "draft");
    // What was read makes another one.
    char *again = mica_arena_alloc(&acts_arena, answer.json.len + 1);
    memcpy(again, answer.json.ptr, answer.json.len);
    again[answer.json.len] = '\0';
    ACT_OK(olga, MICA_ACT_CREATE_COLLECTION, "", again);
    ck_assert_str_eq(text_at("/mcpSlug"), "front-desk-2");
    members_are("two three:unpublished one ");
    ACT_OK(olga, MICA_ACT_CREATE, "", "{\"name\":\"Front Desk\"}");
    ck_assert_str_eq(text_at("/mcpSlug"), "front-desk-3");
    acts_close();
}
END_TEST

START_TEST(an_edit_replaces_what_it_names)
{
    open_with_apps();
    ACT_OK(olga, MICA_ACT_EDIT_COLLECTION, "front-desk",
           "{\"description\":\"All of it.\",\"members\":[\"one\"]}");
    ck_assert_str_eq(text_at("/name"), "Front Desk");
    ck_assert_str_eq(text_at("/description"), "All of it.");
    members_are("one ");
    ck_assert_int_eq(number_at("/revision"), 2);
    ACT_OK(olga, MICA_ACT_EDIT_COLLECTION, "front-desk",
           "{\"name\":\"Desk\",\"description\":null}");
    members_are("one ");
    ck_assert(!answer_has("description"));
    ck_assert_int_eq(act_at(&olga, MICA_ACT_EDIT_COLLECTION, "front-desk", 2,
                            "{\"name\":\"X\"}"),
                     MICA_E_REVISION);
    ck_assert_str_eq(details_at("/revision"), "3");
    ACT_OK(olga, MICA_ACT_ADD_MEMBER, "front-desk", "{\"app\":\"two\"}");
    members_are("one two ");
    ACT_OK(olga, MICA_ACT_ADD_MEMBER, "front-desk",
           "{\"app\":\"three\",\"place\":1}");
    members_are("three:unpublished one two ");
    ACT_OK(olga, MICA_ACT_ADD_MEMBER, "front-desk",
           "{\"app\":\"three\",\"place\":2}");
    members_are("one three:unpublished two ");
    ACT_OK(olga, MICA_ACT_REMOVE_MEMBER, "front-desk", "{\"app\":\"one\"}");
    members_are("three:unpublished two ");
    int64_t revision = number_at("/revision");
    ACT_OK(olga, MICA_ACT_ADD_MEMBER, "front-desk", "{\"app\":\"two\"}");
    ck_assert_int_eq(number_at("/revision"), revision); // it has it already
    acts_close();
}
END_TEST

START_TEST(what_is_wrong_has_its_pointer)
{
    static const struct {
        const char *body, *path, *reason;
    } wrong[] = {
        {"{\"members\":[]}", "/name", ""},
        {"{\"name\":\"\"}", "/name", ""},
        {"{\"name\":7}", "/name", ""},
        {"{\"name\":\"a\\u202eb\"}", "/name", ""},
        {"{\"name\":\"x\",\"toolName\":\"y\"}", "/toolName", ""},
        {"{\"name\":\"x\",\"__proto__\":{}}", "/__proto__", ""},
        {"{\"name\":\"x\",\"members\":{}}", "/members", ""},
        {"{\"name\":\"x\",\"members\":[\"one\",\"nine\"]}", "/members/1",
         "NOT_FOUND"},
        {"{\"name\":\"x\",\"members\":[7]}", "/members/0", "NOT_FOUND"},
        {"{\"name\":\"x\",\"members\":[\"../one\"]}", "/members/0",
         "NOT_FOUND"},
        {"{\"name\":\"x\",\"members\":[\"one\",\"one\"]}", "/members/1",
         "ALREADY_EXISTS"},
        {"{\"name\":\"x\",\"members\":[\"front-desk\"]}", "/members/0",
         "NOT_FOUND"}, // no collection of collections
    };

    open_with_apps();
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        REFUSED(olga, MICA_ACT_CREATE_COLLECTION, "", wrong[i].body,
                MICA_E_CONFIG);
        ck_assert_str_eq(details_at("/path"), wrong[i].path);
        if (wrong[i].reason[0] != '\0')
            ck_assert_str_eq(details_at("/reason"), wrong[i].reason);
    }
    REFUSED(olga, MICA_ACT_ADD_MEMBER, "front-desk", "{}", MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/path"), "/app");
    REFUSED(olga, MICA_ACT_REMOVE_MEMBER, "front-desk", "{\"app\":\"nine\"}",
            MICA_E_CONFIG);
    REFUSED(olga, MICA_ACT_ADD_MEMBER, "front-desk",
            "{\"app\":\"one\",\"place\":65}", MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/path"), "/place");
    acts_close();
}
END_TEST

// The answers of a matrix: one letter for each person.
static void
each_may(enum mica_act act_, const char *body, const char *expected)
{
    static const struct mica_act_person *const people[] = {&mallory, &vic,
                                                           &erin, &olga};
    char got[MICA_COUNT(people) + 1] = {0};

    for (size_t i = 0; i < MICA_COUNT(people); i++) {
        enum mica_status status = act(people[i], act_, "front-desk", body);
        got[i] = status == MICA_OK         ? 'y'
                 : status == MICA_E_APP    ? '4'
                 : status == MICA_E_ROLE   ? 'r'
                 : status == MICA_E_CONFIG ? 'c'
                                           : '?';
    }
    ck_assert_msg(strcmp(got, expected) == 0, "%s: %s, and not %s",
                  mica_act_name(act_), got, expected);
}

START_TEST(a_role_says_what_a_person_may_do)
{
    open_with_apps();
    each_may(MICA_ACT_READ_COLLECTION, "{}", "4yyy");
    each_may(MICA_ACT_EDIT_COLLECTION, "{\"name\":\"Desk\"}", "4ryy");
    each_may(MICA_ACT_EDIT_COLLECTION,
             "{\"roles\":{\"editors\":[\"erin\"],\"viewers\":[\"vic\"]}}",
             "4rry");
    each_may(MICA_ACT_REMOVE_MEMBER, "{\"app\":\"two\"}", "4ryc");
    // erin may edit the collection, but not olga's apps.
    each_may(MICA_ACT_ADD_MEMBER, "{\"app\":\"two\"}", "4rcy");
    each_may(MICA_ACT_OWN_COLLECTION, "{\"owner\":\"\"}", "4rrc");
    ACT_OK(vic, MICA_ACT_READ_COLLECTION, "front-desk", "{}");
    ck_assert_str_eq(text_at("/role"), "viewer");
    ck_assert(!answer_has("roles"));
    each_may(MICA_ACT_DELETE_COLLECTION, "{}", "4rry");
    REFUSED(olga, MICA_ACT_READ_COLLECTION, "front-desk", "{}", MICA_E_APP);
    acts_close();
}
END_TEST

START_TEST(a_stranger_learns_nothing)
{
    struct mica_text unknown, hidden;

    open_with_apps();
    for (unsigned i = MICA_ACT_READ_COLLECTION; i < MICA_ACTS; i++) {
        REFUSED(mallory, (enum mica_act)i, "nothing-there", "{}", MICA_E_APP);
        unknown = answer.error.message;
        REFUSED(mallory, (enum mica_act)i, "front-desk", "{}", MICA_E_APP);
        hidden = answer.error.message;
        ck_assert(mica_text_equal(unknown, hidden));
    }
    // Nor of an app: that of another person, and no app.
    REFUSED(mallory, MICA_ACT_CREATE_COLLECTION, "",
            "{\"name\":\"x\",\"members\":[\"one\"]}", MICA_E_CONFIG);
    hidden = answer.error.message;
    REFUSED(mallory, MICA_ACT_CREATE_COLLECTION, "",
            "{\"name\":\"x\",\"members\":[\"nine\"]}", MICA_E_CONFIG);
    ck_assert(mica_text_equal(answer.error.message, hidden));
    acts_close();
}
END_TEST

START_TEST(people_list_the_collections_that_they_may_read)
{
    open_with_apps();
    ACT_OK(vic, MICA_ACT_CREATE_COLLECTION, "", "{\"name\":\"Mine\"}");
    ACT_OK(vic, MICA_ACT_LIST_COLLECTIONS, "", "{}");
    ck_assert_str_eq(text_at("/collections/0/mcpSlug"), "front-desk");
    ck_assert_str_eq(text_at("/collections/1/mcpSlug"), "mine");
    ck_assert(!answer_has("members") && !answer_has("roles"));
    ACT_OK(vic, MICA_ACT_LIST_COLLECTIONS, "", "{\"limit\":1}");
    ck_assert(!answer_has("mine"));
    char body[64];
    (void)snprintf(body, sizeof body, "{\"after\":%lld}",
                   (long long)number_at("/next"));
    ACT_OK(vic, MICA_ACT_LIST_COLLECTIONS, "", body);
    ck_assert_str_eq(text_at("/collections/0/mcpSlug"), "mine");
    ACT_OK(mallory, MICA_ACT_LIST_COLLECTIONS, "", "{}");
    ck_assert(!answer_has("mcpSlug"));
    ACT_OK(operator, MICA_ACT_LIST_COLLECTIONS, "", "{}");
    ck_assert_str_eq(text_at("/collections/1/mcpSlug"), "mine");
    acts_close();
}
END_TEST

START_TEST(an_app_of_another_person_needs_both_to_edit_it)
{
    open_with_apps();
    ACT_OK(erin, MICA_ACT_CREATE_COLLECTION, "", "{\"name\":\"Hers\"}");
    REFUSED(erin, MICA_ACT_ADD_MEMBER, "hers", "{\"app\":\"one\"}",
            MICA_E_CONFIG);
    ACT_OK(olga, MICA_ACT_EDIT, "one", "{\"roles\":{\"editors\":[\"erin\"]}}");
    ACT_OK(erin, MICA_ACT_ADD_MEMBER, "hers", "{\"app\":\"one\"}");
    members_are("one ");
    ACT_OK(olga, MICA_ACT_EDIT, "one", "{\"roles\":{\"editors\":[]}}");
    ACT_OK(erin, MICA_ACT_READ_COLLECTION, "hers", "{}");
    members_are("one:owner ");
    ACT_OK(erin, MICA_ACT_EDIT_COLLECTION, "hers", "{\"name\":\"Still\"}");
    ACT_OK(erin, MICA_ACT_REMOVE_MEMBER, "hers", "{\"app\":\"one\"}");
    members_are("");
    // The operator brings the apps of their owners together, not those of others.
    REFUSED(operator, MICA_ACT_ADD_MEMBER, "hers", "{\"app\":\"one\"}",
            MICA_E_CONFIG);
    ck_assert_ptr_nonnull(
        strstr(mica_arena_text(&acts_arena, answer.error.message).ptr,
               "belongs to someone else"));
    ACT_OK(operator, MICA_ACT_REMOVE_MEMBER, "front-desk", "{\"app\":\"one\"}");
    ACT_OK(operator, MICA_ACT_ADD_MEMBER, "front-desk", "{\"app\":\"one\"}");
    acts_close();
}
END_TEST

static void
must_name(const char *words)
{
    ck_assert_msg(strstr(mica_arena_text(&acts_arena, answer.error.message).ptr,
                         words) != NULL,
                  "%s in %.*s", words, MICA_ARG(answer.error.message));
}

START_TEST(two_apps_with_one_tool_name_are_refused_by_name)
{
    open_with_apps();
    published(&olga, "four", "get_one");
    REFUSED(olga, MICA_ACT_ADD_MEMBER, "front-desk", "{\"app\":\"four\"}",
            MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/reason"), "ALREADY_EXISTS");
    ck_assert_str_eq(details_at("/path"), "/members/3");
    must_name("\"one\" and \"four\"");
    REFUSED(olga, MICA_ACT_CREATE_COLLECTION, "",
            "{\"name\":\"x\",\"members\":[\"one\",\"four\"]}", MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/path"), "/members/1");
    // A publish that would make the second one is refused before it saves the name.
    REFUSED(olga, MICA_ACT_PUBLISH, "three",
            "{\"toolName\":\"get_two\",\"toolDescription\":\"Looks up what is "
            "there. Use when a person asks for it. Requires its number.\"}",
            MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/reason"), "ALREADY_EXISTS");
    ck_assert_str_eq(details_at("/path"), "/toolName");
    must_name("\"two\"");
    must_name("\"front-desk\"");
    ACT_OK(olga, MICA_ACT_READ, "three", "{}");
    ck_assert_int_eq(number_at("/publishVersion"), 0);
    ck_assert_str_ne(text_at("/toolName"), "get_two");
    // And so is a rollback.
    ACT_OK(olga, MICA_ACT_PUBLISH, "one", "{\"toolName\":\"get_other\"}");
    ACT_OK(olga, MICA_ACT_ADD_MEMBER, "front-desk", "{\"app\":\"four\"}");
    REFUSED(olga, MICA_ACT_ROLLBACK, "one", "{\"version\":1}", MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/path"), "/version");
    must_name("\"four\"");
    ACT_OK(olga, MICA_ACT_REMOVE_MEMBER, "front-desk", "{\"app\":\"four\"}");
    ACT_OK(olga, MICA_ACT_ROLLBACK, "one", "{\"version\":1}");
    acts_close();
}
END_TEST

START_TEST(a_deleted_app_leaves_its_collections)
{
    open_with_apps();
    ACT_OK(olga, MICA_ACT_DELETE, "two", "{}");
    ACT_OK(olga, MICA_ACT_READ_COLLECTION, "front-desk", "{}");
    members_are("three:unpublished one ");
    ACT_OK(olga, MICA_ACT_OWN_COLLECTION, "front-desk",
           "{\"owner\":\"vic\"}");
    members_are("three:owner one:owner ");
    REFUSED(vic, MICA_ACT_ADD_MEMBER, "front-desk", "{\"app\":\"nine\"}",
            MICA_E_CONFIG);
    ACT_OK(vic, MICA_ACT_DELETE_COLLECTION, "front-desk", "{}");
    ck_assert_str_eq(text_at("/mcpSlug"), "front-desk");
    acts_close();
}
END_TEST

START_TEST(a_collection_has_at_most_64_apps)
{
    char body[2048];
    size_t length;

    acts_open();
    length =
        (size_t)snprintf(body, sizeof body, "{\"name\":\"x\",\"members\":[");
    for (unsigned i = 0; i < 65; i++) {
        char create[64];
        (void)snprintf(create, sizeof create, "{\"name\":\"app %u\"}", i);
        ACT_OK(olga, MICA_ACT_CREATE, "", create);
        length += (size_t)snprintf(body + length, sizeof body - length,
                                   "%s\"app-%u\"", i > 0 ? "," : "", i);
    }
    (void)snprintf(body + length, sizeof body - length, "]}");
    REFUSED(olga, MICA_ACT_CREATE_COLLECTION, "", body, MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/reason"), "LIMIT_EXCEEDED");
    ck_assert_str_eq(details_at("/path"), "/members/64");
    acts_close();
}
END_TEST

UNIT_MAIN("app_acts_collections", a_collection_is_made_with_a_name_and_apps,
          an_edit_replaces_what_it_names, what_is_wrong_has_its_pointer,
          a_role_says_what_a_person_may_do, a_stranger_learns_nothing,
          people_list_the_collections_that_they_may_read,
          an_app_of_another_person_needs_both_to_edit_it,
          two_apps_with_one_tool_name_are_refused_by_name,
          a_deleted_app_leaves_its_collections,
          a_collection_has_at_most_64_apps)
