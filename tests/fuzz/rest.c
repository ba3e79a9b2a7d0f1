// SPDX-License-Identifier: Apache-2.0
//
// A whole HTTP request to REST (request.h), whose first line is "METHOD target": to
// a tool on raw JSON, and to one that is called as engines are. A refusal is a
// problem document of its status; what was given a tag is given the same again, and
// nothing when the client has it.
#include "request.h"
#include "server/server.h"

struct given {
    struct mica_text name;
    double amount;
    bool has_amount;
    struct {
        size_t count;
        const int64_t *items;
    } numbers;
    bool has_numbers;
    struct mica_date day;
    bool has_day;
};
MICA_RECORD(given, MICA_TEXT(name, "A name.", .max_length = 100),
            MICA_NUMBER(amount, "A number.", MICA_OPTIONAL(given, amount)),
            MICA_LIST(numbers, integer, "Some.", MICA_OPTIONAL(given, numbers)),
            MICA_DATE(day, "A day.", MICA_OPTIONAL(given, day)));

static enum mica_status
give_back(struct mica_call *call, const struct given *in, struct given *out)
{
    (void)call;
    *out = *in;
    return MICA_OK;
}
MICA_TOOL(pure, given, given, give_back, .description = "Gives it back.");

static struct mica_server *
rest_server(void)
{
    static struct mica_server *server;
    struct mica_definition *definition;
    struct mica_error error;

    if (server != NULL)
        return server;
    server = echo_server();
    FUZZ_MUST(mica_definition_of_tool(&mica_tool_pure, NULL, NULL, &error,
                                      &definition) == MICA_OK);
    definition->sha256 = MICA_LITERAL("0123456789abcdef0123456789abcdef");
    definition->runnable.inline_first = true;
    FUZZ_MUST(mica_registry_define(&server->registry, definition, &error) ==
              MICA_OK);
    return server;
}

// "GET /api/pure?name=x"
static void
take_target(struct mica_http_request *request)
{
    struct mica_text line = request->method;
    const char *blank = line.len > 0 ? memchr(line.ptr, ' ', line.len) : NULL;
    size_t at = blank != NULL ? (size_t)(blank - line.ptr) : line.len;
    struct mica_text target = mica_text_slice(line, at + 1, line.len);
    const char *mark =
        target.len > 0 ? memchr(target.ptr, '?', target.len) : NULL;
    size_t end = mark != NULL ? (size_t)(mark - target.ptr) : target.len;

    request->method = mica_text_slice(line, 0, at);
    request->path = mica_text_slice(target, 0, end);
    request->query = mica_text_slice(target, end + 1, target.len);
}

static struct mica_text
header_of(const struct mica_http_response *response, const char *name)
{
    for (size_t i = 0; i < response->header_count; i++) {
        if (mica_text_is(response->headers[i].name, name))
            return response->headers[i].value;
    }
    return (struct mica_text){NULL, 0};
}

static void
check_problem(const struct mica_http_response *response,
              struct mica_arena *arena)
{
    struct mica_json value;
    int64_t status = 0;

    if (response->status < 400)
        return;
    FUZZ_MUST(mica_text_is(header_of(response, "Content-Type"),
                           "application/problem+json"));
    FUZZ_MUST(mica_json_read(arena, response->body, NULL, NULL, &value) ==
              MICA_OK);
    FUZZ_MUST(
        mica_integer_read(mica_json_get(&value, "status")->text, &status));
    FUZZ_MUST(status == (int64_t)response->status);
    FUZZ_MUST(mica_json_get_text(&value, "code").len > 0);
    FUZZ_MUST(mica_json_get_text(&value, "detail").len > 0);
}

// A client that has the tag gets no body.
static void
ask_again(const struct mica_http_allowed *allowed,
          const struct mica_http_request *request, struct mica_text tag)
{
    struct mica_header headers[MOST_HEADERS + 1];
    struct mica_http_request again = *request;
    struct mica_http_response response;
    struct mica_arena arena;

    memcpy(headers + 1, request->headers,
           request->header_count * sizeof *headers);
    headers[0] = (struct mica_header){MICA_LITERAL("If-None-Match"), tag};
    again.headers = headers;
    again.header_count++;
    mica_arena_init(&arena, 32 << 20);
    mica_server_handle_rest(rest_server(), &arena, allowed, &again, &response);
    FUZZ_MUST(response.status == 304 && response.body.len == 0);
    FUZZ_MUST(mica_text_equal(header_of(&response, "ETag"), tag));
    mica_arena_fini(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const origins[] = {"https://app.example", NULL};
    const struct mica_http_allowed allowed = {.origins = origins};
    struct mica_header headers[MOST_HEADERS];
    struct mica_http_request request;
    struct mica_http_response response;
    struct mica_arena arena, reading;
    struct mica_text tag;

    if (size > 16 * 1024)
        return 0;
    read_request((struct mica_text){(const char *)bytes, size}, headers,
                 &request);
    take_target(&request);
    mica_arena_init(&arena, 32 << 20);
    mica_arena_init(&reading, 32 << 20);
    mica_server_handle_rest(rest_server(), &arena, &allowed, &request,
                            &response);
    check_response(&response, &reading);
    check_problem(&response, &reading);
    tag = header_of(&response, "ETag");
    if (response.status == 200 && tag.len > 0)
        ask_again(&allowed, &request, tag);
    mica_arena_fini(&reading);
    mica_arena_fini(&arena);
    return 0;
}
