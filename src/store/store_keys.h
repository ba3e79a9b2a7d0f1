// SPDX-License-Identifier: Apache-2.0
//
// Reads the keys of a store: the key that seals, and the key that opens a text.
// <mica/store.h> has the struct of a key, and rotates keys.
#ifndef MICA_STORE_STORE_KEYS_H
#define MICA_STORE_STORE_KEYS_H

#include <mica/store.h>

// Reads the key that seals: the newest; makes a new one if the store has no key, or if its
// newest is older than key_age_ms. Processes that call it at the same time get the same key.
enum mica_status mica_store_key_current(struct mica_store *store, int64_t now,
                                        struct mica_error *error,
                                        struct mica_store_key *key_out)
    MICA_MUST_USE;

// Reads the key that opens a text. Errors: MICA_E_NOT_FOUND (no such key, or it has retired).
enum mica_status mica_store_key_find(struct mica_store *store, uint32_t id,
                                     int64_t now, struct mica_error *error,
                                     struct mica_store_key *key_out)
    MICA_MUST_USE;

#endif
