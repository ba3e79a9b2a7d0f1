// SPDX-License-Identifier: Apache-2.0
//
// A number whose member is an int.
// expect: MICA_NUMBER(a): its member is `int` and must be `double`
// alone
#include <mica/engine.h>

struct input {
    int a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number."));
