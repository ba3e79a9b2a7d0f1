// SPDX-License-Identifier: Apache-2.0
//
// A list of numbers whose items are floats.
// expect: MICA_LIST(values): each of its items is
// alone
#include <mica/engine.h>

struct input {
    struct {
        size_t count;
        const float *items;
    } values;
};
MICA_RECORD(input, MICA_LIST(values, number, "Numbers."));
