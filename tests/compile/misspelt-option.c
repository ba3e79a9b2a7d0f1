// SPDX-License-Identifier: Apache-2.0
//
// An option that does not exist.
// gcc: no member named 'minimun'; did you mean 'minimum'?
// clang: 'minimun' does not refer to any field
#include <mica/engine.h>

struct input {
    double a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number.", .minimun = 0));
