// SPDX-License-Identifier: Apache-2.0
//
// Tasks in the core: a call that continues without its client, which asks how it is,
// answers its questions and gives it up.
#include "store_due.h"
#include "test_server_rounds.h"

static enum mica_status
job(struct mica_call *call, const struct anything *in, struct mica_nothing *out)
{
    struct who who;
    struct sure sure;
    const struct mica_ask both[] = {
        {.form = MICA_FORM(who, &who), .message = MICA_LITERAL("Who?")},
        {.form = MICA_FORM(sure, &sure), .message = MICA_LITERAL("Sure?")}};

    (void)in;
    (void)out;
    MICA_TRY(mica_ask_all(call, both, 2));
    mica_add_text(call, who.name, NULL);
    return MICA_OK;
}
MICA_TOOL(job, anything, mica_nothing, job, .description = "Is a task.",
          .task = MICA_TASK_REQUIRED);

#define TASKER                                           \
    "'_meta':{'" P_ "protocolVersion':'2026-07-28','" P_ \
    "clientCapabilities':{'elicitation':{},'extensions':{'" P_ "tasks':{}}}}"

static const char *
tasked(const char *method, const char *params)
{
    return line(quoted("{" V2 ",'id':1,'method':'%s','params':{" TASKER ",%s}}",
                       method, params));
}

static char task[MICA_CALL_ID_SIZE];

static void
take_task_id(void)
{
    struct mica_text id;

    id = mica_json_get_text(mica_json_get(&harness.last, "result"), "taskId");
    ck_assert_uint_eq(id.len, MICA_CALL_ID_SIZE - 1);
    memcpy(task, id.ptr, id.len);
}

static void
begin_task(void)
{
    add(&mica_tool_job);
    tasked("tools/call", "'name':'job'");
    ck_at("/result/resultType", "'task'");
    ck_at("/result/status", "'working'");
    ck_at("/result/inputRequests", "(absent)");
    take_task_id();
}

static const char *
about(const char *more)
{
    return quoted("'taskId':'%s'%s", task, more);
}

// [TASK-CREATE] [TASK-DETAIL] [TASK-UPDATE]
START_TEST(a_task_goes_on_without_its_client)
{
    begin_task();
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'working'");
    resume(task, MICA_OK);
    tasked("tasks/get", about(""));
    ck_at("/result/resultType", "'complete'");
    ck_at("/result/status", "'input_required'");
    ck_at("/result/inputRequests/who/method", "'elicitation/create'");
    ck_at("/result/inputRequests/sure/method", "'elicitation/create'");
    tasked("tasks/update",
           about(",'inputResponses':{'unknown-key':{'action':'accept'},"
                 "'who':{'action':'accept','content':{'name':'Ada'}}}"));
    ck_at("/result/resultType", "'complete'");
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'input_required'");
    ck_at("/result/inputRequests/who", "(absent)");
    ck_at("/result/inputRequests/sure/method", "'elicitation/create'");
    tasked("tasks/update",
           about(",'inputResponses':{"
                 "'sure':{'action':'accept','content':{'yes':true}}}"));
    resume(task, MICA_OK);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'completed'");
    ck_at("/result/result/content/0/text", "'Ada'");
    tasked("tasks/cancel", about(""));
    ck_at("/result/resultType", "'complete'");
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'completed'");
}
END_TEST

// ---- Becoming a task later -----------------------------------------------------------

static int booked, worked;

struct receipt {
    int64_t number;
};
MICA_RECORD(receipt, MICA_INTEGER(number, "Of the booking."));

static enum mica_status
book(struct mica_server_call *call, const struct who *in, struct receipt *out)
{
    (void)call;
    (void)in;
    out->number = ++booked;
    return MICA_OK;
}
MICA_STEP(book, who, receipt, book);

static enum mica_status
books_then_works(struct mica_call *call, const struct anything *in,
                 struct mica_nothing *out)
{
    struct receipt receipt;
    struct who who;

