// SPDX-License-Identifier: Apache-2.0
//
// Turns: suspension, replay, what is told and drawn once.
#include "test_turn.h"

struct pick {
    int64_t n;
};
MICA_RECORD(pick, MICA_INTEGER(n, "How many.", .minimum = 1, .maximum = 9));

struct other {
    bool yes;
};
MICA_RECORD(other, MICA_BOOLEAN(yes, "Is it?"));

struct sum {
    int64_t sum;
};
MICA_RECORD(sum, MICA_INTEGER(sum, "The sum."));

#define ACCEPT(content) "{\"action\":\"accept\",\"content\":" content "}"

// ---- A conversation ----------------------------------------------------------------

static enum mica_status
add_up(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick a, b;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &a), "First?"));
    MICA_TRY(
        mica_elicit(call, MICA_FORM(pick, &b), "Second, after %d?", (int)a.n));
    out->sum = a.n + b.n;
    return MICA_OK;
}
MICA_TOOL(add_up, mica_nothing, sum, add_up, .description = "Adds.");

START_TEST(a_handler_asks_twice_and_ends)
{
    world_init();
    turn(&mica_tool_add_up, NULL);
    must_ask("pick");
    ck_assert_int_eq(world.call.result.status, MICA_SUSPENDED);
    ck_assert_int_eq(world.turn.asked->kind, MICA_ASK_FORM);
    ck_assert_int_eq(world.turn.asked->due, 1700000001000 + 600000);
    turn(&mica_tool_add_up, "{\"pick\":" ACCEPT("{\"n\":3}") "}");
    must_ask("pick#2");
    ck_assert_ptr_nonnull(strstr(asked_params(0).ptr, "Second, after 3?"));
    turn(&mica_tool_add_up, "{\"pick#2\":" ACCEPT("{\"n\":4}") "}");
    must_end("{\"sum\":7}");
    ck_assert_int_eq(world.journal.entries[world.journal.count - 1].kind,
                     MICA_ENTRY_END);
    ck_assert_uint_eq(world.commits, 0);
}
END_TEST

START_TEST(a_round_without_the_answer_asks_again)
{
    world_init();
    turn(&mica_tool_add_up, NULL);
    turn(&mica_tool_add_up, "{\"unknown\":{}}");
    must_ask("pick");
    ck_assert_uint_eq(world.journal.count, 1);
}
END_TEST

START_TEST(a_call_that_has_ended_is_replayed_to_the_same_end)
{
    world_init();
    turn(&mica_tool_add_up, NULL);
    turn(&mica_tool_add_up, "{\"pick\":" ACCEPT("{\"n\":3}") "}");
    turn(&mica_tool_add_up, "{\"pick#2\":" ACCEPT("{\"n\":4}") "}");
    for (int i = 0; i < 3; i++) {
        uint32_t count = world.journal.count;
        turn(&mica_tool_add_up, NULL);
        must_end("{\"sum\":7}");
        ck_assert_uint_eq(world.journal.count, count);
    }
}
END_TEST

START_TEST(answers_may_come_before_they_are_asked_for)
{
    world_init();
    turn_open(&mica_tool_add_up);
    world.turn.answers = turn_json("{\"pick#2\":" ACCEPT(
        "{\"n\":4}") ",\"pick\":" ACCEPT("{\"n\":3}") ",\"x\":{}}");
    turn_go(&mica_tool_add_up, "{}");
    must_end("{\"sum\":7}");
    ck_assert_uint_eq(world.journal.count, 5);
}
END_TEST

START_TEST(a_first_turn_may_have_some_of_the_answers)
{
    world_init();
    turn_open(&mica_tool_add_up);
    world.turn.answers = turn_json("{\"pick\":" ACCEPT("{\"n\":3}") "}");
    turn_go(&mica_tool_add_up, "{}");
    must_ask("pick#2");
    // What is no object is no answer.
    turn_open(&mica_tool_add_up);
    world.turn.answers = turn_json("{\"pick#2\":null}");
    turn_go(&mica_tool_add_up, "{}");
    must_ask("pick#2");
}
END_TEST

