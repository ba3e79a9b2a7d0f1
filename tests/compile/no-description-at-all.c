// SPDX-License-Identifier: Apache-2.0
//
// A field that has a member and no more.
// expect: MICA_TEXT(name): the description is missing
// alone
#include <mica/engine.h>

struct input {
    struct mica_text name;
};
MICA_RECORD(input, MICA_TEXT(name));
