// SPDX-License-Identifier: Apache-2.0
//
// To whom a session or a call belongs.
#ifndef MICA_BASE_OWNER_H
#define MICA_BASE_OWNER_H

#include <mica/base.h>

// An account and who has authenticated it. Both are empty for an unknown caller.
struct mica_owner {
    struct mica_text issuer, subject;
};

#endif
