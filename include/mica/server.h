// SPDX-License-Identifier: Apache-2.0
//
// A server of tools inside a C program: name it, add tools, serve them.
//
//     struct mica_server *server;
//     struct mica_error error;
//     mica_server_open(&(struct mica_server_options){.name = "weather",
//                                                    .version = "1.0"},
//                      &error, &server);
//     mica_server_add_tool(server, &mica_tool_forecast, NULL, &error);
//     mica_server_load_engines(server, "build/engines", &error);
//     mica_server_serve_stdio(server, NULL, &error);
//     mica_server_close(&server);
//
// Threads: handlers run on several threads at once, so they must protect what `user`
// points to. Before serving, use the server from one thread. While it serves, any thread,
// also a handler, may call mica_server_add_*, _load_*, _remove, _resource_changed and
// _handle. Running calls continue with the definitions that they began with, and the
// server notifies clients of the change.
#ifndef MICA_SERVER_H
#define MICA_SERVER_H

#include <mica/engine.h>
#include <mica/http.h>
#include <mica/protocol.h>
#include <mica/view.h>

#pragma GCC visibility push(default)

struct mica_server;
struct mica_store;

// Size of .cursor_key.
#define MICA_CURSOR_KEY_BYTES 16

// The identity of the server, and its limits. 0 means the default.
struct mica_server_options {
    const char *name, *version; // required
    const char *title, *description, *website_url;
    const char *instructions; // for the agent: how to use the tools together
    size_t message_bytes;     // largest message; 0: 4 MiB
    size_t call_bytes;    // memory of one call outside the sandbox; 0: 32 MiB
    uint32_t list_ttl_ms; // how long a client may cache a list; 0: 0
    size_t page_items;    // definitions on one page of a list; 0: 1000
    // Also list tools whose .requires the client does not fulfill.
    bool list_all;
    // Name the view of a form in its question (MCP Apps, draft SEP-3118), if the client
    // can be asked by forms, shows views, and declares that it answers with them.
    bool form_views;
    const struct mica_icon *icons;
    size_t icon_count;
    // The key of the cursors of lists: MICA_CURSOR_KEY_BYTES of random (getrandom),
    // copied. Servers with the same key accept each other's cursors. NULL: the keys of
    // the store (mica_server_use_store), or of mica_server_serve_*. A server with
    // neither sends each list on one page.
    const void *cursor_key;
};

// Opens a server without tools. Owner: the texts of `options` must outlive it.
// Errors: MICA_E_USAGE (no name or version), MICA_E_LIMIT (no memory).
enum mica_status mica_server_open(const struct mica_server_options *options,
                                  struct mica_error *error,
                                  struct mica_server **server_out)
    MICA_MUST_USE;

// Frees the server and sets *server to NULL. No call may be running.
void mica_server_close(struct mica_server **server);

// ---- Definitions ---------------------------------------------------------------
// Tools, resources, templates of resources, and prompts. Each may have:
//   .title        for people; .description is longer, and for agents too
//   .icons        MICA_ICONS({.src = "https://…", .sizes = "48x48"}, …)
//   .meta         a JSON object, sent as _meta
//   .scope        scopes that a caller needs, separated by spaces (mica/auth.h)
// Texts are copied; records are borrowed until the server closes, because a call may run
// after its definition was removed.

// The kinds of definitions.
enum mica_definition_kind {
    MICA_DEFINITION_TOOL,
    MICA_DEFINITION_RESOURCE,
    MICA_DEFINITION_TEMPLATE,
    MICA_DEFINITION_PROMPT,
    MICA_DEFINITION_COUNT
};

// Older names of these, for programs that use them.
#define mica_offer          mica_definition_kind
#define MICA_OFFER_TOOL     MICA_DEFINITION_TOOL
#define MICA_OFFER_RESOURCE MICA_DEFINITION_RESOURCE
#define MICA_OFFER_TEMPLATE MICA_DEFINITION_TEMPLATE
#define MICA_OFFER_PROMPT   MICA_DEFINITION_PROMPT
#define MICA_OFFER_COUNT    MICA_DEFINITION_COUNT

// Removes a definition: a tool or prompt by its name, a resource by its URI, a template by
// its text. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_server_remove(struct mica_server *server,
                                    enum mica_definition_kind kind,
                                    const char *key, struct mica_error *error)
    MICA_MUST_USE;

// Notifies the clients that have subscribed to the resource `uri`, or to one above it,
// that its contents have changed.
void mica_server_resource_changed(struct mica_server *server, const char *uri);

