// SPDX-License-Identifier: Apache-2.0
//
// Effects: steps and phases that run once, and what makes them durable.
#include "test_turn.h"

struct order {
    struct mica_text item;
};
MICA_RECORD(order, MICA_TEXT(item, "What."));

struct receipt {
    struct mica_text id;
    double price;
};
MICA_RECORD(receipt, MICA_TEXT(id, "Its id."),
            MICA_NUMBER(price, "In euros.", .maximum = 1000));

struct sure {
    bool yes;
};
MICA_RECORD(sure, MICA_BOOLEAN(yes, "Really?"));

#define YES "{\"action\":\"accept\",\"content\":{\"yes\":true}}"

static bool must_fail_step, must_forget, must_break;
static double price = 12.5;

// ---- Steps ---------------------------------------------------------------------------

static enum mica_status
charge(struct mica_server_call *call, const struct order *in,
       struct receipt *out)
{
    note(mica_format(call, "charge %.*s %.*s", MICA_ARG(in->item),
                     MICA_ARG(mica_idempotency_key(call)))
             .ptr);
    mica_log(call, MICA_LOG_INFO, "charging");
    if (must_fail_step)
        return mica_fail(call, "CARD_REFUSED", "item", "no money for \"%.*s\"",
                         MICA_ARG(in->item));
    if (must_forget)
        (void)mica_fail(call, "FORGOTTEN", "", "was not returned");
    out->id = mica_format(call, "r-%.*s", MICA_ARG(in->item));
    out->price = must_break ? 5000 : price;
    return MICA_OK;
}
MICA_STEP(charge, order, receipt, charge);

static enum mica_status
buy(struct mica_call *call, const struct mica_nothing *in, struct receipt *out)
{
    struct order book = {MICA_LITERAL("book")}, pen = {MICA_LITERAL("pen")};
    struct sure sure;
    struct receipt first;

    (void)in;
    MICA_TRY(MICA_RUN_STEP(charge, call, &book, &first));
    MICA_TRY(mica_elicit(call, MICA_FORM(sure, &sure), "A pen, too?"));
    MICA_TRY(MICA_RUN_STEP(charge, call, &pen, out));
    out->price += first.price;
    return MICA_OK;
}
MICA_TOOL(buy, mica_nothing, receipt, buy, .description = "Buys.",
          .steps = MICA_STEPS("charge"));

static void
setup(void)
{
    world_init();
    must_fail_step = must_forget = must_break = false;
}

START_TEST(a_step_runs_once_and_its_key_is_its_own)
{
    setup();
    turn(&mica_tool_buy, NULL);
    must_ask("sure");
    turn(&mica_tool_buy, NULL);
    turn(&mica_tool_buy, "{\"sure\":" YES "}");
    must_end("{\"id\":\"r-pen\",\"price\":25}");
    turn(&mica_tool_buy, NULL);
    must_end("{\"id\":\"r-pen\",\"price\":25}");
    ck_assert_str_eq(world.seen, "charge book C1/charge\n"
                                 "charge pen C1/charge#2\n");
    ck_assert_str_eq(world.events, "log charging\nlog charging\n");
    ck_assert_uint_eq(world.commits, 3); // of two steps, and of the answer
}
END_TEST

START_TEST(a_failure_of_a_step_is_recorded_too)
{
    setup();
    must_fail_step = true;
    turn(&mica_tool_buy, NULL);
    must_fail(MICA_FAILED, "{\"code\":\"CARD_REFUSED\",\"message\":\"no money "
                           "for \\\"book\\\"\",\"path\":\"/item\"}");
    ck_assert_uint_eq(world.commits, 1);
    must_fail_step = false;
    turn(&mica_tool_buy, NULL);
    must_fail(MICA_FAILED, "{\"code\":\"CARD_REFUSED\",\"message\":\"no money "
                           "for \\\"book\\\"\",\"path\":\"/item\"}");
    ck_assert_str_eq(world.seen, "charge book C1/charge\n");
}
END_TEST

