// SPDX-License-Identifier: Apache-2.0
//
// URI references as RFC 3986 section 5 resolves them: what `$id` and `$ref`
// mean where they stand.
#ifndef MICA_SCHEMA_URI_H
#define MICA_SCHEMA_URI_H

#include <mica/base.h>

// `reference` as seen from `base` (which may be empty), dots removed, without
// its fragment. The fragment, as it is written, goes to `*fragment_out`:
// {NULL, 0}: it has none.
// Owner: the result is in `arena` unless it is `base`; {NULL, 0} when the arena
// is full.
struct mica_text mica_uri_resolve(struct mica_arena *arena,
                                  struct mica_text base,
                                  struct mica_text reference,
                                  struct mica_text *fragment_out);

// Percent-encoding undone; a "%" without two hex digits stays. {NULL, 0} when
// the arena is full.
struct mica_text mica_uri_decode(struct mica_arena *arena,
                                 struct mica_text text);

#endif
