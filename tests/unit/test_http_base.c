// SPDX-License-Identifier: Apache-2.0
//
// A server behind a base path: it answers there and without it, and what it writes
// has the base path. Behind real proxies it is of tests/wire/prefixes.py.
#include "http_host.h"

#define BASE "/tools/x"

static struct response r;

static unsigned
ask(const char *method, const char *target, const char *header)
{
    char text[1024];

    (void)snprintf(text, sizeof text,
                   "%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", method,
                   target, header);
    once(text, &r);
    return r.status;
}

static bool
says(const char *part)
{
    return strstr(r.text, part) != NULL;
}

static void
start_at(const char *base, const char *url)
{
    start_with((struct mica_http_options){
        .quiet = true, .base_path = base, .public_url = url});
}

START_TEST(a_path_is_answered_with_and_without_its_base)
{
    static const char *const bases[] = {"", BASE, "http://localhost",
                                        "http://localhost" BASE};
    char target[128];

    start_at(BASE, NULL);
    for (size_t i = 0; i < MICA_COUNT(bases); i++) {
        (void)snprintf(target, sizeof target, "%s/healthz", bases[i]);
        ck_assert_uint_eq(ask("GET", target, ""), 200);
        ck_assert(says("\"status\":\"ok\""));
        (void)snprintf(target, sizeof target, "%s/web/page.js", bases[i]);
        ck_assert_uint_eq(ask("GET", target, ""), 200);
        (void)snprintf(target, sizeof target, "%s/mcp", bases[i]);
        ck_assert_uint_eq(ask("GET", target, ""), 400);
        ck_assert(says("\"jsonrpc\":\"2.0\""));
        (void)snprintf(target, sizeof target, "%s/nothing", bases[i]);
        ck_assert_uint_eq(ask("GET", target, ""), 404);
        ck_assert(says("the MCP endpoint is " BASE "/mcp"));
        ck_assert(says("\"type\":\"" BASE "/api/errors/NOT_FOUND\""));
        (void)snprintf(target, sizeof target, "%s/healthz", bases[i]);
        ck_assert_uint_eq(ask("PUT", target, ""), 405);
        ck_assert(says(BASE "/healthz answers GET and HEAD only"));
    }
    stop();
}
END_TEST

START_TEST(what_only_looks_like_the_base_is_not_taken_off)
{
    static const char *const targets[] = {
        BASE BASE "/healthz", "/tools/xhealthz", BASE "//healthz",
        BASE "/../healthz",   BASE "/./healthz", "/TOOLS/x/healthz",
        "/" BASE "/healthz"};

    start_at(BASE, NULL);
    for (size_t i = 0; i < MICA_COUNT(targets); i++)
        ck_assert_msg(ask("GET", targets[i], "") == 404, "%s: %s", targets[i],
                      r.text);
    stop();
    start(); // without a base path none is taken off
    ck_assert_uint_eq(ask("GET", BASE "/healthz", ""), 404);
    stop();
}
END_TEST

START_TEST(the_base_itself_leads_to_the_front_page)
{
    start_at(BASE, NULL);
    ck_assert_uint_eq(ask("GET", BASE, ""), 307);
    ck_assert(says("\r\nLocation: " BASE "/\r\n"));
    ck_assert_uint_eq(ask("HEAD", BASE "?q=a&b=%20", ""), 307);
    ck_assert(says("\r\nLocation: " BASE "/?q=a&b=%20\r\n"));
    ck_assert_uint_eq(ask("POST", BASE, "Content-Length: 0\r\n"), 405);
    ck_assert_uint_eq(ask("GET", BASE "/", ""), 200);
    ck_assert(says("<code>" BASE "/api/TOOL</code>"));
    ck_assert(says("<span data-endpoint>http://localhost" BASE "/mcp<"));
    stop();
    // Where no page is there is nothing.
    start_with((struct mica_http_options){
        .quiet = true, .pages_off = true, .base_path = BASE});
    ck_assert_uint_eq(ask("GET", BASE, ""), 404);
    ck_assert_uint_eq(ask("GET", BASE "/", ""), 404);
    stop();
}
END_TEST

