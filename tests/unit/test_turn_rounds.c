// SPDX-License-Identifier: Apache-2.0
//
// Several asks in one round: each has what it would have by itself.
#include "test_turn.h"

struct pick {
    int64_t n;
};
MICA_RECORD(pick, MICA_INTEGER(n, "How many.", .minimum = 1, .maximum = 9));

struct mood {
    bool good;
};
MICA_RECORD(mood, MICA_BOOLEAN(good, "Good?"));

struct came_to {
    int64_t n;
    struct mica_text how;
};
MICA_RECORD(came_to, MICA_INTEGER(n, "What was picked."),
            MICA_TEXT(how, "How it ended."));

#define PICK(number) "{\"action\":\"accept\",\"content\":{\"n\":" number "}}"
#define DECLINE      "{\"action\":\"decline\"}"
#define CANCEL       "{\"action\":\"cancel\"}"

#define SAYS(text)                                                   \
    "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":" \
    "\"text\",\"text\":" text "}}"

static const char *const actions[] = {"accepted", "declined", "dismissed"};

// ---- One of each -------------------------------------------------------------------

static enum mica_status
together(struct mica_call *call, const struct mica_nothing *in,
         struct came_to *out)
{
    enum mica_action action;
    struct mica_text words;
    struct mica_roots roots;
    struct pick pick;
    struct mood mood;
    struct mica_ask asks[] = {
        {.form = MICA_FORM(pick, &pick), .message = MICA_LITERAL("n?")},
        {.form = MICA_FORM(mood, &mood),
         .action_out = &action,
         .message = mica_format(call, "mood %d?", 1)},
        {.sampling = &(struct mica_sampling){.prompt = MICA_LITERAL("hi")},
         .text_out = &words},
        {.roots = &roots}};

    (void)in;
    MICA_TRY(mica_ask_all(call, asks, MICA_COUNT(asks)));
    out->n = pick.n + (int64_t)roots.count;
    out->how = mica_format(call, "%s %.*s", actions[action], MICA_ARG(words));
    return MICA_OK;
}
MICA_TOOL(together, mica_nothing, came_to, together, .description = "Round.");

#define HELLO                                                         \
    "\"sample\":{\"role\":\"assistant\",\"model\":\"m\",\"content\":" \
    "{\"type\":\"text\",\"text\":\"hello\"}}"
#define ROOTS "\"roots\":{\"roots\":[{\"uri\":\"file:///a\"}]}"

START_TEST(several_asks_go_out_in_one_round)
{
    world_init();
    turn(&mica_tool_together, NULL);
    must_ask("pick mood sample roots");
    UNIT_TEXT_EQ(mica_ask_method(world.turn.asked->kind), "elicitation/create");
    UNIT_TEXT_EQ(mica_ask_method(world.turn.asked_last->kind), "roots/list");
    turn(&mica_tool_together, "{" HELLO ",\"pick\":" PICK("2") "}");
    must_ask("mood roots");
    turn(&mica_tool_together, "{" ROOTS ",\"mood\":" DECLINE "}");
    must_end("{\"n\":3,\"how\":\"declined hello\"}");
}
END_TEST

// Whichever comes first: a re-ask waits for the others, so that the order of asks
// is the same in each replay.
START_TEST(a_round_asks_again_when_all_have_answered)
{
    world_init();
    turn(&mica_tool_together, NULL);
    turn(&mica_tool_together, "{\"pick\":" PICK("77") "}");
    must_ask("mood sample roots");
    turn(&mica_tool_together, "{\"mood\":" PICK("1") "," ROOTS "}");
    must_ask("sample");
    turn(&mica_tool_together, "{" HELLO "}");
    must_ask("pick#2 mood#2");
    ck_assert_ptr_nonnull(strstr(asked_params(0).ptr, "not accepted"));
    turn(&mica_tool_together, "{\"mood#2\":" CANCEL "}");
    must_ask("pick#2");
    turn(&mica_tool_together, "{\"pick#2\":" PICK("5") "}");
    must_end("{\"n\":6,\"how\":\"dismissed hello\"}");
}
END_TEST

