// SPDX-License-Identifier: Apache-2.0
//
// What the pieces of docs/fetch.md take for granted, so that a compiler can read
// them.
#include <mica/fetch.h>
#include <mica/test.h>

struct converted {
    double result;
};
MICA_RECORD(converted, MICA_NUMBER(result, "The number in the other unit."));
enum mica_status ask_again(struct mica_call *call, struct converted *out);
extern const struct mica_tool mica_tool_distance;
