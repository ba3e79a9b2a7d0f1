// SPDX-License-Identifier: Apache-2.0
//
// The host of a view: what the view is sent and in which order, its tools, its end.
#include <stdio.h>
#include <string.h>

#include "host_stage.h"

#define UI "ui/notifications/"

static struct stage stage;

static const struct mica_host_call done = {.done = stage_done, .user = &stage};

// ---- What a view is sent ---------------------------------------------------------

START_TEST(what_is_early_waits_and_goes_out_in_its_order)
{
    struct mica_host *host;

    stage_open(&stage, (struct mica_host_options){
                           .context = MICA_LITERAL("{\"theme\":\"dark\"}")});
    host = stage.host;
    STAGE_OK(&stage,
             mica_host_tool_result(host, MICA_LITERAL("{ \"content\" :\n [] }"),
                                   &stage.error));
    STAGE_OK(&stage, mica_host_tool_input_partial(
                         host, MICA_LITERAL("{\"a\":1}"), &stage.error));
    STAGE_OK(&stage, mica_host_tool_input_partial(host, (struct mica_text){0},
                                                  &stage.error));
    STAGE_OK(&stage, mica_host_server_changed(host, MICA_HOST_LIST_TOOLS,
                                              &stage.error));
    STAGE_OK(&stage, mica_host_tool_input(host, MICA_LITERAL("{\"a\":123}"),
                                          &stage.error));
    STAGE_OK(&stage, mica_host_ping(host, &done, &stage.error, NULL));
    STAGE_OK(&stage,
             mica_host_set_context(host, MICA_LITERAL("{\"locale\":\"de\"}"),
                                   &stage.error));
    STAGE_LOG(&stage, "");
    stage_take(&stage, HELLO("0", "{}"));
    stage.log.len = 0;
    STAGE_OK(&stage,
             mica_host_set_context(host, MICA_LITERAL("{\"theme\":\"light\"}"),
                                   &stage.error));
    STAGE_LOG(&stage, "");
    stage_take(&stage, INITIALIZED);
    STAGE_LOG(
        &stage,
        "> " TELL_WITH(
            UI "host-context-changed",
            "{\"theme\":\"light\"}") "\n"
                                     "> " TELL_WITH(
                                         UI "tool-input-partial",
                                         "{\"arguments\":{\"a\":1}}") "\n"
                                                                      "> " TELL_WITH(
                                                                          UI
                                                                          "tool-input-partial",
                                                                          "{}") "\n"
                                                                                "> " TELL_WITH(
                                                                                    UI
                                                                                    "tool-input",
                                                                                    "{\"arguments\":{\"a\":123}}") "\n"
                                                                                                                   "> " TELL_WITH(
                                                                                                                       UI
                                                                                                                       "tool-result",
                                                                                                                       "{\"content\":[]}") "\n"
                                                                                                                                           "> " TELL_WITH(
                                                                                                                                               "notifications/tools/list_changed",
                                                                                                                                               "{}") "\n"
                                                                                                                                                     "> " ASK(
                                                                                                                                                         "0",
                                                                                                                                                         "ping") "\n"
                                                                                                                                                                 "initialized\n");
    stage_take(&stage, ANSWER("0", "{}"));
    STAGE_LOG(&stage, "done {}\n");

    // A document that was loaded again gets input and result again.
    stage_live(&stage, HELLO("1", "{}"));
    stage_take(&stage, HELLO("2", "{}"));
    stage.log.len = 0;
    stage_take(&stage, INITIALIZED);
    STAGE_LOG(
        &stage,
        "> " TELL_WITH(
            UI "tool-input",
            "{\"arguments\":{\"a\":123}}") "\n"
                                           "> " TELL_WITH(
                                               UI "tool-result",
                                               "{\"content\":[]}") "\n"
                                                                   "initialized\n");
    stage_end(&stage);
}
END_TEST

