// SPDX-License-Identifier: Apache-2.0
//
// Views that mean harm: what they get is a clear error, each refusal is counted, and other
// hosts keep their rate. tests/apps/host-hostile.mjs has the same list for web/host.
#include "host_stage.h"

#include <stdio.h>

static struct stage stage;
static const struct mica_host_call done = {.done = stage_done, .user = &stage};

#define COUNT(code) mica_host_count(stage.host, code)
#define PING        ASK("1", "ping")

// Fills `text` with a message around `size` bytes of 'x'.
static struct mica_text
large_message(struct mica_buffer *text, const char *beginz, size_t size,
              const char *endz)
{
    char *room;

    mica_buffer_init(text, NULL, 64 << 20);
    mica_buffer_text(text, mica_text(beginz));
    room = mica_buffer_reserve(text, size);
    ck_assert_ptr_nonnull(room);
    memset(room, 'x', size);
    text->len += size;
    mica_buffer_text(text, mica_text(endz));
    return mica_buffer_as_text(text);
}

START_TEST(a_flood_is_refused_then_the_view_is_disconnected)
{
    static struct stage good;
    struct mica_host_usage usage;
    unsigned messages = 0;

    stage_open_live(&stage);
    stage_open_live(&good);
    stage.silent = true;
    // 100,000 messages in one second, and another view beside it.
    for (unsigned i = 0; i < 100000; i++) {
        stage.now_ms = good.now_ms = i / 100;
        stage_take(&stage, PING);
        if (i % 1000 == 0)
            stage_take(&good, PING);
        if (mica_host_state(stage.host) == MICA_HOST_CLOSED && messages == 0)
            messages = i;
    }
    ck_assert_int_eq(mica_host_state(stage.host), MICA_HOST_CLOSED);
    // The bucket, what flows into it meanwhile, and what is refused beyond it.
    ck_assert_uint_ge(messages, MICA_HOST_BURST + MICA_HOST_REFUSED - 2);
    ck_assert_uint_le(messages, MICA_HOST_BURST + MICA_HOST_REFUSED + 30);
    ck_assert_uint_ge(COUNT(MICA_HOST_RATE_LIMITED), MICA_HOST_REFUSED);
    ck_assert_uint_eq(COUNT(MICA_HOST_VIEW_FLOODS), 1);
    ck_assert_uint_eq(mica_host_count(good.host, MICA_HOST_RATE_LIMITED), 0);
    mica_host_usage(good.host, &usage);
    ck_assert_uint_eq(usage.received, 102); // the handshake has two
    stage_end(&good);
    stage_end(&stage);
}
END_TEST

START_TEST(the_first_refusals_have_their_reason)
{
    stage_open(&stage, (struct mica_host_options){
                           .limits = {.rate = 10, .burst = 2, .refused = 3}});
    for (int i = 0; i < 4; i++)
        stage_take(&stage, PING);
    stage_take(&stage, TELL("nothing/known"));
    stage_take(&stage, PING);
#define LIMITED "A view may send 10 messages a second; this one sends more."
#define REFUSED \
    FAULT_WITH("1", "-32000", LIMITED, "{\"code\":\"RATE_LIMITED\"}")
    STAGE_LOG(
        &stage,
        "> " ANSWER("1", "{}") "\n> " ANSWER(
            "1", "{}") "\n"
                       "error RATE_LIMITED: " LIMITED "\n"
                       "> " REFUSED "\n> " REFUSED "\n"
                       "error VIEW_FLOODS: The view was disconnected: " LIMITED
                       "\nclosed\n");
    stage_end(&stage);
}
END_TEST

START_TEST(a_bucket_fills_again_and_forgives_when_it_is_full)
{
    stage_open(&stage, (struct mica_host_options){
                           .limits = {.rate = 10, .burst = 2, .refused = 3}});
    stage.silent = true;
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 5; i++)
            stage_take(&stage, PING);
        stage.now_ms += 200; // two messages
    }
    ck_assert_int_eq(mica_host_state(stage.host), MICA_HOST_LOADING);
    ck_assert_uint_eq(COUNT(MICA_HOST_RATE_LIMITED), 5 * 3);
    stage.silent = false;
    stage.now_ms = UINT64_MAX; // time may jump, and never goes back
    stage_take(&stage, PING);
    stage.now_ms = 0;
    stage_take(&stage, PING);
    STAGE_LOG(&stage, "> " ANSWER("1", "{}") "\n> " ANSWER("1", "{}") "\n");
    stage_end(&stage);
}
END_TEST

