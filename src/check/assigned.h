// SPDX-License-Identifier: Apache-2.0
//
// Says whether the source of an engine assigns a member of a struct. It reads words
// and brackets, not C: in doubt the member counts as assigned, since a finding has to
// be right.
#ifndef MICA_CHECK_ASSIGNED_H
#define MICA_CHECK_ASSIGNED_H

#include "check/source.h"

// True when the code assigns a member of that name, takes its address, hands it to a
// macro of the source, or initializes the struct of its record by position.
bool mica_source_assigns(const struct mica_source *source,
                         struct mica_text member);

#endif
