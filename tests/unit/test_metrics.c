// SPDX-License-Identifier: Apache-2.0
//
// Metrics: what is counted, the text that shows it, its bounds, and the listener
// that serves it, with a real socket.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/scrape.h"
#include "scrape.h"

static struct mica_metrics *metrics;
static char *shown;

static void
open_metrics(void)
{
    ck_assert_int_eq(mica_metrics_open(NULL, &metrics), MICA_OK);
}

static void
close_metrics(void)
{
    mica_metrics_close(&metrics);
    ck_assert_ptr_null(metrics);
    mica_metrics_close(&metrics);
    free(shown);
    shown = NULL;
}

// The page as text.
static const char *
show(void)
{
    struct mica_buffer text;

    mica_buffer_init(&text, NULL, 16 << 20);
    mica_metrics_write(metrics, &text);
    ck_assert(!text.overflow);
    free(shown);
    shown = strndup(text.ptr, text.len);
    mica_buffer_fini(&text);
    return shown;
}

#define ck_shows(line)                                                       \
    ck_assert_msg(strstr(show(), line "\n") != NULL, "no %s in\n%s", (line), \
                  shown)

static void
operate(const char *method, const char *tool, const char *code, uint64_t ns)
{
    struct mica_operation operation = {.method = mica_text(method),
                                       .tool = mica_text(tool),
                                       .version = MICA_LITERAL("2026-07-28"),
                                       .code = code,
                                       .transport = "tcp",
                                       .duration_ns = ns};

    mica_metrics_operation(metrics, &operation);
}

#define CALL_LABELS                                             \
    "mcp_method_name=\"tools/call\",gen_ai_tool_name=\"hash\"," \
    "mcp_protocol_version=\"2026-07-28\",network_transport=\"tcp\""
#define DURATION "mcp_server_operation_duration_seconds"

START_TEST(an_operation_falls_into_the_buckets_above_it)
{
    operate("tools/call", "hash", NULL, 50000);
    operate("tools/call", "hash", NULL, 100000); // on the bound
    operate("tools/call", "hash", NULL, 2000000000);
    operate("tools/call", "hash", NULL, 900000000000);
    ck_shows(DURATION "_bucket{" CALL_LABELS ",le=\"0.0001\"} 2");
    ck_shows(DURATION "_bucket{" CALL_LABELS ",le=\"1\"} 2");
    ck_shows(DURATION "_bucket{" CALL_LABELS ",le=\"2\"} 3");
    ck_shows(DURATION "_bucket{" CALL_LABELS ",le=\"300\"} 3");
    ck_shows(DURATION "_bucket{" CALL_LABELS ",le=\"+Inf\"} 4");
    ck_shows(DURATION "_count{" CALL_LABELS "} 4");
    ck_shows(DURATION "_sum{" CALL_LABELS "} 902.00015");
}
END_TEST

START_TEST(a_failure_is_a_series_of_its_own)
{
    operate("tools/call", "hash", NULL, 1);
    operate("tools/call", "hash", "TIMEOUT", 1);
    ck_shows(DURATION "_count{" CALL_LABELS "} 1");
    ck_shows(DURATION "_count{" CALL_LABELS ",error_type=\"TIMEOUT\"} 1");
}
END_TEST

START_TEST(a_method_nobody_knows_is_other)
{
    operate(NULL, NULL, "NOT_FOUND", 1);
    ck_shows(DURATION "_count{mcp_method_name=\"_other\","
                      "mcp_protocol_version=\"2026-07-28\","
                      "network_transport=\"tcp\",error_type=\"NOT_FOUND\"} 1");
}
END_TEST

START_TEST(values_of_labels_are_escaped)
{
    operate("a\"b\\c\nd", NULL, NULL, 1);
    ck_assert_ptr_nonnull(
        strstr(show(), "mcp_method_name=\"a\\\"b\\\\c\\nd\""));
}
END_TEST

START_TEST(series_are_bounded_and_none_is_lost)
{
    char tool[16];

    for (int i = 0; i < 3000; i++) {
        (void)snprintf(tool, sizeof tool, "tool-%d", i);
        operate("tools/call", tool, NULL, 1);
    }
    // 1023 tools, and the place for what found none.
    ck_shows(DURATION "_count{mcp_method_name=\"_other\"} 1977");
}
END_TEST

START_TEST(requests_are_counted_by_status_and_own_codes)
{
    mica_metrics_request(metrics, 200);
    mica_metrics_request(metrics, 200);
    mica_metrics_refused(metrics, "AUTHOR_S_OWN");
    mica_metrics_request(metrics, 403);
    mica_metrics_refused(metrics, "FORBIDDEN");
    mica_metrics_request(metrics, 403);
    mica_metrics_refused(metrics, "FORBIDDEN");
    ck_shows("mica_http_requests_total{status=\"200\"} 2");
    ck_shows("mica_http_requests_total{status=\"403\"} 2");
    ck_shows("mica_refused_total{code=\"FORBIDDEN\"} 2");
    ck_assert_ptr_null(strstr(show(), "AUTHOR_S_OWN"));
}
END_TEST

