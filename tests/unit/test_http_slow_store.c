// SPDX-License-Identifier: Apache-2.0
//
// A store whose operations wait: requests that need it wait with it, and the server
// answers all others.
#include "http_session.h"
#include "store_latch.h"

enum {
    TIMES = 100 // of each request that needs no store
};

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define LIST                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\",\"version\":"    \
    "\"1\"},\"io.modelcontextprotocol/clientCapabilities\":{}}}}"

static struct response heard;

static void
start_slow(void)
{
    host.server = fixture_open(64 * 1024);
    start_shared_with((struct mica_http_options){.workers = 2},
                      HELLO("2025-11-25"));
    post(PING, 200); // it is in the cache
}

static void
hear_status(int fd, unsigned status)
{
    ck_assert(hear(fd, &heard));
    ck_assert_msg(heard.status == status, "%s", heard.text);
    close(fd);
}

static bool
is_silent(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    return poll(&wait, 1, 0) == 0;
}

// Requests that want nothing of the store. Fails where one is not answered.
static void
others_are_served(void)
{
    for (unsigned i = 0; i < TIMES; i++)
        post(PING, 200);
    for (unsigned i = 0; i < TIMES; i++) {
        int fd = dial();
        once("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &heard);
        ck_assert_uint_eq(heard.status, 200);
        hear_status(ask("POST", "/mcp", NULL,
                        "MCP-Protocol-Version: 2026-07-28\r\n"
                        "Mcp-Method: tools/list\r\n",
                        LIST),
                    200);
        ask_tool(fd, "1", "echo", "{}");
        hear_status(fd, 200);
    }
}

START_TEST(who_needs_no_store_does_not_wait_for_it)
{
    int waiting[3];

    start_slow();
    store_latch_set(true);
    waiting[0] = ask("POST", "/mcp", NULL, "", HELLO("2025-06-18"));
    waiting[1] = ask("GET", "/mcp", session, "", "");
    waiting[2] =
        ask("POST", "/mcp", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "", PING);
    UNIT_AWAIT(store_latch_waiting() > 0);
    others_are_served();
    for (size_t i = 0; i < MICA_COUNT(waiting); i++)
        ck_assert(is_silent(waiting[i]));
    store_latch_set(false);
    hear_status(waiting[0], 200);
    hear_status(waiting[2], 404);
    close(waiting[1]);
    stop();
    remove_shared();
}
END_TEST

// What the process does itself takes effect at once, whatever it has read before.
START_TEST(a_session_that_ended_is_gone_at_once)
{
    start_slow();
    hear_status(ask("DELETE", "/mcp", session, "", ""), 204);
    post(PING, 404);
    post(PING, 404);
    stop();
    remove_shared();
}
END_TEST

START_TEST(a_session_that_another_process_ends_is_gone_soon)
{
    struct mica_error error;
    int fd;

    start_slow();
    ck_assert_int_eq(mica_store_session_delete(store, &key, now(), &error),
                     MICA_OK);
    UNIT_AWAIT_MSG((fd = ask("POST", "/mcp", session, "", PING),
                    ck_assert(hear(fd, &heard)), close(fd),
                    heard.status == 404),
                   "it is still there");
    stop();
    remove_shared();
}
END_TEST

UNIT_MAIN("http slow store", who_needs_no_store_does_not_wait_for_it,
          a_session_that_ended_is_gone_at_once,
          a_session_that_another_process_ends_is_gone_soon)
