// SPDX-License-Identifier: Apache-2.0
//
// A definition of a tool, a resource, a template or a prompt. It is made from an author's
// table or from a manifest, and has the texts for lists and the runnable for calls. It is
// checked when it is made, and immutable once a catalog has it.
#ifndef MICA_REGISTRY_DEFINITION_H
#define MICA_REGISTRY_DEFINITION_H

#include <stdatomic.h>

#include <mica/server.h>

#include "call/call.h"
#include "call/turn.h"

// A file for running an engine in a browser: its module, its fallback in JavaScript, its
// page, or that page as a view.
enum mica_carried_file {
    MICA_CARRIED_MODULE,
    MICA_CARRIED_FALLBACK,
    MICA_CARRIED_PAGE,
    MICA_CARRIED_VIEW,
    MICA_CARRIED_COUNT
};

struct mica_carried {
    struct mica_text bytes;
    bool gzip; // `bytes` are compressed
};

struct mica_definition;

// Writes the document of a tool's view. Errors: those of its files, MICA_E_LIMIT.
typedef enum mica_status
mica_document_writer(const struct mica_definition *tool,
                     struct mica_arena *arena, struct mica_error *error,
                     struct mica_buffer *out);

// What a tool with a view, or for a part of all callers, has in addition; of the resource of
// a view only `meta` is set.
struct mica_definition_view {
    const struct mica_view *view; // NULL: none, only an audience
    const char *document;         // if it is not in view->html
    mica_document_writer *write;  // if it is made for each read; or NULL
    unsigned audience;            // enum mica_audience
    bool for_requests; // http_request: of no use without a view of an author
    bool for_all; // of a resource: also clients that declare no views have it
    struct mica_definition
        *resource;         // once it is placed: of the document, held
    struct mica_text meta; // members of _meta for clients that show views
};

// The views that the forms of a tool name. Each list has `count` items.
struct mica_definition_forms {
    size_t count;
    const struct mica_view *const *views;
    const char *const *documents; // those that are not in view->html; or NULL
    struct mica_form_view *rows;  // for turns; ends with an empty one
    struct mica_definition *
        *resources; // of the documents, held; NULL: not placed
};

// Who has a call that asks, unless something else has it stored.
enum mica_asking_call {
    MICA_ASKING_CARRIED, // the client
    // The store, from the first question on: of an app with a budget, or a test of an app,
    // which count a call once, while a client can repeat a call that it carries as often as
    // it likes.
    MICA_ASKING_STORED
};

// Texts are in the definition's own arena, or borrowed from the author's tables. JSON texts
// have one line.
struct mica_definition {
    struct mica_arena arena;
    atomic_uint references;
    enum mica_definition_kind kind;
    struct mica_text key; // unique in its list: name, URI or template
    struct mica_text name, title, description, category;
    struct mica_text input_schema, output_schema; // JSON; output may be empty
    bool output_is_object;     // the session revisions list no other schema
    struct mica_text examples; // JSON array, or empty
    struct mica_text sha256;   // of the module, or empty
    // Of an engine: hashes of its files for browsers (empty: it lacks the file), what the
    // content security policy of its page must allow, and its memory limit.
    struct mica_text carried_sha256[MICA_CARRIED_COUNT];
    struct mica_text page_policy;
    struct mica_text view_declared; // of an engine: its .view as JSON, or empty
    uint32_t memory_bytes;
    // Reads one of these files; with `gzip` the client accepts it compressed. NULL: it
    // has no such file. Errors: MICA_E_NOT_FOUND, MICA_E_TRUST (the file has changed since the
    // build), MICA_E_FORMAT (it exists only compressed).
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
    struct mica_text version; // of the build; empty: the server's
    struct mica_text family;  // of code shared with other tools, or empty
    const struct mica_service_definition *const *brings; // NULL-ended, or NULL
    struct mica_service_entry **services; // opened for it, NULL-ended, or NULL
    const char *const *steps;             // declared, NULL-ended; NULL: none
    const char *const *fetches;           // origins, the same; or "*" alone
    const struct mica_keep_place *keeps;  // NULL: it keeps nothing
    // The store has its calls from their begin: the tool has phases or steps, fetches or
    // keeps.
    bool stored;
    enum mica_asking_call asking; // of the others
    enum mica_task_support task;
    bool detaches;     // a call becomes a task at mica_detach
    uint32_t limit_ms; // of each question
    uint32_t keep_ms;  // of a stored call
    const struct mica_record *input;
    struct mica_param *params; // arguments that clients repeat in headers
    mica_completer *complete;
    // Of a tool that has a view or an audience, and of the resource of a view; else NULL.
    struct mica_definition_view *view;
    // Of a tool; NULL: its build knows no views of forms.
    struct mica_definition_forms *forms;
    bool completes;      // has a completer, or a choice among its arguments
    bool logs;           // its handler may call mica_log
    const void *details; // by kind: a compiled template, or schemas
    struct mica_runnable runnable;
    // Set in the definition of a tool under another name: the tool itself, held.
    struct mica_definition *behind;
    void *held; // for `release`: freed with this definition
    // Called before the definition is freed; may be NULL.
    void (*release)(struct mica_definition *self);
};

