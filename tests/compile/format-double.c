// SPDX-License-Identifier: Apache-2.0
//
// A double in a format.
// expect: a format of mica prints no double (%f, %g, %e): write %s and mica_number(call
// alone
#include <mica/engine.h>

struct mica_text show(struct mica_call *call, double value);

struct mica_text
show(struct mica_call *call, double value)
{
    return mica_format(call, "%.2f", value);
}
