// SPDX-License-Identifier: Apache-2.0
//
// An array without gaps: the last one moves to the place of one that leaves.
#include "publish/loaded_apps.h"

#include <stdlib.h>

#include "base/assert.h"

enum {
    FIRST = 64
};

bool
mica_loaded_apps_reserve(struct mica_loaded_apps *loaded)
{
    size_t capacity = loaded->capacity > 0 ? loaded->capacity * 2 : FIRST;
    struct mica_loaded_app *more;

    if (loaded->count < loaded->capacity)
        return true;
    more = realloc(loaded->items, capacity * sizeof *more);
    if (more == NULL)
        return false;
    loaded->items = more;
    loaded->capacity = capacity;
    return true;
}

void
mica_loaded_apps_add(struct mica_loaded_apps *loaded,
                     struct mica_endpoint *endpoint, size_t bytes)
{
    MICA_ASSERT(loaded->count < loaded->capacity);
    endpoint->source_place = loaded->count;
    loaded->items[loaded->count++] = (struct mica_loaded_app){endpoint, bytes};
    loaded->bytes += bytes;
}

// Does something else than this list hold an endpoint that this one has replaced? Drops
// those that nothing holds: they have left the registry, so no thread can get one.
static bool
is_held_before(struct mica_endpoint *endpoint)
{
    struct mica_endpoint **at = &endpoint->source_before, *before;

    while (*at != NULL) {
        before = *at;
        if (atomic_load_explicit(&before->references, memory_order_acquire) >
            1) {
            at = &before->source_before;
            continue;
        }
        *at = before->source_before;
        mica_endpoint_drop(before);
    }
    return endpoint->source_before != NULL;
}

static void
drop_before(struct mica_endpoint *endpoint)
{
    struct mica_endpoint *before = endpoint->source_before, *next;

    endpoint->source_before = NULL;
    for (; before != NULL; before = next) {
        next = before->source_before;
        before->source_before = NULL;
        mica_endpoint_drop(before);
    }
}

void
mica_loaded_apps_replace(struct mica_loaded_apps *loaded,
                         struct mica_endpoint *old,
                         struct mica_endpoint *endpoint, size_t bytes)
{
    size_t place = old->source_place;

    MICA_ASSERT(place < loaded->count && loaded->items[place].endpoint == old);
    mica_endpoint_hold(old);
    endpoint->source_before = old;
    endpoint->source_place = place;
    (void)is_held_before(endpoint);
    loaded->bytes += bytes - loaded->items[place].bytes;
    loaded->items[place] = (struct mica_loaded_app){endpoint, bytes};
}

static void
remove_at(struct mica_loaded_apps *loaded, size_t place)
{
    loaded->bytes -= loaded->items[place].bytes;
    loaded->count--;
    if (place == loaded->count)
        return;
    loaded->items[place] = loaded->items[loaded->count];
    loaded->items[place].endpoint->source_place = place;
}

void
mica_loaded_apps_remove(struct mica_loaded_apps *loaded,
                        const struct mica_endpoint *endpoint)
{
    size_t place = endpoint->source_place;

    MICA_ASSERT(place < loaded->count &&
                loaded->items[place].endpoint == endpoint);
    drop_before(loaded->items[place].endpoint);
    remove_at(loaded, place);
}

size_t
mica_loaded_apps_trim(struct mica_loaded_apps *loaded,
                      struct mica_registry *registry, size_t most,
                      const struct mica_endpoint *but)
{
    size_t dropped = 0;

    // Twice round: the first time it clears the flags of those that were used.
    for (size_t steps = 2 * loaded->count; steps > 0 && loaded->bytes > most;
         steps--) {
        struct mica_endpoint *endpoint;
        if (loaded->hand >= loaded->count)
            loaded->hand = 0;
        endpoint = loaded->items[loaded->hand].endpoint;
        if (endpoint == but ||
            atomic_exchange_explicit(&endpoint->used, false,
                                     memory_order_relaxed) ||
            is_held_before(endpoint) ||
            !mica_registry_evict(registry, endpoint)) {
            loaded->hand++;
            continue;
        }
        // The newest moves there, and is looked at when the hand comes round.
        remove_at(loaded, loaded->hand++);
        dropped++;
    }
    return dropped;
}

void
mica_loaded_apps_close(struct mica_loaded_apps *loaded)
{
    MICA_ASSERT(loaded->count == 0);
    free(loaded->items);
    *loaded = (struct mica_loaded_apps){.count = 0};
}
