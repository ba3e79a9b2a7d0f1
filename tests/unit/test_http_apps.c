// SPDX-License-Identifier: Apache-2.0
//
// The API of apps and the builder inside a program: beside a tool called "apps", behind a
// base path, and of a server that serves twice. tests/wire/app_api.py has the rest.
#include "http_host.h"

static struct response r;

static unsigned
ask_with(const char *method, const char *target, const char *headers,
         const char *body)
{
    char text[4096];

    (void)snprintf(text, sizeof text,
                   "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                   "application/json\r\n%sContent-Length: %zu\r\n\r\n%s",
                   method, target, headers, strlen(body), body);
    once(text, &r);
    return r.status;
}

static unsigned
ask(const char *method, const char *target, const char *body)
{
    return ask_with(method, target, "", body);
}

static bool
says(const char *part)
{
    return strstr(r.text, part) != NULL;
}

static enum mica_status
apps_handler(struct mica_call *call, const struct mica_json *in,
             struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_text(call, MICA_LITERAL("the tool apps"), NULL);
    return MICA_OK;
}

static const struct mica_tool apps_tool = {
    .name = "apps",
    .description = "A tool with the name of the API.",
    .input_schema = "{\"type\":\"object\"}",
    .json_handler = apps_handler};

START_TEST(a_tool_called_apps_is_called_by_mcp)
{
    struct mica_error error;

    host.server = fixture_open(64 * 1024);
    ck_assert_int_eq(
        mica_server_add_tool(host.server, &apps_tool, NULL, &error), MICA_OK);
    start_server((struct mica_http_options){.quiet = true});
    ck_assert_uint_eq(ask("GET", "/api/apps", ""), 200);
    ck_assert(says("{\"apps\":[],\"next\":null}"));
    ck_assert_uint_eq(
        ask_with("POST", "/mcp",
                 "Accept: application/json, text/event-stream\r\n"
                 "MCP-Protocol-Version: 2026-07-28\r\n"
                 "Mcp-Method: tools/call\r\nMcp-Name: apps\r\n",
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                 "\"params\":{\"name\":\"apps\",\"arguments\":{},\"_meta\":{"
                 "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                 "\"io.modelcontextprotocol/clientCapabilities\":{},"
                 "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"t\","
                 "\"version\":\"1\"}}}}"),
        200);
    ck_assert(says("the tool apps"));
    stop();
}
END_TEST

START_TEST(addresses_of_apps_have_the_base_path)
{
    start_with((struct mica_http_options){.quiet = true,
                                          .public_url = "https://localhost/x"});
    ck_assert_uint_eq(ask("POST", "/x/api/apps", "{\"name\":\"Based\"}"), 201);
    ck_assert(says("Location: /x/api/apps/based"));
    ck_assert(says("\"url\":\"https://localhost/x/servers/based/mcp\""));
    // The proxy has TLS, and the browser its name.
    ck_assert_uint_eq(ask_with("PATCH", "/x/api/apps/based",
                               "Origin: http://localhost\r\nIf-Match: *\r\n",
                               "{}"),
                      200);
    ck_assert_uint_eq(ask_with("PATCH", "/x/api/apps/based",
                               "Origin: http://localhost:1\r\n", "{}"),
                      403);
    ck_assert(says("CROSS_SITE_REQUEST"));
    stop();
}
END_TEST

START_TEST(a_public_url_of_another_machine_has_no_api)
{
    start_with((struct mica_http_options){
        .quiet = true, .public_url = "https://localhost.example.org"});
    ck_assert_uint_eq(ask("GET", "/api/apps", ""), 404);
    ck_assert(says("APP_NOT_FOUND"));
    ck_assert_uint_eq(ask("POST", "/builder/mcp", "{}"), 404);
    stop();
}
END_TEST

START_TEST(the_builder_is_made_by_the_first_request)
{
    struct mica_registry *registry;

    host.server = fixture_open(64 * 1024);
    registry = &host.server->registry;
    for (int round = 0; round < 2; round++) {
        start_server((struct mica_http_options){.quiet = true});
        ck_assert_uint_eq(mica_registry_endpoints(registry), 0);
        ck_assert_uint_eq(ask("GET", "/builderx/mcp", ""), 404);
        ck_assert_uint_eq(mica_registry_endpoints(registry), 0);
        ck_assert_uint_eq(ask("POST", "/builder/mcp", "{}"), 400);
        ck_assert_uint_eq(mica_registry_endpoints(registry), 1);
        ck_assert_uint_eq(ask("POST", "/builder/mcp", "{}"), 400);
        ck_assert_uint_eq(mica_registry_endpoints(registry), 1);
        signal_end();
        pthread_join(host.thread, NULL);
        ck_assert_int_eq(host.status, MICA_OK);
        ck_assert_uint_eq(mica_registry_endpoints(registry), 0);
    }
    mica_server_close(&host.server);
}
END_TEST

START_TEST(no_base_path_lies_at_the_builder)
{
    static const char *const bases[] = {"/builder", "/builder/x", "/api/apps"};

    host.server = fixture_open(64 * 1024);
    for (size_t i = 0; i < MICA_COUNT(bases); i++) {
        ck_assert(!server_listens(
            (struct mica_http_options){.quiet = true, .base_path = bases[i]}));
        ck_assert_int_eq(host.status, MICA_E_USAGE);
    }
    mica_server_close(&host.server);
}
END_TEST

UNIT_MAIN("http_apps", a_tool_called_apps_is_called_by_mcp,
          addresses_of_apps_have_the_base_path,
          a_public_url_of_another_machine_has_no_api,
          the_builder_is_made_by_the_first_request,
          no_base_path_lies_at_the_builder)
