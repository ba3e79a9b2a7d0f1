// SPDX-License-Identifier: Apache-2.0
//
// src/protocol without a server: this program is linked with the protocol and what
// stands above it alone, as a client or a host would be. Messages are read to
// values, and what is wrong with one is a value too.
#include <stdio.h>
#include <string.h>

#include "protocol/block.h"
#include "protocol/capability.h"
#include "protocol/implementation.h"
#include "protocol/mcp_headers.h"
#include "unit.h"

#define VERSION_META                                                         \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"sampling\":{}}"

static struct mica_arena arena;
static struct mica_envelope envelope;
static struct mica_problem problem;

static bool
read_text(const char *textz)
{
    memset(&problem, 0, sizeof problem);
    return mica_envelope_read(mica_text(textz), NULL, &arena, &envelope,
                              &problem);
}

static void
open_arena(void)
{
    mica_arena_init(&arena, 1 << 20);
}

static void
close_arena(void)
{
    mica_arena_fini(&arena);
}

START_TEST(each_kind_of_message_is_read)
{
    open_arena();
    ck_assert(read_text("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\","
                        "\"params\":{\"x\":1}}"));
    ck_assert_int_eq(envelope.kind, MICA_REQUEST);
    UNIT_TEXT_EQ(envelope.id, "\"a\"");
    UNIT_TEXT_EQ(envelope.method, "ping");
    ck_assert_ptr_nonnull(mica_json_get(envelope.params, "x"));
    ck_assert(
        read_text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}"));
    ck_assert_int_eq(envelope.kind, MICA_NOTIFICATION);
    ck_assert_uint_eq(envelope.id.len, 0);
    ck_assert(read_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
    ck_assert_int_eq(envelope.kind, MICA_RESPONSE);
    ck_assert_ptr_nonnull(mica_json_get(envelope.root, "result"));
    ck_assert(
        read_text("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]"));
    ck_assert_int_eq(envelope.kind, MICA_BATCH);
    ck_assert(mica_envelope_of(&envelope.root->items[0], &envelope, &problem));
    UNIT_TEXT_EQ(envelope.method, "ping");
    close_arena();
}
END_TEST

// What is wrong, and what of the id is known by then.
static const struct {
    const char *text;
    int rpc;
    unsigned http_status;
    const char *code, *part, *id;
} refused[] = {
    {"{", MICA_RPC_PARSE, 400, "INVALID_JSON", "Parse error", ""},
    {"1", MICA_RPC_REQUEST, 400, "WRONG_TYPE", "a message is", ""},
    {"{}", MICA_RPC_REQUEST, 400, "WRONG_TYPE", "\"jsonrpc\"", ""},
    {"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}", MICA_RPC_REQUEST, 400,
     "WRONG_TYPE", "\"id\"", ""},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":2}", MICA_RPC_REQUEST, 400,
     "WRONG_TYPE", "\"method\"", "1"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"result\":1}",
     MICA_RPC_REQUEST, 400, "WRONG_TYPE", "beside", "1"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}",
     MICA_RPC_REQUEST, 400, "WRONG_TYPE", "\"params\"", "1"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"_meta\":1}}",
     MICA_RPC_PARAMS, 400, "WRONG_TYPE", "\"_meta\"", "1"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"_meta\":"
     "{\"progressToken\":{}}}}",
     MICA_RPC_PARAMS, 400, "WRONG_TYPE", "\"progressToken\"", "1"},
};

START_TEST(what_is_wrong_with_a_message_is_a_value)
{
    open_arena();
    for (size_t i = 0; i < MICA_COUNT(refused); i++) {
        ck_assert_msg(!read_text(refused[i].text), "%s", refused[i].text);
        ck_assert_int_eq(problem.rpc, refused[i].rpc);
        ck_assert_uint_eq(problem.http_status, refused[i].http_status);
        ck_assert_str_eq(problem.code, refused[i].code);
        ck_assert_msg(strstr(problem.text, refused[i].part) != NULL, "%s: %s",
                      refused[i].text, problem.text);
        UNIT_TEXT_EQ(envelope.id, refused[i].id);
    }
    close_arena();
}
END_TEST

