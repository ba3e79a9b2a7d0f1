// SPDX-License-Identifier: Apache-2.0
//
// One message: its JSON-RPC envelope, the table of methods, and the forms of a
// reply. What is special to a transport is in line.c and http.c.
#include "server/message.h"
#include "protocol/id_scan.h"
#include "server/message_surface.h"
#include "server/methods/task_methods.h"

#include <string.h>

#include "base/assert.h"
#include "base/format.h"

#define PREFIX "io.modelcontextprotocol/"

enum {
    ERROR_BYTES = 4096 // of an error reply
};

void
mica_message_init(struct mica_message *message, struct mica_server *server,
                  struct mica_arena *arena)
{
    memset(message, 0, sizeof *message);
    message->server = server;
    message->arena = arena;
    message->http_status = 200;
    message->wire = MICA_WIRE_2026_07_28;
    atomic_init(&message->cancelled, false);
    mica_buffer_init(&message->reply, arena, server->options.call_bytes);
    // Room for any error reply, also when the arena is spent by then.
    (void)mica_buffer_reserve(&message->reply, ERROR_BYTES);
}

void
mica_message_end(struct mica_message *message)
{
    mica_batch_end(message);
    if (message->call.late != NULL)
        message->call.late->close(message->call.late);
    message->call.late = NULL;
    for (; message->held != NULL; message->held = message->held->next)
        mica_definition_drop(message->held->definition);
    mica_catalog_drop(message->catalog);
    message->catalog = NULL;
    message->target = NULL;
}

struct mica_definition *
mica_message_build(struct mica_message *message, struct mica_text name,
                   struct mica_text version)
{
    struct mica_held *held = mica_arena_zero(message->arena, 1, sizeof *held);

    if (held == NULL)
        return NULL;
    held->definition = mica_server_version(message->server, name, version);
    if (held->definition == NULL)
        return NULL;
    held->next = message->held;
    message->held = held;
    return held->definition;
}

const struct mica_catalog *
mica_message_catalog(struct mica_message *message)
{
    if (message->catalog == NULL) {
        if (!atomic_load_explicit(&message->server->seen, memory_order_relaxed))
            atomic_store(&message->server->seen, true);
        message->catalog = mica_server_catalog(message->server);
    }
    return message->catalog;
}

// ---- Reading -----------------------------------------------------------------

static bool
refuse(struct mica_message *message, const char *what)
{
    mica_reply_error(message, 400, MICA_RPC_REQUEST, MICA_E_TYPE,
                     (struct mica_text){NULL, 0}, "Invalid request: %s", what);
    return false;
}

// [BASE-ENVELOPE]
static bool
read_shape(struct mica_message *message, const struct mica_json *root,
           enum mica_envelope *envelope_out)
{
    const struct mica_json *method = mica_json_get(root, "method");
    const struct mica_json *id = mica_json_get(root, "id");

    if (root->kind != MICA_JSON_OBJECT)
        return refuse(message, "a message is a JSON object");
    // Whatever its id: to answer an answer would have two programs send each
    // other errors for ever.
    bool answers = mica_json_get(root, "result") != NULL ||
                   mica_json_get(root, "error") != NULL;
    if (method == NULL && answers) {
        *envelope_out = MICA_RESPONSE;
        return true;
    }
    if (id != NULL && !mica_id_is_valid(id))
        return refuse(message,
                      "\"id\" must be a string or an integer of at most "
                      "256 bytes");
    if (id != NULL)
        message->id = id->raw;
    if (!mica_text_is(mica_json_get_text(root, "jsonrpc"), "2.0"))
        return refuse(message, "\"jsonrpc\" must be \"2.0\"");
    if (method == NULL || method->kind != MICA_JSON_STRING)
        return refuse(message, "\"method\" must be a string");
    // What is both would be the one to this server and the other to a gateway.
    if (answers)
        return refuse(message,
                      "it has a \"method\" beside a \"result\" or \"error\"; "
                      "send a request or a response");
    message->method = method->text;
    message->params = mica_json_get(root, "params");
    if (message->params != NULL && message->params->kind != MICA_JSON_OBJECT)
        return refuse(message, "\"params\" must be an object");
    *envelope_out = id != NULL ? MICA_REQUEST : MICA_NOTIFICATION;
    return true;
}

