// SPDX-License-Identifier: Apache-2.0
//
// A fallback that is no text: it is JSON, in quotes or in MICA_JSON.
// gcc: makes pointer from integer
// clang: integer to pointer conversion
#include <mica/engine.h>

struct input {
    double a;
};
MICA_RECORD(input, MICA_NUMBER(a, "A number.", .fallback = 2));
