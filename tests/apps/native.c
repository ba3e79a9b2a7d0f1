// SPDX-License-Identifier: Apache-2.0
//
// The host of mica/host.h as a program: each line of stdin is one call of a function, and
// each line of stdout is one callback, or how the function ended. native.mjs is the other
// side.
//
//     {"do": "open", "capabilities": {…}, "context": {…}, "without": ["open_link", …]}
//     {"do": "receive", "text": "one message", "now": 12}
//     {"do": "tool_input", "json": {…}}   …
//
//     {"send": {…}}   {"ask": "open_link", "request": 1, "value": …}   {"event": "log", …}
//     {"error": "CODE", "message": "…"}   {"done": 3, "code": null, "result": {…}}
//     {"ret": "OK", "state": "LIVE", "due": 2000}
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mica/host.h>

static struct mica_host *host;
static struct mica_buffer line;
static struct mica_json_writer out;

static void
begin(const char *namez)
{
    line.len = 0;
    mica_json_writer_init(&out, &line);
    mica_json_open_object(&out);
    if (namez != NULL)
        mica_json_name(&out, namez);
}

static void
end(void)
{
    mica_json_close_object(&out);
    mica_buffer_char(&line, '\n');
    fwrite(line.ptr, 1, line.len, stdout);
    fflush(stdout);
}

static void
value_or_null(const char *namez, const struct mica_json *value)
{
    mica_json_name(&out, namez);
    if (value != NULL)
        mica_json_value(&out, value);
    else
        mica_json_null(&out);
}

// ---- Callbacks -------------------------------------------------------------------

static void
on_send(void *user, struct mica_text message)
{
    (void)user;
    begin("send");
    mica_json_raw(&out, message);
    end();
}

static void
ask(const char *namez, uint64_t request)
{
    begin("ask");
    mica_json_stringz(&out, namez);
    mica_json_name(&out, "request");
    mica_json_integer(&out, (int64_t)request);
}

static void
ask_text(const char *namez, uint64_t request, struct mica_text text)
{
    ask(namez, request);
    mica_json_field(&out, "value", text);
    end();
}

static void
ask_value(const char *namez, uint64_t request, const struct mica_json *value)
{
    ask(namez, request);
    value_or_null("value", value);
    end();
}

static void
on_open_link(void *user, uint64_t request, struct mica_text url)
{
    (void)user;
    ask_text("ui/open-link", request, url);
}

static void
on_download(void *user, uint64_t request, const struct mica_json *contents)
{
    (void)user;
    ask_value("ui/download-file", request, contents);
}

static void
on_message(void *user, uint64_t request, const struct mica_json *params)
{
    (void)user;
    ask_value("ui/message", request, params);
}

static void
on_model_context(void *user, uint64_t request, const struct mica_json *params)
{
    (void)user;
    ask_value("ui/update-model-context", request, params);
}

static void
on_mode(void *user, uint64_t request, struct mica_text mode)
{
    (void)user;
    ask_text("ui/request-display-mode", request, mode);
}

static void
on_sample(void *user, uint64_t request, const struct mica_json *params)
{
    (void)user;
    ask_value("sampling/createMessage", request, params);
}

static void
on_server(void *user, uint64_t request, const char *methodz,
          const struct mica_json *params)
{
    (void)user;
    ask_value(methodz, request, params);
}

static void
on_cancelled(void *user, uint64_t request, struct mica_text reason)
{
    (void)user;
    begin("cancelled");
    mica_json_integer(&out, (int64_t)request);
    mica_json_field(&out, "reason", reason);
    end();
}

static void
event(const char *namez)
{
    begin("event");
    mica_json_stringz(&out, namez);
}

static void
on_initialized(void *user)
{
    (void)user;
    event("initialized");
    end();
}

static void
on_size(void *user, const double *width, const double *height)
{
    (void)user;
    event("sizechange");
    mica_json_name(&out, "value");
    mica_json_open_object(&out);
    if (width != NULL) {
        mica_json_name(&out, "width");
        mica_json_number(&out, *width);
    }
    if (height != NULL) {
        mica_json_name(&out, "height");
        mica_json_number(&out, *height);
    }
    mica_json_close_object(&out);
    end();
}

static void
on_log(void *user, struct mica_text level, struct mica_text logger,
       const struct mica_json *data)
{
    (void)user;
    event("loggingmessage");
    mica_json_name(&out, "value");
    mica_json_open_object(&out);
    mica_json_field(&out, "level", level);
    if (logger.len > 0)
        mica_json_field(&out, "logger", logger);
    value_or_null("data", data);
    mica_json_close_object(&out);
    end();
}

static void
on_request_teardown(void *user)
{
    (void)user;
    event("requestteardown");
    end();
}

static void
on_tools_changed(void *user)
{
    (void)user;
    event("toolschanged");
    end();
}

static void
on_sandbox_ready(void *user)
{
    (void)user;
    event("sandboxready");
    end();
}

