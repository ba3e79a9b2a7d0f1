// SPDX-License-Identifier: Apache-2.0
//
// The testing kit: that it runs calls as they are, and above all that it fails
// when it has to.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mica/test.h>

#include "unit.h"

// ---- What the kit says of a failure -----------------------------------------------

static char said[16384];
static unsigned lines;

static void
take_failure(const char *file, int line, const char *messagez)
{
    ck_assert_ptr_nonnull(strstr(file, "test_kit.c"));
    ck_assert_int_gt(line, 0);
    lines++;
    strncat(said, messagez, sizeof said - strlen(said) - 2);
    strncat(said, "\n", sizeof said - strlen(said) - 1);
}

static struct mica_mock *
open_mock(void)
{
    said[0] = '\0';
    lines = 0;
    mica_test_on_failure(take_failure);
    return mica_mock_open();
}

// Fails unless the kit has failed `count` times, with these words among others.
static void
must_have_failed(unsigned count, const char *words)
{
    ck_assert_msg(strstr(said, words) != NULL, "\"%s\" is not in: %s", words,
                  said);
    ck_assert_msg(lines == count, "%u failures: %s", lines, said);
    said[0] = '\0';
    lines = 0;
}

static void
must_be_well(void)
{
    ck_assert_msg(lines == 0, "%s", said);
}

// ---- A tool that asks in each way --------------------------------------------------

struct pick {
    int64_t n;
};
MICA_RECORD(pick, MICA_INTEGER(n, "How many.", .minimum = 1, .maximum = 9));

struct sum {
    int64_t sum;
};
MICA_RECORD(sum, MICA_INTEGER(sum, "The sum."));

static enum mica_status
ask_all(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct mica_roots roots;
    struct mica_text words;
    struct pick pick;

    (void)in;
    mica_log(call, MICA_LOG_WARNING, "begins");
    mica_notify(call, "asking");
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick), "How many?"));
    mica_progress(call, 2, 4, "picked %d", (int)pick.n);
    MICA_TRY(mica_sample(
        call, &(struct mica_sampling){.prompt = MICA_LITERAL("Say something.")},
        &words));
    MICA_TRY(mica_roots(call, &roots));
    MICA_TRY(mica_elicit_url(
        call, &(struct mica_page){.url = "https://example.org/pay"}, "Pay."));
    out->sum = pick.n + (int64_t)roots.count + (int64_t)words.len;
    return MICA_OK;
}
MICA_TOOL(ask_all, mica_nothing, sum, ask_all, .description = "Asks.");

static void
answer_all(struct mica_mock *mock)
{
    mica_mock_accept(mock, "pick", "{\"n\": 3}");
    mica_mock_say(mock, "sample", "hello");
    mica_mock_roots(mock,
                    "[{\"uri\": \"file:///a\"}, {\"uri\": \"file:///b\"}]");
    mica_mock_accept(mock, "page", NULL);
}

START_TEST(a_call_is_run_to_its_end)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome;

    answer_all(mock);
    outcome = mica_run_tool(&mica_tool_ask_all, "{}", mock);
    MICA_EXPECT_RESULT(outcome, "{\"sum\": 10}");
    MICA_EXPECT_ASKED(outcome, "pick sample roots page");
    MICA_EXPECT_MESSAGE(outcome, "pick", "How many?");
    MICA_EXPECT_PARAM(outcome, "page", "/url", "\"https://example.org/pay\"");
    MICA_EXPECT_LOGS(outcome, "warning: begins");
    MICA_EXPECT_PROGRESS(outcome, "1 asking\n2/4 picked 3");
    MICA_EXPECT_INT_EQ(outcome->turns, 5);
    must_be_well();
    // The script is read from its beginning.
    outcome = mica_run_tool(&mica_tool_ask_all, "{}", mock);
    MICA_EXPECT_OK(outcome);
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

