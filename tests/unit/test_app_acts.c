// SPDX-License-Identifier: Apache-2.0
//
// Acts on apps over a store in memory: every act by every role in every state, and what
// each of them answers.
#include "test_app_acts.h"

// ---- Who may do what, when -------------------------------------------------------

enum state {
    DRAFT,
    PUBLISHED,
    UNPUBLISHED,
    STATES
};

static const char *
app_in(enum state state)
{
    static unsigned count;
    char name[32];
    const char *slug;

    (void)snprintf(name, sizeof name, "Matrix %u", count++);
    slug = app_of(name);
    if (state != DRAFT)
        ACT_OK(olga, MICA_ACT_PUBLISH, slug, "");
    if (state == UNPUBLISHED)
        ACT_OK(olga, MICA_ACT_UNPUBLISH, slug, "");
    return slug;
}

// For stranger, viewer, editor, owner, operator in each state: "." the app does not exist,
// "r" another role is needed, "s" the state does not allow it, "y" done.
static const struct matrix_row {
    enum mica_act act;
    const char *body;
    const char *draft, *published, *unpublished;
} matrix[] = {
    {MICA_ACT_READ, "", ".yyyy", ".yyyy", ".yyyy"},
    {MICA_ACT_EDIT, "{\"description\":\"x\"}", ".ryyy", ".ryyy", ".ryyy"},
    {MICA_ACT_CHECK, "", ".ryyy", ".ryyy", ".ryyy"},
    {MICA_ACT_PREVIEW, "", ".yyyy", ".yyyy", ".yyyy"},
    {MICA_ACT_TEST, "{\"message\":\"hi\"}", ".ryyy", ".ryyy", ".ryyy"},
    {MICA_ACT_PUBLISH, "", ".ryyy", ".ryyy", ".ryyy"},
    {MICA_ACT_UNPUBLISH, "", ".rsss", ".ryyy", ".rsss"},
    {MICA_ACT_ROLLBACK, "{\"version\":1}", ".rsss", ".ryyy", ".ryyy"},
    {MICA_ACT_VERSIONS, "", ".yyyy", ".yyyy", ".yyyy"},
    {MICA_ACT_DIFFERENCE, "{\"from\":0,\"to\":0}", ".yyyy", ".yyyy", ".yyyy"},
    {MICA_ACT_HAND_OVER, "{\"owner\":\"olga\"}", ".rryy", ".rryy", ".rryy"},
    {MICA_ACT_DELETE, "", ".rryy", ".rryy", ".rryy"},
    {MICA_ACT_EXPORT, "", ".yyyy", ".yyyy", ".yyyy"},
    {MICA_ACT_USAGE, "", ".yyyy", ".yyyy", ".yyyy"},
};

static enum mica_status
expected(char mark)
{
    return mark == '.'   ? MICA_E_APP
           : mark == 'r' ? MICA_E_ROLE
           : mark == 's' ? MICA_E_APP_STATE
                         : MICA_OK;
}

START_TEST(each_act_asks_for_its_role_and_its_state)
{
    static const struct mica_act_person *const people[] = {
        &mallory, &vic, &erin, &olga, &operator};

    acts_open();
    for (size_t i = 0; i < MICA_COUNT(matrix); i++) {
        const char *const marks[STATES] = {matrix[i].draft, matrix[i].published,
                                           matrix[i].unpublished};
        for (unsigned state = 0; state < STATES; state++) {
            for (size_t who = 0; who < MICA_COUNT(people); who++) {
                const char *slug = app_in((enum state)state);
                enum mica_status status =
                    act(people[who], matrix[i].act, slug, matrix[i].body);
                ck_assert_msg(status == expected(marks[state][who]),
                              "%s by %.*s in state %u: %s %.*s",
                              mica_act_name(matrix[i].act),
                              MICA_ARG(people[who]->name), state,
                              mica_status_code(status),
                              MICA_ARG(answer.error.message));
                ck_assert((answer.json.len + answer.html.len > 0) ==
                          (status == MICA_OK));
            }
        }
    }
    acts_close();
}
END_TEST

