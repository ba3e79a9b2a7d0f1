// SPDX-License-Identifier: Apache-2.0
//
// The server over HTTP with authorization: every request is asked for its token
// before its body is read, health and the metadata are not.
#include <mica/endpoint.h>

#include "http_host.h"
#include "test_auth.h"

#define WELL "/.well-known/oauth-protected-resource"
#define META "https://mcp.example.com" WELL "/mcp"

static EVP_PKEY *key;

static void
begin(void)
{
    key = generate(ED25519);
    (void)file("keys.json", set(jwk(key, "d")));
    start_with((struct mica_http_options){
        .quiet = true,
        .auth = file("auth.json",
                     "{\"resource\":\"" HOME "\",\"issuers\":[{\"issuer\":"
                     "\"" ISSUER "\",\"jwks\":\"keys.json\"}]}")});
}

static void
end(void)
{
    stop();
    EVP_PKEY_free(key);
}

static const char *
bearer(const char *subject)
{
    return print(
        "Authorization: Bearer %s\r\n",
        sign(key, "{\"alg\":\"EdDSA\",\"kid\":\"d\"}",
             print("{\"iss\":\"" ISSUER "\",\"sub\":\"%s\",\"aud\":\"" HOME
                   "\",\"exp\":%lld}",
                   subject, (long long)time(NULL) + 60)));
}

static const char *
request(const char *method, const char *path, const char *headers,
        const char *body)
{
    return print("%s %s HTTP/1.1\r\nHost: localhost\r\n%s"
                 "Content-Type: application/json\r\n"
                 "MCP-Protocol-Version: 2026-07-28\r\n"
                 "Mcp-Method: server/discover\r\nContent-Length: %zu\r\n\r\n%s",
                 method, path, headers, strlen(body), body);
}

#define DISCOVER                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","       \
    "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" \
    "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}"

// [AUTH-TOKEN] [AUTH-401]
START_TEST(every_request_needs_a_token)
{
    static const char *const methods[] = {"POST", "GET", "DELETE", "PUT"};
    static struct response r;
    begin();
    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        once(request(methods[i], "/mcp", "", "{not even JSON"), &r);
        ck_assert_uint_eq(r.status, 401);
        ck_assert_ptr_nonnull(strstr(r.text,
                                     "\r\nWWW-Authenticate: Bearer "
                                     "resource_metadata=\"" META "\"\r\n"));
        ck_assert_ptr_nonnull(strstr(r.body, "\"code\":\"UNAUTHORIZED\""));
    }
    once(request("GET", "/", "", ""), &r);
    ck_assert_uint_eq(r.status, 401);
    once(request("GET", "/elsewhere", "", ""), &r);
    ck_assert_uint_eq(r.status, 401);
    once(request("POST", "/mcp", bearer("ada"), DISCOVER), &r);
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_nonnull(strstr(r.body, "\"supportedVersions\""));
    end();
}
END_TEST

// [AUTH-QUERY]
START_TEST(a_token_in_the_query_is_none)
{
    static struct response r;
    begin();
    const char *text = bearer("ada") + strlen("Authorization: Bearer ");
    const char *path =
        print("/mcp?access_token=%.*s", (int)strcspn(text, "\r"), text);
    once(request("POST", path, "", DISCOVER), &r);
    ck_assert_uint_eq(r.status, 401);
    ck_assert_ptr_null(strstr(r.text, "error="));
    end();
}
END_TEST

START_TEST(wrong_tokens_are_refused)
{
    static struct response r;
    begin();
    once(request("POST", "/mcp", "Authorization: Bearer a.b.c\r\n", DISCOVER),
         &r);
    ck_assert_uint_eq(r.status, 401);
    ck_assert_ptr_nonnull(strstr(r.text, "error=\"invalid_token\""));
    const char *twice = print("%s%s", bearer("ada"), bearer("ada"));
    once(request("POST", "/mcp", twice, DISCOVER), &r);
    ck_assert_uint_eq(r.status, 400);
    ck_assert_ptr_nonnull(strstr(r.text, "error=\"invalid_request\""));
    end();
}
END_TEST

