// SPDX-License-Identifier: Apache-2.0
//
// The host of a view: its states, and what a view asks and tells. What it is sent is in
// test_host_send.c, what a hostile view may try in test_host_hostile.c.
#include "host_stage.h"

#include <stdio.h>

#include "base/states.h"
#include "host/host_peer.h"

#define UI "ui/notifications/"

static struct stage stage;

static const struct mica_host_call done = {.done = stage_done, .user = &stage};

// ---- States ----------------------------------------------------------------------

START_TEST(each_move_is_in_the_table_or_refused)
{
    static const char *const names[] = {"LOADING", "HANDSHAKE", "LIVE",
                                        "TEARDOWN", "CLOSED"};
    static const bool allowed[5][5] = {{false, true, false, true, true},
                                       {false, true, true, true, true},
                                       {false, true, false, true, true},
                                       {false, false, false, false, true},
                                       {false, false, false, false, false}};

    for (unsigned from = 0; from < 5; from++) {
        ck_assert_str_eq(mica_host_state_name((enum mica_host_state)from),
                         names[from]);
        for (unsigned to = 0; to < 5; to++) {
            struct mica_host host = {.state = (enum mica_host_state)from,
                                     .app_info = {"{}", 2}};
            ck_assert_int_eq(mica_states_allow(&mica_host_states, from, to),
                             allowed[from][to]);
            ck_assert_int_eq(mica_host_move(&host, (enum mica_host_state)to),
                             allowed[from][to]);
            ck_assert_uint_eq(host.state, allowed[from][to] ? to : from);
        }
    }
    ck_assert_str_eq(mica_host_state_name((enum mica_host_state)5), "?");
}
END_TEST

START_TEST(a_view_walks_through_its_states)
{
    stage_open(&stage,
               (struct mica_host_options){
                   .capabilities = MICA_LITERAL("{ \"openLinks\": {} }"),
                   .context = MICA_LITERAL("{\"theme\": \"dark\"}")});
    ck_assert_int_eq(mica_host_state(stage.host), MICA_HOST_LOADING);
    ck_assert_uint_eq(mica_host_app_info(stage.host).len, 0);
    stage_take(&stage, INITIALIZED);
    STAGE_LOG(&stage, "error OUT_OF_ORDER: initialized in the state LOADING\n");
    stage_take(&stage, HELLO("0", "{\"tools\":{}}"));
    STAGE_LOG(&stage,
              "> " ANSWER("0", "{\"protocolVersion\":\"2026-01-26\","
                               "\"hostInfo\":{\"name\":\"host\","
                               "\"version\":\"1\"},"
                               "\"hostCapabilities\":{\"openLinks\":{}},"
                               "\"hostContext\":{\"theme\":\"dark\"}}") "\n");
    ck_assert_int_eq(mica_host_state(stage.host), MICA_HOST_HANDSHAKE);
    UNIT_TEXT_EQ(mica_host_app_info(stage.host),
                 "{\"name\":\"view\",\"version\":\"2\"}");
    UNIT_TEXT_EQ(mica_host_app_capabilities(stage.host), "{\"tools\":{}}");
    stage_take(&stage, INITIALIZED);
    STAGE_LOG(&stage, "initialized\n");
    ck_assert_int_eq(mica_host_state(stage.host), MICA_HOST_LIVE);
    stage_take(&stage, INITIALIZED);
    stage_take(&stage, TELL(UI "sandbox-proxy-ready"));
    STAGE_LOG(&stage, "error OUT_OF_ORDER: initialized in the state LIVE\n"
                      "error OUT_OF_ORDER: " UI "sandbox-proxy-ready in the "
                      "state LIVE\n");
    ck_assert_uint_eq(mica_host_count(stage.host, MICA_HOST_OUT_OF_ORDER), 3);
    stage_take(&stage, HELLO("\"again\"", "{}"));
    ck_assert_int_eq(mica_host_state(stage.host), MICA_HOST_HANDSHAKE);
    stage.log.len = 0;
    mica_host_close(stage.host);
    mica_host_close(stage.host);
    STAGE_LOG(&stage, "closed\n");
    ck_assert_int_eq(mica_host_state(stage.host), MICA_HOST_CLOSED);
    stage_take(&stage, ASK("1", "ping"));
    STAGE_LOG(&stage, "");
    stage_end(&stage);
}
END_TEST

