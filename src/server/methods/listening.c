// SPDX-License-Identifier: Apache-2.0
//
// subscriptions/listen: reads the filter of a subscription, drops what this server does
// not have, and writes the messages of the subscription. Each message has the id of the
// request as the client wrote it: a number stays a number.
#include "server/methods/listening.h"

#include <string.h>

#include "server/calls/task.h"

#define PREFIX "io.modelcontextprotocol/"

enum {
    SUBSCRIBED_URIS = 1000,       // of one subscription
    SUBSCRIBED_BYTES = 64 * 1024, // of all these URIs
    FOLLOWED_TASKS = 100          // of one subscription
};

static const struct mica_text none = {NULL, 0};

// The lists: field of the filter, prefix of the methods, notification.
static const struct {
    const char *field, *methods, *notification;
} lists[MICA_CHANGED_CONTENTS] = {
    [MICA_CHANGED_TOOLS] = {"toolsListChanged", "tools/",
                            "notifications/tools/list_changed"},
    [MICA_CHANGED_RESOURCES] = {"resourcesListChanged", "resources/",
                                "notifications/resources/list_changed"},
    [MICA_CHANGED_PROMPTS] = {"promptsListChanged", "prompts/",
                              "notifications/prompts/list_changed"},
};

// ---- Reading -----------------------------------------------------------------------

static bool
subscription_refuse(struct mica_message *message, enum mica_status status,
                    const char *what)
{
    mica_reply_error(message, 200, MICA_RPC_PARAMS, status, none,
                     "params.notifications%s", what);
    return false;
}

static bool
read_lists(struct mica_message *message, const struct mica_json *wanted,
           struct mica_listen *listen)
{
    for (unsigned kind = 0; kind < MICA_CHANGED_CONTENTS; kind++) {
        const struct mica_json *flag = mica_json_get(wanted, lists[kind].field);
        if (flag == NULL)
            continue;
        if (flag->kind != MICA_JSON_TRUE && flag->kind != MICA_JSON_FALSE)
            return subscription_refuse(
                message, MICA_E_TYPE,
                ": toolsListChanged, promptsListChanged and "
                "resourcesListChanged are true or false");
        listen->lists[kind] =
            flag->kind == MICA_JSON_TRUE &&
            mica_message_declares(message, mica_text(lists[kind].methods));
    }
    return true;
}

static bool
read_uris(struct mica_message *message, const struct mica_json *wanted,
          struct mica_listen *listen)
{
    const struct mica_json *uris =
        mica_json_get(wanted, "resourceSubscriptions");
    size_t bytes = 0;

    if (uris == NULL)
        return true;
    if (uris->kind != MICA_JSON_ARRAY)
        return subscription_refuse(
            message, MICA_E_TYPE, ".resourceSubscriptions is an array of URIs");
    if (!mica_message_declares(message, MICA_LITERAL("resources/")))
        return true;
    listen->follows = true;
    listen->uris =
        mica_arena_zero(message->arena, uris->count, sizeof *listen->uris);
    for (size_t i = 0; i < uris->count && listen->uris != NULL; i++) {
        const struct mica_json *uri = &uris->items[i];
        if (uri->kind != MICA_JSON_STRING || uri->text.len == 0)
            return subscription_refuse(
                message, MICA_E_TYPE,
                ".resourceSubscriptions is an array of URIs");
        bytes += uri->text.len;
        if (listen->uri_count == SUBSCRIBED_URIS || bytes > SUBSCRIBED_BYTES)
            return subscription_refuse(
                message, MICA_E_LIMIT,
                ".resourceSubscriptions: at most 1000 URIs, and 64 "
                "KiB of them; subscribe to one above them, or in "
                "several requests");
        listen->uris[listen->uri_count++] = uri->text;
    }
    return true;
}

