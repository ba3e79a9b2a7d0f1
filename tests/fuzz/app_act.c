// SPDX-License-Identifier: Apache-2.0
//
// A request to the API of apps, and its act over a store in memory with one app. The first
// line of the input is the method, the path and the query, then the headers, an empty line,
// the body. Whatever comes, the answer is JSON or html, or an error with the members of the
// contract; a caller without a role learns nothing; and the app can still be read.
#include <string.h>

#include "http/app_request.h"
#include "request.h"
#include "store/store_apps.h"
#include "target.h"

static struct mica_acts acts;
static struct mica_error error;

static int64_t
now(void)
{
    return 1790000000000;
}

static void
act_as(const char *namez, bool has_role, const struct mica_act_request *request,
       struct mica_arena *arena)
{
    const struct mica_act_person person = {.name = mica_text(namez)};
    struct mica_act_answer answer;
    enum mica_status status =
        mica_act_run(&acts, &person, request, arena, &answer);
    struct mica_json_writer writer;
    struct mica_buffer body;
    struct mica_json value;

    if (status == MICA_OK) {
        FUZZ_MUST((answer.json.len > 0) != (answer.html.len > 0));
        FUZZ_MUST(answer.html.len > 0 ||
                  (mica_json_read(arena, answer.json, NULL, &error, &value) ==
                       MICA_OK &&
                   value.kind == MICA_JSON_OBJECT));
        FUZZ_MUST(has_role || request->app.len == 0);
        return;
    }
    FUZZ_MUST(answer.json.len == 0 && answer.html.len == 0);
    mica_buffer_init(&body, arena, MICA_ACT_ANSWER_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_app_error_write_body(&writer, &answer.error);
    FUZZ_MUST(mica_json_read(arena, mica_buffer_as_text(&body), NULL, &error,
                             &value) == MICA_OK);
    FUZZ_MUST(
        mica_json_get_text(mica_json_get(&value, "error"), "message").len > 0);
}

// The first line without its method: a path, and a query after "?".
static void
take_target(struct mica_http_request *request)
{
    struct mica_text line = request->method;
    const char *space = line.len > 0 ? memchr(line.ptr, ' ', line.len) : NULL;
    const char *mark;
    size_t at = space == NULL ? line.len : (size_t)(space - line.ptr);

    request->method = mica_text_slice(line, 0, at);
    line = mica_text_slice(line, at + 1, line.len);
    mark = line.len > 0 ? memchr(line.ptr, '?', line.len) : NULL;
    at = mark == NULL ? line.len : (size_t)(mark - line.ptr);
    request->path = mica_text_slice(line, 0, at);
    request->query = mica_text_slice(line, at + 1, line.len);
}

static void
check_request(const struct mica_http_request *request, struct mica_arena *arena)
{
    const struct mica_act_request read = {.act = MICA_ACT_READ,
                                          .app = MICA_LITERAL("fuzz")};
    struct mica_app_request own;
    enum mica_status status =
        mica_app_request_read(request, MICA_LITERAL("localhost"),
                              (struct mica_text){NULL, 0}, arena, &error, &own);

    if (status != MICA_OK) {
        FUZZ_MUST(status == MICA_E_NOT_FOUND || status == MICA_E_METHOD ||
                  status == MICA_E_CROSS_SITE || status == MICA_E_MEDIA ||
                  status == MICA_E_CONFIG);
        return;
    }
    FUZZ_MUST((unsigned)own.act.act < MICA_ACTS &&
              own.act.revision >= MICA_ACT_UNSAID);
    act_as("mallory", false, &own.act, arena);
    act_as("olga", true, &read, arena);
    act_as("olga", true, &own.act, arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct mica_act_request create = {
        .act = MICA_ACT_CREATE,
        .body = MICA_LITERAL("{\"name\":\"Fuzz\",\"propose\":true}")};
    struct mica_header headers[MOST_HEADERS];
    struct mica_http_request request;
    struct mica_arena arena;

    if (size > 64 * 1024)
        return 0;
    mica_arena_init(&arena, 256 << 20);
    acts = (struct mica_acts){.now = now};
    FUZZ_MUST(mica_store_open("memory", NULL, &error, &acts.store) == MICA_OK);
    act_as("olga", true, &create, &arena);
    read_request((struct mica_text){(const char *)bytes, size}, headers,
                 &request);
    take_target(&request);
    if (mica_text_starts(request.path, "/api/apps") &&
        (request.path.len == 9 || request.path.ptr[9] == '/'))
        check_request(&request, &arena);
    mica_store_close(&acts.store);
    mica_arena_fini(&arena);
    return 0;
}
