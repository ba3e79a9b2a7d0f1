// SPDX-License-Identifier: Apache-2.0
//
// Handlers that ask, over the messages of the stateless revision: rounds that are
// carried and rounds that are kept.
#include "test_server_askers.h"

// ---- Carried rounds ------------------------------------------------------------------

// [MRTR-RESULT] [MRTR-RETRY]
START_TEST(a_tool_asks_in_rounds_and_ends)
{
    char first[sizeof state];

    call("'name':'two_rounds'", NULL, NULL);
    ck_asks("who");
    ck_at("/result/inputRequests/who/method", "'elicitation/create'");
    ck_at("/result/inputRequests/who/params/message", "'Who are you?'");
    ck_at("/result/inputRequests/who/params/requestedSchema/required",
          "['name']");
    ck_at("/result/ttlMs", "(absent)");
    strcpy(first, state);
    call("'name':'two_rounds'", NAMED("Ada"), state);
    ck_asks("sure");
    ck_at("/result/inputRequests/sure/params/message", "'Sure, Ada?'");
    ck_at("/result/inputRequests/who", "(absent)");
    ck_assert_str_ne(first, state);
    call("'name':'two_rounds'", YES, state);
    ck_at("/result/resultType", "'complete'");
    ck_at("/result/content/0/text", "'Ada: yes'");
    ck_assert_int_eq(turns, 3);
}
END_TEST

START_TEST(answers_may_come_in_one_shot_without_state)
{
    call("'name':'two_rounds'",
         "{'who':{'action':'accept','content':{'name':'Ada'}},"
         "'sure':{'action':'accept','content':{'yes':false}},"
         "'else':{'action':'accept'}}",
         NULL);
    ck_at("/result/content/0/text", "'Ada: no'");
}
END_TEST

START_TEST(what_is_missing_is_asked_for_again)
{
    call("'name':'two_rounds'", "{'wrong_key':{'action':'accept'}}", NULL);
    ck_asks("who");
    call("'name':'two_rounds'", "{}", state);
    ck_asks("who");
    call("'name':'two_rounds'", NULL, state);
    ck_asks("who");
}
END_TEST

START_TEST(an_invalid_answer_is_asked_for_again_with_its_fault)
{
    call("'name':'two_rounds'", NULL, NULL);
    keep_state();
    call("'name':'two_rounds'",
         "{'who':{'action':'accept','content':{'name':''}}}", state);
    ck_asks("who#2");
    ck_says("/result/inputRequests/who#2/params/message", "name");
    call("'name':'two_rounds'",
         "{'who#2':{'action':'accept','content':{'name':'Ada'}}}", state);
    ck_asks("sure");
}
END_TEST

START_TEST(answers_of_a_wrong_shape_are_refused)
{
    call("'name':'two_rounds'", "null", NULL);
    ck_error("-32602", "WRONG_TYPE", "1");
    call("'name':'two_rounds'", "[]", NULL);
    ck_error("-32602", "WRONG_TYPE", "1");
    call("'name':'two_rounds'", NULL, NULL);
    keep_state();
    call("'name':'two_rounds'", "{'who':12345}", state);
    ck_error("-32602", "WRONG_TYPE", "1");
}
END_TEST

START_TEST(a_refusal_ends_the_call_with_its_code)
{
    call("'name':'two_rounds'", "{'who':{'action':'decline'}}", NULL);
    ck_at("/result/isError", "true");
    ck_says("/result/content/0/text", "ELICITATION_DECLINED: ");
    call("'name':'two_rounds'", "{'who':{'action':'cancel'}}", NULL);
    ck_says("/result/content/0/text", "ELICITATION_CANCELLED: ");
}
END_TEST

START_TEST(a_client_that_cannot_be_asked_is_told_what_it_lacks)
{
    stateless("tools/call", "by_model",
              quoted("{" V2 ",'id':'x','method':'tools/call','params':{"
                     "'name':'by_model','_meta':{"
                     "'" P_ "protocolVersion':'2026-07-28',"
                     "'" P_ "clientCapabilities':{'elicitation':{}}}}}"));
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32021", "CAPABILITY_MISSING", "'x'");
    ck_at("/error/data/requiredCapabilities", "{'sampling':{}}");
}
END_TEST

