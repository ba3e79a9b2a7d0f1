// SPDX-License-Identifier: Apache-2.0
//
// A text whose member is a C string.
// expect: MICA_TEXT(name): its member is `const char *` and must be `struct mica_text`
// alone
#include <mica/engine.h>

struct input {
    const char *name;
};
MICA_RECORD(input, MICA_TEXT(name, "A name."));
