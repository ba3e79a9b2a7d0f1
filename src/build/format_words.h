// SPDX-License-Identifier: Apache-2.0
//
// Finds conversions in the formats of a source that mica's formatter does not have. The
// compilers know those of printf, which has more.
#ifndef MICA_BUILD_FORMAT_WORDS_H
#define MICA_BUILD_FORMAT_WORDS_H

#include <mica/base.h>

// Looks at each literal that is the format of mica_format, mica_fail and their like. The
// first finding is the error, "SOURCE:LINE: …"; the others are lines in `diagnostics`.
// Errors: MICA_E_BUILD.
enum mica_status mica_formats_check(struct mica_text text, const char *source,
                                    struct mica_buffer *diagnostics,
                                    struct mica_error *error) MICA_MUST_USE;

#endif
