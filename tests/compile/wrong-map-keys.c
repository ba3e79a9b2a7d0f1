// SPDX-License-Identifier: Apache-2.0
//
// A map whose keys are C strings.
// expect: MICA_MAP(rates): its keys are `const struct mica_text *`
#include <mica/engine.h>

struct input {
    struct {
        size_t count;
        const char *const *keys;
        const double *items;
    } rates;
};
MICA_RECORD(input, MICA_MAP(rates, number, "By name."));
