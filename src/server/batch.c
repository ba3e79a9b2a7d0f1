// SPDX-License-Identifier: Apache-2.0
//
// A batch: several messages in one JSON array, in revision 2025-03-26 only. Its items
// share the arena of the batch and run one after the other; their replies become one
// array. So an adapter handles and counts a batch as one message.
#include "server/call_rules.h"
#include "server/message.h"

#include <string.h>

enum {
    BATCH_ITEMS = 100
};

static const struct mica_text none = {NULL, 0};

// An item sends its notifications with the batch's `emit`.
static void
item_emit(struct mica_message *item, struct mica_text notification)
{
    struct mica_message *whole = item->whole;

    whole->reply.emit(whole, notification);
}

static void
item_prepare(struct mica_message *whole, struct mica_message *item)
{
    mica_message_init(item, whole->server, whole->arena);
    item->whole = whole;
    item->request.over_http = whole->request.over_http;
    item->request.http = whole->request.http;
    item->request.line = whole->request.line;
    item->request.endpoint = whole->request.endpoint;
    if (whole->endpoint != NULL)
        mica_message_route(item, whole->endpoint);
    item->context = whole->context; // it is of the same client
}

// The adapter sets `emit` of the batch when it decides how the batch runs, which is after
// the items have begun.
static void
item_connect(const struct mica_message *whole, struct mica_message *item)
{
    item->reply.emit = whole->reply.emit != NULL ? item_emit : NULL;
}

static void
begin_request(struct mica_message *item, const struct mica_envelope *envelope)
{
    const char *what = NULL;

    if (mica_text_is(item->request.method, "initialize"))
        what = "initialize cannot be part of a batch; send it alone";
    else if (mica_envelope_is_stateless(envelope))
        what = "a stateless request cannot be part of a batch; send it alone";
    if (what != NULL)
        mica_reply_error(item, 200, MICA_RPC_REQUEST, MICA_E_UNKNOWN, none,
                         "Invalid request: %s", what);
    else
        mica_message_dispatch(item);
}

static void
begin_item(struct mica_message *item, const struct mica_json *root)
{
    struct mica_envelope envelope;

    if (!mica_message_read_item(item, root, &envelope))
        return;
    if (envelope.kind == MICA_REQUEST)
        begin_request(item, &envelope);
    else if (envelope.kind == MICA_NOTIFICATION)
        mica_message_notification(item);
    else if (envelope.kind == MICA_RESPONSE)
        mica_message_read_response(item, root);
}

// Joins the replies of the items to one array, and ends the items.
static void
batch_join(struct mica_message *message)
{
    const struct mica_batch *batch = message->batch;
    struct mica_json_writer writer;
    size_t replies = 0;

    message->reply.text.len = 0;
    mica_json_writer_init(&writer, &message->reply.text);
    mica_json_open_array(&writer);
    for (size_t i = 0; i < batch->count; i++) {
        struct mica_message *item = &batch->items[i];
        if (item->reply.rpc_error != 0) {
            message->reply.rpc_error = item->reply.rpc_error;
            message->reply.error_code = item->reply.error_code;
        }
        if (item->step == MICA_STEP_REPLY &&
            !atomic_load(&item->execution.cancelled)) {
            mica_json_raw(&writer, mica_buffer_as_text(&item->reply.text));
            replies++;
        }
        mica_rules_record(item);
        mica_message_end(item);
    }
    mica_json_close_array(&writer);
    message->step = MICA_STEP_REPLY;
    if (message->reply.text.overflow)
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, MICA_E_LIMIT, none,
                         "The results are larger than %zu bytes; send fewer "
                         "requests at once",
                         message->server->options.call_bytes);
    else if (replies == 0)
        mica_reply_silent(message, 202);
}

static bool
batch_refuse(struct mica_message *message, enum mica_status status,
             const char *what)
{
    mica_reply_error(message, 400, MICA_RPC_REQUEST, status, none,
                     "Invalid request: %s", what);
    return false;
}

// MCP: 2025-03-26, batching: checks the array before any item runs.
static bool
batch_check(struct mica_message *message, const struct mica_json *root)
{
    if (!mica_revision_features(message->context.revision)->batches)
        return batch_refuse(message, MICA_E_TYPE,
                            "a batch; send one JSON object per message");
    if (root->count == 0)
        return batch_refuse(message, MICA_E_TYPE, "an empty batch");
    if (root->count > BATCH_ITEMS)
        return batch_refuse(
            message, MICA_E_LIMIT,
            "a batch of more than 100 messages; send fewer at once");
    return true;
}

