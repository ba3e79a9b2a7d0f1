// SPDX-License-Identifier: Apache-2.0
//
// A server of tools inside a C program: name it, give it tools, serve them.
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
// Threads: handlers run on several threads at once; what `user` points to is
// theirs to protect. Before serving, use the server from one thread. While it
// serves, mica_server_add_*, _load_*, _remove, _resource_changed and _handle may
// be called from any number of threads, handlers included: what is offered is a
// snapshot, running calls keep theirs, and clients are told of the change.
#ifndef MICA_SERVER_H
#define MICA_SERVER_H

#include <mica/engine.h>
#include <mica/http.h>
#include <mica/protocol.h>

#pragma GCC visibility push(default)

struct mica_server;
struct mica_store;

// Of .cursor_key.
#define MICA_CURSOR_KEY_BYTES 16

// Who the server says it is, and its limits. 0 takes the default.
struct mica_server_options {
    const char *name, *version; // required
    const char *title, *description, *website_url;
    const char *instructions; // for the agent, on how the tools go together
    size_t message_bytes;     // of one message; 0: 4 MiB
    size_t call_bytes;    // memory of one call outside the sandbox; 0: 32 MiB
    uint32_t list_ttl_ms; // how long a client may keep a list; 0: 0
    size_t page_items;    // of one page of a list; 0: 1000
    bool list_all; // list also tools whose .requires the client cannot fulfil
    const struct mica_icon *icons;
    size_t icon_count;
    // MICA_CURSOR_KEY_BYTES of random (getrandom), copied: the key of the cursors of
    // lists; a server that has the same key accepts them, too. NULL: the
    // store has such keys (mica_server_use_store), and a server that is served
    // its own. A server with neither sends each list on one page.
    const void *cursor_key;
};

// A server without tools. Owner: the texts of `options` must outlive it.
// Errors: MICA_E_USAGE (no name or version), MICA_E_LIMIT (no memory).
enum mica_status mica_server_open(const struct mica_server_options *options,
                                  struct mica_error *error,
                                  struct mica_server **server_out)
    MICA_MUST_USE;

// Frees the server and sets *server to NULL. No call may be running.
void mica_server_close(struct mica_server **server);

// ---- What is offered -----------------------------------------------------------
// Tools, resources, templates of resources, and prompts. Each may carry:
//   .title        for people; .description says more, also to an agent
//   .icons        MICA_ICONS({.src = "https://…", .sizes = "48x48"}, …)
//   .meta         a JSON object, sent as _meta
//   .scope        scopes that a caller needs, separated by spaces (mica/auth.h)
// Texts are copied; records are borrowed until the server closes, as a call may
// still run when its definition has been removed.

// The kinds of definitions, which a server offers to its clients.
enum mica_definition_kind {
    MICA_DEFINITION_TOOL,
    MICA_DEFINITION_RESOURCE,
    MICA_DEFINITION_TEMPLATE,
    MICA_DEFINITION_PROMPT,
    MICA_DEFINITION_COUNT
};

// What these were called before; programs that use the older names still compile.
#define mica_offer          mica_definition_kind
#define MICA_OFFER_TOOL     MICA_DEFINITION_TOOL
#define MICA_OFFER_RESOURCE MICA_DEFINITION_RESOURCE
#define MICA_OFFER_TEMPLATE MICA_DEFINITION_TEMPLATE
#define MICA_OFFER_PROMPT   MICA_DEFINITION_PROMPT
#define MICA_OFFER_COUNT    MICA_DEFINITION_COUNT

// Takes something back: a tool or prompt by its name, a resource by its URI, a
// template by its text. Errors: MICA_E_NOT_FOUND.
enum mica_status mica_server_remove(struct mica_server *server,
                                    enum mica_definition_kind kind,
                                    const char *key, struct mica_error *error)
    MICA_MUST_USE;

