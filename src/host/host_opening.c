// SPDX-License-Identifier: Apache-2.0
//
// The call that opened the view, and all else that is sent when the view becomes LIVE. A
// view that was loaded again gets input and result again, so both are kept.
#include "host/host_peer.h"

#include "base/arena.h"

#define UI "ui/notifications/"

// ---- Sending ---------------------------------------------------------------------

// Each message of its own: what one takes of the arena WORK is given back.
static void
send_one(struct mica_host *host, const char *methodz, struct mica_text params)
{
    struct mica_arena mark = mica_host_enter(host);
    struct mica_error error;

    if (mica_host_send_notification(host, methodz, params, &error) != MICA_OK &&
        host->callbacks.error != NULL)
        host->callbacks.error(host->user, &error);
    mica_host_leave(host, &mark);
}

static void
flush_partials(struct mica_host *host)
{
    struct mica_arena arena;
    const struct mica_host_waiting *waiting =
        mica_host_queue_take(host, MICA_HOST_PARTIALS, &arena);

    for (; waiting != NULL && host->state == MICA_HOST_LIVE;
         waiting = waiting->next)
        send_one(host, waiting->methodz, waiting->params);
    mica_arena_fini(&arena);
}

void
mica_host_opening_flush(struct mica_host *host)
{
    flush_partials(host);
    if (host->state == MICA_HOST_LIVE && host->input_part == MICA_HOST_GIVEN) {
        host->input_part = MICA_HOST_SENT;
        send_one(host, UI "tool-input", host->input);
    }
    if (host->state == MICA_HOST_LIVE && host->end_part == MICA_HOST_GIVEN &&
        (host->input_part == MICA_HOST_SENT ||
         host->end == MICA_HOST_CANCELLED)) {
        host->end_part = MICA_HOST_SENT;
        send_one(host,
                 host->end == MICA_HOST_RESULT ? UI "tool-result"
                                               : UI "tool-cancelled",
                 host->end_params);
    }
}

void
mica_host_opening_again(struct mica_host *host)
{
    if (host->input_part == MICA_HOST_SENT)
        host->input_part = MICA_HOST_GIVEN;
    if (host->end_part == MICA_HOST_SENT)
        host->end_part = MICA_HOST_GIVEN;
}

static void
flush_queue(struct mica_host *host)
{
    struct mica_arena arena;
    const struct mica_host_waiting *waiting =
        mica_host_queue_take(host, MICA_HOST_QUEUE, &arena);

    for (; waiting != NULL; waiting = waiting->next) {
        if (waiting->number != 0)
            mica_host_asked_send(host, waiting);
        else if (host->state == MICA_HOST_LIVE)
            send_one(host, waiting->methodz, waiting->params);
    }
    mica_arena_fini(&arena);
}

void
mica_host_flush(struct mica_host *host)
{
    mica_host_context_announce(host);
    mica_host_opening_flush(host);
    flush_queue(host);
}

// ---- Functions of the header -----------------------------------------------------

// {"arguments": the object}, or {}.
static enum mica_status
write_arguments(struct mica_host *host, struct mica_text arguments,
                struct mica_error *error, struct mica_text *params_out)
{
    struct mica_json value;
    struct mica_json_writer writer;
    struct mica_buffer out;

    if (arguments.len == 0) {
        *params_out = MICA_LITERAL("{}");
        return MICA_OK;
    }
    MICA_TRY(mica_host_read(host, arguments, MICA_JSON_OBJECT, "the arguments",
                            error, &value));
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    (void)mica_buffer_reserve(&out, arguments.len + 32);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "arguments");
    mica_json_value(&writer, &value);
    mica_json_close_object(&writer);
    *params_out = mica_buffer_as_text(&out);
    return out.overflow ? mica_host_no_memory(host, error) : MICA_OK;
}

static enum mica_status
input_is_due(struct mica_host *host, struct mica_error *error)
{
    MICA_TRY(mica_host_must_be_open(host, error));
    if (host->input_part == MICA_HOST_ABSENT)
        return MICA_OK;
    return mica_host_fail(host, MICA_HOST_INPUT_COMPLETE, error,
                          "tool-input was given: a view gets it once.");
}

static enum mica_status
take_partial(struct mica_host *host, struct mica_text arguments,
             struct mica_error *error)
{
    struct mica_host_waiting message = {.methodz = UI "tool-input-partial"};

    MICA_TRY(input_is_due(host, error));
    MICA_TRY(write_arguments(host, arguments, error, &message.params));
    return mica_host_queue_push(host, MICA_HOST_PARTIALS, &message, error);
}

enum mica_status
mica_host_tool_input_partial(struct mica_host *host, struct mica_text arguments,
                             struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = take_partial(host, arguments, error);

    if (status == MICA_OK && host->state == MICA_HOST_LIVE)
        mica_host_opening_flush(host);
    mica_host_leave(host, &mark);
    return status;
}

static enum mica_status
take_input(struct mica_host *host, struct mica_text arguments,
           struct mica_error *error)
{
    struct mica_text params;

