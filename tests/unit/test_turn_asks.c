// SPDX-License-Identifier: Apache-2.0
//
// Asks and what follows an answer: invalid ones, refusals, attempts.
#include "test_turn.h"

struct pick {
    int64_t n;
};
MICA_RECORD(pick, MICA_INTEGER(n, "How many.", .minimum = 1, .maximum = 9));

struct tags {
    struct {
        size_t count;
        const struct mica_text *items;
    } tags;
};
MICA_RECORD(tags, MICA_LIST(tags, text, "Tags.", .min_items = 1));

struct came_to {
    int64_t n;
    struct mica_text how;
};
MICA_RECORD(came_to, MICA_INTEGER(n, "What was picked."),
            MICA_TEXT(how, "How it ended."));

struct sum {
    int64_t sum;
};
MICA_RECORD(sum, MICA_INTEGER(sum, "The sum."));

#define PICK(number) "{\"action\":\"accept\",\"content\":{\"n\":" number "}}"
#define DECLINE      "{\"action\":\"decline\"}"
#define CANCEL       "{\"action\":\"cancel\"}"

#define SAYS(text)                                                   \
    "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":" \
    "\"text\",\"text\":" text "}}"

static const char *const actions[] = {"accepted", "declined", "dismissed"};

// ---- Invalid answers -----------------------------------------------------------------

static enum mica_status
strict(struct mica_call *call, const struct mica_nothing *in,
       struct came_to *out)
{
    struct pick pick;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick), "How many?"));
    out->n = pick.n;
    return MICA_OK;
}
MICA_TOOL(strict, mica_nothing, came_to, strict, .description = "Strict.");

START_TEST(an_invalid_answer_is_asked_for_again_with_the_fault)
{
    world_init();
    turn(&mica_tool_strict, NULL);
    ck_assert_ptr_nonnull(strstr(asked_params(0).ptr, "\"How many?\""));
    turn(&mica_tool_strict, "{\"pick\":" PICK("12") "}");
    must_ask("pick#2");
    ck_assert_ptr_nonnull(strstr(
        asked_params(0).ptr, "How many?\\n\\nThe last answer was not accepted: "
                             "\\\"n\\\" must"));
    turn(&mica_tool_strict, "{\"pick#2\":{\"action\":\"shrug\"}}");
    must_ask("pick#3");
    ck_assert_ptr_nonnull(strstr(asked_params(0).ptr, "accept"));
    turn(&mica_tool_strict, "{\"pick#3\":{\"action\":\"accept\"}}");
    must_ask("pick#4");
    turn(&mica_tool_strict, "{\"pick#4\":" PICK("7") "}");
    must_end("{\"n\":7,\"how\":\"\"}");
}
END_TEST

START_TEST(the_fifth_invalid_answer_is_the_last)
{
    char answer[64];

    world_init();
    turn(&mica_tool_strict, NULL);
    turn(&mica_tool_strict, "{\"pick\":" PICK("12") "}");
    for (int i = 2; i <= 5; i++) {
        snprintf(answer, sizeof answer, "pick#%d", i);
        must_ask(answer);
        snprintf(answer, sizeof answer, "{\"pick#%d\":{\"action\":3}}", i);
        turn(&mica_tool_strict, answer);
    }
    must_fail(MICA_E_ATTEMPTS,
              "\\\"pick\\\" had no valid answer in 5 attempts");
}
END_TEST

// ---- Views of forms ------------------------------------------------------------------

static const struct mica_view dial = {.name = "dial", .html = "<p>"};
#define DIAL "\"ui\":{\"resourceUri\":\"ui://s/dial\"}"
static const struct mica_form_view dials[] = {{"wheel", {"\"ui\":1", 6}},
                                              {"dial", {DIAL, sizeof DIAL - 1}},
                                              {NULL, {NULL, 0}}};

static enum mica_status
dialed(struct mica_call *call, const struct mica_nothing *in,
       struct came_to *out)
{
    struct pick pick;

    (void)in;
    MICA_TRY(
        mica_elicit(call, MICA_FORM(pick, &pick, .view = &dial), "How many?"));
    out->n = pick.n;
    return MICA_OK;
}
MICA_TOOL(dialed, mica_nothing, came_to, dialed, .description = "Dials.");