static const char *
error_text(void)
{
    struct mica_json_writer writer;
    struct mica_buffer out;

    mica_buffer_init(&out, &acts_arena, 1 << 16);
    mica_json_writer_init(&writer, &out);
    mica_app_error_write_body(&writer, &answer.error);
    return mica_arena_text(&acts_arena, mica_buffer_as_text(&out)).ptr;
}

// [ACT-1]
START_TEST(an_app_of_another_person_does_not_exist)
{
    const char *slug, *id, *absent;

    acts_open();
    slug = app_in(PUBLISHED);
    ACT_OK(olga, MICA_ACT_READ, slug, "");
    id = text_at("/id");
    for (size_t i = 0; i < MICA_COUNT(matrix); i++) {
        for (int64_t revision = 0; revision < 100; revision += 99) {
            ck_assert_int_eq(act_at(&mallory, matrix[i].act, "no-such-app",
                                    revision, matrix[i].body),
                             MICA_E_APP);
            absent = error_text();
            ck_assert_str_eq(absent, "{\"error\":{\"code\":\"APP_NOT_FOUND\","
                                     "\"message\":\"there is no such app\","
                                     "\"details\":{}}}");
            (void)act_at(&mallory, matrix[i].act, slug, revision,
                         matrix[i].body);
            ck_assert_str_eq(error_text(), absent);
            (void)act_at(&mallory, matrix[i].act, id, revision, matrix[i].body);
            ck_assert_str_eq(error_text(), absent);
            ck_assert_int_eq(answer.revision, 0);
        }
    }
    ACT_OK(olga, MICA_ACT_DELETE, slug, "");
    ck_assert_int_eq(act(&olga, MICA_ACT_READ, slug, ""), MICA_E_APP);
    ck_assert_int_eq(act(&olga, MICA_ACT_READ, id, ""), MICA_E_APP);
    ck_assert_int_eq(act(&olga, MICA_ACT_READ, "", ""), MICA_E_APP);
    ck_assert_int_eq(act(&olga, MICA_ACT_READ, "No such/app", ""), MICA_E_APP);
    acts_close();
}
END_TEST

// How many bytes of memory an act of mallory takes: what it reads, above all.
static size_t
cost_of(enum mica_act what, const char *app)
{
    size_t before = acts_arena.used;

    ck_assert_int_eq(act(&mallory, what, app, ""), MICA_E_APP);
    return acts_arena.used - before;
}

// [ACT-1] A large draft takes milliseconds to read, which a stranger could measure.
START_TEST(an_app_of_another_person_costs_what_an_absent_one_costs)
{
    static const enum mica_act acts_of_apps[] = {
        MICA_ACT_READ, MICA_ACT_PREVIEW, MICA_ACT_PUBLISH, MICA_ACT_DELETE};
    static char body[70000];
    const char *slug, *id;
    size_t length;

    acts_open();
    slug = app_of("Costs");
    length = (size_t)snprintf(body, sizeof body, "{\"mockData\":{\"title\":\"");
    memset(body + length, 'x', 60000);
    (void)snprintf(body + length + 60000, sizeof body - length - 60000, "\"}}");
    ACT_OK(olga, MICA_ACT_EDIT, slug, body);
    id = text_at("/id");
    for (size_t i = 0; i < MICA_COUNT(acts_of_apps); i++) {
        size_t absent = cost_of(acts_of_apps[i], "no-app"),
               absent_id = cost_of(acts_of_apps[i], "app_0123456789");
        ck_assert_uint_le(cost_of(acts_of_apps[i], slug), absent + 64);
        ck_assert_uint_le(cost_of(acts_of_apps[i], id), absent_id + 64);
    }
    acts_close();
}
END_TEST

