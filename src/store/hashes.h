// SPDX-License-Identifier: Apache-2.0
//
// By what owners, parties, builds and idempotency keys are known in the store. They are
// only compared, and a key may be what others would like to know.
#ifndef MICA_STORE_HASHES_H
#define MICA_STORE_HASHES_H

#include "store/store_calls.h"
#include "store/store_sessions.h"

enum {
    MICA_STORE_HASH_BYTES = 32
};

// By what the calls of an owner are counted, in `hash_out`; empty: they are not.
struct mica_text mica_store_caller_of(const struct mica_owner *owner,
                                      unsigned char hash_out[32]);

// By what a session is counted, in `hash_out`; empty: it is not.
struct mica_text mica_store_party_of(const struct mica_store_session *session,
                                     unsigned char hash_out[32]);

// By what an owner at one endpoint is known, in `hash_out`.
struct mica_text mica_store_asker_of(const struct mica_owner *owner,
                                     unsigned char hash_out[32]);

// By what an idempotency key is kept: a hash of all that it belongs to.
struct mica_text mica_store_call_key_of(const struct mica_kept_call *call,
                                        struct mica_text key,
                                        unsigned char hash_out[32]);

// By what the answers of a round are compared.
struct mica_text mica_store_answers_of(struct mica_text answers,
                                       unsigned char hash_out[32]);

// The number of a build: 63 bits, never 0.
int64_t mica_store_build_number(const struct mica_store_build *what);

#endif
