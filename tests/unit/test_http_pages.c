// SPDX-License-Identifier: Apache-2.0
//
// What browsers get, over HTTP: the tags of files and who may keep them, codings,
// and pages and forms that are not there. What is on a page is of test_page.c.
#include "http_host.h"

#include "page/assets.h"

static struct response r;

static unsigned
get(const char *path, const char *header)
{
    char text[1024];

    (void)snprintf(text, sizeof text,
                   "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", path,
                   header);
    once(text, &r);
    return r.status;
}

static bool
has(const char *line)
{
    return strstr(r.text, line) != NULL;
}

// The tag of the last response, with its quotes.
static const char *
tag(void)
{
    static char text[80];
    const char *at = strstr(r.text, "\r\nETag: ");

    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at + 8, "%79[^\r]", text), 1);
    return text;
}

START_TEST(a_file_that_the_client_has_is_not_sent_again)
{
    static const char *const forms[] = {
        "If-None-Match: %s\r\n", "If-None-Match: W/%s\r\n",
        "If-None-Match: \"x\", %s\r\n",
        "If-None-Match: \"x\"\r\nIf-None-Match: %s\r\n",
        "If-None-Match: *\r\n"};
    char first[80], header[256], length[64];

    start();
    ck_assert_uint_eq(get("/web/page.js", ""), 200);
    (void)snprintf(first, sizeof first, "%s", tag());
    (void)snprintf(length, sizeof length, "\r\nContent-Length: %zu\r\n",
                   strlen(r.body));
    for (size_t i = 0; i < MICA_COUNT(forms); i++) {
        const char *at_tag = strstr(forms[i], "%s");
        if (at_tag == NULL)
            (void)snprintf(header, sizeof header, "%s", forms[i]);
        else
            (void)snprintf(header, sizeof header, "%.*s%s%s",
                           (int)(at_tag - forms[i]), forms[i], first,
                           at_tag + 2);
        ck_assert_msg(get("/web/page.js", header) == 304, "%s", header);
        ck_assert_str_eq(tag(), first);
        // RFC 9110, 8.6: that of the 200 that it stands for, or none.
        ck_assert_msg(has(length), "%s", r.text);
    }
    ck_assert_uint_eq(get("/web/page.js", "If-None-Match: \"x\"\r\n"), 200);
    stop();
}
END_TEST

START_TEST(a_coding_is_used_for_who_wants_it)
{
    static const struct {
        const char *header;
        bool gzip;
    } cases[] = {{"", false},
                 {"Accept-Encoding: gzip\r\n", true},
                 {"Accept-Encoding: br, GZIP ;q=0.5\r\n", true},
                 {"Accept-Encoding: br\r\nAccept-Encoding: gzip\r\n", true},
                 {"Accept-Encoding: gzip;q=0\r\n", false},
                 {"Accept-Encoding: gzip; q=0.000\r\n", false},
                 {"Accept-Encoding: gzip;q=0.001\r\n", true},
                 {"Accept-Encoding: x-gzip-not\r\n", false}};

    start();
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        ck_assert_uint_eq(get("/web/page.js", cases[i].header), 200);
        ck_assert_msg(has("\r\nContent-Encoding: gzip\r\n") == cases[i].gzip,
                      "%s", cases[i].header);
        ck_assert(has("\r\nVary: Accept-Encoding\r\n"));
    }
    stop();
}
END_TEST

// RFC 9112, 3.2.2.
START_TEST(a_target_may_name_the_host_that_it_is_of)
{
    start();
    ck_assert_uint_eq(get("http://localhost/healthz", ""), 200);
    ck_assert_uint_eq(get("https://127.0.0.1:80/api?after=x", ""), 404);
    ck_assert(has("There is no tool of that name"));
    ck_assert_uint_eq(get("http://localhost", ""), 200);
    ck_assert(has("<!doctype html>"));
    ck_assert_uint_eq(get("http://evil.example/healthz", ""), 403);
    ck_assert_uint_eq(get("http:///healthz", ""), 403);
    ck_assert_uint_eq(get("http://", ""), 404);
    ck_assert_uint_eq(get("ftp://localhost/healthz", ""), 404);
    stop();
}
END_TEST

#define BROWSER "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"

