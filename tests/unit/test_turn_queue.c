// SPDX-License-Identifier: Apache-2.0
//
// What the turn queue takes and what it refuses, with calls that are always
// busy, so that all that is brought stays.
#include <stdlib.h>

#include <mica/store.h>

#include "call/journal.h"
#include "fixture.h"
#include "serve/turn_queue.h"

static struct {
    struct mica_server *server;
    struct mica_store *store;
    struct mica_workers *workers;
    struct mica_turn_queue *turn_queue;
    struct mica_calls calls;
    struct mica_error error;
} host;

static atomic_bool ended_calls; // or else they are busy, or
static atomic_bool no_build;    // of a build that is not here
static atomic_uint looks;

static enum mica_status
take_none(void *data, struct mica_text id, const struct mica_text *session,
          struct mica_arena *arena, struct mica_error *error,
          struct mica_kept_call *call_out, enum mica_status *ending_out)
{
    (void)data;
    (void)session;
    (void)arena;
    (void)call_out;
    *ending_out = MICA_OK;
    atomic_fetch_add(&looks, 1);
    if (atomic_load(&no_build))
        return mica_error_set(error, MICA_E_STRANDED, "", "it is not here");
    if (atomic_load(&ended_calls))
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "it has ended");
    return mica_error_set(error, MICA_E_CALL_BUSY, "", "%.*s", MICA_ARG(id));
}

static bool
ended(void *data, struct mica_queued_turn *turn)
{
    (void)data;
    (void)turn;
    return false;
}

static void
begin(void)
{
    struct mica_turn_queue_options options = {.on_ended = ended};

    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(mica_store_open("memory", NULL, &host.error, &host.store),
                     MICA_OK);
    ck_assert_int_eq(
        mica_server_use_store(host.server, host.store, &host.error), MICA_OK);
    host.calls = *host.server->calls;
    host.calls.claim_for_turn = take_none;
    host.server->calls = &host.calls;
    ck_assert_int_eq(mica_workers_open(2, 64, &host.error, &host.workers),
                     MICA_OK);
    options.server = host.server;
    options.workers = host.workers;
    ck_assert_int_eq(
        mica_turn_queue_open(&options, &host.error, &host.turn_queue), MICA_OK);
}

static void
finish(void)
{
    mica_turn_queue_stop(host.turn_queue);
    ck_assert(mica_workers_close(&host.workers, UNIT_PATIENCE_MS));
    mica_turn_queue_close(&host.turn_queue);
    mica_server_close(&host.server);
    mica_store_close(&host.store);
}

// What became of answers.
static atomic_int kept, lost;

static void
tell(void *data, enum mica_status status)
{
    ck_assert_ptr_eq(data, &host);
    atomic_fetch_add(status == MICA_OK ? &kept : &lost, 1);
}

// An answer of so many bytes to the call, in the session (a letter).
static bool
answer(unsigned call, char session, size_t bytes)
{
    static char text[MICA_JOURNAL_BYTES + 1];
    const struct mica_json raw = {.kind = MICA_JSON_OBJECT,
                                  .raw = {text, bytes}};
    struct mica_resume_cause why = {.answer = &raw};
    char id[32], key[32];

    memset(key, session, sizeof key);
    why.call = (struct mica_text){
        id, (size_t)snprintf(id, sizeof id, "call-%c-%u", session, call)};
    return mica_turn_queue_resume(host.turn_queue, &why,
                                  (struct mica_text){key, sizeof key},
                                  &(struct mica_answer_listener){tell, &host});
}

static bool
disconnect(unsigned call)
{
    struct mica_resume_cause why = {.ending = MICA_E_DISCONNECTED};
    char id[32];

    why.call =
        (struct mica_text){id, (size_t)snprintf(id, sizeof id, "due-%u", call)};
    return mica_turn_queue_resume(host.turn_queue, &why,
                                  (struct mica_text){NULL, 0}, NULL);
}

