// SPDX-License-Identifier: Apache-2.0
//
// The testing kit and tools that have views.
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

static void
take_failure(const char *file, int line, const char *messagez)
{
    ck_abort_msg("%s:%d: %s", file, line, messagez);
}

MICA_VIEW(result, .file = "result.html");
MICA_VIEW(dial, .file = "dial.html");

static enum mica_status
ask_dial(struct mica_call *call, const struct mica_nothing *in, struct sum *out)
{
    struct pick pick;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick, .view = &mica_view_dial),
                         "How many?"));
    out->sum = pick.n;
    return MICA_OK;
}
MICA_TOOL(dialed, mica_nothing, sum, ask_dial, .description = "Dials.",
          .view = &mica_view_result,
          .form_views = MICA_FORM_VIEWS(&mica_view_dial));

// The documents are read by `mica build`; a test needs none of them.
START_TEST(a_tool_whose_views_have_files_is_tested_without_them)
{
    struct mica_mock *mock = mica_mock_open();

    mica_test_on_failure(take_failure);
    mica_mock_accept(mock, "pick", "{\"n\": 3}");
    MICA_EXPECT_RESULT(mica_run_tool(&mica_tool_dialed, "{}", mock),
                       "{\"sum\": 3}");
    mica_mock_close(mock);
}
END_TEST

UNIT_MAIN("kit views", a_tool_whose_views_have_files_is_tested_without_them)