// A view of a form is no part of the journal: a build whose form got one, or lost it, and a
// client that shows none, continue the call.
START_TEST(a_journal_does_not_know_the_view_of_a_form)
{
    world_init();
    turn(&mica_tool_strict, NULL);
    must_ask("pick");
    ck_assert_ptr_null(strstr(asked_params(0).ptr, "_meta"));
    world.form_views = dials;
    world.form_display = MICA_FORM_BY_VIEW;
    turn(&mica_tool_dialed, "{\"pick\":" PICK("12") "}");
    must_ask("pick#2");
    ck_assert_ptr_nonnull(strstr(asked_params(0).ptr, DIAL "}}"));
    ck_assert_ptr_nonnull(strstr(asked_params(0).ptr, "\"mica/error\":{"));
    world.form_display = MICA_FORM_BY_CLIENT;
    turn(&mica_tool_dialed, "{\"pick#2\":" PICK("13") "}");
    must_ask("pick#3");
    ck_assert_ptr_null(strstr(asked_params(0).ptr, "resourceUri"));
    turn(&mica_tool_strict, "{\"pick#3\":" PICK("7") "}");
    must_end("{\"n\":7,\"how\":\"\"}");
}
END_TEST

// An author learns it at the first call of any client.
START_TEST(a_form_whose_view_its_tool_does_not_name_is_refused)
{
    static const struct mica_form_view none[] = {{NULL, {NULL, 0}}};

    world_init();
    world.form_views = none;
    turn(&mica_tool_dialed, NULL);
    must_fail(MICA_E_USAGE, "MICA_FORM_VIEWS(&mica_view_dial)");
    // The forms of an older build end before that member, which is not read.
    world_init();
    turn(&mica_tool_dialed, NULL);
    must_ask("pick");
}
END_TEST

// ---- Actions -------------------------------------------------------------------------

static enum mica_status
choose(struct mica_call *call, const struct mica_nothing *in,
       struct came_to *out)
{
    enum mica_action action;
    struct pick pick;

    (void)in;
    MICA_TRY(mica_elicit_action(call, MICA_FORM(pick, &pick), &action, "n?"));
    out->n = pick.n;
    out->how = mica_text(actions[action]);
    return MICA_OK;
}
MICA_TOOL(choose, mica_nothing, came_to, choose, .description = "Chooses.");

START_TEST(an_action_is_given_to_be_switched_on)
{
    static const struct {
        const char *answer, *end;
    } cases[] = {
        {"{\"pick\":" PICK("3") "}", "{\"n\":3,\"how\":\"accepted\"}"},
        {"{\"pick\":" DECLINE "}", "{\"n\":0,\"how\":\"declined\"}"},
        {"{\"pick\":" CANCEL "}", "{\"n\":0,\"how\":\"dismissed\"}"},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        world_init();
        turn(&mica_tool_choose, NULL);
        turn(&mica_tool_choose, cases[i].answer);
        must_end(cases[i].end);
    }
    world_init();
    turn(&mica_tool_choose, NULL);
    turn(&mica_tool_choose, "{\"pick\":" PICK("33") "}");
    must_ask("pick#2");
}
END_TEST

static enum mica_status
show_page(struct mica_call *call, const struct mica_nothing *in,
          struct came_to *out)
{
    enum mica_action action;

    (void)in;
    MICA_TRY(mica_elicit_url(call,
                             &(struct mica_page){.key = "consent",
                                                 .url = "https://a.example/",
                                                 .action_out = &action},
                             "Go there."));
    out->how = mica_text(actions[action]);
    return MICA_OK;
}
MICA_TOOL(show_page, mica_nothing, came_to, show_page, .description = "Shows.");

START_TEST(a_page_gives_its_action_too)
{
    world_init();
    turn(&mica_tool_show_page, NULL);
    must_ask("consent");
    turn(&mica_tool_show_page, "{\"consent\":" DECLINE "}");
    must_end("{\"n\":0,\"how\":\"declined\"}");
}
END_TEST

// ---- Attempts ------------------------------------------------------------------------

static struct mica_attempts attempts;
static bool without_action;

static enum mica_status
retry(struct mica_call *call, const struct mica_nothing *in,
      struct came_to *out)
{
    enum mica_action action = MICA_ACCEPTED;
    struct pick pick;