START_TEST(people_have_one_name_each)
{
    struct mica_act_person person;
    struct mica_error error;
    struct mica_principal ada = {.issuer = MICA_LITERAL("https://a.example"),
                                 .subject = MICA_LITERAL("ada")};
    static char long_name[300];

    acts_open();
    ck_assert_int_eq(mica_act_person(&acts, NULL, &acts_arena, &error, &person),
                     MICA_OK);
    ck_assert(mica_text_is(person.name, "local"));
    ck_assert(!person.is_operator);
    ck_assert_int_eq(mica_act_person(&acts, &ada, &acts_arena, &error, &person),
                     MICA_OK);
    ck_assert(mica_text_is(person.name, "ada"));
    ck_assert_ptr_eq(person.principal, &ada);
    // A token cannot name who acts without one, nor someone of another issuer.
    ada.subject = MICA_LITERAL("local");
    ck_assert_int_eq(mica_act_person(&acts, &ada, &acts_arena, &error, &person),
                     MICA_OK);
    ck_assert(mica_text_is(person.name, "https://a.example#local"));
    ada.subject = MICA_LITERAL("https://a.example#local");
    ck_assert_int_eq(mica_act_person(&acts, &ada, &acts_arena, &error, &person),
                     MICA_OK);
    ck_assert(
        mica_text_is(person.name, "https://a.example#https://a.example#local"));
    acts.several_issuers = true;
    ada.subject = MICA_LITERAL("ada");
    ck_assert_int_eq(mica_act_person(&acts, &ada, &acts_arena, &error, &person),
                     MICA_OK);
    ck_assert(mica_text_is(person.name, "https://a.example#ada"));
    memset(long_name, 'a', sizeof long_name - 1);
    ada.subject = mica_text(long_name);
    ck_assert_int_eq(mica_act_person(&acts, &ada, &acts_arena, &error, &person),
                     MICA_E_LIMIT);
    acts.several_issuers = false;
    ck_assert_int_eq(mica_act_person(&acts, &ada, &acts_arena, &error, &person),
                     MICA_E_LIMIT);
    ada.subject = MICA_LITERAL("");
    ck_assert_int_eq(mica_act_person(&acts, &ada, &acts_arena, &error, &person),
                     MICA_E_LIMIT);
    acts_close();
}
END_TEST

// ---- Requests --------------------------------------------------------------------

