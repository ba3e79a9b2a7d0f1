// SPDX-License-Identifier: Apache-2.0
//
// Other tools inside a call: one, all, the first.
#include "test_turn.h"

struct who {
    struct mica_text name;
    bool fail, fast;
};
MICA_RECORD(who, MICA_TEXT(name, "Who."),
            MICA_BOOLEAN(fail, "Fail?", .fallback = "false"),
            MICA_BOOLEAN(fast, "Without asking?", .fallback = "false"));

struct mood {
    bool good;
};
MICA_RECORD(mood, MICA_BOOLEAN(good, "Good?"));

struct words {
    struct mica_text text;
};
MICA_RECORD(words, MICA_TEXT(text, "What is said."));

#define GOOD(yes) "{\"action\":\"accept\",\"content\":{\"good\":" yes "}}"

static void
leave(struct mica_server_call *call, const void *data)
{
    const struct mica_text *name = data;

    note(mica_format(call, "leave %.*s %.*s", MICA_ARG(*name),
                     MICA_ARG(mica_idempotency_key(call)))
             .ptr);
}

static enum mica_status
shake(struct mica_server_call *call, const struct who *in, struct words *out)
{
    note(mica_format(call, "shake %.*s", MICA_ARG(mica_idempotency_key(call)))
             .ptr);
    out->text = in->name;
    return MICA_OK;
}
MICA_STEP(shake, who, words, shake);

// Asks for a person's mood, and shakes hands.
static enum mica_status
greet(struct mica_call *call, const struct who *in, struct words *out)
{
    struct mood mood = {true};
    struct words hand;

    mica_notify(call, "greet %.*s", MICA_ARG(in->name));
    mica_defer(call, "leave", leave, &in->name);
    if (!in->fast)
        MICA_TRY(mica_elicit(call, MICA_FORM(mood, &mood), "How is %.*s?",
                             MICA_ARG(in->name)));
    if (in->fail)
        return mica_fail(call, "RUDE", "name", "%.*s is rude",
                         MICA_ARG(in->name));
    MICA_TRY(MICA_RUN_STEP(shake, call, in, &hand));
    out->text = mica_format(call, "%s, %.*s", mood.good ? "hi" : "oh",
                            MICA_ARG(hand.text));
    return MICA_OK;
}
MICA_TOOL(greet, who, words, greet, .description = "Greets.",
          .steps = MICA_STEPS("shake"), .limit_ms = 1000);

static struct who people[3];
static size_t people_count;
static enum {
    ONE_BY_ONE,
    ALL,
    FIRST,
    ALL_THEN_ASK
} how;
static enum mica_status invoked;

static enum mica_status
one_by_one(struct mica_call *call, struct words *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        MICA_TRY(mica_invoke(call, "greet", MICA_FROM(who, &people[i]),
                             MICA_INTO(words, &all[i])));
    return MICA_OK;
}

static const struct mica_text party_name = {"the party", 9};

static enum mica_status
party(struct mica_call *call, const struct mica_nothing *in, struct words *out)
{
    struct words said[3] = {{{NULL, 0}}, {{NULL, 0}}, {{NULL, 0}}};
    struct mica_invocation guests[3];
    struct mood mood;
    size_t winner = 0;

    (void)in;
    mica_notify(call, "party");
    mica_defer(call, "leave", leave, &party_name);
    for (size_t i = 0; i < 3; i++)
        guests[i] =
            (struct mica_invocation){.tool = "greet",
                                     .from = MICA_FROM(who, &people[i]),
                                     .into = MICA_INTO(words, &said[i])};
    if (how == ONE_BY_ONE)
        invoked = one_by_one(call, said, people_count);
    else if (how == FIRST)
        invoked = mica_invoke_first(call, guests, people_count, &winner);
    else
        invoked = mica_invoke_all(call, guests, people_count);
    if (how == ALL_THEN_ASK && invoked == MICA_FAILED) {
        note("continues");
        MICA_TRY(mica_elicit(call, MICA_FORM(mood, &mood), "Continue?"));
    } else {
        MICA_TRY(invoked);
    }
    out->text =
        mica_format(call, "%.*s|%.*s|%.*s %zu", MICA_ARG(said[0].text),
                    MICA_ARG(said[1].text), MICA_ARG(said[2].text), winner);
    return MICA_OK;
}
MICA_TOOL(party, mica_nothing, words, party, .description = "Invites.");