START_TEST(a_step_that_breaks_its_contract_has_failed_once)
{
    for (int i = 0; i < 2; i++) {
        setup();
        must_forget = i == 0;
        must_break = i == 1;
        turn(&mica_tool_buy, NULL);
        must_fail(MICA_E_EXECUTION, i == 0 ? "FORGOTTEN" : "its own schema");
        must_forget = must_break = false;
        turn(&mica_tool_buy, NULL);
        must_fail(MICA_E_EXECUTION, i == 0 ? "FORGOTTEN" : "its own schema");
        ck_assert_str_eq(world.seen, "charge book C1/charge\n");
    }
}
END_TEST

static enum mica_status
careful(struct mica_call *call, const struct mica_nothing *in,
        struct receipt *out)
{
    struct order book = {MICA_LITERAL("book")};
    enum mica_status status = MICA_RUN_STEP(charge, call, &book, out);

    (void)in;
    if (status == MICA_FAILED)
        out->id = MICA_LITERAL("for free");
    return MICA_OK;
}
MICA_TOOL(careful, mica_nothing, receipt, careful, .description = "Careful.",
          .steps = MICA_STEPS("charge"));

START_TEST(a_failure_of_a_step_can_be_caught)
{
    setup();
    must_fail_step = true;
    turn(&mica_tool_careful, NULL);
    must_end("{\"id\":\"for free\",\"price\":0}");
    turn(&mica_tool_careful, NULL);
    must_end("{\"id\":\"for free\",\"price\":0}");
}
END_TEST

static enum mica_status
undeclared(struct mica_call *call, const struct mica_nothing *in,
           struct receipt *out)
{
    struct order book = {MICA_LITERAL("book")};

    (void)in;
    return MICA_RUN_STEP(charge, call, &book, out);
}
MICA_TOOL(undeclared, mica_nothing, receipt, undeclared, .description = "None.",
          .steps = MICA_STEPS("refund"));

START_TEST(a_step_that_was_not_declared_does_not_run)
{
    setup();
    turn(&mica_tool_undeclared, NULL);
    must_fail(MICA_E_USAGE, "MICA_STEPS(\\\"charge\\\")");
    ck_assert_str_eq(world.seen, "");
    ck_assert_uint_eq(world.journal.count, 0);
}
END_TEST

START_TEST(t3_a_step_is_committed_before_anything_that_follows)
{
    setup();
    world.fail_commit = 1;
    turn(&mica_tool_buy, NULL);
    must_fail(MICA_E_CALL_BUSY, "another process has the call");
    ck_assert_str_eq(world.seen, "charge book C1/charge\n");
    ck_assert_uint_eq(world.turn.asked_count, 0);
    // The last entry is the step: nothing came behind it, no end either.
    ck_assert_int_eq(world.journal.entries[world.journal.count - 1].kind,
                     MICA_ENTRY_STEP);
}
END_TEST

START_TEST(t3_a_step_that_was_cut_off_runs_again_with_the_same_key)
{
    setup();
    world.fail_commit = 1; // as if the process had died before it was durable
    turn(&mica_tool_buy, NULL);
    turn(&mica_tool_buy, NULL);
    must_ask("sure");
    ck_assert_str_eq(world.seen, "charge book C1/charge\n"
                                 "charge book C1/charge\n");
}
END_TEST

// What an effect says is as much of its outcome as what it returns.
static enum mica_status
speak(struct mica_server_call *call, const struct order *in,
      struct receipt *out)
{
    const struct mica_content_options loud = {.audience = "user"};

    note("speak");
    mica_add_text(call, in->item, &loud);
    mica_add_image(call, "PNG", 3, "image/png", NULL);
    mica_add_resource_link(call, "test://r", "a name", "words", NULL, NULL);
    mica_mark_error(call);
    out->id = MICA_LITERAL("s");
    return MICA_OK;
}
MICA_STEP(speak, order, receipt, speak);

