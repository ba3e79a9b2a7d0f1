// SPDX-License-Identifier: Apache-2.0
//
// Two engines in one file: a module has one.
// flags: -DMICA_MODULE
// expect: redefinition of 'mica_module_engine'
#include <mica/engine.h>

struct input {
    double a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number."));

static enum mica_status
run(struct mica_call *call, const struct input *in, struct input *out)
{
    (void)call;
    out->a = in->a;
    return MICA_OK;
}

MICA_ENGINE(first, input, input, run, .title = "First");
MICA_ENGINE(second, input, input, run, .title = "Second");
