// SPDX-License-Identifier: Apache-2.0
//
// Requests to the view: their time limits, and what a reply must be. A request has a number
// from the beginning and an id on the wire once it is sent; the ids begin at 0.
#include "host/host_peer.h"

#include <string.h>

#include "base/arena.h"

// ---- The table -------------------------------------------------------------------

static struct mica_host_asked *
asked_of_number(struct mica_host *host, uint64_t number)
{
    for (unsigned i = 0; i < host->limits.open_requests; i++)
        if (host->asked[i].state != MICA_HOST_ASKED_FREE &&
            host->asked[i].number == number)
            return &host->asked[i];
    return NULL;
}

struct mica_host_asked *
mica_host_asked_find(struct mica_host *host, const struct mica_json *id)
{
    int64_t value;

    if (host->asked_count == 0 || id == NULL || id->kind != MICA_JSON_NUMBER ||
        !mica_integer_read(id->text, &value) || value < 0)
        return NULL;
    for (unsigned i = 0; i < host->limits.open_requests; i++)
        if (host->asked[i].state == MICA_HOST_ASKED_SENT &&
            host->asked[i].id == (uint64_t)value)
            return &host->asked[i];
    return NULL;
}

// Frees the slot, then tells how the request ended (HOST-1).
static void
asked_end(struct mica_host *host, struct mica_host_asked *asked,
          const struct mica_host_reply *reply)
{
    struct mica_host_call call = asked->call;

    if (asked->state == MICA_HOST_ASKED_WAITS && host->queue.count > 0)
        host->queue.count--;
    asked->state = MICA_HOST_ASKED_FREE;
    host->asked_count--;
    if (call.done != NULL)
        call.done(call.user, reply);
}

static void
asked_fail(struct mica_host *host, struct mica_host_asked *asked,
           enum mica_host_code code, struct mica_text message)
{
    const struct mica_host_reply reply = {.code = mica_host_code_word(code),
                                          .message = message};

    host->counts[code]++;
    asked_end(host, asked, &reply);
}

// ---- Sending ---------------------------------------------------------------------

static const char *
method_of(enum mica_host_asked_kind kind)
{
    switch (kind) {
    case MICA_HOST_ASKED_CALL:
        return "tools/call";
    case MICA_HOST_ASKED_LIST:
        return "tools/list";
    case MICA_HOST_ASKED_FORM:
        return "elicitation/create";
    case MICA_HOST_ASKED_PING:
        return "ping";
    case MICA_HOST_ASKED_TEARDOWN:
        break;
    }
    return "ui/resource-teardown";
}

// The member of appCapabilities that the request needs and the view has not declared; NULL:
// the view may be asked.
static const char *
view_lacks(const struct mica_host *host, enum mica_host_asked_kind kind)
{
    if (kind == MICA_HOST_ASKED_FORM)
        return (host->app_can & MICA_HOST_APP_FORMS) != 0 ? NULL
                                                          : "elicitation";
    if (kind == MICA_HOST_ASKED_CALL || kind == MICA_HOST_ASKED_LIST)
        return (host->app_can & MICA_HOST_APP_TOOLS) != 0 ? NULL : "tools";
    return NULL;
}

#define NOT_DECLARED \
    "The view does not support %s (appCapabilities.%s), which %s needs."

static enum mica_status
asked_send(struct mica_host *host, struct mica_host_asked *asked,
           struct mica_text params, struct mica_error *error)
{
    enum mica_status status;
    uint64_t number = asked->number;

    asked->id = host->next_id++;
    asked->state = MICA_HOST_ASKED_SENT;
    status =
        mica_host_send_request(host, asked->id, method_of(asked->kind), params,
                               asked->call.progress != NULL, error);
    asked = asked_of_number(host, number);
    if (status != MICA_OK && asked != NULL) { // it was not sent
        asked->state = MICA_HOST_ASKED_FREE;
        host->asked_count--;
    }
    return status;
}