START_TEST(a_reply_that_is_waited_for_passes_an_empty_bucket)
{
    stage_open(&stage,
               (struct mica_host_options){.limits = {.rate = 1, .burst = 4}});
    stage_live(&stage, HELLO("0", "{\"tools\":{}}"));
    STAGE_OK(&stage, mica_host_ping(stage.host, &done, &stage.error, NULL));
    for (int i = 0; i < 10; i++)
        stage_take(&stage, TELL("nothing/known"));
    stage.log.len = 0;
    stage_take(&stage, ANSWER("5", "{}"));
    stage_take(&stage, ANSWER("0", "{}"));
    STAGE_LOG(&stage, "done {}\n");
    stage_end(&stage);
}
END_TEST

START_TEST(a_large_message_counts_as_many)
{
    struct mica_buffer text;
    struct mica_text message;
    uint64_t refused;

    stage_open(&stage,
               (struct mica_host_options){.limits = {.rate = 1, .burst = 6}});
    stage_live(&stage, HELLO("0", "{}")); // takes two
    message = large_message(&text,
                            "{\"jsonrpc\":\"2.0\",\"method\":\"nothing/known\","
                            "\"params\":{\"text\":\"",
                            200000, "\"}}");
    // Six more than itself, of which there are three: it is taken, and owed.
    mica_host_receive(stage.host, message, stage.now_ms);
    ck_assert_uint_eq(COUNT(MICA_HOST_RATE_LIMITED), 0);
    stage.now_ms += 3000;
    stage_take(&stage, PING);
    refused = COUNT(MICA_HOST_RATE_LIMITED);
    ck_assert_uint_gt(refused, 0);
    stage.now_ms += 1000;
    stage_take(&stage, PING);
    ck_assert_uint_eq(COUNT(MICA_HOST_RATE_LIMITED), refused);
    mica_buffer_fini(&text);
    stage_end(&stage);
}
END_TEST

START_TEST(strings_of_20_mb_and_depth_10000_are_refused)
{
    struct mica_buffer text;
    struct mica_text message;
    char *room;

    stage_open_live(&stage);
    message =
        large_message(&text,
                      "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ui/message\","
                      "\"params\":{\"text\":\"",
                      20 << 20, "\"}}");
    mica_host_receive(stage.host, message, 0);
    STAGE_LOG(&stage, "> " FAULT_WITH("7", "-32600",
                                      "The message is larger than 16777216.",
                                      "{\"code\":\"MESSAGE_TOO_LARGE\"}") "\n");
    mica_buffer_fini(&text);

    mica_buffer_init(&text, NULL, 1 << 20);
    mica_buffer_format(&text, "{\"jsonrpc\":\"2.0\",\"id\":\"deep\","
                              "\"method\":\"ui/message\",\"params\":");
    for (int i = 0; i < 10000; i++)
        mica_buffer_text(&text, MICA_LITERAL("{\"a\":"));
    mica_host_receive(stage.host, mica_buffer_as_text(&text), 0);
    STAGE_LOG(&stage, "> " FAULT_WITH("\"deep\"", "-32600",
                                      "The message has more than 64 levels.",
                                      "{\"code\":\"MESSAGE_TOO_DEEP\"}") "\n");
    mica_buffer_fini(&text);

    // A notification has no reply. Brackets inside of a string are no levels.
    mica_buffer_init(&text, NULL, 1 << 20);
    mica_buffer_format(&text, "{\"jsonrpc\":\"2.0\",\"method\":\"x\","
                              "\"params\":{\"s\":\"\\\"");
    room = mica_buffer_reserve(&text, 1000);
    memset(room, '[', 1000);
    text.len += 1000;
    mica_buffer_text(&text, MICA_LITERAL("\",\"v\":"));
    message = mica_buffer_as_text(&text);
    mica_host_receive(stage.host, message, 0);
    for (int i = 0; i < 70; i++)
        mica_buffer_char(&text, '[');
    mica_host_receive(stage.host, mica_buffer_as_text(&text), 0);
    mica_buffer_char(&stage.log, '\0');
    ck_assert_ptr_nonnull(strstr(stage.log.ptr, "error MESSAGE_NOT_JSON: "));
    ck_assert_ptr_nonnull(strstr(stage.log.ptr, "error MESSAGE_TOO_DEEP: The "
                                                "message has more than 64 "
                                                "levels.\n"));
    mica_buffer_fini(&text);
    ck_assert_uint_eq(COUNT(MICA_HOST_MESSAGE_TOO_LARGE), 1);
    ck_assert_uint_eq(COUNT(MICA_HOST_MESSAGE_TOO_DEEP), 2);
    stage_end(&stage);
}
END_TEST