START_TEST(a_host_needs_what_it_cannot_do_without)
{
    const struct {
        struct mica_host_options options;
        const char *code;
    } wrong[] = {
        {{.name = "h", .version = "1"}, "USAGE"},
        {{.callbacks = {.send = stage_send}, .version = "1"}, "USAGE"},
        {{.callbacks = {.send = stage_send}, .name = "h"}, "USAGE"},
        {{.callbacks = {.send = stage_send}, .name = "\xff", .version = "1"},
         "BAD_FORMAT"},
        {{.callbacks = {.send = stage_send},
          .name = "h",
          .version = "1",
          .limits = {.rate = 1000001}},
         "USAGE"},
        {{.callbacks = {.send = stage_send},
          .name = "h",
          .version = "1",
          .limits = {.memory_bytes = 1000}},
         "LIMIT_EXCEEDED"},
        {{.callbacks = {.send = stage_send},
          .name = "h",
          .version = "1",
          .limits = {.memory_bytes = 30000}},
         "MEMORY_FULL"},
        {{.callbacks = {.send = stage_send},
          .name = "h",
          .version = "1",
          .capabilities = MICA_LITERAL("[]")},
         "WRONG_TYPE"},
        {{.callbacks = {.send = stage_send},
          .name = "h",
          .version = "1",
          .capabilities = MICA_LITERAL("{")},
         "INVALID_JSON"},
        {{.callbacks = {.send = stage_send},
          .name = "h",
          .version = "1",
          .context = MICA_LITERAL("{\"theme\":\"blue\"}")},
         "INVALID_HOST_CONTEXT"}};

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        struct mica_error error = {.code = ""};
        struct mica_host *host = NULL;
        ck_assert(mica_host_open(&wrong[i].options, &error, &host) != MICA_OK);
        ck_assert_str_eq(error.code, wrong[i].code);
        ck_assert_ptr_null(host);
    }
    mica_host_free(NULL);
}
END_TEST

// ---- What a view asks ------------------------------------------------------------

