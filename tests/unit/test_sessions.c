// SPDX-License-Identifier: Apache-2.0
//
// Sessions in a store: what the core asks of the session store, whose they are, how
// they expire, and a program that hands single requests to a server with them.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "serve/stored_sessions.h"
#include "server/server.h"

static struct mica_session_store *session_store;
static struct mica_arena arena;
static struct mica_error error;
static const struct mica_principal alice = {.issuer = {"https://i", 9},
                                            .subject = {"alice", 5}};
static const struct mica_principal bob = {.issuer = {"https://i", 9},
                                          .subject = {"bob", 3}};
static const struct mica_principal other_alice = {.issuer = {"https://j", 9},
                                                  .subject = {"alice", 5}};

static void
open_session_store(void)
{
    struct mica_session_store_options options = {.store = "memory"};

    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_session_store_open(&options, &error, &session_store),
                     MICA_OK);
}

static void
close_session_store(void)
{
    mica_session_store_close(&session_store);
    mica_session_store_close(&session_store); // once more does no harm
    mica_arena_fini(&arena);
}

static struct mica_text
begin(const struct mica_principal *principal)
{
    const struct mica_sessions *sessions =
        mica_session_store_sessions(session_store);
    struct mica_session session = {.revision = MICA_REVISION_2025_06_18,
                                   .client_info = MICA_LITERAL("{\"a\":1}"),
                                   .capabilities = MICA_LITERAL("{}")};

    ck_assert_int_eq(
        sessions->create(sessions->data, &session,
                         &(struct mica_caller){.principal = principal}, &arena,
                         &error),
        MICA_OK);
    ck_assert_uint_eq(session.id.len, 43);
    return session.id;
}

static enum mica_status
find(struct mica_text id, const struct mica_principal *principal,
     struct mica_session *session)
{
    const struct mica_sessions *sessions =
        mica_session_store_sessions(session_store);

    return sessions->find(sessions->data, id,
                          &(struct mica_caller){.principal = principal}, &arena,
                          &error, session);
}

START_TEST(what_was_agreed_on_comes_back)
{
    struct mica_session session;
    struct mica_text first = begin(NULL), second = begin(NULL);

    ck_assert(!mica_text_equal(first, second));
    ck_assert_int_eq(find(first, NULL, &session), MICA_OK);
    ck_assert_int_eq(session.revision, MICA_REVISION_2025_06_18);
    ck_assert(mica_text_is(session.client_info, "{\"a\":1}"));
    ck_assert(mica_text_is(session.capabilities, "{}"));
    ck_assert(!session.logs);
    ck_assert_uint_eq(mica_session_store_counts(session_store).begun, 2);
}
END_TEST

START_TEST(a_session_is_of_one_principal)
{
    struct mica_session session;
    struct mica_text hers = begin(&alice), anybodys = begin(NULL);

    ck_assert_int_eq(find(hers, &alice, &session), MICA_OK);
    ck_assert_int_eq(find(hers, &bob, &session), MICA_E_NOT_FOUND);
    ck_assert_int_eq(find(hers, &other_alice, &session), MICA_E_NOT_FOUND);
    ck_assert_int_eq(find(hers, NULL, &session), MICA_E_NOT_FOUND);
    ck_assert_int_eq(find(anybodys, &alice, &session), MICA_E_NOT_FOUND);
    ck_assert_int_eq(find(anybodys, NULL, &session), MICA_OK);
}
END_TEST

START_TEST(a_level_stays_and_an_end_is_one)
{
    const struct mica_sessions *sessions =
        mica_session_store_sessions(session_store);
    struct mica_session session;
    struct mica_text id = begin(&alice);

    ck_assert_int_eq(find(id, &alice, &session), MICA_OK);
    ck_assert_int_eq(sessions->set_log_level(sessions->data, &session,
                                             MICA_LOG_ERROR, &error),
                     MICA_OK);
    ck_assert_int_eq(find(id, &alice, &session), MICA_OK);
    ck_assert(session.logs && session.log_level == MICA_LOG_ERROR);
    ck_assert_int_eq(sessions->subscribe(sessions->data, &session,
                                         MICA_LITERAL("test://a"), true,
                                         &error),
                     MICA_OK);
    ck_assert_int_eq(sessions->end(sessions->data, &session, &error), MICA_OK);
    ck_assert_int_eq(find(id, &alice, &session), MICA_E_NOT_FOUND);
    ck_assert_int_eq(sessions->end(sessions->data, &session, &error),
                     MICA_E_NOT_FOUND);
    ck_assert_uint_eq(mica_session_store_counts(session_store).ended, 1);
}
END_TEST