START_TEST(expectations_say_both_values)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome;

    answer_all(mock);
    outcome = mica_run_tool(&mica_tool_ask_all, "{}", mock);
    ck_assert(!MICA_EXPECT_RESULT(outcome, "{\"sum\": 11}"));
    must_have_failed(1, "{\"sum\":10}, expected {\"sum\": 11}");
    ck_assert(!MICA_EXPECT_ASKED(outcome, "pick"));
    must_have_failed(1, "\"pick sample roots page\", expected \"pick\"");
    ck_assert(!MICA_EXPECT_MESSAGE(outcome, "pick", "Who?"));
    must_have_failed(1, "\"How many?\", expected \"Who?\"");
    ck_assert(!MICA_EXPECT_MESSAGE(outcome, "pic", "Who?"));
    must_have_failed(1, "has not asked \"pic\"");
    ck_assert(!MICA_EXPECT_PARAM(outcome, "page", "/url", "1"));
    must_have_failed(1, "/url of \"page\" is \"https://example.org/pay\"");
    ck_assert(!MICA_EXPECT_PARAM(outcome, "page", "/none", "1"));
    must_have_failed(1, "nothing, expected 1");
    ck_assert(!MICA_EXPECT_LOGS(outcome, ""));
    must_have_failed(1, "\"warning: begins\", expected \"\"");
    ck_assert(!MICA_EXPECT_PROGRESS(outcome, ""));
    must_have_failed(1, "2/4 picked 3");
    ck_assert(!MICA_EXPECT_FAILS(outcome, "TIMEOUT"));
    must_have_failed(1, "ended with OK");
    ck_assert(!MICA_EXPECT_SAYS(outcome, "hello"));
    must_have_failed(1, "expected \"hello\"");
    ck_assert(!MICA_EXPECT(lines == 7));
    must_have_failed(1, "this is not so: lines == 7");
    ck_assert(!MICA_EXPECT_INT_EQ(1 + 1, 3));
    must_have_failed(1, "1 + 1 is 2, expected 3");
    mica_mock_close(mock);
}
END_TEST

// ---- Scripts that do not fit ---------------------------------------------------------

START_TEST(an_answer_that_is_missing_fails)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome =
        mica_run_tool(&mica_tool_ask_all, "{}", mock);

    must_have_failed(1, "the script has no answer to \"pick\" "
                        "(elicitation/create): How many?");
    MICA_EXPECT_FAILS(outcome, "DISCONNECTED");
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

START_TEST(an_answer_that_is_not_used_fails)
{
    struct mica_mock *mock = open_mock();

    answer_all(mock);
    mica_mock_decline(mock, "other");
    mica_run_tool(&mica_tool_ask_all, "{}", mock);
    must_have_failed(1, "this answer to \"other\" was not used; the tool "
                        "asked: pick, sample, roots, page");
    mica_mock_close(mock);
}
END_TEST

START_TEST(words_are_no_answer_to_a_form)
{
    struct mica_mock *mock = open_mock();

    mica_mock_say(mock, "pick", "three");
    mica_run_tool(&mica_tool_ask_all, "{}", mock);
    must_have_failed(2, "has no answer to \"pick\"");
    mica_mock_close(mock);
}
END_TEST

START_TEST(an_answer_that_is_no_json_fails_where_it_stands)
{
    struct mica_mock *mock = open_mock();

    mica_mock_accept(mock, "pick", "{n: 3}");
    must_have_failed(1, "this answer is no JSON");
    mica_mock_close(mock);
}
END_TEST

// ---- What clients do -----------------------------------------------------------------

// The call ends with this code when that is the answer to its first question.
static void
ends_with(enum mica_mock_kind kind, const char *text, const char *code)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome;

    mica_test_answer(MICA_HERE_, mock, kind, NULL, text);
    outcome = mica_run_tool(&mica_tool_ask_all, "{}", mock);
    MICA_EXPECT_FAILS(outcome, code);
    MICA_EXPECT_ASKED(outcome, "pick");
    must_be_well();
    mica_mock_close(mock);
}