START_TEST(a_wrong_request_is_refused_with_its_pointer)
{
    static const struct {
        enum mica_act act;
        const char *body, *path, *reason;
    } rows[] = {
        {MICA_ACT_READ, "[]", "", "INVALID_CONFIG"},
        {MICA_ACT_READ, "{\"a\":1}", "/a", "INVALID_CONFIG"},
        {MICA_ACT_READ, "{\"a/b~\":1}", "/a~1b~0", "INVALID_CONFIG"},
        {MICA_ACT_READ, "{", "", "INVALID_JSON"},
        {MICA_ACT_CREATE, "{\"name\":\"x\",\"name\":\"y\"}", "",
         "DUPLICATE_FIELD"},
        {MICA_ACT_CREATE, "{}", "/name", "INVALID_CONFIG"},
        {MICA_ACT_CREATE, "{\"name\":\"x\",\"propose\":1}", "/propose",
         "INVALID_CONFIG"},
        {MICA_ACT_CREATE, "{\"name\":\"x\",\"nam\":1}", "/nam",
         "INVALID_CONFIG"},
        {MICA_ACT_CREATE, "{\"name\":\"x\",\"layoutTemplate\":\"ring\"}",
         "/layoutTemplate", "INVALID_CONFIG"},
        {MICA_ACT_IMPORT, "{\"micaApp\":2,\"draft\":{}}", "/micaApp",
         "INVALID_CONFIG"},
        {MICA_ACT_IMPORT, "{\"micaApp\":1}", "/draft", "INVALID_CONFIG"},
        {MICA_ACT_LIST_APPS, "{\"limit\":0}", "/limit", "INVALID_CONFIG"},
        {MICA_ACT_LIST_APPS, "{\"limit\":101}", "/limit", "INVALID_CONFIG"},
        {MICA_ACT_LIST_APPS, "{\"after\":\"1\"}", "/after", "INVALID_CONFIG"},
        {MICA_ACT_CHECK, "{\"draft\":7}", "/draft", "INVALID_CONFIG"},
        {MICA_ACT_TEST, "{\"context\":7}", "/context", "INVALID_CONFIG"},
        {MICA_ACT_TEST, "{\"message\":7}", "/message", "INVALID_CONFIG"},
        {MICA_ACT_ROLLBACK, "{}", "/version", "INVALID_CONFIG"},
        {MICA_ACT_ROLLBACK, "{\"version\":1.5}", "/version", "INVALID_CONFIG"},
        {MICA_ACT_ROLLBACK, "{\"version\":9}", "/version", "INVALID_CONFIG"},
        {MICA_ACT_HAND_OVER, "{}", "/owner", "INVALID_CONFIG"},
        {MICA_ACT_HAND_OVER, "{\"owner\":\"a\\u202eb\"}", "/owner",
         "INVALID_CONFIG"},
        {MICA_ACT_HAND_OVER, "{\"owner\":\"a\\nb\"}", "/owner",
         "INVALID_CONFIG"},
        {MICA_ACT_USAGE, "{\"from\":\"yesterday\"}", "/from", "INVALID_CONFIG"},
        {MICA_ACT_USAGE, "{\"from\":\"2027-01-01\"}", "/from",
         "INVALID_CONFIG"},
        {MICA_ACT_USAGE, "{\"from\":\"1999-01-01\"}", "/from",
         "INVALID_CONFIG"},
        {MICA_ACT_EDIT, "{\"budget\":{\"seconds\":-1}}", "/budget/seconds",
         "INVALID_CONFIG"},
        {MICA_ACT_PREVIEW, "{\"data\":{\"no\":1}}", NULL, NULL},
    };

    acts_open();
    const char *slug = app_in(PUBLISHED);
    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        ck_assert_msg(act(&olga, rows[i].act, slug, rows[i].body) ==
                          MICA_E_CONFIG,
                      "%s %s", mica_act_name(rows[i].act), rows[i].body);
        if (rows[i].path == NULL) {
            ck_assert(
                mica_text_starts(mica_text(details_at("/path")), "/mockData"));
            continue;
        }
        ck_assert_msg(strcmp(rows[i].path[0] != '\0' ? details_at("/path") : "",
                             rows[i].path) == 0,
                      "%s %s: %.*s", mica_act_name(rows[i].act), rows[i].body,
                      MICA_ARG(answer.error.details));
        ck_assert_msg(strcmp(rows[i].reason, "INVALID_CONFIG") == 0 ||
                          strcmp(details_at("/reason"), rows[i].reason) == 0,
                      "%s: %.*s", rows[i].body, MICA_ARG(answer.error.details));
    }
    acts_close();
}
END_TEST