static void
setup(size_t count)
{
    static const char *const names[] = {"Ann", "Bob", "Cy"};

    world_init();
    world.keep_commits = true;
    world.tools[0] = &mica_tool_greet;
    world.tools[1] = &mica_tool_party;
    memset(people, 0, sizeof people);
    for (size_t i = 0; i < 3; i++)
        people[i].name = mica_text(names[i]);
    people_count = count;
    how = ONE_BY_ONE;
}

START_TEST(another_tool_asks_inside_the_call)
{
    setup(2);
    turn(&mica_tool_party, NULL);
    must_ask("greet/mood");
    ck_assert_int_eq(invoked, MICA_SUSPENDED);
    ck_assert_uint_eq(world.turn.cleans, 2);
    ck_assert_int_eq(world.turn.asked->due, 1700000001000 + 1000);
    turn(&mica_tool_party, "{\"greet/mood\":" GOOD("true") "}");
    must_ask("greet#2/mood");
    turn(&mica_tool_party, "{\"greet#2/mood\":" GOOD("false") "}");
    must_end("{\"text\":\"hi, Ann|oh, Bob| 0\"}");
    ck_assert_str_eq(world.seen, "shake C1/greet/shake\n"
                                 "leave Ann C1/greet/leave\n"
                                 "shake C1/greet#2/shake\n"
                                 "leave Bob C1/greet#2/leave\n"
                                 "leave the party C1/leave\n");
    ck_assert_str_eq(world.events, "progress 1 party\n"
                                   "progress 2 greet Ann\n"
                                   "progress 3 greet Bob\n");
}
END_TEST

START_TEST(it_fails_as_the_other_tool_failed)
{
    setup(2);
    people[0].fail = true;
    turn(&mica_tool_party, NULL);
    turn(&mica_tool_party, "{\"greet/mood\":" GOOD("true") "}");
    must_fail(MICA_FAILED, "{\"code\":\"RUDE\",\"message\":\"the tool "
                           "\\\"greet\\\": Ann is rude\",\"path\":\"/name\"}");
    setup(1);
    turn(&mica_tool_party, NULL);
    turn(&mica_tool_party, "{\"greet/mood\":{\"action\":\"decline\"}}");
    must_fail(MICA_E_DECLINED, "the tool \\\"greet\\\"");
    ck_assert_str_eq(world.seen, "leave Ann C1/greet/leave\n"
                                 "leave the party C1/leave\n");
}
END_TEST

START_TEST(all_ask_in_one_round)
{
    setup(3);
    how = ALL;
    turn(&mica_tool_party, NULL);
    must_ask("greet/mood greet#2/mood greet#3/mood");
    turn(&mica_tool_party, "{\"greet#2/mood\":" GOOD("true") "}");
    must_ask("greet/mood greet#3/mood");
    turn(&mica_tool_party, "{\"greet#3/mood\":" GOOD(
                               "true") ",\"greet/mood\":" GOOD("false") "}");
    must_end("{\"text\":\"oh, Ann|hi, Bob|hi, Cy 0\"}");
    ck_assert_str_eq(world.events, "progress 1 party\n"
                                   "progress 2 greet Ann\n"
                                   "progress 3 greet Bob\n"
                                   "progress 4 greet Cy\n");
}
END_TEST