// ---- TURN-1: sticky suspension -----------------------------------------------------

static enum mica_status
forgetful(struct mica_call *call, const struct mica_nothing *in,
          struct sum *out)
{
    struct pick pick = {5};
    struct other other = {true};
    enum mica_action action = MICA_ACCEPTED;
    struct mica_text text = MICA_LITERAL("x");
    enum mica_status status;

    (void)in;
    status = mica_elicit(call, MICA_FORM(pick, &pick), "How many?");
    if (status != MICA_OK) {
        ck_assert_int_eq(status, MICA_SUSPENDED);
        ck_assert_int_eq(pick.n, 0);
        status =
            mica_elicit_action(call, MICA_FORM(other, &other), &action, "And?");
        ck_assert_int_eq(status, MICA_SUSPENDED);
        ck_assert(!other.yes && action == MICA_DISMISSED);
        status = mica_sample(
            call, &(struct mica_sampling){.prompt = MICA_LITERAL("say")},
            &text);
        ck_assert_int_eq(status, MICA_SUSPENDED);
        ck_assert_uint_eq(text.len, 0);
        ck_assert_int_eq(mica_now(call), 0);
        ck_assert_uint_eq(mica_random(call), 0);
        ck_assert(!mica_client_has(call, MICA_SAMPLING));
        mica_log(call, MICA_LOG_INFO, "cancelled!");
        mica_notify(call, "cancelled!");
        mica_add_text(call, MICA_LITERAL("cancelled"), NULL);
        (void)mica_fail(call, "USER_CANCELLED", "", "the user did not want");
        note("continued");
        (void)mica_service(call, "bank"); // leaves the handler
        note("used the bank");
    }
    out->sum = pick.n;
    return MICA_OK;
}
MICA_TOOL(forgetful, mica_nothing, sum, forgetful, .description = "Forgets.");

START_TEST(t1_a_handler_that_does_not_unwind_is_suspended_all_the_same)
{
    world_init();
    turn(&mica_tool_forgetful, NULL);
    must_ask("pick");
    ck_assert_str_eq(world.seen, "continued\n");
    ck_assert_str_eq(world.events, "");
    ck_assert_uint_eq(world.journal.count, 1);
    ck_assert_ptr_null(world.call.result.content);
    turn(&mica_tool_forgetful, "{\"pick\":" ACCEPT("{\"n\":2}") "}");
    must_end("{\"sum\":2}");
}
END_TEST

static enum mica_status
by_default(struct mica_call *call, const struct mica_nothing *in,
           struct sum *out)
{
    struct pick pick;

    (void)in;
    switch ((int)mica_elicit(call, MICA_FORM(pick, &pick), "How many?")) {
    case MICA_OK:
        out->sum = pick.n;
        return MICA_OK;
    case MICA_E_DECLINED:
        return mica_fail(call, "DECLINED", "", "declined");
    default:
        return mica_fail(call, "CANCELLED_BY_USER", "", "cancelled");
    }
}
MICA_TOOL(by_default, mica_nothing, sum, by_default,
          .description = "Defaults.");

START_TEST(t1_a_default_that_means_cancelled_does_not_end_the_call)
{
    world_init();
    turn(&mica_tool_by_default, NULL);
    must_ask("pick");
    turn(&mica_tool_by_default, "{\"pick\":{\"action\":\"cancel\"}}");
    must_fail(MICA_FAILED, "CANCELLED_BY_USER");
    world_init();
    turn(&mica_tool_by_default, NULL);
    turn(&mica_tool_by_default, "{\"pick\":" ACCEPT("{\"n\":2}") "}");
    must_end("{\"sum\":2}");
}
END_TEST

static enum mica_status
nan_after(struct mica_call *call, const struct mica_nothing *in,
          struct sum *out)
{
    struct pick pick;

    (void)in;
    if (mica_elicit(call, MICA_FORM(pick, &pick), "How many?") != MICA_OK)
        out->sum = INT64_MAX; // breaks its own schema
    return MICA_OK;
}
MICA_TOOL(nan_after, mica_nothing, sum, nan_after, .description = "Breaks.");