static int64_t
read_seven(void *data)
{
    return *(int *)data;
}

START_TEST(gauges_are_read_when_shown)
{
    int value = 7;

    mica_metrics_gauge(metrics, "mica_probe", "A probe.", read_seven, &value);
    mica_metrics_gauge(metrics, "mica_probe_total", "Counts.", read_seven,
                       &value);
    ck_shows("# TYPE mica_probe gauge\nmica_probe 7");
    ck_shows("# TYPE mica_probe_total counter\nmica_probe_total 7");
    value = 8;
    ck_shows("mica_probe 8");
}
END_TEST

START_TEST(the_process_shows_its_memory_and_time)
{
    const char *line = strstr(show(), "\nprocess_resident_memory_bytes ");

    ck_assert_ptr_nonnull(line);
    ck_assert(strtod(line + 31, NULL) > 100000);
    ck_assert_ptr_nonnull(strstr(shown, "\nprocess_cpu_seconds_total "));
    ck_assert_ptr_nonnull(strstr(shown, "\nprocess_start_time_seconds "));
}
END_TEST

static void *
operate_often(void *data)
{
    (void)data;
    for (int i = 0; i < 10000; i++) {
        operate("tools/call", "hash", NULL, 1000);
        mica_metrics_request(metrics, 200);
    }
    return NULL;
}

START_TEST(many_threads_lose_no_count)
{
    pthread_t threads[4];

    for (size_t i = 0; i < MICA_COUNT(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, operate_often, NULL),
                         0);
    (void)show();
    for (size_t i = 0; i < MICA_COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    ck_shows(DURATION "_count{" CALL_LABELS "} 40000");
    ck_shows("mica_http_requests_total{status=\"200\"} 40000");
}
END_TEST

// ---- The listener ----------------------------------------------------------------

START_TEST(the_listener_serves_metrics_and_nothing_else)
{
    struct mica_scrape *scrape;
    struct mica_error error;
    unsigned port;
    const char *reply;

    operate("tools/call", "hash", NULL, 1);
    ck_assert_msg(mica_scrape_open(metrics, "127.0.0.1:0", &error, &scrape,
                                   &port) == MICA_OK,
                  "%s", error.message);
    reply = ask_port(port, GET("/metrics", "localhost"));
    ck_assert_ptr_nonnull(strstr(reply, "HTTP/1.1 200 "));
    ck_assert_ptr_nonnull(strstr(reply, "text/plain; version=0.0.4"));
    ck_assert_ptr_nonnull(strstr(reply, DURATION "_count{" CALL_LABELS "} 1"));
    ck_assert_ptr_nonnull(strstr(
        ask_port(port, GET("/metrics", "evil.example")), "HTTP/1.1 403 "));
    ck_assert_ptr_nonnull(strstr(
        ask_port(port, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nOrigin: "
                       "http://evil.example\r\nConnection: close\r\n\r\n"),
        "HTTP/1.1 403 "));
    ck_assert_ptr_nonnull(
        strstr(ask_port(port, GET("/", "localhost")), "HTTP/1.1 404 "));
    ck_assert_ptr_nonnull(strstr(
        ask_port(port, "POST /metrics HTTP/1.1\r\nHost: localhost\r\n"
                       "Content-Length: 2\r\nConnection: close\r\n\r\n{}"),
        "HTTP/1.1 405 "));
    mica_scrape_close(&scrape);
    mica_scrape_close(&scrape);
}
END_TEST

START_TEST(the_listener_is_on_the_loopback_only)
{
    struct mica_scrape *scrape;
    struct mica_error error;
    unsigned port;

    ck_assert_int_eq(
        mica_scrape_open(metrics, "0.0.0.0:0", &error, &scrape, &port),
        MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "loopback"));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("metrics");
    TCase *group = tcase_create("metrics");
    SRunner *srunner;
    int failed;

    tcase_add_checked_fixture(group, open_metrics, close_metrics);
    tcase_add_test(group, an_operation_falls_into_the_buckets_above_it);
    tcase_add_test(group, a_failure_is_a_series_of_its_own);
    tcase_add_test(group, a_method_nobody_knows_is_other);
    tcase_add_test(group, values_of_labels_are_escaped);
    tcase_add_test(group, series_are_bounded_and_none_is_lost);
    tcase_add_test(group, requests_are_counted_by_status_and_own_codes);
    tcase_add_test(group, gauges_are_read_when_shown);
    tcase_add_test(group, the_process_shows_its_memory_and_time);
    tcase_add_test(group, many_threads_lose_no_count);
    tcase_add_test(group, the_listener_serves_metrics_and_nothing_else);
    tcase_add_test(group, the_listener_is_on_the_loopback_only);
    suite_add_tcase(suite, group);
    srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
