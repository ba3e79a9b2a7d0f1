// SPDX-License-Identifier: Apache-2.0
//
// An optional field without the bool that says whether it was given.
// expect: no member named 'has_a'
#include <mica/engine.h>

struct input {
    double a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number.", MICA_OPTIONAL(input, a)));