    MICA_TRY(input_is_due(host, error));
    if (host->end_part == MICA_HOST_SENT)
        return mica_host_fail(
            host, MICA_HOST_CALL_ENDED, error,
            "tool-cancelled was given: tool-input cannot follow.");
    MICA_TRY(write_arguments(host, arguments, error, &params));
    MICA_TRY(
        mica_host_keep(host, MICA_HOST_INPUT, &host->input, params, error));
    host->input_part = MICA_HOST_GIVEN;
    return MICA_OK;
}

enum mica_status
mica_host_tool_input(struct mica_host *host, struct mica_text arguments,
                     struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = take_input(host, arguments, error);

    if (status == MICA_OK && host->state == MICA_HOST_LIVE)
        mica_host_opening_flush(host);
    mica_host_leave(host, &mark);
    return status;
}

static enum mica_status
take_end(struct mica_host *host, enum mica_host_end end,
         struct mica_text params, struct mica_error *error)
{
    if (host->end_part != MICA_HOST_ABSENT)
        return mica_host_fail(host, MICA_HOST_CALL_ENDED, error,
                              "tool-result or tool-cancelled was given: a view "
                              "gets it once.");
    if (end == MICA_HOST_RESULT && host->state == MICA_HOST_LIVE &&
        host->input_part == MICA_HOST_ABSENT)
        return mica_host_fail(host, MICA_HOST_INPUT_MISSING, error,
                              "Send tool-input before tool-result.");
    MICA_TRY(
        mica_host_keep(host, MICA_HOST_END, &host->end_params, params, error));
    host->end = end;
    host->end_part = MICA_HOST_GIVEN;
    return MICA_OK;
}

static enum mica_status
take_result(struct mica_host *host, struct mica_text result,
            struct mica_error *error)
{
    struct mica_json value;
    struct mica_text params;

    MICA_TRY(mica_host_must_be_open(host, error));
    MICA_TRY(mica_host_read(host, result, MICA_JSON_OBJECT, "the result", error,
                            &value));
    params = mica_host_compact(host, &value);
    if (params.len == 0)
        return mica_host_no_memory(host, error);
    return take_end(host, MICA_HOST_RESULT, params, error);
}

enum mica_status
mica_host_tool_result(struct mica_host *host, struct mica_text result,
                      struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = take_result(host, result, error);

    if (status == MICA_OK && host->state == MICA_HOST_LIVE)
        mica_host_opening_flush(host);
    mica_host_leave(host, &mark);
    return status;
}

static enum mica_status
take_cancelled(struct mica_host *host, struct mica_text reason,
               struct mica_error *error)
{
    struct mica_json_writer writer;
    struct mica_buffer out;

    MICA_TRY(mica_host_must_be_open(host, error));
    if (mica_utf8_valid(reason) != reason.len)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "the reason must be UTF-8");
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    if (reason.len > 0)
        mica_json_field(&writer, "reason", reason);
    mica_json_close_object(&writer);
    if (out.overflow)
        return mica_host_no_memory(host, error);
    return take_end(host, MICA_HOST_CANCELLED, mica_buffer_as_text(&out),
                    error);
}

enum mica_status
mica_host_tool_cancelled(struct mica_host *host, struct mica_text reason,
                         struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = take_cancelled(host, reason, error);

    if (status == MICA_OK && host->state == MICA_HOST_LIVE)
        mica_host_opening_flush(host);
    mica_host_leave(host, &mark);
    return status;
}

// Sends now, or adds to what waits.
static enum mica_status
send_or_wait(struct mica_host *host, const char *methodz,
             struct mica_error *error)
{
    MICA_TRY(mica_host_must_be_open(host, error));
    if (host->state == MICA_HOST_LIVE)
        return mica_host_send_notification(host, methodz, MICA_LITERAL("{}"),
                                           error);
    return mica_host_queue_push(
        host, MICA_HOST_QUEUE,
        &(struct mica_host_waiting){.methodz = methodz,
                                    .params = MICA_LITERAL("{}")},
        error);
}

enum mica_status
mica_host_server_changed(struct mica_host *host, enum mica_host_list list,
                         struct mica_error *error)
{
    static const char *const methods[] = {
        [MICA_HOST_LIST_TOOLS] = "notifications/tools/list_changed",
        [MICA_HOST_LIST_RESOURCES] = "notifications/resources/list_changed",
        [MICA_HOST_LIST_PROMPTS] = "notifications/prompts/list_changed"};
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = send_or_wait(host, methods[list], error);

    mica_host_leave(host, &mark);
    return status;
}

static enum mica_status
send_resource(struct mica_host *host, struct mica_text params,
              struct mica_error *error)
{
    struct mica_json value;
    struct mica_text text;

    MICA_TRY(mica_host_must_be_open(host, error));
    MICA_TRY(mica_host_read(host, params, MICA_JSON_OBJECT, "the parameters",
                            error, &value));
    text = mica_host_compact(host, &value);
    if (text.len == 0)
        return mica_host_no_memory(host, error);
    return mica_host_send_notification(host, UI "sandbox-resource-ready", text,
                                       error);
}

enum mica_status
mica_host_sandbox_resource(struct mica_host *host, struct mica_text params,
                           struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = send_resource(host, params, error);

    mica_host_leave(host, &mark);
    return status;
}