static enum mica_status
speaks(struct mica_call *call, const struct mica_nothing *in,
       struct receipt *out)
{
    struct order order = {MICA_LITERAL("aloud")};
    struct sure sure;

    (void)in;
    mica_add_text(call, MICA_LITERAL("first"), NULL);
    MICA_TRY(MICA_RUN_STEP(speak, call, &order, out));
    return mica_elicit(call, MICA_FORM(sure, &sure), "Sure?");
}
MICA_TOOL(speaks, mica_nothing, receipt, speaks, .description = "Speaks.",
          .steps = MICA_STEPS("speak"));

START_TEST(what_a_step_has_added_is_in_the_result_of_a_later_turn)
{
    const struct mica_content *block;

    setup();
    turn(&mica_tool_speaks, NULL);
    must_ask("sure");
    turn(&mica_tool_speaks, "{\"sure\":" YES "}");
    ck_assert_str_eq(world.seen, "speak\n");
    ck_assert(!world.turn.suspended && world.call.result.is_error);
    block = world.call.result.content;
    UNIT_TEXT_EQ(block->data, "first");
    block = block->next;
    UNIT_TEXT_EQ(block->data, "aloud");
    UNIT_TEXT_EQ(block->annotations, "{\"audience\":[\"user\"]}");
    block = block->next;
    ck_assert(block->kind == MICA_CONTENT_IMAGE && block->base64);
    UNIT_TEXT_EQ(block->data, "UE5H");
    UNIT_TEXT_EQ(block->mime_type, "image/png");
    block = block->next;
    ck_assert_int_eq(block->kind, MICA_CONTENT_LINK);
    UNIT_TEXT_EQ(block->uri, "test://r");
    UNIT_TEXT_EQ(block->name, "a name");
    UNIT_TEXT_EQ(block->description, "words");
    ck_assert_ptr_null(block->next);
}
END_TEST

// What a step draws is durable before it can be used, so that an effect that runs
// again under its key is the same effect.
static enum mica_status
token(struct mica_server_call *call, const struct order *in,
      struct receipt *out)
{
    (void)in;
    note(mica_format(call, "token %llx at %lld",
                     (unsigned long long)mica_random(call),
                     (long long)mica_now(call))
             .ptr);
    out->id = MICA_LITERAL("t");
    return MICA_OK;
}
MICA_STEP(token, order, receipt, token);

static enum mica_status
tokens(struct mica_call *call, const struct mica_nothing *in,
       struct receipt *out)
{
    struct order order = {MICA_LITERAL("x")};
    struct sure sure;

    (void)in;
    (void)mica_now(call);
    MICA_TRY(MICA_RUN_STEP(token, call, &order, out));
    MICA_TRY(MICA_RUN_STEP(token, call, &order, out));
    MICA_TRY(mica_elicit(call, MICA_FORM(sure, &sure), "Sure?"));
    return MICA_OK;
}
MICA_TOOL(tokens, mica_nothing, receipt, tokens, .description = "Draws.",
          .steps = MICA_STEPS("token"));

START_TEST(what_a_step_draws_is_the_same_when_it_runs_again)
{
    char first[sizeof world.seen];

    setup();
    world.keep_commits = true;
    // Commits: mica_now before the step, random and now inside, the step.
    world.fail_commit = 4;
    turn(&mica_tool_tokens, NULL);
    must_fail(MICA_E_CALL_BUSY, "CALL_BUSY");
    strcpy(first, world.seen);
    world.seen[0] = '\0';
    turn(&mica_tool_tokens, NULL);
    must_ask("sure");
    ck_assert_msg(strncmp(world.seen, first, strlen(first)) == 0,
                  "%s instead of %s", world.seen, first);
    turn(&mica_tool_tokens, "{\"sure\":" YES "}");
    must_end("{\"id\":\"t\",\"price\":0}");
}
END_TEST

