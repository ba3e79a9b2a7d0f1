// SPDX-License-Identifier: Apache-2.0
//
// mica_server_serve_stdio. The serving thread reads lines, begins messages and
// tries them at once; what needs longer goes to a worker, and its reply comes
// back over a list and a wake-up. Replies leave in the order of completion.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "platform/clock.h"
#include "serve/cursors.h"
#include "serve/refuse.h"
#include "serve/stop.h"
#include "serve/worker_message.h"
#include "serve/workers.h"
#include "server/call_rules.h"
#include "server/server.h"
#include "stdio/asking.h"
#include "stdio/counts.h"
#include "stdio/lines.h"
#include "stdio/outbox.h"
#include "stdio/stdio_listen.h"
#include "stdio/stdio_stream.h"
#include "store/serving_thread.h"

enum {
    WORKERS = 4,
    QUEUE = 1024,
    AWAITING_BUILD = 1024, // requests that wait for tools
    PLACE_MS = 1000,       // a full queue holds the reader up for that long
    KEPT = 16,             // free lines
    WARM_BYTES = 32 * 1024,
    NOTE_BYTES = 1 << 20, // of notifications that wait to be written
    PATIENCE_MS = 2000,   // that a handler waits for a slow reader
    FINISH_MS = 10000,    // for what runs when stdin ends
    CANCEL_MS = 2000,     // for what was cancelled to notice
    // How long a request waits for tools that are being built, and how often the thread
    // looks whether it still has to.
    BUILD_WAIT_MS = 30000,
    BUILD_POLL_MS = 20
};

// One message that is being answered.
struct line {
    struct line *next;
    struct stdio *stdio;
    struct mica_worker_job task;
    struct mica_arena arena;
    struct mica_message message;
    uint64_t started_ns;
    uint32_t patience_ms;     // that the call may still wait for the reader
    struct mica_text text;    // in the arena
    uint64_t awaits_until_ns; // of one that awaits a build
};

struct stdio {
    struct mica_server *server;
    struct mica_stream stream;
    struct mica_lines lines;
    struct mica_line_state state;
    struct mica_workers *workers;
    struct mica_workers
        *store_thread; // one: what may wait for the store, in order
    struct mica_outbox outbox;
    struct mica_pipe_listen listen;
    struct mica_pipe_asking asking;
    struct mica_pipe_counts counts;
    struct mica_cursors *cursors; // of lists
    int wake; // readable when `done` or the outbox is not empty
    struct line *free;
    size_t free_count;
    struct line *awaiting;       // in the order in which they came
    pthread_mutex_t lock;        // of what follows
    struct line *running, *done; // with a worker, or back from it
};

// ---- Memory --------------------------------------------------------------------

static struct line *
take_line(struct stdio *stdio)
{
    struct line *line = stdio->free;

    if (line != NULL) {
        stdio->free = line->next;
        stdio->free_count--;
        return line;
    }
    line = malloc(sizeof *line);
    if (line == NULL)
        return NULL;
    memset(line, 0, sizeof *line);
    line->stdio = stdio;
    mica_arena_init(&line->arena, stdio->server->options.call_bytes);
    // The first block is the one that stays: large enough for most calls.
    (void)mica_arena_alloc(&line->arena, WARM_BYTES);
    mica_arena_reset(&line->arena);
    return line;
}

static void
free_line(struct line *line)
{
    mica_arena_fini(&line->arena);
    free(line);
}

static void
give_line(struct line *line)
{
    struct stdio *stdio = line->stdio;

    mica_rules_record(&line->message);
    mica_message_end(&line->message);
    mica_arena_reset(&line->arena);
    if (stdio->free_count >= KEPT) {
        free_line(line);
        return;
    }
    line->next = stdio->free;
    stdio->free = line;
    stdio->free_count++;
}

// ---- Replies -------------------------------------------------------------------

static void
stdio_refuse(struct stdio *stdio, struct mica_text id, enum mica_status status,
             const char *why)
{
    char room[1024];
    struct mica_buffer reply = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    if (id.len > sizeof room / 2)
        id.len = 0;
    mica_refuse_write(&reply, id,
                      status == MICA_E_BUSY ? MICA_REFUSE_INTERNAL
                                            : MICA_REFUSE_REQUEST,
                      status, "%s", why);
    mica_stream_write(&stdio->stream, mica_buffer_as_text(&reply));
    mica_pipe_counts_refused(&stdio->counts, mica_status_code(status));
}

