// SPDX-License-Identifier: Apache-2.0
//
// The policy of a view: its text, and that no domain adds to it what it was not meant to.
#include "unit.h"

#include <string.h>

#include "view/csp.h"

#define SOURCES "'self' 'unsafe-inline'"

static const struct mica_csp_host public_host = {0};

// The policy, or the message of the refusal; the status goes to *status_out.
static const char *
policy(const struct mica_csp *csp, const struct mica_csp_host *host,
       enum mica_status *status_out)
{
    static char room[2 * MICA_CSP_BYTES];
    static struct mica_error error;
    struct mica_buffer out = {
        .ptr = room, .capacity = sizeof room - 1, .max = sizeof room - 1};

    memset(&error, 0, sizeof error);
    memset(room, 0, sizeof room);
    *status_out = mica_csp_write(csp, host, &out, &error);
    if (*status_out != MICA_OK) {
        ck_assert_uint_eq(out.len, 0);
        ck_assert_int_eq(error.status, *status_out);
        return error.message;
    }
    return room;
}

// That of a view whose connect domains are one domain.
static const char *
policy_of_one(const char *domainz, const struct mica_csp_host *host,
              enum mica_status *status_out)
{
    const struct mica_text domain = mica_text(domainz);
    const struct mica_csp csp = {.declared = true, .connect = {&domain, 1}};

    return policy(&csp, host, status_out);
}

START_TEST(a_view_that_declares_nothing_gets_nothing)
{
    const struct mica_csp csp = {0};
    const struct mica_csp_host wasm = {.wasm = true};
    enum mica_status status;

    ck_assert_str_eq(policy(&csp, &public_host, &status),
                     "default-src 'none'; script-src " SOURCES
                     "; style-src " SOURCES
                     "; img-src 'self' data:; media-src 'self' data:; "
                     "object-src 'none'; connect-src 'none'");
    ck_assert_str_eq(policy(&csp, &wasm, &status),
                     "default-src 'none'; script-src " SOURCES
                     " 'wasm-unsafe-eval'; style-src " SOURCES
                     "; img-src 'self' data:; media-src 'self' data:; "
                     "object-src 'none'; connect-src 'none'");
}
END_TEST

START_TEST(each_list_has_its_directives)
{
    static const struct mica_text connect[] = {
        {"https://api.example.com", 23}, {"wss://live.example.com:8443", 27}};
    static const struct mica_text resource[] = {{"https://*.cdn.example", 21}};
    static const struct mica_text frame[] = {{"https://f.example", 17}};
    static const struct mica_text base[] = {{"https://b.example", 17}};
    const struct mica_csp csp = {.declared = true,
                                 .connect = {connect, 2},
                                 .resource = {resource, 1},
                                 .frame = {frame, 1},
                                 .base_uri = {base, 1}};
    const struct mica_csp empty = {.declared = true};
    enum mica_status status;

    ck_assert_str_eq(
        policy(&csp, &public_host, &status),
        "default-src 'none'; script-src " SOURCES
        " https://*.cdn.example; style-src " SOURCES
        " https://*.cdn.example; img-src 'self' data: https://*.cdn.example; "
        "font-src 'self' https://*.cdn.example; media-src 'self' data: "
        "https://*.cdn.example; connect-src 'self' https://api.example.com "
        "wss://live.example.com:8443; frame-src https://f.example; "
        "object-src 'none'; base-uri https://b.example");
    ck_assert_str_eq(policy(&empty, &public_host, &status),
                     "default-src 'none'; script-src " SOURCES
                     "; style-src " SOURCES
                     "; img-src 'self' data:; font-src 'self'; media-src "
                     "'self' data:; connect-src 'self'; frame-src 'none'; "
                     "object-src 'none'; base-uri 'self'");
}
END_TEST

START_TEST(a_domain_that_would_add_words_is_refused_by_its_name)
{
    static const char *const domains[] = {
        "",
        "*",
        "https://*",
        "https:",
        "https://",
        "'self'",
        "'none'",
        "'unsafe-eval'",
        "'wasm-unsafe-eval'",
        "'strict-dynamic'",
        "'nonce-x'",
        "self",
        "unsafe-eval",
        "data:",
        "blob:",
        "filesystem:",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://a.example",
        "smb://a.example",
        "http://a.example",
        "ws://a.example",
        "a.example",
        "*.a.example",
        "//a.example",
        "https://a.example; script-src 'unsafe-eval'",
        "https://a.example;script-src *",
        "https://a.example https://b.example",
        "https://a.example,https://b.example",
        "https://a.example\tx",
        "https://a.example\nx",
        "https://a.example\r\nSet-Cookie: a=b",
        "https://a.example\v",
        "https://a.example\f",
        "https://a.example'",
        "https://a.example\"",
        "https://a.example<",
        "https://a.example/",
        "https://a.example/path",
        "https://a.example?x",
        "https://a.example#x",
        "https://user@a.example",
        "https://user:password@a.example",
        "https://a.example:*",
        "https://a.example:0",
        "https://a.example:65536",
        "https://a.example:80a",
        "https://a.example:",
        "https://a..example",
        "https://.a.example",
        "https://a.example.",
        "https://-a.example",
        "https://a.*.example",
        "https://*.*.example",
        "https://*a.example",
        "https://*.com",
        "https://a%2eexample.com",
        "https://\xe2\x80\xae"
        "a.example",
        "https://\xd0\xb0.example",
        " https://a.example",
        "https://a.example ",
    };

    for (size_t i = 0; i < MICA_COUNT(domains); i++) {
        enum mica_status status;
        const char *message = policy_of_one(domains[i], &public_host, &status);
        ck_assert_msg(status == MICA_E_FORMAT, "'%s' is allowed: %s",
                      domains[i], message);
        ck_assert_ptr_nonnull(strstr(message, "connectDomains: '"));
    }
}
END_TEST

