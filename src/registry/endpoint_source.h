// SPDX-License-Identifier: Apache-2.0
//
// A source of endpoints: it has more of them than are in memory, and puts one into the
// registry when a client asks for it. An adapter implements it (src/publish/, published
// apps in a store).
//
// An endpoint of a source comes and goes without its clients: the source may drop one from
// memory that no message holds (mica_registry_evict). Sessions, calls and streams are
// bound to its key, and continue at what the source loads next. Failures over REST have the
// form of the contract of apps there (src/rest/problem_details.h).
#ifndef MICA_REGISTRY_ENDPOINT_SOURCE_H
#define MICA_REGISTRY_ENDPOINT_SOURCE_H

#include <mica/base.h>

struct mica_catalog;
struct mica_definition;
struct mica_endpoint;
struct mica_principal;

// What a source knows of a path at once.
enum mica_source_finding {
    MICA_SOURCE_OTHER,   // the path is not the source's
    MICA_SOURCE_ABSENT,  // the source has no endpoint there
    MICA_SOURCE_UNLOADED // only `load` can tell
};

struct mica_endpoint_source {
    // Tells what to do with the path of a request that the registry has no endpoint for.
    // *own_out is the part of it that is the path of an endpoint, unless the answer is
    // OTHER. From any thread; does not wait.
    enum mica_source_finding (*look)(void *data, struct mica_text path,
                                     struct mica_text *own_out);

    // Finds the endpoint with exactly that path, puts it into the registry, and holds it
    // for the caller. May wait for a store: not on a serving thread. Errors:
    // MICA_E_NOT_FOUND (the source has no endpoint there), those of the store,
    // MICA_E_LIMIT.
    enum mica_status (*load)(void *data, struct mica_text path,
                             struct mica_error *error,
                             struct mica_endpoint **endpoint_out);

    // The same by its key, for calls that outlive their endpoint. NULL: the source has
    // none, or the calling thread may not wait for it.
    struct mica_endpoint *(*load_key)(void *data, struct mica_text key);

    // Finds the tool as it was at an earlier version of the endpoint with that key, for
    // calls that began with it. The caller holds it. NULL: as above.
    struct mica_definition *(*older)(void *data, struct mica_text key,
                                     struct mica_text name,
                                     struct mica_text version);

    // The part of the catalog of the endpoint that the principal may use; the caller holds
    // it. NULL for want of memory. A source without this function has endpoints whose
    // catalog is the same for all who may enter.
    struct mica_catalog *(*view)(const struct mica_endpoint *endpoint,
                                 const struct mica_principal *principal);

    // May the principal continue a call that began with that version of a tool, which may
    // be an older one? Only while it may use that tool as it is now. A source has this
    // function if it has `view`. From any thread.
    bool (*admits)(const struct mica_endpoint *endpoint,
                   const struct mica_principal *principal,
                   struct mica_text version);

    // Makes a catalog that has that part and the resources of the endpoint too, which are
    // not kept in memory. `uri` is the resource that is read; empty: the resources are
    // listed. The caller holds it. NULL for want of memory.
    struct mica_catalog *(*resources)(const struct mica_endpoint *endpoint,
                                      const struct mica_principal *principal,
                                      struct mica_text uri);
};

#endif