static void
line_count(struct line *line, const char *code)
{
    mica_pipe_counts_message(&line->stdio->counts, &line->message, code,
                             line->started_ns);
}

// The acknowledgement is on its way, or the reason for its absence.
static void
listen_on(struct stdio *stdio, struct line *line)
{
    const struct mica_message *message = &line->message;
    enum mica_status status = mica_pipe_listen_begin(
        &stdio->listen, message->reply.listen, message->context.revision);

    if (status == MICA_OK)
        return;
    stdio_refuse(stdio, message->request.id, status,
                 "too many subscriptions are open; ask for more in one");
    line_count(line, mica_status_code(status));
}

static void
send_reply(struct line *line)
{
    struct mica_message *message = &line->message;

    if (message->step == MICA_STEP_LISTEN &&
        !atomic_load(&message->execution.cancelled))
        listen_on(line->stdio, line);
    if (message->step != MICA_STEP_LISTEN) { // that ends later
        line_count(line, message->reply.error_code);
        mica_pipe_counts_refused(&line->stdio->counts,
                                 message->reply.error_code);
    }
    // MCP: a cancelled request is not answered.
    if (atomic_load(&message->execution.cancelled))
        mica_pipe_asking_drop(&line->stdio->asking, message);
    else if (message->step == MICA_STEP_ASK)
        mica_pipe_asking_wait(&line->stdio->asking, message);
    else if (message->step == MICA_STEP_REPLY && message->reply.streamed_at > 0)
        mica_stream_write_late(
            &line->stdio->stream, mica_buffer_as_text(&message->reply.text),
            message->reply.streamed_at, message->execution.call.streamed);
    else if (message->step == MICA_STEP_REPLY)
        mica_stream_write(&line->stdio->stream,
                          mica_buffer_as_text(&message->reply.text));
    give_line(line);
}

// OUTBOX-1: behind the look at what is done, before its replies.
static void
write_notes(struct stdio *stdio)
{
    struct mica_note *note = mica_outbox_take(&stdio->outbox);

    while (note != NULL) {
        struct mica_note *next = note->next;
        mica_stream_write(&stdio->stream,
                          (struct mica_text){note->text, note->length});
        free(note);
        note = next;
    }
    mica_pipe_listen_tidy(&stdio->listen);
}

// Sends what workers have finished, and told.
static void
stdio_collect(struct stdio *stdio)
{
    pthread_mutex_lock(&stdio->lock);
    struct line *line = stdio->done, *reversed = NULL;
    stdio->done = NULL;
    pthread_mutex_unlock(&stdio->lock);
    struct mica_pipe_turn *turns = mica_pipe_asking_take(&stdio->asking);
    write_notes(stdio);
    while (line != NULL) { // the last to finish is the first in the list
        struct line *next = line->next;
        line->next = reversed;
        reversed = line;
        line = next;
    }
    while (reversed != NULL) {
        line = reversed;
        reversed = line->next;
        send_reply(line);
    }
    mica_pipe_asking_write(&stdio->asking, turns);
}

// ---- Workers -------------------------------------------------------------------

// With the lock held.
static void
unlink_running(struct stdio *stdio, const struct line *line)
{
    struct line **at = &stdio->running;

    while (*at != line)
        at = &(*at)->next;
    *at = line->next;
}

// Its reply is for the serving thread.
static void
line_done(struct line *line)
{
    struct stdio *stdio = line->stdio;
    uint64_t one = 1;

    pthread_mutex_lock(&stdio->lock);
    unlink_running(stdio, line);
    line->next = stdio->done;
    stdio->done = line;
    // Under the lock: once it is given up the serving thread may be gone.
    if (write(stdio->wake, &one, sizeof one) < 0)
        abort(); // an eventfd takes any number of these
    pthread_mutex_unlock(&stdio->lock);
}

static void stdio_serve_work(void *data);

// The model that the message waited for has answered: a worker continues it.
static void
stdio_serve_wake(struct mica_message *message)
{
    struct line *line = message->reply.emit_data;

    line->task =
        (struct mica_worker_job){.run = stdio_serve_work, .data = line};
    mica_workers_return(line->stdio->workers, &line->task);
}