START_TEST(a_large_token_fits)
{
    static struct response r;
    char large[5000];
    begin();
    memset(large, 'x', sizeof large);
    large[sizeof large - 1] = '\0';
    const char *text = print(
        "Authorization: Bearer %s\r\n",
        sign(key, "{\"alg\":\"EdDSA\",\"kid\":\"d\"}",
             print("{\"iss\":\"" ISSUER "\",\"sub\":\"ada\",\"aud\":\"" HOME
                   "\",\"exp\":%lld,\"more\":\"%s\"}",
                   (long long)time(NULL) + 60, large)));
    ck_assert_uint_gt(strlen(text), 6500);
    once(request("POST", "/mcp", text, DISCOVER), &r);
    ck_assert_uint_eq(r.status, 200);
    end();
}
END_TEST

static const char *
bearer_with(const char *scopes)
{
    return print(
        "Authorization: Bearer %s\r\n",
        sign(key, "{\"alg\":\"EdDSA\",\"kid\":\"d\"}",
             print("{\"iss\":\"" ISSUER "\",\"sub\":\"ada\",\"aud\":\"" HOME
                   "\",\"exp\":%lld,\"scope\":\"%s\"}",
                   (long long)time(NULL) + 60, scopes)));
}

static atomic_int drops;

static enum mica_status
drop_all(struct mica_call *call, const struct mica_json *in,
         struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    atomic_fetch_add(&drops, 1);
    mica_add_text(call, mica_principal(call)->subject, NULL);
    return MICA_OK;
}

static unsigned
call_drop(const char *headers, struct response *r)
{
    static const char body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
        "\"params\":{\"name\":\"drop\",\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

    once(print("POST /mcp HTTP/1.1\r\nHost: localhost\r\n%s"
               "Content-Type: application/json\r\n"
               "MCP-Protocol-Version: 2026-07-28\r\n"
               "Mcp-Method: tools/call\r\nMcp-Name: drop\r\n"
               "Content-Length: %zu\r\n\r\n%s",
               headers, strlen(body), body),
         r);
    return r->status;
}

// [AUTH-403]
START_TEST(a_tool_asks_for_its_scopes)
{
    static const struct mica_tool tool = {.name = "drop",
                                          .description = "Drops everything.",
                                          .input_schema =
                                              "{\"type\":\"object\"}",
                                          .json_handler = drop_all,
                                          .scope = "db.write db.drop"};
    static struct response r;

    begin();
    ck_assert_int_eq(mica_server_add_tool(host.server, &tool, NULL, NULL),
                     MICA_OK);
    ck_assert_uint_eq(call_drop(bearer_with("db.read db.write"), &r), 403);
    ck_assert_ptr_nonnull(strstr(r.text, "error=\"insufficient_scope\""));
    ck_assert_msg(strstr(r.text, "scope=\"db.drop db.write\"") != NULL ||
                      strstr(r.text, "scope=\"db.write db.drop\"") != NULL,
                  "%s", r.text);
    ck_assert_ptr_nonnull(strstr(r.text, "resource_metadata=\"" META "\""));
    ck_assert_ptr_nonnull(strstr(r.body, "\"code\":\"INSUFFICIENT_SCOPE\""));
    ck_assert_ptr_nonnull(strstr(r.body, "\"id\":1"));
    ck_assert_int_eq(atomic_load(&drops), 0);
    ck_assert_uint_eq(call_drop(bearer_with("db.drop x db.write"), &r), 200);
    ck_assert_ptr_nonnull(strstr(r.body, "\"text\":\"ada\""));
    ck_assert_int_eq(atomic_load(&drops), 1);
    end();
}
END_TEST

#define SCOPED "/scoped"

static void
publish_scoped(void)
{
    static const struct mica_tool tool = {.name = "drop",
                                          .description = "Drops everything.",
                                          .input_schema =
                                              "{\"type\":\"object\"}",
                                          .json_handler = drop_all};
    const struct mica_endpoint_options options = {.key = "scoped",
                                                  .path = SCOPED,
                                                  .name = "scoped",
                                                  .version = "1",
                                                  .scope = "app.use app.more"};
    struct mica_endpoint_draft *draft;

    ck_assert_int_eq(mica_endpoint_begin(host.server, &options, NULL, &draft),
                     MICA_OK);
    ck_assert_int_eq(mica_endpoint_add_tool(draft, &tool, NULL, NULL), MICA_OK);
    ck_assert_int_eq(mica_endpoint_publish(&draft, NULL), MICA_OK);
}

