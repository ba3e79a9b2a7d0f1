// SPDX-License-Identifier: Apache-2.0
//
// Ids of calls: random text in the alphabet of base64url. A client that knows an id still
// has to be the owner of the call.
#include "server/calls/calls_interface.h"

#include <string.h>

enum {
    ID_BYTES = MICA_CALL_ID_SIZE - 1
};

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void
mica_call_id_make(const struct mica_platform *platform,
                  char id_out[MICA_CALL_ID_SIZE])
{
    unsigned char bytes[ID_BYTES];

    platform->random(platform->data, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        id_out[i] = alphabet[bytes[i] & 63];
    id_out[ID_BYTES] = '\0';
}

bool
mica_call_id_fits(struct mica_text id)
{
    if (id.len != ID_BYTES)
        return false;
    for (size_t i = 0; i < id.len; i++)
        if (memchr(alphabet, id.ptr[i], sizeof alphabet - 1) == NULL)
            return false;
    return true;
}
