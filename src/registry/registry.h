// SPDX-License-Identifier: Apache-2.0
//
// The registry of a server: its endpoints, the services of its handlers, and the older
// builds that stored calls began with.
//
// Threads: any thread may call these functions; the function pointers below are set before
// serving. A change makes the next version of an endpoint, and replaces the current one
// unless another change did so first; then it tries again.
#ifndef MICA_REGISTRY_REGISTRY_H
#define MICA_REGISTRY_REGISTRY_H

#include "protocol/base_path.h"
#include "registry/endpoint_source.h"
#include "registry/endpoint_table.h"

// A change that clients may subscribe to.
enum mica_change_kind {
    MICA_CHANGED_TOOLS,
    MICA_CHANGED_RESOURCES, // templates too
    MICA_CHANGED_PROMPTS,
    MICA_CHANGED_CONTENTS, // of the resource `uri`
    MICA_CHANGED_TASK,     // the state of the task whose id is `uri`
    MICA_CHANGED_SOURCES,  // of tools under development; for open pages
    MICA_CHANGED_EXCHANGES // with clients, of `mica dev`; for open Inspectors
};

struct mica_change {
    struct mica_text endpoint; // its key: only listeners there are notified
    bool everywhere;           // listeners of all endpoints are notified
    enum mica_change_kind kind;
    struct mica_text uri;  // for MICA_CHANGED_CONTENTS and _TASK
    struct mica_text task; // for MICA_CHANGED_TASK: a DetailedTask, JSON
};

// Does the change concern listeners at the endpoint with that key?
static inline bool
mica_change_concerns(const struct mica_change *change, struct mica_text key)
{
    return change->everywhere || mica_text_equal(change->endpoint, key);
}

// A service of handlers, in an arena of its own. Entries stay until the server closes.
struct mica_service_entry {
    struct mica_service_entry *next;
    struct mica_arena arena;
    const char *name;
    void *service;
    void (*close)(void *service); // NULL: the program closes it
    // The tool that opened it, held: it contains the code of `close`.
    struct mica_definition *opener;
};

// Size of a buffer for the path of a service's folder.
#define MICA_FOLDER_SIZE 4096

struct mica_registry {
    struct mica_text name, version; // of the program, borrowed
    struct mica_endpoint *main;     // /mcp, the current version
    // Replaces a withdrawn endpoint. Its catalog is empty.
    struct mica_endpoint *gone;
    struct mica_endpoint_table endpoints; // the others
    // The base path that paths of clients may begin with: no endpoint lies at it, below
    // it or above it.
    char reserved[MICA_BASE_PATH_BYTES];
    size_t reserved_length;
    atomic_flag spin_lock; // protects all of the above
    atomic_bool seen;      // a message has used `main`: changes must copy it
    atomic_bool published; // the program has published another endpoint
    _Atomic(struct mica_service_entry *) services; // newest first
    // Creates the folder for the files of that service; its path is absolute. NULL: the
    // program has set no folder (mica_server_use_folder).
    enum mica_status (*folder)(void *data, const char *namez,
                               struct mica_error *error,
                               char path_out[MICA_FOLDER_SIZE]);
    void *folder_data;
    // Finds an older build of a tool, for mica_registry_version; or NULL.
    struct mica_definition *(*older)(void *data, struct mica_text name,
                                     struct mica_text version);
    void *older_data;
    // Of endpoints that are not in memory, set before serving; or NULL.
    const struct mica_endpoint_source *source;
    void *source_data;
    // Publishes a change to an adapter, from any thread; or NULL.
    void (*changed)(void *data, const struct mica_change *change);
    void *changed_data;
};

// Initializes a registry with the endpoint /mcp and an empty catalog. Returns false for
// want of memory.
bool mica_registry_init(struct mica_registry *registry,
                        const struct mica_endpoint_parts *main);

// Drops the endpoints and closes the services of tools. No call may be running.
void mica_registry_fini(struct mica_registry *registry);