// ---- Native tools ------------------------------------------------------------
// A native tool runs in the program without a sandbox, on a worker thread. It may block,
// use the network, and call everything below. <mica/tool.h> has the functions that ask
// the client questions, and phases and steps.

// What the tool promises to a client (MCP ToolAnnotations).
enum mica_hints {
    MICA_READ_ONLY = 1,
    MICA_DESTRUCTIVE = 2, // a tool that writes may also destroy
    MICA_IDEMPOTENT = 4,
    MICA_OPEN_WORLD = 8
};

// A handler of JSON: `in` is the object with the arguments. The handler writes the
// structured result to `out`: one object, or nothing.
typedef enum mica_status mica_json_handler(struct mica_call *call,
                                           const struct mica_json *in,
                                           struct mica_json_writer *out);

// May a call become a task (MCP: extension io.modelcontextprotocol/tasks)? The client of
// a task gets a reply at once, while the call runs.
enum mica_task_support {
    MICA_TASK_NEVER,
    MICA_TASK_OPTIONAL, // for clients that have declared the extension
    MICA_TASK_REQUIRED  // the server refuses calls of other clients
};

// A service that handlers find by its name: a database, an HTTP client. A tool lists the
// services that it opens in .services. The server opens a service when it adds the first
// tool that lists it, and closes it with itself.
struct mica_service_definition {
    const char *name;
    // Opens the service. `folder` exists, for its files; only this user can access it.
    // Errors: its own; the server then does not add the tool.
    enum mica_status (*open)(const char *folder, struct mica_error *error,
                             void **service_out);
    void (*close)(void *service);
};

// What MICA_HANDOFF (mica/tool.h) fills in.
struct mica_phases {
    const struct mica_record *found, *choice;
    mica_handler *before, *client;
    enum mica_status (*after)(struct mica_call *call, const void *found,
                              const void *choice, void *out);
};

struct mica_tool {
    const char *name; // 1 to 128 of A-Z a-z 0-9 _ . -
    const char *title, *description;
    // Either a typed tool: records with `handler` or `phases`. `output` may be NULL.
    const struct mica_record *input, *output;
    mica_handler *handler;
    const struct mica_phases *phases;
    // Or a JSON tool: JSON Schema 2020-12 as text (mica/schema.h), sent unchanged. The
    // server checks arguments and results. `output_schema` may be NULL.
    const char *input_schema, *output_schema;
    mica_json_handler *json_handler;
    unsigned hints; // enum mica_hints, or-ed
    const struct mica_example *examples;
    size_t example_count;
    unsigned requires; // enum mica_client_capability, or-ed
    const struct mica_icon *icons;
    size_t icon_count;
    const char *meta, *scope;
    // For a tool that asks questions, or has effects (mica/tool.h):
    const char *const *steps;                              // names, NULL-ended
    const struct mica_service_definition *const *services; // NULL-ended
    enum mica_task_support task;
    bool detaches;     // a call becomes a task at mica_detach, not at once
    uint32_t limit_ms; // for the answer to each question; 0: 10 minutes
    uint32_t keep_s;   // until a call expires, from its begin; 0: 1 day
    const char *const
        *fetches;      // origins, NULL-ended (mica/fetch.h); since ABI 5
    const char *keeps; // whose database (mica/keep.h); since ABI 6
    const char *const *tables;    // statements, NULL-ended; since ABI 6
    const struct mica_view *view; // shows its result (mica/view.h); since ABI 7
    unsigned audience; // enum mica_audience, or-ed; 0: both; since ABI 7
    // Those that its forms name, NULL-ended: MICA_FORM_VIEWS (mica/tool.h), at most
    // MICA_FORM_VIEWS_MOST; since ABI 8
    const struct mica_view *const *form_views;
};

// The entry of a shared object that is built from a file of tools/. MICA_TOOL_ABI counts
// the changes of struct mica_tool and of what its handlers give mica.
#define MICA_TOOL_ABI 8
#define MICA_TOOL_ABI_OLDEST \
    3 // the oldest that loads; no field titles, .fetches, .keeps, .view, .form_views