START_TEST(bodies_have_a_size_and_a_depth)
{
    static char deep[256], large[MICA_ACT_BODY_BYTES + 64];
    size_t length = 0;

    acts_open();
    const char *slug = app_in(DRAFT);
    memset(deep, '[', 100);
    ck_assert_int_eq(act(&olga, MICA_ACT_EDIT, slug, deep), MICA_E_CONFIG);
    length = (size_t)sprintf(large, "{\"description\":\"");
    memset(large + length, 'a', MICA_ACT_BODY_BYTES);
    (void)sprintf(large + length + MICA_ACT_BODY_BYTES, "\"}");
    ck_assert_int_eq(act(&olga, MICA_ACT_EDIT, slug, large), MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/reason"), "LIMIT_EXCEEDED");
    // One that may be read, but makes a draft that is too large.
    length = (size_t)sprintf(large, "{\"description\":\"");
    memset(large + length, 'a', MICA_APP_DRAFT_BYTES);
    (void)sprintf(large + length + MICA_APP_DRAFT_BYTES, "\"}");
    ck_assert_int_eq(act(&olga, MICA_ACT_EDIT, slug, large), MICA_E_CONFIG);
    ACT_OK(olga, MICA_ACT_READ, slug, "");
    ck_assert_int_eq(number_at("/revision"), 1);
    acts_close();
}
END_TEST

// ---- Drafts ----------------------------------------------------------------------

START_TEST(an_app_is_created_by_its_name_alone)
{
    acts_open();
    ACT_OK(olga, MICA_ACT_CREATE, "", "{\"name\":\"My Support Bot\"}");
    ck_assert_str_eq(text_at("/name"), "My Support Bot");
    ck_assert_str_eq(text_at("/mcpSlug"), "my-support-bot");
    ck_assert_str_eq(text_at("/status"), "draft");
    ck_assert_str_eq(text_at("/owner"), "olga");
    ck_assert_str_eq(text_at("/layoutTemplate"), "card");
    ck_assert_str_eq(text_at("/behavior/type"), "data");
    ck_assert_str_eq(text_at("/visibility"), "public");
    ck_assert_str_eq(text_at("/url"),
                     "http://127.0.0.1:8080/servers/my-support-bot/mcp");
    ck_assert_str_eq(text_at("/publishedAt"), "null");
    ck_assert_int_eq(number_at("/publishVersion"), 0);
    ck_assert_int_eq(number_at("/revision"), 1);
    ck_assert_int_eq(answer.revision, 1);
    ck_assert_int_eq(json_at(answer.json, "/mockData").kind, MICA_JSON_OBJECT);
    ck_assert_uint_eq(strlen(text_at("/id")), MICA_ACT_ID_BYTES);
    // What is missing for a publish is said at once.
    ck_assert(answer_has("\"/toolName\""));
    ck_assert(answer_has("\"/toolDescription\""));
    ACT_OK(olga, MICA_ACT_CREATE, "", "{\"name\":\"My Support Bot\"}");
    ck_assert_str_eq(text_at("/mcpSlug"), "my-support-bot-2");
    ACT_OK(olga, MICA_ACT_CREATE, "", "{\"name\":\"\\u65e5\\u672c\"}");
    ck_assert_str_eq(
        text_at("/mcpSlug"),
        mica_arena_text(
            &acts_arena,
            (struct mica_text){(char[]){'a', 'p', 'p', '-', text_at("/id")[0],
                                        text_at("/id")[1], text_at("/id")[2],
                                        text_at("/id")[3], text_at("/id")[4],
                                        text_at("/id")[5]},
                               10})
            .ptr);
    acts_close();
}
END_TEST

START_TEST(a_proposal_makes_a_new_app_publishable)
{
    static const char *const layouts[] = {"message",  "card",  "list",
                                          "carousel", "table", "chart",
                                          "detail",   "form"};

    acts_open();
    for (size_t i = 0; i < MICA_COUNT(layouts); i++) {
        char body[128];
        const char *slug;
        (void)snprintf(
            body, sizeof body,
            "{\"name\":\"Thing %zu\",\"layoutTemplate\":\"%s\",\"propose\":true}",
            i, layouts[i]);
        ACT_OK(olga, MICA_ACT_CREATE, "", body);
        slug = mica_arena_text(&acts_arena, answer.slug).ptr;
        ACT_OK(olga, MICA_ACT_CHECK, slug, "");
        ck_assert_str_eq(text_at("/publishable"), "true");
        ACT_OK(olga, MICA_ACT_PUBLISH, slug, "");
        ACT_OK(olga, MICA_ACT_PREVIEW, slug, "");
        ck_assert(mica_text_starts(answer.html, "<!"));
        ACT_OK(olga, MICA_ACT_TEST, slug, "{\"message\":\"hi\"}");
        ck_assert_int_eq(json_at(answer.json, "/structuredContent").kind,
                         MICA_JSON_OBJECT);
    }
    acts_close();
}
END_TEST

START_TEST(an_edit_merges_a_patch_and_raises_the_revision)
{
    acts_open();
    const char *slug = app_of("Patch");
    ACT_OK(olga, MICA_ACT_EDIT, slug,
           "{\"description\":\"d\",\"themeVariables\":"
           "{\"--color-background-primary\":\"#fff\"}}");
    ck_assert_int_eq(number_at("/revision"), 2);
    ck_assert_str_eq(text_at("/description"), "d");
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"description\":null}");
    ck_assert_int_eq(json_at(answer.json, "/description").kind, MICA_JSON_NULL);
    ck_assert_str_eq(text_at("/themeVariables/--color-background-primary"),
                     "#fff");
    // What was read can be sent back whole.
    struct mica_text whole = answer.json;
    ck_assert_int_eq(act_at(&olga, MICA_ACT_EDIT, slug, 3,
                            mica_arena_text(&acts_arena, whole).ptr),
                     MICA_OK);
    ck_assert_int_eq(number_at("/revision"), 4);
    acts_close();
}
END_TEST

