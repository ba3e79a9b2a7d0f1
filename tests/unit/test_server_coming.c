// SPDX-License-Identifier: Apache-2.0
//
// Tools that are still being built, and those that come while a message runs: a
// caller of one is told to come again, as is a tool that invokes one.
#include "test_server_askers.h"

static enum mica_status
leans(struct mica_call *call, const struct anything *in,
      struct mica_nothing *out)
{
    struct sure sure;

    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(sure, &sure), "Sure?"));
    return mica_invoke(call, "late", MICA_FROM(anything, in),
                       (struct mica_into){.record = NULL});
}
MICA_TOOL(leans, anything, mica_nothing, leans,
          .description = "Needs another tool.");

static bool
expects_late(void *data, struct mica_text name, size_t *ready_out,
             size_t *all_out)
{
    (void)data;
    *ready_out = 0;
    *all_out = 1;
    return mica_text_is(name, "late");
}

START_TEST(a_tool_that_invokes_one_that_is_being_built_is_to_be_called_again)
{
    const struct mica_coming coming = {.expects = expects_late};

    add(&mica_tool_leans);
    call("'name':'leans'", NULL, NULL);
    ck_asks("sure");
    call("'name':'leans'", YES, state);
    ck_says("/result/content/0/text", "NOT_FOUND: ");
    harness.server->coming = &coming;
    call("'name':'leans'", YES, state);
    ck_at("/result/isError", "true");
    ck_says("/result/content/0/text",
            "BUSY: the tool \\\"late\\\" is still being built; try again");
    harness.server->coming = NULL;
}
END_TEST

static enum mica_status
stubborn(struct mica_call *call, const struct anything *in,
         struct mica_nothing *out)
{
    struct sure sure;
    enum mica_status status = mica_invoke(call, "late", MICA_FROM(anything, in),
                                          (struct mica_into){.record = NULL});

    (void)out;
    if (status == MICA_OK)
        return MICA_OK;
    return mica_elicit(call, MICA_FORM(sure, &sure), "Without it?");
}
MICA_TOOL(stubborn, anything, mica_nothing, stubborn,
          .description = "Works without another tool.");

START_TEST(no_round_depends_on_whether_a_tool_was_being_built)
{
    const struct mica_coming coming = {.expects = expects_late};

    add(&mica_tool_stubborn);
    harness.server->coming = &coming;
    call("'name':'stubborn'", NULL, NULL);
    ck_at("/result/isError", "true");
    ck_says("/result/content/0/text", "BUSY: the tool \\\"late\\\"");
    harness.server->coming = NULL;
}
END_TEST

static enum mica_status
late(struct mica_call *call, const struct anything *in,
     struct mica_nothing *out)
{
    (void)call;
    (void)in;
    (void)out;
    return MICA_OK;
}
MICA_TOOL(late, anything, mica_nothing, late, .description = "Comes late.");

// The build ends between the look for the tool and the question whether it comes.
static bool
comes_just_now(void *data, struct mica_text name, size_t *ready_out,
               size_t *all_out)
{
    bool *came = data;

    *ready_out = *all_out = 1;
    if (mica_text_is(name, "late") && !*came) {
        *came = true;
        add(&mica_tool_late);
    }
    return false;
}

START_TEST(a_tool_that_comes_while_it_is_looked_for_is_not_unknown)
{
    bool came = false;
    const struct mica_coming coming = {.data = &came,
                                       .expects = comes_just_now};

    harness.server->coming = &coming;
    call("'name':'late'", NULL, NULL);
    ck_assert(came);
    ck_assert_int_eq(harness.message.reply.rpc_error, 0);
    harness.server->coming = NULL;
}
END_TEST

START_TEST(a_tool_that_came_while_another_ran_is_to_be_called_again)
{
    bool came = false;
    const struct mica_coming coming = {.data = &came,
                                       .expects = comes_just_now};

    add(&mica_tool_leans);
    call("'name':'leans'", NULL, NULL);
    ck_asks("sure");
    harness.server->coming = &coming;
    call("'name':'leans'", YES, state);
    ck_assert(came);
    ck_at("/result/isError", "true");
    ck_says("/result/content/0/text", "BUSY: the tool \\\"late\\\"");
    harness.server->coming = NULL;
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("coming");
    TCase *coming = tcase_create("coming");

    tcase_add_checked_fixture(coming, open_rounds, close_kept);
    suite_add_tcase(suite, coming);
    tcase_add_test(
        coming,
        a_tool_that_invokes_one_that_is_being_built_is_to_be_called_again);
    tcase_add_test(coming, no_round_depends_on_whether_a_tool_was_being_built);
    tcase_add_test(coming,
                   a_tool_that_comes_while_it_is_looked_for_is_not_unknown);
    tcase_add_test(coming,
                   a_tool_that_came_while_another_ran_is_to_be_called_again);
    return run_suite(suite);
}
