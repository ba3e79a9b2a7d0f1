// SPDX-License-Identifier: Apache-2.0
//
// Output fields that no path of an engine assigns: in every answer they are what a
// zeroed struct gives, and no line of the source writes their member.
#ifndef MICA_CHECK_OUTPUTS_H
#define MICA_CHECK_OUTPUTS_H

#include "check/native.h"
#include "check/subject.h"

struct mica_outputs;

// Everything is in the report's arena; NULL for want of memory, which every function
// takes.
struct mica_outputs *mica_outputs_new(const struct mica_subject *subject);

// Looks at one more answer; one that is no success tells nothing.
void mica_outputs_take(struct mica_outputs *outputs,
                       const struct mica_native_result *result);

// Notes the fields that nothing assigns, if there was an answer.
void mica_outputs_check(const struct mica_outputs *outputs);

// Whether the code writes a member of that name, by itself or through its address.
bool mica_source_assigns(const struct mica_source *source,
                         struct mica_text member);

#endif
