// SPDX-License-Identifier: Apache-2.0
//
// The arguments of http_request as JSON, or an address alone. A path that comes out is
// resolved and below what is mounted; it is read again as itself. No header says who asks, and
// none can be split.
#include <string.h>

#include <mica/json.h>

#include "base/ascii.h"
#include "rest/relay.h"
#include "rest/request_path.h"
#include "target.h"

enum {
    MEMORY_BYTES = 16 << 20
};

static const char *const headers[] = {"x-tenant", NULL};
static const struct mica_mount mount = {.path = "/graphql", .headers = headers};
static struct mica_relay relay = {.mounts = {&mount}, .mount_count = 1};

static void
check_path(struct mica_arena *arena, struct mica_text path)
{
    struct mica_request_path again;
    struct mica_error error;

    FUZZ_MUST(path.len > 0 && path.ptr[0] == '/');
    for (size_t i = 0; i < path.len; i++) {
        struct mica_text rest = mica_text_slice(path, i, path.len);
        FUZZ_MUST(path.ptr[i] > ' ' && path.ptr[i] < 0x7f &&
                  path.ptr[i] != '\\' && path.ptr[i] != '?' &&
                  path.ptr[i] != '#');
        FUZZ_MUST(!mica_text_starts(rest, "//"));
        FUZZ_MUST(!mica_text_starts(rest, "/./") &&
                  !mica_text_starts(rest, "/../"));
        FUZZ_MUST(!mica_text_is(rest, "/.") && !mica_text_is(rest, "/.."));
        if (path.ptr[i] == '%') {
            int high = mica_ascii_hex(rest.ptr[1]);
            int low = mica_ascii_hex(rest.ptr[2]);
            FUZZ_MUST(rest.len > 2 && high >= 0 && low >= 0);
            int byte = high * 16 + low;
            FUZZ_MUST(byte != '/' && byte != '\\' && byte != '.' &&
                      byte != '%' && byte > ' ');
        }
    }
    FUZZ_MUST(mica_request_path_read(arena, path, &error, &again) == MICA_OK);
    FUZZ_MUST(mica_text_equal(again.path, path) && again.query.len == 0);
}

static void
check_headers(const struct mica_relay_request *request)
{
    FUZZ_MUST(request->http.header_count <= MICA_RELAY_HEADERS);
    for (size_t i = 0; i < request->http.header_count; i++) {
        struct mica_header header = request->headers[i];
        FUZZ_MUST(header.name.len > 0 && !mica_relay_is_never(header.name));
        for (size_t k = 0; k < header.name.len; k++)
            FUZZ_MUST(header.name.ptr[k] > ' ' && header.name.ptr[k] < 0x7f &&
                      header.name.ptr[k] != ':' &&
                      (header.name.ptr[k] < 'A' || header.name.ptr[k] > 'Z'));
        for (size_t k = 0; k < header.value.len; k++)
            FUZZ_MUST(header.value.ptr[k] != '\r' &&
                      header.value.ptr[k] != '\n' &&
                      header.value.ptr[k] != '\0');
        for (size_t k = 0; k < i; k++)
            FUZZ_MUST(!mica_text_equal(request->headers[k].name, header.name));
    }
}

static void
check_request(struct mica_arena *arena, const struct mica_json *arguments)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_relay_request request;

    if (mica_relay_read(&relay, arguments, arena, &error, &request) !=
        MICA_OK) {
        FUZZ_MUST(error.message[0] != '\0');
        return;
    }
    check_path(arena, request.http.path);
    check_headers(&request);
    FUZZ_MUST(request.http.body.len <= MICA_RELAY_BYTES);
    if (request.mount != NULL)
        FUZZ_MUST(mica_request_path_is_below(request.http.path,
                                             MICA_LITERAL("/graphql")));
    else
        FUZZ_MUST(mica_request_path_is_below(request.http.path,
                                             MICA_LITERAL("/api")) ||
                  mica_text_is(request.http.path, "/openapi.json"));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct mica_text text = {(const char *)bytes, size};
    struct mica_error error = {.status = MICA_OK};
    struct mica_request_path path;
    struct mica_arena arena;
    struct mica_json value;

    mica_arena_init(&arena, MEMORY_BYTES);
    if (mica_json_read(&arena, text, NULL, NULL, &value) == MICA_OK)
        check_request(&arena, &value);
    else if (mica_request_path_read(&arena, text, &error, &path) == MICA_OK)
        check_path(&arena, path.path);
    else
        FUZZ_MUST(error.message[0] != '\0');
    mica_arena_fini(&arena);
    return 0;
}
