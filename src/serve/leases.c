// SPDX-License-Identifier: Apache-2.0
//
// A plain list, which is short: it has the claims of the turns that run, and those that the
// store has failed to release.
#include "serve/leases.h"

#include <stdlib.h>
#include <string.h>

void
mica_leases_init(struct mica_leases *leases)
{
    *leases = (struct mica_leases){.items = NULL};
    pthread_mutex_init(&leases->lock, NULL);
}

void
mica_leases_fini(struct mica_leases *leases)
{
    free(leases->items);
    pthread_mutex_destroy(&leases->lock);
}

// With the lock held.
static bool
lease_grow(struct mica_leases *leases)
{
    size_t capacity = leases->capacity == 0 ? 8 : leases->capacity * 2;
    void *items = realloc(leases->items, capacity * sizeof *leases->items);

    if (items == NULL)
        return false;
    leases->items = items;
    leases->capacity = capacity;
    return true;
}

bool
mica_leases_reserve(struct mica_leases *leases)
{
    bool reserves = true;

    pthread_mutex_lock(&leases->lock);
    if (leases->count + leases->reserved == leases->capacity)
        reserves = lease_grow(leases);
    if (reserves)
        leases->reserved++;
    pthread_mutex_unlock(&leases->lock);
    return reserves;
}

void
mica_leases_unreserve(struct mica_leases *leases)
{
    pthread_mutex_lock(&leases->lock);
    leases->reserved--;
    pthread_mutex_unlock(&leases->lock);
}

void
mica_leases_add(struct mica_leases *leases, struct mica_text id, int64_t fence,
                int64_t now)
{
    struct mica_lease claim = {.fence = fence, .renewed = now};

    if (id.len > MICA_STORE_CALL_ID_BYTES) { // the store has refused it
        mica_leases_unreserve(leases);
        return;
    }
    memcpy(claim.id, id.ptr, id.len);
    pthread_mutex_lock(&leases->lock);
    leases->reserved--;
    leases->items[leases->count++] = claim;
    pthread_mutex_unlock(&leases->lock);
}

// With the lock held. Returns NULL if the claim is unknown.
static struct mica_lease *
lease_find(struct mica_leases *leases, struct mica_text id, int64_t fence)
{
    for (size_t i = 0; i < leases->count; i++) {
        struct mica_lease *claim = &leases->items[i];
        if (claim->fence == fence && mica_text_is(id, claim->id))
            return claim;
    }
    return NULL;
}

void
mica_leases_renewed(struct mica_leases *leases, struct mica_text id,
                    int64_t fence, int64_t now)
{
    struct mica_lease *claim;

    pthread_mutex_lock(&leases->lock);
    claim = lease_find(leases, id, fence);
    if (claim != NULL)
        claim->renewed = now;
    pthread_mutex_unlock(&leases->lock);
}

void
mica_leases_unreleased(struct mica_leases *leases, struct mica_text id,
                       int64_t fence)
{
    struct mica_lease *claim;

    pthread_mutex_lock(&leases->lock);
    claim = lease_find(leases, id, fence);
    if (claim != NULL) {
        claim->unreleased = true;
        claim->renewed = INT64_MIN;
    }
    pthread_mutex_unlock(&leases->lock);
}

void
mica_leases_remove(struct mica_leases *leases, struct mica_text id,
                   int64_t fence)
{
    struct mica_lease *claim;

    pthread_mutex_lock(&leases->lock);
    claim = lease_find(leases, id, fence);
    if (claim != NULL)
        *claim = leases->items[--leases->count];
    pthread_mutex_unlock(&leases->lock);
}

bool
mica_leases_oldest(struct mica_leases *leases, int64_t before,
                   struct mica_lease *claim_out)
{
    const struct mica_lease *oldest = NULL;

    pthread_mutex_lock(&leases->lock);
    for (size_t i = 0; i < leases->count; i++) {
        const struct mica_lease *claim = &leases->items[i];
        if (claim->renewed <= before &&
            (oldest == NULL || claim->renewed < oldest->renewed))
            oldest = claim;
    }
    if (oldest != NULL)
        *claim_out = *oldest;
    pthread_mutex_unlock(&leases->lock);
    return oldest != NULL;
}

bool
mica_leases_run_alone(struct mica_leases *leases, struct mica_text id,
                      int64_t fence, int64_t now, int64_t quiet_ms)
{
    struct mica_lease *claim;
    bool alone = true;

    pthread_mutex_lock(&leases->lock);
    for (size_t i = 0; i < leases->count; i++) {
        int64_t since = leases->items[i].alone;
        alone = alone && (since == 0 || since <= now - quiet_ms);
    }
    claim = lease_find(leases, id, fence);
    if (claim != NULL && alone)
        claim->alone = now;
    pthread_mutex_unlock(&leases->lock);
    return alone;
}

size_t
mica_leases_count(struct mica_leases *leases)
{
    size_t count;

    pthread_mutex_lock(&leases->lock);
    count = leases->count;
    pthread_mutex_unlock(&leases->lock);
    return count;
}