START_TEST(an_edit_of_an_old_revision_changes_nothing)
{
    acts_open();
    const char *slug = app_of("Revision");
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"description\":\"first\"}");
    ck_assert_int_eq(
        act_at(&olga, MICA_ACT_EDIT, slug, 1, "{\"description\":\"second\"}"),
        MICA_E_REVISION);
    ck_assert_str_eq(details_at("/revision"), "2");
    ck_assert_int_eq(answer.revision, 2);
    static const enum mica_act others[] = {MICA_ACT_PUBLISH, MICA_ACT_DELETE,
                                           MICA_ACT_HAND_OVER};
    for (size_t i = 0; i < MICA_COUNT(others); i++)
        ck_assert_int_eq(act_at(&olga, others[i], slug, 1,
                                others[i] == MICA_ACT_HAND_OVER
                                    ? "{\"owner\":\"vic\"}"
                                    : ""),
                         MICA_E_REVISION);
    ACT_OK(olga, MICA_ACT_READ, slug, "");
    ck_assert_str_eq(text_at("/description"), "first");
    ck_assert_int_eq(
        act_at(&olga, MICA_ACT_EDIT, slug, 2, "{\"description\":\"second\"}"),
        MICA_OK);
    acts_close();
}
END_TEST

// [ACT-2]
START_TEST(a_draft_may_be_unfinished_but_not_invalid)
{
    acts_open();
    const char *slug = app_of("Rules");
    ACT_OK(olga, MICA_ACT_EDIT, slug,
           "{\"toolName\":null,\"mockData\":{\"odd\":true}}");
    ck_assert(answer_has("\"/mockData"));
    ck_assert_int_eq(act(&olga, MICA_ACT_PUBLISH, slug, ""), MICA_E_CONFIG);
    ck_assert_str_eq(mica_status_code(answer.error.status), "INVALID_CONFIG");
    ck_assert_int_eq(json_at(answer.error.details, "/findings").kind,
                     MICA_JSON_ARRAY);
    ck_assert_ptr_nonnull(strstr(
        mica_arena_text(&acts_arena, answer.error.details).ptr, "/toolName"));
    ck_assert_int_eq(
        act(&olga, MICA_ACT_EDIT, slug, "{\"name\":\"a\\u202eb\"}"),
        MICA_E_CONFIG);
    ck_assert_str_eq(details_at("/path"), "/name");
    ck_assert_str_eq(details_at("/findings/0/forbids"), "saving");
    ACT_OK(olga, MICA_ACT_READ, slug, "");
    ck_assert_int_eq(number_at("/revision"), 2);
    ck_assert_int_eq(number_at("/publishVersion"), 0);
    // A test and a preview of data that the layout does not have.
    ck_assert_int_eq(act(&olga, MICA_ACT_TEST, slug, ""), MICA_E_CONFIG);
    ACT_OK(olga, MICA_ACT_PREVIEW, slug, "");
    acts_close();
}
END_TEST

