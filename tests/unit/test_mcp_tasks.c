// SPDX-License-Identifier: Apache-2.0
//
// Tasks in the core: a call that goes on without its client, which asks how it is,
// answers its questions and gives it up.
#include "test_mcp_rounds.h"

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
begin_task(void)
{
    struct mica_text id;

    add(&mica_tool_job);
    tasked("tools/call", "'name':'job'");
    ck_at("/result/resultType", "'task'");
    ck_at("/result/status", "'working'");
    ck_at("/result/inputRequests", "(absent)");
    id = mica_json_get_text(mica_json_get(&talk.last, "result"), "taskId");
    ck_assert_uint_eq(id.len, MICA_CALL_ID_SIZE - 1);
    memcpy(task, id.ptr, id.len);
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

// [TASK-CANCEL]
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

int
main(void)
{
    Suite *suite = suite_create("tasks");
    TCase *cases = tcase_create("tasks");

    tcase_add_checked_fixture(cases, open_kept, close_kept);
    suite_add_tcase(suite, cases);
    tcase_add_test(cases, a_task_goes_on_without_its_client);
    tcase_add_test(cases, a_task_is_given_up);
    tcase_add_test(cases, tasks_are_for_clients_that_declared_them);
    return run_suite(suite);
}