START_TEST(a_message_in_the_wrong_place_is_refused)
{
    struct mica_host *host;

    for (int live = 0; live < 2; live++) {
        stage_open(&stage, (struct mica_host_options){.user = NULL});
        host = stage.host;
        if (live > 0) {
            stage_live(&stage, HELLO("0", "{}"));
            STAGE_FAILS(
                &stage,
                mica_host_tool_result(host, MICA_LITERAL("{}"), &stage.error),
                "INPUT_MISSING");
        }
        STAGE_FAILS(
            &stage,
            mica_host_tool_input(host, MICA_LITERAL("[1]"), &stage.error),
            "WRONG_TYPE");
        STAGE_FAILS(
            &stage,
            mica_host_tool_cancelled(host, MICA_LITERAL("\xff"), &stage.error),
            "BAD_FORMAT");
        STAGE_OK(&stage, mica_host_tool_input(host, (struct mica_text){0},
                                              &stage.error));
        STAGE_FAILS(&stage,
                    mica_host_tool_input_partial(host, (struct mica_text){0},
                                                 &stage.error),
                    "INPUT_COMPLETE");
        STAGE_FAILS(
            &stage,
            mica_host_tool_input(host, (struct mica_text){0}, &stage.error),
            "INPUT_COMPLETE");
        STAGE_OK(&stage, mica_host_tool_cancelled(host, MICA_LITERAL("r"),
                                                  &stage.error));
        STAGE_FAILS(
            &stage,
            mica_host_tool_result(host, MICA_LITERAL("{}"), &stage.error),
            "CALL_ENDED");
        if (live == 0) {
            stage_take(&stage, HELLO("0", "{}"));
            stage.log.len = 0;
            stage_take(&stage, INITIALIZED);
        }
        STAGE_LOG(
            &stage,
            live > 0
                ? "> " TELL_WITH(UI "tool-input",
                                 "{}") "\n"
                                       "> " TELL_WITH(UI "tool-cancelled",
                                                      "{\"reason\":\"r\"}") "\n"
                : "> " TELL_WITH(
                      UI "tool-input",
                      "{}") "\n"
                            "> " TELL_WITH(
                                UI "tool-cancelled",
                                "{\"reason\":\"r\"}") "\n"
                                                      "initialized\n");
        stage_end(&stage);
    }
    stage_open_live(&stage);
    STAGE_OK(&stage, mica_host_tool_cancelled(stage.host, (struct mica_text){0},
                                              &stage.error));
    STAGE_FAILS(
        &stage,
        mica_host_tool_input(stage.host, (struct mica_text){0}, &stage.error),
        "CALL_ENDED");
    STAGE_LOG(&stage, "> " TELL_WITH(UI "tool-cancelled", "{}") "\n");
    stage_end(&stage);
}
END_TEST

START_TEST(the_context_is_sent_as_changes_without_foreign_variables)
{
    stage_open(&stage, (struct mica_host_options){
                           .context = MICA_LITERAL(
                               "{\"theme\":\"dark\",\"styles\":{\"variables\":"
                               "{\"--color-text-primary\":\"red\",\"--mine\":"
                               "\"1\"},\"css\":{\"fonts\":\"\"}}}")});
    UNIT_TEXT_EQ(mica_host_context(stage.host),
                 "{\"theme\":\"dark\",\"styles\":{\"variables\":{"
                 "\"--color-text-primary\":\"red\"},\"css\":{\"fonts\":\"\"}},"
                 "\"mica/variables\":{\"--mine\":\"1\"}}");
    stage_live(&stage, HELLO("0", "{}"));
    STAGE_OK(&stage,
             mica_host_set_context(
                 stage.host, MICA_LITERAL("{\"theme\":\"dark\",\"list\":[1]}"),
                 &stage.error));
    STAGE_OK(&stage, mica_host_set_context(stage.host,
                                           MICA_LITERAL("{\"theme\":\"dark\"}"),
                                           &stage.error));
    STAGE_OK(&stage,
             mica_host_set_context(
                 stage.host,
                 MICA_LITERAL("{\"styles\":{\"variables\":{\"--other\":\"2\"}"
                              "}}"),
                 &stage.error));
    STAGE_LOG(&stage,
              "> " TELL_WITH(
                  UI "host-context-changed",
                  "{\"list\":[1]}") "\n"
                                    "> " TELL_WITH(
                                        UI "host-context-changed",
                                        "{\"styles\":{\"variables\":{}},"
                                        "\"mica/variables\":{\"--mine\":\"1\","
                                        "\"--other\":\"2\"}}") "\n");
    STAGE_FAILS(&stage,
                mica_host_set_context(stage.host,
                                      MICA_LITERAL("{\"platform\":\"tv\"}"),
                                      &stage.error),
                "INVALID_HOST_CONTEXT");
    STAGE_FAILS(&stage,
                mica_host_set_context(stage.host,
                                      MICA_LITERAL("{\"displayMode\":7}"),
                                      &stage.error),
                "INVALID_HOST_CONTEXT");
    STAGE_FAILS(
        &stage,
        mica_host_set_context(stage.host, MICA_LITERAL("null"), &stage.error),
        "WRONG_TYPE");
    STAGE_LOG(&stage, "");
    stage_end(&stage);
}
END_TEST

