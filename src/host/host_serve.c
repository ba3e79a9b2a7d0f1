// SPDX-License-Identifier: Apache-2.0
//
// What a view asks: the host answers some requests itself, and checks the others before the
// program gets them.
#include "host/host_peer.h"

#include <string.h>

enum {
    QUOTED_BYTES = 200 // of a name that a refusal quotes
};

// ---- Refusals --------------------------------------------------------------------

static void
refuse_method(struct mica_host *host, struct mica_text id)
{
    mica_host_send_error(host, id, -32601, MICA_LITERAL("Method not found"),
                         (struct mica_text){NULL, 0});
}

// Refuses with -32602 a name that the view has sent, and quotes it.
static void
refuse_tool(struct mica_host *host, struct mica_text id,
            enum mica_host_code code, struct mica_text name, const char *whyz)
{
    char room[QUOTED_BYTES + 128];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    name = mica_utf8_cut(name, QUOTED_BYTES);
    mica_buffer_format(&text, "Tool %.*s %s", MICA_ARG(name), whyz);
    mica_host_send_refusal(host, id, -32602, code, mica_buffer_as_text(&text));
}

// ---- Requests that the host answers itself ---------------------------------------

static void
write_initialized(struct mica_host *host, struct mica_buffer *out)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, out);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "protocolVersion",
                    MICA_LITERAL(MICA_VIEW_PROTOCOL_VERSION));
    mica_json_name(&writer, "hostInfo");
    mica_json_raw(&writer, host->info);
    mica_json_name(&writer, "hostCapabilities");
    mica_json_raw(&writer, host->capabilities);
    mica_json_name(&writer, "hostContext");
    mica_json_raw(&writer, host->context);
    mica_json_close_object(&writer);
}

// Keeps what the view says of itself: appInfo as it may be shown, appCapabilities.
static enum mica_status
keep_app(struct mica_host *host, const struct mica_json *params,
         struct mica_error *error)
{
    const struct mica_json *info = mica_json_get(params, "appInfo");
    const struct mica_json *capabilities =
        mica_json_get(params, "appCapabilities");
    struct mica_buffer out;
    struct mica_json_writer writer;
    struct mica_text kept;
    size_t middle;

    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     2 * host->limits.message_bytes);
    mica_json_writer_init(&writer, &out);
    if (!mica_host_cleaned(&host->hidden, info, &writer)) {
        out.len = 0; // a name that hides: the members that are needed alone
        mica_json_writer_init(&writer, &out);
        mica_json_raw(&writer, MICA_LITERAL("{}"));
    }
    middle = out.len;
    mica_json_writer_init(&writer, &out);
    mica_json_value(&writer, capabilities);
    if (out.overflow)
        return mica_host_no_memory(host, error);
    MICA_TRY(mica_host_keep(host, MICA_HOST_APP, &kept,
                            mica_buffer_as_text(&out), error));
    host->app_info = mica_text_slice(kept, 0, middle);
    host->app_capabilities = mica_text_slice(kept, middle, kept.len);
    host->app_can =
        (mica_json_get(capabilities, "tools") != NULL ? MICA_HOST_APP_TOOLS
                                                      : 0U) |
        (mica_json_get(capabilities, "elicitation") != NULL
             ? MICA_HOST_APP_FORMS
             : 0U);
    return MICA_OK;
}

static void
serve_initialize(struct mica_host *host, struct mica_text id,
                 const struct mica_json *params)
{
    struct mica_buffer out;
    struct mica_error error;
    enum mica_status status;

    if (mica_host_is_ending(host)) {
        mica_host_send_error(host, id, -32600,
                             MICA_LITERAL("The host ends this view."),
                             (struct mica_text){NULL, 0});
        return;
    }
    status = keep_app(host, params, &error);
    if (status == MICA_OK)
        status = mica_host_keep(host, MICA_HOST_ANNOUNCED, &host->announced,
                                host->context, &error);
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    write_initialized(host, &out);
    if (status != MICA_OK || out.overflow) {
        mica_host_send_refusal(host, id, -32603, MICA_HOST_MEMORY_FULL,
                               MICA_LITERAL("The host has no memory left."));
        return;
    }
    (void)mica_host_move(host, MICA_HOST_HANDSHAKE);
    mica_host_opening_again(host);
    mica_host_reply(host, id, mica_buffer_as_text(&out));
}

static void
send_mode(struct mica_host *host, struct mica_text id)
{
    struct mica_text mode = mica_host_context_word(host, "displayMode");
    char room[64];
    struct mica_buffer out = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    if (mode.len == 0)
        mode = MICA_LITERAL("inline");
    mica_buffer_format(&out, "{\"mode\":\"%.*s\"}", MICA_ARG(mode));
    mica_host_reply(host, id, mica_buffer_as_text(&out));
}

// Keeps what the view gave for the model until it is answered.
static enum mica_status
keep_model(struct mica_host *host, const struct mica_json *params,
           struct mica_error *error)
{
    static const struct mica_json none = {.kind = MICA_JSON_OBJECT,
                                          .raw = {"{}", 2}};
    struct mica_text text =
        mica_host_compact(host, params != NULL ? params : &none);

