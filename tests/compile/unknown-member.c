// SPDX-License-Identifier: Apache-2.0
//
// A field for a member that the struct does not have.
// expect: no member named 'amuont'
#include <mica/engine.h>

struct input {
    double amount;
};
MICA_RECORD(input, MICA_NUMBER(amuont, "How much."));