// A notification cannot be answered, so what is wrong in it is left out.
static bool
refuse_meta(struct mica_message *message, enum mica_envelope envelope,
            const char *what)
{
    if (envelope != MICA_REQUEST)
        return true;
    mica_reply_error(message, 400, MICA_RPC_PARAMS, MICA_E_TYPE,
                     (struct mica_text){NULL, 0}, "Invalid params: %s", what);
    return false;
}

static bool
take_progress_token(struct mica_message *message, enum mica_envelope envelope,
                    const struct mica_json *token)
{
    if (token == NULL || token->kind == MICA_JSON_NULL)
        return true;
    if (!mica_id_is_valid(token))
        return refuse_meta(message, envelope,
                           "\"progressToken\" must be a string or an integer "
                           "of at most 256 bytes");
    message->progress_token = token->raw;
    return true;
}

bool
mica_message_shape(struct mica_message *message, const struct mica_json *root,
                   enum mica_envelope *envelope_out, struct mica_meta *meta_out)
{
    const struct mica_json *meta;
    struct mica_text trace;

    *meta_out = (struct mica_meta){.version = NULL};
    if (!read_shape(message, root, envelope_out))
        return false;
    meta = mica_json_get(message->params, "_meta");
    if (meta != NULL && meta->kind != MICA_JSON_OBJECT)
        return refuse_meta(message, *envelope_out,
                           "\"_meta\" must be an object");
    meta_out->version = mica_json_get(meta, PREFIX "protocolVersion");
    meta_out->capabilities = mica_json_get(meta, PREFIX "clientCapabilities");
    meta_out->log_level = mica_json_get(meta, PREFIX "logLevel");
    trace = mica_json_get_text(meta, "traceparent");
    if (mica_trace_is_valid(trace))
        message->trace = trace;
    return take_progress_token(message, *envelope_out,
                               mica_json_get(meta, "progressToken"));
}

// W3C Trace Context, 3.2.2: version-trace-parent-flags in lower-case hexadecimal.
// A later version may have more behind a dash.
bool
mica_trace_is_valid(struct mica_text text)
{
    static const char form[] =
        "00-00000000000000000000000000000000-0000000000000000-00";
    size_t size = sizeof form - 1;
    bool trace = false, parent = false;

    if (text.len < size || (text.len > size && text.ptr[size] != '-') ||
        (text.len > size && memcmp(text.ptr, "00", 2) == 0) ||
        memcmp(text.ptr, "ff", 2) == 0)
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = text.ptr[i];
        bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (form[i] == '-' ? c != '-' : !hex)
            return false;
        trace = trace || (i >= 3 && i < 35 && c != '0');
        parent = parent || (i >= 36 && i < 52 && c != '0');
    }
    return trace && parent; // all zeros are invalid
}

// On a pipe the id alone says which request failed; over HTTP the reply itself does.
static void
take_scanned_id(struct mica_message *message, struct mica_text text)
{
    struct mica_id_scan scan;
    if (message->line == NULL)
        return;
    memset(&scan, 0, sizeof scan);
    mica_id_scan(&scan, text);
    struct mica_text id = mica_id_scan_found(&scan);
    if (id.len > 0)
        message->id = mica_arena_text(message->arena, id);
}

bool
mica_message_read(struct mica_message *message, struct mica_text text,
                  enum mica_envelope *envelope_out, struct mica_meta *meta_out,
                  const struct mica_json **root_out)
{
    struct mica_json_limits limits = {
        .bytes = message->server->options.message_bytes};
    struct mica_json *root =
        mica_arena_zero(message->arena, 1, sizeof(struct mica_json));
    struct mica_error error;
    enum mica_status status = MICA_E_LIMIT;

    memset(&error, 0, sizeof error);
    if (root != NULL)
        status = mica_json_read(message->arena, text, &limits, &error, root);
    if (status != MICA_OK) {
        take_scanned_id(message, text);
        mica_reply_error(message, status == MICA_E_LIMIT ? 413 : 400,
                         MICA_RPC_PARSE, status, (struct mica_text){NULL, 0},
                         "Parse error: %s", error.message);
        return false;
    }
    *root_out = root;
    if (root->kind != MICA_JSON_ARRAY)
        return mica_message_shape(message, root, envelope_out, meta_out);
    *envelope_out = MICA_BATCH;
    return true;
}

