// SPDX-License-Identifier: Apache-2.0
//
// `mica check`: the definition of done of an engine or tool. An engine is built, read,
// described, run natively and in the sandbox, and measured; every breach of a
// rule (rules.h) becomes a finding.
#ifndef MICA_CHECK_CHECK_H
#define MICA_CHECK_CHECK_H

#include "build/build.h"
#include "check/check_report.h"

struct mica_check_options {
    const struct mica_toolchain *toolchain;
    const char *out_dir;  // of the built files; notes of what is good lie in
                          // <out_dir>/.check
    const char *identity; // what changes when mica does; NULL: check always
    bool fast;            // builds as mica_build_options.fast does
    bool force;           // also when nothing has changed since it was good
    size_t random_count;  // random inputs to run as well
    unsigned random_ms;   // for all of them; 0: no limit, and no stamp counts
    uint64_t seed;
};

// Checks engines/<slug>.c. `report` has been initialized with its slug (the file
// name without ".c") and source. Never fails: what keeps a check from being made
// is a finding.
void mica_check_engine(const struct mica_check_options *options,
                       struct mica_report *report);

// Checks tools/<name>.c, an interactive tool, without running it: how it converses
// is a matter of its own tests (mica/test.h).
void mica_check_tool(const struct mica_check_options *options,
                     struct mica_report *report);

#endif