// Tells those who subscribed to the resource `uri`, or to one above it, that its
// contents have changed.
void mica_server_resource_changed(struct mica_server *server, const char *uri);

// ---- Native tools ------------------------------------------------------------
// A native tool runs unsandboxed in the program, on a worker thread. It may
// block, use the network, and call everything below; and it may ask the client,
// with what <mica/tool.h> has. There is also how a tool has phases and steps.

// What the tool promises to a client (MCP ToolAnnotations).
enum mica_hints {
    MICA_READ_ONLY = 1,
    MICA_DESTRUCTIVE = 2, // when it does write: may it destroy?
    MICA_IDEMPOTENT = 4,
    MICA_OPEN_WORLD = 8
};

// A handler on raw JSON: `in` is the arguments object as it was read; `out`
// takes the structured result (write one object, or nothing).
typedef enum mica_status mica_json_handler(struct mica_call *call,
                                           const struct mica_json *in,
                                           struct mica_json_writer *out);

// May a call become a task (MCP: extension io.modelcontextprotocol/tasks), that
// is, be answered at once while it still runs?
enum mica_task_support {
    MICA_TASK_NEVER,
    MICA_TASK_OPTIONAL, // for a client that has declared the extension
    MICA_TASK_REQUIRED  // one that has not is refused
};

// Something that handlers use, by its name: a database, an HTTP client. A tool
// that brings its own names it in .services: it is opened when the first tool
// that names it is offered, and closed with the server.
struct mica_service_definition {
    const char *name;
    // Errors: its own; the tool is then not offered. `folder` is where it may
    // keep files: of this user alone, and there when it is called.
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
    const struct mica_record *input, *output; // typed; output may be NULL …
    mica_handler *handler;
    const struct mica_phases *phases; // … in place of `handler` …
    // … or raw: JSON Schema 2020-12 as text (mica/schema.h), sent as it is.
    // Arguments and results are checked against them. Output may be NULL.
    const char *input_schema, *output_schema;
    mica_json_handler *json_handler;
    unsigned hints; // enum mica_hints, or-ed
    const struct mica_example *examples;
    size_t example_count;
    unsigned requires; // enum mica_client_capability, or-ed
    const struct mica_icon *icons;
    size_t icon_count;
    const char *meta, *scope;
    // Of a tool that asks, or has effects (mica/tool.h):
    const char *const *steps;                              // names, NULL-ended
    const struct mica_service_definition *const *services; // NULL-ended
    enum mica_task_support task;
    bool detaches;     // a call becomes a task at mica_detach, not at once
    uint32_t limit_ms; // of each ask; 0: 10 minutes
    uint32_t keep_s;   // of a call, from its beginning; 0: 1 day
};

// A file of tools/ is built into a shared object, in which the program finds its
// one tool by this. Counts changes of struct mica_tool and of what its handlers
// give mica.
#define MICA_TOOL_ABI        4
#define MICA_TOOL_ABI_OLDEST 3 // that is still loaded: fields without titles
struct mica_tool_module {
    uint32_t abi;  // MICA_TOOL_ABI
    uint32_t size; // of struct mica_tool
    const struct mica_tool *tool;
    const char *family; // hash of tools/lib: what builds may share services
    // Records of all forms in the object (MICA_FORM), by which the build refuses
    // what a client could not be asked. Both NULL: the object has no forms.
    const struct mica_record *const *forms, *const *forms_end;
};
#ifdef MICA_TOOL_MODULE
#    ifndef MICA_TOOL_FAMILY
#        define MICA_TOOL_FAMILY ""
#    endif
extern const struct mica_tool_module mica_tool_module;
// The linker makes these bounds of a section that there is.
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

// Gives handlers something to use, in place of what a tool would open itself.
// Owner: `service` is the caller's and outlives the server; the name is copied.
// Before the tools that use it. Errors: MICA_E_EXISTS, MICA_E_LIMIT.
enum mica_status mica_server_add_service(struct mica_server *server,
                                         const char *namez, void *service,
                                         struct mica_error *error)
    MICA_MUST_USE;

