// SPDX-License-Identifier: Apache-2.0
//
// A text where a format wants a C string.
// expect: a text is printed with %.*s and MICA_ARG(text)
#include <mica/engine.h>

struct mica_text show(struct mica_call *call, struct mica_text text);

struct mica_text
show(struct mica_call *call, struct mica_text text)
{
    return mica_format(call, "%s", text);
}
