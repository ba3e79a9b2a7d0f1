// SPDX-License-Identifier: Apache-2.0
//
// The sandbox of views over HTTP: names below localhost have it and nothing else, and
// other names have all but it.
#include "http_host.h"

#define CLOSED                                                          \
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src " \
    "'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' "   \
    "data:; object-src 'none'; connect-src 'none'"

static struct response r;

static unsigned
ask(const char *line, const char *name)
{
    char text[2048];

    (void)snprintf(text, sizeof text, "%s HTTP/1.1\r\nHost: %s\r\n\r\n", line,
                   name);
    once(text, &r);
    return r.status;
}

static bool
has(const char *text)
{
    return strstr(r.text, text) != NULL;
}

static void
start_sandbox(void)
{
    start_with((struct mica_http_options){.quiet = true,
                                          .host_page = MICA_HOST_PAGE_LOCAL});
}

START_TEST(a_name_below_localhost_has_the_sandbox)
{
    start_sandbox();
    ck_assert_uint_eq(ask("GET /sandbox", "k3v9x1q7.localhost:8080"), 200);
    ck_assert(has("\r\nContent-Type: text/html; charset=utf-8\r\n"));
    ck_assert(has("\r\nCache-Control: no-store\r\n"));
    ck_assert(has("\r\nReferrer-Policy: no-referrer\r\n"));
    ck_assert(has("\r\nContent-Security-Policy: " CLOSED
                  ", frame-ancestors http://localhost:8080 "
                  "http://127.0.0.1:8080\r\n"));
    ck_assert(has("ui/notifications/sandbox-proxy-ready"));
    ck_assert(!has("@SCRIPT@"));
    ck_assert(has("</script>\n</body>\n</html>\n"));
    ck_assert_uint_eq(ask("GET /sandbox", "k3v9x1q7.localhost"), 200);
    ck_assert(has("frame-ancestors http://localhost http://127.0.0.1\r\n"));
    ck_assert_uint_eq(ask("POST /sandbox", "k3v9x1q7.localhost"), 405);
    stop();
}
END_TEST

START_TEST(such_a_name_has_nothing_else)
{
    static const char *const lines[] = {
        "GET /",
        "GET /mcp",
        "DELETE /mcp",
        "GET /api",
        "GET /api/echo",
        "GET /openapi.json",
        "GET /healthz",
        "GET /tools/echo",
        "GET /web/page.js",
        "GET /web/proxy.js",
        "GET /web/proxy.html",
        "GET /favicon.ico",
        "GET /sw.js",
        "GET /.well-known/oauth-protected-resource",
        "GET /sandbox/",
        "GET /sandbox/x",
        "GET /Sandbox",
        "GET /other"};
    char call[512];

    start_with((struct mica_http_options){
        .quiet = true,
        .host_page = MICA_HOST_PAGE_LOCAL,
        .allowed_hosts = (const char *const[]){"*", NULL}});
    for (size_t i = 0; i < MICA_COUNT(lines); i++) {
        ck_assert_msg(ask(lines[i], "k3v9x1q7.localhost:8080") == 404, "%s: %u",
                      lines[i], r.status);
        ck_assert(has("at /sandbox, and no more"));
    }
    (void)snprintf(call, sizeof call,
                   "POST /api/echo HTTP/1.1\r\nHost: k3v9x1q7.localhost\r\n"
                   "Content-Type: application/json\r\nContent-Length: "
                   "2\r\n\r\n{}");
    once(call, &r);
    ck_assert_uint_eq(r.status, 404);
    stop();
}
END_TEST

START_TEST(other_names_have_no_sandbox)
{
    static const char *const refused[] = {
        "short.localhost",        "a.k3v9x1q7.localhost",
        "K3V9X1Q7.localhost",     "k3v9x1q7.localhost.example",
        "k3v9x1q7_.localhost",    "k3v9x1q7.localhost:",
        "k3v9x1q7.localhost:80a", "k3v9x1q7.Localhost",
        "k3v9x1q7.localhost.",    ".localhost",
        "k3v9x1q7.example:8080"};
    char label[80];

    start_sandbox();
    for (size_t i = 0; i < MICA_COUNT(refused); i++)
        ck_assert_msg(ask("GET /sandbox", refused[i]) == 403, "%s: %u",
                      refused[i], r.status);
    memset(label, 'a', 64);
    memcpy(label + 64, ".localhost", 11);
    ck_assert_uint_eq(ask("GET /sandbox", label), 403);
    ck_assert_uint_eq(ask("GET /sandbox", label + 1), 200);
    ck_assert_uint_eq(ask("GET /sandbox", "localhost"), 404);
    ck_assert_uint_eq(ask("GET /sandbox", "127.0.0.1:8080"), 404);
    ck_assert_uint_eq(ask("GET /healthz", "localhost"), 200);
    stop();
}
END_TEST

