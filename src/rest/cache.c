// SPDX-License-Identifier: Apache-2.0
//
// Entity tags. What a tag has to tell apart are the replies at one address: the
// address has the input, so the version is what matters, and a hash that is weak against
// chosen collisions is enough for the rest.
#include <string.h>

#include "base/hash.h"
#include "rest/request.h"

enum {
    VERSION_DIGITS = 16
};

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
                       (unsigned long long)mica_hash_text(input));
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