START_TEST(t1_ok_after_suspension_is_no_end)
{
    world_init();
    turn(&mica_tool_nan_after, NULL);
    must_ask("pick");
}
END_TEST

static enum mica_status
greedy(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;

    (void)in, (void)out;
    if (mica_elicit(call, MICA_FORM(pick, &pick), "How many?") != MICA_OK) {
        for (;;)
            (void)mica_alloc(call, 1 << 16);
    }
    return MICA_OK;
}
MICA_TOOL(greedy, mica_nothing, sum, greedy, .description = "Takes.");

START_TEST(memory_that_runs_out_ends_the_call_also_after_suspension)
{
    world_init();
    world.memory = 1 << 20;
    turn(&mica_tool_greedy, NULL);
    must_fail(MICA_E_LIMIT, "LIMIT_EXCEEDED");
}
END_TEST

// ---- TURN-2: divergence ------------------------------------------------------------

static int mode; // what the handlers below do this time

static enum mica_status
fickle(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct mica_field_setting wider = {"n", .has_maximum = true, .maximum = 5};
    struct pick pick;
    struct other other;

    (void)in;
    if (mode == 1)
        MICA_TRY(mica_elicit(call, MICA_FORM(other, &other), "Is it?"));
    if (mode == 2)
        (void)mica_now(call);
    if (mode == 3)
        MICA_TRY(mica_elicit(
            call, MICA_FORM(pick, &pick, .set = &wider, .set_count = 1),
            "How many?"));
    else if (mode != 4)
        MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick),
                             mode == 5 ? "What number?" : "How many?"));
    out->sum = 1;
    return MICA_OK;
}
MICA_TOOL(fickle, mica_nothing, sum, fickle, .description = "Changes.");

static void
change_to(int new_mode, const char *answers)
{
    world_init();
    mode = 0;
    turn(&mica_tool_fickle, NULL);
    must_ask("pick");
    mode = new_mode;
    turn(&mica_tool_fickle, answers);
}

START_TEST(t2_another_question_ends_the_call_with_both_in_the_message)
{
    change_to(1, NULL);
    must_fail(MICA_E_DIVERGED, "the form \\\"other\\\"");
    must_fail(MICA_E_DIVERGED, "the form \\\"pick\\\"");
    must_fail(MICA_E_DIVERGED, "fickle");
    change_to(2, NULL);
    must_fail(MICA_E_DIVERGED, "came to mica_now where it had come to the "
                               "form \\\"pick\\\"");
}
END_TEST

START_TEST(t2_another_form_is_another_question)
{
    change_to(3, NULL);
    must_fail(MICA_E_DIVERGED, "with other fields, kinds, options or bounds");
}
END_TEST

START_TEST(t2_an_end_before_what_was_asked_is_another_way)
{
    change_to(4, "{\"pick\":" ACCEPT("{\"n\":2}") "}");
    must_fail(MICA_E_DIVERGED, "the end of the handler");
}
END_TEST

START_TEST(t2_other_words_are_the_same_question)
{
    change_to(5, NULL);
    must_ask("pick");
    ck_assert_ptr_nonnull(strstr(asked_params(0).ptr, "What number?"));
}
END_TEST

static enum mica_status
stubborn(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;
    struct other other;

    (void)in;
    if (mode == 1) {
        ck_assert_int_eq(mica_elicit(call, MICA_FORM(other, &other), "Is it?"),
                         MICA_E_DIVERGED);
        ck_assert_int_eq(mica_elicit(call, MICA_FORM(pick, &pick), "n?"),
                         MICA_E_DIVERGED);
        out->sum = 3;
        return MICA_OK;
    }
    return mica_elicit(call, MICA_FORM(pick, &pick), "n?");
}
MICA_TOOL(stubborn, mica_nothing, sum, stubborn, .description = "Continues.");

START_TEST(t2_divergence_cannot_be_caught)
{
    world_init();
    mode = 0;
    turn(&mica_tool_stubborn, NULL);
    mode = 1;
    turn(&mica_tool_stubborn, NULL);
    must_fail(MICA_E_DIVERGED, "REPLAY_DIVERGED");
}
END_TEST