START_TEST(lists_and_the_document_of_the_proxy_are_sent)
{
    stage_open(&stage, (struct mica_host_options){.user = NULL});
    STAGE_OK(&stage,
             mica_host_sandbox_resource(
                 stage.host, MICA_LITERAL("{\"html\":\"<p>\"}"), &stage.error));
    STAGE_FAILS(
        &stage,
        mica_host_sandbox_resource(stage.host, MICA_LITERAL("1"), &stage.error),
        "WRONG_TYPE");
    STAGE_LOG(&stage, "> " TELL_WITH(UI "sandbox-resource-ready",
                                     "{\"html\":\"<p>\"}") "\n");
    stage_live(&stage, HELLO("0", "{}"));
    for (int list = 0; list < 3; list++)
        STAGE_OK(&stage,
                 mica_host_server_changed(stage.host, (enum mica_host_list)list,
                                          &stage.error));
    STAGE_LOG(
        &stage,
        "> " TELL_WITH("notifications/tools/list_changed",
                       "{}") "\n"
                             "> " TELL_WITH(
                                 "notifications/resources/list_changed",
                                 "{}") "\n"
                                       "> " TELL_WITH(
                                           "notifications/prompts/list_changed",
                                           "{}") "\n");
    stage_end(&stage);
}
END_TEST

// ---- Tools of the view -----------------------------------------------------------

START_TEST(the_tools_of_a_view_are_listed_and_called)
{
    struct mica_host_call call = done;
    uint64_t number = 0;

    stage_open_live(&stage);
    STAGE_OK(&stage, mica_host_call_tool(stage.host, MICA_LITERAL("t"),
                                         MICA_LITERAL("{\"a\":1}"), &done,
                                         &stage.error, &number));
    STAGE_LOG(&stage,
              "> " ASK_WITH("0", "tools/call",
                            "{\"name\":\"t\",\"arguments\":{\"a\":1}}") "\n");
    stage_take(&stage, ANSWER("0", "{\"structuredContent\":{\"b\":2}}"));
    STAGE_LOG(&stage,
              "done {\"content\":[],\"structuredContent\":{\"b\":2}}\n");
    STAGE_OK(&stage, mica_host_list_tools(stage.host, (struct mica_text){0},
                                          &done, &stage.error, NULL));
    stage_take(&stage, ANSWER("1", "{\"tools\":[{\"name\":\"t\"}],"
                                   "\"nextCursor\":\"n\"}"));
    STAGE_LOG(
        &stage,
        "> " ASK_WITH(
            "1", "tools/list",
            "{}") "\n"
                  "done {\"nextCursor\":\"n\",\"tools\":[{\"name\":\"t\"}]"
                  "}\n");
    STAGE_OK(&stage, mica_host_list_tools(stage.host, MICA_LITERAL("n"), &done,
                                          &stage.error, NULL));
    stage_take(&stage, FAULT("2", "-32603", "no"));
    STAGE_LOG(
        &stage,
        "> " ASK_WITH("2", "tools/list",
                      "{\"cursor\":\"n\"}") "\ndone ERROR_REPLY -32603: no\n");
    call.progress = stage_progress;
    STAGE_OK(&stage, mica_host_call_tool(stage.host, MICA_LITERAL("t"),
                                         (struct mica_text){0}, &call,
                                         &stage.error, &number));
    stage_take(&stage, TELL_WITH("notifications/progress",
                                 "{\"progressToken\":3,\"progress\":1}"));
    stage_take(&stage, TELL_WITH("notifications/progress",
                                 "{\"progressToken\":4,\"progress\":1}"));
    mica_host_cancel(stage.host, number, MICA_LITERAL("enough"));
    mica_host_cancel(stage.host, number, MICA_LITERAL("enough"));
    STAGE_LOG(
        &stage,
        "> " ASK_WITH(
            "3", "tools/call",
            "{\"_meta\":{\"progressToken\":3},\"name\":\"t\"}") "\nprogress {\"progressToken\":3,\"progress\":1}\n"
                                                                "done REQUEST_TIMEOUT 0: enough\n"
                                                                "> " TELL_WITH(
                                                                    "notifications/cancelled",
                                                                    "{\"requestId\":3,\"reason\":\"enough\"}") "\n");
    STAGE_FAILS(&stage,
                mica_host_call_tool(stage.host, MICA_LITERAL("\xff"),
                                    (struct mica_text){0}, &done, &stage.error,
                                    NULL),
                "BAD_FORMAT");
    STAGE_FAILS(&stage,
                mica_host_call_tool(stage.host, MICA_LITERAL("t"),
                                    MICA_LITERAL("[]"), &done, &stage.error,
                                    NULL),
                "WRONG_TYPE");
    stage_end(&stage);
}
END_TEST

