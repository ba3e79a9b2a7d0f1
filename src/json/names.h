// SPDX-License-Identifier: Apache-2.0
//
// Members in an order of their names, without moving them: keys are sorted.
#ifndef MICA_JSON_NAMES_H
#define MICA_JSON_NAMES_H

#include <mica/json.h>

// The index of a member in the low half, something that the order may use in
// the high half. The reader sorts in memory that held values, hence the
// attributes.
typedef uint64_t __attribute__((may_alias, aligned(4))) mica_json_key;

// <0, 0, >0.
typedef int mica_json_order(const struct mica_json_member *members,
                            mica_json_key a, mica_json_key b);

static inline const struct mica_json_member *
mica_json_member_of(const struct mica_json_member *members, mica_json_key key)
{
    return &members[key & UINT32_MAX];
}

// By the UTF-16 code units of the names.
mica_json_order mica_json_by_utf16;

// Sorts `count` keys in time count × log(count), whatever they are. `spare` is
// as large as `keys`.
void mica_json_sort(const struct mica_json_member *members, mica_json_key *keys,
                    mica_json_key *spare, size_t count, mica_json_order *order);

#endif