START_TEST(requests_reach_the_program_and_answers_the_view)
{
    static const struct {
        const char *ask, *callback, *result;
    } rows[] = {
        {ASK_WITH("1", "ui/open-link", "{\"url\":\"https://a.example\"}"),
         "open_link https://a.example\n", "{\"isError\":true}"},
        {ASK_WITH("1", "ui/download-file",
                  "{\"contents\":[{\"type\":\"resource_link\",\"uri\":\"a:b\","
                  "\"name\":\"../x/y.txt\"},{\"type\":\"resource\","
                  "\"resource\":{\"uri\":\"file:///a\",\"text\":\"\"}}]}"),
         "download [{\"type\":\"resource_link\",\"uri\":\"a:b\","
         "\"name\":\"y.txt\"},{\"type\":\"resource\",\"resource\":{\"uri\":"
         "\"file:///a\",\"text\":\"\"}}]\n",
         "{}"},
        {ASK_WITH("1", "ui/message", "{\"role\":\"user\",\"content\":[]}"),
         "message {\"role\":\"user\",\"content\":[]}\n", "{}"},
        {ASK_WITH("1", "ui/message",
                  "{\"role\":\"user\",\"content\":{\"type\":\"text\","
                  "\"text\":\"x\"}}"),
         "message {\"role\":\"user\",\"content\":[{\"type\":\"text\","
         "\"text\":\"x\"}]}\n",
         "{}"},
        {ASK_WITH("1", "ui/update-model-context",
                  "{\"structuredContent\":{\"a\":1}}"),
         "model_context {\"structuredContent\":{\"a\":1}}\n", "{}"},
        {ASK("1", "ui/update-model-context"), "model_context (none)\n", "{}"},
        {ASK_WITH("1", "ui/request-display-mode", "{\"mode\":\"pip\"}"),
         "mode pip\n", "{\"mode\":\"inline\"}"},
        {ASK_WITH("1", "sampling/createMessage",
                  "{\"messages\":[{\"role\":\"user\"}],\"maxTokens\":1}"),
         "sample {\"messages\":[{\"role\":\"user\"}],\"maxTokens\":1}\n",
         "{\"model\":\"m\"}"},
        {ASK_WITH("1", "tools/call", "{\"name\":\"t\",\"arguments\":{}}"),
         "tools/call {\"name\":\"t\",\"arguments\":{}}\n", "{\"content\":[]}"},
        {ASK_WITH("1", "tools/list", "{\"cursor\":\"c\"}"),
         "tools/list {\"cursor\":\"c\"}\n", "{\"tools\":[]}"},
        {ASK_WITH("1", "resources/read", "{\"uri\":\"ui://a\"}"),
         "resources/read {\"uri\":\"ui://a\"}\n", "{\"contents\":[]}"},
        {ASK("1", "resources/list"), "resources/list (none)\n",
         "{\"resources\":[]}"},
        {ASK("1", "resources/templates/list"),
         "resources/templates/list (none)\n", "{\"resourceTemplates\":[]}"},
        {ASK("1", "prompts/list"), "prompts/list (none)\n",
         "{\"prompts\":[]}"}};
    struct stage bare;
    struct mica_buffer reply;

    stage_open_live(&stage);
    stage_open(&bare,
               (struct mica_host_options){.callbacks = {.send = stage_send}});
    STAGE_OK(&stage,
             mica_host_set_server_tools(
                 stage.host, MICA_LITERAL("[{\"name\":\"t\"}]"), &stage.error));
    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        mica_buffer_init(&reply, NULL, 4096);
        stage_take(&stage, rows[i].ask);
        STAGE_LOG(&stage, rows[i].callback);
        STAGE_OK(&stage,
                 mica_host_answer(stage.host, stage.request,
                                  mica_text(rows[i].result), &stage.error));
        mica_buffer_format(&reply,
                           "> {\"jsonrpc\":\"2.0\",\"id\":1,"
                           "\"result\":%s}\n%c",
                           rows[i].result, 0);
        STAGE_LOG(&stage, reply.ptr);
        STAGE_FAILS(&stage,
                    mica_host_answer(stage.host, stage.request,
                                     MICA_LITERAL("{}"), &stage.error),
                    "NOT_FOUND");
        mica_buffer_fini(&reply);

        stage_take(&bare, rows[i].ask);
        if (strstr(rows[i].ask, "display-mode") != NULL)
            STAGE_LOG(&bare, "> " ANSWER("1", "{\"mode\":\"inline\"}") "\n");
        else
            STAGE_LOG(&bare,
                      "> " FAULT("1", "-32601", "Method not found") "\n");
    }
    stage_end(&bare);
    stage_end(&stage);
}
END_TEST

START_TEST(a_program_refuses_with_an_error_of_its_own)
{
    stage_open_live(&stage);
    stage_take(&stage, ASK_WITH("\"x\"", "ui/message",
                                "{\"role\":\"user\",\"content\":[]}"));
    stage.log.len = 0;
    STAGE_FAILS(&stage,
                mica_host_refuse(stage.host, stage.request, -32000,
                                 MICA_LITERAL("\xff"), (struct mica_text){0},
                                 &stage.error),
                "BAD_FORMAT");
    STAGE_FAILS(&stage,
                mica_host_refuse(stage.host, stage.request, -32000,
                                 MICA_LITERAL("no"), MICA_LITERAL("{"),
                                 &stage.error),
                "INVALID_JSON");
    STAGE_FAILS(&stage,
                mica_host_answer(stage.host, stage.request, MICA_LITERAL("1"),
                                 &stage.error),
                "WRONG_TYPE");
    STAGE_OK(&stage,
             mica_host_refuse(stage.host, stage.request, -32000,
                              MICA_LITERAL("no \"room\""),
                              MICA_LITERAL("{ \"a\" : 1 }"), &stage.error));
    STAGE_LOG(&stage, "> " FAULT_WITH("\"x\"", "-32000", "no \\\"room\\\"",
                                      "{\"a\":1}") "\n");
    STAGE_FAILS(&stage,
                mica_host_refuse(stage.host, stage.request, -32000,
                                 MICA_LITERAL("no"), (struct mica_text){0},
                                 &stage.error),
                "NOT_FOUND");
    stage_end(&stage);
}
END_TEST