// Owner: `tool` and `user` must outlive the server; `user` may be NULL.
// Errors: MICA_E_EXISTS, MICA_E_USAGE (bad name, no description, no handler), or
// those of a service that it opens.
enum mica_status mica_server_add_tool(struct mica_server *server,
                                      const struct mica_tool *tool, void *user,
                                      struct mica_error *error) MICA_MUST_USE;

// Serves an engine that is linked into the program. It runs unsandboxed and, as
// it cannot be stopped, on a worker; its arithmetic is that of the program's own
// libm. A sandboxed engine is the safer and the exact form.
enum mica_status mica_server_add_engine(struct mica_server *server,
                                        const struct mica_engine *engine,
                                        struct mica_error *error) MICA_MUST_USE;

// Serves every built engine of a folder (made by `mica build`) in the sandbox.
// Naming the folder is consent: its shared objects are part of the program from
// their first call on, wherever they were built, if only you and root can write them (see
// SECURITY.md). Nothing is loaded until its first call. Errors: MICA_E_NOT_FOUND,
// MICA_E_TRUST, MICA_E_EXISTS, MICA_E_IO.
enum mica_status mica_server_load_engines(struct mica_server *server,
                                          const char *folder,
                                          struct mica_error *error)
    MICA_MUST_USE;

// Serves every built tool of a folder (made by `mica build` from tools/*.c). They
// are part of the program from here on, unsandboxed: naming the folder is consent,
// if only you and root can write it (see SECURITY.md). They call mica through the
// program, which is linked with libmica.so, or with -rdynamic and all of libmica.a.
// Calls that began with an older build of a tool continue with it while the folder
// has it (.versions). Errors: MICA_E_NOT_FOUND, MICA_E_TRUST, MICA_E_EXISTS,
// MICA_E_IO, MICA_E_USAGE (built for another version of mica), those of services.
enum mica_status mica_server_load_tools(struct mica_server *server,
                                        const char *folder,
                                        struct mica_error *error) MICA_MUST_USE;

// Where services that tools bring keep their files: each in a folder of its name
// below <path>/services, made for this user alone when it is first needed. NULL
// takes $XDG_STATE_HOME/mica, by default ~/.local/state/mica, as does
// mica_server_load_tools where nothing was said before.
// Errors: MICA_E_IO, MICA_E_USAGE (too late: it is in use already), MICA_E_LIMIT.
enum mica_status mica_server_use_folder(struct mica_server *server,
                                        const char *path,
                                        struct mica_error *error) MICA_MUST_USE;

// ---- Completion ----------------------------------------------------------------

// What the user has typed so far of one argument of a prompt, or of one variable
// of a template.
struct mica_completion {
    struct mica_text argument, value;
    const struct mica_json *others; // object: the arguments already filled in
};

// Suggests values with mica_suggest. It is not asked about arguments of kind
// choice: their choices that begin with the value are suggested, case ignored.
typedef enum mica_status mica_completer(struct mica_call *call,
                                        const struct mica_completion *in);

// One more value, in the order of likelihood. A client is sent the first 100,
// and how many there are.
void mica_suggest(struct mica_call *call, struct mica_text value);

// ---- Resources -----------------------------------------------------------------
// Text or bytes under a URI, fixed or by a template. The handler adds one or
// more contents with mica_add_resource_text or _bytes; a NULL `uri` there is the
// one that is read, a NULL `mime_type` that of the definition; annotations belong
// to the definition, contents have none. To say that there is nothing at that URI
// it returns mica_fail(call, "NOT_FOUND", …). A fixed URI comes before templates,
// these in the order they were added.
//
// In a template {a} is a segment or part of one, {+a} several segments, {/a,b}
// {.a} {;a} what follows such a mark, {?a,b} {&a} the query in any order, {#a} the
// fragment. All but {a} and {+a} may be absent: let their fields be optional. What
// could be read in two ways is refused when the template is added.

