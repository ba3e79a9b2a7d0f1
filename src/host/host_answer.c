// SPDX-License-Identifier: Apache-2.0
//
// The answers of the program to what a view asked, and the list of tools by which the host
// judges what the view may call.
#include "host/host_peer.h"

#include <string.h>

#include "base/arena.h"

static enum mica_status
no_request(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "The request is over: it was answered, or the view "
                          "no longer waits for it.");
}

// A result of tools/list without the tools that are not for views.
static enum mica_status
visible_tools(struct mica_host *host, const struct mica_json *result,
              struct mica_error *error, struct mica_text *text_out)
{
    const struct mica_json *tools = mica_json_get(result, "tools");
    struct mica_json_writer writer;
    struct mica_buffer out;

    if (tools == NULL || tools->kind != MICA_JSON_ARRAY)
        return mica_host_fail(host, MICA_HOST_INVALID_RESULT, error,
                              "The result of tools/list needs a list "
                              "\"tools\".");
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    (void)mica_buffer_reserve(&out, result->raw.len);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < result->count; i++) {
        mica_json_name_text(&writer, result->members[i].name);
        if (&result->members[i].value != tools) {
            mica_json_value(&writer, &result->members[i].value);
            continue;
        }
        mica_json_open_array(&writer);
        for (size_t k = 0; k < tools->count; k++)
            if (mica_host_tool_is_visible(&tools->items[k]))
                mica_json_value(&writer, &tools->items[k]);
        mica_json_close_array(&writer);
    }
    mica_json_close_object(&writer);
    *text_out = mica_buffer_as_text(&out);
    return out.overflow ? mica_host_no_memory(host, error) : MICA_OK;
}

// The mode that the program has set comes into force.
static enum mica_status
take_mode(struct mica_host *host, const struct mica_json *result,
          struct mica_error *error)
{
    struct mica_text mode = mica_json_get_text(result, "mode");
    struct mica_text now = mica_host_context_word(host, "displayMode");
    char room[64];
    struct mica_buffer changes = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    for (size_t i = 0; mica_view_display_modes[i] != NULL; i++) {
        if (!mica_text_is(mode, mica_view_display_modes[i]))
            continue;
        if (mica_text_equal(mode, now) ||
            (now.len == 0 && mica_text_is(mode, "inline")) ||
            mica_host_is_ending(host))
            return MICA_OK;
        mica_buffer_format(&changes, "{\"displayMode\":\"%.*s\"}",
                           MICA_ARG(mode));
        MICA_TRY(mica_host_context_merge(host, mica_buffer_as_text(&changes),
                                         error));
        if (host->state == MICA_HOST_LIVE)
            mica_host_context_announce(host);
        return MICA_OK;
    }
    return mica_host_fail(
        host, MICA_HOST_INVALID_RESULT, error,
        "The result of ui/request-display-mode has no mode of "
        "inline, fullscreen, pip.");
}

static enum mica_status
answer_request(struct mica_host *host, uint64_t request,
               struct mica_text result, struct mica_error *error)
{
    struct mica_host_running *running = mica_host_running_of(host, request);
    enum mica_status status;
    const char *methodz;
    struct mica_json value;
    struct mica_text text = {NULL, 0};

    if (running == NULL)
        return no_request(error);
    methodz = running->method->name;
    MICA_TRY(mica_host_read(host, result, MICA_JSON_OBJECT, "the result", error,
                            &value));
    if (strcmp(methodz, "ui/request-display-mode") == 0)
        MICA_TRY(take_mode(host, &value, error));
    if (strcmp(methodz, "tools/list") == 0) {
        MICA_TRY(visible_tools(host, &value, error, &text));
    } else {
        text = mica_host_compact(host, &value);
        if (text.len == 0)
            return mica_host_no_memory(host, error);
    }
    running = mica_host_running_of(host, request);
    if (running == NULL) // a callback has ended it
        return no_request(error);
    mica_host_running_end(host, running);
    status = mica_host_send_result(host, running->id, text, error);
    if (status != MICA_OK) { // nothing was sent, so that it can be refused
        running->number = request;
        host->running_count++;
    } else if (request == host->model_number) {
        mica_host_model_commit(host);
    }
    return status;
}

