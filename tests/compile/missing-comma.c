// SPDX-License-Identifier: Apache-2.0
//
// Two fields without a comma between them.
// expect: a comma is missing behind the field `a`
// alone
#include <mica/engine.h>

struct input {
    double a, b;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number.") MICA_NUMBER(b, "Another."));