START_TEST(bad_parameters_have_the_texts_of_the_official_host)
{
#define ABSENT(type) "Invalid input: expected " type ", received undefined"
    static const struct {
        const char *method, *params, *says;
    } rows[] = {
        {"ui/initialize", "{}",
         "appInfo: " ABSENT("object") ", appCapabilities: " ABSENT(
             "object") ", protocolVersion: " ABSENT("string")},
        {"ui/initialize",
         "{\"appInfo\":{\"name\":\"x\"},\"appCapabilities\":{"
         "\"availableDisplayModes\":[\"x\"],\"tools\":{\"listChanged\":1},"
         "\"experimental\":[]},\"protocolVersion\":3}",
         "appInfo.version: " ABSENT(
             "string") ", appCapabilities.experimental: Invalid input: expected record, "
                       "received array, appCapabilities.tools.listChanged: Invalid input: "
                       "expected boolean, received number, "
                       "appCapabilities.availableDisplayModes.0: Invalid input, "
                       "protocolVersion: Invalid input: expected string, received number"},
        {"ui/open-link", "{}", "url: " ABSENT("string")},
        {"ui/download-file",
         "{\"contents\":[3,{\"type\":\"text\",\"text\":\"x\"},{\"type\":"
         "\"resource\",\"resource\":{\"uri\":\"x\"}},{\"type\":\"resource\"}]}",
         "contents.0: Invalid input, contents.1: Invalid input, contents.2: "
         "Invalid input, contents.3: Invalid input"},
        {"ui/message", "{\"role\":\"x\"}",
         "role: Invalid input: expected \\\"user\\\", content: " ABSENT(
             "array")},
        {"ui/message",
         "{\"role\":\"user\",\"content\":[{\"type\":\"text\"},null,{\"type\":"
         "\"image\",\"data\":\"\"}]}",
         "content.0: Invalid input, content.1: Invalid input, content.2: "
         "Invalid input"},
        {"ui/update-model-context",
         "{\"content\":3,\"structuredContent\":null}",
         "content: Invalid input: expected array, received number, "
         "structuredContent: Invalid input: expected record, received null"},
        {"ui/request-display-mode", "{\"mode\":\"x\"}", "mode: Invalid input"},
        {"tools/call", "{\"arguments\":[]}",
         "name: " ABSENT("string") ", arguments: Invalid input: expected "
                                   "record, received array"},
        {"sampling/createMessage", "{\"messages\":[1]}",
         "messages.0: Invalid input: expected object, received number, "
         "maxTokens: " ABSENT("number")}};
    struct mica_buffer text;

    stage_open(&stage, (struct mica_host_options){.user = NULL});
    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        mica_buffer_init(&text, NULL, 4096);
        mica_buffer_format(&text,
                           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\","
                           "\"params\":%s}%c",
                           rows[i].method, rows[i].params, 0);
        stage_take(&stage, text.ptr);
        text.len = 0;
        mica_buffer_format(&text,
                           "> {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{"
                           "\"code\":-32602,\"message\":\"Invalid params for "
                           "%s: %s\"}}\n%c",
                           rows[i].method, rows[i].says, 0);
        STAGE_LOG(&stage, text.ptr);
        mica_buffer_fini(&text);
    }
    ck_assert_uint_eq(mica_host_count(stage.host, MICA_HOST_INVALID_PARAMS),
                      MICA_COUNT(rows));
    stage_end(&stage);
}
END_TEST