// MCP: tasks: a client must declare the extension before it subscribes to tasks.
static bool
check_tasks(struct mica_message *message, const struct mica_json *wanted)
{
    const struct mica_json *meta =
        mica_json_get(message->request.params, "_meta");
    const struct mica_json *extensions = mica_json_get(
        mica_json_get(meta, PREFIX "clientCapabilities"), "extensions");

    if (mica_json_get(wanted, "taskIds") == NULL ||
        mica_json_get(extensions, PREFIX "tasks") != NULL)
        return true;
    mica_reply_error(message, 400, MICA_RPC_CAPABILITY, MICA_E_CAPABILITY,
                     MICA_LITERAL("\"requiredCapabilities\":{\"extensions\":{"
                                  "\"" PREFIX "tasks\":{}}}"),
                     "Missing client capability: params.notifications.taskIds "
                     "needs the extension " PREFIX "tasks; declare it in "
                     "params._meta");
    return false;
}

static bool
is_task_of_caller(struct mica_message *message, struct mica_text id)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_caller caller = mica_message_caller(message);
    struct mica_kept_call task;
    struct mica_error error;

    return calls->find(calls->data, id, &caller, message->arena, &error,
                       &task) == MICA_OK &&
           task.mode == MICA_CALL_TASK;
}

static void
listen_on(struct mica_message *message)
{
    if (message->arena->overflow)
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT, none,
                         "Not enough memory for this subscription");
    else
        message->step = MICA_STEP_LISTEN;
}

// Drops ids that are not tasks of this caller; the acknowledgment then lacks them. Runs as
// execution.deferred, because it reads the store.
static void
drop_foreign_tasks(struct mica_message *message)
{
    struct mica_listen *listen = message->reply.listen;
    size_t count = 0;

    for (size_t i = 0; i < listen->task_count; i++) {
        if (is_task_of_caller(message, listen->tasks[i]))
            listen->tasks[count++] = listen->tasks[i];
    }
    listen->task_count = count;
    listen_on(message);
}

static bool
read_tasks(struct mica_message *message, const struct mica_json *wanted,
           struct mica_listen *listen)
{
    const struct mica_json *ids = mica_json_get(wanted, "taskIds");

    if (ids == NULL || message->server->calls == NULL)
        return true;
    if (ids->kind != MICA_JSON_ARRAY)
        return subscription_refuse(message, MICA_E_TYPE,
                                   ".taskIds is an array of ids");
    if (ids->count > FOLLOWED_TASKS)
        return subscription_refuse(
            message, MICA_E_LIMIT,
            ".taskIds: at most 100 of them; ask in several requests");
    listen->tasks_too = true;
    listen->tasks =
        mica_arena_zero(message->arena, ids->count, sizeof *listen->tasks);
    for (size_t i = 0; i < ids->count && listen->tasks != NULL; i++) {
        if (ids->items[i].kind != MICA_JSON_STRING)
            return subscription_refuse(message, MICA_E_TYPE,
                                       ".taskIds is an array of ids");
        listen->tasks[listen->task_count++] = ids->items[i].text;
    }
    return true;
}

static bool
read_filter(struct mica_message *message, struct mica_listen *listen)
{
    const struct mica_json *wanted =
        mica_json_get(message->request.params, "notifications");

    if (wanted == NULL || wanted->kind != MICA_JSON_OBJECT)
        return subscription_refuse(
            message, MICA_E_REQUIRED,
            " must be an object that says what to tell of, like "
            "{\"toolsListChanged\":true}");
    return check_tasks(message, wanted) &&
           read_lists(message, wanted, listen) &&
           read_uris(message, wanted, listen) &&
           read_tasks(message, wanted, listen);
}

// MCP: subscriptions/listen (SEP-2575).
void
mica_method_listen(struct mica_message *message)
{
    struct mica_listen *listen =
        mica_arena_zero(message->arena, 1, sizeof *listen);

    if (message->request.over_http && !message->request.takes_stream) {
        mica_reply_error(message, 406, MICA_RPC_REQUEST, MICA_E_ACCEPT, none,
                         "Accept must list text/event-stream: the answer of "
                         "subscriptions/listen is a stream");
        return;
    }
    if (listen == NULL || !read_filter(message, listen))
        return;
    listen->id = message->request.id;
    listen->endpoint = message->request.endpoint;
    listen->server_info = mica_endpoint_brief(mica_message_endpoint(message));
    message->reply.listen = listen;
    if (listen->task_count > 0) {
        message->execution.deferred = drop_foreign_tasks;
        message->step = MICA_STEP_WORK;
    } else {
        listen_on(message);
    }
}