START_TEST(a_client_ends_a_call_in_each_way)
{
    ends_with(MICA_MOCK_DECLINE, NULL, "ELICITATION_DECLINED");
    ends_with(MICA_MOCK_DISMISS, NULL, "ELICITATION_CANCELLED");
    ends_with(MICA_MOCK_ERROR, "no screen", "CLIENT_ERROR");
    ends_with(MICA_MOCK_SILENT, NULL, "TIMEOUT");
    ends_with(MICA_MOCK_DISCONNECT, NULL, "DISCONNECTED");
    ends_with(MICA_MOCK_CANCEL, NULL, "CANCELLED");
}
END_TEST

START_TEST(an_invalid_answer_is_asked_for_again)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome;

    mica_mock_accept(mock, "pick", "{\"n\": 30}");
    mica_mock_raw(mock, "pick", "{\"nonsense\": true}");
    answer_all(mock);
    outcome = mica_run_tool(&mica_tool_ask_all, "{}", mock);
    MICA_EXPECT_ASKED(outcome, "pick pick#2 pick#3 sample roots page");
    MICA_EXPECT_MESSAGE(outcome, "pick#2", "not accepted: \"n\" ");
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

MICA_TOOL(needy, mica_nothing, sum, ask_all, .description = "Asks.",
          .requires = MICA_ELICITATION | MICA_SAMPLING | MICA_ROOTS);

START_TEST(what_a_tool_lacks_is_named)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome;

    mica_mock_declare(mock, MICA_ELICITATION);
    outcome = mica_run_tool(&mica_tool_needy, "{}", mock);
    MICA_EXPECT_FAILS(outcome, "CAPABILITY_MISSING");
    UNIT_TEXT_EQ(outcome->message,
                 "this tool needs a client with the capabilities "
                 "[\"sampling\",\"roots\"], which this one has not declared "
                 "(mica_mock_declare)");
    mica_mock_close(mock);
}
END_TEST

START_TEST(a_client_that_declares_nothing_is_not_asked)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome;

    mica_mock_declare(mock, MICA_ELICITATION);
    mica_mock_accept(mock, "pick", "{\"n\": 3}");
    outcome = mica_run_tool(&mica_tool_ask_all, "{}", mock);
    MICA_EXPECT_FAILS(outcome, "CAPABILITY_MISSING");
    MICA_EXPECT_ASKED(outcome, "pick");
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

static enum mica_status
two_at_once(struct mica_call *call, const struct mica_nothing *in,
            struct sum *out)
{
    struct pick a, b;
    struct mica_form first = {
        .record = &mica_record_pick, .out = &a, .key = "a"};
    struct mica_form second = {
        .record = &mica_record_pick, .out = &b, .key = "b"};
    const struct mica_ask asks[] = {{.form = &first}, {.form = &second}};

    (void)in;
    MICA_TRY(mica_ask_all(call, asks, 2));
    out->sum = a.n + b.n;
    return MICA_OK;
}
MICA_TOOL(two_at_once, mica_nothing, sum, two_at_once,
          .description = "Asks twice.");

START_TEST(a_round_is_answered_at_once_or_one_by_one)
{
    static const enum mica_era eras[] = {
        MICA_ERA_2026_07_28, MICA_ERA_2025_11_25, MICA_ERA_2025_06_18};

    for (size_t i = 0; i < MICA_COUNT(eras); i++) {
        struct mica_mock *mock = open_mock();
        const struct mica_outcome *outcome;

        mica_mock_era(mock, eras[i]);
        mica_mock_accept(mock, "b", "{\"n\": 4}");
        mica_mock_accept(mock, "a", "{\"n\": 3}");
        outcome = mica_run_tool(&mica_tool_two_at_once, "{}", mock);
        MICA_EXPECT_RESULT(outcome, "{\"sum\": 7}");
        MICA_EXPECT_INT_EQ(outcome->turns, i == 0 ? 2 : 3);
        must_be_well();
        mica_mock_close(mock);
    }
}
END_TEST