// On a worker.
static void
stdio_serve_work(void *data)
{
    struct line *line = data;

    if (line->message.execution.parked == NULL)
        mica_pipe_asking_prepare(&line->stdio->asking, &line->message);
    if (mica_worker_execute(line->stdio->workers, &line->message,
                            stdio_serve_wake))
        line_done(line);
}

// On the store thread. A handler that is to be run after all goes to a worker.
static void
store_work(void *data)
{
    struct line *line = data;

    if (mica_message_execute_inline(&line->message)) {
        line_done(line);
        return;
    }
    line->task =
        (struct mica_worker_job){.run = stdio_serve_work, .data = line};
    if (!mica_workers_push(line->stdio->workers, &line->task, 0))
        stdio_serve_work(line);
}

// A reader that is slow holds its call up for a while, then it misses something.
static void
message_emit(struct mica_message *message, struct mica_text notification)
{
    struct line *line = message->reply.emit_data;

    if (mica_outbox_put(&line->stdio->outbox, line, notification,
                        &line->patience_ms) == 0)
        mica_pipe_count(&line->stdio->counts.missed);
}

static void
hand_over(struct stdio *stdio, struct line *line)
{
    bool waits = line->message.execution.deferred != NULL; // for the store
    struct mica_workers *workers = waits ? stdio->store_thread : stdio->workers;

    line->message.reply.emit = message_emit;
    line->message.reply.emit_data = line;
    line->patience_ms = PATIENCE_MS;
    line->task = (struct mica_worker_job){
        .run = waits ? store_work : stdio_serve_work, .data = line};
    pthread_mutex_lock(&stdio->lock);
    line->next = stdio->running;
    stdio->running = line;
    pthread_mutex_unlock(&stdio->lock);
    if (mica_workers_push(workers, &line->task, 0))
        return;
    // Replies that are ready should not wait while we wait for a place.
    mica_stream_flush(&stdio->stream);
    if (mica_workers_push(workers, &line->task, PLACE_MS))
        return;
    pthread_mutex_lock(&stdio->lock);
    unlink_running(stdio, line);
    pthread_mutex_unlock(&stdio->lock);
    stdio_refuse(stdio, line->message.request.id, MICA_E_BUSY,
                 "too many calls are waiting; send this one again later");
    line_count(line, mica_status_code(MICA_E_BUSY));
    give_line(line);
}

// With the lock held, if they are not the serving thread's.
static void
cancel_lines(struct stdio *stdio, struct line *lines, struct mica_text id)
{
    for (struct line *line = lines; line != NULL; line = line->next) {
        if (mica_message_cancel(&line->message, id))
            mica_outbox_purge(&stdio->outbox, line);
    }
}

// MCP: cancellation: nothing more is sent for that id, nor what waits to be.
static void
cancel_one(struct stdio *stdio, struct mica_text id)
{
    pthread_mutex_lock(&stdio->lock);
    cancel_lines(stdio, stdio->running, id);
    cancel_lines(stdio, stdio->done, id);
    pthread_mutex_unlock(&stdio->lock);
    cancel_lines(stdio, stdio->awaiting, id);
    mica_pipe_asking_cancel(&stdio->asking, id);
    while (mica_pipe_listen_cancel(&stdio->listen, id)) {
    }
}

// [STDIO-CANCEL]
static void
stdio_cancel(struct stdio *stdio, const struct mica_message *message)
{
    struct mica_text id;

    for (size_t i = 0; (id = mica_message_cancels(message, i)).len > 0; i++)
        cancel_one(stdio, id);
}

static void
cancel_all(struct stdio *stdio)
{
    pthread_mutex_lock(&stdio->lock);
    for (struct line *line = stdio->running; line != NULL; line = line->next)
        atomic_store(&line->message.execution.cancelled, true);
    pthread_mutex_unlock(&stdio->lock);
}

// ---- Lines ---------------------------------------------------------------------

// Begins the message of a line, which may be begun again after it has waited.
static void
begin_line(struct line *line, bool may_await_build)
{
    struct stdio *stdio = line->stdio;
    struct mica_message *message = &line->message;

    mica_message_init(message, stdio->server, &line->arena);
    message->execution.can_receive_answers = true;
    message->request.takes = MICA_TAKES_STREAMED | MICA_TAKES_STORE |
                             (may_await_build ? MICA_TAKES_BUILD_WAIT : 0u);
    mica_message_line(message, &stdio->state, line->text);
}