struct mica_tool_module {
    uint32_t abi;  // MICA_TOOL_ABI
    uint32_t size; // of struct mica_tool
    const struct mica_tool *tool;
    // Hash of tools/lib: builds with the same one share services
    const char *family;
    // Records of all forms in the object (MICA_FORM): the build refuses forms that no
    // client can show. Both NULL: the object has no forms.
    const struct mica_record *const *forms, *const *forms_end;
};
#ifdef MICA_TOOL_MODULE
#    ifndef MICA_TOOL_FAMILY
#        define MICA_TOOL_FAMILY ""
#    endif
extern const struct mica_tool_module mica_tool_module;
// The linker defines these bounds of the section, if it exists.
extern const struct mica_record *const
    mica_forms_begin_[] __asm__("__start_mica_forms")
        __attribute__((weak, visibility("hidden")));
extern const struct mica_record *const
    mica_forms_end_[] __asm__("__stop_mica_forms")
        __attribute__((weak, visibility("hidden")));
#    define MICA_TOOL_ENTRY_(name_)                                         \
        const struct mica_tool_module mica_tool_module = {                  \
            MICA_TOOL_ABI,    sizeof(struct mica_tool), &mica_tool_##name_, \
            MICA_TOOL_FAMILY, mica_forms_begin_,        mica_forms_end_};
#else
#    define MICA_TOOL_ENTRY_(name_)
#endif

// Defines `const struct mica_tool mica_tool_<name>` with a typed handler:
// enum mica_status f(struct mica_call *, const struct input *, struct output *).
#define MICA_TOOL(name_, input_tag, output_tag, function, ...)               \
    static enum mica_status mica_tool_thunk_##name_(                         \
        struct mica_call *mica_call_, const void *mica_in_, void *mica_out_) \
    {                                                                        \
        const struct input_tag *mica_input_ = mica_in_;                      \
        struct output_tag *mica_output_ = mica_out_;                         \
        return function(mica_call_, mica_input_, mica_output_);              \
    }                                                                        \
    extern const struct mica_tool mica_tool_##name_;                         \
    MICA_QUIET_                                                              \
    const struct mica_tool mica_tool_##name_ = {                             \
        .name = #name_,                                                      \
        .input = &mica_record_##input_tag,                                   \
        .output = &mica_record_##output_tag,                                 \
        .handler = mica_tool_thunk_##name_,                                  \
        __VA_ARGS__};                                                        \
    MICA_TOOL_ENTRY_(name_)                                                  \
    MICA_LOUD_                                                               \
    _Static_assert(1, "")

// Adds a service for handlers; tools that list its name do not open their own. Call it
// before adding these tools. Owner: `service` is the caller's and outlives the server; the
// name is copied. Errors: MICA_E_EXISTS, MICA_E_LIMIT.
enum mica_status mica_server_add_service(struct mica_server *server,
                                         const char *namez, void *service,
                                         struct mica_error *error)
    MICA_MUST_USE;

// To which origin the variable `name` of the environment may be sent.
struct mica_fetch_secret {
    const char *name;   // A-Z 0-9 _
    const char *origin; // https, or http of this machine
};

// Where tools may send requests (mica/fetch.h): what the table [fetch] of mica.toml
// holds. Origins are like "https://api.example.org:8443". All is copied.
struct mica_fetch_options {
    const char *const *allow; // NULL-ended, or NULL
    const char *const
        *is_private; // the same: allowed, and at private addresses
    const struct mica_fetch_secret *secrets;
    size_t secret_count;
    const char *proxy; // origin of an HTTP proxy, or NULL
};

// Once, before it serves; without it tools fetch nothing. Errors: MICA_E_FORMAT,
// MICA_E_LIMIT, MICA_E_EXISTS.
enum mica_status mica_server_use_fetch(struct mica_server *server,
                                       const struct mica_fetch_options *options,
                                       struct mica_error *error) MICA_MUST_USE;

// Where tools keep what they keep (mica/keep.h): what the table [keep] of mica.toml
// holds. All is copied.
struct mica_keep_options {
    const char
        *folder; // of their databases; made at the first use, for this user
    uint32_t megabytes; // of each database; 0: 256
};

// Once, before it serves; without it tools keep nothing. Errors: MICA_E_USAGE (no
// folder, or too long a path), MICA_E_LIMIT, MICA_E_EXISTS.
enum mica_status mica_server_use_keep(struct mica_server *server,
                                      const struct mica_keep_options *options,
                                      struct mica_error *error) MICA_MUST_USE;

// Adds a native tool. Owner: `tool` and `user` must outlive the server; `user` may be NULL.
// Errors: MICA_E_EXISTS, MICA_E_USAGE (bad name, no description, no handler), and those of
// a service that it opens.
enum mica_status mica_server_add_tool(struct mica_server *server,
                                      const struct mica_tool *tool, void *user,
                                      struct mica_error *error) MICA_MUST_USE;

