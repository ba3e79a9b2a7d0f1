// SPDX-License-Identifier: Apache-2.0
//
// Hashes with which the store identifies owners, parties, builds and idempotency keys. The
// store only compares them, and a key may be a secret.
#ifndef MICA_STORE_HASHES_H
#define MICA_STORE_HASHES_H

#include "store/store_calls.h"
#include "store/store_sessions.h"

enum {
    MICA_STORE_HASH_BYTES = 32
};

// The hash by which the store counts the calls of an owner; empty: it does not count them.
struct mica_text mica_store_caller_of(const struct mica_owner *owner,
                                      unsigned char hash_out[32]);

// The hash of the party by which the store counts a session; empty: it does not count it.
struct mica_text mica_store_party_of(const struct mica_store_session *session,
                                     unsigned char hash_out[32]);

// The hash of an owner at one endpoint.
struct mica_text mica_store_asker_of(const struct mica_owner *owner,
                                     unsigned char hash_out[32]);

// The hash of an idempotency key with the owner and target to which it belongs.
struct mica_text mica_store_call_key_of(const struct mica_kept_call *call,
                                        struct mica_text key,
                                        unsigned char hash_out[32]);

// The hash by which the store compares the answers of a round.
struct mica_text mica_store_answers_of(struct mica_text answers,
                                       unsigned char hash_out[32]);

// The number of a build: 63 bits, never 0.
int64_t mica_store_build_number(const struct mica_store_build *what);

#endif
