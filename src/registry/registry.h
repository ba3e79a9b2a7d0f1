// SPDX-License-Identifier: Apache-2.0
//
// What a server offers now: the catalogue that messages see, the services that
// handlers use, and the builds that calls of before began with.
//
// Threads: every function may be called from any thread, but for the members below
// that are set before serving. A change makes the next catalogue beside the present
// one and puts that in its place if no other change was faster.
#ifndef MICA_REGISTRY_REGISTRY_H
#define MICA_REGISTRY_REGISTRY_H

#include "registry/catalog.h"

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
    enum mica_change_kind kind;
    struct mica_text uri;  // for MICA_CHANGED_CONTENTS and _TASK
    struct mica_text task; // for MICA_CHANGED_TASK: a DetailedTask, JSON
};

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
    struct mica_text version;     // of the program, borrowed
    struct mica_catalog *catalog; // what is offered now
    atomic_flag gate;             // of `catalog`, held for a few moments
    atomic_bool seen;     // a message has seen a catalogue: change copies only
    atomic_uint declared; // enum mica_declared, or-ed
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

// Afterwards nothing is offered. False for want of memory.
bool mica_registry_init(struct mica_registry *registry,
                        struct mica_text version);

// Drops the catalogue and closes what tools have opened. No call may be running.
void mica_registry_fini(struct mica_registry *registry);

// Tells an adapter of a change, if there is one that listens.
void mica_registry_tell(struct mica_registry *registry,
                        const struct mica_change *change);

// Takes a definition back. Errors: MICA_E_NOT_FOUND, MICA_E_LIMIT.
enum mica_status mica_registry_remove(struct mica_registry *registry,
                                      enum mica_offer offer,
                                      struct mica_text key,
                                      struct mica_error *error) MICA_MUST_USE;

// Gives handlers a service of the program's own. Errors: MICA_E_USAGE (a bad name),
// MICA_E_EXISTS, MICA_E_LIMIT.
enum mica_status mica_registry_give_service(struct mica_registry *registry,
                                            const char *namez, void *service,
                                            struct mica_error *error)
    MICA_MUST_USE;

// The catalogue as it is now, held for the caller (mica_catalog_drop).
struct mica_catalog *mica_registry_catalog(struct mica_registry *registry);

// Declares capabilities before there is anything of them: enum mica_declared.
void mica_registry_declare(struct mica_registry *registry, unsigned declared);

// How many of a kind there are now.
size_t mica_registry_count(struct mica_registry *registry,
                           enum mica_offer offer);

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

// The version of what runs: the definition's own, of an engine that of its module,
// or that of the program.
struct mica_text
mica_registry_version_of(const struct mica_registry *registry,
                         const struct mica_definition *definition);

// The tool of that name and version, as it is offered now or was before, also
// before a restart; held for the caller. NULL when it is not there any more. From
// any thread.
struct mica_definition *mica_registry_version(struct mica_registry *registry,
                                              struct mica_text name,
                                              struct mica_text version);

// Is a tool of that name offered now? From any thread.
bool mica_registry_has_tool(struct mica_registry *registry,
                            struct mica_text name);

// Can this registry continue a call of that offer, which began with that version?
// With `now` only what is offered now counts, and no file is looked at. From any
// thread.
bool mica_registry_runs(struct mica_registry *registry, enum mica_offer offer,
                        struct mica_text target, struct mica_text version,
                        bool now);

#endif