// ---- Time and chance -------------------------------------------------------------------

static enum mica_status
draw(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;
    int64_t begin = mica_now(call);
    uint64_t bits = mica_random(call);

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick), "How many?"));
    mica_log(call, MICA_LOG_INFO, "%llu %llu", (unsigned long long)bits,
             (unsigned long long)mica_random(call));
    out->sum = mica_now(call) - begin;
    return MICA_OK;
}
MICA_TOOL(draw, mica_nothing, sum, draw, .description = "Draws.");

START_TEST(time_and_chance_are_the_same_each_time)
{
    char first[128] = "";

    for (int i = 0; i < 3; i++) {
        struct mica_mock *mock = open_mock();
        const struct mica_outcome *outcome;

        if (i == 2)
            mica_mock_seed(mock, 7);
        mica_mock_accept(mock, NULL, "{\"n\": 1}");
        outcome = mica_run_tool(&mica_tool_draw, "{}", mock);
        MICA_EXPECT_RESULT(outcome, "{\"sum\": 1000}");
        ck_assert_uint_eq(outcome->log_count, 1);
        if (i == 0)
            strncpy(first, outcome->logs[0].message.ptr, sizeof first - 1);
        ck_assert_int_eq(strcmp(first, outcome->logs[0].message.ptr) == 0,
                         i < 2);
        must_be_well();
        mica_mock_close(mock);
    }
}
END_TEST

// ---- Replays ---------------------------------------------------------------------------

// A step as it should be, and one that forgets its key.
static struct mica_mock *bank;
static unsigned paid;

static enum mica_status
pay(struct mica_server_call *call, const struct pick *in, struct sum *out)
{
    void *account = mica_service(call, "bank");

    ck_assert_ptr_eq(account, &paid);
    mica_mock_effect(bank, mica_idempotency_key(call));
    paid++;
    out->sum = in->n * 10;
    return MICA_OK;
}
MICA_STEP(pay, pick, sum, pay);

static enum mica_status
careful(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick a, b;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &a), "How many?"));
    MICA_TRY(MICA_RUN_STEP(pay, call, &a, out));
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &b), "And, after %d?",
                         (int)out->sum));
    return MICA_RUN_STEP(pay, call, &b, out);
}
MICA_TOOL(careful, mica_nothing, sum, careful, .description = "Pays.",
          .steps = MICA_STEPS("pay"));

static void
answer_twice(struct mica_mock *mock)
{
    mica_mock_accept(mock, "pick", "{\"n\": 3}");
    mica_mock_accept(mock, "pick", "{\"n\": 4}");
}

START_TEST(a_replay_cuts_the_call_off_at_every_moment)
{
    struct mica_mock *mock = bank = open_mock();
    const struct mica_outcome *outcome;

    paid = 0;
    mica_mock_service(mock, "bank", &paid);
    answer_twice(mock);
    outcome = mica_replay_tool(&mica_tool_careful, "{}", mock, NULL);
    must_be_well();
    MICA_EXPECT_RESULT(outcome, "{\"sum\": 40}");
    MICA_EXPECT_INT_EQ(mica_mock_effects(mock), 2);
    must_be_well();
    // Twice in the first run; in eleven others, one for each commit before and
    // behind (of an answer and of what was paid on it) and for each turn's end;
    // and once more for each that was cut off before its commit. Where no client
    // comes back: before the first commit and the third nothing more is paid,
    // before the second and the fourth it is paid again.
    ck_assert_uint_eq(paid, 2 + 11 * 2 + 2 + (0 + 2 + 1 + 3));
    mica_mock_close(mock);
}
END_TEST

// What it does outside of a step is done again each turn.
static unsigned outside;

static enum mica_status
careless(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick), "How many?"));
    out->sum = ++outside;
    return MICA_RUN_STEP(pay, call, &pick, &(struct sum){0});
}
MICA_TOOL(careless, mica_nothing, sum, careless, .description = "Counts.",
          .steps = MICA_STEPS("pay"));

