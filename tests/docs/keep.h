// SPDX-License-Identifier: Apache-2.0
//
// What the pieces of docs/keep.md take for granted, so that a compiler can read them.
#include <mica/keep.h>
#include <mica/test.h>

enum mica_status take_seat(struct mica_call *call,
                           const struct mica_nothing *in,
                           struct mica_nothing *out);
extern const struct mica_tool mica_tool_visits;