START_TEST(exactly_64_levels_are_read)
{
    struct mica_buffer text;

    stage_open_live(&stage);
    for (int levels = 64; levels <= 65; levels++) {
        mica_buffer_init(&text, NULL, 4096);
        mica_buffer_text(
            &text, MICA_LITERAL("{\"jsonrpc\":\"2.0\",\"id\":1,"
                                "\"method\":\"ping\",\"params\":{\"a\":"));
        for (int i = 2; i < levels; i++)
            mica_buffer_char(&text, '[');
        for (int i = 2; i < levels; i++)
            mica_buffer_char(&text, ']');
        mica_buffer_text(&text, MICA_LITERAL("}}"));
        mica_host_receive(stage.host, mica_buffer_as_text(&text), 0);
        mica_buffer_fini(&text);
    }
    STAGE_LOG(&stage, "> " ANSWER("1", "{}") "\n> " FAULT_WITH(
                          "1", "-32600", "The message has more than 64 levels.",
                          "{\"code\":\"MESSAGE_TOO_DEEP\"}") "\n");
    stage_end(&stage);
}
END_TEST

START_TEST(the_memory_of_a_host_has_a_cap)
{
    struct mica_host_usage usage;
    struct mica_buffer text;
    struct mica_text message;
    size_t values = 0;

    stage_open(&stage,
               (struct mica_host_options){.limits = {.memory_bytes = 1 << 20}});
    stage_live(&stage, HELLO("0", "{}"));
    // More values than fit, in a message that is small enough.
    mica_buffer_init(&text, NULL, 1 << 20);
    mica_buffer_text(&text, MICA_LITERAL("{\"jsonrpc\":\"2.0\",\"id\":1,"
                                         "\"method\":\"ping\",\"params\":{"
                                         "\"a\":[0"));
    for (; values < 100000; values++)
        mica_buffer_text(&text, MICA_LITERAL(",0"));
    mica_buffer_text(&text, MICA_LITERAL("]}}"));
    mica_host_receive(stage.host, mica_buffer_as_text(&text), 0);
    STAGE_LOG(&stage, "> " FAULT_WITH("1", "-32600",
                                      "The message has more values than fit "
                                      "the memory of its host.",
                                      "{\"code\":\"MESSAGE_TOO_LARGE\"}") "\n");
    mica_buffer_fini(&text);

    // What stays is below the cap, too.
    message = large_message(&text, "{\"x\":\"", 600000, "\"}");
    STAGE_FAILS(&stage, mica_host_tool_input(stage.host, message, &stage.error),
                "MEMORY_FULL");
    mica_buffer_fini(&text);
    message = large_message(&text, "{\"x\":\"", 200000, "\"}");
    for (int i = 0; i < 20; i++)
        (void)mica_host_tool_input_partial(stage.host, message, &stage.error);
    mica_buffer_fini(&text);
    mica_host_usage(stage.host, &usage);
    ck_assert_uint_le(usage.memory_most, 1 << 20);
    ck_assert_uint_lt(usage.memory_bytes, 100000);
    ck_assert_uint_ge(COUNT(MICA_HOST_MEMORY_FULL), 1);
    // The host continues.
    stage.log.len = 0;
    stage_take(&stage, PING);
    STAGE_LOG(&stage, "> " ANSWER("1", "{}") "\n");
    stage_end(&stage);
}
END_TEST