void
mica_host_asked_send(struct mica_host *host,
                     const struct mica_host_waiting *waiting)
{
    struct mica_host_asked *asked = asked_of_number(host, waiting->number);
    struct mica_arena mark;
    struct mica_error error;
    struct mica_host_call call;
    const char *lacking;

    if (asked == NULL || asked->state != MICA_HOST_ASKED_WAITS)
        return;
    mark = mica_host_enter(host);
    call = asked->call;
    lacking = view_lacks(host, asked->kind);
    if (lacking != NULL) {
        struct mica_buffer text;
        mica_buffer_init(&text, mica_host_arena(host, MICA_HOST_WORK), 256);
        mica_buffer_format(&text, NOT_DECLARED, lacking, lacking,
                           waiting->methodz);
        asked->state = MICA_HOST_ASKED_SENT; // it waits no more
        asked_fail(host, asked, MICA_HOST_CAPABILITY_NOT_SUPPORTED,
                   mica_buffer_as_text(&text));
    } else if (asked_send(host, asked, waiting->params, &error) != MICA_OK &&
               call.done != NULL) {
        const struct mica_host_reply reply = {
            .code = error.code, .message = mica_text(error.message)};
        call.done(call.user, &reply);
    }
    mica_host_leave(host, &mark);
}

static struct mica_host_asked *
asked_new(struct mica_host *host, enum mica_host_asked_kind kind,
          const struct mica_host_call *call, unsigned usual_ms)
{
    for (unsigned i = 0; i < host->limits.open_requests; i++) {
        struct mica_host_asked *asked = &host->asked[i];
        if (asked->state != MICA_HOST_ASKED_FREE)
            continue;
        mica_host_clock(host, call->now_ms);
        *asked = (struct mica_host_asked){
            .state = MICA_HOST_ASKED_WAITS,
            .kind = kind,
            .number = ++host->numbers,
            .due_ms = host->now_ms +
                      (call->timeout_ms > 0 ? call->timeout_ms : usual_ms),
            .call = *call};
        host->asked_count++;
        return asked;
    }
    return NULL;
}

// Sends the request, or lets it wait for the view.
static enum mica_status
ask_view(struct mica_host *host, enum mica_host_asked_kind kind,
         struct mica_text params, const struct mica_host_call *call,
         struct mica_error *error, uint64_t *number_out)
{
    bool live = host->state == MICA_HOST_LIVE;
    const char *lacking = live ? view_lacks(host, kind) : NULL;
    struct mica_host_asked *asked;
    enum mica_status status;

    if (lacking != NULL)
        return mica_host_fail(host, MICA_HOST_CAPABILITY_NOT_SUPPORTED, error,
                              NOT_DECLARED, lacking, lacking, method_of(kind));
    asked = asked_new(host, kind, call,
                      kind == MICA_HOST_ASKED_FORM ? MICA_HOST_FORM_MS
                                                   : host->limits.call_ms);
    if (asked == NULL)
        return mica_host_fail(host, MICA_HOST_TOO_MANY_REQUESTS, error,
                              "%u requests are open. Wait for one of them.",
                              host->limits.open_requests);
    asked->first_page = params.len <= 2;
    if (number_out != NULL)
        *number_out = asked->number;
    if (live)
        return asked_send(host, asked, params, error);
    status = mica_host_queue_push(
        host, MICA_HOST_QUEUE,
        &(struct mica_host_waiting){.methodz = method_of(kind),
                                    .params = params,
                                    .number = asked->number},
        error);
    if (status != MICA_OK) {
        asked->state = MICA_HOST_ASKED_FREE;
        host->asked_count--;
    }
    return status;
}

// ---- Replies ---------------------------------------------------------------------

// The result of a call, which has content and a size.
static void
end_call(struct mica_host *host, struct mica_host_asked *asked,
         const struct mica_json *result)
{
    struct mica_host_reply reply = {.result = result->raw};
    struct mica_json_writer writer;
    struct mica_buffer out;

    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes + 32);
    if (result->raw.len > host->limits.result_bytes) {
        mica_buffer_format(&out,
                           "The result of the view's tool was refused: The "
                           "message is larger than %zu.",
                           host->limits.result_bytes);
        asked_fail(host, asked, MICA_HOST_RESULT_TOO_LARGE,
                   mica_buffer_as_text(&out));
        return;
    }
    if (mica_json_get(result, "content") == NULL) {
        (void)mica_buffer_reserve(&out, result->raw.len + 32);
        mica_json_writer_init(&writer, &out);
        mica_json_open_object(&writer);
        mica_json_name(&writer, "content");
        mica_json_raw(&writer, MICA_LITERAL("[]"));
        for (size_t i = 0; i < result->count; i++) {
            mica_json_name_text(&writer, result->members[i].name);
            mica_json_value(&writer, &result->members[i].value);
        }
        mica_json_close_object(&writer);
        if (out.overflow) {
            asked_fail(host, asked, MICA_HOST_MEMORY_FULL,
                       MICA_LITERAL("The host of this view has no memory "
                                    "left."));
            return;
        }
        reply.result = mica_buffer_as_text(&out);
    }
    asked_end(host, asked, &reply);
}

