// SPDX-License-Identifier: Apache-2.0
//
// To whom a session or a call belongs.
#ifndef MICA_BASE_OWNER_H
#define MICA_BASE_OWNER_H

#include <mica/base.h>

// An account and who has authenticated it, both empty for an unknown caller; and the
// key of the endpoint where it is so. What is an account's at one endpoint is unknown at
// another.
struct mica_owner {
    struct mica_text issuer, subject;
    struct mica_text endpoint;
};

#endif
