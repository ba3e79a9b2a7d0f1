// SPDX-License-Identifier: Apache-2.0
//
// A whole HTTP request to the MCP endpoint, headers and body (request.h).
#include "request.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const origins[] = {"https://app.example", NULL};
    const struct mica_http_allowed allowed = {.origins = origins};
    struct mica_header headers[MOST_HEADERS];
    struct mica_http_request request;
    struct mica_http_response response;
    struct mica_arena arena, reading;

    if (size > 16 * 1024)
        return 0;
    read_request((struct mica_text){(const char *)bytes, size}, headers,
                 &request);
    mica_arena_init(&arena, 32 << 20);
    mica_arena_init(&reading, 32 << 20);
    mica_server_handle(echo_server(), &arena, &allowed, &request, &response);
    check_response(&response, &reading);
    mica_arena_fini(&reading);
    mica_arena_fini(&arena);
    return 0;
}
