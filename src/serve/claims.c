// SPDX-License-Identifier: Apache-2.0
//
// There are never more claims than turns that run, so a plain list is enough.
#include "serve/claims.h"

#include <stdlib.h>
#include <string.h>

void
mica_claims_init(struct mica_claims *claims)
{
    *claims = (struct mica_claims){.items = NULL};
    pthread_mutex_init(&claims->lock, NULL);
}

void
mica_claims_fini(struct mica_claims *claims)
{
    free(claims->items);
    pthread_mutex_destroy(&claims->lock);
}

// With the lock held.
static bool
grow(struct mica_claims *claims)
{
    size_t room = claims->room == 0 ? 8 : claims->room * 2;
    void *items = realloc(claims->items, room * sizeof *claims->items);

    if (items == NULL)
        return false;
    claims->items = items;
    claims->room = room;
    return true;
}

bool
mica_claims_reserve(struct mica_claims *claims)
{
    bool has_room = true;

    pthread_mutex_lock(&claims->lock);
    if (claims->count + claims->reserved == claims->room)
        has_room = grow(claims);
    if (has_room)
        claims->reserved++;
    pthread_mutex_unlock(&claims->lock);
    return has_room;
}

void
mica_claims_unreserve(struct mica_claims *claims)
{
    pthread_mutex_lock(&claims->lock);
    claims->reserved--;
    pthread_mutex_unlock(&claims->lock);
}

void
mica_claims_add(struct mica_claims *claims, struct mica_text id, int64_t fence,
                int64_t now)
{
    struct mica_claim claim = {.fence = fence, .renewed = now};

    if (id.len > MICA_STORE_CALL_ID_BYTES) { // the store has refused it
        mica_claims_unreserve(claims);
        return;
    }
    memcpy(claim.id, id.ptr, id.len);
    pthread_mutex_lock(&claims->lock);
    claims->reserved--;
    claims->items[claims->count++] = claim;
    pthread_mutex_unlock(&claims->lock);
}

// With the lock held; NULL when it is not there.
static struct mica_claim *
find(struct mica_claims *claims, struct mica_text id, int64_t fence)
{
    for (size_t i = 0; i < claims->count; i++) {
        struct mica_claim *claim = &claims->items[i];
        if (claim->fence == fence && mica_text_is(id, claim->id))
            return claim;
    }
    return NULL;
}

void
mica_claims_renewed(struct mica_claims *claims, struct mica_text id,
                    int64_t fence, int64_t now)
{
    struct mica_claim *claim;

    pthread_mutex_lock(&claims->lock);
    claim = find(claims, id, fence);
    if (claim != NULL)
        claim->renewed = now;
    pthread_mutex_unlock(&claims->lock);
}

void
mica_claims_give_up(struct mica_claims *claims, struct mica_text id,
                    int64_t fence)
{
    struct mica_claim *claim;

    pthread_mutex_lock(&claims->lock);
    claim = find(claims, id, fence);
    if (claim != NULL) {
        claim->given_up = true;
        claim->renewed = INT64_MIN;
    }
    pthread_mutex_unlock(&claims->lock);
}

void
mica_claims_drop(struct mica_claims *claims, struct mica_text id, int64_t fence)
{
    struct mica_claim *claim;

    pthread_mutex_lock(&claims->lock);
    claim = find(claims, id, fence);
    if (claim != NULL)
        *claim = claims->items[--claims->count];
    pthread_mutex_unlock(&claims->lock);
}

bool
mica_claims_oldest(struct mica_claims *claims, int64_t before,
                   struct mica_claim *claim_out)
{
    const struct mica_claim *oldest = NULL;

    pthread_mutex_lock(&claims->lock);
    for (size_t i = 0; i < claims->count; i++) {
        const struct mica_claim *claim = &claims->items[i];
        if (claim->renewed <= before &&
            (oldest == NULL || claim->renewed < oldest->renewed))
            oldest = claim;
    }
    if (oldest != NULL)
        *claim_out = *oldest;
    pthread_mutex_unlock(&claims->lock);
    return oldest != NULL;
}

bool
mica_claims_run_alone(struct mica_claims *claims, struct mica_text id,
                      int64_t fence, int64_t now, int64_t quiet_ms)
{
    struct mica_claim *claim;
    bool alone = true;

    pthread_mutex_lock(&claims->lock);
    for (size_t i = 0; i < claims->count; i++) {
        int64_t since = claims->items[i].alone;
        alone = alone && (since == 0 || since <= now - quiet_ms);
    }
    claim = find(claims, id, fence);
    if (claim != NULL && alone)
        claim->alone = now;
    pthread_mutex_unlock(&claims->lock);
    return alone;
}

size_t
mica_claims_count(struct mica_claims *claims)
{
    size_t count;

    pthread_mutex_lock(&claims->lock);
    count = claims->count;
    pthread_mutex_unlock(&claims->lock);
    return count;
}
