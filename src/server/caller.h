// SPDX-License-Identifier: Apache-2.0
//
// A caller: the owner of sessions, calls and idempotency keys. It is a principal at an
// endpoint. No other caller can find what it owns, nor can the same principal at another
// endpoint.
#ifndef MICA_SERVER_CALLER_H
#define MICA_SERVER_CALLER_H

#include <mica/http.h>

// Does the principal have a name? A server that identifies callers has an anonymous one
// beside them, without a name and without scopes: at an app that is public. It is not NULL,
// the caller of a server that identifies none, who needs no scopes.
static inline bool
mica_principal_is_known(const struct mica_principal *principal)
{
    return principal != NULL &&
           (principal->issuer.len > 0 || principal->subject.len > 0);
}

struct mica_caller {
    const struct mica_principal *principal; // NULL: unknown
    struct mica_text endpoint;              // its key
};

#endif