START_TEST(a_round_fails_as_the_first_in_its_order)
{
    world_init();
    turn(&mica_tool_together, NULL);
    turn(&mica_tool_together, "{\"pick\":" DECLINE "}");
    must_ask("mood sample roots"); // all are answered before it ends
    turn(&mica_tool_together, "{" HELLO "," ROOTS ",\"mood\":" CANCEL "}");
    must_fail(MICA_E_DECLINED, "pick");
    world_init();
    world.client = MICA_ELICITATION | MICA_SAMPLING;
    turn(&mica_tool_together, NULL);
    must_ask("pick mood sample");
    turn(&mica_tool_together,
         "{" HELLO ",\"mood\":" CANCEL ",\"pick\":" PICK("1") "}");
    must_fail(MICA_E_CAPABILITY, "roots");
    ck_assert_uint_eq(world.turn.missing, MICA_ROOTS);
}
END_TEST

static size_t how_many;

static enum mica_status
many(struct mica_call *call, const struct mica_nothing *in, struct came_to *out)
{
    struct pick picks[17];
    struct mica_form forms[17];
    struct mica_ask asks[17];

    (void)in;
    memset(asks, 0, sizeof asks);
    for (size_t i = 0; i < 17; i++) {
        forms[i] = *MICA_FORM(pick, &picks[i]);
        asks[i].form = &forms[i];
    }
    MICA_TRY(mica_ask_all(call, asks, how_many));
    for (size_t i = 0; i < how_many; i++)
        out->n += picks[i].n;
    return MICA_OK;
}
MICA_TOOL(many, mica_nothing, came_to, many, .description = "Many.");

START_TEST(a_round_has_sixteen_asks_at_most)
{
    world_init();
    how_many = 0;
    turn(&mica_tool_many, NULL);
    must_end("{\"n\":0,\"how\":\"\"}");
    how_many = 17;
    turn(&mica_tool_many, NULL);
    must_fail(MICA_E_USAGE, "16");
    world_init();
    how_many = 16;
    turn(&mica_tool_many, NULL);
    ck_assert_uint_eq(world.turn.asked_count, 16);
}
END_TEST

START_TEST(a_part_of_a_round_that_timed_out_takes_the_rest_with_it)
{
    struct mica_entry late = {
        .kind = MICA_ENTRY_ANSWER, .number = 1, .status = MICA_E_TIMEOUT};

    world_init();
    turn(&mica_tool_together, NULL);
    turn_open(&mica_tool_together);
    turn_answer("{\"pick\":" PICK("1") "}");
    ck_assert_int_eq(mica_journal_add(&world.journal, &late, NULL), MICA_OK);
    turn_go(&mica_tool_together, "{}");
    must_fail(MICA_E_TIMEOUT, "mood");
}
END_TEST

// ---- A struct of a model, and a form with attempts of its own ----------------------

static const struct mica_attempts *round_attempts;
static bool without_mood;

static enum mica_status
judged(struct mica_call *call, const struct mica_nothing *in,
       struct came_to *out)
{
    enum mica_action action = MICA_ACCEPTED;
    struct pick pick;
    struct mood mood;
    const struct mica_ask asks[] = {
        {.sampling =
             &(struct mica_sampling){.prompt = MICA_LITERAL("a number")},
         .into = MICA_INTO(pick, &pick)},
        {.form = MICA_FORM(mood, &mood),
         .attempts = round_attempts,
         .action_out = without_mood ? NULL : &action,
         .message = MICA_LITERAL("Good?")}};

    (void)in;
    MICA_TRY(mica_ask_all(call, asks, MICA_COUNT(asks)));
    out->n = pick.n + (mood.good ? 100 : 0);
    out->how = mica_text(actions[action]);
    return MICA_OK;
}
MICA_TOOL(judged, mica_nothing, came_to, judged, .description = "Judges.");

#define NUMBER(n) SAYS("\"so {\\\"n\\\": " n "}!\"")
#define GOOD      "{\"action\":\"accept\",\"content\":{\"good\":true}}"

START_TEST(a_round_has_a_struct_of_a_model_and_asks_once_more_for_it)
{
    world_init();
    round_attempts = NULL;
    turn(&mica_tool_judged, NULL);
    must_ask("sample mood");
    ck_assert_ptr_nonnull(strstr(asked_params(0).ptr, "\\\"maximum\\\":9"));
    // What does not fit is asked for again when the others have answered.
    turn(&mica_tool_judged, "{\"sample\":" NUMBER("77") "}");
    must_ask("mood");
    turn(&mica_tool_judged, "{\"mood\":" GOOD "}");
    must_ask("sample#2");
    ck_assert_ptr_nonnull(strstr(asked_params(0).ptr, "\\\"n\\\" must"));
    turn(&mica_tool_judged, "{\"sample#2\":" NUMBER("7") "}");
    must_end("{\"n\":107,\"how\":\"accepted\"}");
    // In another turn it is the same.
    turn(&mica_tool_judged, NULL);
    must_end("{\"n\":107,\"how\":\"accepted\"}");
}
END_TEST