static void
forget(struct mica_mock *mock, void *data)
{
    (void)mock, (void)data;
    outside = 0;
}

START_TEST(a_replay_finds_what_happens_twice)
{
    const struct mica_replay replay = {.begin = forget};
    struct mica_mock *mock = bank = open_mock();

    mica_mock_service(mock, "bank", &paid);
    mica_mock_accept(mock, "pick", "{\"n\": 3}");
    mica_replay_tool(&mica_tool_careless, "{}", mock, &replay);
    must_have_failed(1, "before commit 1: the result became \"{\"sum\":2}\", "
                        "where it was \"{\"sum\":1}\"");
    mica_mock_close(mock);
}
END_TEST

static unsigned begun, paid_before;

static void
count_begun(struct mica_mock *mock, void *data)
{
    (void)mock, (void)data;
    begun++;
    paid_before = paid;
}

// In its seventh run, where it continues without its client, it does not reach
// what it has paid.
static enum mica_status
forgetful(struct mica_call *call, const struct mica_nothing *in,
          struct sum *out)
{
    struct pick pick;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick), "How many?"));
    if (begun == 7 && paid > paid_before)
        return MICA_OK;
    return MICA_RUN_STEP(pay, call, &pick, out);
}
MICA_TOOL(forgetful, mica_nothing, sum, forgetful, .description = "Forgets.",
          .steps = MICA_STEPS("pay"));

START_TEST(a_replay_finds_an_effect_that_nobody_knows_of_at_the_end)
{
    const struct mica_replay replay = {.begin = count_begun};
    struct mica_mock *mock = bank = open_mock();

    begun = 0;
    mica_mock_service(mock, "bank", &paid);
    mica_mock_accept(mock, "pick", "{\"n\": 3}");
    mica_replay_tool(&mica_tool_forgetful, "{}", mock, &replay);
    must_have_failed(1, "before commit 2: the client is gone, and the call has "
                        "ended with OK, without what came of its effect "
                        "\"call-1/pay\"");
    mica_mock_close(mock);
}
END_TEST

static unsigned ran;

// Asks for something else each time.
static enum mica_status
fickle(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;
    struct mica_form form = {.record = &mica_record_pick,
                             .out = &pick,
                             .key = ran++ % 2 == 0 ? "even" : "odd"};

    (void)in, (void)out;
    return mica_elicit(call, &form, "How many?");
}
MICA_TOOL(fickle, mica_nothing, sum, fickle, .description = "Varies.");

START_TEST(a_replay_finds_a_handler_that_asks_something_else)
{
    struct mica_mock *mock = open_mock();

    ran = 0;
    mica_mock_accept(mock, "even", "{\"n\": 3}");
    mica_replay_tool(&mica_tool_fickle, "{}", mock, NULL);
    must_have_failed(2, "REPLAY_DIVERGED");
    mica_mock_close(mock);
}
END_TEST

// ---- Services that a tool brings ---------------------------------------------------------

static unsigned opened;

static enum mica_status
open_shelf(const char *folder, struct mica_error *error, void **service_out)
{
    (void)error;
    ck_assert_int_eq(access(folder, W_OK), 0);
    ck_assert_ptr_nonnull(strstr(folder, "/shelf"));
    opened++;
    *service_out = &opened;
    return MICA_OK;
}

static void
close_shelf(void *service)
{
    ck_assert_ptr_eq(service, &opened);
    opened--;
}

static const struct mica_service_definition shelf_service = {
    .name = "shelf", .open = open_shelf, .close = close_shelf};

static enum mica_status
look(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    const unsigned *shelf = mica_service(call, "shelf");

    (void)in;
    out->sum = *shelf;
    return MICA_OK;
}
MICA_TOOL(look, mica_nothing, sum, look, .description = "Looks.",
          .services = MICA_SERVICES(&shelf_service));

