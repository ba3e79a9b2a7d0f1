// SPDX-License-Identifier: Apache-2.0
//
// What clients of HTTP+SSE are asked, and what becomes of calls that
// wait for them. Like a pipe: questions and replies come on the one stream, and
// calls that wait end with it.
#include <mica/tool.h>

#include "http_session.h"
#include "store/store_calls.h"

// ---- Tools that ask --------------------------------------------------------------------

static atomic_int cleaned;

static void
clean_up(struct mica_server_call *call, const void *data)
{
    (void)call;
    (void)data;
    atomic_fetch_add(&cleaned, 1);
}

static enum mica_status
count_roots(struct mica_call *call, const struct mica_nothing *in,
            struct mica_nothing *out)
{
    struct mica_roots roots;

    (void)in;
    (void)out;
    mica_defer(call, "count", clean_up, NULL);
    MICA_TRY(mica_roots(call, &roots));
    mica_progress(call, 1, 1, "%s", "counted");
    mica_add_text(call, mica_format(call, "%zu roots", roots.count), NULL);
    return MICA_OK;
}
MICA_TOOL(where, mica_nothing, mica_nothing, count_roots,
          .description = "Counts roots.");
MICA_TOOL(hurry, mica_nothing, mica_nothing, count_roots,
          .description = "Counts them, and does not wait.", .limit_ms = 300);

struct name {
    struct mica_text name;
};
MICA_RECORD(name, MICA_TEXT(name, "A name."));

static enum mica_status
greet(struct mica_call *call, const struct mica_nothing *in,
      struct mica_nothing *out)
{
    struct mica_text words;
    struct name name;

    (void)in;
    (void)out;
    if (mica_client_has(call, MICA_ELICITATION)) {
        MICA_TRY(mica_elicit(call, MICA_FORM(name, &name), "Who?"));
        mica_add_text(call, name.name, NULL);
        return MICA_OK;
    }
    MICA_TRY(mica_sample(
        call, &(struct mica_sampling){.prompt = MICA_LITERAL("Who?")}, &words));
    mica_add_text(call, words, NULL);
    return MICA_OK;
}
MICA_TOOL(greet, mica_nothing, mica_nothing, greet,
          .description = "Asks a person, or a model.");

// ---- A client --------------------------------------------------------------------------

static struct heard first, second;

static void
start_http_sse(void)
{
    static const struct mica_tool *const tools[] = {
        &mica_tool_where, &mica_tool_hurry, &mica_tool_greet};

    host.server = fixture_open(64 * 1024);
    for (size_t i = 0; i < MICA_COUNT(tools); i++)
        ck_assert_int_eq(
            mica_server_add_tool(host.server, tools[i], NULL, &host.error),
            MICA_OK);
    start_shared_with(
        (struct mica_http_options){.workers = 2, .http_sse = true}, NULL);
}

static void
stop_http_sse(void)
{
    stop();
    remove_shared();
}

static void
tell(const char *path, const char *body)
{
    static struct response r;
    int fd = ask("POST", path, NULL, "", body);

    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 202);
    close(fd);
}

// Where a client posts.
struct client {
    struct heard *heard;
    int fd;
    char path[128];
};

static struct client
open_client(struct heard *heard, const char *version)
{
    struct client client = {.heard = heard};
    char hello[512];
    const char *at;

    client.fd = ask("GET", "/sse", NULL, "", "");
    ck_assert(hears(client.fd, heard, "data: /messages?session="));
    at = strstr(heard->text, "data: /messages");
    ck_assert(hears(client.fd, heard, "\n\n"));
    (void)snprintf(client.path, sizeof client.path, "%.*s",
                   (int)strcspn(at + 6, "\r\n"), at + 6);
    (void)snprintf(hello, sizeof hello,
                   "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                   "\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{"
                   "\"roots\":{},\"sampling\":{},\"elicitation\":{}},"
                   "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}",
                   version);
    tell(client.path, hello);
    ck_assert(hears(client.fd, heard, "\"id\":0,\"result\""));
    return client;
}

// The id of the question that was asked with that method.
static const char *
asked(const struct client *client, const char *method)
{
    static char id[64];
    char text[128];
    const char *at;

    (void)snprintf(text, sizeof text, "\"method\":\"%s\"", method);
    ck_assert_msg(hears(client->fd, client->heard, text), "%s: %s", method,
                  client->heard->text);
    at = strstr(client->heard->text, text);
    while (strncmp(at, "\"id\":\"", 6) != 0)
        at--;
    (void)snprintf(id, sizeof id, "%.*s", (int)strcspn(at + 6, "\""), at + 6);
    return id;
}

static void
answer(const struct client *client, const char *question, const char *result)
{
    char body[512];

    (void)snprintf(body, sizeof body,
                   "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":%s}",
                   question, result);
    tell(client->path, body);
}