    (void)in;
    MICA_TRY(mica_elicit_retry(call, MICA_FORM(pick, &pick), &attempts,
                               without_action ? NULL : &action, "n?"));
    out->n = pick.n;
    out->how = mica_text(actions[action]);
    return MICA_OK;
}
MICA_TOOL(retry, mica_nothing, came_to, retry, .description = "Retries.");

// What `retry` comes to when each attempt is answered so; the last answer is
// repeated.
static void
answer_all(const char *const *answers, unsigned count)
{
    char line[128];

    world_init();
    turn(&mica_tool_retry, NULL);
    for (unsigned i = 0; world.turn.suspended; i++) {
        const char *answer = answers[i < count ? i : count - 1];
        ck_assert_uint_lt(i, 21);
        snprintf(line, sizeof line, "{\"%.*s\":%s}",
                 MICA_ARG(world.turn.asked->key), answer);
        turn(&mica_tool_retry, line);
    }
}

static uint32_t
asks_made(void)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < world.journal.count; i++)
        count += world.journal.entries[i].kind == MICA_ENTRY_ASK;
    return count;
}

START_TEST(attempts_follow_every_combination)
{
    static const enum mica_then thens[] = {MICA_THEN_ERROR, MICA_THEN_RETRY,
                                           MICA_THEN_RETURN};
    static const enum mica_then ends[] = {MICA_THEN_ERROR, MICA_THEN_RETURN};
    static const char *const refusals[] = {DECLINE, CANCEL};
    static const enum mica_status codes[] = {MICA_E_DECLINED, MICA_E_DISMISSED};

    without_action = false;
    for (size_t refusal = 0; refusal < 2; refusal++) {
        for (size_t then = 0; then < 3; then++) {
            for (size_t end = 0; end < 2; end++) {
                for (unsigned most = 1; most <= 4; most++) {
                    char done[64];
                    snprintf(done, sizeof done, "{\"n\":0,\"how\":\"%s\"}",
                             actions[refusal + 1]);
                    // The other kind of refusal must not matter.
                    attempts = (struct mica_attempts){
                        .most = most,
                        .on_decline =
                            refusal == 0 ? thens[then] : MICA_THEN_ERROR,
                        .on_dismiss =
                            refusal == 1 ? thens[then] : MICA_THEN_ERROR,
                        .on_exhausted = ends[end]};
                    answer_all(&refusals[refusal], 1);
                    ck_assert_uint_eq(
                        asks_made(), thens[then] == MICA_THEN_RETRY ? most : 1);
                    if (thens[then] == MICA_THEN_ERROR)
                        must_fail(codes[refusal], "ELICITATION");
                    else if (thens[then] == MICA_THEN_RETURN ||
                             ends[end] == MICA_THEN_RETURN)
                        must_end(done);
                    else
                        must_fail(MICA_E_ATTEMPTS, "attempts");
                }
            }
        }
    }
}
END_TEST

START_TEST(attempts_that_end_well_end)
{
    static const char *const answers[] = {DECLINE, PICK("99"), CANCEL,
                                          PICK("4")};

    without_action = true;
    attempts = (struct mica_attempts){.most = 4,
                                      .on_decline = MICA_THEN_RETRY,
                                      .on_dismiss = MICA_THEN_RETRY};
    answer_all(answers, 4);
    must_end("{\"n\":4,\"how\":\"accepted\"}");
    attempts.most = 0; // 3
    answer_all(answers, 4);
    must_fail(MICA_E_ATTEMPTS, "3 attempts");
}
END_TEST

START_TEST(an_invalid_answer_to_the_last_attempt_returns_as_dismissed)
{
    static const char *const answers[] = {PICK("99")};

    without_action = false;
    attempts =
        (struct mica_attempts){.most = 2, .on_exhausted = MICA_THEN_RETURN};
    answer_all(answers, 1);
    must_end("{\"n\":0,\"how\":\"dismissed\"}");
    attempts.on_exhausted = MICA_THEN_ERROR;
    answer_all(answers, 1);
    must_fail(MICA_E_ATTEMPTS, "\\\"n\\\" must be");
}
END_TEST

