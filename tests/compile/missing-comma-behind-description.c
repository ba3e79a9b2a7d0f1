// SPDX-License-Identifier: Apache-2.0
//
// An option that follows its description without a comma.
// expect: MICA_NUMBER(a): a comma is missing behind the description
#include <mica/engine.h>

struct input {
    double a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number.".minimum = 0));
