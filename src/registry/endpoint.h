// SPDX-License-Identifier: Apache-2.0
//
// An endpoint: a path where clients connect, with the identity of the server there, its
// catalog, and the options of its lists. A message holds the endpoint that it began with.
// A stream or a stored call outlives its message: it has the key, and finds the endpoint
// that has the key then.
//
// An endpoint is immutable once a message can see it. A change makes the next version of
// it (registry.h). Versions share definitions and catalogs.
#ifndef MICA_REGISTRY_ENDPOINT_H
#define MICA_REGISTRY_ENDPOINT_H

#include "protocol/implementation.h"
#include "registry/catalog.h"

// Capabilities. The first definition that needs one declares it. A declared capability
// stays declared, because clients may know of it.
enum mica_declared {
    MICA_DECLARED_TOOLS = 1,
    MICA_DECLARED_RESOURCES = 2, // templates too
    MICA_DECLARED_PROMPTS = 4,
    MICA_DECLARED_COMPLETIONS = 8,
    MICA_DECLARED_LOGGING = 16, // a native handler, which may log
    MICA_DECLARED_TASKS = 32,   // a tool whose calls may become tasks
    MICA_DECLARED_VIEWS =
        64, // views that mica makes: to clients that show views
    MICA_DECLARED_FORM_VIEWS = 128 // a tool whose forms name views
};

// Whose tools the handlers of an endpoint invoke.
enum mica_invoked_tools {
    MICA_INVOKES_OWN,   // those of their endpoint
    MICA_INVOKES_SERVER // those of /mcp, by the rules and scopes of the caller
};

// Of ten thousand endpoints each is out of the cache when a call comes, so what a call reads
// stands first, in two lines of the cache.
struct mica_endpoint {
    atomic_uint references;
    atomic_bool used; // since the source last looked
    size_t bytes;     // of the block with this struct and its texts
    // Sealed states, sessions, calls and cursors are bound to the key. Both are empty
    // for /mcp.
    struct mica_text key, path;
    struct mica_catalog *catalog;
    // Who has made it (endpoint_source.h); NULL: the program. The other members that begin
    // so are the source's.
    const struct mica_endpoint_source *source;
    void *source_data;
    // `implementation` in the form of the newest revision
    struct mica_text server_info;
    // The same without the icons, which may be large; empty: it has no icons.
    struct mica_text server_brief;
    struct mica_text scope; // scopes that every caller needs; or empty
    unsigned declared;      // enum mica_declared, or-ed; no change removes one
    uint32_t list_ttl_ms;
    bool list_all;
    enum mica_invoked_tools invokes;
    size_t page_items;
    int64_t version; // 1 at first; each change adds 1; or as its source says
    struct mica_text instructions; // or empty
    struct mica_implementation implementation;
    size_t source_place;
    struct mica_endpoint *source_before; // the one that it has replaced
};

// The parts of a new endpoint. Texts are copied; NULL is empty.
struct mica_endpoint_parts {
    struct mica_text key, path;
    struct mica_implementation implementation;
    const char *instructions, *scope;
    size_t page_items;
    uint32_t list_ttl_ms;
    bool list_all;
    enum mica_invoked_tools invokes;
};

// Makes an endpoint, which the caller holds; NULL for want of memory. Owner: it takes over
// the reference to `catalog`, also on failure.
struct mica_endpoint *
mica_endpoint_make(const struct mica_endpoint_parts *parts,
                   struct mica_catalog *catalog);

// Makes the next version of `endpoint`, with `catalog` (it takes over the reference) and
// with these capabilities in addition. NULL for want of memory.
struct mica_endpoint *mica_endpoint_next(const struct mica_endpoint *endpoint,
                                         struct mica_catalog *catalog,
                                         unsigned declared);

// The identity that each reply has.
static inline struct mica_text
mica_endpoint_brief(const struct mica_endpoint *endpoint)
{
    return endpoint->server_brief.len > 0 ? endpoint->server_brief
                                          : endpoint->server_info;
}

void mica_endpoint_hold(struct mica_endpoint *endpoint);
void mica_endpoint_drop(struct mica_endpoint *endpoint); // NULL is allowed

// The capabilities that a definition needs.
unsigned mica_definition_declares(const struct mica_definition *definition);

#endif