static void
on_error(void *user, const struct mica_error *error)
{
    (void)user;
    begin("error");
    mica_json_stringz(&out, error->code);
    mica_json_field(&out, "message", mica_text(error->message));
    end();
}

static void
on_closed(void *user)
{
    (void)user;
    event("closed");
    end();
}

// `user` is the number that the other side gave to the request.
static void
on_done(void *user, const struct mica_host_reply *reply)
{
    begin("done");
    mica_json_integer(&out, (int64_t)(intptr_t)user);
    mica_json_name(&out, "code");
    if (reply->code == NULL)
        mica_json_null(&out);
    else
        mica_json_stringz(&out, reply->code);
    if (reply->result.len > 0) {
        mica_json_name(&out, "result");
        mica_json_raw(&out, reply->result);
    }
    mica_json_field(&out, "message", reply->message);
    mica_json_name(&out, "rpc");
    mica_json_integer(&out, reply->rpc_code);
    if (reply->data.len > 0) {
        mica_json_name(&out, "data");
        mica_json_raw(&out, reply->data);
    }
    end();
}

static void
on_progress(void *user, const struct mica_json *progress)
{
    begin("progress");
    mica_json_integer(&out, (int64_t)(intptr_t)user);
    value_or_null("value", progress);
    end();
}

// ---- Functions -------------------------------------------------------------------

static struct mica_text
raw_of(const struct mica_json *command, const char *namez)
{
    const struct mica_json *value = mica_json_get(command, namez);

    return value != NULL ? value->raw : (struct mica_text){NULL, 0};
}

static int64_t
number_of(const struct mica_json *command, const char *namez)
{
    const struct mica_json *value = mica_json_get(command, namez);
    int64_t number = 0;

    if (value != NULL)
        (void)mica_integer_read(value->text, &number);
    return number;
}

static bool
is_without(const struct mica_json *command, const char *namez)
{
    const struct mica_json *without = mica_json_get(command, "without");

    for (size_t i = 0; without != NULL && i < without->count; i++)
        if (mica_text_is(without->items[i].text, namez))
            return true;
    return false;
}

static enum mica_status
do_open(const struct mica_json *command, struct mica_error *error)
{
    struct mica_host_options options = {
        .name = "host",
        .version = "1",
        .capabilities = raw_of(command, "capabilities"),
        .context = raw_of(command, "context"),
        .now_ms = (uint64_t)number_of(command, "now"),
        .callbacks = {.send = on_send,
                      .open_link = on_open_link,
                      .download = on_download,
                      .message = on_message,
                      .model_context = on_model_context,
                      .request_display_mode = on_mode,
                      .sample = on_sample,
                      .server_request = on_server,
                      .request_cancelled = on_cancelled,
                      .initialized = on_initialized,
                      .size_changed = on_size,
                      .log = on_log,
                      .request_teardown = on_request_teardown,
                      .tools_changed = on_tools_changed,
                      .sandbox_ready = on_sandbox_ready,
                      .error = on_error,
                      .closed = on_closed}};

    if (is_without(command, "open_link"))
        options.callbacks.open_link = NULL;
    if (is_without(command, "message"))
        options.callbacks.message = NULL;
    if (is_without(command, "model_context"))
        options.callbacks.model_context = NULL;
    if (is_without(command, "request_display_mode"))
        options.callbacks.request_display_mode = NULL;
    if (is_without(command, "server_request"))
        options.callbacks.server_request = NULL;
    return mica_host_open(&options, error, &host);
}

static enum mica_status
do_ask(const char *what, const struct mica_json *command,
       struct mica_error *error)
{
    struct mica_host_call call = {
        .done = on_done,
        .user = (void *)(intptr_t)number_of(command, "number"),
        .progress =
            mica_json_get(command, "progress") != NULL ? on_progress : NULL,
        .timeout_ms = (unsigned)number_of(command, "timeout"),
        .now_ms = (uint64_t)number_of(command, "now")};
    uint64_t number = 0;
    enum mica_status status = MICA_OK;

    if (strcmp(what, "call_tool") == 0)
        status = mica_host_call_tool(host, mica_json_get_text(command, "name"),
                                     raw_of(command, "arguments"), &call, error,
                                     &number);
    else if (strcmp(what, "list_tools") == 0)
        status = mica_host_list_tools(
            host, mica_json_get_text(command, "cursor"), &call, error, &number);
    else if (strcmp(what, "elicit") == 0)
        status = mica_host_elicit(host, raw_of(command, "params"), &call, error,
                                  &number);
    else if (strcmp(what, "ping") == 0)
        status = mica_host_ping(host, &call, error, &number);
    else
        status = mica_host_teardown(host, &call, error);
    if (status == MICA_OK && number != 0) {
        begin("number");
        mica_json_integer(&out, (int64_t)number);
        mica_json_name(&out, "of");
        mica_json_integer(&out, number_of(command, "number"));
        end();
    }
    return status;
}