START_TEST(a_service_is_opened_in_a_folder_or_replaced)
{
    struct mica_mock *mock = open_mock();
    char folder[4096];
    unsigned other = 42;

    MICA_EXPECT_RESULT(mica_run_tool(&mica_tool_look, "{}", mock),
                       "{\"sum\": 1}");
    ck_assert_ptr_eq(mica_mock_find_service(mock, "shelf"), &opened);
    strncpy(folder, mica_mock_folder(mock), sizeof folder - 1);
    folder[sizeof folder - 1] = '\0';
    mica_mock_service(mock, "shelf", &other);
    ck_assert_uint_eq(opened, 0);
    MICA_EXPECT_RESULT(mica_run_tool(&mica_tool_look, "{}", mock),
                       "{\"sum\": 42}");
    must_be_well();
    mica_mock_close(mock);
    ck_assert_uint_eq(opened, 0);
    ck_assert_int_ne(access(folder, F_OK), 0);
}
END_TEST

// ---- Other tools -------------------------------------------------------------------------

static enum mica_status
outer(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    (void)in;
    return mica_invoke(call, "two_at_once", (struct mica_from){NULL, NULL},
                       MICA_INTO(sum, out));
}
MICA_TOOL(outer, mica_nothing, sum, outer, .description = "Invokes.");

START_TEST(tools_may_invoke_each_other)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome;

    mica_mock_tool(mock, &mica_tool_two_at_once);
    mica_mock_accept(mock, NULL, "{\"n\": 1}");
    mica_mock_accept(mock, NULL, "{\"n\": 2}");
    outcome = mica_replay_tool(&mica_tool_outer, "{}", mock, NULL);
    MICA_EXPECT_RESULT(outcome, "{\"sum\": 3}");
    MICA_EXPECT_ASKED(outcome, "two_at_once/a two_at_once/b");
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

static enum mica_status
errand(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    (void)in;
    return mica_invoke(call, "careful", (struct mica_from){NULL, NULL},
                       MICA_INTO(sum, out));
}
MICA_TOOL(errand, mica_nothing, sum, errand, .description = "Has it paid.");

// As a server keeps it from the first tool on that has effects.
START_TEST(a_call_is_cut_off_inside_the_steps_of_a_tool_that_it_invokes)
{
    struct mica_mock *mock = bank = open_mock();
    const struct mica_outcome *outcome;

    paid = 0;
    mica_mock_service(mock, "bank", &paid);
    mica_mock_tool(mock, &mica_tool_careful);
    mica_mock_accept(mock, NULL, "{\"n\": 3}");
    mica_mock_accept(mock, NULL, "{\"n\": 4}");
    outcome = mica_replay_tool(&mica_tool_errand, "{}", mock, NULL);
    must_be_well();
    MICA_EXPECT_RESULT(outcome, "{\"sum\": 40}");
    MICA_EXPECT_INT_EQ(mica_mock_effects(mock), 2);
    must_be_well();
    ck_assert_uint_eq(paid, 2 + 11 * 2 + 2 + (0 + 2 + 1 + 3));
    mica_mock_close(mock);
}
END_TEST

// ---- Saved journals ------------------------------------------------------------------------

static bool changed; // the handler is that of a newer version

static enum mica_status
versions(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick a, b = {0};

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &a), "How many?"));
    if (changed)
        MICA_TRY(mica_elicit(call, MICA_FORM(pick, &b), "More?"));
    out->sum = a.n + b.n;
    return MICA_OK;
}
MICA_TOOL(versions, mica_nothing, sum, versions, .description = "Changes.");

