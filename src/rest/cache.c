// SPDX-License-Identifier: Apache-2.0
//
// Entity tags. What a tag has to tell apart are the replies at one address: the
// address has the input, so the version is what matters, and a hash that nobody
// has to find collisions of is enough for the rest.
#include <string.h>

#include "rest/request.h"

enum {
    VERSION_DIGITS = 16
};

// FNV-1a.
static uint64_t
hash(struct mica_text text)
{
    uint64_t value = 14695981039346656037u;

    for (size_t i = 0; i < text.len; i++)
        value = (value ^ (unsigned char)text.ptr[i]) * 1099511628211u;
    return value;
}

void
mica_rest_tag(struct mica_rest *rest, struct mica_text version,
              struct mica_text input)
{
    struct mica_buffer tag = {.ptr = rest->etag,
                              .capacity = sizeof rest->etag - 1,
                              .max = sizeof rest->etag - 1};

    mica_buffer_format(&tag, "\"%.*s%016llx\"",
                       (int)mica_text_slice(version, 0, VERSION_DIGITS).len,
                       version.len > 0 ? version.ptr : "",
                       (unsigned long long)hash(input));
    rest->etag[tag.len] = '\0';
}

bool
mica_rest_matches(const struct mica_message *message, bool any)
{
    return mica_header_names_tag(message->request.http,
                                 mica_text(mica_rest_of(message)->etag), any);
}

void
mica_rest_unchanged(struct mica_message *message)
{
    message->step = MICA_STEP_SILENT;
    message->reply.http_status = 304;
    message->reply.text.len = 0;
}