// What was logged since the last time.
static const char *
logged(void)
{
    mica_buffer_char(&stage.log, '\0');
    stage.log.len--;
    return stage.log.ptr;
}

#define QUESTION \
    "{\"message\":\"n?\",\"requestedSchema\":{},\"_meta\":{\"ui\":1}}"

START_TEST(a_view_answers_a_form_as_a_form_does)
{
    static const char *const fine[] = {
        "{\"action\":\"decline\"}", "{\"action\":\"cancel\"}",
        "{\"action\":\"accept\",\"content\":{}}",
        "{\"action\":\"accept\",\"content\":{\"a\":\"x\",\"b\":1.5,\"c\":true,"
        "\"d\":[\"x\"],\"e\":false}}"};
    static const char *const wrong[] = {
        "{}",
        "{\"action\":\"sure\"}",
        "{\"action\":1}",
        "{\"action\":\"accept\"}",
        "{\"action\":\"accept\",\"content\":[]}",
        "{\"action\":\"accept\",\"content\":{\"a\":null}}",
        "{\"action\":\"accept\",\"content\":{\"a\":{}}}",
        "{\"action\":\"accept\",\"content\":{\"a\":[1]}}"};
    struct mica_host_call call = done;
    char number[16], text[512];

    // The token of a progress would stand beside the _meta of the server.
    call.progress = stage_progress;
    stage_open(&stage, (struct mica_host_options){.user = NULL});
    STAGE_OK(&stage, mica_host_elicit(stage.host, MICA_LITERAL(QUESTION), &call,
                                      &stage.error, NULL));
    stage_live(&stage, HELLO("0", "{\"elicitation\":{}}"));
    for (size_t i = 0; i < MICA_COUNT(fine) + MICA_COUNT(wrong); i++) {
        bool ok = i < MICA_COUNT(fine);
        (void)snprintf(number, sizeof number, "%zu", i);
        (void)snprintf(text, sizeof text,
                       "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}", number,
                       ok ? fine[i] : wrong[i - MICA_COUNT(fine)]);
        stage_take(&stage, text);
        ck_assert_msg((strstr(logged(), "INVALID_RESULT") == NULL) == ok, "%s",
                      text);
        ck_assert_msg(strstr(logged(), "done ") != NULL, "%s", text);
        stage_take(&stage, text); // once
        ck_assert_uint_eq(mica_host_count(stage.host, MICA_HOST_UNKNOWN_REPLY),
                          i + 1);
        STAGE_OK(&stage, mica_host_elicit(stage.host, MICA_LITERAL(QUESTION),
                                          &call, &stage.error, NULL));
        ck_assert_ptr_nonnull(
            strstr(logged(),
                   "\"method\":\"elicitation/create\",\"params\":" QUESTION));
        stage.log.len = 0;
    }
    STAGE_FAILS(&stage,
                mica_host_elicit(stage.host, MICA_LITERAL("[]"), &done,
                                 &stage.error, NULL),
                "WRONG_TYPE");
    mica_host_close(stage.host);
    ck_assert_ptr_nonnull(strstr(logged(), "CONNECTION_CLOSED"));
    stage.log.len = 0;
    stage_end(&stage);
}
END_TEST