START_TEST(a_result_that_no_longer_fits_its_record_is_divergence)
{
    struct mica_error error;
    struct mica_entry step = {.kind = MICA_ENTRY_STEP,
                              .key = MICA_LITERAL("charge"),
                              .data = MICA_LITERAL("{\"number\":1}")};

    setup();
    turn_open(&mica_tool_buy);
    ck_assert_int_eq(mica_journal_add(&world.journal, &step, &error), MICA_OK);
    turn_go(&mica_tool_buy, "{}");
    must_fail(MICA_E_DIVERGED, "does not fit its record");
}
END_TEST

// ---- Phases --------------------------------------------------------------------------

struct found {
    double price;
    struct mica_text note;
};
MICA_RECORD(found, MICA_NUMBER(price, "In euros."),
            MICA_TEXT(note, "What was thought.", .fallback = "\"none\""));

struct choice {
    bool take;
};
MICA_RECORD(choice, MICA_BOOLEAN(take, "Take it?"));

static enum mica_status client_status, before_status, after_status;
static const char *phase_key;

static enum mica_status
before(struct mica_server_call *call, const struct order *in, struct found *out)
{
    phase_key = mica_idempotency_key(call).ptr;
    note(mica_format(call, "before %s", phase_key).ptr);
    (void)mica_service(call, "bank");
    if (before_status != MICA_OK)
        return mica_fail(call, "NOTHING_FOUND", "item", "no %.*s",
                         MICA_ARG(in->item));
    out->price = 0.1 + 0.2;
    out->note = MICA_LITERAL("good");
    return MICA_OK;
}

static void
release(struct mica_server_call *call, const void *data)
{
    const double *of = data;

    note(mica_format(call, "release %s %.*s", mica_number(call, *of),
                     MICA_ARG(mica_idempotency_key(call)))
             .ptr);
}

static enum mica_status
client(struct mica_client_call *call, const struct found *found,
       struct choice *out)
{
    struct choice choice;

    note(mica_format(call, "client %s", mica_number(call, found->price)).ptr);
    mica_defer(call, "release", release, &found->price);
    if (client_status != MICA_OK)
        return client_status;
    MICA_TRY(mica_elicit(call, MICA_FORM(choice, &choice), "Take it?"));
    if (!choice.take)
        return mica_fail(call, "NOT_TAKEN", "", "it was not taken");
    out->take = choice.take;
    return MICA_OK;
}

static enum mica_status
after(struct mica_server_call *call, const struct found *found,
      const struct choice *choice, struct receipt *out)
{
    note(mica_format(call, "after %.*s %d",
                     MICA_ARG(mica_idempotency_key(call)), choice->take)
             .ptr);
    if (after_status != MICA_OK)
        return mica_fail(call, "SOLD_OUT", "", "another buyer was faster");
    out->id = found->note;
    out->price = found->price;
    return MICA_OK;
}
MICA_HANDOFF(deal, order, found, choice, receipt, before, client, after,
             .description = "Deals.");

#define TAKE(yes) \
    "{\"choice\":{\"action\":\"accept\",\"content\":{\"take\":" yes "}}}"

static void
deal(const char *answers)
{
    turn_open(&mica_tool_deal);
    if (answers != NULL)
        turn_answer(answers);
    turn_go(&mica_tool_deal, "{\"item\":\"lamp\"}");
}

static void
setup_deal(void)
{
    setup();
    before_status = client_status = after_status = MICA_OK;
}

START_TEST(phases_hand_over_and_run_once)
{
    setup_deal();
    deal(NULL);
    must_ask("choice");
    ck_assert_uint_eq(world.turn.cleans, 1);
    ck_assert_uint_eq(world.commits, 1);
    deal(NULL);
    deal(TAKE("true"));
    must_end("{\"id\":\"good\",\"price\":0.30000000000000004}");
    ck_assert_uint_eq(world.turn.cleans, 0);
    ck_assert_str_eq(world.seen, "before C1/before\n"
                                 "client 0.30000000000000004\n"
                                 "client 0.30000000000000004\n"
                                 "client 0.30000000000000004\n"
                                 "after C1/after 1\n"
                                 "release 0.30000000000000004 C1/release\n");
    // before, the answer that after depends on, after and the clean-up.
    ck_assert_uint_eq(world.commits, 4);
    world.seen[0] = '\0';
    deal(NULL);
    must_end("{\"id\":\"good\",\"price\":0.30000000000000004}");
    ck_assert_str_eq(world.seen, "client 0.30000000000000004\n");
}
END_TEST