static enum mica_host_list
list_of(const struct mica_json *command)
{
    struct mica_text list = mica_json_get_text(command, "list");

    return mica_text_is(list, "tools")       ? MICA_HOST_LIST_TOOLS
           : mica_text_is(list, "resources") ? MICA_HOST_LIST_RESOURCES
                                             : MICA_HOST_LIST_PROMPTS;
}

static enum mica_status
do_command(const struct mica_json *command, struct mica_error *error)
{
    struct mica_text what = mica_json_get_text(command, "do");
    struct mica_text json = raw_of(command, "json");
    uint64_t request = (uint64_t)number_of(command, "request");
    uint64_t now = (uint64_t)number_of(command, "now");

    if (mica_text_is(what, "open"))
        return do_open(command, error);
    if (host == NULL)
        return mica_error_set(error, MICA_E_USAGE, "", "open comes first");
    if (mica_text_is(what, "receive"))
        mica_host_receive(host, mica_json_get_text(command, "text"), now);
    else if (mica_text_is(what, "tick"))
        mica_host_tick(host, now);
    else if (mica_text_is(what, "close"))
        mica_host_close(host);
    else if (mica_text_is(what, "cancel"))
        mica_host_cancel(host, request, mica_json_get_text(command, "reason"));
    else if (mica_text_is(what, "tool_input_partial"))
        return mica_host_tool_input_partial(host, json, error);
    else if (mica_text_is(what, "tool_input"))
        return mica_host_tool_input(host, json, error);
    else if (mica_text_is(what, "tool_result"))
        return mica_host_tool_result(host, json, error);
    else if (mica_text_is(what, "tool_cancelled"))
        return mica_host_tool_cancelled(
            host, mica_json_get_text(command, "reason"), error);
    else if (mica_text_is(what, "set_context"))
        return mica_host_set_context(host, json, error);
    else if (mica_text_is(what, "set_server_tools"))
        return mica_host_set_server_tools(host, json, error);
    else if (mica_text_is(what, "server_changed"))
        return mica_host_server_changed(host, list_of(command), error);
    else if (mica_text_is(what, "sandbox_resource"))
        return mica_host_sandbox_resource(host, json, error);
    else if (mica_text_is(what, "answer"))
        return mica_host_answer(host, request, json, error);
    else if (mica_text_is(what, "progress"))
        return mica_host_progress(host, request, json, error);
    else if (mica_text_is(what, "refuse"))
        return mica_host_refuse(host, request, (int)number_of(command, "rpc"),
                                mica_json_get_text(command, "message"), json,
                                error);
    else if (mica_text_is(what, "call_tool"))
        return do_ask("call_tool", command, error);
    else if (mica_text_is(what, "list_tools"))
        return do_ask("list_tools", command, error);
    else if (mica_text_is(what, "elicit"))
        return do_ask("elicit", command, error);
    else if (mica_text_is(what, "ping"))
        return do_ask("ping", command, error);
    else if (mica_text_is(what, "teardown"))
        return do_ask("teardown", command, error);
    else
        return mica_error_set(error, MICA_E_USAGE, "", "no function %.*s",
                              MICA_ARG(what));
    return MICA_OK;
}

// How the function ended, and when the host needs a tick.
static void
answer_command(enum mica_status status, const struct mica_error *error)
{
    uint64_t due = 0;

    begin("ret");
    mica_json_stringz(&out, status == MICA_OK ? "OK" : error->code);
    if (status != MICA_OK)
        mica_json_field(&out, "message", mica_text(error->message));
    if (host != NULL) {
        struct mica_text model = mica_host_model_context(host);
        struct mica_text info = mica_host_app_info(host);
        mica_json_field(&out, "state",
                        mica_text(mica_host_state_name(mica_host_state(host))));
        if (mica_host_due(host, &due)) {
            mica_json_name(&out, "due");
            mica_json_integer(&out, (int64_t)due);
        }
        if (model.len > 0) {
            mica_json_name(&out, "model");
            mica_json_raw(&out, model);
        }
        if (info.len > 0) {
            mica_json_name(&out, "app");
            mica_json_raw(&out, info);
            mica_json_name(&out, "capabilities");
            mica_json_raw(&out, mica_host_app_capabilities(host));
        }
    }
    end();
}

int
main(void)
{
    struct mica_arena arena;
    char *text = NULL;
    size_t room = 0;
    ssize_t size;

    mica_arena_init(&arena, 256 << 20);
    mica_buffer_init(&line, NULL, 64 << 20);
    while ((size = getline(&text, &room, stdin)) > 0) {
        const struct mica_json_limits limits = {.depth = 512,
                                                .bytes = 128 << 20};
        struct mica_error error = {.code = ""};
        struct mica_json command;
        enum mica_status status =
            mica_json_read(&arena, (struct mica_text){text, (size_t)size},
                           &limits, &error, &command);
        if (status == MICA_OK)
            status = do_command(&command, &error);
        answer_command(status, &error);
        mica_arena_reset(&arena);
    }
    free(text);
    mica_host_free(host);
    host = NULL;
    mica_buffer_fini(&line);
    mica_arena_fini(&arena);
    return 0;
}
