// SPDX-License-Identifier: Apache-2.0
//
// How a call ends: its clean-ups, and services that are not there.
#include "test_turn.h"

struct order {
    struct mica_text item;
};
MICA_RECORD(order, MICA_TEXT(item, "What."));

struct receipt {
    struct mica_text id;
    double price;
};
MICA_RECORD(receipt, MICA_TEXT(id, "Its id."), MICA_NUMBER(price, "In euros."));

struct sure {
    bool yes;
};
MICA_RECORD(sure, MICA_BOOLEAN(yes, "Really?"));

#define YES "{\"action\":\"accept\",\"content\":{\"yes\":true}}"

// ---- Clean-ups -------------------------------------------------------------------------

static void
tidy(struct mica_server_call *call, const void *data)
{
    const char *what = data;

    note(mica_format(call, "tidy %s %.*s", what,
                     MICA_ARG(mica_idempotency_key(call)))
             .ptr);
    mica_log(call, MICA_LOG_INFO, "tidy %s", what);
    (void)mica_fail(call, "UNHEARD", "", "a clean-up cannot fail");
}

static void
tidy_badly(struct mica_server_call *call, const void *data)
{
    (void)data;
    note("tidy badly");
    (void)mica_service(call, "none");
}

static void
tidy_much(struct mica_server_call *call, const void *data)
{
    (void)data;
    note("tidy much");
    (void)mica_alloc(call, 1 << 30);
}

static int ending_kind;

static enum mica_status
messy(struct mica_call *call, const struct mica_nothing *in,
      struct receipt *out)
{
    struct sure sure;
    enum mica_status status;

    (void)in;
    mica_defer(call, "a", tidy, "a");
    mica_defer(call, "a", tidy, "b");
    if (ending_kind == 4)
        mica_defer(call, "bad", tidy_badly, NULL);
    if (ending_kind == 5)
        mica_defer(call, "much", tidy_much, NULL);
    status = mica_elicit(call, MICA_FORM(sure, &sure), "Sure?");
    mica_defer(call, "late", tidy, "late"); // nothing, when suspended
    MICA_TRY(status);
    if (ending_kind == 1)
        return mica_fail(call, "WRONG", "", "went wrong");
    if (ending_kind == 2)
        (void)mica_service(call, "none");
    if (ending_kind == 3)
        (void)mica_alloc(call, 1 << 30);
    out->id = MICA_LITERAL("done");
    return MICA_OK;
}
MICA_TOOL(messy, mica_nothing, receipt, messy, .description = "Messy.");

static void
end_messily(int kind)
{
    world_init();
    ending_kind = kind;
    turn(&mica_tool_messy, NULL);
    must_ask("sure");
    ck_assert_uint_eq(world.turn.cleans, kind >= 4 ? 3 : 2);
    turn(&mica_tool_messy, NULL);
    ck_assert_str_eq(world.seen, "");
    turn(&mica_tool_messy, "{\"sure\":" YES "}");
}

#define TIDIED "tidy late C1/late\ntidy b C1/a#2\ntidy a C1/a\n"

START_TEST(t5_clean_ups_run_once_at_the_end_the_last_first)
{
    end_messily(0);
    must_end("{\"id\":\"done\",\"price\":0}");
    ck_assert_str_eq(world.seen, TIDIED);
    ck_assert_uint_eq(world.commits, 3);
    turn(&mica_tool_messy, NULL);
    must_end("{\"id\":\"done\",\"price\":0}");
    ck_assert_str_eq(world.seen, TIDIED);
}
END_TEST

START_TEST(t5_clean_ups_run_after_every_kind_of_failure)
{
    end_messily(1);
    must_fail(MICA_FAILED, "WRONG");
    ck_assert_str_eq(world.seen, TIDIED);
    end_messily(2);
    must_fail(MICA_E_SERVICE, "\\\"none\\\"");
    ck_assert_str_eq(world.seen, TIDIED);
    end_messily(3);
    must_fail(MICA_E_LIMIT, "memory");
    ck_assert_ptr_nonnull(strstr(world.seen, "tidy b"));
}
END_TEST

START_TEST(t5_clean_ups_that_misbehave_do_not_change_the_end)
{
    end_messily(4);
    must_end("{\"id\":\"done\",\"price\":0}");
    ck_assert_str_eq(world.seen, "tidy late C1/late\ntidy badly\n"
                                 "tidy b C1/a#2\ntidy a C1/a\n");
}
END_TEST