START_TEST(a_tool_of_the_server_is_called_only_if_it_is_for_views)
{
    static const char tools[] =
        "[{\"name\":\"both\"},"
        "{\"name\":\"app\",\"_meta\":{\"ui\":{\"visibility\":[\"app\"]}}},"
        "{\"name\":\"model\",\"_meta\":{\"ui\":{\"visibility\":[\"model\"]}}},"
        "{\"name\":\"odd\",\"_meta\":{\"ui\":{\"visibility\":[\"model\",\"x\"]}}},"
        "{\"name\":\"empty\",\"_meta\":{\"ui\":{\"visibility\":[]}}},"
        "{\"name\":\"text\",\"_meta\":{\"ui\":{\"visibility\":\"app\"}}}]";
    static const char *const hidden[] = {"model", "odd", "empty", "text"};
    char result[1024], ask[128], says[512];

    stage_open_live(&stage);
    stage_take(&stage, ASK_WITH("1", "tools/call", "{\"name\":\"both\"}"));
    STAGE_LOG(&stage, "> " FAULT_WITH("1", "-32602", "Tool both not found",
                                      "{\"code\":\"UNKNOWN_TOOL\"}") "\n");
    STAGE_OK(&stage, mica_host_set_server_tools(stage.host, mica_text(tools),
                                                &stage.error));
    stage_take(&stage, ASK_WITH("1", "tools/call", "{\"name\":\"both\"}"));
    stage_take(&stage, ASK_WITH("2", "tools/call", "{\"name\":\"app\"}"));
    STAGE_LOG(&stage, "tools/call {\"name\":\"both\"}\n"
                      "tools/call {\"name\":\"app\"}\n");
    for (size_t i = 0; i < MICA_COUNT(hidden); i++) {
        (void)snprintf(ask, sizeof ask,
                       ASK_WITH("3", "tools/call", "{\"name\":\"%s\"}"),
                       hidden[i]);
        (void)snprintf(says, sizeof says,
                       "> " FAULT_WITH("3", "-32602",
                                       "Tool %s is not for views: its "
                                       "_meta.ui.visibility has no \\\"app\\\"",
                                       "{\"code\":\"TOOL_NOT_VISIBLE\"}") "\n",
                       hidden[i]);
        stage_take(&stage, ask);
        STAGE_LOG(&stage, says);
    }
    ck_assert_uint_eq(mica_host_count(stage.host, MICA_HOST_TOOL_NOT_VISIBLE),
                      4);

    // The list that the view gets has the same tools.
    stage_take(&stage, ASK("4", "tools/list"));
    stage.log.len = 0;
    STAGE_FAILS(&stage,
                mica_host_answer(stage.host, stage.request,
                                 MICA_LITERAL("{\"tools\":{}}"), &stage.error),
                "INVALID_RESULT");
    (void)snprintf(result, sizeof result, "{\"tools\":%s,\"nextCursor\":\"n\"}",
                   tools);
    STAGE_OK(&stage, mica_host_answer(stage.host, stage.request,
                                      mica_text(result), &stage.error));
    STAGE_LOG(&stage,
              "> " ANSWER("4", "{\"tools\":[{\"name\":\"both\"},{\"name\":"
                               "\"app\",\"_meta\":{\"ui\":{\"visibility\":["
                               "\"app\"]}}}],\"nextCursor\":\"n\"}") "\n");
    STAGE_FAILS(&stage,
                mica_host_set_server_tools(stage.host, MICA_LITERAL("{}"),
                                           &stage.error),
                "WRONG_TYPE");
    stage_end(&stage);
}
END_TEST

START_TEST(links_and_files_are_safe_before_the_program_sees_them)
{
    static const char *const good[] = {
        "https://a.example/x?y=%20", "HTTP://a.example", "mailto:a@b.example"};
    static const char *const bad[] = {"javascript:alert(1)",
                                      "java\\nscript:alert(1)",
                                      " javascript:1",
                                      "JaVaScRiPt:1",
                                      "data:text/html,x",
                                      "smb://host/share",
                                      "file:///etc/passwd",
                                      "//a.example",
                                      "/path",
                                      "",
                                      "blob:https://a.example/1",
                                      "vbscript:x",
                                      "https://a.example/\\u202egpj.exe",
                                      "https://a.example/ x",
                                      "https://a.example/\\u00a0x",
                                      "intent:x",
                                      "https:",
                                      "https:///x",
                                      "mailto:"};
    static const struct {
        const char *content, *name;
    } files[] = {
        {"{\"name\":\"../../a/b.txt\"}", "b.txt"},
        {"{\"name\":\"..\\\\..\\\\win.ini\"}", "win.ini"},
        {"{\"name\":\"%2e%2e%2fx\"}", "x"},
        {"{\"name\":\"a%\"}", "a%"},
        {"{\"name\":\"a%ff\"}", "a%ff"},
        {"{\"name\":\"..\"}", "download"},
        {"{\"name\":\"\"}", "download"},
        {"{}", "download"},
        {"{\"name\":\"C:evil.exe\"}", "evil.exe"},
        {"{\"name\":\"gpj\\u202e.exe\"}", "gpj.exe"},
        {"{\"name\":\"a\\u0000b\"}", "ab"},
        {"{\"name\":\" a\\n<b>|c \"}", "abc"},
        {"{\"resource\":{\"uri\":\"https://a.example/d/e.pdf?x=/../y#z\"}}",
         "e.pdf"}};
    char text[512];
    struct mica_arena arena;
    struct mica_buffer name;

    stage_open_live(&stage);
    for (size_t i = 0; i < MICA_COUNT(good) + MICA_COUNT(bad); i++) {
        bool fine = i < MICA_COUNT(good);
        const char *url = fine ? good[i] : bad[i - MICA_COUNT(good)];
        (void)snprintf(text, sizeof text,
                       ASK_WITH("%zu", "ui/open-link", "{\"url\":\"%s\"}"), i,
                       url);
        stage_take(&stage, text);
        mica_buffer_char(&stage.log, '\0');
        ck_assert_msg((strstr(stage.log.ptr, "open_link ") != NULL) == fine,
                      "%s: %s", url, stage.log.ptr);
        ck_assert_msg((strstr(stage.log.ptr, "LINK_REFUSED") != NULL) != fine,
                      "%s: %s", url, stage.log.ptr);
        stage.log.len = 0;
    }
    ck_assert_uint_eq(mica_host_count(stage.host, MICA_HOST_LINK_REFUSED),
                      MICA_COUNT(bad));
    mica_arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < MICA_COUNT(files); i++) {
        struct mica_json content;
        mica_buffer_init(&name, &arena, 2048);
        ck_assert(mica_json_read(&arena, mica_text(files[i].content), NULL,
                                 NULL, &content) == MICA_OK);
        mica_host_download_name(stage.host, &content, &name);
        UNIT_TEXT_EQ(mica_buffer_as_text(&name), files[i].name);
    }
    mica_arena_fini(&arena);
    stage_end(&stage);
}
END_TEST

