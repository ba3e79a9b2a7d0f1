// SPDX-License-Identifier: Apache-2.0
//
// Whether an answer is what an example expects: of objects only the members that
// the example names, of lists every item, numbers by value.
#ifndef MICA_CHECK_MATCH_H
#define MICA_CHECK_MATCH_H

#include <mica/json.h>

// False: `path` has the JSON Pointer of the first difference, *expected_out and
// *actual_out what stands there (NULL where nothing does).
bool mica_match(const struct mica_json *expected,
                const struct mica_json *actual, struct mica_buffer *path,
                const struct mica_json **expected_out,
                const struct mica_json **actual_out);

#endif
