// SPDX-License-Identifier: Apache-2.0
//
// An endpoint: one place where clients connect, as one value. It is who answers
// there, what that offers, and the rules of its lists. A message holds the value that
// it began with; what lives longer than a message (a stream, a kept call) holds the
// key, and finds the value that has the key then.
//
// A value never changes once a message can see it: a change makes the next one, with
// a version that is one higher (registry.h). Values share definitions and catalogs.
#ifndef MICA_REGISTRY_ENDPOINT_H
#define MICA_REGISTRY_ENDPOINT_H

#include "protocol/implementation.h"
#include "registry/catalog.h"

// Capabilities, each declared from the first definition on that has it. None is
// taken back: a client may have been told.
enum mica_declared {
    MICA_DECLARED_TOOLS = 1,
    MICA_DECLARED_RESOURCES = 2, // templates too
    MICA_DECLARED_PROMPTS = 4,
    MICA_DECLARED_COMPLETIONS = 8,
    MICA_DECLARED_LOGGING = 16, // something native, which may log
    MICA_DECLARED_TASKS = 32    // a tool whose calls may become tasks
};

struct mica_endpoint {
    atomic_uint references;
    size_t bytes; // of this value with its texts: one piece of memory
    // What sealed states, sessions, calls and cursors are bound to; empty: the one of
    // /mcp. And what its paths begin with; empty for that one.
    struct mica_text key, path;
    struct mica_implementation implementation;
    struct mica_text server_info; // that, as the newest revision has it
    // The same without icons, whose bytes may be many: for replies that only repeat it.
    // Empty: there are no icons.
    struct mica_text server_brief;
    struct mica_text instructions; // or empty
    struct mica_text scope;        // scopes that every caller needs; or empty
    size_t page_items;
    uint32_t list_ttl_ms;
    bool list_all;
    unsigned declared; // enum mica_declared, or-ed: it only grows
    int64_t version;   // 1, and one more with each change
    struct mica_catalog *catalog;
};

// What the first value is made of. Texts are copied; NULL is empty.
struct mica_endpoint_parts {
    struct mica_text key, path;
    struct mica_implementation implementation;
    const char *instructions, *scope;
    size_t page_items;
    uint32_t list_ttl_ms;
    bool list_all;
};

// A value that the caller holds. Owner: it has the reference to `catalog` from here
// on, also when the result is NULL, for want of memory.
struct mica_endpoint *
mica_endpoint_make(const struct mica_endpoint_parts *parts,
                   struct mica_catalog *catalog);

// The next value after `endpoint`, which offers `catalog` (whose reference it takes)
// and declares these, too. NULL for want of memory.
struct mica_endpoint *mica_endpoint_next(const struct mica_endpoint *endpoint,
                                         struct mica_catalog *catalog,
                                         unsigned declared);

// What each reply says of who answers.
static inline struct mica_text
mica_endpoint_brief(const struct mica_endpoint *endpoint)
{
    return endpoint->server_brief.len > 0 ? endpoint->server_brief
                                          : endpoint->server_info;
}

void mica_endpoint_hold(struct mica_endpoint *endpoint);
void mica_endpoint_drop(struct mica_endpoint *endpoint); // NULL is allowed

// What a definition lets its endpoint declare.
unsigned mica_definition_declares(const struct mica_definition *definition);

#endif