START_TEST(each_list_is_checked)
{
    const struct mica_text bad = MICA_LITERAL("'unsafe-eval'");
    const struct mica_csp_domains one = {&bad, 1};
    const struct mica_csp views[] = {{.declared = true, .connect = one},
                                     {.declared = true, .resource = one},
                                     {.declared = true, .frame = one},
                                     {.declared = true, .base_uri = one}};
    static const char *const names[] = {"connectDomains", "resourceDomains",
                                        "frameDomains", "baseUriDomains"};

    for (size_t i = 0; i < MICA_COUNT(views); i++) {
        enum mica_status status;
        const char *message = policy(&views[i], &public_host, &status);
        ck_assert_int_eq(status, MICA_E_FORMAT);
        ck_assert_msg(strncmp(message, names[i], strlen(names[i])) == 0 &&
                          strstr(message, "'unsafe-eval''") != NULL,
                      "%s", message);
    }
}
END_TEST

START_TEST(this_machine_is_for_development)
{
    static const char *const domains[] = {
        "http://localhost:3000", "ws://127.0.0.1:3000", "http://[::1]:3000"};
    const struct mica_csp_host development = {.development = true};

    for (size_t i = 0; i < MICA_COUNT(domains); i++) {
        enum mica_status status;
        const char *message = policy_of_one(domains[i], &public_host, &status);
        ck_assert_int_eq(status, MICA_E_FORMAT);
        ck_assert_ptr_nonnull(strstr(message, "in development alone"));
        message = policy_of_one(domains[i], &development, &status);
        ck_assert_msg(status == MICA_OK, "%s", message);
        ck_assert_ptr_nonnull(strstr(message, domains[i]));
    }
}
END_TEST

START_TEST(no_view_reaches_its_host_under_any_name)
{
    static const struct mica_text origins[] = {
        {"http://127.0.0.1:8080", 21}, {"https://Mica.example.com", 24}};
    const struct mica_csp_host host = {
        .origins = origins, .origin_count = 2, .development = true};
    static const char *const own[] = {
        "http://127.0.0.1:8080",  "http://localhost:8080",
        "ws://localhost:8080",    "http://[::1]:8080",
        "https://localhost:8080", "wss://127.0.0.1:8080",
        "https://127.0.0.2:8080", "https://x.localhost:8080",
        "https://0.0.0.0:8080",   "https://mica.example.com",
        "wss://mica.example.com", "https://MICA.example.com:443",
        "https://*.example.com",  "wss://*.example.com:443"};
    static const char *const others[] = {
        "http://localhost:8081",
        "http://localhost",
        "https://mica.example.com:8443",
        "https://*.mica.example.com",
        "https://amica.example.com",
        "https://example.com",
        "https://mica.example.com.test.example",
        "https://*.example.org"};

    for (size_t i = 0; i < MICA_COUNT(own); i++) {
        enum mica_status status;
        const char *message = policy_of_one(own[i], &host, &status);
        ck_assert_msg(status == MICA_E_FORBIDDEN &&
                          strstr(message, "the host's own origin") != NULL &&
                          strstr(message, own[i]) != NULL,
                      "%s: %s", own[i], message);
    }
    for (size_t i = 0; i < MICA_COUNT(others); i++) {
        enum mica_status status;
        const char *message = policy_of_one(others[i], &host, &status);
        ck_assert_msg(status == MICA_OK, "%s: %s", others[i], message);
    }
}
END_TEST

START_TEST(a_source_of_http_covers_https)
{
    static const struct mica_text origin = {"https://localhost", 17};
    const struct mica_csp_host host = {
        .origins = &origin, .origin_count = 1, .development = true};
    enum mica_status status;

    policy_of_one("http://localhost", &host, &status);
    ck_assert_int_eq(status, MICA_E_FORBIDDEN);
}
END_TEST