void
mica_message_notification(struct mica_message *message)
{
    const struct mica_json *id = mica_json_get(message->params, "requestId");

    mica_reply_silent(message, 202);
    if (!mica_text_is(message->method, "notifications/cancelled") || id == NULL)
        return; // unknown, finished or malformed: ignored without a word
    message->step = MICA_STEP_CANCEL;
    message->cancel_id = id->raw;
}

// MCP: logging: a request that names no level gets no log messages.
// [LOG-LEVEL] [BASE-STATELESS]
static bool
take_log_level(struct mica_message *message, const struct mica_json *level)
{
    if (level == NULL)
        return true;
    message->logs = level->kind == MICA_JSON_STRING &&
                    mica_log_level_find(level->text, &message->log_level);
    if (!message->logs)
        mica_reply_error(message, 400, MICA_RPC_PARAMS, MICA_E_CHOICE,
                         (struct mica_text){NULL, 0},
                         "params._meta " PREFIX
                         "logLevel must be one of debug, info, notice, "
                         "warning, error, critical, alert, emergency");
    return message->logs;
}

// [BASE-META]
bool
mica_message_modern(struct mica_message *message, const struct mica_meta *meta)
{
    const char *lacks = NULL;

    if (meta->version == NULL || meta->version->kind != MICA_JSON_STRING)
        lacks = PREFIX "protocolVersion (a string)";
    else if (meta->capabilities == NULL ||
             meta->capabilities->kind != MICA_JSON_OBJECT)
        lacks = PREFIX "clientCapabilities (an object, {} for none)";
    if (lacks == NULL) {
        message->client =
            mica_client_read(meta->capabilities, MICA_WIRE_2026_07_28);
        return take_log_level(message, meta->log_level);
    }
    mica_reply_error(message, 400, MICA_RPC_PARAMS, MICA_E_REQUIRED,
                     (struct mica_text){NULL, 0},
                     "params._meta must have %s; or send initialize first",
                     lacks);
    return false;
}

// [BASE-VERSION]
bool
mica_message_version(struct mica_message *message, struct mica_text version)
{
    struct mica_buffer data;
    enum mica_wire wire;

    if (mica_wire_find(version, &wire) && mica_wire_features(wire)->modern) {
        message->wire = wire;
        return true;
    }
    mica_buffer_init(&data, message->arena, 4096);
    mica_buffer_format(&data, "\"supported\":[\"%s\"],\"requested\":",
                       mica_wire_features(MICA_WIRE_2026_07_28)->version);
    mica_buffer_text(&data, mica_quote(message, version));
    if (message->arena->overflow) // half a member is worse than none
        data.len = 0;
    mica_reply_error(message, 400, MICA_RPC_VERSION, MICA_E_UNKNOWN,
                     mica_buffer_as_text(&data),
                     "Unsupported protocol version; this server speaks %s, and "
                     "2025-11-25 and older after initialize",
                     mica_wire_features(MICA_WIRE_2026_07_28)->version);
    return false;
}

// ---- Methods -------------------------------------------------------------------

static const struct method {
    const char *name;
    bool modern, legacy;
    bool stateful; // legacy: only where the next request knows of this one
    void (*run)(struct mica_message *message);
} methods[] = {
    {"tools/call", true, true, false, mica_method_tools_call},
    {"tools/list", true, true, false, mica_method_tools_list},
    {"server/discover", true, false, false, mica_method_discover},
    {"initialize", false, true, false, mica_method_initialize},
    {"ping", false, true, false, mica_method_ping},
    {"subscriptions/listen", true, false, false, mica_method_listen},
    {"logging/setLevel", false, true, true, mica_method_set_level},
    {"resources/read", true, true, false, mica_method_resources_read},
    {"resources/list", true, true, false, mica_method_resources_list},
    {"resources/templates/list", true, true, false, mica_method_templates_list},
    {"prompts/get", true, true, false, mica_method_prompts_get},
    {"prompts/list", true, true, false, mica_method_prompts_list},
    {"completion/complete", true, true, false, mica_method_complete},
    {"tasks/get", true, false, false, mica_method_task_get},
    {"tasks/update", true, false, false, mica_method_task_update},
    {"tasks/cancel", true, false, false, mica_method_task_cancel},
    {"resources/subscribe", false, true, true, mica_method_subscribe},
    {"resources/unsubscribe", false, true, true, mica_method_unsubscribe},
};