// Adds an engine that is linked into the program. It runs without a sandbox, and on a
// worker, because mica cannot stop it; it uses the program's libm. An engine in the
// sandbox is safer, and its results are exact.
enum mica_status mica_server_add_engine(struct mica_server *server,
                                        const struct mica_engine *engine,
                                        struct mica_error *error) MICA_MUST_USE;

// Adds every engine of a folder that `mica build` has made; they run in the sandbox. By
// naming the folder you consent: its shared objects become part of the program, each at
// its first call, if only you and root can write them (see SECURITY.md). Errors:
// MICA_E_NOT_FOUND, MICA_E_TRUST, MICA_E_EXISTS, MICA_E_IO.
enum mica_status mica_server_load_engines(struct mica_server *server,
                                          const char *folder,
                                          struct mica_error *error)
    MICA_MUST_USE;

// Adds every tool of a folder that `mica build` has made from tools/*.c. By naming the
// folder you consent: the tools become part of the program, without a sandbox, if only you
// and root can write the folder (see SECURITY.md). They call mica through the program:
// link it with libmica.so, or with -rdynamic and all of libmica.a. A call that began with
// an older build of a tool continues with that build while the folder has it (.versions).
// Errors: MICA_E_NOT_FOUND, MICA_E_TRUST, MICA_E_EXISTS, MICA_E_IO, MICA_E_USAGE (built
// for another version of mica), those of services.
enum mica_status mica_server_load_tools(struct mica_server *server,
                                        const char *folder,
                                        struct mica_error *error) MICA_MUST_USE;

// Sets the folder for the files of services that tools open. Each service has a folder of
// its name below <path>/services; mica creates it at its first use, for this user alone.
// NULL means $XDG_STATE_HOME/mica, by default ~/.local/state/mica;
// mica_server_load_tools uses that too, if no folder is set.
// Errors: MICA_E_IO, MICA_E_USAGE (a service uses a folder already), MICA_E_LIMIT.
enum mica_status mica_server_use_folder(struct mica_server *server,
                                        const char *path,
                                        struct mica_error *error) MICA_MUST_USE;

// ---- Completion ----------------------------------------------------------------

// What the user has typed of one argument of a prompt, or of one variable of a template.
struct mica_completion {
    struct mica_text argument, value;
    const struct mica_json *others; // object: the arguments already filled in
};

// Suggests values with mica_suggest. Not called for arguments of kind choice: mica
// suggests the choices that begin with the value, ignoring case.
typedef enum mica_status mica_completer(struct mica_call *call,
                                        const struct mica_completion *in);

// Adds a value; add the likeliest first. A client gets the first 100, and the number of
// all.
void mica_suggest(struct mica_call *call, struct mica_text value);

// ---- Resources -----------------------------------------------------------------
// Text or bytes with a fixed URI, or with the URIs of a template. The handler adds one or
// more contents with mica_add_resource_text or _bytes. A NULL `uri` there means the URI
// that is read, a NULL `mime_type` that of the definition. Only the definition has
// annotations. If nothing exists at the URI, the handler returns mica_fail(call,
// "NOT_FOUND", …). mica searches fixed URIs before templates, and templates in the order
// they were added.
//
// In a template {a} is a segment or part of one, {+a} several segments, {/a,b} {.a} {;a}
// a value after such a mark, {?a,b} {&a} the query in any order, {#a} the fragment. All
// but {a} and {+a} may be absent: make their fields optional. mica refuses an ambiguous
// template when it is added.

struct mica_resource {
    // One of the two; the template is RFC 6570: {name}, {+path}, {/a,b}, {?q}.
    const char *uri, *uri_template;
    const char *name;
    const char *title, *description, *mime_type;
    const struct mica_record *input; // variables of the template: text, choice
    mica_handler *handler;           // or NULL with `text`
    const char *text;                // constant contents
    mica_completer *complete;        // of the template's variables, or NULL
    bool has_size;
    uint64_t size; // in bytes, if has_size
    struct mica_content_options annotations;
    const struct mica_icon *icons;
    size_t icon_count;
    const char *meta, *scope;
};

