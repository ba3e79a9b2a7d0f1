// SPDX-License-Identifier: Apache-2.0
//
// An optional field whose has_ member is no bool.
// expect: MICA_OPTIONAL(input, a): the member `has_a` must be `bool`
#include <mica/engine.h>

struct input {
    double a;
    int has_a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number.", MICA_OPTIONAL(input, a)));