START_TEST(prompts_and_resources_ask_as_well)
{
    say("prompts/get", "'name':'asking'", NULL, NULL, NULL);
    ck_asks("who");
    say("prompts/get", "'name':'asking'", NAMED("Ada"), state, NULL);
    ck_at("/result/messages/0/content/text", "'Ada'");
    say("resources/read", "'uri':'test://asking'", NULL, NULL, NULL);
    ck_asks("who");
    say("resources/read", "'uri':'test://asking'", NAMED("Bob"), state, NULL);
    ck_at("/result/contents/0/text", "'Bob'");
}
END_TEST

// ---- requestState (guide section 12) ---------------------------------------------------

// [MRTR-STATE]
START_TEST(a_state_that_was_cut_or_changed_is_refused)
{
    char other[sizeof state];
    size_t length;

    call("'name':'two_rounds'", NULL, NULL);
    keep_state();
    length = strlen(state);
    for (size_t i = 0; i < length; i++) {
        memcpy(other, state, i);
        other[i] = '\0';
        call("'name':'two_rounds'", NAMED("Ada"), other);
        ck_error("-32602", "STATE_INVALID", "1");
        strcpy(other, state);
        other[i] = other[i] == 'A' ? 'B' : 'A';
        call("'name':'two_rounds'", NAMED("Ada"), other);
        ck_error("-32602", "STATE_INVALID", "1");
    }
    snprintf(other, sizeof other, "%.65000s-TAMPERED", state);
    call("'name':'two_rounds'", NAMED("Ada"), other);
    ck_error("-32602", "STATE_INVALID", "1");
    ck_assert_int_eq(turns, 1);
}
END_TEST

// [MRTR-BIND]
START_TEST(a_state_is_good_for_its_own_request_alone)
{
    call("'name':'two_rounds','arguments':{'about':'a','number':1}", NULL,
         NULL);
    keep_state();
    call("'name':'twin','arguments':{'about':'a','number':1}", NAMED("Ada"),
         state);
    ck_error("-32602", "STATE_INVALID", "1");
    call("'name':'two_rounds','arguments':{'about':'a','number':2}",
         NAMED("Ada"), state);
    ck_error("-32602", "STATE_INVALID", "1");
    call("'name':'two_rounds'", NAMED("Ada"), state);
    ck_error("-32602", "STATE_INVALID", "1");
    // Written anew, the arguments are the same.
    call("'name':'two_rounds','arguments':{ 'number':1.0, 'about':'\\u0061' }",
         NAMED("Ada"), state);
    ck_asks("sure");
}
END_TEST

START_TEST(a_state_becomes_too_old)
{
    call("'name':'two_rounds'", NULL, NULL);
    keep_state();
    clock_ms += 10 * 60 * 1000 - 1;
    call("'name':'two_rounds'", NAMED("Ada"), state);
    ck_asks("sure");
    clock_ms += 10 * 60 * 1000;
    call("'name':'two_rounds'", YES, state);
    ck_at("/result/isError", "true");
    ck_says("/result/content/0/text", "TIMEOUT: ");
    clock_ms += 24 * 60 * 60 * 1000 - 1;
    call("'name':'two_rounds'", YES, state);
    ck_says("/result/content/0/text", "TIMEOUT: ");
    clock_ms += 1;
    call("'name':'two_rounds'", YES, state);
    ck_error("-32602", "STATE_EXPIRED", "1");
    // Expired is what its own caller is told; of another request it is invalid.
    call("'name':'two_rounds','arguments':{'number':9}", YES, state);
    ck_error("-32602", "STATE_INVALID", "1");
}
END_TEST