START_TEST(messages_that_wait_are_bounded_in_number_and_size)
{
    struct mica_buffer text;
    struct mica_text message;
    struct mica_host_usage usage;
    unsigned taken = 0;

    stage_open(&stage,
               (struct mica_host_options){.limits = {.memory_bytes = 2 << 20}});
    message = large_message(&text, "{\"x\":\"", 100000, "\"}");
    while (mica_host_tool_input_partial(stage.host, message, &stage.error) ==
           MICA_OK)
        taken++;
    ck_assert_str_eq(stage.error.code, "MEMORY_FULL");
    ck_assert_uint_ge(taken, 5);
    mica_buffer_fini(&text);
    mica_host_usage(stage.host, &usage);
    ck_assert_uint_le(usage.memory_most, 2 << 20);
    stage_live(&stage, HELLO("0", "{}"));
    mica_host_usage(stage.host, &usage);
    ck_assert_uint_lt(usage.memory_bytes, 100000);
    stage_end(&stage);

    stage_open(&stage, (struct mica_host_options){.user = NULL});
    for (unsigned i = 0; i < MICA_HOST_QUEUED; i++) {
        STAGE_OK(&stage, mica_host_server_changed(
                             stage.host, MICA_HOST_LIST_TOOLS, &stage.error));
        STAGE_OK(&stage, mica_host_tool_input_partial(
                             stage.host, (struct mica_text){0}, &stage.error));
    }
    STAGE_FAILS(&stage,
                mica_host_server_changed(stage.host, MICA_HOST_LIST_TOOLS,
                                         &stage.error),
                "QUEUE_FULL");
    STAGE_FAILS(&stage,
                mica_host_tool_input_partial(stage.host, (struct mica_text){0},
                                             &stage.error),
                "QUEUE_FULL");
    STAGE_FAILS(&stage, mica_host_ping(stage.host, &done, &stage.error, NULL),
                "QUEUE_FULL");
    ck_assert_uint_eq(COUNT(MICA_HOST_QUEUE_FULL), 3);
    stage.silent = true;
    stage_live(&stage, HELLO("0", "{}"));
    ck_assert_uint_eq(stage.sent, 2 * MICA_HOST_QUEUED + 1);
    stage_end(&stage);
}
END_TEST

START_TEST(requests_are_256_each_way)
{
    char text[128];
    struct mica_host_usage usage;

    stage_open_live(&stage);
    for (int i = 0; i < MICA_HOST_OPEN_REQUESTS + 1; i++) {
        stage.log.len = 0;
        (void)snprintf(text, sizeof text, ASK("%d", "prompts/list"), i);
        stage_take(&stage, text);
    }
    STAGE_LOG(&stage, "> " FAULT_WITH("256", "-32600",
                                      "Too many requests are open. Wait for "
                                      "one of them.",
                                      "{\"code\":\"TOO_MANY_REQUESTS\"}") "\n");
    for (int i = 0; i < MICA_HOST_OPEN_REQUESTS; i++)
        STAGE_OK(&stage, mica_host_ping(stage.host, &done, &stage.error, NULL));
    STAGE_FAILS(&stage, mica_host_ping(stage.host, &done, &stage.error, NULL),
                "TOO_MANY_REQUESTS");
    mica_host_usage(stage.host, &usage);
    ck_assert_uint_eq(usage.running, MICA_HOST_OPEN_REQUESTS);
    ck_assert_uint_eq(usage.asked, MICA_HOST_OPEN_REQUESTS);
    // A view that cannot be asked ends all the same.
    stage.log.len = 0;
    STAGE_OK(&stage, mica_host_teardown(stage.host, &done, &stage.error));
    STAGE_LOG(&stage, "done {}\n");
    stage_end(&stage);
}
END_TEST

