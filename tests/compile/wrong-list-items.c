// SPDX-License-Identifier: Apache-2.0
//
// A list of numbers whose items are floats.
// expect: field `values`: its items are not of that kind
#include <mica/engine.h>

struct input {
    struct {
        size_t count;
        const float *items;
    } values;
};
MICA_RECORD(input, MICA_LIST(values, number, "Numbers."));