// Publishes a change to the adapter, if there is one.
void mica_registry_tell(struct mica_registry *registry,
                        const struct mica_change *change);

// ---- Endpoints -------------------------------------------------------------------
// The caller holds the results (mica_endpoint_drop).

// The endpoint /mcp.
struct mica_endpoint *mica_registry_main(struct mica_registry *registry);

// The endpoint with that key (empty: /mcp), or NULL.
struct mica_endpoint *mica_registry_endpoint(struct mica_registry *registry,
                                             struct mica_text key);

// The same, and loads it from the source if that has it. On a serving thread it does not
// load.
struct mica_endpoint *
mica_registry_endpoint_load(struct mica_registry *registry,
                            struct mica_text key);

// The replacement for a withdrawn endpoint, for messages that have begun there. Its
// catalog is empty.
struct mica_endpoint *mica_registry_gone(struct mica_registry *registry);

// The endpoint with the longest path at or above `path`, never /mcp; or NULL. `*below_out`
// is the rest of `path`: empty, or with a slash in front.
struct mica_endpoint *
mica_registry_endpoint_above(struct mica_registry *registry,
                             struct mica_text path,
                             struct mica_text *below_out);

// The number of endpoints, without /mcp.
size_t mica_registry_endpoints(struct mica_registry *registry);

// Publishes an endpoint. It replaces one with the same key: its version is one higher, and
// it declares the same capabilities and its own. Owner: the registry, also on failure.
// Errors: MICA_E_EXISTS (another endpoint has the path), MICA_E_USAGE (the path is the
// base path, or one is below the other), MICA_E_LIMIT.
enum mica_status mica_registry_publish(struct mica_registry *registry,
                                       struct mica_endpoint *endpoint,
                                       struct mica_error *error) MICA_MUST_USE;

// Withdraws an endpoint. Messages that have begun are not affected; its sessions, calls
// and states wait for an endpoint with this key. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_registry_withdraw(struct mica_registry *registry,
                                        struct mica_text key,
                                        struct mica_error *error) MICA_MUST_USE;

// Reserves the base path of the HTTP server (empty: none), in place of the one before,
// until mica_registry_release. Errors: MICA_E_USAGE (an endpoint has this path, or one of
// the two is below the other).
enum mica_status mica_registry_reserve(struct mica_registry *registry,
                                       struct mica_text base,
                                       struct mica_error *error) MICA_MUST_USE;
void mica_registry_release(struct mica_registry *registry);

// ---- Endpoints of a source ---------------------------------------------------------
// None of these tells clients; the source does.

// Puts an endpoint with `source` set, in place of the one with its key. Its version stays
// as it is. Owner: the registry, also on failure. Errors: as mica_registry_publish;
// MICA_E_EXISTS also if the program has an endpoint with the key.
enum mica_status mica_registry_put(struct mica_registry *registry,
                                   struct mica_endpoint *endpoint,
                                   struct mica_error *error) MICA_MUST_USE;

// Removes the endpoint with that key. Returns false if this source has none there.
bool mica_registry_take(struct mica_registry *registry,
                        const struct mica_endpoint_source *source,
                        struct mica_text key);

// Removes this endpoint, and frees it, unless a message holds it. Returns false if one
// does.
bool mica_registry_evict(struct mica_registry *registry,
                         struct mica_endpoint *endpoint);

// Does what has ended concern `endpoint`, the key of a stream? `ended` is the key of the
// endpoint that its source has given up; empty: one that it no longer knows, so any that is
// not in the registry.
bool mica_registry_has_ended(struct mica_registry *registry,
                             struct mica_text ended, struct mica_text endpoint);

// ---- Definitions of /mcp -----------------------------------------------------------

// Removes a definition. Errors: MICA_E_NOT_FOUND, MICA_E_LIMIT.
enum mica_status mica_registry_remove(struct mica_registry *registry,
                                      enum mica_definition_kind kind,
                                      struct mica_text key,
                                      struct mica_error *error) MICA_MUST_USE;