START_TEST(after_does_not_run_when_client_failed)
{
    setup_deal();
    deal(NULL);
    world.seen[0] = '\0';
    deal(TAKE("false"));
    must_fail(MICA_FAILED, "NOT_TAKEN");
    ck_assert_str_eq(world.seen, "client 0.30000000000000004\n"
                                 "release 0.30000000000000004 C1/release\n");
    setup_deal();
    deal(NULL);
    world.seen[0] = '\0';
    deal("{\"choice\":{\"action\":\"decline\"}}");
    must_fail(MICA_E_DECLINED, "ELICITATION_DECLINED");
    ck_assert_ptr_null(strstr(world.seen, "after"));
}
END_TEST

START_TEST(phases_that_fail_have_failed_for_good)
{
    setup_deal();
    before_status = MICA_FAILED;
    deal(NULL);
    must_fail(MICA_FAILED, "NOTHING_FOUND");
    before_status = MICA_OK;
    deal(NULL);
    must_fail(MICA_FAILED, "NOTHING_FOUND");
    ck_assert_str_eq(world.seen, "before C1/before\n");
    setup_deal();
    after_status = MICA_FAILED;
    deal(NULL);
    deal(TAKE("true"));
    must_fail(MICA_FAILED, "SOLD_OUT");
    after_status = MICA_OK;
    world.seen[0] = '\0';
    deal(NULL);
    must_fail(MICA_FAILED, "SOLD_OUT");
    ck_assert_str_eq(world.seen, "client 0.30000000000000004\n");
}
END_TEST

START_TEST(a_commit_that_fails_in_before_keeps_client_from_running)
{
    setup_deal();
    world.fail_commit = 1;
    deal(NULL);
    must_fail(MICA_E_CALL_BUSY, "CALL_BUSY");
    ck_assert_str_eq(world.seen, "before C1/before\n");
}
END_TEST

START_TEST(a_tool_with_phases_needs_a_turn)
{
    struct mica_runnable runnable = world_runnable(&mica_tool_deal);

    setup_deal();
    mica_arena_init(&world.arena, 1 << 20);
    mica_call_init(&world.call, &world.arena);
    runnable.run(&runnable, &world.call, MICA_LITERAL("{\"item\":\"x\"}"));
    must_fail(MICA_E_USAGE, "phases");
}
END_TEST

// Steps inside a phase are steps of their own, also when the phase is cut off.
static enum mica_status
before_with_steps(struct mica_server_call *call, const struct order *in,
                  struct found *out)
{
    struct receipt receipt;

    MICA_TRY(MICA_RUN_STEP(charge, call, in, &receipt));
    note("between");
    out->price = receipt.price;
    out->note = receipt.id;
    return MICA_OK;
}

static enum mica_status
client_alone(struct mica_client_call *call, const struct found *found,
             struct choice *out)
{
    (void)found;
    MICA_TRY(mica_elicit(call, MICA_FORM(choice, out), "Take it?"));
    return MICA_OK;
}

static enum mica_status
after_with_steps(struct mica_server_call *call, const struct found *found,
                 const struct choice *choice, struct receipt *out)
{
    struct order order = {found->note};

    (void)choice;
    return MICA_RUN_STEP(charge, call, &order, out);
}
MICA_HANDOFF(stepwise, order, found, choice, receipt, before_with_steps,
             client_alone, after_with_steps, .description = "Steps.",
             .steps = MICA_STEPS("charge"));

static void
stepwise(const char *answers)
{
    turn_open(&mica_tool_stepwise);
    if (answers != NULL)
        turn_answer(answers);
    turn_go(&mica_tool_stepwise, "{\"item\":\"lamp\"}");
}