START_TEST(without_a_host_page_there_is_no_such_name)
{
    start();
    ck_assert_uint_eq(ask("GET /sandbox", "k3v9x1q7.localhost"), 403);
    ck_assert_uint_eq(ask("GET /healthz", "k3v9x1q7.localhost"), 403);
    stop();
}
END_TEST

START_TEST(no_page_of_a_sandbox_may_call_the_server)
{
    char text[512];

    start_sandbox();
    (void)snprintf(text, sizeof text,
                   "GET /api HTTP/1.1\r\nHost: localhost\r\nOrigin: "
                   "http://k3v9x1q7.localhost:%d\r\n\r\n",
                   atomic_load(&host.port));
    once(text, &r);
    ck_assert_uint_eq(r.status, 403);
    ck_assert(has("pages of that Origin may not call"));
    stop();
}
END_TEST

START_TEST(the_policy_is_that_of_the_declaration)
{
    start_sandbox();
    ck_assert_uint_eq(
        ask("GET /sandbox?csp=%7B%22connectDomains%22%3A%5B%22https%3A%2F%2F"
            "api.example.com%22%5D%7D",
            "k3v9x1q7.localhost:8080"),
        200);
    ck_assert(has("; connect-src 'self' https://api.example.com; frame-src "
                  "'none'; object-src 'none'; base-uri 'self', "
                  "frame-ancestors http://localhost:8080"));
    stop();
}
END_TEST

START_TEST(a_view_may_have_a_name_beside_that_of_its_proxy)
{
    start_sandbox();
    ck_assert_uint_eq(
        ask("GET /sandbox?view=m4w8z2r6", "k3v9x1q7.localhost:8080"), 200);
    ck_assert(has("\r\nContent-Security-Policy: default-src 'none'; script-src "
                  "'unsafe-inline'; style-src 'unsafe-inline'; frame-src "
                  "http://m4w8z2r6.localhost:8080; base-uri 'none'; "
                  "form-action 'none', frame-ancestors http://localhost:8080 "
                  "http://127.0.0.1:8080\r\n"));
    ck_assert(has("sandbox-proxy-ready"));
    ck_assert_uint_eq(
        ask("GET /sandbox?proxy=k3v9x1q7", "m4w8z2r6.localhost:8080"), 200);
    ck_assert(has("\r\nContent-Security-Policy: " CLOSED
                  ", frame-ancestors http://localhost:8080 "
                  "http://127.0.0.1:8080 http://k3v9x1q7.localhost:8080\r\n"));
    ck_assert(!has("sandbox-proxy-ready") && has("document.write"));
    ck_assert_uint_eq(ask("GET /sandbox?proxy=k3v9x1q7", "m4w8z2r6.localhost"),
                      200);
    ck_assert(has(" http://k3v9x1q7.localhost\r\n"));
    stop();
}
END_TEST

START_TEST(a_declaration_that_widens_the_policy_is_refused)
{
    static const struct {
        const char *query, *says;
    } wrong[] = {
        {"csp=%7B%22connectDomains%22%3A%5B%22*%22%5D%7D",
         "connectDomains: '*'"},
        {"csp=%7B%22connectDomains%22%3A%5B%22https://a.example;x%22%5D%7D",
         "connectDomains: 'https://a.example;x'"},
        {"csp=%7B%22frameDomains%22%3A%5B%22http://localhost:8080%22%5D%7D",
         "the host's own origin http://127.0.0.1:8080"},
        {"csp=%7B%22frameDomains%22%3A%5B%22https://mica.example%22%5D%7D",
         "the host's own origin https://mica.example"},
        {"csp=%7B%22frameDomains%22%3A%5B%22https://other.example%22%5D%7D",
         "the host's own origin https://other.example"},
        {"view=*", "8 to 63 of a-z, 0-9 and -"},
        {"view=", "8 to 63"},
        {"view=m4w8z2r6.localhost", "8 to 63"},
        {"view=m4w8z2r6%3B%20frame-src%20*", "8 to 63"},
        {"proxy=M4W8Z2R6", "8 to 63"},
        {"proxy=m4w8z2r6%20*", "8 to 63"},
        {"csp=%5B%5D", "csp is no object"},
        {"csp=%7B", "line 1"},
        {"csp=%zz", "%"}};
    char line[256];

    start_with((struct mica_http_options){
        .quiet = true,
        .host_page = MICA_HOST_PAGE_LOCAL,
        .public_url = "https://other.example",
        .allowed_hosts = (const char *const[]){"mica.example", NULL}});
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        (void)snprintf(line, sizeof line, "GET /sandbox?%s", wrong[i].query);
        ck_assert_msg(ask(line, "k3v9x1q7.localhost:8080") == 400, "%s: %s",
                      line, r.text);
        ck_assert_msg(has(wrong[i].says), "%s: %s", line, r.text);
        ck_assert(!has("sandbox-proxy-ready"));
    }
    stop();
}
END_TEST

