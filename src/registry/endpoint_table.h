// SPDX-License-Identifier: Apache-2.0
//
// The endpoints of a server beside the one at /mcp, found by their key and by their
// path. Not safe for threads: registry.c holds its lock meanwhile.
#ifndef MICA_REGISTRY_ENDPOINT_TABLE_H
#define MICA_REGISTRY_ENDPOINT_TABLE_H

#include "registry/endpoint.h"

enum {
    MICA_ENDPOINTS_MOST = 100000, // of one server
    // Segments of an endpoint's path, at most, and of a request's path that are
    // compared with those.
    MICA_ENDPOINT_SEGMENTS = 8
};

// Two open-addressed arrays in one piece of memory; at most half of each is full.
struct mica_endpoint_table {
    struct mica_endpoint **by_key, **by_path;
    size_t size; // places of either: a power of two, or 0
    size_t count;
};

// Is there no place for one more? Then the table has to grow first.
bool mica_endpoint_table_is_full(const struct mica_endpoint_table *table);

// An empty table that is twice as large; false for want of memory.
bool mica_endpoint_table_larger(const struct mica_endpoint_table *table,
                                struct mica_endpoint_table *larger_out);

// All that is in `table` goes to `larger`, and the two change places.
void mica_endpoint_table_grow(struct mica_endpoint_table *table,
                              struct mica_endpoint_table *larger);

// Gives its memory back; not the endpoints. The other drops these first.
void mica_endpoint_table_free(struct mica_endpoint_table *table);
void mica_endpoint_table_drop(struct mica_endpoint_table *table);

struct mica_endpoint *
mica_endpoint_table_find(const struct mica_endpoint_table *table,
                         struct mica_text key);

// The endpoint of that very path.
struct mica_endpoint *
mica_endpoint_table_of_path(const struct mica_endpoint_table *table,
                            struct mica_text path);

// The endpoint with the longest path at or above `path`, or NULL.
struct mica_endpoint *
mica_endpoint_table_above(const struct mica_endpoint_table *table,
                          struct mica_text path);

// An endpoint whose path is `base`, below it or above it; or NULL. Looks at all.
struct mica_endpoint *
mica_endpoint_table_overlap(const struct mica_endpoint_table *table,
                            struct mica_text base);

// Adds one whose key and path are not there yet. The table must not be full.
void mica_endpoint_table_add(struct mica_endpoint_table *table,
                             struct mica_endpoint *endpoint);

// Takes one out that is there.
void mica_endpoint_table_remove(struct mica_endpoint_table *table,
                                const struct mica_endpoint *endpoint);

#endif