START_TEST(a_long_file_name_is_cut_in_front_of_nothing_unsafe)
{
    static char json[9000];
    struct mica_arena arena;
    struct mica_buffer name;
    struct mica_json content;
    int at;

    stage_open_live(&stage);
    mica_arena_init(&arena, 1 << 20);
    mica_buffer_init(&name, &arena, 4096);
    at = snprintf(json, sizeof json, "{\"name\":\"%0*d/", 4000, 0);
    (void)snprintf(json + at, sizeof json - (size_t)at, "%0*d\"}", 300, 0);
    ck_assert(mica_json_read(&arena, mica_text(json), NULL, NULL, &content) ==
              MICA_OK);
    mica_host_download_name(stage.host, &content, &name);
    ck_assert_uint_eq(mica_text_length(mica_buffer_as_text(&name)), 255);
    mica_arena_fini(&arena);
    stage_end(&stage);
}
END_TEST

START_TEST(the_view_stops_waiting_and_hears_of_progress)
{
    stage_open_live(&stage);
    STAGE_OK(&stage,
             mica_host_set_server_tools(
                 stage.host, MICA_LITERAL("[{\"name\":\"t\"}]"), &stage.error));
    stage_take(&stage, ASK_WITH("5", "tools/call",
                                "{\"name\":\"t\",\"_meta\":{\"progressToken\":"
                                "\"p\"}}"));
    stage.log.len = 0;
    STAGE_OK(&stage, mica_host_progress(stage.host, stage.request,
                                        MICA_LITERAL("{\"progress\":1,"
                                                     "\"progressToken\":9}"),
                                        &stage.error));
    STAGE_LOG(&stage,
              "> " TELL_WITH("notifications/progress",
                             "{\"progressToken\":\"p\",\"progress\":1}") "\n");
    stage_take(&stage,
               TELL_WITH("notifications/cancelled", "{\"requestId\":4}"));
    stage_take(&stage, TELL("notifications/cancelled"));
    STAGE_LOG(&stage, "");
    stage_take(&stage, TELL_WITH("notifications/cancelled",
                                 "{\"requestId\":5,\"reason\":\"why\"}"));
    STAGE_LOG(&stage, "cancelled why\n");
    STAGE_FAILS(&stage,
                mica_host_answer(stage.host, stage.request, MICA_LITERAL("{}"),
                                 &stage.error),
                "NOT_FOUND");
    STAGE_FAILS(&stage,
                mica_host_progress(stage.host, stage.request,
                                   MICA_LITERAL("{}"), &stage.error),
                "NOT_FOUND");
    stage_take(&stage, ASK_WITH("5", "tools/call", "{\"name\":\"t\"}"));
    stage.log.len = 0;
    STAGE_OK(&stage, mica_host_progress(stage.host, stage.request,
                                        MICA_LITERAL("{\"progress\":1}"),
                                        &stage.error));
    STAGE_LOG(&stage, "");
    stage_end(&stage);
}
END_TEST

