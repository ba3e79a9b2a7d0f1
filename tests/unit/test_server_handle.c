// SPDX-License-Identifier: Apache-2.0
//
// Single requests of a program that has a web server of its own: what they get,
// what they are not promised, and whose they are.
#include "test_server.h"

#define CALL(name)                                                          \
    "{" V2 ",'id':1,'method':'tools/call','params':{" META ",'name':'" name \
    "','arguments':{'a':1}}}"

static unsigned
handle(const struct mica_http_allowed *allowed)
{
    mica_arena_reset(&harness.arena);
    mica_server_handle(harness.server, &harness.arena, allowed,
                       &harness.request, &harness.response);
    take_reply(harness.response.body);
    return harness.response.status;
}

START_TEST(one_request_is_answered_whole)
{
    stateless("tools/call", "echo", quoted(CALL("echo")));
    ck_assert_uint_eq(handle(NULL), 200);
    ck_at("/result/structuredContent", "{'a':1}");
    ck_assert_str_eq(response_header("Content-Type"), "application/json");
    header("Host", "mica.example");
    ck_assert_uint_eq(handle(NULL), 403);
    ck_assert_uint_eq(
        handle(&(struct mica_http_allowed){
            .hosts = (const char *const[]){"mica.example", NULL}}),
        200);
}
END_TEST

// The words of a call that has spent all its memory are in the arena all the same.
START_TEST(a_reply_outlives_the_call)
{
    stateless("tools/call", "large",
              quoted("{" V2 ",'id':1,'method':'tools/call','params':{" META
                     ",'name':'large','arguments':{'size':33000000}}}"));
    ck_assert_uint_eq(handle(NULL), 200);
    ck_assert_ptr_nonnull(strstr(harness.reply, "LIMIT_EXCEEDED"));
}
END_TEST

START_TEST(an_arena_without_room_is_a_503)
{
    struct mica_arena arena;

    mica_arena_init(&arena, 100);
    stateless("tools/call", "echo", quoted(CALL("echo")));
    mica_server_handle(harness.server, &arena, NULL, &harness.request,
                       &harness.response);
    ck_assert_uint_eq(harness.response.status, 503);
    ck_assert_uint_eq(harness.response.body.len, 0);
    mica_arena_fini(&arena);
}
END_TEST

static void
hear_nothing(void *data, const struct mica_change *change)
{
    (void)data;
    (void)change;
}

// One response is all there is, even if the same server is served elsewhere.
START_TEST(one_request_is_promised_nothing_more)
{
    static const struct mica_resource resource = {
        .uri = "t:1", .name = "r", .text = "x"};

    ck_assert_int_eq(
        mica_server_add_resource(harness.server, &resource, NULL, NULL),
        MICA_OK);
    harness.server->registry.changed = hear_nothing;
    stateless("server/discover", NULL,
              quoted("{" V2 ",'id':1,'method':'server/discover','params':{" META
                     "}}"));
    ck_assert_uint_eq(handle(NULL), 200);
    ck_at("/result/capabilities", "{'tools':{},'resources':{}}");
    ck_assert_uint_eq(send_request(), 200);
    ck_at("/result/capabilities/resources",
          "{'subscribe':true,'listChanged':true}");
    stateless("subscriptions/listen", NULL,
              quoted("{" V2
                     ",'id':1,'method':'subscriptions/listen','params':{" META
                     ",'notifications':{'toolsListChanged':true}}}"));
    ck_assert_uint_eq(handle(NULL), 404);
    ck_at("/error/code", "-32601");
}
END_TEST

static void
open_with_key(char fill)
{
    static unsigned char key[MICA_CURSOR_KEY_BYTES];

    memset(key, fill, sizeof key);
    close_server();
    start_server(&(struct mica_server_options){
        .name = "t", .version = "1", .page_items = 3, .cursor_key = key});
    memset(key, 0, sizeof key); // it is copied
}

static void
handle_page(const char *cursor)
{
    stateless("tools/list", NULL,
              quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META
                     "%s%s%s}}",
                     cursor != NULL ? ",'cursor':'" : "",
                     cursor != NULL ? cursor : "", cursor != NULL ? "'" : ""));
    (void)handle(NULL);
}

static void
take_cursor(char cursor[256])
{
    struct mica_text text = mica_json_get_text(
        mica_json_get(&harness.last, "result"), "nextCursor");

    ck_assert_uint_gt(text.len, 24);
    ck_assert_uint_lt(text.len, 256);
    memcpy(cursor, text.ptr, text.len);
    cursor[text.len] = '\0';
}

// [LIST-CURSOR]
START_TEST(one_request_after_another_reads_a_list)
{
    char first[256], second[256], wrong[256];

    open_with_key('k');
    handle_page(NULL);
    ck_at("/result/tools/0/name", "'echo'");
    ck_at("/result/tools/3", "(absent)");
    take_cursor(first);
    handle_page(first);
    ck_at("/result/tools/0/name", "'silent'");
    take_cursor(second);
    handle_page(second);
    ck_at("/result/tools/0/name", "'large'");
    ck_at("/result/nextCursor", "(absent)");
    for (size_t i = 0; i < strlen(first); i++) {
        memcpy(wrong, first, sizeof wrong);
        wrong[i] = wrong[i] == 'A' ? 'B' : 'A';
        handle_page(wrong);
        ck_at("/error/code", "-32602");
        wrong[i] = '\0';
        handle_page(wrong);
        ck_at("/error/code", "-32602");
    }
    open_with_key('k'); // another process with the same key
    handle_page(first);
    ck_at("/result/tools/0/name", "'silent'");
    open_with_key('l');
    handle_page(first);
    ck_at("/error/code", "-32602");
}
END_TEST

static enum mica_status
say_who(struct mica_call *call, const struct mica_json *in,
        struct mica_json_writer *out)
{
    (void)in;
    mica_json_open_object(out);
    mica_json_field(out, "who", mica_principal(call)->subject);
    mica_json_close_object(out);
    return MICA_OK;
}

START_TEST(one_request_is_of_whom_the_program_says)
{
    static const struct mica_tool tool = {.name = "who",
                                          .description = "Says who calls.",
                                          .input_schema = ANY_OBJECT,
                                          .json_handler = say_who,
                                          .scope = "tools:who"};
    struct mica_principal ann = {MICA_LITERAL("i"), MICA_LITERAL("ann"),
                                 MICA_LITERAL("tools:who")};

    ck_assert_int_eq(mica_server_add_tool(harness.server, &tool, NULL, NULL),
                     MICA_OK);
    stateless("tools/call", "who", quoted(CALL("who")));
    ck_assert_uint_eq(handle(NULL), 200); // the store was not asked
    ck_at("/result/structuredContent", "{'who':''}");
    harness.request.principal = &ann;
    ck_assert_uint_eq(handle(NULL), 200);
    ck_at("/result/structuredContent", "{'who':'ann'}");
    ann.scopes = MICA_LITERAL("other");
    ck_assert_uint_eq(handle(NULL), 403);
    ck_says("/error/message", "tools:who");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("single requests");
    TCase *group = add_case(suite, "handle");

    tcase_add_test(group, one_request_is_answered_whole);
    tcase_add_test(group, a_reply_outlives_the_call);
    tcase_add_test(group, an_arena_without_room_is_a_503);
    tcase_add_test(group, one_request_is_promised_nothing_more);
    tcase_add_test(group, one_request_after_another_reads_a_list);
    tcase_add_test(group, one_request_is_of_whom_the_program_says);
    return run_suite(suite);
}
