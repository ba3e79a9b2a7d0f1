// SPDX-License-Identifier: Apache-2.0
//
// The endpoints of a source that are in the registry, and which of them to drop. A hand goes
// round them: it passes one that was used since it came by last, and drops the next one
// that was not (the clock algorithm, which a use costs one flag). One whose streams began
// with a version before it stays, too: the follower of the store's changes finds in the
// registry each app that has streams. Not thread-safe; the endpoints are the registry's, but
// those that were replaced are held here while something else holds them.
#ifndef MICA_PUBLISH_LOADED_APPS_H
#define MICA_PUBLISH_LOADED_APPS_H

#include "registry/registry.h"

struct mica_loaded_app {
    struct mica_endpoint *endpoint;
    size_t bytes;
};

struct mica_loaded_apps {
    struct mica_loaded_app *items;
    size_t count, capacity, hand;
    size_t bytes; // of all
};

// Makes room for one more. Returns false for want of memory.
bool mica_loaded_apps_reserve(struct mica_loaded_apps *loaded) MICA_MUST_USE;

// Adds an endpoint, of that many bytes, for which there is room.
void mica_loaded_apps_add(struct mica_loaded_apps *loaded,
                          struct mica_endpoint *endpoint, size_t bytes);

// The same in place of `old`, which has left the registry, but is held by the caller.
void mica_loaded_apps_replace(struct mica_loaded_apps *loaded,
                              struct mica_endpoint *old,
                              struct mica_endpoint *endpoint, size_t bytes);

// Removes one. `endpoint` may have left the registry, but is held.
void mica_loaded_apps_remove(struct mica_loaded_apps *loaded,
                             const struct mica_endpoint *endpoint);

// Drops endpoints from the registry until the rest has at most `most` bytes, or no other
// can be dropped; never `but`. Returns how many it dropped.
size_t mica_loaded_apps_trim(struct mica_loaded_apps *loaded,
                             struct mica_registry *registry, size_t most,
                             const struct mica_endpoint *but);

// After the last one was removed.
void mica_loaded_apps_close(struct mica_loaded_apps *loaded);

#endif
