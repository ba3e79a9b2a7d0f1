// SPDX-License-Identifier: Apache-2.0
//
// Which outcomes of a source's branches the examples have seen (design section
// 5: each `case`, and both outcomes of each `if`, in the engine's own file).
#ifndef MICA_CHECK_COVERAGE_H
#define MICA_CHECK_COVERAGE_H

#include "check/native.h"
#include "check/subject.h"

// Reads the profiles that `native` has left in `folder` and notes what no example
// covers. `diagnostics` is what the compiler said of the native build.
void mica_coverage_check(const struct mica_subject *subject,
                         const struct mica_native *native, const char *folder,
                         struct mica_text diagnostics);

#endif