// The noun for a kind in messages, and the method that lists the kind.
const char *mica_definition_kind_noun(enum mica_definition_kind kind);
const char *mica_definition_list_method(enum mica_definition_kind kind);

// Makes an empty definition, which the caller holds; NULL for want of memory.
struct mica_definition *mica_definition_new(enum mica_definition_kind kind);
void mica_definition_hold(struct mica_definition *definition);

// Makes a definition with another name, for lists; its member `behind` is the definition
// that runs, which it holds. The caller holds the result. NULL for want of memory.
struct mica_definition *
mica_definition_named(struct mica_definition *definition,
                      struct mica_text name);
void mica_definition_drop(struct mica_definition *definition);

// ---- From authors ---------------------------------------------------------------

enum {
    MICA_NAME_LENGTH = 128 // of a tool or a prompt
};

// 1 to MICA_NAME_LENGTH of A-Z a-z 0-9 _ . -
bool mica_name_valid(struct mica_text name);

// Checks what every definition needs. Errors: MICA_E_USAGE (a bad name, no description),
// MICA_E_LIMIT.
enum mica_status mica_definition_check(const struct mica_definition *definition,
                                       struct mica_error *error) MICA_MUST_USE;

// Makes the definition of an engine from its manifest (the JSON of mica_engine_describe,
// copied). The caller holds it, and adds it with mica_registry_define.
enum mica_status mica_definition_of_engine(
    struct mica_text manifest, const struct mica_runnable *runnable,
    struct mica_error *error, struct mica_definition **definition_out)
    MICA_MUST_USE;

// The build that a tool comes from.
struct mica_origin {
    struct mica_text version; // of the shared object: a hash
    struct mica_text family;  // of code that it shares with other tools: a hash
    // The documents of its view and of the views of its forms, which the shared object
    // holds; NULL: it has none.
    const char *document, *const *form_documents;
    uint32_t
        abi; // of the shared object (MICA_TOOL_ABI); 0: the tool is the program's
};

// Makes the definition of a program's own tool. The caller holds it, and adds it with
// mica_registry_define, or only runs it. `origin` may be NULL; its texts are copied.
// Errors: those of mica_server_add_tool, except of services
// (mica_registry_open_services).
enum mica_status
mica_definition_of_tool(const struct mica_tool *tool, void *user,
                        const struct mica_origin *origin,
                        struct mica_error *error,
                        struct mica_definition **definition_out) MICA_MUST_USE;

// Gives the tool its place in the server of that name: makes the resources of its views, and
// what _meta says of them. Does nothing for a tool without .view, .audience and .form_views,
// and for one that has its place. Before the tool is in a catalog. Errors: MICA_E_LIMIT.
enum mica_status mica_definition_place_view(struct mica_definition *definition,
                                            struct mica_text server,
                                            struct mica_error *error)
    MICA_MUST_USE;

// Is it the resource of a view, which comes and goes with tools?
static inline bool
mica_definition_is_view(const struct mica_definition *definition)
{
    return definition->kind == MICA_DEFINITION_RESOURCE &&
           definition->view != NULL;
}

// May a model call the tool, and not only a view?
static inline bool
mica_definition_for_models(const struct mica_definition *definition)
{
    return definition->view == NULL ||
           (definition->view->audience & MICA_MODEL) != 0;
}

// May a view call the tool?
static inline bool
mica_definition_for_views(const struct mica_definition *definition)
{
    return definition->view == NULL ||
           (definition->view->audience & MICA_APP) != 0;
}

// Is it http_request, which the server itself adds?
static inline bool
mica_definition_for_requests(const struct mica_definition *definition)
{
    return definition->view != NULL && definition->view->for_requests;
}

