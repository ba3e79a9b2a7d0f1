// SPDX-License-Identifier: Apache-2.0
//
// The interface to sealing. A sealer turns bytes into a text that only a server with the
// same keys can open, and only unchanged. The server seals cursors and the states of calls
// (requestState). An adapter implements it (src/store/store_sealer.h), or a
// program gives a key (siphash_sealer.c).
#ifndef MICA_SERVER_SEALER_H
#define MICA_SERVER_SEALER_H

#include <mica/base.h>

struct mica_sealer {
    // Appends the sealed text, base64url without padding or base64, to `text_out`. The
    // text does not contain `bound`, its purpose and owner; it opens only with the same
    // `bound`. `now` is milliseconds since 1970.
    enum mica_status (*seal)(void *user, int64_t now, struct mica_text plain,
                             struct mica_text bound, struct mica_error *error,
                             struct mica_buffer *text_out);

    // Appends the sealed bytes to `plain_out`, which is unchanged on failure.
    // MICA_E_FORMAT: another server made the text, it was changed, it is bound to
    // something else, or its key has retired. The error does not tell which.
    enum mica_status (*open)(void *user, int64_t now, struct mica_text text,
                             struct mica_text bound, struct mica_error *error,
                             struct mica_buffer *plain_out);
    // Can `open` of `text` (empty text: can `seal`) return without blocking on a store?
    // NULL: always.
    bool (*ready)(void *user, int64_t now, struct mica_text text);
    void *user;
};

// Makes a sealer with one key of MICA_CURSOR_KEY_BYTES, which it copies. It does not
// encrypt, but a client cannot forge its texts. In `arena`; NULL for want of memory.
const struct mica_sealer *mica_siphash_sealer(struct mica_arena *arena,
                                              const void *key);

// Longest sealed text. A longer one is refused unread.
#define MICA_SEALED_BYTES 65536

#endif