START_TEST(an_idle_session_expires_unless_it_is_touched)
{
    struct mica_session_store_options options = {.store = "memory",
                                                 .idle_s = 4};
    struct mica_store_session_key kept;
    struct mica_session session;
    struct mica_text left, touched;

    mica_session_store_close(&session_store);
    ck_assert_int_eq(mica_session_store_open(&options, &error, &session_store),
                     MICA_OK);
    left = begin(NULL);
    touched = begin(NULL);
    kept = mica_store_session_key_of(touched);
    // For longer than a session may be idle; a busy machine may sleep three seconds more.
    for (int i = 0; i < 6; i++) {
        unit_sleep(1000);
        ck_assert(mica_session_store_touch(session_store, &kept));
    }
    ck_assert_int_eq(find(left, NULL, &session), MICA_E_NOT_FOUND);
    ck_assert_int_eq(find(touched, NULL, &session), MICA_OK);
    kept = mica_store_session_key_of(left);
    ck_assert(!mica_session_store_touch(session_store, &kept));
}
END_TEST

START_TEST(too_many_are_refused_and_counted)
{
    struct mica_store_options few = {.sessions = 2};
    struct mica_store *store;
    struct mica_session_store_options options;
    const struct mica_sessions *sessions;
    struct mica_session session = {.revision = MICA_REVISION_2025_11_25};

    ck_assert_int_eq(mica_store_open("memory", &few, &error, &store), MICA_OK);
    options = (struct mica_session_store_options){.open = store};
    mica_session_store_close(&session_store);
    ck_assert_int_eq(mica_session_store_open(&options, &error, &session_store),
                     MICA_OK);
    ck_assert_ptr_eq(mica_session_store_backing(session_store), store);
    (void)begin(NULL);
    (void)begin(NULL);
    sessions = mica_session_store_sessions(session_store);
    ck_assert_int_eq(sessions->create(sessions->data, &session,
                                      &(struct mica_caller){.principal = NULL},
                                      &arena, &error),
                     MICA_E_LIMIT);
    ck_assert_uint_eq(session.id.len, 0);
    ck_assert_uint_eq(mica_session_store_counts(session_store).refused, 1);
    mica_session_store_close(&session_store);
    mica_store_close(&store); // it never belonged to the session store
}
END_TEST

static char noted[1024];

static void
note(void *user, const char *text)
{
    ck_assert_ptr_eq(user, noted);
    (void)snprintf(noted, sizeof noted, "%s", text);
}

START_TEST(a_lazy_store_opens_late_or_becomes_memory)
{
    struct mica_session_store_options options = {.store =
                                                     "sqlite:/dev/null/mica.db",
                                                 .lazy = true,
                                                 .note = note,
                                                 .user = noted};
    struct mica_session session;

    mica_session_store_close(&session_store);
    ck_assert_int_eq(mica_session_store_open(&options, &error, &session_store),
                     MICA_OK);
    ck_assert_ptr_null(mica_session_store_backing(session_store));
    ck_assert_str_eq(noted, "");
    ck_assert_int_eq(find(begin(NULL), NULL, &session), MICA_OK);
    ck_assert_ptr_nonnull(strstr(noted, "in memory"));
    ck_assert_ptr_nonnull(strstr(noted, "/dev/null"));
    mica_session_store_close(&session_store);
    options.lazy = false; // a store that was asked for has to be there
    ck_assert_int_ne(mica_session_store_open(&options, &error, &session_store),
                     MICA_OK);
    ck_assert_ptr_null(session_store);
}
END_TEST

// ---- A program with a web server of its own --------------------------------------

static unsigned
handle(struct mica_server *server, const char *method, const char *session,
       const char *body, struct mica_http_response *response)
{
    struct mica_header headers[] = {
        {MICA_LITERAL("Host"), MICA_LITERAL("localhost")},
        {MICA_LITERAL("Content-Type"), MICA_LITERAL("application/json")},
        {MICA_LITERAL("Accept"), MICA_LITERAL("text/event-stream")},
        {MICA_LITERAL("Mcp-Session-Id"), mica_text(session)}};
    struct mica_http_request request = {.method = mica_text(method),
                                        .path = MICA_LITERAL("/mcp"),
                                        .headers = headers,
                                        .header_count =
                                            session[0] != '\0' ? 4 : 3,
                                        .body = mica_text(body)};

    mica_server_handle(server, &arena, NULL, &request, response);
    return response->status;
}

static bool
answers(const struct mica_http_response *response, const char *partz)
{
    return memmem(response->body.ptr, response->body.len, partz,
                  strlen(partz)) != NULL;
}

