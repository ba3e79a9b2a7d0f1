// SPDX-License-Identifier: Apache-2.0
//
// What a browser sends to a login: a header Cookie, the query of a callback, the page to
// return to. The first line of the input is the cookie, the rest the query.
#include "auth/login.h"
#include "base/url.h"

#include <string.h>

#include "target.h"

static void
read_cookie(struct mica_text text)
{
    const struct mica_header headers[] = {
        {MICA_LITERAL("Cookie"), text},
        {MICA_LITERAL("cookie"), MICA_LITERAL("a=b")}};
    const struct mica_http_request request = {.headers = headers,
                                              .header_count = 2};
    const char *const names[] = {"mica", "__Host-mica", "a"};
    struct mica_text id;

    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        if (!mica_login_cookie_find(&request, mica_text(names[i]), &id))
            continue;
        FUZZ_MUST(id.len == MICA_LOGIN_ID_BYTES);
        FUZZ_MUST(id.ptr >= text.ptr && id.ptr + id.len <= text.ptr + text.len);
        FUZZ_MUST(memchr(id.ptr, ';', id.len) == NULL);
        FUZZ_MUST(memchr(id.ptr, '\n', id.len) == NULL);
    }
}

// A target leads nowhere but to a path of this server; encoded and decoded it is the
// same.
static void
read_target(struct mica_arena *arena, struct mica_text target)
{
    struct mica_buffer query;
    struct mica_text again;

    mica_buffer_init(&query, arena, 1 << 20);
    mica_buffer_text(&query, MICA_LITERAL("to="));
    mica_url_encode(&query, target);
    for (size_t i = 3; i < query.len; i++)
        FUZZ_MUST(query.ptr[i] > ' ' && query.ptr[i] <= '~' &&
                  strchr("&=#?/+\"'<>;", query.ptr[i]) == NULL);
    FUZZ_MUST(mica_login_query_find(mica_buffer_as_text(&query), "to", 1 << 20,
                                    arena, &again));
    FUZZ_MUST(mica_text_equal(again, target));
    if (!mica_login_target_valid(target))
        return;
    FUZZ_MUST(target.len <= MICA_LOGIN_TARGET_BYTES && target.ptr[0] == '/');
    FUZZ_MUST(target.len == 1 ||
              (target.ptr[1] != '/' && target.ptr[1] != '.'));
    for (size_t i = 0; i < target.len; i++)
        FUZZ_MUST(target.ptr[i] > ' ' && target.ptr[i] <= '~' &&
                  target.ptr[i] != '\\' && target.ptr[i] != '"' &&
                  target.ptr[i] != '<' && target.ptr[i] != '#');
}

static void
read_query(struct mica_arena *arena, struct mica_text query)
{
    static const char *const names[] = {"code", "state", "iss", "error", "to"};
    struct mica_text value;

    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        if (!mica_login_query_find(query, names[i], 4096, arena, &value))
            continue;
        FUZZ_MUST(value.len <= 4096 && value.len <= query.len);
        read_target(arena, value);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text input = {(const char *)bytes, size};
    const char *end = size > 0 ? memchr(bytes, '\n', size) : NULL;
    struct mica_arena arena;
    size_t first;

    if (size == 0 || size > 32 * 1024)
        return 0;
    first = end != NULL ? (size_t)(end - input.ptr) : size;
    mica_arena_init(&arena, 16 << 20);
    read_cookie(mica_text_slice(input, 0, first));
    read_query(&arena,
               mica_text_slice(input, first < size ? first + 1 : size, size));
    read_target(&arena, input);
    mica_arena_fini(&arena);
    return 0;
}