struct mica_resource {
    const char *uri;          // of a fixed one …
    const char *uri_template; // … or RFC 6570: {name}, {+path}, {/a,b}, {?q}
    const char *name;
    const char *title, *description, *mime_type;
    const struct mica_record *input; // variables of the template: text, choice
    mica_handler *handler;           // or NULL with …
    const char *text;                // … contents that never change
    mica_completer *complete;        // of the template's variables, or NULL
    bool has_size;
    uint64_t size; // in bytes, when it is known
    struct mica_content_options annotations;
    const struct mica_icon *icons;
    size_t icon_count;
    const char *meta, *scope;
};

// Defines `const struct mica_resource mica_resource_<name>`; `function` is
// enum mica_status f(struct mica_call *), and .uri is needed.
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

// A mica_handler of a function that takes a call and its input.
#define MICA_INPUT_THUNK_(thunk_, input_tag_, function_)                  \
    static enum mica_status thunk_(struct mica_call *mica_call_,          \
                                   const void *mica_in_, void *mica_out_) \
    {                                                                     \
        const struct input_tag_ *mica_input_ = mica_in_;                  \
        (void)mica_out_;                                                  \
        return function_(mica_call_, mica_input_);                        \
    }

// The same with a template: `function` is
// enum mica_status f(struct mica_call *, const struct <input_tag> *), and
// .uri_template is needed. Values are percent-decoded; "." and ".." as a path
// segment never reach the handler.
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

// Owner: `user` must outlive the server.
// Errors: MICA_E_EXISTS, MICA_E_USAGE (no URI or an invalid one, a template
// that cannot be matched in linear time or whose variables are not the record's,
// neither handler nor text).
enum mica_status mica_server_add_resource(struct mica_server *server,
                                          const struct mica_resource *resource,
                                          void *user, struct mica_error *error)
    MICA_MUST_USE;

// What may be asked of a folder; 0 and NULL take the default.
struct mica_folder_options {
    size_t files;        // most that are offered; 0: 10000
    uint64_t file_bytes; // largest that is read; 0: 4 MiB
    // Takes a line on what is left out, from the thread that watches; or NULL.
    void (*note)(void *user, const char *text);
    void *user;
    // Largest that is read piece by piece, where the answer is not kept (outside of
    // sessions and batches); 0: 64 MiB, or .file_bytes if that is set.
    uint64_t stream_bytes;
};

// Offers every regular file in a folder and below it as a resource: its URI is
// `uri_prefix`, which ends with '/', and its path, percent-encoded; NULL takes
// file:// and the folder's absolute path. Names that begin with '.' are left out,
// links are never followed. A file is text when it is UTF-8, and bytes otherwise.
// The folder is watched: files come, go and change while the server serves, and
// clients are told. A file larger than the limit is listed, but reading it fails
// with LIMIT_EXCEEDED. Before serving only. Owner: `options` is copied.
// Errors: MICA_E_NOT_FOUND, MICA_E_IO, MICA_E_USAGE (a prefix that is no URI),
// MICA_E_LIMIT.
enum mica_status
mica_server_add_folder(struct mica_server *server, const char *path,
                       const char *uri_prefix,
                       const struct mica_folder_options *options,
                       struct mica_error *error) MICA_MUST_USE;

// ---- Prompts -------------------------------------------------------------------
// Messages to begin a conversation with. The handler adds blocks with mica_add_*;
// each is one message, of the user unless mica_role says otherwise.

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

// Owner: `user` must outlive the server.
// Errors: MICA_E_EXISTS, MICA_E_USAGE.
enum mica_status mica_server_add_prompt(struct mica_server *server,
                                        const struct mica_prompt *prompt,
                                        void *user, struct mica_error *error)
    MICA_MUST_USE;