static const struct method *
find_method(const struct mica_message *message)
{
    bool modern = mica_wire_features(message->wire)->modern;

    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        const struct method *method = &methods[i];
        if (!mica_text_is(message->method, method->name))
            continue;
        if ((modern ? !method->modern : !method->legacy) ||
            !mica_message_declares(message, message->method))
            return NULL;
        return method->stateful && !mica_message_has_state(message) ? NULL
                                                                    : method;
    }
    return NULL;
}

// [BASE-METHOD] [HTTP-STATUS]
static void
refuse_method(struct mica_message *message)
{
    struct mica_text name = mica_quote(message, message->method);

    mica_reply_error(
        message, mica_wire_features(message->wire)->modern ? 404 : 200,
        MICA_RPC_METHOD, MICA_E_NOT_FOUND, (struct mica_text){NULL, 0},
        "Method not found: %.*s is no method of this server in revision %s",
        MICA_ARG(name), mica_wire_features(message->wire)->version);
}

bool
mica_message_has_method(struct mica_message *message)
{
    if (find_method(message) != NULL)
        return true;
    refuse_method(message);
    return false;
}

void
mica_message_dispatch(struct mica_message *message)
{
    const struct method *method = find_method(message);

    message->known = method != NULL;
    if (method == NULL)
        refuse_method(message);
    else if (mica_message_waits_for(message, message->method, message->params))
        message->step = MICA_STEP_HOLD;
    else
        method->run(message);
}

// ---- Replies -------------------------------------------------------------------

void
mica_reply_silent(struct mica_message *message, unsigned http_status)
{
    message->step = MICA_STEP_SILENT;
    message->late_at = 0;
    message->http_status = http_status;
    message->reply.len = 0;
}

void
mica_reply_begin(struct mica_message *message)
{
    message->step = MICA_STEP_REPLY;
    message->late_at = 0;
    message->reply.len = 0;
    message->reply.overflow = false;
}

static void
open_reply(struct mica_message *message, struct mica_json_writer *writer)
{
    mica_reply_begin(message);
    mica_json_writer_init(writer, &message->reply);
    mica_json_open_object(writer);
    mica_json_field(writer, "jsonrpc", MICA_LITERAL("2.0"));
    if (message->id.len > 0) { // an unknown id is left out, never null
        mica_json_name(writer, "id");
        mica_json_raw(writer, message->id);
    }
}

// [BASE-RESULTTYPE]
void
mica_reply_open_as(struct mica_message *message,
                   struct mica_json_writer *writer, const char *result_typez)
{
    open_reply(message, writer);
    mica_json_name(writer, "result");
    mica_json_open_object(writer);
    if (mica_wire_features(message->wire)->modern)
        mica_json_field(writer, "resultType", mica_text(result_typez));
}

void
mica_reply_open(struct mica_message *message, struct mica_json_writer *writer)
{
    mica_reply_open_as(message, writer, "complete");
}

// {"jsonrpc":"2.0","id":…, is before it, and } behind.
struct mica_text
mica_reply_tail_of(const struct mica_message *message)
{
    size_t head = sizeof "{\"jsonrpc\":\"2.0\"," - 1;

    if (message->id.len > 0)
        head += sizeof "\"id\":," - 1 + message->id.len;
    return mica_text_slice(mica_buffer_as_text(&message->reply), head,
                           message->reply.len - 1);
}

void
mica_reply_tail(struct mica_message *message, struct mica_text tail)
{
    struct mica_json_writer writer;

    open_reply(message, &writer);
    mica_json_raw(&writer, tail);
    mica_json_close_object(&writer);
    if (message->reply.overflow)
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT,
                         (struct mica_text){NULL, 0},
                         "The result is larger than %zu bytes; ask for less",
                         message->server->options.call_bytes);
}

void
mica_reply_close(struct mica_message *message, struct mica_json_writer *writer,
                 struct mica_text meta)
{
    bool modern = mica_wire_features(message->wire)->modern;

    if (modern || meta.len > 0) {
        mica_json_name(writer, "_meta");
        mica_json_open_object(writer);
        if (modern) {
            mica_json_name(writer, PREFIX "serverInfo");
            mica_json_raw(writer, message->server->server_info);
        }
        if (meta.len > 0)
            mica_json_raw(writer, meta);
        mica_json_close_object(writer);
    }
    mica_json_close_object(writer);
    mica_json_close_object(writer);
    if (message->reply.overflow)
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT,
                         (struct mica_text){NULL, 0},
                         "The result is larger than %zu bytes; ask for less",
                         message->server->options.call_bytes);
}