// Every way in, so that none goes around it: 403 with the scopes that it takes.
START_TEST(an_endpoint_asks_every_caller_for_its_scopes)
{
    static const struct {
        const char *method, *path, *body;
        unsigned with; // the status of one who has them
    } rows[] = {{"POST", SCOPED "/mcp", DISCOVER, 200},
                {"GET", SCOPED "/mcp", "", 405},
                {"DELETE", SCOPED "/mcp", "", 405},
                {"GET", SCOPED "/api", "", 200},
                {"GET", SCOPED "/openapi.json", "", 200},
                {"POST", SCOPED "/api/drop", "{}", 200},
                {"GET", SCOPED "/api/calls/0123456789012345678901", "", 404},
                {"GET", SCOPED "/api/errors/BUSY", "", 200},
                {"GET", SCOPED "/sse", "", 200},
                {"POST", SCOPED "/messages?session=x", DISCOVER, 404},
                {"POST", "/mcp", DISCOVER, 200}};
    static const char *const lacking[] = {"", "app.use", "app.more",
                                          "app.us e app.more",
                                          "App.use "
                                          "app.more"};
    static struct response r;

    key = generate(ED25519);
    (void)file("keys.json", set(jwk(key, "d")));
    start_with((struct mica_http_options){
        .quiet = true,
        .http_sse = true,
        .auth = file("auth.json",
                     "{\"resource\":\"" HOME "\",\"issuers\":[{\"issuer\":"
                     "\"" ISSUER "\",\"jwks\":\"keys.json\"}]}")});
    publish_scoped();
    atomic_store(&drops, 0);
    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        bool scoped = strncmp(rows[i].path, SCOPED, strlen(SCOPED)) == 0;
        for (size_t j = 0; j < MICA_COUNT(lacking); j++) {
            once(request(rows[i].method, rows[i].path, bearer_with(lacking[j]),
                         rows[i].body),
                 &r);
            ck_assert_msg(r.status == (scoped ? 403 : 200), "%s %s: %s",
                          rows[i].method, rows[i].path, r.text);
            if (scoped)
                ck_assert_msg(
                    strstr(r.text, "error=\"insufficient_scope\"") != NULL,
                    "%s %s: %s", rows[i].method, rows[i].path, r.text);
        }
        ck_assert_int_eq(atomic_load(&drops), i > 5 ? 1 : 0);
        once(request(rows[i].method, rows[i].path,
                     bearer_with("app.more app.use"), rows[i].body),
             &r);
        ck_assert_msg(r.status == rows[i].with, "%s %s: %s", rows[i].method,
                      rows[i].path, r.text);
        once(request(rows[i].method, rows[i].path, "", rows[i].body), &r);
        ck_assert_uint_eq(r.status, 401);
    }
    end();
}
END_TEST

// Says `head` and reads what comes until the server closes; the seconds that took.
static time_t
wait_for_close(const char *head)
{
    char room[4096];
    time_t begun = time(NULL);
    int fd = dial();

    say(fd, head);
    while (time(NULL) - begun < 20) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, 1000) > 0 && read(fd, room, sizeof room) <= 0)
            break;
    }
    close(fd);
    return time(NULL) - begun;
}

START_TEST(a_stream_ends_with_the_token_that_opened_it)
{
    static const char body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
        "\"subscriptions/listen\",\"params\":{\"notifications\":{"
        "\"toolsListChanged\":true},\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
    time_t seconds;

    key = generate(ED25519);
    (void)file("keys.json", set(jwk(key, "d")));
    start_with((struct mica_http_options){
        .quiet = true,
        .auth = file("auth.json", "{\"resource\":\"" HOME "\",\"leeway_s\":1,"
                                  "\"issuers\":[{\"issuer\":\"" ISSUER
                                  "\",\"jwks\":\"keys.json\"}]}")});
    seconds = wait_for_close(
        print("POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
              "Authorization: Bearer %s\r\n"
              "Content-Type: application/json\r\n"
              "MCP-Protocol-Version: 2026-07-28\r\n"
              "Mcp-Method: subscriptions/listen\r\n"
              "Content-Length: %zu\r\n\r\n%s",
              sign(key, "{\"alg\":\"EdDSA\",\"kid\":\"d\"}",
                   print("{\"iss\":\"" ISSUER "\",\"sub\":\"ada\","
                         "\"aud\":\"" HOME "\",\"exp\":%lld}",
                         (long long)time(NULL) + 3)),
              strlen(body), body));
    ck_assert_int_ge(seconds, 1);
    ck_assert_int_le(seconds, 19); // it would be 20
    end();
}
END_TEST