START_TEST(a_view_without_the_capability_is_not_asked)
{
    stage_open(&stage, (struct mica_host_options){.user = NULL});
    STAGE_OK(&stage, mica_host_list_tools(stage.host, (struct mica_text){0},
                                          &done, &stage.error, NULL));
    stage_live(&stage, HELLO("0", "{}"));
    ck_assert_uint_eq(
        mica_host_count(stage.host, MICA_HOST_CAPABILITY_NOT_SUPPORTED), 1);
    STAGE_FAILS(&stage,
                mica_host_call_tool(stage.host, MICA_LITERAL("t"),
                                    (struct mica_text){0}, &done, &stage.error,
                                    NULL),
                "CAPABILITY_NOT_SUPPORTED");
    ck_assert_str_eq(stage.error.message,
                     "The view does not support tools (appCapabilities.tools), "
                     "which tools/call needs.");
    STAGE_FAILS(&stage,
                mica_host_elicit(stage.host, MICA_LITERAL(QUESTION), &done,
                                 &stage.error, NULL),
                "CAPABILITY_NOT_SUPPORTED");
    ck_assert_ptr_nonnull(
        strstr(stage.error.message, "appCapabilities.elicitation"));
    STAGE_LOG(&stage, "");
    stage_end(&stage);
}
END_TEST

START_TEST(a_call_has_a_time_limit_sent_or_waiting)
{
    struct mica_host_call quick = done;
    struct mica_host_usage usage;
    uint64_t at = 0;

    quick.timeout_ms = 10;
    stage_open(&stage, (struct mica_host_options){.now_ms = 500});
    STAGE_OK(&stage, mica_host_call_tool(stage.host, MICA_LITERAL("t"),
                                         (struct mica_text){0}, &quick,
                                         &stage.error, NULL));
    mica_host_usage(stage.host, &usage);
    ck_assert_uint_eq(usage.queued, 1);
    ck_assert_uint_eq(usage.asked, 1);
    ck_assert(mica_host_due(stage.host, &at));
    ck_assert_uint_eq(at, 510);
    mica_host_tick(stage.host, 510);
    STAGE_LOG(&stage, "done REQUEST_TIMEOUT 0: Request timed out: the view was "
                      "not initialized\n");
    mica_host_usage(stage.host, &usage);
    ck_assert_uint_eq(usage.queued, 0);
    ck_assert_uint_eq(usage.asked, 0);
    stage_live(&stage, HELLO("0", "{\"tools\":{}}"));
    STAGE_OK(&stage, mica_host_call_tool(stage.host, MICA_LITERAL("t"),
                                         (struct mica_text){0}, &done,
                                         &stage.error, NULL));
    ck_assert(mica_host_due(stage.host, &at));
    ck_assert_uint_eq(at, 510 + MICA_HOST_CALL_MS);
    stage.log.len = 0;
    mica_host_tick(stage.host, at);
    STAGE_LOG(&stage,
              "done REQUEST_TIMEOUT 0: Request timed out\n"
              "> " TELL_WITH("notifications/cancelled",
                             "{\"requestId\":0,\"reason\":\"Request timed "
                             "out\"}") "\n");
    stage_take(&stage, ANSWER("0", "{}"));
    STAGE_LOG(&stage, "error UNKNOWN_REPLY: No request 0 is open.\n");
    stage_end(&stage);
}
END_TEST

// ---- The end ---------------------------------------------------------------------