#define TWO_ROOTS \
    "{\"roots\":[{\"uri\":\"file:///a\"},{\"uri\":\"file:///b\"}]}"

// ---- Questions -------------------------------------------------------------------------

START_TEST(it_is_asked_for_what_its_revision_has)
{
    struct client client;

    start_http_sse();
    client = open_client(&first, "2024-11-05");
    tell(client.path, CALL("where"));
    answer(&client, asked(&client, "roots/list"), TWO_ROOTS);
    ck_assert(hears(client.fd, &first, "\"id\":7,\"result\""));
    ck_assert(hears(client.fd, &first, "2 roots"));
    ck_assert_int_eq(atomic_load(&cleaned), 1);
    // Forms are newer than this revision.
    memset(&first, 0, sizeof first);
    tell(client.path, CALL("greet"));
    answer(&client, asked(&client, "sampling/createMessage"),
           "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":"
           "\"text\",\"text\":\"Ada\"}}");
    ck_assert(hears(client.fd, &first, "\"text\":\"Ada\""));
    ck_assert_ptr_null(strstr(first.text, "elicitation"));
    close(client.fd);
    // A client of a newer one may use the transport, too.
    client = open_client(&second, "2025-06-18");
    tell(client.path, CALL("greet"));
    answer(&client, asked(&client, "elicitation/create"),
           "{\"action\":\"accept\",\"content\":{\"name\":\"Eve\"}}");
    ck_assert(hears(client.fd, &second, "\"text\":\"Eve\""));
    close(client.fd);
    stop_http_sse();
}
END_TEST

START_TEST(a_turn_tells_how_far_it_is)
{
    struct client client;

    start_http_sse();
    client = open_client(&first, "2024-11-05");
    tell(client.path,
         "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
         "\"name\":\"where\",\"arguments\":{},\"_meta\":{\"progressToken\":"
         "\"p\"}}}");
    answer(&client, asked(&client, "roots/list"), TWO_ROOTS);
    ck_assert(hears(client.fd, &first, "\"progressToken\":\"p\""));
    ck_assert(hears(client.fd, &first, "\"id\":7,\"result\""));
    close(client.fd);
    stop_http_sse();
}
END_TEST

START_TEST(an_answer_of_another_client_is_none)
{
    struct client client, other;
    char question[64];

    start_http_sse();
    client = open_client(&first, "2024-11-05");
    other = open_client(&second, "2024-11-05");
    tell(client.path, CALL("where"));
    (void)snprintf(question, sizeof question, "%s",
                   asked(&client, "roots/list"));
    answer(&other, question, "{\"roots\":[]}");
    unit_sleep(200);
    ck_assert_ptr_null(strstr(first.text, "\"id\":7,"));
    answer(&client, question, TWO_ROOTS);
    ck_assert(hears(client.fd, &first, "2 roots"));
    ck_assert_ptr_null(strstr(second.text, "\"id\":7,"));
    close(client.fd);
    close(other.fd);
    stop_http_sse();
}
END_TEST

START_TEST(it_has_so_many_calls_that_wait)
{
    struct client client;
    char call[256];

    start_http_sse();
    client = open_client(&first, "2024-11-05");
    for (int i = 100; i < 164; i++) {
        memset(&first, 0, sizeof first);
        (void)snprintf(call, sizeof call,
                       "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/"
                       "call\",\"params\":{\"name\":\"where\"}}",
                       i);
        tell(client.path, call);
        (void)asked(&client, "roots/list");
    }
    memset(&first, 0, sizeof first);
    tell(client.path, CALL("where"));
    ck_assert(hears(client.fd, &first, "\"id\":7,\"result\""));
    ck_assert(hears(client.fd, &first, "CAPABILITY_MISSING"));
    close(client.fd);
    stop_http_sse();
}
END_TEST

