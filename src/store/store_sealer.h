// SPDX-License-Identifier: Apache-2.0
//
// Seals with the keys of a store: implements src/server/sealer.h. Every process that shares the
// store can open what one has sealed.
//
// The text is base64url, without padding, of
//
//     1 byte     version, 1
//     4 bytes    number of the key, the most significant first
//     24 bytes   nonce, random
//     n bytes    XChaCha20-Poly1305 of the plain bytes
//     16 bytes   its tag, also over the 29 bytes above and the bound bytes
#ifndef MICA_STORE_STORE_SEALER_H
#define MICA_STORE_STORE_SEALER_H

#include <mica/store.h>

#include "server/sealer.h"

struct mica_store_sealer;

// Owner: the caller, until _close; the store must outlive it. Threads: any.
enum mica_status mica_store_sealer_open(struct mica_store *store,
                                        struct mica_error *error,
                                        struct mica_store_sealer **sealer_out)
    MICA_MUST_USE;

// Wipes the cached keys, frees the sealer, and sets the pointer to NULL.
void mica_store_sealer_close(struct mica_store_sealer **sealer);

// Its functions. Errors: those of src/server/sealer.h, and those of the store when they read a
// key: to seal once a minute, or twice in .key_overlap_ms if that is shorter, and to open once
// for each key.
struct mica_sealer mica_store_sealer(struct mica_store_sealer *sealer);

#endif