enum mica_status
mica_host_answer(struct mica_host *host, uint64_t request,
                 struct mica_text result, struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = answer_request(host, request, result, error);

    mica_host_leave(host, &mark);
    return status;
}

static enum mica_status
refuse_request(struct mica_host *host, uint64_t request, int rpc_code,
               struct mica_text message, struct mica_text data,
               struct mica_error *error)
{
    struct mica_host_running *running = mica_host_running_of(host, request);
    struct mica_json value;

    if (running == NULL)
        return no_request(error);
    if (mica_utf8_valid(message) != message.len)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "the message must be UTF-8");
    if (data.len > 0) {
        const struct mica_json_limits limits = {
            .depth = host->limits.depth, .bytes = host->limits.message_bytes};
        MICA_TRY(mica_json_read(mica_host_arena(host, MICA_HOST_WORK), data,
                                &limits, error, &value));
        data = mica_host_compact(host, &value);
    }
    mica_host_running_end(host, running);
    mica_host_send_error(host, running->id, rpc_code, message, data);
    return MICA_OK;
}

enum mica_status
mica_host_refuse(struct mica_host *host, uint64_t request, int rpc_code,
                 struct mica_text message, struct mica_text data,
                 struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status =
        refuse_request(host, request, rpc_code, message, data, error);

    mica_host_leave(host, &mark);
    return status;
}

static enum mica_status
send_progress(struct mica_host *host, uint64_t request,
              struct mica_text progress, struct mica_error *error)
{
    struct mica_host_running *running = mica_host_running_of(host, request);
    struct mica_json_writer writer;
    struct mica_buffer out;
    struct mica_json value;

    if (running == NULL)
        return no_request(error);
    if (running->token.len == 0)
        return MICA_OK;
    MICA_TRY(mica_host_read(host, progress, MICA_JSON_OBJECT, "the progress",
                            error, &value));
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "progressToken");
    mica_json_raw(&writer, running->token);
    for (size_t i = 0; i < value.count; i++) {
        if (mica_text_is(value.members[i].name, "progressToken"))
            continue;
        mica_json_name_text(&writer, value.members[i].name);
        mica_json_value(&writer, &value.members[i].value);
    }
    mica_json_close_object(&writer);
    if (out.overflow)
        return mica_host_no_memory(host, error);
    return mica_host_send_notification(host, "notifications/progress",
                                       mica_buffer_as_text(&out), error);
}

enum mica_status
mica_host_progress(struct mica_host *host, uint64_t request,
                   struct mica_text progress, struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = send_progress(host, request, progress, error);

    mica_host_leave(host, &mark);
    return status;
}

// ---- Tools of the server ---------------------------------------------------------

static enum mica_status
keep_server_tools(struct mica_host *host, struct mica_text tools,
                  struct mica_error *error)
{
    struct mica_arena arena;
    struct mica_json value;
    struct mica_host_server_tool *kept;

    MICA_TRY(mica_host_read(host, tools, MICA_JSON_ARRAY, "the tools", error,
                            &value));
    mica_arena_init_small(&arena, mica_host_room(host));
    kept = mica_arena_zero(&arena, value.count, sizeof *kept);
    for (size_t i = 0; kept != NULL && i < value.count; i++) {
        kept[i].name = mica_arena_text(
            &arena, mica_json_get_text(&value.items[i], "name"));
        kept[i].visible = mica_host_tool_is_visible(&value.items[i]);
    }
    if (arena.overflow) {
        mica_arena_fini(&arena);
        return mica_host_no_memory(host, error);
    }
    mica_arena_fini(&host->arenas[MICA_HOST_SERVER_TOOLS]);
    host->arenas[MICA_HOST_SERVER_TOOLS] = arena;
    host->server_tools = kept;
    host->server_tool_count = value.count;
    return MICA_OK;
}

enum mica_status
mica_host_set_server_tools(struct mica_host *host, struct mica_text tools,
                           struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = mica_host_must_be_open(host, error);

    if (status == MICA_OK)
        status = keep_server_tools(host, tools, error);
    mica_host_leave(host, &mark);
    return status;
}