    (void)in;
    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "Who?"));
    MICA_TRY(MICA_RUN_STEP(book, call, &who, &receipt));
    MICA_TRY(mica_detach(call));
    worked++;
    mica_add_text(call, who.name, NULL);
    return MICA_OK;
}
MICA_TOOL(books_then_works, anything, mica_nothing, books_then_works,
          .description = "Asks, books, and works on as a task.",
          .task = MICA_TASK_REQUIRED, .detaches = true,
          .steps = MICA_STEPS("book"));

static enum mica_status
asks_then_works(struct mica_call *call, const struct anything *in,
                struct mica_nothing *out)
{
    struct who who;

    (void)in;
    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "Who?"));
    MICA_TRY(mica_detach(call));
    worked++;
    mica_add_text(call, who.name, NULL);
    return MICA_OK;
}
MICA_TOOL(asks_then_works, anything, mica_nothing, asks_then_works,
          .description = "Asks, and works on as a task.",
          .task = MICA_TASK_REQUIRED, .detaches = true);

static void
answer_name(const char *tool)
{
    tasked("tools/call",
           quoted("'name':'%s','inputResponses':{'who':{'action':'accept',"
                  "'content':{'name':'Ada'}}},'requestState':'%s'",
                  tool, state));
}

static void
detaches(const struct mica_tool *tool)
{
    char first[MICA_CALL_ID_SIZE];

    booked = worked = 0;
    add(tool);
    tasked("tools/call", quoted("'name':'%s'", tool->name));
    ck_at("/result/resultType", "'input_required'");
    ck_at("/result/taskId", "(absent)");
    keep_state();
    answer_name(tool->name);
    ck_at("/result/resultType", "'task'");
    ck_at("/result/requestState", "(absent)");
    take_task_id();
    strcpy(first, task);
    // The client did not hear it: it is the same task.
    answer_name(tool->name);
    ck_at("/result/resultType", "'task'");
    take_task_id();
    ck_assert_str_eq(first, task);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'working'");
    resume(task, MICA_OK);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'completed'");
    ck_at("/result/result/content/0/text", "'Ada'");
    ck_assert_int_eq(worked, 1);
}

START_TEST(a_kept_call_becomes_a_task_once)
{
    detaches(&mica_tool_books_then_works);
    ck_assert_int_eq(booked, 1);
}
END_TEST

START_TEST(a_carried_call_becomes_a_task_once)
{
    detaches(&mica_tool_asks_then_works);
}
END_TEST

// ---- Ends ----------------------------------------------------------------------------

static enum mica_status
boasts(struct mica_call *call, const struct anything *in,
       struct mica_nothing *out)
{
    size_t size = 5 << 20;
    char *text = mica_alloc(call, size);

    (void)in;
    (void)out;
    worked++;
    memset(text, 'x', size);
    mica_add_text(call, (struct mica_text){text, size}, NULL);
    return MICA_OK;
}
MICA_TOOL(boasts, anything, mica_nothing, boasts,
          .description = "Has a result that cannot be kept.",
          .task = MICA_TASK_REQUIRED);

START_TEST(a_result_that_is_too_large_to_be_kept_ends_its_task)
{
    worked = 0;
    add(&mica_tool_boasts);
    tasked("tools/call", "'name':'boasts'");
    take_task_id();
    resume(task, MICA_OK);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'failed'");
    ck_at("/result/error/data/code", "'LIMIT_EXCEEDED'");
    resume(task, MICA_OK);
    ck_assert_int_eq(worked, 1);
}
END_TEST

static enum mica_status
is_stopped(struct mica_call *call, const struct anything *in,
           struct mica_nothing *out)
{
    (void)in;
    (void)out;
    if (worked++ == 0) {
        atomic_store(&harness.message.execution.cancelled,
                     true); // the server ends
        return mica_fail(call, "STOPPED", "", "stopped half-way");
    }
    mica_add_text(call, MICA_LITERAL("done"), NULL);
    return MICA_OK;
}
MICA_TOOL(is_stopped, anything, mica_nothing, is_stopped,
          .description = "Is stopped by the end of its server.",
          .task = MICA_TASK_REQUIRED);