// What becomes of a message that has begun.
static void
settle_line(struct line *line)
{
    struct stdio *stdio = line->stdio;
    struct mica_message *message = &line->message;

    if (message->step == MICA_STEP_CANCEL)
        stdio_cancel(stdio, message);
    mica_pipe_asking_answer(&stdio->asking, message);
    if (stdio->state.initialized)
        mica_pipe_listen_handshake(&stdio->listen);
    if (message->step == MICA_STEP_STORE)
        mica_message_defer(message);
    if (message->step == MICA_STEP_WORK &&
        (message->execution.deferred != NULL ||
         !mica_message_execute_inline(message)))
        hand_over(stdio, line);
    else
        send_reply(line);
}

// ---- Requests that wait for tools ----------------------------------------------

// Between the answers of others: the serving thread alone writes, so there is
// nothing to wait for.
static void
emit_before_build(struct mica_message *message, struct mica_text notification)
{
    struct stdio *stdio = message->reply.emit_data;

    mica_stream_write(&stdio->stream, notification);
}

static void
line_await_build(struct line *line)
{
    struct line **at = &line->stdio->awaiting;

    // Many that wait hold their memory: past the bound they do not wait.
    size_t count = 0;
    for (; *at != NULL; at = &(*at)->next)
        count++;
    line->next = NULL;
    line->message.reply.emit = emit_before_build;
    line->message.reply.emit_data = line->stdio;
    line->awaits_until_ns =
        count < AWAITING_BUILD
            ? mica_clock_ns() + (uint64_t)BUILD_WAIT_MS * 1000000u
            : 0;
    *at = line;
    mica_message_send_build_progress(&line->message);
}

// The tools are there, or the client has waited long enough.
static void
release_line(struct line *line)
{
    bool progressed = line->message.reply.progressed;
    double progress = line->message.reply.progress;

    if (atomic_load(&line->message.execution.cancelled)) {
        send_reply(line); // which sends nothing
        return;
    }
    mica_message_end(&line->message);
    begin_line(line, false);
    line->message.reply.progressed = progressed;
    line->message.reply.progress = progress;
    settle_line(line);
}

// Looks whether requests that await a build still have to wait; `all`: none has.
static void
release_awaiting(struct stdio *stdio, bool all)
{
    struct line *awaiting = stdio->awaiting, **keep = &stdio->awaiting;
    uint64_t now_ns = awaiting != NULL ? mica_clock_ns() : 0;

    stdio->awaiting = NULL;
    while (awaiting != NULL) {
        struct line *line = awaiting;
        awaiting = line->next;
        line->next = NULL;
        if (!all && now_ns < line->awaits_until_ns &&
            !atomic_load(&line->message.execution.cancelled) &&
            mica_message_awaits_build(&line->message)) {
            mica_message_send_build_progress(&line->message);
            *keep = line;
            keep = &line->next;
        } else {
            release_line(line);
        }
    }
}

// ---- Answering -----------------------------------------------------------------

static void
stdio_answer(struct stdio *stdio, struct mica_text text)
{
    struct line *line = take_line(stdio);
    char *copy = NULL;

    // The input buffer moves on; a worker must not notice.
    if (line != NULL)
        copy = mica_arena_alloc(&line->arena, text.len);
    if (copy == NULL) {
        if (line != NULL)
            give_line(line);
        struct mica_id_scan scan;
        memset(&scan, 0, sizeof scan);
        mica_id_scan(&scan, text);
        stdio_refuse(stdio, mica_id_scan_found(&scan), MICA_E_LIMIT,
                     "no memory");
        return;
    }
    memcpy(copy, text.ptr, text.len);
    line->text = (struct mica_text){copy, text.len};
    line->started_ns = mica_pipe_counts_now(&stdio->counts);
    begin_line(line, true);
    if (line->message.step == MICA_STEP_AWAIT_BUILD)
        line_await_build(line);
    else
        settle_line(line);
}