START_TEST(foreign_and_repeated_ids_and_answers_to_nothing_change_nothing)
{
    static const char *const ids[] = {"7",
                                      "\"0\"",
                                      "-1",
                                      "\"constructor\"",
                                      "\"__proto__\"",
                                      "1",
                                      "99999999999999999999999999"};
    char text[128];

    stage_open_live(&stage);
    STAGE_OK(&stage, mica_host_ping(stage.host, &done, &stage.error, NULL));
    stage.log.len = 0;
    for (size_t i = 0; i < MICA_COUNT(ids); i++) {
        (void)snprintf(text, sizeof text, ANSWER("%s", "{\"forged\":1}"),
                       ids[i]);
        stage_take(&stage, text);
    }
    ck_assert_uint_eq(COUNT(MICA_HOST_UNKNOWN_REPLY), MICA_COUNT(ids));
    stage.log.len = 0;
    stage_take(&stage, ASK("1", "prompts/list"));
    stage_take(&stage, ASK("1", "prompts/list"));
    STAGE_LOG(&stage, "prompts/list (none)\n"
                      "> " FAULT_WITH("1", "-32600",
                                      "A request with this id is still open.",
                                      "{\"code\":\"ID_IN_USE\"}") "\n");
    STAGE_OK(&stage, mica_host_answer(stage.host, stage.request,
                                      MICA_LITERAL("{\"a\":1}"), &stage.error));
    stage_take(&stage, ANSWER("0", "{}"));
    stage_take(&stage, ANSWER("0", "{\"twice\":1}"));
    STAGE_LOG(
        &stage,
        "> " ANSWER(
            "1", "{\"a\":1}") "\ndone {}\n"
                              "error UNKNOWN_REPLY: No request 0 is open.\n");
    // A hidden character in an id is not shown to the program.
    stage_take(&stage, ANSWER("\"a\\u202eb\"", "{}"));
    STAGE_LOG(&stage, "error UNKNOWN_REPLY: No request ab is open.\n");
    stage_end(&stage);
}
END_TEST

START_TEST(what_is_no_message_is_reported)
{
    static const char *const messages[] = {
        "null",
        "1",
        "\"x\"",
        "[]",
        "{}",
        "{\"jsonrpc\":\"2.0\"}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{},\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":\"1\","
        "\"message\":\"\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":1}}"};
    static const char *const texts[] = {
        "",
        "{",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
        "{\"a\":1,\"a\":2}",
        "\xff",
        "{\"a\":\"\\ud800\"}",
        "NaN"};
    uint64_t broken = 0;

    stage_open_live(&stage);
    for (size_t i = 0; i < MICA_COUNT(messages); i++) {
        stage_take(&stage, messages[i]);
        STAGE_LOG(&stage, "error INVALID_MESSAGE: This is not JSON-RPC 2.0.\n");
    }
    for (size_t i = 0; i < MICA_COUNT(texts); i++) {
        stage_take(&stage, texts[i]);
        ck_assert_uint_eq(COUNT(MICA_HOST_MESSAGE_NOT_JSON), ++broken);
    }
    ck_assert_int_eq(mica_host_state(stage.host), MICA_HOST_LIVE);
    stage_end(&stage);
}
END_TEST

START_TEST(names_of_objects_are_no_tools)
{
    stage_open_live(&stage);
    STAGE_OK(&stage,
             mica_host_set_server_tools(
                 stage.host, MICA_LITERAL("[{\"name\":\"a\"},{},{\"name\":7}]"),
                 &stage.error));
    stage_take(&stage, ASK_WITH("1", "tools/call", "{\"name\":\"__proto__\"}"));
    stage_take(&stage, ASK("2", "toString"));
    stage_take(&stage, ASK("3", "__proto__"));
    STAGE_LOG(
        &stage,
        "> " FAULT_WITH(
            "1", "-32602", "Tool __proto__ not found",
            "{\"code\":\"UNKNOWN_TOOL\"}") "\n"
                                           "> " FAULT(
                                               "2", "-32601",
                                               "Method not found") "\n"
                                                                   "> " FAULT(
                                                                       "3",
                                                                       "-32601",
                                                                       "Method not found") "\n");
    STAGE_OK(&stage, mica_host_list_tools(stage.host, (struct mica_text){0},
                                          &done, &stage.error, NULL));
    stage.log.len = 0;
    stage_take(&stage,
               ANSWER("0", "{\"tools\":[{\"name\":\"__proto__\","
                           "\"inputSchema\":{\"__proto__\":{\"x\":1}}}]}"));
    STAGE_LOG(&stage, "done {\"tools\":[{\"name\":\"__proto__\","
                      "\"inputSchema\":{\"__proto__\":{\"x\":1}}}]}\n");
    stage_end(&stage);
}
END_TEST