START_TEST(a_model_that_does_not_fit_twice_ends_its_round)
{
    world_init();
    round_attempts = NULL;
    turn(&mica_tool_judged, NULL);
    turn(&mica_tool_judged,
         "{\"sample\":" SAYS("\"no\"") ",\"mood\":" GOOD "}");
    must_ask("sample#2");
    turn(&mica_tool_judged, "{\"sample#2\":" NUMBER("0") "}");
    must_fail(MICA_E_ATTEMPTS, "\\\"sample\\\" had no valid answer in 2");
}
END_TEST

START_TEST(a_form_of_a_round_has_attempts_of_its_own)
{
    static const struct mica_attempts again = {.most = 2,
                                               .on_decline = MICA_THEN_RETRY,
                                               .on_dismiss = MICA_THEN_RETURN};

    world_init();
    round_attempts = &again;
    turn(&mica_tool_judged, NULL);
    turn(&mica_tool_judged,
         "{\"sample\":" NUMBER("3") ",\"mood\":" DECLINE "}");
    must_ask("mood#2");
    turn(&mica_tool_judged, "{\"mood#2\":" CANCEL "}");
    must_end("{\"n\":3,\"how\":\"dismissed\"}");
    world_init();
    turn(&mica_tool_judged, NULL);
    turn(&mica_tool_judged,
         "{\"sample\":" NUMBER("3") ",\"mood\":" DECLINE "}");
    turn(&mica_tool_judged, "{\"mood#2\":" DECLINE "}");
    must_fail(MICA_E_ATTEMPTS, "\\\"mood\\\" had no valid answer in 2");
    world_init();
    without_mood = true; // it could return what no client would see
    turn(&mica_tool_judged, NULL);
    must_fail(MICA_E_USAGE, "action_out");
    ck_assert_uint_eq(world.journal.count, 0);
    without_mood = false;
}
END_TEST

// ---- A part of a round that makes no sense ---------------------------------------------

static struct mica_ask lone;

static enum mica_status
alone(struct mica_call *call, const struct mica_nothing *in,
      struct came_to *out)
{
    (void)in, (void)out;
    return mica_ask_all(call, &lone, 1);
}
MICA_TOOL(alone, mica_nothing, came_to, alone, .description = "Asks one.");

START_TEST(a_part_of_a_round_is_one_question_with_one_place_for_its_answer)
{
    static const struct mica_sampling hi = {.prompt = {"hi", 2}};
    static const struct mica_page page = {.url = "https://a.example/"};
    static const struct mica_attempts once = {.most = 1};
    static struct mica_text words;
    static struct mica_roots roots;
    static struct pick pick;
    const struct {
        struct mica_ask ask;
        const char *words;
    } wrong[] = {
        {{.form = NULL}, "0 of form"},
        {{.sampling = &hi, .text_out = &words, .roots = &roots}, "2 of form"},
        {{.sampling = &hi}, ".text_out and .into"},
        {{.sampling = &hi, .text_out = &words, .into = MICA_INTO(pick, &pick)},
         ".text_out and .into"},
        {{.page = &page, .into = MICA_INTO(pick, &pick)}, "a sampling"},
        {{.roots = &roots, .text_out = &words}, "a sampling"},
        {{.page = &page, .attempts = &once}, ".attempts"},
        {{.sampling = &hi, .text_out = &words, .attempts = &once},
         ".attempts"}};

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        world_init();
        lone = wrong[i].ask;
        turn(&mica_tool_alone, NULL);
        must_fail(MICA_E_USAGE, wrong[i].words);
        ck_assert_uint_eq(world.journal.count, 0);
    }
}
END_TEST

UNIT_MAIN("turn_rounds", several_asks_go_out_in_one_round,
          a_round_asks_again_when_all_have_answered,
          a_round_fails_as_the_first_in_its_order,
          a_round_has_sixteen_asks_at_most,
          a_part_of_a_round_that_timed_out_takes_the_rest_with_it,
          a_round_has_a_struct_of_a_model_and_asks_once_more_for_it,
          a_model_that_does_not_fit_twice_ends_its_round,
          a_form_of_a_round_has_attempts_of_its_own,
          a_part_of_a_round_is_one_question_with_one_place_for_its_answer)
