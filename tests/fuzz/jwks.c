// SPDX-License-Identifier: Apache-2.0
//
// A key set as an issuer's server sends it: whatever it is, the keys that are
// taken from it are few and each has an algorithm, and using them is safe.
#include "auth/issuer_keys.h"
#include "target.h"

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text input = {(const char *)bytes, size};
    struct mica_keys *keys = NULL;

    if (size > 64 * 1024 || mica_keys_read(input, NULL, &keys) != MICA_OK)
        return 0;
    FUZZ_MUST(keys->count > 0 && keys->count <= MICA_AUTH_KEYS);
    for (size_t i = 0; i < keys->count; i++) {
        const struct mica_token token = {
            .algorithm = keys->keys[i].algorithm,
            .kid = keys->keys[i].kid,
            .signed_part = MICA_LITERAL("e30.e30"),
            .signature = {(const char *)bytes, size < 512 ? size : 512}};
        FUZZ_MUST(keys->keys[i].public != NULL);
        FUZZ_MUST(mica_keys_verify(keys, &token) != MICA_VERDICT_GOOD);
        FUZZ_MUST(mica_keys_verify(keys, &token) != MICA_VERDICT_UNKNOWN);
    }
    mica_keys_free(keys);
    return 0;
}