// Defines `const struct mica_resource mica_resource_<name>`; `function` is
// enum mica_status f(struct mica_call *), and .uri is required.
#define MICA_RESOURCE(name_, function, ...)                                   \
    static enum mica_status mica_resource_thunk_##name_(                      \
        struct mica_call *mica_call_, const void *mica_in_, void *mica_out_)  \
    {                                                                         \
        (void)mica_in_, (void)mica_out_;                                      \
        return function(mica_call_);                                          \
    }                                                                         \
    extern const struct mica_resource mica_resource_##name_;                  \
    MICA_QUIET_                                                               \
    const struct mica_resource mica_resource_##name_ = {                      \
        .name = #name_, .handler = mica_resource_thunk_##name_, __VA_ARGS__}; \
    MICA_LOUD_                                                                \
    _Static_assert(1, "")

// Defines a mica_handler that calls a function with a call and its input.
#define MICA_INPUT_THUNK_(thunk_, input_tag_, function_)                  \
    static enum mica_status thunk_(struct mica_call *mica_call_,          \
                                   const void *mica_in_, void *mica_out_) \
    {                                                                     \
        const struct input_tag_ *mica_input_ = mica_in_;                  \
        (void)mica_out_;                                                  \
        return function_(mica_call_, mica_input_);                        \
    }

// The same for a template: `function` is
// enum mica_status f(struct mica_call *, const struct <input_tag> *), and .uri_template is
// required. Values are percent-decoded; the handler never gets a path segment "." or "..".
#define MICA_RESOURCE_TEMPLATE(name_, input_tag, function, ...)         \
    MICA_INPUT_THUNK_(mica_resource_thunk_##name_, input_tag, function) \
    extern const struct mica_resource mica_resource_##name_;            \
    MICA_QUIET_                                                         \
    const struct mica_resource mica_resource_##name_ = {                \
        .name = #name_,                                                 \
        .input = &mica_record_##input_tag,                              \
        .handler = mica_resource_thunk_##name_,                         \
        __VA_ARGS__};                                                   \
    MICA_LOUD_                                                          \
    _Static_assert(1, "")

// Adds a resource or a template. Owner: `user` must outlive the server.
// Errors: MICA_E_EXISTS, MICA_E_USAGE (no URI or an invalid one; a template that cannot be
// matched in linear time, or whose variables differ from the record's fields; neither
// handler nor text).
enum mica_status mica_server_add_resource(struct mica_server *server,
                                          const struct mica_resource *resource,
                                          void *user, struct mica_error *error)
    MICA_MUST_USE;

// Limits of a folder; 0 and NULL mean the default.
struct mica_folder_options {
    size_t files;        // most files that are listed; 0: 10000
    uint64_t file_bytes; // largest file that clients can read; 0: 4 MiB
    // Receives a line about files that are left out, on the thread that watches the
    // folder; or NULL.
    void (*note)(void *user, const char *text);
    void *user;
    // Largest file that mica can send while reading it, in responses that it does not
    // store (outside of sessions and batches); 0: 64 MiB, or .file_bytes if that is set.
    uint64_t stream_bytes;
    // The folder may be missing, and is served while it is there; needs a prefix.
    bool awaited;
};

// Adds every regular file in a folder and below it as a resource. Its URI is `uri_prefix`,
// which ends with '/', and its path, percent-encoded; a NULL prefix means file:// and the
// folder's absolute path. mica leaves out names that begin with '.', and follows no links.
// A file is text if it is UTF-8, and bytes otherwise. While the server serves, mica watches
// the folder and notifies clients of new, removed and changed files. A file above the limit
// is listed, but reading it fails with LIMIT_EXCEEDED. Call it before serving. Owner:
// `options` is copied.
// Errors: MICA_E_NOT_FOUND, MICA_E_IO, MICA_E_USAGE (a prefix that is no URI),
// MICA_E_LIMIT.
enum mica_status
mica_server_add_folder(struct mica_server *server, const char *path,
                       const char *uri_prefix,
                       const struct mica_folder_options *options,
                       struct mica_error *error) MICA_MUST_USE;

// ---- Prompts -------------------------------------------------------------------
// Messages that begin a conversation. The handler adds blocks with mica_add_*; each block
// is one message, of the role user unless mica_role sets another.

struct mica_prompt {
    const char *name, *title, *description;
    const struct mica_record *input; // of kinds text and choice; NULL for none
    mica_handler *handler;
    mica_completer *complete; // of its arguments, or NULL
    const struct mica_icon *icons;
    size_t icon_count;
    const char *meta, *scope;
};

