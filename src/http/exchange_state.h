// SPDX-License-Identifier: Apache-2.0
//
// The states of an exchange, from its first byte to the release by its last holder.
// exchange_state.c draws them.
#ifndef MICA_HTTP_EXCHANGE_STATE_H
#define MICA_HTTP_EXCHANGE_STATE_H

#include "base/states.h"

struct mica_http_exchange;

enum mica_exchange_state {
    MICA_EXCHANGE_FREE,   // in the free list
    MICA_EXCHANGE_HEAD,   // libmicrohttpd has read the request line
    MICA_EXCHANGE_BODY,   // the headers are read, the body arrives
    MICA_EXCHANGE_STEP,   // whole: the I/O thread does the next step
    MICA_EXCHANGE_STORE,  // suspended: a store operation runs for it
    MICA_EXCHANGE_LOGIN,  // suspended: the login thread asks an issuer for it
    MICA_EXCHANGE_WORK,   // suspended: a worker runs its call
    MICA_EXCHANGE_STREAM, // a stream is queued as its reply
    MICA_EXCHANGE_REPLY,  // a reply is ready, or queued
    MICA_EXCHANGE_SENT    // the connection is done with it
};
extern const struct mica_states mica_exchange_states;

// Changes the state. Only the owner may: the I/O thread of the connection; while the
// connection is suspended, the thread that the exchange was handed to. Change the state
// before the hand-over. Builds with MICA_DEBUG check the change, its thread and the
// invariants of the new state.
void mica_exchange_move(struct mica_http_exchange *exchange,
                        enum mica_exchange_state state);

#endif
