// SPDX-License-Identifier: Apache-2.0
//
// import: every row once, wherever its process dies.
#include "rows.h"

extern const struct mica_tool mica_tool_import;

#define ARGUMENTS "{\"feed\": \"fair\", \"rows\": 950}"
#define GOLDEN    "tests/tools/import.json"

MICA_TEST(takes_rows_part_by_part_and_says_how_far_it_is)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome =
        mica_run_tool(&mica_tool_import, ARGUMENTS, mock);

    MICA_EXPECT_RESULT(outcome,
                       "{\"import\": 1, \"taken\": 855, \"skipped\": 95}");
    MICA_EXPECT_PROGRESS(outcome, "200/950 200 of 950 rows\n"
                                  "400/950 400 of 950 rows\n"
                                  "600/950 600 of 950 rows\n"
                                  "800/950 800 of 950 rows\n"
                                  "950/950 950 of 950 rows");
    MICA_EXPECT_INT_EQ(rows(mock, "contacts", "SELECT count(*) FROM contacts"),
                       855);
    MICA_EXPECT_INT_EQ(rows(mock, "contacts",
                            "SELECT count(*) FROM imports"
                            " WHERE state = 'finished'"),
                       1);
    mica_mock_close(mock);
}

MICA_TEST(refuses_what_is_no_feed)
{
    struct mica_mock *mock = mica_mock_open();

    MICA_EXPECT_FAILS(
        mica_run_tool(&mica_tool_import, "{\"feed\": \"../x\"}", mock),
        "BAD_FORMAT");
    MICA_EXPECT_FAILS(mica_run_tool(&mica_tool_import,
                                    "{\"feed\": \"a\", \"rows\": 0}", mock),
                      "OUT_OF_RANGE");
    mica_mock_close(mock);
}

static void
must_have_taken(struct mica_mock *mock, const struct mica_outcome *outcome,
                void *data)
{
    (void)data;
    MICA_EXPECT_OK(outcome);
    MICA_EXPECT_INT_EQ(rows(mock, "contacts", "SELECT count(*) FROM contacts"),
                       855);
    MICA_EXPECT_INT_EQ(rows(mock, "contacts", "SELECT count(*) FROM imports"),
                       1);
    MICA_EXPECT_INT_EQ(rows(mock, "contacts",
                            "SELECT count(*) FROM imports"
                            " WHERE state = 'finished'"),
                       1);
}

MICA_TEST(takes_each_row_once_wherever_its_process_dies)
{
    const struct mica_replay once = {.end = must_have_taken};
    struct mica_mock *mock = mica_mock_open();

    mica_replay_tool(&mica_tool_import, ARGUMENTS, mock, &once);
    mica_mock_close(mock);
}

MICA_TEST(calls_that_are_open_when_it_is_installed_continue)
{
    struct mica_mock *mock = mica_mock_open();

    mica_run_tool(&mica_tool_import, ARGUMENTS, mock);
    mica_golden(mock, GOLDEN);
    mica_mock_close(mock);
}

MICA_TEST_MAIN