// ---- Copies ------------------------------------------------------------------------

size_t
mica_listen_size(const struct mica_listen *listen)
{
    size_t size = sizeof *listen + listen->uri_count * sizeof *listen->uris +
                  listen->task_count * sizeof *listen->tasks;

    size += listen->id.len + listen->endpoint.len + listen->server_info.len;
    for (size_t i = 0; i < listen->uri_count; i++)
        size += listen->uris[i].len;
    for (size_t i = 0; i < listen->task_count; i++)
        size += listen->tasks[i].len;
    return size;
}

static struct mica_text
copy_text(char **at, struct mica_text text)
{
    struct mica_text copy = {*at, text.len};

    if (text.len > 0)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copy;
}

struct mica_listen *
mica_listen_copy(const struct mica_listen *listen, void *storage)
{
    struct mica_listen *copy = storage;
    char *at;

    *copy = *listen;
    copy->uris = (struct mica_text *)(void *)(copy + 1);
    copy->tasks = copy->uris + listen->uri_count;
    at = (char *)(copy->tasks + listen->task_count);
    copy->id = copy_text(&at, listen->id);
    copy->endpoint = copy_text(&at, listen->endpoint);
    copy->server_info = copy_text(&at, listen->server_info);
    for (size_t i = 0; i < listen->uri_count; i++)
        copy->uris[i] = copy_text(&at, listen->uris[i]);
    for (size_t i = 0; i < listen->task_count; i++)
        copy->tasks[i] = copy_text(&at, listen->tasks[i]);
    return copy;
}

// ---- Messages ----------------------------------------------------------------------

bool
mica_listen_covers(struct mica_text subscribed, struct mica_text uri)
{
    if (uri.len < subscribed.len ||
        memcmp(uri.ptr, subscribed.ptr, subscribed.len) != 0)
        return false;
    return uri.len == subscribed.len ||
           subscribed.ptr[subscribed.len - 1] == '/' ||
           memchr("/?#", uri.ptr[subscribed.len], 3) != NULL;
}

static void
open_message(struct mica_buffer *line, struct mica_json_writer *writer)
{
    mica_json_writer_init(writer, line);
    mica_json_open_object(writer);
    mica_json_field(writer, "jsonrpc", MICA_LITERAL("2.0"));
}

static void
open_notification(struct mica_buffer *line, struct mica_json_writer *writer,
                  const char *method)
{
    open_message(line, writer);
    mica_json_field(writer, "method", mica_text(method));
}

static void
write_id(const struct mica_listen *listen, struct mica_json_writer *writer)
{
    mica_json_name(writer, PREFIX "subscriptionId");
    mica_json_raw(writer, listen->id);
}

// MCP: every notification of a subscription has its id.
static void
write_meta(const struct mica_listen *listen, struct mica_json_writer *writer)
{
    if (listen->id.len == 0)
        return;
    mica_json_name(writer, "_meta");
    mica_json_open_object(writer);
    write_id(listen, writer);
    mica_json_close_object(writer);
}

// [LISTEN-ACK]
void
mica_listen_acknowledge(const struct mica_listen *listen,
                        struct mica_buffer *line)
{
    struct mica_json_writer writer;