static void
answer_lines(struct stdio *stdio, bool at_end)
{
    struct mica_text text;

    while (mica_stop_count() == 0 && !stdio->stream.broken) {
        switch (mica_lines_next(&stdio->lines, at_end, &text)) {
        case MICA_LINE_NONE:
            return;
        case MICA_LINE_TEXT:
            mica_pipe_count(&stdio->counts.lines);
            stdio_answer(stdio, text);
            break;
        case MICA_LINE_LONG:
            mica_pipe_count(&stdio->counts.skipped);
            stdio_refuse(stdio, text, MICA_E_LIMIT,
                         "the line is longer than this server reads; "
                         "it was skipped");
            break;
        }
    }
}

// False at the end of the input.
static bool
read_more(struct stdio *stdio)
{
    size_t size;
    char *room = mica_lines_room(&stdio->lines, &size);
    ssize_t got = room != NULL ? read(stdio->stream.in, room, size) : 0;

    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    mica_lines_filled(&stdio->lines, (size_t)got);
    return got > 0;
}

static void
clear_wake(struct stdio *stdio)
{
    uint64_t count;
    ssize_t got = read(stdio->wake, &count, sizeof count);

    (void)got; // nothing there is no failure
}

static void
serve_lines(struct stdio *stdio)
{
    struct pollfd wait[3] = {{.fd = stdio->stream.in, .events = POLLIN},
                             {.fd = stdio->wake, .events = POLLIN},
                             {.fd = stdio->stream.stop, .events = POLLIN}};
    bool more = true;

    mica_serving_thread_set(true);
    while (more && mica_stop_count() == 0 && !stdio->stream.broken) {
        if (poll(wait, 3, stdio->awaiting != NULL ? BUILD_POLL_MS : -1) < 0)
            continue; // interrupted: the count says by what
        if (wait[1].revents != 0) {
            clear_wake(stdio);
            stdio_collect(stdio);
        }
        if (wait[0].revents != 0) {
            more = read_more(stdio);
            answer_lines(stdio, !more);
        }
        release_awaiting(stdio, false);
        mica_stream_flush(&stdio->stream);
    }
    mica_serving_thread_set(false);
}

// ---- The end -------------------------------------------------------------------

// Calls that run or wait for a thread.
static size_t
lines_busy(struct stdio *stdio)
{
    struct mica_workers *store_thread = stdio->store_thread; // NULL: closed

    return mica_workers_busy(stdio->workers) +
           (store_thread != NULL ? mica_workers_busy(store_thread) : 0);
}

// The store thread first: it hands on to the others. False: a handler still runs.
static bool
workers_close(struct stdio *stdio)
{
    return (stdio->store_thread == NULL ||
            mica_workers_close(&stdio->store_thread, 0)) &&
           (stdio->workers == NULL || mica_workers_close(&stdio->workers, 0));
}

// Answers what still runs, for at most `wait_ms`. False when there is more.
static bool
stdio_finish(struct stdio *stdio, unsigned wait_ms, bool until_signal)
{
    struct pollfd wait[2] = {{.fd = stdio->wake, .events = POLLIN},
                             {.fd = stdio->stream.stop, .events = POLLIN}};
    uint64_t until = mica_clock_ns() + (uint64_t)wait_ms * 1000000u;

    while (
        (lines_busy(stdio) > 0 || mica_pipe_asking_is_busy(&stdio->asking)) &&
        mica_clock_ns() < until &&
        !(until_signal && (mica_stop_count() > 0 || stdio->stream.broken))) {
        // A task is counted until just after its wake-up: look again soon.
        (void)poll(wait, until_signal ? 2 : 1, 10);
        clear_wake(stdio);
        stdio_collect(stdio);
        mica_stream_flush(&stdio->stream);
    }
    stdio_collect(stdio);
    mica_stream_flush(&stdio->stream);
    return lines_busy(stdio) == 0 && !mica_pipe_asking_is_busy(&stdio->asking);
}

// Stdin has ended; the answers to what came before it are still wanted, unless
// stdout is closed.
static void
finish_awaiting(struct stdio *stdio)
{
    struct pollfd wait[3] = {{.fd = stdio->stream.stop, .events = POLLIN},
                             {.fd = stdio->wake, .events = POLLIN},
                             {.fd = stdio->stream.writing}};

    while (stdio->awaiting != NULL && mica_stop_count() == 0 &&
           !stdio->stream.broken && wait[2].revents == 0) {
        (void)poll(wait, 3, BUILD_POLL_MS);
        clear_wake(stdio);
        stdio_collect(stdio);
        release_awaiting(stdio, false);
        mica_stream_flush(&stdio->stream);
    }
    release_awaiting(stdio, true);
}

