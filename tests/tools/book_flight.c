// SPDX-License-Identifier: Apache-2.0
//
// book_flight as its clients meet it: every way in which the conversation can end,
// and never two bookings, wherever its process dies.
#include <mica/test.h>

#include <stdio.h>

extern const struct mica_tool mica_tool_book_flight;

#define ARGUMENTS "{\"destination\": \"Lisbon\", \"date\": \"2026-12-01\"}"
#define PICK      "{\"flightId\": \"" FLIGHT "\", \"seatPreference\": \"window\"}"
#define FLIGHT    "MC160"
#define GOLDEN    "tests/tools/book_flight.json"

// ---- What is in the database -------------------------------------------------------

// One number out of the database of the tool.
static void
must_count(struct mica_mock *mock, const char *from, int number)
{
    char sql[200], rows[64];

    (void)snprintf(sql, sizeof sql, "SELECT count(*) AS count FROM %s", from);
    (void)snprintf(rows, sizeof rows, "[{\"count\": %d}]", number);
    MICA_EXPECT_ROWS(mock, &mica_tool_book_flight, sql, rows);
}

#define SESSIONS(status) "sessions WHERE status = '" status "'"

static void
answer_all(struct mica_mock *mock)
{
    mica_mock_accept(mock, "selection", PICK);
    mica_mock_say(mock, "summary", "Flight " FLIGHT " to Lisbon, by a window.");
    mica_mock_accept(mock, "confirmation", "{\"confirmed\": true}");
}

// ---- How it can end ----------------------------------------------------------------

MICA_TEST(books_what_was_picked_and_confirmed)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    answer_all(mock);
    outcome = mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
    MICA_EXPECT_SAYS(outcome, "Booked flight B000001");
    MICA_EXPECT_ASKED(outcome, "selection summary confirmation");
    MICA_EXPECT_MESSAGE(outcome, "selection", "flights to Lisbon. Pick one:");
    MICA_EXPECT_MESSAGE(outcome, "confirmation",
                        "Flight " FLIGHT
                        " to Lisbon, by a window.\n\nConfirm this booking?");
    MICA_EXPECT_PARAM(outcome, "summary", "/messages/0/content/text",
                      "\"Summarize in one sentence: flight " FLIGHT
                      " to Lisbon, seat: window.\"");
    must_count(mock, "bookings", 1);
    must_count(mock, SESSIONS("confirmed"), 1);
    MICA_EXPECT_ROWS(mock, &mica_tool_book_flight,
                     "SELECT flight, seat FROM bookings",
                     "[{\"flight\": \"" FLIGHT "\", \"seat\": \"window\"}]");
    mica_mock_close(mock);
}

MICA_TEST(lists_flights_with_their_times_and_prices)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_decline(mock, "selection");
    outcome = mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
    MICA_EXPECT_PARAM(outcome, "selection", "/requestedSchema/required",
                      "[\"flightId\"]");
    MICA_EXPECT_PARAM(outcome, "selection",
                      "/requestedSchema/properties/seatPreference/default",
                      "\"none\"");
    MICA_EXPECT_LOGS(outcome, "info: Found 3 flights");
    mica_mock_close(mock);
}

// One answer to the selection, and what it comes to.
static void
ends_with(bool dismiss, const char *text)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    if (dismiss)
        mica_mock_dismiss(mock, "selection");
    else
        mica_mock_decline(mock, "selection");
    outcome = mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
    MICA_EXPECT_SAYS(outcome, text);
    MICA_EXPECT_ASKED(outcome, "selection");
    must_count(mock, "bookings", 0);
    must_count(mock, SESSIONS("cancelled"), 1);
    mica_mock_close(mock);
}

MICA_TEST(books_nothing_when_the_choice_is_declined)
{
    ends_with(false, "Booking cancelled: user_declined");
}

MICA_TEST(books_nothing_when_the_choice_is_closed)
{
    ends_with(true, "Booking cancelled: user_dismissed");
}

// Three ways of not confirming.
MICA_TEST(books_nothing_without_a_confirmation)
{
    for (int way = 0; way < 3; way++) {
        struct mica_mock *mock = mica_mock_open();
        const struct mica_outcome *outcome;

        mica_mock_accept(mock, "selection", PICK);
        mica_mock_say(mock, "summary", "A flight.");
        if (way == 0)
            mica_mock_accept(mock, "confirmation", "{\"confirmed\": false}");
        else if (way == 1)
            mica_mock_decline(mock, "confirmation");
        else
            mica_mock_dismiss(mock, "confirmation");
        outcome = mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
        MICA_EXPECT_SAYS(outcome, "Booking cancelled: not_confirmed");
        must_count(mock, "bookings", 0);
        must_count(mock, SESSIONS("cancelled"), 1);
        mica_mock_close(mock);
    }
}

// ---- Clients that do not answer as they should --------------------------------------