// Whose words the blocks added from here on are.
void mica_role(struct mica_call *call, enum mica_role role);

// ---- Inside a native handler --------------------------------------------------

// The pointer given to mica_server_add_tool.
void *mica_user(const struct mica_call *call);

// True once the client no longer waits: stop early.
bool mica_cancelled(const struct mica_call *call);

// The URI that is read, in the handler of a resource; empty elsewhere.
struct mica_text mica_uri(const struct mica_call *call);

// Who calls; all texts are empty without authorization.
const struct mica_principal *mica_principal(const struct mica_call *call);

// Says how far the call is, to a client that asked for it; it is sent at once.
// `total` 0: it is not known. A value that is not above the one before
// is not sent (MCP: progress must rise).
void mica_progress(struct mica_call *call, double progress, double total,
                   const char *formatz, ...) MICA_PRINTF(4, 5);

// The same by steps: 1, 2, 3, … without a total.
void mica_notify(struct mica_call *call, const char *formatz, ...)
    MICA_PRINTF(2, 3);

// Sends a message to the client's log if it asked for that level.
void mica_log(struct mica_call *call, enum mica_log_level level,
              const char *formatz, ...) MICA_PRINTF(3, 4);

// Ends the stream on which the client of a session waits for this call, while the
// call still runs: the client comes back for the rest. For a call that takes minutes
// and should not hold a connection for so long. False when the client does not
// wait on a stream that can be resumed; then nothing happens.
bool mica_close_stream(struct mica_call *call);

// Adds a block to the content of the result, in order. Bytes are copied. A tool
// that adds none gets its structured result as a text block.
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

// Marks the result as an error that the model should read (isError), with the
// content blocks as they are. mica_fail is the better way to fail.
void mica_mark_error(struct mica_call *call);

// ---- Serving -----------------------------------------------------------------

// Both functions below take SIGTERM and SIGINT while they serve, ignore SIGPIPE,
// and put back what was there. They end after the calls that run, and cancel
// those that take longer than ten seconds, or at a second signal. A handler that
// does not notice even that is MICA_E_TIMEOUT: then it still uses the server,
// which must not be closed; end the process.

struct mica_stdio_options {
    const char *metrics; // serve /metrics here, loopback only; or NULL
};

// Serves stdin and stdout until stdin ends, the parent process ends, or a
// signal, which cancels at once. Takes both for the protocol: whatever else
// writes to stdout goes to stderr, whatever else reads stdin finds it empty.
// `options` may be NULL. Errors: MICA_E_USAGE (metrics on no loopback address),
// MICA_E_IO, MICA_E_TIMEOUT.
enum mica_status
mica_server_serve_stdio(struct mica_server *server,
                        const struct mica_stdio_options *options,
                        struct mica_error *error) MICA_MUST_USE;

// How the lines of the log are written, one for each request, on stderr.
enum mica_log_form {
    MICA_LOG_FORM_FITTING, // as text to a terminal, as JSON elsewhere
    MICA_LOG_FORM_TEXT,
    MICA_LOG_FORM_JSON
};

