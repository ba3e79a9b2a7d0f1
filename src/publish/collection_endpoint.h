// SPDX-License-Identifier: Apache-2.0
//
// A collection as an endpoint: one tool for each published app that it has. Each tool is that
// of its app in all but the address: its visibility, budget, usage and widget. Internal to
// this folder.
//
// A caller sees the tools that it may call, and the endpoint itself only if it may call one of
// them; so a collection without a published app is not there, as an unpublished app is not.
//
// The catalog in memory has all tools. What one caller may use of it is made for each message
// (registry/endpoint_source.h, `view`), and so are the resources of the widgets.
#ifndef MICA_PUBLISH_COLLECTION_ENDPOINT_H
#define MICA_PUBLISH_COLLECTION_ENDPOINT_H

#include "publish/app_endpoint.h"
#include "store/store_collections.h"

// "collection/" in front of the id of a collection is the key of its endpoint.
#define MICA_COLLECTION_KEY_PREFIX "collection/"

enum {
    MICA_COLLECTION_KEY_SIZE = sizeof MICA_COLLECTION_KEY_PREFIX +
                               MICA_STORE_APP_ID_BYTES // with the NUL
};

// Of one endpoint. Texts live as long as it does.
struct mica_loaded_collection {
    struct mica_text id, slug, name, description;
};

static inline const struct mica_loaded_collection *
mica_loaded_collection_of(const struct mica_endpoint *endpoint)
{
    return endpoint->source_data;
}

// What clients of the collection see, as one number: it differs after each change that they
// are told of. 0: it has no published app.
int64_t mica_collection_version(const struct mica_store_collection *collection);

// Makes the endpoint of a collection; `source` is the one of collections. The caller holds
// it. `old` is the endpoint before a change, or NULL; tools whose version has not changed are
// taken from it. An app whose text cannot be read is left out and noted.
// Errors: MICA_E_NOT_FOUND (no app is published), MICA_E_LIMIT, those of the store.
enum mica_status mica_collection_endpoint_make(
    const struct mica_app_common *common,
    const struct mica_endpoint_source *source, struct mica_store *store,
    const struct mica_store_collection *collection,
    const struct mica_endpoint *old, struct mica_error *error,
    struct mica_endpoint **endpoint_out) MICA_MUST_USE;

// What callers of a collection must bring (mica_published_exposure), read from the store
// without bringing its apps into memory; only as many of them as it takes. The scope lives as
// long as `arena`. Errors: MICA_E_NOT_FOUND (no app is published), those of the store.
enum mica_status
mica_collection_exposure(struct mica_store *store,
                         const struct mica_store_collection *collection,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_app_exposure *exposure_out) MICA_MUST_USE;

// Makes the tool of an app as it was at a version that a collection has served, "ID.VERSION".
// The caller holds it. NULL: the store does not have it.
struct mica_definition *
mica_collection_tool_make(const struct mica_app_common *common,
                          struct mica_store *store, struct mica_text version);

// For struct mica_endpoint_source.
struct mica_catalog *
mica_collection_view(const struct mica_endpoint *endpoint,
                     const struct mica_principal *principal);
bool mica_collection_admits(const struct mica_endpoint *endpoint,
                            const struct mica_principal *principal,
                            struct mica_text version);
struct mica_catalog *
mica_collection_resources(const struct mica_endpoint *endpoint,
                          const struct mica_principal *principal,
                          struct mica_text uri);

#endif
