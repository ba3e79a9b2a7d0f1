// SPDX-License-Identifier: Apache-2.0
//
// TypeScript types from JSON Schemas.
#ifndef MICA_PAGE_TYPES_H
#define MICA_PAGE_TYPES_H

#include <mica/json.h>

// Adds "export type <name> = …;". Where a schema says what mica's own do not
// (a reference, a combination), the type is unknown.
void mica_types_write(struct mica_buffer *out, const char *namez,
                      const struct mica_json *schema);

#endif