START_TEST(a_notification_keeps_nothing_of_a_malformed_meta)
{
    open_arena();
    ck_assert(read_text("{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{"
                        "\"_meta\":{\"progressToken\":{}}}}"));
    ck_assert_uint_eq(envelope.progress_token.len, 0);
    close_arena();
}
END_TEST

START_TEST(a_problem_is_written_as_an_error_of_json_rpc)
{
    struct mica_json_writer writer;
    struct mica_buffer out;

    open_arena();
    mica_buffer_init(&out, &arena, 4096);
    mica_json_writer_init(&writer, &out);
    ck_assert(!mica_problem_set(&problem, 400, MICA_RPC_PARAMS, MICA_E_TYPE,
                                MICA_LITERAL("\"more\":1"), "%s is wrong",
                                "it"));
    mica_json_open_object(&writer);
    mica_problem_write(&writer, problem.rpc, problem.code, problem.data,
                       mica_text(problem.text));
    mica_json_close_object(&writer);
    UNIT_TEXT_EQ(mica_buffer_as_text(&out),
                 "{\"error\":{\"code\":-32602,\"message\":\"it is wrong\","
                 "\"data\":{\"code\":\"WRONG_TYPE\",\"more\":1}}}");
    close_arena();
}
END_TEST

START_TEST(a_stateless_request_says_what_its_client_can_do)
{
    struct mica_client_state client;
    enum mica_revision revision = MICA_REVISION_2025_11_25;

    open_arena();
    ck_assert(read_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\","
                        "\"params\":{" VERSION_META
                        ",\"io.modelcontextprotocol/logLevel\":\"error\"}}}"));
    ck_assert(mica_envelope_is_stateless(&envelope));
    ck_assert(mica_envelope_client(&envelope, &client, &problem));
    ck_assert_uint_eq(client.capabilities, MICA_SAMPLING);
    ck_assert(client.logs && client.log_level == MICA_LOG_ERROR);
    ck_assert(mica_revision_stateless(envelope.version->text, &arena, &revision,
                                      &problem));
    ck_assert_int_eq(revision, MICA_REVISION_2026_07_28);
    ck_assert(read_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}"));
    ck_assert(!mica_envelope_is_stateless(&envelope));
    ck_assert(!mica_envelope_client(&envelope, &client, &problem));
    ck_assert_str_eq(problem.code, "MISSING_FIELD");
    close_arena();
}
END_TEST

START_TEST(a_refused_revision_changes_nothing)
{
    enum mica_revision revision = MICA_REVISION_2025_06_18;

    open_arena();
    // A revision with a handshake is known, and is not the stateless one.
    ck_assert(!mica_revision_stateless(MICA_LITERAL("2025-03-26"), &arena,
                                       &revision, &problem));
    ck_assert_int_eq(revision, MICA_REVISION_2025_06_18);
    ck_assert_int_eq(problem.rpc, MICA_RPC_VERSION);
    UNIT_TEXT_EQ(problem.data, "\"supported\":[\"2026-07-28\"],"
                               "\"requested\":\"2025-03-26\"");
    close_arena();
}
END_TEST

static const char *const standard[][2] = {
    {"Host", "localhost"},
    {"Content-Type", "application/json"},
    {"MCP-Protocol-Version", "2026-07-28"},
    {"Mcp-Method", "tools/call"},
    {"Mcp-Name", " hash "},
};

