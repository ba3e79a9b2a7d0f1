// SPDX-License-Identifier: Apache-2.0
//
// Remembers that an engine was found good, so that one that has not changed need
// not be checked again. Only good reports are kept: a finding is worth looking
// for again.
#ifndef MICA_CHECK_STAMP_H
#define MICA_CHECK_STAMP_H

#include "check/check.h"

struct mica_stamp {
    const struct mica_check_options *options;
    struct mica_report *report;
    struct mica_text build; // fingerprint of all that the module was made from
};

// Fills in the report when this user's mica found the engine good with the same
// build: what others have written has no seal of this user's key. Not when random inputs are asked for.
bool mica_stamp_read(const struct mica_stamp *stamp);

// Keeps the report; a failure to do so only costs time later.
void mica_stamp_write(const struct mica_stamp *stamp);

#endif
