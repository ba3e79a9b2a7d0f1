// SPDX-License-Identifier: Apache-2.0
//
// A definition: what is offered of a tool, a resource, a template or a prompt, from
// an author's table or a manifest to the texts that lists show and the runnable that
// calls run. Checked once, when it is made; immutable once it is offered.
#ifndef MICA_REGISTRY_DEFINITION_H
#define MICA_REGISTRY_DEFINITION_H

#include <stdatomic.h>

#include <mica/server.h>

#include "call/call.h"

// A file with which an engine runs in a browser: its module, its fallback in
// JavaScript, or the page that it brings.
enum mica_carried_file {
    MICA_CARRIED_MODULE,
    MICA_CARRIED_FALLBACK,
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
    enum mica_definition_kind kind;
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
    // One of these files, for a client that takes it compressed or does not. NULL:
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
    // Of a tool that is shown under another name: the tool itself, held; or NULL.
    struct mica_definition *behind;
    void *held; // for `release`: what lives as long as this
    void (*release)(
        struct mica_definition *self); // before it goes; may be NULL
};

// What a definition of that kind is called in a message, and the method that
// lists them.
const char *mica_definition_kind_noun(enum mica_definition_kind kind);
const char *mica_definition_list_method(enum mica_definition_kind kind);

// An empty definition that the caller holds, or NULL for want of memory.
struct mica_definition *mica_definition_new(enum mica_definition_kind kind);
void mica_definition_hold(struct mica_definition *definition);

// The same definition under another name, for lists; what runs is `behind` it. The
// caller holds it, and it holds the other. NULL for want of memory.
struct mica_definition *
mica_definition_named(struct mica_definition *definition,
                      struct mica_text name);
void mica_definition_drop(struct mica_definition *definition);

// ---- From authors ---------------------------------------------------------------

enum {
    MICA_NAME_LENGTH = 128 // of a tool or a prompt (guide 3.2)
};

// 1 to MICA_NAME_LENGTH of A-Z a-z 0-9 _ . -
bool mica_name_valid(struct mica_text name);

// What an offer has to have at least. Errors: MICA_E_USAGE (a bad name, no
// description), MICA_E_LIMIT.
enum mica_status mica_definition_check(const struct mica_definition *definition,
                                       struct mica_error *error) MICA_MUST_USE;

// A definition of an engine by its manifest (the JSON of mica_engine_describe,
// copied), which the caller holds and offers with mica_server_define.
enum mica_status mica_definition_of_engine(
    struct mica_text manifest, const struct mica_runnable *runnable,
    struct mica_error *error, struct mica_definition **definition_out)
    MICA_MUST_USE;

// A definition of a program's own tool, which the caller holds and offers with
// mica_server_define, or only runs. `origin` is NULL, or says of which build the
// tool is; its texts are copied. Errors: as mica_server_add_tool, but for those of
// services, for which there is the function below.
struct mica_origin {
    struct mica_text version; // of the shared object: a hash
    struct mica_text family;  // of code that it shares with others: a hash
};
enum mica_status
mica_definition_of_tool(const struct mica_tool *tool, void *user,
                        const struct mica_origin *origin,
                        struct mica_error *error,
                        struct mica_definition **definition_out) MICA_MUST_USE;

// Definitions of a resource or template, and of a prompt, as for a tool. Errors:
// those of mica_server_add_resource and mica_server_add_prompt.
enum mica_status mica_definition_of_resource(
    const struct mica_resource *resource, void *user, struct mica_error *error,
    struct mica_definition **definition_out) MICA_MUST_USE;
enum mica_status mica_definition_of_prompt(
    const struct mica_prompt *prompt, void *user, struct mica_error *error,
    struct mica_definition **definition_out) MICA_MUST_USE;

// A definition of an engine that is linked into the program.
enum mica_status mica_definition_of_linked_engine(
    const struct mica_engine *engine, struct mica_error *error,
    struct mica_definition **definition_out) MICA_MUST_USE;

// ---- Parts of a definition, for the files of this folder --------------------------

// Fills what all kinds have; the key is the name. Texts may be NULL.
// Errors: MICA_E_USAGE (an invalid icon or .meta).
enum mica_status mica_define_common(struct mica_definition *definition,
                                    const char *name, const char *title,
                                    const char *description,
                                    const struct mica_icon *icons,
                                    size_t icon_count, const char *meta,
                                    const char *scope, struct mica_error *error)
    MICA_MUST_USE;

// A copy that lives as long as the definition, which calls may hold when its
// author has taken it back; empty for NULL and for want of memory (sticky).
struct mica_text mica_define_text(struct mica_definition *definition,
                                  const char *textz);

// Makes `handler` what runs, on arguments that are texts and choices. `record`
// may be NULL for none, and is checked. Errors: MICA_E_USAGE.
enum mica_status mica_define_handler(struct mica_definition *definition,
                                     const struct mica_record *record,
                                     mica_handler *handler,
                                     struct mica_error *error) MICA_MUST_USE;

// The field of that name, or NULL.
const struct mica_field *mica_field_find(const struct mica_record *record,
                                         struct mica_text name);

// Fills what a tool on raw JSON has: its schemas and how it runs (json_tool.c).
// Errors: MICA_E_USAGE (an invalid schema).
enum mica_status mica_define_raw(struct mica_definition *definition,
                                 const struct mica_tool *tool,
                                 struct mica_error *error) MICA_MUST_USE;

#endif
