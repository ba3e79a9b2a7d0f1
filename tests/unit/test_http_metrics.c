// SPDX-License-Identifier: Apache-2.0
//
// What a server over HTTP counts of itself, read as Prometheus reads it.
#include "http_host.h"
#include "scrape.h"

static unsigned metrics_port;

static void
start_counting(void)
{
    start_with((struct mica_http_options){
        .quiet = true, .metrics = SCRAPE_ANY, .store = "memory"});
    metrics_port = scraped_port((unsigned)atomic_load(&host.port));
}

// A page with that line. A request is counted after its reply was sent, which a busy
// machine may put off.
static const char *
await_shown(const char *line)
{
    const char *page = NULL;

    UNIT_AWAIT_MSG(
        (page = scrape_port(metrics_port), strstr(page, line) != NULL),
        "no %s in\n%.3500s", line, page);
    return page;
}

START_TEST(calls_are_counted_by_tool_and_outcome)
{
    static struct response r;

    start_counting();
    for (int i = 0; i < 3; i++) {
        int fd = dial();
        ask_tool(fd, "1", "echo", "{\"a\":1}");
        hear(fd, &r);
        ck_assert_uint_eq(r.status, 200);
        close(fd);
    }
    once("POST /mcp HTTP/1.1\r\nHost: evil.example\r\n"
         "Content-Length: 2\r\n\r\n{}",
         &r);
    ck_assert_uint_eq(r.status, 403);
    once("POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
         "application/json\r\nContent-Length: 2\r\n\r\n{}",
         &r);
    ck_assert_uint_eq(r.status, 200);
    (void)await_shown(
        "mcp_server_operation_duration_seconds_count{"
        "mcp_method_name=\"tools/call\",gen_ai_tool_name=\"echo\","
        "mcp_protocol_version=\"rest\",network_transport=\"tcp\"} 1\n");
    (void)await_shown(
        "mcp_server_operation_duration_seconds_count{"
        "mcp_method_name=\"tools/call\",gen_ai_tool_name=\"echo\","
        "mcp_protocol_version=\"2026-07-28\",network_transport=\"tcp\"} 3\n");
    (void)await_shown("mica_refused_total{code=\"FORBIDDEN\"} 1\n");
    (void)await_shown("mica_http_requests_total{status=\"403\"} 1\n");
    stop();
}
END_TEST

START_TEST(names_that_a_client_makes_up_are_no_labels)
{
    static struct response r;
    const char *page;

    start_counting();
    for (int i = 0; i < 5; i++) {
        char name[32];
        int fd = dial();
        (void)snprintf(name, sizeof name, "made-up-%d", i);
        ask_tool(fd, "1", name, "{}");
        hear(fd, &r);
        close(fd);
    }
    page = await_shown("error_type=\"NOT_FOUND\"} 5\n");
    ck_assert_ptr_null(strstr(page, "made-up"));
    stop();
}
END_TEST

START_TEST(what_is_open_is_shown)
{
    const char *page;

    start_counting();
    page = scrape_port(metrics_port);
    ck_page_shows(page, "\nmica_subscriptions 0\n");
    ck_page_shows(page, "\nmica_streams 0\n");
    ck_page_shows(page, "\nmica_store_sessions 0\n");
    ck_page_shows(page, "\nmica_sessions_begun_total 0\n");
    ck_page_shows(page, "\nmica_http_requests_active 0\n");
    stop();
}
END_TEST

// A test that starts a server does not wait for the port of one that has ended.
START_TEST(a_server_whose_metrics_address_is_taken_ends_and_says_it)
{
    char where[32];
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, size), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    (void)snprintf(where, sizeof where, "127.0.0.1:%u",
                   ntohs(address.sin_port));
    host.server = fixture_open(64 * 1024);
    ck_assert(!server_listens((struct mica_http_options){
        .quiet = true, .metrics = where, .store = "memory"}));
    ck_assert_int_eq(host.status, MICA_E_ADDRESS);
    ck_assert_ptr_nonnull(strstr(host.error.message, where));
    mica_server_close(&host.server);
    close(fd);
}
END_TEST

UNIT_MAIN("http_metrics", calls_are_counted_by_tool_and_outcome,
          names_that_a_client_makes_up_are_no_labels, what_is_open_is_shown,
          a_server_whose_metrics_address_is_taken_ends_and_says_it)