START_TEST(attempts_that_make_no_sense_are_refused)
{
    static const struct mica_attempts wrong[] = {
        {.most = 21},
        {.on_exhausted = MICA_THEN_RETRY},
        {.on_decline = MICA_THEN_RETURN},
        {.on_dismiss = MICA_THEN_RETURN},
        {.on_exhausted = MICA_THEN_RETURN}};

    without_action = true;
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        world_init();
        attempts = wrong[i];
        turn(&mica_tool_retry, NULL);
        must_fail(MICA_E_USAGE, "USAGE");
        ck_assert_uint_eq(world.journal.count, 0);
    }
}
END_TEST

// ---- What a client of 2025-06-18 shows ------------------------------------------------

static enum mica_status
label(struct mica_call *call, const struct mica_nothing *in,
      struct came_to *out)
{
    static const struct mica_option options[] = {{{"a", 1}, {NULL, 0}},
                                                 {{"b", 1}, {NULL, 0}}};
    struct tags tags;

    (void)in;
    MICA_TRY(mica_elicit(
        call,
        MICA_FORM(tags, &tags,
                  MICA_SET(tags, .options = options, .option_count = 2)),
        "Which?"));
    out->n = (int64_t)tags.tags.count;
    return MICA_OK;
}
MICA_TOOL(label, mica_nothing, came_to, label, .description = "Labels.");

START_TEST(a_client_that_cannot_show_lists_is_not_asked_for_one)
{
    world_init();
    turn(&mica_tool_label, NULL);
    must_ask("tags");
    ck_assert_ptr_nonnull(strstr(asked_params(0).ptr, "\"mode\":\"form\""));
    turn(&mica_tool_label, "{\"tags\":{\"action\":\"accept\",\"content\":{"
                           "\"tags\":[\"a\",\"b\"]}}}");
    must_end("{\"n\":2,\"how\":\"\"}");
    world_init();
    world.dialect = MICA_ASKS_2025_06_18;
    turn(&mica_tool_label, NULL);
    must_fail(MICA_E_CAPABILITY, "CAPABILITY_MISSING");
    world_init();
    world.dialect = MICA_ASKS_2025_06_18;
    turn(&mica_tool_strict, NULL);
    must_ask("pick");
    ck_assert_ptr_null(strstr(asked_params(0).ptr, "mode"));
}
END_TEST

// ---- Roots, pages and sampling -------------------------------------------------------

static enum mica_status
look(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct mica_roots roots;
    struct mica_text words;
    struct pick pick;

    (void)in;
    MICA_TRY(mica_roots(call, &roots));
    out->sum = (int64_t)roots.count;
    MICA_TRY(mica_elicit_url(call,
                             &(struct mica_page){.url = "https://pay.example/"},
                             "Pay %d there.", 5));
    MICA_TRY(mica_sample(
        call, &(struct mica_sampling){.prompt = MICA_LITERAL("hi")}, &words));
    note(mica_format(call, "%.*s", MICA_ARG(words)).ptr);
    MICA_TRY(mica_sample_into(
        call,
        &(struct mica_sampling){.key = "number",
                                .prompt = MICA_LITERAL("a number")},
        MICA_INTO(pick, &pick)));
    out->sum += pick.n;
    return MICA_OK;
}
MICA_TOOL(look, mica_nothing, sum, look, .description = "Looks.");

START_TEST(roots_pages_and_the_model_are_asked_and_answer)
{
    world_init();
    turn(&mica_tool_look, NULL);
    must_ask("roots");
    UNIT_TEXT_EQ(asked_params(0), "{}");
    turn(&mica_tool_look, "{\"roots\":{\"roots\":[{\"uri\":\"file:///a\"},"
                          "{\"uri\":\"file:///b\",\"name\":\"b\"}]}}");
    must_ask("page");
    UNIT_TEXT_EQ(asked_params(0),
                 "{\"mode\":\"url\",\"message\":\"Pay 5 there.\",\"url\":"
                 "\"https://pay.example/\"}");
    turn(&mica_tool_look, "{\"page\":{\"action\":\"accept\"}}");
    must_ask("sample");
    turn(&mica_tool_look, "{\"sample\":" SAYS("\"hello\"") "}");
    must_ask("number");
    // What does not fit is asked for once more, with the fault.
    turn(&mica_tool_look, "{\"number\":" SAYS("\"{\\\"n\\\": 77}\"") "}");
    must_ask("number#2");
    turn(&mica_tool_look, "{\"number#2\":" SAYS("\"so {\\\"n\\\": 7}!\"") "}");
    must_end("{\"sum\":9}");
    ck_assert_str_eq(world.seen, "hello\nhello\nhello\n");
}
END_TEST