START_TEST(a_failure_of_one_cancels_the_others_with_their_clean_ups_first)
{
    setup(3);
    how = ALL;
    people[1].fail = true;
    turn(&mica_tool_party, NULL);
    turn(&mica_tool_party, "{\"greet#2/mood\":" GOOD("true") "}");
    must_fail(MICA_FAILED, "Bob is rude");
    ck_assert_str_eq(world.seen, "leave Bob C1/greet#2/leave\n"
                                 "leave Ann C1/greet/leave\n"
                                 "leave Cy C1/greet#3/leave\n"
                                 "leave the party C1/leave\n");
    turn(&mica_tool_party, NULL);
    must_fail(MICA_FAILED, "Bob is rude");
}
END_TEST

START_TEST(one_that_never_began_is_cancelled_without_running)
{
    setup(3);
    how = ALL;
    people[0].fail = people[0].fast = true;
    turn(&mica_tool_party, NULL);
    must_fail(MICA_FAILED, "Ann is rude");
    ck_assert_str_eq(world.seen, "leave Ann C1/greet/leave\n"
                                 "leave the party C1/leave\n");
}
END_TEST

START_TEST(a_handler_goes_on_after_a_failure_and_may_ask)
{
    setup(3);
    how = ALL_THEN_ASK;
    people[1].fail = true;
    turn(&mica_tool_party, NULL);
    turn(&mica_tool_party, "{\"greet#2/mood\":" GOOD("true") "}");
    must_ask("mood");
    ck_assert_uint_eq(world.turn.cleans, 1);
    world.seen[0] = '\0';
    turn(&mica_tool_party, "{\"mood\":" GOOD("true") "}");
    must_end("{\"text\":\"|| 0\"}");
    ck_assert_str_eq(world.seen, "continues\nleave the party C1/leave\n");
}
END_TEST

START_TEST(one_failure_in_the_first_turn_takes_back_what_others_asked)
{
    setup(3);
    how = ALL_THEN_ASK;
    people[1].fail = people[1].fast = true;
    turn(&mica_tool_party, NULL);
    must_ask("mood");
    ck_assert_uint_eq(world.turn.asked_count, 1);
}
END_TEST

START_TEST(the_first_that_succeeds_wins)
{
    setup(3);
    how = FIRST;
    people[0].fail = true;
    turn(&mica_tool_party, NULL);
    turn(&mica_tool_party, "{\"greet/mood\":" GOOD("true") "}");
    must_ask("greet#2/mood greet#3/mood");
    turn(&mica_tool_party, "{\"greet#3/mood\":" GOOD("true") "}");
    must_end("{\"text\":\"||hi, Cy 2\"}");
    turn(&mica_tool_party, NULL);
    must_end("{\"text\":\"||hi, Cy 2\"}");
    ck_assert_str_eq(world.seen, "leave Ann C1/greet/leave\n"
                                 "shake C1/greet#3/shake\n"
                                 "leave Cy C1/greet#3/leave\n"
                                 "leave Bob C1/greet#2/leave\n"
                                 "leave the party C1/leave\n");
}
END_TEST

START_TEST(when_all_fail_it_fails_as_the_last)
{
    setup(2);
    how = FIRST;
    people[0].fail = people[1].fail = true;
    turn(&mica_tool_party, NULL);
    turn(&mica_tool_party, "{\"greet#2/mood\":" GOOD("true") "}");
    must_ask("greet/mood");
    turn(&mica_tool_party, "{\"greet/mood\":" GOOD("true") "}");
    must_fail(MICA_FAILED, "Ann is rude");
}
END_TEST

START_TEST(a_call_that_is_cancelled_cancels_its_tools)
{
    setup(3);
    how = ALL;
    turn(&mica_tool_party, NULL);
    turn_open(&mica_tool_party);
    world.turn.ending = MICA_E_CANCELLED;
    turn_go(&mica_tool_party, "{}");
    must_fail(MICA_E_CANCELLED, "CANCELLED");
    ck_assert_ptr_nonnull(strstr(world.seen, "leave Ann"));
    ck_assert_ptr_nonnull(strstr(world.seen, "leave Bob"));
    ck_assert_ptr_nonnull(strstr(world.seen, "leave Cy"));
    ck_assert_ptr_nonnull(strstr(world.seen, "leave the party"));
}
END_TEST