// ---- TURN-4: told once -------------------------------------------------------------

static enum mica_status
chatty(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;

    (void)in;
    mica_log(call, MICA_LOG_INFO, "begin");
    mica_notify(call, "first");
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick), "a?"));
    mica_notify(call, "second");
    mica_progress(call, 50, 100, "half");
    mica_notify(call, 60, "row %d", 60);
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick), "b?"));
    mica_notify(call, "third");
    out->sum = 1;
    return MICA_OK;
}
MICA_TOOL(chatty, mica_nothing, sum, chatty, .description = "Chats.");

START_TEST(t4_each_event_is_told_once_and_numbers_rise)
{
    world_init();
    turn(&mica_tool_chatty, NULL);
    turn(&mica_tool_chatty, NULL);
    turn(&mica_tool_chatty, "{\"pick\":" ACCEPT("{\"n\":1}") "}");
    turn(&mica_tool_chatty, NULL);
    turn(&mica_tool_chatty, "{\"pick#2\":" ACCEPT("{\"n\":1}") "}");
    must_end("{\"sum\":1}");
    ck_assert_str_eq(world.events, "log begin\n"
                                   "progress 1 first\n"
                                   "progress 2 second\n"
                                   "progress 50 half\n"
                                   "progress 60 row 60\n"
                                   "progress 61 third\n");
}
END_TEST

START_TEST(t4_what_nobody_listened_to_has_passed)
{
    world_init();
    turn_open(&mica_tool_chatty);
    world.call.on_notice = NULL;
    turn_go(&mica_tool_chatty, "{}");
    turn(&mica_tool_chatty, "{\"pick\":" ACCEPT("{\"n\":1}") "}");
    must_ask("pick#2");
    ck_assert_str_eq(world.events, "progress 1 second\nprogress 50 half\n"
                                   "progress 60 row 60\n");
}
END_TEST

// ---- TURN-6 and what is drawn ------------------------------------------------------

static enum mica_status
draw(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;
    int64_t begun = mica_now(call);
    uint64_t bits = mica_random(call), more = mica_random(call);
    bool has = mica_client_has(call, MICA_SAMPLING);
    char line[128];

    (void)in;
    snprintf(line, sizeof line, "%lld %llx %llx %d", (long long)begun,
             (unsigned long long)bits, (unsigned long long)more, has);
    note(line);
    ck_assert(bits != more);
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick), "a?"));
    ck_assert(mica_client_has(call, MICA_SAMPLING) == has);
    ck_assert(mica_now(call) > begun);
    out->sum = has ? 1 : 0;
    return MICA_OK;
}
MICA_TOOL(draw, mica_nothing, sum, draw, .description = "Draws.");

START_TEST(time_chance_and_capabilities_are_the_same_each_turn)
{
    char first[sizeof world.seen];

    world_init();
    turn(&mica_tool_draw, NULL);
    strcpy(first, world.seen);
    world.seen[0] = '\0';
    world.client = MICA_ELICITATION; // sampling was possible before
    turn(&mica_tool_draw, "{\"pick\":" ACCEPT("{\"n\":1}") "}");
    must_end("{\"sum\":1}");
    ck_assert_str_eq(world.seen, first);
    world_init();
    world.client = MICA_ELICITATION;
    turn(&mica_tool_draw, NULL);
    world.client |= MICA_SAMPLING;
    turn(&mica_tool_draw, "{\"pick\":" ACCEPT("{\"n\":1}") "}");
    must_end("{\"sum\":0}");
}
END_TEST

START_TEST(t6_the_same_journal_comes_to_the_same_turn)
{
    char *before, *after;
    size_t len;

    world_init();
    turn(&mica_tool_draw, NULL);
    before = malloc(world.kept_len);
    len = world.kept_len;
    memcpy(before, world.kept, len);
    for (int i = 0; i < 3; i++) {
        turn(&mica_tool_draw, NULL);
        must_ask("pick");
        after = world.kept;
        ck_assert_uint_eq(world.kept_len, len);
        ck_assert_mem_eq(after, before, len);
    }
    free(before);
}
END_TEST