START_TEST(a_check_keeps_nothing)
{
    acts_open();
    const char *slug = app_of("Check");
    ACT_OK(olga, MICA_ACT_CHECK, slug,
           "{\"draft\":{\"toolName\":\"Bad Name\"}}");
    ck_assert_str_eq(text_at("/publishable"), "false");
    ck_assert(answer_has("\"/toolName\""));
    ACT_OK(olga, MICA_ACT_READ, slug, "");
    ck_assert_int_eq(number_at("/revision"), 1);
    // Without an app.
    ACT_OK(
        mallory, MICA_ACT_CHECK, "",
        "{\"draft\":{\"name\":\"Order Tracker\",\"layoutTemplate\":\"card\"}}");
    ck_assert_str_eq(text_at("/publishable"), "false");
    ck_assert_str_eq(text_at("/proposal/toolName"), "track_order");
    acts_close();
}
END_TEST

START_TEST(the_budget_in_effect_is_in_records_and_checks)
{
    acts_open();
    const char *slug = app_of("Budgets");
    ACT_OK(olga, MICA_ACT_READ, slug, "");
    ck_assert_int_eq(json_at(answer.json, "/effectiveBudget").kind,
                     MICA_JSON_OBJECT);
    ck_assert_uint_eq(json_at(answer.json, "/effectiveBudget").count, 0);
    // A change that is not saved.
    ACT_OK(olga, MICA_ACT_CHECK, slug,
           "{\"draft\":{\"behavior\":{\"type\":\"prompt\"}}}");
    ck_assert_int_eq(number_at("/effectiveBudget/callsPerDay"), 200);
    // The answer to an edit; a viewer reads it, too. What was read can be sent.
    ACT_OK(olga, MICA_ACT_EDIT, slug,
           "{\"visibility\":\"token\",\"behavior\":{\"type\":\"prompt\","
           "\"systemPrompt\":\"Greet.\",\"by\":\"client\"},\"budget\":{"
           "\"seconds\":9},\"effectiveBudget\":{\"seconds\":1}}");
    ck_assert_int_eq(number_at("/effectiveBudget/seconds"), 9);
    ck_assert_int_eq(number_at("/effectiveBudget/tokensPerDay"), 200000);
    ACT_OK(vic, MICA_ACT_READ, slug, "");
    ck_assert_int_eq(number_at("/effectiveBudget/concurrent"), 4);
    acts_close();
}
END_TEST

START_TEST(a_new_layout_brings_its_data_unless_there_are_others)
{
    acts_open();
    const char *slug = app_of("Layouts");
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"layoutTemplate\":\"table\"}");
    ACT_OK(olga, MICA_ACT_CHECK, slug, "");
    ck_assert_str_eq(text_at("/publishable"), "true");
    ACT_OK(olga, MICA_ACT_READ, slug, "");
    ck_assert_int_eq(json_at(answer.json, "/mockData/columns").kind,
                     MICA_JSON_ARRAY);
    ACT_OK(olga, MICA_ACT_EDIT, slug,
           "{\"layoutTemplate\":\"message\",\"mockData\":{\"text\":\"own\"}}");
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"layoutTemplate\":\"card\"}");
    ck_assert_str_eq(text_at("/mockData/text"), "own");
    acts_close();
}
END_TEST

// ---- Roles within an edit --------------------------------------------------------