// On the stateless revision: nothing but the state knows of the call.
START_TEST(a_late_answer_to_a_carried_call_runs_its_handler_with_a_timeout)
{
    int before;

    call("'name':'two_rounds'", NULL, NULL);
    keep_state();
    before = turns;
    clock_ms += 10 * 60 * 1000;
    call("'name':'two_rounds'", NAMED("Ada"), state);
    ck_at("/result/isError", "true");
    ck_says("/result/content/0/text", "TIMEOUT: ");
    ck_assert_int_eq(turns, before + 1);
    // Nothing is kept of it: a repeated request gets the same.
    call("'name':'two_rounds'", NAMED("Ada"), state);
    ck_says("/result/content/0/text", "TIMEOUT: ");
    call("'name':'two_rounds'", NULL, state);
    ck_says("/result/content/0/text", "TIMEOUT: ");
    // An answer of a wrong shape is as late as any.
    call("'name':'two_rounds'", "{'who':12345}", state);
    ck_says("/result/content/0/text", "TIMEOUT: ");
}
END_TEST

// The answer is there before the server has looked for calls that are due.
START_TEST(a_late_answer_to_a_kept_call_is_not_read)
{
    call("'name':'phases'", NULL, NULL);
    keep_state();
    clock_ms += 11 * 60 * 1000;
    call("'name':'phases'", YES, state);
    ck_says("/result/content/0/text", "TIMEOUT: ");
    ck_assert_int_eq(afters, 0);
    ck_assert_int_eq(cleaned, 1);
    call("'name':'phases'", YES, state);
    ck_says("/result/content/0/text", "TIMEOUT: ");
    ck_assert_int_eq(cleaned, 1);
}
END_TEST

START_TEST(a_state_outlives_a_rotation_of_keys_for_a_while)
{
    struct mica_store_key key;
    struct mica_error error;

    call("'name':'two_rounds'", NULL, NULL);
    keep_state();
    ck_assert_int_eq(mica_store_key_rotate(kept.store, clock_ms, &error, &key),
                     MICA_OK);
    clock_ms += 59000;
    call("'name':'two_rounds'", NAMED("Ada"), state);
    ck_asks("sure");
    call("'name':'two_rounds'", NULL, NULL);
    keep_state();
    ck_assert_int_eq(mica_store_key_rotate(kept.store, clock_ms, &error, &key),
                     MICA_OK);
    clock_ms += 61000;
    call("'name':'two_rounds'", NAMED("Ada"), state);
    ck_error("-32602", "STATE_INVALID", "1");
}
END_TEST

// ---- Kept calls ------------------------------------------------------------------------

START_TEST(phases_run_once_though_rounds_are_repeated)
{
    call("'name':'phases'", NULL, NULL);
    ck_asks("sure");
    ck_assert_int_eq(befores, 1);
    ck_assert_int_eq(cleaned, 0);
    call("'name':'phases'", YES, state);
    ck_at("/result/structuredContent", "{'number':7}");
    ck_assert_int_eq(cleaned, 1);
    // The client did not hear it, and comes again.
    call("'name':'phases'", YES, state);
    ck_at("/result/structuredContent", "{'number':7}");
    call("'name':'phases'",
         "{ 'sure': {'content':{'yes':true},"
         "'action':'accept'} }",
         state);
    ck_at("/result/structuredContent", "{'number':7}");
    call("'name':'phases'", NO, state);
    ck_error("-32602", "STATE_SUPERSEDED", "1");
    ck_assert_int_eq(befores, 1);
    ck_assert_int_eq(clients, 2);
    ck_assert_int_eq(afters, 1);
    ck_assert_int_eq(cleaned, 1);
}
END_TEST

START_TEST(a_round_that_its_client_gave_up_may_come_again)
{
    call("'name':'phases'", NULL, NULL);
    keep_state();
    hangs_up = true;
    call("'name':'phases'", YES, state);
    ck_assert_str_eq(harness.reply, "");
    ck_assert_int_eq(cleaned, 0);
    hangs_up = false;
    call("'name':'phases'", YES, state);
    ck_at("/result/structuredContent", "{'number':7}");
    ck_assert_int_eq(befores, 1);
    ck_assert_int_eq(cleaned, 1);
}
END_TEST

// ---- A store that fails behind an effect ---------------------------------------------

static struct mica_calls failing;
static int commits_left;

