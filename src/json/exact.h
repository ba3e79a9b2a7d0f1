// SPDX-License-Identifier: Apache-2.0
//
// The canonical form without its doubles. RFC 8785 makes a double of every
// number, so two numbers that differ in their 18th digit are one there. What tells
// calls apart by their arguments (tags, kept calls, journals) must not take one
// for the other.
#ifndef MICA_JSON_EXACT_H
#define MICA_JSON_EXACT_H

#include <mica/json.h>

// As mica_json_canonical, but a number that no double holds keeps all its digits,
// in one form for one value. Never fails for a number.
enum mica_status mica_json_exact(struct mica_arena *arena,
                                 struct mica_buffer *buffer,
                                 const struct mica_json *value) MICA_MUST_USE;

#endif