MICA_TEST(asks_again_for_a_flight_that_there_is_not)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_accept(mock, "selection", "{\"flightId\": \"XX999\"}");
    mica_mock_accept(mock, "selection", "{}");
    answer_all(mock);
    outcome = mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
    MICA_EXPECT_SAYS(outcome, "Booked flight B000001");
    MICA_EXPECT_ASKED(outcome,
                      "selection selection#2 selection#3 summary confirmation");
    MICA_EXPECT_MESSAGE(outcome, "selection#2", "flightId");
    mica_mock_close(mock);
}

MICA_TEST(fails_when_the_client_does_not_answer)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_silent(mock, "selection");
    outcome = mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
    MICA_EXPECT_FAILS(outcome, "TIMEOUT");
    mica_mock_close(mock);
}

MICA_TEST(fails_when_the_client_is_gone)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_accept(mock, "selection", PICK);
    mica_mock_disconnect(mock, "summary");
    outcome = mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
    MICA_EXPECT_FAILS(outcome, "DISCONNECTED");
    must_count(mock, "bookings", 0);
    must_count(mock, SESSIONS("cancelled"), 1);
    mica_mock_close(mock);
}

MICA_TEST(fails_when_the_model_does)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_accept(mock, "selection", PICK);
    mica_mock_error(mock, "summary", "no model is configured");
    outcome = mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
    MICA_EXPECT_FAILS(outcome, "CLIENT_ERROR");
    must_count(mock, "bookings", 0);
    mica_mock_close(mock);
}

MICA_TEST(is_refused_to_clients_that_cannot_be_asked)
{
    static const unsigned clients[] = {0, MICA_ELICITATION, MICA_SAMPLING};

    for (size_t i = 0; i < MICA_COUNT(clients); i++) {
        struct mica_mock *mock = mica_mock_open();
        const struct mica_outcome *outcome;

        mica_mock_declare(mock, clients[i]);
        outcome = mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
        MICA_EXPECT_FAILS(outcome, "CAPABILITY_MISSING");
        MICA_EXPECT_ASKED(outcome, "");
        must_count(mock, "sessions", 0);
        mica_mock_close(mock);
    }
}

MICA_TEST(is_the_same_for_clients_of_every_revision)
{
    static const enum mica_era eras[] = {
        MICA_ERA_2026_07_28, MICA_ERA_2025_11_25, MICA_ERA_2025_06_18};

    for (size_t i = 0; i < MICA_COUNT(eras); i++) {
        struct mica_mock *mock = mica_mock_open();
        const struct mica_outcome *outcome;

        mica_mock_era(mock, eras[i]);
        answer_all(mock);
        outcome = mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
        MICA_EXPECT_SAYS(outcome, "Booked flight B000001");
        MICA_EXPECT_LOGS(outcome, "info: Found 3 flights");
        MICA_EXPECT_PARAM(outcome, "confirmation", "/mode",
                          eras[i] == MICA_ERA_2025_06_18 ? NULL : "\"form\"");
        mica_mock_close(mock);
    }
}

// ---- Processes that die ------------------------------------------------------------

static void
must_have_booked_once(struct mica_mock *mock,
                      const struct mica_outcome *outcome, void *data)
{
    (void)data;
    MICA_EXPECT_SAYS(outcome, "Booked flight B000001");
    must_count(mock, "bookings", 1);
    must_count(mock, "sessions", 1);
    must_count(mock, SESSIONS("confirmed"), 1);
}

static void
must_have_cancelled(struct mica_mock *mock, const struct mica_outcome *outcome,
                    void *data)
{
    (void)data;
    MICA_EXPECT_SAYS(outcome, "Booking cancelled: not_confirmed");
    must_count(mock, "bookings", 0);
    must_count(mock, SESSIONS("cancelled"), 1);
}

MICA_TEST(books_once_wherever_its_process_dies)
{
    static const enum mica_era eras[] = {MICA_ERA_2026_07_28,
                                         MICA_ERA_2025_11_25};
    const struct mica_replay once = {.end = must_have_booked_once};

    for (size_t i = 0; i < MICA_COUNT(eras); i++) {
        struct mica_mock *mock = mica_mock_open();

        mica_mock_era(mock, eras[i]);
        answer_all(mock);
        mica_replay_tool(&mica_tool_book_flight, ARGUMENTS, mock, &once);
        mica_mock_close(mock);
    }
}

MICA_TEST(cancels_wherever_its_process_dies)
{
    const struct mica_replay never = {.end = must_have_cancelled};
    struct mica_mock *mock = mica_mock_open();

    mica_mock_accept(mock, "selection", PICK);
    mica_mock_say(mock, "summary", "A flight.");
    mica_mock_decline(mock, "confirmation");
    mica_replay_tool(&mica_tool_book_flight, ARGUMENTS, mock, &never);
    mica_mock_close(mock);
}

MICA_TEST(calls_that_are_open_when_it_is_installed_continue)
{
    struct mica_mock *mock = mica_mock_open();

    answer_all(mock);
    mica_run_tool(&mica_tool_book_flight, ARGUMENTS, mock);
    mica_golden(mock, GOLDEN);
    mica_mock_close(mock);
}

MICA_TEST_MAIN
