// SPDX-License-Identifier: Apache-2.0
//
// An optional field whose has_ member is no bool.
// expect: field `a`: needs a `bool has_` member beside it
#include <mica/engine.h>

struct input {
    double a;
    int has_a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number.", MICA_OPTIONAL(input, a)));
