// SPDX-License-Identifier: Apache-2.0
//
// A nullable number that holds an integer.
// expect: MICA_NULLABLE(limit): its value is
// alone
#include <mica/engine.h>

struct input {
    struct {
        bool present;
        int64_t value;
    } limit;
};
MICA_RECORD(input, MICA_NULLABLE(limit, number, "At most."));