START_TEST(a_task_outlives_the_end_of_its_server)
{
    worked = 0;
    add(&mica_tool_is_stopped);
    tasked("tools/call", "'name':'is_stopped'");
    take_task_id();
    resume(task, MICA_OK);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'working'");
    resume(task, MICA_OK);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'completed'");
}
END_TEST

START_TEST(a_key_shows_a_task_to_who_declared_tasks_alone)
{
    add(&mica_tool_job);
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{'_meta':{'" P_
                "protocolVersion':'2026-07-28','mica/idempotencyKey':'k','" P_
                "clientCapabilities':{'extensions':{'" P_ "tasks':{}}}},"
                "'name':'job'}}"));
    ck_at("/result/resultType", "'task'");
    say("tools/call", "'name':'job'", NULL, NULL, ",'mica/idempotencyKey':'k'");
    ck_error("-32021", "CAPABILITY_MISSING", "1");
}
END_TEST

// [TASK-CANCEL]
// ---- Tasks that end their process ------------------------------------------------------

static uint32_t lost_claims;

static enum mica_status
chatters(struct mica_call *call, const struct anything *in,
         struct mica_nothing *out)
{
    struct mica_arena arena;
    struct mica_text progress_log;

    (void)in;
    (void)out;
    mica_arena_init(&arena, 1 << 20);
    // The first is written down at once, then one of each second.
    mica_log(call, MICA_LOG_INFO, "it begins");
    mica_log(call, MICA_LOG_INFO, "soon");
    progress_log = stored(task, &arena).progress_log;
    ck_assert(mica_text_is(progress_log, "\n{\"number\":1,\"level\":\"info\","
                                         "\"message\":\"it begins\"}\n"));
    clock_ms += 5000;
    mica_notify(call, "still at it");
    lost_claims = stored(task, &arena).lost_claims;
    ck_assert(mica_text_is(stored(task, &arena).note, "still at it"));
    progress_log = stored(task, &arena).progress_log;
    ck_assert(mica_text_starts(progress_log, "{\"progress\":1}\n"));
    ck_assert_ptr_nonnull(strstr(progress_log.ptr, "\"message\":\"soon\"}\n"));
    mica_arena_fini(&arena);
    return MICA_OK;
}
MICA_TOOL(chatters, anything, mica_nothing, chatters,
          .description = "Says much.", .task = MICA_TASK_REQUIRED);

START_TEST(a_task_that_only_says_how_it_is_does_not_continue)
{
    add(&mica_tool_chatters);
    tasked("tools/call", "'name':'chatters'");
    take_task_id();
    lose(task, 4);
    resume(task, MICA_OK);
    ck_assert_uint_eq(lost_claims, 4);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'completed'");
}
END_TEST

START_TEST(a_task_that_ends_its_process_each_time_fails)
{
    add(&mica_tool_chatters);
    tasked("tools/call", "'name':'chatters'");
    take_task_id();
    lost_claims = 99;
    lose(task, 5);
    resume(task, MICA_OK);
    ck_assert_uint_eq(lost_claims, 99);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'failed'");
    ck_at("/result/error/data/code", "'CALL_CRASHED'");
    ck_says("/result/error/message", "nothing is known to be done");
}
END_TEST

START_TEST(a_task_is_given_up)
{
    begin_task();
    resume(task, MICA_OK);
    tasked("tasks/cancel", about(""));
    ck_at("/result/resultType", "'complete'");
    resume(task, MICA_OK);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'cancelled'");
    ck_at("/result/result", "(absent)");
    ck_at("/result/error", "(absent)");
}
END_TEST