START_TEST(a_refusal_is_a_page_for_browsers_alone)
{
    static const char *const paths[] = {"/nothing", "/tools/ech",
                                        "/api/nothing", "/calls/a/b",
                                        "/engines/no.js"};
    static const char *const programs[] = {"", "Accept: */*\r\n",
                                           "Accept: application/json\r\n",
                                           "Accept: text/html;q=0, */*\r\n"};

    start();
    for (size_t i = 0; i < MICA_COUNT(paths); i++) {
        ck_assert_uint_eq(get(paths[i], BROWSER), 404);
        ck_assert_msg(has("\r\nContent-Type: text/html; charset=utf-8\r\n"),
                      "%s", paths[i]);
        ck_assert(has("\r\nContent-Security-Policy: default-src 'none'"));
        ck_assert(has("\r\nVary: Accept\r\n"));
        ck_assert(has("<code>NOT_FOUND</code>"));
        for (size_t k = 0; k < MICA_COUNT(programs); k++) {
            ck_assert_uint_eq(get(paths[i], programs[k]), 404);
            ck_assert_msg(has("\r\nContent-Type: application/problem+json\r\n"),
                          "%s, %s", paths[i], programs[k]);
            ck_assert(has("\"code\":\"NOT_FOUND\""));
        }
    }
    // A program that wants HTML alone gets the problem, too; REST has no HTML.
    ck_assert_uint_eq(get("/nothing", "Accept: text/html\r\n"), 404);
    ck_assert(has("\r\nContent-Type: application/problem+json\r\n"));
    ck_assert_uint_eq(get("/api/nothing", "Accept: text/html\r\n"), 406);
    ck_assert(has("\"code\":\"NOT_ACCEPTABLE\""));
    ck_assert_uint_eq(get("/tools/ech", BROWSER), 404);
    ck_assert(has("Did you mean <a href=\"../tools/echo\">"));
    ck_assert_uint_eq(get("/mcp", BROWSER), 400);
    ck_assert(has("<h1>This address is for MCP clients</h1>"));
    ck_assert(has("href=\"./#connect\""));
    ck_assert(has("<code>MISSING_FIELD</code>"));
    ck_assert_uint_eq(get("/mcp", ""), 400);
    ck_assert(has("\"jsonrpc\":\"2.0\""));
    ck_assert_uint_eq(get("/api/echo", BROWSER), 405);
    ck_assert(has("\r\nAllow: "));
    ck_assert(has("<code>METHOD_NOT_ALLOWED</code>"));
    stop();
}
END_TEST

START_TEST(a_page_of_a_call_has_one_name_below_it)
{
    start();
    ck_assert_uint_eq(get("/calls/AAAAAAAAAAAAAAAAAAAAAA", ""), 200);
    ck_assert(has("\r\nReferrer-Policy: no-referrer\r\n"));
    ck_assert_uint_eq(get("/calls", ""), 404);
    ck_assert_uint_eq(get("/calls/", ""), 404);
    ck_assert_uint_eq(get("/calls/a/b", ""), 404);
    stop();
}
END_TEST

START_TEST(what_is_no_id_of_a_call_has_no_page)
{
    start();
    ck_assert_uint_eq(get("/calls/nosuchid", BROWSER), 404);
    ck_assert(has("<code>NOT_FOUND</code>"));
    ck_assert_uint_eq(get("/calls/nosuchid", ""), 404);
    ck_assert(has("application/problem+json"));
    ck_assert_uint_eq(get("/calls/AAAAAAAAAAAAAAAAAAAAA", ""), 404);
    ck_assert_uint_eq(get("/calls/AAAAAAAAAAAAAAAAAAAAAAA", ""), 404);
    ck_assert_uint_eq(get("/calls/AAAAAAAAAAAAAAAAAAAA.A", ""), 404);
    stop();
}
END_TEST