// Defines `const struct mica_prompt mica_prompt_<name>`; `function` is
// enum mica_status f(struct mica_call *, const struct <input_tag> *).
#define MICA_PROMPT(name_, input_tag, function, ...)                  \
    MICA_INPUT_THUNK_(mica_prompt_thunk_##name_, input_tag, function) \
    extern const struct mica_prompt mica_prompt_##name_;              \
    MICA_QUIET_                                                       \
    const struct mica_prompt mica_prompt_##name_ = {                  \
        .name = #name_,                                               \
        .input = &mica_record_##input_tag,                            \
        .handler = mica_prompt_thunk_##name_,                         \
        __VA_ARGS__};                                                 \
    MICA_LOUD_                                                        \
    _Static_assert(1, "")

// Adds a prompt. Owner: `user` must outlive the server.
// Errors: MICA_E_EXISTS, MICA_E_USAGE.
enum mica_status mica_server_add_prompt(struct mica_server *server,
                                        const struct mica_prompt *prompt,
                                        void *user, struct mica_error *error)
    MICA_MUST_USE;

// Sets the role of the blocks that are added from now on.
void mica_role(struct mica_call *call, enum mica_role role);

// ---- Inside a native handler --------------------------------------------------

// The pointer given to mica_server_add_tool.
void *mica_user(const struct mica_call *call);

// Has the client cancelled the call, or left? Then stop early.
bool mica_cancelled(const struct mica_call *call);

// The URI that the client reads, in the handler of a resource; empty elsewhere.
struct mica_text mica_uri(const struct mica_call *call);

// The caller; all texts are empty without authorization.
const struct mica_principal *mica_principal(const struct mica_call *call);

// Sends the progress of the call, at once, if the client wants it. `total` 0 or not finite:
// unknown. A value that is not above the last one (MCP: progress must rise), or is not
// finite, is not sent.
void mica_progress(struct mica_call *call, double progress, double total,
                   const char *formatz, ...) MICA_PRINTF(4, 5);

// Says what is done, and how far the call is if a number stands in front:
//
//     mica_notify(call, "row %d", row);       // counts: 1, 2, 3, …
//     mica_notify(call, 50, "half of them");  // 50, without a total
//
// After a number it counts on from there. mica_notify_at is what the second line
// calls.
void mica_notify(struct mica_call *call, const char *formatz, ...)
    MICA_PRINTF(2, 3);
void mica_notify_at(struct mica_call *call, double progress,
                    const char *formatz, ...) MICA_PRINTF(3, 4);
#define MICA_NOTIFY_(call_, ...) \
    _Generic((MICA_FIRST_(__VA_ARGS__)), char * \
             : mica_notify, const char *                  \
             : mica_notify, default                       \
             : mica_notify_at)(call_, __VA_ARGS__)
#ifndef MICA_TOOL_PLAIN
#    define mica_notify(call_, ...) MICA_NOTIFY_(call_, __VA_ARGS__)
#endif

// Sends a message to the client's log, if the client wants that level.
void mica_log(struct mica_call *call, enum mica_log_level level,
              const char *formatz, ...) MICA_PRINTF(3, 4);

// Closes the stream on which the client of a session waits for this call, while the call
// runs; the client resumes the stream later. For a call of minutes, which should not
// occupy a connection for so long. Returns false, and does nothing, if the client does not
// wait on a stream that it can resume.
bool mica_close_stream(struct mica_call *call);

// Adds a block to the content of the result, in order. Bytes are copied. If a tool adds
// none, the content is its structured result as a text block.
void mica_add_text(struct mica_call *call, struct mica_text text,
                   const struct mica_content_options *options);
void mica_add_image(struct mica_call *call, const void *bytes, size_t size,
                    const char *mime_type,
                    const struct mica_content_options *options);
void mica_add_audio(struct mica_call *call, const void *bytes, size_t size,
                    const char *mime_type,
                    const struct mica_content_options *options);
void mica_add_resource_text(struct mica_call *call, const char *uri,
                            const char *mime_type, struct mica_text text,
                            const struct mica_content_options *options);
void mica_add_resource_bytes(struct mica_call *call, const char *uri,
                             const char *mime_type, const void *bytes,
                             size_t size,
                             const struct mica_content_options *options);
void mica_add_resource_link(struct mica_call *call, const char *uri,
                            const char *name, const char *description,
                            const char *mime_type,
                            const struct mica_content_options *options);