// ---- The page that hosts views -----------------------------------------------------

START_TEST(the_host_page_has_frames_of_its_sandboxes_alone)
{
    static const struct {
        const char *host, *frames;
    } names[] = {{"localhost:8080", "; frame-src http://*.localhost:8080; "},
                 {"127.0.0.1:9000", "; frame-src http://*.localhost:9000; "},
                 {"LOCALHOST", "; frame-src http://*.localhost; "}};

    start_sandbox();
    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        ck_assert_uint_eq(ask("GET /host", names[i].host), 200);
        ck_assert(has("\r\nContent-Security-Policy: default-src 'none'; "
                      "script-src 'self'; style-src 'self'; "));
        ck_assert_msg(has(names[i].frames), "%s", r.text);
        ck_assert(has("; base-uri 'none'; frame-ancestors 'none'\r\n"));
        ck_assert(has("\r\nCross-Origin-Opener-Policy: same-origin\r\n"));
        ck_assert(has("<dialog id=\"consent\""));
        ck_assert(has("src=\"./web/page.js?v="));
    }
    ck_assert_uint_eq(ask("GET /", "localhost:8080"), 200);
    ck_assert(has("<a href=\"./host\">Host</a>"));
    ck_assert_uint_eq(ask("POST /host", "localhost"), 405);
    ck_assert_uint_eq(ask("GET /host/other", "localhost"), 404);
    ck_assert_uint_eq(ask("GET /web/hostpage/page.js", "localhost"), 200);
    ck_assert_uint_eq(ask("GET /web/host/bridge.js", "localhost"), 200);
    ck_assert_uint_eq(ask("GET /web/view/peer.js", "localhost"), 200);
    ck_assert_uint_eq(ask("GET /web/host/proxy.js", "localhost"), 404);
    stop();
}
END_TEST

START_TEST(the_host_page_opens_under_names_that_sandboxes_admit)
{
    static const char *const others[] = {"mica.example", "[::1]:8080",
                                         "mica.example:8080"};

    start_with((struct mica_http_options){
        .quiet = true,
        .host_page = MICA_HOST_PAGE_LOCAL,
        .allowed_hosts = (const char *const[]){"mica.example", NULL}});
    for (size_t i = 0; i < MICA_COUNT(others); i++) {
        ck_assert_msg(ask("GET /host", others[i]) == 403, "%s: %u", others[i],
                      r.status);
        ck_assert(has("localhost or 127.0.0.1 alone"));
        ck_assert_uint_eq(ask("GET /", others[i]), 200);
        ck_assert(!has("href=\"./host\""));
    }
    ck_assert_uint_eq(ask("GET /host", "k3v9x1q7.localhost:8080"), 404);
    ck_assert_uint_eq(ask("GET /host/rpc", "k3v9x1q7.localhost:8080"), 404);
    stop();
}
END_TEST

START_TEST(a_server_that_hosts_nothing_has_no_host_page)
{
    start();
    ck_assert_uint_eq(ask("GET /host", "localhost"), 404);
    ck_assert_uint_eq(ask("POST /host/rpc", "localhost"), 404);
    ck_assert_uint_eq(ask("GET /", "localhost"), 200);
    ck_assert(!has("href=\"./host\""));
    stop();
    start_with((struct mica_http_options){
        .quiet = true, .pages_off = true, .host_page = MICA_HOST_PAGE_LOCAL});
    ck_assert_uint_eq(ask("GET /host", "localhost"), 404);
    ck_assert_uint_eq(ask("GET /sandbox", "k3v9x1q7.localhost"), 200);
    stop();
}
END_TEST

UNIT_MAIN("http sandbox", a_name_below_localhost_has_the_sandbox,
          such_a_name_has_nothing_else, other_names_have_no_sandbox,
          without_a_host_page_there_is_no_such_name,
          no_page_of_a_sandbox_may_call_the_server,
          the_policy_is_that_of_the_declaration,
          a_view_may_have_a_name_beside_that_of_its_proxy,
          a_declaration_that_widens_the_policy_is_refused,
          the_host_page_has_frames_of_its_sandboxes_alone,
          the_host_page_opens_under_names_that_sandboxes_admit,
          a_server_that_hosts_nothing_has_no_host_page)
