// SPDX-License-Identifier: Apache-2.0
//
// What a server offers now: its endpoints, as messages see them, the services that
// handlers use, and the builds that calls of before began with.
//
// Threads: every function may be called from any thread, but for the members below
// that are set before serving. A change makes the next value of an endpoint beside the
// present one and puts that in its place if no other change was faster.
#ifndef MICA_REGISTRY_REGISTRY_H
#define MICA_REGISTRY_REGISTRY_H

#include "protocol/base_path.h"
#include "registry/endpoint_table.h"

// Something that clients are told of.
enum mica_change_kind {
    MICA_CHANGED_TOOLS,
    MICA_CHANGED_RESOURCES, // templates too
    MICA_CHANGED_PROMPTS,
    MICA_CHANGED_CONTENTS, // of the resource `uri`
    MICA_CHANGED_TASK,     // the state of the task whose id is `uri`
    MICA_CHANGED_SOURCES   // of tools that are being written; for open pages
};

struct mica_change {
    struct mica_text endpoint; // its key: only who listens there is told
    bool everywhere;           // it may be of any endpoint
    enum mica_change_kind kind;
    struct mica_text uri;  // for MICA_CHANGED_CONTENTS and _TASK
    struct mica_text task; // for MICA_CHANGED_TASK: a DetailedTask, JSON
};

// Is who listens at the endpoint of that key to be told?
static inline bool
mica_change_concerns(const struct mica_change *change, struct mica_text key)
{
    return change->everywhere || mica_text_equal(change->endpoint, key);
}

// Something that handlers use, in an arena of its own. Entries are added, and stay
// until the server closes.
struct mica_service_entry {
    struct mica_service_entry *next;
    struct mica_arena arena;
    const char *name;
    void *service;
    void (*close)(void *service); // NULL: the program's own
    // Of the tool that opened it, held: the code of `close` is its.
    struct mica_definition *opener;
};

// Room for a path to a folder of services.
#define MICA_FOLDER_SIZE 4096

struct mica_registry {
    struct mica_text version;   // of the program, borrowed
    struct mica_endpoint *main; // of /mcp, as it is now
    struct mica_endpoint
        *gone; // offers nothing: what one that was withdrawn is
    struct mica_endpoint_table endpoints; // the others
    // The base path that clients may have in front of paths: no endpoint lies at or
    // below it, or above.
    char reserved[MICA_BASE_PATH_BYTES];
    size_t reserved_length;
    atomic_flag spin_lock; // of all these, held for a few moments
    atomic_bool seen;      // a message has seen `main`: change copies only
    atomic_bool published; // there is, or was, an endpoint beside `main`
    _Atomic(struct mica_service_entry *) services; // newest first
    // Makes the folder in which the service of that name may keep files, an
    // absolute path. NULL: no folder was given (mica_server_use_folder).
    enum mica_status (*folder)(void *data, const char *namez,
                               struct mica_error *error,
                               char path_out[MICA_FOLDER_SIZE]);
    void *folder_data;
    // A tool as it was, for mica_server_version; or NULL.
    struct mica_definition *(*older)(void *data, struct mica_text name,
                                     struct mica_text version);
    void *older_data;
    // Tells an adapter of changes, from any thread; or NULL.
    void (*changed)(void *data, const struct mica_change *change);
    void *changed_data;
};

// Afterwards there is the endpoint of /mcp, which offers nothing. False for want of
// memory.
bool mica_registry_init(struct mica_registry *registry,
                        const struct mica_endpoint_parts *main);

// Drops the endpoints and closes what tools have opened. No call may be running.
void mica_registry_fini(struct mica_registry *registry);

// Tells an adapter of a change, if there is one that listens.
void mica_registry_tell(struct mica_registry *registry,
                        const struct mica_change *change);

// ---- Endpoints -------------------------------------------------------------------
// What these give is held for the caller (mica_endpoint_drop).

// The endpoint of /mcp.
struct mica_endpoint *mica_registry_main(struct mica_registry *registry);

// The endpoint with that key (empty: of /mcp), or NULL.
struct mica_endpoint *mica_registry_endpoint(struct mica_registry *registry,
                                             struct mica_text key);

// What stands for an endpoint that was withdrawn, to a message that has begun there. It
// offers nothing.
struct mica_endpoint *mica_registry_gone(struct mica_registry *registry);

// The endpoint whose path is the longest at or above that one, never the one of /mcp;
// or NULL. `*below_out` is what follows its path: empty, or with a slash in front.
struct mica_endpoint *
mica_registry_endpoint_above(struct mica_registry *registry,
                             struct mica_text path,
                             struct mica_text *below_out);

// How many there are beside the one of /mcp.
size_t mica_registry_endpoints(struct mica_registry *registry);

