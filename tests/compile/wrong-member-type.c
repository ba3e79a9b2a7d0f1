// SPDX-License-Identifier: Apache-2.0
//
// A number whose member is an int.
// expect: field `a`: its member is of another type
#include <mica/engine.h>

struct input {
    int a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number."));