// A proxy may show the server below a prefix that it strips: so no page, and no
// module of a page, names an address by its whole path.
START_TEST(a_page_finds_the_root_from_where_it_is)
{
    static const struct {
        const char *path, *root;
        unsigned status;
    } cases[] = {{"/", "./", 200},
                 {"/?q=a/b", "./", 200},
                 {"/tools/echo", "../", 200},
                 {"/tools/echo?a=/b/c", "../", 200},
                 {"/tools/nothing", "../", 404},
                 {"/tools/nothing/", "../../", 404},
                 {"/tools/a/b/c", "../../../", 404},
                 {"/calls/AAAAAAAAAAAAAAAAAAAAAA", "../", 200},
                 {"/calls/a/b", "../../", 404}};
    char expected[64];

    start();
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        ck_assert_msg(get(cases[i].path, BROWSER) == cases[i].status, "%s",
                      cases[i].path);
        (void)snprintf(expected, sizeof expected,
                       " src=\"%sweb/page.js?v=", cases[i].root);
        ck_assert_msg(strstr(r.body, expected) != NULL, "%s", cases[i].path);
        (void)snprintf(expected, sizeof expected, " href=\"%s\">",
                       cases[i].root);
        ck_assert_msg(strstr(r.body, expected) != NULL, "%s", cases[i].path);
        ck_assert_msg(strstr(r.body, "=\"/") == NULL, "%s", cases[i].path);
    }
    stop();
}
END_TEST

static bool
is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

// Whether the code has an address in quotes that begins with "/": behind it stands a
// name, which tells it from a "/" to split at and from the end of a pattern.
static bool
names_whole_path(struct mica_text code, char quote)
{
    for (size_t i = 0; i + 3 < code.len; i++)
        if (code.ptr[i] == quote && code.ptr[i + 1] == '/' &&
            (code.ptr[i + 2] == '$' ||
             (is_small(code.ptr[i + 2]) && is_small(code.ptr[i + 3]))))
            return true;
    return false;
}

START_TEST(a_module_of_a_page_names_no_whole_path)
{
    ck_assert(names_whole_path(MICA_LITERAL("get(\"/sw.js\")"), '"'));
    ck_assert(names_whole_path(MICA_LITERAL("get(`/${path}`)"), '`'));
    ck_assert(!names_whole_path(MICA_LITERAL("path.split(\"/\")"), '"'));
    for (size_t i = 0; i < mica_page_assets.count; i++) {
        const struct mica_asset *asset = &mica_page_assets.items[i];
        ck_assert_msg(!names_whole_path(asset->bytes, '"') &&
                          !names_whole_path(asset->bytes, '`'),
                      "%s", asset->name);
        ck_assert_msg(memmem(asset->bytes.ptr, asset->bytes.len,
                             "location.origin}", 16) == NULL,
                      "%s", asset->name);
    }
}
END_TEST

static void
ask_form(size_t fields)
{
    static char body[60 * 1024], text[64 * 1024];
    struct mica_buffer out = {
        .ptr = body, .capacity = sizeof body, .max = sizeof body};

    mica_buffer_format(&out, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; i < fields; i++)
        mica_buffer_format(&out, "%s\"f%zu\":{\"type\":\"boolean\"}",
                           i > 0 ? "," : "", i);
    mica_buffer_format(&out, "}}");
    ck_assert(!out.overflow);
    (void)snprintf(
        text, sizeof text,
        "POST /web/form HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
        "application/json\r\nContent-Length: %zu\r\n\r\n%.*s",
        out.len, (int)out.len, body);
    once(text, &r);
}

START_TEST(a_form_that_is_too_large_is_refused_in_words)
{
    struct mica_server *server = fixture_open_with(64 * 1024, 256 * 1024);

    host.server = server;
    start_server((struct mica_http_options){.quiet = true});
    ask_form(3);
    ck_assert_uint_eq(r.status, 200);
    ask_form(1200);
    ck_assert_uint_eq(r.status, 413);
    ck_assert_ptr_nonnull(strstr(r.body, "\"code\":\"LIMIT_EXCEEDED\""));
    stop();
}
END_TEST

UNIT_MAIN("http_pages", a_file_that_the_client_has_is_not_sent_again,
          a_coding_is_used_for_who_wants_it,
          a_target_may_name_the_host_that_it_is_of,
          a_refusal_is_a_page_for_browsers_alone,
          a_page_of_a_call_has_one_name_below_it,
          what_is_no_id_of_a_call_has_no_page,
          a_page_finds_the_root_from_where_it_is,
          a_module_of_a_page_names_no_whole_path,
          a_form_that_is_too_large_is_refused_in_words)
