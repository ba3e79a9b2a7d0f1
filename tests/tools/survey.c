// SPDX-License-Identifier: Apache-2.0
//
// survey: each way through its branch and its loop, and the same result wherever
// its process dies.
#include <mica/test.h>

extern const struct mica_tool mica_tool_survey;

#define ARGUMENTS "{\"subject\": \"the canteen\"}"
#define GOLDEN    "tests/tools/survey.json"

static void
say(struct mica_mock *mock, const char *commentz)
{
    mica_mock_accept(mock, "comment", commentz);
}

// Each answer takes a second.

// ---- The branch ----------------------------------------------------------------------

MICA_TEST(asks_the_happy_for_words_alone)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_accept(mock, "rating", "{\"score\": 7}");
    say(mock, "{\"words\": \"Soup.\"}");
    outcome = mica_run_tool(&mica_tool_survey, ARGUMENTS, mock);
    MICA_EXPECT_ASKED(outcome, "rating comment");
    MICA_EXPECT_RESULT(outcome, "{\"ending\": \"finished\", \"score\": 7,"
                                " \"troubles\": [], \"comments\": [\"Soup.\"],"
                                " \"seconds\": 2}");
    mica_mock_close(mock);
}

MICA_TEST(asks_the_unhappy_what_went_wrong)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_accept(mock, "rating", "{\"score\": 6}");
    mica_mock_accept(mock, "troubles",
                     "{\"troubles\": [\"price\", \"speed\"]}");
    say(mock, "{\"words\": \"Slow.\", \"more\": false}");
    outcome = mica_run_tool(&mica_tool_survey, ARGUMENTS, mock);
    MICA_EXPECT_ASKED(outcome, "rating troubles comment");
    MICA_EXPECT_PARAM(outcome, "troubles",
                      "/requestedSchema/properties/troubles/items/enum",
                      "[\"price\", \"quality\", \"speed\", \"support\"]");
    MICA_EXPECT_RESULT(outcome, "{\"ending\": \"finished\", \"score\": 6,"
                                " \"troubles\": [\"price\", \"speed\"],"
                                " \"comments\": [\"Slow.\"], \"seconds\": 3}");
    mica_mock_close(mock);
}

MICA_TEST(asks_old_clients_for_the_worst_alone)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_era(mock, MICA_ERA_2025_06_18);
    mica_mock_accept(mock, "rating", "{\"score\": 0}");
    mica_mock_accept(mock, "main_trouble", "{\"trouble\": \"speed\"}");
    mica_mock_dismiss(mock, "comment");
    outcome = mica_run_tool(&mica_tool_survey, ARGUMENTS, mock);
    MICA_EXPECT_RESULT(outcome, "{\"ending\": \"dismissed\", \"score\": 0,"
                                " \"troubles\": [\"speed\"], \"comments\": [],"
                                " \"seconds\": 3}");
    mica_mock_close(mock);
}

// ---- The loop ------------------------------------------------------------------------

MICA_TEST(listens_until_all_is_said)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_accept(mock, "rating", "{\"score\": 10}");
    for (int i = 0; i < 5; i++)
        say(mock, "{\"words\": \"More.\", \"more\": true}");
    outcome = mica_run_tool(&mica_tool_survey, ARGUMENTS, mock);
    MICA_EXPECT_ASKED(outcome, "rating comment comment#2 comment#3 comment#4 "
                               "comment#5");
    MICA_EXPECT_MESSAGE(outcome, "comment", "What should we know about");
    MICA_EXPECT_MESSAGE(outcome, "comment#2", "And what else about");
    MICA_EXPECT_OK(outcome);
    mica_mock_close(mock);
}

MICA_TEST(asks_again_for_a_score_that_there_is_not)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_accept(mock, "rating", "{\"score\": 11}");
    mica_mock_decline(mock, "rating");
    outcome = mica_run_tool(&mica_tool_survey, ARGUMENTS, mock);
    MICA_EXPECT_MESSAGE(outcome, "rating#2", "score");
    MICA_EXPECT_RESULT(outcome, "{\"ending\": \"declined\", \"troubles\": [],"
                                " \"comments\": [], \"seconds\": 2}");
    mica_mock_close(mock);
}

// ---- Processes that die --------------------------------------------------------------

static void
answer_all(struct mica_mock *mock)
{
    mica_mock_accept(mock, "rating", "{\"score\": 3}");
    mica_mock_accept(mock, "troubles", "{\"troubles\": [\"support\"]}");
    say(mock, "{\"words\": \"One.\", \"more\": true}");
    say(mock, "{\"words\": \"Two.\"}");
}

MICA_TEST(comes_to_the_same_wherever_its_process_dies)
{
    struct mica_mock *mock = mica_mock_open();

    answer_all(mock);
    mica_replay_tool(&mica_tool_survey, ARGUMENTS, mock, NULL);
    mica_mock_close(mock);
}

MICA_TEST(calls_that_are_open_when_it_is_installed_continue)
{
    struct mica_mock *mock = mica_mock_open();

    answer_all(mock);
    mica_run_tool(&mica_tool_survey, ARGUMENTS, mock);
    mica_golden(mock, GOLDEN);
    mica_mock_close(mock);
}

MICA_TEST_MAIN
