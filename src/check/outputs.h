// SPDX-License-Identifier: Apache-2.0
//
// Finds output fields that no path of an engine assigns: in every answer they have
// the value of a zeroed struct, and no line of the source writes their member.
#ifndef MICA_CHECK_OUTPUTS_H
#define MICA_CHECK_OUTPUTS_H

#include "check/native.h"
#include "check/subject.h"

struct mica_outputs;

// Everything is in the report's arena. NULL when memory runs out; the functions below
// accept that.
struct mica_outputs *mica_outputs_new(const struct mica_subject *subject);

// Looks at one more answer, which is read in `arena`; a failure tells nothing.
void mica_outputs_take(struct mica_outputs *outputs, struct mica_arena *arena,
                       const struct mica_native_result *result);

// Notes the fields that nothing assigns, if there was an answer.
void mica_outputs_check(const struct mica_outputs *outputs);

#endif
