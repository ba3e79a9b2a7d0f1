// SPDX-License-Identifier: Apache-2.0
//
// Calls that cannot continue: each turn ends its process, or another mica has kept
// them. And questions that could lose a part of what they are about.
#include "test_server_askers.h"

// ---- Calls that end their process --------------------------------------------------------

static void
ck_crashed(const char *words)
{
    ck_assert_msg(strstr(harness.reply, "\"isError\":true") != NULL, "%s",
                  harness.reply);
    ck_says("/result/content/0/text",
            "CALL_CRASHED: the server has ended 5 times in the middle of this "
            "call");
    ck_says("/result/content/0/text", words);
}

// What a person approves is all that the handler has.
START_TEST(a_question_shows_what_stands_behind_a_nul)
{
    call("'name':'two_rounds'", NULL, NULL);
    ck_asks("who");
    call("'name':'two_rounds'", NAMED("Ada\\u0000 and Eve"), state);
    ck_asks("sure");
    ck_at("/result/inputRequests/sure/params/message",
          "'Sure, Ada\\u0000 and Eve?'");
    call("'name':'two_rounds'", YES, state);
    ck_at("/result/content/0/text", "'Ada\\u0000 and Eve: yes'");
}
END_TEST

START_TEST(a_call_that_ends_its_process_each_time_ends)
{
    char id[MICA_CALL_ID_SIZE];

    call("'name':'phases'", NULL, NULL);
    keep_state();
    strcpy(id, only_call());
    lose(id, 5);
    call("'name':'phases'", YES, state);
    ck_crashed("the last that is known to be done is \\\"before\\\"");
    ck_crashed("no clean-up has run");
    ck_assert_int_eq(clients, 1);
    ck_assert_int_eq(afters + cleaned, 0);
    // It has ended: as any other call.
    call("'name':'phases'", YES, state);
    ck_crashed("\\\"before\\\"");
    call("'name':'phases'", NO, state);
    ck_error("-32602", "STATE_SUPERSEDED", "1");
    mica_arena_reset(&harness.arena);
    ck_assert_int_eq(stored(id, &harness.arena).state, MICA_CALL_COMPLETED);
    // What it had done is still to be seen.
    ck_assert_uint_gt(stored(id, &harness.arena).journal.len, 40);
}
END_TEST

START_TEST(a_call_that_ends_its_process_while_nobody_asks_ends)
{
    char id[MICA_CALL_ID_SIZE];

    call("'name':'phases'", NULL, NULL);
    keep_state();
    strcpy(id, only_call());
    lose(id, 5);
    resume(id, MICA_OK);
    ck_assert_int_eq(clients, 1);
    mica_arena_reset(&harness.arena);
    ck_assert_uint_gt(stored(id, &harness.arena).journal.len, 40);
    call("'name':'phases'", YES, state);
    ck_crashed("\\\"before\\\"");
    ck_assert_int_eq(afters + cleaned, 0);
}
END_TEST

START_TEST(a_call_that_goes_on_may_be_lost_as_often_again)
{
    char id[MICA_CALL_ID_SIZE];

    say("tools/call", "'name':'two_rounds'", NULL, NULL, KEY("k1"));
    keep_state();
    strcpy(id, only_call());
    lose(id, 4);
    call("'name':'two_rounds'", NAMED("Ada"), state);
    ck_asks("sure");
    mica_arena_reset(&harness.arena);
    ck_assert_uint_eq(stored(id, &harness.arena).lost_claims, 0);
    lose(id, 4);
    call("'name':'two_rounds'", YES, state);
    ck_at("/result/content/0/text", "'Ada: yes'");
}
END_TEST

// ---- Journals of another mica ----------------------------------------------------------

static struct mica_text
other_version(struct mica_text journal)
{
    char *bytes = mica_arena_alloc(&harness.arena, journal.len);

    memcpy(bytes, journal.ptr, journal.len);
    ck_assert_int_eq(bytes[2], MICA_JOURNAL_VERSION);
    bytes[2] = MICA_JOURNAL_VERSION - 1;
    return (struct mica_text){bytes, journal.len};
}

// As an older mica has kept it.
static void
keep_as_other_version(const char *id)
{
    struct mica_kept_call call_;
    struct mica_error error;

    mica_arena_reset(&harness.arena);
    ck_assert_int_eq(mica_store_call_claim(kept.store, mica_text(id), NULL,
                                           clock_ms, 1000, &harness.arena,
                                           &error, &call_),
                     MICA_OK);
    call_.journal = other_version(call_.journal);
    ck_assert_int_eq(mica_store_call_commit(
                         kept.store, &call_, (struct mica_text){NULL, 0},
                         (struct mica_text){NULL, 0}, clock_ms, 0, &error),
                     MICA_OK);
}

START_TEST(a_kept_call_of_another_mica_is_refused_and_ends)
{
    char id[MICA_CALL_ID_SIZE];

    call("'name':'phases'", NULL, NULL);
    keep_state();
    strcpy(id, only_call());
    keep_as_other_version(id);
    call("'name':'phases'", YES, state);
    ck_error("-32602", "STATE_INVALID", "1");
    ck_says("/error/message", "its journal has version 1");
    clock_ms += 11 * 60 * 1000;
    resume(id, MICA_OK);
    call("'name':'phases'", YES, state);
    ck_assert_msg(strstr(harness.reply, "isError") != NULL, "%s",
                  harness.reply);
    ck_says("/result/content/0/text", "STATE_INVALID: the call was begun by");
    ck_assert_int_eq(afters + cleaned, 0); // no process can run its handler
    mica_arena_reset(&harness.arena);
    ck_assert_uint_gt(stored(id, &harness.arena).journal.len, 40);
}
END_TEST

START_TEST(a_carried_call_of_another_mica_is_refused)
{
    struct mica_error error;
    struct mica_state opened;
    struct mica_text text;

    call("'name':'two_rounds'", NULL, NULL);
    ck_asks("who");
    ck_assert_int_eq(
        mica_state_open(&harness.message, mica_text(state), &error, &opened),
        MICA_OK);
    opened.journal = other_version(opened.journal);
    ck_assert_int_eq(mica_state_seal(&harness.message, &opened, &error, &text),
                     MICA_OK);
    snprintf(state, sizeof state, "%.*s", MICA_ARG(text));
    call("'name':'two_rounds'", NAMED("Ada"), state);
    ck_error("-32602", "STATE_INVALID", "1");
    ck_says("/error/message", "its journal has version 1");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("lost calls");
    TCase *lost = tcase_create("lost");

    tcase_add_checked_fixture(lost, open_rounds, close_kept);
    suite_add_tcase(suite, lost);
    tcase_add_test(lost, a_question_shows_what_stands_behind_a_nul);
    tcase_add_test(lost, a_call_that_ends_its_process_each_time_ends);
    tcase_add_test(lost, a_call_that_ends_its_process_while_nobody_asks_ends);
    tcase_add_test(lost, a_call_that_goes_on_may_be_lost_as_often_again);
    tcase_add_test(lost, a_kept_call_of_another_mica_is_refused_and_ends);
    tcase_add_test(lost, a_carried_call_of_another_mica_is_refused);
    return run_suite(suite);
}
