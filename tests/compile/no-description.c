// SPDX-License-Identifier: Apache-2.0
//
// A field that does not say what it is.
// expect: MICA_NUMBER(a): the description is missing
// alone
#include <mica/engine.h>

struct input {
    double a;
};
MICA_RECORD(input, MICA_NUMBER(a, .minimum = 0));