static void
end_list(struct mica_host *host, struct mica_host_asked *asked,
         const struct mica_json *result)
{
    struct mica_host_reply reply = {.code = NULL};
    uint64_t number = asked->number;
    unsigned listed = asked->first_page ? 0 : host->listed;
    unsigned left =
        host->limits.tools > listed ? host->limits.tools - listed : 0;
    unsigned count = 0;
    bool is_list =
        mica_host_clean_tools(host, result, left, &reply.result, &count);

    asked = asked_of_number(host, number);
    if (asked == NULL) // a callback has ended it
        return;
    if (!is_list) {
        asked_fail(host, asked, MICA_HOST_INVALID_RESULT,
                   MICA_LITERAL("tools/list: the view sent no list of tools."));
        return;
    }
    if (reply.result.len == 0) {
        asked_fail(host, asked, MICA_HOST_MEMORY_FULL,
                   MICA_LITERAL("The host of this view has no memory left."));
        return;
    }
    host->listed = listed + count;
    asked_end(host, asked, &reply);
}

static void
end_form(struct mica_host *host, struct mica_host_asked *asked,
         const struct mica_json *result)
{
    const struct mica_host_reply reply = {.result = result->raw};
    const char *wrong = mica_host_answer_wrong(result);
    struct mica_buffer text;

    if (wrong == NULL) {
        asked_end(host, asked, &reply);
        return;
    }
    mica_buffer_init(&text, mica_host_arena(host, MICA_HOST_WORK), 256);
    mica_buffer_format(&text, "The answer of the view was refused: %s", wrong);
    asked_fail(host, asked, MICA_HOST_INVALID_RESULT,
               mica_buffer_as_text(&text));
}

static void
end_error(struct mica_host *host, struct mica_host_asked *asked,
          const struct mica_json *error)
{
    const struct mica_json *data = mica_json_get(error, "data");
    struct mica_host_reply reply = {
        .code = mica_host_code_word(MICA_HOST_ERROR_REPLY),
        .message = mica_json_get_text(error, "message"),
        .data = data != NULL ? data->raw : (struct mica_text){NULL, 0}};
    int64_t code = 0;

    (void)mica_integer_read(mica_json_get(error, "code")->text, &code);
    reply.rpc_code = code < INT32_MIN || code > INT32_MAX ? 0 : (int)code;
    if (asked->kind != MICA_HOST_ASKED_TEARDOWN) {
        host->counts[MICA_HOST_ERROR_REPLY]++;
        asked_end(host, asked, &reply);
        return;
    }
    // A view without a handler ends, and so does one whose handler fails.
    asked_end(host, asked,
              &(struct mica_host_reply){.result = MICA_LITERAL("{}")});
    if (reply.rpc_code != -32601)
        mica_host_report(host, MICA_HOST_ERROR_REPLY,
                         "The view answered its end with an error: %.*s",
                         MICA_ARG(reply.message));
}

void
mica_host_asked_replied(struct mica_host *host, struct mica_host_asked *asked,
                        const struct mica_json *message)
{
    const struct mica_json *result = mica_json_get(message, "result");
    const struct mica_json *error = mica_json_get(message, "error");
    struct mica_host_reply reply = {.code = NULL};

    if (error != NULL) {
        end_error(host, asked, error);
    } else if (asked->kind == MICA_HOST_ASKED_CALL) {
        end_call(host, asked, result);
    } else if (asked->kind == MICA_HOST_ASKED_LIST) {
        end_list(host, asked, result);
    } else if (asked->kind == MICA_HOST_ASKED_FORM) {
        end_form(host, asked, result);
    } else {
        reply.result = result->raw;
        asked_end(host, asked, &reply);
    }
}

void
mica_host_asked_progress(struct mica_host *host, const struct mica_json *params)
{
    struct mica_host_asked *asked =
        mica_host_asked_find(host, mica_json_get(params, "progressToken"));

    if (asked != NULL && asked->call.progress != NULL)
        asked->call.progress(asked->call.user, params);
}