    if (text.len == 0)
        return mica_host_no_memory(host, error);
    return mica_host_keep(host, MICA_HOST_MODEL_NEXT, &host->model_next, text,
                          error);
}

// ---- Requests that the program answers -------------------------------------------

// What a callback needs.
struct asking {
    struct mica_host *host;
    struct mica_text id;
    const struct mica_view_method *method;
    const struct mica_json *params;
};

// Takes a slot; 0 if there is no memory.
static uint64_t
asking_begin(const struct asking *asking)
{
    struct mica_host_running *running = mica_host_running_new(
        asking->host, asking->id, asking->method, asking->params);

    if (running != NULL)
        return running->number;
    mica_host_send_refusal(asking->host, asking->id, -32603,
                           MICA_HOST_MEMORY_FULL,
                           MICA_LITERAL("The host has no memory left."));
    return 0;
}

static void
ask_open_link(const struct asking *asking)
{
    struct mica_host *host = asking->host;
    struct mica_text url = mica_json_get_text(asking->params, "url");
    char room[4 * 80 + 128], shown[4 * 80 + 4];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    struct mica_buffer link = {
        .ptr = shown, .capacity = sizeof shown, .max = sizeof shown};
    uint64_t number;

    if (!mica_host_link_is_safe(&host->hidden, url)) {
        mica_host_shown(&host->hidden, url, 80, &link);
        mica_buffer_text(&text, MICA_LITERAL("The link \""));
        mica_buffer_text(&text, mica_buffer_as_text(&link));
        mica_buffer_text(&text,
                         MICA_LITERAL("\" was refused: it is no address with "
                                      "http:, https: or mailto:."));
        mica_host_send_refusal(host, asking->id, -32000, MICA_HOST_LINK_REFUSED,
                               mica_buffer_as_text(&text));
        return;
    }
    number = asking_begin(asking);
    if (number != 0)
        host->callbacks.open_link(host->user, number, url);
}

// Reads what was written into `out`, in the arena WORK.
static bool
read_written(struct mica_host *host, const struct mica_buffer *out,
             struct mica_json *value_out)
{
    const struct mica_json_limits limits = {.depth = host->limits.depth + 1};

    return !out->overflow &&
           mica_json_read(mica_host_arena(host, MICA_HOST_WORK),
                          mica_buffer_as_text(out), &limits, NULL,
                          value_out) == MICA_OK;
}

static void
ask_download(const struct asking *asking)
{
    struct mica_host *host = asking->host;
    struct mica_json_writer writer;
    struct mica_buffer out;
    struct mica_json contents;
    uint64_t number;

    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    mica_json_writer_init(&writer, &out);
    mica_host_safe_downloads(
        &host->hidden, mica_json_get(asking->params, "contents"), &writer);
    if (!read_written(host, &out, &contents)) {
        mica_host_send_refusal(host, asking->id, -32603, MICA_HOST_MEMORY_FULL,
                               MICA_LITERAL("The host has no memory left."));
        return;
    }
    number = asking_begin(asking);
    if (number != 0)
        host->callbacks.download(host->user, number, &contents);
}

static void
ask_message(const struct asking *asking)
{
    uint64_t number = asking_begin(asking);

    if (number != 0)
        asking->host->callbacks.message(asking->host->user, number,
                                        asking->params);
}

static void
ask_model_context(const struct asking *asking)
{
    struct mica_host *host = asking->host;
    struct mica_error error;

    if (keep_model(host, asking->params, &error) != MICA_OK) {
        mica_host_send_refusal(host, asking->id, -32603, MICA_HOST_MEMORY_FULL,
                               MICA_LITERAL("The host has no memory left."));
        return;
    }
    if (host->callbacks.model_context == NULL) {
        mica_host_model_commit(host);
        mica_host_reply(host, asking->id, MICA_LITERAL("{}"));
        return;
    }
    host->model_number = asking_begin(asking);
    if (host->model_number != 0)
        host->callbacks.model_context(host->user, host->model_number,
                                      asking->params);
}

static void
ask_display_mode(const struct asking *asking)
{
    struct mica_host *host = asking->host;
    struct mica_text mode = mica_json_get_text(asking->params, "mode");
    uint64_t number;

    if (host->callbacks.request_display_mode == NULL ||
        !mica_host_both_offer_mode(host, mode)) {
        send_mode(host, asking->id);
        return;
    }
    number = asking_begin(asking);
    if (number != 0)
        host->callbacks.request_display_mode(host->user, number, mode);
}

static void
ask_sample(const struct asking *asking)
{
    uint64_t number = asking_begin(asking);

    if (number != 0)
        asking->host->callbacks.sample(asking->host->user, number,
                                       asking->params);
}

static const struct mica_host_server_tool *
server_tool(const struct mica_host *host, struct mica_text name)
{
    for (size_t i = 0; i < host->server_tool_count; i++)
        if (mica_text_equal(host->server_tools[i].name, name))
            return &host->server_tools[i];
    return NULL;
}