// What a store has keys for, too; and nothing that takes a stream.
START_TEST(single_requests_of_a_session_read_lists_and_hear_nothing)
{
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}";
    static const char list[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}";
    static const char subscribe[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\","
        "\"params\":{\"uri\":\"t:1\"}}";
    static const char level[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\","
        "\"params\":{\"level\":\"info\"}}";
    struct mica_server_options options = {
        .name = "n", .version = "1", .page_items = 1};
    struct mica_http_response response;
    struct mica_server *server;
    struct mica_store *store;
    char id[64] = "";

    ck_assert_int_eq(mica_store_open("memory", NULL, &error, &store), MICA_OK);
    ck_assert_int_eq(mica_server_open(&options, &error, &server), MICA_OK);
    for (int i = 0; i < 2; i++) {
        const struct mica_resource resource = {
            .uri = i == 0 ? "t:1" : "t:2", .name = "r", .text = "x"};
        ck_assert_int_eq(
            mica_server_add_resource(server, &resource, NULL, &error), MICA_OK);
    }
    ck_assert_int_eq(
        mica_registry_declare(&server->registry, MICA_DECLARED_LOGGING, &error),
        MICA_OK);
    ck_assert_int_eq(mica_server_use_store(server, store, &error), MICA_OK);
    ck_assert_uint_eq(handle(server, "POST", "", hello, &response), 200);
    ck_assert(answers(&response, "\"capabilities\":{\"resources\":{}}"));
    for (size_t i = 0; i < response.header_count; i++) {
        if (mica_text_is(response.headers[i].name, "Mcp-Session-Id"))
            (void)snprintf(id, sizeof id, "%.*s",
                           MICA_ARG(response.headers[i].value));
    }
    ck_assert_uint_eq(handle(server, "POST", id, list, &response), 200);
    ck_assert(answers(&response, "nextCursor"));
    ck_assert(!answers(&response, "t:2"));
    (void)handle(server, "POST", id, subscribe, &response);
    ck_assert(answers(&response, "-32601"));
    (void)handle(server, "POST", id, level, &response);
    ck_assert(answers(&response, "-32601"));
    mica_server_close(&server);
    mica_store_close(&store);
}
END_TEST

START_TEST(single_requests_have_sessions_when_there_is_a_store)
{
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                               "\"ping\"}";
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}";
    struct mica_server_options options = {.name = "n", .version = "1"};
    struct mica_http_response response;
    struct mica_server *server;
    struct mica_store *store;
    char id[64] = "";

    ck_assert_int_eq(mica_store_open("memory", NULL, &error, &store), MICA_OK);
    ck_assert_int_eq(mica_server_open(&options, &error, &server), MICA_OK);
    ck_assert_uint_eq(handle(server, "POST", "", ping, &response), 200);
    ck_assert_int_eq(mica_server_use_store(server, store, &error), MICA_OK);
    ck_assert_uint_eq(handle(server, "POST", "", ping, &response), 400);
    ck_assert_uint_eq(handle(server, "POST", "", hello, &response), 200);
    for (size_t i = 0; i < response.header_count; i++) {
        if (mica_text_is(response.headers[i].name, "Mcp-Session-Id"))
            (void)snprintf(id, sizeof id, "%.*s",
                           MICA_ARG(response.headers[i].value));
    }
    ck_assert_uint_eq(strlen(id), 43);
    ck_assert_uint_eq(handle(server, "POST", id, ping, &response), 200);
    // No client here could hold a stream open.
    ck_assert_uint_eq(handle(server, "GET", id, "", &response), 405);
    ck_assert_uint_eq(handle(server, "DELETE", id, "", &response), 204);
    ck_assert_uint_eq(handle(server, "POST", id, ping, &response), 404);
    mica_server_close(&server);
    mica_store_close(&store);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("sessions");
    TCase *group = tcase_create("session store");

    tcase_add_checked_fixture(group, open_session_store, close_session_store);
    tcase_add_test(group, what_was_agreed_on_comes_back);
    tcase_add_test(group, a_session_is_of_one_principal);
    tcase_add_test(group, a_level_stays_and_an_end_is_one);
    tcase_add_test(group, an_idle_session_expires_unless_it_is_touched);
    tcase_add_test(group, too_many_are_refused_and_counted);
    tcase_add_test(group, a_lazy_store_opens_late_or_becomes_memory);
    tcase_add_test(group, single_requests_have_sessions_when_there_is_a_store);
    tcase_add_test(group,
                   single_requests_of_a_session_read_lists_and_hear_nothing);
    suite_add_tcase(suite, group);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}
