// SPDX-License-Identifier: Apache-2.0
//
// Ids of calls: random text in the alphabet of base64url. A client that knows an id still
// has to be the owner of the call.
#include "server/calls/calls_interface.h"

enum {
    ID_BYTES = MICA_CALL_ID_SIZE - 1
};

void
mica_call_id_make(const struct mica_platform *platform,
                  char id_out[MICA_CALL_ID_SIZE])
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char bytes[ID_BYTES];

    platform->random(platform->data, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        id_out[i] = alphabet[bytes[i] & 63];
    id_out[ID_BYTES] = '\0';
}