// ---- Ends ------------------------------------------------------------------------------

START_TEST(a_call_that_waits_is_cancelled)
{
    struct client client;

    start_http_sse();
    client = open_client(&first, "2024-11-05");
    tell(client.path, CALL("where"));
    (void)asked(&client, "roots/list");
    tell(client.path, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                      "cancelled\",\"params\":{\"requestId\":7}}");
    ck_assert(hears(client.fd, &first, "\"method\":\"notifications/cancelled"));
    fixture_await(&cleaned, 1);
    unit_sleep(100);
    ck_assert_ptr_null(strstr(first.text, "\"id\":7,"));
    close(client.fd);
    stop_http_sse();
}
END_TEST

START_TEST(a_call_whose_client_has_gone_cleans_up)
{
    struct client client;

    start_http_sse();
    client = open_client(&first, "2024-11-05");
    tell(client.path, CALL("where"));
    (void)asked(&client, "roots/list");
    close(client.fd);
    fixture_await(&cleaned, 1);
    stop_http_sse();
}
END_TEST

START_TEST(a_call_that_waits_cleans_up_when_the_server_ends)
{
    struct client client;

    start_http_sse();
    client = open_client(&first, "2024-11-05");
    tell(client.path, CALL("where"));
    (void)asked(&client, "roots/list");
    stop_http_sse();
    ck_assert_int_eq(atomic_load(&cleaned), 1);
    ck_assert(ends(client.fd, &first));
}
END_TEST

START_TEST(a_question_that_is_late_ends_its_call)
{
    struct client client;

    start_http_sse();
    client = open_client(&first, "2024-11-05");
    tell(client.path, CALL("hurry"));
    (void)asked(&client, "roots/list");
    ck_assert(hears(client.fd, &first, "\"id\":7,"));
    ck_assert(hears(client.fd, &first, "TIMEOUT"));
    close(client.fd);
    stop_http_sse();
}
END_TEST

// Any process that shares the store may find that a call is late.
START_TEST(an_end_that_another_process_made_is_told)
{
    const struct mica_text none = {NULL, 0};
    struct mica_kept_call call;
    struct mica_arena arena;
    struct client client;
    struct mica_text id;

    start_http_sse();
    client = open_client(&first, "2024-11-05");
    tell(client.path, CALL("where"));
    id =
        (struct mica_text){asked(&client, "roots/list"), MICA_CALL_ID_SIZE - 1};
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_store_call_claim(store, id, NULL, now(), 60000,
                                           &arena, &host.error, &call),
                     MICA_OK);
    call.state = MICA_CALL_COMPLETED;
    call.asks = none;
    call.reply = MICA_LITERAL("\"result\":{\"content\":[]}");
    ck_assert_int_eq(mica_store_call_commit(store, &call, none, none,
                                            now() - 60000, 0, &host.error),
                     MICA_OK);
    mica_arena_fini(&arena);
    ck_assert(hears(client.fd, &first, "\"id\":7,\"result\":{\"content\":[]}"));
    close(client.fd);
    stop_http_sse();
}
END_TEST

START_TEST(a_call_that_was_deleted_comes_to_an_error)
{
    struct client client;
    struct mica_text id;

    start_http_sse();
    client = open_client(&first, "2024-11-05");
    tell(client.path, CALL("where"));
    id =
        (struct mica_text){asked(&client, "roots/list"), MICA_CALL_ID_SIZE - 1};
    ck_assert_int_eq(mica_store_call_delete(store, id, now(), &host.error),
                     MICA_OK);
    ck_assert(hears(client.fd, &first, "\"id\":7,\"error\""));
    close(client.fd);
    stop_http_sse();
}
END_TEST

UNIT_MAIN("http+sse", it_is_asked_for_what_its_revision_has,
          a_turn_tells_how_far_it_is, an_answer_of_another_client_is_none,
          it_has_so_many_calls_that_wait, a_call_that_waits_is_cancelled,
          a_call_whose_client_has_gone_cleans_up,
          a_call_that_waits_cleans_up_when_the_server_ends,
          a_question_that_is_late_ends_its_call,
          an_end_that_another_process_made_is_told,
          a_call_that_was_deleted_comes_to_an_error)