// ---- Ends before a reply ---------------------------------------------------------

static void
send_cancelled(struct mica_host *host, uint64_t id, struct mica_text reason)
{
    struct mica_json_writer writer;
    struct mica_buffer out;
    struct mica_error error;

    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "requestId");
    mica_json_integer(&writer, (int64_t)id);
    mica_json_field(&writer, "reason", reason);
    mica_json_close_object(&writer);
    if (out.overflow || mica_host_send_notification(
                            host, "notifications/cancelled",
                            mica_buffer_as_text(&out), &error) == MICA_OK)
        return;
    if (host->callbacks.error != NULL)
        host->callbacks.error(host->user, &error);
}

// The host waits no longer, and tells the view if it knows of the request.
static void
give_up(struct mica_host *host, struct mica_host_asked *asked,
        struct mica_text reason)
{
    bool sent = asked->state == MICA_HOST_ASKED_SENT;
    bool ends = asked->kind == MICA_HOST_ASKED_TEARDOWN;
    uint64_t id = asked->id;

    if (ends) {
        asked_end(host, asked,
                  &(struct mica_host_reply){.result = MICA_LITERAL("{}")});
        mica_host_report(host, MICA_HOST_REQUEST_TIMEOUT,
                         "The view gave no answer to its end.");
    } else {
        asked_fail(host, asked, MICA_HOST_REQUEST_TIMEOUT, reason);
    }
    if (sent && host->state != MICA_HOST_CLOSED)
        send_cancelled(host, id, reason);
}

void
mica_host_asked_expire(struct mica_host *host)
{
    for (unsigned i = 0; i < host->limits.open_requests; i++) {
        struct mica_host_asked *asked = &host->asked[i];
        struct mica_arena mark;
        if (asked->state == MICA_HOST_ASKED_FREE ||
            asked->due_ms > host->now_ms)
            continue;
        mark = mica_host_enter(host);
        give_up(host, asked,
                asked->state == MICA_HOST_ASKED_WAITS
                    ? MICA_LITERAL("Request timed out: the view was not "
                                   "initialized")
                    : MICA_LITERAL("Request timed out"));
        mica_host_leave(host, &mark);
    }
}

void
mica_host_asked_close(struct mica_host *host, bool all)
{
    for (unsigned i = 0; i < host->limits.open_requests; i++) {
        struct mica_host_asked *asked = &host->asked[i];
        if (asked->state == MICA_HOST_ASKED_WAITS ||
            (all && asked->state == MICA_HOST_ASKED_SENT))
            asked_fail(host, asked, MICA_HOST_CONNECTION_CLOSED,
                       MICA_LITERAL("The view ends, or has ended."));
    }
}

// ---- Functions of the header -----------------------------------------------------

static enum mica_status
write_call(struct mica_host *host, struct mica_text name,
           struct mica_text arguments, struct mica_error *error,
           struct mica_text *params_out)
{
    struct mica_json value;
    struct mica_json_writer writer;
    struct mica_buffer out;

    if (mica_utf8_valid(name) != name.len)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "the name of a tool must be UTF-8");
    if (arguments.len > 0)
        MICA_TRY(mica_host_read(host, arguments, MICA_JSON_OBJECT,
                                "the arguments", error, &value));
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    (void)mica_buffer_reserve(&out, arguments.len + name.len + 32);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "name", name);
    if (arguments.len > 0) {
        mica_json_name(&writer, "arguments");
        mica_json_value(&writer, &value);
    }
    mica_json_close_object(&writer);
    *params_out = mica_buffer_as_text(&out);
    return out.overflow ? mica_host_no_memory(host, error) : MICA_OK;
}

enum mica_status
mica_host_call_tool(struct mica_host *host, struct mica_text name,
                    struct mica_text arguments,
                    const struct mica_host_call *call, struct mica_error *error,
                    uint64_t *number_out)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = mica_host_must_be_open(host, error);
    struct mica_text params = {NULL, 0};

    if (status == MICA_OK)
        status = write_call(host, name, arguments, error, &params);
    if (status == MICA_OK)
        status = ask_view(host, MICA_HOST_ASKED_CALL, params, call, error,
                          number_out);
    mica_host_leave(host, &mark);
    return status;
}