// Asks for a page and hands in the reply `{"tools":[…]}` of `count` tools.
static void
list_page(const char *cursorz, unsigned id, unsigned from, unsigned count,
          const char *nextz)
{
    struct mica_buffer text;

    STAGE_OK(&stage, mica_host_list_tools(stage.host, mica_text(cursorz), &done,
                                          &stage.error, NULL));
    mica_buffer_init(&text, NULL, 1 << 20);
    mica_buffer_format(&text,
                       "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{%s"
                       "\"tools\":[",
                       id, nextz);
    for (unsigned i = 0; i < count; i++)
        mica_buffer_format(&text, "%s{\"name\":\"t%u\"}", i > 0 ? "," : "",
                           from + i);
    mica_buffer_text(&text, MICA_LITERAL("]}}"));
    stage.log.len = 0;
    mica_host_receive(stage.host, mica_buffer_as_text(&text), 0);
    mica_buffer_fini(&text);
    mica_buffer_char(&stage.log, '\0');
}

static unsigned
tools_logged(void)
{
    unsigned count = 0;

    for (const char *at = stage.log.ptr;
         (at = strstr(at, "{\"name\":\"t")) != NULL; at++)
        count++;
    return count;
}

START_TEST(of_1000_tools_50_are_kept_over_all_pages)
{
    stage_open_live(&stage);
    list_page("", 0, 0, 30, "\"nextCursor\":\"1\",");
    ck_assert_uint_eq(tools_logged(), 30);
    list_page("1", 1, 30, 970, "");
    ck_assert_uint_eq(tools_logged(), 20);
    ck_assert_ptr_nonnull(
        strstr(stage.log.ptr, "error TOO_MANY_TOOLS: A view may have 50 tools; "
                              "950 were left out.\n"));
    list_page("1", 2, 0, 3, "");
    ck_assert_uint_eq(tools_logged(), 0);
    list_page("", 3, 0, 1000, "");
    ck_assert_uint_eq(tools_logged(), 50);
    stage_end(&stage);
}
END_TEST

START_TEST(hidden_and_bidirectional_characters_leave_texts_and_bar_names)
{
    static const struct {
        const char *tool, *log;
    } rows[] = {
#define LEFT_OUT(code, name, why) \
    "error " code ": A tool of the view was left out (" name "): " why "\n"
#define NAME_RULE "a name is 1 to 128 of A-Z a-z 0-9 _ . -"
        {"{\"name\":\"pay\\u202eyap\"}",
         LEFT_OUT("TOOL_NAME", "payyap", NAME_RULE)},
        {"{\"name\":\"a b\"}", LEFT_OUT("TOOL_NAME", "a b", NAME_RULE)},
        {"{\"name\":\"\"}", LEFT_OUT("TOOL_NAME", "", NAME_RULE)},
        {"null", LEFT_OUT("TOOL_NAME", "undefined", NAME_RULE)},
        {"{\"name\":3}", LEFT_OUT("TOOL_NAME", "3", NAME_RULE)},
        {"{\"name\":\"key\",\"inputSchema\":{\"a\\u200bb\":{}}}",
         LEFT_OUT("TOOL_TEXT", "key", "a name in it has hidden characters")},
        {"{\"name\":\"ok\",\"title\":\"A\\u2066B\\udb40\\udc41C\","
         "\"description\":\"two\\nlines\\t\\u00e9\\u2028\","
         "\"annotations\":{\"readOnlyHint\":true,\"title\":\"\\u3164x\"},"
         "\"_meta\":[\"\\u200b1\",2,null],\"n\":{\"d\":\"\\ufeffob\\u00aday\"}}",
         "done {\"tools\":[{\"name\":\"ok\",\"title\":\"ABC\",\"description\":"
         "\"two\\nlines\\t\xc3\xa9\",\"annotations\":{\"readOnlyHint\":true,"
         "\"title\":\"x\"},\"_meta\":[\"1\",2,null],\"n\":{\"d\":\"obay\"}}]}"
         "\n"}};
    char text[1024];

    stage_open_live(&stage);
    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        STAGE_OK(&stage, mica_host_list_tools(stage.host, (struct mica_text){0},
                                              &done, &stage.error, NULL));
        stage.log.len = 0;
        (void)snprintf(text, sizeof text, ANSWER("%zu", "{\"tools\":[%s]}"), i,
                       rows[i].tool);
        stage_take(&stage, text);
        (void)snprintf(text, sizeof text, "%s%s", rows[i].log,
                       i + 1 < MICA_COUNT(rows) ? "done {\"tools\":[]}\n" : "");
        STAGE_LOG(&stage, text);
    }
    stage_end(&stage);
}
END_TEST

