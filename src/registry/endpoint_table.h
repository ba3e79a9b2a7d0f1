// SPDX-License-Identifier: Apache-2.0
//
// The endpoints of a server except /mcp, by their key and by their path. Not thread-safe:
// registry.c locks it.
#ifndef MICA_REGISTRY_ENDPOINT_TABLE_H
#define MICA_REGISTRY_ENDPOINT_TABLE_H

#include "registry/endpoint.h"

enum {
    MICA_ENDPOINTS_MOST = 100000, // of one server
    // Most segments of an endpoint's path; further segments of a request's path are not
    // compared.
    MICA_ENDPOINT_SEGMENTS = 8
};

// A look-up compares the hash first: it reads no endpoint but the one that it finds.
struct mica_endpoint_slot {
    uint64_t hash;
    struct mica_endpoint *endpoint; // NULL: the slot is free
};

// Two open-addressed arrays in one block of memory; at most half of each is full.
struct mica_endpoint_table {
    struct mica_endpoint_slot *by_key, *by_path;
    size_t size; // slots of each array: a power of two, or 0
    size_t count;
};

// Must the table grow before the next endpoint is added?
bool mica_endpoint_table_is_full(const struct mica_endpoint_table *table);

// Makes an empty table of twice the size. Returns false for want of memory.
bool mica_endpoint_table_larger(const struct mica_endpoint_table *table,
                                struct mica_endpoint_table *larger_out);

// Moves all endpoints to `larger`, and exchanges the two.
void mica_endpoint_table_grow(struct mica_endpoint_table *table,
                              struct mica_endpoint_table *larger);

// Frees the arrays; mica_endpoint_table_drop also drops the endpoints.
void mica_endpoint_table_free(struct mica_endpoint_table *table);
void mica_endpoint_table_drop(struct mica_endpoint_table *table);

struct mica_endpoint *
mica_endpoint_table_find(const struct mica_endpoint_table *table,
                         struct mica_text key);

// The endpoint with exactly that path, or NULL.
struct mica_endpoint *
mica_endpoint_table_of_path(const struct mica_endpoint_table *table,
                            struct mica_text path);

// The endpoint with the longest path at or above `path`, or NULL.
struct mica_endpoint *
mica_endpoint_table_above(const struct mica_endpoint_table *table,
                          struct mica_text path);

// An endpoint whose path is `base`, below it or above it; or NULL. Compares all.
struct mica_endpoint *
mica_endpoint_table_overlap(const struct mica_endpoint_table *table,
                            struct mica_text base);

// Adds an endpoint, whose key and path must be new. The table must not be full.
void mica_endpoint_table_add(struct mica_endpoint_table *table,
                             struct mica_endpoint *endpoint);

// Removes an endpoint of the table.
void mica_endpoint_table_remove(struct mica_endpoint_table *table,
                                const struct mica_endpoint *endpoint);

#endif