// The first `count` of the standard headers, the one of number `other` with that
// value.
static bool
check_headers(size_t count, size_t other, const char *valuez)
{
    struct mica_header headers[MICA_COUNT(standard)];
    struct mica_http_request request = {.method = MICA_LITERAL("POST"),
                                        .headers = headers,
                                        .header_count = count};
    struct mica_mcp_headers read;

    for (size_t i = 0; i < count; i++)
        headers[i] = (struct mica_header){
            mica_text(standard[i][0]),
            mica_text(i == other ? valuez : standard[i][1])};
    memset(&problem, 0, sizeof problem);
    mica_mcp_headers_read(&request, &read);
    return mica_mcp_headers_allowed(&read, NULL, &problem) &&
           mica_mcp_headers_media(&read, &problem) &&
           mica_mcp_headers_have_version(&read, &problem) &&
           mica_mcp_headers_same_version(&read, &envelope, &problem) &&
           mica_mcp_headers_same_method(&read, &envelope, &problem) &&
           mica_mcp_headers_same_name(&read, &envelope, &arena, &problem);
}

START_TEST(headers_agree_with_the_body_or_say_which_does_not)
{
    static const struct {
        size_t header;
        const char *value;
        unsigned http_status;
        const char *part;
    } wrong[] = {
        {0, "evil.example", 403, "Forbidden Host"},
        {1, "text/plain", 415, "Content-Type"},
        {2, "2026-07-29", 400, "MCP-Protocol-Version differs"},
        {3, "tools/list", 400, "Mcp-Method differs"},
        {4, "hush", 400, "Mcp-Name differs"},
        {4, "=?base64?*?=", 400, "Mcp-Name is malformed"},
    };
    size_t all = MICA_COUNT(standard);

    open_arena();
    ck_assert(
        read_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                  "\"params\":{\"name\":\"hash\"," VERSION_META "}}}"));
    ck_assert_msg(check_headers(all, all, NULL), "%s", problem.text);
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        ck_assert(!check_headers(all, wrong[i].header, wrong[i].value));
        ck_assert_uint_eq(problem.http_status, wrong[i].http_status);
        ck_assert_msg(strstr(problem.text, wrong[i].part) != NULL, "%s",
                      problem.text);
    }
    for (size_t count = 2; count < all; count++) {
        ck_assert(!check_headers(count, all, NULL));
        ck_assert_msg(strstr(problem.text, "is missing") != NULL, "%s",
                      problem.text);
    }
    close_arena();
}
END_TEST

START_TEST(content_is_written_as_a_revision_has_it)
{
    const struct mica_content link = {.kind = MICA_CONTENT_LINK,
                                      .uri = MICA_LITERAL("test://a"),
                                      .name = MICA_LITERAL("A")};
    static const struct {
        enum mica_revision revision;
        const char *json;
    } as[] = {
        {MICA_REVISION_2025_03_26,
         "{\"type\":\"text\",\"text\":\"A: test://a\"}"},
        {MICA_REVISION_2026_07_28, "{\"type\":\"resource_link\",\"uri\":"
                                   "\"test://a\",\"name\":\"A\"}"},
    };

    open_arena();
    for (size_t i = 0; i < MICA_COUNT(as); i++) {
        struct mica_json_writer writer;
        struct mica_buffer out;
        mica_buffer_init(&out, &arena, 4096);
        mica_json_writer_init(&writer, &out);
        mica_block_write(&writer, &link, mica_revision_features(as[i].revision),
                         &arena);
        UNIT_TEXT_EQ(mica_buffer_as_text(&out), as[i].json);
    }
    close_arena();
}
END_TEST

START_TEST(an_implementation_has_the_members_of_its_revision)
{
    static const struct mica_implementation of = {
        .name = "n", .version = "1", .title = "T", .description = "D"};
    static const struct {
        enum mica_revision revision;
        const char *json;
    } as[] = {
        {MICA_REVISION_2025_03_26, "{\"name\":\"n\",\"version\":\"1\"}"},
        {MICA_REVISION_2025_06_18,
         "{\"name\":\"n\",\"title\":\"T\",\"version\":\"1\"}"},
        {MICA_REVISION_2025_11_25,
         "{\"name\":\"n\",\"title\":\"T\",\"version\":"
         "\"1\",\"description\":\"D\"}"},
    };

    open_arena();
    for (size_t i = 0; i < MICA_COUNT(as); i++) {
        struct mica_json_writer writer;
        struct mica_buffer out;
        mica_buffer_init(&out, &arena, 4096);
        mica_json_writer_init(&writer, &out);
        mica_implementation_write(&writer, &of,
                                  mica_revision_features(as[i].revision));
        UNIT_TEXT_EQ(mica_buffer_as_text(&out), as[i].json);
    }
    close_arena();
}
END_TEST

