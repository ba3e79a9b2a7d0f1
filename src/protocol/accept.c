// SPDX-License-Identifier: Apache-2.0
//
// Reads the header Accept.
#include "protocol/accept.h"

#include "protocol/header_value.h"

// Media types are case-insensitive.
static unsigned
media_of(struct mica_text type)
{
    static const struct {
        const char *typez;
        unsigned media;
    } types[] = {{"application/json", MICA_MEDIA_JSON},
                 {"text/event-stream", MICA_MEDIA_STREAM},
                 {"*/*", MICA_MEDIA_ANY},
                 {"text/html", MICA_MEDIA_HTML},
                 {"application/*", MICA_MEDIA_JSON},
                 {"text/*", MICA_MEDIA_TEXT},
                 {"application/problem+json", MICA_MEDIA_PROBLEM}};

    for (size_t i = 0; i < MICA_COUNT(types); i++) {
        if (mica_ascii_is(type, types[i].typez))
            return types[i].media;
    }
    return 0;
}

unsigned
mica_accept_line(struct mica_text value)
{
    unsigned media = 0;
    struct mica_text element;

    while (mica_header_next(&value, &element)) {
        media |= MICA_MEDIA_LISTED;
        if (mica_header_wants(element))
            media |= media_of(mica_header_bare(element));
    }
    return media;
}

unsigned
mica_accept_request(const struct mica_http_request *request)
{
    unsigned media = 0;

    for (size_t i = 0; i < request->header_count; i++) {
        if (mica_ascii_is(request->headers[i].name, "accept"))
            media |= mica_accept_line(request->headers[i].value);
    }
    return media;
}