// ---- Asks that come to nothing -------------------------------------------------------

static enum mica_status last_status;

static enum mica_status
one_ask(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;

    (void)in;
    last_status = mica_elicit(call, MICA_FORM(pick, &pick), "n?");
    MICA_TRY(last_status);
    out->sum = pick.n;
    return MICA_OK;
}
MICA_TOOL(one_ask, mica_nothing, sum, one_ask, .description = "Asks.",
          .limit_ms = 5000);

START_TEST(uncaught_ends_have_their_codes)
{
    static const struct {
        const char *answer;
        enum mica_status status;
        const char *words;
    } cases[] = {
        {"{\"pick\":{\"action\":\"decline\"}}", MICA_E_DECLINED,
         "ELICITATION_DECLINED"},
        {"{\"pick\":{\"action\":\"cancel\"}}", MICA_E_DISMISSED,
         "ELICITATION_CANCELLED"},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        world_init();
        turn(&mica_tool_one_ask, NULL);
        ck_assert_int_eq(world.turn.asked->due, 1700000001000 + 5000);
        turn(&mica_tool_one_ask, cases[i].answer);
        ck_assert_int_eq(last_status, cases[i].status);
        must_fail(cases[i].status, cases[i].words);
    }
}
END_TEST

START_TEST(a_client_that_cannot_be_asked_is_not_and_that_is_recorded)
{
    world_init();
    world.client = MICA_SAMPLING;
    turn(&mica_tool_one_ask, NULL);
    must_fail(MICA_E_CAPABILITY, "CAPABILITY_MISSING");
    must_fail(MICA_E_CAPABILITY, "elicitation");
    ck_assert_uint_eq(world.turn.missing, MICA_ELICITATION);
    // It stays so, should the client have it in a later round.
    world.client = MICA_ELICITATION;
    turn(&mica_tool_one_ask, NULL);
    must_fail(MICA_E_CAPABILITY, "CAPABILITY_MISSING");
    ck_assert_uint_eq(world.turn.missing, MICA_ELICITATION);
}
END_TEST

// One ask whose answer is this error.
static void
answer_with_error(const char *errorz)
{
    struct mica_error error;
    struct mica_entry answer = {.kind = MICA_ENTRY_ANSWER,
                                .status = MICA_E_CLIENT,
                                .data = mica_text(errorz)};

    world_init();
    turn(&mica_tool_one_ask, NULL);
    turn_open(&mica_tool_one_ask);
    ck_assert_int_eq(mica_journal_add(&world.journal, &answer, &error),
                     MICA_OK);
    turn_go(&mica_tool_one_ask, "{}");
}

START_TEST(an_error_of_the_client_is_told)
{
    answer_with_error("{\"code\":-32603,\"message\":\"no screen\"}");
    must_fail(MICA_E_CLIENT, "\"code\":\"CLIENT_ERROR\"");
    must_fail(MICA_E_CLIENT, "with an error: no screen\"");
}
END_TEST

// As bridges do that pass the capabilities of a client on, and not the questions.
START_TEST(a_client_that_lacks_the_method_it_declared_is_told_so)
{
    answer_with_error("{\"code\":-32601,\"message\":\"Method not found\"}");
    must_fail(MICA_E_CLIENT,
              "with an error: Method not found. It declared "
              "elicitation and does not serve elicitation/create");
    must_fail(MICA_E_CLIENT, "connect the client directly");
}
END_TEST

START_TEST(an_ending_call_gets_its_end_from_every_ask)
{
    static const enum mica_status ends[] = {MICA_E_TIMEOUT, MICA_E_DISCONNECTED,
                                            MICA_E_CANCELLED};

    for (size_t i = 0; i < MICA_COUNT(ends); i++) {
        world_init();
        turn(&mica_tool_one_ask, NULL);
        turn_open(&mica_tool_one_ask);
        world.turn.ending = ends[i];
        turn_go(&mica_tool_one_ask, "{}");
        must_fail(ends[i], mica_status_code(ends[i]));
        // Also when it had asked nothing yet.
        world_init();
        turn_open(&mica_tool_one_ask);
        world.turn.ending = ends[i];
        turn_go(&mica_tool_one_ask, "{}");
        must_fail(ends[i], mica_status_code(ends[i]));
    }
}
END_TEST

