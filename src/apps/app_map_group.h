// SPDX-License-Identifier: Apache-2.0
//
// Walking along the entries of an argument map: those that share a beginning of their
// targets make one object or array.
#ifndef MICA_APPS_APP_MAP_GROUP_H
#define MICA_APPS_APP_MAP_GROUP_H

#include "apps/app_map.h"

// The token of the entry's target behind its first `at` bytes; empty at the end.
struct mica_text mica_app_map_token(const struct mica_app_map_entry *entry,
                                    size_t at);

// The end of the entries from `from` on (up to `to`) that have the same token there.
size_t mica_app_map_group_end(const struct mica_app_map *map, size_t from,
                              size_t to, size_t at);

#endif