START_TEST(long_texts_of_a_tool_are_cut_and_large_tools_left_out)
{
    struct mica_buffer text;
    struct mica_text message;
    char *end;

    stage_open_live(&stage);
    STAGE_OK(&stage, mica_host_list_tools(stage.host, (struct mica_text){0},
                                          &done, &stage.error, NULL));
    stage.log.len = 0;
    message = large_message(&text,
                            "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{"
                            "\"tools\":[{\"name\":\"t\",\"description\":\"",
                            5000, "\"}]}}");
    mica_host_receive(stage.host, message, 0);
    mica_buffer_fini(&text);
    mica_buffer_char(&stage.log, '\0');
    end = strstr(stage.log.ptr, "x\xe2\x80\xa6\"}]}\n");
    ck_assert_ptr_nonnull(end);
    ck_assert_uint_eq((size_t)(end - strstr(stage.log.ptr, "xxx")),
                      MICA_HOST_TOOL_TEXT - 2);

    STAGE_OK(&stage, mica_host_list_tools(stage.host, (struct mica_text){0},
                                          &done, &stage.error, NULL));
    stage.log.len = 0;
    message = large_message(&text,
                            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
                            "\"tools\":[{\"name\":\"big\",\"description\":\"",
                            MICA_HOST_TOOL_BYTES, "\"}]}}");
    mica_host_receive(stage.host, message, 0);
    mica_buffer_fini(&text);
    STAGE_LOG(
        &stage,
        LEFT_OUT("MESSAGE_TOO_LARGE", "big",
                 "The message is larger than 65536.") "done {\"tools\":[]}\n");
    stage_end(&stage);
}
END_TEST

START_TEST(results_above_10_mb_or_without_a_form_are_refused)
{
    struct mica_buffer text;
    struct mica_text message;

    stage_open_live(&stage);
    STAGE_OK(&stage, mica_host_call_tool(stage.host, MICA_LITERAL("t"),
                                         (struct mica_text){0}, &done,
                                         &stage.error, NULL));
    stage.log.len = 0;
    message = large_message(
        &text, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"a\":\"",
        MICA_HOST_RESULT_BYTES, "\"}}");
    mica_host_receive(stage.host, message, 0);
    mica_buffer_fini(&text);
    STAGE_LOG(&stage, "done RESULT_TOO_LARGE 0: The result of the view's tool "
                      "was refused: The message is larger than 10000000.\n");
    STAGE_OK(&stage, mica_host_call_tool(stage.host, MICA_LITERAL("t"),
                                         (struct mica_text){0}, &done,
                                         &stage.error, NULL));
    stage.silent = true;
    message = large_message(
        &text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"",
        MICA_HOST_RESULT_BYTES - 1000, "\"}}");
    mica_host_receive(stage.host, message, 0);
    mica_buffer_fini(&text);
    ck_assert_uint_eq(COUNT(MICA_HOST_RESULT_TOO_LARGE), 1);
    stage.silent = false;
    STAGE_OK(&stage, mica_host_list_tools(stage.host, (struct mica_text){0},
                                          &done, &stage.error, NULL));
    stage.log.len = 0;
    stage_take(&stage, ANSWER("2", "{\"tools\":\"all\"}"));
    STAGE_LOG(&stage, "done INVALID_RESULT 0: tools/list: the view sent no "
                      "list of tools.\n");
    stage_end(&stage);
}
END_TEST

START_TEST(what_a_view_says_of_itself_hides_nothing)
{
    stage_open(&stage, (struct mica_host_options){.user = NULL});
    stage_take(&stage, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":"
                       "\"ui/initialize\",\"params\":{\"appInfo\":{\"name\":"
                       "\"\\u202e[Trusted]\",\"version\":\"1\"},"
                       "\"appCapabilities\":{},\"protocolVersion\":\"x\"}}");
    UNIT_TEXT_EQ(mica_host_app_info(stage.host),
                 "{\"name\":\"[Trusted]\",\"version\":\"1\"}");
    stage_take(&stage, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":"
                       "\"ui/initialize\",\"params\":{\"appInfo\":{\"name\":"
                       "\"n\",\"version\":\"1\",\"\\u202e\":1},"
                       "\"appCapabilities\":{},\"protocolVersion\":\"x\"}}");
    UNIT_TEXT_EQ(mica_host_app_info(stage.host), "{}");
    stage_end(&stage);
}
END_TEST

