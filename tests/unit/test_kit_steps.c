// SPDX-License-Identifier: Apache-2.0
//
// The testing kit and steps that no service stands in for.
#include <string.h>

#include <mica/test.h>

#include "unit.h"

struct pick {
    int64_t n;
};
MICA_RECORD(pick, MICA_INTEGER(n, "How many."));

struct sum {
    int64_t sum;
};
MICA_RECORD(sum, MICA_INTEGER(sum, "The sum."));

static unsigned failures;
static char said[1024];

static void
take_failure(const char *file, int line, const char *messagez)
{
    ck_assert_ptr_nonnull(strstr(file, "test_kit_steps.c"));
    ck_assert_int_gt(line, 0);
    failures++;
    strncpy(said, messagez, sizeof said - 1);
}

static enum mica_status
note(struct mica_server_call *call, const struct pick *in, struct sum *out)
{
    (void)call;
    out->sum = in->n;
    return MICA_OK;
}
MICA_STEP(note, pick, sum, note);

static enum mica_status
run_alone(struct mica_call *call, const struct mica_nothing *in,
          struct sum *out)
{
    struct pick pick = {.n = 4};

    (void)in;
    return MICA_RUN_STEP(note, call, &pick, out);
}
MICA_TOOL(alone, mica_nothing, sum, run_alone, .title = "Alone",
          .description = "Runs a step that reaches no service.",
          .steps = MICA_STEPS("note"));

START_TEST(a_step_that_reaches_no_service_fails_its_test_once)
{
    struct mica_mock *mock = mica_mock_open();

    mica_test_on_failure(take_failure);
    MICA_EXPECT_RESULT(mica_run_tool(&mica_tool_alone, "{}", mock),
                       "{\"sum\": 4}");
    ck_assert_uint_eq(failures, 1);
    ck_assert_msg(strstr(said, "STEP_WITHOUT_STAND_IN: the step note had its "
                               "effect in a test without a service") == said,
                  "%s", said);
    MICA_EXPECT_OK(mica_run_tool(&mica_tool_alone, "{}", mock));
    ck_assert_uint_eq(failures, 1);
    mica_mock_close(mock);
}
END_TEST

UNIT_MAIN("kit steps", a_step_that_reaches_no_service_fails_its_test_once)
