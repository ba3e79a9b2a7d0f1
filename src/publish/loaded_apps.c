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
    free(loaded->items);
    *loaded = (struct mica_loaded_apps){.count = 0};
}