START_TEST(a_saved_journal_is_replayed_by_newer_code)
{
    char path[64] = "/tmp/mica-kit-XXXXXX";
    struct mica_mock *mock = open_mock();
    int file = mkstemp(path);

    ck_assert_int_ge(file, 0);
    close(file);
    changed = false;
    mica_mock_accept(mock, "pick", "{\"n\": 3}");
    mica_run_tool(&mica_tool_versions, "{}", mock);
    setenv("MICA_TEST_WRITE", "1", 1);
    ck_assert(mica_golden(mock, path));
    unsetenv("MICA_TEST_WRITE");
    ck_assert(mica_golden(mock, path));
    must_be_well();
    changed = true;
    ck_assert(!mica_golden(mock, path));
    must_have_failed(1, "REPLAY_DIVERGED");
    unlink(path);
    ck_assert(!mica_golden(mock, path));
    must_have_failed(1, "MICA_TEST_WRITE=1");
    mica_mock_close(mock);
}
END_TEST

// A project that was cloned may have brought links.
START_TEST(a_golden_journal_is_written_through_no_link)
{
    char folder[] = "/tmp/mica-kit-XXXXXX", here[PATH_MAX], text[8];
    struct mica_mock *mock = open_mock();
    FILE *file;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir("out", 0755) + mkdir("in", 0755), 0);
    ck_assert_int_eq(chdir("in"), 0);
    file = fopen("../out/victim", "w");
    ck_assert(file != NULL && fputs("own", file) >= 0 && fclose(file) == 0);
    ck_assert_int_eq(symlink("../out/victim", "link.json"), 0);
    ck_assert_int_eq(symlink("../out", "folder"), 0);
    mica_mock_accept(mock, "pick", "{\"n\": 3}");
    mica_run_tool(&mica_tool_versions, "{}", mock);
    setenv("MICA_TEST_WRITE", "1", 1);
    ck_assert(mica_golden(mock, "link.json"));
    must_be_well();
    ck_assert(!mica_golden(mock, "folder/new.json"));
    must_have_failed(1, "leads out of the project");
    unsetenv("MICA_TEST_WRITE");
    ck_assert(mica_golden(mock, "link.json"));
    file = fopen("../out/victim", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    ck_assert_str_eq(text, "own");
    (void)fclose(file);
    ck_assert_int_ne(access("../out/new.json", F_OK), 0);
    ck_assert_int_eq(unlink("link.json") + unlink("folder") +
                         unlink("../out/victim") + rmdir("../out"),
                     0);
    ck_assert_int_eq(chdir("..") + rmdir("in") + chdir(here), 0);
    ck_assert_int_eq(rmdir(folder), 0);
    mica_mock_close(mock);
}
END_TEST

// ---- A tool that no server would offer -------------------------------------------------------

MICA_TOOL(bad, mica_nothing, sum, versions, .title = "Bad");

START_TEST(a_tool_that_no_server_would_offer_fails)
{
    struct mica_mock *mock = open_mock();

    mica_run_tool(&mica_tool_bad, "{}", mock);
    must_have_failed(1, "no server would offer this tool");
    mica_mock_close(mock);
}
END_TEST

UNIT_MAIN("kit", a_call_is_run_to_its_end, expectations_say_both_values,
          an_answer_that_is_missing_fails, an_answer_that_is_not_used_fails,
          words_are_no_answer_to_a_form,
          an_answer_that_is_no_json_fails_where_it_stands,
          a_client_ends_a_call_in_each_way,
          an_invalid_answer_is_asked_for_again, what_a_tool_lacks_is_named,
          a_client_that_declares_nothing_is_not_asked,
          a_round_is_answered_at_once_or_one_by_one,
          time_and_chance_are_the_same_each_time,
          a_replay_cuts_the_call_off_at_every_moment,
          a_replay_finds_what_happens_twice,
          a_replay_finds_an_effect_that_nobody_knows_of_at_the_end,
          a_replay_finds_a_handler_that_asks_something_else,
          a_service_is_opened_in_a_folder_or_replaced,
          tools_may_invoke_each_other,
          a_call_is_cut_off_inside_the_steps_of_a_tool_that_it_invokes,
          a_saved_journal_is_replayed_by_newer_code,
          a_golden_journal_is_written_through_no_link,
          a_tool_that_no_server_would_offer_fails)
