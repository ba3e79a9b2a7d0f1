// SPDX-License-Identifier: Apache-2.0
//
// A client that asks for slugs at random can displace others, which then cost one look into
// the store again. Whole slugs are compared: a hash alone would let a slug hide another one.
#include "publish/absent_slugs.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

bool
mica_absent_slugs_open(struct mica_absent_slugs *absent, size_t slugs)
{
    *absent =
        (struct mica_absent_slugs){.set_count = slugs / MICA_ABSENT_SLOTS};
    absent->sets = calloc(absent->set_count, sizeof *absent->sets);
    return absent->sets != NULL;
}

void
mica_absent_slugs_close(struct mica_absent_slugs *absent)
{
    free(absent->sets);
    absent->sets = NULL;
}

static struct mica_absent_set *
absent_set(const struct mica_absent_slugs *absent, struct mica_text slug)
{
    return &absent->sets[mica_hash_text(slug) & (absent->set_count - 1)];
}

// The place of the slug in its set, or MICA_ABSENT_SLOTS.
static size_t
absent_slot(const struct mica_absent_set *set, struct mica_text slug)
{
    size_t slot = 0;

    while (slot < MICA_ABSENT_SLOTS &&
           (set->lengths[slot] != slug.len ||
            memcmp(set->slugs[slot], slug.ptr, slug.len) != 0))
        slot++;
    return slot;
}

bool
mica_absent_slugs_has(const struct mica_absent_slugs *absent,
                      struct mica_text slug)
{
    return absent_slot(absent_set(absent, slug), slug) < MICA_ABSENT_SLOTS;
}

void
mica_absent_slugs_add(struct mica_absent_slugs *absent, struct mica_text slug)
{
    struct mica_absent_set *set = absent_set(absent, slug);
    size_t slot = 0;

    if (absent_slot(set, slug) < MICA_ABSENT_SLOTS)
        return;
    while (slot < MICA_ABSENT_SLOTS && set->lengths[slot] != 0)
        slot++;
    if (slot == MICA_ABSENT_SLOTS) {
        slot = set->next;
        set->next = (uint8_t)((set->next + 1) % MICA_ABSENT_SLOTS);
        absent->count--;
    }
    set->lengths[slot] = (uint8_t)slug.len;
    memcpy(set->slugs[slot], slug.ptr, slug.len);
    absent->count++;
}

void
mica_absent_slugs_remove(struct mica_absent_slugs *absent,
                         struct mica_text slug)
{
    struct mica_absent_set *set = absent_set(absent, slug);
    size_t slot = absent_slot(set, slug);

    if (slot == MICA_ABSENT_SLOTS)
        return;
    set->lengths[slot] = 0;
    absent->count--;
}