START_TEST(no_call_and_no_session_has_all_turns_and_answers_leave_some)
{
    const unsigned answers = MICA_TURN_QUEUE_TURNS - MICA_TURN_QUEUE_RESERVED;
    unsigned taken = 0;

    begin();
    for (unsigned i = 0; i < MICA_TURN_QUEUE_CALL_TURNS; i++)
        ck_assert(answer(0, 'a', 2));
    ck_assert(!answer(0, 'a', 2));
    for (unsigned i = MICA_TURN_QUEUE_CALL_TURNS;
         i < MICA_TURN_QUEUE_SESSION_TURNS; i++)
        ck_assert(answer(i, 'a', 2));
    ck_assert(!answer(MICA_TURN_QUEUE_SESSION_TURNS, 'a', 2));
    taken = MICA_TURN_QUEUE_SESSION_TURNS;
    for (char session = 'b'; taken < answers; session++)
        for (unsigned i = 0;
             i < MICA_TURN_QUEUE_SESSION_TURNS && taken < answers; i++, taken++)
            ck_assert(answer(i, session, 2));
    ck_assert(!answer(0, 'z', 2));
    for (unsigned i = 0; i < MICA_TURN_QUEUE_RESERVED; i++)
        ck_assert(disconnect(i));
    ck_assert(!disconnect(MICA_TURN_QUEUE_RESERVED));
    ck_assert_uint_eq(mica_turn_queue_counts(host.turn_queue).turns,
                      MICA_TURN_QUEUE_TURNS);
    ck_assert_uint_eq(mica_turn_queue_counts(host.turn_queue).bytes,
                      answers * 2);
    ck_assert_uint_eq(mica_turn_queue_counts(host.turn_queue).refused, 4);
    finish();
}
END_TEST

START_TEST(answers_have_a_limit_of_bytes_for_a_session_and_for_all)
{
    const unsigned share = MICA_TURN_QUEUE_SESSION_BYTES / MICA_JOURNAL_BYTES;
    size_t taken = 0;

    begin();
    for (char session = 'a'; taken < MICA_TURN_QUEUE_BYTES; session++) {
        for (unsigned i = 0; i < share; i++)
            ck_assert(answer(i, session, MICA_JOURNAL_BYTES));
        ck_assert(!answer(share, session, 2));
        taken += MICA_TURN_QUEUE_SESSION_BYTES;
    }
    ck_assert(!answer(0, 'z', 2));
    ck_assert(disconnect(0));
    ck_assert_uint_eq(mica_turn_queue_counts(host.turn_queue).bytes, taken);
    finish();
}
END_TEST

START_TEST(an_answer_that_no_journal_holds_is_not_held)
{
    begin();
    ck_assert(answer(0, 'a', MICA_JOURNAL_BYTES + 1));
    ck_assert_uint_lt(mica_turn_queue_counts(host.turn_queue).bytes, 200);
    ck_assert_uint_eq(mica_turn_queue_counts(host.turn_queue).large, 1);
    finish();
}
END_TEST

START_TEST(who_brings_an_answer_is_told_once_what_became_of_it)
{
    begin();
    for (unsigned i = 0; i < MICA_TURN_QUEUE_CALL_TURNS; i++)
        ck_assert(answer(0, 'a', 2));
    ck_assert(answer(1, 'a', 2));
    ck_assert(!answer(0, 'a', 2)); // and none of this one
    unit_sleep(100);
    ck_assert_int_eq(atomic_load(&kept) + atomic_load(&lost), 0);
    atomic_store(&ended_calls, true);
    fixture_await(&kept, MICA_TURN_QUEUE_CALL_TURNS + 1);
    atomic_store(&ended_calls, false);
    ck_assert(answer(2, 'a', 2));
    ck_assert(answer(2, 'a', 2));
    unit_sleep(100);
    finish();
    ck_assert_int_eq(atomic_load(&kept), MICA_TURN_QUEUE_CALL_TURNS + 1);
    ck_assert_int_eq(atomic_load(&lost), 2);
}
END_TEST

// A tool that was edited is built in a moment.
START_TEST(an_answer_waits_for_the_build_of_its_call)
{
    int before;

    begin();
    atomic_store(&no_build, true);
    atomic_store(&looks, 0);
    before = atomic_load(&kept);
    ck_assert(answer(0, 'a', 2));
    UNIT_AWAIT(atomic_load(&looks) >= 3);
    ck_assert_int_eq(atomic_load(&kept), before);
    atomic_store(&ended_calls, true);
    atomic_store(&no_build, false);
    fixture_await(&kept, before + 1);
    ck_assert_uint_eq(mica_turn_queue_counts(host.turn_queue).lost, 0);
    atomic_store(&ended_calls, false);
    finish();
}
END_TEST

UNIT_MAIN("turn queue", an_answer_waits_for_the_build_of_its_call,
          who_brings_an_answer_is_told_once_what_became_of_it,
          no_call_and_no_session_has_all_turns_and_answers_leave_some,
          answers_have_a_limit_of_bytes_for_a_session_and_for_all,
          an_answer_that_no_journal_holds_is_not_held)