// Whether the view may call the tool of that request; if not, it was refused.
static bool
permit_tool(const struct asking *asking)
{
    struct mica_text name = mica_json_get_text(asking->params, "name");
    const struct mica_host_server_tool *tool = server_tool(asking->host, name);

    if (tool == NULL)
        refuse_tool(asking->host, asking->id, MICA_HOST_UNKNOWN_TOOL, name,
                    "not found");
    else if (!tool->visible)
        refuse_tool(asking->host, asking->id, MICA_HOST_TOOL_NOT_VISIBLE, name,
                    "is not for views: its _meta.ui.visibility has no \"app\"");
    return tool != NULL && tool->visible;
}

static void
ask_server(const struct asking *asking)
{
    struct mica_host *host = asking->host;
    uint64_t number;

    if (strcmp(asking->method->name, "tools/call") == 0 && !permit_tool(asking))
        return;
    number = asking_begin(asking);
    if (number != 0)
        host->callbacks.server_request(host->user, number, asking->method->name,
                                       asking->params);
}

// ---- Dispatch --------------------------------------------------------------------

// Which function takes the request; NULL: the program does not serve it.
static void (*ask_of(const struct mica_host *host,
                     const char *methodz))(const struct asking *asking)
{
    const struct mica_host_callbacks *has = &host->callbacks;

    if (strcmp(methodz, "ui/open-link") == 0)
        return has->open_link != NULL ? ask_open_link : NULL;
    if (strcmp(methodz, "ui/download-file") == 0)
        return has->download != NULL ? ask_download : NULL;
    if (strcmp(methodz, "ui/message") == 0)
        return has->message != NULL ? ask_message : NULL;
    if (strcmp(methodz, "ui/update-model-context") == 0)
        return has->model_context != NULL || host->keeps_model
                   ? ask_model_context
                   : NULL;
    if (strcmp(methodz, "ui/request-display-mode") == 0)
        return ask_display_mode;
    if (strcmp(methodz, "sampling/createMessage") == 0)
        return has->sample != NULL ? ask_sample : NULL;
    return has->server_request != NULL ? ask_server : NULL;
}

// The text of the specification shows one block where the packages have a list.
static const struct mica_json *
whole_message(struct mica_host *host, const struct mica_json *params)
{
    const struct mica_json *content = mica_json_get(params, "content");
    struct mica_json_writer writer;
    struct mica_buffer out;
    struct mica_json *whole;

    if (content == NULL || content->kind != MICA_JSON_OBJECT ||
        mica_json_get(content, "type") == NULL)
        return params;
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    (void)mica_buffer_reserve(&out, params->raw.len + 2);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < params->count; i++) {
        const struct mica_json *value = &params->members[i].value;
        mica_json_name_text(&writer, params->members[i].name);
        if (value == content)
            mica_json_open_array(&writer);
        mica_json_value(&writer, value);
        if (value == content)
            mica_json_close_array(&writer);
    }
    mica_json_close_object(&writer);
    whole =
        mica_arena_alloc(mica_host_arena(host, MICA_HOST_WORK), sizeof *whole);
    return whole != NULL && read_written(host, &out, whole) ? whole : params;
}

static void
serve_method(struct mica_host *host, struct mica_text id,
             const struct mica_view_method *method,
             const struct mica_json *params)
{
    bool begins = strcmp(method->name, "ui/initialize") == 0;
    struct mica_buffer text;
    void (*ask)(const struct asking *) =
        begins ? NULL : ask_of(host, method->name);

    if (!begins && ask == NULL) {
        refuse_method(host, id);
        return;
    }
    if (host->running_count >= host->limits.open_requests ||
        mica_host_running_of_id(host, id) != NULL) {
        bool used = mica_host_running_of_id(host, id) != NULL;
        mica_host_send_refusal(
            host, id, -32600,
            used ? MICA_HOST_ID_IN_USE : MICA_HOST_TOO_MANY_REQUESTS,
            used ? MICA_LITERAL("A request with this id is still open.")
                 : MICA_LITERAL("Too many requests are open. Wait for one of "
                                "them."));
        return;
    }
    if (strcmp(method->name, "ui/message") == 0)
        params = whole_message(host, params);
    if (!mica_host_check_params(host, method->name, params, &text)) {
        host->counts[MICA_HOST_INVALID_PARAMS]++;
        mica_host_send_error(host, id, -32602, mica_buffer_as_text(&text),
                             (struct mica_text){NULL, 0});
        return;
    }
    if (begins)
        serve_initialize(host, id, params);
    else
        ask(&(struct asking){host, id, method, params});
}

void
mica_host_serve(struct mica_host *host, struct mica_text id,
                struct mica_text method, const struct mica_json *params)
{
    const struct mica_view_method *found = mica_host_method(method, true);

    if (found == NULL)
        refuse_method(host, id);
    else if (strcmp(found->name, "ping") == 0)
        mica_host_reply(host, id, MICA_LITERAL("{}"));
    else
        serve_method(host, id, found, params);
}