START_TEST(steps_inside_phases_run_once_when_the_phase_runs_again)
{
    setup_deal();
    world.keep_commits = true;
    world.fail_commit = 2; // that of `before` itself
    stepwise(NULL);
    must_fail(MICA_E_CALL_BUSY, "CALL_BUSY");
    stepwise(NULL);
    must_ask("choice");
    stepwise(TAKE("true"));
    must_end("{\"id\":\"r-r-lamp\",\"price\":12.5}");
    stepwise(NULL);
    must_end("{\"id\":\"r-r-lamp\",\"price\":12.5}");
    ck_assert_str_eq(world.seen, "charge lamp C1/before/charge\n"
                                 "between\n"
                                 "between\n"
                                 "charge r-lamp C1/after/charge\n");
    ck_assert_str_eq(world.events, "log charging\nlog charging\n");
}
END_TEST

// A phase looks at the world, which may have changed when it runs again.
static bool world_changed;

static enum mica_status
before_as_it_is(struct mica_server_call *call, const struct order *in,
                struct found *out)
{
    struct receipt receipt;
    struct order other = {MICA_LITERAL("other")};
    uint64_t bits = 0;

    if (world_changed)
        MICA_TRY(MICA_RUN_STEP(token, call, in, &receipt));
    else
        bits = mica_random(call);
    MICA_TRY(MICA_RUN_STEP(charge, call, in, &receipt));
    if (!world_changed)
        MICA_TRY(MICA_RUN_STEP(charge, call, &other, &receipt));
    else
        bits = mica_random(call);
    note(mica_format(call, "drew %llx", (unsigned long long)bits).ptr);
    out->price = receipt.price;
    return MICA_OK;
}
MICA_HANDOFF(changing, order, found, choice, receipt, before_as_it_is,
             client_alone, after, .description = "Changes.",
             .steps = MICA_STEPS("charge", "token"));

START_TEST(a_phase_that_was_cut_off_may_go_another_way)
{
    setup_deal();
    world_changed = false;
    world.keep_commits = true;
    world.fail_commit = 3; // of the second step
    turn_open(&mica_tool_changing);
    turn_go(&mica_tool_changing, "{\"item\":\"lamp\"}");
    must_fail(MICA_E_CALL_BUSY, "CALL_BUSY");
    world_changed = true;
    turn_open(&mica_tool_changing);
    turn_go(&mica_tool_changing, "{\"item\":\"lamp\"}");
    must_ask("choice");
    // The first step did not run again, and the first bits are those of before.
    ck_assert_ptr_null(strstr(strstr(world.seen, "lamp") + 4, "charge lamp"));
    ck_assert_ptr_nonnull(strstr(world.seen, "drew 9e3779b97f4a7c15"));
    turn_open(&mica_tool_changing);
    turn_answer(TAKE("true"));
    turn_go(&mica_tool_changing, "{\"item\":\"lamp\"}");
    must_end("{\"id\":\"\",\"price\":12.5}");
}
END_TEST

UNIT_MAIN("turn_effects", a_step_runs_once_and_its_key_is_its_own,
          a_failure_of_a_step_is_recorded_too,
          a_step_that_breaks_its_contract_has_failed_once,
          a_failure_of_a_step_can_be_caught,
          a_step_that_was_not_declared_does_not_run,
          t3_a_step_is_committed_before_anything_that_follows,
          t3_a_step_that_was_cut_off_runs_again_with_the_same_key,
          what_a_step_draws_is_the_same_when_it_runs_again,
          a_result_that_no_longer_fits_its_record_is_divergence,
          what_a_step_has_added_is_in_the_result_of_a_later_turn,
          phases_hand_over_and_run_once, after_does_not_run_when_client_failed,
          phases_that_fail_have_failed_for_good,
          a_commit_that_fails_in_before_keeps_client_from_running,
          a_tool_with_phases_needs_a_turn,
          steps_inside_phases_run_once_when_the_phase_runs_again,
          a_phase_that_was_cut_off_may_go_another_way)