START_TEST(a_policy_has_a_size)
{
    static char texts[MICA_VIEW_DOMAINS + 1][256];
    struct mica_text items[MICA_VIEW_DOMAINS + 1];
    struct mica_csp csp = {.declared = true,
                           .resource = {items, MICA_VIEW_DOMAINS + 1}};
    enum mica_status status;

    for (size_t i = 0; i < MICA_COUNT(items); i++) {
        size_t len = 0;
        memcpy(texts[i], "https://", 8);
        for (len = 8; len < 248; len++)
            texts[i][len] = len % 50 == 0 ? '.' : 'a';
        items[i] = (struct mica_text){texts[i], len};
    }
    ck_assert_ptr_nonnull(
        strstr(policy(&csp, &public_host, &status), "a view may have 32"));
    ck_assert_int_eq(status, MICA_E_LIMIT);
    csp.resource.count = MICA_VIEW_DOMAINS;
    ck_assert_ptr_nonnull(
        strstr(policy(&csp, &public_host, &status), "8192 bytes"));
    ck_assert_int_eq(status, MICA_E_LIMIT);
    csp.resource.count = 4;
    (void)policy(&csp, &public_host, &status);
    ck_assert_int_eq(status, MICA_OK);
}
END_TEST

// ---- What a resource declares ----------------------------------------------------

static enum mica_status
read_csp(struct mica_arena *arena, const char *jsonz, struct mica_error *error,
         struct mica_csp *csp_out)
{
    return mica_csp_read(arena, mica_text(jsonz), error, csp_out);
}

START_TEST(the_lists_are_read_by_their_names)
{
    struct mica_arena arena;
    struct mica_csp csp = {0};
    struct mica_error error;

    mica_arena_init(&arena, 1 << 16);
    ck_assert_int_eq(
        read_csp(&arena,
                 "{\"connectDomains\":[\"a\",\"b\"],\"frameDomains\":[],"
                 "\"resourceDomains\":[\"\\u0063\"],\"later\":1,"
                 "\"baseUriDomains\":[\"d\"]}",
                 &error, &csp),
        MICA_OK);
    ck_assert(csp.declared);
    ck_assert_uint_eq(csp.connect.count, 2);
    ck_assert(mica_text_is(csp.connect.items[1], "b"));
    ck_assert(mica_text_is(csp.resource.items[0], "c"));
    ck_assert_uint_eq(csp.frame.count, 0);
    ck_assert(mica_text_is(csp.base_uri.items[0], "d"));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_is_no_declaration_is_refused)
{
    static const struct {
        const char *json;
        enum mica_status status;
        const char *says;
    } wrong[] = {
        {"", MICA_E_JSON, "line 1"},
        {"[]", MICA_E_TYPE, "csp is no object but array"},
        {"{\"connectDomains\":\"https://a.example\"}", MICA_E_TYPE,
         "connectDomains is no list of texts but string"},
        {"{\"frameDomains\":[1]}", MICA_E_TYPE,
         "frameDomains has a value that is no text but number"},
        {"{\"frameDomains\":[],\"frameDomains\":[]}", MICA_E_DUPLICATE,
         "frameDomains"},
    };
    struct mica_arena arena;
    struct mica_csp csp;
    struct mica_error error;

    mica_arena_init(&arena, 1 << 16);
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        ck_assert_int_eq(read_csp(&arena, wrong[i].json, &error, &csp),
                         wrong[i].status);
        ck_assert_msg(strstr(error.message, wrong[i].says) != NULL, "%s",
                      error.message);
    }
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 64);
    ck_assert_int_ne(read_csp(&arena,
                              "{\"frameDomains\":[\"a\",\"a\",\"a\",\"a\"]}",
                              &error, &csp),
                     MICA_OK);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(permissions_are_features_of_a_frame)
{
    static const struct {
        unsigned permissions;
        const char *allow;
    } rows[] = {
        {0, ""},
        {MICA_CAMERA, "camera"},
        {MICA_CLIPBOARD_WRITE | MICA_MICROPHONE, "microphone; clipboard-write"},
        {15, "camera; microphone; geolocation; clipboard-write"},
        {16, ""}};

    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        char room[128];
        struct mica_buffer out = {
            .ptr = room, .capacity = sizeof room, .max = sizeof room};
        mica_csp_write_allow(&out, rows[i].permissions);
        ck_assert(mica_text_is(mica_buffer_as_text(&out), rows[i].allow));
    }
}
END_TEST

UNIT_MAIN("view policy", a_view_that_declares_nothing_gets_nothing,
          each_list_has_its_directives,
          a_domain_that_would_add_words_is_refused_by_its_name,
          each_list_is_checked, this_machine_is_for_development,
          no_view_reaches_its_host_under_any_name,
          a_source_of_http_covers_https, a_policy_has_a_size,
          the_lists_are_read_by_their_names, what_is_no_declaration_is_refused,
          permissions_are_features_of_a_frame)