// One reader for MCP, REST, /api/apps and pages.
START_TEST(accept_is_read_for_all_in_one_way)
{
    static const struct {
        const char *valuez;
        unsigned media;
    } values[] = {
        {"", 0},
        {" , ,", 0},
        {"image/png", MICA_MEDIA_LISTED},
        {"Application/JSON, Text/Event-Stream",
         MICA_MEDIA_LISTED | MICA_MEDIA_JSON | MICA_MEDIA_STREAM},
        {"application/*;q=0.5", MICA_MEDIA_LISTED | MICA_MEDIA_JSON},
        {"application/problem+json", MICA_MEDIA_LISTED | MICA_MEDIA_PROBLEM},
        {"text/*;charset=utf-8", MICA_MEDIA_LISTED | MICA_MEDIA_TEXT},
        {"application/json; q=0, text/event-stream;q=0.000", MICA_MEDIA_LISTED},
        {"text/html;q=0, */*;x=y;q=0.001", MICA_MEDIA_LISTED | MICA_MEDIA_ANY},
        {"text/html,application/xhtml+xml,*/*;q=0.8",
         MICA_MEDIA_LISTED | MICA_MEDIA_HTML | MICA_MEDIA_ANY},
        {"application/jsonx, xapplication/json", MICA_MEDIA_LISTED}};
    const struct mica_header lines[] = {
        {MICA_LITERAL("Accept"), MICA_LITERAL("application/json")},
        {MICA_LITERAL("Accept-Encoding"), MICA_LITERAL("text/html")},
        {MICA_LITERAL("ACCEPT"), MICA_LITERAL("text/event-stream")}};
    struct mica_http_request request = {.headers = lines,
                                        .header_count = MICA_COUNT(lines)};

    for (size_t i = 0; i < MICA_COUNT(values); i++)
        ck_assert_msg(mica_accept_line(mica_text(values[i].valuez)) ==
                          values[i].media,
                      "%s", values[i].valuez);
    ck_assert_uint_eq(mica_accept_request(&request),
                      MICA_MEDIA_LISTED | MICA_MEDIA_JSON | MICA_MEDIA_STREAM);
    request.header_count = 0;
    ck_assert_uint_eq(mica_accept_request(&request), 0);
}
END_TEST

// [RFC 9110, 12.4.2]
START_TEST(a_type_of_weight_0_is_not_accepted)
{
    const struct mica_header lines[] = {
        {MICA_LITERAL("Content-Type"), MICA_LITERAL("application/json")},
        {MICA_LITERAL("Accept"),
         MICA_LITERAL("text/event-stream;q=0, application/json;q=0")}};
    const struct mica_http_request request = {
        .headers = lines, .header_count = MICA_COUNT(lines)};
    struct mica_mcp_headers headers;

    memset(&problem, 0, sizeof problem);
    mica_mcp_headers_read(&request, &headers);
    ck_assert(!mica_mcp_headers_media(&headers, &problem));
    ck_assert_int_eq(problem.http_status, 406);
    ck_assert(!mica_mcp_headers_accept_stream(&headers, MICA_LITERAL("POST")));
}
END_TEST

UNIT_MAIN("protocol", each_kind_of_message_is_read,
          what_is_wrong_with_a_message_is_a_value,
          a_notification_keeps_nothing_of_a_malformed_meta,
          a_problem_is_written_as_an_error_of_json_rpc,
          a_stateless_request_says_what_its_client_can_do,
          a_refused_revision_changes_nothing,
          headers_agree_with_the_body_or_say_which_does_not,
          accept_is_read_for_all_in_one_way, a_type_of_weight_0_is_not_accepted,
          content_is_written_as_a_revision_has_it,
          an_implementation_has_the_members_of_its_revision)