struct mica_http_options {
    const char *listen;               // "127.0.0.1:8080", "[::1]:0", …
    const char *const *allowed_hosts; // NULL-ended; more names than the own one
    const char *const *allowed_origins; // NULL-ended; "https://app.example"
    bool public_address; // consent to an address that is not loopback without
                         // `auth`
    // A file that says whose access tokens are let in (docs/authorization.md);
    // loads the module mica-auth.so. NULL: requests need no token.
    const char *auth;
    unsigned io_threads;     // 0: 1
    unsigned workers;        // 0: 4
    unsigned connections;    // 0: 1024
    unsigned idle_timeout_s; // 0: 75; also the longest a call may take
    // After SIGTERM, the time in which further requests are answered, each with
    // "Connection: close", and /healthz says that the server drains; 0: 5; -1: there
    // is no such time. SIGINT, and a second signal, end it.
    int drain_s;
    bool quiet; // no log line per request
    enum mica_log_form log_form;
    const char *metrics; // serve /metrics here, loopback only; or NULL
    // Sessions, for clients that shake hands (revisions before 2026-07-28).
    bool sessions_off;  // each of their requests stands for itself
    const char *store;  // where sessions are kept, as mica_store_open takes it;
                        // NULL: the one of mica_server_use_store, or memory
    bool store_lazy;    // opened when the first session begins, and replaced by
                        // memory when that fails
    bool http_sse;      // serve revision 2024-11-05 at /sse and /messages
    bool rest_off;      // no /api and no /openapi.json
    bool pages_off;     // no pages for people, and no engines for browsers
    unsigned session_s; // how long one lives without a message; 0: 3600
    // Sessions of one principal or, without `auth`, of one address (of IPv6 the
    // first 64 bits); 0: 1000. A store of mica_server_use_store has its own limit.
    unsigned client_sessions;
    // NULL-ended; proxies, "10.0.0.0/8", whose Forwarded or X-Forwarded-For says
    // which address that is.
    const char *const *trusted_proxies;
    // "/tools/x": answers under /tools/x/ (/tools/x/mcp), and still at the paths
    // without it, as a proxy may take it off. What is written for clients has it.
    // Begins with a slash and ends with none. NULL: the path of `public_url`.
    const char *base_path;
    // "https://example.org/tools/x": where clients reach it, which gives scheme,
    // host and base path of the addresses that are written for them. NULL: as they
    // ask, with `base_path`.
    const char *public_url;
    // Of that, and of keys of issuers that cannot be had; from any thread.
    void (*warn)(void *user, const char *text);
    void (*ready)(void *user, unsigned port); // called once it listens
    void *user;
};

// Keeps sessions of clients, and calls that wait for them, in `store`, in
// mica_server_handle as in mica_server_serve_http, and makes cursors of lists with
// its keys; without it mica_server_handle takes each request for itself. Owner: the store is the
// caller's and outlives the server. Once, before the server serves.
// Errors: MICA_E_LIMIT.
enum mica_status mica_server_use_store(struct mica_server *server,
                                       struct mica_store *store,
                                       struct mica_error *error) MICA_MUST_USE;

// Puts rules between requests and tools: how often they may be called, who may use
// which, the names that clients see, an audit log. `pathz` is a JSON file
// (docs/rules.md), read now; no other user may be able to write it. `warn` (may be NULL) is
// told of rules about tools that are not offered. Once, before the server serves.
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

// Serves HTTP until a signal (docs/deploy.md says how it ends): /mcp, /api and
// /openapi.json (docs/rest.md), /healthz, and pages for people with engines that run in
// browsers (docs/browser.md).
// Errors: MICA_E_USAGE (a non-loopback address without consent and an allowed
// host; an address, base path or public URL that cannot be read), MICA_E_IO (in use, not permitted),
// MICA_E_TIMEOUT.
enum mica_status mica_server_serve_http(struct mica_server *server,
                                        const struct mica_http_options *options,
                                        struct mica_error *error) MICA_MUST_USE;

// ---- Inside a server the program already has -----------------------------------

// Answers one HTTP request on the calling thread. The program checks Host and
// Origin itself or lists them in `allowed`; NULL allows loopback names only.
// Never fails: a failure is a response; a 503 without a body, when the arena has
// not even room for a message.
//
// Authorization is the program's. Nothing here looks at a token: refuse whom you
// do not know before this, or everybody may call everything. Say in
// request->principal who it is, and scopes, sessions and cursors are checked
// against that, and handlers see it; a caller that lacks a scope gets a 403, to which
// the program adds its WWW-Authenticate.
//
// One response is all there is. So this declares no subscriptions, changes of
// lists or log messages, progress is not sent, and a GET is a 405. Lists have
// pages if there is a .cursor_key, or a store.
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