START_TEST(a_group_that_was_cut_off_while_it_ended_ends_the_same)
{
    // Cut off at each commit in turn, then run again.
    for (unsigned i = 1; i <= 3; i++) {
        setup(3);
        how = ALL_THEN_ASK;
        people[1].fail = true;
        turn(&mica_tool_party, NULL);
        turn_open(&mica_tool_party);
        turn_answer("{\"greet#2/mood\":" GOOD("true") "}");
        keep(mica_buffer_as_text(&world.journal.bytes));
        world.fail_commit = i;
        turn(&mica_tool_party, NULL);
        must_fail(MICA_E_CALL_BUSY, "CALL_BUSY");
        turn(&mica_tool_party, NULL);
        must_ask("mood");
        turn(&mica_tool_party, "{\"mood\":" GOOD("true") "}");
        must_end("{\"text\":\"|| 0\"}");
    }
}
END_TEST

// ---- Builds ------------------------------------------------------------------------

// `greet` in a changed version, which asks something else.
static enum mica_status
greet_anew(struct mica_call *call, const struct who *in, struct words *out)
{
    struct mood mood = {true};

    note("greets anew");
    MICA_TRY(mica_elicit(call, MICA_FORM(mood, &mood, .key = "humour"),
                         "In what humour is %.*s?", MICA_ARG(in->name)));
    out->text = mica_format(call, "ahoy, %.*s", MICA_ARG(in->name));
    return MICA_OK;
}
MICA_TOOL(greet_anew, who, words, greet_anew, .name = "greet",
          .description = "Greets.");

// The new `greet` is there; the old one is kept for open calls, or gone.
static void
replace_greet(bool kept)
{
    world.tools[0] = &mica_tool_greet_anew;
    world.versions[0] = "2";
    world.tools[2] = kept ? &mica_tool_greet : NULL;
    world.versions[2] = "1";
}

START_TEST(another_tool_goes_on_as_the_build_that_was_invoked)
{
    setup(2);
    world.versions[0] = "1";
    turn(&mica_tool_party, NULL);
    must_ask("greet/mood");
    replace_greet(true);
    // What was invoked continues; a later invocation runs the new version.
    turn(&mica_tool_party, "{\"greet/mood\":" GOOD("true") "}");
    must_ask("greet#2/humour");
    ck_assert_ptr_nonnull(strstr(world.seen, "shake C1/greet/shake\n"));
    // What has ended is not looked for.
    replace_greet(false);
    turn(&mica_tool_party, "{\"greet#2/humour\":" GOOD("true") "}");
    must_end("{\"text\":\"hi, Ann|ahoy, Bob| 0\"}");
}
END_TEST

START_TEST(a_group_goes_on_as_the_builds_that_were_invoked)
{
    setup(3);
    how = ALL;
    people[1].fail = true;
    world.versions[0] = "1";
    turn(&mica_tool_party, NULL);
    must_ask("greet/mood greet#2/mood greet#3/mood");
    replace_greet(true);
    turn(&mica_tool_party, "{\"greet#2/mood\":" GOOD("true") "}");
    must_fail(MICA_FAILED, "Bob is rude");
    ck_assert_ptr_null(strstr(world.seen, "anew"));
    ck_assert_ptr_nonnull(strstr(world.seen, "leave Ann C1/greet/leave\n"));
}
END_TEST

START_TEST(another_tool_whose_build_is_gone_ends_the_call)
{
    setup(1);
    world.versions[0] = "1";
    turn(&mica_tool_party, NULL);
    replace_greet(false);
    turn(&mica_tool_party, "{\"greet/mood\":" GOOD("true") "}");
    must_fail(MICA_E_DIVERGED, "the tool \\\"greet\\\" has changed since the "
                               "call began; call it again");
    // The parent's own clean-up runs, as it is named before.
    ck_assert_str_eq(world.seen, "leave the party C1/leave\n");
    // So does one that is not there at all any more.
    setup(1);
    world.versions[0] = "1";
    turn(&mica_tool_party, NULL);
    world.tools[0] = &mica_tool_party;
    turn(&mica_tool_party, "{\"greet/mood\":" GOOD("true") "}");
    must_fail(MICA_E_DIVERGED, "greet");
}
END_TEST