// [SESSION-BOUND]
START_TEST(a_session_is_of_no_use_to_another)
{
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}";
    static const char ping[] =
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}";
    static const char form[] = "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s"
                               "Content-Type: application/json\r\n"
                               "Accept: application/json, text/event-stream\r\n"
                               "Content-Length: %zu\r\n\r\n%s";
    static struct response r;
    const char *id;

    key = generate(ED25519);
    (void)file("keys.json", set(jwk(key, "d")));
    start_with((struct mica_http_options){
        .quiet = true,
        .store = "memory",
        .auth = file("auth.json",
                     "{\"resource\":\"" HOME "\",\"issuers\":[{\"issuer\":"
                     "\"" ISSUER "\",\"jwks\":\"keys.json\"}]}")});
    once(print(form, "POST", "/mcp", bearer("ada"), "", strlen(hello), hello),
         &r);
    ck_assert_uint_eq(r.status, 200);
    id = strstr(r.text, "Mcp-Session-Id: ");
    ck_assert_ptr_nonnull(id);
    id = print("%.*s\r\n", (int)strcspn(id, "\r"), id);
    once(print(form, "POST", "/mcp", bearer("bob"), id, strlen(ping), ping),
         &r);
    ck_assert_uint_eq(r.status, 404);
    once(print(form, "GET", "/mcp", bearer("bob"), id, (size_t)0, ""), &r);
    ck_assert_uint_eq(r.status, 404);
    once(print(form, "DELETE", "/mcp", bearer("bob"), id, (size_t)0, ""), &r);
    ck_assert_uint_eq(r.status, 404);
    once(print(form, "POST", "/mcp", bearer("ada"), id, strlen(ping), ping),
         &r);
    ck_assert_uint_eq(r.status, 200);
    end();
}
END_TEST

// [AUTH-METADATA]
START_TEST(health_and_the_metadata_are_for_everybody)
{
    static struct response r;
    begin();
    once(request("GET", "/healthz", "", ""), &r);
    ck_assert_uint_eq(r.status, 200);
    once(request("GET", WELL, "", ""), &r);
    ck_assert_uint_eq(r.status, 200);
    once(request("GET", WELL "/mcp", "", ""), &r);
    ck_assert_uint_eq(r.status, 200);
    ck_assert_str_eq(r.body,
                     "{\"resource\":\"" HOME "\",\"authorization_servers\":"
                     "[\"" ISSUER "\"],\"bearer_methods_supported\":"
                     "[\"header\"]}");
    ck_assert_ptr_nonnull(
        strstr(r.text, "\r\nAccess-Control-Allow-Origin: *\r\n"));
    end();
}
END_TEST

// What only callers with a token may have is not for a cache that others use.
START_TEST(files_that_need_a_token_are_kept_by_its_owner_alone)
{
    static struct response r;
    const char *name;

    begin();
    once(request("GET", "/", bearer("ada"), ""), &r);
    ck_assert_uint_eq(r.status, 200);
    name = strstr(r.body, "/web/page.js?v=");
    ck_assert_ptr_nonnull(name);
    once(request("GET", print("%.31s", name), bearer("ada"), ""), &r);
    ck_assert_uint_eq(r.status, 200);
    ck_assert_ptr_nonnull(
        strstr(r.text, "\r\nCache-Control: private, max-age=31536000, "
                       "immutable\r\n"));
    end();
}
END_TEST

START_TEST(a_server_does_not_start_with_a_wrong_file)
{
    struct mica_error error = {.message = ""};
    struct mica_server *server = fixture_open(64 * 1024);
    const char *path = file("auth.json", "{}");
    const struct mica_http_options options = {
        .listen = "127.0.0.1:0", .quiet = true, .auth = path};
    ck_assert_int_eq(mica_server_serve_http(server, &options, &error),
                     MICA_E_REQUIRED);
    ck_assert_ptr_nonnull(strstr(error.message, path));
    mica_server_close(&server);
}
END_TEST

UNIT_MAIN("http_auth", every_request_needs_a_token,
          a_token_in_the_query_is_none, wrong_tokens_are_refused,
          a_tool_asks_for_its_scopes,
          an_endpoint_asks_every_caller_for_its_scopes,
          a_stream_ends_with_the_token_that_opened_it,
          a_session_is_of_no_use_to_another, a_large_token_fits,
          health_and_the_metadata_are_for_everybody,
          files_that_need_a_token_are_kept_by_its_owner_alone,
          a_server_does_not_start_with_a_wrong_file)
