// SPDX-License-Identifier: Apache-2.0
//
// A whole HTTP request as text: the first line is the method, then "Name: value"
// lines, an empty line, the body. And what is true of every response to one.
#ifndef MICA_FUZZ_REQUEST_H
#define MICA_FUZZ_REQUEST_H

#include <string.h>

#include "echo.h"

enum {
    MOST_HEADERS = 32
};

// Takes a line off `*rest`, without its end.
static inline struct mica_text
take_line(struct mica_text *rest)
{
    const char *end = rest->len > 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;
    size_t length = end == NULL ? rest->len : (size_t)(end - rest->ptr);
    struct mica_text line = mica_text_slice(*rest, 0, length);

    *rest = mica_text_slice(*rest, length + (end != NULL), rest->len);
    return line;
}

static inline void
read_request(struct mica_text input, struct mica_header headers[MOST_HEADERS],
             struct mica_http_request *request_out)
{
    struct mica_http_request request = {.method = take_line(&input),
                                        .path = MICA_LITERAL("/mcp"),
                                        .headers = headers};

    while (input.len > 0 && request.header_count < MOST_HEADERS) {
        struct mica_text line = take_line(&input);
        const char *colon =
            line.len > 0 ? memchr(line.ptr, ':', line.len) : NULL;
        size_t at = colon == NULL ? line.len : (size_t)(colon - line.ptr);
        if (line.len == 0)
            break;
        headers[request.header_count++] =
            (struct mica_header){mica_text_slice(line, 0, at),
                                 mica_text_slice(line, at + 1, line.len)};
    }
    request.body = input;
    *request_out = request;
}

// A known status, a body that is one JSON value or empty, and no header that can
// be split.
static inline void
check_response(const struct mica_http_response *response,
               struct mica_arena *arena)
{
    struct mica_json value;

    FUZZ_MUST(response->status >= 200 && response->status < 600);
    for (size_t i = 0; i < response->header_count; i++) {
        struct mica_text header = response->headers[i].value;
        FUZZ_MUST(header.len > 0);
        FUZZ_MUST(memchr(header.ptr, '\n', header.len) == NULL &&
                  memchr(header.ptr, '\r', header.len) == NULL);
    }
    if (response->body.len > 0)
        FUZZ_MUST(mica_json_read(arena, response->body, NULL, NULL, &value) ==
                  MICA_OK);
}

#endif