START_TEST(rest_has_the_base_in_its_addresses)
{
    start_at(BASE, NULL);
    ck_assert_uint_eq(ask("GET", "/api", ""), 200);
    ck_assert(says("\"call\":\"" BASE "/api/"));
    ck_assert(says("\"describedby\":\"" BASE "/openapi.json\""));
    ck_assert_uint_eq(ask("GET", BASE "/openapi.json", ""), 200);
    ck_assert(says("\"servers\":[{\"url\":\"" BASE "\"}]"));
    ck_assert_uint_eq(ask("GET", BASE "/api/a/b/c", ""), 404);
    ck_assert(says("GET " BASE "/api lists the tools, and " BASE
                   "/openapi.json describes"));
    ck_assert_uint_eq(ask("GET", BASE "/api/nothing", ""), 404);
    ck_assert(says("GET " BASE "/api names all"));
    ck_assert_uint_eq(ask("POST", BASE "/api", "Content-Length: 0\r\n"), 405);
    ck_assert(says("POST goes to " BASE "/api/NAME"));
    ck_assert_uint_eq(ask("GET", BASE "/api?before=x", ""), 422);
    ck_assert(says("\"type\":\"" BASE "/api/errors/UNKNOWN_FIELD\""));
    stop();
}
END_TEST

START_TEST(a_public_url_is_in_whole_addresses)
{
    start_at(NULL, "https://example.org" BASE);
    ck_assert_uint_eq(ask("GET", BASE "/openapi.json", ""), 200);
    ck_assert(says("\"servers\":[{\"url\":\"https://example.org" BASE "\"}]"));
    ck_assert_uint_eq(ask("GET", "/", ""), 200);
    ck_assert(
        says("<span data-endpoint=\"known\">https://example.org" BASE "/mcp<"));
    stop();
    // A proxy may ask for another path than it shows.
    start_at("/inner", "https://example.org:8443/outer");
    ck_assert_uint_eq(ask("GET", "/inner/api", ""), 200);
    ck_assert(says("\"call\":\"/outer/api/"));
    ck_assert_uint_eq(ask("GET", "/inner/openapi.json", ""), 200);
    ck_assert(says("\"url\":\"https://example.org:8443/outer\""));
    ck_assert_uint_eq(ask("GET", "/inner", ""), 307);
    ck_assert(says("\r\nLocation: /outer/\r\n"));
    ck_assert_uint_eq(ask("GET", "/outer/api", ""), 404);
    stop();
    start_at(NULL, "https://example.org/");
    ck_assert_uint_eq(ask("GET", "/openapi.json", ""), 200);
    ck_assert(says("\"url\":\"https://example.org\""));
    stop();
}
END_TEST

// Before a route is found, too.
START_TEST(a_refusal_of_the_guard_is_of_the_route_behind_the_base)
{
    start_at(BASE, NULL);
    ck_assert_uint_eq(ask("POST", BASE "/mcp", "Length : 5\r\n"), 400);
    ck_assert(says("\"jsonrpc\":\"2.0\""));
    ck_assert_uint_eq(ask("GET", BASE "/api", "Length : 5\r\n"), 400);
    ck_assert(says("\"type\":\"" BASE "/api/errors/"));
    stop();
}
END_TEST

START_TEST(a_base_that_is_a_path_of_the_server_is_refused)
{
    static const char *const bases[] = {
        "/mcp",   "/mcp/x",       "/api",          "/api/calls",
        "/tools", "/tools/echo",  "/tools/echo/x", "/api/echo",
        "/web/x", "/engines/x",   "/calls/x",      "/.well-known/x",
        "/sse",   "/healthz",     "/dev/x",        "/sw.js",
        "/x/",    "/api/errors/x"};

    host.server = fixture_open(64 * 1024);
    for (size_t i = 0; i < MICA_COUNT(bases); i++) {
        ck_assert_msg(!server_listens((struct mica_http_options){
                          .quiet = true, .base_path = bases[i]}),
                      "%s", bases[i]);
        ck_assert_int_eq(host.status, MICA_E_USAGE);
        ck_assert_ptr_nonnull(strstr(host.error.message, bases[i]));
    }
    start_server(
        (struct mica_http_options){.quiet = true, .base_path = "/api/nothing"});
    ck_assert_uint_eq(ask("GET", "/api/nothing/healthz", ""), 200);
    stop();
}
END_TEST

UNIT_MAIN("http_base", a_path_is_answered_with_and_without_its_base,
          what_only_looks_like_the_base_is_not_taken_off,
          the_base_itself_leads_to_the_front_page,
          rest_has_the_base_in_its_addresses,
          a_public_url_is_in_whole_addresses,
          a_refusal_of_the_guard_is_of_the_route_behind_the_base,
          a_base_that_is_a_path_of_the_server_is_refused)