// Has the tool a view that its author did not write?
static inline bool
mica_definition_view_is_made(const struct mica_definition *definition)
{
    return definition->view != NULL && definition->view->write != NULL;
}

// Has the tool a view?
static inline bool
mica_definition_has_view(const struct mica_definition *definition)
{
    return definition->view != NULL && definition->view->view != NULL;
}

// Do forms of the tool name views?
static inline bool
mica_definition_has_form_views(const struct mica_definition *definition)
{
    return definition->forms != NULL && definition->forms->count > 0;
}

// The views that forms of the tool may name, as turns have them; or NULL.
static inline const struct mica_form_view *
mica_definition_form_views(const struct mica_definition *definition)
{
    return definition->forms != NULL ? definition->forms->rows : NULL;
}

// The resources of the tool's view and of the views of its forms, one by one; NULL behind
// the last. Two of them may be the same.
static inline struct mica_definition *
mica_definition_resource_at(const struct mica_definition *definition,
                            size_t number)
{
    const struct mica_definition_forms *forms = definition->forms;

    if (definition->view != NULL && definition->view->resource != NULL) {
        if (number == 0)
            return definition->view->resource;
        number--;
    }
    return forms != NULL && forms->resources != NULL && number < forms->count
               ? forms->resources[number]
               : NULL;
}

// What _meta says to clients that show views; or empty.
static inline struct mica_text
mica_definition_view_meta(const struct mica_definition *definition)
{
    const struct mica_text none = {NULL, 0};

    return definition->view != NULL ? definition->view->meta : none;
}

// The same for a resource or template, and for a prompt. Errors: those of
// mica_server_add_resource and mica_server_add_prompt.
enum mica_status mica_definition_of_resource(
    const struct mica_resource *resource, void *user, struct mica_error *error,
    struct mica_definition **definition_out) MICA_MUST_USE;
enum mica_status mica_definition_of_prompt(
    const struct mica_prompt *prompt, void *user, struct mica_error *error,
    struct mica_definition **definition_out) MICA_MUST_USE;

// Makes the definition of an engine that is linked into the program.
enum mica_status mica_definition_of_linked_engine(
    const struct mica_engine *engine, struct mica_error *error,
    struct mica_definition **definition_out) MICA_MUST_USE;

// ---- Parts of a definition, for the files of this folder --------------------------

// Fills in the members that all kinds share; the key is the name. Texts may be NULL.
// Errors: MICA_E_USAGE (an invalid icon or .meta).
enum mica_status mica_define_common(struct mica_definition *definition,
                                    const char *name, const char *title,
                                    const char *description,
                                    const struct mica_icon *icons,
                                    size_t icon_count, const char *meta,
                                    const char *scope, struct mica_error *error)
    MICA_MUST_USE;

// Copies a text into the arena of the definition, which calls may hold after its author
// has removed it. Empty for NULL, and for want of memory (sticky).
struct mica_text mica_define_text(struct mica_definition *definition,
                                  const char *textz);

// Makes `handler` the runnable, for arguments that are texts and choices. `record` is
// checked, and may be NULL. Errors: MICA_E_USAGE.
enum mica_status mica_define_handler(struct mica_definition *definition,
                                     const struct mica_record *record,
                                     mica_handler *handler,
                                     struct mica_error *error) MICA_MUST_USE;

// Fills in the view and the audience of a tool. Errors: MICA_E_USAGE, MICA_E_LIMIT (a
// document that is too large).
enum mica_status mica_define_view(struct mica_definition *definition,
                                  const struct mica_tool *tool,
                                  const char *document,
                                  struct mica_error *error) MICA_MUST_USE;

// Fills in the views of the tool's forms. Errors: MICA_E_USAGE, MICA_E_LIMIT.
enum mica_status mica_define_form_views(struct mica_definition *definition,
                                        const struct mica_tool *tool,
                                        const struct mica_origin *origin,
                                        struct mica_error *error) MICA_MUST_USE;

// Gives an engine a view of its name, whose document `write` makes for each read.
// Errors: MICA_E_LIMIT.
enum mica_status mica_define_made_view(struct mica_definition *definition,
                                       mica_document_writer *write,
                                       struct mica_error *error) MICA_MUST_USE;

// Fills in the schemas and the runnable of a tool with a JSON handler (json_tool.c).
// Errors: MICA_E_USAGE (an invalid schema).
enum mica_status mica_define_raw(struct mica_definition *definition,
                                 const struct mica_tool *tool,
                                 struct mica_error *error) MICA_MUST_USE;

#endif
