// SPDX-License-Identifier: Apache-2.0
//
// deploy_approval: one build, one deployment and one notice, wherever its process
// dies, and an environment that is unlocked, whichever way the call ends.
#include "../../tools/lib/deploys.h"
#include "rows.h"

extern const struct mica_tool mica_tool_deploy_approval;

#define ARGUMENTS                                     \
    "{\"service\": \"shop\", \"version\": \"1.4.2\"," \
    " \"environment\": \"production\"}"
#define GOLDEN "tests/tools/deploy_approval.json"

// What is there now of each.
struct state {
    int builds, deployments, notices, locks;
};

static void
must_have(struct mica_mock *mock, const struct state *state)
{
    const struct {
        const char *sql;
        int count;
    } tables[] = {{"SELECT count(*) FROM builds", state->builds},
                  {"SELECT count(*) FROM deployments", state->deployments},
                  {"SELECT count(*) FROM notices", state->notices},
                  {"SELECT count(*) FROM locks", state->locks}};

    for (size_t i = 0; i < MICA_COUNT(tables); i++)
        MICA_EXPECT_INT_EQ(rows(mock, "deploys", tables[i].sql),
                           tables[i].count);
}

static const struct state deployed = {1, 1, 1, 0}, only_built = {1, 0, 0, 0};

// ---- How it can end ----------------------------------------------------------------

MICA_TEST(deploys_what_was_approved)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    mica_mock_accept(mock, "approval",
                     "{\"approved\": true, \"note\": \"go\","
                     " \"strategy\": \"all-at-once\"}");
    outcome = mica_run_tool(&mica_tool_deploy_approval, ARGUMENTS, mock);
    MICA_EXPECT_RESULT(outcome, "{\"outcome\": \"deployed\", \"build\": 1,"
                                " \"deployment\": 1, \"note\": \"go\"}");
    MICA_EXPECT_ASKED(outcome, "approval");
    MICA_EXPECT_MESSAGE(outcome, "approval",
                        "Build 1 of shop 1.4.2 is ready. Deploy it to "
                        "production?");
    MICA_EXPECT_PROGRESS(outcome, "1 built\n2 deployed");
    MICA_EXPECT_INT_EQ(rows(mock, "deploys",
                            "SELECT count(*) FROM deployments"
                            " WHERE strategy = 'all-at-once'"),
                       1);
    must_have(mock, &deployed);
    mica_mock_close(mock);
}

// Says no in either way that there is.
MICA_TEST(deploys_nothing_that_was_rejected)
{
    for (int way = 0; way < 2; way++) {
        struct mica_mock *mock = mica_mock_open();
        const struct mica_outcome *outcome;

        if (way == 0)
            mica_mock_decline(mock, "approval");
        else
            mica_mock_accept(mock, "approval", "{\"approved\": false}");
        outcome = mica_run_tool(&mica_tool_deploy_approval, ARGUMENTS, mock);
        MICA_EXPECT_RESULT(outcome, "{\"outcome\": \"rejected\", \"build\": 1,"
                                    " \"note\": \"\"}");
        must_have(mock, &only_built);
        mica_mock_close(mock);
    }
}

MICA_TEST(shows_a_closed_form_again_and_then_gives_up)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;

    for (int i = 0; i < 3; i++)
        mica_mock_dismiss(mock, "approval");
    outcome = mica_run_tool(&mica_tool_deploy_approval, ARGUMENTS, mock);
    MICA_EXPECT_ASKED(outcome, "approval approval#2 approval#3");
    MICA_EXPECT_RESULT(outcome, "{\"outcome\": \"unanswered\", \"build\": 1,"
                                " \"note\": \"\"}");
    must_have(mock, &only_built);
    mica_mock_close(mock);
}

// No client is left to answer; the clean-up still runs.
MICA_TEST(unlocks_whichever_way_the_call_ends)
{
    static const char *const codes[] = {"TIMEOUT", "DISCONNECTED", "CANCELLED",
                                        "CLIENT_ERROR"};

    for (size_t i = 0; i < MICA_COUNT(codes); i++) {
        struct mica_mock *mock = mica_mock_open();
        const struct mica_outcome *outcome;

        if (i == 0)
            mica_mock_silent(mock, "approval");
        else if (i == 1)
            mica_mock_disconnect(mock, "approval");
        else if (i == 2)
            mica_mock_cancel(mock, "approval");
        else
            mica_mock_error(mock, "approval", "no");
        outcome = mica_run_tool(&mica_tool_deploy_approval, ARGUMENTS, mock);
        MICA_EXPECT_FAILS(outcome, codes[i]);
        must_have(mock, &only_built);
        mica_mock_close(mock);
    }
}

// Another call has the lock until a time: how does this call end?
static void
ends_beside(int64_t until_ms, const char *code, bool asks)
{
    struct mica_mock *mock = mica_mock_open();
    const struct mica_outcome *outcome;
    struct mica_error error;
    void *deploys = NULL;

    MICA_EXPECT(deploys_service.open(mica_mock_folder(mock), &error,
                                     &deploys) == MICA_OK);
    MICA_EXPECT(deploys_lock(deploys, MICA_LITERAL("production"),
                             MICA_LITERAL("another person"), 0, until_ms,
                             &error) == MICA_OK);
    mica_mock_service(mock, "deploys", deploys);
    if (asks)
        mica_mock_decline(mock, "approval");
    outcome = mica_run_tool(&mica_tool_deploy_approval, ARGUMENTS, mock);
    MICA_EXPECT_TEXT_EQ(outcome->code, code);
    deploys_service.close(deploys);
    mica_mock_close(mock);
}

MICA_TEST(is_refused_while_another_deploys_to_the_same_place)
{
    ends_beside(INT64_MAX, "ENVIRONMENT_LOCKED", false);
}

MICA_TEST(does_not_wait_for_what_was_lost_for_good)
{
    ends_beside(1, "OK", true);
}

// ---- Processes that die ------------------------------------------------------------

static void
must_have_deployed(struct mica_mock *mock, const struct mica_outcome *outcome,
                   void *data)
{
    (void)data;
    MICA_EXPECT_OK(outcome);
    must_have(mock, &deployed);
}

static void
must_have_built(struct mica_mock *mock, const struct mica_outcome *outcome,
                void *data)
{
    (void)data;
    MICA_EXPECT_OK(outcome);
    must_have(mock, &only_built);
}

MICA_TEST(deploys_once_wherever_its_process_dies)
{
    const struct mica_replay once = {.end = must_have_deployed};
    struct mica_mock *mock = mica_mock_open();

    mica_mock_dismiss(mock, "approval");
    mica_mock_accept(mock, "approval", "{\"approved\": true}");
    mica_replay_tool(&mica_tool_deploy_approval, ARGUMENTS, mock, &once);
    mica_mock_close(mock);
}

MICA_TEST(unlocks_wherever_its_process_dies)
{
    const struct mica_replay never = {.end = must_have_built};
    struct mica_mock *mock = mica_mock_open();

    mica_mock_decline(mock, "approval");
    mica_replay_tool(&mica_tool_deploy_approval, ARGUMENTS, mock, &never);
    mica_mock_close(mock);
}

MICA_TEST(calls_that_are_open_when_it_is_installed_continue)
{
    struct mica_mock *mock = mica_mock_open();

    mica_mock_accept(mock, "approval", "{\"approved\": true}");
    mica_run_tool(&mica_tool_deploy_approval, ARGUMENTS, mock);
    mica_golden(mock, GOLDEN);
    mica_mock_close(mock);
}

MICA_TEST_MAIN