// [TASK-DECLARE]
START_TEST(tasks_are_for_clients_that_declared_them)
{
    begin_task();
    call("'name':'job'", NULL, NULL);
    ck_error("-32021", "CAPABILITY_MISSING", "1");
    ck_at("/error/data/requiredCapabilities",
          "{'extensions':{'" P_ "tasks':{}}}");
    say("tasks/get", "'taskId':'nonsense'", NULL, NULL, NULL);
    ck_error("-32021", "CAPABILITY_MISSING", "1");
    tasked("tasks/get", "'taskId':'nonsense'");
    ck_error("-32602", "NOT_FOUND", "1");
    tasked("tasks/update", "'taskId':'nonsense','inputResponses':{}");
    ck_error("-32602", "NOT_FOUND", "1");
    tasked("tasks/cancel", "'taskId':'nonsense'");
    ck_error("-32602", "NOT_FOUND", "1");
    tasked("tasks/result", about(""));
    ck_at("/error/code", "-32601");
}
END_TEST

// ---- A part of the answers ---------------------------------------------------------------

static int went_on;

static enum mica_status
asks_one(struct mica_call *call, const struct anything *in, struct who *out)
{
    struct sure sure;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, out), "Who?"));
    went_on++;
    return mica_elicit(call, MICA_FORM(sure, &sure), "Sure?");
}
MICA_TOOL(asks_one, anything, who, asks_one, .description = "Asks.");
MICA_TOOL(asks_too, anything, who, asks_one, .description = "Asks as well.");

static enum mica_status
leads(struct mica_call *call, const struct anything *in,
      struct mica_nothing *out)
{
    struct who one, two;
    struct mica_invocation both[] = {{.tool = "asks_one",
                                      .from = MICA_FROM(anything, in),
                                      .into = MICA_INTO(who, &one)},
                                     {.tool = "asks_too",
                                      .from = MICA_FROM(anything, in),
                                      .into = MICA_INTO(who, &two)}};

    (void)out;
    MICA_TRY(mica_invoke_all(call, both, 2));
    mica_add_text(
        call,
        mica_format(call, "%.*s, %.*s", MICA_ARG(one.name), MICA_ARG(two.name)),
        NULL);
    return MICA_OK;
}
MICA_TOOL(leads, anything, mica_nothing, leads, .description = "Leads two.",
          .task = MICA_TASK_REQUIRED);

static size_t
due_now(void)
{
    struct mica_store_due due;
    struct mica_arena arena;
    struct mica_error error;

    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(
        store_due(kept.store, clock_ms, 10, 30000, &arena, &error, &due),
        MICA_OK);
    mica_arena_fini(&arena);
    return due.count;
}

static void
give(const char *key, const char *content)
{
    char answers[200];

    snprintf(answers, sizeof answers,
             ",'inputResponses':{'%s':{'action':'accept','content':{%s}}}", key,
             content);
    tasked("tasks/update", about(answers));
    ck_at("/result/resultType", "'complete'");
}

// Its process dies when it has acknowledged one answer, and the next in the turn.
START_TEST(a_part_of_the_answers_is_gone_on_with_though_the_process_died)
{
    went_on = 0;
    add(&mica_tool_asks_one);
    add(&mica_tool_asks_too);
    add(&mica_tool_leads);
    tasked("tools/call", "'name':'leads'");
    take_task_id();
    resume(task, MICA_OK);
    clock_ms += MICA_STORE_CALL_GRACE_MS;
    ck_assert_uint_eq(due_now(),
                      0); // it waits, and no process has to look at it
    give("asks_one/who", "'name':'Ada'");
    clock_ms += MICA_STORE_CALL_GRACE_MS;
    ck_assert_uint_eq(due_now(), 1);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'input_required'");
    ck_at("/result/inputRequests/asks_one~1who", "(absent)");
    ck_says("/result/inputRequests/asks_too~1who/params/message", "Who?");
    lose(task, 1);
    clock_ms += 30000;
    ck_assert_uint_eq(due_now(), 1);
    // Another answer comes before that turn.
    give("asks_too/who", "'name':'Bob'");
    resume(task, MICA_OK);
    ck_assert_int_eq(went_on, 2);
    give("asks_too/sure", "'yes':true");
    resume(task, MICA_OK);
    clock_ms += MICA_STORE_CALL_GRACE_MS;
    ck_assert_uint_eq(due_now(), 0);
    tasked("tasks/get", about(""));
    ck_at("/result/status", "'input_required'");
    give("asks_one/sure", "'yes':true");
    resume(task, MICA_OK);
    tasked("tasks/get", about(""));
    ck_at("/result/result/content/0/text", "'Ada, Bob'");
}
END_TEST