START_TEST(a_model_that_never_fits_exhausts_its_two_attempts)
{
    world_init();
    turn_open(&mica_tool_look);
    world.turn.answers = turn_json(
        "{\"roots\":{\"roots\":[]},\"page\":{\"action\":\"accept\"},"
        "\"sample\":" SAYS("\"hello\"") ",\"number\":" SAYS("\"no\"") "}");
    turn_go(&mica_tool_look, "{}");
    must_ask("number#2");
    turn(&mica_tool_look, "{\"number#2\":" SAYS("\"{}\"") "}");
    must_fail(MICA_E_ATTEMPTS, "ATTEMPTS_EXHAUSTED");
}
END_TEST

START_TEST(a_page_of_2025_11_25_has_an_id)
{
    world_init();
    world.dialect = MICA_ASKS_2025_11_25;
    turn_open(&mica_tool_look);
    world.turn.answers = turn_json("{\"roots\":{\"roots\":[]}}");
    turn_go(&mica_tool_look, "{}");
    must_ask("page");
    ck_assert_ptr_nonnull(
        strstr(asked_params(0).ptr, "\"elicitationId\":\"C1/page\""));
}
END_TEST

static const char *address;

static enum mica_status
visit(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    (void)in, (void)out;
    return mica_elicit_url(call, &(struct mica_page){.url = address}, "Go.");
}
MICA_TOOL(visit, mica_nothing, sum, visit, .description = "Visits.");

START_TEST(a_page_is_at_a_safe_address)
{
    static const char *const good[] = {
        "https://a.example/x?y#z", "http://localhost/", "http://127.0.0.1:80/a",
        "http://[::1]:8080", "http://localhost:1"};
    static const char *const bad[] = {"http://a.example/",
                                      "https://",
                                      "ftp://a.example",
                                      "javascript:alert(1)",
                                      "http://localhost.evil.example/",
                                      "http://127.0.0.1.evil/",
                                      "https://a.example/ b",
                                      "",
                                      "http://user@x"};

    for (size_t i = 0; i < MICA_COUNT(good); i++) {
        world_init();
        address = good[i];
        turn(&mica_tool_visit, NULL);
        must_ask("page");
    }
    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        world_init();
        address = bad[i];
        turn(&mica_tool_visit, NULL);
        must_fail(MICA_E_USAGE, "https");
        ck_assert_uint_eq(world.journal.count, 0);
    }
}
END_TEST

// ---- The handler's own mistakes ------------------------------------------------------

static const char *own_key;

static enum mica_status
has_key(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick, .key = own_key), "n?"));
    out->sum = pick.n;
    return MICA_OK;
}
MICA_TOOL(has_key, mica_nothing, sum, has_key, .description = "Has keys.");

START_TEST(a_key_that_could_be_another_s_is_refused)
{
    static const char *const bad[] = {"", "a#2", "a/b", "a b", "\xFF"};

    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        world_init();
        own_key = bad[i];
        turn(&mica_tool_has_key, NULL);
        must_fail(MICA_E_USAGE, "key");
    }
    world_init();
    own_key = "passenger-1";
    turn(&mica_tool_has_key, NULL);
    must_ask("passenger-1");
}
END_TEST

UNIT_MAIN("turn_asks", a_journal_does_not_know_the_view_of_a_form,
          a_form_whose_view_its_tool_does_not_name_is_refused,
          an_invalid_answer_is_asked_for_again_with_the_fault,
          the_fifth_invalid_answer_is_the_last,
          an_action_is_given_to_be_switched_on, a_page_gives_its_action_too,
          attempts_follow_every_combination, attempts_that_end_well_end,
          an_invalid_answer_to_the_last_attempt_returns_as_dismissed,
          attempts_that_make_no_sense_are_refused,
          a_client_that_cannot_show_lists_is_not_asked_for_one,
          roots_pages_and_the_model_are_asked_and_answer,
          a_model_that_never_fits_exhausts_its_two_attempts,
          a_page_of_2025_11_25_has_an_id, a_page_is_at_a_safe_address,
          a_key_that_could_be_another_s_is_refused)
