// SPDX-License-Identifier: Apache-2.0
//
// Makes findings of what a compiler warns of.
#ifndef MICA_CHECK_WARNINGS_H
#define MICA_CHECK_WARNINGS_H

#include "check/check_report.h"

// Adds a finding for each warning in `printed` that is at a line of the report's source,
// up to ten.
void mica_warnings_check(struct mica_report *report, struct mica_text printed);

#endif