static enum mica_status
stdio_end(struct stdio *stdio, struct mica_error *error)
{
    finish_awaiting(stdio);
    mica_pipe_listen_end(&stdio->listen);
    mica_pipe_asking_end(&stdio->asking);
    if (stdio->stream.broken || mica_stop_count() > 0)
        mica_outbox_shut(&stdio->outbox);
    if (!stdio_finish(stdio, FINISH_MS, true)) {
        cancel_all(stdio);
        mica_turn_queue_cancel_all(stdio->asking.turn_queue);
        (void)stdio_finish(stdio, CANCEL_MS, false);
    }
    mica_turn_queue_stop(stdio->asking.turn_queue);
    mica_pipe_counts_close(&stdio->counts);
    if (!workers_close(stdio))
        return mica_error_set(
            error, MICA_E_TIMEOUT, "",
            "%zu calls did not end when they were cancelled; a handler that "
            "takes long must look at mica_cancelled",
            lines_busy(stdio));
    stdio_collect(stdio);
    mica_stream_flush(&stdio->stream);
    return MICA_OK;
}

static enum mica_status
open_parts(struct stdio *stdio, const struct mica_stdio_options *options,
           int stop, struct mica_error *error)
{
    stdio->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (stdio->wake < 0)
        return mica_error_set(error, MICA_E_IO, "", "eventfd: %s",
                              strerror(errno));
    pthread_mutex_init(&stdio->lock, NULL);
    mica_outbox_open(&stdio->outbox, NOTE_BYTES, stdio->wake);
    MICA_TRY(mica_pipe_listen_open(&stdio->listen, stdio->server,
                                   &stdio->outbox, &stdio->stream,
                                   &stdio->counts, error));
    stdio->state.sessions = &stdio->listen.sessions;
    MICA_TRY(mica_cursors_open(stdio->server,
                               mica_session_store_of(stdio->server), error,
                               &stdio->cursors));
    MICA_TRY(mica_workers_open(WORKERS, QUEUE, error, &stdio->workers));
    MICA_TRY(mica_workers_open(1, QUEUE, error, &stdio->store_thread));
    MICA_TRY(mica_pipe_counts_open(&stdio->counts,
                                   options != NULL ? options->metrics : NULL,
                                   stdio->workers, error));
    MICA_TRY(mica_pipe_asking_open(
        &stdio->asking, stdio->server, &stdio->outbox, &stdio->stream,
        &stdio->counts, stdio->workers, stdio->store_thread, error));
    MICA_TRY(mica_lines_open(stdio->server->options.message_bytes, error,
                             &stdio->lines));
    return mica_stream_open(stop, error, &stdio->stream);
}

static void
close_parts(struct stdio *stdio)
{
    if (stdio->stream.out > 0)
        mica_stream_close(&stdio->stream);
    mica_lines_close(&stdio->lines);
    mica_cursors_close(&stdio->cursors);
    mica_pipe_asking_close(&stdio->asking);
    if (stdio->wake >= 0)
        mica_outbox_close(&stdio->outbox);
    while (stdio->free != NULL) {
        struct line *line = stdio->free;
        stdio->free = line->next;
        free_line(line);
    }
    if (stdio->wake >= 0)
        close(stdio->wake);
    free(stdio);
}

enum mica_status
mica_server_serve_stdio(struct mica_server *server,
                        const struct mica_stdio_options *options,
                        struct mica_error *error)
{
    struct stdio *stdio = calloc(1, sizeof *stdio);
    enum mica_status status;
    int stop;

    if (stdio == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    stdio->server = server;
    atomic_store(&server->registry.seen, true); // from here on others look
    status = mica_stop_open(error, &stop);
    if (status != MICA_OK) {
        free(stdio);
        return status;
    }
    status = open_parts(stdio, options, stop, error);
    if (status == MICA_OK) {
        mica_stop_with_parent();
        serve_lines(stdio);
        status = stdio_end(stdio, error);
    }
    mica_pipe_counts_close(&stdio->counts);
    if (workers_close(stdio))
        close_parts(stdio); // otherwise a handler still uses all of it
    mica_stop_close();
    return status;
}