// The current catalog; the caller holds it (mica_catalog_drop).
struct mica_catalog *mica_registry_catalog(struct mica_registry *registry);

// Declares capabilities (enum mica_declared) before a definition needs them. Errors:
// MICA_E_LIMIT.
enum mica_status mica_registry_declare(struct mica_registry *registry,
                                       unsigned declared,
                                       struct mica_error *error) MICA_MUST_USE;

// The number of definitions of a kind, without http_request.
size_t mica_registry_count(struct mica_registry *registry,
                           enum mica_definition_kind kind);

// Refuses a tool whose view has the URI of a resource of the catalog that is no view.
// Errors: MICA_E_EXISTS.
enum mica_status
mica_registry_check_view(const struct mica_catalog *catalog,
                         const struct mica_definition *definition,
                         struct mica_error *error) MICA_MUST_USE;

// Adds a definition. Owner: the registry, also on failure.
// Errors: MICA_E_EXISTS, MICA_E_USAGE (a bad name, no description), MICA_E_LIMIT.
enum mica_status mica_registry_define(struct mica_registry *registry,
                                      struct mica_definition *definition,
                                      struct mica_error *error) MICA_MUST_USE;

// The same, and replaces a definition with that key. Running calls continue with the old
// one.
enum mica_status mica_registry_redefine(struct mica_registry *registry,
                                        struct mica_definition *definition,
                                        struct mica_error *error) MICA_MUST_USE;

// ---- Services ----------------------------------------------------------------------

// Names of services that begin so are mica's own.
#define MICA_SERVICE_PREFIX "mica-"

// Adds a service of the program. Errors: MICA_E_USAGE (a bad name), MICA_E_EXISTS,
// MICA_E_LIMIT.
enum mica_status mica_registry_give_service(struct mica_registry *registry,
                                            const char *namez, void *service,
                                            struct mica_error *error)
    MICA_MUST_USE;

// The same with any name; `close`, if it is not NULL, gets the service as the registry
// ends. After a failure it is the caller's.
enum mica_status mica_registry_keep_service(struct mica_registry *registry,
                                            const char *namez, void *service,
                                            void (*close)(void *service),
                                            struct mica_error *error)
    MICA_MUST_USE;

// Finds or opens the services that a tool names in .services, before the tool is added or
// runs. Errors: MICA_E_USAGE (a bad name, no folder), those of `open`.
enum mica_status mica_registry_open_services(struct mica_registry *registry,
                                             struct mica_definition *definition,
                                             struct mica_error *error)
    MICA_MUST_USE;

// The service of that name for a handler of `definition` (NULL: of any); NULL: there is
// none. From any thread.
void *mica_registry_service(struct mica_registry *registry,
                            const struct mica_definition *definition,
                            const char *namez);

// ---- Versions ----------------------------------------------------------------------

// The version of a definition: its own, for an engine that of its module, or else that of
// the program.
struct mica_text
mica_registry_version_of(const struct mica_registry *registry,
                         const struct mica_definition *definition);

// Finds a tool by name and version, in the current catalog of the endpoint with that key
// or among its older builds, also from before a restart. The caller holds it. NULL: this
// server does not have it. From any thread.
struct mica_definition *mica_registry_version(struct mica_registry *registry,
                                              struct mica_text key,
                                              struct mica_text name,
                                              struct mica_text version);

// Does the current catalog of the endpoint with that key have a tool of that name? From any
// thread.
bool mica_registry_has_tool(struct mica_registry *registry,
                            struct mica_text key, struct mica_text name);

// The build that runs a stored call.
struct mica_call_build {
    struct mica_text endpoint; // its key
    enum mica_definition_kind kind;
    struct mica_text target, version;
};

// Does this server have that build? With `offered_only` only the current catalog counts, and
// the function reads no file. From any thread.
bool mica_registry_runs(struct mica_registry *registry,
                        const struct mica_call_build *build, bool offered_only);

#endif
