// SPDX-License-Identifier: Apache-2.0
//
// What a server offers: definitions of tools, resources, templates and prompts,
// and the catalogue of them. A catalogue is immutable once a message can see it:
// a change makes a new one that shares its definitions, and calls that run keep
// the one they began with. So nothing is locked while a call runs.
#ifndef MICA_REGISTRY_CATALOG_H
#define MICA_REGISTRY_CATALOG_H

#include <stdatomic.h>

#include <mica/server.h>

#include "call/call.h"

// A file with which an engine runs in a browser: its module, its twin in
// JavaScript, or the page that it brings.
enum mica_carried_file {
    MICA_CARRIED_MODULE,
    MICA_CARRIED_TWIN,
    MICA_CARRIED_PAGE,
    MICA_CARRIED_COUNT
};

struct mica_carried {
    struct mica_text bytes;
    bool gzip; // they are compressed
};

// What is offered, as lists show it. Texts are in the definition's own arena, or
// borrowed from the author's tables. JSON texts are on one line.
struct mica_definition {
    struct mica_arena arena;
    atomic_uint references;
    enum mica_offer offer;
    struct mica_text key; // unique in its list: name, URI or template
    struct mica_text name, title, description, category;
    struct mica_text input_schema, output_schema; // JSON; output may be empty
    bool output_is_object;     // its root; older revisions know no other
    struct mica_text examples; // JSON array, or empty
    struct mica_text sha256;   // of the module, or empty
    // Of an engine: the hashes of its files for browsers, empty where there is
    // none, what a policy has to allow on its page, and its limit of memory.
    struct mica_text carried_sha256[MICA_CARRIED_COUNT];
    struct mica_text page_policy;
    uint32_t memory_bytes;
    // One of these files, for somebody who takes it compressed or does not. NULL:
    // it has none. Errors: MICA_E_NOT_FOUND, MICA_E_TRUST (it is not the file that
    // was built), MICA_E_FORMAT (there only compressed).
    enum mica_status (*carried)(const struct mica_definition *self,
                                enum mica_carried_file file, bool gzip,
                                struct mica_arena *arena,
                                struct mica_error *error,
                                struct mica_carried *carried_out);
    struct mica_text icons;       // JSON array, or empty
    struct mica_text meta;        // members of _meta, no braces, or empty
    struct mica_text scope;       // scopes needed, separated by spaces
    struct mica_text annotations; // of a resource: JSON object, or empty
    struct mica_text mime_type;   // of a resource
    struct mica_text arguments;   // of a prompt: JSON array, or empty
    bool has_size;
    uint64_t size;
    unsigned hints;           // enum mica_hints
    unsigned requires;        // enum mica_client_capability
    struct mica_text version; // of what runs; empty: that of the server
    struct mica_text family;  // of code shared with other tools, or empty
    const struct mica_service_definition *const *brings; // NULL-ended, or NULL
    struct mica_service_entry **services; // opened for it, NULL-ended, or NULL
    const char *const *steps;             // declared, NULL-ended; NULL: none
    bool stored; // its calls are kept by the server (design D4)
    enum mica_task_support task;
    bool detaches;              // a call becomes a task at mica_detach
    uint32_t limit_ms, keep_ms; // of each ask, and of a call
    const struct mica_record *input;
    struct mica_param *params; // arguments that are headers, too
    mica_completer *complete;
    bool completes;      // has a completer, or a choice among its arguments
    bool logs;           // its handler may call mica_log
    const void *details; // of the kind: a compiled template, schemas
    struct mica_runnable runnable;
    void *held; // for `release`: what lives as long as this
    void (*release)(
        struct mica_definition *self); // before it goes; may be NULL
};

// What a definition of that kind is called in a message, and the method that
// lists them.
const char *mica_offer_noun(enum mica_offer offer);
const char *mica_offer_list(enum mica_offer offer);

// An empty definition that the caller holds, or NULL for want of memory.
struct mica_definition *mica_definition_new(enum mica_offer offer);
void mica_definition_hold(struct mica_definition *definition);
void mica_definition_drop(struct mica_definition *definition);

// One kind of definitions, in the order they were added.
struct mica_shelf {
    struct mica_definition **items;
    size_t count, capacity;
    uint32_t *index; // open-addressed by key; number in items + 1
    size_t index_size;
};

struct mica_catalog {
    struct mica_arena arena; // of the lists
    atomic_uint references;
    struct mica_shelf shelves[MICA_OFFER_COUNT];
};

struct mica_catalog *mica_catalog_new(void);
void mica_catalog_hold(struct mica_catalog *catalog);
void mica_catalog_drop(struct mica_catalog *catalog);

// A copy that nobody else sees yet, in which `instead` stands in the place of
// `but`; without `but` when `instead` is NULL. Both may be NULL.
struct mica_catalog *mica_catalog_copy(const struct mica_catalog *catalog,
                                       const struct mica_definition *but,
                                       struct mica_definition *instead);

// Adds a definition; the catalogue holds it too. False for want of memory. Its
// key must not be there yet.
bool mica_catalog_add(struct mica_catalog *catalog,
                      struct mica_definition *definition);

struct mica_definition *mica_catalog_find(const struct mica_catalog *catalog,
                                          enum mica_offer offer,
                                          struct mica_text key);

// The definition whose key is nearest to a wrong one, or NULL.
const struct mica_definition *
mica_catalog_nearest(const struct mica_catalog *catalog, enum mica_offer offer,
                     struct mica_text key);

#endif