static enum mica_status
write_cursor(struct mica_host *host, struct mica_text cursor,
             struct mica_error *error, struct mica_text *params_out)
{
    struct mica_json_writer writer;
    struct mica_buffer out;

    if (mica_utf8_valid(cursor) != cursor.len)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "the cursor must be UTF-8");
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    if (cursor.len > 0)
        mica_json_field(&writer, "cursor", cursor);
    mica_json_close_object(&writer);
    *params_out = mica_buffer_as_text(&out);
    return out.overflow ? mica_host_no_memory(host, error) : MICA_OK;
}

enum mica_status
mica_host_list_tools(struct mica_host *host, struct mica_text cursor,
                     const struct mica_host_call *call,
                     struct mica_error *error, uint64_t *number_out)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = mica_host_must_be_open(host, error);
    struct mica_text params = {NULL, 0};

    if (status == MICA_OK)
        status = write_cursor(host, cursor, error, &params);
    if (status == MICA_OK)
        status = ask_view(host, MICA_HOST_ASKED_LIST, params, call, error,
                          number_out);
    mica_host_leave(host, &mark);
    return status;
}

enum mica_status
mica_host_elicit(struct mica_host *host, struct mica_text params,
                 const struct mica_host_call *call, struct mica_error *error,
                 uint64_t *number_out)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = mica_host_must_be_open(host, error);
    struct mica_host_call silent = *call;
    struct mica_json value;
    struct mica_text text = {NULL, 0};

    silent.progress = NULL; // its token would stand in the server's own _meta
    if (status == MICA_OK)
        status = mica_host_read(host, params, MICA_JSON_OBJECT, "the question",
                                error, &value);
    if (status == MICA_OK) {
        text = mica_host_compact(host, &value);
        status = text.len == 0 ? mica_host_no_memory(host, error)
                               : ask_view(host, MICA_HOST_ASKED_FORM, text,
                                          &silent, error, number_out);
    }
    mica_host_leave(host, &mark);
    return status;
}

enum mica_status
mica_host_ping(struct mica_host *host, const struct mica_host_call *call,
               struct mica_error *error, uint64_t *number_out)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = mica_host_must_be_open(host, error);

    if (status == MICA_OK)
        status = ask_view(host, MICA_HOST_ASKED_PING,
                          (struct mica_text){NULL, 0}, call, error, number_out);
    mica_host_leave(host, &mark);
    return status;
}

void
mica_host_cancel(struct mica_host *host, uint64_t number,
                 struct mica_text reason)
{
    struct mica_host_asked *asked = asked_of_number(host, number);
    struct mica_arena mark;

    if (asked == NULL || asked->kind == MICA_HOST_ASKED_TEARDOWN)
        return;
    mark = mica_host_enter(host);
    give_up(host, asked, mica_text_slice(reason, 0, mica_utf8_valid(reason)));
    mica_host_leave(host, &mark);
}

// Everything that waits ends; a view that never began has nothing to be asked.
static enum mica_status
teardown_begin(struct mica_host *host, const struct mica_host_call *call,
               struct mica_error *error)
{
    bool live = host->state == MICA_HOST_LIVE;
    struct mica_host_asked *asked;

    MICA_TRY(mica_host_must_be_open(host, error));
    mica_host_queues_drop(host);
    mica_arena_fini(&host->arenas[MICA_HOST_MODEL]);
    mica_arena_fini(&host->arenas[MICA_HOST_MODEL_NEXT]);
    host->model = host->model_next = (struct mica_text){NULL, 0};
    host->changed_ms = MICA_HOST_NEVER;
    (void)mica_host_move(host, MICA_HOST_TEARDOWN);
    mica_host_asked_close(host, false);
    asked = live ? asked_new(host, MICA_HOST_ASKED_TEARDOWN, call,
                             host->limits.teardown_ms)
                 : NULL;
    // With no slot left the view cannot be asked, and ends without its answer.
    if (asked != NULL)
        return asked_send(host, asked, MICA_LITERAL("{}"), error);
    if (call->done != NULL)
        call->done(call->user,
                   &(struct mica_host_reply){.result = MICA_LITERAL("{}")});
    return MICA_OK;
}

enum mica_status
mica_host_teardown(struct mica_host *host, const struct mica_host_call *call,
                   struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = teardown_begin(host, call, error);

    mica_host_leave(host, &mark);
    return status;
}