START_TEST(display_modes_are_those_that_both_sides_offer)
{
    stage_open(&stage, (struct mica_host_options){
                           .context = MICA_LITERAL(
                               "{\"availableDisplayModes\":[\"inline\","
                               "\"fullscreen\"]}")});
    stage_live(&stage, HELLO("0", "{\"availableDisplayModes\":[\"inline\","
                                  "\"fullscreen\",\"pip\"]}"));
    stage_take(&stage,
               ASK_WITH("1", "ui/request-display-mode", "{\"mode\":\"pip\"}"));
    STAGE_LOG(&stage, "> " ANSWER("1", "{\"mode\":\"inline\"}") "\n");
    stage_take(&stage, ASK_WITH("1", "ui/request-display-mode",
                                "{\"mode\":\"fullscreen\"}"));
    STAGE_LOG(&stage, "mode fullscreen\n");
    STAGE_FAILS(&stage,
                mica_host_answer(stage.host, stage.request,
                                 MICA_LITERAL("{\"mode\":\"huge\"}"),
                                 &stage.error),
                "INVALID_RESULT");
    STAGE_OK(&stage, mica_host_answer(stage.host, stage.request,
                                      MICA_LITERAL("{\"mode\":\"fullscreen\"}"),
                                      &stage.error));
    STAGE_LOG(
        &stage,
        "> " TELL_WITH(
            UI "host-context-changed",
            "{\"displayMode\":\"fullscreen\"}") "\n"
                                                "> " ANSWER(
                                                    "1",
                                                    "{\"mode\":\"fullscreen\"}") "\n");
    stage_take(&stage,
               ASK_WITH("1", "ui/request-display-mode", "{\"mode\":\"pip\"}"));
    STAGE_LOG(&stage, "> " ANSWER("1", "{\"mode\":\"fullscreen\"}") "\n");
    stage_live(&stage, HELLO("0", "{\"availableDisplayModes\":[\"inline\"]}"));
    STAGE_FAILS(&stage,
                mica_host_set_context(stage.host,
                                      MICA_LITERAL("{\"displayMode\":\"pip\"}"),
                                      &stage.error),
                "DISPLAY_MODE_NOT_SUPPORTED");
    stage_end(&stage);
}
END_TEST

START_TEST(the_context_for_the_model_is_the_last_that_was_answered)
{
    struct mica_host_options options = {
        .callbacks = {.send = stage_send},
        .capabilities = MICA_LITERAL("{\"updateModelContext\":{}}")};
    uint64_t first;

    stage_open_live(&stage);
    stage_take(&stage,
               ASK_WITH("1", "ui/update-model-context", "{\"content\":[]}"));
    first = stage.request;
    ck_assert_uint_eq(mica_host_model_context(stage.host).len, 0);
    STAGE_OK(&stage, mica_host_answer(stage.host, first, MICA_LITERAL("{}"),
                                      &stage.error));
    UNIT_TEXT_EQ(mica_host_model_context(stage.host), "{\"content\":[]}");
    stage_take(&stage, ASK_WITH("1", "ui/update-model-context",
                                "{\"structuredContent\":{}}"));
    STAGE_OK(&stage, mica_host_refuse(stage.host, stage.request, -32000,
                                      MICA_LITERAL("no"), (struct mica_text){0},
                                      &stage.error));
    UNIT_TEXT_EQ(mica_host_model_context(stage.host), "{\"content\":[]}");
    STAGE_OK(&stage, mica_host_teardown(stage.host, &done, &stage.error));
    ck_assert_uint_eq(mica_host_model_context(stage.host).len, 0);
    stage_end(&stage);

    // Without a callback, but with the capability, the host keeps it by itself.
    stage_open(&stage, options);
    stage_take(&stage,
               ASK_WITH("1", "ui/update-model-context", "{\"content\":[]}"));
    stage_take(&stage, ASK("2", "ui/update-model-context"));
    STAGE_LOG(&stage, "> " ANSWER("1", "{}") "\n> " ANSWER("2", "{}") "\n");
    UNIT_TEXT_EQ(mica_host_model_context(stage.host), "{}");
    stage_end(&stage);
}
END_TEST

// ---- What a view tells -----------------------------------------------------------