static enum mica_status
commit_or_fail(void *data, struct mica_kept_call *call_,
               struct mica_text answers, struct mica_text round_reply,
               bool release, struct mica_error *error)
{
    if (commits_left-- == 0)
        return mica_error_set(error, MICA_E_IO, "", "the disk is gone");
    return mica_call_store_calls(kept.calls)
        ->commit(data, call_, answers, round_reply, release, error);
}

// What an effect has seen is what it sees again, whatever the client says then.
START_TEST(an_effect_that_was_not_recorded_runs_again_on_the_same_answers)
{
    failing = *mica_call_store_calls(kept.calls);
    failing.commit = commit_or_fail;
    call("'name':'phases'", NULL, NULL);
    keep_state();
    commits_left = 1; // of the answers; then `after` runs
    harness.server->calls = &failing;
    call("'name':'phases'", YES, state);
    ck_error("-32603", "IO_ERROR", "1");
    ck_at("/error/data/retryable", "true");
    ck_assert_int_eq(afters, 1);
    harness.server->calls = mica_call_store_calls(kept.calls);
    call("'name':'phases'", NO, state);
    ck_at("/result/structuredContent", "{'number':7}");
    ck_assert_int_eq(afters, 2);
}
END_TEST

// Effects of a tool that another invokes are as single as any.
START_TEST(a_carried_call_is_kept_once_it_has_effects)
{
    static char first[sizeof state], second[sizeof state];

    call("'name':'lends_itself'", NULL, NULL);
    ck_asks("who");
    strcpy(first, state);
    call("'name':'lends_itself'", NAMED("Ada"), first);
    ck_asks("phases~1sure");
    strcpy(second, state);
    call("'name':'lends_itself'", NAMED("Ada"), first);
    ck_asks("phases~1sure");
    ck_assert_str_eq(second, state);
    call("'name':'lends_itself'", NAMED("Bob"), first);
    ck_error("-32602", "STATE_SUPERSEDED", "1");
    ck_assert_int_eq(befores, 1);
    for (int i = 0; i < 2; i++) {
        call("'name':'lends_itself'",
             "{'phases/sure':{'action':'accept','content':{'yes':true}}}",
             second);
        ck_at("/result/content/0/text", "'7'");
    }
    ck_assert_int_eq(afters, 1);
    ck_assert_int_eq(cleaned, 1);
}
END_TEST

static enum mica_status
find_or_fail(void *data, struct mica_text id, const struct mica_caller *caller,
             struct mica_arena *arena, struct mica_error *error,
             struct mica_kept_call *call_out)
{
    (void)data, (void)id, (void)caller, (void)arena, (void)call_out;
    return mica_error_set(error, MICA_E_BUSY, "", "others hold the store");
}

// It may have been kept, with effects: the server cannot know.
START_TEST(a_carried_round_does_not_run_while_the_store_cannot_be_asked)
{
    static char first[sizeof state];

    call("'name':'lends_itself'", NULL, NULL);
    keep_state();
    strcpy(first, state);
    call("'name':'lends_itself'", NAMED("Ada"), first);
    ck_asks("phases~1sure");
    failing = *mica_call_store_calls(kept.calls);
    failing.find = find_or_fail;
    harness.server->calls = &failing;
    call("'name':'lends_itself'", NAMED("Ada"), first);
    ck_error("-32603", "BUSY", "1");
    ck_at("/error/data/retryable", "true");
    harness.server->calls = mica_call_store_calls(kept.calls);
    call("'name':'lends_itself'", NAMED("Ada"), first);
    ck_asks("phases~1sure");
    ck_assert_int_eq(befores, 1);
}
END_TEST

static int cancels;

static enum mica_status
create_or_fail(void *data, struct mica_kept_call *call_,
               struct mica_text idempotency_key, struct mica_arena *arena,
               struct mica_error *error)
{
    (void)data, (void)call_, (void)idempotency_key, (void)arena;
    return mica_error_set(error, MICA_E_BUSY, "", "others hold the store");
}