// [SESSION-BATCH]
void
mica_batch_begin(struct mica_message *message, const struct mica_json *root)
{
    struct mica_batch *batch;
    size_t waiting = 0;

    if (!batch_check(message, root))
        return;
    message->request.batch_root = root;
    if (mica_message_awaits_build(message)) {
        message->step = MICA_STEP_AWAIT_BUILD;
        return;
    }
    batch = mica_arena_zero(message->arena, 1, sizeof *batch);
    if (batch != NULL)
        batch->items =
            mica_arena_zero(message->arena, root->count, sizeof *batch->items);
    if (batch == NULL || batch->items == NULL) {
        (void)batch_refuse(message, MICA_E_LIMIT, "no memory for a batch");
        return;
    }
    message->batch = batch;
    for (; batch->count < root->count; batch->count++) {
        struct mica_message *item = &batch->items[batch->count];
        item_prepare(message, item);
        begin_item(item, &root->items[batch->count]);
        waiting += item->step == MICA_STEP_WORK;
        if (message->step == MICA_STEP_STORE) {
            batch->count++;
            return;
        }
    }
    message->step = MICA_STEP_WORK;
    if (waiting == 0)
        batch_join(message);
}

void
mica_batch_begin_again(struct mica_message *message)
{
    mica_batch_begin(message, message->request.batch_root);
}

static bool
batch_execute_inline(struct mica_message *message)
{
    struct mica_batch *batch = message->batch;
    size_t waiting = 0;

    for (size_t i = 0; i < batch->count; i++) {
        struct mica_message *item = &batch->items[i];
        item_connect(message, item);
        if (item->step == MICA_STEP_WORK && !mica_execute_inline(item))
            waiting++;
    }
    if (waiting > 0)
        return false;
    batch_join(message);
    return true;
}

static void
batch_execute(struct mica_message *message)
{
    struct mica_batch *batch = message->batch;

    for (size_t i = 0; i < batch->count; i++) {
        item_connect(message, &batch->items[i]);
        if (batch->items[i].step == MICA_STEP_WORK)
            (void)mica_execute_fully(&batch->items[i]); // it cannot ask
    }
    batch_join(message);
}

bool
mica_message_execute_inline(struct mica_message *message)
{
    if (!mica_execute_deferred(message))
        return true;
    return message->batch != NULL ? batch_execute_inline(message)
                                  : mica_execute_inline(message);
}

bool
mica_message_execute(struct mica_message *message)
{
    if (message->execution.parked == NULL && !mica_execute_deferred(message))
        return true;
    if (message->batch == NULL)
        return mica_execute_fully(message);
    batch_execute(message);
    return true;
}

// A log level belongs to a session or a pipe, so the batch has the same as its items.
bool
mica_message_wants_notices(const struct mica_message *message)
{
    const struct mica_batch *batch = message->batch;

    for (size_t i = 0; batch != NULL && i < batch->count; i++) {
        if (batch->items[i].request.progress_token.len > 0)
            return true;
    }
    return message->context.logs || message->request.progress_token.len > 0;
}

// ---- Cancellations and answers ---------------------------------------------------

struct mica_text
mica_message_cancels(const struct mica_message *message, size_t index)
{
    const struct mica_batch *batch = message->batch;

    if (batch == NULL)
        return index == 0 ? message->request.cancel_id : none;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->items[i].request.cancel_id.len > 0 && index-- == 0)
            return batch->items[i].request.cancel_id;
    }
    return none;
}

const struct mica_resume_cause *
mica_message_answer_at(const struct mica_message *message, size_t index)
{
    const struct mica_batch *batch = message->batch;

    if (batch == NULL)
        return index == 0 && message->execution.answered.call.len > 0
                   ? &message->execution.answered
                   : NULL;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->items[i].execution.answered.call.len > 0 && index-- == 0)
            return &batch->items[i].execution.answered;
    }
    return NULL;
}

// When the client leaves, the adapter sets the flag of the batch, which stops all items. An
// item that is cancelled by its id does not run, or its reply is dropped.
bool
mica_message_cancel(struct mica_message *message, struct mica_text id)
{
    const struct mica_batch *batch = message->batch;
    bool found = false;

    if (batch == NULL) {
        found = message->request.id.len > 0 &&
                mica_text_equal(message->request.id, id);
        if (found)
            atomic_store(&message->execution.cancelled, true);
        return found;
    }
    for (size_t i = 0; i < batch->count; i++) {
        struct mica_message *item = &batch->items[i];
        if (item->request.id.len > 0 && mica_text_equal(item->request.id, id)) {
            atomic_store(&item->execution.cancelled, true);
            found = true;
        }
    }
    return found;
}