// Its step may depend on it, and is cut off.
START_TEST(what_was_invoked_is_durable_before_its_effects)
{
    setup(1);
    people[0].fast = true;
    world.versions[0] = "1";
    world.fail_commit = 2; // of the result; the first is that of the CHILD
    turn(&mica_tool_party, NULL);
    must_fail(MICA_E_CALL_BUSY, "CALL_BUSY");
    ck_assert_str_eq(world.seen, "shake C1/greet/shake\n");
    replace_greet(true);
    turn(&mica_tool_party, NULL);
    must_end("{\"text\":\"hi, Ann|| 0\"}");
    ck_assert_ptr_null(strstr(world.seen, "anew"));
}
END_TEST

// ---- Arguments ---------------------------------------------------------------------

START_TEST(a_tool_that_is_invoked_with_other_arguments_is_another)
{
    char name[300];

    setup(1);
    turn(&mica_tool_party, NULL);
    people[0].name = MICA_LITERAL("Zoe");
    turn(&mica_tool_party, "{\"greet/mood\":" GOOD("true") "}");
    must_fail(MICA_E_DIVERGED,
              "came to the tool \\\"greet\\\" with {\\\"fail\\\":false,"
              "\\\"fast\\\":false,\\\"name\\\":\\\"Zoe\\\"} where it had come "
              "to the tool \\\"greet\\\" with {\\\"fail\\\":false,"
              "\\\"fast\\\":false,\\\"name\\\":\\\"Ann\\\"} before");
    // Long ones are compared as a whole, and shown as they begin.
    setup(1);
    memset(name, 'n', sizeof name);
    people[0].name = (struct mica_text){name, sizeof name};
    turn(&mica_tool_party, NULL);
    people[0].name.len--;
    turn(&mica_tool_party, "{\"greet/mood\":" GOOD("true") "}");
    must_fail(MICA_E_DIVERGED, "nnn… with other arguments before");
    // What has ended is compared as well.
    setup(2);
    turn(&mica_tool_party, NULL);
    turn(&mica_tool_party, "{\"greet/mood\":" GOOD("true") "}");
    must_ask("greet#2/mood");
    people[0].name = MICA_LITERAL("Zoe");
    turn(&mica_tool_party, NULL);
    must_fail(MICA_E_DIVERGED, "Zoe");
}
END_TEST

// What could not be invoked is not recorded, so it comes to the same again.
static enum mica_status
second_best(struct mica_call *call, const struct mica_nothing *in,
            struct words *out)
{
    struct mood mood = {false};

    (void)in;
    if (mica_invoke(call, "unknown", MICA_FROM(who, &people[0]),
                    MICA_INTO(words, out)) != MICA_E_NOT_FOUND)
        return mica_fail(call, "FOUND", "", "found");
    MICA_TRY(mica_elicit(call, MICA_FORM(mood, &mood), "Is the room empty?"));
    return mica_invoke(call, "greet", MICA_FROM(who, &people[0]),
                       MICA_INTO(words, out));
}
MICA_TOOL(second_best, mica_nothing, words, second_best,
          .description = "Tries.");

START_TEST(a_tool_that_is_not_there_is_not_there_in_each_turn)
{
    setup(1);
    turn(&mica_tool_second_best, NULL);
    must_ask("mood");
    turn(&mica_tool_second_best, "{\"mood\":" GOOD("true") "}");
    must_ask("greet/mood");
    turn(&mica_tool_second_best, "{\"greet/mood\":" GOOD("true") "}");
    must_end("{\"text\":\"hi, Ann\"}");
}
END_TEST

// ---- What cannot be invoked --------------------------------------------------------