static enum mica_status
cancel_or_fail(void *data, struct mica_text id, struct mica_error *error)
{
    (void)data, (void)id;
    cancels++;
    return mica_error_set(error, MICA_E_IO, "", "the disk is gone");
}

// Its effects have not begun, and the store has no call that could be cancelled.
START_TEST(a_call_that_was_never_kept_is_not_cancelled)
{
    failing = *mica_call_store_calls(kept.calls);
    failing.create = create_or_fail;
    failing.cancel = cancel_or_fail;
    cancels = 0;
    harness.server->calls = &failing;
    call("'name':'lends_itself'", NAMED("Ada"), NULL);
    ck_error("-32603", "BUSY", "1");
    ck_at("/error/message", "'others hold the store'");
    ck_at("/error/data/retryable", "(absent)");
    ck_assert_int_eq(cancels, 0);
    ck_assert_int_eq(befores, 0);
}
END_TEST

// The other side: a kept call whose client cannot come again.
START_TEST(a_call_that_was_kept_and_lost_is_cancelled)
{
    failing = *mica_call_store_calls(kept.calls);
    failing.commit = commit_or_fail;
    failing.cancel = cancel_or_fail;
    cancels = commits_left = 0;
    harness.server->calls = &failing;
    call("'name':'lends_itself'", NAMED("Ada"), NULL);
    ck_error("-32603", "IO_ERROR", "1");
    ck_says("/error/message", "the call may still continue");
    ck_assert_int_eq(cancels, 1);
}
END_TEST

START_TEST(answers_to_a_kept_call_need_its_state)
{
    call("'name':'phases'", YES, NULL);
    ck_error("-32602", "STATE_INVALID", "1");
    ck_assert_int_eq(befores, 0);
}
END_TEST