START_TEST(editors_change_neither_people_nor_exposure)
{
    static const char *const owners[] = {
        "{\"visibility\":\"token\"}",
        "{\"roles\":{\"editors\":[\"erin\",\"mallory\"]}}", "{\"roles\":null}",
        "{\"budget\":{\"callsPerDay\":5}}"};

    acts_open();
    const char *slug = app_of("Exposure");
    for (size_t i = 0; i < MICA_COUNT(owners); i++) {
        ck_assert_int_eq(act(&erin, MICA_ACT_EDIT, slug, owners[i]),
                         MICA_E_ROLE);
        ck_assert_int_eq(act(&vic, MICA_ACT_EDIT, slug, owners[i]),
                         MICA_E_ROLE);
    }
    ACT_OK(erin, MICA_ACT_EDIT, slug, "{\"description\":\"by erin\"}");
    // An old version that was public does not come back by an editor.
    ACT_OK(olga, MICA_ACT_PUBLISH, slug, "");
    ACT_OK(olga, MICA_ACT_EDIT, slug, "{\"visibility\":\"token\"}");
    ACT_OK(erin, MICA_ACT_PUBLISH, slug, "");
    ck_assert_int_eq(act(&erin, MICA_ACT_ROLLBACK, slug, "{\"version\":1}"),
                     MICA_E_ROLE);
    ACT_OK(erin, MICA_ACT_ROLLBACK, slug, "{\"version\":2}");
    ACT_OK(olga, MICA_ACT_ROLLBACK, slug, "{\"version\":1}");
    acts_close();
}
END_TEST

// [ACT-3]
START_TEST(prompts_are_for_owners_and_editors)
{
    static const char secrets[][24] = {"Secret words", "secret-provider",
                                       "secret-model"};
    static const enum mica_act reads[] = {MICA_ACT_READ, MICA_ACT_VERSION,
                                          MICA_ACT_DIFFERENCE, MICA_ACT_EXPORT};

    acts_open();
    const char *slug = app_of("Prompts");
    ACT_OK(olga, MICA_ACT_EDIT, slug,
           "{\"behavior\":{\"type\":\"prompt\",\"systemPrompt\":\"Secret "
           "words\",\"by\":\"provider\",\"provider\":\"secret-provider\","
           "\"model\":\"secret-model\"},\"budget\":{\"callsPerDay\":10}}");
    ACT_OK(olga, MICA_ACT_PUBLISH, slug, "");
    ACT_OK(olga, MICA_ACT_EDIT, slug,
           "{\"behavior\":{\"systemPrompt\":\"Secret words, again\"}}");
    for (size_t i = 0; i < MICA_COUNT(reads); i++) {
        for (size_t j = 0; j < MICA_COUNT(secrets); j++) {
            bool shown = reads[i] != MICA_ACT_EXPORT &&
                         (reads[i] != MICA_ACT_DIFFERENCE || j == 0);
            ACT_OK(vic, reads[i], slug, "");
            ck_assert(!answer_has(secrets[j]));
            ACT_OK(erin, reads[i], slug, "");
            ck_assert(answer_has(secrets[j]) == shown);
            ACT_OK(olga, reads[i], slug, "");
            ck_assert(answer_has(secrets[j]) == shown);
        }
    }
    ACT_OK(vic, MICA_ACT_READ, slug, "");
    ck_assert_str_eq(text_at("/behavior/type"), "prompt");
    ck_assert(!answer_has("erin")); // who else may use the app is not theirs
    ACT_OK(vic, MICA_ACT_LIST_APPS, "", "");
    ck_assert_uint_eq(json_at(answer.json, "/apps").count, 1);
    ck_assert(!answer_has("ecret"));
    ck_assert_int_eq(act(&olga, MICA_ACT_TEST, slug, ""), MICA_E_EXECUTION);
    acts_close();
}
END_TEST

UNIT_MAIN("app_acts", each_act_asks_for_its_role_and_its_state,
          an_app_of_another_person_does_not_exist,
          an_app_of_another_person_costs_what_an_absent_one_costs,
          people_have_one_name_each,
          a_wrong_request_is_refused_with_its_pointer,
          bodies_have_a_size_and_a_depth, an_app_is_created_by_its_name_alone,
          a_proposal_makes_a_new_app_publishable,
          an_edit_merges_a_patch_and_raises_the_revision,
          an_edit_of_an_old_revision_changes_nothing,
          a_draft_may_be_unfinished_but_not_invalid,
          the_budget_in_effect_is_in_records_and_checks, a_check_keeps_nothing,
          a_new_layout_brings_its_data_unless_there_are_others,
          editors_change_neither_people_nor_exposure,
          prompts_are_for_owners_and_editors)
