// SPDX-License-Identifier: Apache-2.0
//
// Where an exchange is between its first byte and the last holder's release.
// exchange_state.c draws the table.
#ifndef MICA_HTTP_EXCHANGE_STATE_H
#define MICA_HTTP_EXCHANGE_STATE_H

#include "base/states.h"

struct mica_http_exchange;

enum mica_exchange_state {
    MICA_EXCHANGE_FREE,  // in the list of free ones, or given back
    MICA_EXCHANGE_HEAD,  // the request line has come
    MICA_EXCHANGE_BODY,  // the headers are read, the body comes in
    MICA_EXCHANGE_STEP,  // whole: its connection's I/O thread does what is next
    MICA_EXCHANGE_STORE, // suspended: a store operation runs for it
    MICA_EXCHANGE_WORK,  // suspended: a worker runs its call
    MICA_EXCHANGE_STREAM, // a stream answers it, and is queued
    MICA_EXCHANGE_REPLY,  // a reply is ready, or queued
    MICA_EXCHANGE_SENT    // its connection has let go of it
};
extern const struct mica_states mica_exchange_states;

// Moves the exchange. Only its owner may: until it is suspended, and from when it is
// resumed, the I/O thread of its connection; in between the thread it was handed
// to. The move comes first and the hand-over behind it. Builds with MICA_DEBUG
// check the move, its thread and the invariants of the new state.
void mica_exchange_move(struct mica_http_exchange *exchange,
                        enum mica_exchange_state state);

#endif