// Serves an endpoint from now on, in place of one with the same key; its version is
// then one higher, and what that had declared stays declared. Owner: the registry,
// also when it fails. Errors: MICA_E_EXISTS (another endpoint has the path), MICA_E_USAGE
// (the path and the base path are the same, or one is below the other), MICA_E_LIMIT.
enum mica_status mica_registry_publish(struct mica_registry *registry,
                                       struct mica_endpoint *endpoint,
                                       struct mica_error *error) MICA_MUST_USE;

// Does not serve that endpoint any more. Messages that have begun end as they would
// have; its sessions, calls and states wait for an endpoint with this key. Errors:
// MICA_E_NOT_FOUND.
enum mica_status mica_registry_withdraw(struct mica_registry *registry,
                                        struct mica_text key,
                                        struct mica_error *error) MICA_MUST_USE;

// The base path of the HTTP server that serves this until the next one, or the release;
// empty: none. Errors: MICA_E_USAGE (the path of an endpoint is the same, or one is below
// the other).
enum mica_status mica_registry_reserve(struct mica_registry *registry,
                                       struct mica_text base,
                                       struct mica_error *error) MICA_MUST_USE;
void mica_registry_release(struct mica_registry *registry);

// ---- What the endpoint of /mcp offers ----------------------------------------------

// Takes a definition back. Errors: MICA_E_NOT_FOUND, MICA_E_LIMIT.
enum mica_status mica_registry_remove(struct mica_registry *registry,
                                      enum mica_definition_kind kind,
                                      struct mica_text key,
                                      struct mica_error *error) MICA_MUST_USE;

// The catalog as it is now, held for the caller (mica_catalog_drop).
struct mica_catalog *mica_registry_catalog(struct mica_registry *registry);

// Declares capabilities before there is anything of them: enum mica_declared. Errors:
// MICA_E_LIMIT.
enum mica_status mica_registry_declare(struct mica_registry *registry,
                                       unsigned declared,
                                       struct mica_error *error) MICA_MUST_USE;

// How many of a kind there are now.
size_t mica_registry_count(struct mica_registry *registry,
                           enum mica_definition_kind kind);

// Offers a definition. Owner: the registry, also when it fails.
// Errors: MICA_E_EXISTS, MICA_E_USAGE (a bad name, no description), MICA_E_LIMIT.
enum mica_status mica_registry_define(struct mica_registry *registry,
                                      struct mica_definition *definition,
                                      struct mica_error *error) MICA_MUST_USE;

// The same in place of one with that key, if there is one: calls that run keep
// the old one.
enum mica_status mica_registry_redefine(struct mica_registry *registry,
                                        struct mica_definition *definition,
                                        struct mica_error *error) MICA_MUST_USE;

// ---- Services ----------------------------------------------------------------------

// Gives handlers a service of the program's own. Errors: MICA_E_USAGE (a bad name),
// MICA_E_EXISTS, MICA_E_LIMIT.
enum mica_status mica_registry_give_service(struct mica_registry *registry,
                                            const char *namez, void *service,
                                            struct mica_error *error)
    MICA_MUST_USE;

// Finds or opens what the .services of a tool name. Before it is offered or run.
// Errors: MICA_E_USAGE (a bad name, no folder), those of `open`.
enum mica_status mica_registry_open_services(struct mica_registry *registry,
                                             struct mica_definition *definition,
                                             struct mica_error *error)
    MICA_MUST_USE;

// What a handler of `definition` (NULL: of any) means by that name; NULL when
// there is no such service. From any thread.
void *mica_registry_service(struct mica_registry *registry,
                            const struct mica_definition *definition,
                            const char *namez);

// ---- Versions ----------------------------------------------------------------------

// The version of what runs: the definition's own, of an engine that of its module,
// or that of the program.
struct mica_text
mica_registry_version_of(const struct mica_registry *registry,
                         const struct mica_definition *definition);

// The tool of that name and version, as the endpoint with that key offers it now or
// did before, also before a restart; held for the caller. NULL when it is not there any
// more. From any thread.
struct mica_definition *mica_registry_version(struct mica_registry *registry,
                                              struct mica_text key,
                                              struct mica_text name,
                                              struct mica_text version);

// Is a tool of that name offered now, by the endpoint with that key? From any thread.
bool mica_registry_has_tool(struct mica_registry *registry,
                            struct mica_text key, struct mica_text name);

// What runs a call, as its row names it.
struct mica_call_build {
    struct mica_text endpoint; // its key
    enum mica_definition_kind kind;
    struct mica_text target, version;
};

// Can this registry continue a call of that build? With `now` only what is offered now
// counts, and no file is looked at. From any thread.
bool mica_registry_runs(struct mica_registry *registry,
                        const struct mica_call_build *build, bool now);

#endif
