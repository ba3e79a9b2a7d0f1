// SPDX-License-Identifier: Apache-2.0
//
// Sealing, as the core sees it: bytes become a text that only a server with the
// same keys can open, and only unchanged. An adapter fills in the functions
// (src/store/store_sealer.h), or a program has a key (siphash_sealer.c); a cursor, a session or
// a state is what is sealed.
#ifndef MICA_SERVER_SEALER_H
#define MICA_SERVER_SEALER_H

#include <mica/base.h>

struct mica_sealer {
    // Appends the sealed text, base64url without padding or base64, to `text_out`.
    // `bound` is not in it and has to be the same at opening: what it is for,
    // and whose it is. `now` is milliseconds since 1970.
    enum mica_status (*seal)(void *user, int64_t now, struct mica_text plain,
                             struct mica_text bound, struct mica_error *error,
                             struct mica_buffer *text_out);

    // Appends what was sealed to `plain_out`, which is unchanged on failure.
    // MICA_E_FORMAT: not made by this server, changed by one bit, bound to
    // something else, or its key has retired; which of these is not said.
    enum mica_status (*open)(void *user, int64_t now, struct mica_text text,
                             struct mica_text bound, struct mica_error *error,
                             struct mica_buffer *plain_out);
    // Would `open` of `text`, or `seal` when that is empty, give its result without
    // waiting for a store? NULL: always.
    bool (*ready)(void *user, int64_t now, struct mica_text text);
    void *user;
};

// A sealer with one key, MICA_CURSOR_KEY_BYTES that are copied: what it seals is
// not secret, but no client can make it up. In `arena`; NULL for want of memory.
const struct mica_sealer *mica_siphash_sealer(struct mica_arena *arena,
                                              const void *key);

// Longest sealed text; a longer one is refused before it is looked at.
#define MICA_SEALED_BYTES 65536

#endif