START_TEST(t5_a_clean_up_out_of_memory_does_not_keep_the_others)
{
    end_messily(5);
    must_end("{\"id\":\"done\",\"price\":0}");
    ck_assert_ptr_nonnull(strstr(world.seen, "tidy much\n"));
    turn(&mica_tool_messy, NULL);
    must_end("{\"id\":\"done\",\"price\":0}");
}
END_TEST

START_TEST(t5_clean_ups_run_when_the_call_is_over_for_its_client)
{
    static const enum mica_status ends[] = {MICA_E_TIMEOUT, MICA_E_DISCONNECTED,
                                            MICA_E_CANCELLED};

    for (size_t i = 0; i < MICA_COUNT(ends); i++) {
        world_init();
        ending_kind = 0;
        turn(&mica_tool_messy, NULL);
        turn_open(&mica_tool_messy);
        world.turn.ending = ends[i];
        turn_go(&mica_tool_messy, "{}");
        must_fail(ends[i], mica_status_code(ends[i]));
        ck_assert_str_eq(world.seen, TIDIED);
    }
}
END_TEST

START_TEST(t5_a_lost_call_leaves_its_clean_ups_to_whoever_has_it)
{
    world_init();
    ending_kind = 0;
    world.keep_commits = true;
    turn(&mica_tool_messy, NULL);
    world.fail_commit = 2; // of the second clean-up
    turn(&mica_tool_messy, "{\"sure\":" YES "}");
    must_fail(MICA_E_CALL_BUSY, "CALL_BUSY");
    ck_assert_str_eq(world.seen, "tidy late C1/late\ntidy b C1/a#2\n");
    turn(&mica_tool_messy, NULL);
    must_end("{\"id\":\"done\",\"price\":0}");
    ck_assert_str_eq(world.seen, "tidy late C1/late\ntidy b C1/a#2\n"
                                 "tidy b C1/a#2\ntidy a C1/a\n");
}
END_TEST

// ---- Services --------------------------------------------------------------------------

static enum mica_status
banker(struct mica_call *call, const struct mica_nothing *in,
       struct receipt *out)
{
    (void)in, (void)out;
    ck_assert_ptr_eq(mica_service(call, "bank"), world.seen);
    (void)mica_service(call, "casino");
    note("not reached");
    return MICA_OK;
}
MICA_TOOL(banker, mica_nothing, receipt, banker, .description = "Banks.");

START_TEST(a_service_that_is_missing_ends_the_call)
{
    world_init();
    turn(&mica_tool_banker, NULL);
    must_fail(MICA_E_SERVICE, "SERVICE_MISSING");
    must_fail(MICA_E_SERVICE, "casino");
    ck_assert_str_eq(world.seen, "");
}
END_TEST

static enum mica_status
step_without(struct mica_server_call *call, const struct order *in,
             struct receipt *out)
{
    (void)in, (void)out;
    (void)mica_service(call, "casino");
    return MICA_OK;
}
MICA_STEP(gamble, order, receipt, step_without);

static enum mica_status
gambler(struct mica_call *call, const struct mica_nothing *in,
        struct receipt *out)
{
    struct order order = {MICA_LITERAL("x")};

    (void)in;
    mica_defer(call, "home", tidy, "home");
    return MICA_RUN_STEP(gamble, call, &order, out);
}
MICA_TOOL(gambler, mica_nothing, receipt, gambler, .description = "Gambles.",
          .steps = MICA_STEPS("gamble"));

START_TEST(a_call_that_ends_inside_a_step_is_cleaned_up)
{
    world_init();
    turn(&mica_tool_gambler, NULL);
    must_fail(MICA_E_SERVICE, "casino");
    ck_assert_str_eq(world.seen, "tidy home C1/home\n");
}
END_TEST

UNIT_MAIN("turn_ends", t5_clean_ups_run_once_at_the_end_the_last_first,
          t5_clean_ups_run_after_every_kind_of_failure,
          t5_clean_ups_that_misbehave_do_not_change_the_end,
          t5_a_clean_up_out_of_memory_does_not_keep_the_others,
          t5_clean_ups_run_when_the_call_is_over_for_its_client,
          t5_a_lost_call_leaves_its_clean_ups_to_whoever_has_it,
          a_service_that_is_missing_ends_the_call,
          a_call_that_ends_inside_a_step_is_cleaned_up)