START_TEST(a_view_that_its_proxy_has_stopped_is_disconnected)
{
    stage_open_live(&stage);
    stage_take(&stage, TELL_WITH("ui/notifications/sandbox-view-stopped",
                                 "{\"reason\":\"too many\"}"));
    STAGE_LOG(&stage, "error VIEW_FLOODS: The view was disconnected: too "
                      "many\nclosed\n");
    stage_end(&stage);
}
END_TEST

// ---- Callbacks that use the host -------------------------------------------------

static void
answer_at_once(void *user, uint64_t request, struct mica_text url)
{
    (void)user;
    (void)url;
    STAGE_OK(&stage, mica_host_answer(stage.host, request, MICA_LITERAL("{}"),
                                      &stage.error));
}

static void
close_at_once(void *user)
{
    (void)user;
    mica_host_close(stage.host);
}

static void
end_and_ask(void *user, const struct mica_host_reply *reply)
{
    stage_done(user, reply);
    STAGE_FAILS(&stage, mica_host_ping(stage.host, &done, &stage.error, NULL),
                "CONNECTION_CLOSED");
    mica_host_close(stage.host);
}

START_TEST(a_callback_may_answer_ask_and_close)
{
    struct mica_host_options options = {.callbacks = stage_callbacks};
    struct mica_host_call call = {.done = end_and_ask, .user = &stage};

    options.callbacks.open_link = answer_at_once;
    options.callbacks.initialized = close_at_once;
    stage_open(&stage, options);
    STAGE_OK(&stage, mica_host_tool_input(stage.host, (struct mica_text){0},
                                          &stage.error));
    stage_take(&stage, HELLO("0", "{}"));
    stage.log.len = 0;
    stage_take(&stage, ASK_WITH("1", "ui/open-link",
                                "{\"url\":\"https://a.example\"}"));
    stage_take(&stage, INITIALIZED);
    STAGE_LOG(&stage, "> " ANSWER("1", "{}") "\n"
                                             "> " TELL_WITH(
                                                 "ui/notifications/tool-input",
                                                 "{}") "\n"
                                                       "closed\n");
    stage_end(&stage);

    stage_open_live(&stage);
    STAGE_OK(&stage, mica_host_ping(stage.host, &call, &stage.error, NULL));
    STAGE_OK(&stage, mica_host_ping(stage.host, &call, &stage.error, NULL));
    stage.log.len = 0;
    mica_host_close(stage.host);
    STAGE_LOG(&stage, "done CONNECTION_CLOSED 0: The view ends, or has ended.\n"
                      "done CONNECTION_CLOSED 0: The view ends, or has ended.\n"
                      "closed\n");
    stage_end(&stage);
}
END_TEST

UNIT_MAIN("host hostile", a_flood_is_refused_then_the_view_is_disconnected,
          the_first_refusals_have_their_reason,
          a_bucket_fills_again_and_forgives_when_it_is_full,
          a_reply_that_is_waited_for_passes_an_empty_bucket,
          a_large_message_counts_as_many,
          strings_of_20_mb_and_depth_10000_are_refused,
          exactly_64_levels_are_read, the_memory_of_a_host_has_a_cap,
          messages_that_wait_are_bounded_in_number_and_size,
          requests_are_256_each_way,
          foreign_and_repeated_ids_and_answers_to_nothing_change_nothing,
          what_is_no_message_is_reported, names_of_objects_are_no_tools,
          of_1000_tools_50_are_kept_over_all_pages,
          hidden_and_bidirectional_characters_leave_texts_and_bar_names,
          long_texts_of_a_tool_are_cut_and_large_tools_left_out,
          results_above_10_mb_or_without_a_form_are_refused,
          what_a_view_says_of_itself_hides_nothing,
          a_view_that_its_proxy_has_stopped_is_disconnected,
          a_callback_may_answer_ask_and_close)
