// SPDX-License-Identifier: Apache-2.0
//
// Who asks, and where: what sessions, calls and idempotency keys belong to. What one
// caller has at one endpoint is unknown to any other caller, and at any other endpoint.
#ifndef MICA_SERVER_CALLER_H
#define MICA_SERVER_CALLER_H

#include <mica/http.h>

struct mica_caller {
    const struct mica_principal *principal; // NULL: unknown
    struct mica_text endpoint;              // its key
};

#endif
