// SPDX-License-Identifier: Apache-2.0
//
// A handler of another engine: it takes the output as its input.
// expect: incompatible
#include <mica/engine.h>

struct input {
    double a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number."));
struct output {
    double b;
};
MICA_RECORD(output, MICA_NUMBER(b, "A number."));

static enum mica_status
run(struct mica_call *call, const struct output *in, struct output *out)
{
    (void)call;
    out->b = in->b;
    return MICA_OK;
}

MICA_ENGINE(wrong, input, output, run, .title = "Wrong");
