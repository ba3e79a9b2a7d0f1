// SPDX-License-Identifier: Apache-2.0
//
// The keys of a store: which one seals, and which one opens. <mica/store.h> has the key
// itself, and what rotates it.
#ifndef MICA_STORE_STORE_KEYS_H
#define MICA_STORE_STORE_KEYS_H

#include <mica/store.h>

// The key to seal with: the newest, or a new one when the store has no key or its
// newest is older than key_age_ms. Processes that ask at once get the same.
enum mica_status mica_store_key_current(struct mica_store *store, int64_t now,
                                        struct mica_error *error,
                                        struct mica_store_key *key_out)
    MICA_MUST_USE;

// The key to open with. Errors: MICA_E_NOT_FOUND (no such key, or retired).
enum mica_status mica_store_key_find(struct mica_store *store, uint32_t id,
                                     int64_t now, struct mica_error *error,
                                     struct mica_store_key *key_out)
    MICA_MUST_USE;

#endif