// Sets a member of _meta of the tool's result: data for a view or a program, which hosts
// keep from the model. `namez` has the form "example.com/rows" (1 to 128 of A-Z a-z 0-9 . _
// - /, without the prefixes of mica and MCP), the value is JSON. At most 16 names; all of
// them share the memory of the call. Errors: MICA_E_USAGE (a bad or repeated name, no JSON).
enum mica_status mica_set_meta(struct mica_call *call, const char *namez,
                               struct mica_text json) MICA_MUST_USE;

// Marks the result as an error for the model (isError), with the content blocks unchanged.
// Prefer mica_fail.
void mica_mark_error(struct mica_call *call);

// ---- Serving -----------------------------------------------------------------

// Both functions below handle SIGTERM and SIGINT and ignore SIGPIPE while they serve; they
// restore the old signal handlers. At a signal they wait for running calls, and cancel
// them after ten seconds or at a second signal. If a handler does not return even then,
// they return MICA_E_TIMEOUT: the handler still uses the server, so do not close it, and
// end the process.

struct mica_stdio_options {
    const char *metrics; // serve /metrics here, loopback only; or NULL
};

// Serves stdin and stdout until stdin ends, the parent process ends, or a signal, which
// cancels calls at once. Only the protocol uses both: other output to stdout goes to
// stderr, and other readers of stdin find it empty. `options` may be NULL. Errors:
// MICA_E_USAGE (metrics not on a loopback address), MICA_E_ADDRESS (the address of metrics
// is in use), MICA_E_IO, MICA_E_TIMEOUT.
enum mica_status
mica_server_serve_stdio(struct mica_server *server,
                        const struct mica_stdio_options *options,
                        struct mica_error *error) MICA_MUST_USE;

// The form of the log on stderr, which has one line for each request.
enum mica_log_form {
    MICA_LOG_FORM_FITTING, // text on a terminal, JSON elsewhere
    MICA_LOG_FORM_TEXT,
    MICA_LOG_FORM_JSON
};

// Whether a page of an HTTP server hosts views (MCP Apps): /host, with /host/rpc for its
// messages (docs/hosting.md). Then /sandbox is served under names below "localhost", each of
// which is an origin of its own. Under these names there is nothing else. Without pages
// (`pages_off`) the sandbox is there for a page of the program.
enum mica_host_page {
    MICA_HOST_PAGE_OFF,
    MICA_HOST_PAGE_LOCAL // for browsers on this machine
};

struct mica_http_options {
    const char *listen;                 // "127.0.0.1:8080", "[::1]:0", …
    const char *const *allowed_hosts;   // NULL-ended; names beside its own
    const char *const *allowed_origins; // NULL-ended; "https://app.example"
    // NULL-ended; "support.example.com=my-slug": host names that are published apps' own.
    // At such a name the app is the whole server (docs/apps.md); addresses that the server
    // writes there begin with https, or as "http://support.example.com:8080=my-slug" says.
    const char *const *app_hosts;
    bool public_address; // consent to an address that is not loopback without
                         // `auth`
    // A file that tells which access tokens are accepted (docs/authorization.md). It
    // loads the module mica-auth.so. NULL: requests need no token.
    const char *auth;
    unsigned io_threads;     // 0: 1
    unsigned workers;        // 0: 4
    unsigned connections;    // 0: 1024
    unsigned idle_timeout_s; // 0: 75; also the time limit of a call
    // How long the server drains after SIGTERM: it still replies to requests, with
    // "Connection: close", and /healthz tells that it drains. 0: 5; -1: not at all.
    // SIGINT, or a second signal, ends it.
    int drain_s;
    bool quiet; // no log line per request
    enum mica_log_form log_form;
    const char *metrics; // serve /metrics here, loopback only; or NULL
    // Sessions are for the session revisions (before 2026-07-28).
    bool sessions_off; // no sessions: each request stands alone
    // The store of sessions, as for mica_store_open; NULL: that of
    // mica_server_use_store, or memory.
    const char *store;
    bool store_lazy; // open it when the first session begins, and use memory if
                     // that fails
    bool http_sse;   // serve revision 2024-11-05 at /sse and /messages
    bool rest_off;   // no /api and no /openapi.json
    bool pages_off;  // no pages for people, and no engines for browsers
    enum mica_host_page host_page; // serve /host, and sandboxes for its views
    // A session expires after so long without a message; 0: 3600
    unsigned session_s;
    // Most sessions of one principal or, without `auth`, of one address (for IPv6 its
    // first 64 bits); 0: 1000. A store of mica_server_use_store has its own limit.
    unsigned client_sessions;
    // NULL-ended; "10.0.0.0/8": proxies whose Forwarded or X-Forwarded-For tells the
    // address of the client.
    const char *const *trusted_proxies;
    // "/tools/x": the server replies under /tools/x/ (/tools/x/mcp), and also at paths
    // without it, because a proxy may remove it. Addresses for clients have it. It begins
    // with a slash and does not end with one. NULL: the path of `public_url`.
    const char *base_path;
    // "https://example.org/tools/x": scheme, host and base path of the addresses that
    // the server writes for clients. NULL: those of the request, and `base_path`.
    const char *public_url;
    // Receives warnings, for example about a store that cannot be opened or keys of an
    // issuer that cannot be fetched; from any thread.
    void (*warn)(void *user, const char *text);
    // Called before `ready` if apps are edited at /console.
    void (*console)(void *user);
    void (*ready)(void *user, unsigned port); // called once, when it listens
    void *user;
};

