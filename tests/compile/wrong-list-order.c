// SPDX-License-Identifier: Apache-2.0
//
// A list whose items come before their count.
// expect: MICA_LIST(values): it is `size_t count`, then its items
#include <mica/engine.h>

struct input {
    struct {
        const double *items;
        size_t count;
    } values;
};
MICA_RECORD(input, MICA_LIST(values, number, "Numbers."));