    open_notification(line, &writer,
                      "notifications/subscriptions/acknowledged");
    mica_json_name(&writer, "params");
    mica_json_open_object(&writer);
    mica_json_name(&writer, "notifications");
    mica_json_open_object(&writer);
    for (unsigned kind = 0; kind < MICA_CHANGED_CONTENTS; kind++) {
        if (!listen->lists[kind])
            continue;
        mica_json_name(&writer, lists[kind].field);
        mica_json_boolean(&writer, true);
    }
    if (listen->follows) {
        mica_json_name(&writer, "resourceSubscriptions");
        mica_json_open_array(&writer);
        for (size_t i = 0; i < listen->uri_count; i++)
            mica_json_string(&writer, listen->uris[i]);
        mica_json_close_array(&writer);
    }
    if (listen->tasks_too) {
        mica_json_name(&writer, "taskIds");
        mica_json_open_array(&writer);
        for (size_t i = 0; i < listen->task_count; i++)
            mica_json_string(&writer, listen->tasks[i]);
        mica_json_close_array(&writer);
    }
    mica_json_close_object(&writer);
    write_meta(listen, &writer);
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
}

// The members of an object, without the braces.
static struct mica_text
members_of(struct mica_text object)
{
    return mica_text_slice(object, 1, object.len - 1);
}

// MCP: notifications/tasks: a DetailedTask with the id of the subscription.
static bool
write_task_change(const struct mica_listen *listen,
                  const struct mica_change *change, struct mica_buffer *line)
{
    struct mica_json_writer writer;
    size_t i = 0;

    while (i < listen->task_count &&
           !mica_text_equal(listen->tasks[i], change->uri))
        i++;
    if (i == listen->task_count)
        return false;
    open_notification(line, &writer, "notifications/tasks");
    mica_json_name(&writer, "params");
    mica_json_open_object(&writer);
    mica_json_raw(&writer, members_of(change->task));
    write_meta(listen, &writer);
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
    return true;
}

static bool
listen_wants(const struct mica_listen *listen, const struct mica_change *change)
{
    if (!mica_change_concerns(change, listen->endpoint))
        return false;
    if (change->kind != MICA_CHANGED_CONTENTS)
        return listen->lists[change->kind];
    for (size_t i = 0; i < listen->uri_count; i++) {
        if (mica_listen_covers(listen->uris[i], change->uri))
            return true;
    }
    return false;
}

// [LISTEN-ID] [LISTEN-FILTER]
bool
mica_listen_tell(const struct mica_listen *listen,
                 const struct mica_change *change, struct mica_buffer *line)
{
    bool contents = change->kind == MICA_CHANGED_CONTENTS;
    struct mica_json_writer writer;

    if (change->kind == MICA_CHANGED_TASK)
        return write_task_change(listen, change, line);
    if (!listen_wants(listen, change))
        return false;
    open_notification(line, &writer,
                      contents ? "notifications/resources/updated"
                               : lists[change->kind].notification);
    if (contents || listen->id.len > 0) {
        mica_json_name(&writer, "params");
        mica_json_open_object(&writer);
        if (contents)
            mica_json_field(&writer, "uri", change->uri);
        write_meta(listen, &writer);
        mica_json_close_object(&writer);
    }
    mica_json_close_object(&writer);
    return true;
}

void
mica_listen_end(const struct mica_listen *listen, struct mica_buffer *line)
{
    struct mica_json_writer writer;

    open_message(line, &writer);
    mica_json_name(&writer, "id");
    mica_json_raw(&writer, listen->id);
    mica_json_name(&writer, "result");
    mica_json_open_object(&writer);
    mica_json_field(&writer, "resultType", MICA_LITERAL("complete"));
    mica_json_name(&writer, "_meta");
    mica_json_open_object(&writer);
    mica_json_name(&writer, PREFIX "serverInfo");
    mica_json_raw(&writer, listen->server_info);
    write_id(listen, &writer);
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
}

void
mica_listen_cancel(const struct mica_listen *listen, struct mica_buffer *line)
{
    struct mica_json_writer writer;

    open_notification(line, &writer, "notifications/cancelled");
    mica_json_name(&writer, "params");
    mica_json_open_object(&writer);
    mica_json_name(&writer, "requestId");
    mica_json_raw(&writer, listen->id);
    mica_json_field(&writer, "reason", MICA_LITERAL("The server ends"));
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
}