// Stores sessions, and calls that wait for their clients, in `store`, for
// mica_server_handle and mica_server_serve_http; seals the cursors of lists with its keys.
// Without a store each request to mica_server_handle stands alone. Owner: the store is the
// caller's and outlives the server. Call it once, before the server serves.
// Errors: MICA_E_LIMIT.
enum mica_status mica_server_use_store(struct mica_server *server,
                                       struct mica_store *store,
                                       struct mica_error *error) MICA_MUST_USE;

// Sets the operator's rules: how often callers may call a tool, which callers may use it,
// its name for clients, an audit log. `pathz` is a JSON file (docs/rules.md), which is read
// now; no other user may be able to write it. `warn` (may be NULL) receives warnings about
// rules for unknown tools. Call it once, before the server serves.
// Errors: MICA_E_NOT_FOUND, MICA_E_TRUST, MICA_E_JSON and those of values,
// MICA_E_USAGE, MICA_E_IO (the audit log), MICA_E_LIMIT.
enum mica_status
mica_server_use_rules(struct mica_server *server, const char *pathz,
                      void (*warn)(void *user, const char *text), void *user,
                      struct mica_error *error) MICA_MUST_USE;

// The same with the JSON itself in place of a file. Messages call it `namez`.
enum mica_status
mica_server_use_rules_text(struct mica_server *server, struct mica_text text,
                           const char *namez,
                           void (*warn)(void *user, const char *text),
                           void *user, struct mica_error *error) MICA_MUST_USE;

// Serves HTTP until a signal (docs/deploy.md tells how it ends): /mcp, /api and
// /openapi.json (docs/rest.md), /healthz, and pages for people with engines that run in
// browsers (docs/browser.md).
// Errors: MICA_E_USAGE (a non-loopback address without consent and an allowed host; an
// invalid address, base path or public URL), MICA_E_ADDRESS (in use), MICA_E_IO (not
// permitted), MICA_E_TIMEOUT.
enum mica_status mica_server_serve_http(struct mica_server *server,
                                        const struct mica_http_options *options,
                                        struct mica_error *error) MICA_MUST_USE;

// ---- Inside the program's own web server ---------------------------------------

// Handles one HTTP request on the calling thread. The program checks Host and Origin
// itself, or lists them in `allowed`; NULL allows only loopback names. A failure is a
// response too; if the arena has no memory for a message, it is a 503 without a body.
//
// The program authorizes callers: this function reads no token. Refuse unknown callers
// before calling it; otherwise everybody may call everything. Set request->principal: the
// server checks scopes, sessions and cursors against it, and handlers see it. A caller that
// lacks a scope gets a 403, to which the program adds its WWW-Authenticate.
//
// The server sends only the response. So it declares no subscriptions, list changes or
// logging, sends no progress, and replies 405 to a GET. Lists have pages if the server has
// a .cursor_key or a store.
void mica_server_handle(struct mica_server *server, struct mica_arena *arena,
                        const struct mica_http_allowed *allowed,
                        const struct mica_http_request *request,
                        struct mica_http_response *response_out);

// The same for REST: the paths /api, those below it, and /openapi.json, with the
// query of the request (docs/rest.md). An interactive tool needs a store for its
// calls (mica_server_use_store).
void mica_server_handle_rest(struct mica_server *server,
                             struct mica_arena *arena,
                             const struct mica_http_allowed *allowed,
                             const struct mica_http_request *request,
                             struct mica_http_response *response_out);

#pragma GCC visibility pop

#endif
