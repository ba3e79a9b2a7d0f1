// SPDX-License-Identifier: Apache-2.0
//
// The slugs that were looked for in the store in vain, so that a client that asks again and
// again costs no store access. A fixed table: a slug displaces another one of its set. Not
// thread-safe.
#ifndef MICA_PUBLISH_ABSENT_SLUGS_H
#define MICA_PUBLISH_ABSENT_SLUGS_H

#include <mica/base.h>

#include "apps/app_slug.h"

enum {
    MICA_ABSENT_SLOTS = 4 // slugs of a set
};

struct mica_absent_slugs {
    struct mica_absent_set {
        uint8_t lengths[MICA_ABSENT_SLOTS]; // 0: free
        uint8_t next;                       // the one to displace
        char slugs[MICA_ABSENT_SLOTS][MICA_APP_SLUG_LENGTH];
    } * sets;
    size_t set_count; // a power of two
    size_t count;
};

// Room for `slugs`, a power of two. Pages of it are not in memory before they are used.
// Returns false for want of memory.
bool mica_absent_slugs_open(struct mica_absent_slugs *absent, size_t slugs)
    MICA_MUST_USE;
void mica_absent_slugs_close(struct mica_absent_slugs *absent);

bool mica_absent_slugs_has(const struct mica_absent_slugs *absent,
                           struct mica_text slug);

// Each slug has 1 to MICA_APP_SLUG_LENGTH bytes.
void mica_absent_slugs_add(struct mica_absent_slugs *absent,
                           struct mica_text slug);
void mica_absent_slugs_remove(struct mica_absent_slugs *absent,
                              struct mica_text slug);

#endif
