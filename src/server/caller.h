// SPDX-License-Identifier: Apache-2.0
//
// A caller: the owner of sessions, calls and idempotency keys. It is a principal at an
// endpoint. No other caller can find what it owns, nor can the same principal at another
// endpoint.
#ifndef MICA_SERVER_CALLER_H
#define MICA_SERVER_CALLER_H

#include <mica/http.h>

struct mica_caller {
    const struct mica_principal *principal; // NULL: unknown
    struct mica_text endpoint;              // its key
};

#endif