static enum mica_status
persistent(struct mica_call *call, const struct mica_nothing *in,
           struct sum *out)
{
    struct pick pick;
    enum mica_status status;

    (void)in;
    for (int i = 0; i < 3; i++) {
        status = mica_elicit(call, MICA_FORM(pick, &pick), "n?");
        if (status == MICA_OK)
            break;
        out->sum++;
    }
    return MICA_OK;
}
MICA_TOOL(persistent, mica_nothing, sum, persistent, .description = "Insists.");

START_TEST(after_a_timeout_further_asks_time_out_at_once_and_again)
{
    world_init();
    turn(&mica_tool_persistent, NULL);
    turn_open(&mica_tool_persistent);
    ck_assert_int_eq(
        mica_journal_close_asks(&world.journal, 0, MICA_E_TIMEOUT, NULL),
        MICA_OK);
    turn_go(&mica_tool_persistent, "{}");
    must_end("{\"sum\":3}");
    turn(&mica_tool_persistent, NULL);
    must_end("{\"sum\":3}");
}
END_TEST

static enum mica_status
endless(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;
    enum mica_status status;

    (void)in, (void)out;
    do {
        status = mica_elicit(call, MICA_FORM(pick, &pick), "n?");
    } while (status == MICA_E_TIMEOUT);
    return status;
}
MICA_TOOL(endless, mica_nothing, sum, endless, .description = "Never stops.");

START_TEST(j6_a_handler_that_never_stops_asking_fills_its_journal)
{
    world_init();
    world.memory = 64 << 20;
    turn_open(&mica_tool_endless);
    world.turn.ending = MICA_E_TIMEOUT;
    turn_go(&mica_tool_endless, "{}");
    must_fail(MICA_E_LIMIT, "the journal of the call is full");
}
END_TEST

START_TEST(a_call_without_a_turn_has_nobody_to_ask)
{
    struct mica_runnable runnable = world_runnable(&mica_tool_one_ask);

    world_init();
    mica_arena_init(&world.arena, 1 << 20);
    mica_call_init(&world.call, &world.arena);
    runnable.run(&runnable, &world.call, MICA_LITERAL("{}"));
    must_fail(MICA_E_CAPABILITY, "CAPABILITY_MISSING");
    must_fail(MICA_E_CAPABILITY, "fetch, keep");
    must_fail(MICA_E_CAPABILITY, "not in a batch");
}
END_TEST

UNIT_MAIN("turn", a_handler_asks_twice_and_ends,
          a_round_without_the_answer_asks_again,
          a_call_that_has_ended_is_replayed_to_the_same_end,
          answers_may_come_before_they_are_asked_for,
          a_first_turn_may_have_some_of_the_answers,
          t1_a_handler_that_does_not_unwind_is_suspended_all_the_same,
          t1_a_default_that_means_cancelled_does_not_end_the_call,
          t1_ok_after_suspension_is_no_end,
          memory_that_runs_out_ends_the_call_also_after_suspension,
          t2_another_question_ends_the_call_with_both_in_the_message,
          t2_another_form_is_another_question,
          t2_an_end_before_what_was_asked_is_another_way,
          t2_other_words_are_the_same_question, t2_divergence_cannot_be_caught,
          t4_each_event_is_told_once_and_numbers_rise,
          t4_what_nobody_listened_to_has_passed,
          time_chance_and_capabilities_are_the_same_each_turn,
          t6_the_same_journal_comes_to_the_same_turn,
          uncaught_ends_have_their_codes,
          a_client_that_cannot_be_asked_is_not_and_that_is_recorded,
          an_error_of_the_client_is_told,
          a_client_that_lacks_the_method_it_declared_is_told_so,
          an_ending_call_gets_its_end_from_every_ask,
          after_a_timeout_further_asks_time_out_at_once_and_again,
          j6_a_handler_that_never_stops_asking_fills_its_journal,
          a_call_without_a_turn_has_nobody_to_ask)