// With no memory left for any other reply.
static void
last_words(struct mica_message *message)
{
    struct mica_json_writer writer;

    message->reply = (struct mica_buffer){.ptr = message->spare,
                                          .capacity = sizeof message->spare,
                                          .max = sizeof message->spare,
                                          .arena = message->arena};
    open_reply(message, &writer);
    message->rpc_error = MICA_RPC_INTERNAL;
    message->error_code = mica_status_code(MICA_E_LIMIT);
    mica_json_name(&writer, "error");
    mica_json_raw(&writer,
                  MICA_LITERAL("{\"code\":-32603,\"message\":\"Not enough "
                               "memory to answer; ask for less\",\"data\":{"
                               "\"code\":\"LIMIT_EXCEEDED\"}}"));
    mica_json_close_object(&writer);
    MICA_ASSERT(!message->reply.overflow);
}

void
mica_reply_code(struct mica_message *message, unsigned http_status,
                enum mica_rpc_error rpc, const char *codez,
                struct mica_text data, struct mica_text text)
{
    struct mica_json_writer writer;

    message->http_status = http_status;
    message->rpc_error = (int)rpc;
    message->error_code = codez;
    if (message->surface != NULL && !message->in_turn) {
        message->surface->refuse(message, codez, data, text);
        return;
    }
    open_reply(message, &writer);
    mica_json_name(&writer, "error");
    mica_json_open_object(&writer);
    mica_json_name(&writer, "code");
    mica_json_integer(&writer, rpc);
    mica_json_field(&writer, "message", text);
    mica_json_name(&writer, "data");
    mica_json_open_object(&writer);
    mica_json_field(&writer, "code", mica_text(codez));
    if (data.len > 0)
        mica_json_raw(&writer, data);
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
    if (message->reply.overflow)
        last_words(message);
}

void
mica_reply_error(struct mica_message *message, unsigned http_status,
                 enum mica_rpc_error rpc, enum mica_status status,
                 struct mica_text data, const char *formatz, ...)
{
    char room[768];
    va_list arguments;

    // On the stack: an arena that has overflowed can still say so.
    va_start(arguments, formatz);
    mica_format_message(room, sizeof room, formatz, arguments);
    va_end(arguments);
    mica_reply_code(message, http_status, rpc, mica_status_code(status), data,
                    mica_text(room));
}

void
mica_message_refuse(struct mica_message *message, enum mica_status status,
                    const char *formatz, ...)
{
    struct mica_error error;
    va_list arguments;

    va_start(arguments, formatz);
    (void)mica_error_vset(&error, status, NULL, "", formatz, arguments);
    va_end(arguments);
    mica_reply_error(message, (unsigned)mica_status_http(status),
                     (enum mica_rpc_error)mica_status_json_rpc(status), status,
                     (struct mica_text){NULL, 0}, "%s", error.message);
}

void
mica_write_implementation(const struct mica_server *server,
                          const struct mica_wire_features *features,
                          struct mica_json_writer *writer)
{
    const struct mica_server_options *options = &server->options;

    mica_json_open_object(writer);
    mica_json_field(writer, "name", mica_text(options->name));
    if (features->title && options->title != NULL)
        mica_json_field(writer, "title", mica_text(options->title));
    mica_json_field(writer, "version", mica_text(options->version));
    if (features->description && options->description != NULL)
        mica_json_field(writer, "description", mica_text(options->description));
    if (features->description && options->website_url != NULL)
        mica_json_field(writer, "websiteUrl", mica_text(options->website_url));
    if (features->description && options->icon_count > 0) {
        mica_json_name(writer, "icons");
        mica_write_icons(writer, options->icons, options->icon_count);
    }
    mica_json_close_object(writer);
}

struct mica_text
mica_quote(struct mica_message *message, struct mica_text text)
{
    struct mica_buffer buffer;
    // A header may hold any bytes: what is no UTF-8 cannot be quoted in JSON.
    size_t cut = mica_utf8_valid(mica_text_slice(text, 0, 100));

    mica_buffer_init(&buffer, message->arena, 1024);
    mica_buffer_char(&buffer, '"');
    mica_json_escape(&buffer, mica_text_slice(text, 0, cut));
    if (cut < text.len)
        mica_buffer_text(&buffer, MICA_LITERAL("…"));
    mica_buffer_char(&buffer, '"');
    return mica_buffer_as_text(&buffer);
}