static const char *invoke_name;

static enum mica_status
caller(struct mica_call *call, const struct mica_nothing *in, struct words *out)
{
    (void)in;
    return mica_invoke(call, invoke_name, MICA_FROM(who, &people[0]),
                       MICA_INTO(words, out));
}
MICA_TOOL(caller, mica_nothing, words, caller, .description = "Calls.");

static enum mica_status
deeper(struct mica_call *call, const struct mica_nothing *in, struct words *out)
{
    (void)in;
    return mica_invoke(call, "deeper", (struct mica_from){NULL, NULL},
                       MICA_INTO(words, out));
}
MICA_TOOL(deeper, mica_nothing, words, deeper, .description = "Continues.");

START_TEST(a_tool_that_is_not_there_is_told)
{
    setup(1);
    invoke_name = "unknown";
    turn(&mica_tool_caller, NULL);
    must_fail(MICA_E_NOT_FOUND, "unknown");
    ck_assert_uint_eq(world.journal.count, 0);
}
END_TEST

START_TEST(tools_that_call_each_other_end_at_the_limit)
{
    setup(1);
    world.tools[2] = &mica_tool_deeper;
    turn(&mica_tool_deeper, NULL);
    must_fail(MICA_E_LIMIT, "8 deep");
}
END_TEST

START_TEST(a_result_that_does_not_fit_is_told)
{
    setup(1);
    world.tools[2] = &mica_tool_caller;
    invoke_name = "greet";
    people[0].fast = true;
    people[0].name = MICA_LITERAL("\xFF");
    turn(&mica_tool_caller, NULL);
    must_fail(MICA_E_FORMAT, "the arguments of \\\"greet\\\"");
}
END_TEST

static enum mica_status
hungry(struct mica_call *call, const struct mica_nothing *in, struct words *out)
{
    (void)in, (void)out;
    (void)mica_alloc(call, 1 << 30);
    return MICA_OK;
}
MICA_TOOL(hungry, mica_nothing, words, hungry, .description = "Eats.");

static enum mica_status
host(struct mica_call *call, const struct mica_nothing *in, struct words *out)
{
    (void)in;
    if (mica_invoke(call, "hungry", (struct mica_from){NULL, NULL},
                    MICA_INTO(words, out)) == MICA_OK)
        note("fed");
    note("not reached");
    return MICA_OK;
}
MICA_TOOL(host, mica_nothing, words, host, .description = "Hosts.");

START_TEST(memory_is_that_of_the_whole_call)
{
    setup(1);
    world.tools[2] = &mica_tool_hungry;
    turn(&mica_tool_host, NULL);
    must_fail(MICA_E_LIMIT, "memory");
    ck_assert_str_eq(world.seen, "");
}
END_TEST

UNIT_MAIN("turn_invoke", another_tool_asks_inside_the_call,
          it_fails_as_the_other_tool_failed, all_ask_in_one_round,
          a_failure_of_one_cancels_the_others_with_their_clean_ups_first,
          one_that_never_began_is_cancelled_without_running,
          a_handler_goes_on_after_a_failure_and_may_ask,
          one_failure_in_the_first_turn_takes_back_what_others_asked,
          the_first_that_succeeds_wins, when_all_fail_it_fails_as_the_last,
          a_call_that_is_cancelled_cancels_its_tools,
          a_group_that_was_cut_off_while_it_ended_ends_the_same,
          another_tool_goes_on_as_the_build_that_was_invoked,
          a_group_goes_on_as_the_builds_that_were_invoked,
          another_tool_whose_build_is_gone_ends_the_call,
          what_was_invoked_is_durable_before_its_effects,
          a_tool_that_is_invoked_with_other_arguments_is_another,
          a_tool_that_is_not_there_is_not_there_in_each_turn,
          a_tool_that_is_not_there_is_told,
          tools_that_call_each_other_end_at_the_limit,
          a_result_that_does_not_fit_is_told, memory_is_that_of_the_whole_call)
