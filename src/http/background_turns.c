// SPDX-License-Identifier: Apache-2.0
//
// Callbacks of the turn queue: background turns of calls. A turn of a session sends its
// events on the stream of the call, also if the client reads it in another process. A
// turn of a task sends nothing: its client polls. A turn of HTTP+SSE sends on the stream
// of its client, if this process has it.
#include "http/http.h"
#include "http/http_sse/http_sse.h"

#include "http/sessions/session_table.h"
#include "platform/clock.h"

// In the arena of the turn.
struct http_turn {
    struct mica_session_table *table; // NULL: not of a session
    struct mica_session_turn in_session;
    struct mica_http_sse_client *client; // of HTTP+SSE, or NULL
    uint64_t began_ns;
};

static void
message_emit(struct mica_message *message, struct mica_text notification)
{
    struct http_turn *turn = message->reply.emit_data;

    mica_session_turn_emit(turn->table, &turn->in_session, notification);
}

static void
message_emit_http_sse(struct mica_message *message,
                      struct mica_text notification)
{
    struct http_turn *turn = message->reply.emit_data;

    mica_http_sse_turn_notify(turn->client, notification);
}

static bool
close_stream(struct mica_message *message)
{
    struct http_turn *turn = message->reply.emit_data;

    return mica_session_turn_close_stream(turn->table, &turn->in_session);
}

void
mica_http_turn_claimed(void *data, struct mica_message *message)
{
    struct mica_http *http = data;
    const struct mica_kept_call *kept = mica_message_kept(message);
    struct http_turn *turn;

    turn = mica_arena_zero(message->arena, 1, sizeof *turn);
    if (turn == NULL)
        return;
    turn->began_ns = mica_clock_ns();
    message->reply.emit_data = turn;
    if (kept->mode == MICA_CALL_SESSION && kept->session.len == 0 &&
        http->http_sse != NULL)
        turn->client = mica_http_sse_turn_begin(http->http_sse, kept);
    if (turn->client != NULL)
        message->reply.emit = message_emit_http_sse;
    if (kept->mode != MICA_CALL_SESSION ||
        !mica_session_turn_resume(http->sessions, &turn->in_session, message))
        return;
    turn->table = http->sessions;
    message->reply.emit = message_emit;
    message->reply.close_stream = close_stream;
}

// Logs a turn. It has no bytes of HTTP: its reply is an event of a stream.
static void
http_note(struct mica_http *http, const struct mica_message *message,
          uint64_t began_ns)
{
    struct mica_log_entry entry = {
        .rpc = message->request.method,
        .tool = message->request.name,
        .version = mica_text(
            mica_revision_features(message->context.revision)->version),
        .code = message->reply.error_code,
        .response = message->step == MICA_STEP_ASK ? "asked" : "sent",
        .status = 200,
        .duration_ns = mica_clock_ns() - began_ns};

    if (http->log != NULL && message->request.method.len > 0)
        mica_log_request(http->log, &entry);
}

void
mica_http_turn_retried(void *data, struct mica_message *message)
{
    struct http_turn *turn = message->reply.emit_data;

    (void)data;
    if (turn != NULL && turn->table != NULL)
        mica_session_turn_leave(turn->table, &turn->in_session);
    else if (turn != NULL && turn->client != NULL)
        mica_http_sse_turn_end(turn->client, NULL);
}

bool
mica_http_turn_ended(void *data, struct mica_queued_turn *ended)
{
    struct mica_http *http = data;
    struct mica_message *message = mica_turn_queue_message(ended);
    struct http_turn *turn = message->reply.emit_data;

    if (turn != NULL) {
        http_note(http, message, turn->began_ns);
        if (turn->table != NULL)
            (void)mica_session_turn_end(turn->table, &turn->in_session);
        else if (turn->client != NULL)
            mica_http_sse_turn_end(turn->client, message);
    }
    return false;
}
