// SPDX-License-Identifier: Apache-2.0
//
// The MCP core with too little memory, at every size, and with damaged
// messages: there is always an answer, and it is always JSON.
#include "test_server.h"

static const char *const lines[] = {
    "{" V2 ",'id':1,'method':'server/discover','params':{" META "}}",
    "{" V2 ",'id':'a','method':'tools/list','params':{" META "}}",
    "{" V2 ",'id':3,'method':'tools/call','params':{" META ",'name':'blocks'}}",
    "{" V2 ",'id':4,'method':'tools/call','params':{" META
    ",'name':'echo','arguments':{'a':[1,2,{'b':'c\\n'}],'d':'e'}}}",
    "{" V2 ",'id':5,'method':'tools/call','params':{" META ",'name':'fail'}}",
    "{" V2 ",'id':6,'method':'tools/call','params':{" META
    ",'name':'large','arguments':{'size':3000}}}",
    "{" V2 ",'id':7,'method':'tools/call','params':{" META
    ",'name':'no\\nsuch'}}",
    "{" V2 ",'id':8,'method':'initialize','params':{'protocolVersion':"
    "'2025-06-18'}}",
    "{" V2 ",'id':9,'method':'tools/list'}",
    "{" V2 ",'id':10,'method':'tools/list','params':{'_meta':{'" P_
    "protocolVersion':'x','" P_ "clientCapabilities':{}}}}",
    "{" V2 ",'method':'notifications/initialized'}",
    "[1,2,3]",
    "{nonsense",
};

// The smallest memory of a call that is promised an answer with an error code:
// the first block of an arena.
enum {
    ENOUGH_TO_REFUSE = 8 << 10
};

static void
check_with(size_t cap, const char *text)
{
    mica_arena_fini(&harness.arena);
    mica_arena_init(&harness.arena, cap);
    line(text);
    if (strstr(text, "notifications") != NULL && harness.reply[0] == '\0')
        return;
    ck_assert_int_eq(harness.message.step, MICA_STEP_REPLY);
    ck_assert_str_ne(harness.reply, "");
    if (cap >= ENOUGH_TO_REFUSE && strstr(at("/error"), "absent") == NULL)
        ck_assert_str_ne(at("/error/data/code"), "(absent)");
}

START_TEST(there_is_an_answer_with_any_amount_of_memory)
{
    for (size_t i = 0; i < MICA_COUNT(lines); i++) {
        const char *text = quoted("%s", lines[i]);
        for (size_t cap = 0; cap < 2048; cap += 16)
            check_with(cap, text);
        for (size_t cap = 2048; cap < 64 << 10; cap += 509)
            check_with(cap, text);
    }
}
END_TEST

START_TEST(there_is_an_http_response_with_any_amount_of_memory)
{
    for (size_t cap = 0; cap < 48 << 10; cap += cap < 1024 ? 8 : 257) {
        mica_arena_fini(&harness.arena);
        mica_arena_init(&harness.arena, cap);
        stateless("tools/call", "=?base64?YmxvY2tz?=", quoted("%s", lines[2]));
        ck_assert_uint_ge(send_request(), 200);
        ck_assert_str_ne(harness.reply, "");
        ck_assert_uint_gt(harness.response.body.len, 0);
    }
    ck_at("/result/resultType", "'complete'");
}
END_TEST

START_TEST(a_message_has_a_limit)
{
    static char text[64 << 10];

    mica_server_close(&harness.server);
    mica_arena_fini(&harness.arena);
    mica_arena_fini(&harness.last_arena);
    start_server(&(struct mica_server_options){
        .name = "t", .version = "1", .message_bytes = 1000});
    memset(text, ' ', sizeof text);
    memcpy(text, quoted("%s", lines[0]), strlen(lines[0]));
    line_bytes(text, 1000);
    ck_at("/result/resultType", "'complete'");
    line_bytes(text, 1001);
    ck_error("-32700", "LIMIT_EXCEEDED", "1");
    ck_assert_uint_eq(harness.message.reply.http_status, 413);
    stateless("server/discover", NULL, "");
    harness.request.body = (struct mica_text){text, 1001};
    ck_assert_uint_eq(send_request(), 413);
    ck_error("-32600", "LIMIT_EXCEEDED", "(absent)");
}
END_TEST

// A small generator of our own, so that a failure comes back.
static uint32_t
next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static size_t
damage(char *text, size_t length, uint32_t *state)
{
    static const char bytes[] = "{}[]\",:\\0e-.\x80\xff\n u";
    unsigned times = 1 + next_random(state) % 4;

    while (times-- > 0) {
        size_t place = next_random(state) % length;
        switch (next_random(state) % 3) {
        case 0:
            text[place] = bytes[next_random(state) % (sizeof bytes - 1)];
            break;
        case 1: // a byte less
            memmove(text + place, text + place + 1, length - place);
            length = length > 1 ? length - 1 : 1;
            break;
        default: // cut off
            if (next_random(state) % 8 == 0)
                length = place + 1;
            break;
        }
    }
    return length;
}

START_TEST(damaged_messages_are_answered)
{
    char text[2048];
    uint32_t state = (uint32_t)_i + 1;

    for (int round = 0; round < 4000; round++) {
        const char *whole =
            quoted("%s", lines[next_random(&state) % MICA_COUNT(lines)]);
        size_t length = strlen(whole);
        memcpy(text, whole, length + 1);
        length = damage(text, length, &state);
        line_bytes(text, length);
        stateless("tools/call", "echo", "");
        harness.request.body = (struct mica_text){text, length};
        ck_assert_uint_ge(send_request(), 200);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("mcp without memory");
    TCase *group = add_case(suite, "memory");

    tcase_set_timeout(group, 60);
    tcase_add_test(group, there_is_an_answer_with_any_amount_of_memory);
    tcase_add_test(group, there_is_an_http_response_with_any_amount_of_memory);
    tcase_add_test(group, a_message_has_a_limit);
    tcase_add_loop_test(group, damaged_messages_are_answered, 0, 4);
    return run_suite(suite);
}
