// SPDX-License-Identifier: Apache-2.0
//
// A number whose member is an int.
// expect: field 'a': the member's type is not that of the field
#include <mica/engine.h>

struct input {
    int a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number."));
