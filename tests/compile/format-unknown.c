// SPDX-License-Identifier: Apache-2.0
//
// A conversion that no format has.
// gcc: unknown conversion type character 'y'
// clang: invalid conversion specifier 'y'
#include <mica/engine.h>

struct mica_text show(struct mica_call *call);

struct mica_text
show(struct mica_call *call)
{
    return mica_format(call, "%y");
}
