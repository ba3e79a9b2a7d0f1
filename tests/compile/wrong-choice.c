// SPDX-License-Identifier: Apache-2.0
//
// A choice whose member is another enum.
// expect: MICA_CHOICE(mode): its member is
// alone
#include <mica/engine.h>

enum mode {
    OF,
    RATIO
};
enum color {
    RED,
    GREEN
};
MICA_CHOICES(color, [RED] = "red", [GREEN] = "green");

struct input {
    enum mode mode;
};
MICA_RECORD(input, MICA_CHOICE(mode, color, "Which."));
