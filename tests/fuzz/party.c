// SPDX-License-Identifier: Apache-2.0
//
// The two header fields by which proxies name a client: one line a field, of which
// the first character says which of them it is. Whatever they say, a peer that is not
// trusted is the client itself.
#include "http/party.h"

#include <string.h>

#include "target.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_network proxy = {.bits = 128}, everything = {.bits = 0};
    const struct mica_proxies one = {&proxy, 1}, all = {&everything, 1},
                              no = {NULL, 0};
    struct mica_ip peer = {{[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1}}, ip;
    struct mica_header headers[16];
    size_t count = 0, at = 0;

    proxy.ip = peer;
    while (at < size && count < MICA_COUNT(headers)) {
        const uint8_t *end = memchr(bytes + at, '\n', size - at);
        size_t stop = end != NULL ? (size_t)(end - bytes) : size;
        headers[count].name = bytes[at] == 'f'
                                  ? MICA_LITERAL("Forwarded")
                                  : MICA_LITERAL("X-Forwarded-For");
        at += at < stop;
        headers[count++].value =
            (struct mica_text){(const char *)bytes + at, stop - at};
        at = stop + 1;
    }
    ip = mica_party_client(&no, peer, headers, count);
    FUZZ_MUST(memcmp(&ip, &peer, sizeof ip) == 0);
    (void)mica_party_client(&one, peer, headers, count);
    ip = mica_party_client(&all, peer, headers, count);
    ip = mica_party_of(&ip);
    struct mica_ip again = mica_party_of(&ip);
    FUZZ_MUST(memcmp(&ip, &again, sizeof ip) == 0);
    return 0;
}