START_TEST(a_round_that_somebody_else_runs_is_to_be_tried_again)
{
    struct mica_kept_call other;
    struct mica_arena arena;
    struct mica_error error;
    const struct mica_store_call_filter open = {.ended = false};
    struct mica_store_calls list;

    call("'name':'phases'", NULL, NULL);
    keep_state();
    mica_arena_init(&arena, 1 << 20);
    memset(&list, 0, sizeof list);
    ck_assert_int_eq(mica_store_call_page(kept.store, &open,
                                          (struct mica_text){NULL, 0}, 10,
                                          &arena, &error, &list),
                     MICA_OK);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_int_eq(harness.server->calls->claim_for_client(
                         harness.server->calls->data, list.items[0].id,
                         &(struct mica_caller){.principal = NULL}, &arena,
                         &error, &other),
                     MICA_OK);
    call("'name':'phases'", YES, state);
    ck_error("-32603", "CALL_BUSY", "1");
    ck_at("/error/data/retryable", "true");
    harness.server->calls->release(harness.server->calls->data, &other);
    call("'name':'phases'", YES, state);
    ck_at("/result/structuredContent", "{'number':7}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_first_request_with_a_key_is_one_call)
{
    char first[sizeof state];

    say("tools/call", "'name':'phases'", NULL, NULL, KEY("k1"));
    ck_asks("sure");
    strcpy(first, state);
    say("tools/call", "'name':'phases'", NULL, NULL, KEY("k1"));
    ck_asks("sure");
    ck_assert_int_eq(befores, 1);
    say("tools/call", "'name':'phases','arguments':{'number':9}", NULL, NULL,
        KEY("k1"));
    ck_error("-32602", "STATE_SUPERSEDED", "1");
    call("'name':'phases'", YES, first);
    ck_at("/result/structuredContent", "{'number':7}");
    say("tools/call", "'name':'phases'", NULL, NULL, KEY("k1"));
    ck_at("/result/structuredContent", "{'number':7}");
    say("tools/call", "'name':'phases'", NULL, NULL, KEY("k2"));
    ck_asks("sure");
    ck_assert_int_eq(befores, 2);
}
END_TEST

START_TEST(a_long_journal_is_kept_instead_of_carried)
{
    static char answers[60000], first[sizeof state], second[sizeof state];
    size_t at_ =
        (size_t)snprintf(answers, sizeof answers,
                         "{'who':{'action':'accept','content':{'name':'");

    memset(answers + at_, 'x', 40000);
    strcpy(answers + at_ + 40000, "'}}}");
    call("'name':'hoards'", NULL, NULL);
    ck_asks("who");
    strcpy(first, state);
    call("'name':'hoards'", answers, first);
    ck_asks("sure");
    ck_assert_uint_lt(strlen(state), 1000);
    // The client did not hear it: the same round has the same reply.
    strcpy(second, state);
    call("'name':'hoards'", answers, first);
    ck_asks("sure");
    ck_assert_str_eq(second, state);
    call("'name':'hoards'", YES, state);
    ck_at("/result/content/0/text", "'40000'");
}
END_TEST

// The handler runs once more, and a late answer gets what it came to.
START_TEST(a_kept_call_whose_time_has_passed_ends_and_cleans_up)
{
    call("'name':'phases'", NULL, NULL);
    keep_state();
    clock_ms += 11 * 60 * 1000;
    resume(only_call(), MICA_OK);
    ck_assert_int_eq(clients, 2);
    ck_assert_int_eq(afters, 0);
    ck_assert_int_eq(cleaned, 1);
    call("'name':'phases'", YES, state);
    ck_assert_msg(strstr(harness.reply, "isError") != NULL, "%s",
                  harness.reply);
    ck_says("/result/content/0/text", "TIMEOUT: ");
    ck_assert_int_eq(cleaned, 1);
}
END_TEST

// ---- Turns that no request runs --------------------------------------------------------

static uint32_t
stored_round(void)
{
    struct mica_arena arena;
    uint32_t round;

    mica_arena_init(&arena, 1 << 20);
    round = stored(only_call(), &arena).round;
    mica_arena_fini(&arena);
    return round;
}

// Its process died in round 0, the client came again and was asked, and then a turn
// comes that was handed out before that.
START_TEST(a_turn_that_was_handed_out_before_a_round_answers_none)
{
    say("tools/call", "'name':'phases'", NULL, NULL, KEY("k"));
    ck_asks("sure");
    ck_assert_uint_eq(stored_round(), 1);
    resume(only_call(), MICA_OK);
    ck_assert_uint_eq(stored_round(), 1);
    call("'name':'phases'", YES, state);
    ck_at("/result/structuredContent", "{'number':7}");
    ck_assert_int_eq(befores, 1);
    ck_assert_int_eq(clients, 2);
}
END_TEST

static enum mica_status
commit_or_die(void *data, struct mica_kept_call *call_,
              struct mica_text answers, struct mica_text round_reply,
              bool release, struct mica_error *error)
{
    const struct mica_calls *calls = mica_call_store_calls(kept.calls);

    if (!release)
        return calls->commit(data, call_, answers, round_reply, false, error);
    calls->release(data, call_);
    return mica_error_set(error, MICA_E_IO, "", "the process is dead");
}

// The process of the first turn dies before it has sent its question.
static void
die_before_the_end_of(const char *params, const char *answers, const char *with,
                      const char *meta)
{
    failing = *mica_call_store_calls(kept.calls);
    failing.commit = commit_or_die;
    harness.server->calls = &failing;
    say("tools/call", params, answers, with, meta);
    ck_error("-32603", "IO_ERROR", "1");
    harness.server->calls = mica_call_store_calls(kept.calls);
}

// A call that was carried, and is kept from the middle of a round on.
START_TEST(a_carried_round_goes_on_though_its_process_died_in_it)
{
    static char first[sizeof state];

    call("'name':'lends_itself'", NULL, NULL);
    ck_asks("who");
    strcpy(first, state);
    die_before_the_end_of("'name':'lends_itself'", NAMED("Ada"), first, NULL);
    resume(only_call(), MICA_OK);
    ck_assert_uint_eq(stored_round(), 0);
    for (int i = 0; i < 2; i++) {
        call("'name':'lends_itself'", NAMED("Ada"), first);
        ck_asks("phases~1sure");
    }
    call("'name':'lends_itself'",
         "{'phases/sure':{'action':'accept','content':{'yes':true}}}", state);
    ck_at("/result/content/0/text", "'7'");
    ck_assert_int_eq(befores, 1);
    ck_assert_int_eq(afters, 1);
}
END_TEST

START_TEST(a_call_with_a_key_outlives_its_process_in_round_0)
{
    die_before_the_end_of("'name':'phases'", NULL, NULL, KEY("k"));
    resume(only_call(), MICA_OK);
    ck_assert_uint_eq(stored_round(), 0);
    say("tools/call", "'name':'phases'", NULL, NULL, KEY("k"));
    ck_asks("sure");
    call("'name':'phases'", YES, state);
    ck_at("/result/structuredContent", "{'number':7}");
    call("'name':'phases'", NO, state);
    ck_error("-32602", "STATE_SUPERSEDED", "1");
    ck_assert_int_eq(befores, 1);
    ck_assert_int_eq(afters, 1);
}
END_TEST

// The turn of another process ends between the two looks of a request.
static enum mica_status
create_and_resume(void *data, struct mica_kept_call *call_,
                  struct mica_text key, struct mica_arena *arena,
                  struct mica_error *error)
{
    const struct mica_calls *calls = mica_call_store_calls(kept.calls);
    struct mica_resume_cause why = {.ending = MICA_OK};
    struct mica_message message;
    enum mica_status status;
    struct mica_arena other;

    status = calls->create(data, call_, key, arena, error);
    ck_assert_int_eq(status, MICA_E_EXISTS);
    harness.server->calls = calls;
    why.call = call_->id;
    mica_arena_init(&other, 8 << 20);
    mica_message_init(&message, harness.server, &other);
    mica_message_resume(&message, &why);
    mica_message_end(&message);
    mica_arena_fini(&other);
    return status;
}

START_TEST(two_requests_with_one_key_meet_one_round)
{
    die_before_the_end_of("'name':'phases'", NULL, NULL, KEY("k"));
    failing = *mica_call_store_calls(kept.calls);
    failing.create = create_and_resume;
    harness.server->calls = &failing;
    say("tools/call", "'name':'phases'", NULL, NULL, KEY("k"));
    ck_asks("sure");
    ck_assert_uint_eq(stored_round(), 0);
    call("'name':'phases'", YES, state);
    ck_at("/result/structuredContent", "{'number':7}");
    ck_assert_int_eq(afters, 1);
}
END_TEST

// ---- Builds ------------------------------------------------------------------------------

static void
ck_build_missing(void)
{
    ck_error("-32603", "BUILD_MISSING", "1");
    ck_at("/error/data/retryable", "true");
}

START_TEST(a_kept_call_does_not_run_in_another_build)
{
    static char first[sizeof state], second[sizeof state];

    mind_builds();
    say("tools/call", "'name':'two_rounds'", NULL, NULL, KEY("k"));
    ck_asks("who");
    strcpy(first, state);
    call("'name':'two_rounds'", NAMED("Ada"), first);
    ck_asks("sure");
    strcpy(second, state);
    turns = 0;
    harness.server->registry.version = mica_text("2");
    call("'name':'two_rounds'", YES, second);
    ck_build_missing();
    call("'name':'two_rounds'", NAMED("Ada"), first);
    ck_asks("sure"); // what is recorded needs no build
    call("'name':'two_rounds'", NAMED("Bob"), first);
    ck_error("-32602", "STATE_SUPERSEDED", "1");
    say("tools/call", "'name':'two_rounds'", NULL, NULL, KEY("k"));
    ck_asks("sure");
    ck_assert_int_eq(turns, 0);
    harness.server->registry.version = mica_text("1.2.3");
    call("'name':'two_rounds'", YES, second);
    ck_at("/result/content/0/text", "'Ada: yes'");
    harness.server->registry.version = mica_text("2");
    call("'name':'two_rounds'", YES, second);
    ck_at("/result/content/0/text", "'Ada: yes'");
}
END_TEST

START_TEST(a_call_with_a_key_waits_for_its_build)
{
    mind_builds();
    die_before_the_end_of("'name':'phases'", NULL, NULL, KEY("k"));
    harness.server->registry.version = mica_text("2");
    say("tools/call", "'name':'phases'", NULL, NULL, KEY("k"));
    ck_build_missing();
    harness.server->registry.version = mica_text("1.2.3");
    say("tools/call", "'name':'phases'", NULL, NULL, KEY("k"));
    ck_asks("sure");
    ck_assert_int_eq(befores, 1);
}
END_TEST

// It belongs to its client alone: a newer build may ask the same.
START_TEST(a_carried_call_goes_on_in_the_build_that_is_there)
{
    mind_builds();
    call("'name':'two_rounds'", NULL, NULL);
    ck_asks("who");
    harness.server->registry.version = mica_text("2");
    call("'name':'two_rounds'", NAMED("Ada"), state);
    ck_asks("sure");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("rounds");
    TCase *rounds = tcase_create("rounds");

    tcase_add_checked_fixture(rounds, open_rounds, close_kept);
    suite_add_tcase(suite, rounds);
    tcase_add_test(rounds, a_tool_asks_in_rounds_and_ends);
    tcase_add_test(rounds, answers_may_come_in_one_shot_without_state);
    tcase_add_test(rounds, what_is_missing_is_asked_for_again);
    tcase_add_test(rounds, an_invalid_answer_is_asked_for_again_with_its_fault);
    tcase_add_test(rounds, answers_of_a_wrong_shape_are_refused);
    tcase_add_test(rounds, a_refusal_ends_the_call_with_its_code);
    tcase_add_test(rounds, a_client_that_cannot_be_asked_is_told_what_it_lacks);
    tcase_add_test(rounds, prompts_and_resources_ask_as_well);
    tcase_add_test(rounds, a_state_that_was_cut_or_changed_is_refused);
    tcase_add_test(rounds, a_state_is_good_for_its_own_request_alone);
    tcase_add_test(rounds, a_state_becomes_too_old);
    tcase_add_test(
        rounds,
        a_late_answer_to_a_carried_call_runs_its_handler_with_a_timeout);
    tcase_add_test(rounds, a_late_answer_to_a_kept_call_is_not_read);
    tcase_add_test(rounds, a_state_outlives_a_rotation_of_keys_for_a_while);
    tcase_add_test(rounds, phases_run_once_though_rounds_are_repeated);
    tcase_add_test(rounds, a_round_that_its_client_gave_up_may_come_again);
    tcase_add_test(
        rounds, an_effect_that_was_not_recorded_runs_again_on_the_same_answers);
    tcase_add_test(rounds, a_carried_call_is_kept_once_it_has_effects);
    tcase_add_test(
        rounds, a_carried_round_does_not_run_while_the_store_cannot_be_asked);
    tcase_add_test(rounds, a_call_that_was_never_kept_is_not_cancelled);
    tcase_add_test(rounds, a_call_that_was_kept_and_lost_is_cancelled);
    tcase_add_test(rounds, answers_to_a_kept_call_need_its_state);
    tcase_add_test(rounds,
                   a_round_that_somebody_else_runs_is_to_be_tried_again);
    tcase_add_test(rounds, a_first_request_with_a_key_is_one_call);
    tcase_add_test(rounds, a_long_journal_is_kept_instead_of_carried);
    tcase_add_test(rounds,
                   a_kept_call_whose_time_has_passed_ends_and_cleans_up);
    tcase_add_test(rounds,
                   a_turn_that_was_handed_out_before_a_round_answers_none);
    tcase_add_test(rounds,
                   a_carried_round_goes_on_though_its_process_died_in_it);
    tcase_add_test(rounds, a_call_with_a_key_outlives_its_process_in_round_0);
    tcase_add_test(rounds, two_requests_with_one_key_meet_one_round);
    tcase_add_test(rounds, a_kept_call_does_not_run_in_another_build);
    tcase_add_test(rounds, a_call_with_a_key_waits_for_its_build);
    tcase_add_test(rounds, a_carried_call_goes_on_in_the_build_that_is_there);
    return run_suite(suite);
}