// ---- Scopes --------------------------------------------------------------------------

static enum mica_status
scoped(struct mica_call *call, const struct anything *in, struct who *out)
{
    (void)call;
    (void)in;
    out->name = MICA_LITERAL("what only some may read");
    return MICA_OK;
}
MICA_TOOL(scoped, anything, who, scoped, .description = "Needs a scope.",
          .scope = "secrets");

static enum mica_status
delegates(struct mica_call *call, const struct anything *in,
          struct mica_nothing *out)
{
    struct who one = {.name = MICA_LITERAL("nothing")};
    enum mica_status status = mica_invoke(
        call, "scoped", MICA_FROM(anything, in), MICA_INTO(who, &one));

    (void)out;
    if (status == MICA_OK)
        mica_add_text(call, one.name, NULL);
    return status;
}
MICA_TOOL(delegates, anything, mica_nothing, delegates,
          .description = "Invokes it.", .task = MICA_TASK_REQUIRED);

// A task of this caller, begun in one message and run from the store.
static void
delegate_as(const struct mica_principal *principal)
{
    struct mica_message *message = &harness.message;

    mica_arena_reset(&harness.arena);
    mica_message_init(message, harness.server, &harness.arena);
    message->context.principal = principal;
    mica_message_line(
        message, &harness.state,
        mica_text(quoted("{" V2 ",'id':1,'method':'tools/call',"
                         "'params':{" TASKER ",'name':'delegates'}}")));
    finish_message();
    ck_at("/result/resultType", "'task'");
    take_task_id();
    resume(task, MICA_OK);
    mica_arena_reset(&harness.arena);
    mica_message_init(message, harness.server, &harness.arena);
    message->context.principal = principal;
    mica_message_line(message, &harness.state,
                      mica_text(quoted("{" V2 ",'id':1,'method':'tasks/get',"
                                       "'params':{" TASKER ",'taskId':'%s'}}",
                                       task)));
    finish_message();
}

// The store has no name for an anonymous caller, and none for one of a server that
// identifies no callers; only the second needs no scopes.
START_TEST(a_stored_call_has_the_scopes_of_its_caller)
{
    const struct mica_principal anonymous = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    const struct mica_principal ann = {MICA_LITERAL("i"), MICA_LITERAL("ann"),
                                       MICA_LITERAL("secrets")};
    const char *const text = "/result/result/content/0/text";

    add(&mica_tool_scoped);
    add(&mica_tool_delegates);
    delegate_as(NULL);
    ck_at(text, "'what only some may read'");
    delegate_as(&ann);
    ck_at(text, "'what only some may read'");
    delegate_as(&anonymous);
    ck_at("/result/result/isError", "true");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("tasks");
    TCase *cases = tcase_create("tasks");

    tcase_add_checked_fixture(cases, open_kept, close_kept);
    suite_add_tcase(suite, cases);
    tcase_add_test(
        cases, a_part_of_the_answers_is_gone_on_with_though_the_process_died);
    tcase_add_test(cases, a_task_goes_on_without_its_client);
    tcase_add_test(cases, a_task_is_given_up);
    tcase_add_test(cases, a_task_that_only_says_how_it_is_does_not_continue);
    tcase_add_test(cases, a_task_that_ends_its_process_each_time_fails);
    tcase_add_test(cases, a_kept_call_becomes_a_task_once);
    tcase_add_test(cases, a_carried_call_becomes_a_task_once);
    tcase_add_test(cases, a_result_that_is_too_large_to_be_kept_ends_its_task);
    tcase_add_test(cases, a_task_outlives_the_end_of_its_server);
    tcase_add_test(cases, a_key_shows_a_task_to_who_declared_tasks_alone);
    tcase_add_test(cases, a_stored_call_has_the_scopes_of_its_caller);
    tcase_add_test(cases, tasks_are_for_clients_that_declared_them);
    return run_suite(suite);
}