START_TEST(notifications_reach_the_program)
{
    stage_open(&stage, (struct mica_host_options){.user = NULL});
    stage_take(&stage, TELL(UI "sandbox-proxy-ready"));
    stage_take(&stage, ASK("0", "ping"));
    stage_take(&stage, TELL_WITH(UI "size-changed", "{\"height\":20.5}"));
    stage_take(&stage,
               TELL_WITH(UI "size-changed", "{\"width\":3,\"height\":4}"));
    stage_take(&stage, TELL(UI "size-changed"));
    stage_take(&stage, TELL_WITH("notifications/message",
                                 "{\"level\":\"info\",\"data\":[1]}"));
    stage_take(&stage, TELL_WITH("notifications/message",
                                 "{\"level\":\"info\",\"logger\":\"l\","
                                 "\"data\":null}"));
    stage_take(&stage,
               TELL_WITH("notifications/message", "{\"level\":\"debug\"}"));
    stage_take(&stage, TELL(UI "request-teardown"));
    stage_take(&stage, TELL("notifications/unknown"));
    stage_take(&stage, ASK("\"\\u00e9\"", "no/such"));
    STAGE_LOG(
        &stage,
        "sandbox_ready\n"
        "> " ANSWER(
            "0", "{}") "\n"
                       "size -1 20\nsize 3 4\nsize -1 -1\n"
                       "log info [] [1]\nlog info [l] null\nlog debug [] null\n"
                       "request_teardown\n"
                       "> " FAULT("\"\\u00e9\"", "-32601",
                                  "Method not found") "\n");
    stage_take(&stage, TELL_WITH(UI "size-changed", "{\"width\":\"3\"}"));
    stage_take(&stage, TELL_WITH("notifications/message",
                                 "{\"level\":\"loud\",\"data\":1}"));
    STAGE_LOG(&stage,
              "error INVALID_PARAMS: Invalid params for " UI "size-changed: "
              "width: Invalid input: expected number, received string\n"
              "error INVALID_PARAMS: Invalid params for notifications/message: "
              "level: Invalid input\n");
    stage_end(&stage);
}
END_TEST

START_TEST(changes_of_tools_are_one_event_for_all)
{
    uint64_t at = 0;

    stage_open_live(&stage);
    ck_assert(!mica_host_due(stage.host, &at));
    stage.now_ms = 1000;
    for (int i = 0; i < 5; i++)
        stage_take(&stage, TELL("notifications/tools/list_changed"));
    ck_assert(mica_host_due(stage.host, &at));
    ck_assert_uint_eq(at, 1000 + MICA_HOST_CHANGED_MS);
    mica_host_tick(stage.host, at - 1);
    STAGE_LOG(&stage, "");
    mica_host_tick(stage.host, at);
    mica_host_tick(stage.host, at + 100);
    STAGE_LOG(&stage, "tools_changed\n");
    ck_assert(!mica_host_due(stage.host, &at));
    stage_end(&stage);
}
END_TEST

// Each word of the table is one of its own, and no code is outside of it.
START_TEST(codes_have_words)
{
    for (int i = 0; i < MICA_HOST_CODES; i++)
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(mica_host_code_word((enum mica_host_code)i),
                             mica_host_code_word((enum mica_host_code)k));
    ck_assert_str_eq(mica_host_code_word(MICA_HOST_LINK_REFUSED),
                     "LINK_REFUSED");
    ck_assert_str_eq(mica_host_code_word(MICA_HOST_CODES), "INTERNAL_ERROR");
}
END_TEST

UNIT_MAIN("host peer", each_move_is_in_the_table_or_refused,
          a_view_walks_through_its_states,
          a_host_needs_what_it_cannot_do_without,
          requests_reach_the_program_and_answers_the_view,
          a_program_refuses_with_an_error_of_its_own,
          bad_parameters_have_the_texts_of_the_official_host,
          a_tool_of_the_server_is_called_only_if_it_is_for_views,
          links_and_files_are_safe_before_the_program_sees_them,
          a_long_file_name_is_cut_in_front_of_nothing_unsafe,
          the_view_stops_waiting_and_hears_of_progress,
          display_modes_are_those_that_both_sides_offer,
          the_context_for_the_model_is_the_last_that_was_answered,
          notifications_reach_the_program,
          changes_of_tools_are_one_event_for_all, codes_have_words)
