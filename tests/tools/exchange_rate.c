// SPDX-License-Identifier: Apache-2.0
//
// exchange_rate beside a server of rates that each test writes down.
#include <mica/test.h>

extern const struct mica_tool mica_tool_exchange_rate;

#define LATEST "https://api.frankfurter.dev/v1/latest?base=EUR&symbols=USD"
#define EUROS  "{\"amount\": 20, \"from\": \"EUR\", \"to\": \"USD\"}"
#define GOOD                                                    \
    "{\"amount\":1.0,\"base\":\"EUR\",\"date\":\"2026-11-24\"," \
    "\"rates\":{\"USD\":1.0825}}"

static const struct mica_outcome *
run_with(struct mica_mock *mock, unsigned status, const char *json)
{
    mica_mock_fetch(mock, "GET", LATEST, status, json);
    return mica_run_tool(&mica_tool_exchange_rate, EUROS, mock);
}

MICA_TEST(converts_at_the_latest_rate)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome = run_with(mock, 200, GOOD);

    MICA_EXPECT_RESULT(outcome, "{\"amount\": 21.65, \"currency\": \"USD\", "
                                "\"rate\": 1.0825, \"date\": \"2026-11-24\"}");
    MICA_EXPECT_FETCHED(outcome, "GET " LATEST);
    MICA_EXPECT_SENT(outcome, LATEST, NULL);
    mica_mock_close(mock);
}

MICA_TEST(comes_to_the_same_end_wherever_it_is_cut_off)
{
    struct mica_mock *mock = mica_mock_open();

    mica_mock_fetch(mock, "GET", LATEST, 200, GOOD);
    MICA_EXPECT_OK(
        mica_replay_tool(&mica_tool_exchange_rate, EUROS, mock, NULL));
    mica_mock_close(mock);
}

MICA_TEST(says_that_a_currency_has_no_rate)
{
    struct mica_mock *mock = mica_mock_open();

    MICA_EXPECT_FAILS(run_with(mock, 404, "{\"message\":\"not found\"}"),
                      "UNKNOWN_CURRENCY");
    mica_mock_close(mock);
}

MICA_TEST(says_that_the_rates_cannot_be_had)
{
    struct mica_mock *mock = mica_mock_open();

    MICA_EXPECT_FAILS(run_with(mock, 500, NULL), "RATES_UNAVAILABLE");
    mica_mock_close(mock);
}

MICA_TEST(hands_on_a_time_out_and_an_answer_that_is_no_json)
{
    struct mica_mock *mock = mica_mock_open();

    MICA_EXPECT_FAILS(run_with(mock, 200, "<html>"), "FETCH_BAD_ANSWER");
    mica_mock_close(mock);
    mock = mica_mock_open();
    mica_mock_fetch_fails(mock, "GET", LATEST, MICA_E_FETCH_TIME);
    MICA_EXPECT_FAILS(mica_run_tool(&mica_tool_exchange_rate, EUROS, mock),
                      "FETCH_TIMEOUT");
    mica_mock_close(mock);
}

MICA_TEST(sends_nothing_for_one_currency)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome = mica_run_tool(
        &mica_tool_exchange_rate,
        "{\"amount\": 20, \"from\": \"EUR\", \"to\": \"EUR\"}", mock);

    MICA_EXPECT_FAILS(outcome, "SAME_CURRENCY");
    MICA_EXPECT_FETCHED(outcome, "");
    mica_mock_close(mock);
}

MICA_TEST_MAIN