START_TEST(a_view_ends_with_its_answer_without_a_handler_or_without_time)
{
    static const struct {
        const char *reply, *log;
    } ends[] = {
        {ANSWER("0", "{\"saved\":true}"), "done {\"saved\":true}\n"},
        {FAULT("0", "-32601", "Method not found"), "done {}\n"},
        {FAULT("0", "-32603", "no"),
         "done {}\nerror ERROR_REPLY: The view answered its end with an error: "
         "no\n"},
        {NULL, "done {}\nerror REQUEST_TIMEOUT: The view gave no answer to its "
               "end.\n> " TELL_WITH("notifications/cancelled",
                                    "{\"requestId\":0,\"reason\":\"Request "
                                    "timed out\"}") "\n"}};
    uint64_t at = 0;

    for (size_t i = 0; i < MICA_COUNT(ends); i++) {
        stage_open_live(&stage);
        STAGE_OK(&stage, mica_host_teardown(stage.host, &done, &stage.error));
        STAGE_LOG(&stage,
                  "> " ASK_WITH("0", "ui/resource-teardown", "{}") "\n");
        ck_assert_int_eq(mica_host_state(stage.host), MICA_HOST_TEARDOWN);
        // While it ends, the view may still ask, but gets nothing else.
        stage_take(&stage, HELLO("1", "{}"));
        stage_take(&stage, ASK("2", "ui/update-model-context"));
        stage_take(&stage, TELL("notifications/tools/list_changed"));
        STAGE_LOG(
            &stage,
            "> " FAULT("1", "-32600",
                       "The host ends this view.") "\n"
                                                   "model_context (none)\n");
        STAGE_FAILS(&stage,
                    mica_host_tool_input(stage.host, (struct mica_text){0},
                                         &stage.error),
                    "CONNECTION_CLOSED");
        STAGE_FAILS(&stage, mica_host_teardown(stage.host, &done, &stage.error),
                    "CONNECTION_CLOSED");
        ck_assert(mica_host_due(stage.host, &at));
        ck_assert_uint_eq(at, MICA_HOST_TEARDOWN_MS);
        if (ends[i].reply != NULL)
            stage_take(&stage, ends[i].reply);
        else
            mica_host_tick(stage.host, at);
        STAGE_LOG(&stage, ends[i].log);
        mica_host_close(stage.host);
        STAGE_LOG(&stage, "cancelled The view has ended.\nclosed\n");
        STAGE_FAILS(&stage,
                    mica_host_ping(stage.host, &done, &stage.error, NULL),
                    "CONNECTION_CLOSED");
        stage_end(&stage);
    }
}
END_TEST

START_TEST(what_waits_for_a_view_that_never_came_ends_with_it)
{
    stage_open(&stage, (struct mica_host_options){.user = NULL});
    STAGE_OK(&stage, mica_host_call_tool(stage.host, MICA_LITERAL("t"),
                                         (struct mica_text){0}, &done,
                                         &stage.error, NULL));
    STAGE_OK(&stage, mica_host_teardown(stage.host, &done, &stage.error));
    STAGE_LOG(&stage, "done CONNECTION_CLOSED 0: The view ends, or has ended.\n"
                      "done {}\n");
    stage_end(&stage);

    stage_open_live(&stage);
    STAGE_OK(&stage, mica_host_ping(stage.host, &done, &stage.error, NULL));
    stage.log.len = 0;
    mica_host_close(stage.host);
    STAGE_LOG(&stage, "done CONNECTION_CLOSED 0: The view ends, or has ended.\n"
                      "closed\n");
    stage_end(&stage);
}
END_TEST

START_TEST(a_document_that_is_loaded_again_ends_what_the_last_one_asked)
{
    stage_open_live(&stage);
    stage_take(&stage, ASK_WITH("1", "ui/message",
                                "{\"role\":\"user\",\"content\":[]}"));
    stage.log.len = 0;
    // The new document counts from 0 again, while the old one's request is open.
    stage_take(&stage, HELLO("1", "{}"));
    mica_buffer_char(&stage.log, '\0');
    ck_assert_ptr_nonnull(
        strstr(stage.log.ptr, "cancelled The view was loaded again.\n> "));
    STAGE_FAILS(&stage,
                mica_host_answer(stage.host, stage.request, MICA_LITERAL("{}"),
                                 &stage.error),
                "NOT_FOUND");
    stage_end(&stage);
}
END_TEST

UNIT_MAIN("host send", a_view_answers_a_form_as_a_form_does,
          what_is_early_waits_and_goes_out_in_its_order,
          a_message_in_the_wrong_place_is_refused,
          the_context_is_sent_as_changes_without_foreign_variables,
          lists_and_the_document_of_the_proxy_are_sent,
          the_tools_of_a_view_are_listed_and_called,
          a_view_without_the_capability_is_not_asked,
          a_call_has_a_time_limit_sent_or_waiting,
          a_view_ends_with_its_answer_without_a_handler_or_without_time,
          what_waits_for_a_view_that_never_came_ends_with_it,
          a_document_that_is_loaded_again_ends_what_the_last_one_asked)
